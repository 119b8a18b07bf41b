# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Curves beside the scene: force ratio, limit and what is certified, in a window up to now."""

from __future__ import annotations

from typing import Any

import numpy as np

from biped_slip.compile.arrays import Array
from biped_slip.reports.figures import ESTIMATE, FOOT_COLOURS, LIMIT, TRUTH
from biped_slip.view.scene import FootNumbers, Source

WINDOW, POINTS = 6.0, 150  # [s] and samples of a plot
SIZES = {"true mu": 1.5, "at most": 2.0}  # [px] of dots
HIGHEST = 1.2  # end of the axis of ratios
FEET = ("left", "right")
CURVES = (("|Ft| / Fn", ""), ("limit", LIMIT), ("at least", ESTIMATE), ("at most", ESTIMATE), ("true mu", TRUTH))


class FootPlots:
    """One plot for each of the first two feet of a source.

    Args:
        gui: viser's.
        source: whose numbers are drawn.
    """

    def __init__(self, gui: Any, source: Source) -> None:
        self._source = source
        count = min(len(source.scene.soles), 2)
        self._plots = [self._add(gui, foot) for foot in range(count)]

    def _add(self, gui: Any, foot: int) -> Any:
        name = self._source.scene.name
        series: list[dict[str, Any]] = [{"label": "time [s]"}]
        for label, colour in CURVES:
            stroke = colour or FOOT_COLOURS[foot]
            dots = {"show": True, "size": SIZES.get(label, 3.0), "fill": stroke, "width": 0}
            series.append({"label": label, "stroke": stroke, "width": 0, "points": dots})  # a line would bridge gaps
        empty = np.array([0.0, 1.0])
        return gui.add_uplot(
            (empty, *(np.full(2, np.nan) for _ in CURVES)), tuple(series), title=f"{name}: {FEET[foot]} foot",
            scales={"x": {"time": False}, "y": {"auto": False, "range": (0.0, HIGHEST)}},
            axes=({"label": "time [s]"}, {"label": "ratio [-]"}), height=190, legend={"show": foot == 0},
        )  # fmt: skip

    def show(self, time: float) -> None:
        """Curves of the window that ends at a time [s]."""
        times = self._source.times
        wanted = np.linspace(max(time - WINDOW, float(times[0])), max(time, float(times[0]) + 1e-3), POINTS)
        indices = np.minimum(np.searchsorted(times, wanted), len(times) - 1)
        numbers = self._source.numbers(indices)
        for foot, plot in enumerate(self._plots):
            plot.data = (wanted, *(_drawable(curve[:, foot]) for curve in _ordered(numbers)))


def _ordered(numbers: FootNumbers) -> tuple[Array, ...]:
    return numbers.ratio, numbers.limit, numbers.low, numbers.high, numbers.mu


def _drawable(curve: Array) -> Array:
    """NaN where a number lies beyond the axis."""
    return np.where(curve <= HIGHEST, curve, np.nan)

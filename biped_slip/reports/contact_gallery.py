# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Pictures of contact laws side by side: one small picture a law, all on the same axes."""

from __future__ import annotations

from typing import Any, Mapping, NamedTuple, Sequence

import matplotlib
import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from numpy.typing import NDArray

from biped_slip.reports.figures import LEFT, RIGHT, STYLE

COLUMNS = 4


class Panel(NamedTuple):
    """Two quantities over time."""

    time: NDArray[Any]  # (n,) [s]
    left: NDArray[Any]  # (n,) on the left axis
    right: NDArray[Any]  # (n,) on the right axis


def gallery(
    panels: Mapping[str, Panel], labels: Sequence[str], limits: Sequence[tuple[float, float]], title: str
) -> Any:
    """A figure with one panel per law.

    Args:
        panels: what to draw, by the law's name.
        labels: of time, left and right axis.
        limits: of left and right axis.
        title: of the figure.
    """
    rows = -(-len(panels) // COLUMNS)
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(12.0, 2.3 * rows + 0.5), layout="constrained")
        FigureCanvasAgg(figure)
        grid = np.asarray(figure.subplots(rows, COLUMNS, squeeze=False)).ravel()
        for axes in grid[len(panels) :]:
            axes.set_visible(False)
        for axes, (name, panel) in zip(grid, panels.items(), strict=False):
            twin = axes.twinx()
            axes.plot(panel.time, panel.left, color=LEFT)
            twin.plot(panel.time, panel.right, color=RIGHT)
            axes.set_title(name)
            axes.set_ylim(*limits[0])
            twin.set_ylim(*limits[1])
            axes.set_xlabel(labels[0])
            axes.set_ylabel(labels[1], color=LEFT)
            twin.set_ylabel(labels[2], color=RIGHT)
            twin.grid(False)
        figure.suptitle(title)
    return figure

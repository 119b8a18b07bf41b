# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Rows of curves over walks of whatever robot: their width, their legend, the look of the truth."""

from __future__ import annotations

import math
from typing import Any, Callable, Mapping, TypeVar

from biped_slip.reports.figures import FOOT_COLOURS, TRUTH, stacked_axes
from biped_slip.simulation.stances import FEET

WIDTH = 10.0  # [in]
LEGEND_COLUMNS = 6  # that fit into the width
TRUTH_LOOK: dict[str, Any] = {
    "color": TRUTH,
    "linewidth": 3.2,
    "alpha": 0.5,
    "zorder": 1.5,
    "label": "true mu",
}  # under the curves
Drawn = TypeVar("Drawn")  # a walk of whatever robot


def rows_of_feet(walks: Mapping[str, Drawn], label: str, draw: Callable[[Any, Drawn, int], None],
                 row_height: float = 1.7) -> tuple[Any, list[Any]]:  # fmt: skip
    """A figure with a row for each foot of each walk, drawn by ``draw(axis, walk, foot)``; returns (figure, axes)."""
    rows = [(name, foot) for name in walks for foot in (0, 1)]
    figure, axes = stacked_axes([label] * len(rows), width=WIDTH, row_height=row_height)
    for axis, (name, foot) in zip(axes, rows, strict=True):
        axis.set_title(f"{name}: {FEET[foot]} foot", loc="left", color=FOOT_COLOURS[foot])
        draw(axis, walks[name], foot)
    return figure, axes


def legend_above(figure: Any, handles: list[Any]) -> None:
    """One legend for all rows, over the first one, where it hides no curve; in two lines when it is long."""
    columns = len(handles) if len(handles) <= LEGEND_COLUMNS else math.ceil(len(handles) / 2)
    figure.legend(handles=handles, loc="outside upper right", ncols=max(1, columns), frameon=False)

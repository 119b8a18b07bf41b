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

MOST_COLUMNS = 5


def columns_for(panels: int) -> int:
    """Columns, four or five, that leave the fewest places of the last row empty."""
    return min(range(4, MOST_COLUMNS + 1), key=lambda columns: (-panels % columns, columns))


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
    columns = columns_for(len(panels))
    rows = -(-len(panels) // columns)
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(12.0, 1.9 * rows + 0.7), layout="constrained")
        FigureCanvasAgg(figure)
        grid = np.asarray(figure.subplots(rows, columns, squeeze=False)).ravel()
        for axes in grid[len(panels) :]:
            axes.set_visible(False)
        for place, (axes, (name, panel)) in enumerate(zip(grid, panels.items(), strict=False)):
            twin = axes.twinx()
            axes.plot(panel.time, panel.left, color=LEFT)
            twin.plot(panel.time, panel.right, color=RIGHT)
            axes.set_title(name.replace("_", " "), fontsize=9.0)
            axes.set_ylim(*limits[0])
            twin.set_ylim(*limits[1])
            twin.grid(False)
            _label_rim(axes, twin, labels, place, columns, len(panels))
        figure.suptitle(title)
    return figure


def _label_rim(axes: Any, twin: Any, labels: Sequence[str], place: int, columns: int, count: int) -> None:
    """Words and numbers at the rim of the gallery alone: all panels have the same axes."""
    if place + columns >= count:
        axes.set_xlabel(labels[0])
    else:
        axes.tick_params(labelbottom=False)
    if place % columns == 0:
        axes.set_ylabel(labels[1], color=LEFT)
    else:
        axes.tick_params(labelleft=False)
    if place % columns == columns - 1:
        twin.set_ylabel(labels[2], color=RIGHT)
    else:
        twin.tick_params(labelright=False)

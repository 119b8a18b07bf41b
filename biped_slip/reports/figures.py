# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Figures in one style, drawn without a display and without pyplot's global state.

A figure function takes data and returns a ``Figure``::

    figure, (top, bottom) = stacked_axes(["force [N]", "ratio [-]"], title="left foot")
    top.plot(time, force, color=LEFT)
    save_figure(figure, folder / "forces.png")
"""

from __future__ import annotations

import io
from itertools import pairwise
from pathlib import Path
from typing import Any, Sequence

import matplotlib
import numpy as np
from cycler import cycler
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from numpy.typing import NDArray

LEFT, RIGHT = "#0072b2", "#aa3377"  # colour of each foot wherever feet appear
FOOT_COLOURS = (LEFT, RIGHT)
ESTIMATE, TRUTH, LIMIT, SLIP, MUTED = "#009e73", "#222222", "#e69f00", "#d55e00", "#9a9a9a"
SERIES = (LEFT, LIMIT, ESTIMATE, RIGHT, "#56b4e9", SLIP, TRUTH, MUTED)  # in this order where curves have no meaning
VECTOR = (".svg", ".pdf")  # endings of files without pixels
DOTS_PER_INCH = 110

STYLE = {
    "axes.grid": True,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.prop_cycle": cycler(color=SERIES),
    "font.family": "DejaVu Sans",
    "font.size": 9.0,
    "grid.alpha": 0.3,
    "legend.frameon": False,
    "lines.linewidth": 1.2,
    "pdf.fonttype": 42,
    "svg.hashsalt": "biped_slip",
}


def stacked_axes(
    labels: Sequence[str], *, title: str = "", abscissa: str = "time [s]", width: float = 9.0, row_height: float = 1.9
) -> tuple[Any, list[Any]]:
    """A figure with one row of axes per label over a shared abscissa; returns (figure, axes)."""
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(width, row_height * len(labels) + 0.6), layout="constrained")
        FigureCanvasAgg(figure)
        axes = list(figure.subplots(len(labels), 1, sharex=True, squeeze=False)[:, 0])
        for axis, label in zip(axes, labels, strict=True):
            axis.set_ylabel(label)
        axes[-1].set_xlabel(abscissa)
        if title:
            axes[0].set_title(title, loc="left")
    return figure, axes


def single_axes(xlabel: str, ylabel: str, *, title: str = "", width: float = 5.5, height: float = 4.0) -> Any:
    """A figure with one pair of axes; returns (figure, axes)."""
    figure, axes = stacked_axes([ylabel], title=title, abscissa=xlabel, width=width, row_height=height - 0.6)
    return figure, axes[0]


def png_bytes(figure: Any) -> bytes:
    """The figure as a PNG, reproducible byte for byte (no creation date in it)."""
    return _bytes(figure, "png", {"Software": None})


def save_figure(figure: Any, path: str | Path) -> bytes:
    """Store a figure, making its folder, and return the same bytes (for an HTML page).

    Args:
        figure: of matplotlib.
        path: whose ending says what it becomes: one of VECTOR, else PNG.
    """
    target = Path(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    if target.suffix == ".svg":
        data = _bytes(figure, "svg", {"Date": None})
    elif target.suffix == ".pdf":
        data = _bytes(figure, "pdf", {"CreationDate": None})
    else:
        data = png_bytes(figure)
    target.write_bytes(data)
    return data


def _bytes(figure: Any, kind: str, metadata: dict[str, Any]) -> bytes:
    for legend in [*figure.legends, *(axes.get_legend() for axes in figure.axes)]:
        if legend is not None:
            legend.get_frame().set(edgecolor="none", facecolor="white", alpha=0.8)
    buffer = io.BytesIO()
    with matplotlib.rc_context(STYLE):
        figure.savefig(buffer, format=kind, dpi=DOTS_PER_INCH, metadata=metadata)
    return buffer.getvalue()


def thinned(time: NDArray[Any], *curves: NDArray[Any], points: int = 4000) -> tuple[NDArray[Any], ...]:
    """Curves of at most about ``points`` samples that keep every extreme: lowest and highest sample of each bin.

    Args:
        time: shape (n,).
        curves: shape (n,) each; NaN stays a gap.
        points: about how many samples to keep.

    Returns:
        (time, curve, ...) of one common shape: the union of the extremes' indices of all curves.
    """
    if len(time) <= points:
        return (time, *curves)
    edges = np.linspace(0, len(time), max(2, points // (2 * max(1, len(curves)))), dtype=int)
    kept = {0, len(time) - 1}
    for curve in curves:
        low, high = np.where(np.isnan(curve), np.inf, curve), np.where(np.isnan(curve), -np.inf, curve)
        for first, last in pairwise(edges):
            kept.update((int(first + low[first:last].argmin()), int(first + high[first:last].argmax())))
    index = np.array(sorted(kept))
    return (time[index], *(curve[index] for curve in curves))

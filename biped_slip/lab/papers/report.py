# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""A reproduction as text, JSON and HTML."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any, Sequence

import matplotlib
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure as Canvas

from biped_slip.lab.papers.references import REFERENCES
from biped_slip.lab.papers.rows import Figure, Reproduction, Row
from biped_slip.reports.figures import STYLE, png_bytes, single_axes, thinned
from biped_slip.reports.html import heading, paragraph, picture, table, write_page

LEGEND_SHARE = 0.14  # of the axis, for a legend over the curves
COLUMNS = ("quantity", "unit", "printed", "expected", "ours", "deviation", "verdict", "reason")


def deviation(row: Row) -> float:
    """Relative difference of ours from what is expected; absolute where that is 0; NaN where nothing is."""
    difference = row.ours - row.expected
    return difference / abs(row.expected) if row.expected != 0.0 else difference


def records(reproductions: Sequence[Reproduction]) -> list[dict[str, Any]]:
    """One mapping a paper with all its rows; unknown numbers are None."""
    return [
        {"paper": item.source, "reference": REFERENCES[item.paper], "rows": [_mapping(row) for row in item.rows]}
        for item in reproductions
    ]


def text_rows(item: Reproduction) -> list[tuple[str, ...]]:
    """Cells of a text table."""
    return [
        (
            row.quantity, row.unit, _number(row.printed), _number(row.expected), _number(row.ours),
            _difference(row), verdict_words(row), row.reason,
        )
        for row in item.rows
    ]  # fmt: skip


def verdict_words(row: Row) -> str:
    """Its verdict; a paper's number is reproduced, one of our own comes out as expected."""
    return "as expected" if row.printed is None and row.verdict == "reproduced" else row.verdict


def verdict(reproductions: Sequence[Reproduction]) -> str:
    """Two sentences: rows that a paper prints, and rows of our own expectation."""
    rows = [row for item in reproductions for row in item.rows]
    printed = [row for row in rows if row.printed is not None]
    expected = [row for row in rows if row.printed is None]
    return (
        f"{len(printed)} quantities that the {'papers print' if len(reproductions) > 1 else 'paper prints'}: "
        f"{_counts(printed, 'reproduced')}. {len(expected)} of our own expectation by docs/equations: "
        f"{_counts(expected, 'as expected')}."
    )


def _counts(rows: Sequence[Row], word: str) -> str:
    count = {name: sum(row.verdict == name for row in rows) for name in ("reproduced", "deviation", "failed")}
    return f"{count['reproduced']} {word}, {count['deviation']} listed deviations, {count['failed']} failed"


def write_html(path: str | Path, reproductions: Sequence[Reproduction]) -> Path:
    """One page with the tables and the redrawn figures."""
    pieces = [paragraph(verdict(reproductions))]
    for item in reproductions:
        pieces += [heading(item.source), paragraph(REFERENCES[item.paper], "note"), table(COLUMNS, text_rows(item))]
        pieces += [picture(figure_png(figure), figure.title) for figure in item.figures]
    title = "Five papers reproduced" if len(reproductions) > 1 else f"Reproduced: {reproductions[0].source}"
    return write_page(path, title, pieces)


def figure_png(figure: Figure) -> bytes:
    """A figure drawn as PNG."""
    drawing, axes = single_axes(figure.x_label, figure.y_label, title=figure.title, width=7.0)
    _draw(axes, figure)
    return png_bytes(drawing)


def figures_together(figures: Sequence[Figure]) -> Any:
    """Several figures as one, two beside each other."""
    with matplotlib.rc_context(STYLE):
        drawing = Canvas(figsize=(11.0, 3.1 * math.ceil(len(figures) / 2)), layout="constrained")
        FigureCanvasAgg(drawing)
        grid = drawing.subplots(math.ceil(len(figures) / 2), 2, squeeze=False).ravel()
        for axes, figure in zip(grid, figures, strict=False):
            axes.set(xlabel=figure.x_label, ylabel=figure.y_label)
            axes.set_title(figure.title, loc="left")
            _draw(axes, figure)
            low, high = axes.get_ylim()
            axes.set_ylim(low, high + LEGEND_SHARE * (high - low))
            axes.legend(loc="upper center", ncols=4, fontsize=8.0, columnspacing=1.0)
        for axes in grid[len(figures) :]:
            axes.set_visible(False)
    return drawing


def _draw(axes: Any, figure: Figure) -> None:
    for curve in figure.curves:
        x, y = thinned(curve.x, curve.y)
        axes.plot(x, y, label=curve.label)
    axes.legend()


def _difference(row: Row) -> str:
    if math.isnan(row.expected):
        return ""
    return f"{100.0 * deviation(row):+.2f} %" if row.expected != 0.0 else f"{row.ours:+.1e}"


def _number(value: float | None) -> str:
    return "" if value is None or math.isnan(value) else f"{value:.5g}"


def _mapping(row: Row) -> dict[str, Any]:
    values = {**row._asdict(), "deviation": deviation(row)}
    return {key: None if isinstance(value, float) and not math.isfinite(value) else _plain(value)
            for key, value in values.items()}  # fmt: skip


def _plain(value: Any) -> Any:
    return value.item() if hasattr(value, "item") else value

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Rows of published against computed numbers, their verdicts, tables and figures."""

from __future__ import annotations

import math
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, Sequence

import matplotlib
import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure as Canvas
from numpy.typing import NDArray

from biped_slip.config import read_yaml
from biped_slip.errors import BipedSlipError
from biped_slip.reports.figures import STYLE, png_bytes, single_axes, thinned
from biped_slip.reports.html import heading, paragraph, picture, table, write_page

# Rows of a reproduction: what a paper prints, what docs/equations expect, what this
# package computes.

DEVIATIONS = Path(__file__).with_name("deviations.yaml")
DEFAULT_TOLERANCE = 0.02  # relative, of the values computed in docs/equations


class Row(NamedTuple):
    """One quantity of a paper."""

    paper: str
    quantity: str
    unit: str
    printed: float | None  # None where the paper prints no number
    expected: float  # by docs/equations
    ours: float
    tolerance: float  # accepted |ours − expected|, in the unit
    verdict: str  # reproduced, deviation (listed, with its reason) or failed
    reason: str


class Curve(NamedTuple):
    """One line of a figure."""

    label: str
    x: NDArray[Any]
    y: NDArray[Any]


class Figure(NamedTuple):
    """A figure redrawn: the axes and cases of the paper."""

    name: str
    title: str
    x_label: str
    y_label: str
    curves: tuple[Curve, ...]


class Reproduction(NamedTuple):
    """Everything that is reproduced of one paper."""

    paper: str
    source: str
    rows: tuple[Row, ...]
    figures: tuple[Figure, ...]

    @property
    def passed(self) -> bool:
        """No row failed."""
        return all(row.verdict != "failed" for row in self.rows)


@cache
def deviations() -> dict[tuple[str, str], dict[str, Any]]:
    """List what cannot agree with print, by paper and quantity."""
    entries = read_yaml(DEVIATIONS)["deviations"]
    return {(entry["paper"], entry["quantity"]): entry for entry in entries}


def row(
    paper: str,
    quantity: str,
    ours: float,
    *,
    expected: float | None = None,
    printed: float | None = None,
    unit: str = "-",
    relative: float = DEFAULT_TOLERANCE,
    absolute: float = 0.0,
) -> Row:
    """Judge one quantity.

    ``ours`` must lie within the tolerance of ``expected``, which is ``printed`` where
    docs/equations computed nothing else. A printed number that ours misses by more than
    the tolerance needs an entry in ``deviations.yaml``, whose measured value is then
    what is expected; where that is null, nothing is (choices that the paper leaves open
    decide the number).
    """
    listed = deviations().get((paper, quantity))
    if listed is not None and listed["measured"] is None:
        reason = f"{listed['section']}: {listed['reason']}"
        return Row(
            paper=paper,
            quantity=quantity,
            unit=unit,
            printed=printed,
            expected=math.nan,
            ours=ours,
            tolerance=math.nan,
            verdict="deviation",
            reason=reason,
        )
    if expected is None:
        expected = float(listed["measured"]) if listed is not None else printed
    if expected is None:
        raise BipedSlipError(
            f"{paper}: {quantity} has neither a printed nor an expected value"
        )
    tolerance = max(absolute, relative * abs(expected))
    reached = math.isfinite(ours) and abs(ours - expected) <= tolerance * (1.0 + 1e-9)
    differs = printed is not None and not abs(ours - printed) <= max(
        absolute, relative * abs(printed)
    ) * (1.0 + 1e-9)
    if reached and not differs:
        return Row(
            paper=paper,
            quantity=quantity,
            unit=unit,
            printed=printed,
            expected=expected,
            ours=ours,
            tolerance=tolerance,
            verdict="reproduced",
            reason="",
        )
    if reached and listed is not None:
        reason = f"{listed['section']}: {listed['reason']}"
        return Row(
            paper=paper,
            quantity=quantity,
            unit=unit,
            printed=printed,
            expected=expected,
            ours=ours,
            tolerance=tolerance,
            verdict="deviation",
            reason=reason,
        )
    reason = (
        "outside its tolerance"
        if not reached
        else "differs from print and is not a listed deviation"
    )
    return Row(
        paper=paper,
        quantity=quantity,
        unit=unit,
        printed=printed,
        expected=expected,
        ours=ours,
        tolerance=tolerance,
        verdict="failed",
        reason=reason,
    )


def settling_time(
    time: NDArray[Any], signal: NDArray[Any], final: float, share: float
) -> float:
    """First time [s] after which the signal stays within a share of its final value."""
    outside = np.flatnonzero(np.abs(signal - final) > share * abs(final))
    return (
        float(time[min(outside[-1] + 1, len(time) - 1)])
        if len(outside)
        else float(time[0])
    )


# The five works that are reproduced, in full; docs/references.md says the same.

REFERENCES = {
    "roosen": "Stephen Roosen, Ground-Contact Friction Estimation and Slip Prevention "
    "in Bipedal Robots. Thesis, "
    "Master of Philosophy, Department of Mechanical Engineering, University of "
    "Melbourne (no date in the copy used).",
    "bruneau": "O. Bruneau, F. B. Ouezdou, Distributed ground/walking robot "
    "interaction. Robotica 17, 1999.",
    "rengifo": "Carlos Rengifo, Yannick Aoustin, Christine Chevallereau, Franck "
    "Plestan, A penalty-based approach for "
    "contact forces computation in bipedal robots. 9th IEEE-RAS International "
    "Conference on Humanoid Robots, Paris "
    "2009, pp. 121-127, doi:10.1109/ICHR.2009.5379590.",
    "rodic": "Aleksandar Rodić, Khalid Addi, Georges Dalleau, Modeling of Impact "
    "Phenomena with Biped Locomotion "
    "Mechanisms \N{EN DASH} Theory and Experiments. Scientific Technical Review, No. "
    "1, 2009.",
    "khadiv": "Majid Khadiv, S. Ali A. Moosavian, Aghil Yousefi-Koma, Majid Sadedel, "
    "Abbas Ehsani-Seresht, Saeed "
    "Mansouri, Rigid vs compliant contact: an experimental study on biped walking. "
    "Multibody System Dynamics, 2019, "
    "arXiv:1709.06314.",
}


# A reproduction as text, JSON and HTML.

LEGEND_SHARE = 0.14  # of the axis, for a legend over the curves
COLUMNS = (
    "quantity",
    "unit",
    "printed",
    "expected",
    "ours",
    "deviation",
    "verdict",
    "reason",
)


def deviation(row: Row) -> float:
    """Return the relative difference of ours from what is expected.

    It is absolute where that is 0, and NaN where nothing is expected.
    """
    difference = row.ours - row.expected
    return difference / abs(row.expected) if row.expected != 0.0 else difference


def records(reproductions: Sequence[Reproduction]) -> list[dict[str, Any]]:
    """One mapping a paper with all its rows; unknown numbers are None."""
    return [
        {
            "paper": item.source,
            "reference": REFERENCES[item.paper],
            "rows": [_mapping(row) for row in item.rows],
        }
        for item in reproductions
    ]


def text_rows(item: Reproduction) -> list[tuple[str, ...]]:
    """Cells of a text table."""
    return [
        (
            row.quantity,
            row.unit,
            _number(row.printed),
            _number(row.expected),
            _number(row.ours),
            _difference(row),
            verdict_words(row),
            row.reason,
        )
        for row in item.rows
    ]


def verdict_words(row: Row) -> str:
    """Return a row's verdict in words.

    A paper's number is reproduced, one of our own comes out as expected.
    """
    return (
        "as expected"
        if row.printed is None and row.verdict == "reproduced"
        else row.verdict
    )


def verdict(reproductions: Sequence[Reproduction]) -> str:
    """Two sentences: rows that a paper prints, and rows of our own expectation."""
    rows = [row for item in reproductions for row in item.rows]
    printed = [row for row in rows if row.printed is not None]
    expected = [row for row in rows if row.printed is None]
    return (
        f"{len(printed)} quantities that the "
        f"{'papers print' if len(reproductions) > 1 else 'paper prints'}: "
        f"{_counts(printed, 'reproduced')}. {len(expected)} of our own expectation by "
        "docs/equations: "
        f"{_counts(expected, 'as expected')}."
    )


def _counts(rows: Sequence[Row], word: str) -> str:
    count = {
        name: sum(row.verdict == name for row in rows)
        for name in ("reproduced", "deviation", "failed")
    }
    return (
        f"{count['reproduced']} {word}, {count['deviation']} listed deviations, "
        f"{count['failed']} failed"
    )


def write_html(path: str | Path, reproductions: Sequence[Reproduction]) -> Path:
    """One page with the tables and the redrawn figures."""
    pieces = [paragraph(verdict(reproductions))]
    for item in reproductions:
        pieces += [
            heading(item.source),
            paragraph(REFERENCES[item.paper], "note"),
            table(COLUMNS, text_rows(item)),
        ]
        pieces += [picture(figure_png(figure), figure.title) for figure in item.figures]
    title = (
        "Five papers reproduced"
        if len(reproductions) > 1
        else f"Reproduced: {reproductions[0].source}"
    )
    return write_page(path, title, pieces)


def figure_png(figure: Figure) -> bytes:
    """Draw a figure as PNG."""
    drawing, axes = single_axes(
        figure.x_label, figure.y_label, title=figure.title, width=7.0
    )
    _draw(axes, figure)
    return png_bytes(drawing)


def figures_together(figures: Sequence[Figure]) -> Any:
    """Several figures as one, two beside each other."""
    with matplotlib.rc_context(STYLE):
        drawing = Canvas(
            figsize=(11.0, 3.1 * math.ceil(len(figures) / 2)), layout="constrained"
        )
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
    return (
        f"{100.0 * deviation(row):+.2f} %"
        if row.expected != 0.0
        else f"{row.ours:+.1e}"
    )


def _number(value: float | None) -> str:
    return "" if value is None or math.isnan(value) else f"{value:.5g}"


def _mapping(row: Row) -> dict[str, Any]:
    values = {**row._asdict(), "deviation": deviation(row)}
    return {
        key: None
        if isinstance(value, float) and not math.isfinite(value)
        else _plain(value)
        for key, value in values.items()
    }


def _plain(value: Any) -> Any:
    return value.item() if hasattr(value, "item") else value

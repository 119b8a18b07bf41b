# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Rows of a reproduction: what a paper prints, what docs/equations expect, what this package computes."""

from __future__ import annotations

import math
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from biped_slip.config import read_yaml
from biped_slip.errors import BipedSlipError

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
    """What cannot agree with print, by paper and quantity."""
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

    ``ours`` must lie within the tolerance of ``expected``, which is ``printed`` where docs/equations computed
    nothing else. A printed number that ours misses by more than the tolerance needs an entry in ``deviations.yaml``,
    whose measured value is then what is expected; where that is null, nothing is (choices that the paper leaves open
    decide the number).
    """
    listed = deviations().get((paper, quantity))
    if listed is not None and listed["measured"] is None:
        reason = f"{listed['section']}: {listed['reason']}"
        return Row(paper, quantity, unit, printed, math.nan, ours, math.nan, "deviation", reason)
    if expected is None:
        expected = float(listed["measured"]) if listed is not None else printed
    if expected is None:
        raise BipedSlipError(f"{paper}: {quantity} has neither a printed nor an expected value")
    tolerance = max(absolute, relative * abs(expected))
    reached = math.isfinite(ours) and abs(ours - expected) <= tolerance * (1.0 + 1e-9)
    differs = printed is not None and not abs(ours - printed) <= max(absolute, relative * abs(printed)) * (1.0 + 1e-9)
    if reached and not differs:
        return Row(paper, quantity, unit, printed, expected, ours, tolerance, "reproduced", "")
    if reached and listed is not None:
        reason = f"{listed['section']}: {listed['reason']}"
        return Row(paper, quantity, unit, printed, expected, ours, tolerance, "deviation", reason)
    reason = "outside its tolerance" if not reached else "differs from print and is not a listed deviation"
    return Row(paper, quantity, unit, printed, expected, ours, tolerance, "failed", reason)


def settling_time(time: NDArray[Any], signal: NDArray[Any], final: float, share: float) -> float:
    """First time [s] after which the signal stays within a share of its final value."""
    outside = np.flatnonzero(np.abs(signal - final) > share * abs(final))
    return float(time[min(outside[-1] + 1, len(time) - 1)]) if len(outside) else float(time[0])

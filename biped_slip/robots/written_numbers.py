# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Numbers as a robot's YAML has them: with digits that a reader can check."""

from __future__ import annotations

from typing import Sequence

from biped_slip.compile.arrays import Array

DIGITS = 6  # after the point: a micrometre
SHORT_DIGITS = 3  # of an assumed number


def round_number(value: float) -> float:
    """Round to a micrometre or microradian; -0 becomes 0."""
    return round(float(value), DIGITS) + 0.0


def rounded(values: Sequence[float] | Array) -> list[float]:
    """Round several numbers."""
    return [round_number(float(value)) for value in values]


def short(value: float) -> float:
    """Round an assumed number to three digits."""
    return float(f"{value:.{SHORT_DIGITS}g}")

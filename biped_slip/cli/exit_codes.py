# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""What the exit code of a walk tells."""

from __future__ import annotations

from biped_slip.simulation.summary import Summary

GOOD, FELL, SLID, NOT_THERE = 0, 1, 3, 4


def walk_exit_code(summary: Summary, arrived: bool = True) -> int:
    """0 upright without a slide of 1 cm, 3 upright with one, 4 out of time, 1 fell or must not walk."""
    if summary.fell or summary.refused:
        return FELL
    if not summary.upright_without_slip():
        return SLID
    return GOOD if arrived else NOT_THERE

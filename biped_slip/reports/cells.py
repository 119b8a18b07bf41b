# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Cells of tables: values as a person reads them, on screens and pages."""

from __future__ import annotations

import math

UNKNOWN = "\N{EN DASH}"


def cell_text(value: object) -> str:
    """Format a value for a table.

    It becomes yes or no, four significant digits, or a dash for unknown.
    """
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return UNKNOWN
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.4g}" if isinstance(value, float) else str(value)

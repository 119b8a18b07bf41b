# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""A small sound table of one foot and the layout with which it replays: what attacks on readers begin with."""

from __future__ import annotations

import numpy as np

SAMPLES, RATE = 200, 100.0  # rows, [Hz]


def table_text() -> str:
    """A table of comma-separated values: time, two forces and a position."""
    rows = (f"{k / RATE},{5 * np.sin(k / 9):.4f},{300 + k % 7},{k * 0.01:.3f}" for k in range(SAMPLES))
    return "t,fx,fz,x\n" + "\n".join(rows) + "\n"


def table_layout(foot: str = "foot") -> str:
    """Its layout; ``foot``: a name as YAML writes it."""
    return f"""
source: attack
layouts:
  - name: one foot
    feet:
      - name: {foot}
        time: {{column: t, unit: s}}
        force_x: {{column: fx, unit: N}}
        normal: {{column: fz, unit: N}}
        position_x: {{column: x, unit: mm}}
"""

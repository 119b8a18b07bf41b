# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Pieces of floor as they are drawn."""

from __future__ import annotations

import math

import numpy as np

from biped_slip.view.scene import FloorPiece

ASIDE = 0.7  # [m] of floor beside the way


def stretch(start: float, end: float, mu: float, slope: float = 0.0, aside: float = ASIDE) -> FloorPiece:
    """A stretch of floor along x [m], rising along it by a slope [rad]."""
    low, high = start * math.tan(slope), end * math.tan(slope)
    corners = [(start, -aside, low), (end, -aside, high), (end, aside, high), (start, aside, low)]
    return FloorPiece(np.array(corners), mu)

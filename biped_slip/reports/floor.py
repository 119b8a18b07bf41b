# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The floor in pictures: patches along x, coloured by their friction from ice blue (slippery) to sand (grippy)."""

from __future__ import annotations

import math
from typing import Iterator, NamedTuple

import numpy as np

from biped_slip.compile.arrays import Array
from biped_slip.contact.ground import GroundConfig

SLIPPERY, GRIPPY = (0x56, 0xB4, 0xE9), (0xE3, 0xD9, 0xC0)  # told apart under every common colour blindness
ICE, RUBBER = 0.2, 0.8  # [-] mu below and above which the colour no longer changes


class Patch(NamedTuple):
    """One surface between two places."""

    start: float  # [m] world x
    end: float  # [m] world x
    mu: float
    colour: str  # #rrggbb


def floor_colour(mu: float) -> str:
    """Colour of a floor by its friction."""
    share = min(1.0, max(0.0, (mu - ICE) / (RUBBER - ICE)))
    return "#" + "".join(f"{round(a + share * (b - a)):02x}" for a, b in zip(SLIPPERY, GRIPPY, strict=True))


def patches(ground: GroundConfig, start: float, end: float) -> Iterator[Patch]:
    """Surfaces between two places along x [m], in order."""
    borders = [-math.inf, *ground.edges, math.inf]
    for low, high, mu in zip(borders, borders[1:], ground.mu, strict=False):
        if high > start and low < end:
            yield Patch(max(low, start), min(high, end), mu, floor_colour(mu))


def floor_height(ground: GroundConfig, x: Array | float) -> Array:
    """Height [m] of the floor at world x [m]."""
    return np.asarray(x * np.tan(ground.slope))

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Floors that change under a walking robot: spills around its base at drawn moments."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.random import Generator

from biped_slip.compile.arrays import Array

SHORTEST = 300  # ticks between two spills
RARELY = 3000
LENGTHS = (0.3, 3.0)  # [m] of a spill: less than a step, more than two
WIDTH = 3.0  # [m] beyond both feet
MU = (0.4, 1.0)  # a torso that pitches needs 0.3 in every step and walks with a margin


def no_spills(ticks: int) -> Array:
    """Return spills (ticks, 2) of which none comes."""
    return np.full((ticks, 2), np.nan)


def drawn_spills(ticks: int, rng: Generator) -> Array:
    """Return length [m] and friction of the spill of each tick (ticks, 2).

    One comes every 0.3 to 3 s; NaN where none does.
    """
    spills = no_spills(ticks)
    tick = int(rng.integers(SHORTEST))
    while tick < ticks:
        spills[tick] = rng.uniform(*LENGTHS), rng.uniform(*MU)
        tick += int(rng.integers(SHORTEST, RARELY))
    return spills


def spill_around(world: Any, spill: Array) -> None:
    """Spill (length, friction) around the base of a world's robot, unless it is NaN."""
    length, mu = spill.tolist()
    if not np.isnan(mu):
        world.spill(world.around_base(length, WIDTH, mu))

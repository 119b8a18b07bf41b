# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Speeds that change while a robot walks: scales of its command, a number a tick."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from biped_slip.compile.arrays import Array

SHORTEST = 200  # ticks between two drawn speeds
RARELY = 2000
SLOWEST = 1000  # ticks that a toggled speed holds at most


def stop_and_go(ticks: int) -> Array:
    """Return scales (ticks,) that stop, and go again for the last fifth."""
    scales = np.zeros(ticks)
    scales[ticks - ticks // 5 :] = 1.0
    return scales


def drawn_speeds(ticks: int, rng: Generator) -> Array:
    """Return scales (ticks,) drawn anew every 0.2 to 2 s: 0, 1 or anything between."""
    scales = np.empty(ticks)
    tick = 0
    while tick < ticks:
        lasting = int(rng.integers(SHORTEST, RARELY))
        scales[tick : tick + lasting] = rng.choice([0.0, 1.0, rng.uniform()])
        tick += lasting
    return scales


def toggled_speeds(ticks: int, rng: Generator) -> Array:
    """Return scales (ticks,) that toggle between 1 and 0, each for a drawn time.

    It is one to a thousand ticks, the same at every turn.
    """
    high = round(SLOWEST ** rng.uniform())
    low = round(SLOWEST ** rng.uniform())
    return np.where(np.arange(ticks) % (high + low) < high, 1.0, 0.0)

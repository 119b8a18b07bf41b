# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Floors that change under a planted foot: mu falls in mid-stance, at once or slowly, and the foot may slide."""

from __future__ import annotations

import math

import numpy as np

from biped_slip.compile.arrays import Array
from biped_slip.compile.kernel import kernel
from biped_slip.lab.studies.stances import PERIOD, SAMPLES, Stances

SLIDING_SPEED = 0.1  # [m/s] of a foot whose load exceeds the limit
SUB_STEPS = 4
NEAR = 0.995  # of the limit, beyond which the foot slides


def dropped(rng: np.random.Generator, stances: Stances, factor: float, slow: bool = False) -> tuple[Stances, Array]:
    """The same loads on a line over a floor whose mu falls to a share, and mu over time, shape (stances, samples).

    At once, somewhere between 0.15 and 0.35 s, or evenly over the stance (``slow``). Force beyond the limit slides.
    """
    count, time = stances.mu.size, np.arange(SAMPLES) * PERIOD
    start = rng.uniform(0.15, 0.35, count)[:, None]
    share = np.where(time < start, 1.0, factor)
    if slow:
        share = 1.0 - (1.0 - factor) * np.clip(time / (stances.length[:, None] * PERIOD), 0.0, 1.0)
    mu = stances.mu[:, None] * share
    ratio, moved = np.zeros_like(stances.ratio), np.zeros_like(stances.displacement)
    for k in range(count):
        follow_floor(stances.ratio[k, :, 0], mu[k], stances.s_p[k], ratio[k, :, 0], moved[k, :, 0])
    return stances._replace(ratio=ratio, displacement=moved), mu


@kernel
def follow_floor(wanted: Array, mu: Array, s_p: float, ratio: Array, moved: Array) -> None:
    """First order contact under a wanted force ratio; fills what it carries and its motion, shape (samples,)."""
    for k in range(1, wanted.size):
        limit = NEAR * mu[k]
        ratio[k] = min(max(wanted[k], -limit), limit)
        moved[k] = moved[k - 1]
        du = (ratio[k] - ratio[k - 1]) / SUB_STEPS
        for step in range(SUB_STEPS):
            u = ratio[k - 1] + (step + 0.5) * du
            room = mu[k] - math.copysign(1.0, du) * u
            moved[k] += s_p / 3.0 * du / max(room, (1.0 - NEAR) * mu[k])
        if abs(wanted[k]) > limit:
            moved[k] += math.copysign(SLIDING_SPEED * PERIOD, wanted[k])

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""A force sensor that reads a share of the normal force as tangential, found where a sole slides both ways.

In one direction that share looks like friction, in the other it hides some. In a stance, which has one direction, no
data show it.
"""

from __future__ import annotations

import math

import numpy as np

from biped_slip.compile.arrays import Array

SLIDING = 0.5  # of the fastest motion in a direction, above which the sole slides (choice)
FEWEST = 10  # blocks of it, either way
LEAST_WAY = 1.0  # in s_p, that the sole must go back: less is presliding


def leaning(ratio: Array, displacement: Array, s_p: float) -> float:
    """Half of the difference between the force ratios of sliding to and fro; NaN where it did not slide both ways.

    Args:
        ratio, displacement: blocks of a pull, equally far apart in time [-], [m].
        s_p: of the sole [m].
    """
    speed = np.gradient(displacement)
    forward = (speed > SLIDING * speed.max()) & (ratio > 0.0)
    backward = (speed < SLIDING * speed.min()) & (ratio < 0.0)
    way = -float(np.sum(speed[backward]))
    if np.count_nonzero(forward) < FEWEST or np.count_nonzero(backward) < FEWEST or way < LEAST_WAY * s_p:
        return math.nan
    return 0.5 * float(np.median(ratio[forward]) + np.median(ratio[backward]))

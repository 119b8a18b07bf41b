# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The pilot of a simulated walk: it sees the true heading and keeps it along x."""

from __future__ import annotations

import math

from biped_slip.compile.arrays import Array

STEERING = 1.0  # [1/s] rate of turning over the heading's error (choice)
PILOT_TURN = 0.5  # [rad/s] (choice)


def steering(q: Array) -> float:
    """Return the rate of turning [rad/s] that a pilot commands to go along x.

    It is for coordinates (nq,) of the base.
    """
    heading = math.atan2(
        2.0 * (q[6] * q[5] + q[3] * q[4]), 1.0 - 2.0 * (q[4] ** 2 + q[5] ** 2)
    )
    return min(max(-STEERING * heading, -PILOT_TURN), PILOT_TURN)

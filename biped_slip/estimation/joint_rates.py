# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Velocities of joints whose encoders give positions alone.

They are central differences, dq(t) = (q(t + T) - q(t - T)) / 2T, and go with the
torques and the IMU of t: a sample is given T later, with the velocity of its own
instant. One that lagged would look like torques that lead. Over 2T = 4 ms an encoder's
noise of 15 urad makes 5 mrad/s, a driver's own noise as well.
"""

from __future__ import annotations

from collections import deque

import numpy as np

from biped_slip.estimation.readings import RawReadings

HALF_TIME = 2e-3  # T [s], of a whole number of periods, at least one (choice)


class JointRates:
    """Central differences of positions.

    Args:
        period: between samples [s].
    """

    def __init__(self, period: float) -> None:
        self._half = max(round(HALF_TIME / period), 1)
        self._past: deque[RawReadings] = deque(maxlen=2 * self._half + 1)

    def step(self, raw: RawReadings) -> RawReadings | None:
        """Return the sample of T ago with its velocities; None until there is one."""
        self._past.append(raw)
        if len(self._past) < 2 * self._half + 1:
            return None
        first = self._past[0]
        middle = self._past[self._half]
        span = 1e-9 * (raw.stamp_ns - first.stamp_ns)
        rate = (np.asarray(raw.joint_position) - first.joint_position) / span
        return middle._replace(joint_velocity=rate)

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Velocities of joints whose encoders give positions alone.

They are differences of positions over a few milliseconds, dq = (q(t) - q(t - T)) / T.
An encoder's noise of 15 urad makes 4 mrad/s of it, a driver's own as much; a longer T
would be later than the torques that go with it (T/2).
"""

from __future__ import annotations

from collections import deque

import numpy as np

from biped_slip.compile.arrays import Array

RATE_TIME = 5e-3  # T [s] (choice: what it makes of an encoder's noise)
GAP = 0.1  # [s] without a sample, after which differences say nothing (choice)


class JointRates:
    """Differences of positions."""

    def __init__(self) -> None:
        self._past: deque[tuple[int, Array]] = deque()

    def reset(self) -> None:
        """Forget all positions."""
        self._past.clear()

    def step(self, stamp_ns: int, position: Array) -> Array:
        """Return velocities (n,) [rad/s]; zeros at the first sample.

        Args:
            stamp_ns: of the sample [ns].
            position: of the joints (n,) [rad].
        """
        past = self._past
        if past and stamp_ns - past[-1][0] > 1e9 * GAP:
            past.clear()
        past.append((stamp_ns, position))
        while len(past) > 2 and stamp_ns - past[1][0] >= 1e9 * RATE_TIME:
            past.popleft()
        first_ns, first = past[0]
        if first_ns == stamp_ns:
            return np.zeros(len(position))
        return (position - first) / (1e-9 * (stamp_ns - first_ns))

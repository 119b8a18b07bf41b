# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""When a recorded stamp is due on the steady clock: pace, pause and jumps; no clock and no ROS in here."""

from __future__ import annotations

LARGEST_DELAY = 0.1  # [s] behind the pace that is made up for


class PlayHead:
    """Maps recorded stamps to steady time; every change of pace begins at the stamp played last.

    Args:
        stamp_ns: the first stamp.
        now: steady time at which it is due [s].
        rate: recorded seconds a second; 0: everything is due at once.
    """

    def __init__(self, stamp_ns: int, now: float, rate: float) -> None:
        self._stamp_ns, self._time, self._rate = stamp_ns, now, rate
        self.paused = False

    def due(self, stamp_ns: int) -> float:
        """Steady time at which a stamp is due [s]."""
        if self.paused:
            return float("inf")
        return self._time + (1e-9 * (stamp_ns - self._stamp_ns) / self._rate if self._rate else 0.0)

    def played(self, stamp_ns: int, now: float) -> None:
        """A stamp was played; a player that can't keep up doesn't hurry afterwards."""
        self._stamp_ns, self._time = stamp_ns, max(self.due(stamp_ns), now - LARGEST_DELAY)

    def pause(self) -> None:
        """Nothing is due."""
        self.paused = True

    def resume(self, now: float) -> None:
        """Go on from the stamp played last."""
        if self.paused:
            self.paused, self._time = False, now

    def set_rate(self, rate: float, now: float) -> None:
        """Another pace from now on."""
        self._rate, self._time = rate, max(self._time, now) if rate else now

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""How long each foot has carried load, from its normal force."""

from __future__ import annotations

from biped_slip.constants import GRAVITY
from biped_slip.robots.robot import Robot

CONTACT_SHARE, LEAVE_SHARE = 0.2, 0.15  # of body weight (study 7, reset; the lower one so that it doesn't chatter)


class Stance:
    """Age of one foot's contact [s]; negative in the air, and not a moment old at touchdown."""

    def __init__(self, robot: Robot) -> None:
        weight = robot.mass * GRAVITY
        self._on, self._off = CONTACT_SHARE * weight, LEAVE_SHARE * weight
        self.age = -1.0

    def step(self, normal: float, dt: float) -> float:
        """One sample later; a force that is NaN ends the contact."""
        if self.age < 0.0:
            self.age = 0.0 if normal > self._on else -1.0
        else:
            self.age = self.age + dt if normal >= self._off else -1.0
        return self.age

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""How long each foot has carried load, from its normal force."""

from __future__ import annotations

from typing import NamedTuple

from biped_slip.compile.kernel import kernel
from biped_slip.constants import GRAVITY
from biped_slip.robots.robot import Robot

CONTACT_SHARE, LEAVE_SHARE = 0.2, 0.15  # of body weight (study 7.8; the lower one so that it doesn't chatter)
IN_THE_AIR = -1.0


class StanceLoads(NamedTuple):
    """Normal forces [N] that begin and end a contact."""

    begin: float
    end: float


def stance_loads(robot: Robot) -> StanceLoads:
    """Shares of a robot's weight."""
    weight = robot.mass * GRAVITY
    return StanceLoads(CONTACT_SHARE * weight, LEAVE_SHARE * weight)


@kernel
def stance_age(age: float, normal: float, dt: float, loads: StanceLoads) -> float:
    """Age of one foot's contact [s] a sample later; negative in the air, 0 at touchdown. A NaN ends the contact."""
    if age < 0.0:
        return 0.0 if normal > loads.begin else IN_THE_AIR
    return age + dt if normal >= loads.end else IN_THE_AIR

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""One foot against the other, by the joints between them: no base, no drift, but the creep of both feet in one."""

from __future__ import annotations

import math
from typing import NamedTuple

from biped_slip.compile.arrays import Array
from biped_slip.compile.kernel import kernel
from biped_slip.estimation.foot_measurement import Feet, FloorConfig, SagittalMotion, with_motion
from biped_slip.estimation.motion.stance import IN_THE_AIR, StanceLoads, stance_age, stance_loads
from biped_slip.estimation.readings import SensorReadings
from biped_slip.friction_estimation.types import NAN
from biped_slip.robots.robot import Robot


class Ages(NamedTuple):
    """Of both contacts [s]; negative in the air."""

    left: float
    right: float


@kernel(inline="text")
def against_each_other(
    state: Ages, readings: SensorReadings, q: Array, v: Array, feet: Feet, loads: StanceLoads, dt: float
) -> tuple[Ages, Feet]:
    """The base's pose cancels."""
    left, right = feet
    ages = Ages(
        stance_age(state.left, left.force_normal, dt, loads), stance_age(state.right, right.force_normal, dt, loads)
    )
    apart, speed = left.displacement_x - right.displacement_x, left.velocity_x - right.velocity_x
    if min(ages.left, ages.right) < 0.0 or not math.isfinite(apart):
        apart = speed = NAN
    return ages, Feet(with_motion(left, apart, speed), with_motion(right, -apart, -speed))


class BothFeetMotion(SagittalMotion):
    """In double support each foot's motion against the other; in single support motion is not measured.

    On one floor under both feet the sum of their creeps has the shape of each, with about twice its s_p. On two
    different floors the foot on the better one takes the other's creep for its own, and looks weaker than it is.
    """

    def __init__(self, robot: Robot, floor: FloorConfig) -> None:
        super().__init__(robot, floor, against_each_other, Ages(IN_THE_AIR, IN_THE_AIR), stance_loads(robot))

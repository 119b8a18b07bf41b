# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""How soles move over a level floor that no sensor sees: joints between both feet, and an IMU in each foot."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from biped_slip.compile.arrays import Array
from biped_slip.compile.kernel import kernel, without_dispatch
from biped_slip.errors import InvalidParameter
from biped_slip.estimation.motion.config import MotionConfig
from biped_slip.estimation.motion.stance import IN_THE_AIR, StanceLoads, stance_age, stance_loads
from biped_slip.estimation.motion.steadiness import UNSTEADY, Steadiness, at_rest, steadiness
from biped_slip.friction_estimation.types import NAN, NO_MEASUREMENT, FootMeasurement
from biped_slip.robots.robot import Robot

SOURCES = ("odometry", "both_feet", "foot_imu")  # of a humanoid

SolePair = tuple[FootMeasurement, FootMeasurement]


class Felt(NamedTuple):
    """What a foot's IMU says of its motion within a stance."""

    age: float  # of the contact [s]
    speed_x: float  # gathered since touchdown [m/s]
    speed_y: float
    along: Steadiness  # of speed_x
    across: Steadiness  # of speed_y
    left: float  # time for which the integration is good enough [s]
    x: float  # place [m]; NaN until the foot may be taken for one at rest
    y: float
    velocity_x: float  # [m/s]
    velocity_y: float


class UnseenSettings(NamedTuple):
    """For the kernel."""

    loads: StanceLoads
    settling_time: float  # [s]
    horizon: float  # [s]
    creep_speed: float  # [m/s]
    against_each_other: bool  # displacement: one foot against the other; else as its IMU says


@kernel
def felt_step(
    state: Felt, normal: float, acceleration_x: float, acceleration_y: float, settings: UnseenSettings, dt: float
) -> Felt:
    """One sample of one foot later; rest is assumed once, when touchdown has rung off and nothing feels a slide."""
    age = stance_age(state.age, normal, dt, settings.loads)
    if age < 0.0:
        return Felt(age, 0.0, 0.0, UNSTEADY, UNSTEADY, settings.horizon, NAN, NAN, NAN, NAN)
    speed_x, speed_y = state.speed_x + dt * acceleration_x, state.speed_y + dt * acceleration_y
    settled = age > settings.settling_time
    along = steadiness(state.along, speed_x, settled, settings.creep_speed, dt)
    across = steadiness(state.across, speed_y, settled, settings.creep_speed, dt)
    if math.isnan(state.x):
        origin = 0.0 if at_rest(along) and at_rest(across) else NAN
        return Felt(age, speed_x, speed_y, along, across, settings.horizon, origin, origin, origin, origin)
    x = state.x + dt * (state.velocity_x + 0.5 * dt * acceleration_x)
    y = state.y + dt * (state.velocity_y + 0.5 * dt * acceleration_y)
    velocity_x, velocity_y = state.velocity_x + dt * acceleration_x, state.velocity_y + dt * acceleration_y
    return Felt(age, speed_x, speed_y, along, across, state.left - dt, x, y, velocity_x, velocity_y)


@kernel
def moved(measured: FootMeasurement, x: float, y: float, velocity_x: float, velocity_y: float) -> FootMeasurement:
    """The same force with another motion."""
    return FootMeasurement(
        measured.stamp_ns, measured.force_x, measured.force_y, measured.force_normal, x, y, velocity_x, velocity_y,
        measured.moment_normal, measured.centre_of_pressure_x, measured.centre_of_pressure_y, measured.angular_rate,
    )  # fmt: skip


@kernel
def unseen_step(
    state: tuple[Felt, Felt], measured: SolePair, acceleration: Array, settings: UnseenSettings, dt: float
) -> tuple[tuple[Felt, Felt], SolePair]:
    """One sample of both feet later.

    Args:
        state: of both feet.
        measured: forces, and the soles' places by joints from wherever the base is believed to be.
        acceleration: (2, 3) of the soles in the world, without gravity [m/s^2].
        settings: of the sources.
        dt: since the sample before [s].
    """
    left, right = measured
    one = felt_step(state[0], left.force_normal, acceleration[0, 0], acceleration[0, 1], settings, dt)
    two = felt_step(state[1], right.force_normal, acceleration[1, 0], acceleration[1, 1], settings, dt)
    x_one, y_one, x_two, y_two = one.x, one.y, two.x, two.y
    if settings.against_each_other:
        x_one = y_one = NAN
        if min(one.age, two.age) >= settings.settling_time:
            x_one = left.displacement_x - right.displacement_x
            y_one = left.displacement_y - right.displacement_y
        x_two, y_two = -x_one, -y_one
    elif one.left < 0.0 or two.left < 0.0:
        x_one, y_one = (NAN, NAN) if one.left < 0.0 else (x_one, y_one)
        x_two, y_two = (NAN, NAN) if two.left < 0.0 else (x_two, y_two)
    v_one = (one.velocity_x, one.velocity_y) if one.left >= 0.0 else (NAN, NAN)
    v_two = (two.velocity_x, two.velocity_y) if two.left >= 0.0 else (NAN, NAN)
    return (one, two), (moved(left, x_one, y_one, *v_one), moved(right, x_two, y_two, *v_two))


class UnseenSoles:
    """Displacement by one foot against the other or by its IMU, speed by its IMU; NaN where neither says anything.

    The base is believed on the assumption that loaded feet stay: of its estimate only the attitude is used, and the
    place not at all, for it cancels between the feet.
    """

    def __init__(self, robot: Robot, config: MotionConfig) -> None:
        if config.source not in SOURCES:
            raise InvalidParameter("motion.source", config.source, f"for a humanoid one of {', '.join(SOURCES)}")
        self._settings = UnseenSettings(
            stance_loads(robot), config.settling_time, config.horizon, config.creep_speed, config.source == "both_feet"
        )
        self.reset()
        example = self._state, (NO_MEASUREMENT, NO_MEASUREMENT), np.zeros((2, 3)), self._settings, 1e-3
        self._step = without_dispatch(unseen_step, *example)

    def reset(self) -> None:
        """As before the first sample."""
        unknown = Felt(IN_THE_AIR, 0.0, 0.0, UNSTEADY, UNSTEADY, self._settings.horizon, NAN, NAN, NAN, NAN)
        self._state = (unknown, unknown)

    def measure(self, measured: SolePair, acceleration: Array, dt: float) -> SolePair:
        """Measurements of both feet; ``acceleration`` (2, 3) of the soles in the world without gravity [m/s^2]."""
        found: SolePair
        self._state, found = self._step(self._state, measured, acceleration, self._settings, dt)
        return found

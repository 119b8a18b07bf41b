# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Health checks of a humanoid's sensors, in the sensors' own frames."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from biped_slip.compile.arrays import Array, copy_vector
from biped_slip.compile.kernel import OfOneType, kernel
from biped_slip.constants import GRAVITY
from biped_slip.estimation.floating_base import contiguous
from biped_slip.estimation.health import (
    BALANCED,
    FORGOTTEN,
    UNBALANCED,
    WELL,
    Balance,
    Both,
    Frame,
    HealthConfig,
    WatchState,
    fresh_memory,
    gravest_of_all,
    health_problem,
    unbalanced,
)
from biped_slip.estimation.invariant_filter import cross, rotation_of
from biped_slip.estimation.readings import BaseMotion, HumanoidReadings, Problem
from biped_slip.robots.humanoid import FORCE_SENSORS, SOLES, Humanoid
from biped_slip.robots.model_functions import floating_functions

# [s] over which accelerations of walking cancel and a gyroscope's bias of 1 deg/s makes
# 1 deg (choice)
PULLED = 1.0
FASTEST = 20.0  # [rad/s] faster turns are not believed (choice)
LIGHTEST = 0.5 * GRAVITY  # [m/s^2] less says nothing about the weight (choice)


@kernel
def upward(before: Array, turning: Array, specific: Array, dt: float) -> Array:
    """Update the unit vector against gravity (3,) by a reading.

    Implausible numbers are ignored.

    Up, for a robot without a measured attitude: turned on by the gyroscope, pulled to
    the specific force of the IMU. Humanoids roll with every step; taken for upright, a
    foot in the air may look lower than the one that carries.

    ``before``: at the last reading (3,); ``turning``: angular velocity of the axes that
    all are given in (3,) [rad/s]; ``specific`` force (3,) [m/s^2]; ``dt`` since the
    last reading [s].
    """
    rate = math.sqrt(turning @ turning)
    pull = math.sqrt(specific @ specific)
    if not (rate <= FASTEST and pull < math.inf):
        return before
    after = before - cross(turning, before) * dt
    if pull > LIGHTEST:
        after += dt / (PULLED + dt) * (specific / pull - after)
    length = math.sqrt(after @ after)
    return after / length if length > 0.0 else before


class CarriedBody(NamedTuple):
    """Measured motion and forces of the body above the force sensors.

    They are in the axes of the base.
    """

    balance: Balance  # ``up`` is the specific force at the IMU [m/s^2]
    turning: Array  # (3,) of the base [rad/s]
    soles: Array  # (2, 3) [m]
    # (2, 3) of the feet's IMUs, in their axes, as base and joints turn them [rad/s]
    foot_rates: Array
    # (2, 3) velocity of the IMU against that of each foot's, as gyroscope and joints
    # say [m/s]
    swing: Array
    pull: Array  # (2, 3) its change, as the accelerometers of both say [m/s^2]


def no_carried_body() -> CarriedBody:
    """Allocate what ``model_functions.carried_body`` fills."""
    return CarriedBody(
        Balance(*map(np.zeros, (6, 6, 6, 3))), np.zeros(3), *np.zeros((4, 2, 3))
    )


class Feet(NamedTuple):
    """Soles and masses below the force sensors."""

    normal: Array  # (2, 3) unit vector of each sole in the axes of its force sensor
    thrown: Array  # (2,) largest pull of a foot's own mass [N]
    points: bool  # whose landings ring faster than an accelerometer is read


# [m/s^2] with which a swinging leg throws its foot up: no floor pulls, the foot's own
# mass does (choice)
THROWN = 50.0
NO_BASE = BaseMotion(np.zeros(4), np.zeros(3), np.zeros(3), np.zeros(3))
# coordinates of the base: forward, up, left, against both feet; turn rates of both feet
ROOT = 9
FEET_RATES = 6


@kernel
def humanoid_health(
    memory: WatchState,
    q: Array,
    v: Array,
    wrench: Array,
    imu: Array,
    odometry: Array,
    rates: Array,
    load: Both,
    up: Both,
    balance: Balance,
    frame: Frame,
    config: Any,
    dt: float,
) -> tuple[int, int]:
    """Return the code of the gravest finding and its foot, joint or sensor.

    Wrenches and IMU are in their own frames.

    Args as of :mod:`.health`, and:
        load: force along the normal of each sole [N].
        up: height of each sole over the origin that q has the base's height over [m].
        balance: of what the sensors carry.
    """
    out = unbalanced(memory, balance, q.shape[0] + rates.shape[0], frame, config, dt)
    unexplained = (UNBALANCED if out else WELL), 0
    return gravest_of_all(
        memory,
        q,
        v,
        wrench,
        imu,
        odometry,
        rates,
        load,
        (load[1], load[0]),
        up,
        unexplained,
        frame,
        config,
        dt,
    )


@kernel
def without_foot(load: float, thrown: float) -> float:
    """Subtract the inertia of a foot in the air from the pull on its sole [N]."""
    return max(load, min(load + thrown, 0.0))


@kernel
def watched(
    memory: WatchState,
    joint_position: Array,
    joint_velocity: Array,
    wrench: Array,
    imu: Array,
    foot_imus: Array,
    external: bool,
    base: BaseMotion,
    body: CarriedBody,
    up: Array,
    feet: Feet,
    frame: Frame,
    config: Any,
    dt: float,
) -> tuple[int, int]:
    """Return the gravest finding of raw readings, and update ``up`` (3,).

    The finding is its code and its foot, joint or sensor.
    """
    n = joint_position.shape[0]
    q = np.zeros(ROOT + n)
    v = np.zeros(ROOT + n)
    odometry = np.zeros(6)
    rates = np.zeros((FEET_RATES, 2))
    copy_vector(upward(up, body.turning, body.balance.up, dt), up, 0)
    if external:
        turn = rotation_of(base.orientation_base_in_world)
        speed = turn @ base.linear_velocity_in_base
        copy_vector(turn[2], up, 0)
        for k in range(2):  # forward and left
            q[2 * k], v[2 * k] = base.position_base_in_odom[k], speed[k]
        copy_vector(base.position_base_in_odom, odometry, 0)
        copy_vector(base.linear_velocity_in_base, odometry, 3)
    copy_vector(joint_position, q, ROOT)
    copy_vector(joint_velocity, v, ROOT)
    reading = np.concatenate((imu[3:], imu[:3]))
    load = np.zeros(2)
    height = np.zeros(2)
    for foot in range(2):
        for k in range(3):
            rates[3 * foot + k, 0], rates[3 * foot + k, 1] = (
                foot_imus[foot, k],
                body.foot_rates[foot, k],
            )
            load[foot] += feet.normal[foot, k] * wrench[foot, k]
            height[foot] += up[k] * body.soles[foot, k]
            q[3 + 3 * foot + k] = (
                math.nan if feet.points else FORGOTTEN * body.swing[foot, k]
            )  # a speed: a way
            v[3 + 3 * foot + k] = FORGOTTEN * body.pull[foot, k]
        load[foot] = without_foot(load[foot], feet.thrown[foot])
    balance = Balance(
        body.balance.load, body.balance.carried, body.balance.momentum, up
    )
    loads = (load[0], load[1])
    heights = (height[0], height[1])
    return humanoid_health(
        memory,
        q,
        v,
        wrench,
        reading,
        odometry,
        rates,
        loads,
        heights,
        balance,
        frame,
        config,
        dt,
    )


class HumanoidWatch:
    """Health watch of one humanoid's readings on a level floor.

    A fall is the base nearer to the lower sole than ``fall_height`` of its height when
    standing; where the attitude of the base is not measured, its IMU's gives it, from
    upright on.

    Args:
        humanoid: whose sensors.
        config: thresholds.
        offset: that a foot's force sensor may have [N].
    """

    def __init__(
        self, humanoid: Humanoid, config: HealthConfig, offset: float = 0.0
    ) -> None:
        robot = humanoid.robot
        model = humanoid.model
        soles, sensors = (
            [model.frames[model.getFrameId(name)] for name in names]
            for names in (SOLES, FORCE_SENSORS)
        )
        normals = [
            sensor.placement.rotation.T @ sole.placement.rotation[:, 2]
            for sole, sensor in zip(soles, sensors, strict=True)
        ]
        thrown = [
            THROWN * model.inertias[sensor.parentJoint].mass for sensor in sensors
        ]
        self._feet = Feet(
            np.array(normals),
            np.array(thrown),
            len(humanoid.config.contact.polygon) == 1,
        )
        self._joints = robot.joints
        self._config = config.packed
        functions = floating_functions(robot)
        self._body = no_carried_body()
        still = np.zeros(len(robot.joints))
        six = np.zeros(6)
        twice = np.zeros((2, 6))
        self._robot = functions.generated
        posture = contiguous(humanoid.posture)
        self._carried = OfOneType(functions.carried_body)
        self._kernel = OfOneType(watched)
        self._carried(
            self._robot,
            posture,
            still,
            six,
            twice,
            twice,
            *self._body.balance,
            *self._body[1:],
        )
        lower, upper = robot.position_limits
        limits = lower, upper, robot.velocity_limits, humanoid.efforts
        height = -float(self._body.soles[:, 2].min())
        self._frame = Frame(
            ROOT, *limits, robot.mass * GRAVITY, height, 0.0, offset, FEET_RATES
        )
        self.reset()

    def retune(self, config: HealthConfig) -> None:
        """Set the thresholds of the health checks."""
        self._config = config.packed

    def reset(self) -> None:
        """Reset to the state before the first reading."""
        self._memory = fresh_memory(ROOT + len(self._joints), FEET_RATES + BALANCED)
        self.doubted = self._memory.doubt[
            ROOT : ROOT + len(self._joints)
        ]  # 1: an encoder does not say how it moves
        self._up = np.array([0.0, 0.0, 1.0])  # as long as nothing else is known

    def step(
        self, readings: HumanoidReadings, dt: float, torques: Array | None = None
    ) -> Problem | None:
        """Check a reading, dt [s] after the last one; torques are ignored."""
        raw, base = readings
        joints = contiguous(raw.joint_position), contiguous(raw.joint_velocity)
        wrench = contiguous(raw.force_torque)
        imu = contiguous(raw.imu)
        foot_imus = contiguous(raw.foot_imus)
        self._carried(
            self._robot,
            *joints,
            imu,
            wrench,
            foot_imus,
            *self._body.balance,
            *self._body[1:],
        )
        external = base is not None
        motion = BaseMotion(*map(contiguous, base or NO_BASE))
        code, which = self._kernel(
            self._memory,
            *joints,
            wrench,
            imu,
            foot_imus,
            external,
            motion,
            self._body,
            self._up,
            self._feet,
            self._frame,
            self._config,
            float(dt),
        )
        return health_problem((code, which), self._joints)

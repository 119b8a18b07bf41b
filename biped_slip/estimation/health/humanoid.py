# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The checks of :mod:`.watch` for a humanoid, whose sensors speak in frames of their own."""

from __future__ import annotations

from typing import Any

import numpy as np

from biped_slip.compile.arrays import Array
from biped_slip.compile.kernel import kernel, without_dispatch
from biped_slip.constants import GRAVITY
from biped_slip.estimation.floating_base.lie import rotation_of
from biped_slip.estimation.health.carried_body import Carried, CarriedBody
from biped_slip.estimation.health.checks import (
    WELL,
    Frame,
    Health,
    WatchState,
    beyond_limits,
    contradiction,
    fresh_memory,
    gravest,
    stuck_sensor,
    unbalanced,
    unbelievable,
)
from biped_slip.estimation.health.upward import upward
from biped_slip.estimation.health.watch import HealthConfig, health_problem
from biped_slip.estimation.problem import Problem
from biped_slip.estimation.raw_readings import HumanoidReadings
from biped_slip.robots.humanoid import Humanoid
from biped_slip.robots.humanoid_config import FORCE_SENSORS, SOLES

THROWN = 50.0  # [m/s^2] with which a swinging leg throws its foot up: no floor pulls, the foot's own mass does (choice)
UPRIGHT = np.array([0.0, 0.0, 1.0])  # as long as nothing else is known
ROOT = 6  # coordinates of the base: forward, up, left, and no angles; its velocities likewise


@kernel
def humanoid_health(memory: WatchState, q: Array, v: Array, wrench: Array, imu: Array, odometry: Array,
                    load: tuple[float, float], up: tuple[float, float], carried: Carried, frame: Frame,
                    config: Health, dt: float) -> tuple[int, int]:  # fmt: skip
    """Code of the gravest finding and which foot, joint or sensor it is about; fills the memory.

    Args:
        memory: of this watch.
        q, v: base (6) and joints (n).
        wrench: of the force sensors, in their own frames (2, 6).
        imu: specific force and angular velocity, in its own frame (6,).
        odometry: position and velocity of the base, where somebody says them (6,).
        load: force along the normal of each sole [N].
        up: height of each sole over the origin that q has the base's height over [m].
        carried: what the sensors carry.
        frame, config: robot and thresholds.
        dt: time since the last reading [s].
    """
    found = unbelievable(q, v, wrench, imu, frame, config)
    if found[0] != WELL:
        return found
    stuck = stuck_sensor(memory, q, v, wrench, imu, odometry, frame, config, dt)
    contradicted = contradiction(memory, load, (load[1], load[0]), up, imu, frame, config, dt)
    unexplained = unbalanced(memory, carried.force, carried.felt, carried.speed, carried.mass, frame, config, dt)
    beyond = beyond_limits(q, v, up, frame, config)
    if beyond[0] != WELL:
        return beyond
    return gravest(contradicted, stuck, unexplained)


def without_foot(load: float, thrown: float) -> float:
    """Load [N] on a sole less what of a pull a foot in the air explains that is thrown up with so many newtons."""
    return max(load, min(load + thrown, 0.0))


class HumanoidWatch:
    """Watches the readings of one humanoid on a level floor.

    A fall is the base nearer to the lower sole than ``fall_height`` of its height when standing; as long as nobody
    says how the base is turned, its IMU does (:mod:`.upward`), from upright on.

    Args:
        humanoid: whose sensors.
        config: thresholds.
    """

    def __init__(self, humanoid: Humanoid, config: HealthConfig) -> None:
        robot, model = humanoid.robot, humanoid.model
        self._body, self._joints = CarriedBody(humanoid), robot.joints
        self._turns = [
            model.frames[model.getFrameId(sole)].placement.rotation.T
            @ model.frames[model.getFrameId(sensor)].placement.rotation
            for sole, sensor in zip(SOLES, FORCE_SENSORS, strict=True)
        ]
        self._thrown = [
            THROWN * model.inertias[model.frames[model.getFrameId(sensor)].parentJoint].mass for sensor in FORCE_SENSORS
        ]
        self._config = config.packed
        q, joints = np.zeros(ROOT + len(robot.joints)), np.zeros(len(robot.joints))
        self._body.place(humanoid.posture, joints)
        height = -min(self._body.heights(UPRIGHT))
        lower, upper = robot.position_limits
        weight = robot.mass * GRAVITY
        self._frame = Frame(ROOT, lower, upper, robot.velocity_limits, weight, height, 0.0)
        self.reset()
        both, wrenches, six = (0.0, 0.0), np.zeros((2, 6)), np.zeros(6)
        carried = self._body.carried(six, wrenches)
        self._kernel: Any = without_dispatch(
            humanoid_health, self._memory, q, q, wrenches, six, six, both, both, carried, self._frame, self._config, 0.0
        )

    def retune(self, config: HealthConfig) -> None:
        """Other thresholds from now on."""
        self._config = config.packed

    def reset(self) -> None:
        """As before the first reading."""
        self._memory = fresh_memory(len(self._joints))
        self._up = UPRIGHT

    def step(self, readings: HumanoidReadings, dt: float) -> Problem | None:
        """What is wrong with a reading, dt [s] after the last one."""
        raw, base = readings
        place, speed, odometry = np.zeros(ROOT), np.zeros(ROOT), np.zeros(6)
        self._body.place(raw.joint_position, raw.joint_velocity)
        carried = self._body.carried(raw.imu, raw.force_torque)
        self._up = upward(self._up, carried.turning, carried.felt, dt)
        if base is not None:
            speed[:3], speed[3:] = base.linear_velocity_in_base, base.angular_velocity_in_base
            place[[0, 2]] = base.position_base_in_odom[:2]
            self._up = rotation_of(base.orientation_base_in_world)[2]
            odometry[:3], odometry[3:] = base.position_base_in_odom, base.linear_velocity_in_base
        joints = np.concatenate((place, raw.joint_position))
        rates = np.concatenate((speed, raw.joint_velocity))
        imu = np.concatenate((raw.imu[3:], raw.imu[:3]))
        left, right = (
            without_foot(float(turned[2] @ wrench[:3]), thrown)
            for turned, wrench, thrown in zip(self._turns, raw.force_torque, self._thrown, strict=True)
        )
        found = self._kernel(
            self._memory, joints, rates, raw.force_torque, imu, odometry, (left, right),
            self._body.heights(self._up), carried, self._frame, self._config, dt,
        )  # fmt: skip
        return None if found[0] == WELL else health_problem(found[0], found[1], self._joints)

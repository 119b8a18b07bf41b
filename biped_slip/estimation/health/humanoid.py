# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The checks of :mod:`.watch` for a humanoid, whose sensors speak in frames of their own."""

from __future__ import annotations

from typing import Any

import numpy as np
import pinocchio as pin

from biped_slip.compile.arrays import Array
from biped_slip.compile.kernel import kernel, without_dispatch
from biped_slip.constants import GRAVITY
from biped_slip.estimation.floating_base.lie import rotation_of
from biped_slip.estimation.health.checks import (
    WELL,
    Frame,
    Health,
    WatchState,
    beyond_limits,
    contradiction,
    fresh_memory,
    stuck_sensor,
    unbelievable,
)
from biped_slip.estimation.health.watch import HealthConfig, health_problem
from biped_slip.estimation.problem import Problem
from biped_slip.estimation.raw_readings import HumanoidReadings
from biped_slip.robots.humanoid import Humanoid
from biped_slip.robots.humanoid_config import FORCE_SENSORS, SOLES

THROWN = 50.0  # [m/s^2] with which a swinging leg throws its foot up: no floor pulls, the foot's own mass does (choice)
ROOT = 6  # coordinates of the base: forward, up, left, and no angles; its velocities likewise


@kernel
def humanoid_health(memory: WatchState, q: Array, v: Array, wrench: Array, imu: Array, load: tuple[float, float],
                    up: tuple[float, float], frame: Frame, config: Health, dt: float) -> tuple[int, int]:  # fmt: skip
    """Code of the gravest finding and which foot, joint or sensor it is about; fills the memory.

    Args:
        memory: of this watch.
        q, v: base (6) and joints (n).
        wrench: of the force sensors, in their own frames (2, 6).
        imu: specific force and angular velocity, in its own frame (6,).
        load: force along the normal of each sole [N].
        up: height of each sole over the origin that q has the base's height over [m].
        frame, config: robot and thresholds.
        dt: time since the last reading [s].
    """
    found = unbelievable(q, v, wrench, imu, frame, config)
    if found[0] != WELL:
        return found
    stuck = stuck_sensor(memory, q, v, wrench, imu, frame, config, dt)
    contradicted = contradiction(memory, load, (load[1], load[0]), up, imu, frame, config, dt)
    beyond = beyond_limits(q, v, up, frame, config)
    if beyond[0] != WELL:
        return beyond
    return contradicted if contradicted[0] != WELL else stuck


def without_foot(load: float, thrown: float) -> float:
    """Load [N] on a sole less what of a pull a foot in the air explains that is thrown up with so many newtons."""
    return load if load > 0.0 else min(load + thrown, 0.0)


class HumanoidWatch:
    """Watches the readings of one humanoid on a level floor.

    A fall is the base nearer to the lower sole than ``fall_height`` of its height when standing; as long as nobody
    says how the base is turned, it is taken for upright.

    Args:
        humanoid: whose sensors.
        config: thresholds.
    """

    def __init__(self, humanoid: Humanoid, config: HealthConfig) -> None:
        robot, model = humanoid.robot, humanoid.model
        self._model, self._data, self._joints = model, model.createData(), robot.joints
        self._soles = [model.getFrameId(sole) for sole in SOLES]
        self._turns = [
            model.frames[sole].placement.rotation.T @ model.frames[model.getFrameId(sensor)].placement.rotation
            for sole, sensor in zip(self._soles, FORCE_SENSORS, strict=True)
        ]
        self._thrown = [
            THROWN * model.inertias[model.frames[model.getFrameId(sensor)].parentJoint].mass for sensor in FORCE_SENSORS
        ]
        self._config, self._neutral = config.packed, pin.neutral(model)
        q = np.zeros(ROOT + len(robot.joints))
        height = -min(self._heights(humanoid.posture, np.eye(3)))
        lower, upper = robot.position_limits
        weight = robot.mass * GRAVITY
        self._frame = Frame(ROOT, lower, upper, robot.velocity_limits, weight, height, 0.0)
        self.reset()
        both = (0.0, 0.0)
        example = (self._memory, q, q, np.zeros((2, 6)), np.zeros(6), both, both, self._frame, self._config, 0.0)
        self._kernel: Any = without_dispatch(humanoid_health, *example)

    def retune(self, config: HealthConfig) -> None:
        """Other thresholds from now on."""
        self._config = config.packed

    def reset(self) -> None:
        """As before the first reading."""
        self._memory = fresh_memory(len(self._joints))

    def step(self, readings: HumanoidReadings, dt: float) -> Problem | None:
        """What is wrong with a reading, dt [s] after the last one."""
        raw, base = readings
        place, speed, turn = np.zeros(ROOT), np.zeros(ROOT), np.eye(3)
        if base is not None:
            speed[:3], speed[3:] = base.linear_velocity_in_base, base.angular_velocity_in_base
            place[[0, 2]] = base.position_base_in_odom[:2]
            turn = rotation_of(base.orientation_base_in_world)
        joints = np.concatenate((place, raw.joint_position))
        rates = np.concatenate((speed, raw.joint_velocity))
        imu = np.concatenate((raw.imu[3:], raw.imu[:3]))
        left, right = (
            without_foot(float(turned[2] @ wrench[:3]), thrown)
            for turned, wrench, thrown in zip(self._turns, raw.force_torque, self._thrown, strict=True)
        )
        up = self._heights(raw.joint_position, turn)
        found = self._kernel(
            self._memory, joints, rates, raw.force_torque, imu, (left, right), up, self._frame, self._config, dt,
        )  # fmt: skip
        return None if found[0] == WELL else health_problem(found[0], found[1], self._joints)

    def _heights(self, joints: Array, turn: Array) -> tuple[float, float]:
        """Of the soles over the base's origin [m]."""
        self._neutral[7:] = joints
        pin.forwardKinematics(self._model, self._data, self._neutral)
        left, right = (turn[2] @ pin.updateFramePlacement(self._model, self._data, f).translation for f in self._soles)
        return float(left), float(right)

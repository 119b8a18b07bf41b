# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""A humanoid's whole controller, guarded and tried out: what walks it in a node or in plain Python."""

from __future__ import annotations

from itertools import islice
from typing import Iterator

import numpy as np

from biped_slip.control.supervisor import Supervisor, SupervisorConfig, TorqueLimits
from biped_slip.estimation.health.humanoid import HumanoidWatch
from biped_slip.estimation.health.watch import HealthConfig
from biped_slip.estimation.raw_readings import BaseMotion, HumanoidReadings, RawReadings
from biped_slip.robots.floating_functions import floating_functions
from biped_slip.robots.humanoid import Humanoid, load_humanoid
from biped_slip.walking.controller import PERIOD, Controller
from biped_slip.walking.guarded import GuardedController, Unwatched
from biped_slip.walking.humanoid_config import HumanoidWalkingConfig
from biped_slip.walking.humanoid_registry import DEFAULT, ChecksSensors, humanoid_controller
from biped_slip.walking.sensor_sway import Background, at_once
from biped_slip.walking.slip_policy import slip_policy

TRIALS = 3  # answers of the whole controller, after which nothing is left to compile
TRIAL_TICKS = 2000  # at most


def guarded_humanoid(
    config: HumanoidWalkingConfig,
    limit: str,
    supervision: SupervisorConfig,
    health: HealthConfig,
    *,
    checked: bool = True,
    told_base: bool = False,
    background: Background = at_once,
    name: str = DEFAULT,
) -> GuardedController[HumanoidReadings]:
    """A humanoid's controller behind watch and supervisor, compiled.

    Args:
        config: robot, command, gains, estimator.
        limit: name of the policy for slip.
        supervision: of the supervisor.
        health: of the watch.
        checked: whether the sensors are checked before the first step.
        told_base: whether readings will say how the base moves.
        background: where the sensors are judged.
        name: of the controller.
    """
    humanoid = load_humanoid(config.robot)
    policy = slip_policy(limit, config.policy_settings(humanoid.weight))
    controller = humanoid_controller(config, policy, name)
    if checked and isinstance(controller, ChecksSensors):
        controller.check_sensors_first(background)
    guarded = guard_humanoid(controller, humanoid, supervision, health)
    guarded.start()
    answers = 0
    for readings in islice(standing_readings(humanoid, told_base), TRIAL_TICKS):
        output = guarded.step(readings).output
        answers += output is not None and getattr(output, "answer", output) is not None
        if answers == TRIALS:
            break
    return guarded


def guard_humanoid(
    controller: Controller[HumanoidReadings],
    humanoid: Humanoid,
    supervision: SupervisorConfig,
    health: HealthConfig | None,
) -> GuardedController[HumanoidReadings]:
    """Any controller of a humanoid behind its supervisor and, with thresholds of health, its watch."""
    robot = humanoid.robot
    supervisor = Supervisor(TorqueLimits(robot.joints, humanoid.efforts), supervision)
    watch = Unwatched() if health is None else HumanoidWatch(humanoid, health)
    return GuardedController(controller, watch, supervisor, robot.velocity_limits, PERIOD)


def standing_readings(
    humanoid: Humanoid, told_base: bool = False, period: float = PERIOD
) -> Iterator[HumanoidReadings]:
    """What ideal sensors of a humanoid say that stands on both feet, sample after sample without end.

    Args:
        humanoid: at rest in its standing posture, half of its weight on each foot.
        told_base: whether the base's motion is part of the readings.
        period: between samples [s].
    """
    robot, functions = humanoid.robot, floating_functions(humanoid.robot)
    q, nv = humanoid.standing(), robot.model.nv
    wrenches, imu = np.zeros((2, 6)), np.zeros(6)
    wrenches[:, 2] = 0.5 * humanoid.weight
    foot_imus, force_torque = np.zeros((2, 6)), np.zeros((2, 6))
    still = np.zeros(nv)
    functions.sensor_readings(functions.generated, q, still, still, wrenches, imu, foot_imus, force_torque)
    position, rotation, velocity = np.zeros((2, 3)), np.zeros((2, 3, 3)), np.zeros((2, 6))
    functions.sole_kinematics(functions.generated, q, still, position, rotation, velocity)
    joints, rest = q[7:].copy(), np.zeros(len(robot.joints))
    upright = np.array([0.0, 0.0, 0.0, 1.0])
    tick = 0
    while True:
        stamp = round(1e9 * tick * period)
        raw = RawReadings(stamp, joints, rest, imu, foot_imus, force_torque, position)
        base = BaseMotion(upright, np.zeros(3), q[:3].copy(), np.zeros(3))
        yield HumanoidReadings(raw, base if told_base else None)
        tick += 1

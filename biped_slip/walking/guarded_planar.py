# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The planar biped's whole controller, guarded and tried out: what walks it in a node or in plain Python."""

from __future__ import annotations

from biped_slip.constants import GRAVITY
from biped_slip.control.supervisor import Supervisor, SupervisorConfig, TorqueLimits
from biped_slip.estimation.foot_measurement import FloorConfig
from biped_slip.estimation.health.watch import HealthConfig, HealthWatch
from biped_slip.estimation.readings import SensorReadings, trial_readings
from biped_slip.friction_estimation.types import NO_ESTIMATE
from biped_slip.robots.robot import Robot
from biped_slip.robots.two_link_leg import leg_lengths
from biped_slip.walking.config import PlanarWalkingConfig
from biped_slip.walking.controller import PERIOD, Controller
from biped_slip.walking.guarded import GuardedController
from biped_slip.walking.planar_registry import DEFAULT, PlanarSite, planar_controller


def guarded_planar(
    robot: Robot,
    config: PlanarWalkingConfig,
    limit: str,
    floor: FloorConfig,
    supervision: SupervisorConfig,
    health: HealthConfig,
    body_weight: float = 0.0,
    name: str = DEFAULT,
    told_estimates: bool | None = None,
) -> GuardedController[SensorReadings]:
    """The planar biped's controller behind watch and supervisor, compiled.

    Args:
        robot: to be walked.
        config: gains, estimators, speed command.
        limit: name of the policy for slip.
        floor: its slope.
        supervision: of the supervisor.
        health: of the watch.
        body_weight: [N]; 0: the robot's.
        name: of the controller.
        told_estimates: whether friction estimates will come with the readings; None: they may or may not.
    """
    policy = config.policy(limit, body_weight or robot.mass * GRAVITY)
    controller = planar_controller(config, policy, PlanarSite(robot, floor), name)
    guarded = guard_planar(controller, robot, floor.slope, supervision, health)
    guarded.start()
    for readings in trial_readings(len(robot.joints)):
        if not told_estimates:
            controller.step(readings)
        if told_estimates is not False:
            controller.step(readings._replace(stamp_ns=readings.stamp_ns + 1), (NO_ESTIMATE, NO_ESTIMATE))
        guarded.step(readings, estimates=(NO_ESTIMATE, NO_ESTIMATE) if told_estimates else None)
    return guarded


def guard_planar(
    controller: Controller[SensorReadings],
    robot: Robot,
    slope: float,
    supervision: SupervisorConfig,
    health: HealthConfig,
) -> GuardedController[SensorReadings]:
    """Any controller of the planar biped behind its supervisor and its watch, on a floor of a slope [rad]."""
    supervisor = Supervisor(TorqueLimits(robot.joints, robot.effort_limits), supervision)
    watch = HealthWatch(robot, health, sum(leg_lengths(robot)), slope)
    return GuardedController(controller, watch, supervisor, robot.velocity_limits, PERIOD)

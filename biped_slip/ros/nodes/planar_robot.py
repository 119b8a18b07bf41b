# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""What the controller node knows of the planar biped: its parameters, its sensors, what walks and watches it."""

from __future__ import annotations

from rclpy.node import Node

from biped_slip.control.supervisor import Supervisor, SupervisorConfig, TorqueLimits
from biped_slip.estimation.health.watch import HealthConfig, HealthWatch
from biped_slip.estimation.motion import motion_source
from biped_slip.estimation.problem import Problem
from biped_slip.estimation.readings import SensorReadings, trial_readings
from biped_slip.friction_estimation.types import NO_ESTIMATE
from biped_slip.robots.two_link_leg import leg_lengths
from biped_slip.ros.parameters.robot import declare_robot, robot_from
from biped_slip.ros.parameters.scenario import declare_brain
from biped_slip.ros.topics.named_scalars import control_record_names, control_record_values
from biped_slip.ros.topics.sensor_inputs import SensorInputs
from biped_slip.walking.guarded import GuardedWalker
from biped_slip.walking.planar import ControlRecord, Walker
from biped_slip.walking.slip_policy import prevention


class PlanarBrain:
    """Walks the planar biped; ``estimates_itself`` is for the node to choose.

    Args:
        node: where parameters are declared.
    """

    estimates_itself = False
    reserve: Problem | None = None  # it walks or it stops

    def __init__(self, node: Node) -> None:
        _, self._scenario = declare_brain(node)
        self._config, self._floor = declare_robot(node, self._scenario)

    def build(self, limit: str, raw: bool, supervision: SupervisorConfig, health: HealthConfig) -> None:
        """Robot, walker, sensors; compiled here, not at the first sample."""
        scenario, slope = self._scenario, self._floor.slope
        robot = robot_from(self._config, scenario.variant)
        motion = motion_source(robot, scenario.motion, self._floor)
        chosen = prevention(limit, scenario, robot, self._config.body_weight)
        self._walker = walker = Walker(robot, scenario, chosen, motion, slope)
        self.guarded: GuardedWalker[SensorReadings] = GuardedWalker(
            walker,
            HealthWatch(robot, health, sum(leg_lengths(robot)), slope),
            Supervisor(TorqueLimits(robot.joints, robot.effort_limits), supervision),
            robot.velocity_limits,
            1e-9 * scenario.plant.control_period_ns,
        )
        self.guarded.start()
        for readings in trial_readings(len(robot.joints)):
            walker.step(readings)
            walker.step(readings._replace(stamp_ns=readings.stamp_ns + 1), (NO_ESTIMATE, NO_ESTIMATE))
            self.guarded.step(readings)
        self.joints, self.soles = robot.joints, robot.soles
        self.sensors = SensorInputs(robot.joints, robot.soles, scenario.motion.source, raw)
        self.record_names = control_record_names(robot.joints)

    def record_values(self, record: ControlRecord) -> list[float]:
        """What a record says, in the order of the names."""
        return control_record_values(record)

    def set_speed(self, scale: float) -> None:
        """Of the scenario's command."""
        self._walker.speed_scale = scale

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""What the controller node knows of the planar biped: its parameters, its sensors, its controller."""

from __future__ import annotations

from rclpy.node import Node

from biped_slip.control.supervisor import SupervisorConfig
from biped_slip.estimation.health.watch import HealthConfig
from biped_slip.ros.nodes.robot_interface import ControllerChoice
from biped_slip.ros.parameters.robot import declare_robot, robot_from
from biped_slip.ros.parameters.walking import declare_walking
from biped_slip.ros.topics.planar_record import planar_record_names, planar_record_values
from biped_slip.ros.topics.sensor_inputs import SensorInputs
from biped_slip.walking.controller import ControlOutput
from biped_slip.walking.guarded_planar import guarded_planar
from biped_slip.walking.planar import planar_output
from biped_slip.walking.planar_registry import DEFAULT


class PlanarRobot:
    """The planar biped; ``estimates_itself`` is for the node to choose.

    Args:
        node: where parameters are declared.
    """

    estimates_itself = False

    def __init__(self, node: Node) -> None:
        self._walking, slope = declare_walking(node)
        self._config, self._floor = declare_robot(node, slope)

    def build(self, choice: ControllerChoice, supervision: SupervisorConfig, health: HealthConfig) -> None:
        """Controller and sensors."""
        walking = self._walking
        robot = robot_from(self._config, walking.variant)
        weight = self._config.body_weight
        self.guarded = guarded_planar(
            robot,
            walking,
            choice.limit,
            self._floor,
            supervision,
            health,
            weight,
            choice.name or DEFAULT,
            choice.told_estimates,
        )
        self.joints, self.soles = robot.joints, robot.soles
        self.sensors = SensorInputs(robot.joints, robot.soles, walking.motion.source, choice.raw_messages)
        self.record_names = planar_record_names(robot.joints)

    def record_values(self, output: ControlOutput) -> list[float]:
        """What the controller did, in the order of the names."""
        return planar_record_values(planar_output(output))

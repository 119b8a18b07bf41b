# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""What the controller node knows of a humanoid: its parameters, its sensors, its controller."""

from __future__ import annotations

from biped_slip.config import Configuration, configuration, parameter
from biped_slip.control.supervisor import SupervisorConfig
from biped_slip.estimation.health.watch import HealthConfig
from biped_slip.robots.humanoid import load_humanoid
from biped_slip.ros.nodes.robot_interface import ControllerChoice
from biped_slip.ros.parameters.declare import declare_configuration
from biped_slip.ros.parameters.humanoid_walking import declare_humanoid_walking
from biped_slip.ros.runtime.background import in_background
from biped_slip.ros.runtime.robot_node import RobotNode
from biped_slip.ros.topics.humanoid_messages import HumanoidInputs
from biped_slip.ros.topics.humanoid_record import humanoid_record_names, humanoid_record_values
from biped_slip.walking.controller import ControlOutput
from biped_slip.walking.guarded_humanoid import guarded_humanoid
from biped_slip.walking.humanoid_registry import DEFAULT
from biped_slip.walking.sensor_sway import at_once


@configuration
class HumanoidRobotConfig(Configuration):
    """Parameters of a humanoid's controller beside its walk."""

    base: str = parameter(
        "estimated", choices=("odom", "estimated"), doc="how the base moves: told by odom, or estimated"
    )
    foot_positions: bool = parameter(
        True, doc="sensors tell where the soles are, on l_foot/position and r_foot/position; false: only the joints do"
    )
    check_sensors: bool = parameter(True, doc="shift the weight and sway before the first step; wrong sensors: stand")


class HumanoidRobot:
    """A humanoid; it always estimates friction by itself.

    Args:
        node: where parameters are declared.
        walk: by its name or as a .yaml file.
    """

    estimates_itself = True

    def __init__(self, node: RobotNode, walk: str) -> None:
        self._node = node
        self._walking = declare_humanoid_walking(node, walk)
        self._config = declare_configuration(node, HumanoidRobotConfig())

    def build(self, choice: ControllerChoice, supervision: SupervisorConfig, health: HealthConfig) -> None:
        """Controller and sensors."""
        told = self._config.base == "odom"
        robot = load_humanoid(self._walking.robot).robot
        self.guarded = guarded_humanoid(
            self._walking,
            choice.limit,
            supervision,
            health,
            checked=self._config.check_sensors,
            told_base=told,
            background=at_once if self._node.settings.mode == "lockstep" else in_background,
            name=choice.name or DEFAULT,
        )
        self.joints, self.soles = robot.joints, robot.soles
        self.sensors = HumanoidInputs(robot.joints, told, self._config.foot_positions, choice.raw_messages)
        self.record_names = humanoid_record_names(robot.joints)

    def record_values(self, output: ControlOutput) -> list[float]:
        """What the controller did, in the order of the names."""
        return humanoid_record_values(output)

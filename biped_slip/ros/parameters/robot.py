# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The robot as ROS parameters: description, joints, frames, and what is known of the floor."""

from __future__ import annotations

from rclpy.node import Node

from biped_slip.config import Configuration, configuration, parameter
from biped_slip.errors import InvalidParameter
from biped_slip.estimation.foot_measurement import FloorConfig
from biped_slip.robots.humanoid_checks import check_motors
from biped_slip.robots.planar_biped import JOINTS, ROOTS, SOLES, planar_biped
from biped_slip.robots.robot import Robot
from biped_slip.ros.parameters.declare import declare_configuration


@configuration
class RobotConfig(Configuration):
    """Which robot; the defaults are the planar biped's."""

    robot_description: str = parameter("", doc="URDF as text; empty: the planar biped")
    joints: tuple[str, ...] = parameter(JOINTS, doc="joints of the model in its order; messages may have any order")
    soles: tuple[str, ...] = parameter(SOLES, doc="sole frames, left then right")
    body_weight: float = parameter(
        0.0, unit="N", low=0.0, high=1e6, doc="scales when a foot counts as loaded; 0: of the robot description"
    )


def declare_robot(node: Node, slope: float) -> tuple[RobotConfig, FloorConfig]:
    """Declare the robot's parameters; the floor's slope [rad] defaults to the given one."""
    floor = declare_configuration(node, FloorConfig(slope), "floor.")
    return declare_configuration(node, RobotConfig()), floor


def robot_from(config: RobotConfig, variant: str) -> Robot:
    """The robot that the parameters describe.

    Raises:
        BipedSlipError: no valid URDF, numbers that no robot has, an unknown joint or a missing frame; joints or soles
            that are not the planar biped's, without a description.
    """
    if not config.robot_description:
        for name, given, own in (("joints", config.joints, JOINTS), ("soles", config.soles, SOLES)):
            if tuple(given) != own:
                raise InvalidParameter(
                    name, ", ".join(given), f"{', '.join(own)}, the planar biped's", "set robot_description as well"
                )
        return planar_biped(variant)
    left, right = config.soles
    robot = Robot(config.robot_description, ROOTS[variant], config.joints, (left, right))
    check_motors(robot.joints, robot.effort_limits, robot.velocity_limits)
    return robot

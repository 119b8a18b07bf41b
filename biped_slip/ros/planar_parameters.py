# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Robot, floor and walk of the planar biped as ROS parameters."""

from __future__ import annotations

from rclpy.node import Node

from biped_slip.config import Configuration, configuration, parameter
from biped_slip.errors import InvalidParameter
from biped_slip.estimation.planar_feet import FloorConfig
from biped_slip.robots.humanoid import check_motors
from biped_slip.robots.planar_biped import JOINTS, ROOTS, SOLES, planar_biped
from biped_slip.robots.robot import Robot
from biped_slip.ros.parameters import declare_configuration
from biped_slip.walking.planar import PlanarWalkingConfig, scenario_file, walking_part


@configuration
class RobotConfig(Configuration):
    """Robot of a node; the defaults are the planar biped's."""

    robot_description: str = parameter("", doc="URDF as text; empty: the planar biped")
    joints: tuple[str, ...] = parameter(
        JOINTS, doc="joints of the model in its order; messages may have any order"
    )
    soles: tuple[str, ...] = parameter(SOLES, doc="sole frames, left then right")
    body_weight: float = parameter(
        0.0,
        unit="N",
        low=0.0,
        high=1e6,
        doc="scales when a foot counts as loaded; 0: of the robot description",
    )


def declare_robot(node: Node, slope: float) -> tuple[RobotConfig, FloorConfig]:
    """Declare the robot's parameters.

    The floor's slope [rad] defaults to the given one.
    """
    floor = declare_configuration(node, FloorConfig(slope), "floor.")
    return declare_configuration(node, RobotConfig()), floor


def robot_from(config: RobotConfig, variant: str) -> Robot:
    """Build the robot that the parameters describe.

    Raises:
        BipedSlipError: no valid URDF, numbers that no robot has, an unknown joint or a
            missing frame; joints or soles that are not the planar biped's, without a
            description.
    """
    if not config.robot_description:
        for name, given, own in (
            ("joints", config.joints, JOINTS),
            ("soles", config.soles, SOLES),
        ):
            if tuple(given) != own:
                raise InvalidParameter(
                    name,
                    ", ".join(given),
                    f"{', '.join(own)}, the planar biped's",
                    "set robot_description as well",
                )
        return planar_biped(variant)
    left, right = config.soles
    robot = Robot(
        config.robot_description, ROOTS[variant], config.joints, (left, right)
    )
    check_motors(robot.joints, robot.effort_limits, robot.velocity_limits)
    return robot


@configuration
class WalkingChoice(Configuration):
    """Choice of the scenario that gives the defaults of all further parameters."""

    scenario: str = parameter(
        "thesis", doc="name of a shipped scenario, or a .yaml file"
    )
    variant: str = parameter(
        "", choices=("", *ROOTS), doc="robot variant; empty: the scenario's"
    )


def declare_walking(
    node: Node, without: tuple[str, ...] = ()
) -> tuple[PlanarWalkingConfig, float]:
    """Declare the planar biped's part of a scenario as parameters.

    Return it and the floor's slope [rad].
    """
    choice = declare_configuration(node, WalkingChoice())
    mapping = scenario_file(choice.scenario, choice.variant or None)
    slope = float((mapping.get("ground") or {}).get("slope", 0.0))
    return declare_configuration(
        node, walking_part(mapping), without=("variant", "period", *without)
    ), slope

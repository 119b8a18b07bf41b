# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""What the planar biped's estimator and controller are told, as ROS parameters: a scenario's name and its values."""

from __future__ import annotations

from rclpy.node import Node

from biped_slip.config import Configuration, configuration, parameter
from biped_slip.robots.planar_biped import ROOTS
from biped_slip.ros.parameters.declare import declare_configuration
from biped_slip.walking.config import PlanarWalkingConfig, scenario_file, walking_part


@configuration
class WalkingChoice(Configuration):
    """Which scenario gives the defaults of all further parameters."""

    scenario: str = parameter("thesis", doc="name of a shipped scenario, or a .yaml file")
    variant: str = parameter("", choices=("", *ROOTS), doc="robot variant; empty: the scenario's")


def declare_walking(node: Node, without: tuple[str, ...] = ()) -> tuple[PlanarWalkingConfig, float]:
    """The planar biped's part of a scenario as parameters, and the slope [rad] that the scenario's floor has."""
    choice = declare_configuration(node, WalkingChoice())
    said = scenario_file(choice.scenario, choice.variant or None)
    slope = float((said.get("ground") or {}).get("slope", 0.0))
    return declare_configuration(node, walking_part(said), without=("variant", *without)), slope

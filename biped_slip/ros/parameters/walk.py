# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""A humanoid's walk as ROS parameters: its name, and every value of it below ``walk.``."""

from __future__ import annotations

from rclpy.node import Node

from biped_slip.ros.parameters.declare import declare_configuration
from biped_slip.simulation.humanoid.walk_config import HumanoidWalkConfig, chosen_walk

#: Parts of a walk that the simulator knows, and those that belong to the controller; an oracle takes the rest as it is.
WAY = ("distance", "patience", "mu", "patch", "push", "sensors")
BRAIN = ("start", "base", "controller", "interval", "limit")


def declare_walk(node: Node, name: str, parts: tuple[str, ...]) -> HumanoidWalkConfig:
    """The walk with some of its parts, and the speed, as parameters."""
    config = chosen_walk(name)
    others = tuple(field for field in config.to_mapping() if field not in (*parts, "speed"))
    return declare_configuration(node, config, "walk.", without=others)

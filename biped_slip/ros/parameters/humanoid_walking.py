# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""What a humanoid's controller is told, as ROS parameters: a walk's name, and every value of the controller's part."""

from __future__ import annotations

from rclpy.node import Node

from biped_slip.ros.parameters.declare import declare_configuration
from biped_slip.walking.humanoid_config import HumanoidWalkingConfig, chosen_walking


def declare_humanoid_walking(node: Node, name: str) -> HumanoidWalkingConfig:
    """A humanoid's part of a walk as parameters below ``walk.``."""
    return declare_configuration(node, chosen_walking(name), "walk.", without=("robot", "sensors"))

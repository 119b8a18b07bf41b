# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""A robot behind ros2_control."""

from launch import LaunchDescription

from biped_slip.ros.bringup.actions import launch_description


def generate_launch_description() -> LaunchDescription:
    """Return what biped_slip/ros/bringup/robot.py describes."""
    return launch_description("robot")

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Hardware in the loop: the contact simulator is the robot on the steady clock."""

from launch import LaunchDescription

from biped_slip.ros.bringup.actions import launch_description


def generate_launch_description() -> LaunchDescription:
    """Return what biped_slip/ros/bringup/hil.py describes."""
    return launch_description("hil")

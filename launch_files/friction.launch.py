# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Friction under a humanoid that others walk: joint states and one IMU in."""

from launch import LaunchDescription

from biped_slip.ros.bringup.actions import launch_description


def generate_launch_description() -> LaunchDescription:
    """Return what biped_slip/ros/bringup/friction.py describes."""
    return launch_description("friction")

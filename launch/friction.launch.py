# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Friction under a humanoid that others walk: joint states and one IMU in.

Nothing is commanded.
"""

from launch.substitutions import LaunchConfiguration

from biped_slip.ros.launch_parts import beginning, own_node, shipped, typed
from launch import LaunchDescription

ARGUMENTS = {
    "params_file": (shipped("config", "estimator.yaml"), "parameters of the estimator"),
    "autostart": ("true", "configure and activate at once"),
    "use_sim_time": ("false", "stamps of diagnostics from /clock"),
    "robot": ("g1", "a shipped walk's name, or the .yaml file of a walk or a robot"),
    "period": ("0.0", "between two joint states [s]; 0: found from their stamps"),
    "joint_states": ("joint_states", "topic of sensor_msgs/JointState with efforts"),
    "imu": ("imu/data", "topic of sensor_msgs/Imu, in the axes of its link"),
}


def generate_launch_description():
    chosen = {
        "autostart": typed("autostart", bool),
        "use_sim_time": typed("use_sim_time", bool),
        "humanoid": typed("robot"),
        "period": typed("period", float),
    }
    sensors = [
        ("joint_states", LaunchConfiguration("joint_states")),
        ("imu/data", LaunchConfiguration("imu")),
    ]
    return LaunchDescription(
        [
            *beginning(ARGUMENTS),
            own_node("friction_estimator", chosen, remappings=sensors),
        ]
    )

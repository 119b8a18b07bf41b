# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""A friction governor between velocity commands and a walking controller.

The commands are a planner's; the controller is of whatever make.
"""

from biped_slip.ros.launch_parts import beginning, own_node, shipped, typed
from launch import LaunchDescription

ARGUMENTS = {
    "params_file": (shipped("config", "governor.yaml"), "parameters of the governor"),
    "autostart": ("true", "configure and activate at once"),
    "use_sim_time": ("false", "stamps of the commands from /clock"),
    "body_weight": ("327.0", "of the robot [N]; the default is Unitree's G1"),
    "stamped": ("true", "TwistStamped in and out; false: Twist"),
    "loads_in_estimates": (
        "false",
        "true: the estimates say the loads of the feet, there are no wrenches",
    ),
    "cmd_vel_in_topic": (
        "cmd_vel_smoothed",
        "commands, as a velocity smoother sends them",
    ),
    "cmd_vel_out_topic": ("cmd_vel", "what goes through"),
}


def generate_launch_description():
    chosen = {
        "autostart": typed("autostart", bool),
        "use_sim_time": typed("use_sim_time", bool),
        "body_weight": typed("body_weight", float),
        "stamped": typed("stamped", bool),
        "loads_in_estimates": typed("loads_in_estimates", bool),
        "cmd_vel_in_topic": typed("cmd_vel_in_topic"),
        "cmd_vel_out_topic": typed("cmd_vel_out_topic"),
    }
    return LaunchDescription(
        [*beginning(ARGUMENTS), own_node("friction_governor", chosen)]
    )

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""A friction governor between velocity commands and a walking controller.

The commands are a planner's; the controller is of whatever make.
"""

from __future__ import annotations

from biped_slip.ros.bringup.parts import (
    AUTOSTART_ARGUMENT,
    Argument,
    Given,
    LaunchFile,
    LaunchPlan,
    number,
    own_node,
    shipped,
    truth,
)

GOVERNOR_ARGUMENTS = {
    "params_file": Argument(
        shipped("config", "governor.yaml"), "parameters of the governor"
    ),
    "autostart": AUTOSTART_ARGUMENT,
    "use_sim_time": Argument("false", "stamps of the commands from /clock"),
    "body_weight": Argument("327.0", "of the robot [N]; the default is Unitree's G1"),
    "stamped": Argument("true", "TwistStamped in and out; false: Twist"),
    "loads_in_estimates": Argument(
        "false",
        "true: the estimates say the loads of the feet, there are no wrenches",
    ),
    "cmd_vel_in_topic": Argument(
        "cmd_vel_smoothed", "commands, as a velocity smoother sends them"
    ),
    "cmd_vel_out_topic": Argument("cmd_vel", "what goes through"),
}


def start(given: Given) -> LaunchPlan:
    """Return the governor."""
    chosen = {
        "autostart": truth(given, "autostart"),
        "use_sim_time": truth(given, "use_sim_time"),
        "body_weight": number(given, "body_weight"),
        "stamped": truth(given, "stamped"),
        "loads_in_estimates": truth(given, "loads_in_estimates"),
        "cmd_vel_in_topic": given["cmd_vel_in_topic"],
        "cmd_vel_out_topic": given["cmd_vel_out_topic"],
    }
    return LaunchPlan([own_node("friction_governor", chosen, given)])


GOVERNOR_LAUNCH = LaunchFile(
    meaning="a friction governor before a walking controller of any make",
    own_arguments=GOVERNOR_ARGUMENTS,
    start=start,
)

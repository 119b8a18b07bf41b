# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Friction under a humanoid that others walk: joint states and one IMU in.

Nothing is commanded.
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

FRICTION_ARGUMENTS = {
    "params_file": Argument(
        shipped("config", "estimator.yaml"), "parameters of the estimator"
    ),
    "autostart": AUTOSTART_ARGUMENT,
    "use_sim_time": Argument("false", "stamps of diagnostics from /clock"),
    "robot": Argument(
        "g1", "a shipped walk's name, or the .yaml file of a walk or a robot"
    ),
    "period": Argument(
        "0.0", "between two joint states [s]; 0: found from their stamps"
    ),
    "joint_states": Argument(
        "joint_states", "topic of sensor_msgs/JointState with efforts"
    ),
    "imu": Argument("imu/data", "topic of sensor_msgs/Imu, in the axes of its link"),
}


def start(given: Given) -> LaunchPlan:
    """Return the estimator."""
    chosen = {
        "autostart": truth(given, "autostart"),
        "use_sim_time": truth(given, "use_sim_time"),
        "humanoid": given["robot"],
        "period": number(given, "period"),
    }
    sensors = (("joint_states", given["joint_states"]), ("imu/data", given["imu"]))
    return LaunchPlan(
        [own_node("friction_estimator", chosen, given, remappings=sensors)]
    )


FRICTION_LAUNCH = LaunchFile(
    meaning="friction under a humanoid that another controller walks",
    own_arguments=FRICTION_ARGUMENTS,
    start=start,
)

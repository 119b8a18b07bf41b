# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""A recording of any format plays into a friction estimator over ROS topics."""

from __future__ import annotations

from biped_slip.ros.bringup.parts import (
    Argument,
    Given,
    LaunchedProgram,
    LaunchFile,
    LaunchPlan,
    description_of,
    number,
    odom_transform,
    own_node,
    robot_state_publisher,
    shipped,
    truth,
)

REPLAY_ARGUMENTS = {
    "params_file": Argument(
        shipped("config", "replay.yaml"), "parameters of all nodes"
    ),
    "recording": Argument(
        None, "C3D, .mot, .sto, table (CSV or text, also .gz) or rosbag2"
    ),
    "layout": Argument("", "YAML that names a table's columns or a bag's topics"),
    "mode": Argument(
        "lockstep",
        "lockstep: every sample is answered before the next; real-time: no node waits",
    ),
    "rate": Argument("1.0", "share of real time; 0: as fast as possible"),
    "loop": Argument("false", "begin again at the end"),
    "publish_clock": Argument("false", "the recording's time on /clock"),
    "estimator": Argument(
        "interval", "friction estimator: slip (feet only), thesis or interval"
    ),
    "robot": Argument(
        "false",
        "true: a bag of a whole robot's sensors, through its model; false: feet with "
        "their own motion",
    ),
}
ANSWERS = [
    f"joint_states=friction_estimator/{foot}_foot/friction_values" for foot in "lr"
]
PLAYED_SENSORS = ["joint_states", "imu/data", "odom", "l_foot/wrench", "r_foot/wrench"]
RECORDING_ENDED = "the recording has ended"


def start(given: Given) -> LaunchPlan:
    """Return the player and the estimator that it plays to."""
    recording = {"recording": given["recording"], "layout": given["layout"]}
    played = {
        **recording,
        "mode": given["mode"],
        "rate": number(given, "rate"),
        "loop": truth(given, "loop"),
        "publish_clock": truth(given, "publish_clock"),
    }
    if truth(given, "robot"):
        listeners = whole_robot(given)
        played |= {"topics": PLAYED_SENSORS, "wait_for": ANSWERS}
    else:
        feet = {**recording, "estimator": given["estimator"]}
        listeners = [own_node("foot_estimator", feet, given)]
    player = own_node("recording_player", played, given, ends_all=RECORDING_ENDED)
    return LaunchPlan([*listeners, player])


def whole_robot(given: Given) -> list[LaunchedProgram]:
    """Return what listens to the sensors of a whole robot."""
    settings = {"estimator": given["estimator"], "mode": given["mode"]}
    return [
        own_node("friction_estimator", settings, given),
        odom_transform(given),
        robot_state_publisher(lambda: description_of(""), given),
    ]


REPLAY_LAUNCH = LaunchFile(
    meaning="a recording of any format plays into a friction estimator",
    own_arguments=REPLAY_ARGUMENTS,
    start=start,
)

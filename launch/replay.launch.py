# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""A recording of any format plays into a friction estimator over ROS topics."""

from launch.actions import RegisterEventHandler, Shutdown
from launch.conditions import IfCondition, UnlessCondition
from launch.event_handlers import OnProcessExit
from launch.substitutions import LaunchConfiguration
from launch_ros.parameter_descriptions import ParameterValue

from biped_slip.ros.launch_parts import (
    beginning,
    description_of,
    own_node,
    robot_state_publisher,
    shipped,
    typed,
)
from launch import LaunchDescription

ARGUMENTS = {
    "params_file": (shipped("config", "replay.yaml"), "parameters of all nodes"),
    "recording": (None, "C3D, .mot, .sto, table (CSV or text, also .gz) or rosbag2"),
    "layout": ("", "YAML that names a table's columns or a bag's topics"),
    "mode": (
        "lockstep",
        "lockstep: every sample is answered before the next; real-time: no node waits",
    ),
    "rate": ("1.0", "share of real time; 0: as fast as possible"),
    "loop": ("false", "begin again at the end"),
    "publish_clock": ("false", "the recording's time on /clock"),
    "estimator": (
        "interval",
        "friction estimator: slip (feet only), thesis or interval",
    ),
    "robot": (
        "false",
        "true: a bag of a whole robot's sensors, through its model; false: feet with "
        "their own motion",
    ),
}
ANSWERS = [f"joint_states=friction_estimator/{foot}_foot/friction" for foot in "lr"]
SENSORS = ["joint_states", "imu/data", "odom", "l_foot/wrench", "r_foot/wrench"]


def generate_launch_description():
    robot = IfCondition(LaunchConfiguration("robot"))
    feet = UnlessCondition(LaunchConfiguration("robot"))
    recording = {"recording": typed("recording"), "layout": typed("layout")}
    played = {
        **recording,
        "mode": typed("mode"),
        "rate": typed("rate", float),
        "loop": typed("loop", bool),
        "publish_clock": typed("publish_clock", bool),
    }
    players = [
        own_node("recording_player", played, condition=feet),
        own_node(
            "recording_player",
            {**played, "topics": SENSORS, "wait_for": ANSWERS},
            condition=robot,
        ),
    ]
    ended = [Shutdown(reason="the recording has ended")]
    return LaunchDescription(
        [
            *beginning(ARGUMENTS),
            own_node(
                "foot_estimator",
                {**recording, "estimator": typed("estimator")},
                condition=feet,
            ),
            own_node(
                "friction_estimator",
                {"estimator": typed("estimator"), "mode": typed("mode")},
                condition=robot,
            ),
            own_node("odom_transform", {}, condition=robot),
            robot_state_publisher(
                ParameterValue(description_of(""), value_type=str), condition=robot
            ),
            *players,
            *(
                RegisterEventHandler(OnProcessExit(target_action=player, on_exit=ended))
                for player in players
            ),
        ]
    )

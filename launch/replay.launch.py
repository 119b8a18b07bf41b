# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""A recording of any format plays into a friction estimator over ROS topics."""

from launch.actions import DeclareLaunchArgument, RegisterEventHandler, SetEnvironmentVariable, Shutdown
from launch.conditions import IfCondition, UnlessCondition
from launch.event_handlers import OnProcessExit
from launch.substitutions import LaunchConfiguration, PathJoinSubstitution
from launch_ros.actions import Node
from launch_ros.parameter_descriptions import ParameterValue
from launch_ros.substitutions import FindPackageShare

from launch import LaunchDescription

ARGUMENTS = {
    "namespace": ("", "namespace of all nodes"),
    "params_file": (
        PathJoinSubstitution([FindPackageShare("biped_slip"), "config", "replay.yaml"]),
        "parameters of all nodes",
    ),
    "log_level": ("info", "debug, info, warn, error"),
    "recording": (None, "C3D, .mot, .sto, table (CSV or text, also .gz) or rosbag2"),
    "layout": ("", "YAML that names a table's columns or a bag's topics"),
    "mode": ("lockstep", "lockstep: every sample is answered before the next; real-time: nobody waits"),
    "rate": ("1.0", "share of real time; 0: as fast as possible"),
    "loop": ("false", "begin again at the end"),
    "publish_clock": ("false", "the recording's time on /clock"),
    "estimator": ("interval", "friction estimator: slip (feet only), thesis or interval"),
    "robot": ("false", "true: a bag of a whole robot's sensors, through its model; false: feet with their own motion"),
    "discovery_range": ("LOCALHOST", "who may listen: LOCALHOST or SUBNET"),
}
ANSWERS = [f"joint_states=friction_estimator/{foot}_foot/friction" for foot in "lr"]
SENSORS = ["joint_states", "imu/data", "odom", "l_foot/wrench", "r_foot/wrench"]


def text(name):
    return ParameterValue(LaunchConfiguration(name), value_type=str)


def typed(name, kind):
    return ParameterValue(LaunchConfiguration(name), value_type=kind)


def node(executable, condition=None, **parameters):
    return Node(
        package="biped_slip",
        executable=executable,
        name=executable,
        namespace=LaunchConfiguration("namespace"),
        parameters=[LaunchConfiguration("params_file"), parameters],
        arguments=["--ros-args", "--log-level", LaunchConfiguration("log_level")],
        output="screen",
        condition=condition,
    )


def generate_launch_description():
    robot, feet = IfCondition(LaunchConfiguration("robot")), UnlessCondition(LaunchConfiguration("robot"))
    played = {
        "recording": text("recording"),
        "layout": text("layout"),
        "mode": text("mode"),
        "rate": typed("rate", float),
        "loop": typed("loop", bool),
        "publish_clock": typed("publish_clock", bool),
    }
    players = [
        node("recording_player", feet, **played),
        node("recording_player", robot, **played, topics=SENSORS, wait_for=ANSWERS),
    ]
    ended = [Shutdown(reason="the recording has ended")]
    return LaunchDescription(
        [
            *(
                DeclareLaunchArgument(name, default_value=default, description=words)
                for name, (default, words) in ARGUMENTS.items()
            ),
            SetEnvironmentVariable("ROS_AUTOMATIC_DISCOVERY_RANGE", LaunchConfiguration("discovery_range")),
            node(
                "foot_estimator",
                feet,
                recording=text("recording"),
                layout=text("layout"),
                estimator=text("estimator"),
            ),
            node("friction_estimator", robot, estimator=text("estimator"), mode=text("mode")),
            *players,
            *(RegisterEventHandler(OnProcessExit(target_action=player, on_exit=ended)) for player in players),
        ]
    )

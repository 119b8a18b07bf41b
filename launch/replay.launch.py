# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""A recording of feet on a floor plays into the friction estimator, sample by sample, over ROS topics."""

from launch.actions import DeclareLaunchArgument, RegisterEventHandler, SetEnvironmentVariable, Shutdown
from launch.event_handlers import OnProcessExit
from launch.substitutions import FileContent, LaunchConfiguration, PathJoinSubstitution
from launch_ros.actions import Node
from launch_ros.parameter_descriptions import ParameterValue
from launch_ros.substitutions import FindPackageShare

from launch import LaunchDescription


def shipped(*path):
    return PathJoinSubstitution([FindPackageShare("biped_slip"), *path])


ARGUMENTS = {
    "namespace": ("", "namespace of both nodes"),
    "params_file": (shipped("config", "replay.yaml"), "parameters of both nodes"),
    "log_level": ("info", "debug, info, warn, error"),
    "recording": (None, "table of force and motion (CSV or text, also .gz)"),
    "layout": (
        shipped("config", "recordings", "friction_models.yaml"),
        "YAML that names its columns, units, signs and rate",
    ),
    "speed": ("1.0", "share of real time"),
    "body_weight": ("0.0", "[N] that counts as a full load of the recorded feet; 0: 3 kg"),
    "estimator": ("interval", "friction estimator: thesis or interval"),
    "discovery_range": ("LOCALHOST", "who may listen: LOCALHOST or SUBNET"),
}


def text(name):
    return ParameterValue(LaunchConfiguration(name), value_type=str)


def node(executable, **parameters):
    return Node(
        package="biped_slip",
        executable=executable,
        name=executable,
        namespace=LaunchConfiguration("namespace"),
        parameters=[LaunchConfiguration("params_file"), parameters],
        arguments=["--ros-args", "--log-level", LaunchConfiguration("log_level")],
        output="screen",
    )


def generate_launch_description():
    speed = ParameterValue(LaunchConfiguration("speed"), value_type=float)
    weight = ParameterValue(LaunchConfiguration("body_weight"), value_type=float)
    urdf = ParameterValue(FileContent(shipped("urdf", "foot_sled.urdf")), value_type=str)
    player = node("recording_player", recording=text("recording"), layout=text("layout"), speed=speed)
    return LaunchDescription(
        [
            *(
                DeclareLaunchArgument(name, default_value=default, description=words)
                for name, (default, words) in ARGUMENTS.items()
            ),
            SetEnvironmentVariable("ROS_AUTOMATIC_DISCOVERY_RANGE", LaunchConfiguration("discovery_range")),
            node("friction_estimator", robot_description=urdf, body_weight=weight, estimator=text("estimator")),
            player,
            RegisterEventHandler(
                OnProcessExit(target_action=player, on_exit=[Shutdown(reason="the recording has ended")])
            ),
        ]
    )

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The planar biped walks from one floor onto another: simulator, estimator and controller over ROS topics."""

from launch.actions import DeclareLaunchArgument, RegisterEventHandler, SetEnvironmentVariable, Shutdown
from launch.event_handlers import OnProcessExit
from launch.substitutions import LaunchConfiguration, PathJoinSubstitution
from launch_ros.actions import Node
from launch_ros.parameter_descriptions import ParameterValue
from launch_ros.substitutions import FindPackageShare

from launch import LaunchDescription

ARGUMENTS = {
    "namespace": ("", "namespace of the three nodes"),
    "use_sim_time": ("false", "time of logs from /clock, which the simulator then publishes"),
    "params_file": (
        PathJoinSubstitution([FindPackageShare("biped_slip"), "config", "walk.yaml"]),
        "parameters of the three nodes",
    ),
    "autostart": ("true", "configure and activate at once"),
    "log_level": ("info", "debug, info, warn, error"),
    "mode": ("lockstep", "lockstep: one command per tick; real-time: 1 kHz on the steady clock"),
    "scenario": ("thesis", "name of a shipped scenario, or a .yaml file"),
    "limit": ("interval", "slip prevention: none, constant:RATIO, oracle, thesis or interval"),
    "seed": ("-1", "perturbs start and floor and draws the noise; -1: nominal"),
    "result_file": ("", "summary of the walk as JSON"),
    "discovery_range": ("LOCALHOST", "who may listen: LOCALHOST or SUBNET"),
}


def text(name):
    return ParameterValue(LaunchConfiguration(name), value_type=str)


def node(executable, **parameters):
    shared = {
        "use_sim_time": ParameterValue(LaunchConfiguration("use_sim_time"), value_type=bool),
        "autostart": ParameterValue(LaunchConfiguration("autostart"), value_type=bool),
        "seed": ParameterValue(LaunchConfiguration("seed"), value_type=int),
        "mode": text("mode"),
        "scenario": text("scenario"),
    }
    return Node(
        package="biped_slip",
        executable=executable,
        name=executable,
        namespace=LaunchConfiguration("namespace"),
        parameters=[LaunchConfiguration("params_file"), {**shared, **parameters}],
        arguments=["--ros-args", "--log-level", LaunchConfiguration("log_level")],
        output="screen",
    )


def generate_launch_description():
    clock = ParameterValue(LaunchConfiguration("use_sim_time"), value_type=bool)
    simulator = node("contact_simulator", publish_clock=clock, result_file=text("result_file"))
    return LaunchDescription(
        [
            *(
                DeclareLaunchArgument(name, default_value=default, description=words)
                for name, (default, words) in ARGUMENTS.items()
            ),
            SetEnvironmentVariable("ROS_AUTOMATIC_DISCOVERY_RANGE", LaunchConfiguration("discovery_range")),
            node("friction_estimator", estimator=text("limit")),
            node("walking_controller", limit=text("limit")),
            simulator,
            RegisterEventHandler(
                OnProcessExit(target_action=simulator, on_exit=[Shutdown(reason="the walk has ended")])
            ),
        ]
    )

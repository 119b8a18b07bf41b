# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""What the launch files share: arguments by table, this package's nodes and files, discovery on this machine alone."""

from __future__ import annotations

from typing import Any, Mapping, Sequence

from launch.actions import DeclareLaunchArgument, SetEnvironmentVariable
from launch.condition import Condition
from launch.substitutions import Command, FindExecutable, LaunchConfiguration, PathJoinSubstitution, PythonExpression
from launch_ros.actions import Node
from launch_ros.parameter_descriptions import ParameterValue
from launch_ros.substitutions import FindPackageShare

#: Arguments of every launch file: name, default, description.
COMMON = {
    "namespace": ("", "namespace of all nodes"),
    "log_level": ("info", "debug, info, warn, error"),
    "discovery_range": ("LOCALHOST", "who may listen: LOCALHOST or SUBNET"),
}


def shipped(*path: str) -> PathJoinSubstitution:
    """A file of this package's share folder."""
    return PathJoinSubstitution([FindPackageShare("biped_slip"), *path])


def beginning(arguments: Mapping[str, tuple[Any, str]]) -> list[Any]:
    """Declarations of the arguments and the common ones, then the range of discovery."""
    declared = [
        DeclareLaunchArgument(name, default_value=default, description=words)
        for name, (default, words) in {**arguments, **COMMON}.items()
    ]
    return [*declared, SetEnvironmentVariable("ROS_AUTOMATIC_DISCOVERY_RANGE", LaunchConfiguration("discovery_range"))]


def typed(name: str, kind: type[Any] = str) -> ParameterValue:
    """An argument as a parameter of a type."""
    return ParameterValue(LaunchConfiguration(name), value_type=kind)


def estimator_behind(limit: str) -> ParameterValue:
    """The estimator that a policy for slip wants, by the name of the policy's argument."""
    name = LaunchConfiguration(limit)
    chosen = PythonExpression(["'", name, "' if '", name, "' in ('interval', 'thesis') else 'interval'"])
    return ParameterValue(chosen, value_type=str)


def own_node(
    executable: str,
    parameters: Mapping[str, Any],
    *,
    condition: Condition | None = None,
    remappings: Sequence[tuple[str, str]] = (),
    options: Sequence[Any] = (),
) -> Node:
    """A node of this package: parameters of the file first, then these; options go before ``--ros-args``."""
    return Node(
        package="biped_slip",
        executable=executable,
        name=executable,
        namespace=LaunchConfiguration("namespace"),
        parameters=[LaunchConfiguration("params_file"), dict(parameters)],
        arguments=[
            *options,
            *("--ros-args", "--log-level", LaunchConfiguration("log_level")),
            *("--enclave", f"/biped_slip/{executable}"),  # means something only where SROS 2 is enabled
        ],
        remappings=list(remappings),
        output="screen",
        condition=condition,
    )


def xacro(path: Any, **arguments: Any) -> ParameterValue:
    """A robot description from a xacro file."""
    words: list[Any] = [FindExecutable(name="xacro"), " ", path]
    for name, value in arguments.items():
        words += [f" {name}:=", value]
    return ParameterValue(Command(words), value_type=str)


def spawner(*controllers: str) -> Node:
    """Loads and activates controllers of ros2_control."""
    return Node(
        package="controller_manager",
        executable="spawner",
        namespace=LaunchConfiguration("namespace"),
        arguments=[*controllers, "--controller-manager", "controller_manager"],
        output="screen",
    )

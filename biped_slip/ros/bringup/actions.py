# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""A launch file's plain data (``parts.py``) as actions of ROS 2's launch."""

from __future__ import annotations

from typing import Any

from launch import LaunchDescription
from launch.actions import (
    AppendEnvironmentVariable,
    DeclareLaunchArgument,
    IncludeLaunchDescription,
    OpaqueFunction,
    RegisterEventHandler,
    SetEnvironmentVariable,
    Shutdown,
)
from launch.event_handlers import OnProcessExit
from launch.launch_description_sources import PythonLaunchDescriptionSource
from launch.substitutions import PathJoinSubstitution
from launch_ros.actions import Node
from launch_ros.parameter_descriptions import ParameterValue
from launch_ros.substitutions import FindPackageShare

from biped_slip.ros.bringup.parts import (
    Argument,
    Included,
    LaunchedProgram,
    LaunchPlan,
    launch_file,
)


def launch_description(name: str) -> LaunchDescription:
    """Return the description of a launch file by its name."""
    file = launch_file(name)

    def started(context: Any) -> list[Any]:
        given = {key: context.launch_configurations[key] for key in file.arguments}
        return actions(file.plan(given))

    declared = [declaration(name, one) for name, one in file.arguments.items()]
    return LaunchDescription([*declared, OpaqueFunction(function=started)])


def declaration(name: str, argument: Argument) -> DeclareLaunchArgument:
    """Declare an argument."""
    return DeclareLaunchArgument(
        name,
        default_value=argument.default,
        description=argument.meaning,
        choices=list(argument.choices) or None,
    )


def actions(plan: LaunchPlan) -> list[Any]:
    """Return what starts a plan's programs, each after what it waits for."""
    nodes = [(program, node(program)) for program in plan.programs]
    named = {program.name: action for program, action in nodes}
    handlers: list[Any] = []
    for program, action in nodes:
        if program.after:
            handlers.append(behind(named[program.after], action))
        if program.ends_all:
            handlers.append(end_of_all(action, program.ends_all))
    return [
        *(SetEnvironmentVariable(*one) for one in plan.environment.items()),
        *(AppendEnvironmentVariable(*one) for one in plan.search_paths.items()),
        *(included(one) for one in plan.included),
        *handlers,
        *(action for program, action in nodes if not program.after),
    ]


def node(program: LaunchedProgram) -> Node:
    """Return the action that starts a program; texts stay texts."""
    parameters = {
        name: ParameterValue(value, value_type=str) if isinstance(value, str) else value
        for name, value in program.values().items()
    }
    words = ["--ros-args", *program.ros_options] if program.ros_options else []
    return Node(
        package=program.package,
        executable=program.executable,
        name=program.name or None,
        namespace=program.namespace,
        parameters=[*program.files, *([parameters] if parameters else [])],
        arguments=[*program.options, *words],
        remappings=list(program.remappings),
        output="screen",
    )


def included(one: Included) -> IncludeLaunchDescription:
    """Include the launch file of another package."""
    path = PathJoinSubstitution([FindPackageShare(one.package), "launch", one.file])
    return IncludeLaunchDescription(
        PythonLaunchDescriptionSource(path),
        launch_arguments=list(one.arguments.items()),
    )


def behind(waiter: Node, action: Node) -> RegisterEventHandler:
    """Start an action when what it waits for has ended well."""

    def when_ended(event: Any, context: Any) -> list[Any]:
        # nothing begins while all is ended
        ends = getattr(context, "is_shutdown", False)
        return [action] if event.returncode == 0 and not ends else []

    return RegisterEventHandler(OnProcessExit(target_action=waiter, on_exit=when_ended))


def end_of_all(action: Node, reason: str) -> RegisterEventHandler:
    """End everything with an action."""
    ended = [Shutdown(reason=reason)]
    return RegisterEventHandler(OnProcessExit(target_action=action, on_exit=ended))

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Parts of launch files.

They are arguments, this package's nodes and files, and discovery on this machine alone.
"""

from __future__ import annotations

from typing import Any, Mapping, Sequence

from launch.actions import (
    DeclareLaunchArgument,
    OpaqueFunction,
    RegisterEventHandler,
    SetEnvironmentVariable,
)
from launch.condition import Condition
from launch.conditions import IfCondition
from launch.event_handlers import OnProcessExit
from launch.substitutions import (
    Command,
    FindExecutable,
    LaunchConfiguration,
    PathJoinSubstitution,
    PythonExpression,
)
from launch_ros.actions import Node
from launch_ros.parameter_descriptions import ParameterValue
from launch_ros.substitutions import FindPackageShare

#: Arguments of every launch file: name, default, description.
COMMON = {
    "namespace": ("", "namespace of all nodes"),
    "log_level": ("info", "debug, info, warn, error"),
    "discovery_range": ("LOCALHOST", "who may listen: LOCALHOST or SUBNET"),
}

#: [Hz] of a control loop, by the argument ``period``.
LOOP_RATES = {"1 ms": 1000, "2 ms": 500, "4 ms": 250}
PERIOD_ARGUMENT = (
    "walk",
    "of control: the walk's, or auto: the shortest that this computer keeps up with",
    "walk",
    "auto",
    *LOOP_RATES,
)
PERIOD_BEHIND = ("1 ms", "of control, and of what is controlled", *LOOP_RATES)

#: FIFO priority of loops beside ros2_control, whose own loop has 50: torques must go
#: out while these compute.
REALTIME_PRIORITY = "45"

#: [s] for a manager to answer: Gazebo's stands still while a Python system compiles,
#: longer than the usual 5 s.
SWITCH_TIMEOUT = "60"


def shipped(*path: Any) -> PathJoinSubstitution:
    """Return a file of this package's share folder."""
    return PathJoinSubstitution([FindPackageShare("biped_slip"), *path])


def beginning(arguments: Mapping[str, Sequence[Any]]) -> list[Any]:
    """Declare arguments, the common ones, and the range of discovery.

    An argument is (default, description, choices if there are any).
    """
    declared = [
        DeclareLaunchArgument(
            name, default_value=default, description=words, choices=choices or None
        )
        for name, (default, words, *choices) in {**arguments, **COMMON}.items()
    ]
    return [
        *declared,
        SetEnvironmentVariable(
            "ROS_AUTOMATIC_DISCOVERY_RANGE", LaunchConfiguration("discovery_range")
        ),
    ]


def equal(argument: str, value: str) -> IfCondition:
    """Return the condition that an argument has a value."""
    return IfCondition(
        PythonExpression(["'", LaunchConfiguration(argument), f"' == '{value}'"])
    )


def typed(name: str, kind: type[Any] = str) -> ParameterValue:
    """Convert an argument to a parameter of a type."""
    return ParameterValue(LaunchConfiguration(name), value_type=kind)


def estimator_behind(limit: str) -> ParameterValue:
    """Return the estimator of a slip policy, by the name of the policy's argument."""
    name = LaunchConfiguration(limit)
    chosen = PythonExpression(
        ["'", name, "' if '", name, "' in ('interval', 'thesis') else 'interval'"]
    )
    return ParameterValue(chosen, value_type=str)


def own_node(
    executable: str,
    parameters: Mapping[str, Any],
    *,
    condition: Condition | None = None,
    remappings: Sequence[tuple[str, Any]] = (),
    options: Sequence[Any] = (),
) -> Node:
    """Start a node of this package.

    Parameters of the file come first, then these; options go before ``--ros-args``.
    """
    return Node(
        package="biped_slip",
        executable=executable,
        name=executable,
        namespace=LaunchConfiguration("namespace"),
        parameters=[LaunchConfiguration("params_file"), dict(parameters)],
        arguments=[
            *options,
            *("--ros-args", "--log-level", LaunchConfiguration("log_level")),
            # means something only where SROS 2 is enabled
            *(
                "--enclave",
                f"/biped_slip/{executable}",
            ),
        ],
        remappings=list(remappings),
        output="screen",
        condition=condition,
    )


def xacro(path: Any, **arguments: Any) -> ParameterValue:
    """Convert a xacro file to a robot description."""
    words: list[Any] = [FindExecutable(name="xacro"), " ", path]
    for name, value in arguments.items():
        words += [f" {name}:=", value]
    return ParameterValue(Command(words), value_type=str)


def xacro_text(path: str, **arguments: str) -> str:
    """Return the text of a robot description from a xacro file.

    Arguments may have blanks.
    """
    import xacro

    return str(xacro.process_file(path, mappings=arguments).toxml())


def after_active(
    name: str, *actions: Any, heard: Any = 0.0, condition: Condition | None = None
) -> list[Any]:
    """Run actions once a lifecycle node of this package is active.

    It does not matter in which order things have been started.

    With ``heard``, not before its sensors have sent for that many seconds of their
    stamps.
    """
    waiter = Node(
        package="biped_slip",
        executable="wait_for_active",
        name=f"wait_for_{name}",
        namespace=LaunchConfiguration("namespace"),
        parameters=[{"node": name, "heard": heard}],
        condition=condition,
    )

    def when_ended(event: Any, context: Any) -> list[Any]:
        # nothing begins while all is ended
        ends = getattr(context, "is_shutdown", False)
        return list(actions) if event.returncode == 0 and not ends else []

    return [
        RegisterEventHandler(OnProcessExit(target_action=waiter, on_exit=when_ended)),
        waiter,
    ]


def spawner(*controllers: str, condition: Condition | None = None) -> Node:
    """Load controllers of ros2_control and activate them together."""
    return Node(
        package="controller_manager",
        executable="spawner",
        namespace=LaunchConfiguration("namespace"),
        arguments=[
            *(
                *controllers,
                "--activate-as-group",
                "--controller-manager",
                "controller_manager",
            ),
            *("--switch-timeout", SWITCH_TIMEOUT),
        ],
        output="screen",
        condition=condition,
    )


def robot_state_publisher(
    description: Any, *parameters: Mapping[str, Any], condition: Condition | None = None
) -> Node:
    """Publish TF of the robot's links from ``joint_states``."""
    return Node(
        package="robot_state_publisher",
        executable="robot_state_publisher",
        namespace=LaunchConfiguration("namespace"),
        parameters=[{"robot_description": description}, *parameters],
        condition=condition,
    )


def shown_robot(condition: Condition | None = None) -> list[Any]:
    """Publish TF of base and links of the robot in the argument ``robot``.

    By default it is the planar biped.
    """

    def chosen(context: Any) -> list[Node]:
        name = context.launch_configurations.get("robot", "")
        return [
            robot_state_publisher(ParameterValue(description_of(name), value_type=str))
        ]

    return [
        own_node("odom_transform", {}, condition=condition),
        OpaqueFunction(function=chosen, condition=condition),
    ]


def description_of(walk: str) -> str:
    """Return the URDF of the robot of a humanoid's walk.

    Without a walk, return that of the planar biped.
    """
    if not walk:
        from biped_slip.robots.planar_biped import planar_biped

        return planar_biped().urdf
    from biped_slip.robots.humanoid import load_humanoid
    from biped_slip.walking.humanoid import chosen_walking

    return load_humanoid(chosen_walking(walk).robot).robot.urdf

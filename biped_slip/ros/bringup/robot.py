# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""A robot behind ros2_control.

With it come its controllers, odometry, friction, and the walking controller when asked.
"""

from __future__ import annotations

from typing import Any

from biped_slip.ros.bringup.parts import (
    AUTOSTART_ARGUMENT,
    LOOP_RATES,
    MARKERS_ARGUMENT,
    PERIOD_BEHIND,
    REALTIME_PRIORITY,
    STEERED_ARGUMENT,
    Argument,
    Given,
    LaunchedProgram,
    LaunchFile,
    LaunchPlan,
    after_active,
    markers,
    odom_transform,
    own_node,
    realtime,
    robot_state_publisher,
    shipped,
    spawner,
    truth,
    xacro_text,
)

ONLY_JOINTS = "topic"  # hardware whose joints are on topics
ESTIMATED_ODOMETRY = "estimated"
ROBOT_ARGUMENTS = {
    "markers": MARKERS_ARGUMENT,
    "params_file": Argument(
        shipped("config", "walk.yaml"), "parameters of estimator and controller"
    ),
    "autostart": AUTOSTART_ARGUMENT,
    "description_file": Argument(
        shipped("urdf", "planar_biped.urdf.xacro"),
        "xacro or URDF with <ros2_control> tags",
    ),
    "hardware": Argument(
        "mock",
        "mock; the hardware plugin of the robot as PACKAGE/CLASS; or topic: joints on "
        "hardware/joint_states and hardware/joint_commands, the other sensors on their "
        "own topics",
    ),
    "controllers_file": Argument(
        shipped("config", "ros2_control.yaml"), "controllers and broadcasters"
    ),
    "estimator": Argument(
        "touchdown", "friction estimator: touchdown, interval or thesis"
    ),
    "odom": Argument(
        ESTIMATED_ODOMETRY,
        "estimated: base_estimator makes it from IMU, joints and wrenches; given: the "
        "robot does",
    ),
    "period": PERIOD_BEHIND,
    "walk": Argument(
        "false",
        "true: the walking controller, too, and with it the controller of joint "
        "efforts",
    ),
    "steered": STEERED_ARGUMENT,
    "limit": Argument(
        "touchdown",
        "slip prevention of the walk: none, constant:RATIO, thesis, interval or "
        "touchdown",
    ),
    "realtime_priority": Argument(
        REALTIME_PRIORITY,
        "FIFO priority of the loops, below the manager's 50; without the rights for "
        "it a note is logged",
    ),
}
BROADCAST_SENSORS = (
    ("imu/data", "imu_sensor_broadcaster/imu"),
    ("l_foot/wrench", "l_foot_fts_broadcaster/wrench"),
    ("r_foot/wrench", "r_foot_fts_broadcaster/wrench"),
)
BROADCASTERS = (
    "joint_state_broadcaster",
    "imu_sensor_broadcaster",
    "l_foot_fts_broadcaster",
    "r_foot_fts_broadcaster",
)


def start(given: Given) -> LaunchPlan:
    """Return what runs beside a robot's controller manager, and the manager."""
    description = xacro_text(given["description_file"], hardware=given["hardware"])
    shared = {"autostart": truth(given, "autostart"), "mode": "real-time"}
    ours = loop_options(given)
    # estimated odometry believes that a loaded foot stays: a landing foot is measured
    # against the other one
    source = "both_feet" if given["odom"] == ESTIMATED_ODOMETRY else "odometry"
    settings = {**shared, "motion.source": source}
    estimator = {**settings, "estimator": given["estimator"]}
    programs = [
        *markers(given),
        robot_state_publisher(description, given),
        odom_transform(given),
        manager(given, description),
        broadcasters(given),
        own_node("friction_estimator", estimator, given, **ours),
    ]
    if given["odom"] == ESTIMATED_ODOMETRY:
        programs.append(own_node("base_estimator", shared, given, **ours))
    if truth(given, "walk"):
        walking = {
            **settings,
            "limit": given["limit"],
            "steered": truth(given, "steered"),
            "period": given["period"],
        }
        programs.append(own_node("walking_controller", walking, given, **ours))
        # a controller without commands leaves the joints limp
        efforts = spawner(given, "effort_controller")
        programs += after_active("walking_controller", efforts, given)
    return LaunchPlan(programs)


def loop_options(given: Given) -> dict[str, Any]:
    """Return where loops find their sensors, and their priority.

    Sensors are a broadcaster's; on their own topics where only joints are behind
    ros2_control.
    """
    renamed = () if given["hardware"] == ONLY_JOINTS else BROADCAST_SENSORS
    return {"remappings": renamed, "options": realtime(given)}


def manager(given: Given, description: str) -> LaunchedProgram:
    """Return ros2_control's manager, whose period is the controller's."""
    return LaunchedProgram(
        package="controller_manager",
        executable="ros2_control_node",
        namespace=given["namespace"],
        files=(given["controllers_file"],),
        parameters={
            "robot_description": description,
            "update_rate": LOOP_RATES[given["period"]],
        },
    )


def broadcasters(given: Given) -> LaunchedProgram:
    """Return what starts the broadcasters of the sensors behind ros2_control."""
    only_joints = given["hardware"] == ONLY_JOINTS
    return spawner(given, *(BROADCASTERS[:1] if only_joints else BROADCASTERS))


ROBOT_LAUNCH = LaunchFile(
    meaning="a robot behind ros2_control; walk:=true walks it",
    own_arguments=ROBOT_ARGUMENTS,
    start=start,
)

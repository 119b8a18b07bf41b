# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""A robot behind ros2_control: its controllers, the friction estimator, and the walking controller when asked."""

from launch.conditions import IfCondition
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node

from biped_slip.ros.parameters.launch_parts import beginning, own_node, shipped, spawner, typed, xacro
from launch import LaunchDescription

ARGUMENTS = {
    "markers": ("false", "true: forces, friction cones and footsteps for RViz and Foxglove"),
    "params_file": (shipped("config", "walk.yaml"), "parameters of estimator and controller"),
    "autostart": ("true", "configure and activate at once"),
    "description_file": (shipped("urdf", "planar_biped.urdf.xacro"), "xacro or URDF with <ros2_control> tags"),
    "hardware": ("mock", "mock, topic, or the hardware plugin of the robot as PACKAGE/CLASS"),
    "controllers_file": (shipped("config", "ros2_control.yaml"), "controllers and broadcasters"),
    "estimator": ("interval", "friction estimator: thesis or interval"),
    "walk": ("false", "true: the walking controller, too; it sends joint efforts"),
    "limit": ("interval", "slip prevention of the walk: none, constant:RATIO, thesis or interval"),
    "realtime_priority": ("60", "FIFO priority of the loops; without the rights for it a note is logged"),
}
SENSORS = [
    ("imu/data", "imu_sensor_broadcaster/imu"),
    ("l_foot/wrench", "l_foot_fts_broadcaster/wrench"),
    ("r_foot/wrench", "r_foot_fts_broadcaster/wrench"),
]
BROADCASTERS = (
    "joint_state_broadcaster",
    "imu_sensor_broadcaster",
    "l_foot_fts_broadcaster",
    "r_foot_fts_broadcaster",
)


def generate_launch_description():
    namespace, walk = LaunchConfiguration("namespace"), IfCondition(LaunchConfiguration("walk"))
    description = {
        "robot_description": xacro(LaunchConfiguration("description_file"), hardware=LaunchConfiguration("hardware"))
    }
    shared = {"autostart": typed("autostart", bool), "mode": "real-time"}
    ours = {"remappings": SENSORS, "options": ["--realtime-priority", LaunchConfiguration("realtime_priority")]}
    return LaunchDescription(
        [
            *beginning(ARGUMENTS),
            own_node("friction_markers", {}, condition=IfCondition(LaunchConfiguration("markers"))),
            Node(
                package="robot_state_publisher",
                executable="robot_state_publisher",
                namespace=namespace,
                parameters=[description],
            ),
            Node(
                package="controller_manager",
                executable="ros2_control_node",
                namespace=namespace,
                parameters=[description, LaunchConfiguration("controllers_file")],
                output="screen",
            ),
            spawner(*BROADCASTERS, "effort_controller"),
            own_node("friction_estimator", {**shared, "estimator": typed("estimator")}, **ours),
            own_node("walking_controller", {**shared, "limit": typed("limit")}, condition=walk, **ours),
        ]
    )

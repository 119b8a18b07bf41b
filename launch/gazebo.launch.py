# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The planar biped in Gazebo (Harmonic or Jetty) through gz_ros2_control; untested on Gazebo, see docs/robots.md."""

from launch.actions import IncludeLaunchDescription
from launch.conditions import IfCondition
from launch.launch_description_sources import PythonLaunchDescriptionSource
from launch.substitutions import LaunchConfiguration, PathJoinSubstitution
from launch_ros.actions import Node
from launch_ros.substitutions import FindPackageShare

from biped_slip.ros.parameters.launch_parts import beginning, own_node, shipped, spawner, typed, xacro
from launch import LaunchDescription

ARGUMENTS = {
    "markers": ("false", "true: forces, friction cones and footsteps for RViz and Foxglove"),
    "use_sim_time": ("true", "time from Gazebo's /clock"),
    "params_file": (shipped("config", "walk.yaml"), "parameters of estimator and controller"),
    "autostart": ("true", "configure and activate at once"),
    "world": (shipped("worlds", "friction_patches.sdf"), "SDF world"),
    "gz_args": ("-r", "options of gz sim before the world; -s -r: without a window"),
    "controllers_file": (shipped("config", "ros2_control.yaml"), "controllers, read by Gazebo's plugin"),
    "estimator": ("interval", "friction estimator: thesis or interval"),
    "walk": ("true", "true: the walking controller, too"),
    "limit": ("interval", "slip prevention of the walk: none, constant:RATIO, thesis or interval"),
}


def bridge(name, file):
    return Node(
        package="ros_gz_bridge",
        executable="parameter_bridge",
        name=name,
        namespace=LaunchConfiguration("namespace"),
        parameters=[{"config_file": shipped("config", "gazebo", file)}],
        output="screen",
    )


def generate_launch_description():
    namespace, clock = LaunchConfiguration("namespace"), {"use_sim_time": typed("use_sim_time", bool)}
    description = xacro(
        shipped("urdf", "planar_biped.urdf.xacro"), hardware="gz", controllers=LaunchConfiguration("controllers_file")
    )
    simulator = PathJoinSubstitution([FindPackageShare("ros_gz_sim"), "launch", "gz_sim.launch.py"])
    shared = {**clock, "autostart": typed("autostart", bool), "mode": "real-time"}
    walk = IfCondition(LaunchConfiguration("walk"))
    return LaunchDescription(
        [
            *beginning(ARGUMENTS),
            own_node("friction_markers", clock, condition=IfCondition(LaunchConfiguration("markers"))),
            IncludeLaunchDescription(
                PythonLaunchDescriptionSource(simulator),
                launch_arguments=[("gz_args", [LaunchConfiguration("gz_args"), " ", LaunchConfiguration("world")])],
            ),
            Node(
                package="robot_state_publisher",
                executable="robot_state_publisher",
                namespace=namespace,
                parameters=[{"robot_description": description, **clock}],
            ),
            Node(
                package="ros_gz_sim",
                executable="create",
                namespace=namespace,
                arguments=["-topic", "robot_description", "-name", "planar_biped"],
                output="screen",
            ),
            bridge("clock_bridge", "clock_bridge.yaml"),
            bridge("sensor_bridge", "bridge.yaml"),
            spawner("joint_state_broadcaster", "effort_controller"),
            own_node("friction_estimator", {**shared, "estimator": typed("estimator")}),
            own_node("walking_controller", {**shared, "limit": typed("limit")}, condition=walk),
        ]
    )

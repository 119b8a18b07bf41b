# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The planar biped in Gazebo (Harmonic or Jetty) through gz_ros2_control: held until the controller is there."""

from launch.actions import IncludeLaunchDescription, SetEnvironmentVariable
from launch.conditions import IfCondition
from launch.launch_description_sources import PythonLaunchDescriptionSource
from launch.substitutions import LaunchConfiguration, PathJoinSubstitution
from launch_ros.actions import Node
from launch_ros.substitutions import FindPackageShare

from biped_slip.ros.parameters.launch_parts import (
    after_active,
    beginning,
    equal,
    own_node,
    robot_state_publisher,
    shipped,
    spawner,
    typed,
    xacro,
)
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
    "walk": ("true", "true: the walking controller, too; false: the robot is held where it stands"),
    "limit": ("interval", "slip prevention of the walk: none, constant:RATIO, thesis or interval"),
}
START_HEIGHT = "0.701"  # [m] of the base: legs as the description starts them, the feet's balls of 1 mm on the floor


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
        shipped("urdf", "planar_biped.urdf.xacro"),
        hardware="gz",
        controllers=LaunchConfiguration("controllers_file"),
        namespace=namespace,
    )
    simulator = PathJoinSubstitution([FindPackageShare("ros_gz_sim"), "launch", "gz_sim.launch.py"])
    shared = {**clock, "autostart": typed("autostart", bool), "mode": "real-time"}
    walk = IfCondition(LaunchConfiguration("walk"))
    walker = own_node("walking_controller", {**shared, "limit": typed("limit")}, condition=walk)
    return LaunchDescription(
        [
            *beginning(ARGUMENTS),
            SetEnvironmentVariable("GZ_IP", "127.0.0.1", condition=equal("discovery_range", "LOCALHOST")),
            own_node("friction_markers", clock, condition=IfCondition(LaunchConfiguration("markers"))),
            IncludeLaunchDescription(
                PythonLaunchDescriptionSource(simulator),
                launch_arguments=[("gz_args", [LaunchConfiguration("gz_args"), " ", LaunchConfiguration("world")])],
            ),
            robot_state_publisher(description, clock),
            Node(
                package="ros_gz_sim",
                executable="create",
                namespace=namespace,
                arguments=["-topic", "robot_description", "-name", "planar_biped", "-z", START_HEIGHT],
                output="screen",
            ),
            bridge("clock_bridge", "clock_bridge.yaml"),
            bridge("sensor_bridge", "bridge.yaml"),
            spawner("joint_state_broadcaster"),
            own_node("friction_estimator", {**shared, "estimator": typed("estimator")}),
            walker,
            *after_active(
                "walking_controller", spawner("effort_controller"), condition=walk
            ),  # until then Gazebo's plugin holds the joints
        ]
    )

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""A robot behind ros2_control.

With it come its controllers, odometry, friction, and the walking controller when asked.
"""

from launch.conditions import IfCondition, UnlessCondition
from launch.substitutions import LaunchConfiguration, PythonExpression
from launch_ros.actions import Node
from launch_ros.parameter_descriptions import ParameterValue

from biped_slip.ros.launch_parts import (
    LOOP_RATES,
    PERIOD_BEHIND,
    REALTIME_PRIORITY,
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
    "markers": (
        "false",
        "true: forces, friction cones and footsteps for RViz and Foxglove",
    ),
    "params_file": (
        shipped("config", "walk.yaml"),
        "parameters of estimator and controller",
    ),
    "autostart": ("true", "configure and activate at once"),
    "description_file": (
        shipped("urdf", "planar_biped.urdf.xacro"),
        "xacro or URDF with <ros2_control> tags",
    ),
    "hardware": (
        "mock",
        "mock; the hardware plugin of the robot as PACKAGE/CLASS; or topic: joints on "
        "hardware/joint_states and "
        "hardware/joint_commands, the other sensors on their own topics",
    ),
    "controllers_file": (
        shipped("config", "ros2_control.yaml"),
        "controllers and broadcasters",
    ),
    "estimator": ("touchdown", "friction estimator: touchdown, interval or thesis"),
    "odom": (
        "estimated",
        "estimated: base_estimator makes it from IMU, joints and wrenches; given: the "
        "robot does",
    ),
    "period": PERIOD_BEHIND,
    "walk": (
        "false",
        "true: the walking controller, too, and with it the controller of joint "
        "efforts",
    ),
    "steered": ("false", "true: the robot stands until it hears cmd_vel"),
    "limit": (
        "touchdown",
        "slip prevention of the walk: none, constant:RATIO, thesis, interval or "
        "touchdown",
    ),
    "realtime_priority": (
        REALTIME_PRIORITY,
        "FIFO priority of the loops, below the manager's 50; without the rights for "
        "it a note is logged",
    ),
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


def sensor_topic(name, broadcaster):
    """Topic of a sensor: a broadcaster's or its own.

    It is its own where only joints are behind ros2_control.
    """
    return PythonExpression(
        [
            "'",
            name,
            "' if '",
            LaunchConfiguration("hardware"),
            f"' == 'topic' else '{broadcaster}'",
        ]
    )


def generate_launch_description():
    namespace = LaunchConfiguration("namespace")
    walk = IfCondition(LaunchConfiguration("walk"))
    description = xacro(
        LaunchConfiguration("description_file"),
        hardware=LaunchConfiguration("hardware"),
    )
    rate = PythonExpression([f"{LOOP_RATES}['", LaunchConfiguration("period"), "']"])
    shared = {"autostart": typed("autostart", bool), "mode": "real-time"}
    topic = PythonExpression(["'", LaunchConfiguration("hardware"), "' == 'topic'"])
    sensors = [(name, sensor_topic(name, broadcaster)) for name, broadcaster in SENSORS]
    ours = {
        "remappings": sensors,
        "options": ["--realtime-priority", LaunchConfiguration("realtime_priority")],
    }
    # estimated odometry believes that a loaded foot stays: a landing foot is measured
    # against the other one
    source = PythonExpression(
        [
            "'both_feet' if '",
            LaunchConfiguration("odom"),
            "' == 'estimated' else 'odometry'",
        ]
    )
    settings = {**shared, "motion.source": ParameterValue(source, value_type=str)}
    walking = {
        **settings,
        "limit": typed("limit"),
        "steered": typed("steered", bool),
        "period": typed("period"),
    }
    walker = own_node("walking_controller", walking, condition=walk, **ours)
    return LaunchDescription(
        [
            *beginning(ARGUMENTS),
            own_node(
                "friction_markers",
                {},
                condition=IfCondition(LaunchConfiguration("markers")),
            ),
            robot_state_publisher(description),
            own_node("odom_transform", {}),
            own_node(
                "base_estimator", shared, condition=equal("odom", "estimated"), **ours
            ),
            Node(
                package="controller_manager",
                executable="ros2_control_node",
                namespace=namespace,
                parameters=[
                    {"robot_description": description},
                    LaunchConfiguration("controllers_file"),
                    {"update_rate": ParameterValue(rate, value_type=int)},
                ],
                output="screen",
            ),
            spawner(*BROADCASTERS, condition=UnlessCondition(topic)),
            spawner(BROADCASTERS[0], condition=IfCondition(topic)),
            own_node(
                "friction_estimator",
                {**settings, "estimator": typed("estimator")},
                **ours,
            ),
            walker,
            # a controller without commands leaves the joints limp
            *after_active(
                "walking_controller", spawner("effort_controller"), condition=walk
            ),
        ]
    )

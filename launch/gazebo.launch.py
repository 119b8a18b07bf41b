# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""A robot in Gazebo (Harmonic or Jetty) through gz_ros2_control.

It is held until its controller is there.

The planar biped by default; ``robot:=talos`` a humanoid. A second robot joins with
``server:=false namespace:=two``.
"""

import re
from pathlib import Path
from tempfile import mkdtemp

import yaml
from launch.actions import (
    AppendEnvironmentVariable,
    IncludeLaunchDescription,
    OpaqueFunction,
    SetEnvironmentVariable,
    SetLaunchConfiguration,
)
from launch.conditions import IfCondition
from launch.launch_description_sources import PythonLaunchDescriptionSource
from launch.substitutions import LaunchConfiguration, PathJoinSubstitution
from launch_ros.actions import Node
from launch_ros.substitutions import FindPackageShare

from biped_slip.ros.launch_parts import (
    LOOP_RATES,
    REALTIME_PRIORITY,
    after_active,
    beginning,
    equal,
    own_node,
    robot_state_publisher,
    shipped,
    spawner,
    typed,
    xacro_text,
)
from launch import LaunchDescription

ARGUMENTS = {
    "markers": (
        "false",
        "true: forces, friction cones and footsteps for RViz and Foxglove",
    ),
    "use_sim_time": ("true", "time from Gazebo's /clock"),
    "params_file": (
        shipped("config", "walk.yaml"),
        "parameters of estimator and controller",
    ),
    "autostart": ("true", "configure and activate at once"),
    "server": ("true", "start Gazebo; false: the robot joins the one that runs"),
    "world": (shipped("worlds", "friction_patches.sdf"), "SDF world"),
    "gz_args": ("-r", "options of gz sim before the world; -s -r: without a window"),
    "robot": (
        "",
        "a humanoid's walk, shipped (talos, g1, ...) or a .yaml file; empty: the "
        "planar biped",
    ),
    "controllers_file": (
        shipped("config", "ros2_control.yaml"),
        "planar biped: controllers, read by Gazebo's plugin",
    ),
    "x": ("0.0", "where the robot starts [m]"),
    "y": ("0.0", "where the robot starts [m]"),
    "z": ("", "height of its base at the start [m]; empty: its feet touch the floor"),
    "posture": (
        "-1.4856 1.0701 -2.7261 1.0701",
        "planar biped: joints at the start [rad]",
    ),
    "contact": (
        "gazebo",
        "planar biped: gazebo, or own: this package's contact law under its feet",
    ),
    "floor": ("1.0 2.25 0.4", "of the own contact: MU [X MU ...] along x"),
    "estimator": ("touchdown", "friction estimator: touchdown, interval or thesis"),
    "period": ("1 ms", "of control and of Gazebo's steps", *LOOP_RATES),
    "walk": (
        "true",
        "true: the walking controller, too; false: the robot is held where it stands",
    ),
    "steered": ("false", "true: the robot stands until it hears cmd_vel"),
    "limit": (
        "touchdown",
        "slip prevention of the walk: none, constant:RATIO, thesis, interval or "
        "touchdown",
    ),
    "realtime_priority": (
        REALTIME_PRIORITY,
        "FIFO priority of the controller, for which Gazebo does not wait; without the "
        "rights for it a note is logged",
    ),
}
STANDING = (
    "0.4"  # [s] that a humanoid is held until its controller knows how the base stands
)
# [m] of the base: legs as the description starts them, the feet's balls of 1 mm on the
# floor
START_HEIGHT = "0.701"


def bridge(name, file, **options):
    return Node(
        package="ros_gz_bridge",
        executable="parameter_bridge",
        name=name,
        namespace=LaunchConfiguration("namespace"),
        parameters=[
            {
                "config_file": file,
                "expand_gz_topic_names": True,
            }
        ],
        output="screen",
        **options,
    )


def paced_manager(file, rate, folder):
    """Write the settings of a controller manager with another rate [Hz]."""
    said = yaml.safe_load(Path(file).read_text(encoding="utf-8"))
    said["/**/controller_manager"]["ros__parameters"]["update_rate"] = rate
    changed = folder / "manager.yaml"
    changed.write_text(yaml.safe_dump(said), encoding="utf-8")
    return str(changed)


def stepped_world(file, rate, folder):
    """Write a world whose physics has so many steps a second.

    Return the given one where it has them, or is known to Gazebo alone.
    """
    path = Path(file)
    text = path.read_text(encoding="utf-8") if path.is_file() else ""
    stepped = re.sub(r"(<max_step_size>)[^<]*", rf"\g<1>{1.0 / rate:g}", text)
    if stepped == text:
        return file
    changed = folder / path.name
    changed.write_text(stepped, encoding="utf-8")
    return str(changed)


def chosen_robot(context):
    """Name, description, controllers, walk and start height of the robot.

    They are given as configurations of this launch.
    """
    given = context.launch_configurations
    folder = Path(mkdtemp(prefix="biped_slip_gazebo_"))
    rate = LOOP_RATES[given["period"]]
    if given["robot"]:
        from biped_slip.ros.gazebo_robot import gazebo_humanoid

        robot = gazebo_humanoid(given["robot"], given["namespace"], folder, rate)
        name = robot.name
        text = robot.description
        height = str(robot.height)
        walk = robot.walk
        sensors = robot.bridge
    else:
        text = xacro_text(
            shipped("urdf", "planar_biped.urdf.xacro").perform(context),
            hardware="gz",
            controllers=given["controllers_file"],
            manager=paced_manager(
                shipped("config", "gazebo", "manager.yaml").perform(context),
                rate,
                folder,
            ),
            **{key: given[key] for key in ("namespace", "contact", "floor", "posture")},
        )
        name = "planar_biped"
        height = START_HEIGHT
        walk = ""
        sensors = shipped("config", "gazebo", "bridge.yaml").perform(context)
    found = {
        "description": text,
        "entity": "_".join(
            part
            for part in (given["namespace"].strip("/").replace("/", "_"), name)
            if part
        ),
        "z": given["z"] or height,
        "world": stepped_world(given["world"], rate, folder),
        "humanoid_walk": walk,
        "sensors": sensors,
        "heard": STANDING if given["robot"] else "0.0",
    }
    return [SetLaunchConfiguration(key, value) for key, value in found.items()]


def generate_launch_description():
    clock = {"use_sim_time": typed("use_sim_time", bool)}
    served = IfCondition(LaunchConfiguration("server"))
    simulator = PathJoinSubstitution(
        [FindPackageShare("ros_gz_sim"), "launch", "gz_sim.launch.py"]
    )
    shared = {**clock, "autostart": typed("autostart", bool), "mode": "real-time"}
    humanoid = {"humanoid_walk": typed("humanoid_walk"), "foot_positions": False}
    walk = IfCondition(LaunchConfiguration("walk"))
    # by an estimator of its own: the node's answers every instant, and lags behind on a
    # busy machine what comes over the bridge comes in any order, and late by some steps
    # of a simulation that does not wait
    late = {"sync_timeout": 0.005, "age_limit": 0.02}
    controller = {
        **shared,
        "limit": typed("limit"),
        "steered": typed("steered", bool),
        "period": typed("period"),
        "embedded_estimator": True,
        **late,
        **humanoid,
    }
    ahead = ["--realtime-priority", LaunchConfiguration("realtime_priority")]
    walker = own_node("walking_controller", controller, condition=walk, options=ahead)
    place = [word for axis in "xyz" for word in (f"-{axis}", LaunchConfiguration(axis))]
    return LaunchDescription(
        [
            *beginning(ARGUMENTS),
            OpaqueFunction(function=chosen_robot),
            SetEnvironmentVariable(
                "GZ_IP", "127.0.0.1", condition=equal("discovery_range", "LOCALHOST")
            ),
            AppendEnvironmentVariable(
                "GZ_SIM_SYSTEM_PLUGIN_PATH", shipped("examples", "gazebo")
            ),
            own_node(
                "friction_markers",
                clock,
                condition=IfCondition(LaunchConfiguration("markers")),
            ),
            IncludeLaunchDescription(
                PythonLaunchDescriptionSource(simulator),
                launch_arguments=[
                    (
                        "gz_args",
                        [
                            LaunchConfiguration("gz_args"),
                            " ",
                            LaunchConfiguration("world"),
                        ],
                    )
                ],
                condition=served,
            ),
            robot_state_publisher(typed("description"), clock),
            Node(
                package="ros_gz_sim",
                executable="create",
                namespace=LaunchConfiguration("namespace"),
                arguments=[
                    "-topic",
                    "robot_description",
                    "-name",
                    LaunchConfiguration("entity"),
                    *place,
                ],
                output="screen",
            ),
            bridge(
                "clock_bridge",
                shipped("config", "gazebo", "clock_bridge.yaml"),
                condition=served,
            ),
            bridge("sensor_bridge", LaunchConfiguration("sensors")),
            spawner("joint_state_broadcaster"),
            own_node(
                "friction_estimator",
                # what comes over the bridge is later than the joints, and a bag has it
                # in order
                {**shared, "complete": True, "estimator": typed("estimator")},
                condition=equal("robot", ""),
            ),
            walker,
            *after_active(
                "walking_controller",
                spawner("effort_controller"),
                heard=typed("heard", float),
                condition=walk,
            ),  # until then Gazebo's plugin holds the joints
        ]
    )

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""A robot in Gazebo (Harmonic or Jetty) through gz_ros2_control.

It is held until its controller is there. The planar biped by default;
``robot:=talos`` a humanoid. A second robot joins with ``server:=false
namespace:=two``.
"""

from __future__ import annotations

import re
from pathlib import Path
from tempfile import mkdtemp
from typing import Any, NamedTuple

import yaml

from biped_slip.ros.bringup.parts import (
    AUTOSTART_ARGUMENT,
    LOOP_RATES,
    MARKERS_ARGUMENT,
    PERIOD_BEHIND,
    REALTIME_PRIORITY,
    STEERED_ARGUMENT,
    Argument,
    Given,
    Included,
    LaunchedProgram,
    LaunchFile,
    LaunchPlan,
    after_active,
    markers,
    own_node,
    realtime,
    robot_state_publisher,
    shipped,
    spawner,
    truth,
    xacro_text,
)

GAZEBO_ARGUMENTS = {
    "markers": MARKERS_ARGUMENT,
    "use_sim_time": Argument("true", "time from Gazebo's /clock"),
    "params_file": Argument(
        shipped("config", "walk.yaml"), "parameters of estimator and controller"
    ),
    "autostart": AUTOSTART_ARGUMENT,
    "server": Argument(
        "true", "start Gazebo; false: the robot joins the one that runs"
    ),
    "world": Argument(shipped("worlds", "friction_patches.sdf"), "SDF world"),
    "gz_args": Argument(
        "-r", "options of gz sim before the world; -s -r: without a window"
    ),
    "robot": Argument(
        "",
        "a humanoid's walk, shipped (talos, g1, ...) or a .yaml file; empty: the "
        "planar biped",
    ),
    "controllers_file": Argument(
        shipped("config", "ros2_control.yaml"),
        "planar biped: controllers, read by Gazebo's plugin",
    ),
    "x": Argument("0.0", "where the robot starts [m]"),
    "y": Argument("0.0", "where the robot starts [m]"),
    "z": Argument(
        "", "height of its base at the start [m]; empty: its feet touch the floor"
    ),
    "posture": Argument(
        "-1.4856 1.0701 -2.7261 1.0701", "planar biped: joints at the start [rad]"
    ),
    "contact": Argument(
        "gazebo",
        "planar biped: gazebo, or own: this package's contact law under its feet",
    ),
    "floor": Argument("1.0 2.25 0.4", "of the own contact: MU [X MU ...] along x"),
    "estimator": Argument(
        "touchdown", "friction estimator: touchdown, interval or thesis"
    ),
    "period": PERIOD_BEHIND._replace(meaning="of control and of Gazebo's steps"),
    "walk": Argument(
        "true",
        "true: the walking controller, too; false: the robot is held where it stands",
    ),
    "steered": STEERED_ARGUMENT,
    "limit": Argument(
        "touchdown",
        "slip prevention of the walk: none, constant:RATIO, thesis, interval or "
        "touchdown",
    ),
    "realtime_priority": Argument(
        REALTIME_PRIORITY,
        "FIFO priority of the controller, for which Gazebo does not wait; without the "
        "rights for it a note is logged",
    ),
}
# [s] that a humanoid is held until its controller knows how the base stands
GAZEBO_HOLD = 0.4
# [m] of the base: legs as the description starts them, the feet's balls of 1 mm on the
# floor
START_HEIGHT = "0.701"


class RobotFiles(NamedTuple):
    """What depends on which robot it is."""

    name: str
    description: str
    height: str  # [m] of the base at the start
    walk: str  # of a humanoid; empty: the planar biped
    bridge: str  # file of the sensors' bridge


def bridge(name: str, file: str, given: Given) -> LaunchedProgram:
    """Return a bridge from Gazebo's topics."""
    return LaunchedProgram(
        package="ros_gz_bridge",
        executable="parameter_bridge",
        name=name,
        namespace=given["namespace"],
        parameters={"config_file": file, "expand_gz_topic_names": True},
    )


def paced_manager(file: str, rate: int, folder: Path) -> str:
    """Write the settings of a controller manager with another rate [Hz]."""
    said = yaml.safe_load(Path(file).read_text(encoding="utf-8"))
    said["/**/controller_manager"]["ros__parameters"]["update_rate"] = rate
    changed = folder / "manager.yaml"
    changed.write_text(yaml.safe_dump(said), encoding="utf-8")
    return str(changed)


def stepped_world(file: str, rate: int, folder: Path) -> str:
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


def robot_files(given: Given, rate: int, folder: Path) -> RobotFiles:
    """Make the files of the chosen robot, of a rate of control [Hz]."""
    if given["robot"]:
        from biped_slip.ros.gazebo_robot import gazebo_humanoid

        robot = gazebo_humanoid(given["robot"], given["namespace"], folder, rate)
        return RobotFiles(
            name=robot.name,
            description=robot.description,
            height=str(robot.height),
            walk=robot.walk,
            bridge=robot.bridge,
        )
    manager = paced_manager(shipped("config", "gazebo", "manager.yaml"), rate, folder)
    text = xacro_text(
        shipped("urdf", "planar_biped.urdf.xacro"),
        hardware="gz",
        controllers=given["controllers_file"],
        manager=manager,
        **{key: given[key] for key in ("namespace", "contact", "floor", "posture")},
    )
    return RobotFiles(
        name="planar_biped",
        description=text,
        height=START_HEIGHT,
        walk="",
        bridge=shipped("config", "gazebo", "bridge.yaml"),
    )


def entity(given: Given, robot: RobotFiles) -> LaunchedProgram:
    """Return what puts the robot into the world."""
    namespace = given["namespace"].strip("/").replace("/", "_")
    name = "_".join(part for part in (namespace, robot.name) if part)
    place = {"x": given["x"], "y": given["y"], "z": given["z"] or robot.height}
    words = ("-topic", "robot_description", "-name", name)
    return LaunchedProgram(
        package="ros_gz_sim",
        executable="create",
        namespace=given["namespace"],
        options=(*words, *(w for a, v in place.items() for w in (f"-{a}", v))),
    )


def walker(
    given: Given, shared: dict[str, Any], robot: RobotFiles
) -> list[LaunchedProgram]:
    """Return the controller; until it is active Gazebo's plugin holds the joints."""
    controller = {
        **shared,
        "limit": given["limit"],
        "steered": truth(given, "steered"),
        "period": given["period"],
        # by an estimator of its own: the node's answers every instant, and lags behind
        # on a busy machine
        "embedded_estimator": True,
        # what comes over the bridge comes in any order, and late by some steps of a
        # simulation that does not wait
        "sync_timeout": 0.005,
        "age_limit": 0.02,
        "humanoid_walk": robot.walk,
        "foot_positions": False,
    }
    hurried = realtime(given)
    held = GAZEBO_HOLD if given["robot"] else 0.0
    efforts = spawner(given, "effort_controller")
    return [
        own_node("walking_controller", controller, given, options=hurried),
        *after_active("walking_controller", efforts, given, heard=held),
    ]


def start(given: Given) -> LaunchPlan:
    """Return Gazebo with its bridges, and what walks the robot in it."""
    clock = {"use_sim_time": truth(given, "use_sim_time")}
    served = truth(given, "server")
    rate = LOOP_RATES[given["period"]]
    folder = Path(mkdtemp(prefix="biped_slip_gazebo_"))
    robot = robot_files(given, rate, folder)
    world = stepped_world(given["world"], rate, folder)
    autostart = truth(given, "autostart")
    shared = {**clock, "autostart": autostart, "mode": "real-time"}
    programs = [
        *markers(given, clock),
        robot_state_publisher(robot.description, given, clock),
        entity(given, robot),
        bridge("sensor_bridge", robot.bridge, given),
        spawner(given, "joint_state_broadcaster"),
    ]
    if served:
        file = shipped("config", "gazebo", "clock_bridge.yaml")
        programs.append(bridge("clock_bridge", file, given))
    if not given["robot"]:
        # what comes over the bridge is later than the joints, and a bag has it in order
        listening = {**shared, "complete": True, "estimator": given["estimator"]}
        programs.append(own_node("friction_estimator", listening, given))
    if truth(given, "walk"):
        programs += walker(given, shared, robot)
    simulator = Included(
        package="ros_gz_sim",
        file="gz_sim.launch.py",
        arguments={"gz_args": f"{given['gz_args']} {world}"},
    )
    local = given["discovery_range"] == "LOCALHOST"
    return LaunchPlan(
        programs=programs,
        included=[simulator] if served else [],
        environment={"GZ_IP": "127.0.0.1"} if local else {},
        search_paths={"GZ_SIM_SYSTEM_PLUGIN_PATH": shipped("examples", "gazebo")},
    )


GAZEBO_LAUNCH = LaunchFile(
    meaning="a robot in Gazebo, through gz_ros2_control",
    own_arguments=GAZEBO_ARGUMENTS,
    start=start,
)

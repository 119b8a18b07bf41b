# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Hardware in the loop: the contact simulator is the robot on the steady clock.

It runs here or on another machine. On two machines: ``side:=robot
discovery_range:=SUBNET`` on one, ``side:=controller discovery_range:=SUBNET`` on the
other.
"""

from __future__ import annotations

from biped_slip.ros.bringup.parts import (
    AUTOSTART_ARGUMENT,
    MARKERS_ARGUMENT,
    PERIOD_ARGUMENT,
    REALTIME_PRIORITY,
    STEERED_ARGUMENT,
    Argument,
    Given,
    LaunchedProgram,
    LaunchFile,
    LaunchPlan,
    estimator_behind,
    markers,
    own_node,
    realtime,
    shipped,
    shown_robot,
    truth,
    whole,
)
from biped_slip.ros.bringup.walk import (
    LIMIT_ARGUMENT,
    ROBOT_ARGUMENT,
    SCENARIO_ARGUMENT,
    SEED_ARGUMENT,
    WALK_ENDED,
)

BOTH_SIDES = "both"
ROBOT_SIDE = "robot"
CONTROLLER_SIDE = "controller"
HIL_ARGUMENTS = {
    "markers": MARKERS_ARGUMENT,
    "params_file": Argument(
        shipped("config", "walk.yaml"), "parameters of the three nodes"
    ),
    "autostart": AUTOSTART_ARGUMENT,
    "side": Argument(
        BOTH_SIDES,
        "both, robot (the simulator alone) or controller (estimator and controller "
        "alone)",
        (BOTH_SIDES, ROBOT_SIDE, CONTROLLER_SIDE),
    ),
    "joint_topics": Argument(
        "false",
        "side:=robot: as hardware for robot.launch.py hardware:=topic odom:=given "
        "walk:=true",
    ),
    "robot": ROBOT_ARGUMENT,
    "scenario": SCENARIO_ARGUMENT,
    "limit": LIMIT_ARGUMENT,
    "steered": STEERED_ARGUMENT,
    "period": PERIOD_ARGUMENT,
    "seed": SEED_ARGUMENT,
    "realtime_priority": Argument(
        REALTIME_PRIORITY,
        "FIFO priority of the loops; without the rights for it a note is logged",
    ),
}


def start(given: Given) -> LaunchPlan:
    """Return the nodes of both sides, or of one."""
    programs = markers(given)
    if given["side"] != CONTROLLER_SIDE:
        programs.append(simulator(given))
    if given["side"] != ROBOT_SIDE:
        programs += [*shown_robot(given), *controller_side(given)]
    return LaunchPlan(programs)


def shared(given: Given) -> dict[str, str | int]:
    """Return the parameters of all three nodes."""
    return {
        "autostart": truth(given, "autostart"),
        "seed": whole(given, "seed"),
        "mode": "real-time",
        "scenario": given["scenario"],
        "humanoid_walk": given["robot"],
    }


def simulator(given: Given) -> LaunchedProgram:
    """Return the robot."""
    own = {
        "period": given["period"],
        "joint_topics": truth(given, "joint_topics"),
        # who waits for cmd_vel has no way to go and no time to be there
        "endless": truth(given, "steered"),
    }
    return own_node(
        "contact_simulator",
        {**shared(given), **own},
        given,
        options=realtime(given),
        ends_all=WALK_ENDED if given["side"] == BOTH_SIDES else "",
    )


def controller_side(given: Given) -> list[LaunchedProgram]:
    """Return estimator and controller; a humanoid's has its estimator inside."""
    estimator = {**shared(given), "estimator": estimator_behind(given["limit"])}
    own = {
        "period": given["period"],
        "limit": given["limit"],
        "steered": truth(given, "steered"),
    }
    hurried = {"options": realtime(given)}
    programs = []
    if not given["robot"]:
        programs.append(own_node("friction_estimator", estimator, given, **hurried))
    controller = {**shared(given), **own}
    programs.append(own_node("walking_controller", controller, given, **hurried))
    return programs


HIL_LAUNCH = LaunchFile(
    meaning="hardware in the loop: the simulator is the robot, on the steady clock",
    own_arguments=HIL_ARGUMENTS,
    start=start,
)

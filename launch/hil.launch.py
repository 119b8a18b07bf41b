# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Hardware in the loop: the contact simulator is the robot on the steady clock.

It runs here or on another machine.

On two machines: ``side:=robot discovery_range:=SUBNET`` on one, ``side:=controller
discovery_range:=SUBNET`` on the other.
"""

from launch.conditions import IfCondition
from launch.substitutions import LaunchConfiguration, PythonExpression

from biped_slip.ros.launch_parts import (
    PERIOD_ARGUMENT,
    REALTIME_PRIORITY,
    beginning,
    estimator_behind,
    own_node,
    shipped,
    shown_robot,
    typed,
)
from launch import LaunchDescription

ARGUMENTS = {
    "markers": (
        "false",
        "true: forces, friction cones and footsteps for RViz and Foxglove",
    ),
    "params_file": (shipped("config", "walk.yaml"), "parameters of the three nodes"),
    "autostart": ("true", "configure and activate at once"),
    "side": (
        "both",
        "both, robot (the simulator alone) or controller (estimator and controller "
        "alone)",
    ),
    "joint_topics": (
        "false",
        "side:=robot: as hardware for robot.launch.py hardware:=topic odom:=given "
        "walk:=true",
    ),
    "robot": (
        "",
        "a humanoid's walk, shipped (talos, g1, ...) or a .yaml file; empty: the "
        "planar biped",
    ),
    "scenario": ("thesis", "name of a shipped scenario, or a .yaml file"),
    "limit": (
        "touchdown",
        "policy for slip: none, constant:RATIO, thesis, interval, touchdown, "
        "oracle:WALK:SEED",
    ),
    "steered": ("false", "true: the robot stands until it hears cmd_vel"),
    "period": PERIOD_ARGUMENT,
    "seed": ("-1", "perturbs start and floor and draws the noise; -1: nominal"),
    "realtime_priority": (
        REALTIME_PRIORITY,
        "FIFO priority of the loops; without the rights for it a note is logged",
    ),
}


def generate_launch_description():
    def unless(side):
        return IfCondition(
            PythonExpression(["'", LaunchConfiguration("side"), f"' != '{side}'"])
        )

    shared = {
        "autostart": typed("autostart", bool),
        "seed": typed("seed", int),
        "mode": "real-time",
        "scenario": typed("scenario"),
        "humanoid_walk": typed("robot"),
    }
    period = {"period": typed("period")}
    side, robot = LaunchConfiguration("side"), LaunchConfiguration("robot")
    planar = IfCondition(
        PythonExpression(["'", side, "' != 'robot' and '", robot, "' == ''"])
    )
    options = ["--realtime-priority", LaunchConfiguration("realtime_priority")]
    estimator = {**shared, "estimator": estimator_behind("limit")}
    controller = {
        **shared,
        **period,
        "limit": typed("limit"),
        "steered": typed("steered", bool),
    }
    return LaunchDescription(
        [
            *beginning(ARGUMENTS),
            own_node(
                "friction_markers",
                {},
                condition=IfCondition(LaunchConfiguration("markers")),
            ),
            *shown_robot(unless("robot")),
            own_node(
                "contact_simulator",
                {**shared, **period, "joint_topics": typed("joint_topics", bool)},
                condition=unless("controller"),
                options=options,
            ),
            own_node(
                "friction_estimator", estimator, condition=planar, options=options
            ),
            own_node(
                "walking_controller",
                controller,
                condition=unless("robot"),
                options=options,
            ),
        ]
    )

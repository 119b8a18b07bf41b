# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""A robot walks from one floor onto another until it is stopped.

Simulator, estimator and controller work over ROS topics.

The planar biped by default; ``robot:=talos`` a humanoid, whose controller has its
estimator inside.
"""

from launch.actions import RegisterEventHandler, Shutdown
from launch.conditions import IfCondition
from launch.event_handlers import OnProcessExit
from launch.substitutions import LaunchConfiguration, PythonExpression
from launch_ros.parameter_descriptions import ParameterValue

from biped_slip.ros.launch_parts import (
    PERIOD_ARGUMENT,
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
    "use_sim_time": (
        "false",
        "time of logs from /clock, which the simulator then publishes",
    ),
    "params_file": (shipped("config", "walk.yaml"), "parameters of the three nodes"),
    "autostart": ("true", "configure and activate at once"),
    "mode": (
        "lockstep",
        "lockstep: one command per tick; real-time: on the steady clock",
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
    "result_file": (
        "",
        "summary of the walk as JSON, with which all ends; empty: it walks until it is "
        "stopped",
    ),
}


def generate_launch_description():
    shared = {
        "use_sim_time": typed("use_sim_time", bool),
        "autostart": typed("autostart", bool),
        "seed": typed("seed", int),
        "mode": typed("mode"),
        "scenario": typed("scenario"),
        "humanoid_walk": typed("robot"),
    }
    period = {"period": typed("period")}
    planar = IfCondition(
        PythonExpression(["'", LaunchConfiguration("robot"), "' == ''"])
    )
    endless = PythonExpression(["'", LaunchConfiguration("result_file"), "' == ''"])
    world = {
        "publish_clock": typed("use_sim_time", bool),
        "result_file": typed("result_file"),
        "endless": ParameterValue(endless, value_type=bool),
    }
    simulator = own_node("contact_simulator", {**shared, **period, **world})
    ended = [Shutdown(reason="the walk has ended")]
    return LaunchDescription(
        [
            *beginning(ARGUMENTS),
            own_node(
                "friction_markers",
                {},
                condition=IfCondition(LaunchConfiguration("markers")),
            ),
            *shown_robot(),
            own_node(
                "friction_estimator",
                {**shared, "estimator": estimator_behind("limit")},
                condition=planar,
            ),
            own_node(
                "walking_controller",
                {
                    **shared,
                    **period,
                    "limit": typed("limit"),
                    "steered": typed("steered", bool),
                },
            ),
            simulator,
            RegisterEventHandler(OnProcessExit(target_action=simulator, on_exit=ended)),
        ]
    )

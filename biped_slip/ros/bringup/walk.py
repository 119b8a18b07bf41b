# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""A robot walks from one floor onto another until it is stopped.

Simulator, estimator and controller work over ROS topics. The planar biped by default;
``robot:=talos`` a humanoid, whose controller has its estimator inside.
"""

from __future__ import annotations

from biped_slip.ros.bringup.parts import (
    AUTOSTART_ARGUMENT,
    MARKERS_ARGUMENT,
    PERIOD_ARGUMENT,
    STEERED_ARGUMENT,
    Argument,
    Given,
    LaunchFile,
    LaunchPlan,
    estimator_behind,
    markers,
    own_node,
    shipped,
    shown_robot,
    truth,
    whole,
)

ROBOT_ARGUMENT = Argument(
    "",
    "a humanoid's walk, shipped (talos, g1, ...) or a .yaml file; empty: the planar "
    "biped",
)
SCENARIO_ARGUMENT = Argument("thesis", "name of a shipped scenario, or a .yaml file")
LIMIT_ARGUMENT = Argument(
    "touchdown",
    "policy for slip: none, constant:RATIO, thesis, interval, touchdown, "
    "oracle:WALK:SEED_ARGUMENT",
)
SEED_ARGUMENT = Argument(
    "-1", "perturbs start and floor and draws the noise; -1: nominal"
)
WALK_ARGUMENTS = {
    "markers": MARKERS_ARGUMENT,
    "use_sim_time": Argument(
        "false", "time of logs from /clock, which the simulator then publishes"
    ),
    "params_file": Argument(
        shipped("config", "walk.yaml"), "parameters of the three nodes"
    ),
    "autostart": AUTOSTART_ARGUMENT,
    "mode": Argument(
        "lockstep", "lockstep: one command per tick; real-time: on the steady clock"
    ),
    "robot": ROBOT_ARGUMENT,
    "scenario": SCENARIO_ARGUMENT,
    "limit": LIMIT_ARGUMENT,
    "steered": STEERED_ARGUMENT,
    "period": PERIOD_ARGUMENT,
    "seed": SEED_ARGUMENT,
    "result_file": Argument(
        "",
        "summary of the walk as JSON, with which all ends; empty: it walks until it is "
        "stopped",
    ),
}
WALK_ENDED = "the walk has ended"


def start(given: Given) -> LaunchPlan:
    """Return the nodes of a walk."""
    clock = truth(given, "use_sim_time")
    shared = {
        "use_sim_time": clock,
        "autostart": truth(given, "autostart"),
        "seed": whole(given, "seed"),
        "mode": given["mode"],
        "scenario": given["scenario"],
        "humanoid_walk": given["robot"],
    }
    period = {"period": given["period"]}
    world = {
        "publish_clock": clock,
        "result_file": given["result_file"],
        "endless": given["result_file"] == "",
    }
    estimator = {**shared, "estimator": estimator_behind(given["limit"])}
    controller = {
        **shared,
        **period,
        "limit": given["limit"],
        "steered": truth(given, "steered"),
    }
    programs = [*markers(given), *shown_robot(given)]
    if not given["robot"]:
        programs.append(own_node("friction_estimator", estimator, given))
    programs.append(own_node("walking_controller", controller, given))
    simulator = own_node("contact_simulator", {**shared, **period, **world}, given)
    programs.append(simulator._replace(ends_all=WALK_ENDED))
    return LaunchPlan(programs)


WALK_LAUNCH = LaunchFile(
    meaning="a robot walks from one floor onto another, in simulation",
    own_arguments=WALK_ARGUMENTS,
    start=start,
)

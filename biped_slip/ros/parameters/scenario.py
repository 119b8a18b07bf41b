# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The scenario of a walk as ROS parameters: its name, and every value of it that is set from outside."""

from __future__ import annotations

from rclpy.node import Node

from biped_slip.config import Configuration, configuration, parameter
from biped_slip.robots.planar_biped import ROOTS
from biped_slip.ros.parameters.declare import declare_configuration
from biped_slip.simulation.planar.run import chosen_scenario
from biped_slip.simulation.planar.scenario import ScenarioConfig

#: Parts of a scenario that only the simulator knows; all other parts belong to estimator and controller.
WORLD = ("duration", "required_distance", "ground", "start", "pushes", "sensors", "spread", "plant")


@configuration
class ScenarioChoice(Configuration):
    """Which scenario gives the defaults of all further parameters."""

    scenario: str = parameter("thesis", doc="name of a shipped scenario, or a .yaml file")
    variant: str = parameter("", choices=("", *ROOTS), doc="robot variant; empty: the scenario's")
    seed: int = parameter(-1, low=-1, high=2**31, doc="perturbs start and floor and draws the noise; -1: nominal")


@configuration
class FloorChoice(Configuration):
    """What the simulator may replace in the scenario."""

    contact: str = parameter("", doc="contact law in place of the scenario's, e.g. mujoco; empty: the scenario's")


def declare_choice(node: Node, contact: str | None = None) -> tuple[ScenarioChoice, ScenarioConfig]:
    """Declare the choice and load what was chosen, on another contact law if asked."""
    choice = declare_configuration(node, ScenarioChoice())
    seed = choice.seed if choice.seed >= 0 else None
    return choice, chosen_scenario(choice.scenario, choice.variant or None, seed, contact)


def declare_world(node: Node) -> tuple[ScenarioChoice, ScenarioConfig]:
    """The scenario with the simulator's part as parameters, and the motion source, whose sensors it then has."""
    floor = declare_configuration(node, FloorChoice())
    choice, scenario = declare_choice(node, floor.contact or None)
    others = tuple(name for name in scenario.to_mapping() if name not in (*WORLD, "motion"))
    return choice, declare_configuration(node, scenario, without=others)


def declare_brain(node: Node, without: tuple[str, ...] = ()) -> tuple[ScenarioChoice, ScenarioConfig]:
    """The scenario with the part of estimator and controller as parameters."""
    choice, scenario = declare_choice(node)
    return choice, declare_configuration(node, scenario, without=(*WORLD, "variant", *without))

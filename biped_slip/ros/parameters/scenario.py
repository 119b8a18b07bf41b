# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The world around a simulated robot as ROS parameters: scenarios of the planar biped, walks of humanoids."""

from __future__ import annotations

from rclpy.node import Node

from biped_slip.config import Configuration, configuration, parameter
from biped_slip.robots.planar_biped import ROOTS
from biped_slip.ros.parameters.declare import declare_configuration
from biped_slip.simulation.humanoid.walk_config import HumanoidWalkConfig, chosen_walk
from biped_slip.simulation.planar.run import chosen_scenario
from biped_slip.simulation.planar.scenario import ScenarioConfig
from biped_slip.walking import humanoid_config
from biped_slip.walking.config import WORLD


@configuration
class ScenarioChoice(Configuration):
    """Which scenario gives the defaults of all further parameters."""

    scenario: str = parameter("thesis", doc="name of a shipped scenario, or a .yaml file")
    variant: str = parameter("", choices=("", *ROOTS), doc="robot variant; empty: the scenario's")
    seed: int = parameter(-1, low=-1, high=2**31, doc="perturbs start and floor and draws the noise; -1: nominal")
    contact: str = parameter("", doc="contact law in place of the scenario's, e.g. mujoco; empty: the scenario's")


def declare_world(node: Node) -> tuple[ScenarioChoice, ScenarioConfig]:
    """The scenario with the simulator's part as parameters, and the motion source, whose sensors it then has."""
    choice = declare_configuration(node, ScenarioChoice())
    seed = choice.seed if choice.seed >= 0 else None
    scenario = chosen_scenario(choice.scenario, choice.variant or None, seed, choice.contact or None)
    others = tuple(name for name in scenario.to_mapping() if name not in (*WORLD, "motion"))
    return choice, declare_configuration(node, scenario, without=others)


def declare_way(node: Node, name: str) -> HumanoidWalkConfig:
    """A humanoid's walk with the simulator's part, its sensors and the speed as parameters below ``walk.``."""
    config = chosen_walk(name)
    parts = (*humanoid_config.WORLD, "sensors", "speed")
    return declare_configuration(node, config, "walk.", without=tuple(f for f in config.to_mapping() if f not in parts))

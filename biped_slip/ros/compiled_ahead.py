# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Compiles what the nodes of a walk will run, once, before they start at the same time and each compiles it again."""

from __future__ import annotations

from typing import Sequence

import numpy as np

from biped_slip.constants import GRAVITY
from biped_slip.control.supervisor import SupervisorConfig
from biped_slip.estimation.foot_measurement import FloorConfig
from biped_slip.estimation.health.watch import HealthConfig
from biped_slip.estimation.motion.sources import motion_source
from biped_slip.friction_estimation.registry import make_estimator
from biped_slip.robots.robot import Robot
from biped_slip.simulation.planar.scenario import ScenarioConfig
from biped_slip.simulation.planar.world import World
from biped_slip.walking.config import PlanarWalkingConfig
from biped_slip.walking.guarded_planar import guarded_planar
from biped_slip.walking.observer import FrictionObserver
from biped_slip.walking.slip_policy import estimator_of


def compile_ahead(scenario: ScenarioConfig, limits: Sequence[str], embedded: bool = False) -> None:
    """Build and try out the three nodes' parts in this process.

    Args:
        scenario: what will be walked.
        limits: policies for slip; one from outside brings its own parts, which its node compiles.
        embedded: whether the estimator will run inside the controller.
    """
    world, floor = World(scenario), FloorConfig(scenario.ground.slope)
    world.read()
    world.advance(np.zeros(len(world.robot.joints)))
    estimators = {limit: estimator_of(limit) for limit in limits}
    for limit, estimator in estimators.items():
        if estimator is not None:
            _controller(world.robot, scenario.walking, limit, floor, told_estimates=not embedded)
    if not embedded:
        for name in {name for name in estimators.values() if name is not None}:
            _observer(world.robot, scenario.walking, name, floor)


def _controller(
    robot: Robot, walking: PlanarWalkingConfig, limit: str, floor: FloorConfig, *, told_estimates: bool
) -> None:
    guarded_planar(robot, walking, limit, floor, SupervisorConfig(), HealthConfig(), told_estimates=told_estimates)


def _observer(robot: Robot, walking: PlanarWalkingConfig, name: str, floor: FloorConfig) -> None:
    estimator = make_estimator(name, walking.policy_settings(robot.mass * GRAVITY).estimator)
    FrictionObserver(robot, estimator, motion_source(robot, walking.motion, floor)).try_out(len(robot.joints))

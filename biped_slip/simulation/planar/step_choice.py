# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The longest integration step whose error stays below a target, found by trying."""

from __future__ import annotations

import dataclasses
from functools import lru_cache
from typing import Any, Callable, NamedTuple

import numpy as np

from biped_slip.compile.arrays import Array
from biped_slip.contact.ground import GroundConfig
from biped_slip.errors import InvalidParameter, SimulationDiverged
from biped_slip.robots.planar_biped import standing_coordinates
from biped_slip.robots.robot import Robot
from biped_slip.simulation.planar.plant import Plant, PlantConfig

COUNTS = (1, 2, 4, 5, 8, 10, 20, 40)  # steps a control period, tried in this order
FINEST = 80
HEIGHT, DROP, SPEED, SECONDS = 0.8, 0.02, 0.5, 0.2  # [m], [m] of that over the floor, [m/s] forward, [s]


class StepChoice(NamedTuple):
    """The chosen step and what it costs."""

    step_ns: int
    steps: int  # per control period
    error: float  # [m] largest error in the trial


def longest_step(trial: Callable[[Any], Array], config: Any, target: float) -> StepChoice:
    """The longest step with which a trial of a plant's configuration ends up within a target [m].

    Args:
        trial: places over time [m] with a configuration that has a ``step_ns``.
        config: of the plant.
        target: allowed distance from the places with 80 steps a control period.

    Raises:
        InvalidParameter: no number of steps is good enough.
    """

    def with_steps(count: int) -> Any:
        return dataclasses.replace(config, error_target=0.0, step_ns=config.control_period_ns // count)

    truth = trial(with_steps(FINEST))
    error = np.inf
    for count in COUNTS:
        if config.control_period_ns % count:
            continue
        try:
            error = float(np.abs(trial(with_steps(count)) - truth).max())
        except (InvalidParameter, SimulationDiverged):  # too long for the contact's stiffness
            continue
        if error <= target:
            return StepChoice(config.control_period_ns // count, count, error)
    raise InvalidParameter("target", target, f">= {error:.2g} m, the error of {COUNTS[-1]} steps", "soften the contact")


def with_chosen_step(robot: Robot, config: PlantConfig) -> PlantConfig:
    """The configuration with the step that its error target asks for, if it has one."""
    if config.error_target == 0.0:
        return config
    return dataclasses.replace(config, step_ns=choose_step(robot, config, config.error_target).step_ns)


@lru_cache(maxsize=32)
def choose_step(robot: Robot, config: PlantConfig, target: float) -> StepChoice:
    """The longest step of a planar robot whose error in a trial is below a target [m].

    The trial: limp, 2 cm over a floor of mu = 1, moving at 0.5 m/s, 0.2 s: touchdown, sliding and the beginning of a
    fall. The error is that of hip and feet against 80 steps a control period.
    """
    q = standing_coordinates(robot, (0.0, HEIGHT), ((0.2, 0.0), (-0.2, 0.0)))
    q[1] += DROP
    v = np.zeros_like(q)
    v[0] = SPEED

    def trial(tried: PlantConfig) -> Array:
        plant = Plant(robot, GroundConfig(mu=(1.0,), edges=()), tried)
        plant.place(q, v)
        places = []
        for _ in range(round(SECONDS * 1e9 / tried.control_period_ns)):
            plant.advance(np.zeros(len(robot.joints)))
            soles = plant.motion(plant.state.q, plant.state.v)[0]
            places.append(np.concatenate((plant.state.q[:2], soles[:, 0])))
        return np.array(places)

    return longest_step(trial, config, target)

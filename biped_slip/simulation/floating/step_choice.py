# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""How many integration steps a control period needs: tried on a landing of the very robot, law and floor."""

from __future__ import annotations

import dataclasses
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from biped_slip.errors import InvalidParameter, SimulationDiverged
from biped_slip.robots.humanoid import Humanoid
from biped_slip.robots.model_functions import Array
from biped_slip.simulation.floating.plant import FloatingPlant, FloatingPlantConfig
from biped_slip.simulation.floating.terrain_config import TerrainConfig

COUNTS = (1, 2, 4, 5, 8, 10, 20, 40)  # steps a control period, tried in this order
FINEST = 80
HEIGHT, SPEED, SECONDS = 0.02, 0.5, 0.2  # [m] over the floor, [m/s] sideways and forward, [s]


class StepChoice(NamedTuple):
    """The chosen step and what it costs."""

    step_ns: int
    steps: int  # per control period
    error: float  # [m] largest error of the base's place in the trial


@lru_cache(maxsize=32)
def choose_step(humanoid: Humanoid, terrain: TerrainConfig, config: FloatingPlantConfig, target: float) -> StepChoice:
    """The longest step whose error in the trial is below a target [m].

    The trial: limp, 2 cm over the floor, moving at 0.5 m/s along both axes, 0.2 s: touchdown, sliding and the
    beginning of a fall. The error is that against 80 steps a control period.

    Raises:
        InvalidParameter: no number of steps is good enough.
    """
    config = dataclasses.replace(config, error_target=0.0)
    truth = _trial(humanoid, terrain, _with(config, FINEST))
    error = np.inf
    for count in COUNTS:
        if config.control_period_ns % count:
            continue
        try:
            error = float(np.abs(_trial(humanoid, terrain, _with(config, count)) - truth).max())
        except (InvalidParameter, SimulationDiverged):  # too long for the contact's stiffness
            continue
        if error <= target:
            return StepChoice(config.control_period_ns // count, count, error)
    raise InvalidParameter("target", target, f">= {error:.2g} m, the error of {COUNTS[-1]} steps", "soften the contact")


def _with(config: FloatingPlantConfig, count: int) -> FloatingPlantConfig:
    return dataclasses.replace(config, step_ns=config.control_period_ns // count)


def _trial(humanoid: Humanoid, terrain: TerrainConfig, config: FloatingPlantConfig) -> Array:
    """Places of the base (ticks, 3) [m]."""
    plant = FloatingPlant(humanoid, terrain, config)
    plant.place(humanoid.standing(height=HEIGHT), np.array([SPEED, SPEED] + [0.0] * (humanoid.model.nv - 2)))
    limp, places = np.zeros(len(humanoid.robot.joints)), []
    for _ in range(round(SECONDS * 1e9 / config.control_period_ns)):
        plant.advance(limp)
        places.append(plant.state.q[:3].copy())
    return np.array(places)

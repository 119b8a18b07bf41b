# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""How many integration steps a control period needs: tried on a landing of the very robot, law and floor."""

from __future__ import annotations

from functools import lru_cache, partial

import numpy as np

from biped_slip.compile.arrays import Array
from biped_slip.robots.humanoid import Humanoid
from biped_slip.simulation.humanoid.plant import FloatingPlant, FloatingPlantConfig
from biped_slip.simulation.humanoid.terrain_config import TerrainConfig
from biped_slip.simulation.planar.step_choice import StepChoice, longest_step

HEIGHT, SPEED, SECONDS = 0.02, 0.5, 0.2  # [m] over the floor, [m/s] sideways and forward, [s]


@lru_cache(maxsize=32)
def choose_step(humanoid: Humanoid, terrain: TerrainConfig, config: FloatingPlantConfig, target: float) -> StepChoice:
    """The longest step whose error in the trial is below a target [m].

    The trial: limp, 2 cm over the floor, moving at 0.5 m/s along both axes, 0.2 s: touchdown, sliding and the
    beginning of a fall. The error is that against 80 steps a control period.
    """
    return longest_step(partial(_trial, humanoid, terrain), config, target)


def _trial(humanoid: Humanoid, terrain: TerrainConfig, config: FloatingPlantConfig) -> Array:
    """Places of the base (ticks, 3) [m]."""
    plant = FloatingPlant(humanoid, terrain, config)
    plant.place(humanoid.standing(height=HEIGHT), np.array([SPEED, SPEED] + [0.0] * (humanoid.model.nv - 2)))
    limp, places = np.zeros(len(humanoid.robot.joints)), []
    for _ in range(round(SECONDS * 1e9 / config.control_period_ns)):
        plant.advance(limp)
        places.append(plant.state.q[:3].copy())
    return np.array(places)

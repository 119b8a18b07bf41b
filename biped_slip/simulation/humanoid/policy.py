# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Policies for slip in a humanoid's simulated walk: those of every walk, and the oracle of a simulation."""

from __future__ import annotations

import math

from biped_slip.contact.terrain import Terrain, ground_under
from biped_slip.control.ratio_limit import EstimateLimit
from biped_slip.friction_estimation.types import NO_ESTIMATE, EstimateState, FootMeasurement, FrictionEstimate
from biped_slip.robots.humanoid import Humanoid
from biped_slip.simulation.humanoid.track import drawn, track_scenario
from biped_slip.simulation.humanoid.walk_config import HumanoidWalkConfig
from biped_slip.walking.slip_policy import SlipPolicy, slip_policy

ORACLE, UNDERFOOT = "oracle", "underfoot"  # the map of the way ahead; of the floor under loaded soles alone
LEAST_LOAD = 0.01  # body weights; a foot with less is in flight for the oracle
AHEAD = (0.3, 0.6, 0.9, 1.2)  # [m] ahead of a foot in flight where the oracle looks: a few steps (choice)


class TerrainOracle:
    """Reads mu from the floor's map; only a simulation has that map.

    Of a loaded foot it is that under the sole, of a foot in the air the lowest on the way that lies ahead of it.

    Args:
        terrain: the map.
        weight: of the robot [N].
        direction: of the walk along x, 1 or -1.
        ahead: whether it sees further than the loaded soles.
    """

    def __init__(self, terrain: Terrain, weight: float, direction: float = 1.0, ahead: bool = True) -> None:
        self._terrain, self._load, self._direction, self._ahead = terrain, LEAST_LOAD * weight, direction, ahead

    def initial_state(self) -> None:
        """Nothing to remember."""

    def step(self, state: None, measurement: FootMeasurement, dt: float) -> tuple[None, FrictionEstimate]:
        """The map's mu, exactly."""
        x, y = measurement.displacement_x, measurement.displacement_y
        loaded = measurement.force_normal > self._load
        if not (math.isfinite(x) and math.isfinite(y) and (loaded or self._ahead)):
            return None, NO_ESTIMATE
        mu = float(ground_under(self._terrain, x, y).mu)
        if not loaded:
            mu = min(mu, *(float(ground_under(self._terrain, x + self._direction * way, y).mu) for way in AHEAD))
        return None, NO_ESTIMATE._replace(
            mu=mu, mu_low=mu, mu_q05=mu, mu_median=mu, mu_high=mu, usable=True, flag=True,
            state_code=int(EstimateState.USABLE),
        )  # fmt: skip


def humanoid_policy(name: str, config: HumanoidWalkConfig, humanoid: Humanoid, seed: int) -> SlipPolicy:
    """A policy by its name on the command line; the seed draws the floor that the oracle has a map of."""
    if name in (ORACLE, UNDERFOOT):
        terrain = track_scenario(config, drawn(config, seed)).terrain.terrain()
        oracle = TerrainOracle(terrain, humanoid.weight, math.copysign(1.0, config.speed), name == ORACLE)
        return SlipPolicy(name, oracle, EstimateLimit())
    return slip_policy(name, config.walking.policy_settings(humanoid.weight))

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Policies for slip in a humanoid's simulated walk: those of every walk, and the oracle of a simulation."""

from __future__ import annotations

from biped_slip.contact.terrain import Terrain, ground_under
from biped_slip.control.ratio_limit import EstimateLimit
from biped_slip.friction_estimation.types import NO_ESTIMATE, EstimateState, FootMeasurement, FrictionEstimate
from biped_slip.robots.humanoid import Humanoid
from biped_slip.simulation.humanoid.track import drawn, track_scenario
from biped_slip.simulation.humanoid.walk_config import HumanoidWalkConfig
from biped_slip.walking.slip_policy import SlipPolicy, slip_policy

ORACLE = "oracle"
LEAST_LOAD = 0.01  # body weights; a foot with less is in flight for the oracle


class TerrainOracle:
    """Reads mu from the floor's map under the sole; only a simulation has that map."""

    def __init__(self, terrain: Terrain, weight: float) -> None:
        self._terrain, self._load = terrain, LEAST_LOAD * weight

    def initial_state(self) -> None:
        """Nothing to remember."""

    def step(self, state: None, measurement: FootMeasurement, dt: float) -> tuple[None, FrictionEstimate]:
        """The map's mu while the foot is loaded."""
        if not measurement.force_normal > self._load:
            return None, NO_ESTIMATE
        mu = float(ground_under(self._terrain, measurement.displacement_x, measurement.displacement_y).mu)
        return None, NO_ESTIMATE._replace(
            mu=mu, mu_low=mu, mu_q05=mu, mu_median=mu, mu_high=mu, usable=True, flag=True,
            state_code=int(EstimateState.USABLE),
        )  # fmt: skip


def humanoid_policy(name: str, config: HumanoidWalkConfig, humanoid: Humanoid, seed: int) -> SlipPolicy:
    """A policy by its name on the command line; the seed draws the floor that the oracle has a map of."""
    if name == ORACLE:
        terrain = track_scenario(config, drawn(config, seed)).terrain.terrain()
        return SlipPolicy(name, TerrainOracle(terrain, humanoid.weight), EstimateLimit())
    return slip_policy(name, config.walking.policy_settings(humanoid.weight))

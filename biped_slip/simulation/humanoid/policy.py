# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Policies for slip in a humanoid's simulated walk: those of every walk, and the oracle of a simulation."""

from __future__ import annotations

import math

import numpy as np

from biped_slip.compile.arrays import Array
from biped_slip.compile.kernel import kernel
from biped_slip.contact.terrain import Terrain, ground_under
from biped_slip.control.ratio_limit import EstimateLimit
from biped_slip.friction_estimation.types import NO_ESTIMATE, EstimateState, FootMeasurement, FrictionEstimate
from biped_slip.robots.humanoid import Humanoid
from biped_slip.simulation.humanoid.track import drawn, track_scenario
from biped_slip.simulation.humanoid.walk_config import HumanoidWalkConfig
from biped_slip.walking.slip_policy import SlipPolicy, slip_policy

ORACLE, UNDERFOOT = "oracle", "underfoot"  # the map of the way ahead; of the floor under loaded soles alone
LEAST_LOAD = 0.01  # body weights; a foot with less is in flight for the oracle
AHEAD = np.array([0.0, 0.3, 0.6, 0.9, 1.2])  # [m] from a foot in flight where the oracle looks: a few steps (choice)
HERE = np.zeros(1)
ALONG, ACROSS = 5, 6  # points in half a sole at which its floor is looked at: a grid of 2 cm


def half_soles(humanoid: Humanoid) -> Array:
    """Points (2, n, 2) [m] spread evenly over the rear and the front half of the left sole, in its frame."""
    corners = np.array(humanoid.polygon(0), dtype=float)
    low, size = corners.min(axis=0), np.ptp(corners, axis=0)
    along, across = (np.arange(2 * ALONG) + 0.5) / (2 * ALONG), (np.arange(ACROSS) + 0.5) / ACROSS
    grid = np.stack(np.meshgrid(along, across, indexing="ij"), axis=-1)
    return np.ascontiguousarray((low + size * grid).reshape(2, ALONG * ACROSS, 2))


@kernel
def held_on(terrain: Terrain, x: float, y: float, ways: Array, halves: Array) -> float:
    """Lowest friction of a sole at any of the ``ways`` (k,) ahead of (x, y) [m].

    A sole holds what its floor is on the average over its pressure, which goes from the heel to the toe while it
    carries: the lower mean of its two ``halves`` (2, n, 2). One slippery spot smaller than that is no slippery floor.
    """
    lowest = math.inf
    for way in ways:
        for half in halves:
            first = ground_under(terrain, x + way + half[0, 0], y + half[0, 1]).mu
            more = 0.0  # than the first, so that the mean of equal ones is they to the last digit
            for point in half:
                more += ground_under(terrain, x + way + point[0], y + point[1]).mu - first
            lowest = min(lowest, first + more / half.shape[0])
    return lowest


class TerrainOracle:
    """Reads mu from the floor's map; only a simulation has that map.

    Of a loaded foot it is what the sole holds, of a foot in the air the lowest on the way that lies ahead of it. Soles
    are taken to lie along x.

    Args:
        terrain: the map.
        weight: of the robot [N].
        halves: (2, n, 2) points of the rear and the front half of a sole [m].
        direction: of the walk along x, 1 or -1.
        ahead: whether it sees further than the loaded soles.
    """

    def __init__(self, terrain: Terrain, weight: float, halves: Array, direction: float = 1.0,
                 ahead: bool = True) -> None:  # fmt: skip
        self._terrain, self._load, self._halves, self._ahead = terrain, LEAST_LOAD * weight, halves, ahead
        self._ways = direction * AHEAD

    def initial_state(self) -> None:
        """Nothing to remember."""

    def step(self, state: None, measurement: FootMeasurement, dt: float) -> tuple[None, FrictionEstimate]:
        """The map's mu, exactly."""
        x, y = measurement.displacement_x, measurement.displacement_y
        loaded = measurement.force_normal > self._load
        if not (math.isfinite(x) and math.isfinite(y) and (loaded or self._ahead)):
            return None, NO_ESTIMATE
        mu = float(held_on(self._terrain, x, y, HERE if loaded else self._ways, self._halves))
        return None, NO_ESTIMATE._replace(
            mu=mu, mu_low=mu, mu_q05=mu, mu_median=mu, mu_high=mu, usable=True, flag=True,
            state_code=int(EstimateState.USABLE),
        )  # fmt: skip


def humanoid_policy(name: str, config: HumanoidWalkConfig, humanoid: Humanoid, seed: int) -> SlipPolicy:
    """A policy by its name on the command line; the seed draws the floor that the oracle has a map of."""
    if name in (ORACLE, UNDERFOOT):
        terrain = track_scenario(config, drawn(config, seed)).terrain.terrain()
        direction = math.copysign(1.0, config.speed)
        oracle = TerrainOracle(terrain, humanoid.weight, half_soles(humanoid), direction, name == ORACLE)
        return SlipPolicy(name, oracle, EstimateLimit())
    return slip_policy(name, config.walking.policy_settings(humanoid.weight))

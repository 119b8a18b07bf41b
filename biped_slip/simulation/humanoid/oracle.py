# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The oracle of a humanoid's walk: a policy that reads friction off the floor's map.

No robot has it. It shows what a controller can do at best that knows the way ahead
(``oracle``) or the floor under loaded soles alone (``underfoot``).
"""

from __future__ import annotations

import math

import numpy as np

from biped_slip.compile.arrays import Array
from biped_slip.compile.kernel import kernel
from biped_slip.contact.ground import Terrain, ground_under
from biped_slip.friction_estimation.limits import EstimateLimit
from biped_slip.friction_estimation.types import (
    NO_CONTEXT,
    NO_ESTIMATE,
    EstimateState,
    FootContext,
    FootMeasurement,
    FrictionEstimate,
)
from biped_slip.robots.humanoid import Humanoid
from biped_slip.simulation.humanoid.scenario import (
    HumanoidWalkConfig,
    drawn,
    track_scenario,
)
from biped_slip.simulation.scenario import ORACLE
from biped_slip.walking.slip_policies import SlipPolicy, slip_policy

# the map of the way ahead; of the floor under loaded soles alone
UNDERFOOT = "underfoot"
LEAST_LOAD_SHARE = 0.01  # body weights; a foot with less is in flight for the oracle
# [m] from a foot in flight where the oracle looks: a few steps (choice)
LOOK_AHEAD = np.array([0.0, 0.3, 0.6, 0.9, 1.2])
HERE = np.zeros(1)
# points in half a sole at which its floor is looked at: a grid of 2 cm
POINTS_ALONG = 5
POINTS_ACROSS = 6


def half_soles(humanoid: Humanoid) -> Array:
    """Spread points (2, n, 2) [m] evenly over both halves of the left sole.

    The halves are the rear and the front one; the points are in the frame of the sole.
    """
    corners = np.array(humanoid.polygon(0), dtype=float)
    low = corners.min(axis=0)
    size = np.ptp(corners, axis=0)
    along = (np.arange(2 * POINTS_ALONG) + 0.5) / (2 * POINTS_ALONG)
    across = (np.arange(POINTS_ACROSS) + 0.5) / POINTS_ACROSS
    grid = np.stack(np.meshgrid(along, across, indexing="ij"), axis=-1)
    return np.ascontiguousarray(
        (low + size * grid).reshape(2, POINTS_ALONG * POINTS_ACROSS, 2)
    )


@kernel
def held_on(terrain: Terrain, x: float, y: float, ways: Array, halves: Array) -> float:
    """Find the lowest friction of a sole at any of ``ways`` (k,) ahead of (x, y) [m].

    A sole holds what its floor is on the average over its pressure, which goes from the
    heel to the toe while it carries: the lower mean of its two ``halves`` (2, n, 2).
    One slippery spot smaller than that is no slippery floor.

    Args:
        terrain: the map.
        x: of the sole [m].
        y: of the sole [m].
        ways: (k,) along x from the sole [m].
        halves: (2, n, 2) points of the rear and the front half of the sole [m].
    """
    lowest = math.inf
    for way in ways:
        for half in halves:
            first = ground_under(terrain, x + way + half[0, 0], y + half[0, 1]).mu
            # than the first, so that the mean of equal ones is they to the last digit
            more = 0.0
            for point in half:
                more += (
                    ground_under(terrain, x + way + point[0], y + point[1]).mu - first
                )
            lowest = min(lowest, first + more / half.shape[0])
    return lowest


class TerrainOracle:
    """Oracle estimator that reads mu from the simulated floor.

    Of a loaded foot it is what the sole holds, of a foot in the air the lowest on the
    way that lies ahead of it. Soles are taken to lie along x.

    Args:
        terrain: the map.
        weight: of the robot [N].
        halves: (2, n, 2) points of the rear and the front half of a sole [m].
        direction: of the walk along x, 1 or -1.
        ahead: whether it sees further than the loaded soles.
    """

    raw_forces = True  # it has no need of them

    def __init__(
        self,
        terrain: Terrain,
        weight: float,
        halves: Array,
        direction: float = 1.0,
        ahead: bool = True,
    ) -> None:
        self._terrain = terrain
        self._load = LEAST_LOAD_SHARE * weight
        self._halves = halves
        self._ahead = ahead
        self._ways = direction * LOOK_AHEAD

    def initial_state(self) -> None:
        """Return the empty state."""

    def step(
        self,
        state: None,
        measurement: FootMeasurement,
        dt: float,
        context: FootContext = NO_CONTEXT,
    ) -> tuple[None, FrictionEstimate]:
        """Return the floor's true mu."""
        x = measurement.displacement_x
        y = measurement.displacement_y
        loaded = measurement.force_normal > self._load
        if not (math.isfinite(x) and math.isfinite(y) and (loaded or self._ahead)):
            return None, NO_ESTIMATE
        mu = float(
            held_on(self._terrain, x, y, HERE if loaded else self._ways, self._halves)
        )
        return None, true_estimate(mu)


def true_estimate(mu: float) -> FrictionEstimate:
    """Return the estimate of who knows mu under a foot."""
    return NO_ESTIMATE._replace(
        mu=mu,
        mu_low=mu,
        mu_q05=mu,
        mu_median=mu,
        mu_high=mu,
        usable=True,
        flag=True,
        state_code=int(EstimateState.USABLE),
    )


def humanoid_policy(
    name: str, config: HumanoidWalkConfig, humanoid: Humanoid, seed: int
) -> SlipPolicy:
    """Look up a policy by its name on the command line.

    The seed draws the floor of the oracle's map.

    Args:
        name: of the policy.
        config: of the walk.
        humanoid: the robot.
        seed: of the walk.
    """
    if name in (ORACLE, UNDERFOOT):
        terrain = track_scenario(config, drawn(config, seed)).terrain.terrain()
        direction = math.copysign(1.0, config.speed)
        oracle = TerrainOracle(
            terrain, humanoid.weight, half_soles(humanoid), direction, name == ORACLE
        )
        return SlipPolicy(name, oracle, EstimateLimit())
    return slip_policy(name, config.walking.policy_settings(humanoid.weight))

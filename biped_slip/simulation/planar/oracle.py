# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The oracle of a planar walk: a policy that reads friction off the floor's map.

No robot has it. It shows what a controller can do at best that knows the friction under
each foot, of which nine tenths are used.
"""

from __future__ import annotations

import math

from biped_slip.compile.kernel import kernel
from biped_slip.constants import GRAVITY
from biped_slip.contact.ground import Ground, friction_at
from biped_slip.errors import InvalidParameter
from biped_slip.friction_estimation.limits import EstimateLimit
from biped_slip.friction_estimation.types import (
    NAN,
    NO_CONTEXT,
    EstimateState,
    FootContext,
    FootMeasurement,
    FrictionEstimate,
    bare_estimate,
    ignoring_context,
)
from biped_slip.robots.planar_biped import planar_biped
from biped_slip.simulation.planar.scenario import ScenarioConfig
from biped_slip.simulation.scenario import ORACLE
from biped_slip.walking.slip_policies import SlipPolicy

LEAST_NORMAL_FORCE = 1.0  # [N] (A.2): below it the foot is in flight for the oracle
_NO_CONTACT = int(EstimateState.NO_CONTACT)
_USABLE = int(EstimateState.USABLE)


def planar_policy(name: str, scenario: ScenarioConfig) -> SlipPolicy:
    """Look up a policy by its name on the command line.

    The oracle has the scenario's floor as its map.

    Args:
        name: none, constant:RATIO, oracle, thesis, interval, or one from outside.
        scenario: settings of all of them.
    """
    walking = scenario.walking
    if name == ORACLE:
        return oracle(scenario)
    return walking.policy(name, planar_biped(scenario.variant).mass * GRAVITY)


def oracle(scenario: ScenarioConfig) -> SlipPolicy:
    """Make the policy of the true friction under each foot.

    Nine tenths of the friction are used.
    """
    if scenario.motion.source == "both_feet":
        raise InvalidParameter(
            "motion.source",
            "both_feet",
            "another one",
            "the oracle needs to know where the feet are on its map",
        )
    return SlipPolicy(
        ORACLE, OracleEstimator(scenario.ground.ground()), EstimateLimit()
    )


class OracleEstimator:
    """Oracle estimator that reads mu from the simulated floor."""

    raw_forces = True  # it has no need of them

    def __init__(self, ground: Ground) -> None:
        self.kernel = ignoring_context(oracle_step)
        self.settings = ground

    def initial_state(self) -> None:
        """Return the empty state."""

    def step(
        self,
        state: None,
        measurement: FootMeasurement,
        dt: float,
        context: FootContext = NO_CONTEXT,
    ) -> tuple[None, FrictionEstimate]:
        """Return the floor's true mu while the foot is loaded."""
        return oracle_step(state, self.settings, measurement, dt)


@kernel
def oracle_step(
    state: None, ground: Ground, measurement: FootMeasurement, dt: float
) -> tuple[None, FrictionEstimate]:
    """Return the floor's true mu while the foot is loaded."""
    if not measurement.force_normal > LEAST_NORMAL_FORCE:
        return None, bare_estimate(NAN, _NO_CONTACT)
    mu = friction_at(ground, measurement.displacement_x * math.cos(ground.slope))
    ratio = abs(measurement.force_x) / measurement.force_normal
    return None, FrictionEstimate(
        mu=mu,
        mu_low=mu,
        mu_q05=mu,
        mu_median=mu,
        mu_high=mu,
        usable=True,
        flag=True,
        mu_demonstrated=NAN,
        s_p=NAN,
        test_load=NAN,
        test_speed=NAN,
        test_travel=NAN,
        known_after=NAN,
        force_ratio=ratio,
        slipping=False,
        state_code=_USABLE,
    )

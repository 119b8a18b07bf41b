# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Policies for slip in a simulated walk: those of every walk, and the oracle, which only a simulation has."""

from __future__ import annotations

import math
from typing import NamedTuple

from biped_slip.compile.kernel import kernel
from biped_slip.config import Configuration, configuration, parameter
from biped_slip.constants import GRAVITY
from biped_slip.contact.ground import Ground, friction_at
from biped_slip.control.ratio_limit import EstimateLimit
from biped_slip.errors import InvalidParameter
from biped_slip.friction_estimation.types import NAN, EstimateState, FootMeasurement, FrictionEstimate
from biped_slip.robots.planar_biped import planar_biped
from biped_slip.robots.robot import Robot
from biped_slip.simulation.planar.scenario import ScenarioConfig
from biped_slip.walking.slip_policy import SlipPolicy

ORACLE = "oracle"
NO_CONTACT, USABLE = int(EstimateState.NO_CONTACT), int(EstimateState.USABLE)


@configuration
class OracleConfig(Configuration):
    """The oracle's own threshold of contact."""

    minimum_normal_force: float = parameter(
        1.0, unit="N", above=0.0, source="A.2", doc="below it the foot is in flight"
    )


class OracleSettings(NamedTuple):
    """What the oracle knows."""

    ground: Ground
    minimum_normal_force: float  # [N]


@kernel
def oracle_step(
    state: None, settings: OracleSettings, measurement: FootMeasurement, dt: float
) -> tuple[None, FrictionEstimate]:
    """The map's mu while the foot is loaded."""
    if not measurement.force_normal > settings.minimum_normal_force:
        return None, FrictionEstimate(NAN, NAN, NAN, NAN, NAN, False, False, NAN, NAN, NAN, False, NO_CONTACT)
    mu = friction_at(settings.ground, measurement.displacement_x * math.cos(settings.ground.slope))
    ratio = abs(measurement.force_x) / measurement.force_normal
    return None, FrictionEstimate(mu, mu, mu, mu, mu, True, True, NAN, NAN, ratio, False, USABLE)


class OracleEstimator:
    """Reads mu from a map of the floor at the foot's place; only a simulation has that map."""

    kernel = staticmethod(oracle_step)

    def __init__(self, ground: Ground, config: OracleConfig | None = None) -> None:
        self.settings = OracleSettings(ground, (config or OracleConfig()).minimum_normal_force)

    def initial_state(self) -> None:
        """Nothing to remember."""

    def step(self, state: None, measurement: FootMeasurement, dt: float) -> tuple[None, FrictionEstimate]:
        """The map's mu while the foot is loaded."""
        return oracle_step(state, self.settings, measurement, dt)


def planar_policy(
    name: str, scenario: ScenarioConfig, robot: Robot | None = None, body_weight: float = 0.0
) -> SlipPolicy:
    """A policy by its name on the command line; the oracle has the scenario's floor as its map.

    Args:
        name: none, constant:RATIO, oracle, thesis, interval, or one from outside.
        scenario: settings of all of them.
        robot: gives the body weight; without one it is the scenario's.
        body_weight: [N] 0: the robot's.
    """
    walking = scenario.walking
    if name == ORACLE:
        return walking.within_sole_moment(oracle(scenario))
    weight = body_weight or (robot or planar_biped(scenario.variant)).mass * GRAVITY
    return walking.policy(name, weight)


def oracle(scenario: ScenarioConfig) -> SlipPolicy:
    """The true friction under each foot, of which nine tenths are used."""
    if scenario.motion.source == "both_feet":
        raise InvalidParameter(
            "motion.source", "both_feet", "another one", "the oracle needs to know where the feet are on its map"
        )
    return SlipPolicy(ORACLE, OracleEstimator(scenario.ground.ground()), EstimateLimit())

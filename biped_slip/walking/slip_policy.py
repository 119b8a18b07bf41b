# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The ways to prevent slip that a walk can be run with: an estimator and the limit that stands behind it."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any, NamedTuple

from biped_slip.compile.kernel import kernel
from biped_slip.config import Configuration, configuration, parameter
from biped_slip.constants import GRAVITY
from biped_slip.contact.ground import Ground, friction_at
from biped_slip.control.ratio_limit import (
    ConstantLimit,
    ConstantLimitConfig,
    EstimateLimit,
    EstimateLimitConfig,
    NoLimit,
    RatioLimit,
)
from biped_slip.control.sole_moment import WithinSoleMoment
from biped_slip.errors import InvalidParameter
from biped_slip.friction_estimation.interval.estimator import IntervalEstimator
from biped_slip.friction_estimation.limit_rule import LimitRule
from biped_slip.friction_estimation.rls import ThesisEstimator
from biped_slip.friction_estimation.types import (
    NAN,
    EstimateState,
    FootMeasurement,
    FrictionEstimate,
    FrictionEstimator,
)
from biped_slip.robots.planar_biped import planar_biped
from biped_slip.robots.robot import Robot
from biped_slip.simulation.planar.scenario import ScenarioConfig

NO_CONTACT, USABLE = int(EstimateState.NO_CONTACT), int(EstimateState.USABLE)
KINDS = ("none", "constant:RATIO", "oracle", "thesis", "interval")


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


class Prevention(NamedTuple):
    """An estimator and the limit that stands behind it."""

    name: str
    estimator: FrictionEstimator[Any]
    limit: RatioLimit[Any]


def prevention(kind: str, scenario: ScenarioConfig, robot: Robot | None = None, body_weight: float = 0.0) -> Prevention:
    """Slip prevention by its name on the command line: none, constant:RATIO, oracle, thesis or interval.

    Args:
        kind: the name.
        scenario: settings of all of them.
        robot: gives the body weight; without one it is the scenario's.
        body_weight: [N] 0: the robot's.
    """
    named = _named(kind, scenario, robot, body_weight)
    if scenario.sole_moment.effective_radius == 0.0:
        return named
    return named._replace(limit=WithinSoleMoment(named.limit, scenario.sole_moment))


def _named(kind: str, scenario: ScenarioConfig, robot: Robot | None, body_weight: float) -> Prevention:
    thesis = ThesisEstimator(scenario.rls)
    if kind == "none":
        return Prevention(kind, thesis, NoLimit())
    if kind == "interval":
        weight = body_weight or (robot or planar_biped(scenario.variant)).mass * GRAVITY
        noise = scenario.motion.noise(scenario.interval.motion, 1e-9 * scenario.plant.control_period_ns)
        told = replace(scenario.interval, motion=noise)
        return Prevention(kind, IntervalEstimator(told, body_weight=weight), LimitRule(scenario.interval_limit))
    if kind == "thesis":
        return Prevention(kind, thesis, EstimateLimit())
    if kind == "oracle":
        if scenario.motion.source == "both_feet":
            raise InvalidParameter(
                "motion.source", "both_feet", "another one", "the oracle needs to know where the feet are on its map"
            )
        return Prevention(kind, OracleEstimator(scenario.ground.ground()), EstimateLimit(EstimateLimitConfig()))
    if kind.startswith("constant:"):
        return Prevention(kind, thesis, constant_limit(kind))
    raise InvalidParameter("limit", kind, f"one of {', '.join(KINDS)}")


def constant_limit(kind: str) -> ConstantLimit:
    """The limit that ``constant:RATIO`` names.

    Raises:
        InvalidParameter: the ratio is no number, or none that a limit can have.
    """
    try:
        ratio = float(kind.removeprefix("constant:"))
    except ValueError:
        raise InvalidParameter("limit", kind, "constant:RATIO with a number") from None
    return ConstantLimit(ConstantLimitConfig(ratio))

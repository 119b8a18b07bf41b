# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The ratio limit of a sole that also turns: what its moment about the floor's normal uses is not there for force.

A sole on the verge of sliding carries any (F, M) on its limit surface, a convex curve through F = mu N and
M = mu N r with the effective radius r [Goyal1991]. Convexity makes the straight line
F/(mu N) + |M|/(mu N r) = 1 a bound below every surface, reached by a sole that stands on heel and toe alone and is
pushed sideways; the ellipse (F/mu N)² + (M/mu N r)² = 1 fits soles with spread pressure [HoweCutkosky1996].
The limit takes mu's place.
"""

from __future__ import annotations

import math
from typing import Any, Generic, NamedTuple

from biped_slip.compile.kernel import kernel
from biped_slip.config import Configuration, configuration, parameter
from biped_slip.control.ratio_limit import LimitStep, RatioLimit, State
from biped_slip.friction_estimation.types import FootMeasurement, FrictionEstimate


@configuration
class SoleMomentConfig(Configuration):
    """How a sole shares its friction between force and moment."""

    effective_radius: float = parameter(
        0.0,
        unit="m",
        low=0.0,
        high=1.0,
        source="choice",
        doc="largest moment over mu times normal force; disc 2/3 of its radius, four corners half the diagonal, "
        "point foot 0: it carries no moment",
    )
    surface: str = parameter(
        "linear", choices=("linear", "elliptic"), source="choice", doc="linear is safe for any pressure on the sole"
    )


class MomentSettings(NamedTuple):
    """For kernels."""

    within: Any  # settings of the limit that is shrunk
    effective_radius: float  # [m]
    elliptic: bool


@kernel
def shrunk(limit: float, measurement: FootMeasurement, effective_radius: float, elliptic: bool) -> float:
    """Limit on F/N that the measured moment leaves; a moment that is not measured (NaN) leaves all of it."""
    lever = effective_radius * measurement.force_normal
    if not (lever > 0.0 and math.isfinite(limit) and math.isfinite(measurement.moment_normal)):
        return limit
    used = abs(measurement.moment_normal) / lever
    if elliptic:
        return math.sqrt(max(limit * limit - used * used, 0.0))
    return max(limit - used, 0.0)


def within_moment(limit: LimitStep) -> LimitStep:
    """Kernel that steps a limit and shrinks what it says."""

    @kernel
    def step(
        state: Any, settings: MomentSettings, estimate: FrictionEstimate, measurement: FootMeasurement, dt: float
    ) -> tuple[Any, float]:
        """As :class:`RatioLimit` has it."""
        state, ratio = limit(state, settings.within, estimate, measurement, dt)
        return state, shrunk(ratio, measurement, settings.effective_radius, settings.elliptic)

    return step


class WithinSoleMoment(Generic[State]):
    """Any limit, less what the sole's moment uses.

    Args:
        limit: to be shrunk.
        config: of the sole.
    """

    def __init__(self, limit: RatioLimit[State], config: SoleMomentConfig) -> None:
        self._limit, self.config = limit, config
        self.kernel = within_moment(limit.kernel)
        self.settings = MomentSettings(limit.settings, config.effective_radius, config.surface == "elliptic")

    def initial_state(self) -> State:
        """State of the limit within."""
        return self._limit.initial_state()

    def step(
        self, state: State, estimate: FrictionEstimate, measurement: FootMeasurement, dt: float
    ) -> tuple[State, float]:
        """Step the limit within and shrink what it says."""
        return self.kernel(state, self.settings, estimate, measurement, dt)

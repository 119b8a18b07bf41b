# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Friction limits of a foot: the interface between what is known of the floor and a controller."""

from __future__ import annotations

import math
from typing import Any, Callable, Generic, NamedTuple, Protocol, TypeVar

from biped_slip.compile.kernel import kernel
from biped_slip.config import Configuration, configuration, parameter
from biped_slip.friction_estimation.types import EstimateState, FootMeasurement, FrictionEstimate

# Limits on the force ratio of a foot: the one interface between what is known of the floor and the controller.

NO_CONTACT = int(EstimateState.NO_CONTACT)

State = TypeVar("State")


LimitStep = Callable[[Any, Any, FrictionEstimate, FootMeasurement, float], tuple[Any, float]]
"""(state, settings, estimate, measurement, dt) -> (state, limit on the force ratio)."""


class RatioLimit(Protocol[State]):
    """Turns the estimate and the measurement of one foot into a limit on |tangential|/normal; infinity: none."""

    @property
    def kernel(self) -> LimitStep:
        """What a step runs."""
        ...

    @property
    def settings(self) -> Any:
        """For the kernel."""
        ...

    def initial_state(self) -> State:
        """State before the first estimate."""
        ...

    def step(
        self, state: State, estimate: FrictionEstimate, measurement: FootMeasurement, dt: float
    ) -> tuple[State, float]:
        """New state and the limit [-] for this tick."""
        ...


@kernel
def no_limit_step(
    state: None, settings: None, estimate: FrictionEstimate, measurement: FootMeasurement, dt: float
) -> tuple[None, float]:
    """Never a limit."""
    return None, math.inf


class NoLimit:
    """No slip prevention."""

    kernel = staticmethod(no_limit_step)
    settings = None

    def initial_state(self) -> None:
        """Nothing to remember."""

    def step(
        self, state: None, estimate: FrictionEstimate, measurement: FootMeasurement, dt: float
    ) -> tuple[None, float]:
        """Never a limit."""
        return no_limit_step(state, self.settings, estimate, measurement, dt)


@configuration
class ConstantLimitConfig(Configuration):
    """The same limit on every floor: what other controllers assume."""

    ratio: float = parameter(0.2, above=0.0, high=5.0, source="choice", doc="limit on the force ratio")


@kernel
def constant_limit_step(
    state: None, config: ConstantLimitConfig, estimate: FrictionEstimate, measurement: FootMeasurement, dt: float
) -> tuple[None, float]:
    """Always the constant; ``config`` is packed."""
    return None, config.ratio


class ConstantLimit:
    """The same limit on every floor."""

    kernel = staticmethod(constant_limit_step)

    def __init__(self, config: ConstantLimitConfig) -> None:
        self.config = config
        self.settings = config.packed

    def initial_state(self) -> None:
        """Nothing to remember."""

    def step(
        self, state: None, estimate: FrictionEstimate, measurement: FootMeasurement, dt: float
    ) -> tuple[None, float]:
        """Always the constant."""
        return constant_limit_step(state, self.settings, estimate, measurement, dt)


@configuration
class ReflexLimitConfig(Configuration):
    """A slip reflex that estimates nothing."""

    before: float = parameter(
        0.7, above=0.0, high=5.0, source="choice", doc="limit as long as the foot has not slipped"
    )
    after: float = parameter(0.08, above=0.0, high=5.0, source="choice", doc="limit after it has")
    hold: float = parameter(3.0, unit="s", low=0.0, high=60.0, source="choice", doc="how long that lasts")


class ReflexLimitState(NamedTuple):
    """How long ago the foot slipped."""

    since_slip: float  # [s]; infinite: never


@kernel
def reflex_limit_step(
    state: ReflexLimitState,
    config: ReflexLimitConfig,
    estimate: FrictionEstimate,
    measurement: FootMeasurement,
    dt: float,
) -> tuple[ReflexLimitState, float]:
    """Low for a while after each slip; ``config`` is packed."""
    since = 0.0 if estimate.slipping else state.since_slip + dt
    return ReflexLimitState(since), config.after if since < config.hold else config.before


class ReflexLimit:
    """Careless until a foot slips, then careful for some seconds: what can be had without an estimate."""

    kernel = staticmethod(reflex_limit_step)

    def __init__(self, config: ReflexLimitConfig | None = None) -> None:
        self.config = config or ReflexLimitConfig()
        self.settings = self.config.packed

    def initial_state(self) -> ReflexLimitState:
        """No slip yet."""
        return ReflexLimitState(math.inf)

    def step(
        self, state: ReflexLimitState, estimate: FrictionEstimate, measurement: FootMeasurement, dt: float
    ) -> tuple[ReflexLimitState, float]:
        """Low for a while after each slip."""
        return reflex_limit_step(state, self.settings, estimate, measurement, dt)


@configuration
class EstimateLimitConfig(Configuration):
    """Slip prevention of the thesis (A.9)."""

    safety: float = parameter(0.90, above=0.0, high=1.0, source="A.9", doc="K_safety, share of the estimate in use")


class EstimateLimitState(NamedTuple):
    """The limit that is held while the flag is down."""

    limit: float


@kernel
def estimate_limit_step(
    state: EstimateLimitState,
    config: EstimateLimitConfig,
    estimate: FrictionEstimate,
    measurement: FootMeasurement,
    dt: float,
) -> tuple[EstimateLimitState, float]:
    """Follow the estimate while it is flagged; ``config`` is packed."""
    limit = state.limit
    if estimate.state_code == NO_CONTACT:
        limit = math.inf
    elif estimate.flag and math.isfinite(estimate.mu):
        limit = config.safety * estimate.mu
    return EstimateLimitState(limit), limit


class EstimateLimit:
    """K_safety times a flagged estimate: none before the flag, held when it falls, cleared in flight (A.9)."""

    kernel = staticmethod(estimate_limit_step)

    def __init__(self, config: EstimateLimitConfig | None = None) -> None:
        self.config = config or EstimateLimitConfig()
        self.settings = self.config.packed

    def initial_state(self) -> EstimateLimitState:
        """No limit yet."""
        return EstimateLimitState(math.inf)

    def step(
        self, state: EstimateLimitState, estimate: FrictionEstimate, measurement: FootMeasurement, dt: float
    ) -> tuple[EstimateLimitState, float]:
        """Follow the estimate while it is flagged."""
        return estimate_limit_step(state, self.settings, estimate, measurement, dt)


# The ratio limit of a sole that also turns: what its moment about the floor's normal uses is not there for force.
#
# A sole on the verge of sliding carries any (F, M) on its limit surface, a convex curve through F = mu N and
# M = mu N r with the effective radius r [Goyal1991]. Convexity makes the straight line
# F/(mu N) + |M|/(mu N r) = 1 a bound below every surface, reached by a sole that stands on heel and toe alone and is
# pushed sideways; the ellipse (F/mu N)² + (M/mu N r)² = 1 fits soles with spread pressure [HoweCutkosky1996].
# The limit takes mu's place.


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

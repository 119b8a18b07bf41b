# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Foot measurement, friction estimate, and the interface of estimators between them."""

from __future__ import annotations

import math
from enum import IntEnum
from typing import Any, Callable, ClassVar, Generic, NamedTuple, Protocol, TypeVar, cast

from biped_slip.compile.arrays import Array
from biped_slip.compile.kernel import OfOneType, kernel
from biped_slip.config import Configuration


class FootMeasurement(NamedTuple):
    """One sample of one foot, in the floor frame under it.

    The frame has x along the foot, y left, and z along the floor's normal. Forces are
    those of the ground on the foot; motion is that of the foot relative to the ground.
    Each field is one number; NaN: not measured.

    Example:
        >>> import biped_slip as bs
        >>> standing = bs.NO_MEASUREMENT._replace(
        ...     stamp_ns=1_000_000, force_x=30.0, force_y=0.0, force_normal=400.0
        ... )
        >>> standing.force_x / standing.force_normal
        0.075

    Attributes:
        stamp_ns: time of the sample [ns].
        force_x: tangential, along the foot [N].
        force_y: tangential, to the left [N].
        force_normal: positive when the ground pushes [N].
        displacement_x: of the sole along the foot, from an arbitrary origin [m].
        displacement_y: of the sole to the left [m].
        velocity_x: of the sole along the foot [m/s].
        velocity_y: of the sole to the left [m/s].
        moment_normal: about the floor's normal through the centre of pressure [N m].
        centre_of_pressure_x: from the sole's origin, along the foot [m].
        centre_of_pressure_y: from the sole's origin, to the left [m].
        angular_rate: of the sole about axes in the floor's plane: rolling over heel or
            toe [rad/s].
    """

    stamp_ns: int
    force_x: float
    force_y: float
    force_normal: float
    displacement_x: float
    displacement_y: float
    velocity_x: float
    velocity_y: float
    moment_normal: float
    centre_of_pressure_x: float
    centre_of_pressure_y: float
    angular_rate: float


NAN = math.nan
NO_MEASUREMENT = FootMeasurement(
    stamp_ns=0,
    force_x=NAN,
    force_y=NAN,
    force_normal=NAN,
    displacement_x=NAN,
    displacement_y=NAN,
    velocity_x=NAN,
    velocity_y=NAN,
    moment_normal=NAN,
    centre_of_pressure_x=NAN,
    centre_of_pressure_y=NAN,
    angular_rate=NAN,
)


class EstimateState(IntEnum):
    """State of an estimate: what it can be used for.

    Attributes:
        NO_CONTACT: the foot is in the air.
        SETTLING: touchdown rings, or there are too few samples.
        NOT_IDENTIFIABLE: the load has not bent the curve yet: mu is unknowable.
        USABLE: the interval may be acted upon.
        SLIPPING: the foot slides.
        INVALID_INPUT: a sample is not finite or not plausible; it was skipped and
            counted.
    """

    NO_CONTACT = 0
    SETTLING = 1
    NOT_IDENTIFIABLE = 2
    USABLE = 3
    SLIPPING = 4
    INVALID_INPUT = 5


#: The same as plain numbers, for kernels.
NO_CONTACT, SETTLING, NOT_IDENTIFIABLE, USABLE, SLIPPING, INVALID_INPUT = map(
    int, EstimateState
)


class FrictionEstimate(NamedTuple):
    """Friction estimate of one foot after one sample.

    Each field is one number; NaN: this estimator has no such quantity, or knows it not
    yet. Every ratio is of the force along the floor to the force on it.

    Example:
        >>> import biped_slip as bs
        >>> found = bs.NO_ESTIMATE._replace(mu_low=0.31, mu_high=0.42, usable=True)
        >>> found.usable and found.mu_low > 0.25
        True

    Attributes:
        mu: point value of the friction [-].
        mu_low: certified lower bound [-].
        mu_q05: 5 % quantile [-].
        mu_median: [-].
        mu_high: certified upper bound [-].
        usable: the interval is narrow enough to act upon.
        flag: the thesis' convergence flag.
        mu_demonstrated: largest ratio held without slip in this contact [-].
        s_p: displacement at 95 % of the friction limit [m].
        test_load: mean normal force of the slide that was answered [N].
        test_speed: fastest of that slide [m/s].
        test_travel: way of that slide along the floor [m].
        known_after: time from touchdown to the first answer [s].
        force_ratio: ratio now [-].
        slipping: the foot slides now.
        state_code: an :class:`EstimateState`.
    """

    mu: float
    mu_low: float
    mu_q05: float
    mu_median: float
    mu_high: float
    usable: bool
    flag: bool
    mu_demonstrated: float
    s_p: float
    test_load: float
    test_speed: float
    test_travel: float
    known_after: float
    force_ratio: float
    slipping: bool
    state_code: int


class Estimates(NamedTuple):
    """Friction estimates of both feet."""

    left: FrictionEstimate
    right: FrictionEstimate


NO_ESTIMATE = FrictionEstimate(
    mu=NAN,
    mu_low=NAN,
    mu_q05=NAN,
    mu_median=NAN,
    mu_high=NAN,
    usable=False,
    flag=False,
    mu_demonstrated=NAN,
    s_p=NAN,
    test_load=NAN,
    test_speed=NAN,
    test_travel=NAN,
    known_after=NAN,
    force_ratio=NAN,
    slipping=False,
    state_code=NO_CONTACT,
)
UNKNOWN = Estimates(NO_ESTIMATE, NO_ESTIMATE)


@kernel
def bare_estimate(ratio: float, word: int) -> FrictionEstimate:
    """Return an estimate with nothing but the present force ratio and a state."""
    return FrictionEstimate(
        mu=NAN,
        mu_low=NAN,
        mu_q05=NAN,
        mu_median=NAN,
        mu_high=NAN,
        usable=False,
        flag=False,
        mu_demonstrated=NAN,
        s_p=NAN,
        test_load=NAN,
        test_speed=NAN,
        test_travel=NAN,
        known_after=NAN,
        force_ratio=ratio,
        slipping=False,
        state_code=word,
    )


@kernel
def write_estimate(row: Array, estimate: FrictionEstimate) -> None:
    """Write an estimate into a row (fields,) of numbers."""
    row[0] = estimate.mu
    row[1] = estimate.mu_low
    row[2] = estimate.mu_q05
    row[3] = estimate.mu_median
    row[4] = estimate.mu_high
    row[5] = estimate.usable
    row[6] = estimate.flag
    row[7] = estimate.mu_demonstrated
    row[8] = estimate.s_p
    row[9] = estimate.test_load
    row[10] = estimate.test_speed
    row[11] = estimate.test_travel
    row[12] = estimate.known_after
    row[13] = estimate.force_ratio
    row[14] = estimate.slipping
    row[15] = estimate.state_code


class Rise(NamedTuple):
    """Slope of a floor: by what it rises over a metre along x and along y."""

    x: float  # [-]
    y: float  # [-]


class ForceCovariance(NamedTuple):
    """Covariance of a foot's force: upper triangle, axes of its measurement [N^2]."""

    xx: float
    xy: float
    xz: float
    yy: float
    yz: float
    zz: float


class ForceSource(IntEnum):
    """Origin of a foot's force."""

    UNKNOWN = 0
    FORCE_SENSOR = 1
    JOINT_TORQUES = 2


class FootContext(NamedTuple):
    """What a walk knows of one foot beyond the foot's own measurement; NaN: not known.

    The walk hands it to the estimator with each measurement, and every estimator is
    told the same. A recording of a single foot knows nothing of this
    (``NO_CONTEXT``).

    Attributes:
        rise_before: of the floor on which this and the earlier samples are resolved.
        rise: of the floor as this sample shows it: later ones are resolved on it.
        cross_talk: sd of the share of the normal force that is still read as
            tangential, after what the walk has learnt of it was taken out [-].
        friction_behind: friction of the floor under the other foot, where that stands
            behind this one [-].
        phase: of this foot's gait cycle, 0 at touchdown and 1 at the next one [-].
        force_covariance: of the errors of force_x and force_normal [N^2]; NaN: not
            known.
        force_source: a ForceSource: none, a force sensor, the torques of the joints.
        in_air: what else the walk knows tells that this foot is in the air.
    """

    rise_before: Rise
    rise: Rise
    cross_talk: float
    friction_behind: float
    phase: float
    force_covariance: ForceCovariance
    force_source: int
    in_air: bool


UNKNOWN_RISE = Rise(x=NAN, y=NAN)
NO_CONTEXT = FootContext(
    rise_before=UNKNOWN_RISE,
    rise=UNKNOWN_RISE,
    cross_talk=NAN,
    friction_behind=NAN,
    phase=NAN,
    force_covariance=ForceCovariance(xx=NAN, xy=NAN, xz=NAN, yy=NAN, yz=NAN, zz=NAN),
    force_source=int(ForceSource.UNKNOWN),
    in_air=False,
)


def floor_context(slope: float) -> FootContext:
    """Return the context of a foot on a floor whose slope along x is known [rad]."""
    rise = Rise(x=math.tan(slope), y=0.0)
    return NO_CONTEXT._replace(rise_before=rise, rise=rise)


State = TypeVar("State")


class FrictionEstimator(Protocol[State]):
    """Interface of all friction estimators: explicit state, one measurement a step.

    An estimator restarts by itself when its foot leaves the ground. A sample that is
    not finite leaves the state as it was and answers INVALID_INPUT.

    A walk corrects the forces by what it has learnt of its sensors' cross-talk, unless
    the estimator has an attribute ``raw_forces`` that is true.
    """

    def initial_state(self) -> State:
        """Return the state before the first sample."""

    def step(
        self,
        state: State,
        measurement: FootMeasurement,
        dt: float,
        context: FootContext = NO_CONTEXT,
    ) -> tuple[State, FrictionEstimate]:
        """Update the estimate by one sample.

        Args:
            state: after the sample before.
            measurement: of the foot.
            dt: time since the sample before [s].
            context: what the walk knows beyond the measurement.
        """


def takes_raw_forces(estimator: Any) -> bool:
    """Return whether an estimator wants forces as they were measured."""
    return bool(getattr(estimator, "raw_forces", False))


EstimatorStep = Callable[
    [Any, Any, FootMeasurement, float, FootContext], tuple[Any, FrictionEstimate]
]
"""(state, settings, measurement, dt, context) -> (state, estimate)."""


class CompiledRule(Generic[State]):
    """Estimator or limit of one foot whose step is a kernel, for compiled loops.

    Subclasses name the kernel, ``(state, settings, *inputs) -> (state, answer)``, the
    configuration whose packed form its settings are, and the state it starts from.
    """

    kernel: Callable[..., Any]
    Config: ClassVar[type[Configuration]] = Configuration
    start: Any = None

    def __init__(self, config: Configuration | None = None) -> None:
        self.config: Any = self.Config() if config is None else config
        self.settings: Any = self.config.packed

    def initial_state(self) -> State:
        """Return the state before the first sample."""
        return cast(State, self.start)

    def step(self, state: State, *inputs: Any) -> tuple[State, Any]:
        """Compute the next state and the output."""
        return cast("tuple[State, Any]", self.kernel(state, self.settings, *inputs))


class CompiledEstimator(CompiledRule[State]):
    """Friction estimator whose step is a kernel, an :data:`EstimatorStep`."""

    def step(
        self,
        state: State,
        measurement: FootMeasurement,
        dt: float,
        context: FootContext = NO_CONTEXT,
    ) -> tuple[State, FrictionEstimate]:
        """Update the estimate by one sample; see :class:`FrictionEstimator`."""
        return super().step(state, measurement, dt, context)


def quick_step(
    estimator: FrictionEstimator[State],
) -> Callable[
    [State, FootMeasurement, float, FootContext], tuple[State, FrictionEstimate]
]:
    """Return an estimator's step for a loop whose arguments never change their types.

    Of a compiled estimator their look-up at each call, three quarters of a step's time,
    is left out. A step of its own that an estimator has is left as it is.
    """
    if getattr(type(estimator), "step", None) is not CompiledEstimator.step:
        return estimator.step
    compiled = cast("CompiledEstimator[State]", estimator)
    quick = OfOneType(compiled.kernel)

    def step(
        state: State, measurement: FootMeasurement, dt: float, context: FootContext
    ) -> tuple[State, FrictionEstimate]:
        found = quick(state, compiled.settings, measurement, dt, context)
        return cast("tuple[State, FrictionEstimate]", found)

    return step


def ignoring_context(
    step: Callable[[Any, Any, FootMeasurement, float], tuple[Any, FrictionEstimate]],
) -> EstimatorStep:
    """Make the kernel of an estimator that needs no context.

    Args:
        step: kernel (state, settings, measurement, dt) -> (state, estimate).
    """

    @kernel
    def step_without(
        state: Any,
        settings: Any,
        measurement: FootMeasurement,
        dt: float,
        context: FootContext,
    ) -> tuple[Any, FrictionEstimate]:
        return step(state, settings, measurement, dt)

    return cast(EstimatorStep, step_without)

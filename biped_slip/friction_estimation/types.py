# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Foot measurement, friction estimate, and the interface of estimators between them."""

from __future__ import annotations

import math
from enum import IntEnum
from typing import Any, Callable, ClassVar, Generic, NamedTuple, Protocol, TypeVar, cast

from biped_slip.compile.arrays import Array
from biped_slip.compile.kernel import kernel
from biped_slip.config import Configuration


class FootMeasurement(NamedTuple):
    """One sample of one foot, in the floor frame under it.

    The frame has x along the foot, y left, and z along the floor's normal.

    Forces are those of the ground on the foot; motion is that of the foot relative to
    the ground. NaN means that a quantity is not measured.
    """

    stamp_ns: int  # [ns]
    force_x: float  # tangential [N]
    force_y: float  # tangential [N]
    force_normal: float  # [N], positive when the ground pushes
    displacement_x: float  # [m], from an arbitrary origin
    displacement_y: float  # [m]
    velocity_x: float  # [m/s]
    velocity_y: float  # [m/s]
    moment_normal: (
        float  # about the floor's normal through the centre of pressure [N m]
    )
    centre_of_pressure_x: float  # from the sole's origin [m]
    centre_of_pressure_y: float  # [m]
    # of the sole about axes in the floor plane: rolling over heel or toe [rad/s]
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
    """State of an estimate: what it can be used for."""

    NO_CONTACT = 0
    SETTLING = 1  # touchdown rings, or too few samples
    NOT_IDENTIFIABLE = 2  # the load has not bent the curve yet: mu is unknowable
    USABLE = 3
    SLIPPING = 4
    INVALID_INPUT = (
        5  # a sample is not finite or not plausible; it was skipped and counted
    )


#: The same as plain numbers, for kernels.
NO_CONTACT, SETTLING, NOT_IDENTIFIABLE, USABLE, SLIPPING, INVALID_INPUT = map(
    int, EstimateState
)


class FrictionEstimate(NamedTuple):
    """Friction estimate of one foot; NaN where the estimator has no such quantity."""

    mu: float  # point value [-]
    mu_low: float  # certified lower bound [-]
    mu_q05: float  # 5 % quantile [-]
    mu_median: float  # [-]
    mu_high: float  # certified upper bound [-]
    usable: bool  # the interval is narrow enough to act upon
    flag: bool  # the thesis' convergence flag
    mu_demonstrated: float  # largest force ratio held without slip in this contact [-]
    s_p: float  # displacement at 95 % of the friction limit [m]
    test_load: float  # mean normal force of the slide that was answered [N]
    test_speed: float  # its fastest [m/s]
    test_travel: float  # its way along the floor [m]
    known_after: float  # time from touchdown to the first answer [s]
    force_ratio: float  # |tangential| / normal now [-]
    slipping: bool
    state_code: int  # an EstimateState


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


State = TypeVar("State")


class FrictionEstimator(Protocol[State]):
    """Interface of all friction estimators: explicit state, one measurement a step.

    An estimator restarts by itself when its foot leaves the ground. A sample that is
    not finite leaves the state as it was and answers INVALID_INPUT.
    """

    def initial_state(self) -> State:
        """Return the state before the first sample."""

    def step(
        self, state: State, measurement: FootMeasurement, dt: float
    ) -> tuple[State, FrictionEstimate]:
        """Update the estimate by one sample, ``dt`` [s] after the previous one."""


EstimatorStep = Callable[
    [Any, Any, FootMeasurement, float], tuple[Any, FrictionEstimate]
]
"""(state, settings, measurement, dt) -> (state, estimate)."""


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
        """Compute the next state and the output.

        An estimator's inputs end with ``measurement, dt``, dt in [s].
        """
        return cast("tuple[State, Any]", self.kernel(state, self.settings, *inputs))

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The interval where it can know, the ratio of a sliding foot where it can't.

It is for feet whose motion is not measured: without displacement friction can't be seen
before slip (study 4), and the interval answers "not identifiable". Once the foot
slides, its force ratio is mu (A.3), and a plateau of the ratio shows that without any
measured motion.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

from biped_slip.compile.kernel import kernel
from biped_slip.friction_estimation.interval.estimator import (
    IntervalEstimator,
    IntervalState,
    step,
)
from biped_slip.friction_estimation.slip_based import (
    SlipBasedEstimator,
    SlipBasedState,
    slip_based_step,
)
from biped_slip.friction_estimation.types import (
    INVALID_INPUT,
    NO_CONTEXT,
    NOT_IDENTIFIABLE,
    SLIPPING,
    USABLE,
    CompiledEstimator,
    FootContext,
    FootMeasurement,
    FrictionEstimate,
    FrictionEstimator,
    ignoring_context,
)

if TYPE_CHECKING:
    from biped_slip.friction_estimation.settings import EstimatorSettings


class BothStates(NamedTuple):
    """States of one foot in both estimators."""

    interval: IntervalState
    slip: SlipBasedState


class BothSettings(NamedTuple):
    """Settings for compiled code.

    They are the interval's Settings and a packed SlipBasedConfig.
    """

    interval: Any
    slip: Any


@kernel
def interval_or_slip_step(
    state: BothStates, settings: BothSettings, measurement: FootMeasurement, dt: float
) -> tuple[BothStates, FrictionEstimate]:
    """Update both estimators by one sample.

    It overwrites the buffers of ``state.interval``.
    """
    known = step(state.interval, settings.interval, measurement, dt)
    slip, slid = slip_based_step(state.slip, settings.slip, measurement, dt)
    return BothStates(state.interval, slip), choose(known, slid)


@kernel
def choose(known: FrictionEstimate, slid: FrictionEstimate) -> FrictionEstimate:
    """Choose the interval's estimate, or the slip's.

    The slip's is chosen if it is the only one in this contact. The interval has none
    either of a displacement that stood still under a changing load, as one without any
    noise does on a rigid floor: it takes that sensor for a dead one.
    """
    slides = slid.state_code == USABLE or slid.state_code == SLIPPING
    dead = known.state_code == INVALID_INPUT and math.isnan(known.mu)
    nothing = known.state_code == NOT_IDENTIFIABLE or dead
    return slid if nothing and slides else known


class IntervalOrSlipEstimator(CompiledEstimator[BothStates]):
    """Estimator of presliding and slips behind the common interface.

    The state's buffers are overwritten.
    """

    kernel = staticmethod(ignoring_context(interval_or_slip_step))
    raw_forces = True

    def __init__(self, interval: IntervalEstimator, slip: SlipBasedEstimator) -> None:
        self._interval = interval
        self._slip = slip
        self.settings = BothSettings(interval.settings, slip.settings)

    def initial_state(self) -> BothStates:
        """Return the state of a foot in the air."""
        return BothStates(self._interval.initial_state(), self._slip.initial_state())

    def step(
        self,
        state: BothStates,
        measurement: FootMeasurement,
        dt: float,
        context: FootContext = NO_CONTEXT,
    ) -> tuple[BothStates, FrictionEstimate]:
        """Update both estimators by one sample."""
        held, known = self._interval.step(state.interval, measurement, dt)
        slip, slid = self._slip.step(state.slip, measurement, dt)
        return BothStates(held, slip), choose(known, slid)


def interval_estimator(settings: EstimatorSettings) -> FrictionEstimator[Any]:
    """Make the interval estimator of a foot.

    A foot of unknown motion is not identifiable until it slides.
    """
    interval = IntervalEstimator(settings.interval, body_weight=settings.body_weight)
    if not settings.slip_counts:
        return interval
    return IntervalOrSlipEstimator(interval, SlipBasedEstimator(settings.slip))

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The interval where it can know, the ratio of a sliding foot where it can't: for feet whose motion is not measured.

Without displacement friction can't be seen before slip (study 4): the interval answers "not identifiable". Once the
foot slides, its force ratio is mu (A.3), and a plateau of the ratio shows that without any measured motion.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from biped_slip.compile.kernel import kernel
from biped_slip.friction_estimation.interval.estimator import IntervalEstimator
from biped_slip.friction_estimation.interval.foot import step
from biped_slip.friction_estimation.interval.foot_state import IntervalState
from biped_slip.friction_estimation.slip_based import SlipBasedEstimator, SlipBasedState, slip_based_step
from biped_slip.friction_estimation.types import EstimateState, FootMeasurement, FrictionEstimate

NOT_IDENTIFIABLE = int(EstimateState.NOT_IDENTIFIABLE)
USABLE, SLIPPING = int(EstimateState.USABLE), int(EstimateState.SLIPPING)


class BothStates(NamedTuple):
    """One foot in both estimators."""

    interval: IntervalState
    slip: SlipBasedState


class BothSettings(NamedTuple):
    """For compiled code: the interval's Settings and a packed SlipBasedConfig."""

    interval: Any
    slip: Any


@kernel
def interval_or_slip_step(
    state: BothStates, settings: BothSettings, measurement: FootMeasurement, dt: float
) -> tuple[BothStates, FrictionEstimate]:
    """One sample later; the buffers of ``state.interval`` are overwritten."""
    known = step(state.interval, settings.interval, measurement, dt)
    slip, slid = slip_based_step(state.slip, settings.slip, measurement, dt)
    return BothStates(state.interval, slip), choose(known, slid)


@kernel
def choose(known: FrictionEstimate, slid: FrictionEstimate) -> FrictionEstimate:
    """The interval's answer, unless it can't say anything and the foot has slid in this contact."""
    if known.state_code == NOT_IDENTIFIABLE and (slid.state_code == USABLE or slid.state_code == SLIPPING):
        return slid
    return known


class IntervalOrSlipEstimator:
    """Both estimators behind the common interface; the state's buffers are overwritten."""

    kernel = staticmethod(interval_or_slip_step)

    def __init__(self, interval: IntervalEstimator, slip: SlipBasedEstimator) -> None:
        self._interval, self._slip = interval, slip
        self.settings = BothSettings(interval.settings, slip.settings)

    def initial_state(self) -> BothStates:
        """In the air, nothing known."""
        return BothStates(self._interval.initial_state(), self._slip.initial_state())

    def step(self, state: BothStates, measurement: FootMeasurement, dt: float) -> tuple[BothStates, FrictionEstimate]:
        """One sample later; ``dt`` [s] is the time since the previous sample."""
        held, known = self._interval.step(state.interval, measurement, dt)
        slip, slid = self._slip.step(state.slip, measurement, dt)
        return BothStates(held, slip), choose(known, slid)

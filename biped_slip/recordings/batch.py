# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""An estimator over a whole series: its own step, sample by sample, compiled where the estimator has a kernel."""

from __future__ import annotations

from typing import Any, Callable, NamedTuple

import numpy as np
from numpy.typing import NDArray

from biped_slip.compile.kernel import kernel
from biped_slip.friction_estimation.interval_or_slip import IntervalOrSlipEstimator
from biped_slip.friction_estimation.slip_based import SlipBasedEstimator
from biped_slip.friction_estimation.types import FootMeasurement, FrictionEstimate, FrictionEstimator
from biped_slip.recordings.series import FloatArray, TimeSeries

FIELDS = FrictionEstimate._fields
WORTH_COMPILING = 50_000  # samples; below, compiling the loop of a large estimator takes longer than its steps

#: (state, settings, measurement, dt) -> (state, estimate)
EstimatorStep = Callable[[Any, Any, FootMeasurement, float], tuple[Any, FrictionEstimate]]


class Reached(NamedTuple):
    """Where an estimator stands after some samples."""

    state: Any
    stamp_ns: int  # of the last sample


def estimates(
    estimator: FrictionEstimator[Any], series: TimeSeries, reached: Reached | None = None
) -> tuple[FloatArray, Reached]:
    """Every answer of an estimator, shape (n, 12), columns ``FrictionEstimate._fields``, and where it got to.

    An estimator whose step is a kernel runs compiled where it pays; the answers are the same bit for bit. A series in
    pieces gives the same answers when each piece begins where the one before has ``reached``.
    """
    table, stamps = series.table(), series.stamp_ns
    answers = np.empty((len(stamps), len(FIELDS)))
    state = estimator.initial_state() if reached is None else reached.state
    before = np.concatenate([[stamps[0] if reached is None else reached.stamp_ns], stamps[:-1]])
    dt = (stamps - before) * 1e-9
    kernel_form = _kernel_form(estimator)
    quick = isinstance(estimator, SlipBasedEstimator)
    if kernel_form is not None and (quick or reached is not None or len(stamps) >= WORTH_COMPILING):
        kernel_step, settings = kernel_form
        state = loop_over(kernel_step)(state, table, stamps, dt, answers, settings)
        return answers, Reached(state, int(stamps[-1]))
    for index in range(len(stamps)):
        measurement = FootMeasurement(int(stamps[index]), *map(float, table[index]))
        state, answer = estimator.step(state, measurement, float(dt[index]))
        answers[index] = answer
    return answers, Reached(state, int(stamps[-1]))


def _kernel_form(estimator: FrictionEstimator[Any]) -> tuple[EstimatorStep, Any] | None:
    """Kernel of an estimator whose loop may be worth compiling, and its settings."""
    if isinstance(estimator, (SlipBasedEstimator, IntervalOrSlipEstimator)):
        return estimator.kernel, estimator.settings
    return None


#: (state, table, stamps, dt, answers, settings) -> state; fills ``answers``
Loop = Callable[[Any, FloatArray, NDArray[np.int64], FloatArray, FloatArray, Any], Any]


def loop_over(estimator_step: EstimatorStep) -> Loop:
    """All samples in one call, which lets other threads run."""

    @kernel(nogil=True)
    def loop(
        state: Any, table: FloatArray, stamps: NDArray[np.int64], dt: FloatArray, answers: FloatArray, config: Any
    ) -> Any:
        for i in range(len(stamps)):
            row = table[i]
            measurement = FootMeasurement(
                stamps[i], row[0], row[1], row[2], row[3], row[4], row[5], row[6], row[7], row[8], row[9], row[10]
            )
            state, answer = estimator_step(state, config, measurement, dt[i])
            answers[i, 0] = answer.mu
            answers[i, 1] = answer.mu_low
            answers[i, 2] = answer.mu_q05
            answers[i, 3] = answer.mu_median
            answers[i, 4] = answer.mu_high
            answers[i, 5] = answer.usable
            answers[i, 6] = answer.flag
            answers[i, 7] = answer.witnessed
            answers[i, 8] = answer.s_p
            answers[i, 9] = answer.force_ratio
            answers[i, 10] = answer.slipping
            answers[i, 11] = answer.state_code
        return state

    return loop

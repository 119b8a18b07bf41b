# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""An estimator over a whole series: its own step, sample by sample, compiled where the estimator has a kernel."""

from __future__ import annotations

import functools
from typing import Any, Callable, NamedTuple

import numpy as np
from numpy.typing import NDArray

from biped_slip.compile.kernel import specialise
from biped_slip.friction_estimation.interval_or_slip import IntervalOrSlipEstimator, interval_or_slip_step
from biped_slip.friction_estimation.slip_based import SlipBasedEstimator, slip_based_step
from biped_slip.friction_estimation.types import FootMeasurement, FrictionEstimate, FrictionEstimator
from biped_slip.recordings.series import FloatArray, TimeSeries

FIELDS = FrictionEstimate._fields
WORTH_COMPILING = 50_000  # samples; below, compiling the loop of a large estimator takes longer than its steps


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
        state = _compiled(kernel_step)(state, table, stamps, dt, answers, settings)
        return answers, Reached(state, int(stamps[-1]))
    for index in range(len(stamps)):
        measurement = FootMeasurement(int(stamps[index]), *map(float, table[index]))
        state, answer = estimator.step(state, measurement, float(dt[index]))
        answers[index] = answer
    return answers, Reached(state, int(stamps[-1]))


def _kernel_form(estimator: FrictionEstimator[Any]) -> tuple[Callable[..., Any], Any] | None:
    """Kernel ``step(state, measurement, dt, settings)`` of an estimator and its settings, if it has one."""
    if isinstance(estimator, SlipBasedEstimator):
        return slip_based_step, estimator.config.packed
    if isinstance(estimator, IntervalOrSlipEstimator):
        return interval_or_slip_step, estimator.settings
    return None


@functools.cache
def _compiled(kernel_step: Callable[..., Any]) -> Callable[..., Any]:
    name = f"{kernel_step.__module__}.{kernel_step.__name__}".rpartition("biped_slip.")[2]
    bindings = {"estimator_step": kernel_step}
    return specialise(_loop, bindings, f"replay.{name}", nogil=True)  # type: ignore[arg-type]


def estimator_step(state: Any, measurement: FootMeasurement, dt: float, config: Any) -> tuple[Any, FrictionEstimate]:
    """Stand-in that ``specialise`` replaces by an estimator's kernel."""
    raise NotImplementedError


def _loop(
    state: Any, table: FloatArray, stamps: NDArray[np.int64], dt: FloatArray, answers: FloatArray, config: Any
) -> Any:
    for i in range(len(stamps)):
        row = table[i]
        measurement = FootMeasurement(
            stamps[i], row[0], row[1], row[2], row[3], row[4], row[5], row[6], row[7], row[8], row[9], row[10]
        )
        state, answer = estimator_step(state, measurement, dt[i], config)
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

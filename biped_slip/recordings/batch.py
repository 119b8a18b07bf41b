# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""An estimator over a whole series: its own step, sample by sample, compiled where the estimator has a kernel."""

from __future__ import annotations

import functools
from typing import Any, Callable

import numpy as np
from numpy.typing import NDArray

from biped_slip.friction.types import FootMeasurement, FrictionEstimate, FrictionEstimator
from biped_slip.kernels import specialise
from biped_slip.recordings.series import FloatArray, TimeSeries

FIELDS = FrictionEstimate._fields


def estimates(estimator: FrictionEstimator[Any], series: TimeSeries) -> FloatArray:
    """Every answer of an estimator, shape (n, 12), columns ``FrictionEstimate._fields``.

    An estimator with ``step_kernel`` (a kernel ``step(state, measurement, dt, packed_config)``) runs compiled;
    the answers are the same bit for bit.
    """
    table, stamps = series.table(), series.stamp_ns
    answers = np.empty((len(stamps), len(FIELDS)))
    if hasattr(estimator, "step_kernel"):
        loop = _compiled(estimator.step_kernel)
        loop(estimator.initial_state(), table, stamps, answers, estimator.config.packed)  # type: ignore[attr-defined]
        return answers
    state = estimator.initial_state()
    for index in range(len(stamps)):
        dt = (stamps[index] - stamps[max(index - 1, 0)]) * 1e-9
        state, answer = estimator.step(state, FootMeasurement(int(stamps[index]), *table[index]), float(dt))
        answers[index] = answer
    return answers


@functools.cache
def _compiled(step: Callable[..., Any]) -> Callable[..., Any]:
    name = f"{step.__module__}.{step.__name__}".rpartition("biped_slip.")[2]
    return specialise(_loop, {"estimator_step": step}, f"replay.{name}")  # type: ignore[arg-type]


def estimator_step(state: Any, measurement: FootMeasurement, dt: float, config: Any) -> tuple[Any, FrictionEstimate]:
    """Stand-in that ``specialise`` replaces by an estimator's kernel."""
    raise NotImplementedError


def _loop(state: Any, table: FloatArray, stamps: NDArray[np.int64], answers: FloatArray, config: Any) -> None:
    for i in range(len(stamps)):
        row = table[i]
        measurement = FootMeasurement(
            stamps[i], row[0], row[1], row[2], row[3], row[4], row[5], row[6], row[7], row[8], row[9], row[10]
        )
        dt = (stamps[i] - stamps[max(i - 1, 0)]) * 1e-9
        state, answer = estimator_step(state, measurement, dt, config)
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

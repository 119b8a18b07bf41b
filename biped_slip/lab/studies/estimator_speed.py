# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""How long the interval estimator takes, called from Python, beside a bare compiled call.

What is required in microseconds is asked for in bare calls: machines differ, and this one from hour to hour.
"""

from __future__ import annotations

import time
from typing import Iterator

import numpy as np

from biped_slip.friction_estimation.interval import IntervalConfig, IntervalEstimator, MotionNoise, SoleModel
from biped_slip.friction_estimation.types import FootMeasurement
from biped_slip.lab.studies.bare_call import BARE_CALL, bare_call
from biped_slip.lab.studies.conditions import CALIBRATED_SOLE, KNOWN_SOLE
from biped_slip.lab.studies.row import NAN, Row


def speed(repeats: int = 4000) -> Iterator[Row]:
    """Median time of the sample that closes a block, called from Python, in bare compiled calls of the same minute."""
    bare = bare_call(repeats)
    yield Row("bare compiled call [us]", NAN, True, "", bare)
    for name, sole, axes, limit in (
        ("60 nodes, 1-D", KNOWN_SOLE, 1, 15.0),
        ("60 nodes, 2-D", KNOWN_SOLE, 2, 15.0),
        ("60 nodes, 2-D, compliance", SoleModel(calibrated=True), 2, 15.0),
        ("60 x 5 shapes, 2-D", CALIBRATED_SOLE, 2, 60.0),
        ("60 x 9 shapes, 2-D, compliance", SoleModel(), 2, NAN),
    ):
        estimator = IntervalEstimator(
            IntervalConfig(motion=MotionNoise(sigma=5e-6), sole=sole, axes=axes), body_weight=350.0
        )
        taken = _block_time(estimator, repeats)
        yield Row(f"block, {name} [us]", NAN, True, "6-8", taken)
        yield Row(f"block, {name} [bare calls]", limit / BARE_CALL, True, "", taken / bare)


def _block_time(estimator: IntervalEstimator, repeats: int) -> float:
    estimator.warm_up()
    state, times, stage, moved = estimator.initial_state(), [], 0.5, 0.0
    for k in range(5 * repeats + 100):
        before_stage, stage = stage, 0.5 + 0.3 * np.sin(2e-3 * k)  # of a limit of 0.4: a slow push to and fro
        moved += 3e-4 * (stage - before_stage) / (1.0 - np.sign(stage - before_stage) * stage)
        measurement = FootMeasurement(k, float(-0.4 * stage * 350.0), 0.0, 350.0, float(moved), 0.0, *[NAN] * 6)
        before = time.perf_counter_ns()
        state, _ = estimator.step(state, measurement, 1e-3)
        times.append(time.perf_counter_ns() - before)
    return float(np.median(np.array(times[100:]).reshape(-1, 5).max(axis=1))) / 1e3

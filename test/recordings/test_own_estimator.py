# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Somebody's own estimator that fails is one sentence with the sample, not a traceback."""

import numpy as np
import pytest

from biped_slip.errors import BipedSlipError
from biped_slip.friction_estimation.types import NO_ESTIMATE
from biped_slip.recordings.foot_arrays import foot_series
from biped_slip.recordings.replay import estimates

TIME = 0.01 * np.arange(20)
SERIES = foot_series(
    {"time": TIME, "force_x": np.full(20, 10.0), "force_normal": np.full(20, 100.0)}
)


class Own:
    """Answers what a test says at its third sample."""

    def __init__(self, answer):
        self.answer = answer

    def initial_state(self):
        return 0

    def step(self, state, measurement, dt):
        return self.answer() if state == 2 else (state + 1, NO_ESTIMATE)


@pytest.mark.parametrize(
    "answer",
    [lambda: 1 / 0, lambda: None, lambda: (3, None), lambda: (3, "much"), lambda: 7],
)
def test_an_own_estimator_that_raises_or_answers_nothing_is_one_sentence(answer):
    with pytest.raises(BipedSlipError, match=r"Own.*sample 2"):
        estimates(Own(answer), SERIES)

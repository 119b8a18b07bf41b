# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""A walk's own momentum tells what share of the normal force each ankle's sensor shows along the foot."""

import math

import numpy as np
import pytest

from biped_slip.constants import GRAVITY
from biped_slip.estimation.humanoid_observer import CrossTalkFilter
from biped_slip.friction_estimation.touchdown import UNLOADED, TouchdownEstimator
from biped_slip.friction_estimation.types import NO_MEASUREMENT

MASS, DT, STEP, YAW, BOUND = 90.0, 1e-3, 500, 0.3, 0.02
ZEROS = (3.0, -2.0)  # [N] offset of each sensor along the foot
C, S = math.cos(YAW), math.sin(YAW)
ROTATION = np.array([[[C, -S, 0.0], [S, C, 0.0], [0.0, 0.0, 1.0]]] * 2)


def walked(shares, steps=8, push=0.0, level=True, rng=None):
    """Walk on alternate feet, speeding up and down within each step; the corrected forces of the last sample."""
    talk = CrossTalkFilter(MASS, BOUND)
    feet = [TouchdownEstimator.start._replace(zero=UNLOADED._replace(time=1.0, x=z * C, y=z * S)) for z in ZEROS]
    for tick in range(steps * STEP):
        stance, phase = (tick // STEP) % 2, (tick % STEP) / STEP
        pull = 60.0 * math.sin(2.0 * math.pi * phase)  # [N]: nothing over a step
        speed = 0.3 + 60.0 / MASS * STEP * DT / (2.0 * math.pi) * (1.0 - math.cos(2.0 * math.pi * phase))
        measured = []
        for foot in (0, 1):
            load = MASS * GRAVITY if foot == stance else 0.0
            along = (pull if foot == stance else 0.0) + shares[foot] * load + ZEROS[foot]
            along += push if foot == stance and tick // STEP == 5 else 0.0
            noise = 2.7 * rng.standard_normal() if rng is not None else 0.0
            measured.append(NO_MEASUREMENT._replace(force_x=C * (along + noise), force_y=S * (along + noise),
                                                    force_normal=load))  # fmt: skip
            feet[foot] = feet[foot]._replace(in_contact=foot == stance)
        velocity = np.array([C * speed, S * speed, 0.0])
        found = talk.step(tuple(measured), tuple(feet), ROTATION, velocity, level, DT)
    return talk.state, found, stance


@pytest.mark.parametrize("shares", [(0.02, -0.015), (-0.01, -0.02), (0.0, 0.0)])
def test_a_few_steps_tell_the_cross_talk_of_both_sensors(shares):
    state, found, stance = walked(shares, rng=np.random.default_rng(4))
    assert state.share == pytest.approx(shares, abs=0.1 * BOUND)
    assert (state.sigma < 0.4 * BOUND / math.sqrt(3.0)).all()
    along = C * found[stance].force_x + S * found[stance].force_y - ZEROS[stance]
    assert along == pytest.approx(-60.0 * math.sin(2.0 * math.pi / STEP), abs=0.002 * MASS * GRAVITY + 9.0)


def test_the_certainty_covers_the_error():
    off = []
    for seed in range(12):
        rng = np.random.default_rng(seed)
        shares = rng.uniform(-BOUND, BOUND, 2)
        state, _, _ = walked(shares, rng=rng)
        off += [*(np.abs(state.share - shares) / state.sigma)]
    assert max(off) < 2.0


def test_a_push_from_outside_is_not_taken_for_cross_talk():
    quiet, pushed = walked((0.01, 0.01)), walked((0.01, 0.01), push=150.0)
    assert pushed[0].share == pytest.approx(quiet[0].share, abs=0.002)


def test_on_a_slope_nothing_is_learnt():
    state, _, _ = walked((0.02, 0.02), level=False)
    assert state.share == pytest.approx([0.0, 0.0])

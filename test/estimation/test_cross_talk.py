# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""A walk's own momentum tells what share of the normal force each ankle's sensor shows
along and across the foot."""

import math

import numpy as np
import pytest

from biped_slip.constants import GRAVITY
from biped_slip.estimation.cross_talk import CrossTalkFilter
from biped_slip.friction_estimation.force_zero import NO_SOLE_CONTACT, UNLOADED
from biped_slip.friction_estimation.settings import TouchdownConfig
from biped_slip.friction_estimation.touchdown import footing_settings
from biped_slip.friction_estimation.types import NO_MEASUREMENT

MASS = 90.0
DT = 1e-3
STEP = 500
YAW = 0.3
BOUND = 0.02
ZEROS = (3.0, -2.0)  # [N] offset of each sensor along the foot
SWAY = -40.0  # [N] with which the stance foot pushes to the left, if it is the left one
C = math.cos(YAW)
S = math.sin(YAW)
ROTATION = np.array([[[C, -S, 0.0], [S, C, 0.0], [0.0, 0.0, 1.0]]] * 2)


FOOTING = footing_settings(TouchdownConfig(), MASS * GRAVITY)


def swung(x=0.0, y=0.0):
    """A foot in the air whose sensor shows a force (x, y) [N] of nothing."""
    return NO_SOLE_CONTACT._replace(
        away=1.0, zero=UNLOADED._replace(time=1.0, x=x, y=y, parts=2.0)
    )


def walked(
    shares, across=(0.0, 0.0), steps=8, push=0.0, level=True, rng=None, shaken=0.0
):
    """Walk on alternate feet, speeding up and down within each step; the last corrected
    force on the stance foot. ``shaken`` is the error [m/s] of the velocity."""
    talk = CrossTalkFilter(MASS, BOUND, FOOTING)
    talk.stand(*(swung(x=z * C, y=z * S) for z in ZEROS))
    for tick in range(steps * STEP):
        stance = (tick // STEP) % 2
        phase = (tick % STEP) / STEP
        side = 1 - 2 * stance
        pull = 60.0 * math.sin(2.0 * math.pi * phase)  # [N]: nothing over a step
        speed = 0.3 + 60.0 / MASS * STEP * DT / (2.0 * math.pi) * (
            1.0 - math.cos(2.0 * math.pi * phase)
        )
        # [m/s]: each step pulls back to the other side
        aside = -SWAY / MASS * STEP * DT * (0.5 - phase) * side
        wrenches = np.zeros((2, 6))
        for foot in (0, 1):
            load = MASS * GRAVITY if foot == stance else 0.0
            carries = float(foot == stance)
            wrenches[foot, 0] = (
                carries * (pull + push * (tick // STEP == 5))
                + shares[foot] * load
                + ZEROS[foot]
            )
            wrenches[foot, 0] += 2.7 * rng.standard_normal() if rng is not None else 0.0
            wrenches[foot, 1:3] = carries * SWAY * side + across[foot] * load, load
        known = talk.corrected(wrenches)
        measured = [
            NO_MEASUREMENT._replace(
                force_x=C * x - S * y, force_y=S * x + C * y, force_normal=z
            )
            for x, y, z in known[:, :3]
        ]
        velocity = np.array([C * speed - S * aside, S * speed + C * aside, 0.0])
        if talk.step(tuple(measured), level, DT):
            if shaken > 0.0:
                velocity[:2] += shaken * rng.standard_normal(2)
            talk.learn(ROTATION, velocity)
    return (
        talk.state,
        known[stance] - np.array([ZEROS[stance], 0.0, 0.0, 0.0, 0.0, 0.0]),
        side,
    )


@pytest.mark.parametrize("shares", [(0.02, -0.015), (-0.01, -0.02), (0.0, 0.0)])
@pytest.mark.parametrize("across", [(-0.016, 0.01), (0.0, 0.0)])
def test_a_few_steps_tell_the_cross_talk_of_both_sensors_along_and_across(
    shares, across
):
    state, found, side = walked(shares, across, rng=np.random.default_rng(4))
    assert state.share == pytest.approx(np.transpose([shares, across]), abs=0.1 * BOUND)
    assert (state.sigma < 0.4 * BOUND / math.sqrt(3.0)).all()
    pull = 60.0 * math.sin(-2.0 * math.pi / STEP)
    assert found[0] == pytest.approx(pull, abs=0.002 * MASS * GRAVITY + 9.0)
    assert found[1] == pytest.approx(SWAY * side, abs=0.002 * MASS * GRAVITY)


def test_what_it_has_learnt_is_taken_out_of_a_wrench_in_the_sole():
    talk = CrossTalkFilter(MASS, BOUND, FOOTING)
    talk.state.share[:] = (0.02, -0.01), (0.0, 0.015)
    wrenches = np.array(
        [[5.0, 0.0, 400.0, 1.0, 2.0, 3.0], [0.0, 0.0, 200.0, 0.0, 0.0, 0.0]]
    )
    expected = np.array(
        [[-3.0, 4.0, 400.0, 1.0, 2.0, 3.0], [0.0, -3.0, 200.0, 0.0, 0.0, 0.0]]
    )
    assert talk.corrected(wrenches) == pytest.approx(expected)


def test_the_certainty_covers_the_error():
    off = []
    for seed in range(12):
        rng = np.random.default_rng(seed)
        shares, across = rng.uniform(-BOUND, BOUND, (2, 2))
        state, _, _ = walked(shares, across, rng=rng)
        off += [
            *(
                np.abs(state.share - np.transpose([shares, across])).max(axis=1)
                / state.sigma
            )
        ]
    assert max(off) < 2.0


def test_a_push_from_outside_is_not_taken_for_cross_talk():
    quiet = walked((0.01, 0.01))
    pushed = walked((0.01, 0.01), push=150.0)
    assert pushed[0].share == pytest.approx(quiet[0].share, abs=5e-4)


def test_a_walk_around_a_bend_is_not_taken_for_cross_talk():
    """Half a metre per second that turns by 0.1 rad a step is 4.5 N s across: as much
    as 0.01 of the weight for it."""
    talk = CrossTalkFilter(MASS, BOUND, FOOTING)
    talk.stand(swung(), swung())
    # [rad/s]
    yaws = np.zeros(2)
    turn = 0.1 / (STEP * DT)
    for tick in range(8 * STEP):
        stance = (tick // STEP) % 2
        yaw = turn * tick * DT
        pull = MASS * 0.5 * turn * np.array([-math.sin(yaw), math.cos(yaw)])
        if tick % STEP == 0:
            yaws[stance] = yaw
        measured = []
        for foot in (0, 1):
            carries = float(foot == stance)
            measured.append(
                NO_MEASUREMENT._replace(
                    force_x=carries * pull[0],
                    force_y=carries * pull[1],
                    force_normal=carries * MASS * GRAVITY,
                )
            )
        c = np.cos(yaws)
        s = np.sin(yaws)
        rotation = np.array(
            [[[c[i], -s[i], 0.0], [s[i], c[i], 0.0], [0.0, 0.0, 1.0]] for i in (0, 1)]
        )
        velocity = 0.5 * np.array([math.cos(yaw), math.sin(yaw), 0.0])
        if talk.step(tuple(measured), True, DT):
            talk.learn(rotation, velocity)
    assert np.abs(talk.state.share).max() < 1e-3


def test_on_a_slope_nothing_is_learnt():
    state, _, _ = walked((0.02, 0.02), level=False)
    assert state.share == pytest.approx(0.0)


def test_steps_whose_change_of_speed_scatters_teach_less_and_say_so():
    """A gait that lands with six weights: 80 mm/s."""
    off = []
    for seed in range(12):
        rng = np.random.default_rng(seed)
        shares, across = rng.uniform(-BOUND, BOUND, (2, 2))
        state, _, _ = walked(shares, across, steps=20, rng=rng, shaken=0.08)
        calm, _, _ = walked(shares, across, steps=20, rng=rng)
        assert (state.sigma > 1.5 * calm.sigma).all()
        wrong = np.abs(state.share - np.transpose([shares, across])).max(axis=1)
        off += [*(wrong / state.sigma)]
    # of the larger of two axes, of an honest sd: 1.13
    assert np.mean(off) < 1.4

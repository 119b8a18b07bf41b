# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Standing, transfer and swing: who lifts when, and that nobody lifts from a floor that
can't hold."""

import numpy as np
import pytest

from biped_slip.control.whole_body.footsteps import (
    TIME_CHANGE,
    Foothold,
    FootstepConfig,
    Gait,
    Phase,
    SolePoses,
    SteppingConfig,
    land,
    next_gait,
    slid_enough,
    standing,
    stepping,
    underway,
    zmp_now,
)

STEPS = FootstepConfig(width=0.17).packed
CONFIG = SteppingConfig().packed
FEET = SolePoses(
    holds=(Foothold(0.0, 0.085, 0.0), Foothold(0.0, -0.085, 0.0)),
    height=(0.0, 0.0),
    middle=np.zeros((2, 2)),
)
WALK = Gait(
    forward=0.3,
    left=0.0,
    turn=0.0,
    width=0.17,
    single_support=0.6,
    double_support=0.1,
    still=False,
    shift=0.0,
)
STILL = WALK._replace(forward=0.0, still=True)
BOTH = (0.5, 0.5)
LEFT_ONLY = (1.0, 0.0)


def after(state, seconds, gait=WALK, load=BOTH, may_lift=True):
    """The state some time later; the load is that of both feet, or of the left one
    while the right one swings."""
    for _ in range(round(seconds * 1000)):
        carried = LEFT_ONLY if state.phase == Phase.SWING and state.swing == 1 else load
        lifts = may_lift and state.time + 1e-3 >= state.duration
        state = stepping(state, FEET, carried, gait, lifts, STEPS, CONFIG, 1e-3)
    return state


def test_without_a_command_it_stands():
    assert after(standing(FEET, CONFIG), 2.0, STILL).phase == Phase.STAND


def test_a_command_moves_the_pivot_under_one_foot_and_lifts_the_other():
    state = after(standing(FEET, CONFIG), 0.5 * CONFIG.first_transfer)
    assert state.phase == Phase.TRANSFER
    state = after(state, CONFIG.first_transfer)
    assert (state.phase, state.swing) == (Phase.SWING, 1)
    assert state.target.x == pytest.approx(0.3)


@pytest.mark.parametrize(
    ("share", "phase"), [(1.0, Phase.SWING), (0.6, Phase.TRANSFER)]
)
def test_a_swing_cut_short_catches_the_robot_as_soon_as_it_meets_the_floor_and_others_ask_it(
    share, phase
):
    asking = SteppingConfig.from_mapping({"touchdown": {"lead": 0.04}}).packed
    state = after(standing(FEET, CONFIG), 2.0 * CONFIG.first_transfer - 0.3)
    assert state.phase == Phase.SWING
    state = state._replace(
        duration=share * WALK.single_support, time=0.9 * share * WALK.single_support
    )
    state = stepping(state, FEET, BOTH, WALK, False, STEPS, asking, 1e-3)
    assert state.phase == phase


def sliding_foot(enough):
    """A right foot in its slide, 30 ms before the swing's end, and the settings."""
    slides = SteppingConfig.from_mapping(
        {"touchdown": {"lead": 0.04, "enough": enough}}
    )
    state = after(standing(FEET, CONFIG), CONFIG.first_transfer + 0.1)
    return state._replace(time=state.duration - 0.03, sliding=0.005), slides.packed


def test_a_slide_ends_once_its_floor_holds_for_certain_what_the_gait_needs():
    state, config = sliding_foot(enough=1.5)
    assert not slid_enough(state, 0.074, 0.05, config)
    assert slid_enough(state, 0.076, 0.05, config)
    # a foot in the air has asked nothing yet
    assert not slid_enough(state._replace(sliding=0.0), 0.5, 0.05, config)


def test_without_a_factor_no_floor_ends_a_slide():
    state, config = sliding_foot(enough=0.0)
    assert not slid_enough(state, 1.0, 0.05, config)


def test_a_foot_that_has_slid_enough_bears_the_weight_no_earlier_than_planned():
    state, config = sliding_foot(enough=1.5)
    landed = land(state, FEET, WALK, config)
    assert (landed.phase, landed.swing) == (Phase.TRANSFER, 0)
    assert landed.time == pytest.approx(-0.03)
    assert landed.duration == WALK.double_support


def test_steps_change_from_phase_to_phase_and_not_within_one_but_a_stop_is_heard_at_once():
    shorter = WALK._replace(forward=0.1, double_support=0.4, roll=0.05, ratio=0.02)
    at_rest = standing(FEET, CONFIG)
    stepping_on = after(at_rest, CONFIG.first_transfer + 0.1)
    assert underway(WALK, shorter, at_rest) == shorter
    assert underway(WALK, shorter, stepping_on) == WALK
    assert underway(WALK, shorter._replace(still=True), stepping_on) == WALK._replace(
        still=True
    )


def test_the_beat_changes_by_a_little_from_step_to_step_at_the_speed_that_is_wanted():
    slow = WALK._replace(
        forward=0.33, single_support=0.55, double_support=0.5, roll=0.2, ratio=0.05
    )
    gait = WALK
    times = []
    while gait != slow:
        before = gait
        gait = next_gait(gait, slow)
        assert abs(gait.single_support - before.single_support) <= TIME_CHANGE + 1e-9
        assert abs(gait.double_support - before.double_support) <= TIME_CHANGE + 1e-9
        assert gait.forward / (
            gait.single_support + gait.double_support
        ) == pytest.approx(0.33 / 1.05)
        times.append(gait.double_support)
    assert times == pytest.approx([0.2, 0.3, 0.4, 0.5])
    while gait != WALK:
        gait = next_gait(gait, WALK)
        # quick before it is long
        assert WALK.forward <= gait.forward <= slow.forward + 1e-9


def test_a_foot_stays_down_as_long_as_the_other_one_may_not_carry_alone():
    state = after(standing(FEET, CONFIG), 3.0, may_lift=False)
    assert state.phase == Phase.TRANSFER
    assert after(state, 0.01).phase == Phase.SWING


def test_a_swing_ends_with_the_load_of_its_foot_and_not_before():
    state = after(standing(FEET, CONFIG), CONFIG.first_transfer + 0.1)
    early = stepping(state, FEET, BOTH, WALK, True, STEPS, CONFIG, 1e-3)
    # still within the share in which contact is no landing
    assert early.phase == Phase.SWING
    state = after(state, 0.5)
    landed = stepping(state, FEET, BOTH, WALK, True, STEPS, CONFIG, 1e-3)
    assert (landed.phase, landed.swing) == (Phase.TRANSFER, 0)


def test_without_a_command_aligned_feet_stop():
    state = after(standing(FEET, CONFIG), 0.5 * CONFIG.first_transfer)
    assert after(state, 0.01, STILL).phase == Phase.STAND


def test_a_standing_robot_shifts_its_weight_towards_a_foot_when_told():
    state = after(standing(FEET, CONFIG), 0.1, STILL._replace(shift=0.03))
    assert state.zmp_to == pytest.approx([0.0, 0.03])


def test_a_rolling_pivot_goes_from_heel_to_toe_of_the_foot_that_carries():
    half = 0.0375
    rolls = WALK._replace(roll=0.075)
    state = standing(FEET, CONFIG)
    while state.phase != Phase.SWING:
        state = stepping(state, FEET, BOTH, rolls, True, STEPS, CONFIG, 1e-3)
    assert state.zmp_from[0] == pytest.approx(-half)
    assert state.zmp_to[0] == pytest.approx(half)


def test_a_foot_that_lands_early_does_not_shift_the_plan():
    in_place = WALK._replace(forward=0.0)
    state = after(standing(FEET, CONFIG), CONFIG.first_transfer + 0.55, in_place)
    assert (state.phase, state.swing) == (Phase.SWING, 1)
    late = stepping(state, FEET, LEFT_ONLY, in_place, True, STEPS, CONFIG, 1e-3)
    landed = stepping(state, FEET, BOTH, in_place, True, STEPS, CONFIG, 1e-3)
    assert landed.phase == Phase.TRANSFER
    early = late.duration - late.time
    assert early > 0.03
    assert -landed.time == pytest.approx(early, abs=1e-9)
    waiting = after(landed, 0.9 * early, in_place)
    assert zmp_now(waiting) == pytest.approx(zmp_now(late))
    assert (
        after(landed, early + 0.9 * WALK.double_support, in_place).phase
        == Phase.TRANSFER
    )
    assert (
        after(landed, early + WALK.double_support + 0.01, in_place).phase == Phase.SWING
    )

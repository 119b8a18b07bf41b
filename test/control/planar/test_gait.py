# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Steps: when to lift, where to land, how the swing leg gets there."""

import math

import numpy as np
import pytest
from planar_postures import resting

from biped_slip.control.planar.gait import (
    DOUBLE_SUPPORT,
    LEFT_SWING,
    RIGHT_SWING,
    GaitConfig,
    GaitState,
    double_support_speed,
    next_phase,
    passing_time,
    stride_length,
    wants_to_lift,
)
from biped_slip.control.planar.posture import balance_point
from biped_slip.control.planar.swing_leg import (
    SwingConfig,
    lands,
    swing_path,
    swing_torques,
)
from biped_slip.control.planar.virtual_model import VirtualModelConfig, virtual_force
from biped_slip.control.sliding_touchdown import SlidingTouchdownConfig
from biped_slip.robots.model_functions import model_functions
from biped_slip.robots.planar_biped import planar_biped

GAIT = GaitConfig().packed
STILL = SlidingTouchdownConfig(lead=0.0).packed  # feet land without a slide


def posture(
    hip=0.0, speed=0.5, feet=(0.4, -0.3), knee=(0.5, 0.5), slope=0.0, height=0.8
):
    return resting(hip, speed, feet, knee=knee, slope=slope, height=height)


def standing():
    return GaitState(
        phase=DOUBLE_SUPPORT,
        time=1.0,
        lift_s=0.0,
        lift_n=0.0,
        target_s=0.0,
        swing_time=0.5,
    )


def test_the_rear_foot_lifts_when_the_hip_reaches_the_front_foot():
    assert not wants_to_lift(posture(hip=0.39), 0.5, 0.0, GAIT)
    assert wants_to_lift(posture(hip=0.41), 0.5, 0.0, GAIT)


def test_the_rear_foot_lifts_when_a_leg_is_straight():
    assert wants_to_lift(posture(knee=(0.5, 0.02)), 0.5, 0.0, GAIT)


def test_nothing_lifts_when_told_to_stand():
    assert not wants_to_lift(posture(hip=0.5), 0.0, 0.0, GAIT)


def test_a_pendulum_that_could_not_get_over_the_front_foot_keeps_both_feet_down():
    slow = posture(speed=0.5, knee=(0.5, 0.02))
    fast = posture(speed=2.0, knee=(0.5, 0.02))
    assert not wants_to_lift(slow, 0.5, 3.5, GAIT)
    assert wants_to_lift(fast, 0.5, 3.5, GAIT)


@pytest.mark.parametrize("rate", [3.0, 3.7, 5.0])
@pytest.mark.parametrize("hip", [0.30, 0.35, 0.40])
def test_a_pendulum_lifts_its_rear_foot_if_it_passes_the_front_one_within_a_swing(
    hip, rate
):
    """x = -d cosh(w t) + v/w sinh(w t) is 0 after a swing at v = w d / tanh(w T): a
    slower one was given a second, in which it fell 1.2 m ahead of its foot."""
    gait = GaitConfig(lift_lead=1.0).packed
    way = 0.4 - hip + gait.stance_margin
    slowest = rate * way / math.tanh(rate * gait.swing_time)
    over = posture(hip=hip, speed=1.001 * slowest)
    under = posture(hip=hip, speed=0.999 * slowest)
    assert wants_to_lift(over, 0.5, rate, gait)
    assert not wants_to_lift(under, 0.5, rate, gait)
    assert passing_time(way, 1.001 * slowest, rate) < gait.swing_time


def test_the_nominal_stride_is_that_of_the_thesis():
    assert stride_length(posture(speed=0.5), 0, 0.5, 0.0, GAIT) == pytest.approx(0.5)
    assert stride_length(posture(speed=0.7), 0, 0.5, 0.0, GAIT) == pytest.approx(0.56)


def test_double_support_gives_a_pendulum_the_energy_to_pass_the_front_foot():
    """From the place of lift-off at the returned speed, the pendulum passes the foot at
    the commanded one."""
    gait = GaitConfig(lift_lead=0.0, longest_leg=0.9).packed
    rate = 3.5
    p = posture(feet=(0.6, -0.3))
    speed = double_support_speed(p, 0.4, rate, gait)
    lift = -0.3 + math.sqrt(0.9**2 - 0.8**2)
    x = lift - 0.6
    v = speed
    dt = 1e-5
    while x < 0.0:
        v += rate**2 * x * dt
        x += v * dt
    assert v == pytest.approx(0.4, abs=2e-3)


def test_passing_time_is_that_of_the_pendulum():
    rate = 3.5
    behind = 0.1
    speed = 0.6
    dt = 1e-5
    x = -behind
    v = speed
    time = 0.0
    while x < 0.0:
        v += rate**2 * x * dt
        x += v * dt
        time += dt
    assert passing_time(behind, speed, rate) == pytest.approx(time, rel=1e-3)
    assert passing_time(0.1, 0.5, 0.0) == pytest.approx(0.2)


def test_a_step_goes_from_the_rear_foot_to_a_stride_ahead_of_the_front_foot():
    state = next_phase(
        standing(), posture(hip=0.45), (17.0, 17.0), 0.5, 0.0, GAIT, STILL, 1e-3
    )
    assert state.phase == RIGHT_SWING
    assert (state.lift_s, state.target_s) == pytest.approx((-0.3, 0.9))


def test_contact_early_in_the_swing_is_not_a_landing():
    swing = GaitState(
        phase=LEFT_SWING, time=0.1, lift_s=0.0, lift_n=0.0, target_s=0.5, swing_time=0.5
    )
    assert (
        next_phase(swing, posture(), (20.0, 33.0), 0.5, 0.0, GAIT, STILL, 1e-3).phase
        == LEFT_SWING
    )
    late = swing._replace(time=0.4)
    assert (
        next_phase(late, posture(), (20.0, 33.0), 0.5, 0.0, GAIT, STILL, 1e-3).phase
        == DOUBLE_SUPPORT
    )
    assert (
        next_phase(late, posture(), (0.5, 33.0), 0.5, 0.0, GAIT, STILL, 1e-3).phase
        == LEFT_SWING
    )


def test_a_foot_that_lands_sliding_bears_nothing_until_its_slide_has_lasted():
    """The other foot stands until then; a bounce neither ends the slide nor begins it
    anew."""
    landing = SlidingTouchdownConfig(lead=0.1, time=0.0105).packed
    state = GaitState(
        phase=LEFT_SWING, time=0.4, lift_s=0.0, lift_n=0.0, target_s=0.5, swing_time=0.5
    )
    loads = [20.0] * 5 + [0.0] * 3 + [20.0] * 4
    phases = []
    for load in loads:
        state = next_phase(
            state, posture(), (load, 33.0), 0.5, 0.0, GAIT, landing, 1e-3
        )
        phases.append(state.phase)
    assert phases == [LEFT_SWING] * 10 + [DOUBLE_SUPPORT] * 2


def test_a_foot_lands_from_its_height_on_in_the_later_part_of_its_swing():
    landing = SlidingTouchdownConfig(lead=0.1, height=0.004).packed
    state = GaitState(
        phase=LEFT_SWING, time=0.4, lift_s=0, lift_n=0, target_s=0.5, swing_time=0.5
    )
    assert lands(state, 0.003, GAIT, landing)
    assert not lands(state, 0.005, GAIT, landing)
    assert not lands(state._replace(time=0.1), 0.003, GAIT, landing)
    assert lands(state._replace(slid=0.001), 0.005, GAIT, landing)  # bounced
    assert not lands(state, 0.003, GAIT, STILL)


def test_a_foot_that_has_just_landed_takes_load_before_the_other_lifts():
    state = next_phase(
        standing()._replace(time=0.0),
        posture(hip=0.5),
        (17.0, 17.0),
        0.5,
        0.0,
        GAIT,
        STILL,
        1e-3,
    )
    assert state.phase == DOUBLE_SUPPORT


def test_on_an_incline_the_balance_point_is_below_the_hip_in_gravitys_eyes():
    p = posture(hip=0.0, slope=0.2)
    assert balance_point(p) == pytest.approx(-0.8 * math.tan(0.2))


def test_the_swing_path_of_the_thesis_begins_at_lift_off_ends_at_the_target_and_peaks_between():
    swing = SwingConfig(touchdown=SlidingTouchdownConfig(lead=0.0)).packed
    state = GaitState(
        phase=LEFT_SWING,
        time=0.0,
        lift_s=-0.3,
        lift_n=0.01,
        target_s=0.5,
        swing_time=0.6,
    )
    start, apex, end = (
        swing_path(state._replace(time=t), GAIT, swing) for t in (0.0, 0.3, 0.6)
    )
    assert (start.s, start.n) == pytest.approx((-0.3, 0.01))
    assert (end.s, end.n) == pytest.approx((0.5, 0.0))
    assert apex.s == pytest.approx(0.1)
    assert apex.n > 0.08
    below = swing_path(state._replace(time=0.8), GAIT, swing)
    assert below.n == pytest.approx(-0.2 * 0.25)


@pytest.mark.parametrize("lead", [0.0, 0.06])
def test_the_swing_paths_velocity_is_its_derivative(lead):
    swing = SwingConfig(touchdown=SlidingTouchdownConfig(lead=lead)).packed
    h = 1e-6
    state = GaitState(
        phase=LEFT_SWING,
        time=0.0,
        lift_s=-0.3,
        lift_n=0.01,
        target_s=0.5,
        swing_time=0.6,
    )
    for t in (0.1, 0.35, 0.55):
        before, now, after = (
            swing_path(state._replace(time=t + d), GAIT, swing) for d in (-h, 0.0, h)
        )
        assert (after.s - before.s) / (2 * h) == pytest.approx(now.velocity_s, rel=1e-5)
        assert (after.n - before.n) / (2 * h) == pytest.approx(now.velocity_n, rel=1e-5)


def test_swing_torques_give_the_wanted_joint_accelerations():
    functions = model_functions(planar_biped("torso"))
    rng = np.random.default_rng(3)
    q = rng.normal(size=7)
    v = rng.normal(size=7)
    mass, _ = functions.dynamics_terms(q, v)
    load = rng.normal(size=7)
    wanted = (12.0, -7.0)
    torques = swing_torques(mass, load, wanted, 5)
    tau = load.copy()
    tau[5:] += torques
    np.testing.assert_allclose(np.linalg.solve(mass, tau)[5:], wanted, atol=1e-9)


def test_the_virtual_model_is_the_printed_one():
    model = VirtualModelConfig().packed
    p = posture(speed=0.3)
    force = virtual_force(p, 0.5, 3.4, model)
    assert force.tangential == pytest.approx(50.0 * 0.2)
    assert force.normal == pytest.approx(130.0 * (0.96 - 0.8))


def test_the_gravity_term_holds_the_weight_along_an_incline():
    model = VirtualModelConfig(gravity_term=True, height=0.8).packed
    force = virtual_force(posture(speed=0.5, slope=0.2), 0.5, 3.4, model)
    assert force.tangential == pytest.approx(3.4 * 9.81 * math.sin(0.2))
    assert force.normal == pytest.approx(3.4 * 9.81 * math.cos(0.2))


def test_leaning_is_answered_by_a_moment_that_turns_back():
    leaning = posture()._replace(lean=0.1, lean_rate=0.0)
    assert virtual_force(leaning, 0.5, 3.4, VirtualModelConfig().packed).moment < 0.0

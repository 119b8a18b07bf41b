# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The force ratio that a gait needs: closed form against the pendulum integrated over a plan of many steps."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from biped_slip.control.whole_body.dcm import dcm_reference
from biped_slip.control.whole_body.footsteps import Command, FootstepConfig
from biped_slip.control.whole_body.friction_adaptation import (
    AdaptationConfig,
    AdaptationState,
    affordable_gait,
    after_transfer,
    cautious_gait,
)
from biped_slip.control.whole_body.gait_ratio import (
    STRONGEST,
    Pendulum,
    affordable_length,
    peak_ratio,
    sway_offset,
    swing_acceleration,
    transfer_offset,
)
from biped_slip.control.whole_body.swing_foot import ALONG, SwingPoint, swing_step

HEIGHT = 0.82
OMEGA = math.sqrt(9.81 / HEIGHT)
PENDULUM = Pendulum(HEIGHT, OMEGA)


def ratio_of_a_walk(length, width, single, double, roll=0.0):
    """Largest |c - p|/z in the middle of a long walk whose DCM follows its plan."""
    toe = np.array([0.5 * roll * length, 0.0])
    zmps, durations, under = [np.array([0.0, 0.5 * width]) - toe], [], np.array([0.0, 0.5 * width])
    for k in range(1, 13):
        zmps.append(under + toe)
        under = np.array([k * length, (0.5 if k % 2 == 0 else -0.5) * width])
        zmps.append(under - toe)
        durations += [single, double]
    zmps, durations = np.array(zmps), np.array(durations)
    dcm = dcm_reference(zmps, durations, OMEGA)
    centre, largest, dt = dcm.copy(), 0.0, 2e-4
    for i, duration in enumerate(durations):
        for j in range(round(duration / dt)):
            zmp = zmps[i] + (j + 0.5) * dt / duration * (zmps[i + 1] - zmps[i])
            dcm = zmp + (dcm - zmp) * math.exp(OMEGA * dt)
            centre = dcm + (centre - dcm) * math.exp(-OMEGA * dt)
            if 10 <= i < 14:
                largest = max(largest, float(np.hypot(*(centre - zmp))) / HEIGHT)
        dcm = dcm_reference(zmps[i + 1 :], durations[i + 1 :], OMEGA)  # the unstable mode is not what is tested
    return largest


@pytest.mark.parametrize(("single", "double"), [(0.6, 0.06), (0.6, 0.3), (0.8, 0.15)])
def test_the_closed_form_is_the_peak_of_a_long_walk(single, double):
    expected = ratio_of_a_walk(0.5, 0.17, single, double)
    assert peak_ratio(0.5, 0.17, single, double, PENDULUM) == pytest.approx(expected, rel=0.01)


@pytest.mark.parametrize(("single", "double"), [(0.6, 0.06), (0.9, 0.3)])
def test_a_pivot_that_rolls_from_heel_to_toe_needs_less_as_the_closed_form_says(single, double):
    expected = ratio_of_a_walk(0.5, 0.17, single, double, roll=0.25)
    rolling = peak_ratio(0.5, 0.17, single, double, PENDULUM._replace(roll=0.25))
    assert rolling == pytest.approx(expected, rel=0.01)
    assert rolling < 0.85 * peak_ratio(0.5, 0.17, single, double, PENDULUM)


@pytest.mark.parametrize("smooth", [False, True])
@pytest.mark.parametrize(("single", "double"), [(0.7, 0.1), (0.9, 0.3), (1.1, 0.5)])
def test_force_and_moment_together_are_nowhere_much_larger_than_where_they_are_looked_at(single, double, smooth):
    turning = 0.02
    steady = PENDULUM._replace(roll=0.2, turning=turning, smooth=smooth)
    along = transfer_offset(0.5, single, double, steady)
    across = sway_offset(0.17, single, double, steady)
    time = np.linspace(0.0, 0.5 * ALONG * single, 200)
    half = 0.5 * single
    x = along * np.sinh(OMEGA * (half - time)) / np.sinh(OMEGA * half)
    y = across * np.cosh(OMEGA * (half - time)) / np.cosh(OMEGA * half)
    pushes = [0.5 * swing_acceleration(t / (ALONG * single), single, smooth) for t in time]
    needed = np.hypot(np.hypot(x, y) / HEIGHT, turning * np.array(pushes)).max()
    planned = peak_ratio(0.5, 0.17, single, double, steady)
    assert planned == pytest.approx(needed, rel=0.05)
    assert planned <= needed * (1.0 + 1e-6)


def test_the_swing_foot_accelerates_as_planned():
    point, dt = SwingPoint(np.zeros(4), np.zeros(4), np.zeros(4)), 1e-3
    largest, target = 0.0, np.array([1.0, 0.0, 0.0, 0.0])  # two steps of half a metre
    for k in range(1, 900):
        point = swing_step(point, target, k * dt, 0.9, 0.05, 0.0, 0.1, True, dt)
        largest = max(largest, abs(point.acceleration[0]))
    assert 0.5 * swing_acceleration(STRONGEST, 0.9, True) == pytest.approx(largest, rel=0.01)


def test_heavy_legs_swing_slowly_where_the_floor_holds_little():
    heavy = PENDULUM._replace(turning=0.022)
    light_steps = affordable_gait(0.5, 0.17, (0.7, 0.1), (1.0, 0.4), 0.2, PENDULUM)
    heavy_steps = affordable_gait(0.5, 0.17, (0.7, 0.1), (1.0, 0.4), 0.2, heavy)
    assert sum(heavy_steps[1:]) > sum(light_steps[1:])
    assert peak_ratio(heavy_steps[0], 0.17, *heavy_steps[1:], heavy) <= 0.2 + 1e-9


def test_without_double_support_the_centre_is_half_a_step_away():
    assert peak_ratio(0.5, 0.17, 0.6, 0.0, PENDULUM) == pytest.approx(math.hypot(0.25, 0.085) / HEIGHT)


@given(st.floats(0.12, 0.5), st.floats(0.05, 0.4), st.sampled_from([0.0, 0.02]))
@settings(max_examples=50, deadline=None)
def test_the_affordable_step_needs_what_may_be_had(ratio, double, turning):
    pendulum = PENDULUM._replace(turning=turning)
    length = affordable_length(ratio, 0.17, 0.6, double, pendulum)
    if length > 0.0:
        assert peak_ratio(length, 0.17, 0.6, double, pendulum) == pytest.approx(ratio)


@given(st.floats(0.13, 0.6))
@settings(max_examples=50, deadline=None)
def test_an_affordable_gait_never_needs_more_than_it_may(ratio):
    length, single, double = affordable_gait(0.5, 0.17, (0.7, 0.06), (0.6, 0.3), ratio, PENDULUM)
    assert peak_ratio(length, 0.17, single, double, PENDULUM) <= ratio + 1e-9
    assert length <= 0.5


def test_steps_get_slower_before_they_get_shorter():
    speeds, lengths = [], []
    for limit in (0.7, 0.35, 0.3, 0.25, 0.2, 0.15):
        gait = cautious_gait(Command(0.66), AdaptationState(limit, math.inf), FootstepConfig(width=0.17).packed,
                             AdaptationConfig().packed,
                             PENDULUM)  # fmt: skip
        speeds.append(gait.forward / (gait.single_support + gait.double_support))
        lengths.append(gait.forward)
    assert speeds == sorted(speeds, reverse=True)
    assert speeds[0] == pytest.approx(0.66)
    assert lengths[0] == pytest.approx(lengths[1])
    assert lengths[-1] < lengths[1]


def test_a_floor_that_cannot_hold_the_sway_stops_the_walk():
    gait = cautious_gait(Command(0.5), AdaptationState(0.05, math.inf), FootstepConfig(width=0.17).packed,
                             AdaptationConfig().packed,
                         PENDULUM)  # fmt: skip
    assert gait.still


def test_the_expectation_follows_the_limit_within_what_one_step_can_change():
    config = AdaptationConfig().packed
    assert after_transfer(AdaptationState(0.5, 1.0), 0.45, config).expected == 0.45
    assert after_transfer(AdaptationState(0.5, 1.0), 0.1, config).expected == pytest.approx(0.5 - config.fall)
    assert after_transfer(AdaptationState(0.2, 1.0), 0.5, config).expected == pytest.approx(0.2 + config.rise)


def test_a_slip_seen_widens_the_stance_for_a_while():
    steps, config = FootstepConfig(width=0.17).packed, AdaptationConfig().packed
    calm = cautious_gait(Command(0.3), AdaptationState(0.7, 1.0), steps, config, PENDULUM)
    alarmed = cautious_gait(Command(0.3), AdaptationState(0.7, 0.1), steps, config, PENDULUM)
    assert alarmed.width == pytest.approx(calm.width + config.reflex_width)

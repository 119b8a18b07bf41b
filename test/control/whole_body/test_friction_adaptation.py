# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The force ratio that a gait needs: closed form against the pendulum integrated over a
plan of many steps."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from biped_slip.constants import GRAVITY
from biped_slip.control.whole_body.dcm import dcm_before
from biped_slip.control.whole_body.footsteps import (
    Command,
    FootstepConfig,
    SteppingConfig,
)
from biped_slip.control.whole_body.friction_adaptation import (
    AdaptationConfig,
    allowed_command,
    allowed_ratio,
    believed,
    cautious_gait,
    change_of_speed,
    expect,
    fastest_within,
    force_limits,
    on_slope,
    pattern_at,
    quantile_of,
    slowed_by_bends,
    tracked,
)
from biped_slip.control.whole_body.gait_patterns import (
    BRISK,
    LARGEST_TRUSTED_MU,
    RATIO,
    STRONGEST,
    LegLimits,
    Pattern,
    PatternConfig,
    Pendulum,
    least_demand,
    lifts_behind,
    patterns_for,
    peak_ratio,
    rolled,
    stops,
    sway_offset,
    swing_acceleration,
    transfer_offset,
)
from biped_slip.control.whole_body.sensed import _preview
from biped_slip.control.whole_body.swing_path import (
    ARRIVAL_SHARE,
    Swing,
    SwingPoint,
    swing_step,
)
from biped_slip.errors import InvalidParameter
from biped_slip.friction_estimation.types import (
    NO_ESTIMATE,
    NO_MEASUREMENT,
    EstimateState,
)

HEIGHT = 0.82
OMEGA = math.sqrt(9.81 / HEIGHT)
PENDULUM = Pendulum(height=HEIGHT, omega=OMEGA, roll=0.0, turning=0.0, smooth=True)


def dcm_reference(zmps, durations, omega):
    """DCM now that comes to rest on the last ZMP of a path."""
    dcm = zmps[-1]
    for i in range(len(durations) - 1, -1, -1):
        dcm = dcm_before(dcm, zmps[i], zmps[i + 1], durations[i], omega)
    return dcm


def ratio_of_a_walk(length, width, single, double, roll=0.0):
    """Largest |c - p|/z in the middle of a long walk whose DCM follows its plan."""
    toe = np.array([0.5 * roll * length, 0.0])
    zmps = [np.array([0.0, 0.5 * width]) - toe]
    durations = []
    under = np.array([0.0, 0.5 * width])
    for k in range(1, 13):
        zmps.append(under + toe)
        under = np.array([k * length, (0.5 if k % 2 == 0 else -0.5) * width])
        zmps.append(under - toe)
        durations += [single, double]
    zmps = np.array(zmps)
    durations = np.array(durations)
    dcm = dcm_reference(zmps, durations, OMEGA)
    centre = dcm.copy()
    largest = 0.0
    dt = 2e-4
    for i, duration in enumerate(durations):
        for j in range(round(duration / dt)):
            zmp = zmps[i] + (j + 0.5) * dt / duration * (zmps[i + 1] - zmps[i])
            dcm = zmp + (dcm - zmp) * math.exp(OMEGA * dt)
            centre = dcm + (centre - dcm) * math.exp(-OMEGA * dt)
            if 10 <= i < 14:
                largest = max(largest, float(np.hypot(*(centre - zmp))) / HEIGHT)
        # the unstable mode is not what is tested
        dcm = dcm_reference(zmps[i + 1 :], durations[i + 1 :], OMEGA)
    return largest


@pytest.mark.parametrize(("single", "double"), [(0.6, 0.06), (0.6, 0.3), (0.8, 0.15)])
def test_the_closed_form_is_the_peak_of_a_long_walk(single, double):
    expected = ratio_of_a_walk(0.5, 0.17, single, double)
    assert peak_ratio(0.5, 0.17, single, double, PENDULUM) == pytest.approx(
        expected, rel=0.01
    )


@pytest.mark.parametrize(("single", "double"), [(0.6, 0.06), (0.9, 0.3)])
def test_a_pivot_that_rolls_from_heel_to_toe_needs_less_as_the_closed_form_says(
    single, double
):
    expected = ratio_of_a_walk(0.5, 0.17, single, double, roll=0.25)
    rolling = peak_ratio(0.5, 0.17, single, double, PENDULUM._replace(roll=0.25))
    assert rolling == pytest.approx(expected, rel=0.01)
    assert rolling < 0.85 * peak_ratio(0.5, 0.17, single, double, PENDULUM)


@pytest.mark.parametrize("smooth", [False, True])
@pytest.mark.parametrize(("single", "double"), [(0.7, 0.1), (0.9, 0.3), (1.1, 0.5)])
def test_force_and_moment_together_are_nowhere_much_larger_than_where_they_are_looked_at(
    single, double, smooth
):
    turning = 0.02
    steady = PENDULUM._replace(roll=0.2, turning=turning, smooth=smooth)
    along = transfer_offset(0.5, single, double, steady)
    across = sway_offset(0.17, single, double, steady)
    time = np.linspace(0.0, 0.5 * ARRIVAL_SHARE * single, 200)
    half = 0.5 * single
    x = along * np.sinh(OMEGA * (half - time)) / np.sinh(OMEGA * half)
    y = across * np.cosh(OMEGA * (half - time)) / np.cosh(OMEGA * half)
    pushes = [
        0.5 * swing_acceleration(t / (ARRIVAL_SHARE * single), single, smooth)
        for t in time
    ]
    needed = np.hypot(np.hypot(x, y) / HEIGHT, turning * np.array(pushes)).max()
    planned = peak_ratio(0.5, 0.17, single, double, steady)
    assert planned == pytest.approx(needed, rel=0.05)
    assert planned <= needed * (1.0 + 1e-6)


def test_the_swing_foot_accelerates_as_planned():
    point = SwingPoint(np.zeros(4), np.zeros(4), np.zeros(4))
    dt = 1e-3
    # two steps of half a metre
    largest = 0.0
    target = np.array([1.0, 0.0, 0.0, 0.0])
    for k in range(1, 900):
        swing = Swing(
            time=k * dt, duration=0.9, lift_z=0.0, apex=0.05, sinking=0.1, smooth=True
        )
        point = swing_step(point, target, swing, dt)
        largest = max(largest, abs(point.acceleration[0]))
    assert 0.5 * swing_acceleration(STRONGEST, 0.9, True) == pytest.approx(
        largest, rel=0.01
    )


def test_without_double_support_the_centre_is_half_a_step_away():
    assert peak_ratio(0.5, 0.17, 0.6, 0.0, PENDULUM) == pytest.approx(
        math.hypot(0.25, 0.085) / HEIGHT
    )


def table(**changes):
    """Patterns of a robot with soles of 0.16 m."""
    steps = FootstepConfig(width=0.17, single_support=0.8, double_support=0.1)
    return patterns_for(
        steps,
        SteppingConfig(),
        PatternConfig(**changes),
        0.08,
        PENDULUM,
        AdaptationConfig().worst_floor,
    )


PATTERNS = table()
STEPS = FootstepConfig(width=0.17).packed
CONFIG = AdaptationConfig().packed
Z = quantile_of(AdaptationConfig())
floors = st.floats(0.03, 0.9)
shares = st.floats(0.5, 1.0)


@given(st.floats(0.05, 0.6), st.floats(0.0, 0.3))
@settings(max_examples=100, deadline=None)
def test_friction_that_a_floor_has_beside_the_gait_of_least_demand_makes_single_supports_shorter(
    speed, more
):
    least = pattern_at(PATTERNS, speed)
    quickest = pattern_at(PATTERNS, speed, 10.0)
    pattern = pattern_at(PATTERNS, speed, least.ratio + more)
    assert least.ratio <= pattern.ratio <= least.ratio + more + 1e-12
    assert (
        quickest.single_support
        <= pattern.single_support
        <= least.single_support + 1e-12
    )
    assert pattern.ratio == pytest.approx(min(least.ratio + more, quickest.ratio))
    # slow enough for legs, not so slow that all of the walk is double support
    if 0.15 < speed < 0.4:
        assert quickest.single_support == pytest.approx(0.5)
        assert quickest.double_support >= least.double_support - 1e-9


def gait_at(limit, command=0.6, seen=True):
    """The steady gait of a command [m/s] on a floor that is known exactly."""
    belief = expect(believed(limit, limit), limit, limit, seen)
    held = allowed_ratio(belief, 0.0, Z)
    allowed = allowed_command(Command(command), belief, held, PATTERNS, 0.0)
    return cautious_gait(allowed, allowed, STEPS, PATTERNS, held)


def speed_of(gait):
    return gait.forward / (gait.single_support + gait.double_support)


@given(floors, shares, st.floats(0.0, 0.4), st.floats(0.0, 0.2))
@settings(max_examples=200, deadline=None)
def test_the_allowed_ratio_is_the_chance_constraint_solved_and_never_above_what_is_certified(
    mu, share, e, climb
):
    low = share * mu
    belief = believed(mu, low)._replace(error=e * e)
    ratio = allowed_ratio(belief, climb, Z)
    assert ratio <= max(low - climb, 0.0) + 1e-12
    margin = math.hypot(mu - low, Z * e * ratio)
    if ratio > 0.0:
        assert ratio + margin == pytest.approx(mu - climb, abs=1e-9)
    else:
        assert margin >= mu - climb - 1e-9


@given(floors, shares, st.floats(0.0, 0.4), st.floats(0.0, 0.2), st.floats(0.001, 0.1))
@settings(max_examples=200, deadline=None)
def test_worse_floors_slopes_and_tracking_and_more_doubt_never_allow_more(
    mu, share, e, climb, d
):
    belief = believed(mu, share * mu)._replace(error=e * e)
    ratio = allowed_ratio(belief, climb, Z)
    assert (
        allowed_ratio(belief._replace(mu=mu + d, low=share * mu + d), climb, Z) >= ratio
    )
    assert allowed_ratio(belief._replace(low=share * mu - d), climb, Z) <= ratio + 1e-12
    assert allowed_ratio(belief, climb + d, Z) <= ratio + 1e-12
    assert allowed_ratio(belief._replace(error=(e + d) ** 2), climb, Z) <= ratio + 1e-12


def test_the_share_of_steps_beyond_their_floor_is_the_risk():
    rng = np.random.default_rng(7)
    config = AdaptationConfig()
    mu = 0.3
    sigma = 0.02
    error = 0.15
    belief = believed(mu, mu - Z * sigma)._replace(error=error**2)
    ratio = allowed_ratio(belief, 0.0, Z)
    floor = np.where(
        rng.random(200000) < config.change, 0.0, rng.normal(mu, sigma, 200000)
    )
    asked = ratio * (1.0 + rng.normal(0.0, error, 200000))
    assert np.mean(asked > floor) == pytest.approx(config.risk, abs=0.005)
    with pytest.raises(InvalidParameter, match=r"below adaptation\.risk"):
        quantile_of(AdaptationConfig(change=0.3))


@given(floors)
@settings(max_examples=50, deadline=None)
def test_a_gait_never_needs_more_than_its_floor_allows(limit):
    gait = gait_at(limit)
    allowed = allowed_ratio(believed(limit, limit), 0.0, Z)
    rolling = PENDULUM._replace(
        roll=gait.roll / gait.forward if gait.forward > 0.0 else 0.0
    )
    needed = peak_ratio(
        gait.forward, 0.15, gait.single_support, gait.double_support, rolling
    )
    assert gait.still or needed <= 1.03 * allowed  # between rows of the table
    assert gait.still or gait.ratio <= allowed + 1e-9


def test_a_better_floor_never_makes_a_walk_slower():
    speeds = [speed_of(gait_at(limit)) for limit in np.linspace(0.03, 0.8, 40)]
    assert np.all(np.diff(speeds) >= -1e-9)
    assert speeds[-1] == pytest.approx(0.6)
    assert speeds[0] < 0.2


def braked(speed, known, single=0.5, double=0.2, toe=0.08, reach=0.3):
    """Whether an integrated pendulum stops: both feet down, the front one on the worst
    floor, the best force."""
    pendulum = PENDULUM
    length = speed * (single + double)
    ahead = transfer_offset(length, single, double, pendulum)
    c = ahead
    v = ahead * OMEGA / math.tanh(0.5 * OMEGA * single)
    c = c + v * CONFIG.reaction
    dt = 1e-4
    while v > 0.0:
        shares = np.linspace(0.0, 1.0, 400)
        zmps = shares * length + toe
        held = HEIGHT * (known - shares * (known - CONFIG.worst))
        both = np.max(np.minimum(zmps - c, held)) if c < reach else -np.inf
        lever = max(both, min(length + toe - c, CONFIG.worst * HEIGHT))
        if lever < 0.0:
            return False
        v -= dt * OMEGA**2 * lever
        c += dt * v
    return True


@pytest.mark.parametrize("known", [0.05, 0.2, 0.7])
def test_the_speed_from_which_both_feet_stop_is_that_of_an_integrated_pendulum(known):
    legs = LegLimits(1.8, 4.0, 0.3, 0.08)
    gait = Pattern(single_support=0.5, double_support=0.2, roll=0.0, ratio=0.0)
    worst = AdaptationConfig().worst_floor
    speeds = np.linspace(0.1, 1.0, 91)
    closed = max(
        v for v in speeds if stops(v, gait, known, 0.08, legs, PENDULUM, worst)
    )
    walked = max(v for v in speeds if braked(v, known))
    assert closed == pytest.approx(walked, abs=0.03)


def test_a_floor_that_is_seen_need_not_be_stopped_on_and_others_are_walked_as_slowly_as_that_takes():
    seen = gait_at(0.7, 2.0)
    unseen = gait_at(0.7, 2.0, seen=False)
    assert speed_of(unseen) < speed_of(seen)
    fastest = fastest_within(PATTERNS.speed, PATTERNS.behind, 0.7)
    assert speed_of(unseen) == pytest.approx(fastest)
    assert np.all(PATTERNS.behind[1:] >= PATTERNS.behind[:-1])
    assert fastest_within(PATTERNS.speed, PATTERNS.behind, 0.1) <= fastest


def test_a_slope_that_has_changed_is_walked_slowly_until_it_is_forgotten():
    level = believed(0.8, 0.8)
    wanted = Command(0.6, 0.2, 0.1)
    assert slowed_by_bends(wanted, 0.0, PATTERNS, OMEGA, 0.08, 0.2) == wanted
    ramp = on_slope(level, 0.176, 0.0, CONFIG.change)
    speeds = []
    for _ in range(30):
        slow = slowed_by_bends(
            wanted, Z * math.sqrt(ramp.bend), PATTERNS, OMEGA, 0.08, 0.2
        )
        speeds.append(math.hypot(slow.forward, slow.left))
        ramp = on_slope(ramp, 0.176, 0.0, CONFIG.change)
    gait = pattern_at(PATTERNS, speeds[0])
    late = Z * 0.176 * speeds[0] * (gait.single_support + gait.double_support) / 0.2
    assert speeds[0] / OMEGA * (math.exp(OMEGA * late) - 1.0) == pytest.approx(
        0.08, rel=0.15
    )
    assert np.all(np.diff(speeds) >= 0.0)
    assert speeds[-1] > 1.2 * speeds[0]


def test_on_ice_steps_are_short_and_most_of_the_time_both_feet_carry():
    rough = gait_at(0.8)
    ice = gait_at(0.06)
    assert (
        ice.double_support
        > 2.0 * ice.single_support * rough.double_support / rough.single_support
    )
    assert ice.double_support > ice.single_support
    assert ice.forward < rough.forward


def test_a_floor_that_cannot_hold_the_sway_stops_the_walk():
    assert gait_at(0.01).still
    assert not gait_at(0.8).still


def test_what_is_chosen_asks_no_more_than_any_other_pattern_of_the_grid_that_legs_can_follow():
    speed = 0.4
    singles = np.linspace(0.4, 0.8, 9)
    doubles = np.linspace(0.1, 1.5, 29)
    best = least_demand(
        speed, 0.15, singles, doubles, LegLimits(1.8, 4.0, 0.27, 0.08), PENDULUM
    )
    length = speed * (best.single_support + best.double_support)
    assert 2.0 * length <= min(1.8, 4.0 * best.single_support) * best.single_support
    assert (
        lifts_behind(
            length,
            best.single_support,
            best.double_support,
            PENDULUM._replace(roll=best.roll),
        )
        <= 0.27
    )
    for single, double in ((0.4, 0.1), (0.4, 0.2), (0.6, 0.2), (0.8, 0.1), (0.5, 0.3)):
        step = speed * (single + double)
        rolling = PENDULUM._replace(roll=rolled(step, single, double, 0.08))
        if (
            2.0 * step <= min(1.8, 4.0 * single) * single
            and lifts_behind(step, single, double, rolling) <= 0.27
        ):
            other = peak_ratio(step, 0.15, single, double, rolling) + BRISK * (
                single + double
            )
            assert (
                best.ratio + BRISK * (best.single_support + best.double_support)
                <= other + 1e-9
            )


def test_no_floor_makes_a_walk_faster_than_its_legs_can_follow():
    slow_legs = patterns_for(
        STEPS,
        SteppingConfig(),
        PatternConfig(swing_speed=1.2),
        0.08,
        PENDULUM,
        AdaptationConfig().worst_floor,
    )
    fastest = fastest_within(slow_legs.speed, slow_legs.least[RATIO], 10.0)
    pattern = pattern_at(slow_legs, fastest)
    assert 0.3 < fastest < fastest_within(PATTERNS.speed, PATTERNS.least[RATIO], 10.0)
    assert (
        2.0 * fastest * (pattern.single_support + pattern.double_support)
        <= 1.2 * pattern.single_support + 1e-9
    )
    with pytest.raises(InvalidParameter, match="must be enough for the slowest steps"):
        patterns_for(
            STEPS,
            SteppingConfig(),
            PatternConfig(swing_speed=0.01),
            0.08,
            PENDULUM,
            None,
        )


def test_a_walk_that_gets_slower_keeps_its_quick_beat_until_it_is_slow():
    slow = Command(0.1)
    braking = cautious_gait(Command(0.6), slow, STEPS, PATTERNS)
    assert braking.double_support == pytest.approx(
        pattern_at(PATTERNS, 0.6).double_support
    )
    assert (
        cautious_gait(slow, slow, STEPS, PATTERNS).double_support
        > 2.0 * braking.double_support
    )


def test_speed_changes_by_no_more_than_the_margin_of_the_feet_holds():
    belief = believed(0.8, 0.8)
    limits = (0.8, 0.05)
    both = (True, True)
    assert change_of_speed(0.3, belief, (True, False), limits, Z) == pytest.approx(0.3)
    assert change_of_speed(0.3, belief, both, limits, Z) == pytest.approx(
        GRAVITY * 0.05 * Z * 0.2, rel=1e-6
    )
    assert change_of_speed(3.0, belief, both, (2.0, 2.0), Z) == pytest.approx(
        GRAVITY * LARGEST_TRUSTED_MU * Z * 0.2, rel=1e-6
    )


def test_its_forces_ask_a_floor_that_tells_nothing_for_no_more_than_the_last_one_held():
    belief = believed(0.08, 0.08)
    limits = (0.2, 0.2)
    assert force_limits(limits, (True, False), (0.0, 0.1), belief) == pytest.approx(
        (0.2, 0.1)
    )
    assert force_limits(limits, (False, False), (0.0, 0.3), belief) == pytest.approx(
        (0.08, 0.2)
    )


def test_the_tracking_error_is_measured_in_units_of_the_plan_and_settles_on_it():
    belief = believed(0.5, 0.5)
    rng = np.random.default_rng(3)
    for _ in range(20000):
        belief = tracked(
            belief, 0.1 + 0.012 * rng.standard_normal(), 0.1, 0.1, 3.0, 1e-3
        )
    assert math.sqrt(belief.error) == pytest.approx(0.12, rel=0.05)
    assert tracked(belief, 10.0, 0.1, 0.1, 3.0, 3.0).error == pytest.approx(0.25)


def test_a_foot_that_bounces_in_its_landing_is_not_the_way_ahead():
    light = NO_MEASUREMENT._replace(force_normal=0.0)
    known = NO_ESTIMATE._replace(mu=0.8, usable=True)
    bouncing = known._replace(state_code=int(EstimateState.NO_CONTACT))
    seen = known._replace(state_code=int(EstimateState.USABLE), mu_median=0.35)
    assert _preview((light, light), (bouncing, NO_ESTIMATE), (0.7, 0.2), 900.0) == (
        math.inf,
        math.inf,
    )
    assert _preview((light, light), (bouncing, seen), (0.7, 0.3), 900.0) == (0.35, 0.3)

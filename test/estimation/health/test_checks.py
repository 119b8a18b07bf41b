# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Each check in closed form: just within its threshold nothing is found, just beyond it
the right thing, by its number.

Numbers are sums of powers of two wherever a threshold is met exactly.
"""

import math
from types import SimpleNamespace

import numpy as np
import pytest

from biped_slip.compile.kernel import kernel
from biped_slip.constants import GRAVITY
from biped_slip.estimation.health import (
    CONSTANT_IMU,
    CONSTANT_ODOMETRY,
    CONSTANT_WRENCH,
    FALL,
    JOINT_LIMIT,
    JOINT_SPEED,
    MOTION_WINDOW,
    SATURATED_IMU,
    SATURATED_WRENCH,
    SWAPPED_FEET,
    UNANSWERED,
    UNBALANCED,
    WELL,
    WRONG_LEG,
    WRONG_SIGN,
    WRONG_TWIST,
    WRONG_VELOCITY,
    ZERO_WRENCH,
    HealthConfig,
)
from biped_slip.estimation.planar_health import LastMotion, planar_signals
from biped_slip.estimation.readings import RobotState, SensorReadings
from biped_slip.estimation.residuals import (
    ALL_STILL,
    APART,
    CHANGING,
    FORCE_WINDOW,
    LARGE_STILL,
    LATE,
    LONG_TICK,
    MOST_LEARNT,
    NO_ROW,
    RESIDUALS,
    SATURATION,
    TURN,
    UNLEARNT_SHARE,
    WAY,
    WELL_SO_FAR,
    Difference,
    Tolerance,
    base_height,
    diverges,
    first_rate_apart,
    first_way_apart,
    gravest_finding,
    ground_balance,
    joint_range,
    joint_way,
    new_balance,
    new_joints,
    new_memory,
    new_rates,
    new_stillness,
    new_tracked,
    standing_still,
)
from biped_slip.estimation.signals import (
    Balance,
    LoadedJoints,
    Loads,
    Numbers,
    Rows,
    Signals,
    TorqueAnswer,
    Tracked,
    TwoRates,
    WatchedRobot,
    WatchLimits,
    any_moved,
)

ROOT = 3
JOINTS = 2
DT = 2.0**-10
ROBOT = WatchedRobot(
    lower=np.array([-1.0, -2.0]),
    upper=np.array([1.0, 0.5]),
    speed=np.array([8.0, 4.0]),
    effort=np.array([64.0, 32.0]),
    weight=256.0,
    height=1.0,
    slope=0.0,
    force_offset=0.0,
)
CONFIG = HealthConfig.Packed(
    stuck_time=4 * DT,
    contradiction_time=4 * DT,
    unloaded_time=16 * DT,
    clearance=2.0**-5,
    light=2.0**-4,
    heavy=0.25,
    largest_force=8.0,
    joint_margin=0.25,
    fall_height=0.5,
    disagreement=2.0**-6,
    disagreeing_gain=0.25,
    leg_give=2.0**-7,
    disagreeing_lag=4 * DT,
    unanswered=0.25,
    imbalance=0.25,
    turning=0.5,
    sideways=0.125,
    push_time=8 * DT,
)
LIMITS = WatchLimits(ROBOT, CONFIG)
REST = np.array([0.0, 1.0, 0.0, 0.25, -0.5]), np.zeros(ROOT + JOINTS)
LIGHT = CONFIG.light * ROBOT.weight
HEAVY = CONFIG.heavy * ROBOT.weight
HELD = np.array([0.0, 0.0, GRAVITY, 0.0, 0.0, 0.0])
UNKNOWN = np.full(JOINTS, np.nan)
# no memory of what looks at one instant alone
NOTHING = np.zeros(0)


def limits(**config):
    """Limits of the robot of these tests with other thresholds."""
    return LIMITS._replace(config=CONFIG._replace(**config))


def fresh(joints=JOINTS):
    """Memory of a robot with two feet, each of which says two rates, and a base that
    says two."""
    rows = Rows(
        base=5 - joints if joints in (2, 3) else ROOT,
        joints=joints,
        swing=0,
        foot_rates=4,
        acceleration=2,
        torques=joints,
    )
    return new_memory(rows)


def loads_at(
    load=(0.0, 0.0),
    crossed=(0.0, 0.0),
    sole_height=(0.0, 0.0),
    base_height=1.0,
    imu=HELD,
):
    return Loads(
        load=load,
        crossed=crossed,
        sole_height=sole_height,
        base_height=base_height,
        specific_force_squared=float(imu[:3] @ imu[:3]),
    )


def joints_at(q=None, v=None):
    """Joints at rest but for one, (which, value), in legs without a load."""
    joints = Tracked(REST[0][ROOT:].copy(), np.zeros(JOINTS))
    for values, other in zip(joints, (q, v), strict=True):
        if other is not None:
            values[other[0]] = other[1]
    return LoadedJoints(moved=joints, pull=np.zeros((2, 3)), load=(0.0, 0.0))


def found_when_bent(by, pull, steps=5):
    """What is found when joint 0 bends in some ms, as its velocity does not say, and
    all the while a foot is loaded along the floor (2, 3) [body weights]."""
    own = new_joints(JOINTS)
    place = REST[0][ROOT]
    found = []
    for share in (0.0, *np.linspace(0.0, 1.0, steps), *np.ones(300)):
        joints = joints_at(q=(0, place + share * by))
        joints.pull[:] = share * ROBOT.weight * np.asarray(pull)
        found.append(joint_way(own, joints, LIMITS, DT))
    return set(found)


ASIDE, AHEAD, NO_PULL = [0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 0.0]
LEAST = CONFIG.disagreement


@pytest.mark.parametrize("pull", [[AHEAD, NO_PULL], [NO_PULL, ASIDE]])
def test_a_leg_may_give_way_under_a_sudden_load_and_not_without_it(pull):
    assert found_when_bent(LEAST + 0.9 * CONFIG.leg_give, pull) == {WELL_SO_FAR}
    assert found_when_bent(LEAST + 1.1 * CONFIG.leg_give, pull) == {
        WELL_SO_FAR,
        (WRONG_VELOCITY, 0),
    }
    unloaded = found_when_bent(1.1 * LEAST, [NO_PULL, NO_PULL])
    assert unloaded == {WELL_SO_FAR, (WRONG_VELOCITY, 0)}


def test_a_load_that_is_no_number_explains_no_motion_and_hides_none():
    pull = np.full((2, 3), np.nan)
    assert found_when_bent(0.9 * LEAST, pull) == {WELL_SO_FAR}
    assert found_when_bent(1.1 * LEAST, pull) == {WELL_SO_FAR, (WRONG_VELOCITY, 0)}


def test_a_joint_that_is_found_stays_so_when_it_turns_and_is_taken_back_by_its_way_back():
    """Stops were left for single ticks, and the gait put its torques into the joint."""
    own = new_joints(JOINTS)
    joint_way(own, joints_at(), LIMITS, DT)
    joints = joints_at(q=(1, REST[0][ROOT + 1] + 1.1 * LEAST))
    assert joint_way(own, joints, LIMITS, DT) == (WRONG_VELOCITY, 1)
    # a turn that would explain more than its lag lets pass
    rate = 2.0 * LEAST / CONFIG.disagreeing_lag
    joints.moved.rate[1] = rate
    joints.moved.value[1] += 0.5 * rate * DT
    assert joint_way(own, joints, LIMITS, DT) == (WRONG_VELOCITY, 1)
    assert own.joints.account.doubt[1] == 1.0
    joints.moved.value[1] += rate * DT - LEAST
    assert joint_way(own, joints, LIMITS, DT) == WELL_SO_FAR


def test_a_load_that_has_long_been_there_lets_no_joint_move_otherwise():
    own = new_joints(JOINTS)
    joints = joints_at()
    joints.pull[0, 0] = ROBOT.weight
    assert joint_way(own, joints_at(), LIMITS, DT) == WELL_SO_FAR
    for _ in range(round(5.0 * MOTION_WINDOW / DT)):
        assert joint_way(own, joints, LIMITS, DT) == WELL_SO_FAR
    joints.moved.value[1] += 1.1 * LEAST
    assert joint_way(own, joints, LIMITS, DT) == (WRONG_VELOCITY, 1)


def test_a_pull_that_is_measured_some_milliseconds_late_explains_the_give_of_a_leg_that_lands():
    """A joint beyond what a body weight explains is named at once, and any where no
    foot lands."""

    def found(bent, late, load=0.25):
        own = new_joints(JOINTS)
        joint_way(own, joints_at(), LIMITS, DT)
        joints = joints_at(q=(0, REST[0][ROOT] + LEAST + bent * CONFIG.leg_give))
        joints = joints._replace(load=(0.0, load * ROBOT.weight))
        before = [joint_way(own, joints, LIMITS, DT) for _ in range(late)]
        joints.pull[1, 0] = ROBOT.weight
        return [*before, joint_way(own, joints, LIMITS, DT)]

    named = (WRONG_VELOCITY, 0)
    assert found(bent=0.9, late=4) == [WELL_SO_FAR] * 5
    # what has been found stays, for the load that follows explains no more
    assert found(bent=0.9, late=5) == [*[WELL_SO_FAR] * 4, named, named]
    assert found(bent=1.1, late=1) == [named, named]
    assert found(bent=0.9, late=1, load=0.1) == [named, named]


@pytest.mark.parametrize("joint", range(JOINTS))
def test_a_joint_may_reach_its_margin_and_its_speed_but_not_pass_them(joint):
    def found(**changed):
        return joint_range(NOTHING, joints_at(**changed), LIMITS, DT)

    margin = CONFIG.joint_margin
    for end, away in (
        (ROBOT.lower[joint] - margin, -math.inf),
        (ROBOT.upper[joint] + margin, math.inf),
    ):
        assert found(q=(joint, end)) == WELL_SO_FAR
        assert found(q=(joint, math.nextafter(end, away))) == (JOINT_LIMIT, joint)
    for speed in (ROBOT.speed[joint], -ROBOT.speed[joint]):
        assert found(v=(joint, speed)) == WELL_SO_FAR
        assert found(v=(joint, 1.001 * speed)) == (JOINT_SPEED, joint)


def test_of_two_joints_the_first_is_named_whatever_is_wrong_with_it():
    both = joints_at(q=(1, 9.0), v=(0, 9.0))
    assert joint_range(NOTHING, both, LIMITS, DT) == (JOINT_SPEED, 0)
    both = joints_at(q=(0, 9.0), v=(1, 9.0))
    assert joint_range(NOTHING, both, LIMITS, DT) == (JOINT_LIMIT, 0)


def test_a_fall_is_the_base_too_near_to_the_lower_sole():
    def found(height, up=(0.0, 0.0)):
        loads = loads_at(sole_height=up, base_height=height)
        return base_height(NOTHING, loads, LIMITS, DT)

    assert found(0.5) == WELL_SO_FAR
    assert found(math.nextafter(0.5, 0.0)) == (FALL, 0)
    for up in ((0.25, 0.75), (0.75, 0.25)):
        assert found(0.75, up) == WELL_SO_FAR
        assert found(0.74, up) == (FALL, 0)


def test_a_joint_has_moved_when_the_last_bit_of_its_position_is_another_one():
    q = np.arange(2.0)
    assert any_moved(q, np.full(2, np.nan)), "before the first reading"
    last = q.copy()
    assert not any_moved(q, last)
    q[1] = np.nextafter(q[1], 9.0)
    assert any_moved(q, last)


WAYS = Tolerance(CONFIG.disagreement, MOTION_WINDOW, True)


def test_a_way_is_held_against_the_mean_of_two_rates_and_forgotten():
    n = 5
    own = new_tracked(n)
    rng = np.random.default_rng(0)
    q = rng.normal(size=(5, n)) * 1e-3
    v = rng.normal(size=(5, n))
    apart = way = turn = np.zeros(n)
    kept = 1.0 - DT / MOTION_WINDOW
    wide = WAYS._replace(least=9.0)
    for k in range(5):
        assert first_way_apart(own, Tracked(q[k], v[k]), wide, LIMITS, DT) == NO_ROW
        if k:
            mean = 0.5 * (v[k - 1] + v[k])
            apart = kept * apart + (q[k] - q[k - 1]) - mean * DT
            way = kept * way + mean * DT
            turn = kept * turn + v[k] - v[k - 1]
        sums = own.account.sums
        np.testing.assert_allclose(sums[:, APART], apart, atol=1e-15)
        np.testing.assert_allclose(sums[:, WAY], way, atol=1e-14)
        np.testing.assert_allclose(sums[:, TURN], turn, atol=1e-14)
        np.testing.assert_array_equal(own.last.rate, v[k])
        np.testing.assert_array_equal(own.last.value, q[k])


@pytest.mark.parametrize("which", range(5))
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_a_coordinate_may_be_apart_by_a_threshold_a_share_of_its_way_and_a_lag(
    which, sign
):
    def found(way, before, speed):
        own = new_tracked(5)
        own.last.value[:] = 0.0
        own.last.rate[which] = before
        now = Tracked(np.zeros(5), np.zeros(5))
        now.value[which] = way
        now.rate[which] = speed
        return first_way_apart(own, now, WAYS, LIMITS, DT)

    assert found(sign * CONFIG.disagreement, 0.0, 0.0) == NO_ROW
    assert found(sign * math.nextafter(CONFIG.disagreement, 1.0), 0.0, 0.0) == which
    claimed = 64.0 * DT  # [rad]
    most = claimed + CONFIG.disagreement + CONFIG.disagreeing_gain * claimed
    assert found(sign * most, sign * 64.0, sign * 64.0) == NO_ROW
    assert found(sign * (most + 1e-9), sign * 64.0, sign * 64.0) == which
    most += CONFIG.disagreeing_lag * 8.0
    assert found(sign * most, sign * 60.0, sign * 68.0) == NO_ROW
    assert found(sign * (most + 1e-9), sign * 60.0, sign * 68.0) == which


def test_a_velocity_that_comes_late_by_less_than_the_lag_is_no_other_motion_and_one_by_twice_is():
    """Of a joint that swings; a stuck velocity, whose rate does not change, has no lag
    to be explained by."""
    config = HealthConfig().packed
    tolerance = WAYS._replace(least=config.disagreement)

    def found(late):
        own = new_tracked(1)
        told = set()
        for tick in range(2000):
            now = Tracked(
                np.array([np.sin(8.0 * tick * DT) / 4.0]),
                np.array([2.0 * np.cos(8.0 * (tick * DT - late))]),
            )
            limits = LIMITS._replace(config=config)
            told.add(first_way_apart(own, now, tolerance, limits, DT))
        return told

    assert found(config.disagreeing_lag) == {NO_ROW}
    assert 0 in found(4.0 * config.disagreeing_lag)


@pytest.mark.parametrize("which", range(4))
def test_two_accounts_of_one_rate_may_differ_for_as_long_as_the_way_allows(which):
    own = new_rates(4)
    rates = TwoRates(np.zeros(4), np.zeros(4))
    rates.measured[which] = 4.0
    rates.expected[which] = own.last[which] = 2.0
    found = [first_rate_apart(own, rates, WAYS, LIMITS, DT) for _ in range(40)]
    assert found[0] == NO_ROW
    assert found[-1] == which
    own = new_rates(4)
    rates.expected[which] = own.last[which] = 4.0
    assert {first_rate_apart(own, rates, WAYS, LIMITS, DT) for _ in range(40)} == {
        NO_ROW
    }


@pytest.mark.parametrize("keeps", [True, False])
def test_what_was_found_is_taken_back_by_the_way_back_and_forgotten_only_where_it_is_not_to_be_kept(
    keeps,
):
    account = new_tracked(1).account
    most = 2.0**-6
    tolerance = Tolerance(most, MOTION_WINDOW, keeps)

    def apart(excess):
        tick = Difference(excess=excess, rate=0.0, change=0.0)
        return diverges(account, 0, tick, tolerance, CONFIG, DT)

    assert apart(2.0 * most)
    assert all(apart(0.0) for _ in range(1000)) == keeps
    if keeps:
        assert not apart(-2.0 * most), "one spoilt sample is over at the next"


def test_nothing_is_compared_over_a_long_tick_or_before_the_second_reading():
    for dt, known, told in (
        (LONG_TICK, True, 0),
        (math.nextafter(LONG_TICK, 1.0), True, NO_ROW),
        (DT, False, NO_ROW),
    ):
        own = new_tracked(1)
        own.account.sums[0] = 1.0
        own.last.value[0] = 0.0 if known else math.nan
        now = Tracked(np.ones(1), np.zeros(1))
        assert first_way_apart(own, now, WAYS, LIMITS, dt) == told
        if told == NO_ROW:
            assert not own.account.sums.any()
    account = new_tracked(1).account
    most = 2.0**-6
    account.sums[0, APART] = 0.5 * most
    tick = Difference(excess=0.0, rate=0.0, change=0.0)
    diverges(account, 0, tick, Tolerance(most, MOTION_WINDOW, True), CONFIG, 1e-3)
    assert account.sums[0, APART] == pytest.approx(
        0.5 * most * (1.0 - 1e-3 / MOTION_WINDOW)
    )


def test_a_late_tick_explains_half_of_the_rates_change_for_as_long_as_it_was_late():
    account = new_tracked(1).account
    tick = Difference(excess=0.0, rate=0.0, change=8.0)
    diverges(account, 0, tick, WAYS, CONFIG, 3e-3)
    assert account.sums[0, LATE] == pytest.approx(0.5 * 8.0 * 2e-3)


def still_for(ticks, values, moved=True, large=100.0, row=0):
    """Answers of so many readings of one sensor after the first."""
    own = new_stillness(2)
    told = Numbers(np.zeros((2, 6)), moved)
    told.values[row] = values
    return [standing_still(own, row, told, large, CONFIG, DT) for _ in range(ticks)]


@pytest.mark.parametrize("row", [0, 1])
def test_six_numbers_may_stand_still_for_the_time_to_be_stuck_and_no_longer(row):
    first_six = [CHANGING] * 5
    assert still_for(6, [1, 2, 3, 4, 5, 6], row=row) == [*first_six, ALL_STILL]
    assert still_for(9, [1, 2, 3, 4, 5, 6], row=row, moved=False) == [CHANGING] * 9, (
        "a robot at rest"
    )
    assert still_for(9, np.zeros(6), row=row) == [CHANGING] * 9, "a foot in the air"
    assert still_for(6, [0, 0, 0, 0, 0, 6], row=row)[-1] == ALL_STILL, (
        "one number is enough"
    )
    assert still_for(6, [1, 0, 0, 0, 0, 0], row=row)[-1] == ALL_STILL


def test_one_reading_after_a_long_gap_proves_neither_a_constant_sensor_nor_a_contradiction():
    """Two readings of a sensor with a resolution may be the same, whatever has passed
    between."""
    config = HealthConfig().packed
    gap = 0.05
    told = Numbers(np.full((1, 6), 101.0), True)
    own = new_stillness(1)
    found = [standing_still(own, 0, told, 100.0, config, dt) for dt in (DT, gap, DT)]
    assert found == [CHANGING, CHANGING, ALL_STILL]
    memory = fresh()
    load = (-0.1 * ROBOT.weight, ROBOT.weight)
    found = [
        contradiction(memory, loads_at(load), LIMITS._replace(config=config), dt)[0]
        for dt in (gap, DT)
    ]
    assert found == [WELL, SWAPPED_FEET]


@pytest.mark.parametrize("axis", range(6))
def test_one_axis_that_stands_at_a_large_value_is_saturated_and_any_that_moves_is_not_stuck(
    axis,
):
    def seen(ticks, value):
        own = new_stillness(1)
        for tick in range(ticks):
            told = Numbers(np.arange(6.0)[None] + tick, True)
            told.values[0, axis] = value
            yield standing_still(own, 0, told, 100.0, CONFIG, DT)

    assert list(seen(6, -101.0)) == [CHANGING] * 5 + [LARGE_STILL]
    assert list(seen(7, 100.0))[-1] == CHANGING
    assert list(seen(7, -100.5))[-1] == LARGE_STILL
    own = new_stillness(1)
    for tick in range(8):  # all but one stand still
        told = Numbers(np.ones((1, 6)), True)
        told.values[0, axis] = tick
        assert standing_still(own, 0, told, 100.0, CONFIG, DT) == CHANGING


NO_TORQUES = TorqueAnswer(np.zeros(0), np.zeros(0), np.zeros((0, 2)))
NO_RATES = TwoRates(np.zeros(0), np.zeros(0))
NO_ROWS = Tracked(np.zeros(0), np.zeros(0))
MOTIONS = (
    "wrench_change",
    "imu_change",
    "odometry_change",
    "base_way",
    "joint_way",
    "foot_motion",
    "base_acceleration",
)
CONTRADICTIONS = ("lifted_load", "floor_pull", "total_load")


def of_names(names):
    """Kernel of the residuals of these names."""
    return gravest_finding([one for one in RESIDUALS if one.name in names])


stuck_sensor = of_names(MOTIONS)
contradiction_of = of_names(CONTRADICTIONS)
NO_BALANCE = Balance(np.zeros(6), np.zeros(6), np.zeros(6), np.zeros(3))
STILL = Signals(
    base=NO_ROWS,
    joints=LoadedJoints(NO_ROWS, np.zeros((2, 3)), (0.0, 0.0)),
    swing=NO_ROWS,
    foot_rates=NO_RATES,
    acceleration=NO_RATES,
    torques=NO_TORQUES,
    balance=NO_BALANCE,
    wrenches=Numbers(np.zeros((2, 6)), False),
    imu=Numbers(np.zeros((1, 6)), False),
    odometry=Numbers(np.zeros((1, 6)), False),
    loads=loads_at(),
)


def contradiction(memory, loads, limits, dt):
    """What loads contradict."""
    return contradiction_of(memory, STILL._replace(loads=loads), limits, dt)


def moving(ticks, **stuck):
    """What is found at every tick while everything moves but what is held at the values
    given."""
    memory = fresh()
    found = []
    for tick in range(ticks):
        value = {
            "q": np.arange(5.0) + tick * DT,
            "v": np.ones(5),
            "rates": np.zeros((6, 2)),
            "left": np.arange(6.0) + tick,
            "right": np.arange(6.0) - tick,
            "imu": np.arange(6.0) + 0.5 * tick,
            "odometry": np.arange(6.0) + tick * DT,
        }
        value.update(
            {
                name: np.asarray(held(tick) if callable(held) else held)
                for name, held in stuck.items()
            }
        )
        rates = np.ascontiguousarray(value["rates"].T)
        told = STILL._replace(
            base=Tracked(value["q"][:ROOT], value["v"][:ROOT]),
            joints=LoadedJoints(
                Tracked(value["q"][ROOT:], value["v"][ROOT:]),
                np.zeros((2, 3)),
                (0.0, 0.0),
            ),
            foot_rates=TwoRates(rates[0, :4], rates[1, :4]),
            acceleration=TwoRates(rates[0, 4:], rates[1, 4:]),
            wrenches=Numbers(np.stack((value["left"], value["right"])), True),
            imu=Numbers(value["imu"].astype(float)[None], True),
            odometry=Numbers(value["odometry"].astype(float)[None], True),
        )
        found.append(stuck_sensor(memory, told, LIMITS, DT))
    return found


def rates_with(row, rate):
    """Rates of two feet and the base of which one is measured otherwise."""
    rates = np.zeros((6, 2))
    rates[row, 0] = rate
    return rates


STUCK = [
    ({}, (WELL, 0)),
    ({"left": np.ones(6)}, (CONSTANT_WRENCH, 0)),
    ({"right": np.ones(6)}, (CONSTANT_WRENCH, 1)),
    ({"left": np.ones(6), "right": np.ones(6)}, (CONSTANT_WRENCH, 0)),
    (
        {"left": lambda tick: [1.1 * ROBOT.weight, *np.full(5, tick)]},
        (SATURATED_WRENCH, 0),
    ),
    (
        {"right": lambda tick: [1.1 * ROBOT.weight, *np.full(5, tick)]},
        (SATURATED_WRENCH, 1),
    ),
    (
        {"left": lambda tick: [300.0, *np.full(5, tick)], "right": np.ones(6)},
        (CONSTANT_WRENCH, 1),
    ),
    ({"imu": np.ones(6)}, (CONSTANT_IMU, 0)),
    ({"imu": lambda tick: [*np.full(5, tick), 1.01 * SATURATION]}, (SATURATED_IMU, 0)),
    ({"imu": lambda tick: [*np.full(5, tick), 0.99 * SATURATION]}, (WELL, 0)),
    ({"odometry": np.ones(6)}, (CONSTANT_ODOMETRY, 0)),
    ({"odometry": lambda tick: [*np.full(5, tick * DT), 1e300]}, (WELL, 0)),
    ({"odometry": np.zeros(6)}, (WELL, 0)),
    (
        {"left": np.ones(6), "imu": np.ones(6), "odometry": np.ones(6)},
        (CONSTANT_WRENCH, 0),
    ),
    ({"imu": np.ones(6), "odometry": np.ones(6)}, (CONSTANT_IMU, 0)),
    ({"v": np.array([1.0, 1.0, 1.0, 1.0, -4.0])}, (WRONG_VELOCITY, 1)),
    ({"v": np.array([1.0, -4.0, 1.0, 1.0, 1.0])}, (WRONG_TWIST, 0)),
    ({"rates": rates_with(1, 4.0)}, (WRONG_LEG, 0)),
    ({"rates": rates_with(2, -4.0)}, (WRONG_LEG, 1)),
    ({"rates": rates_with(5, 40.0)}, (WRONG_TWIST, 0)),
]


@pytest.mark.parametrize(("held", "told"), STUCK, ids=range(len(STUCK)))
def test_a_sensor_that_stands_still_is_named_and_the_foot_it_belongs_to(held, told):
    found = moving(6, **held)
    assert found[-1] == told
    assert found[0] == (WELL, 0)


@pytest.mark.parametrize("axis", range(6))
def test_one_axis_of_the_imu_that_stands_still_for_long_is_named_unless_it_is_zero(
    axis,
):
    def held(value):
        return lambda tick: np.where(np.arange(6) == axis, value, np.arange(6.0) + tick)

    ticks = math.ceil(MOTION_WINDOW / DT) + 2
    found = moving(ticks, imu=held(0.25))
    assert found[-1] == (CONSTANT_IMU, 0)
    assert found[-4] == (WELL, 0)
    assert moving(2 * ticks, imu=held(0.0))[-1] == (WELL, 0)


def contradicted(ticks, load, crossed=(0.0, 0.0), up=(0.0, 0.0), imu=HELD, memory=None):
    memory = fresh() if memory is None else memory
    loads = loads_at(load, crossed, up, imu=imu)
    return [contradiction(memory, loads, LIMITS, DT) for _ in range(ticks)]


@pytest.mark.parametrize("foot", [0, 1])
def test_a_floor_that_pulls_for_long_has_the_wrong_sign_and_names_the_foot(foot):
    pulled = [HEAVY, HEAVY]
    pulled[foot] = math.nextafter(-LIGHT, -math.inf)
    bad = (-2.0 * LIGHT, 0.0) if foot else (0.0, -2.0 * LIGHT)
    found = contradicted(5, tuple(pulled), bad)
    assert found == [(WELL, 0)] * 4 + [(WRONG_SIGN, foot)]
    pulled[foot] = -LIGHT
    assert contradicted(9, tuple(pulled), bad) == [(WELL, 0)] * 9


@pytest.mark.parametrize(
    ("up", "high"), [((0.5, 0.0), 0), ((0.0, 0.5), 1), ((0.0, 0.0), 1)]
)
def test_pulls_that_make_sense_in_the_other_foots_frame_are_swapped_feet(up, high):
    pulled = -2.0 * LIGHT, HEAVY
    sense = math.nextafter(-LIGHT, 0.0)
    assert contradicted(5, pulled, (sense, sense), up)[-1] == (SWAPPED_FEET, high)
    assert contradicted(5, pulled, (-LIGHT, HEAVY), up)[-1] == (WRONG_SIGN, 0)
    assert contradicted(5, pulled, (HEAVY, -LIGHT), up)[-1] == (WRONG_SIGN, 0)


@pytest.mark.parametrize("high", [0, 1])
def test_a_foot_in_the_air_that_is_loaded_alone_is_swapped_with_the_other(high):
    def found(ticks, above, loaded, low):
        up = [0.0, 0.0]
        load = [low, low]
        up[high] = above
        load[high] = loaded
        return contradicted(ticks, tuple(load), up=tuple(up))

    above = CONFIG.clearance + 1e-9
    loaded = HEAVY + 1e-9
    low = LIGHT - 1e-9
    assert found(5, above, loaded, low) == [(WELL, 0)] * 4 + [(SWAPPED_FEET, high)]
    assert found(9, CONFIG.clearance, loaded, low)[-1] == (WELL, 0)
    assert found(9, above, HEAVY, low)[-1] == (WELL, 0)
    assert found(9, above, loaded, LIGHT)[-1] == (WELL, 0)


def test_no_load_at_all_is_wrong_only_where_the_robot_is_held_up():
    low = 0.5 * LIGHT
    assert contradicted(17, (low - 1e-9, low)) == [(WELL, 0)] * 16 + [(ZERO_WRENCH, 0)]
    assert contradicted(17, (1e-9 - low, -low))[-1] == (ZERO_WRENCH, 0), (
        "signs don't cancel"
    )
    assert contradicted(17, (low, low))[-1] == (WELL, 0)
    half = 0.5 * GRAVITY
    for axis in range(3):
        for felt, told in (
            (half, WELL),
            (half + 1e-9, ZERO_WRENCH),
            (-half - 1e-9, ZERO_WRENCH),
        ):
            imu = np.zeros(6)
            imu[axis] = felt
            assert contradicted(17, (0.0, 0.0), imu=imu)[-1][0] == told
    assert (
        contradicted(17, (0.0, 0.0), imu=np.array([0.0, 0.0, 0.0, 9.0, 9.0, 9.0]))[-1][
            0
        ]
        == WELL
    )


def test_a_contradiction_that_is_interrupted_begins_anew():
    memory = fresh()
    for _ in range(4):
        assert contradicted(4, (-2 * LIGHT, HEAVY), (-HEAVY, 0.0), memory=memory)[
            -1
        ] == (WELL, 0)
        assert contradicted(1, (HEAVY, HEAVY), memory=memory) == [(WELL, 0)]


UP = np.array([0.6, 0.0, 0.8])
ACROSS = np.array([0.8, 0.0, -0.6]), np.array([0.0, 1.0, 0.0])


def balanced(ticks, excess, config=CONFIG, robot=ROBOT, memory=None):
    """Whether forces are amiss on a body at rest whose feet say so much too much (6,)
    [N, N m]."""
    memory = new_balance() if memory is None else memory
    weight = np.concatenate((ROBOT.weight * UP, np.zeros(3)))
    balance = Balance(weight + np.asarray(excess), weight, np.zeros(6), UP)
    limits = WatchLimits(robot, config)
    found = [ground_balance(memory, balance, limits, DT) for _ in range(ticks)]
    assert set(found) <= {WELL_SO_FAR, (UNBALANCED, 0)}
    return [one != WELL_SO_FAR for one in found]


def force(direction, size):
    return np.concatenate((size * np.asarray(direction), np.zeros(3)))


def taught(gain=0.0):
    """Memory after seconds of standing on force sensors that show that share too much."""
    memory = new_balance()
    assert not any(balanced(5000, gain * force(UP, ROBOT.weight), memory=memory)[-100:])
    return memory


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_forces_along_the_weight_are_found_beyond_imbalance_gain_and_offset_at_once(
    sign,
):
    robot = ROBOT._replace(force_offset=8.0)
    left = UNLEARNT_SHARE * CONFIG.disagreeing_gain
    most = (CONFIG.imbalance + left) * ROBOT.weight + 2.0 * robot.force_offset
    most /= 1.0 - sign * left  # it is a share of what the wrenches say

    def found(size):
        return balanced(300, sign * force(UP, size), robot=robot, memory=taught())

    assert not any(found(0.99 * most))
    assert any(found(1.6 * most)), "it is being learnt meanwhile"
    assert sum(found(3.0 * most)) > 250


@pytest.mark.parametrize("gain", [0.5, -0.5])
def test_a_share_of_the_load_by_which_mass_and_sensors_err_is_learnt_and_no_more(gain):
    """It leaves what is seen of a sudden force as it was; a larger share stays a
    contradiction."""
    most = MOST_LEARNT * CONFIG.disagreeing_gain
    memory = taught(gain * most)
    assert memory.gain[0] == pytest.approx(gain * most / (1.0 + gain * most), abs=0.01)
    assert balanced(200, force(UP, (gain * most + 2.0) * ROBOT.weight), memory=memory)[
        -1
    ]
    assert balanced(20_000, force(UP, 20.0 * gain * most * ROBOT.weight))[-1]


@pytest.mark.parametrize("axis", [3, 4, 5])
def test_moments_about_the_centre_of_mass_are_found_beyond_a_share_of_weight_and_height(
    axis,
):
    most = (
        CONFIG.turning * ROBOT.weight * ROBOT.height / (1.0 - CONFIG.disagreeing_gain)
    )
    assert not any(balanced(1000, 0.99 * most * np.eye(6)[axis]))
    assert balanced(1000, 1.01 * most * np.eye(6)[axis])[-1]


@pytest.mark.parametrize("across", ACROSS)
def test_forces_from_the_side_are_found_after_the_time_of_a_push(across):
    def first(size, push_time):
        return balanced(
            400, force(across, size), CONFIG._replace(push_time=push_time)
        ).index(True)

    large = 8.0 * CONFIG.sideways * ROBOT.weight
    begun = first(large, 0.0)
    assert first(large, 8 * DT) == begun + 8
    assert not any(balanced(400, force(across, 0.99 * CONFIG.sideways * ROBOT.weight)))
    assert balanced(400, force(across, 2.0 * CONFIG.sideways * ROBOT.weight))[-1]


def test_a_push_that_is_over_is_forgotten():
    memory = new_balance()
    for _ in range(3):
        balanced(
            round(0.9 * CONFIG.push_time / DT),
            force(ACROSS[1], 4.0 * CONFIG.sideways * ROBOT.weight),
            memory=memory,
        )
        assert not any(
            balanced(math.ceil(4.0 * FORCE_WINDOW / DT), np.zeros(6), memory=memory)
        )
    assert memory.across[0] == 0.0


TURNS_OF_SOLES = np.array(
    [
        [0.36, 0.48, -0.8],
        [-0.8, 0.6, 0.0],
        [0.48, 0.64, 0.6],
        [0.6, 0.48, -0.64],
        [0.0, 0.8, 0.6],
        [0.8, -0.36, 0.48],
    ]
)
MASS_MATRIX = np.array(
    [
        [32.0, 0.0, 3.0, -2.0, 1.0], [0.0, 32.0, 4.0, 2.0, -3.0], [3.0, 4.0, 9.0, 1.0, 1.0],
        [-2.0, 2.0, 1.0, 5.0, 0.5], [1.0, -3.0, 1.0, 0.5, 5.0],
    ]
)  # fmt: skip


@kernel
def soles_at_the_joints(q, v):
    """Two soles whose heights are the joints' positions, one before and one behind the
    base."""
    position = np.zeros((2, 3))
    position[0, 0], position[0, 2] = q[0] + 0.25, q[3] - 0.25
    position[1, 0], position[1, 2] = q[0] - 0.5, q[4] + 0.5
    return position, np.zeros((2, 6))


@kernel
def tilted_soles(q):
    """Rotations of both soles."""
    return TURNS_OF_SOLES


@kernel
def some_dynamics(q, v):
    """A mass matrix."""
    return MASS_MATRIX, np.zeros(5)


@kernel
def some_jacobians(q):
    """Linear rows of both soles."""
    return np.arange(30.0).reshape(6, 5) / 32.0


@pytest.fixture(scope="module")
def whole():
    """All residuals of a robot that there isn't."""
    signals_of = planar_signals(
        SimpleNamespace(
            sole_motion=soles_at_the_joints,
            sole_rotations=tilted_soles,
            dynamics_terms=some_dynamics,
            sole_jacobians=some_jacobians,
        )
    )
    return signals_of, gravest_finding()


SLOPED = ROBOT._replace(slope=0.25, height=0.25)
FAR_FEET = np.full((2, 3), np.nan)


def one(
    whole,
    memory,
    q=REST[0],
    v=REST[1],
    wrench=None,
    imu=HELD,
    robot=SLOPED,
    config=CONFIG,
    torques=UNKNOWN,
):
    signals_of, find = whole
    wrench = (
        np.tile([0.0, 0.0, 100.0, 0.0, 0.0, 0.0], (2, 1)) if wrench is None else wrench
    )
    readings = SensorReadings(
        stamp_ns=0,
        joint_position=q[-len(torques) :],
        joint_velocity=v[-len(torques) :],
        orientation_base_in_world=np.zeros(4),
        angular_velocity_in_base=np.array(imu[3:]),
        specific_force_in_base=np.array(imu[:3]),
        position_base_in_odom=np.zeros(3),
        linear_velocity_in_base=np.zeros(3),
        wrench_ground_on_foot_in_sole=wrench,
        foot_specific_force_in_sole=FAR_FEET,
        foot_angular_velocity_in_sole=FAR_FEET,
        foot_position_in_world=FAR_FEET,
    )
    last = LastMotion(memory.base_way.last, memory.joint_way.joints.last)
    limits = WatchLimits(robot, config)
    signals = signals_of(last, RobotState(q, v), readings, torques, limits, DT)
    return find(memory, signals, limits, DT)


@pytest.mark.parametrize("pitches", [True, False])
def test_a_body_with_all_its_sensors_balances_force_motion_and_what_it_feels(
    whole, pitches
):
    """Sum of the soles' forces, specific force and speed of the centre of mass, all in
    the world; no pitch, no turn."""
    rng = np.random.default_rng(4)
    memory = fresh(2 if pitches else 3)
    same = new_balance()
    left = TURNS_OF_SOLES[:3]
    right = TURNS_OF_SOLES[3:]
    joints = 2 if pitches else 3
    robot = SLOPED._replace(
        lower=np.full(joints, -9.0),
        upper=np.full(joints, 9.0),
        speed=np.full(joints, 99.0),
        effort=np.full(joints, 99.0),
    )
    for _ in range(4):
        q = REST[0] + 0.1 * rng.normal(size=5)
        v = 0.1 * rng.normal(size=5)
        wrench = 50.0 * rng.normal(size=(2, 6))
        imu = rng.normal(size=6)
        one(whole, memory, q, v, wrench, imu, robot, torques=np.full(joints, np.nan))
        c, s = (math.cos(q[2]), math.sin(q[2])) if pitches else (1.0, 0.0)
        felt = np.array([[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]]) @ imu[:3]
        load = left @ wrench[0, :3] + right @ wrench[1, :3]
        moved = np.array([MASS_MATRIX[0, 2:] @ v[2:], 0.0, MASS_MATRIX[1, 2:] @ v[2:]])
        told = [
            np.concatenate((each, np.zeros(3))) for each in (load, 32.0 * felt, moved)
        ]
        balance = Balance(*told, np.array([0.0, 0.0, 1.0]))
        ground_balance(same, balance, WatchLimits(robot, CONFIG), DT)
        own = memory.ground_balance
        np.testing.assert_allclose(
            own.account.sums[:, APART], same.account.sums[:, APART], atol=1e-9
        )
        np.testing.assert_allclose(own.load, same.load, atol=1e-12)
        np.testing.assert_allclose(own.momentum, same.momentum, atol=1e-12)


@pytest.mark.parametrize("axis", [0, 1])
def test_a_base_whose_twist_changes_otherwise_than_its_accelerometer_feels_is_named(
    whole, axis
):
    config = CONFIG._replace(imbalance=1e9, sideways=1e9, fall_height=-9.0)
    for wrong, told in ((0.0, WELL), (8.0, WRONG_TWIST)):
        memory = fresh()
        q = REST[0].copy()
        v = np.zeros(5)
        for _ in range(200):
            before = v.copy()
            v[axis] += 2.0 * DT  # [m/s^2]
            q += 0.5 * (before + v) * DT
            imu = HELD.copy()
            imu[2 * axis] += 2.0 + wrong
            found = one(
                whole,
                memory,
                q,
                v,
                imu=imu,
                config=config,
                robot=SLOPED._replace(slope=0.0),
            )[0]
        assert found == told


def along_normal(foot, rows):
    """What a force of a foot, in the frame of a sole (its rows), presses along the
    normal of the slope."""
    normal = np.array([-math.sin(SLOPED.slope), 0.0, math.cos(SLOPED.slope)])
    return normal @ TURNS_OF_SOLES[3 * rows : 3 * rows + 3] @ foot


@pytest.mark.parametrize("foot", [0, 1])
@pytest.mark.parametrize("axis", range(3))
def test_a_load_is_what_a_force_in_the_sole_presses_along_the_normal_of_the_slope(
    whole, foot, axis
):
    """The pull is a little smaller or larger than what counts as none; in the other
    sole's frame it makes no sense."""
    unit = np.eye(3)[axis]
    for share, told in ((0.999, WELL), (1.001, WRONG_SIGN)):
        wrench = np.zeros((2, 6))
        pull = -share * LIGHT * unit / along_normal(unit, foot)
        wrench[foot, :3] = pull
        # the other foot's force presses in its own frame, and pulls in the one of this
        # foot
        other = 1 - foot
        basis = np.array(
            [
                [along_normal(e, other) for e in np.eye(3)],
                [along_normal(e, foot) for e in np.eye(3)],
            ]
        )
        wrench[other, :3] = np.linalg.lstsq(basis, [40.0, -3.0 * LIGHT], rcond=None)[0]
        memory = fresh()
        config = CONFIG._replace(imbalance=1e3, sideways=1e3)
        for tick in range(5):
            wrench[:, 3:] += tick
            found = one(whole, memory, wrench=wrench, config=config)
        assert found == (told, foot if told != WELL else 0)


@pytest.mark.parametrize("foot", [0, 1])
def test_pulls_that_are_none_in_each_others_sole_are_swapped_feet(whole, foot):
    """Forces that press in the other sole's frame and pull in the own one; the higher
    foot is named."""
    wrench = np.zeros((2, 6))
    for number in range(2):
        basis = np.array(
            [
                [along_normal(e, rows) for e in np.eye(3)]
                for rows in (number, 1 - number)
            ]
        )
        for share, told in ((0.999, SWAPPED_FEET), (1.001, WRONG_SIGN)):
            wrench[:, :3] = 0.0
            wrench[number, :3] = np.linalg.lstsq(
                basis, [-2.0 * LIGHT, -share * LIGHT], rcond=None
            )[0]
            memory = fresh()
            config = CONFIG._replace(imbalance=1e3, sideways=1e3)
            q = REST[0] + np.array(
                [0.0, 0.0, 0.0, *(np.array([-0.4, 0.6]) * (1 - 2 * foot))]
            )
            up = [
                -math.sin(0.25) * x + math.cos(0.25) * z
                for x, z in ((0.25, q[3] - 0.25), (-0.5, q[4] + 0.5))
            ]
            for tick in range(5):
                wrench[:, 3:] += tick
                found = one(
                    whole,
                    memory,
                    q,
                    wrench=wrench,
                    config=config,
                    robot=SLOPED._replace(height=-99.0),
                )
            assert found[0] == told
            assert told == WRONG_SIGN or found[1] == int(np.argmax(up))


def test_the_height_of_a_sole_is_over_the_slope(whole):
    """A fall is told by the lower of both soles; each is the lower one once."""
    config = CONFIG._replace(joint_margin=99.0)
    for foot, (x, shift) in enumerate(((0.25, -0.25), (-0.5, 0.5))):
        for apart, told in ((0.1251, WELL), (0.1249, FALL)):
            q = np.array([0.75, 1.0, 0.0, -40.0, -40.0])
            base = math.cos(0.25) * q[1] - math.sin(0.25) * q[0]
            height = base - apart
            q[3 + foot] = (height + math.sin(0.25) * (q[0] + x)) / math.cos(
                0.25
            ) - shift
            other_x, other_shift = ((-0.5, 0.5), (0.25, -0.25))[foot]
            q[4 - foot] = (
                height + 0.05 + math.sin(0.25) * (q[0] + other_x)
            ) / math.cos(0.25) - other_shift
            assert one(whole, fresh(), q, config=config)[0] == told


def test_a_fall_goes_before_what_contradicts_and_that_before_what_stands_still(whole):
    fallen = REST[0] - np.array([0.0, 5.0, 0.0, 0.0, 0.0])
    pull = np.tile([0.0, 0.0, -100.0, 0.0, 0.0, 0.0], (2, 1))
    for q, wrench, told in (
        (fallen, pull, (FALL,)),
        (REST[0], pull, (WRONG_SIGN, SWAPPED_FEET)),
        (REST[0], -pull, (CONSTANT_WRENCH,)),
    ):
        memory = fresh()
        memory.floor_pull[:] = 1.0
        memory.wrench_change.still[:] = 1.0
        memory.wrench_change.last[:] = wrench
        assert one(whole, memory, q, wrench=wrench)[0] in told


def test_forces_that_nothing_explains_are_found_in_the_whole_as_well(whole):
    memory = fresh()
    config = CONFIG._replace(fall_height=-9.0)
    found = [
        one(whole, memory, robot=SLOPED._replace(slope=0.0), config=config)[0]
        for _ in range(300)
    ]
    assert found[0] == WELL
    assert found[-1] == UNBALANCED


def test_torques_that_nothing_answers_are_found_in_the_joint_that_got_them_but_for_those_that_wrong_forces_ask(
    whole,
):
    """The model says what moves every joint: mass times acceleration less the ground's
    forces."""
    rng = np.random.default_rng(5)
    config = CONFIG._replace(
        imbalance=1e9,
        sideways=1e9,
        disagreement=1e9,
        disagreeing_gain=0.0,
        fall_height=-9.0,
    )
    jacobians = some_jacobians(REST[0])
    robot = SLOPED._replace(slope=0.0)
    turns = TURNS_OF_SOLES.reshape(2, 3, 3)
    cases = (
        (-1, 0.0, (WELL, 0)),
        (0, 0.0, (UNANSWERED, 0)),
        (1, 0.0, (UNANSWERED, 1)),
        (-1, 400.0, (UNBALANCED, 0)),
    )
    for lazy, wrong, told in cases:
        memory = fresh()
        v = np.zeros(5)
        for _ in range(60):
            before = v
            v = v + 1e-3 * rng.normal(size=5)
            wrench = np.zeros((2, 6))
            imu = np.zeros(6)
            wrench[:, :3], wrench[:, 3:] = (
                100.0 + rng.normal(size=(2, 3)),
                rng.normal(size=(2, 3)),
            )
            force = np.einsum("fij,fj->fi", turns, wrench[:, :3])
            torques = (MASS_MATRIX @ (v - before) / DT - jacobians.T @ force.ravel())[
                ROOT:
            ]
            imu[[0, 2]] = (
                force.sum(axis=0)[[0, 2]] - MASS_MATRIX[:2, 2:] @ (v - before)[2:] / DT
            ) / MASS_MATRIX[0, 0]
            if lazy >= 0:
                torques[lazy] += 2.0 * config.unanswered * robot.effort[lazy] + abs(
                    torques[lazy]
                )
            wrench[1, :3] += turns[1].T @ [0.0, 0.0, wrong]
            found = one(
                whole,
                memory,
                REST[0],
                v,
                wrench,
                imu,
                robot=robot,
                config=config,
                torques=torques,
            )
            if lazy < 0 and wrong == 0.0:
                assert found == told
        assert found == told

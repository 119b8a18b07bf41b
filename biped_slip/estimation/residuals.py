# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
r"""Residuals: what a sensor says beyond what the other sensors and a model say.

A sound robot measures many things twice. Its encoders say where a joint is and its
velocity where it goes; wrenches under the feet say what moves the body and its IMU how
it moves; a foot that stands says that the floor does not move. The difference of the
two, r = measured - model, is a residual: noise while all is sound, and of one sign
once a sensor is not ([Isermann2006], ch. 7: limits, ch. 10: parity equations). The
watch sums it over a window T and compares the sum with what noise, a gain and a lag of
sound sensors explain::

    R(t) = (1 - dt/T) R(t - dt) + r dt
    |R| <= least + gain * way + lag * turn     way, turn: of the model, over T

::

    residual   ____/\_/\__________.-----   a sensor breaks: r stays on one side
    R            ~~~~~~~~~~~~~~~~/         ... and its sum climbs
    threshold  - - - - - - - - -/- - - -   ... until it is found, and claimed

Some need no sum: a limit that is passed now (``joint_range``), a contradiction that
lasts (``floor_pull``), a number that stands still (``imu_change``).

**The list** ``RESIDUALS`` at the end of this file has them all, the gravest first: of
two findings at one instant the one that stands higher is the answer. Planar biped and
humanoids share it; what a robot does not measure has no rows, and nothing is found.

**To add one**: write a kernel ``(own, signal, limits, dt) -> (finding, which)`` beside
the others, which answers ``WELL_SO_FAR`` or one of the findings that it claims with the
number of the foot or joint; add an entry to ``RESIDUALS``, which says what it reads and
what it remembers. The dispatch of all entries is generated from the list. Write the
test that breaks the sensor and name it in the entry:
``test/estimation/health/test_residuals.py`` looks for it. A finding that does not exist
yet gets a code and a sentence in ``health.py``, a signal that is not measured yet a
field in ``signals.py``.

Arguments of all kernels: ``own`` memory, which they fill; ``signal``, the field of
:class:`.signals.Signals` that the entry reads; ``limits`` of robot and configuration;
``dt`` since the last reading [s].
"""

from __future__ import annotations

import math
from collections import namedtuple
from typing import Any, Callable, Collection, Mapping, NamedTuple, Sequence

import numpy as np

from biped_slip.compile.array_kernels import copy_vector
from biped_slip.compile.arrays import Array
from biped_slip.compile.cache import digest
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
    Found,
    HealthConfig,
)
from biped_slip.estimation.signals import (
    Balance,
    LoadedJoints,
    Loads,
    Numbers,
    Rows,
    TorqueAnswer,
    Tracked,
    TwoRates,
    WatchLimits,
)

TICK = 1e-3  # [s] up to which nothing happens between two readings (choice)
FORCE_WINDOW = 0.05  # [s] over which forces are held against motion (choice)
# [s] over a longer one nothing is compared: a foot may have landed in it
LONG_TICK = 0.005
# [s] that one reading proves at most, however long the gap before it: the longest
# period
ONE_READING = 0.004
# of a gain that its mean over that time [s] leaves: moments leak, feet differ (choice)
UNLEARNT_SHARE = 0.7
LEARNING_TIME = 1.0
# times ``disagreeing_gain``: mass and force sensors err together (choice)
MOST_LEARNT = 1.5
# share of a joint's unanswered torque: what asks for more is a wrong force (choice)
EXPLAINING_SHARE = 0.5
# [m/s^2, rad/s] an axis of the IMU that stays above it is saturated
SATURATION = 2.0 * GRAVITY
# of the body weight that comes onto a foot within a time [s]: it lands (choice)
LANDING_SHARE = 0.15
LANDING_TIME = 0.01
NO_ROW = -1
# columns of an account
APART, WAY, TURN, LARGEST_TURN, LATE = range(5)
# directions of a balance: along the weight, across it, moments
ALONG = 0
MOMENTS = 3

WELL_SO_FAR = (WELL, 0)

#: (own memory, what it reads, limits, dt) -> (finding, foot or joint)
ResidualKernel = Callable[..., Found]


class Account(NamedTuple):
    """Sums over a window of k residuals, and of what the model says meanwhile.

    Columns: APART, of the residual (R); WAY, of the model's rate; TURN, of that rate's
    change; LARGEST_TURN lately; LATE, the way between late ticks.
    """

    sums: Array  # (k, 5)
    doubt: Array  # (k,) 1 where they diverge


class TrackedAccount(NamedTuple):
    """Account of quantities against their rates."""

    account: Account
    last: Tracked


class JointAccount(NamedTuple):
    """Account of joints against their velocities, and how the legs' load changed."""

    joints: TrackedAccount
    last: Array  # (2, 4) force along the floor, load along the normal [N]
    pulled: Array  # (2, 3) change of the force along the floor, over the window [N]
    landed: Array  # (2,) change of the load, over a landing [N]
    # (1,) since a joint first moved otherwise, as a leg's give might explain [s]
    unexplained: Array
    found: Array  # (1,) joint that is found, or NO_ROW


class RateAccount(NamedTuple):
    """Account of rates, each as two sensors have it."""

    account: Account
    last: Array  # (k,) of the second sensor


class Stillness(NamedTuple):
    """For how long the numbers of k sensors have stood still."""

    last: Array  # (k, 6)
    still: Array  # (k, 6) since it changed, while the joints moved [s]


class BalanceAccount(NamedTuple):
    """Account of a balance, and what has been learnt of mass and force sensors."""

    account: Account
    load: Array  # (6,) last
    momentum: Array  # (6,) last
    gain: Array  # (1,) share of the load by which it exceeds what it carries
    learnt: Array  # (1,) for how long that is learnt [s]
    across: Array  # (1,) for how long forces across the weight have been amiss [s]


class TorqueAccount(NamedTuple):
    """Account of torques, beside that of the forces which may ask for them."""

    account: Account
    last: Array  # (n,) torques
    forces: Account  # of the balance


def new_account(rows: int) -> Account:
    """Allocate the sums of so many residuals."""
    return Account(sums=np.zeros((rows, 5)), doubt=np.zeros(rows))


def new_tracked(rows: int) -> TrackedAccount:
    """Allocate the memory of quantities that have not been seen yet."""
    unseen = Tracked(value=np.full(rows, math.nan), rate=np.zeros(rows))
    return TrackedAccount(account=new_account(rows), last=unseen)


def new_joints(rows: int) -> JointAccount:
    """Allocate the memory of joints before the first reading."""
    return JointAccount(
        joints=new_tracked(rows),
        last=np.full((2, 4), math.nan),
        pulled=np.zeros((2, 3)),
        landed=np.zeros(2),
        unexplained=np.zeros(1),
        found=np.full(1, float(NO_ROW)),
    )


def new_rates(rows: int) -> RateAccount:
    """Allocate the memory of rates."""
    return RateAccount(account=new_account(rows), last=np.zeros(rows))


def new_stillness(sensors: int) -> Stillness:
    """Allocate the memory of numbers that have not been seen yet."""
    return Stillness(last=np.full((sensors, 6), math.nan), still=np.zeros((sensors, 6)))


def new_balance() -> BalanceAccount:
    """Allocate the memory of a balance before the first reading."""
    return BalanceAccount(
        account=new_account(6),
        load=np.full(6, math.nan),
        momentum=np.zeros(6),
        gain=np.zeros(1),
        learnt=np.zeros(1),
        across=np.zeros(1),
    )


class Difference(NamedTuple):
    """What a tick adds to an account."""

    excess: float  # by which the quantity moved more than the model says: r dt
    rate: float  # of the model
    change: float  # of that rate since the last tick


class Tolerance(NamedTuple):
    """What passes as equal."""

    least: float  # sum that passes without a reason
    window: float  # [s] in which it is forgotten
    # what was found stays until the way back: joints that have been stopped disagree no
    # more
    kept: bool


@kernel(inline="code")
def diverges(
    account: Account,
    i: int,
    tick: Difference,
    tolerance: Tolerance,
    config: HealthConfig,
    dt: float,
) -> bool:
    """Return whether a residual's sum exceeds what a sound sensor explains.

    Besides the least there may be what a gain, a lag or a late tick explains: a share
    of the way, the change of rate within a time, half of it for as long as the tick was
    late. Over a long tick, and for numbers that are none, the account begins anew.
    """
    if dt > LONG_TICK or not math.isfinite(tick.excess + tick.change):
        account.sums[i, WAY] = 0.0
        account.sums[i, TURN] = 0.0
        account.sums[i, LARGEST_TURN] = 0.0
        account.sums[i, LATE] = 0.0
        account.sums[i, APART] = 0.0
        account.doubt[i] = 0.0
        return False
    left = max(0.0, 1.0 - dt / tolerance.window)
    account.sums[i, WAY] = left * account.sums[i, WAY] + tick.rate * dt
    account.sums[i, TURN] = left * account.sums[i, TURN] + tick.change
    # what is late comes after the turn
    earlier = account.sums[i, LARGEST_TURN] * max(
        0.0, 1.0 - dt / max(config.disagreeing_lag, dt)
    )
    largest = max(abs(account.sums[i, TURN]), earlier)
    account.sums[i, LARGEST_TURN] = largest
    account.sums[i, LATE] = left * account.sums[i, LATE] + 0.5 * abs(tick.change) * max(
        dt - TICK, 0.0
    )
    most = (
        tolerance.least
        + config.disagreeing_gain * abs(account.sums[i, WAY])
        + config.disagreeing_lag * largest
        + account.sums[i, LATE]
    )
    if tolerance.kept and abs(account.sums[i, APART]) > most:
        left = 1.0
    account.sums[i, APART] = left * account.sums[i, APART] + tick.excess
    account.doubt[i] = 1.0 if abs(account.sums[i, APART]) > most else 0.0
    return account.doubt[i] > 0.0


@kernel(inline="code")
def first_way_apart(
    own: TrackedAccount,
    now: Tracked,
    tolerance: Tolerance,
    limits: WatchLimits,
    dt: float,
) -> int:
    """Find the first quantity that changes otherwise than its rate says, or NO_ROW."""
    last = own.last
    first = NO_ROW
    for i in range(now.value.shape[0]):
        rate = 0.5 * (last.rate[i] + now.rate[i])
        tick = Difference(
            excess=now.value[i] - last.value[i] - rate * dt,
            rate=rate,
            change=now.rate[i] - last.rate[i],
        )
        last.value[i] = now.value[i]
        last.rate[i] = now.rate[i]
        apart = diverges(own.account, i, tick, tolerance, limits.config, dt)
        if apart and first == NO_ROW:
            first = i
    return first


@kernel(inline="code")
def first_rate_apart(
    own: RateAccount,
    rates: TwoRates,
    tolerance: Tolerance,
    limits: WatchLimits,
    dt: float,
) -> int:
    """Find the first rate in which two sensors contradict each other, or NO_ROW."""
    first = NO_ROW
    for i in range(rates.expected.shape[0]):
        rate = rates.expected[i]
        tick = Difference(
            excess=(rates.measured[i] - rate) * dt,
            rate=rate,
            change=rate - own.last[i],
        )
        own.last[i] = rate
        apart = diverges(own.account, i, tick, tolerance, limits.config, dt)
        if apart and first == NO_ROW:
            first = i
    return first


CHANGING, LARGE_STILL, ALL_STILL = range(3)


@kernel(inline="code")
def standing_still(
    own: Stillness,
    sensor: int,
    numbers: Numbers,
    large: float,
    config: HealthConfig,
    dt: float,
) -> int:
    """Tell whether all six numbers of a sensor have stood still for too long.

    A robot at rest may stand still.

    Args:
        own: memory of the sensors of this kind.
        sensor: which of them.
        numbers: of all.
        large: a single number beyond it that stands still is found as well.
        config: thresholds.
        dt: since the last reading [s].

    Returns:
        ALL_STILL, LARGE_STILL where a large one has, or CHANGING.
    """
    still = 0
    saturated = 0
    any_value = False
    for k in range(6):
        value = numbers.values[sensor, k]
        if value != own.last[sensor, k]:
            own.still[sensor, k] = 0.0
        elif numbers.moved:
            own.still[sensor, k] += min(dt, ONE_READING)
        own.last[sensor, k] = value
        any_value = any_value or value != 0.0
        if own.still[sensor, k] > config.stuck_time:
            still += 1
            saturated += abs(value) > large
    if still == 6 and any_value:
        return ALL_STILL
    return LARGE_STILL if saturated > 0 else CHANGING


@kernel(inline="code")
def lasted(times: Array, i: int, wrong: bool, dt: float) -> float:
    """Update for how long something has been wrong [s]."""
    times[i] = times[i] + min(dt, ONE_READING) if wrong else 0.0
    return times[i]


# Limits that may not be passed.


@kernel(inline="code")
def base_height(own: Array, loads: Loads, limits: WatchLimits, dt: float) -> Found:
    """Find a base that has come too near to the lower sole."""
    lower = min(loads.sole_height[0], loads.sole_height[1])
    if loads.base_height - lower < limits.config.fall_height * limits.robot.height:
        return FALL, 0
    return WELL_SO_FAR


@kernel(inline="code")
def joint_range(
    own: Array, joints: LoadedJoints, limits: WatchLimits, dt: float
) -> Found:
    """Find the first joint beyond its range or speed."""
    robot = limits.robot
    margin = limits.config.joint_margin
    for i in range(joints.moved.value.shape[0]):
        place = joints.moved.value[i]
        if not robot.lower[i] - margin <= place <= robot.upper[i] + margin:
            return JOINT_LIMIT, i
        if abs(joints.moved.rate[i]) > robot.speed[i]:
            return JOINT_SPEED, i
    return WELL_SO_FAR


# Loads that contradict posture, floor or IMU.


@kernel(inline="code")
def higher_foot(loads: Loads) -> int:
    """Return the foot whose sole is higher."""
    return 0 if loads.sole_height[0] > loads.sole_height[1] else 1


@kernel(inline="code")
def no_load(limits: WatchLimits) -> float:
    """Compute up to which force a foot carries nothing [N]."""
    return limits.config.light * limits.robot.weight + limits.robot.force_offset


@kernel(inline="code")
def lifted_load(own: Array, loads: Loads, limits: WatchLimits, dt: float) -> Found:
    """Find a foot in the air that seems to carry the robot alone."""
    config = limits.config
    high = higher_foot(loads)
    low = 1 - high
    lifted = loads.sole_height[high] - loads.sole_height[low] > config.clearance
    unloaded = loads.load[low] < no_load(limits)
    loaded = loads.load[high] > config.heavy * limits.robot.weight
    wrong = lifted and unloaded and loaded
    if lasted(own, 0, wrong, dt) > config.contradiction_time:
        return SWAPPED_FEET, high
    return WELL_SO_FAR


@kernel(inline="code")
def floor_pull(own: Array, loads: Loads, limits: WatchLimits, dt: float) -> Found:
    """Find a foot at which the floor pulls: a wrong sign, or the other foot's wrench.

    It is the other's where in each other's frame both make sense.
    """
    light = no_load(limits)
    pulled = NO_ROW
    for foot in range(2):
        time = lasted(own, foot, loads.load[foot] < -light, dt)
        if time > limits.config.contradiction_time and pulled == NO_ROW:
            pulled = foot
    if pulled == NO_ROW:
        return WELL_SO_FAR
    if loads.crossed[0] > -light and loads.crossed[1] > -light:
        return SWAPPED_FEET, higher_foot(loads)
    return WRONG_SIGN, pulled


@kernel(inline="code")
def total_load(own: Array, loads: Loads, limits: WatchLimits, dt: float) -> Found:
    """Find that no foot carries a robot which does not fall freely."""
    held = loads.specific_force_squared > (0.5 * GRAVITY) ** 2
    load = abs(loads.load[0]) + abs(loads.load[1])
    wrong = held and load < no_load(limits)
    if lasted(own, 0, wrong, dt) > limits.config.unloaded_time:
        return ZERO_WRENCH, 0
    return WELL_SO_FAR


# Numbers that stand still while the joints move.


@kernel(inline="code")
def wrench_change(
    own: Stillness, numbers: Numbers, limits: WatchLimits, dt: float
) -> Found:
    """Find the foot whose wrench stands still, the left one first."""
    large = limits.robot.weight
    left = standing_still(own, 0, numbers, large, limits.config, dt)
    right = standing_still(own, 1, numbers, large, limits.config, dt)
    foot = 0 if left >= right else 1
    stillest = max(left, right)
    if stillest == ALL_STILL:
        return CONSTANT_WRENCH, foot
    if stillest == LARGE_STILL:
        return SATURATED_WRENCH, foot
    return WELL_SO_FAR


@kernel(inline="code")
def imu_change(
    own: Stillness, numbers: Numbers, limits: WatchLimits, dt: float
) -> Found:
    """Find an IMU that stands still, or an axis of it for long.

    An axis that is zero does not count: in the plane some always are.
    """
    found = standing_still(own, 0, numbers, SATURATION, limits.config, dt)
    for k in range(6):
        if own.still[0, k] > MOTION_WINDOW and numbers.values[0, k] != 0.0:
            found = ALL_STILL
    if found == ALL_STILL:
        return CONSTANT_IMU, 0
    if found == LARGE_STILL:
        return SATURATED_IMU, 0
    return WELL_SO_FAR


@kernel(inline="code")
def odometry_change(
    own: Stillness, numbers: Numbers, limits: WatchLimits, dt: float
) -> Found:
    """Find odometry that stands still; far from home it may be as large as it is."""
    if standing_still(own, 0, numbers, math.inf, limits.config, dt) == ALL_STILL:
        return CONSTANT_ODOMETRY, 0
    return WELL_SO_FAR


# Motions that two sensors measure.


@kernel(inline="code")
def base_way(
    own: TrackedAccount, base: Tracked, limits: WatchLimits, dt: float
) -> Found:
    """Find a base that moves otherwise than its twist says."""
    tolerance = Tolerance(limits.config.disagreement, MOTION_WINDOW, True)
    row = first_way_apart(own, base, tolerance, limits, dt)
    return WELL_SO_FAR if row == NO_ROW else (WRONG_TWIST, 0)


@kernel(inline="code")
def foot_swing(
    own: TrackedAccount, swing: Tracked, limits: WatchLimits, dt: float
) -> Found:
    """Find a swing between base and feet that their accelerometers do not feel.

    A speed may be amiss by what over the window makes the way that may.
    """
    least = limits.config.disagreement / MOTION_WINDOW
    tolerance = Tolerance(least, MOTION_WINDOW, True)
    row = first_way_apart(own, swing, tolerance, limits, dt)
    return WELL_SO_FAR if row == NO_ROW else (WRONG_TWIST, 0)


@kernel(inline="code")
def changed(own: JointAccount, foot: int, place: int, now: float) -> float:
    """Return the change of a force since the last reading [N]; of no number zero."""
    change = now - own.last[foot, place]
    own.last[foot, place] = now
    return change if math.isfinite(change) else 0.0


@kernel(inline="code")
def leg_loading(
    own: JointAccount, joints: LoadedJoints, dt: float
) -> tuple[float, float]:
    """Return how the legs' forces changed: along the floor, and as a foot lands [N].

    The one is forgotten as the account of the joints is, so that it is to a leg's give
    as their sums are, the other within milliseconds. Of two feet the larger changes.
    """
    left = max(0.0, 1.0 - dt / MOTION_WINDOW)
    lately = max(0.0, 1.0 - dt / LANDING_TIME)
    largest = 0.0
    for foot in range(2):
        square = 0.0
        for k in range(3):
            change = changed(own, foot, k, joints.pull[foot, k])
            own.pulled[foot, k] = left * own.pulled[foot, k] + change
            square += own.pulled[foot, k] * own.pulled[foot, k]
        change = changed(own, foot, 3, joints.load[foot])
        own.landed[foot] = lately * own.landed[foot] + change
        largest = max(largest, square)
    return math.sqrt(largest), max(own.landed[0], own.landed[1])


@kernel(inline="code")
def joint_way(
    own: JointAccount, joints: LoadedJoints, limits: WatchLimits, dt: float
) -> Found:
    """Find the first joint that moves otherwise than its velocity says.

    A leg that is loaded within milliseconds gives way between encoder and gear, which
    the two sides of a gear show differently. Encoders show it at once, filtered forces
    milliseconds later: while a foot lands, what a body weight would explain has to last
    that long. What has been found stays until its way back: neither loads nor turns of
    a robot that is being stopped explain it.
    """
    config = limits.config
    account = own.joints.account
    pulled, landed = leg_loading(own, joints, dt)
    found = int(own.found[0])
    give = config.leg_give if found == NO_ROW else 0.0
    least = config.disagreement + give * pulled / limits.robot.weight
    tolerance = Tolerance(least, MOTION_WINDOW, True)
    joint = first_way_apart(own.joints, joints.moved, tolerance, limits, dt)
    if found != NO_ROW and abs(account.sums[found, APART]) > config.disagreement:
        joint = found
        account.doubt[found] = 1.0
    time = lasted(own.unexplained, 0, joint != NO_ROW, dt)
    own.found[0] = NO_ROW
    if joint == NO_ROW:
        return WELL_SO_FAR
    landing = landed > LANDING_SHARE * limits.robot.weight
    apart = abs(account.sums[joint, APART])
    if landing and apart <= least + give and time <= config.contradiction_time:
        return WELL_SO_FAR
    own.found[0] = joint
    return WRONG_VELOCITY, joint


@kernel(inline="code")
def foot_motion(
    own: RateAccount, rates: TwoRates, limits: WatchLimits, dt: float
) -> Found:
    """Find the foot that moves otherwise than floor or gyroscope says."""
    tolerance = Tolerance(limits.config.disagreement, MOTION_WINDOW, True)
    row = first_rate_apart(own, rates, tolerance, limits, dt)
    if row == NO_ROW:
        return WELL_SO_FAR
    return WRONG_LEG, 2 * row // rates.expected.shape[0]


@kernel(inline="code")
def base_acceleration(
    own: RateAccount, rates: TwoRates, limits: WatchLimits, dt: float
) -> Found:
    """Find a twist that changes otherwise than the accelerometer feels.

    A speed may be amiss by what over the window makes the way that may.
    """
    least = limits.config.disagreement / MOTION_WINDOW
    tolerance = Tolerance(least, MOTION_WINDOW, True)
    row = first_rate_apart(own, rates, tolerance, limits, dt)
    return WELL_SO_FAR if row == NO_ROW else (WRONG_TWIST, 0)


# Forces and the motion that they make.


@kernel(inline="code")
def torque_answer(
    own: TorqueAccount, answer: TorqueAnswer, limits: WatchLimits, dt: float
) -> Found:
    """Find the last joint whose torque moves nothing, or forces that ask for it.

    A wrong force under the feet asks torque of every joint on its way. Where what the
    balance has summed up asks a large share of what a joint does not answer, the
    wrenches are claimed and not the joint.
    """
    config = limits.config
    along = own.forces.sums[ALONG, APART]
    ahead = own.forces.sums[ALONG + 1, APART]
    found = WELL_SO_FAR
    for i in range(answer.torque.shape[0]):
        torque = answer.torque[i]
        tick = Difference(
            excess=answer.unanswered[i] * dt,
            rate=torque,
            change=torque - own.last[i],
        )
        own.last[i] = torque
        least = config.unanswered * FORCE_WINDOW * limits.robot.effort[i]
        tolerance = Tolerance(least, FORCE_WINDOW, True)
        if diverges(own.account, i, tick, tolerance, config, dt):
            asked = answer.lever[i, 1] * ahead + answer.lever[i, 0] * along
            if not asked / own.account.sums[i, APART] > EXPLAINING_SHARE:
                found = (UNANSWERED, i)
            elif found[0] == WELL:
                found = (UNBALANCED, 0)
    return found


@kernel(inline="code")
def turn_along(vector: Array, up: Array) -> None:
    """Put the part of a vector along the weight first, then two across it.

    The first three numbers are a force; what follows stays.
    """
    along = vector[0] * up[0] + vector[1] * up[1] + vector[2] * up[2]
    for k in (2, 1):
        vector[k] = vector[k - 1] - along * up[k - 1]
    vector[0] = along


@kernel(inline="code")
def without_gain(
    own: BalanceAccount, excess: float, load: float, limits: WatchLimits, dt: float
) -> float:
    """Subtract from an excess along the weight what is learnt, and learn from the rest.

    Mass and force sensors err by a constant share of the load; it is learnt while a
    foot carries.
    """
    weight = limits.robot.weight
    left = excess - own.gain[0] * load * dt
    learnt = min(own.learnt[0] + max(load, 0.0) / weight * dt, LEARNING_TIME)
    gain = own.gain[0] + left / weight / max(learnt, FORCE_WINDOW)
    most = MOST_LEARNT * limits.config.disagreeing_gain
    own.learnt[0] = learnt
    own.gain[0] = min(max(gain, -most), most)
    return left


@kernel(inline="code")
def balance_share(direction: int, limits: WatchLimits) -> float:
    """Return which share of the weight passes in a direction of the balance [-, m]."""
    config = limits.config
    offset = 2.0 * limits.robot.force_offset / limits.robot.weight
    if direction == ALONG:
        return config.imbalance + offset
    if direction < MOMENTS:
        return config.sideways
    return (config.turning + 2.0 * offset) * limits.robot.height


@kernel(inline="code")
def ground_balance(
    own: BalanceAccount, body: Balance, limits: WatchLimits, dt: float
) -> Found:
    """Find wrenches of the ground that contradict the body's motion.

    A push is no fault of a sensor: across the weight it is given its time.
    """
    excess = (body.load - body.carried) * dt - (body.momentum - own.momentum)
    rate = body.load.copy()
    change = body.load - own.load
    copy_vector(body.load, own.load, 0)
    copy_vector(body.momentum, own.momentum, 0)
    for vector in (excess, rate, change):
        turn_along(vector, body.up)
    if dt <= LONG_TICK and math.isfinite(excess[ALONG]):
        excess[ALONG] = without_gain(own, excess[ALONG], rate[ALONG], limits, dt)
    rate[ALONG] *= UNLEARNT_SHARE
    impulse = limits.robot.weight * FORCE_WINDOW
    wrong = False
    across = False
    for k in range(6):
        tick = Difference(excess=excess[k], rate=rate[k], change=change[k])
        least = balance_share(k, limits) * impulse
        tolerance = Tolerance(least, FORCE_WINDOW, False)
        if diverges(own.account, k, tick, tolerance, limits.config, dt):
            if ALONG < k < MOMENTS:
                across = True
            else:
                wrong = True
    push = lasted(own.across, 0, across, dt)
    if wrong or push > limits.config.push_time:
        return UNBALANCED, 0
    return WELL_SO_FAR


class Residual(NamedTuple):
    """Entry of the list."""

    name: str  # of what the memory has for it
    reads: str  # field of Signals
    quantity: str  # that is measured
    unit: str
    model: str  # with which it is compared
    threshold: str  # what passes, by names of HealthConfig
    reason: str  # of the threshold
    claims: tuple[int, ...]  # findings that it may have
    broken_in: str  # test that breaks the sensor
    find: ResidualKernel
    # of the rows that the robot's signals have, and the memories of those below
    memory: Callable[[Rows, Mapping[str, Any]], Any]
    # sensors of a humanoid, as fields of ``RawReadings``, without which its signal is
    # NaN and nothing is found
    needs: tuple[str, ...] = ()


_CHECKS = "test/estimation/health/test_checks.py::"
_WALKS = "test/estimation/health/test_health.py::"
_HUMANOIDS = "test/estimation/health/test_humanoid_watch.py::"
WRENCH_SENSORS = "force_torque"
FOOT_IMU_FIELD = "foot_imus"
_DISAGREEMENT = "disagreement, disagreeing_gain of the way, disagreeing_lag of the turn"

#: All residuals, the gravest first.
RESIDUALS = (
    Residual(
        name="base_height",
        reads="loads",
        quantity="height of the base over the lower sole",
        unit="m",
        model="the same with straight legs",
        threshold="fall_height",
        reason="a walk never bends its knees that far",
        claims=(FALL,),
        broken_in=_CHECKS + "test_a_fall_is_the_base_too_near_to_the_lower_sole",
        find=base_height,
        memory=lambda rows, below: np.zeros(0),
    ),
    Residual(
        name="joint_range",
        reads="joints",
        quantity="position and velocity of each joint",
        unit="rad, rad/s",
        model="its range and speed in the description",
        threshold="joint_margin",
        reason="stops are soft, and encoders have an offset",
        claims=(JOINT_LIMIT, JOINT_SPEED),
        broken_in=_CHECKS
        + "test_a_joint_may_reach_its_margin_and_its_speed_but_not_pass_them",
        find=joint_range,
        memory=lambda rows, below: np.zeros(0),
    ),
    Residual(
        name="lifted_load",
        reads="loads",
        quantity="load of the higher foot while the lower one has none",
        unit="N",
        model="a foot in the air carries nothing",
        threshold="heavy and light of the weight, clearance, contradiction_time",
        reason="feet land and leave within a few readings",
        claims=(SWAPPED_FEET,),
        broken_in=_CHECKS
        + "test_a_foot_in_the_air_that_is_loaded_alone_is_swapped_with_the_other",
        find=lifted_load,
        memory=lambda rows, below: np.zeros(1),
        needs=(WRENCH_SENSORS,),
    ),
    Residual(
        name="floor_pull",
        reads="loads",
        quantity="load of each foot, in its own and the other's frame",
        unit="N",
        model="a floor only pushes",
        threshold="light of the weight, force_offset, contradiction_time",
        reason="the foot's own mass pulls a little as it is thrown up",
        claims=(WRONG_SIGN, SWAPPED_FEET),
        broken_in=_CHECKS
        + "test_a_floor_that_pulls_for_long_has_the_wrong_sign_and_names_the_foot",
        find=floor_pull,
        memory=lambda rows, below: np.zeros(2),
        needs=(WRENCH_SENSORS,),
    ),
    Residual(
        name="total_load",
        reads="loads",
        quantity="loads of both feet",
        unit="N",
        model="what the IMU feels is carried by some foot",
        threshold="light of the weight, unloaded_time",
        reason="a step may leave the floor for some readings",
        claims=(ZERO_WRENCH,),
        broken_in=_CHECKS
        + "test_no_load_at_all_is_wrong_only_where_the_robot_is_held_up",
        find=total_load,
        memory=lambda rows, below: np.zeros(1),
        needs=(WRENCH_SENSORS,),
    ),
    Residual(
        name="wrench_change",
        reads="wrenches",
        quantity="change of each foot's wrench while the joints move",
        unit="N, N m",
        model="a sensor has noise in its last bit",
        threshold="stuck_time; one weight for a single axis",
        reason="drivers repeat a reading or two",
        claims=(CONSTANT_WRENCH, SATURATED_WRENCH),
        broken_in=_WALKS + "test_a_broken_sensor_is_named_in_time",
        find=wrench_change,
        memory=lambda rows, below: new_stillness(2),
        needs=(WRENCH_SENSORS,),
    ),
    Residual(
        name="imu_change",
        reads="imu",
        quantity="change of the IMU's axes while the joints move",
        unit="m/s^2, rad/s",
        model="a sensor has noise in its last bit",
        threshold="stuck_time; MOTION_WINDOW for a single axis, less if it is large",
        reason="drivers repeat a reading or two; one axis has coarse steps",
        claims=(CONSTANT_IMU, SATURATED_IMU),
        broken_in=_CHECKS
        + "test_one_axis_of_the_imu_that_stands_still_for_long_is_named_unless_it_is"
        "_zero",
        find=imu_change,
        memory=lambda rows, below: new_stillness(1),
    ),
    Residual(
        name="odometry_change",
        reads="odometry",
        quantity="change of the odometry while the joints move",
        unit="m, m/s",
        model="a sensor has noise in its last bit",
        threshold="stuck_time",
        reason="drivers repeat a reading or two",
        claims=(CONSTANT_ODOMETRY,),
        broken_in=_WALKS + "test_a_broken_sensor_is_named_in_time",
        find=odometry_change,
        memory=lambda rows, below: new_stillness(1),
    ),
    Residual(
        name="base_way",
        reads="base",
        quantity="place of the base",
        unit="m, rad",
        model="its twist over 0.1 s",
        threshold=_DISAGREEMENT,
        reason="odometry has noise, a scale and a delay",
        claims=(WRONG_TWIST,),
        broken_in=_WALKS
        + "test_odometry_that_is_somewhere_else_all_of_a_sudden_is_named_at_once_and"
        "_for_good",
        find=base_way,
        memory=lambda rows, below: new_tracked(rows.base),
    ),
    Residual(
        name="foot_swing",
        reads="swing",
        quantity="velocity of the base's IMU against each foot's, by the joints",
        unit="m/s",
        model="what the accelerometers of both feel, over 0.1 s",
        threshold=_DISAGREEMENT + ", each per 0.1 s",
        reason="joints and accelerometers have noise, a scale and a delay",
        claims=(WRONG_TWIST,),
        broken_in=_HUMANOIDS
        + "test_an_accelerometer_of_base_or_foot_that_does_not_say_how_they_move_is"
        "_named_within_a_sway",
        find=foot_swing,
        memory=lambda rows, below: new_tracked(rows.swing),
        needs=(FOOT_IMU_FIELD,),
    ),
    Residual(
        name="joint_way",
        reads="joints",
        quantity="position of each joint",
        unit="rad",
        model="its velocity over 0.1 s",
        threshold=_DISAGREEMENT + ", leg_give of the load",
        reason="encoders have steps, their derivative a delay, legs give way",
        claims=(WRONG_VELOCITY,),
        broken_in=_WALKS
        + "test_velocities_that_positions_contradict_are_named_wherever_the_gait_is",
        find=joint_way,
        memory=lambda rows, below: new_joints(rows.joints),
    ),
    Residual(
        name="foot_motion",
        reads="foot_rates",
        quantity="velocity of a standing foot, or turn rate of a foot's gyroscope",
        unit="m/s or rad/s",
        model="the floor stands; base and joints turn the foot, over 0.1 s",
        threshold=_DISAGREEMENT,
        reason="a foot slides and rocks by some millimetres as it lands",
        claims=(WRONG_LEG,),
        broken_in=_HUMANOIDS
        + "test_an_encoder_that_is_stuck_within_its_noise_is_named_once_its_joint_has"
        "_moved_by_some_milliradians",
        find=foot_motion,
        memory=lambda rows, below: new_rates(rows.foot_rates),
        needs=(FOOT_IMU_FIELD,),
    ),
    Residual(
        name="base_acceleration",
        reads="acceleration",
        quantity="change of the base's twist",
        unit="m/s",
        model="what the accelerometer feels, over 0.1 s",
        threshold=_DISAGREEMENT + ", each per 0.1 s",
        reason="accelerometers have a bias, attitudes an error",
        claims=(WRONG_TWIST,),
        broken_in=_CHECKS
        + "test_a_base_whose_twist_changes_otherwise_than_its_accelerometer_feels_is"
        "_named",
        find=base_acceleration,
        memory=lambda rows, below: new_rates(rows.acceleration),
    ),
    Residual(
        name="torque_answer",
        reads="torques",
        quantity="torque of each joint",
        unit="N m s",
        model="mass, gravity and the ground's forces over 50 ms",
        threshold="unanswered of the joint's limit, and gain and lag as above",
        reason="motors and the model's masses err by some hundredths",
        claims=(UNANSWERED, UNBALANCED),
        broken_in=_CHECKS
        + "test_torques_that_nothing_answers_are_found_in_the_joint_that_got_them_but"
        "_for_those_that_wrong_forces_ask",
        find=torque_answer,
        memory=lambda rows, below: TorqueAccount(
            account=new_account(rows.torques),
            last=np.zeros(rows.torques),
            forces=below["ground_balance"].account,
        ),
    ),
    Residual(
        name="ground_balance",
        reads="balance",
        quantity="force and moment of the ground on the body",
        unit="N s, N m s",
        model="the body's momentum changes by them (Newton and Euler), over 50 ms",
        threshold="imbalance, sideways for push_time, turning, force_offset, and gain "
        "and lag as above",
        reason="mass and sensors err by some hundredths; people push robots",
        claims=(UNBALANCED,),
        broken_in=_WALKS
        + "test_wrenches_that_come_late_with_fresh_stamps_are_named_within_a_step",
        find=ground_balance,
        memory=lambda rows, below: new_balance(),
        needs=(WRENCH_SENSORS,),
    ),
)

#: What people call the sensors that a residual may need.
SENSOR_WORDS = {WRENCH_SENSORS: "ankle sensors", FOOT_IMU_FIELD: "foot IMUs"}


def unwatched(
    absent: Collection[str], residuals: Sequence[Residual] = RESIDUALS
) -> tuple[str, ...]:
    """List in words what is not watched without some sensors, a sentence a sensor.

    Args:
        absent: fields of ``RawReadings`` that a humanoid has no sensors for.
        residuals: the list.
    """
    found = []
    for field, words in SENSOR_WORDS.items():
        lost = [one.quantity for one in residuals if field in one.needs]
        if field in absent and lost:
            found.append(f"not watched without {words}: {'; '.join(lost)}")
    return tuple(found)


#: Memory of a watch: what each residual remembers, by its name.
WatchMemory: Any = namedtuple(  # type: ignore[misc]
    "WatchMemory", [residual.name for residual in RESIDUALS]
)


def new_memory(rows: Rows) -> Any:
    """Allocate the memory of a watch before the first reading."""
    made: dict[str, Any] = {}
    for residual in reversed(RESIDUALS):
        made[residual.name] = residual.memory(rows, made)
    return WatchMemory(**made)


@kernel(inline="code")
def graver(found: Found, milder: Found) -> Found:
    """Return the graver of two findings."""
    return milder if found[0] == WELL else found


#: (memory, signals, limits, dt) -> gravest finding
GravestFinding = Callable[..., Found]


def gravest_finding(residuals: Sequence[Residual] = RESIDUALS) -> GravestFinding:
    """Make the kernel that asks all residuals and returns the gravest finding.

    They are asked from the last to the first, so that one may look at what those below
    it have summed up. The kernel is a generated function with one line a residual: each
    is given its own memory and what it reads, and nothing else is passed on.
    """
    lines = [
        f"        found = graver({one.name}(memory.{one.name}, signals.{one.reads}, "
        "limits, dt), found)"
        for one in reversed(residuals)
    ]
    names = ", ".join(one.name for one in residuals)
    source = "\n".join(
        [
            f"def closing_over(graver, {names}):",
            "    def gravest(memory, signals, limits, dt):",
            f"        found = {WELL_SO_FAR}",
            *lines,
            "        return found",
            "    return gravest",
        ]
    )
    scope: dict[str, Any] = {"__name__": __name__}
    exec(compile(source, f"<{__name__}>", "exec"), scope)
    gravest = scope["closing_over"](graver, *(one.find for one in residuals))
    gravest.__qualname__ = f"gravest_{digest([source])}"
    made: GravestFinding = kernel(inline="code")(gravest)
    return made

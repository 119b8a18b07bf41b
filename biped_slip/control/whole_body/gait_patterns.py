# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Gait patterns: the steady steps that ask least of the floor, over speed.

What a steady gait requires of the floor follows from the linear inverted pendulum
[Kajita2001] and the leg that swings. The ZMP rolls from heel to toe of the stance foot
and moves on to the next one during double support. The gait is symmetric about
mid-stance and mid-transfer; the force ratio ``|c - p|/z`` is largest where one goes
over into the other. The swing leg's momentum about the vertical asks the stance sole
for a moment as well; a sole that bears both needs ``sqrt((F/N)^2 + (M/(r N))^2)`` with
its moment arm r (ellipse for the limit surface of a patch, [HoweCutkosky1996]).

From that :func:`patterns_for` makes a table when a controller is made: for each speed
the times of support that require least, the quickest ones, and the floor on which both
feet still stop the walk. A tick only looks it up
(:mod:`~biped_slip.control.whole_body.friction_adaptation`).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from biped_slip.compile.arrays import Array
from biped_slip.compile.kernel import kernel
from biped_slip.config import Configuration, configuration, parameter
from biped_slip.control.whole_body.footsteps import (
    FootstepConfig,
    SteppingConfig,
)
from biped_slip.control.whole_body.swing_path import ARRIVAL_SHARE
from biped_slip.errors import InvalidParameter

# moments of a stance that are looked at, from its begin to where a smooth swing
# accelerates most
MOMENTS = 3
STRONGEST = 0.5 - 0.5 / math.sqrt(3.0)  # of the way: where that is


class Pendulum(NamedTuple):
    """Linear inverted pendulum of a walking robot."""

    height: float  # of the centre of mass [m]
    omega: float  # [1/s]
    roll: float = 0.0  # of a step that the ZMP goes under the stance foot
    turning: float = (
        0.0  # ratio that the moment costs per acceleration of the swing foot [s^2/m]
    )
    smooth: bool = True  # whether the swing foot begins without acceleration
    lever: float = 0.0  # ratio that it costs besides, in longer steps than [s^2/m]
    free: float = 0.0  # those whose momentum the base takes [m]


@kernel
def transfer_offset(
    length: float, single_support: float, double_support: float, pendulum: Pendulum
) -> float:
    """Return the largest distance [m] from centre of mass to ZMP along the walk.

    ``L sinh(omega Td/2) sinh(omega Ts/2) / (omega Td sinh(omega (Ts + Td)/2))``; L/2
    for Td = 0. A zmp that rolls by ``q L`` under the foot takes ``q (1 + Td/Ts)`` of
    that away: its speed in both supports enters linearly.
    """
    a = 0.5 * pendulum.omega * single_support
    b = 0.5 * pendulum.omega * double_support
    share = 0.5 if b < 1e-6 else 0.5 * math.sinh(b) / b
    rolled = abs(1.0 - pendulum.roll * (1.0 + double_support / single_support))
    return rolled * length * share * math.sinh(a) / math.sinh(a + b)


@kernel
def sway_offset(
    width: float, single_support: float, double_support: float, pendulum: Pendulum
) -> float:
    """Return the largest distance [m] from centre of mass to ZMP across the walk.

    It is half the width for Td = 0.
    """
    a = 0.5 * pendulum.omega * single_support
    b = 0.5 * pendulum.omega * double_support
    share = 0.5 if b < 1e-6 else 0.5 * math.sinh(b) / b
    return width * share * math.cosh(a) / math.cosh(a + b)


@kernel
def swing_acceleration(share: float, single_support: float, smooth: bool) -> float:
    """Return the acceleration [1/s^2] of the swing foot at a share of its way.

    It is for steps of 1 m: the swing foot goes twice as far.

    ``s'' D/T^2`` with ``60 s - 180 s^2 + 120 s^3`` on a quintic, ``6 - 12 s`` on a
    cubic.
    """
    s = share
    shape = 60.0 * s - 180.0 * s**2 + 120.0 * s**3 if smooth else 6.0 - 12.0 * s
    return 2.0 * shape / (ARRIVAL_SHARE * single_support) ** 2


@kernel
def demand(
    moment: int,
    length: float,
    width: float,
    single_support: float,
    double_support: float,
    pendulum: Pendulum,
) -> tuple[float, float]:
    """Compute the required ratio at one moment of a stance.

    It is that per metre of step length, and that of the sway.
    """
    share = STRONGEST * moment / (MOMENTS - 1)
    half = 0.5 * pendulum.omega * single_support
    left = half * (1.0 - 2.0 * ARRIVAL_SHARE * share)
    along = (
        transfer_offset(1.0, single_support, double_support, pendulum)
        * math.sinh(left)
        / math.sinh(half)
    )
    across = (
        sway_offset(width, single_support, double_support, pendulum)
        * math.cosh(left)
        / math.cosh(half)
    )
    turn = pendulum.turning + pendulum.lever * max(
        1.0 - pendulum.free / max(length, 1e-6), 0.0
    )
    turn *= swing_acceleration(share, single_support, pendulum.smooth)
    return math.hypot(along / pendulum.height, turn), across / pendulum.height


@kernel
def peak_ratio(
    length: float,
    width: float,
    single_support: float,
    double_support: float,
    pendulum: Pendulum,
) -> float:
    """Return the largest part of the friction [-] that the steady gait needs."""
    peak = 0.0
    for moment in range(MOMENTS):
        along, across = demand(
            moment, length, width, single_support, double_support, pendulum
        )
        peak = max(peak, math.hypot(length * along, across))
    return peak


# The steps that ask least of the floor at each speed, and the speed that a floor
# allows.
#
# Along the walk short steps need least, across it a long double support. What legs can
# do of it is a table over speed. Its single supports are long, and stand no push: what
# friction the floor has beside goes into shorter ones.

SLOWEST = 0.02  # [m/s] of the table of speeds
FASTEST_SPEED = 1.5  # [m/s] of the table of speeds
SPEED_GRID = 75  # speeds of the table
SINGLES = 9  # single supports of the grid
DOUBLE_SUPPORTS = 29  # double supports of the grid
# [1/s] ratio that is given away for each second by which a step gets quicker (choice)
BRISK = 0.01


@configuration
class PatternConfig(Configuration):
    """Ranges from which steps are chosen."""

    shortest_single_support: float = parameter(
        0.5,
        unit="s",
        above=0.0,
        high=3.0,
        doc="of the steps to choose from, wherever the floor holds it; the longest "
        "is ``steps.single_support``",
    )
    longest_double_support: float = parameter(
        1.5,
        unit="s",
        above=0.0,
        high=3.0,
        doc="likewise; the shortest is ``steps.double_support``",
    )
    swing_speed: float = parameter(
        1.8,
        unit="m/s",
        above=0.0,
        high=10.0,
        doc="mean speed of a swing foot that the joints follow with ease",
    )
    swing_acceleration: float = parameter(
        10.0,
        unit="m/s^2",
        above=0.0,
        high=100.0,
        doc="way of a swing foot over the square of its time, likewise: of "
        "the hips' torque",
    )
    leg_reach: float = parameter(
        0.33,
        above=0.0,
        high=2.0,
        doc="of the centre of mass' height: how far behind it a flat foot may lift "
        "off; a "
        "leg that is straight by then pulls the trunk along",
    )
    sole_use: float = parameter(
        0.5,
        low=0.0,
        high=1.0,
        doc="of the sole's length that the ZMP rolls along, from heel to toe",
    )


class LegLimits(NamedTuple):
    """Limits of a leg's motion."""

    swing_speed: float  # mean one of a swing foot [m/s]
    swing_acceleration: float  # its way over the square of its time [m/s^2]
    lift_behind: float  # how far behind the centre of mass a foot may lift off [m]
    roll: float  # that the ZMP may go under the sole [m]


SINGLE, DOUBLE, ROLL, RATIO = range(4)


class Patterns(NamedTuple):
    """Steady gaits over speed.

    Rows are both supports [s], the roll as a share of the step, and the required
    friction.
    """

    speed: Array  # (n,) [m/s]
    least: Array  # (4, n) of least demand, which does not fall with speed
    # (4, n) likewise, of the shortest single supports, the double ones no shorter
    quick: Array
    # (n,) least friction behind a foot on the worst floor, with which both feet stop
    # the quick walk
    behind: Array


class Pattern(NamedTuple):
    """Steady gait at one speed."""

    single_support: float  # [s]
    double_support: float  # [s]
    roll: float
    ratio: float


@kernel
def rolled(
    length: float, single_support: float, double_support: float, reach: float
) -> float:
    """Compute the share of a step's length that the ZMP rolls.

    It is all that evens its way out, within ``reach`` [m] of the sole.
    """
    return min(
        single_support / (single_support + double_support), reach / max(length, 1e-6)
    )


@kernel
def lifts_behind(
    length: float, single_support: float, double_support: float, pendulum: Pendulum
) -> float:
    """Compute how far [m] behind the centre of mass the rear sole lifts off."""
    ahead = transfer_offset(length, single_support, double_support, pendulum)
    return length * (1.0 - 0.5 * pendulum.roll) - ahead


@kernel
def least_demand(
    speed: float,
    width: float,
    singles: Array,
    doubles: Array,
    legs: LegLimits,
    pendulum: Pendulum,
) -> Pattern:
    """Find the supports of least required friction at a speed.

    With them the swing foot is in time and the legs are bent.

    Where no steps keep to the limits of the legs the ratio is infinite. ``width`` is
    between the ZMPs of both feet [m]; the supports to choose from [s] rise; the roll of
    the pendulum is not looked at.
    """
    best = Pattern(singles[-1], doubles[0], 0.0, np.inf)
    cost = np.inf
    chosen = singles.shape[0] > 1 or doubles.shape[0] > 1
    for single in singles:
        for double in doubles:
            length = speed * (single + double)
            roll = rolled(length, single, double, legs.roll)
            rolling = Pendulum(
                height=pendulum.height,
                omega=pendulum.omega,
                roll=roll,
                turning=pendulum.turning,
                smooth=pendulum.smooth,
                lever=pendulum.lever,
                free=pendulum.free,
            )
            late = 2.0 * length > single * min(
                legs.swing_speed, legs.swing_acceleration * single
            )
            if chosen and (
                late or lifts_behind(length, single, double, rolling) > legs.lift_behind
            ):
                continue
            ratio = peak_ratio(length, width, single, double, rolling)
            if ratio + BRISK * (single + double) < cost:
                best = Pattern(single, double, roll, ratio)
                cost = ratio + BRISK * (single + double)
    return best


@kernel
def _table(
    speeds: Array,
    width: float,
    singles: Array,
    doubles: Array,
    shortest: Array,
    legs: LegLimits,
    pendulum: Pendulum,
) -> Array:
    """Tabulate gaits of least demand.

    Their double supports are no shorter than the ``shortest`` (n,) [s].
    """
    rows = np.empty((4, speeds.shape[0]))
    for k in range(speeds.shape[0]):
        best = least_demand(
            speeds[k], width, singles, doubles[doubles >= shortest[k]], legs, pendulum
        )
        rows[SINGLE, k], rows[DOUBLE, k], rows[ROLL, k], rows[RATIO, k] = best
        if k > 0:
            rows[RATIO, k] = max(rows[RATIO, k], rows[RATIO, k - 1])
    return rows


# Stopping on a floor that is worse than known (viability), by the work of both feet:
# see docs/step_program.md. What the reaction takes is lost way: the centre of mass goes
# on for ``reaction`` before the force acts.

INTEGRATION_POINTS = 100
LARGEST_TRUSTED_MU = 1.2  # friction that no floor is trusted to exceed


class WorstFloor(NamedTuple):
    """Floor that a foot may meet without warning."""

    friction: float
    reaction: float  # from touchdown until the forces answer to it [s]


@kernel
def stops(
    speed: float,
    pattern: Pattern,
    known: float,
    toe: float,
    legs: LegLimits,
    pendulum: Pendulum,
    worst: WorstFloor,
) -> bool:
    """Return whether both feet stop a gait on the worst floor ahead.

    Its front foot lands on the worst floor, its rear foot on a known one.

    The centre of mass stops before the point where no foot holds it back any more if
    its kinetic energy is below the work of the forces on its way: ``v^2 <= omega^2 (2
    int lever dc + rest^2)``.

    Args:
        speed: of the gait [m/s].
        pattern: its supports and roll.
        known: friction under the rear foot.
        toe: half length of the sole [m]; distances count from the rear sole's middle.
        legs: their limits.
        pendulum: of the robot.
        worst: floor under the front foot.
    """
    single = pattern.single_support
    double = pattern.double_support
    roll = pattern.roll
    length = speed * (single + double)
    h = pendulum.height
    rolling = Pendulum(
        height=h,
        omega=pendulum.omega,
        roll=roll,
        turning=0.0,
        smooth=False,
        lever=0.0,
        free=0.0,
    )
    # of the rear foot's ZMP, at touchdown
    ahead = transfer_offset(length, single, double, rolling)
    velocity = (
        ahead * pendulum.omega / math.tanh(0.5 * pendulum.omega * single)
        + roll * length / single
    )
    begin = 0.5 * roll * length + ahead + velocity * worst.reaction
    end = max(length + toe - worst.friction * h, begin)
    work = 0.0
    better = known - worst.friction
    for k in range(INTEGRATION_POINTS):
        c = begin + (k + 0.5) / INTEGRATION_POINTS * (end - begin)
        lever = worst.friction * h
        share = (h * known + c - toe) / (length + h * better)
        if c < legs.lift_behind and 0.0 <= share < 1.0:
            lever = max(lever, share * length + toe - c)
        work += lever * (end - begin) / INTEGRATION_POINTS
    rest = max(length + toe - end, 0.0)
    return velocity * velocity <= pendulum.omega**2 * (2.0 * work + rest * rest)


@kernel
def _least_friction_behind(
    speeds: Array,
    table: Array,
    toe: float,
    legs: LegLimits,
    pendulum: Pendulum,
    worst: WorstFloor,
) -> Array:
    """Bisect for the least friction of a known floor with which each gait stops.

    The gaits are those of the table; infinite means none.
    """
    least = np.empty(speeds.shape[0])
    floor = 0.0
    for k in range(speeds.shape[0]):
        pattern = Pattern(
            single_support=table[SINGLE, k],
            double_support=table[DOUBLE, k],
            roll=table[ROLL, k],
            ratio=table[RATIO, k],
        )
        low = worst.friction
        high = LARGEST_TRUSTED_MU
        if not stops(speeds[k], pattern, high, toe, legs, pendulum, worst):
            least[k:] = np.inf
            break
        if stops(speeds[k], pattern, low, toe, legs, pendulum, worst):
            high = 0.0
        while high - low > 1e-3:
            middle = 0.5 * (low + high)
            if stops(speeds[k], pattern, middle, toe, legs, pendulum, worst):
                high = middle
            else:
                low = middle
        floor = max(floor, high)
        least[k] = floor
    return least


def patterns_for(
    steps: FootstepConfig,
    stepping: SteppingConfig,
    config: PatternConfig,
    half_length: float,
    pendulum: Pendulum,
    worst: WorstFloor | None,
) -> Patterns:
    """Tabulate the gaits of a robot.

    The table ends at the speed above which no steps keep to swing speed and reach.

    Args:
        steps: width and times of the steps.
        stepping: from where to where the ZMP goes.
        config: ranges to choose from.
        half_length: of the soles [m]; 0 for points, whose supports are not chosen.
        pendulum: of the robot.
        worst: floor on which both feet must still stop the walk; None: the floor ahead
            is foreseen, and nothing need be stopped.

    Raises:
        InvalidParameter: for limits that allow none at all.
    """
    shortest = min(config.shortest_single_support, steps.single_support)
    longest = config.longest_double_support
    single = steps.single_support
    double = steps.double_support
    singles = np.array([single])
    doubles = np.array([double])
    if half_length > 0.0:
        singles = np.linspace(shortest, single, SINGLES)
        doubles = np.linspace(double, max(longest, double), DOUBLE_SUPPORTS)
    speeds = np.linspace(SLOWEST, FASTEST_SPEED, SPEED_GRID)
    width = max(steps.width - 2.0 * stepping.inset, 0.0)
    legs = LegLimits(
        swing_speed=config.swing_speed,
        swing_acceleration=config.swing_acceleration,
        lift_behind=config.leg_reach * pendulum.height,
        roll=2.0 * config.sole_use * half_length,
    )
    least = _table(
        speeds, width, singles, doubles, np.zeros(SPEED_GRID), legs, pendulum
    )
    walked = int(np.argmax(~np.isfinite(np.append(least[RATIO], np.inf))))
    if walked < 2:
        remedy = (
            "raise it, pattern.swing_acceleration, pattern.leg_reach or "
            "steps.single_support"
        )
        raise InvalidParameter(
            "pattern.swing_speed",
            config.swing_speed,
            "enough for the slowest steps",
            remedy,
        )
    speeds = speeds[:walked]
    least = np.ascontiguousarray(least[:, :walked])
    quick = _table(speeds, width, singles[:1], doubles, least[DOUBLE], legs, pendulum)
    quick = np.where(np.isfinite(quick[RATIO]), quick, least)
    behind = np.zeros(walked)
    if half_length > 0.0 and worst is not None:
        behind = _least_friction_behind(
            speeds, quick, half_length, legs, pendulum, worst
        )
    return Patterns(speed=speeds, least=least, quick=quick, behind=behind)

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Adaptation of the gait to the floor.

It has the required friction of step patterns, and the choice among them.
"""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import NamedTuple

import numpy as np

from biped_slip.compile.arrays import Array
from biped_slip.compile.kernel import kernel
from biped_slip.config import Configuration, configuration, parameter
from biped_slip.constants import GRAVITY
from biped_slip.control.whole_body.footsteps import (
    ALONG,
    Command,
    FootstepConfig,
    Gait,
    SteppingConfig,
    is_still,
)
from biped_slip.errors import InvalidParameter

# The part of a sole's friction that a gait needs, from the linear inverted pendulum and
# the leg that swings.
#
# The ZMP rolls from heel to toe of the stance foot and moves on to the next one during
# double support. The steady gait is symmetric about mid-stance and mid-transfer; the
# force ratio ``|c - p|/z`` is largest where one goes over into the other. The swing
# leg's momentum about the vertical asks the stance sole for a moment as well; a sole
# that bears both needs ``sqrt((F/N)^2 + (M/(r N))^2)`` with its moment arm r (ellipse
# for the limit surface of a patch, [HoweCutkosky1996]).

# of a stance that are looked at, from its begin to where a smooth swing accelerates
# most
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
    return 2.0 * shape / (ALONG * single_support) ** 2


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
    left = half * (1.0 - 2.0 * ALONG * share)
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

# [m/s], [m/s], of the table
SLOWEST = 0.02
FASTEST = 1.5
SPEEDS = 75
# of the grid
SINGLES = 9
DOUBLES = 29
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


def patterns_for(
    steps: FootstepConfig,
    stepping: SteppingConfig,
    config: PatternConfig,
    half_length: float,
    pendulum: Pendulum,
    adaptation: AdaptationConfig,
    foresees: bool,
) -> Patterns:
    """Tabulate the gaits of a robot whose soles have a half length [m].

    It is 0 for points, whose supports are not chosen.

    Where the limit ``foresees`` the way ahead, no floor is worse than known, and
    nothing need be stopped.

    It ends at the speed above which no steps keep to swing speed and reach.

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
        doubles = np.linspace(double, max(longest, double), DOUBLES)
    speeds = np.linspace(SLOWEST, FASTEST, SPEEDS)
    width = max(steps.width - 2.0 * stepping.inset, 0.0)
    legs = LegLimits(
        config.swing_speed,
        config.swing_acceleration,
        config.leg_reach * pendulum.height,
        2.0 * config.sole_use * half_length,
    )
    least = _table(speeds, width, singles, doubles, np.zeros(SPEEDS), legs, pendulum)
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
    if half_length > 0.0 and not foresees:
        behind = _behind(speeds, quick, half_length, legs, pendulum, adaptation.packed)
    return Patterns(speeds, least, quick, behind)


@kernel
def pattern_at(patterns: Patterns, speed: float, held: float = 0.0) -> Pattern:
    """Look up the gait at a speed [m/s].

    It is as quick as a required friction of ``held`` allows.
    """
    last = patterns.speed.shape[0] - 1
    place = (
        (speed - patterns.speed[0]) / (patterns.speed[last] - patterns.speed[0]) * last
    )
    place = min(max(place, 0.0), float(last))
    k = min(int(place), last - 1)
    b = place - k
    least = (1.0 - b) * patterns.least[:, k] + b * patterns.least[:, k + 1]
    more = (1.0 - b) * patterns.quick[:, k] + b * patterns.quick[:, k + 1] - least
    row = (
        least + min(max(held - least[RATIO], 0.0) / max(more[RATIO], 1e-9), 1.0) * more
    )
    return Pattern(row[SINGLE], row[DOUBLE], row[ROLL], row[RATIO])


@kernel
def fastest_within(speeds: Array, needs: Array, held: float) -> float:
    """Find the largest speed [m/s] with a required friction of ``held`` at most.

    It is taken from a table, and is 0 if there is none.
    """
    if held < needs[0]:
        return 0.0
    last = speeds.shape[0] - 1
    for k in range(last):
        if needs[k + 1] > held:
            return speeds[k] + (held - needs[k]) / (needs[k + 1] - needs[k]) * (
                speeds[k + 1] - speeds[k]
            )
    return speeds[last]


# Stopping on a floor that is worse than known (viability), by the work of both feet:
# see docs/step_program.md. What the reaction takes is lost way: the centre of mass goes
# on for ``reaction`` before the force acts.

WAY = 100  # points of the integral
LARGEST = 1.2  # friction that no floor is trusted to exceed


@kernel
def stops(
    speed: float,
    single: float,
    double: float,
    roll: float,
    known: float,
    toe: float,
    legs: LegLimits,
    pendulum: Pendulum,
    config: AdaptationConfig,
) -> bool:
    """Return whether both feet stop a gait on the worst floor ahead.

    Its front foot lands on the worst floor, its rear foot on a known one.

    Distances count from the rear sole's middle; ``toe`` [m] is the sole's half length,
    ``config`` is packed.
    """
    length = speed * (single + double)
    h = pendulum.height
    worst = config.worst
    rolling = Pendulum(
        height=h,
        omega=pendulum.omega,
        roll=roll,
        turning=0.0,
        smooth=False,
        lever=0.0,
        free=0.0,
    )
    ahead = transfer_offset(
        length, single, double, rolling
    )  # of the rear foot's ZMP, at touchdown
    velocity = (
        ahead * pendulum.omega / math.tanh(0.5 * pendulum.omega * single)
        + roll * length / single
    )
    begin = 0.5 * roll * length + ahead + velocity * config.reaction
    end = max(length + toe - worst * h, begin)
    work = 0.0
    better = known - worst
    for k in range(WAY):
        c = begin + (k + 0.5) / WAY * (end - begin)
        lever = worst * h
        share = (h * known + c - toe) / (length + h * better)
        if c < legs.lift_behind and 0.0 <= share < 1.0:
            lever = max(lever, share * length + toe - c)
        work += lever * (end - begin) / WAY
    rest = max(length + toe - end, 0.0)
    return velocity * velocity <= pendulum.omega**2 * (2.0 * work + rest * rest)


@kernel
def _behind(
    speeds: Array,
    table: Array,
    toe: float,
    legs: LegLimits,
    pendulum: Pendulum,
    config: AdaptationConfig,
) -> Array:
    """Bisect for the least friction of a known floor with which each gait stops.

    The gaits are those of the table; infinite means none.
    """
    least = np.empty(speeds.shape[0])
    floor = 0.0
    for k in range(speeds.shape[0]):
        single = table[SINGLE, k]
        double = table[DOUBLE, k]
        roll = table[ROLL, k]
        low = config.worst
        high = LARGEST
        if not stops(
            speeds[k], single, double, roll, high, toe, legs, pendulum, config
        ):
            least[k:] = np.inf
            break
        if stops(speeds[k], single, double, roll, low, toe, legs, pendulum, config):
            high = 0.0
        while high - low > 1e-3:
            middle = 0.5 * (low + high)
            if stops(
                speeds[k], single, double, roll, middle, toe, legs, pendulum, config
            ):
                high = middle
            else:
                low = middle
        floor = max(floor, high)
        least[k] = floor
    return least


# What is known of the floors to come, and the friction constraint that follows from it:
# see docs/step_program.md.

# body weights on a foot that did not ask its floor, from which its limit is believed
# (choice)
TELLING = 0.25
STOPPED = 1e-3  # [m/s] slower is no walk
LEVEL_BEND = 0.01  # of a slope: less is no bend
# of the tracking's share before it is measured; no more is believed of it (choice)
ERROR = 0.2
WORST_ERROR = 0.5


@configuration
class AdaptationConfig(Configuration):
    """Risk that the gait takes on the floor; the same for all robots."""

    risk: float = parameter(
        0.2,
        above=0.0,
        high=0.5,
        doc="probability that the required friction of a step exceeds what its floor "
        "holds, "
        "where the cones keep the foot and feedback loses (choice)",
    )
    change: float = parameter(
        0.05,
        low=0.0,
        high=0.5,
        doc="probability that the next foot meets another floor or slope than the "
        "last one "
        "(choice: a patch of 2 m has two edges in 14 steps, most floors have fewer); "
        "below ``risk``",
    )
    worst: float = parameter(
        0.04,
        above=0.0,
        high=1.0,
        doc="friction of the worst floor that such a foot meets (choice: wet ice, "
        "0.05 less "
        "its error)",
    )
    reaction: float = parameter(
        0.25,
        unit="s",
        low=0.0,
        high=1.0,
        doc="from touchdown until the forces answer to the floor: 0.02 to 0.05 of a "
        "slide, the transfer planned anew, the load moved",
    )
    memory: float = parameter(
        3.0,
        unit="s",
        above=0.0,
        high=60.0,
        doc="time constant of the measured tracking error, some steps (choice)",
    )


class FloorBelief(NamedTuple):
    """Expected friction of the next floor, and the gait's own tracking error."""

    mu: float  # friction expected under the next foot
    low: float  # certified of it
    seen: bool  # of the way ahead: no guess
    # mean square of the force ratio's tracking error, over the square of what is
    # planned
    error: float
    rise_x: float  # slope of the floor under the last foot, along x and y
    rise_y: float
    bend: float  # square of how much slopes have changed lately


@kernel
def believed(mu: float, low: float) -> FloorBelief:
    """Initialise the belief with a level floor."""
    return FloorBelief(
        mu=mu,
        low=low,
        seen=False,
        error=ERROR * ERROR,
        rise_x=0.0,
        rise_y=0.0,
        bend=0.0,
    )


@kernel
def expect(belief: FloorBelief, mu: float, low: float, seen: bool) -> FloorBelief:
    """Update the belief about the next foot's floor."""
    return FloorBelief(
        mu=mu,
        low=low,
        seen=seen,
        error=belief.error,
        rise_x=belief.rise_x,
        rise_y=belief.rise_y,
        bend=belief.bend,
    )


def quantile_of(config: AdaptationConfig) -> float:
    """Compute the quantile z of the risk that is left beside the floor's changes.

    Raises:
        InvalidParameter: the floor changes more often than the risk allows.
    """
    if config.change >= config.risk:
        raise InvalidParameter(
            "adaptation.change",
            config.change,
            f"below adaptation.risk, {config.risk:g}",
        )
    return NormalDist().inv_cdf(
        1.0 - (config.risk - config.change) / (1.0 - config.change)
    )


@kernel
def allowed_ratio(belief: FloorBelief, climb: float, z: float) -> float:
    """Return the largest required friction that a planned gait may have.

    It is the chance constraint solved for r.

    ``z`` is the quantile; ``climb`` the tangent of the slope.
    """
    mu = min(belief.mu, LARGEST)
    low = min(belief.low, LARGEST)
    middle = mu - climb
    error = z * math.sqrt(belief.error)
    if middle <= 0.0:
        return 0.0
    spread = (mu - low) ** 2
    rest = 1.0 - error * error
    root = math.sqrt(error * error * middle * middle + rest * spread)
    return max((middle - root) / rest, 0.0)


@kernel
def allowed_command(
    command: Command, belief: FloorBelief, held: float, patterns: Patterns, climb: float
) -> Command:
    """Limit the command to a gait whose required friction is ``held`` at most.

    The gait can also stop on the worst floor.

    A floor that is known ahead needs no stop.
    """
    speed = math.hypot(command.forward, command.left)
    fastest = fastest_within(patterns.speed, patterns.least[RATIO], held)
    if not belief.seen:
        fastest = min(
            fastest,
            fastest_within(
                patterns.speed, patterns.behind, max(belief.low - climb, 0.0)
            ),
        )
    scale = min(1.0, fastest / max(speed, STOPPED))
    return Command(
        forward=scale * command.forward,
        left=scale * command.left,
        turn=scale * command.turn,
        shift=command.shift,
        lean=command.lean,
    )


@kernel
def slowed_by_bends(
    command: Command,
    bend: float,
    patterns: Patterns,
    omega: float,
    toe: float,
    sinking: float,
) -> Command:
    """Limit a command near the edge of a slope, which bends by ``bend``.

    There the next foot lands late.

    It sinks at ``sinking`` [m/s] by the bend times the step at most, where the floor
    bends under the stance foot; what the DCM gains meanwhile, ``v/omega (e^{omega t} -
    1)``, the sole must hold with its ``toe`` [m].
    """
    fastest = 0.0
    for k in range(patterns.speed.shape[0]):
        late = (
            bend
            * patterns.speed[k]
            * (patterns.least[SINGLE, k] + patterns.least[DOUBLE, k])
            / sinking
        )
        if patterns.speed[k] / omega * (math.exp(omega * late) - 1.0) > toe:
            break
        fastest = patterns.speed[k]
    scale = min(
        1.0,
        max(fastest, patterns.speed[0])
        / max(math.hypot(command.forward, command.left), STOPPED),
    )
    return Command(
        forward=scale * command.forward,
        left=scale * command.left,
        turn=scale * command.turn,
        shift=command.shift,
        lean=command.lean,
    )


@kernel
def change_of_speed(
    acceleration: float,
    belief: FloorBelief,
    carrying: tuple[bool, bool],
    limits: tuple[float, float],
    z: float,
) -> float:
    """Bound the change of speed [m/s^2] by ``acceleration`` and by a margin.

    The margin is the one that carrying feet hold beside a gait.
    """
    under = min(
        limits[0] if carrying[0] else LARGEST,
        limits[1] if carrying[1] else LARGEST,
        LARGEST,
    )
    return min(acceleration, GRAVITY * under * z * math.sqrt(belief.error))


@kernel
def cautious_gait(
    taken: Command,
    allowed: Command,
    steps: FootstepConfig,
    patterns: Patterns,
    held: float = 0.0,
    climb: float = 0.0,
) -> Gait:
    """Return the gait of the followed command, as quick as ``held`` allows.

    It has the step times of ``allowed`` if that is faster.

    Getting faster, steps are quick before they are long; getting slower, they are slow
    when they are short.
    """
    speed = math.hypot(taken.forward, taken.left)
    pattern = pattern_at(
        patterns, max(speed, math.hypot(allowed.forward, allowed.left)), held
    )
    time = pattern.single_support + pattern.double_support
    still = is_still(allowed) and speed < STOPPED and taken.turn == 0.0
    forward = time * taken.forward
    return Gait(
        forward=forward,
        left=time * taken.left,
        turn=time * taken.turn,
        width=steps.width,
        single_support=pattern.single_support,
        double_support=pattern.double_support,
        still=still,
        shift=taken.shift if still else 0.0,
        roll=pattern.roll * forward,
        ratio=pattern.ratio + climb,
    )


@kernel
def force_limits(
    limits: tuple[float, float],
    telling: tuple[bool, bool],
    held: tuple[float, float],
    belief: FloorBelief,
) -> tuple[float, float]:
    """Choose the limits of the forces: each foot's own, else the last floor's.

    The last floor's limit is raised to demonstrated friction.
    """
    left = limits[0] if telling[0] else min(limits[0], max(belief.low, held[0]))
    right = limits[1] if telling[1] else min(limits[1], max(belief.low, held[1]))
    return left, right


@kernel
def tracked(
    belief: FloorBelief,
    measured: float,
    planned: float,
    required: float,
    memory: float,
    dt: float,
) -> FloorBelief:
    """Update the tracking error by the force ratio of a foot that carries alone.

    The error is relative to the ``required`` ratio.
    """
    gap = min(abs(measured - planned) / max(required, 1e-3), WORST_ERROR)
    error = belief.error + min(dt / memory, 1.0) * (gap * gap - belief.error)
    return FloorBelief(
        mu=belief.mu,
        low=belief.low,
        seen=belief.seen,
        error=error,
        rise_x=belief.rise_x,
        rise_y=belief.rise_y,
        bend=belief.bend,
    )


@kernel
def on_slope(
    belief: FloorBelief, rise_x: float, rise_y: float, change: float
) -> FloorBelief:
    """Update the expected change of slope when a foot begins to carry alone.

    That is forgotten, a share ``change`` with each step.
    """
    gap = math.hypot(rise_x - belief.rise_x, rise_y - belief.rise_y)
    bend = max((1.0 - change) ** 2 * belief.bend, gap * gap)
    return FloorBelief(
        mu=belief.mu,
        low=belief.low,
        seen=belief.seen,
        error=belief.error,
        rise_x=rise_x,
        rise_y=rise_y,
        bend=bend,
    )

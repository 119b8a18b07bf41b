# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""How the gait answers to the floor: required friction of step patterns, and the choice among them."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from biped_slip.compile.arrays import Array
from biped_slip.compile.kernel import kernel
from biped_slip.config import Configuration, configuration, parameter
from biped_slip.constants import GRAVITY
from biped_slip.control.whole_body.footsteps import ALONG, Command, FootstepConfig, Gait, SteppingConfig, is_still
from biped_slip.errors import InvalidParameter

# The part of a sole's friction that a gait needs, from the linear inverted pendulum and the leg that swings.
#
# The ZMP rolls from heel to toe of the stance foot and moves on to the next one during double support. The steady gait
# is symmetric about mid-stance and mid-transfer; the force ratio ``|c - p|/z`` is largest where one goes over into the
# other. The swing leg's momentum about the vertical asks the stance sole for a moment as well; a sole that bears both
# needs ``sqrt((F/N)^2 + (M/(r N))^2)`` with its moment arm r (ellipse for the limit surface of a patch,
# [HoweCutkosky1996]).

MOMENTS = 3  # of a stance that are looked at, from its begin to where a smooth swing accelerates most
STRONGEST = 0.5 - 0.5 / math.sqrt(3.0)  # of the way: where that is


class Pendulum(NamedTuple):
    """A walking robot as its planned friction sees it."""

    height: float  # of the centre of mass [m]
    omega: float  # [1/s]
    roll: float = 0.0  # of a step that the ZMP goes under the stance foot
    turning: float = 0.0  # ratio that the moment costs per acceleration of the swing foot [s^2/m]
    smooth: bool = True  # whether the swing foot begins without acceleration


@kernel
def transfer_offset(length: float, single_support: float, double_support: float, pendulum: Pendulum) -> float:
    """Largest distance [m] of the centre of mass from the ZMP along the walk.

    ``L sinh(omega Td/2) sinh(omega Ts/2) / (omega Td sinh(omega (Ts + Td)/2))``; L/2 for Td = 0. A zmp that rolls by
    ``q L`` under the foot takes ``q (1 + Td/Ts)`` of that away: its speed in both supports enters linearly.
    """
    a, b = 0.5 * pendulum.omega * single_support, 0.5 * pendulum.omega * double_support
    share = 0.5 if b < 1e-6 else 0.5 * math.sinh(b) / b
    rolled = abs(1.0 - pendulum.roll * (1.0 + double_support / single_support))
    return rolled * length * share * math.sinh(a) / math.sinh(a + b)


@kernel
def sway_offset(width: float, single_support: float, double_support: float, pendulum: Pendulum) -> float:
    """Largest distance [m] of the centre of mass from the ZMP across the walk; half the width for Td = 0."""
    a, b = 0.5 * pendulum.omega * single_support, 0.5 * pendulum.omega * double_support
    share = 0.5 if b < 1e-6 else 0.5 * math.sinh(b) / b
    return width * share * math.cosh(a) / math.cosh(a + b)


@kernel
def swing_acceleration(share: float, single_support: float, smooth: bool) -> float:
    """Acceleration [1/s^2] of the swing foot at a share of its way, for steps of 1 m: it goes twice as far.

    ``s'' D/T^2`` with ``60 s - 180 s^2 + 120 s^3`` on a quintic, ``6 - 12 s`` on a cubic.
    """
    s = share
    shape = 60.0 * s - 180.0 * s**2 + 120.0 * s**3 if smooth else 6.0 - 12.0 * s
    return 2.0 * shape / (ALONG * single_support) ** 2


@kernel
def demand(moment: int, width: float, single_support: float, double_support: float,
           pendulum: Pendulum) -> tuple[float, float]:  # fmt: skip
    """Ratio per metre of step length, and that of the sway, at one of the moments of a stance."""
    share = STRONGEST * moment / (MOMENTS - 1)
    half = 0.5 * pendulum.omega * single_support
    left = half * (1.0 - 2.0 * ALONG * share)
    along = transfer_offset(1.0, single_support, double_support, pendulum) * math.sinh(left) / math.sinh(half)
    across = sway_offset(width, single_support, double_support, pendulum) * math.cosh(left) / math.cosh(half)
    turn = pendulum.turning * swing_acceleration(share, single_support, pendulum.smooth)
    return math.hypot(along / pendulum.height, turn), across / pendulum.height


@kernel
def peak_ratio(length: float, width: float, single_support: float, double_support: float,
               pendulum: Pendulum) -> float:  # fmt: skip
    """Largest part of the friction [-] that the steady gait needs."""
    peak = 0.0
    for moment in range(MOMENTS):
        along, across = demand(moment, width, single_support, double_support, pendulum)
        peak = max(peak, math.hypot(length * along, across))
    return peak


# The steps that ask least of the floor at each speed, and the speed that a floor allows.
#
# Along the walk short steps need least, across it a long double support: at a given speed both can't be had, and the
# swing foot must be in time. What is left is chosen once per robot, on a grid of both supports, as a table over speed.

SLOWEST, FASTEST, SPEEDS = 0.02, 1.5, 75  # [m/s], [m/s], of the table
SINGLES, DOUBLES = 9, 29  # of the grid
BRISK = 0.01  # [1/s] ratio that is given away for each second by which a step gets quicker (choice)


@configuration
class PatternConfig(Configuration):
    """Which steps may be chosen."""

    shortest_single_support: float = parameter(
        0.5, unit="s", above=0.0, high=3.0, doc="of the steps to choose from; the longest is ``steps.single_support``"
    )
    quick_from: float = parameter(
        0.2, unit="m/s", low=0.0, high=2.0, doc="speed from which on a single support is no longer than "
        "``quick_single_support``; slower walks are those on ice, which bears no quicker steps (choice)"
    )  # fmt: skip
    quick_single_support: float = parameter(
        3.0, unit="s", above=0.0, high=3.0, doc="longest single support that stands pushes: a longer one begins with "
        "the DCM nearer to the outer edge of the stance sole"
    )  # fmt: skip
    longest_double_support: float = parameter(
        1.5, unit="s", above=0.0, high=3.0, doc="likewise; the shortest is ``steps.double_support``"
    )
    swing_speed: float = parameter(
        1.8, unit="m/s", above=0.0, high=10.0, doc="mean speed of a swing foot that the joints follow with ease"
    )
    swing_acceleration: float = parameter(
        10.0, unit="m/s^2", above=0.0, high=100.0, doc="way of a swing foot over the square of its time, likewise: of "
        "the hips' torque"
    )  # fmt: skip
    leg_reach: float = parameter(
        0.33, above=0.0, high=2.0, doc="of the centre of mass' height: how far behind it a flat foot may lift off; a "
        "leg that is straight by then pulls the trunk along"
    )  # fmt: skip
    sole_use: float = parameter(
        0.5, low=0.0, high=1.0, doc="of the sole's length that the ZMP rolls along, from heel to toe"
    )


class LegLimits(NamedTuple):
    """What a leg can follow."""

    swing_speed: float  # mean one of a swing foot [m/s]
    swing_acceleration: float  # its way over the square of its time [m/s^2]
    lift_behind: float  # how far behind the centre of mass a foot may lift off [m]
    roll: float  # that the ZMP may go under the sole [m]


class Patterns(NamedTuple):
    """Steady gaits over speed, arrays (n,)."""

    speed: Array  # [m/s]
    single_support: Array  # [s]
    double_support: Array  # [s]
    roll: Array  # of a step's length that the ZMP goes under the stance foot
    ratio: Array  # largest that the gait needs; not falling with speed


class Pattern(NamedTuple):
    """One of them."""

    single_support: float  # [s]
    double_support: float  # [s]
    roll: float
    ratio: float


@kernel
def rolled(length: float, single_support: float, double_support: float, reach: float) -> float:
    """Share of a step's length that the ZMP rolls: all that evens its way out, within ``reach`` [m] of the sole."""
    return min(single_support / (single_support + double_support), reach / max(length, 1e-6))


@kernel
def lifts_behind(length: float, single_support: float, double_support: float, pendulum: Pendulum) -> float:
    """How far [m] behind the centre of mass the rear sole lifts off."""
    ahead = transfer_offset(length, single_support, double_support, pendulum)
    return length * (1.0 - 0.5 * pendulum.roll) - ahead


@kernel
def least_demand(speed: float, width: float, singles: Array, doubles: Array, legs: LegLimits,
                 pendulum: Pendulum) -> Pattern:  # fmt: skip
    """The supports that ask least at a speed, among those with which the swing foot is in time and legs stay bent.

    Where no steps keep to the limits of the legs the ratio is infinite. ``width`` is between the ZMPs of both feet [m];
    the supports to choose from [s] rise; the roll of the pendulum is not looked at.
    """
    best, cost = Pattern(singles[-1], doubles[0], 0.0, np.inf), np.inf
    chosen = singles.shape[0] > 1 or doubles.shape[0] > 1
    for single in singles:
        for double in doubles:
            length = speed * (single + double)
            roll = rolled(length, single, double, legs.roll)
            rolling = Pendulum(pendulum.height, pendulum.omega, roll, pendulum.turning, pendulum.smooth)
            late = 2.0 * length > single * min(legs.swing_speed, legs.swing_acceleration * single)
            if chosen and (late or lifts_behind(length, single, double, rolling) > legs.lift_behind):
                continue
            ratio = peak_ratio(length, width, single, double, rolling)
            if ratio + BRISK * (single + double) < cost:
                best, cost = Pattern(single, double, roll, ratio), ratio + BRISK * (single + double)
    return best


@kernel
def _table(speeds: Array, quick_from: float, quick: Array, width: float, singles: Array, doubles: Array,
           legs: LegLimits, pendulum: Pendulum) -> Array:  # fmt: skip
    rows = np.empty((4, speeds.shape[0]))
    for k in range(speeds.shape[0]):
        allowed = singles if speeds[k] < quick_from else quick
        best = least_demand(speeds[k], width, allowed, doubles, legs, pendulum)
        rows[0, k], rows[1, k], rows[2, k], rows[3, k] = best.single_support, best.double_support, best.roll, best.ratio
        if k > 0:
            rows[3, k] = max(rows[3, k], rows[3, k - 1])
    return rows


def patterns_for(steps: FootstepConfig, stepping: SteppingConfig, config: PatternConfig, half_length: float,
                 pendulum: Pendulum) -> Patterns:  # fmt: skip
    """The table of a robot whose soles have a half length [m]; 0 for points, whose supports are not chosen.

    It ends at the speed above which no steps keep to swing speed and reach.

    Raises:
        InvalidParameter: for limits that allow none at all.
    """
    shortest, longest = min(config.shortest_single_support, steps.single_support), config.longest_double_support
    single, double = steps.single_support, steps.double_support
    singles, doubles = np.array([single]), np.array([double])
    if half_length > 0.0:
        singles = np.linspace(shortest, single, SINGLES)
        doubles = np.linspace(double, max(longest, double), DOUBLES)
    speeds = np.linspace(SLOWEST, FASTEST, SPEEDS)
    width = max(steps.width - 2.0 * stepping.inset, 0.0)
    legs = LegLimits(config.swing_speed, config.swing_acceleration, config.leg_reach * pendulum.height,
                     2.0 * config.sole_use * half_length)  # fmt: skip
    quick = singles[: max(1, int(np.sum(singles <= config.quick_single_support)))]
    table = _table(speeds, config.quick_from, quick, width, singles, doubles, legs, pendulum)
    walked = int(np.argmax(~np.isfinite(np.append(table[3], np.inf))))
    if walked < 2:
        remedy = "raise it, pattern.swing_acceleration, pattern.leg_reach or steps.single_support"
        raise InvalidParameter("pattern.swing_speed", config.swing_speed, "enough for the slowest steps", remedy)
    return Patterns(speeds[:walked], *np.ascontiguousarray(table[:, :walked]))


@kernel
def pattern_at(patterns: Patterns, speed: float) -> Pattern:
    """The gait at a speed [m/s]."""
    last = patterns.speed.shape[0] - 1
    place = (speed - patterns.speed[0]) / (patterns.speed[last] - patterns.speed[0]) * last
    place = min(max(place, 0.0), float(last))
    k = min(int(place), last - 1)
    b = place - k
    a = 1.0 - b
    return Pattern(
        a * patterns.single_support[k] + b * patterns.single_support[k + 1],
        a * patterns.double_support[k] + b * patterns.double_support[k + 1],
        a * patterns.roll[k] + b * patterns.roll[k + 1],
        a * patterns.ratio[k] + b * patterns.ratio[k + 1],
    )


@kernel
def fastest_within(patterns: Patterns, ratio: float) -> float:
    """The largest speed [m/s] of the table whose gait needs no more than ``ratio``; 0 where not even the sway fits."""
    if ratio < patterns.ratio[0]:
        return 0.0
    last = patterns.speed.shape[0] - 1
    for k in range(last):
        if patterns.ratio[k + 1] > ratio:
            rise = patterns.ratio[k + 1] - patterns.ratio[k]
            return patterns.speed[k] + (ratio - patterns.ratio[k]) / rise * (patterns.speed[k + 1] - patterns.speed[k])
    return patterns.speed[last]


# How a walk answers to what is known of the floor: it takes the steps that ask least, and is as fast as that allows.
#
# The limits that clip the contact forces come from elsewhere; this file keeps the walk such that they need not clip.

TELLING = 0.25  # body weights on a foot that did not ask its floor, from which its limit is believed (choice)
STOPPED = 1e-3  # [m/s] slower is no walk


@configuration
class AdaptationConfig(Configuration):
    """How the gait answers to the limits on the force ratio."""

    share: float = parameter(
        0.75, above=0.0, high=1.0, doc="of the expected limit that the planned gait may need; feedback has the rest"
    )
    sure: float = parameter(
        1.0, low=1.0, high=2.0, doc="times ``share``: of a limit that is seen ahead, which is no guess (choice)"
    )
    unknown: float = parameter(
        0.12, above=0.0, high=1.0, doc="ratio that the gait may need as long as no floor is known to hold more than "
        "``assumed``: what is assumed of every floor may be wrong (choice)"
    )  # fmt: skip
    assumed: float = parameter(0.2, above=0.0, high=1.0, doc="limit that is no knowledge, as those of estimates begin")
    braking: float = parameter(
        0.3, above=0.0, high=1.0, doc="of the friction of the carrying feet that a change of speed may need (choice)"
    )
    underway: float = parameter(
        1.0, low=0.0, high=3.0,
        doc="times the ratio of a gait: what a foot that shall carry alone is taken to hold (choice)",
    )  # fmt: skip
    insist: float = parameter(
        1.0, low=1.0, high=100.0, doc="times the limit: what the forces of such a step may use, if it needs that; for "
        "soles whose limit falls below the truth in mid-step (choice)"
    )  # fmt: skip
    replan: float = parameter(
        0.8, low=0.0, high=1.0, doc="of the ratio of a gait: where a floor found in its transfer allows no more, the "
        "steps to come are planned anew and the transfer is prolonged (choice); 0: never"
    )  # fmt: skip
    rise: float = parameter(0.05, low=0.0, high=5.0, doc="by which a better floor raises the expectation in one step")
    beyond: float = parameter(
        1.15, low=1.0, high=3.0, doc="times what a floor was seen to hold: what is expected of the next one (choice)"
    )
    explore: float = parameter(
        1.1, low=1.0, high=2.0, doc="times what is expected, of a floor whose foot did not slide in its transfer: who "
        "asks for little learns little (choice)"
    )  # fmt: skip
    slope_speed: float = parameter(
        0.35, unit="m/s", above=0.0, high=2.0, doc="fastest on a slope and near one: nobody sees "
        "where it ends, and there a foot lands late; TALOS fell out of 0.6 m/s in half of its walks"
    )  # fmt: skip
    slope_reach: float = parameter(
        2.0, unit="m", low=0.0, high=20.0, doc="way behind a slope that is near it: what goes up comes down, behind a "
        "landing of 1.5 m (choice)"
    )  # fmt: skip
    reflex_time: float = parameter(
        0.5, unit="s", low=0.0, high=10.0, doc="how long a slip seen keeps the robot careful"
    )
    reflex_drop: float = parameter(0.03, unit="m", low=0.0, high=0.3, doc="lower centre of mass after a slip")
    worst: float = parameter(
        0.04, above=0.0, high=1.0, doc="friction certified of the worst floor met unseen: it walks so fast that a "
        "landing foot can stop it there (choice: wet ice, 0.05 less its error)",
    )  # fmt: skip
    unlimited: float = parameter(1.2, above=0.0, high=5.0, doc="stands for 'no limit' in the friction cones")


class AdaptationState(NamedTuple):
    """What the gait expects of the next floor."""

    expected: float  # limit on the force ratio under the next foot
    since_slip: float  # [s]; inf: never
    seen: float = math.inf  # limit seen ahead by the foot that swings, or swung last; infinite where nothing sees


@kernel
def allowed_ratio(limit: float, config: AdaptationConfig, climb: float = 0.0) -> float:
    """Largest ratio that a planned gait may need under a limit: a share of it, and little while nothing is known.

    On a slope the share must hold the weight's part along it (``climb``) as well. Above ``assumed`` it rises twice as
    fast as the limit until it is that share again. The configuration is packed, here and below.
    """
    cautious = config.unknown + 2.0 * max(limit - config.assumed, 0.0)
    return min(config.share * min(limit, config.unlimited) - climb, cautious)


@kernel
def allowed_command(
    command: Command, state: AdaptationState, config: AdaptationConfig, patterns: Patterns, climb: float = 0.0,
    since_slope: float = math.inf, unseen: float = math.inf,
) -> Command:  # fmt: skip
    """The command, slowed until the gait that asks least needs no more than the expected limit allows.

    What is seen of the way ahead is no assumption: of that the whole share counts, ``sure`` times. Near a slope no
    limit is known well enough for more than ``slope_speed``: friction says nothing about where the floor bends.
    ``climb`` is the tangent of the slope, ``since_slope`` the way walked since the last one [m], ``unseen`` the speed
    at which the worst floor may come unseen [m/s].
    """
    speed = math.hypot(command.forward, command.left)
    if state.seen < math.inf:
        ratio = config.sure * config.share * min(state.expected, config.unlimited) - climb
        fastest = fastest_within(patterns, ratio)
    else:
        fastest = min(fastest_within(patterns, allowed_ratio(state.expected, config, climb)), unseen)
    if since_slope <= config.slope_reach:
        fastest = min(fastest, config.slope_speed)
    scale = min(1.0, fastest / max(speed, STOPPED))
    return Command(scale * command.forward, scale * command.left, scale * command.turn, command.shift, command.lean)


def unseen_speed(toe: float, height: float, omega: float, worst: float) -> float:
    """Speed [m/s] at which a foot that lands on the worst floor can still stop the robot.

    The divergent component v/omega ahead of the ankle must stay behind what the sole's ``toe`` [m] and the floor's
    friction under a centre of mass at ``height`` [m] can reach together: ``v = omega (toe + mu h)``.
    """
    return omega * (toe + worst * height)


@kernel
def way_since_slope(way: float, climb: float, taken: Command, dt: float) -> float:
    """Way [m] walked on level floor since the last slope, a tick of dt [s] later; infinite: there was none."""
    return 0.0 if climb > 0.0 else way + dt * math.hypot(taken.forward, taken.left)


@kernel
def change_of_speed(acceleration: float, under: float, config: AdaptationConfig) -> float:
    """Largest change of speed [m/s^2]: what the feet that carry hold of it, at most ``acceleration``."""
    return min(acceleration, config.braking * under * GRAVITY)


@kernel
def limit_under(carrying: tuple[bool, bool], limits: tuple[float, float]) -> float:
    """The lowest limit of the feet that carry."""
    return min(limits[0] if carrying[0] else math.inf, limits[1] if carrying[1] else math.inf)


@kernel
def cautious_gait(taken: Command, allowed: Command, steps: FootstepConfig, patterns: Patterns,
                  climb: float = 0.0) -> Gait:  # fmt: skip
    """The steps of the command as far as it has been taken up; in the beat of ``allowed`` while that is faster.

    Getting faster, steps are quick before they are long; getting slower, they are slow when they are short.
    """
    speed = math.hypot(taken.forward, taken.left)
    pattern = pattern_at(patterns, max(speed, math.hypot(allowed.forward, allowed.left)))
    time = pattern.single_support + pattern.double_support
    still = is_still(allowed) and speed < STOPPED and taken.turn == 0.0
    forward = time * taken.forward
    return Gait(forward, time * taken.left, time * taken.turn, steps.width, pattern.single_support,
                pattern.double_support, still, taken.shift if still else 0.0, pattern.roll * forward,
                pattern.ratio + climb)  # fmt: skip


@kernel
def lifting_limits(limits: tuple[float, float], gait: Gait, config: AdaptationConfig) -> tuple[float, float]:
    """Limits for the question whether a foot may carry alone: no less than what the gait under way needs.

    To wait with a step that was begun on a better floor only takes away the foot that would catch the robot.
    """
    need = config.underway * gait.ratio
    return max(limits[0], need), max(limits[1], need)


@kernel
def force_limits(limits: tuple[float, float], lifting: tuple[float, float], held: tuple[float, float],
                 state: AdaptationState, config: AdaptationConfig) -> tuple[float, float]:  # fmt: skip
    """Limits of the forces themselves, ``insist`` times what is known at most.

    A floor gives no more than it has: a sole that is asked for more slides, and the divergent component loses the same.
    A floor that nobody knows yet is taken for the last one, as far as it has not ``held`` more.
    """
    left = min(limits[0], max(state.expected, config.beyond * held[0]))
    right = min(limits[1], max(state.expected, config.beyond * held[1]))
    return min(lifting[0], config.insist * left), min(lifting[1], config.insist * right)


@kernel
def too_much(gait: Gait, slow: Gait, limit: float, telling: bool, config: AdaptationConfig) -> bool:
    """Whether the gait under way asks for far more than the foot that has landed holds, and a ``slow`` one for less.

    What is only known of the way ahead changes no transfer: a robot at full speed that breaks its beat falls.
    """
    return telling and max(slow.ratio, config.share * limit) < config.replan * gait.ratio


@kernel
def found_in_transfer(state: AdaptationState, limit: float, telling: bool, config: AdaptationConfig) -> AdaptationState:
    """What the foot that has landed holds is expected of the next floor before it carries alone: it only falls.

    A foot that is not ``telling``, neither asked nor loaded, says little, and slides of a moment make a gait half as
    demanding as that of unknown floors at most; what the foot holds when it carries alone may lower the expectation
    further.
    """
    if not telling:
        return state
    found = max(limit, 0.5 * config.unknown / config.share)
    return AdaptationState(min(state.expected, found), state.since_slip, state.seen)


@kernel
def careful(state: AdaptationState, config: AdaptationConfig) -> bool:
    """Whether a slip was seen a moment ago."""
    return state.since_slip < config.reflex_time


@kernel
def adaptation_step(state: AdaptationState, slipping: bool, alone: bool, under: float, ahead: float,
                 dt: float) -> AdaptationState:  # fmt: skip
    """One tick later: what is found under the foot that carries alone is expected of the next floor, too.

    In mid-step the expectation only falls. ``under`` is the limit of the feet that carry, ``ahead`` what is known to
    hold where the next feet land, infinite where nothing is known.
    """
    expected = min(state.expected, under, ahead) if alone else min(state.expected, ahead)
    seen = ahead if ahead < math.inf else state.seen
    return AdaptationState(expected, 0.0 if slipping else state.since_slip + dt, seen)


@kernel
def on_slope(state: AdaptationState, climb: float, found: float, config: AdaptationConfig) -> AdaptationState:
    """On a slope it tries a little more than the gait of unknown floors beside the weight, until less is ``found``.

    A default limit is no evidence, and a floor on which both feet stand holds more than the tangent of its slope.
    """
    if climb == 0.0 or found < config.assumed:
        return state
    tried = (climb + config.explore * config.unknown) / config.share
    return AdaptationState(max(state.expected, tried), state.since_slip, state.seen)


@kernel
def after_transfer(state: AdaptationState, limit: float, held: float, config: AdaptationConfig) -> AdaptationState:
    """A foot begins to carry alone: what was known of its floor by then can be known of the next one by then.

    The expectation falls to that limit at once. It rises to what has been seen ahead, or else by what one step can
    change, as far as the floor under this foot is known to have ``held``: the default limit of a floor that nobody
    knows yet says nothing about it, but that it can be tried with a little more.
    """
    better = max(min(state.expected + config.rise, config.beyond * held), config.explore * state.expected)
    if state.seen < math.inf:
        better = state.seen
    return AdaptationState(min(limit, better), state.since_slip, math.inf)


@kernel
def while_standing(state: AdaptationState, limits: tuple[float, float]) -> AdaptationState:
    """On both feet at rest: a floor that is found to hold more lets it go on."""
    return AdaptationState(max(state.expected, min(limits[0], limits[1])), state.since_slip, state.seen)

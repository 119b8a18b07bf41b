# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""How a walk answers to what is known of the floor: it takes the steps that ask least, and is as fast as that allows.

The limits that clip the contact forces come from elsewhere; this file keeps the walk such that they need not clip.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from biped_slip.compile.kernel import kernel
from biped_slip.config import Configuration, configuration, parameter
from biped_slip.constants import GRAVITY
from biped_slip.control.whole_body.footsteps import Command, FootstepConfig, is_still
from biped_slip.control.whole_body.pattern_choice import Patterns, fastest_within, pattern_at
from biped_slip.control.whole_body.stepping import Gait

TELLING = 0.25  # body weights on a foot whose slide is believed: below, its force ratio is mostly noise (choice)
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
        1.0,
        low=0.0,
        high=3.0,
        doc="times the ratio of a gait: what a foot that shall carry alone is taken to hold (choice)",
    )
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
        0.35, unit="m/s", above=0.0, high=2.0, source="choice", doc="fastest on a slope and near one: nobody sees "
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
def allowed_command(command: Command, state: AdaptationState, config: AdaptationConfig, patterns: Patterns,
                    climb: float = 0.0, since_slope: float = math.inf) -> Command:  # fmt: skip
    """The command, slowed until the gait that asks least needs no more than the expected limit allows.

    What is seen of the way ahead is no assumption: of that the whole share counts, ``sure`` times. Near a slope no
    limit is known well enough for more than ``slope_speed``: friction says nothing about where the floor bends.

    Args:
        climb: tangent of the floor's slope.
        since_slope: way walked since the last slope [m].
    """
    speed = math.hypot(command.forward, command.left)
    ratio = allowed_ratio(state.expected, config, climb)
    if state.seen < math.inf:
        ratio = config.sure * config.share * min(state.expected, config.unlimited) - climb
    fastest = fastest_within(patterns, ratio)
    if since_slope <= config.slope_reach:
        fastest = min(fastest, config.slope_speed)
    scale = min(1.0, fastest / max(speed, STOPPED))
    return Command(scale * command.forward, scale * command.left, scale * command.turn, command.shift, command.lean)


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
def too_much(gait: Gait, slow: Gait, limit: float, load: float, config: AdaptationConfig) -> bool:
    """Whether the gait under way asks for far more than the foot that has landed holds, and a ``slow`` one for less.

    What is only known of the way ahead changes no transfer: a robot at full speed that breaks its beat falls.
    """
    return load >= TELLING and max(slow.ratio, config.share * limit) < config.replan * gait.ratio


@kernel
def found_in_transfer(state: AdaptationState, limit: float, load: float, config: AdaptationConfig) -> AdaptationState:
    """What the foot that has landed holds is expected of the next floor before it carries alone: it only falls.

    A foot with little ``load`` [body weights] says little, and slides of a moment make a gait half as demanding as that
    of unknown floors at most; what the foot holds when it carries alone may lower the expectation further.
    """
    if load < TELLING:
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

    In mid-step the expectation only falls.

    Args:
        slipping: a carrying foot slips.
        alone: whether one foot carries.
        under: limit of the feet that carry.
        ahead: what is known to hold where the next feet land; infinite where nothing is known.
        dt: of the tick [s].
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

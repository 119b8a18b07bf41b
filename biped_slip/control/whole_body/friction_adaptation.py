# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Slip prevention by the gait itself: slower and shorter steps as the limit falls, a gate before each lift, a reflex.

The limits that clip the contact forces come from elsewhere; this file keeps the walk such that they need not clip.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from biped_slip.compile.kernel import kernel
from biped_slip.config import Configuration, configuration, parameter
from biped_slip.control.whole_body.footsteps import Command, FootstepConfig, is_still
from biped_slip.control.whole_body.gait_ratio import Pendulum, affordable_length, peak_ratio
from biped_slip.control.whole_body.stepping import Gait


@configuration
class AdaptationConfig(Configuration):
    """How the gait answers to the limits on the force ratio."""

    share: float = parameter(
        0.75, above=0.0, high=1.0, doc="of the expected limit that the planned gait may need; feedback has the rest"
    )
    longest_double_support: float = parameter(
        0.3, unit="s", above=0.0, high=3.0, doc="of the most cautious steps: the longer, the less the feet must hold"
    )
    shortest_single_support: float = parameter(0.5, unit="s", above=0.0, high=3.0, doc="of the most cautious steps")
    rise: float = parameter(0.05, low=0.0, high=5.0, doc="by which a better floor raises the expectation in one step")
    fall: float = parameter(
        0.05, low=0.0, high=5.0, doc="by which a worse floor lowers it in one step: a step that is much shorter than "
        "the last one asks more of the floor than the same step again (choice)",
    )  # fmt: skip
    reflex_time: float = parameter(
        0.5, unit="s", low=0.0, high=10.0, doc="how long a slip seen keeps the robot careful"
    )
    reflex_width: float = parameter(0.03, unit="m", low=0.0, high=0.3, doc="wider stance after a slip")
    reflex_drop: float = parameter(0.03, unit="m", low=0.0, high=0.3, doc="lower centre of mass after a slip")
    unlimited: float = parameter(1.2, above=0.0, high=5.0, doc="stands for 'no limit' in the friction cones")


class AdaptationState(NamedTuple):
    """What the gait expects of the next floor."""

    expected: float  # limit on the force ratio under the next foot
    since_slip: float  # [s]; inf: never


@kernel
def affordable_gait(length: float, width: float, normal: tuple[float, float], careful: tuple[float, float],
                    ratio: float, pendulum: Pendulum) -> tuple[float, float, float]:  # fmt: skip
    """Step length [m], single and double support [s] whose peak ratio stays below ``ratio``.

    First the supports go from the normal (single, double) to the careful ones, then the step gets shorter.
    """
    if peak_ratio(length, width, normal[0], normal[1], pendulum) <= ratio:
        return length, normal[0], normal[1]
    if peak_ratio(length, width, careful[0], careful[1], pendulum) > ratio:
        least = affordable_length(ratio, width, careful[0], careful[1], pendulum)
        return min(length, least), careful[0], careful[1]
    low, high = 0.0, 1.0
    for _ in range(10):
        share = 0.5 * (low + high)
        single = normal[0] + share * (careful[0] - normal[0])
        double = normal[1] + share * (careful[1] - normal[1])
        if peak_ratio(length, width, single, double, pendulum) > ratio:
            low = share
        else:
            high = share
    return length, normal[0] + high * (careful[0] - normal[0]), normal[1] + high * (careful[1] - normal[1])


@kernel
def cautious_gait(command: Command, state: AdaptationState, steps: FootstepConfig, config: AdaptationConfig,
                  pendulum: Pendulum) -> Gait:  # fmt: skip
    """The commanded velocity as one step that the expected limit allows; no step at all where it allows none.

    The configurations are packed, here and below.
    """
    time = steps.single_support + steps.double_support
    forward, left, turn = time * command.forward, time * command.left, time * command.turn
    length = math.hypot(forward, left)
    width = steps.width + (config.reflex_width if careful(state, config) else 0.0)
    ratio = config.share * min(state.expected, config.unlimited)
    normal = (steps.single_support, steps.double_support)
    slow = (min(config.shortest_single_support, normal[0]), max(config.longest_double_support, normal[1]))
    allowed, single, double = affordable_gait(length, width, normal, slow, ratio, pendulum)
    scale = min(allowed / length, 1.0) if length > 0.0 else 1.0
    still = is_still(command) or (length > 0.0 and scale == 0.0)
    shift = command.shift if still else 0.0
    return Gait(scale * forward, scale * left, scale * turn, width, single, double, still, shift)


@kernel
def careful(state: AdaptationState, config: AdaptationConfig) -> bool:
    """Whether a slip was seen a moment ago."""
    return state.since_slip < config.reflex_time


@kernel
def adaptation_step(state: AdaptationState, slipping: bool, dt: float) -> AdaptationState:
    """One tick later; ``slipping``: a carrying foot slips."""
    return AdaptationState(state.expected, 0.0 if slipping else state.since_slip + dt)


@kernel
def after_transfer(state: AdaptationState, limit: float, config: AdaptationConfig) -> AdaptationState:
    """A foot begins to carry alone: what was known of its floor by then can be known of the next one by then.

    The expectation follows that limit, within what one step can change.
    """
    return AdaptationState(
        max(min(limit, state.expected + config.rise), state.expected - config.fall), state.since_slip
    )

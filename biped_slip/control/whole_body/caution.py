# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Slip prevention by the gait itself: slower and shorter steps as the limit falls, a gate before each lift, a reflex.

The limits that clip the contact forces come from elsewhere; this file keeps the walk such that they need not clip.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from biped_slip.config import Configuration, configuration, parameter
from biped_slip.control.whole_body.footsteps import Command, FootstepConfig
from biped_slip.control.whole_body.gait_ratio import affordable_length, peak_ratio
from biped_slip.control.whole_body.stepping import Gait
from biped_slip.kernels import kernel


@configuration
class CautionConfig(Configuration):
    """How the gait answers to the limits on the force ratio."""

    share: float = parameter(0.9, above=0.0, high=1.0, doc="of the expected limit that the planned gait may need")
    longest_double_support: float = parameter(0.25, unit="s", above=0.0, high=3.0, doc="slower steps before shorter ones")
    trust_rate: float = parameter(
        1.0, unit="1/s", low=0.0, high=100.0, doc="how fast good floor under a lone foot raises what the next is expected to be"
    )
    reflex_time: float = parameter(0.5, unit="s", low=0.0, high=10.0, doc="how long a slip seen keeps the robot careful")
    reflex_width: float = parameter(0.03, unit="m", low=0.0, high=0.3, doc="wider stance after a slip")
    reflex_drop: float = parameter(0.03, unit="m", low=0.0, high=0.3, doc="lower centre of mass after a slip")
    unlimited: float = parameter(1.2, above=0.0, high=5.0, doc="stands for 'no limit' in the friction cones")


class CautionState(NamedTuple):
    """What the gait expects of the next floor."""

    expected: float  # limit on the force ratio under the next foot
    since_slip: float  # [s]; inf: never


@kernel
def affordable_gait(length: float, width: float, single: float, double: float, longest_double: float, ratio: float,
                    height: float, omega: float) -> tuple[float, float]:  # fmt: skip
    """Step length [m] and double support [s] whose peak ratio stays below ``ratio``: slower first, then shorter."""
    if peak_ratio(length, width, single, double, height, omega) <= ratio:
        return length, double
    low, high = double, max(longest_double, double)
    if peak_ratio(length, width, single, high, height, omega) > ratio:
        return min(length, affordable_length(ratio, width, single, high, height, omega)), high
    for _ in range(12):
        middle = 0.5 * (low + high)
        if peak_ratio(length, width, single, middle, height, omega) > ratio:
            low = middle
        else:
            high = middle
    return length, high


def cautious_gait(command: Command, state: CautionState, steps: FootstepConfig, config: CautionConfig, height: float,
                  omega: float) -> Gait:  # fmt: skip
    """The commanded velocity as one step that the expected limit allows; no step at all where it allows none."""
    time = steps.single_support + steps.double_support
    forward, left, turn = time * command.forward, time * command.left, time * command.turn
    length = math.hypot(forward, left)
    width = steps.width + (config.reflex_width if careful(state, config) else 0.0)
    ratio = config.share * min(state.expected, config.unlimited)
    allowed, double = affordable_gait(length, width, steps.single_support, steps.double_support,
                                      config.longest_double_support, ratio, height, omega)  # fmt: skip
    scale = min(allowed / length, 1.0) if length > 0.0 else 1.0
    still = command.still or (length > 0.0 and scale == 0.0)
    return Gait(scale * forward, scale * left, scale * turn, width, steps.single_support, double, still)


def careful(state: CautionState, config: CautionConfig) -> bool:
    """Whether a slip was seen a moment ago."""
    return state.since_slip < config.reflex_time


def caution_step(state: CautionState, limits: tuple[float, float], carrying: tuple[bool, bool],
                 slipping: tuple[bool, bool], config: CautionConfig, dt: float) -> CautionState:  # fmt: skip
    """One tick later.

    A foot that carries alone shows how good the floor is: the expectation follows its limit, down at once, up slowly.
    """
    expected = state.expected
    for foot in (0, 1):
        if carrying[foot] and not carrying[1 - foot]:
            ceiling = limits[foot]
            expected = min(ceiling, expected + config.trust_rate * dt)
    slip = any(slipping[foot] and carrying[foot] for foot in (0, 1))
    return CautionState(expected, 0.0 if slip else state.since_slip + dt)

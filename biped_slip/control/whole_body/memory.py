# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""What a tick of whole-body walking is given: what never changes, what is sensed, what is remembered."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from biped_slip.compile.arrays import Array
from biped_slip.compile.kernel import kernel
from biped_slip.control.whole_body.footsteps import Command, Foothold
from biped_slip.control.whole_body.friction_adaptation import AdaptationState
from biped_slip.control.whole_body.pattern_choice import Patterns
from biped_slip.control.whole_body.program import Robot
from biped_slip.control.whole_body.stepping import SWING, Feet, Gait, SteppingState
from biped_slip.control.whole_body.terms import Terms


class Setup(NamedTuple):
    """What does not change during a walk."""

    robot: Robot
    posture: Array  # (n,) [rad]
    lowest: Array  # (nl,) ends of the legs' ranges [rad]
    highest: Array  # (nl,)
    fastest: Array  # (nl,) largest speeds in use [rad/s]
    middle: Array  # (2, 2) of the soles [m]
    half_size: Array  # (2,) [m]
    height: float  # of the centre of mass over the soles while walking [m]
    omega: float  # of the pendulum [1/s]
    patterns: Patterns  # that ask least of the floor, over speed
    swing_lever: float  # momentum about the vertical per forward speed of a swing foot [kg m]
    config: Any  # packed WholeBodyConfig


class Sensed(NamedTuple):
    """What a tick knows beside the terms; feet left, right."""

    q: Array  # (nq,)
    v: Array  # (nv,)
    load: tuple[float, float]  # normal forces in body weights
    limits: tuple[float, float]  # on the force ratio
    held: tuple[float, float]  # ratio that each foot's floor is known to hold
    slipping: tuple[bool, bool]
    ahead: float  # limit known of where feet in the air will land; infinite where it is not known
    up: Array  # (3,) the vertical in the axes of the floor, which all places are in


class WholeBodyState(NamedTuple):
    """Memory from tick to tick."""

    stepping: SteppingState
    adaptation: AdaptationState
    command: Command  # as far as it has been taken up
    gait: Gait  # of the phase under way and, as planned in it, of the steps to come
    height: float  # of the centre of mass over the soles, likewise [m]
    heading: float  # of the walk as commanded, which feet that are points keep to [rad]
    touch: Array  # (2,) at which each foot is expected to meet the floor, over the other sole [m]
    trim: Array  # (2,) of the footholds of such feet, ahead and to the left [m]
    since_slope: float  # way walked since the last slope; infinite: there was none [m]


@kernel
def feet_of(terms: Terms) -> Feet:
    """Soles as footholds."""
    place, turn = terms.position, terms.rotation
    left = Foothold(place[0, 0], place[0, 1], math.atan2(turn[0, 1, 0], turn[0, 0, 0]))
    right = Foothold(place[1, 0], place[1, 1], math.atan2(turn[1, 1, 0], turn[1, 0, 0]))
    return Feet((left, right), (place[0, 2], place[1, 2]))


@kernel
def carrying_feet(steps: SteppingState) -> tuple[bool, bool]:
    """Which feet are on the floor by plan."""
    lifted = steps.swing if steps.phase == SWING else -1
    return lifted != 0, lifted != 1

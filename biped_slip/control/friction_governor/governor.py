# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""A friction governor: how much of a velocity command goes through, and why not more."""

from __future__ import annotations

import math
from enum import Enum
from typing import NamedTuple

from biped_slip.control.friction_governor.config import FrictionGovernorConfig
from biped_slip.control.friction_governor.demand import Demand, asked, first_demand, learnt
from biped_slip.control.friction_governor.floor import Floor, FootSeen, floor_step, unknown_floor

FEET = ("left", "right")


class Twist(NamedTuple):
    """A velocity command in the robot's frame."""

    forward: float  # [m/s]
    left: float  # [m/s]
    turn: float  # [rad/s]

    def scaled(self, share: float) -> Twist:
        """The same way, slower."""
        return Twist(share * self.forward, share * self.left, share * self.turn)

    @property
    def speed(self) -> float:
        """Over the floor [m/s]."""
        return math.hypot(self.forward, self.left)

    @property
    def pace(self) -> float:
        """Speed [m/s], or rate of turning [rad/s] where that is larger: what falls and rises evenly."""
        return max(self.speed, abs(self.turn))


STILL = Twist(0.0, 0.0, 0.0)


class Reason(Enum):
    """Why not all of a command goes through."""

    NONE = "passes"
    NO_NUMBER = "the command is no number"
    UNKNOWN = "the floor is not known yet"
    SLIPPERY = "the floor holds too little"
    NOT_EVEN_STANDING = "the floor holds less than stepping in place asks for"


class GovernorAnswer(NamedTuple):
    """What goes through, and what that rests on."""

    twist: Twist
    reason: Reason
    asked: float  # ratio that the whole command asks for
    holds: float  # ratio that the floor is taken to hold, of the worse foot
    foot: int  # the worse one
    known: bool  # whether an estimate says so

    @property
    def sentence(self) -> str:
        """For a person."""
        if self.reason in (Reason.NONE, Reason.NO_NUMBER):
            return self.reason.value
        word = "is known to hold" if self.known else "is taken to hold"
        return (
            f"{self.reason.value}: under the {FEET[self.foot]} foot it {word} {self.holds:.2f}, "
            f"the command asks for {self.asked:.2f}; {self.twist.speed:.2f} m/s go through"
        )


class GovernorState(NamedTuple):
    """What a governor remembers."""

    floors: tuple[Floor, Floor]
    demand: Demand
    twist: Twist  # that went through last
    limited: bool  # less than was commanded


def first_state(config: FrictionGovernorConfig) -> GovernorState:
    """Before anything was seen."""
    floor = unknown_floor(config)
    return GovernorState((floor, floor), first_demand(config.demand), STILL, False)


def governor_step(
    state: GovernorState, command: Twist, feet: tuple[FootSeen, FootSeen], config: FrictionGovernorConfig, dt: float
) -> tuple[GovernorState, GovernorAnswer]:
    """What of a command goes through, dt [s] after the sample before.

    Never more than the command; its direction stays. Where the floor holds less than was let through, speed falls with
    the configured deceleration, down to ``keep`` at most; a command that itself falls goes through at once.
    """
    floors, demand = [], state.demand
    for floor, seen in zip(state.floors, feet, strict=True):
        after, stance = floor_step(floor, seen, (state.twist.speed, abs(state.twist.turn)), config, dt)
        floors.append(after)
        if stance is not None:
            demand = learnt(demand, config.demand, stance.speed, stance.turn, stance.ratio, stance.slid)
    foot = 0 if floors[0].holds <= floors[1].holds else 1
    holds, known = floors[foot].holds, floors[foot].known
    finite = all(math.isfinite(part) for part in command)
    wanted = command if finite else STILL
    budget = config.tolerance * holds
    pace = pace_within(state, share_within(budget, demand, wanted), wanted, config, dt)
    twist = wanted if pace >= wanted.pace else wanted.scaled(pace / wanted.pace)
    reason = _reason(twist != wanted, finite, known, budget < demand.coefficients[0])
    later = GovernorState((floors[0], floors[1]), demand, twist, twist != wanted)
    return later, GovernorAnswer(twist, reason, asked(demand, wanted.speed, wanted.turn), holds, foot, known)


def pace_within(state: GovernorState, share: float, command: Twist, config: FrictionGovernorConfig, dt: float) -> float:
    """Pace of a command of which the floor holds a share: falls, and is given back, no faster than configured."""
    allowed, before = max(share * command.pace, min(config.keep, command.pace)), state.twist.pace
    if allowed < before:
        return min(max(allowed, before - config.deceleration * dt), command.pace)
    return min(allowed, before + config.acceleration * dt) if state.limited else allowed


def share_within(budget: float, demand: Demand, command: Twist) -> float:
    """The largest share of a command that asks for no more than a ratio."""
    rest = float(demand.coefficients[0])
    need = asked(demand, command.speed, command.turn)
    if need <= budget:
        return 1.0
    return min(max((budget - rest) / (need - rest), 0.0), 1.0) if need > rest else 0.0


def _reason(limited: bool, finite: bool, known: bool, nothing: bool) -> Reason:
    if not finite:
        return Reason.NO_NUMBER
    if not limited:
        return Reason.NONE
    if not known:
        return Reason.UNKNOWN
    return Reason.NOT_EVEN_STANDING if nothing else Reason.SLIPPERY


class FrictionGovernor:
    """Holds the state of :func:`governor_step`."""

    def __init__(self, config: FrictionGovernorConfig | None = None) -> None:
        self.config = FrictionGovernorConfig() if config is None else config
        self.reset()

    def reset(self) -> None:
        """As before the first sample; what was learnt of the controller is forgotten, too."""
        self.state = first_state(self.config)

    def step(self, command: Twist, feet: tuple[FootSeen, FootSeen], dt: float) -> GovernorAnswer:
        """What goes through of a command, dt [s] after the sample before."""
        self.state, answer = governor_step(self.state, command, feet, self.config, dt)
        return answer

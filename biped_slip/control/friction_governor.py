# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Friction governor before any walking controller: what the floor holds of a command.

A command requires a force ratio ``stand + per_speed |v| + per_turn |w|``, learnt from
the stances walked so far by least squares with a prior. Under each foot the floor holds
what its estimate is sure of, else what it has demonstrated. Of the command that share
passes which the worse foot holds, and its speed rises and falls no faster than
configured.
"""

from __future__ import annotations

import math
from enum import Enum
from typing import NamedTuple, Sequence

import numpy as np
from scipy.optimize import nnls

from biped_slip.compile.arrays import Array
from biped_slip.config import Configuration, configuration, parameter, section
from biped_slip.constants import FEET
from biped_slip.estimation.readings import COMMAND, Judge
from biped_slip.friction_estimation.types import FrictionEstimate


@configuration
class CommandFrictionConfig(Configuration):
    """Prior of the force ratio that a command requires.

    The ratio is stand + per_speed |v| + per_turn |w|.
    """

    stand: float = parameter(
        0.15, low=0.0, high=1.0, doc="ratio required to step or stand in place"
    )
    per_speed: float = parameter(
        0.35, unit="s/m", low=0.0, high=5.0, doc="ratio per speed"
    )
    per_turn: float = parameter(
        0.05, unit="s/rad", low=0.0, high=5.0, doc="ratio per rate of turning"
    )
    weight: float = parameter(
        3.0, above=0.0, high=1e3, doc="weight of these numbers, in stances"
    )
    memory: float = parameter(
        200.0, low=1.0, high=1e6, doc="stances after which one weighs a third"
    )


@configuration
class FrictionGovernorConfig(Configuration):
    """Floor, command and reaction of a friction governor."""

    required: CommandFrictionConfig = section(CommandFrictionConfig, formerly="demand")
    assumed_friction: float = parameter(
        0.3, above=0.0, high=2.0, formerly="unknown", doc="without an estimate"
    )
    exploration_factor: float = parameter(
        1.2,
        low=1.0,
        high=3.0,
        formerly="rise",
        doc="required friction of the next step over demonstrated friction",
    )
    tolerance: float = parameter(
        1.0,
        low=0.5,
        high=3.0,
        doc="required friction of a command over available friction; above 1 admits "
        "sliding",
    )
    minimum_speed: float = parameter(
        0.0,
        unit="m/s",
        low=0.0,
        high=5.0,
        formerly="keep",
        doc="always passed; 0 stops on ice",
    )
    deceleration: float = parameter(
        1.5,
        unit="m/s^2",
        above=0.0,
        high=20.0,
        doc="with which speed is taken away; turning in place: rad/s^2",
    )
    acceleration: float = parameter(
        0.5, unit="m/s^2", above=0.0, high=20.0, doc="with which it is given back"
    )
    timeout: float = parameter(
        1.0,
        unit="s",
        above=0.0,
        high=60.0,
        formerly="forget",
        doc="without loaded foot and estimate; then assumed",
    )
    loaded: float = parameter(
        0.3,
        above=0.0,
        high=1.0,
        doc="share of the weight from which a foot's ratio counts",
    )
    settled: float = parameter(
        0.02,
        unit="s",
        low=0.0,
        high=1.0,
        doc="so long an estimate must be usable to count",
    )
    quantile: float = parameter(
        0.9,
        above=0.0,
        high=1.0,
        doc="of a stance's force ratios: its required friction",
    )


class CommandFriction(NamedTuple):
    """Required ratio = stand + per_speed |v| + per_turn |w|, all non-negative.

    The sums that they come from are kept, too.
    """

    coefficients: Array  # (3,)
    information: Array  # (3, 3) of the stances, without the prior
    evidence: Array  # (3,)
    stances: int = 0


def first_required(config: CommandFrictionConfig) -> CommandFriction:
    """Return the prior's required ratio."""
    return CommandFriction(_prior(config), np.zeros((3, 3)), np.zeros(3))


def required_ratio(required: CommandFriction, speed: float, turn: float) -> float:
    """Compute the force ratio [-] that a command requires.

    The command is a speed [m/s] and a rate of turning [rad/s].
    """
    stand, per_speed, per_turn = required.coefficients
    return float(stand + per_speed * abs(speed) + per_turn * abs(turn))


def updated(
    required: CommandFriction,
    config: CommandFrictionConfig,
    speed: float,
    turn: float,
    ratio: float,
    slid: bool,
) -> CommandFriction:
    """Update by one more stance of a force ratio.

    The fit is least squares with a prior, and never falls with speed.

    A stance that slid gives a lower bound of required friction: below the prediction it
    changes nothing.
    """
    if slid and ratio <= required_ratio(required, speed, turn):
        return required
    row = np.array([1.0, abs(speed), abs(turn)])
    kept = np.exp(-1.0 / config.memory)
    information = kept * required.information + np.outer(row, row)
    evidence = kept * required.evidence + ratio * row
    root = np.linalg.cholesky(information + config.weight * np.eye(3))
    found, _ = nnls(
        root.T, np.linalg.solve(root, evidence + config.weight * _prior(config))
    )
    return CommandFriction(found, information, evidence, required.stances + 1)


def _prior(config: CommandFrictionConfig) -> Array:
    return np.array([config.stand, config.per_speed, config.per_turn])


# of a stance's histogram of force ratios; the last holds all larger ones
RATIO_BINS = 100
BIN_WIDTH = 0.01  # [-]


class FootLoad(NamedTuple):
    """Measurement of one foot at one instant."""

    force_ratio: float  # tangential over normal force [-]
    load_share: float  # normal force over the robot's weight [-]
    estimate: FrictionEstimate


def foot_load(
    force: Sequence[float], estimate: FrictionEstimate, weight: float
) -> FootLoad:
    """Measure a foot from force, estimate and weight [N].

    The force is that of the ground along the sole's axes (3,) [N].
    """
    normal = float(force[2])
    ratio = (
        math.hypot(float(force[0]), float(force[1])) / normal
        if normal > 0.0
        else math.nan
    )
    return FootLoad(ratio, normal / weight, estimate)


class StanceRatio(NamedTuple):
    """Stance that has ended: largest force ratio and the command meanwhile."""

    ratio: float  # that it required
    slid: bool
    speed: float  # let through meanwhile, mean [m/s]
    turn: float  # [rad/s]


class Floor(NamedTuple):
    """Memory of one foot's floor."""

    holds: float  # ratio that its floor is taken to hold
    known: bool  # by an estimate, not only by default or by what was held
    silent: float  # since its last measurement [s]
    usable: float  # since when its estimate is usable in this stance [s]
    ratios: Array  # (RATIO_BINS,) loaded time by force ratio in this stance [s]
    slid: bool  # in this stance
    travelled: tuple[
        float, float
    ]  # integrals of speed and turn over its loaded time [m], [rad]


def unknown_floor(config: FrictionGovernorConfig) -> Floor:
    """Return the state of a foot without any stance yet."""
    return Floor(
        holds=config.assumed_friction,
        known=False,
        silent=math.inf,
        usable=0.0,
        ratios=np.zeros(RATIO_BINS),
        slid=False,
        travelled=(0.0, 0.0),
    )


def floor_step(
    floor: Floor,
    load: FootLoad,
    command: tuple[float, float],
    config: FrictionGovernorConfig,
    dt: float,
) -> tuple[Floor, StanceRatio | None]:
    """Update a foot's floor by one sample under a passed ``command``.

    The stance that has just ended is returned.
    """
    if not load.load_share >= config.loaded:  # true for NaN
        return _unloaded(floor, config, dt)
    estimate = load.estimate
    bound = estimate.mu_q05 if estimate.usable else math.nan
    usable = floor.usable + dt if math.isfinite(bound) else 0.0
    ratios = floor.ratios
    (way, angle) = floor.travelled
    if math.isfinite(load.force_ratio):
        ratios = ratios.copy()
        ratios[min(int(load.force_ratio / BIN_WIDTH), RATIO_BINS - 1)] += dt
        way = way + command[0] * dt
        angle = angle + command[1] * dt
    holds = floor.holds
    known = floor.known
    if usable > 0.0 and usable >= config.settled:
        holds = bound
        known = True
    silent = floor.silent + dt if math.isnan(estimate.force_ratio) else 0.0
    heard = floor._replace(
        holds=holds,
        known=known,
        silent=silent,
        usable=usable,
        ratios=ratios,
        slid=floor.slid or estimate.slipping,
        travelled=(way, angle),
    )
    return _forgetting(heard, config), None


def _unloaded(
    floor: Floor, config: FrictionGovernorConfig, dt: float
) -> tuple[Floor, StanceRatio | None]:
    """Handle a foot in the air.

    Its floor has held what the stance required, or it has slid at that.
    """
    time = float(floor.ratios.sum())
    rested = floor._replace(silent=floor.silent + dt)
    if time == 0.0:
        return _forgetting(rested, config), None
    ratio = quantile(floor.ratios, config.quantile)
    stance = StanceRatio(
        ratio, floor.slid, floor.travelled[0] / time, floor.travelled[1] / time
    )
    fresh = rested._replace(
        usable=0.0, ratios=np.zeros(RATIO_BINS), slid=False, travelled=(0.0, 0.0)
    )
    if floor.usable == 0.0 and floor.silent < config.timeout:
        held = ratio * (1.0 if floor.slid else config.exploration_factor)
        fresh = fresh._replace(
            holds=max(floor.holds, held), known=floor.known and floor.holds >= held
        )
    return _forgetting(fresh, config), stance


def _forgetting(floor: Floor, config: FrictionGovernorConfig) -> Floor:
    """Forget the floor after a long silence.

    It counts as unknown, and no better than it was.
    """
    if floor.silent < config.timeout:
        return floor
    return floor._replace(holds=min(floor.holds, config.assumed_friction), known=False)


def quantile(ratios: Array, share: float) -> float:
    """Return the upper edge of a bin of a histogram.

    It is the bin in which a share of the histogram's time is reached.
    """
    reached = np.cumsum(ratios)
    return BIN_WIDTH * (int(np.searchsorted(reached, share * reached[-1])) + 1)


class Twist(NamedTuple):
    """Velocity command in the robot's frame."""

    forward: float  # [m/s]
    left: float  # [m/s]
    turn: float  # [rad/s]

    def scaled(self, share: float) -> Twist:
        """Scale the command in the same direction."""
        return Twist(share * self.forward, share * self.left, share * self.turn)

    @property
    def speed(self) -> float:
        """Return the speed over the floor [m/s]."""
        return math.hypot(self.forward, self.left)

    @property
    def pace(self) -> float:
        """Return the larger of speed [m/s] and rate of turning [rad/s].

        Its change is bounded.
        """
        return max(self.speed, abs(self.turn))


STILL_TWIST = Twist(0.0, 0.0, 0.0)
COMMAND_JUDGE = Judge(COMMAND, "command")


class Reason(Enum):
    """Reason why a command is scaled down."""

    NONE = "passes"
    NO_NUMBER = "the command is no number, or none that anything walks"
    UNKNOWN = "the floor is not known yet"
    SLIPPERY = "the floor holds too little"
    NOT_EVEN_STANDING = "the floor holds less than stepping in place requires"


class GovernorAnswer(NamedTuple):
    """Command that is passed on, and the reason."""

    twist: Twist
    reason: Reason
    required_ratio: float  # of the whole command
    holds: float  # ratio that the floor is taken to hold, of the worse foot
    foot: int  # the worse one
    known: bool  # whether an estimate says so

    @property
    def sentence(self) -> str:
        """Describe the passed command and the reason in one sentence."""
        if self.reason in (Reason.NONE, Reason.NO_NUMBER):
            return self.reason.value
        word = "is known to hold" if self.known else "is taken to hold"
        return (
            f"{self.reason.value}: under the {FEET[self.foot]} foot it {word} "
            f"{self.holds:.2f}, "
            f"the command requires {self.required_ratio:.2f}; {self.twist.speed:.2f} "
            "m/s go through"
        )


class GovernorState(NamedTuple):
    """State of a governor."""

    floors: tuple[Floor, Floor]
    required: CommandFriction
    twist: Twist  # that went through last
    limited: bool  # less than was commanded


def first_state(config: FrictionGovernorConfig) -> GovernorState:
    """Return the state before the first sample."""
    floor = unknown_floor(config)
    return GovernorState(
        (floor, floor), first_required(config.required), STILL_TWIST, False
    )


def governor_step(
    state: GovernorState,
    command: Twist,
    feet: tuple[FootLoad, FootLoad],
    config: FrictionGovernorConfig,
    dt: float,
) -> tuple[GovernorState, GovernorAnswer]:
    """Step the governor: the passed part of a command, dt [s] after the sample before.

    Never more than the command; its direction stays. Where the floor holds less than
    was let through, speed falls with the configured deceleration, down to ``keep`` at
    most; a command that itself falls goes through at once.
    """
    floors = []
    required = state.required
    for floor, load in zip(state.floors, feet, strict=True):
        after, stance = floor_step(
            floor, load, (state.twist.speed, abs(state.twist.turn)), config, dt
        )
        floors.append(after)
        if stance is not None:
            required = updated(
                required,
                config.required,
                stance.speed,
                stance.turn,
                stance.ratio,
                stance.slid,
            )
    foot = 0 if floors[0].holds <= floors[1].holds else 1
    holds = floors[foot].holds
    known = floors[foot].known
    finite = COMMAND_JUDGE.problem(command) is None
    wanted = command if finite else STILL_TWIST
    budget = config.tolerance * holds
    pace = pace_within(
        state, share_within(budget, required, wanted), wanted, config, dt
    )
    twist = wanted if pace >= wanted.pace else wanted.scaled(pace / wanted.pace)
    reason = _reason(twist != wanted, finite, known, budget < required.coefficients[0])
    later = GovernorState((floors[0], floors[1]), required, twist, twist != wanted)
    return later, GovernorAnswer(
        twist=twist,
        reason=reason,
        required_ratio=required_ratio(required, wanted.speed, wanted.turn),
        holds=holds,
        foot=foot,
        known=known,
    )


def pace_within(
    state: GovernorState,
    share: float,
    command: Twist,
    config: FrictionGovernorConfig,
    dt: float,
) -> float:
    """Limit the pace of a command of which the floor holds a share.

    The pace falls and rises no faster than configured.
    """
    allowed = max(share * command.pace, min(config.minimum_speed, command.pace))
    before = state.twist.pace
    if allowed < before:
        return min(max(allowed, before - config.deceleration * dt), command.pace)
    return min(allowed, before + config.acceleration * dt) if state.limited else allowed


def share_within(budget: float, required: CommandFriction, command: Twist) -> float:
    """Compute the largest share of a command that requires no more than a ratio."""
    rest = float(required.coefficients[0])
    need = required_ratio(required, command.speed, command.turn)
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
    """Governor that holds the state of :func:`governor_step`."""

    def __init__(self, config: FrictionGovernorConfig | None = None) -> None:
        self.config = FrictionGovernorConfig() if config is None else config
        self.reset()

    def reset(self) -> None:
        """Reset to the state before the first sample.

        What was learnt of the controller is forgotten, too.
        """
        self.state = first_state(self.config)

    def step(
        self, command: Twist, feet: tuple[FootLoad, FootLoad], dt: float
    ) -> GovernorAnswer:
        """Return the passed part of a command, dt [s] after the sample before."""
        self.state, answer = governor_step(self.state, command, feet, self.config, dt)
        return answer

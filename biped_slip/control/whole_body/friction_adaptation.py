# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Adaptation of the walk to the floor: what is believed of it, and what that allows.

The next foot meets a floor whose friction ``mu`` is known to lie above ``low`` with the
estimate's confidence. A planned gait may require a ratio ``r`` of it where the chance
that it asks more than the floor holds stays below the risk: ``mu - climb - r >=
sqrt((mu - low)^2 + (z e r)^2)``, with the gait's own tracking error ``e`` and the
quantile ``z`` of the risk (docs/step_program.md). Solved for ``r`` it bounds the speed
(:func:`allowed_walk`); the table of gait patterns says which steps walk that speed
(:func:`cautious_gait`).
"""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import NamedTuple

from biped_slip.compile.arrays import Array
from biped_slip.compile.kernel import kernel
from biped_slip.config import Configuration, configuration, parameter
from biped_slip.constants import GRAVITY
from biped_slip.control.whole_body.footsteps import (
    STAND,
    TRANSFER,
    Command,
    FootstepConfig,
    Gait,
    SteppingState,
    zmp_now,
)
from biped_slip.control.whole_body.gait_patterns import (
    DOUBLE,
    LARGEST_TRUSTED_MU,
    RATIO,
    ROLL,
    SINGLE,
    Pattern,
    Patterns,
    WorstFloor,
)
from biped_slip.control.whole_body.sensed import Sensed
from biped_slip.control.whole_body.setup import Setup
from biped_slip.errors import InvalidParameter

STOPPED = 1e-3  # [m/s] slower is no walk
LEVEL_BEND = 0.01  # of a slope: less is no bend
ASSUMED_TRACKING = 0.2  # of the tracking's share before it is measured (choice)
WORST_ERROR = 0.5  # no more of it is believed (choice)


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

    @property
    def worst_floor(self) -> WorstFloor:
        """Return the floor on which a walk must be able to stop."""
        return WorstFloor(self.worst, self.reaction)


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
        error=ASSUMED_TRACKING * ASSUMED_TRACKING,
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


@kernel
def expected_floor(
    belief: FloorBelief,
    steps: SteppingState,
    required: float,
    centre: Array,
    sensed: Sensed,
    setup: Setup,
    dt: float,
) -> FloorBelief:
    """Predict the next floor: the preview, or the one that carries now.

    In a transfer it only falls.

    Args:
        belief: of the tick before.
        steps: phase of the feet.
        required: friction that the gait under way requires.
        centre: of mass (3,) [m].
        sensed: of this tick.
        setup: of the walk.
        dt: tick [s].
    """
    if steps.phase == STAND:
        worse = 0 if sensed.limits[0] < sensed.limits[1] else 1
        return expect(belief, sensed.friction[worse], sensed.limits[worse], False)
    stance = 1 - steps.swing
    mu = sensed.friction[stance]
    low = sensed.limits[stance]
    if not sensed.known[stance]:  # a default says nothing, but what the foot has held
        low = min(low, max(belief.low, sensed.certain[stance]))
        mu = low
    if steps.phase == TRANSFER:
        return (
            expect(belief, mu, low, belief.seen)
            if sensed.own_floor[stance] and low < belief.low
            else belief
        )
    away = centre[:2] - zmp_now(steps)
    force = sensed.force[stance]
    measured = math.hypot(force[0], force[1]) / max(force[2], 1.0)
    planned = math.hypot(away[0], away[1]) / setup.height
    belief = tracked(
        belief, measured, planned, required, setup.config.adaptation.memory, dt
    )
    if sensed.preview[1] < math.inf:
        return expect(belief, sensed.preview[0], sensed.preview[1], True)
    return expect(belief, mu, low, False)


@kernel
def allowed_ratio(belief: FloorBelief, climb: float, z: float) -> float:
    """Return the largest required friction that a planned gait may have.

    It is the chance constraint solved for r.

    ``z`` is the quantile; ``climb`` the tangent of the slope.
    """
    mu = min(belief.mu, LARGEST_TRUSTED_MU)
    low = min(belief.low, LARGEST_TRUSTED_MU)
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
def allowed_walk(
    command: Command, belief: FloorBelief, climb: float, setup: Setup
) -> tuple[Command, float]:
    """Limit the command to what the floor allows.

    Also the required friction up to which steps may be quicker than need be: none on
    slopes and bends. On bends a swing goes further than on level floors: its hip needs
    the time.
    """
    held = allowed_ratio(belief, climb, setup.quantile)
    allowed = allowed_command(command, belief, held, setup.patterns, climb)
    bend = setup.quantile * math.sqrt(belief.bend)
    if bend >= LEVEL_BEND and setup.flat:
        allowed = slowed_by_bends(
            allowed,
            bend,
            setup.patterns,
            setup.omega,
            setup.half_size[0],
            setup.config.stepping.sinking_speed,
        )
    if climb > 0.0 or bend >= LEVEL_BEND:
        held = 0.0
    return allowed, held


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
        limits[0] if carrying[0] else LARGEST_TRUSTED_MU,
        limits[1] if carrying[1] else LARGEST_TRUSTED_MU,
        LARGEST_TRUSTED_MU,
    )
    return min(acceleration, GRAVITY * under * z * math.sqrt(belief.error))


@kernel
def follow(
    now: Command, wanted: Command, acceleration: float, turning: float, dt: float
) -> Command:
    """Follow the commanded velocity with bounded acceleration [m/s^2], [rad/s^2].

    A pose is followed at once.
    """
    change = acceleration * dt
    turn = turning * dt
    return Command(
        forward=now.forward + min(max(wanted.forward - now.forward, -change), change),
        left=now.left + min(max(wanted.left - now.left, -change), change),
        turn=now.turn + min(max(wanted.turn - now.turn, -turn), turn),
        shift=wanted.shift,
        lean=wanted.lean,
    )


@kernel
def taken_up(
    command: Command,
    allowed: Command,
    belief: FloorBelief,
    carrying: tuple[bool, bool],
    limits: tuple[float, float],
    setup: Setup,
    dt: float,
) -> Command:
    """Take the allowed command up, as fast as the feet that carry hold it.

    Args:
        command: as far as it has been taken up.
        allowed: to follow.
        belief: about the floor.
        carrying: feet on the floor.
        limits: on their force ratios.
        setup: of the walk.
        dt: tick [s].
    """
    config = setup.config
    change = change_of_speed(
        config.acceleration, belief, carrying, limits, setup.quantile
    )
    return follow(command, allowed, change, config.turn_acceleration, dt)


@kernel
def is_still(command: Command) -> bool:
    """Return whether no step is commanded."""
    return command.forward == 0.0 and command.left == 0.0 and command.turn == 0.0


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
    own_floor: tuple[bool, bool],
    certain: tuple[float, float],
    belief: FloorBelief,
) -> tuple[float, float]:
    """Choose the limits of the forces: each foot's own, else the last floor's.

    The last floor's limit is raised to demonstrated friction.
    """
    left = limits[0] if own_floor[0] else min(limits[0], max(belief.low, certain[0]))
    right = limits[1] if own_floor[1] else min(limits[1], max(belief.low, certain[1]))
    return left, right

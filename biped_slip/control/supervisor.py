# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Between a controller and the joints: actuation, supervisor, a tick's time.

The supervisor has torque limits, damping, and a safe stop.
"""

from __future__ import annotations

import math
from enum import IntEnum
from typing import Any, NamedTuple, Sequence

import numpy as np

from biped_slip.compile.arrays import Array, all_finite, copy_vector
from biped_slip.compile.kernel import kernel
from biped_slip.config import Configuration, configuration, parameter
from biped_slip.constants import GRAVITY
from biped_slip.estimation.readings import Problem, whole_periods

# Actuation of the joints: torques that act late, and friction that takes part of them.
#
# A motor's torque follows its command with a lag ``T``. Wanted torques are led by the
# inverse of that, down to one control period: ``u = t + (w - t) (1 - e^-1) / (1 -
# e^(-dt/T))``, with ``t`` as it acts by the same model. For what is left of the delay,
# the dead time before it and the age of sensors, coordinates are predicted at their
# present rates.
#
# Joint friction changes the force under a foot by friction over lever: with 2 % of its
# largest torques in each joint, TALOS pushes along the floor with up to 20 N that no
# plan knows of, a fifth of what a floor of 0.1 holds. The force/ torque sensors see it.
# The generalized forces that the model does not explain, ``d = M dv/dt + h - tau - J^T
# w``, with the torques ``tau`` as they act and the wrenches ``w`` of the floor on the
# soles, pass a filter of first order and are taken out of the joints' torques, as far
# as friction can be their cause (disturbance observer, [Ohnishi1996]).

# [Hz] of the friction's estimate: it turns with each step, noise of joint speeds stays
# out (choice)
BANDWIDTH = 10.0
# [s] in which a torque may build up by twice its limit; walking without lead needs 40 %
REVERSAL_TIME = 0.004
ONE_PERIOD = 1.0 - math.exp(
    -1.0
)  # of a change that a lag of one period lets through in one


@configuration
class ActuationConfig(Configuration):
    """Response of joints to torque commands.

    It is taken from the data sheets of motors and gears.
    """

    lag: float = parameter(
        0.0,
        unit="s",
        low=0.0,
        high=0.1,
        doc="time constant of the torque behind its command",
    )
    dead_time: float = parameter(
        0.0, unit="s", low=0.0, high=0.05, doc="before a command begins to act"
    )
    sensor_age: float = parameter(
        0.0, unit="s", low=0.0, high=0.05, doc="of joints and base when they are read"
    )
    friction: float = parameter(
        0.0,
        low=0.0,
        high=0.5,
        doc="of a joint's largest torque that its friction may take; 0: it is not "
        "compensated",
    )


@kernel
def delay(lag: float, dead_time: float, sensor_age: float, dt: float) -> float:
    """Compute the time from reading to acting torques [s].

    It is the sum of age, dead time, and the period ``dt`` of the remaining lag.
    """
    return sensor_age + dead_time + (dt if lag > 0.0 else 0.0)


@kernel
def limited_torques(
    previous: Array, wanted: Array, limits: Array, step: float
) -> Array:
    """Limit wanted torques (n,) to their limits.

    They are also limited to ``step`` limits from the previous ones.

    A torque may drop to zero at once; only building up takes time.
    """
    allowed = np.empty_like(wanted)
    for i in range(wanted.shape[0]):
        target = min(max(wanted[i], -limits[i]), limits[i])
        start = previous[i] if previous[i] * target > 0.0 else 0.0
        change = step * limits[i]
        allowed[i] = min(max(target, start - change), start + change)
    return allowed


class Driven(NamedTuple):
    """State of the motors between two ticks."""

    torque: Array  # (n,) as it acts, but for the dead time [N m]
    command: Array  # (n,) the last [N m]


@kernel
def led(state: Driven, wanted: Array, largest: Array, lag: float, dt: float) -> Driven:
    """Compute commands that make torques act within a period, and predict their effect.

    A lead builds up as fast as the supervisor lets it, so that the supervisor changes
    no command.

    Args:
        state: of the tick before.
        wanted: (n,) [N m].
        largest: (n,) torques of the motors [N m].
        lag: time constant [s]; 0: commands act at once.
        dt: control period [s].
    """
    if lag <= 0.0 or dt <= 0.0:
        return Driven(wanted.copy(), wanted.copy())
    taken = 1.0 - math.exp(-dt / lag)
    lead = max(ONE_PERIOD / taken, 1.0)
    led_torques = state.torque + lead * (wanted - state.torque)
    command = limited_torques(
        state.command, led_torques, largest, 2.0 * dt / REVERSAL_TIME
    )
    return Driven(state.torque + taken * (command - state.torque), command)


class Motors:
    """Compensation of the motors' lag and dead time, with its memory.

    It is for a robot's joints.

    Args:
        config: of the motors.
        largest: (n,) torques [N m].
    """

    def __init__(self, config: ActuationConfig, largest: Array) -> None:
        self._config = config
        self._largest = largest
        self.reset()

    def reset(self) -> None:
        """Forget all commands."""
        self._driven: list[Driven] = []

    @property
    def acting(self) -> Array | None:
        """Return torques (n,) that act now [N m]; None before the first command."""
        return self._driven[0].torque if self._driven else None

    def command(self, wanted: Array, dt: float) -> Array:
        """Compute the command (n,) for desired torques (n,) [N m].

        It is ``dt`` [s] after the last.
        """
        before = (
            self._driven[-1] if self._driven else Driven(wanted, np.zeros_like(wanted))
        )
        driven = led(before, wanted, self._largest, self._config.lag, dt)
        waiting = whole_periods(self._config.dead_time, dt) if dt > 0.0 else 0
        self._driven = [*self._driven[-waiting:], driven] if waiting else [driven]
        return driven.command


class FrictionState(NamedTuple):
    """Memory of the estimate of joint friction."""

    velocity: Array  # (nv,) of the tick before
    friction: Array  # (n,) torques that the model does not explain [N m]


@kernel
def friction_step(
    state: FrictionState,
    velocity: Array,
    torque: Array,
    mass_matrix: Array,
    model_force: Array,
    largest: Array,
    dt: float,
) -> FrictionState:
    """Update the estimate of joint friction by one tick.

    Args:
        state: of the tick before.
        velocity: (nv,) now.
        torque: (n,) as it acts [N m].
        mass_matrix: (nv, nv) of the model.
        model_force: (nv,) ``h - J^T w``: bias of the dynamics less the floor's forces
            [N, N m].
        largest: (n,) friction of the joints [N m].
        dt: since the tick before [s].
    """
    change = (velocity - state.velocity) / dt
    n = torque.shape[0]
    share = 1.0 - math.exp(-math.tau * BANDWIDTH * dt)
    first = velocity.shape[0] - torque.shape[0]
    friction = np.empty(torque.shape[0])
    for j in range(n):
        unexplained = model_force[first + j] - torque[j]
        for k in range(change.shape[0]):
            unexplained += mass_matrix[first + j, k] * change[k]
        found = state.friction[j] + share * (unexplained - state.friction[j])
        friction[j] = min(max(found, -largest[j]), largest[j])
    return FrictionState(velocity.copy(), friction)


BEYOND = 1e-4  # share of a limit by which a solver may miss it (measured: 4e-6)


@kernel
def damping_torques(velocity: Array, damping: float) -> Array:
    """Compute torques (n,) against the joints' motion [N m].

    They take power out of every joint.
    """
    return -damping * velocity


@kernel
def all_within(values: Array, limits: Array) -> bool:
    """Return whether every value (n,) is finite and within its limit."""
    for i in range(values.shape[0]):
        if not abs(values[i]) <= limits[i]:
            return False
    return True


@kernel
def joint_beyond_limit(wanted: Array, limits: Array) -> int:
    """Find the first joint that wants more than its limit; −1: none.

    For what is not finite it is n + index.

    A controller that optimises inside the limits may hold a joint at its limit: it gets
    what it wants.
    """
    n = wanted.shape[0]
    for i in range(n):
        if not np.isfinite(wanted[i]):
            return n + i
    for i in range(n):
        if abs(wanted[i]) > (1.0 + BEYOND) * limits[i]:
            return i
    return -1


# times weight and sqrt(g h): 136 W for the biped with a torso, where landings take 127;
# TALOS needs 0.09
POWER = 1.3
# [s] in which work is forgotten, as in a mean over 50 ms: an impact is over, no fall
# has begun
POWER_TIME = 0.025
# share of that power that is denied after as much trouble as the grace; walking needs
# the rest
TROUBLED = 0.3


@kernel
def driven_energy(energy: Array, torques: Array, turned: Array, dt: float) -> Array:
    """Sum the work (n,) [J] that torques (n,) [N m] have lately put into the joints.

    It is forgotten within ``POWER_TIME``.

    It needs no diagnosis, and no more than one sound account of the joints' motion:
    ``turned`` (2, n) is what they have turned since the last tick, by their positions
    and by their velocities [rad]; the one that means more work counts.
    """
    # of a long tick its mean power
    kept = max(0.0, 1.0 - dt / POWER_TIME)
    counted = POWER_TIME / max(dt, POWER_TIME)
    after = np.empty_like(energy)
    for i in range(energy.shape[0]):
        work = max(torques[i] * turned[0, i], torques[i] * turned[1, i])
        after[i] = kept * energy[i] + (counted * work if np.isfinite(work) else 0.0)
    return after


@kernel
def turned(
    position: Array, last: Array, velocity: Array, limits: Array, dt: float
) -> Array:
    """Compute the joints' rotation in a tick, within speed limits.

    It is that by positions and that by velocities (2, n) [rad].
    """
    turn = np.empty((2, position.shape[0]))
    for i in range(position.shape[0]):
        turn[0, i], turn[1, i] = position[i] - last[i], velocity[i] * dt
        for k in range(2):  # a spoilt number is no motion, one that is none stays so
            if abs(turn[k, i]) > limits[i] * dt:
                turn[k, i] = math.copysign(limits[i] * dt, turn[k, i])
    return turn


# Joint velocities that may be damped: those that measured velocities and differences of
# positions agree upon. One with the wrong sign turns damping into a drive: whichever
# sensor is wrong, no joint is driven by the other's account.

# [s] over which positions are differenced: 2 ms of lag, and steps of an encoder don't
# count (choice)
WINDOW = 4e-3
# readings at most: with periods below a quarter of a millisecond the window is shorter
# (choice)
KEPT = 16


def no_past(joints: int) -> tuple[Array, Array]:
    """Allocate ages of the last readings (KEPT,) [s], and positions (KEPT, n) [rad].

    The newest comes first; an age of inf means none.
    """
    return np.full(KEPT, math.inf), np.zeros((KEPT, joints))


@kernel
def joint_motion(
    age: Array,
    past: Array,
    position: Array,
    velocity: Array,
    limits: Array,
    doubted: Array,
    known: bool,
    dt: float,
) -> tuple[Array, Array]:
    """Return the joints' rotation since the last reading (2, n) [rad].

    Velocities (n,) that may be damped [rad/s] are returned with it.

    The rotation is that by positions and that by velocities. A velocity may be damped
    where the measured and the differenced one and the last move agree; it is the slower
    one, and 0 of a ``doubted`` joint (n,), which is 1 there. NaN is what is not known:
    before the second reading, and after one that is not ``known``, not finite or beyond
    the speed ``limits`` (n,) [rad/s]. The past is brought up to date in place;
    ``position`` (n,) [rad] and ``velocity`` (n,) [rad/s] are measured, ``dt`` [s] after
    the last.
    """
    n = position.shape[0]
    kept = 0
    while kept < KEPT and age[kept] < math.inf:
        kept += 1
    rotation = np.full((2, n), math.nan)
    agreed = np.full(n, math.nan)
    if known and kept > 0:
        rotation = turned(position, past[0], velocity, limits, dt)
    if not (known and all_within(velocity, limits) and all_finite(position)):
        age[:] = math.inf
        return rotation, agreed
    if kept > 0 and age[kept - 1] + dt > 0.0:
        for i in range(n):
            differenced = (position[i] - past[kept - 1, i]) / (age[kept - 1] + dt)
            one_way = velocity[i] * differenced > 0.0
            goes_on = velocity[i] * (position[i] - past[0, i]) >= 0.0
            slower = math.copysign(min(abs(velocity[i]), abs(differenced)), velocity[i])
            agreed[i] = slower * (1.0 - doubted[i]) if one_way and goes_on else 0.0
    for k in range(min(kept, KEPT - 1), 0, -1):
        copy_vector(past[k - 1], past[k], 0)
        age[k] = age[k - 1] + dt if age[k - 1] + dt < WINDOW - 0.5 * dt else math.inf
    copy_vector(position, past[0], 0)
    age[0] = 0.0
    return rotation, agreed


# Whatever is wrong, the joints are damped at once and then let go. A problem that
# passes within the grace is survived; a longer or a severe one is a fault, which stays
# until a recovery.


class Mode(IntEnum):
    """Mode of the supervisor, which decides the torques of the joints."""

    IDLE = 0  # zero torque
    STANDING = 1  # the controller, on both feet without a command to move
    WALKING = 2  # the controller
    # the damping, because of a problem that may pass or because a stop was asked for
    SAFE_STOP = 3
    FAULT = 4  # the damping, then zero torque, until a recovery


_LONG: Any = {"unit": "s", "above": 0.0, "high": 10.0}
_LOWER: Any = {"safe_direction": "lower"}


@configuration
class SupervisorConfig(Configuration):
    """Supervisor configuration: torque rates, damping, grace and power limits."""

    damping: float = parameter(
        1.0, unit="N m s/rad", low=0.0, high=1e3, doc="of every joint in a safe stop"
    )
    damping_time: float = parameter(
        0.3, doc="over which the damping fades to zero torque", **_LONG
    )
    grace: float = parameter(
        0.05,
        unit="s",
        low=0.0,
        high=1.0,
        **_LOWER,
        doc="a problem that is over within this time makes no fault; good time "
        "forgives a tenth of itself",
    )
    reversal_time: float = parameter(
        REVERSAL_TIME,
        unit="s",
        above=0.0,
        high=1.0,
        doc="in which a torque may build up by twice its limit; controllers keep the "
        "default themselves",
    )
    limit_time: float = parameter(
        0.1,
        doc="a torque that wants more than its limit for longer is a fault",
        **_LONG,
        **_LOWER,
    )
    ridden_stall: float = parameter(
        0.02,
        unit="s",
        low=0.0,
        high=10.0,
        **_LOWER,
        doc="the process stands still, or stamps run ahead of the clock: longer is a "
        "safe stop, shorter only counted",
    )
    longest_stall: float = parameter(
        0.05,
        unit="s",
        low=0.0,
        high=10.0,
        doc="the same for as long or longer is a fault at once",
        **_LOWER,
    )
    clock_rate: float = parameter(
        0.5,
        above=0.0,
        high=100.0,
        **_LOWER,
        doc="share by which stamps may run faster or slower than the steady clock "
        "over half a second",
    )


FORGIVENESS = 0.1  # share of good time that is taken off the time in trouble


class SupervisorState(NamedTuple):
    """State of a supervisor."""

    mode: Mode
    problem: Problem | None  # of the safe stop or fault
    stopped: float  # [s] since the damping began
    troubled: float  # [s] with a problem, less what has been forgiven
    at_limit: float  # [s] since a torque has wanted its limit
    asked: bool  # the safe stop was asked for and ends idle
    torques: Array  # (n,) last answer [N m]
    energy: Array  # (n,) see ``driven_energy`` [J]


class TickInput(NamedTuple):
    """Torques asked for in one control tick, with joint motion and problem."""

    torques: Array | None  # (n,) wanted [N m]; None: the controller has no answer
    velocity: Array | None  # (n,) of the joints now [rad/s]; None: not known
    moving: bool  # commanded to move, or in a step
    problem: Problem | None
    turned: Array | None = (
        # (2, n) since the last tick, by positions and by velocities [rad]; None: not
        # known
        None
    )


class TorqueLimits(NamedTuple):
    """Torque limits of the joints."""

    joints: Sequence[str]
    torques: Array  # (n,) [N m]
    power: float = math.inf  # of one joint, mean over twice ``POWER_TIME`` [W]


def power_limit(weight: float, height: float) -> float:
    """Compute the mean power [W] over 50 ms that no joint needs.

    It follows from the weight [N] and the hip's height [m].
    """
    return POWER * weight * math.sqrt(GRAVITY * height)


def idle(joints: int) -> SupervisorState:
    """Return the state without control of the joints."""
    return SupervisorState(
        mode=Mode.IDLE,
        problem=None,
        stopped=0.0,
        troubled=0.0,
        at_limit=0.0,
        asked=False,
        torques=np.zeros(joints),
        energy=np.zeros(joints),
    )


def started(state: SupervisorState) -> SupervisorState:
    """Start passing the controller's torques, also after a fault."""
    return idle(state.torques.shape[0])._replace(mode=Mode.STANDING)


def asked_to_stop(state: SupervisorState) -> SupervisorState:
    """Stop the controller: joints are damped, then released; a fault stays a fault."""
    if state.mode in (Mode.IDLE, Mode.FAULT):
        return state
    stopped = state.stopped if state.mode == Mode.SAFE_STOP else 0.0
    return state._replace(mode=Mode.SAFE_STOP, stopped=stopped, asked=True)


UNTURNED = np.zeros((2, 0))  # rotation that is not known


Answer = tuple[
    Array, int, int, Array
]  # energies (n,), joint of the largest, joint beyond its limit, torques (n,)


@kernel
def answer_to(
    energy: Array,
    torques: Array,
    turned: Array,
    wanted: Array,
    limits: Array,
    step: float,
    dt: float,
) -> Answer:
    """Compute an answer after ``torques`` (n,), as the kernels above.

    UNTURNED leaves the energy as it is.
    """
    after = (
        driven_energy(energy, torques, turned, dt) if turned.shape[1] > 0 else energy
    )
    beyond = joint_beyond_limit(wanted, limits)
    limited = limited_torques(torques, wanted, limits, step)
    return after, int(after.argmax()), beyond, limited


def torque_change(build_up: float, config: SupervisorConfig) -> float:
    """Return the share of their limits by which torques may change.

    This is while they build up for a time [s].
    """
    return 2.0 * build_up / config.reversal_time


def supervise(
    state: SupervisorState,
    inputs: TickInput,
    limits: TorqueLimits,
    config: SupervisorConfig,
    dt: float,
    build_up: float | None = None,
    answer: Answer | None = None,
) -> tuple[SupervisorState, Array]:
    """Supervise one control tick, dt [s] after the last.

    The result is the next state and the torques (n,), always finite.

    ``build_up`` is the time over which torques may build up [s]; without it dt. An
    ``answer`` is that to the inputs.
    """
    step = torque_change(dt if build_up is None else build_up, config)
    if answer is None:
        wanted = inputs.torques
        turned = UNTURNED if inputs.turned is None else inputs.turned
        if not isinstance(wanted, np.ndarray) or wanted.shape != limits.torques.shape:
            wanted = limits.torques  # a problem, below
        answer = answer_to(
            state.energy, state.torques, turned, wanted, limits.torques, step, dt
        )
    state = _next(state, inputs, answer, limits, config, dt)
    if state.mode not in (Mode.STANDING, Mode.WALKING):
        state = state._replace(torques=_damping(state, inputs, limits, config, step))
    return state, state.torques


def _next(
    state: SupervisorState,
    inputs: TickInput,
    answer: Answer,
    limits: TorqueLimits,
    config: SupervisorConfig,
    dt: float,
) -> SupervisorState:
    energy, _, _, torques = answer
    if state.mode == Mode.IDLE:
        return state._replace(energy=energy)
    if state.mode == Mode.FAULT:
        return state._replace(stopped=state.stopped + dt, energy=energy)
    if state.asked:
        over = inputs.velocity is None or state.stopped + dt >= config.damping_time
        return (
            idle(len(limits.joints))
            if over
            else state._replace(stopped=state.stopped + dt, energy=energy)
        )
    problem, at_limit = _problem(state, inputs, answer, limits, config, dt)
    if problem is None:
        mode = Mode.WALKING if inputs.moving else Mode.STANDING
        troubled = max(state.troubled - FORGIVENESS * dt, 0.0)
        return SupervisorState(
            mode=mode,
            problem=None,
            stopped=0.0,
            troubled=troubled,
            at_limit=at_limit,
            asked=False,
            torques=torques,
            energy=energy,
        )
    troubled = state.troubled + dt
    mode = Mode.FAULT if problem.severe or troubled > config.grace else Mode.SAFE_STOP
    stopped = state.stopped + dt if state.mode == Mode.SAFE_STOP else 0.0
    return SupervisorState(
        mode=mode,
        problem=problem,
        stopped=stopped,
        troubled=troubled,
        at_limit=at_limit,
        asked=False,
        torques=state.torques,
        energy=energy,
    )


def _problem(
    state: SupervisorState,
    inputs: TickInput,
    answer: Answer,
    limits: TorqueLimits,
    config: SupervisorConfig,
    dt: float,
) -> tuple[Problem | None, float]:
    """Name the problem, and for how long a torque has wanted its limit [s]."""
    energy, hottest, joint, _ = answer
    trouble = min(state.troubled / config.grace, 1.0) if config.grace > 0.0 else 0.0
    most = limits.power * (1.0 - TROUBLED * trouble)
    if energy[hottest] > most * POWER_TIME:
        what = (
            f"{limits.joints[hottest]} is driven with more than {most:.0f} W for "
            f"{2e3 * POWER_TIME:g} ms"
        )
        return Problem("joint power", what, severe=True), 0.0
    if inputs.problem is not None:
        return inputs.problem, 0.0
    if inputs.torques is None:
        return Problem("no torques", "the controller has no answer"), 0.0
    if inputs.torques.shape != limits.torques.shape:
        what = (
            f"the controller answers {inputs.torques.size} for "
            f"{len(limits.joints)} joints"
        )
        return Problem("no torques", what), 0.0
    if joint < 0:
        return None, 0.0
    if joint >= (n := len(limits.joints)):
        return Problem(
            "torque not finite",
            f"{limits.joints[joint - n]} is to get {inputs.torques[joint - n]}",
        ), 0.0
    at_limit = state.at_limit + dt
    if at_limit > config.limit_time:
        what = (
            f"{limits.joints[joint]} wants more than {limits.torques[joint]:g} N m "
            f"for {config.limit_time:g} s"
        )
        return Problem("torque limit", what, severe=True), at_limit
    return None, at_limit


def _damping(
    state: SupervisorState,
    inputs: TickInput,
    limits: TorqueLimits,
    config: SupervisorConfig,
    step: float,
) -> Array:
    fading = 1.0 - state.stopped / config.damping_time
    if (
        state.mode == Mode.IDLE
        or inputs.velocity is None
        or fading <= 0.0
        or not np.isfinite(inputs.velocity).all()
    ):
        return np.zeros(len(limits.joints))
    wanted = damping_torques(inputs.velocity, fading * config.damping)
    return limited_torques(state.torques, wanted, limits.torques, step)


class Supervisor:
    """Supervisor of one robot with its state.

    ``config`` may be replaced between two steps.
    """

    def __init__(self, limits: TorqueLimits, config: SupervisorConfig) -> None:
        self.limits = limits
        self.config = config
        self.state = idle(len(limits.joints))
        self._try_out()

    @property
    def resting(self) -> bool:
        """Return whether the joints have been released for good."""
        state = self.state
        return state.mode == Mode.IDLE or (
            state.mode == Mode.FAULT and state.stopped >= self.config.damping_time
        )

    def start(self) -> None:
        """Start passing the controller's torques, also after a fault."""
        self.state = started(self.state)

    def stop(self) -> None:
        """Damp the joints, then release them."""
        self.state = asked_to_stop(self.state)

    def step(
        self,
        inputs: TickInput,
        dt: float,
        build_up: float | None = None,
        answer: Answer | None = None,
    ) -> Array:
        """Compute torques to send (n,)."""
        self.state, torques = supervise(
            self.state, inputs, self.limits, self.config, dt, build_up, answer
        )
        return torques

    def _try_out(self) -> None:
        """Warm up with a tick that walks and one that damps.

        Both are compiled now, not while a robot stands on its joints.
        """
        still = np.zeros(len(self.limits.joints))
        standing = started(self.state)
        for problem in (None, Problem("trial", "is damped", severe=True)):
            inputs = TickInput(
                torques=still,
                velocity=still,
                moving=True,
                problem=problem,
                turned=np.zeros((2, len(still))),
            )
            supervise(standing, inputs, self.limits, self.config, 1e-3)


# How long a loop has stood still by itself: time in which it should have looked at its
# inputs and has not.


class OwnStall:
    """Accounting of a loop's stalls.

    It knows when the loop began to wait, for how long at most, and when it looked.

    What it spends otherwise, if that is more than it may take to work, is lost: the
    process was stopped or starved. An input can't be called silent for that time.
    """

    def __init__(self, tolerance: float) -> None:
        self.tolerance = (
            tolerance  # [s] between a look and the next wait, and of waking up
        )
        self.reset()

    def reset(self) -> None:
        """Reset to the state before the first answer, until which nothing is lost."""
        self._due: float | None = None
        self.lost = 0.0  # [s] in all since the last answer
        self.longest = 0.0  # [s] at once

    def waits(self, now: float, most: float) -> None:
        """Record that the loop begins to wait at a steady time [s].

        It waits for at most a time [s].
        """
        self._lose(now)
        self._due = None if self._due is None else now + most

    def looks(self, now: float) -> None:
        """Record that the loop looks at its inputs at a steady time [s]."""
        self._lose(now)
        self._due = None if self._due is None else now

    def answers(self, now: float) -> None:
        """Record that the loop answers an input at a steady time [s].

        The counts are reset.
        """
        self._due = now
        self.lost = 0.0
        self.longest = 0.0

    def _lose(self, now: float) -> None:
        if self._due is not None and now - self._due > self.tolerance:
            self.lost += now - self._due
            self.longest = max(self.longest, now - self._due)


# How much time a control tick stands for: by the stamps of the readings, and by the
# steady clock of the process.
#
# Stamps come from outside: a jump of theirs must not let torques build up at once. The
# steady clock goes on while the process stands still: a stall must not either. So
# torques build up over the smaller of both times, and never over more than two control
# periods a tick. In lockstep, and where a simulator gives the time, the stamps are the
# only time.

RATE_WINDOW = 0.5  # [s] over which both clocks are compared (choice)
# of building up in one tick: a late tick may catch up with one that was missed (choice)
MOST_PERIODS = 2.0


class Steady(NamedTuple):
    """Reading of the steady clock."""

    now: float  # [s]
    # [s] longest time since the last reading in which the process did not look for
    # input
    stall: float


class TimeState(NamedTuple):
    """Memory of the last reading."""

    stamp_ns: int | None = None
    now: float | None = None  # [s] steady clock
    unused: float = 0.0  # [s] of steady time in which torques did not build up
    stamped: float = (
        0.0  # [s] that the stamps have gone on since the clocks were last compared
    )
    lived: float = 0.0  # [s] that the steady clock has
    wrong_rate: Problem | None = None  # that the last comparison found


class TickTime(NamedTuple):
    """Time step of a tick, and its problem."""

    control: float  # [s] between the stamps; the period where they don't say
    build_up: float  # [s] over which torques may build up
    problem: Problem | None  # with the time


def tick_time(
    state: TimeState,
    stamp_ns: int,
    steady: Steady | None,
    period: float,
    longest: float,
    config: SupervisorConfig,
) -> tuple[TimeState, TickTime]:
    """Compute the time step of one reading.

    Args:
        state: after the reading before.
        stamp_ns: of the reading [ns].
        steady: steady clock; None: the stamps are the only time.
        period: of control [s].
        longest: time between readings of one walk [s]; the stamps of a longer one say
            nothing.
        config: bounds of stalls and of gaps between stamps.
    """
    between = period if state.stamp_ns is None else 1e-9 * (stamp_ns - state.stamp_ns)
    control = between if 0.0 < between < longest else period
    most = MOST_PERIODS * period
    if steady is None:
        ahead = control - period
        return TimeState(stamp_ns), TickTime(
            control, min(control, most), _time_problem(ahead, 0.0, config)
        )
    elapsed = period if state.now is None else max(0.0, steady.now - state.now)
    allowance = min(state.unused + elapsed, most)
    build_up = min(control, allowance)
    ahead = control - elapsed
    stall = 0.0 if state.now is None else steady.stall
    stamped = state.stamped + control
    lived = state.lived + elapsed
    wrong = state.wrong_rate
    if lived >= RATE_WINDOW:
        stamped, lived, wrong = 0.0, 0.0, _wrong_rate(stamped / lived, config)
    after = TimeState(
        stamp_ns=stamp_ns,
        now=steady.now,
        unused=allowance - build_up,
        stamped=stamped,
        lived=lived,
        wrong_rate=wrong,
    )
    return after, TickTime(
        control, build_up, _time_problem(ahead, stall, config) or wrong
    )


def _wrong_rate(rate: float, config: SupervisorConfig) -> Problem | None:
    """Report stamps whose rate differs from the steady clock's."""
    if abs(rate - 1.0) <= config.clock_rate:
        return None
    return Problem(
        "clock rate",
        f"the stamps run {rate:.2g} times as fast as the clock",
        severe=True,
    )


def _time_problem(
    ahead: float, stall: float, config: SupervisorConfig
) -> Problem | None:
    """Report a stall of this process [s], or stamps that ran ahead [s]."""
    if stall > config.ridden_stall:
        what = f"the process did not look at its inputs for {1e3 * stall:.0f} ms"
        return Problem("own stall", what, severe=stall >= config.longest_stall)
    if ahead > config.ridden_stall:
        what = f"the stamps ran ahead of the clock by {1e3 * ahead:.0f} ms"
        return Problem("stamp gap", what, severe=ahead >= config.longest_stall)
    return None


# Which control period a computer keeps up with: of what a tick took, from the instant
# at which it was due.

PERIODS = (
    1e-3,
    2e-3,
    4e-3,
)  # [s] that every robot can be controlled at, the shortest first
QUANTILE = 0.999  # of the ticks that must end within their period


class PeriodCheck(NamedTuple):
    """Measured computing time of a loop on this computer.

    The shortest period for the loop is kept with it.
    """

    what: str  # was measured
    usual: float  # [s] median of the ticks
    spent: float  # [s] quantile of the ticks
    possible: float | None  # [s] shortest period that is possible; None: none is

    def allows(self, period: float) -> bool:
        """Return whether a period [s] is long enough."""
        return self.spent <= period

    def __str__(self) -> str:
        spent = (
            f"{self.what} takes up to {1e3 * self.spent:.2f} ms (p99.9) on this "
            "computer"
        )
        if self.possible is None:
            return f"{spent}: no period up to {1e3 * PERIODS[-1]:g} ms is possible"
        return f"{spent}: a period of {1e3 * self.possible:g} ms is possible"


def period_check(what: str, spent: Array) -> PeriodCheck:
    """Choose the shortest possible period for ticks that took times (k,) [s]."""
    most = float(np.quantile(spent, QUANTILE, method="lower"))
    usual = float(np.median(spent))
    return PeriodCheck(
        what, usual, most, next((period for period in PERIODS if most <= period), None)
    )

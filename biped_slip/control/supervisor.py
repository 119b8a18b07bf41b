# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Supervisor between a controller and the joints: torque limits, damping, safe stop.

Whatever is wrong, the joints are damped at once and then let go. A problem that passes
within the grace is survived; a longer or a severe one is a fault, which stays until a
recovery::

    IDLE --start--> STANDING <--> WALKING
      ^                 |  ^
      |          problem|  |over within the grace
      |                 v  |
      +--stop------ SAFE_STOP --longer, severe--> FAULT --recovery--> STANDING

Every answer is finite, inside the torque limits and builds up no faster than them; no
joint is driven by more power than its robot needs.
"""

from __future__ import annotations

import math
from enum import IntEnum
from typing import Any, NamedTuple, Sequence

import numpy as np

from biped_slip.compile.array_kernels import all_finite, copy_vector
from biped_slip.compile.arrays import Array
from biped_slip.compile.kernel import kernel
from biped_slip.config import Configuration, configuration, parameter
from biped_slip.constants import GRAVITY
from biped_slip.control.actuation import REVERSAL_TIME, limited_torques
from biped_slip.estimation.readings import Problem

SOLVER_TOLERANCE = (
    1e-4  # share of a limit by which a solver may miss it (measured: 4e-6)
)


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
        if abs(wanted[i]) > (1.0 + SOLVER_TOLERANCE) * limits[i]:
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
        turn[0, i] = position[i] - last[i]
        turn[1, i] = velocity[i] * dt
        for k in range(2):  # a spoilt number is no motion, one that is none stays so
            if abs(turn[k, i]) > limits[i] * dt:
                turn[k, i] = math.copysign(limits[i] * dt, turn[k, i])
    return turn


# Joint velocities that may be damped: those that measured velocities and differences of
# positions agree upon. One with the wrong sign turns damping into a drive: whichever
# sensor is wrong, no joint is driven by the other's account.

# [s] over which positions are differenced: 2 ms of lag, and steps of an encoder don't
# count (choice)
TICK_WINDOW = 4e-3
# readings at most: with periods below a quarter of a millisecond the window is shorter
# (choice)
KEPT_TICKS = 16


def no_past(joints: int) -> tuple[Array, Array]:
    """Allocate the ages and positions of the last readings.

    Ages are (KEPT_TICKS,) [s], positions (KEPT_TICKS, n) [rad]. The newest comes
    first; an age of inf means none.
    """
    return np.full(KEPT_TICKS, math.inf), np.zeros((KEPT_TICKS, joints))


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
    while kept < KEPT_TICKS and age[kept] < math.inf:
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
    for k in range(min(kept, KEPT_TICKS - 1), 0, -1):
        copy_vector(past[k - 1], past[k], 0)
        age[k] = (
            age[k - 1] + dt if age[k - 1] + dt < TICK_WINDOW - 0.5 * dt else math.inf
        )
    copy_vector(position, past[0], 0)
    age[0] = 0.0
    return rotation, agreed


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
    stopping: bool  # the safe stop was asked for and ends idle
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
        stopping=False,
        torques=np.zeros(joints),
        energy=np.zeros(joints),
    )


def started(state: SupervisorState) -> SupervisorState:
    """Start passing the controller's torques, also after a fault."""
    return idle(state.torques.shape[0])._replace(mode=Mode.STANDING)


def stop_requested(state: SupervisorState) -> SupervisorState:
    """Stop the controller: joints are damped, then released; a fault stays a fault."""
    if state.mode in (Mode.IDLE, Mode.FAULT):
        return state
    stopped = state.stopped if state.mode == Mode.SAFE_STOP else 0.0
    return state._replace(mode=Mode.SAFE_STOP, stopped=stopped, stopping=True)


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
    if state.stopping:
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
            stopping=False,
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
        stopping=False,
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
        self.state = stop_requested(self.state)

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

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The supervisor between a controller and the joints: torque limits, damping, safe stop."""

from __future__ import annotations

import math
from enum import IntEnum
from typing import Any, NamedTuple, Sequence

import numpy as np

from biped_slip.compile.arrays import Array, all_finite
from biped_slip.compile.kernel import kernel
from biped_slip.config import Configuration, configuration, parameter
from biped_slip.constants import GRAVITY
from biped_slip.control.actuation import REVERSAL_TIME, limited_torques
from biped_slip.estimation.readings import Problem

BEYOND = 1e-4  # share of a limit by which a solver may miss it (measured: 4e-6)


@kernel
def damping_torques(velocity: Array, damping: float) -> Array:
    """Compute torques (n,) against the joints' motion [N m]: they take power out of every joint."""
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
    """Find the first joint that wants more than its limit, or what is not finite (n + index); −1: none.

    A controller that optimises inside the limits may hold a joint at its limit: it gets what it wants.
    """
    n = wanted.shape[0]
    for i in range(n):
        if not np.isfinite(wanted[i]):
            return n + i
    for i in range(n):
        if abs(wanted[i]) > (1.0 + BEYOND) * limits[i]:
            return i
    return -1


POWER = 1.1  # times weight and sqrt(g h), 1.4 times what the thesis' biped with a torso needs; TALOS 0.09 (choice)
POWER_TIME = 0.025  # [s] in which work is forgotten, as in a mean over 50 ms: an impact is over, no fall has begun
TROUBLED = 0.3  # share of that power that is denied after as much trouble as the grace; walking needs the rest


@kernel
def driven_energy(energy: Array, torques: Array, turned: Array, dt: float) -> Array:
    """Sum the work (n,) [J] that torques (n,) [N m] have lately put into the joints, forgotten within ``POWER_TIME``.

    It needs no diagnosis, and no more than one sound account of the joints' motion: ``turned`` (2, n) is what they have
    turned since the last tick, by their positions and by their velocities [rad]; the one that means more work counts.
    """
    kept, counted = max(0.0, 1.0 - dt / POWER_TIME), POWER_TIME / max(dt, POWER_TIME)  # of a long tick its mean power
    after = np.empty_like(energy)
    for i in range(energy.shape[0]):
        work = max(torques[i] * turned[0, i], torques[i] * turned[1, i])
        after[i] = kept * energy[i] + (counted * work if np.isfinite(work) else 0.0)
    return after


@kernel
def turned(position: Array, last: Array, velocity: Array, limits: Array, dt: float) -> Array:
    """Compute the joints' rotation in a tick, by positions and by velocities (2, n) [rad], within speed limits."""
    turn = np.empty((2, position.shape[0]))
    for i in range(position.shape[0]):
        turn[0, i], turn[1, i] = position[i] - last[i], velocity[i] * dt
        for k in range(2):  # a spoilt number is no motion, one that is none stays so
            if abs(turn[k, i]) > limits[i] * dt:
                turn[k, i] = math.copysign(limits[i] * dt, turn[k, i])
    return turn


# Joint velocities that may be damped: those that measured velocities and differences of positions agree upon.
#
# A velocity with the wrong sign turns damping into a drive. Of each joint the smaller of both is taken where they have
# one sign, and nothing where they have not or where the joint has just turned round: whichever of the two sensors is
# wrong, no joint is driven by the other's account.

WINDOW = 4e-3  # [s] over which positions are differenced: 2 ms of lag, and steps of an encoder don't count (choice)

#: Positions (n,) [rad] of the last readings and how long ago they were [s], the oldest first.
Past = tuple[tuple[float, Array], ...]


def agreed_velocity(past: Past, position: Array, velocity: Array, dt: float) -> tuple[Past, Array | None]:
    """Return joint velocities (n,) [rad/s] that positions confirm and that may be damped; None before the first.

    Args:
        past: readings of the window; empty before the first reading and after a reading without good positions.
        position: measured joint positions (n,) [rad].
        velocity: measured joint velocities (n,) [rad/s].
        dt: time since the last reading [s].
    """
    if not all_finite(position):
        return (), None
    older = [(age + dt, where) for age, where in past]
    now = (*[one for one in older if one[0] < WINDOW - 0.5 * dt], (0.0, position.copy()))
    if not older or older[0][0] <= 0.0:
        return now, None
    return now, _one_way(position, velocity, older[0][1], older[-1][1], older[0][0])


@kernel
def _one_way(position: Array, velocity: Array, first: Array, last: Array, age: float) -> Array:
    """Return of each joint (n,) the slower of measured and differenced velocity, where both and the last move agree."""
    result = np.zeros(position.shape[0])
    for i in range(position.shape[0]):
        differenced = (position[i] - first[i]) / age
        one_way = velocity[i] * differenced > 0.0
        goes_on = velocity[i] * (position[i] - last[i]) >= 0.0
        if one_way and goes_on:
            result[i] = math.copysign(min(abs(velocity[i]), abs(differenced)), velocity[i])
    return result


# The supervisor between a controller and the joints: idle, standing, walking, safe stop, fault.
#
# Whatever is wrong, the joints are damped at once and then let go. A problem that passes within the grace is
# survived; a longer or a severe one is a fault, which stays until a recovery.


class Mode(IntEnum):
    """Mode of the supervisor, which decides the torques of the joints."""

    IDLE = 0  # zero torque
    STANDING = 1  # the controller, on both feet without a command to move
    WALKING = 2  # the controller
    SAFE_STOP = 3  # the damping, because of a problem that may pass or because a stop was asked for
    FAULT = 4  # the damping, then zero torque, until a recovery


_LONG: Any = {"unit": "s", "above": 0.0, "high": 10.0}
_LOWER: Any = {"safe_direction": "lower"}


@configuration
class SupervisorConfig(Configuration):
    """Configuration of the supervisor: torque rates, damping, grace and power limits."""

    damping: float = parameter(1.0, unit="N m s/rad", low=0.0, high=1e3, doc="of every joint in a safe stop")
    damping_time: float = parameter(0.3, doc="over which the damping fades to zero torque", **_LONG)
    grace: float = parameter(
        0.05, unit="s", low=0.0, high=1.0, **_LOWER,
        doc="a problem that is over within this time makes no fault; good time forgives a tenth of itself",
    )  # fmt: skip
    reversal_time: float = parameter(
        REVERSAL_TIME, unit="s", above=0.0, high=1.0,
        doc="in which a torque may build up by twice its limit; controllers keep the default themselves",
    )  # fmt: skip
    limit_time: float = parameter(
        0.1, doc="a torque that wants more than its limit for longer is a fault", **_LONG, **_LOWER
    )
    ridden_stall: float = parameter(
        0.02, unit="s", low=0.0, high=10.0, **_LOWER,
        doc="the process stands still, or stamps run ahead of the clock: longer is a safe stop, shorter only counted",
    )  # fmt: skip
    longest_stall: float = parameter(
        0.05, unit="s", low=0.0, high=10.0, doc="the same for as long or longer is a fault at once", **_LOWER
    )
    clock_rate: float = parameter(
        0.5, above=0.0, high=100.0, **_LOWER,
        doc="share by which stamps may run faster or slower than the steady clock over half a second",
    )  # fmt: skip


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
    turned: Array | None = None  # (2, n) since the last tick, by positions and by velocities [rad]; None: not known


class TorqueLimits(NamedTuple):
    """Torque limits of the joints."""

    joints: Sequence[str]
    torques: Array  # (n,) [N m]
    power: float = math.inf  # of one joint, mean over twice ``POWER_TIME`` [W]


def power_limit(weight: float, height: float) -> float:
    """Compute the mean power [W] over 50 ms that no joint needs, from the weight [N] and the hip's height [m]."""
    return POWER * weight * math.sqrt(GRAVITY * height)


def idle(joints: int) -> SupervisorState:
    """Return the state without control of the joints."""
    return SupervisorState(Mode.IDLE, None, 0.0, 0.0, 0.0, False, np.zeros(joints), np.zeros(joints))


def started(state: SupervisorState) -> SupervisorState:
    """Start passing the controller's torques, also after a fault."""
    return idle(state.torques.shape[0])._replace(mode=Mode.STANDING)


def asked_to_stop(state: SupervisorState) -> SupervisorState:
    """Stop the controller: joints are damped, then released; a fault stays a fault."""
    if state.mode in (Mode.IDLE, Mode.FAULT):
        return state
    stopped = state.stopped if state.mode == Mode.SAFE_STOP else 0.0
    return state._replace(mode=Mode.SAFE_STOP, stopped=stopped, asked=True)


def supervise(
    state: SupervisorState, inputs: TickInput, limits: TorqueLimits, config: SupervisorConfig, dt: float,
    build_up: float | None = None,
) -> tuple[SupervisorState, Array]:  # fmt: skip
    """Supervise one control tick, dt [s] after the last: the next state and the torques (n,), always finite.

    ``build_up`` is the time over which torques may build up [s]; without it dt.
    """
    if inputs.turned is not None:
        state = state._replace(energy=driven_energy(state.energy, state.torques, inputs.turned, dt))
    state = _next(state, inputs, limits, config, dt)
    torques = _torques(state, inputs, limits, config, dt if build_up is None else build_up)
    return state._replace(torques=torques), torques


def _next(
    state: SupervisorState, inputs: TickInput, limits: TorqueLimits, config: SupervisorConfig, dt: float
) -> SupervisorState:
    if state.mode == Mode.IDLE:
        return state
    if state.mode == Mode.FAULT:
        return state._replace(stopped=state.stopped + dt)
    if state.asked:
        over = inputs.velocity is None or state.stopped + dt >= config.damping_time
        return idle(len(limits.joints)) if over else state._replace(stopped=state.stopped + dt)
    problem, at_limit = _problem(state, inputs, limits, config, dt)
    if problem is None:
        mode = Mode.WALKING if inputs.moving else Mode.STANDING
        troubled = max(state.troubled - FORGIVENESS * dt, 0.0)
        return SupervisorState(mode, None, 0.0, troubled, at_limit, False, state.torques, state.energy)
    troubled = state.troubled + dt
    mode = Mode.FAULT if problem.severe or troubled > config.grace else Mode.SAFE_STOP
    stopped = state.stopped + dt if state.mode == Mode.SAFE_STOP else 0.0
    return SupervisorState(mode, problem, stopped, troubled, at_limit, False, state.torques, state.energy)


def _problem(
    state: SupervisorState, inputs: TickInput, limits: TorqueLimits, config: SupervisorConfig, dt: float
) -> tuple[Problem | None, float]:
    """Name the problem, and for how long a torque has wanted its limit [s]."""
    trouble = min(state.troubled / config.grace, 1.0) if config.grace > 0.0 else 0.0
    joint, most = int(np.argmax(state.energy)), limits.power * (1.0 - TROUBLED * trouble)
    if state.energy[joint] > most * POWER_TIME:
        what = f"{limits.joints[joint]} is driven with more than {most:.0f} W for {2e3 * POWER_TIME:g} ms"
        return Problem("joint power", what, severe=True), 0.0
    if inputs.problem is not None:
        return inputs.problem, 0.0
    if inputs.torques is None:
        return Problem("no torques", "the controller has no answer"), 0.0
    if inputs.torques.shape != limits.torques.shape:
        what = f"the controller answers {inputs.torques.size} for {len(limits.joints)} joints"
        return Problem("no torques", what), 0.0
    joint, n = joint_beyond_limit(inputs.torques, limits.torques), len(limits.joints)
    if joint < 0:
        return None, 0.0
    if joint >= n:
        return Problem("torque not finite", f"{limits.joints[joint - n]} is to get {inputs.torques[joint - n]}"), 0.0
    at_limit = state.at_limit + dt
    if at_limit > config.limit_time:
        what = f"{limits.joints[joint]} wants more than {limits.torques[joint]:g} N m for {config.limit_time:g} s"
        return Problem("torque limit", what, severe=True), at_limit
    return None, at_limit


def _torques(
    state: SupervisorState, inputs: TickInput, limits: TorqueLimits, config: SupervisorConfig, build_up: float
) -> Array:
    step = 2.0 * build_up / config.reversal_time
    if state.mode in (Mode.STANDING, Mode.WALKING) and inputs.torques is not None:
        return limited_torques(state.torques, inputs.torques, limits.torques, step)
    fading = 1.0 - state.stopped / config.damping_time
    if state.mode == Mode.IDLE or inputs.velocity is None or fading <= 0.0 or not np.isfinite(inputs.velocity).all():
        return np.zeros(len(limits.joints))
    wanted = damping_torques(inputs.velocity, fading * config.damping)
    return limited_torques(state.torques, wanted, limits.torques, step)


class Supervisor:
    """Supervisor of one robot with its state; ``config`` may be replaced between two steps."""

    def __init__(self, limits: TorqueLimits, config: SupervisorConfig) -> None:
        self._limits, self.config = limits, config
        self.state = idle(len(limits.joints))
        self._try_out()

    @property
    def resting(self) -> bool:
        """Return whether the joints have been released for good."""
        state = self.state
        return state.mode == Mode.IDLE or (state.mode == Mode.FAULT and state.stopped >= self.config.damping_time)

    def start(self) -> None:
        """Start passing the controller's torques, also after a fault."""
        self.state = started(self.state)

    def stop(self) -> None:
        """Damp the joints, then release them."""
        self.state = asked_to_stop(self.state)

    def step(self, inputs: TickInput, dt: float, build_up: float | None = None) -> Array:
        """Compute torques to send (n,)."""
        self.state, torques = supervise(self.state, inputs, self._limits, self.config, dt, build_up)
        return torques

    def _try_out(self) -> None:
        """Warm up with a tick that walks and one that damps: compiled now, not while a robot stands on its joints."""
        still = np.zeros(len(self._limits.joints))
        standing = started(self.state)
        for problem in (None, Problem("trial", "is damped", severe=True)):
            inputs = TickInput(still, still, True, problem, np.zeros((2, len(still))))
            supervise(standing, inputs, self._limits, self.config, 1e-3)

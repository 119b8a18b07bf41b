# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Actuation of the joints: torques that act late, and friction that takes part of them.

A motor's torque follows its command with a lag ``T``. Wanted torques are led by the
inverse of that, down to one control period: ``u = t + (w - t) (1 - e^-1) / (1 -
e^(-dt/T))``, with ``t`` as it acts by the same model. For what is left of the delay,
the dead time before it and the age of sensors, coordinates are predicted at their
present rates.

Joint friction changes the force under a foot by friction over lever: with 2 % of its
largest torques in each joint, TALOS pushes along the floor with up to 20 N that no plan
knows of, a fifth of what a floor of 0.1 holds. The force/torque sensors see it. The
generalized forces that the model does not explain, ``d = M dv/dt + h - tau - J^T w``,
with the torques ``tau`` as they act and the wrenches ``w`` of the floor on the soles,
pass a filter of first order and are taken out of the joints' torques, as far as
friction can be their cause (disturbance observer, [Ohnishi1996]).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from biped_slip.compile.arrays import Array
from biped_slip.compile.kernel import OfOneType, kernel
from biped_slip.config import Configuration, configuration, parameter
from biped_slip.estimation.readings import whole_periods

# [Hz] of the friction's estimate: it turns with each step, noise of joint speeds stays
# out (choice)
BANDWIDTH = 10.0
# [s] in which a torque may build up by twice its limit; walking without lead needs 40 %
REVERSAL_TIME = 0.004
# of a change that a lag of one period lets through in one
ONE_PERIOD = 1.0 - math.exp(-1.0)


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


class MotorState(NamedTuple):
    """State of the motors between two ticks."""

    torque: Array  # (n,) as it acts, but for the dead time [N m]
    command: Array  # (n,) the last [N m]


@kernel
def lead_compensated(
    state: MotorState, wanted: Array, largest: Array, lag: float, dt: float
) -> MotorState:
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
        return MotorState(wanted.copy(), wanted.copy())
    taken = 1.0 - math.exp(-dt / lag)
    lead = max(ONE_PERIOD / taken, 1.0)
    led_torques = state.torque + lead * (wanted - state.torque)
    command = limited_torques(
        state.command, led_torques, largest, 2.0 * dt / REVERSAL_TIME
    )
    return MotorState(state.torque + taken * (command - state.torque), command)


class MotorLead:
    """Compensation of the motors' lag and dead time, with its memory.

    It is for a robot's joints.

    Args:
        config: of the motors.
        largest: (n,) torques [N m].
    """

    def __init__(self, config: ActuationConfig, largest: Array) -> None:
        self._config = config
        self._largest = largest
        self._led = OfOneType(lead_compensated)
        self.reset()

    def reset(self) -> None:
        """Forget all commands."""
        self._driven: list[MotorState] = []

    @property
    def acting(self) -> Array | None:
        """Return torques (n,) that act now [N m]; None before the first command."""
        return self._driven[0].torque if self._driven else None

    def command(self, wanted: Array, dt: float) -> Array:
        """Compute the command (n,) for desired torques (n,) [N m].

        It is ``dt`` [s] after the last.
        """
        before = (
            self._driven[-1]
            if self._driven
            else MotorState(wanted, np.zeros_like(wanted))
        )
        driven = self._led(before, wanted, self._largest, self._config.lag, dt)
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

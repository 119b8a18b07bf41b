# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Actuation of the joints: how torques follow their commands, and the friction that takes part of them.

Joint friction changes the force under a foot by friction over lever: with 2 % of its largest torques in each joint,
TALOS pushes along the floor with up to 20 N that no plan knows of, a fifth of what a floor of 0.1 holds. The force/
torque sensors see it. The generalized forces that the model does not explain, ::

    d = M dv/dt + h - tau - J^T w

with the torques ``tau`` as they act (late by dead time and lag) and the wrenches ``w`` that the floor puts on the soles,
go through a filter of first order and are taken out of the commands of the joints, as far as friction can be their cause
(disturbance observer, [Ohnishi1996]).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from biped_slip.compile.arrays import Array
from biped_slip.compile.kernel import kernel
from biped_slip.config import Configuration, configuration, parameter
from biped_slip.control.whole_body.tasks import Terms

BANDWIDTH = 10.0  # [Hz] of the estimate: friction turns with each step, noise of joint speeds must not pass (choice)


@configuration
class ActuationConfig(Configuration):
    """How joints follow their torque commands: from the data sheets of motors and gears."""

    lag: float = parameter(0.0, unit="s", low=0.0, high=0.1, doc="time constant of the torque behind its command")
    dead_time: float = parameter(0.0, unit="s", low=0.0, high=0.05, doc="before a command begins to act")
    friction: float = parameter(
        0.0, low=0.0, high=0.5, doc="of a joint's largest torque that its friction may take; 0: it is not compensated"
    )

    @property
    def delay(self) -> float:
        """Time after which two thirds of a command act [s]."""
        return self.lag + self.dead_time


class ActuationState(NamedTuple):
    """Memory of the estimate, for n joints."""

    waiting: Array  # (k, n) commands that do not act yet, the oldest first [N m]
    torque: Array  # (n,) as it acts [N m]
    velocity: Array  # (nv,) of the tick before
    friction: Array  # (n,) torque that the model does not explain [N m]


def first_actuation(config: ActuationConfig, commanded: Array, velocity: Array, period: float) -> ActuationState:
    """Torques that have acted as commanded (n,) for long, without friction, in a loop of ``period`` [s]."""
    waiting = np.repeat(commanded[None], round(config.dead_time / period) + 1, axis=0)
    return ActuationState(waiting, commanded.copy(), velocity.copy(), np.zeros(commanded.size))


@kernel
def actuation_step(
    state: ActuationState, commanded: Array, velocity: Array, terms: Terms, wrenches: Array, largest: Array,
    lag: float, dt: float,
) -> ActuationState:  # fmt: skip
    """Estimate joint friction one tick later.

    Args:
        state: of the tick before.
        commanded: (n,) torques of the tick before [N m].
        velocity: (nv,) now.
        terms: dynamics now.
        wrenches: (2, 6) of the floor on the soles, in the soles [N, N m].
        largest: (n,) torque of friction [N m].
        lag: time constant of the torque [s].
        dt: since the tick before [s].
    """
    slots, joints = state.waiting.shape
    waiting = np.empty((slots, joints))
    for k in range(slots - 1):
        waiting[k] = state.waiting[k + 1]
    waiting[slots - 1] = commanded
    taken = 1.0 - math.exp(-dt / lag) if lag > 0.0 else 1.0
    torque = state.torque + taken * (waiting[0] - state.torque)
    unexplained = terms.mass_matrix @ ((velocity - state.velocity) / dt) + terms.bias
    for foot in range(2):
        rotation = terms.rotation[foot]
        unexplained -= terms.jacobians[foot, :3].T @ (rotation @ wrenches[foot, :3])
        unexplained -= terms.jacobians[foot, 3:].T @ (rotation @ wrenches[foot, 3:])
    share, friction = 1.0 - math.exp(-math.tau * BANDWIDTH * dt), np.empty(joints)
    for j in range(joints):
        found = state.friction[j] + share * (unexplained[6 + j] - torque[j] - state.friction[j])
        friction[j] = min(max(found, -largest[j]), largest[j])
    return ActuationState(waiting, torque, velocity.copy(), friction)

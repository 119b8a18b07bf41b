# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""What is true in a simulated world, one row per control tick, preallocated."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from biped_slip.compile.arrays import Array, copy_matrix, copy_vector
from biped_slip.compile.kernel import kernel, without_dispatch
from biped_slip.simulation.humanoid.plant import FloatingPlant, Truth
from biped_slip.simulation.humanoid.step import Soles
from biped_slip.simulation.log import Log


class Rows(NamedTuple):
    """What is logged of an instant; in the log with ticks as one more axis before."""

    q: Array  # (nq,)
    v: Array  # (nv,)
    torques: Array  # (n,)
    mu: Array  # (2,)
    soles: Soles


@kernel
def write_row(log: Rows, i: int, now: Rows) -> None:
    """Put an instant into row i."""
    copy_vector(now.q, log.q[i], 0)
    copy_vector(now.v, log.v[i], 0)
    copy_vector(now.torques, log.torques[i], 0)
    copy_vector(now.mu, log.mu[i], 0)
    copy_matrix(now.soles.position, log.soles.position[i])
    for foot in range(2):
        copy_matrix(now.soles.rotation[foot], log.soles.rotation[i, foot])
    copy_matrix(now.soles.velocity, log.soles.velocity[i])
    copy_matrix(now.soles.wrench, log.soles.wrench[i])
    copy_vector(now.soles.normal, log.soles.normal[i], 0)


class FloatingLog(Log):
    """Arrays over ticks; feet left, right on the second axis. Only the first ``length`` rows are filled.

    Attributes:
        time: (ticks,) [s]
        q: (ticks, nq); v: (ticks, nv)
        sole_position: (ticks, 2, 3) [m], sole_rotation: (ticks, 2, 3, 3), sole_velocity: (ticks, 2, 6), world
        wrench: (ticks, 2, 6) of the ground on each sole, world axes [N, N m]
        normal: (ticks, 2) [N]
        mu: (ticks, 2) of the floor under each sole's origin
        torques: (ticks, n) of the motors [N m]
    """

    def __init__(self, plant: FloatingPlant, ticks: int) -> None:
        model = plant.humanoid.model
        self.length = 0
        self.time = np.zeros(ticks)
        self.q, self.v = np.zeros((ticks, model.nq)), np.zeros((ticks, model.nv))
        self.sole_position, self.sole_velocity = np.zeros((ticks, 2, 3)), np.zeros((ticks, 2, 6))
        self.sole_rotation, self.wrench = np.zeros((ticks, 2, 3, 3)), np.zeros((ticks, 2, 6))
        self.normal, self.mu = np.zeros((ticks, 2)), np.zeros((ticks, 2))
        self.torques = np.zeros((ticks, model.nv - 6))
        self._rows = Rows(self.q, self.v, self.torques, self.mu, Soles(
            self.sole_position, self.sole_rotation, self.sole_velocity, self.wrench, self.normal
        ))  # fmt: skip
        self._quick: Any = None  # compiled at the first row

    def record(self, plant: FloatingPlant, truth: Truth) -> None:
        """Append what is true at this instant."""
        i, state = self.length, plant.state
        self.time[i] = 1e-9 * plant.stamp_ns  # fails beyond the end, which the next line would not
        row = self._rows, i, Rows(state.q, state.v, state.torque, truth.mu, truth.soles)
        if self._quick is None:
            self._quick = without_dispatch(write_row, *row)
        self._quick(*row)
        self.length = i + 1

    @property
    def ratio(self) -> Array:
        """Horizontal over vertical force of each sole (ticks, 2); NaN without load."""
        horizontal, vertical = np.linalg.norm(self.wrench[:, :, :2], axis=2), self.wrench[:, :, 2]
        return np.where(vertical > 1.0, horizontal / np.maximum(vertical, 1.0), np.nan)

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""A free rigid body with a sole on any ground under any contact law: the bench on which laws are compared.

Semi-implicit Euler in time; the forces at each step come from :mod:`biped_slip.contact.distributed_foot`.
"""

from __future__ import annotations

import math
from typing import Any, Callable, NamedTuple

import numpy as np
from numpy.typing import NDArray

from biped_slip.compile.arrays import Array
from biped_slip.compile.kernel import kernel
from biped_slip.config import Configuration, configuration, parameter
from biped_slip.constants import GRAVITY
from biped_slip.contact.distributed_foot import FootContact, foot_wrench
from biped_slip.contact.point_law import ContactLaw, PointLaw, fresh_memory
from biped_slip.contact.terrain import Terrain
from biped_slip.contact.time_step import check_time_step
from biped_slip.errors import InvalidParameter, SimulationDiverged

FARTHEST = 1.0e3  # [m] from the start: beyond it the simulation has diverged


@configuration
class FreeBodyConfig(Configuration):
    """Mass and inertia of the body; with ``rotates`` false it only translates."""

    mass: float = parameter(5.0, unit="kg", above=0.0, doc="mass")
    inertia: tuple[float, ...] = parameter((0.01, 0.03, 0.03), unit="kg m^2", above=0.0, doc="principal moments")
    rotates: bool = parameter(True, doc="false locks the orientation")

    def check(self) -> None:
        """Need three moments."""
        if len(self.inertia) != 3:
            raise InvalidParameter("FreeBodyConfig.inertia", self.inertia, "three principal moments")


class Motion(NamedTuple):
    """Recorded samples of one run; n samples."""

    time: NDArray[np.float64]  # (n,) [s]
    position: NDArray[np.float64]  # (n, 3) of the centre of mass [m]
    velocity: NDArray[np.float64]  # (n, 3) [m/s]
    rotation: NDArray[np.float64]  # (n, 3, 3) body to world
    force: NDArray[np.float64]  # (n, 3) of the ground on the body [N]
    normal: NDArray[np.float64]  # (n,) sum over the points [N]
    tangential: NDArray[np.float64]  # (n,) [N]


def body_on(foot: FootContact) -> Callable[..., None]:
    """The compiled run of a body on a foot."""

    @kernel
    def run(
        points: Array,
        memory: Array,
        position: Array,
        rotation: Array,
        velocity: Array,
        spin: Array,
        body: Any,
        pull: Array,
        gravity: float,
        terrain: Terrain,
        law: PointLaw,
        dt: float,
        steps: int,
        every: int,
        record: Array,
    ) -> None:
        # pull (k, 4): time, force x, y, z at the centre of mass, linear between its rows
        segment = 0
        for step in range(steps):
            time = step * dt
            wrench = foot(points, memory, memory, rotation, position, velocity, spin, terrain, law, dt)
            if step % every == 0:
                row = record[step // every]
                row[0] = time
                row[1:4], row[4:7] = position, velocity
                row[7:16] = rotation.ravel()
                row[16], row[17], row[18] = wrench.force_x, wrench.force_y, wrench.force_z
                row[19], row[20] = wrench.normal, wrench.tangential
            while segment < pull.shape[0] - 2 and time >= pull[segment + 1, 0]:
                segment += 1
            share = (time - pull[segment, 0]) / (pull[segment + 1, 0] - pull[segment, 0])
            share = min(max(share, 0.0), 1.0)
            for k in range(3):
                force = pull[segment, k + 1] + share * (pull[segment + 1, k + 1] - pull[segment, k + 1])
                if k == 0:
                    force += wrench.force_x
                elif k == 1:
                    force += wrench.force_y
                else:
                    force += wrench.force_z - body.mass * gravity
                velocity[k] += force / body.mass * dt
            position += velocity * dt
            if body.rotates:
                moment = np.array([wrench.moment_x, wrench.moment_y, wrench.moment_z])
                inertia = np.array([body.inertia[0], body.inertia[1], body.inertia[2]])
                local = rotation.T @ spin
                gyro = np.cross(local, inertia * local)
                local = local + (rotation.T @ moment - gyro) / inertia * dt
                spin[:] = rotation @ local
                angle = math.sqrt(np.sum(local * local)) * dt
                if angle > 0.0:
                    x, y, z = local * dt / angle
                    s, c = math.sin(angle), 1.0 - math.cos(angle)
                    skew = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
                    rotation[:] = rotation @ (np.eye(3) + s * skew + c * (skew @ skew))

    return run


def simulate(
    law: ContactLaw,
    terrain: Terrain,
    points: NDArray[np.float64],
    body: FreeBodyConfig,
    *,
    position: tuple[float, float, float],
    velocity: tuple[float, float, float] = (0.0, 0.0, 0.0),
    spin: tuple[float, float, float] = (0.0, 0.0, 0.0),
    rotation: NDArray[np.float64] | None = None,
    pull: NDArray[np.float64] | None = None,
    gravity: float = GRAVITY,
    duration: float,
    dt: float = 1.0e-4,
    every: int = 1,
) -> Motion:
    """Drop, push and pull a rigid body.

    Args:
        points: (n, 3) contact points from the centre of mass, in the body [m].
        position, velocity, spin: of the centre of mass [m, m/s]; angular velocity in the world [rad/s].
        pull: (k, 4) rows of time [s] and force [N] at the centre of mass, linear between, constant outside.
        every: record one sample of so many.
    """
    if points.ndim != 2 or points.shape[0] < 1 or points.shape[1] != 3:
        raise InvalidParameter("points", points.shape, "an array (n, 3) with n >= 1")
    mass = body.mass / len(points)
    check_time_step(law, mass, mass * GRAVITY, float(terrain.mu.max()), dt)
    steps = round(duration / dt)
    record = np.empty((-(-steps // every), 21))
    state = np.array(position, dtype=float)
    force = np.array([[0.0] * 4, [1.0, 0.0, 0.0, 0.0]]) if pull is None else np.asarray(pull, dtype=float)
    turned = np.eye(3) if rotation is None else np.array(rotation, dtype=float)
    body_on(foot_wrench(law))(
        np.ascontiguousarray(points, dtype=float), fresh_memory(len(points)), state, turned,
        np.array(velocity, dtype=float), np.array(spin, dtype=float), body.packed, force, gravity,
        terrain, law.packed, dt, steps, every, record,
    )  # fmt: skip
    if not np.all(np.isfinite(state)) or np.abs(state - position).max() > FARTHEST:
        raise SimulationDiverged("distance from the start [m]", float(np.abs(state).max()), FARTHEST, duration)
    return Motion(
        record[:, 0], record[:, 1:4], record[:, 4:7], record[:, 7:16].reshape(-1, 3, 3),
        record[:, 16:19], record[:, 19], record[:, 20],
    )  # fmt: skip

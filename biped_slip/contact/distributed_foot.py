# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""A foot of many contact points on any ground (B.1, E.5)."""

from __future__ import annotations

import math
from typing import Callable, NamedTuple, Sequence

import numpy as np
from numpy.typing import NDArray

from biped_slip.compile.arrays import Array
from biped_slip.compile.kernel import kernel
from biped_slip.contact.ground import Terrain, ground_under
from biped_slip.contact.point_contact import (
    FREE_POINT,
    IN_FLIGHT,
    ContactLaw,
    PointForces,
    PointLaw,
    PointMemory,
    load,
    store,
)
from biped_slip.errors import InvalidParameter
from biped_slip.friction_laws.law import FrictionLaw, FrictionRelease


def sole_grid(
    polygon: Sequence[tuple[float, float]], rows: int, columns: int
) -> NDArray[np.float64]:
    """Fill a polygon with a regular grid of points (n, 3) [m], z = 0 (B.1).

    Those on its edge are included.

    Args:
        polygon: corners (x, y) [m] in order, in the sole's frame.
        rows: grid lines along x, at least 2.
        columns: grid lines along y, at least 2.
    """
    corners = np.asarray(polygon, dtype=float)
    if corners.ndim != 2 or corners.shape[0] < 3 or corners.shape[1] != 2:
        raise InvalidParameter(
            "sole", f"{len(polygon)} corners", "at least 3 corners (x, y)"
        )
    if abs(_area(corners)) < 1e-8:
        raise InvalidParameter(
            "sole",
            f"area {abs(_area(corners)):.3g} m^2",
            "a polygon with an area >= 1e-8 m^2",
        )
    if rows < 2 or columns < 2:
        raise InvalidParameter(
            "sole grid", (rows, columns), "at least 2 rows and 2 columns"
        )
    low = corners.min(axis=0)
    high = corners.max(axis=0)
    grid = np.array(
        [
            (x, y)
            for x in np.linspace(low[0], high[0], rows)
            for y in np.linspace(low[1], high[1], columns)
        ]
    )
    inside = grid[[_contains(corners, point) for point in grid]]
    if len(inside) < 3 or np.linalg.matrix_rank(inside - inside[0], tol=1e-9) < 2:
        raise InvalidParameter(
            "sole grid",
            (rows, columns),
            "fine enough for 3 points not on a line",
            f"{len(inside)} fall in the polygon",
        )
    return np.column_stack((inside, np.zeros(len(inside))))


def _area(corners: NDArray[np.float64]) -> float:
    x, y = corners.T
    return float(0.5 * np.sum(x * np.roll(y, -1) - y * np.roll(x, -1)))


def _contains(corners: NDArray[np.float64], point: NDArray[np.float64]) -> bool:
    """Return whether a point is in a simple polygon or on its edge."""
    inside = False
    for a, b in zip(corners, np.roll(corners, -1, axis=0), strict=True):
        edge = b - a
        along = np.clip(np.dot(point - a, edge) / np.dot(edge, edge), 0.0, 1.0)
        if np.linalg.norm(point - a - along * edge) <= 1e-9:
            return True
        if (a[1] > point[1]) != (b[1] > point[1]) and point[0] < a[0] + edge[0] * (
            point[1] - a[1]
        ) / edge[1]:
            inside = not inside
    return inside


# Each point is projected onto the ground below it and meets the local tangent plane.
# The sum of forces and moments about the foot's origin (its ankle) is the wrench of the
# ground on the foot.


class FootWrench(NamedTuple):
    """Wrench of the ground on the foot in world axes, about the foot's origin."""

    force_x: float  # [N]
    force_y: float  # [N]
    force_z: float  # [N]
    moment_x: float  # [N m]
    moment_y: float  # [N m]
    moment_z: float  # [N m]
    normal: float  # sum of the normal forces of the points [N]
    tangential: float  # size of the sum of their tangential forces [N]
    touching: int  # points in contact


#: (points, memory, after, rotation, position, velocity, angular_velocity, terrain, law,
#: dt) -> wrench
FootContact = Callable[
    [Array, Array, Array, Array, Array, Array, Array, Terrain, PointLaw, float],
    FootWrench,
]


def foot_wrench(law: ContactLaw) -> FootContact:
    """Return the compiled kernel of a foot whose points all obey ``law``."""
    friction = type(law.friction)
    return foot_contact(
        law.forces, friction.release, friction.release is not FrictionLaw.release
    )


def foot_wrench_midway(law: ContactLaw) -> FootContact:
    """Return the compiled kernel of :func:`foot_wrench` for a midpoint rule.

    The forces are those at half of dt.
    """
    friction = type(law.friction)
    return foot_contact(
        law.forces_midway, friction.release, friction.release is not FrictionLaw.release
    )


def foot_contact(
    point_forces: PointForces, release: FrictionRelease, macroscopic: bool
) -> FootContact:
    """Compute the wrench on a foot of points.

    With ``macroscopic`` the onset of sliding is the whole foot's.
    """

    @kernel
    def wrench_on_foot(
        points: Array,
        memory: Array,
        after: Array,
        rotation: Array,
        position: Array,
        velocity: Array,
        angular_velocity: Array,
        terrain: Terrain,
        law: PointLaw,
        dt: float,
    ) -> FootWrench:
        """Sum the forces at ``memory``, one step of dt [s] into ``after``.

        ``after`` may be the same array as ``memory``.

        Args: points (n, 3) [m] in the foot; rotation (3, 3) foot to world; position,
        velocity of the foot's origin and angular velocity (3,) in the world [m, m/s,
        rad/s].
        """
        total_x = total_y = total_z = moment_x = moment_y = moment_z = 0.0
        normal_sum = limit = tangent_x = tangent_y = tangent_z = 0.0
        touching = 0
        for i in range(points.shape[0]):
            a = points[i, 0]
            b = points[i, 1]
            c = points[i, 2]
            rx = rotation[0, 0] * a + rotation[0, 1] * b + rotation[0, 2] * c
            ry = rotation[1, 0] * a + rotation[1, 1] * b + rotation[1, 2] * c
            rz = rotation[2, 0] * a + rotation[2, 1] * b + rotation[2, 2] * c
            ground = ground_under(terrain, position[0] + rx, position[1] + ry)
            nx = ground.normal_x
            ny = ground.normal_y
            nz = ground.normal_z
            depth = (ground.height - position[2] - rz) * nz
            if depth <= 0.0:
                store(after, i, FREE_POINT)
                continue
            vx = velocity[0] + angular_velocity[1] * rz - angular_velocity[2] * ry
            vy = velocity[1] + angular_velocity[2] * rx - angular_velocity[0] * rz
            vz = velocity[2] + angular_velocity[0] * ry - angular_velocity[1] * rx
            # first tangent: along x; the second is normal × first
            ex = 1.0
            ez = 0.0
            fx = 0.0
            fy = 1.0
            fz = 0.0
            if nz != 1.0:
                scale = 1.0 / math.sqrt(nx * nx + nz * nz)
                ex = nz * scale
                ez = -nx * scale
                fx = ny * ez
                fy = nz * ex - nx * ez
                fz = -ny * ex
            rate = -(vx * nx + vy * ny + vz * nz)
            slip_x = vx * ex + vz * ez
            slip_y = vx * fx + vy * fy + vz * fz
            answer = point_forces(
                load(memory, i), depth, rate, slip_x, slip_y, ground.mu, law, dt
            )
            store(after, i, answer.memory)
            touching += 1
            px = answer.tangential_x * ex + answer.tangential_y * fx
            py = answer.tangential_y * fy
            pz = answer.tangential_x * ez + answer.tangential_y * fz
            tangent_x = tangent_x + px
            tangent_y = tangent_y + py
            tangent_z = tangent_z + pz
            normal_sum += answer.normal
            limit += ground.mu * answer.normal
            px = px + answer.normal * nx
            py = py + answer.normal * ny
            pz = pz + answer.normal * nz
            total_x = total_x + px
            total_y = total_y + py
            total_z = total_z + pz
            moment_x += ry * pz - rz * py
            moment_y += rz * px - rx * pz
            moment_z += rx * py - ry * px
        tangential = math.sqrt(
            tangent_x * tangent_x + tangent_y * tangent_y + tangent_z * tangent_z
        )
        if macroscopic and limit > 0.0:
            for i in range(points.shape[0]):
                kept = load(after, i)
                if kept.impact_rate != IN_FLIGHT:
                    friction = release(kept.friction, tangential / limit, law.friction)
                    store(after, i, PointMemory(kept.impact_rate, friction))
        return FootWrench(
            force_x=total_x,
            force_y=total_y,
            force_z=total_z,
            moment_x=moment_x,
            moment_y=moment_y,
            moment_z=moment_z,
            normal=normal_sum,
            tangential=tangential,
            touching=touching,
        )

    return wrench_on_foot

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""A foot of many contact points on any ground (B.1, E.5).

Each point is projected onto the ground below it and meets the local tangent plane under
the law of a point. The wrench of the ground on the foot is F = sum f_i and
M = sum r_i × f_i about the foot's origin, its ankle. A step: pose of the foot → place
and velocity of each point → depth, rate and slip in the ground's axes → force and
memory → wrench.
"""

from __future__ import annotations

import math
from typing import Callable, NamedTuple, Sequence

import numpy as np
from numpy.typing import NDArray

from biped_slip.compile.arrays import Array
from biped_slip.compile.kernel import kernel
from biped_slip.contact.ground import GroundPlane, Terrain, ground_under
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

Vector = tuple[float, float, float]


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
    limit: float  # sum of mu times the normal forces of the points [N]
    touching: int  # points in contact


class SoleMovement(NamedTuple):
    """Pose and velocity of a foot in the world."""

    rotation: Array  # (3, 3) foot to world
    position: Array  # (3,) of the foot's origin [m]
    velocity: Array  # (3,) of the foot's origin [m/s]
    angular_velocity: Array  # (3,) [rad/s]


#: (points, memory, after, motion, terrain, law, dt) -> wrench
FootContact = Callable[
    [Array, Array, Array, SoleMovement, Terrain, PointLaw, float], FootWrench
]


@kernel(inline="code")
def turned_point(rotation: Array, points: Array, i: int) -> Vector:
    """Turn point i of the foot into the world, about the foot's origin [m]."""
    a = points[i, 0]
    b = points[i, 1]
    c = points[i, 2]
    return (
        rotation[0, 0] * a + rotation[0, 1] * b + rotation[0, 2] * c,
        rotation[1, 0] * a + rotation[1, 1] * b + rotation[1, 2] * c,
        rotation[2, 0] * a + rotation[2, 1] * b + rotation[2, 2] * c,
    )


@kernel(inline="code")
def point_velocity(motion: SoleMovement, arm: Vector) -> Vector:
    """Compute the velocity of a point [m/s] from the foot's, v + omega × r."""
    velocity = motion.velocity
    rate = motion.angular_velocity
    x, y, z = arm
    return (
        velocity[0] + rate[1] * z - rate[2] * y,
        velocity[1] + rate[2] * x - rate[0] * z,
        velocity[2] + rate[0] * y - rate[1] * x,
    )


@kernel(inline="code")
def tangents(ground: GroundPlane) -> tuple[Vector, Vector]:
    """Return the tangents of the ground: along x, and normal × the first."""
    if ground.normal_z == 1.0:
        return (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)
    nx = ground.normal_x
    ny = ground.normal_y
    nz = ground.normal_z
    scale = 1.0 / math.sqrt(nx * nx + nz * nz)
    ex = nz * scale
    ez = -nx * scale
    return (ex, 0.0, ez), (ny * ez, nz * ex - nx * ez, -ny * ex)


class TouchingPoint(NamedTuple):
    """What the ground does to a point of the foot, in world axes."""

    touches: bool
    arm: Vector  # from the foot's origin [m]
    tangential: Vector  # along the ground [N]
    force: Vector  # with the normal force [N]
    normal: float  # [N]
    limit: float  # mu times the normal force [N]


NOWHERE = (0.0, 0.0, 0.0)
UNTOUCHED = TouchingPoint(
    touches=False,
    arm=NOWHERE,
    tangential=NOWHERE,
    force=NOWHERE,
    normal=0.0,
    limit=0.0,
)

#: (points, i, memory, after, motion, terrain, law, dt) -> what the ground does to it
PointOnGround = Callable[
    [Array, int, Array, Array, SoleMovement, Terrain, PointLaw, float], TouchingPoint
]


def point_on_ground(point_forces: PointForces) -> PointOnGround:
    """Compute what the ground below a point does to it, under a law of points."""

    @kernel(inline="code")
    def touching_point(
        points: Array,
        i: int,
        memory: Array,
        after: Array,
        motion: SoleMovement,
        terrain: Terrain,
        law: PointLaw,
        dt: float,
    ) -> TouchingPoint:
        arm = turned_point(motion.rotation, points, i)
        x = motion.position[0] + arm[0]
        ground = ground_under(terrain, x, motion.position[1] + arm[1])
        nx = ground.normal_x
        ny = ground.normal_y
        nz = ground.normal_z
        depth = (ground.height - motion.position[2] - arm[2]) * nz
        if depth <= 0.0:
            store(after, i, FREE_POINT)
            return UNTOUCHED
        vx, vy, vz = point_velocity(motion, arm)
        e, f = tangents(ground)
        rate = -(vx * nx + vy * ny + vz * nz)
        slip_x = vx * e[0] + vz * e[2]
        slip_y = vx * f[0] + vy * f[1] + vz * f[2]
        answer = point_forces(
            load(memory, i), depth, rate, slip_x, slip_y, ground.mu, law, dt
        )
        store(after, i, answer.memory)
        px = answer.tangential_x * e[0] + answer.tangential_y * f[0]
        py = answer.tangential_y * f[1]
        pz = answer.tangential_x * e[2] + answer.tangential_y * f[2]
        normal = answer.normal
        return TouchingPoint(
            touches=True,
            arm=arm,
            tangential=(px, py, pz),
            force=(px + normal * nx, py + normal * ny, pz + normal * nz),
            normal=normal,
            limit=ground.mu * normal,
        )

    return touching_point


def onset_of(release: FrictionRelease) -> Callable[[Array, float, PointLaw], None]:
    """Tell the points in contact (n, MEMORY) what share of mu F_n the foot uses."""

    @kernel(inline="code")
    def let_go(after: Array, share: float, law: PointLaw) -> None:
        for i in range(after.shape[0]):
            kept = load(after, i)
            if kept.impact_rate != IN_FLIGHT:
                friction = release(kept.friction, share, law.friction)
                store(after, i, PointMemory(kept.impact_rate, friction))

    return let_go


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
    touching_point = point_on_ground(point_forces)
    let_go = onset_of(release)

    @kernel
    def wrench_on_foot(
        points: Array,
        memory: Array,
        after: Array,
        motion: SoleMovement,
        terrain: Terrain,
        law: PointLaw,
        dt: float,
    ) -> FootWrench:
        """Sum the forces at ``memory``, one step of dt [s] into ``after``.

        The two may be the same array.

        Args: points (n, 3) [m] in the foot.
        """
        force_x = force_y = force_z = moment_x = moment_y = moment_z = 0.0
        normal = limit = tangent_x = tangent_y = tangent_z = 0.0
        touching = 0
        for i in range(points.shape[0]):
            point = touching_point(points, i, memory, after, motion, terrain, law, dt)
            if not point.touches:
                continue
            touching += 1
            tangent_x = tangent_x + point.tangential[0]
            tangent_y = tangent_y + point.tangential[1]
            tangent_z = tangent_z + point.tangential[2]
            normal += point.normal
            limit += point.limit
            rx, ry, rz = point.arm
            px, py, pz = point.force
            force_x = force_x + px
            force_y = force_y + py
            force_z = force_z + pz
            moment_x += ry * pz - rz * py
            moment_y += rz * px - rx * pz
            moment_z += rx * py - ry * px
        tangential = math.sqrt(
            tangent_x * tangent_x + tangent_y * tangent_y + tangent_z * tangent_z
        )
        if macroscopic and limit > 0.0:
            let_go(after, tangential / limit, law)
        return FootWrench(
            force_x=force_x,
            force_y=force_y,
            force_z=force_z,
            moment_x=moment_x,
            moment_y=moment_y,
            moment_z=moment_z,
            normal=normal,
            tangential=tangential,
            limit=limit,
            touching=touching,
        )

    return wrench_on_foot

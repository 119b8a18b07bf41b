# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Coordinates of a robot whose base floats, moved on by a constant velocity.

The base's place and quaternion x, y, z, w come first, q = (p, o, joints); its velocity
is that of its origin in its own axes, linear before angular. In a time dt at a constant
velocity the base moves along a screw: the exponential of SE(3).
"""

from __future__ import annotations

import math

from biped_slip.compile.arrays import Array
from biped_slip.compile.kernel import kernel

_SMALL = 1e-3  # [rad] below it the series is exact to rounding


Vector = tuple[float, float, float]


@kernel
def turned(q: Array, x: float, y: float, z: float) -> Vector:
    """Rotate a vector of the base into the world, for q with the quaternion at 3:7.

    Args:
        q: coordinates (nq,).
        x: of the vector in the base.
        y: of the vector in the base.
        z: of the vector in the base.
    """
    return _rotated(q[3], q[4], q[5], q[6], (x, y, z))


@kernel
def turned_back(q: Array, x: float, y: float, z: float) -> Vector:
    """Rotate a vector of the world into the base.

    Args:
        q: coordinates (nq,).
        x: of the vector in the world.
        y: of the vector in the world.
        z: of the vector in the world.
    """
    return _rotated(-q[3], -q[4], -q[5], q[6], (x, y, z))


@kernel
def _rotated(a: float, b: float, c: float, w: float, vector: Vector) -> Vector:
    """Rotate by a unit quaternion a, b, c, w (w its real part)."""
    x, y, z = vector
    s = 2.0 * (b * z - c * y)
    t = 2.0 * (c * x - a * z)
    u = 2.0 * (a * y - b * x)
    return (
        x + w * s + b * u - c * t,
        y + w * t + c * s - a * u,
        z + w * u + a * t - b * s,
    )


@kernel
def move(q: Array, v: Array, dt: float, out: Array) -> None:
    """Integrate q over dt [s] at the velocity v into ``out`` (may be q).

    First comes the exponential of SE(3), then the joints.

    Args:
        q: coordinates (nq,).
        v: velocities (nv,).
        dt: [s].
        out: coordinates (nq,), filled.
    """
    turn = (v[3] * dt, v[4] * dt, v[5] * dt)
    way = (v[0] * dt, v[1] * dt, v[2] * dt)
    square = turn[0] * turn[0] + turn[1] * turn[1] + turn[2] * turn[2]
    angle = math.sqrt(square)
    first, second, half = _screw_factors(angle, square)
    once = cross(turn, way)
    twice = cross(turn, once)
    px, py, pz = turned(
        q,
        way[0] + first * once[0] + second * twice[0],
        way[1] + first * once[1] + second * twice[1],
        way[2] + first * once[2] + second * twice[2],
    )
    out[0] = q[0] + px
    out[1] = q[1] + py
    out[2] = q[2] + pz
    imaginary = (half * turn[0], half * turn[1], half * turn[2])
    _turn_on(q, imaginary, math.cos(0.5 * angle), out)
    for i in range(7, q.shape[0]):
        out[i] = q[i] + dt * v[i - 1]


@kernel
def cross(a: Vector, b: Vector) -> Vector:
    """Compute the cross product a x b."""
    return (
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    )


@kernel
def _screw_factors(angle: float, square: float) -> Vector:
    """Compute what a screw's exponential has of its turn w by an angle [rad].

    Returns (1 - cos a) / a^2 and (a - sin a) / a^3, the shares of w x l and w x (w x l)
    in the way, and sin(a/2) / a, that of w in the quaternion; as series where a is
    small.
    """
    if angle < _SMALL:
        return 0.5 - square / 24.0, 1.0 / 6.0 - square / 120.0, 0.5 - square / 48.0
    return (
        (1.0 - math.cos(angle)) / square,
        (angle - math.sin(angle)) / (square * angle),
        math.sin(0.5 * angle) / angle,
    )


@kernel
def _turn_on(q: Array, imaginary: Vector, real: float, out: Array) -> None:
    """Multiply the quaternion of q by another from the right, into that of ``out``."""
    a = q[3]
    b = q[4]
    c = q[5]
    w = q[6]
    x, y, z = imaginary
    na = w * x + a * real + b * z - c * y
    nb = w * y + b * real + c * x - a * z
    nc = w * z + c * real + a * y - b * x
    nw = w * real - a * x - b * y - c * z
    size = math.sqrt(na * na + nb * nb + nc * nc + nw * nw)
    out[3] = na / size
    out[4] = nb / size
    out[5] = nc / size
    out[6] = nw / size

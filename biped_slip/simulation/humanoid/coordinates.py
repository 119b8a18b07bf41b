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


@kernel
def turned(q: Array, x: float, y: float, z: float) -> tuple[float, float, float]:
    """Rotate a vector of the base into the world, for q with the quaternion at 3:7."""
    a = q[3]
    b = q[4]
    c = q[5]
    w = q[6]
    s = 2.0 * (b * z - c * y)
    t = 2.0 * (c * x - a * z)
    u = 2.0 * (a * y - b * x)
    return (
        x + w * s + b * u - c * t,
        y + w * t + c * s - a * u,
        z + w * u + a * t - b * s,
    )


@kernel
def turned_back(q: Array, x: float, y: float, z: float) -> tuple[float, float, float]:
    """Rotate a vector of the world into the base."""
    a = -q[3]
    b = -q[4]
    c = -q[5]
    w = q[6]
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
    """
    wx = v[3] * dt
    wy = v[4] * dt
    wz = v[5] * dt
    lx = v[0] * dt
    ly = v[1] * dt
    lz = v[2] * dt
    square = wx * wx + wy * wy + wz * wz
    angle = math.sqrt(square)
    if angle < _SMALL:
        first = 0.5 - square / 24.0
        second = 1.0 / 6.0 - square / 120.0
        half = 0.5 - square / 48.0
    else:
        first = (1.0 - math.cos(angle)) / square
        second = (angle - math.sin(angle)) / (square * angle)
        half = math.sin(0.5 * angle) / angle
    cx = wy * lz - wz * ly
    cy = wz * lx - wx * lz
    cz = wx * ly - wy * lx
    dx = wy * cz - wz * cy
    dy = wz * cx - wx * cz
    dz = wx * cy - wy * cx
    px, py, pz = turned(
        q,
        lx + first * cx + second * dx,
        ly + first * cy + second * dy,
        lz + first * cz + second * dz,
    )
    a = q[3]
    b = q[4]
    c = q[5]
    w = q[6]
    x = half * wx
    y = half * wy
    z = half * wz
    s = math.cos(0.5 * angle)
    out[0], out[1], out[2] = q[0] + px, q[1] + py, q[2] + pz
    na = w * x + a * s + b * z - c * y
    nb = w * y + b * s + c * x - a * z
    nc = w * z + c * s + a * y - b * x
    nw = w * s - a * x - b * y - c * z
    size = math.sqrt(na * na + nb * nb + nc * nc + nw * nw)
    out[3] = na / size
    out[4] = nb / size
    out[5] = nc / size
    out[6] = nw / size
    for i in range(7, q.shape[0]):
        out[i] = q[i] + dt * v[i - 1]

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Coordinates of a floating-base robot after a constant velocity: the base moves along a screw."""

from __future__ import annotations

import math

from biped_slip.compile.arrays import Array
from biped_slip.compile.kernel import kernel

_SMALL = 1e-3  # [rad] below it the series is exact to rounding


@kernel
def turned(q: Array, x: float, y: float, z: float) -> tuple[float, float, float]:
    """A vector of the base in the world, for q with the quaternion at 3:7."""
    a, b, c, w = q[3], q[4], q[5], q[6]
    s, t, u = 2.0 * (b * z - c * y), 2.0 * (c * x - a * z), 2.0 * (a * y - b * x)
    return x + w * s + b * u - c * t, y + w * t + c * s - a * u, z + w * u + a * t - b * s


@kernel
def turned_back(q: Array, x: float, y: float, z: float) -> tuple[float, float, float]:
    """A vector of the world in the base."""
    a, b, c, w = -q[3], -q[4], -q[5], q[6]
    s, t, u = 2.0 * (b * z - c * y), 2.0 * (c * x - a * z), 2.0 * (a * y - b * x)
    return x + w * s + b * u - c * t, y + w * t + c * s - a * u, z + w * u + a * t - b * s


@kernel
def move(q: Array, v: Array, dt: float, out: Array) -> None:
    """Coordinates after dt [s] at the velocity v, into ``out`` (may be q): exponential of SE(3), then joints."""
    wx, wy, wz = v[3] * dt, v[4] * dt, v[5] * dt
    lx, ly, lz = v[0] * dt, v[1] * dt, v[2] * dt
    square = wx * wx + wy * wy + wz * wz
    angle = math.sqrt(square)
    if angle < _SMALL:
        first, second = 0.5 - square / 24.0, 1.0 / 6.0 - square / 120.0
        half = 0.5 - square / 48.0
    else:
        first, second = (1.0 - math.cos(angle)) / square, (angle - math.sin(angle)) / (square * angle)
        half = math.sin(0.5 * angle) / angle
    cx, cy, cz = wy * lz - wz * ly, wz * lx - wx * lz, wx * ly - wy * lx
    dx, dy, dz = wy * cz - wz * cy, wz * cx - wx * cz, wx * cy - wy * cx
    px, py, pz = turned(q, lx + first * cx + second * dx, ly + first * cy + second * dy, lz + first * cz + second * dz)
    a, b, c, w = q[3], q[4], q[5], q[6]
    x, y, z, s = half * wx, half * wy, half * wz, math.cos(0.5 * angle)
    out[0], out[1], out[2] = q[0] + px, q[1] + py, q[2] + pz
    na, nb = w * x + a * s + b * z - c * y, w * y + b * s + c * x - a * z
    nc, nw = w * z + c * s + a * y - b * x, w * s - a * x - b * y - c * z
    size = math.sqrt(na * na + nb * nb + nc * nc + nw * nw)
    out[3], out[4], out[5], out[6] = na / size, nb / size, nc / size, nw / size
    for i in range(7, q.shape[0]):
        out[i] = q[i] + dt * v[i - 1]

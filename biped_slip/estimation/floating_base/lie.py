# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Rotations and the group SE_4(3) of a rotation with four vectors (velocity, position, two feet), as kernels.

Source: contact-aided invariant extended Kalman filtering [Hartley2020], sections 3 and 5; the closed forms of its
appendix A.
"""

from __future__ import annotations

import math

import numpy as np

from biped_slip.compile.arrays import Array
from biped_slip.compile.kernel import kernel

SMALL = 1e-2  # [rad] below which a series is more exact than the closed form


@kernel
def product(a: Array, b: Array) -> Array:
    """Of two matrices (3, 3); NumPy's costs more than its work at this size, as do the next three."""
    result = np.empty((3, 3))
    for i in range(3):
        for j in range(3):
            result[i, j] = a[i, 0] * b[0, j] + a[i, 1] * b[1, j] + a[i, 2] * b[2, j]
    return result


@kernel
def turned(rotation: Array, x: Array) -> Array:
    """A vector (3,) after a rotation (3, 3)."""
    result = np.empty(3)
    for i in range(3):
        result[i] = rotation[i, 0] * x[0] + rotation[i, 1] * x[1] + rotation[i, 2] * x[2]
    return result


@kernel
def turned_back(rotation: Array, x: Array) -> Array:
    """A vector (3,) before a rotation (3, 3)."""
    result = np.empty(3)
    for i in range(3):
        result[i] = rotation[0, i] * x[0] + rotation[1, i] * x[1] + rotation[2, i] * x[2]
    return result


@kernel
def cross(a: Array, b: Array) -> Array:
    """Of two vectors (3,)."""
    return np.array([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]])


@kernel
def skew(x: Array) -> Array:
    """Matrix (3, 3) of the cross product from the left."""
    return np.array([[0.0, -x[2], x[1]], [x[2], 0.0, -x[0]], [-x[1], x[0], 0.0]])


@kernel
def gammas(phi: Array) -> tuple[Array, Array, Array]:
    r"""Three matrices (3, 3) of a rotation vector: ``exp``, its left Jacobian, and the double integral.

    .. math:: \Gamma_m(\phi) = \sum_{n} \frac{1}{(n + m)!}\,\phi_\times^n,\quad m = 0, 1, 2

    Source: [Hartley2020], appendix A.
    """
    angle = math.sqrt(phi[0] * phi[0] + phi[1] * phi[1] + phi[2] * phi[2])
    square = angle * angle
    if angle < SMALL:
        a, b = 1.0 - square / 6.0 + square * square / 120.0, 0.5 - square / 24.0 + square * square / 720.0
        c, d = 1.0 / 6.0 - square / 120.0 + square * square / 5040.0, 1.0 / 24.0 - square / 720.0 + square**2 / 40320.0
    else:
        a, b = math.sin(angle) / angle, (1.0 - math.cos(angle)) / square
        c = (angle - math.sin(angle)) / (square * angle)
        d = (square + 2.0 * math.cos(angle) - 2.0) / (2.0 * square * square)
    zero, one, two = np.empty((3, 3)), np.empty((3, 3)), np.empty((3, 3))
    cross = skew(phi)
    for i in range(3):
        for j in range(3):
            unit = 1.0 if i == j else 0.0
            twice = phi[i] * phi[j] - unit * square
            zero[i, j] = unit + a * cross[i, j] + b * twice
            one[i, j] = unit + b * cross[i, j] + c * twice
            two[i, j] = 0.5 * unit + c * cross[i, j] + d * twice
    return zero, one, two


@kernel
def logarithm(rotation: Array) -> Array:
    """Rotation vector (3,) of a rotation matrix, shorter than pi."""
    x, y, z = rotation[2, 1] - rotation[1, 2], rotation[0, 2] - rotation[2, 0], rotation[1, 0] - rotation[0, 1]
    sine = 0.5 * math.sqrt(x * x + y * y + z * z)
    angle = math.atan2(sine, 0.5 * (rotation[0, 0] + rotation[1, 1] + rotation[2, 2] - 1.0))
    scale = 0.5 + angle * angle / 12.0 if angle < SMALL else 0.5 * angle / sine
    return np.array([scale * x, scale * y, scale * z])


@kernel
def rotation_of(quaternion: Array) -> Array:
    """Rotation matrix of a quaternion (x, y, z, w), normalised."""
    x, y, z, w = quaternion / math.sqrt((quaternion * quaternion).sum())
    return np.array([
        [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - z * w), 2.0 * (x * z + y * w)],
        [2.0 * (x * y + z * w), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - x * w)],
        [2.0 * (x * z - y * w), 2.0 * (y * z + x * w), 1.0 - 2.0 * (x * x + y * y)],
    ])  # fmt: skip


@kernel
def quaternion_of(rotation: Array) -> Array:
    """Quaternion (x, y, z, w) with w >= 0 of a rotation matrix."""
    phi = logarithm(rotation)
    half = 0.5 * math.sqrt(phi[0] * phi[0] + phi[1] * phi[1] + phi[2] * phi[2])
    scale = 0.5 * (1.0 - half * half / 6.0) if half < SMALL else 0.5 * math.sin(half) / half
    return np.array([scale * phi[0], scale * phi[1], scale * phi[2], math.cos(half)])

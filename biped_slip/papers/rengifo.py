# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Rengifo's contact (C): bouncing ball, brick on a ramp, planar foot at rest."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from biped_slip.contact.contact_space import Array, contact_space
from biped_slip.contact.feedback_linearised import linearising_forces
from biped_slip.friction.law import GRAVITY
from biped_slip.kernels import kernel


class RestingFoot(NamedTuple):
    """Normal force (n,) [N] over time, and how often a point came or went."""

    time: Array
    normal: Array
    changes: int


@kernel
def _resting_foot(resting_height: float, dt: float, steps: int) -> tuple[Array, int]:
    """A planar foot as a body with (x, z, pitch): 5 kg, points at ±0.12 m, centre of mass 0.05 m up."""
    half, up, mass, inertia = 0.12, 0.05, 5.0, 5.0 * (0.24 * 0.24 + 0.1 * 0.1) / 12.0
    q, v = np.array([0.0, up, 0.0]), np.zeros(3)
    masses = np.diag(np.array([mass, mass, inertia]))
    normals, changes, before = np.empty(steps), 0, 3
    for k in range(steps):
        load = 20.0 * math.sin(2.0 * math.pi * 2.0 * k * dt)
        c, s = math.cos(q[2]), math.sin(q[2])
        touching, state = np.zeros(2, dtype=np.int64), 0
        count = 0
        for i in range(2):
            x = half if i == 0 else -half
            if q[1] + s * x - c * up <= 0.0:
                touching[count] = i
                count += 1
                state += 1 + i
        changes += state != before
        before = state
        force = np.array([0.0, -mass * GRAVITY - load, 0.0])
        total = 0.0
        if count > 0:
            jacobian, drift = np.zeros((3 * count, 3)), np.zeros(3 * count)
            height, velocity = np.empty(count), np.zeros((count, 3))
            for j in range(count):
                x = half if touching[j] == 0 else -half
                rx, rz = c * x + s * up, s * x - c * up
                jacobian[3 * j] = np.array([1.0, 0.0, -rz])
                jacobian[3 * j + 2] = np.array([0.0, 1.0, rx])
                drift[3 * j], drift[3 * j + 2] = -rx * v[2] * v[2], -rz * v[2] * v[2]
                height[j] = q[1] + rz
                velocity[j] = jacobian[3 * j : 3 * j + 3] @ v
            space = contact_space(masses, force, np.zeros(3), jacobian, drift)
            forces = linearising_forces(
                space, height, velocity, np.full(count, 0.7), 500.0, 250.0, resting_height, 1e-10
            )
            force = force + jacobian.T @ forces.copy().reshape(-1)
            total = np.sum(forces[:, 2])
        normals[k] = total
        v = v + force / np.array([mass, mass, inertia]) * dt
        q = q + v * dt
    return normals, changes


def planar_foot_at_rest(resting_height: float, dt: float, seconds: float = 3.0) -> RestingFoot:
    """The measured table of C.3: a foot at rest under a load 20 sin(2 pi 2 t) N, semi-implicit Euler."""
    steps = round(seconds / dt)
    normal, changes = _resting_foot(resting_height, dt, steps)
    return RestingFoot(dt * np.arange(steps, dtype=float), normal, int(changes))

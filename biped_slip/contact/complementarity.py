# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Rodić's contact as complementarity problems (D.2): the impact, and what follows it.

Both are one problem in contact space with box friction, y = A x + b, 0 <= x ⟂ y >= 0:
velocities for the impact (32)–(53), accelerations for the contact (44)–(48). Lemke's
algorithm with lexicographic ties comes from QuantEcon. In time::

    a sole lands: impact (impulses) | rests or slides: forces, step by step | lifts

It is the physics of one paper ([Rodic2009]), the law `rodic` of a scenario; no walk of
our own uses it by default.
"""

from __future__ import annotations

import math
import sys
from typing import NamedTuple

import numpy as np
from numba.core.caching import NullCache
from quantecon.optimize.lcp_lemke import lcp_lemke

from biped_slip.compile.arrays import Array
from biped_slip.compile.kernel import kernel

# two processes that fill the solver's own cache at once mix their files up, and loading
# them crashes
for _part in ("quantecon.optimize.lcp_lemke", "quantecon.optimize.pivoting"):
    for _solver in vars(sys.modules[_part]).values():
        if hasattr(_solver, "_cache"):
            _solver._cache = NullCache()


class Response(NamedTuple):
    """Solution of a complementarity problem for n points."""

    forces: Array  # (n, 3) impulses [N s] or forces [N]
    motion: Array  # (n, 3) velocities after [m/s] or accelerations [m/s^2]
    solved: bool


@kernel
def _tangents(sliding: Array) -> Array:
    """List the indices into contact space of the tangents that may stick, (k,)."""
    found = np.empty(2 * sliding.shape[0], dtype=np.int64)
    k = 0
    for i in range(sliding.shape[0]):
        for axis in range(2):
            if sliding[i, axis] == 0.0:
                found[k] = 3 * i + axis
                k += 1
    return found[:k]


@kernel
def force_columns(mu: Array, sliding: Array, tangents: Array) -> Array:
    """Build the contact-space force (3n, n + 2k) per unknown force of the box problem.

    Args: mu (n,); sliding (n, 2) as in :func:`box_problem`; tangents (k,) that may
    stick.
    """
    n = mu.shape[0]
    k = tangents.shape[0]
    columns = np.zeros((3 * n, n + 2 * k))
    for i in range(n):
        columns[3 * i + 2, i] = 1.0
        for axis in range(2):
            columns[3 * i + axis, i] = -sliding[i, axis] * mu[i]
    for j in range(k):
        columns[tangents[j], n + j] = 1.0
        columns[tangents[j], n + k + j] = -1.0
    return columns


@kernel
def box_problem(
    response: Array, start: Array, mu: Array, sliding: Array
) -> tuple[Array, Array]:
    """Build matrix and vector of y = A x + b, 0 <= x ⟂ y >= 0 with box friction (53).

    The size is n + 8k.

    x = [F_N (n); F⁺ (k), F⁻ (k); motion⁻ (k), motion⁺ (k)] over n points and k tangents
    that may stick, with y = [motion_N; motion⁺, motion⁻; mu F_N − F⁺, mu F_N − F⁻].
    With every tangent (k = 2n) it is the paper's 9n.

    Args: response (3n, 3n); start (3n,) the motion without contact forces; mu (n,);
    sliding (n, 2) sign of an established slide, whose friction −sign·mu·F_N needs no
    unknown; 0 leaves it to the problem.
    """
    n = mu.shape[0]
    tangents = _tangents(sliding)
    k = tangents.shape[0]
    moved = response @ force_columns(mu, sliding, tangents)
    size = n + 4 * k
    a = np.zeros((size, size))
    b = np.zeros(size)
    for i in range(n):
        a[i, : n + 2 * k] = moved[3 * i + 2]
        b[i] = start[3 * i + 2]
    for j in range(k):
        row = tangents[j]
        plus = n + j
        minus = n + k + j
        a[plus, : n + 2 * k], b[plus] = moved[row], start[row]
        a[minus, : n + 2 * k], b[minus] = -moved[row], -start[row]
        a[plus, plus + 2 * k] = 1.0
        a[minus, minus + 2 * k] = 1.0
        a[plus + 2 * k, row // 3] = mu[row // 3]
        a[minus + 2 * k, row // 3] = mu[row // 3]
        a[plus + 2 * k, plus] = -1.0
        a[minus + 2 * k, minus] = -1.0
    return a, b


@kernel
def box_response(response: Array, start: Array, mu: Array, sliding: Array) -> Response:
    """Solve the box problem of :func:`box_problem` by Lemke's method.

    The arguments are the same.
    """
    n = mu.shape[0]
    a, b = box_problem(response, start, mu, sliding)
    solution = lcp_lemke(a, b)
    # round-off can end a path of Lemke's method on a ray; another path need not
    if not solution.success:
        solution = lcp_lemke(a, b, 1.0 / (1.0 + np.abs(b)))
    x = solution.z
    tangents = _tangents(sliding)
    k = tangents.shape[0]
    flat = np.zeros(3 * n)
    for i in range(n):
        flat[3 * i + 2] = x[i]
        for axis in range(2):
            flat[3 * i + axis] = -sliding[i, axis] * mu[i] * x[i]
    for j in range(k):
        flat[tangents[j]] = x[n + j] - x[n + k + j]
    motion = start + response @ flat
    return Response(flat.reshape((n, 3)), motion.reshape((n, 3)), solution.success)


@kernel(inline="code")
def on_cone(x: float, y: float, z: float, mu: float) -> tuple[float, float, float]:
    """Project a force (x, y along the ground, z its normal) [N] on the friction cone.

    It is the nearest force with a tangential part of at most mu z.
    """
    tangent = math.sqrt(x * x + y * y)
    if not tangent > mu * z:
        return x, y, z
    if z <= -mu * tangent:
        return 0.0, 0.0, 0.0
    z = (z + mu * tangent) / (1.0 + mu * mu)
    return x / tangent * mu * z, y / tangent * mu * z, z


@kernel(inline="code")
def cone_sweep(response: Array, start: Array, mu: Array, flat: Array) -> float:
    """Move the force of each point once, in place; return the largest motion changed.

    Args: response (3n, 3n); start (3n,); mu (n,); flat (3n,) the forces.
    """
    change = 0.0
    for i in range(mu.shape[0]):
        j = 3 * i
        u = start[j : j + 3] + response[j : j + 3] @ flat
        rho = 1.0 / (response[j, j] + response[j + 1, j + 1] + response[j + 2, j + 2])
        lifted = u[2] + mu[i] * math.sqrt(u[0] * u[0] + u[1] * u[1])
        x, y, z = on_cone(
            flat[j] - rho * u[0],
            flat[j + 1] - rho * u[1],
            flat[j + 2] - rho * lifted,
            mu[i],
        )
        change = max(
            change,
            abs(x - flat[j]) / rho,
            abs(y - flat[j + 1]) / rho,
            abs(z - flat[j + 2]) / rho,
        )
        flat[j] = x
        flat[j + 1] = y
        flat[j + 2] = z
    return change


SWEEPS = 20000  # of the fixed point at most


@kernel
def cone_response(response: Array, start: Array, mu: Array) -> Response:
    """Solve the contact problem with circular friction cones (our addition).

    It is de Saxcé's fixed point, point after point: F_i ← projection on the cone of F_i
    − rho (u_i + mu_i |u_i,t| n), until nothing moves.
    """
    n = mu.shape[0]
    flat = np.zeros(3 * n)
    scale = np.max(np.abs(start)) + 1e-300
    solved = False
    for _ in range(SWEEPS):
        if cone_sweep(response, start, mu, flat) <= 1e-12 * scale:
            solved = True
            break
    motion = start + response @ flat
    return Response(flat.reshape((n, 3)), motion.reshape((n, 3)), solved)


@kernel
def impact(
    response: Array,
    before: Array,
    ground: Array,
    mu: Array,
    restitution: float,
    circular: bool,
) -> Response:
    """Compute impulses (n, 3) and velocities after (n, 3) of points (32)–(53).

    The points are those of Omega_S*.

    Newton's restitution replaces motion_N by motion_N'' + e·motion_N'. Where friction
    would make that create energy, the impulses are shortened towards the plastic ones
    until it doesn't (choice).

    Args: response (3n, 3n) = J H⁻¹ Jᵀ; before, ground (n, 3) velocities of the points
    and of the ground below.
    """
    start = (before - ground).copy().reshape(-1)
    free = np.zeros((mu.shape[0], 2))
    plastic = (
        cone_response(response, start, mu)
        if circular
        else box_response(response, start, mu, free)
    )
    if restitution == 0.0:
        return Response(plastic.forces, plastic.motion + ground, plastic.solved)
    lifted = start.copy()
    for i in range(mu.shape[0]):
        lifted[3 * i + 2] += restitution * min(start[3 * i + 2], 0.0)
    full = (
        cone_response(response, lifted, mu)
        if circular
        else box_response(response, lifted, mu, free)
    )
    one = plastic.forces.copy().reshape(-1)
    two = full.forces.copy().reshape(-1)
    share = 1.0
    extra = two - one
    # energy gain of one + s·extra: g0 + s·g1 + s²·g2 <= 0
    g0 = one @ start + 0.5 * one @ (response @ one)
    g1 = extra @ start + extra @ (response @ one)
    g2 = 0.5 * extra @ (response @ extra)
    if g0 + g1 + g2 > 0.0 and g2 > 0.0:
        share = max(
            0.0,
            min(
                1.0,
                (-g1 + math.sqrt(max(g1 * g1 - 4.0 * g2 * min(g0, 0.0), 0.0)))
                / (2.0 * g2),
            ),
        )
    flat = one + share * extra
    motion = (start + response @ flat).reshape((mu.shape[0], 3)) + ground
    return Response(
        flat.reshape((mu.shape[0], 3)), motion, plastic.solved and full.solved
    )


@kernel
def contact_forces(
    response: Array,
    free: Array,
    velocity: Array,
    mu: Array,
    dt: float,
    rate_tolerance: float,
    circular: bool,
) -> Response:
    """Compute forces (n, 3) between impacts on points that rest or slide (44)–(48).

    They hold for one time step.

    A tangential velocity above the tolerance is an established slide with friction
    −sgn·mu·F_N on its axis; a smaller one, and the normal rate, are brought to zero
    within the step, so that contact does not drift (choice).
    """
    start = free.copy()
    sliding = np.zeros((mu.shape[0], 2))
    for i in range(mu.shape[0]):
        start[3 * i + 2] += velocity[i, 2] / dt
        for axis in range(2):
            if abs(velocity[i, axis]) > rate_tolerance:
                sliding[i, axis] = math.copysign(1.0, velocity[i, axis])
            else:
                start[3 * i + axis] += velocity[i, axis] / dt
    if circular:
        for i in range(mu.shape[0]):
            for axis in range(2):
                if sliding[i, axis] != 0.0:
                    start[3 * i + axis] += velocity[i, axis] / dt
        return cone_response(response, start, mu)
    return box_response(response, start, mu, sliding)

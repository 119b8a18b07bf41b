# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""True contacts of the study: the motion under a given force ratio, also for laws that the estimator does not know."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from biped_slip.compile.arrays import Array
from biped_slip.compile.kernel import kernel

SUB_STEPS = 4  # midpoint steps per sample (study 2)
SMALLEST_ROOM = 1e-9  # of mu^2 - |u|^2
KINETIC = 0.8  # kinetic over static coefficient of the laws with a peak (study 2)
ETA = 0.3  # second order Bliman-Sorine (study 2)
BRISTLE_LAG = 4e-3  # [s], LuGre (study 2)
STRIBECK_VELOCITY = 10e-3  # [m/s], LuGre (study 2)


class Law(NamedTuple):
    """Which law is true, with the shape of the Dahl family, a series stiffness [N/m] (inf: none) and a damper."""

    name: str = "dahl"  # dahl, bliman_sorine, lugre or force_form
    shape: float = 1.0
    stiffness: float = math.inf
    damping: float = 0.0  # over stiffness, of a sole that damps its presliding [s]


FIRST_ORDER = Law()


def displacement(law: Law, ratio: Array, normal: Array, mu: Array, s_p: Array, period: float) -> Array:
    """Displacement of the foot under a force ratio, shape (stances, samples, 2) [m].

    Args:
        law: the contact's law.
        ratio: true force ratio, shape (stances, samples, 2) [-].
        normal: normal force, shape (stances, samples) [N].
        mu, s_p: shape (stances,) [-], [m].
        period: time between samples [s].
    """
    moved, ratio = np.zeros_like(ratio), elastic(ratio, law.damping / period)
    for stance in range(mu.size):
        if law.name == "dahl":
            dahl(ratio[stance], mu[stance], s_p[stance], law.shape, moved[stance])
        elif law.name == "bliman_sorine":
            f_1, f_2 = virgin_peak_coefficients(mu[stance])
            bliman_sorine(ratio[stance, :, 0], f_1, f_2, s_p[stance], moved[stance, :, 0])
        elif law.name == "lugre":
            lugre(ratio[stance, :, 0], mu[stance], s_p[stance], period, moved[stance, :, 0])
        else:
            force_form(ratio[stance, :, 0], normal[stance], mu[stance], s_p[stance], moved[stance, :, 0])
    return moved + ratio * normal[..., None] / law.stiffness


def elastic(ratio: Array, time: float) -> Array:
    """What the spring of a damped contact carries, ``ratio = spring + time d spring/dt``; ``time`` in samples."""
    if time == 0.0:
        return ratio
    spring, kept = ratio.copy(), math.exp(-1.0 / time)
    for k in range(1, ratio.shape[1]):
        spring[:, k] = kept * spring[:, k - 1] + (1.0 - kept) * 0.5 * (ratio[:, k - 1] + ratio[:, k])
    return spring


@kernel
def dahl(ratio: Array, mu: float, s_p: float, shape: float, moved: Array) -> None:
    """First order law along straight segments, bent by the shape alpha (study 2); fills ``moved`` (samples, 2)."""
    for k in range(1, ratio.shape[0]):
        du_x, du_y = (ratio[k, 0] - ratio[k - 1, 0]) / SUB_STEPS, (ratio[k, 1] - ratio[k - 1, 1]) / SUB_STEPS
        squared = du_x * du_x + du_y * du_y
        moved[k] = moved[k - 1]
        if squared == 0.0:
            continue
        for step in range(SUB_STEPS):
            u_x, u_y = ratio[k - 1, 0] + (step + 0.5) * du_x, ratio[k - 1, 1] + (step + 0.5) * du_y
            along = u_x * du_x + u_y * du_y
            room = max(mu * mu - u_x * u_x - u_y * u_y, SMALLEST_ROOM)
            s = (along + math.sqrt(along * along + room * squared)) / room
            bend = max(1.0 - along / (math.sqrt(squared) * mu), SMALLEST_ROOM) ** (1.0 - shape)
            moved[k, 0] += s_p / 3.0 * bend * (du_x + s * u_x) / mu
            moved[k, 1] += s_p / 3.0 * bend * (du_y + s * u_y) / mu


def virgin_peak_coefficients(mu: float) -> tuple[float, float]:
    """f_1, f_2 of the second order law whose first loading peaks at mu and slides at 0.8 mu (A.2, c = 1)."""
    kinetic, low, high = KINETIC * mu, 0.0, 1.0
    for _ in range(100):
        f_2 = 0.5 * (low + high) * 20.0 * mu
        share = ETA * f_2 / (kinetic + f_2)
        peak = kinetic + f_2 * (1.0 - ETA) * share ** (ETA / (1.0 - ETA))
        low, high = (0.5 * (low + high), high) if peak < mu else (low, 0.5 * (low + high))
    return kinetic + f_2, f_2


@kernel
def bliman_sorine(ratio: Array, f_1: float, f_2: float, s_p: float, moved: Array) -> None:
    """Second order law (A.2 (4.11)) driven by the force ratio, midpoint steps; fills ``moved`` (samples,)."""
    eps = s_p / 3.0
    z_1 = z_2 = 0.0
    for k in range(1, ratio.size):
        du = (ratio[k] - ratio[k - 1]) / SUB_STEPS
        direction = math.copysign(1.0, du)
        moved[k] = moved[k - 1]
        for _ in range(SUB_STEPS):
            dx = du / _slope(z_1, z_2, direction, f_1, f_2, eps)
            half_1 = z_1 + 0.5 * dx * (f_1 - direction * z_1) / (eps * ETA)
            half_2 = z_2 - 0.5 * dx * (f_2 + direction * z_2) / eps
            dx = du / _slope(half_1, half_2, direction, f_1, f_2, eps)
            z_1 += dx * (f_1 - direction * half_1) / (eps * ETA)
            z_2 -= dx * (f_2 + direction * half_2) / eps
            moved[k] += dx


@kernel
def _slope(z_1: float, z_2: float, direction: float, f_1: float, f_2: float, eps: float) -> float:
    slope = (f_1 - direction * z_1) / (eps * ETA) - (f_2 + direction * z_2) / eps
    return max(slope, 1e-3 * f_1 / eps)


@kernel
def lugre(ratio: Array, mu: float, s_p: float, period: float, moved: Array) -> None:
    """LuGre (A.2 (4.7)) with initial stiffness 3 mu/s_p, driven by the force ratio; fills ``moved`` (samples,)."""
    sigma_0 = 3.0 * mu / s_p
    z, velocity, step = 0.0, 0.0, period / SUB_STEPS
    for k in range(1, ratio.size):
        moved[k] = moved[k - 1]
        for sub_step in range(SUB_STEPS):
            u = ratio[k - 1] + (sub_step + 1.0) / SUB_STEPS * (ratio[k] - ratio[k - 1])
            rate = (u / sigma_0 - z) / (BRISTLE_LAG + step)  # of z, implicit: u = sigma_0 (z + step rate + lag rate)
            z += step * rate
            for _ in range(20):  # rate = v (1 - sigma_0 z sgn(v)/g(v)), solved for v
                limit = KINETIC * mu + (1.0 - KINETIC) * mu * math.exp(-((velocity / STRIBECK_VELOCITY) ** 2))
                velocity = rate / max(1.0 - math.copysign(1.0, rate) * sigma_0 * z / limit, 0.01)
            moved[k] += step * velocity


@kernel
def force_form(ratio: Array, normal: Array, mu: float, s_p: float, moved: Array) -> None:
    """First order law in the force instead of the ratio: dx = s_p/3 dF/(mu Fn - s F); fills ``moved`` (samples,)."""
    for k in range(1, ratio.size):
        before, after = ratio[k - 1] * normal[k - 1], ratio[k] * normal[k]
        step = (after - before) / SUB_STEPS
        direction = math.copysign(1.0, step)
        moved[k] = moved[k - 1]
        for sub_step in range(SUB_STEPS):
            share = (sub_step + 0.5) / SUB_STEPS
            limit = mu * (normal[k - 1] + share * (normal[k] - normal[k - 1]))
            force = before + (sub_step + 0.5) * step
            moved[k] += s_p / 3.0 * step / max(limit - direction * force, 1e-3 * limit + 1e-3)

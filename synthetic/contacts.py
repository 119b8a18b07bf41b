# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Contacts of known friction: presliding with local and with full memory.

Each gives the displacement of a foot under a prescribed force ratio ``u = Ft / Fn``:
the laws that the interval estimator carries, and others that it does not know.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from biped_slip.compile.arrays import Array
from biped_slip.compile.kernel import kernel
from biped_slip.friction_laws import hysteresis_laws

# True contacts of the study: the motion under a given force ratio, also for laws that
# the estimator does not know.

SUB_STEPS = 4  # midpoint steps per sample (study 2)
SMALLEST_ROOM = 1e-9  # of mu^2 - |u|^2
KINETIC = 0.8  # kinetic over static coefficient of the laws with a peak (study 2)
ETA = 0.3  # second order Bliman-Sorine (study 2)
BRISTLE_LAG = 4e-3  # [s], LuGre (study 2)
STRIBECK_VELOCITY = 10e-3  # [m/s], LuGre (study 2)


class Law(NamedTuple):
    """Which law is true, with the shape of the Dahl family.

    It also has a series stiffness [N/m] (inf: none) and a damper.
    """

    name: str = "dahl"  # dahl, bliman_sorine, lugre or force_form
    shape: float = 1.0
    stiffness: float = math.inf
    damping: float = 0.0  # over stiffness, of a sole that damps its presliding [s]


FIRST_ORDER = Law()


def displacement(
    law: Law, ratio: Array, normal: Array, mu: Array, s_p: Array, period: float
) -> Array:
    """Compute the displacement of the foot under a force ratio.

    The displacement has the shape (stances, samples, 2) [m].

    Args:
        law: the contact's law.
        ratio: true force ratio, shape (stances, samples, 2) [-].
        normal: normal force, shape (stances, samples) [N].
        mu: friction coefficient, shape (stances,) [-].
        s_p: displacement at 95 % of the limit, shape (stances,) [m].
        period: time between samples [s].
    """
    moved = np.zeros_like(ratio)
    ratio = elastic(ratio, law.damping / period)
    for stance in range(mu.size):
        if law.name == "dahl":
            dahl(ratio[stance], mu[stance], s_p[stance], law.shape, moved[stance])
        elif law.name == "bliman_sorine":
            f_1, f_2 = virgin_peak_coefficients(mu[stance])
            bliman_sorine(
                ratio[stance, :, 0], f_1, f_2, s_p[stance], moved[stance, :, 0]
            )
        elif law.name == "lugre":
            lugre(
                ratio[stance, :, 0],
                mu[stance],
                s_p[stance],
                period,
                moved[stance, :, 0],
            )
        else:
            force_form(
                ratio[stance, :, 0],
                normal[stance],
                mu[stance],
                s_p[stance],
                moved[stance, :, 0],
            )
    return moved + ratio * normal[..., None] / law.stiffness


def elastic(ratio: Array, time: float) -> Array:
    """Compute what a damped contact's spring carries.

    The spring follows ``ratio = spring + time d spring/dt``; ``time`` is in samples.
    """
    if time == 0.0:
        return ratio
    spring = ratio.copy()
    kept = math.exp(-1.0 / time)
    for k in range(1, ratio.shape[1]):
        spring[:, k] = kept * spring[:, k - 1] + (1.0 - kept) * 0.5 * (
            ratio[:, k - 1] + ratio[:, k]
        )
    return spring


@kernel
def dahl(ratio: Array, mu: float, s_p: float, shape: float, moved: Array) -> None:
    """Follow the first order law along straight segments.

    The law is bent by the shape alpha (study 2); it fills ``moved`` (samples, 2).
    """
    for k in range(1, ratio.shape[0]):
        du_x = (ratio[k, 0] - ratio[k - 1, 0]) / SUB_STEPS
        du_y = (ratio[k, 1] - ratio[k - 1, 1]) / SUB_STEPS
        squared = du_x * du_x + du_y * du_y
        moved[k, 0], moved[k, 1] = moved[k - 1, 0], moved[k - 1, 1]
        if squared == 0.0:
            continue
        for step in range(SUB_STEPS):
            u_x = ratio[k - 1, 0] + (step + 0.5) * du_x
            u_y = ratio[k - 1, 1] + (step + 0.5) * du_y
            along = u_x * du_x + u_y * du_y
            room = max(mu * mu - u_x * u_x - u_y * u_y, SMALLEST_ROOM)
            s = (along + math.sqrt(along * along + room * squared)) / room
            bend = max(1.0 - along / (math.sqrt(squared) * mu), SMALLEST_ROOM) ** (
                1.0 - shape
            )
            moved[k, 0] += s_p / 3.0 * bend * (du_x + s * u_x) / mu
            moved[k, 1] += s_p / 3.0 * bend * (du_y + s * u_y) / mu


def virgin_peak_coefficients(mu: float) -> tuple[float, float]:
    """Find f_1, f_2 of the second order law (A.2, c = 1).

    Its first loading peaks at mu and slides at 0.8 mu.
    """
    kinetic = KINETIC * mu
    low = 0.0
    high = 1.0
    for _ in range(100):
        f_2 = 0.5 * (low + high) * 20.0 * mu
        share = ETA * f_2 / (kinetic + f_2)
        peak = kinetic + f_2 * (1.0 - ETA) * share ** (ETA / (1.0 - ETA))
        low, high = (
            (0.5 * (low + high), high) if peak < mu else (low, 0.5 * (low + high))
        )
    return kinetic + f_2, f_2


@kernel
def bliman_sorine(
    ratio: Array, f_1: float, f_2: float, s_p: float, moved: Array
) -> None:
    """Drive the second order law (A.2 (4.11)) by the force ratio, in midpoint steps.

    It fills ``moved`` (samples,).
    """
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
def _slope(
    z_1: float, z_2: float, direction: float, f_1: float, f_2: float, eps: float
) -> float:
    slope = (f_1 - direction * z_1) / (eps * ETA) - (f_2 + direction * z_2) / eps
    return max(slope, 1e-3 * f_1 / eps)


@kernel
def lugre(ratio: Array, mu: float, s_p: float, period: float, moved: Array) -> None:
    """Drive LuGre (A.2 (4.7)) with initial stiffness 3 mu/s_p by the force ratio.

    It fills ``moved`` (samples,).
    """
    sigma_0 = 3.0 * mu / s_p
    z = 0.0
    velocity = 0.0
    step = period / SUB_STEPS
    for k in range(1, ratio.size):
        moved[k] = moved[k - 1]
        for sub_step in range(SUB_STEPS):
            u = ratio[k - 1] + (sub_step + 1.0) / SUB_STEPS * (ratio[k] - ratio[k - 1])
            # of z, implicit: u = sigma_0 (z + step rate + lag rate)
            rate = (u / sigma_0 - z) / (BRISTLE_LAG + step)
            z += step * rate
            for _ in range(20):  # rate = v (1 - sigma_0 z sgn(v)/g(v)), solved for v
                limit = KINETIC * mu + (1.0 - KINETIC) * mu * math.exp(
                    -((velocity / STRIBECK_VELOCITY) ** 2)
                )
                velocity = rate / max(
                    1.0 - math.copysign(1.0, rate) * sigma_0 * z / limit, 0.01
                )
            moved[k] += step * velocity


@kernel
def force_form(
    ratio: Array, normal: Array, mu: float, s_p: float, moved: Array
) -> None:
    """Follow the first order law in the force instead of the ratio.

    The law is dx = s_p/3 dF/(mu Fn - s F); it fills ``moved`` (samples,).
    """
    for k in range(1, ratio.size):
        before = ratio[k - 1] * normal[k - 1]
        after = ratio[k] * normal[k]
        step = (after - before) / SUB_STEPS
        direction = math.copysign(1.0, step)
        moved[k] = moved[k - 1]
        for sub_step in range(SUB_STEPS):
            share = (sub_step + 0.5) / SUB_STEPS
            limit = mu * (normal[k - 1] + share * (normal[k] - normal[k - 1]))
            force = before + (sub_step + 0.5) * step
            moved[k] += (
                s_p / 3.0 * step / max(limit - direction * force, 1e-3 * limit + 1e-3)
            )


# True contacts that remember every reversal, and those that don't, driven by a force
# ratio in the plane.
#
# Motion is counted in units of s_p/3 and force ratios in units of mu, so that the
# initial stiffness of every contact is 1 and the pull curve of all but the
# elasto-plastic one is that of a Dahl contact, ``1 - exp(-y)``.

IWAN_ELEMENTS = 60
IWAN_SPREAD = 1.5
MAXWELL_SLIP_ELEMENTS = 8
MAXWELL_SLIP_SPREAD = 1.3
NEWTON_STEPS = 30
HALVINGS = 12
EXACT = 1e-9
CREEP_SHARE = 1.0 / 3.0  # of the motion of rubber that comes late (choice)


class Contact(NamedTuple):
    """Which contact is true."""

    # dahl, elasto_plastic, iwan, maxwell_slip, bliman_sorine or lugre (these two on a
    # line)
    name: str = "dahl"
    breakaway: float = 0.0  # elasto_plastic: share of mu below which nothing flows
    shape: float = 1.0  # dahl: alpha
    bulk: bool = False  # stiffness of the bulk: s_p grows with the load
    creep: float = 0.0  # time constant of a third of the motion [s]
    stiffness: float = math.inf  # in series [N/m]


def contact_motion(
    contact: Contact, ratio: Array, normal: Array, mu: Array, s_p: Array, period: float
) -> Array:
    """Compute the displacement of the foot under a force ratio.

    The displacement has the shape (stances, samples, 2) [m].

    Args:
        contact: which is true.
        ratio: true force ratio, shape (stances, samples, 2) [-].
        normal: normal force, shape (stances, samples) [N].
        mu: friction coefficient, shape (stances,) [-].
        s_p: displacement at 95 % of the limit, with ``bulk`` under the mean load, shape
            (stances,) [m].
        period: time between samples [s].
    """
    moved = np.zeros_like(ratio)
    yields, stiffness = elements(contact.name)
    for k in range(mu.size):
        if contact.name in ("bliman_sorine", "lugre"):
            moved[k] = displacement(
                Law(contact.name),
                ratio[k : k + 1],
                normal[k : k + 1],
                mu[k : k + 1],
                s_p[k : k + 1],
                period,
            )[0]
            continue
        loaded = normal[k] > 0.2 * normal[k].max()
        share = (
            normal[k] / np.mean(normal[k][loaded])
            if contact.bulk
            else np.ones_like(normal[k])
        )
        length = s_p[k] / 3.0 * share
        if contact.name in ("iwan", "maxwell_slip"):
            parallel(ratio[k] / mu[k], length, yields, stiffness, moved[k])
        elif contact.shape != 1.0:
            dahl(ratio[k], mu[k], s_p[k], contact.shape, moved[k])
        else:
            local(
                ratio[k] / mu[k],
                length,
                contact.breakaway,
                contact.name == "elasto_plastic",
                moved[k],
            )
    if contact.creep > 0.0:
        moved = (1.0 - CREEP_SHARE) * moved + CREEP_SHARE * elastic(
            moved, contact.creep / period
        )
    return moved + ratio * normal[..., None] / contact.stiffness


def elements(name: str) -> tuple[Array, Array]:
    """Return yield displacements and stiffnesses of parallel elements.

    Their pull curve is ``1 - exp(-y)`` at their yields.
    """
    count, spread = (
        (MAXWELL_SLIP_ELEMENTS, MAXWELL_SLIP_SPREAD)
        if name == "maxwell_slip"
        else (IWAN_ELEMENTS, IWAN_SPREAD)
    )
    yields = hysteresis_laws.spread_yields(count, spread)
    return np.array(yields), np.array(hysteresis_laws.stiffnesses(yields))


@kernel
def parallel(
    ratio: Array, length: Array, yields: Array, stiffness: Array, moved: Array
) -> None:
    """Move springs with sliders in parallel, by radial return in the plane.

    It fills ``moved`` (samples, 2) [m].

    The motion that carries the wanted ratio is found by Newton's method: force is the
    gradient of a convex function.
    """
    stretch = np.zeros((yields.size, 2))
    for k in range(1, ratio.shape[0]):
        x = y = 0.0
        error_x, error_y, j_xx, j_xy, j_yy = _residual(
            stretch, yields, stiffness, x, y, ratio[k, 0], ratio[k, 1]
        )
        for _ in range(NEWTON_STEPS):
            error = math.hypot(error_x, error_y)
            if error < EXACT:
                break
            determinant = j_xx * j_yy - j_xy * j_xy + 1e-12
            dx = (j_yy * error_x - j_xy * error_y) / determinant
            dy = (j_xx * error_y - j_xy * error_x) / determinant
            for _ in range(HALVINGS):
                new = _residual(
                    stretch, yields, stiffness, x + dx, y + dy, ratio[k, 0], ratio[k, 1]
                )
                if math.hypot(new[0], new[1]) < error:
                    break
                dx = 0.5 * dx
                dy = 0.5 * dy
            x = x + dx
            y = y + dy
            error_x, error_y, j_xx, j_xy, j_yy = new
        for j in range(yields.size):
            s_x = stretch[j, 0] + x
            s_y = stretch[j, 1] + y
            far = math.hypot(s_x, s_y)
            scale = yields[j] / far if far > yields[j] else 1.0
            stretch[j, 0] = s_x * scale
            stretch[j, 1] = s_y * scale
        moved[k, 0] = moved[k - 1, 0] + length[k] * x
        moved[k, 1] = moved[k - 1, 1] + length[k] * y


@kernel
def _residual(
    stretch: Array,
    yields: Array,
    stiffness: Array,
    x: float,
    y: float,
    wanted_x: float,
    wanted_y: float,
) -> tuple[float, float, float, float, float]:
    """Return the wanted force less that after a motion, and the latter's derivative.

    The derivative is (xx, xy, yy).
    """
    force_x = force_y = xx = xy = yy = 0.0
    for j in range(yields.size):
        s_x = stretch[j, 0] + x
        s_y = stretch[j, 1] + y
        far = math.hypot(s_x, s_y)
        if far <= yields[j]:
            force_x += stiffness[j] * s_x
            force_y += stiffness[j] * s_y
            xx += stiffness[j]
            yy += stiffness[j]
        else:
            n_x = s_x / far
            n_y = s_y / far
            limit = stiffness[j] * yields[j]
            force_x += limit * n_x
            force_y += limit * n_y
            xx += limit / far * n_y * n_y
            xy -= limit / far * n_x * n_y
            yy += limit / far * n_x * n_x
    return wanted_x - force_x, wanted_y - force_y, xx, xy, yy


@kernel
def local(
    ratio: Array, length: Array, breakaway: float, plastic: bool, moved: Array
) -> None:
    """Follow Dahl's contact and the elasto-plastic one on straight segments.

    The law is ``du = dx - a |dx| u``; it fills ``moved`` [m].
    """
    steps = SUB_STEPS
    for k in range(1, ratio.shape[0]):
        du_x = (ratio[k, 0] - ratio[k - 1, 0]) / steps
        du_y = (ratio[k, 1] - ratio[k - 1, 1]) / steps
        moved[k, 0], moved[k, 1] = moved[k - 1, 0], moved[k - 1, 1]
        for step in range(steps):
            u_x = ratio[k - 1, 0] + (step + 0.5) * du_x
            u_y = ratio[k - 1, 1] + (step + 0.5) * du_y
            along = u_x * du_x + u_y * du_y
            size = math.hypot(u_x, u_y)
            share = 1.0
            if plastic:
                share = 0.0
                if along > 0.0 and size > breakaway:
                    share = 0.5 + 0.5 * math.sin(
                        math.pi
                        * ((min(size, 1.0) - breakaway) / (1.0 - breakaway) - 0.5)
                    )
            room = max(1.0 - (share * size) ** 2, SMALLEST_ROOM)
            squared = du_x * du_x + du_y * du_y
            path = (
                share * along + math.sqrt((share * along) ** 2 + room * squared)
            ) / room
            moved[k, 0] += length[k] * (du_x + share * path * u_x)
            moved[k, 1] += length[k] * (du_y + share * path * u_y)

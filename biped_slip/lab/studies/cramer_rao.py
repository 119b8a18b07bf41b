# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""What any estimator could know of mu (Cramer-Rao, study 4), and least squares that reaches it: the oracle.

Straight stances, first order law, position sensor: x = b + s_p phi(u; mu)/3 + noise, where the noise of u enters
through the slope of the curve.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from scipy.signal import savgol_filter

from biped_slip.compile.arrays import AnyArray
from biped_slip.compile.kernel import kernel
from biped_slip.lab.studies.conditions import KNOWN_SOLE
from biped_slip.lab.studies.following import START, follow
from biped_slip.lab.studies.scores import SHARES, check_points
from biped_slip.lab.studies.sensing import Observed, Sensors, observe, told
from biped_slip.lab.studies.stances import StanceKind, Stances, draw

ORACLE_START = 30  # samples after contact (study 9)
STEP = 1e-4  # of ln mu, for the derivative
COARSE, FINE = 60, 40  # values of ln mu searched first, golden section steps after
SMOOTHING = 21  # samples, cubic: the oracle may look ahead
LARGEST_BOUND = 0.35  # cells above it are not judged (study 1: 5)
SEED = 7000
SENSORS = tuple(Sensors("position", sigma, 0.0, force) for sigma, force in
                ((1e-6, 0.5), (5e-6, 1.0), (20e-6, 1.0), (100e-6, 2.0)))  # fmt: skip
SOLES = (0.3e-3, 1e-3, 3e-3)  # [m]
MU = 0.5


class Cell(NamedTuple):
    """One sensor, sole and share of the limit: medians over stances of errors of ln mu."""

    sensors: Sensors
    s_p: float  # [m]
    share: float
    bound: float  # Cramer-Rao, from 30 ms on
    least_squares: float  # sd of the oracle over its bound
    interval: float  # sd of the estimator's median over the bound from 60 ms on, where it starts
    interval_bound: float


@kernel
def straight_path(ratio: AnyArray, mu: float, phi: AnyArray) -> None:
    """Path along a sampled straight force ratio, exact between samples (study 7.1); fills ``phi`` (samples,)."""
    phi[0] = 0.0
    for k in range(1, ratio.size):
        direction = math.copysign(1.0, ratio[k] - ratio[k - 1])
        before, after = mu - direction * ratio[k - 1], mu - direction * ratio[k]
        phi[k] = phi[k - 1] - direction * math.log(max(after, 0.005 * mu) / max(before, 0.005 * mu))


@kernel
def misfit(ratio: AnyArray, displacement: AnyArray, weight: AnyArray, mu: float, phi: AnyArray) -> float:
    """Weighted sum of squares left when s_p and offset are fitted; ``phi`` is scratch."""
    straight_path(ratio, mu, phi)
    total = mean_phi = mean_x = 0.0
    for k in range(ratio.size):
        total += weight[k]
        mean_phi += weight[k] * phi[k]
        mean_x += weight[k] * displacement[k]
    mean_phi, mean_x = mean_phi / total, mean_x / total
    pp = px = xx = 0.0
    for k in range(ratio.size):
        dp, dx = phi[k] - mean_phi, displacement[k] - mean_x
        pp += weight[k] * dp * dp
        px += weight[k] * dp * dx
        xx += weight[k] * dx * dx
    return xx - px * px / pp


@kernel
def least_squares(ratio: AnyArray, displacement: AnyArray, weight: AnyArray) -> float:
    """Ln of the mu that fits best: a coarse search, then golden section."""
    phi = np.empty(ratio.size)
    largest = np.max(np.abs(ratio))
    low, step = math.log(1.001 * largest), math.log(30.0) / COARSE
    best, best_misfit = 0, math.inf
    for k in range(COARSE):
        value = misfit(ratio, displacement, weight, math.exp(low + k * step), phi)
        if value < best_misfit:
            best, best_misfit = k, value
    low, high = low + max(best - 1, 0) * step, low + (best + 1) * step
    golden = 0.5 * (math.sqrt(5.0) - 1.0)
    for _ in range(FINE):
        left, right = high - golden * (high - low), low + golden * (high - low)
        if misfit(ratio, displacement, weight, math.exp(left), phi) < misfit(
            ratio, displacement, weight, math.exp(right), phi
        ):
            high = right
        else:
            low = left
    return 0.5 * (low + high)


def noise(ratio: AnyArray, normal: AnyArray, mu: float, s_p: float, sensors: Sensors) -> AnyArray:
    """Sd of a sample's displacement, with the force noise seen through the curve's slope [m]."""
    direction = np.sign(np.gradient(ratio))
    slope = s_p / 3.0 / np.maximum(mu - direction * ratio, 0.005 * mu)
    return np.hypot(sensors.sigma, slope * sensors.force_sigma * np.sqrt(1.0 + ratio**2) / normal)


def bound(ratio: AnyArray, normal: AnyArray, mu: float, s_p: float, sensors: Sensors) -> float:
    """Cramer-Rao sd of ln mu with s_p and offset unknown, from the true force ratio of one stance (study 4)."""
    phi, up, down = np.empty_like(ratio), np.empty_like(ratio), np.empty_like(ratio)
    straight_path(ratio, mu, phi)
    straight_path(ratio, mu * math.exp(STEP), up)
    straight_path(ratio, mu * math.exp(-STEP), down)
    jacobian = np.column_stack([s_p / 3.0 * (up - down) / (2.0 * STEP), s_p / 3.0 * phi, np.full_like(phi, s_p)])
    q, r = np.linalg.qr(jacobian / noise(ratio, normal, mu, s_p, sensors)[:, None])
    del q
    return float(np.linalg.norm(np.linalg.inv(r)[0]))


def cells(count: int, sensors_in_use: tuple[Sensors, ...] = SENSORS) -> list[Cell]:
    """All cells of section 9: kind 0 stances of mu 0.5, no offset, latency or quantisation."""
    found = []
    for sensors in sensors_in_use:
        for s_p in SOLES:
            rng = np.random.default_rng(SEED)
            stances = draw(rng, count, StanceKind(mu=MU, s_p=s_p, profile=0))
            seen = observe(rng, stances, sensors, False)
            found += [_cell(stances, seen, sensors, s_p, share) for share in SHARES]
    return found


def _cell(stances: Stances, seen: Observed, sensors: Sensors, s_p: float, share: float) -> Cell:
    course = follow(seen, stances.length, told(sensors, False, KNOWN_SOLE))
    times = np.array([course.sample(block) for block in range(course.low.shape[1])])
    smooth = savgol_filter(seen.ratio[..., 0], SMOOTHING, 3, axis=1)
    bounds, late_bounds, errors, late_errors = [], [], [], []
    for stance, end in enumerate(check_points(stances, share)):
        true_ratio, normal = stances.ratio[stance, :, 0], stances.normal[stance]
        now, late = slice(ORACLE_START, end + 1), slice(START, end + 1)
        bounds.append(bound(true_ratio[now], normal[now], MU, s_p, sensors))
        late_bounds.append(bound(true_ratio[late], normal[late], MU, s_p, sensors))
        weight = 1.0 / noise(true_ratio[now], normal[now], MU, s_p, sensors) ** 2
        errors.append(least_squares(smooth[stance, now], seen.displacement[stance, now, 0], weight) - math.log(MU))
        block = int(np.searchsorted(times, end, side="right")) - 1
        late_errors.append(math.log(course.median[stance, block] / MU))
    typical, late_typical = float(np.median(bounds)), float(np.median(late_bounds))
    return Cell(sensors, s_p, share, typical, _sd(errors) / typical, _sd(late_errors) / late_typical, late_typical)


def _sd(errors: list[float]) -> float:
    return 1.48 * float(np.median(np.abs(errors)))

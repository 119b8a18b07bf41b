# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Other estimators of friction on the same stances.

The Cramer-Rao bound of them all is here, too.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from scipy.signal import butter, lfilter, savgol_filter

from biped_slip.compile.arrays import AnyArray, Array
from biped_slip.compile.kernel import kernel
from biped_slip.friction_estimation.rls import RlsState, rls_update
from studies.estimator.conditions import FIRST, KNOWN_SOLE, OVER, SHARES, check_points
from synthetic.stances import (
    PERIOD,
    SAMPLES,
    START,
    WIDTH,
    Observed,
    Sensors,
    StanceKind,
    Stances,
    draw,
    observe,
    told,
)
from synthetic.stances import follow as follow_interval

# What others would do with the same stances: fit the whole curve again at every block,
# by either rule of reversal.
#
# For each mu on a grid the path of the force is known; offset and s_p are fitted by
# weighted least squares, and every mu whose misfit is at most ``threshold`` above the
# best one's stays possible. Straight stances, alpha 1, no compliance: it is told more
# than the interval estimator is.

GRID = np.geomspace(0.05, 1.6, 60)
EVERY = 2  # blocks
NEAREST = 0.02  # of the limit, at which the path is cut off
MOST_TURNS = 64
USABLE_RATIO = 1.6  # high over low, as the interval estimator's
PATH_ERROR = 0.03  # of the model, as there


class Ends(NamedTuple):
    """Smallest and largest mu left, shape (stances, blocks).

    They are NaN before enough was seen.
    """

    low: Array
    high: Array


def follow(
    stances: Stances, seen: Observed, sensors: Sensors, masing: bool, threshold: float
) -> Ends:
    """Every stance, block by block from 60 ms on."""
    blocks = (SAMPLES - START) // WIDTH
    low, high = np.full((2, stances.mu.size, blocks), np.nan)
    cut = slice(START, START + blocks * WIDTH)
    mean = [
        a[:, cut].reshape(stances.mu.size, blocks, WIDTH).mean(axis=2)
        for a in (seen.ratio[..., 0], 1e3 * seen.displacement[..., 0], seen.normal)
    ]
    sigma = 1e3 * math.hypot(
        sensors.sigma / math.sqrt(WIDTH), sensors.quantisation / math.sqrt(12.0)
    )
    force = math.hypot(
        sensors.force_sigma / math.sqrt(WIDTH), sensors.force_offset / math.sqrt(3.0)
    )
    for k in range(stances.mu.size):
        count = (int(stances.length[k]) - START) // WIDTH
        fit_stance(
            mean[0][k, :count],
            mean[1][k, :count],
            mean[2][k, :count],
            sigma,
            force,
            masing,
            threshold,
            GRID,
            low[k],
            high[k],
        )
    return Ends(low, high)


def union(one: Ends, other: Ends) -> Ends:
    """Possible by either."""
    return Ends(np.fmin(one.low, other.low), np.fmax(one.high, other.high))


@kernel
def fit_stance(
    ratio: Array,
    x: Array,
    normal: Array,
    sigma: float,
    force: float,
    masing: bool,
    threshold: float,
    grid: Array,
    low: Array,
    high: Array,
) -> None:
    """Fill ``low`` and ``high`` (blocks,) of one stance."""
    paths = np.empty((grid.size, ratio.size))
    misfit = np.empty(grid.size)
    for i in range(grid.size):
        path_of(ratio, grid[i], masing, paths[i])
    middle = 0.5
    s_p = 1.0
    for block in range(7, ratio.size, EVERY):
        best = math.inf
        best_s_p = s_p
        best_at = 0
        for i in range(grid.size):
            misfit[i], here = _misfit(
                ratio,
                x,
                normal,
                paths[i],
                block + 1,
                sigma,
                force,
                grid[i],
                middle,
                s_p,
            )
            if misfit[i] < best:
                best = misfit[i]
                best_s_p = here
                best_at = i
        first = last = best_at
        for i in range(grid.size):
            if misfit[i] <= best + threshold:
                first = min(first, i)
                last = max(last, i)
        middle = grid[best_at]
        s_p = min(max(best_s_p, 0.05), 6.0)
        half = math.sqrt(grid[1] / grid[0])
        for b in range(block, min(block + EVERY, ratio.size)):
            low[b] = grid[first] / half if first > 0 else 0.0
            high[b] = grid[last] * half if last < grid.size - 1 else math.inf


@kernel
def _misfit(
    ratio: Array,
    x: Array,
    normal: Array,
    path: Array,
    count: int,
    sigma: float,
    force: float,
    mu: float,
    middle: float,
    s_p: float,
) -> tuple[float, float]:
    """Chi squared left by offset and s_p.

    The noise is that at the mu that was best before; a mu below the load gives
    infinity.
    """
    total = mean_p = mean_x = 0.0
    for k in range(count):
        if abs(ratio[k]) > mu:
            return math.inf, s_p
        slope = s_p / 3.0 / max(middle - abs(ratio[k]), 0.03 * middle)
        weight = 1.0 / (
            sigma**2
            + (slope * force / normal[k]) ** 2
            + (PATH_ERROR * s_p * path[k] / 3.0) ** 2
        )
        total += weight
        mean_p += weight * path[k]
        mean_x += weight * x[k]
    mean_p = mean_p / total
    mean_x = mean_x / total
    pp = px = xx = 0.0
    for k in range(count):
        slope = s_p / 3.0 / max(middle - abs(ratio[k]), 0.03 * middle)
        weight = 1.0 / (
            sigma**2
            + (slope * force / normal[k]) ** 2
            + (PATH_ERROR * s_p * path[k] / 3.0) ** 2
        )
        dp = path[k] - mean_p
        dx = x[k] - mean_x
        pp += weight * dp * dp
        px += weight * dp * dx
        xx += weight * dx * dx
    found = max(px / max(pp, 1e-12), 0.0)
    return xx - 2.0 * found * px + found * found * pp, 3.0 * found


@kernel
def path_of(ratio: Array, mu: float, masing: bool, path: Array) -> None:
    """Path of alpha 1 from rest through all blocks.

    By Masing's rule, it keeps a stack of turning points.
    """
    # ratio and path at each turning point, the first is rest
    turns = np.zeros(MOST_TURNS)
    sums = np.zeros(MOST_TURNS)
    count = 1
    before = 0.0
    direction = 0.0
    now = 0.0
    for k in range(ratio.size):
        u = ratio[k]
        heading = math.copysign(1.0, u - before)
        if not masing:
            now += -heading * math.log(
                max(mu - heading * u, NEAREST * mu)
                / max(mu - heading * before, NEAREST * mu)
            )
        else:
            if direction != 0.0 and heading != direction and count < MOST_TURNS:
                turns[count] = before
                sums[count] = now
                count += 1
            while count > 2 and (u - turns[count - 2]) * heading > 0.0:
                count -= (
                    2  # the loop has closed: it continues as if it had never turned
                )
            if count == 2 and abs(u) > abs(turns[1]):
                count = 1
            scale = 1.0 if count == 1 else 2.0
            away = u - turns[count - 1]
            curve = -math.log(max(1.0 - abs(away) / (scale * mu), NEAREST))
            now = sums[count - 1] + math.copysign(scale * curve, away)
            direction = heading
        before = u
        path[k] = now


# The thesis' recursive least squares over the study's stances: as printed, and as the
# study tuned it (study 3).

GOOD = 0.2  # an error below it counts as right (study 3)
POSITION_CUT_OFF = 30.0  # [Hz], of the velocity differenced from a position (study 2)


class Tuning(NamedTuple):
    """What the thesis leaves open."""

    cut_off: (
        float  # [Hz] of the causal second order Butterworth on u and velocity; 0: none
    )
    initial_covariance: float
    residual_limit: float  # [1/s]
    residual_count: int
    forgetting: float = 0.99


PRINTED = Tuning(0.0, 1e8, 230.0, 20)
TUNED = Tuning(10.0, 1e9, 1.0, 100)


class ThesisScore(NamedTuple):
    """Shares of stances."""

    flagged: float  # at any time before 0.9 of the limit
    danger: float  # some flagged value was more than a tenth above mu
    right: tuple[float, ...]  # flagged and within 20 %, at SHARES


def judge(stances: Stances, seen: Observed, kind: str, tuning: Tuning) -> ThesisScore:
    """Shares of stances with the thesis' answers flagged, dangerous and right."""
    mu, flag = follow_thesis(stances, seen, kind, tuning)
    judged = (np.arange(SAMPLES) >= FIRST) & (
        np.arange(SAMPLES) <= check_points(stances, SHARES[-1])[:, None]
    )
    rows = np.arange(stances.mu.size)
    truth = stances.mu[:, None]
    good = flag & (np.abs(mu / truth - 1.0) < GOOD)
    return ThesisScore(
        flagged=float(np.mean((judged & flag).any(axis=1))),
        danger=float(np.mean((judged & flag & (mu > OVER * truth)).any(axis=1))),
        right=tuple(
            float(np.mean(good[rows, check_points(stances, share)])) for share in SHARES
        ),
    )


def follow_thesis(
    stances: Stances, seen: Observed, kind: str, tuning: Tuning
) -> tuple[AnyArray, AnyArray]:
    """Run over every stance, x axis, from 60 ms on.

    Return mu and flag, shape (stances, samples).
    """
    ratio = seen.ratio[..., 0]
    moved = seen.displacement[..., 0]
    velocity = low_passed_velocity(moved) if kind == "position" else differenced(moved)
    if tuning.cut_off > 0.0:
        ratio = _low_pass(ratio, tuning.cut_off)
        velocity = _low_pass(velocity, tuning.cut_off)
    mu = np.full(ratio.shape, np.nan)
    flag = np.zeros(ratio.shape, dtype=np.bool_)
    for stance in range(stances.mu.size):
        run(
            ratio[stance],
            velocity[stance],
            int(stances.length[stance]),
            tuning.initial_covariance,
            tuning.residual_limit,
            tuning.residual_count,
            tuning.forgetting,
            mu[stance],
            flag[stance],
        )
    return mu, flag


def differenced(displacement: AnyArray) -> AnyArray:
    """Velocity from sample to sample [m/s]."""
    velocity: AnyArray = (
        np.diff(displacement, axis=1, prepend=displacement[:, :1]) / PERIOD
    )
    return velocity


def low_passed_velocity(displacement: AnyArray) -> AnyArray:
    """Velocity of a position sensor as the study low-passes it [m/s]."""
    return _low_pass(differenced(displacement), POSITION_CUT_OFF)


def _low_pass(signal: AnyArray, cut_off: float) -> AnyArray:
    return lfilter(*butter(2, cut_off, fs=1.0 / PERIOD), signal, axis=1)


@kernel
def run(
    ratio: AnyArray,
    velocity: AnyArray,
    length: int,
    initial_covariance: float,
    residual_limit: float,
    residual_count: int,
    forgetting: float,
    mu: AnyArray,
    flag: AnyArray,
) -> None:
    """One stance through the thesis' recursion.

    It fills ``mu`` and ``flag`` (samples,).
    """
    state = RlsState(
        a1=0.0,
        a2=0.0,
        p11=initial_covariance,
        p12=0.0,
        p22=initial_covariance,
        run_time=0.0,
        u=ratio[START - 1],
        v=velocity[START - 1],
    )
    small = 0
    for k in range(START, length):
        state, residual = rls_update(state, ratio[k], velocity[k], PERIOD, forgetting)
        small = small + 1 if abs(residual) < residual_limit else 0
        flag[k] = small >= residual_count
        mu[k] = -state.a2 / state.a1 if state.a1 != 0.0 else math.nan


# What any estimator could know of mu (Cramer-Rao, study 4), and least squares that
# reaches it: the oracle.
#
# Straight stances, first order law, position sensor: x = b + s_p phi(u; mu)/3 + noise,
# where the noise of u enters through the slope of the curve.

ORACLE_START = 30  # samples after contact (study 9)
STEP = 1e-4  # of ln mu, for the derivative
# values of ln mu searched first, golden section steps after
COARSE = 60
FINE = 40
SMOOTHING = 21  # samples, cubic: the oracle may look ahead
LARGEST_BOUND = 0.35  # cells above it are not judged (study 1: 5)
SEED = 7000
SENSORS = tuple(
    Sensors("position", sigma, 0.0, force)
    for sigma, force in ((1e-6, 0.5), (5e-6, 1.0), (20e-6, 1.0), (100e-6, 2.0))
)
SOLES = (0.3e-3, 1e-3, 3e-3)  # [m]
MU = 0.5


class Cell(NamedTuple):
    """One sensor, sole and share of the limit.

    The numbers are medians over stances of errors of ln mu.
    """

    sensors: Sensors
    s_p: float  # [m]
    share: float
    bound: float  # Cramer-Rao, from 30 ms on
    least_squares: float  # sd of the oracle over its bound
    # sd of the estimator's median over the bound from 60 ms on, where it starts
    interval: float


@kernel
def straight_path(ratio: AnyArray, mu: float, phi: AnyArray) -> None:
    """Path along a sampled straight force ratio, exact between samples (study 7.1).

    It fills ``phi`` (samples,).
    """
    phi[0] = 0.0
    for k in range(1, ratio.size):
        direction = math.copysign(1.0, ratio[k] - ratio[k - 1])
        before = mu - direction * ratio[k - 1]
        after = mu - direction * ratio[k]
        phi[k] = phi[k - 1] - direction * math.log(
            max(after, 0.005 * mu) / max(before, 0.005 * mu)
        )


@kernel
def misfit(
    ratio: AnyArray, displacement: AnyArray, weight: AnyArray, mu: float, phi: AnyArray
) -> float:
    """Weighted sum of squares left when s_p and offset are fitted.

    ``phi`` is scratch.
    """
    straight_path(ratio, mu, phi)
    total = mean_phi = mean_x = 0.0
    for k in range(ratio.size):
        total += weight[k]
        mean_phi += weight[k] * phi[k]
        mean_x += weight[k] * displacement[k]
    mean_phi = mean_phi / total
    mean_x = mean_x / total
    pp = px = xx = 0.0
    for k in range(ratio.size):
        dp = phi[k] - mean_phi
        dx = displacement[k] - mean_x
        pp += weight[k] * dp * dp
        px += weight[k] * dp * dx
        xx += weight[k] * dx * dx
    return xx - px * px / pp


@kernel
def least_squares(ratio: AnyArray, displacement: AnyArray, weight: AnyArray) -> float:
    """Ln of the mu that fits best: a coarse search, then golden section."""
    phi = np.empty(ratio.size)
    largest = np.max(np.abs(ratio))
    low = math.log(1.001 * largest)
    step = math.log(30.0) / COARSE
    best = 0
    best_misfit = math.inf
    for k in range(COARSE):
        value = misfit(ratio, displacement, weight, math.exp(low + k * step), phi)
        if value < best_misfit:
            best = k
            best_misfit = value
    low, high = low + max(best - 1, 0) * step, low + (best + 1) * step
    golden = 0.5 * (math.sqrt(5.0) - 1.0)
    for _ in range(FINE):
        left = high - golden * (high - low)
        right = low + golden * (high - low)
        if misfit(ratio, displacement, weight, math.exp(left), phi) < misfit(
            ratio, displacement, weight, math.exp(right), phi
        ):
            high = right
        else:
            low = left
    return 0.5 * (low + high)


def noise(
    ratio: AnyArray, normal: AnyArray, mu: float, s_p: float, sensors: Sensors
) -> AnyArray:
    """Sd of a sample's displacement [m].

    It includes the force noise, seen through the curve's slope.
    """
    direction = np.sign(np.gradient(ratio))
    slope = s_p / 3.0 / np.maximum(mu - direction * ratio, 0.005 * mu)
    return np.hypot(
        sensors.sigma, slope * sensors.force_sigma * np.sqrt(1.0 + ratio**2) / normal
    )


def bound(
    ratio: AnyArray, normal: AnyArray, mu: float, s_p: float, sensors: Sensors
) -> float:
    """Compute the Cramer-Rao sd of ln mu from the true force ratio of one stance.

    Both s_p and the offset are unknown (study 4).
    """
    phi = np.empty_like(ratio)
    up = np.empty_like(ratio)
    down = np.empty_like(ratio)
    straight_path(ratio, mu, phi)
    straight_path(ratio, mu * math.exp(STEP), up)
    straight_path(ratio, mu * math.exp(-STEP), down)
    jacobian = np.column_stack(
        [
            s_p / 3.0 * (up - down) / (2.0 * STEP),
            s_p / 3.0 * phi,
            np.full_like(phi, s_p),
        ]
    )
    q, r = np.linalg.qr(jacobian / noise(ratio, normal, mu, s_p, sensors)[:, None])
    del q
    return float(np.linalg.norm(np.linalg.inv(r)[0]))


def cells(count: int, sensors_in_use: tuple[Sensors, ...] = SENSORS) -> list[Cell]:
    """Compute all cells of section 9.

    They are kind 0 stances of mu 0.5, with no offset, latency or quantisation.
    """
    found = []
    for sensors in sensors_in_use:
        for s_p in SOLES:
            rng = np.random.default_rng(SEED)
            stances = draw(rng, count, StanceKind(mu=MU, s_p=s_p, profile=0))
            seen = observe(rng, stances, sensors, False)
            found += [_cell(stances, seen, sensors, s_p, share) for share in SHARES]
    return found


def _cell(
    stances: Stances, seen: Observed, sensors: Sensors, s_p: float, share: float
) -> Cell:
    course = follow_interval(seen, stances.length, told(sensors, False, KNOWN_SOLE))
    times = np.array([course.sample(block) for block in range(course.low.shape[1])])
    smooth = savgol_filter(seen.ratio[..., 0], SMOOTHING, 3, axis=1)
    bounds = []
    late_bounds = []
    errors = []
    late_errors = []
    for stance, end in enumerate(check_points(stances, share)):
        true_ratio = stances.ratio[stance, :, 0]
        normal = stances.normal[stance]
        now = slice(ORACLE_START, end + 1)
        late = slice(START, end + 1)
        bounds.append(bound(true_ratio[now], normal[now], MU, s_p, sensors))
        late_bounds.append(bound(true_ratio[late], normal[late], MU, s_p, sensors))
        weight = 1.0 / noise(true_ratio[now], normal[now], MU, s_p, sensors) ** 2
        errors.append(
            least_squares(
                smooth[stance, now], seen.displacement[stance, now, 0], weight
            )
            - math.log(MU)
        )
        block = int(np.searchsorted(times, end, side="right")) - 1
        late_errors.append(math.log(course.median[stance, block] / MU))
    typical = float(np.median(bounds))
    late_typical = float(np.median(late_bounds))
    return Cell(
        sensors=sensors,
        s_p=s_p,
        share=share,
        bound=typical,
        least_squares=_sd(errors) / typical,
        interval=_sd(late_errors) / late_typical,
    )


def _sd(errors: list[float]) -> float:
    return 1.48 * float(np.median(np.abs(errors)))

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""What others would do with the same stances: fit the whole curve again at every block, by either rule of reversal.

For each mu on a grid the path of the force is known; offset and s_p are fitted by weighted least squares, and every mu
whose misfit is at most ``threshold`` above the best one's stays possible. Straight stances, alpha 1, no compliance: it
is told more than the interval estimator is.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from biped_slip.compile.arrays import Array
from biped_slip.compile.kernel import kernel
from biped_slip.lab.studies.following import START, WIDTH
from biped_slip.lab.studies.sensing import Observed, Sensors
from biped_slip.lab.studies.stances import SAMPLES, Stances

GRID = np.geomspace(0.05, 1.6, 60)
EVERY = 2  # blocks
NEAREST = 0.02  # of the limit, at which the path is cut off
MOST_TURNS = 64
USABLE_RATIO = 1.6  # high over low, as the interval estimator's
PATH_ERROR = 0.03  # of the model, as there


class Ends(NamedTuple):
    """Smallest and largest mu left, shape (stances, blocks); NaN before enough was seen."""

    low: Array
    high: Array


def follow(stances: Stances, seen: Observed, sensors: Sensors, masing: bool, threshold: float) -> Ends:
    """Every stance, block by block from 60 ms on."""
    blocks = (SAMPLES - START) // WIDTH
    low, high = np.full((2, stances.mu.size, blocks), np.nan)
    cut = slice(START, START + blocks * WIDTH)
    mean = [a[:, cut].reshape(stances.mu.size, blocks, WIDTH).mean(axis=2) for a in
            (seen.ratio[..., 0], 1e3 * seen.displacement[..., 0], seen.normal)]  # fmt: skip
    sigma = 1e3 * math.hypot(sensors.sigma / math.sqrt(WIDTH), sensors.quantisation / math.sqrt(12.0))
    force = math.hypot(sensors.force_sigma / math.sqrt(WIDTH), sensors.force_offset / math.sqrt(3.0))
    for k in range(stances.mu.size):
        count = (int(stances.length[k]) - START) // WIDTH
        fit_stance(
            mean[0][k, :count], mean[1][k, :count], mean[2][k, :count], sigma, force, masing, threshold, GRID,
            low[k], high[k],
        )  # fmt: skip
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
    paths, misfit = np.empty((grid.size, ratio.size)), np.empty(grid.size)
    for i in range(grid.size):
        path_of(ratio, grid[i], masing, paths[i])
    middle, s_p = 0.5, 1.0
    for block in range(7, ratio.size, EVERY):
        best, best_s_p, best_at = math.inf, s_p, 0
        for i in range(grid.size):
            misfit[i], here = _misfit(ratio, x, normal, paths[i], block + 1, sigma, force, grid[i], middle, s_p)
            if misfit[i] < best:
                best, best_s_p, best_at = misfit[i], here, i
        first = last = best_at
        for i in range(grid.size):
            if misfit[i] <= best + threshold:
                first, last = min(first, i), max(last, i)
        middle, s_p = grid[best_at], min(max(best_s_p, 0.05), 6.0)
        half = math.sqrt(grid[1] / grid[0])
        for b in range(block, min(block + EVERY, ratio.size)):
            low[b] = grid[first] / half if first > 0 else 0.0
            high[b] = grid[last] * half if last < grid.size - 1 else math.inf


@kernel
def _misfit(
    ratio: Array, x: Array, normal: Array, path: Array, count: int, sigma: float, force: float, mu: float,
    middle: float, s_p: float,
) -> tuple[float, float]:  # fmt: skip
    """Chi squared left by offset and s_p, with the noise at the mu that was best before; infinite below the load."""
    total = mean_p = mean_x = 0.0
    for k in range(count):
        if abs(ratio[k]) > mu:
            return math.inf, s_p
        slope = s_p / 3.0 / max(middle - abs(ratio[k]), 0.03 * middle)
        weight = 1.0 / (sigma**2 + (slope * force / normal[k]) ** 2 + (PATH_ERROR * s_p * path[k] / 3.0) ** 2)
        total += weight
        mean_p += weight * path[k]
        mean_x += weight * x[k]
    mean_p, mean_x = mean_p / total, mean_x / total
    pp = px = xx = 0.0
    for k in range(count):
        slope = s_p / 3.0 / max(middle - abs(ratio[k]), 0.03 * middle)
        weight = 1.0 / (sigma**2 + (slope * force / normal[k]) ** 2 + (PATH_ERROR * s_p * path[k] / 3.0) ** 2)
        dp, dx = path[k] - mean_p, x[k] - mean_x
        pp += weight * dp * dp
        px += weight * dp * dx
        xx += weight * dx * dx
    found = max(px / max(pp, 1e-12), 0.0)
    return xx - 2.0 * found * px + found * found * pp, 3.0 * found


@kernel
def path_of(ratio: Array, mu: float, masing: bool, path: Array) -> None:
    """Path of alpha 1 from rest through all blocks; by Masing's rule with a stack of turning points."""
    turns, sums = np.zeros(MOST_TURNS), np.zeros(MOST_TURNS)  # ratio and path at each turning point, the first is rest
    count, before, direction, now = 1, 0.0, 0.0, 0.0
    for k in range(ratio.size):
        u = ratio[k]
        heading = math.copysign(1.0, u - before)
        if not masing:
            now += -heading * math.log(max(mu - heading * u, NEAREST * mu) / max(mu - heading * before, NEAREST * mu))
        else:
            if direction != 0.0 and heading != direction and count < MOST_TURNS:
                turns[count], sums[count] = before, now
                count += 1
            while count > 2 and (u - turns[count - 2]) * heading > 0.0:
                count -= 2  # the loop has closed: it continues as if it had never turned
            if count == 2 and abs(u) > abs(turns[1]):
                count = 1
            scale = 1.0 if count == 1 else 2.0
            away = u - turns[count - 1]
            curve = -math.log(max(1.0 - abs(away) / (scale * mu), NEAREST))
            now = sums[count - 1] + math.copysign(scale * curve, away)
            direction = heading
        before = u
        path[k] = now

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Slides over floors whose mu varies, and what only looks like one: a foot on a slope, a ratio that a controller holds.

Motion decides where it is measured: the force ratio of a slide need not be constant, and a constant one is no slide.
"""

from __future__ import annotations

import math

import numpy as np

from biped_slip.compile.arrays import AnyArray
from studies.estimator.certificate import SHIPPED, answers
from studies.estimator.conditions import NAN, P2, P3, Row
from studies.estimator.stances import PERIOD, SAMPLES, Observed, Sensors, told

VARIES = 0.05  # amplitude of mu along a slide, as a share
SPEEDS = (0.02, 0.05, 0.2)  # [m/s]
S_P, NEAR = 1e-3, 0.9  # [m]; share of mu at which a foot breaks away
HELD = 0.85  # of mu, that a controller holds
TIME = np.arange(SAMPLES) * PERIOD


def rows(count: int, seed: int) -> list[Row]:
    """Slides found, and false ones, for soles seen to 5 and to 20 um."""
    found = []
    for name, sensors in (("P2", P2), ("P3", P3)):
        for speed in SPEEDS:
            slid, false = sliding(sensors, speed, count, seed)
            found.append(Row(f"{name}: slides at {speed:g} m/s, mu varies by 5 %, found", 0.8, False, "", slid))
            found.append(Row(f"{name}: the same, reported before they begin", NAN, True, "", false))
        for label, share in (("on a slope", (0.2, 0.8)), ("whose ratio is held", (HELD, HELD))):
            false = standing(sensors, share, count, seed)
            found.append(Row(f"{name}: feet {label}, reported as sliding", 0.01, True, "", false))
    return found


def sliding(sensors: Sensors, speed: float, count: int, seed: int) -> tuple[float, float]:
    """Shares of feet reported while they slide, and before; each is pushed to 0.9 mu and breaks away."""
    rng = np.random.default_rng(seed)
    mu, normal = _floors(rng, count)
    onset = rng.uniform(0.25, 0.35, (count, 1))
    varies = 1.0 + VARIES * np.sin(rng.uniform(10.0, 80.0, (count, 1)) * TIME + rng.uniform(0.0, 6.0, (count, 1)))
    slides, share = onset <= TIME, NEAR * np.minimum(TIME / onset, 1.0)
    moved = -S_P / 3.0 * np.log(1.0 - share) + np.cumsum(speed * PERIOD * slides, axis=1)
    said = _reported(rng, sensors, np.where(slides, mu * varies, mu * share), normal, moved)
    return float(np.mean((said & slides).any(axis=1))), float(np.mean((said & ~slides).any(axis=1)))


def standing(sensors: Sensors, share: tuple[float, float], count: int, seed: int) -> float:
    """Share of feet reported that hold a constant share of mu while their load changes."""
    rng = np.random.default_rng(seed)
    mu, normal = _floors(rng, count)
    held = rng.uniform(*share, (count, 1)) * np.minimum(TIME / 0.2, 1.0)
    return float(np.mean(_reported(rng, sensors, mu * held, normal, -S_P / 3.0 * np.log(1.0 - held)).any(axis=1)))


def _floors(rng: np.random.Generator, count: int) -> tuple[AnyArray, AnyArray]:
    """Mu (count, 1) and a load that shifts (count, samples) [N]."""
    mu = np.exp(rng.uniform(math.log(0.1), 0.0, (count, 1)))
    shift = np.sin(rng.uniform(4.0, 15.0, (count, 1)) * TIME + rng.uniform(0.0, 6.0, (count, 1)))
    return mu, rng.uniform(250.0, 500.0, (count, 1)) * (1.0 + 0.3 * shift)


def _reported(
    rng: np.random.Generator, sensors: Sensors, ratio: AnyArray, normal: AnyArray, moved: AnyArray
) -> AnyArray:
    """Whether a slide is reported, by sample."""
    noise = rng.standard_normal((3, *ratio.shape))
    force, shown = np.zeros((*ratio.shape, 2)), np.zeros((*ratio.shape, 2))
    force[..., 0] = ratio * normal + sensors.force_sigma * noise[0]
    shown[..., 0] = moved + sensors.sigma * noise[1]
    seen = Observed(force, normal + sensors.force_sigma * noise[2], shown)
    slipping: AnyArray = answers(seen, told(sensors, False, SHIPPED)).slipping > 0.0
    return slipping

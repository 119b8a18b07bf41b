# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Random stances of a walking foot: load, force ratio and true motion (study 2)."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from biped_slip.compile.arrays import AnyArray
from biped_slip.lab.studies import truths

PERIOD = 1e-3  # [s], 1 kHz
SAMPLES = 600


class Stances(NamedTuple):
    """A batch of stances sampled at 1 kHz; forces have the sign of the sliding motion."""

    mu: AnyArray  # true static coefficient, shape (stances,)
    s_p: AnyArray  # [m], shape (stances,)
    length: AnyArray  # samples in contact, shape (stances,), integer
    kind: AnyArray  # loading profile, shape (stances,), integer
    ratio: AnyArray  # true force ratio, shape (stances, samples, 2)
    normal: AnyArray  # true normal force [N], shape (stances, samples)
    displacement: AnyArray  # true [m], shape (stances, samples, 2)

    @property
    def share(self) -> AnyArray:
        """|u|/mu at every sample, shape (stances, samples)."""
        return np.hypot(self.ratio[..., 0], self.ratio[..., 1]) / self.mu[:, None]


class StanceKind(NamedTuple):
    """What is drawn and what is fixed; a fixed value overwrites its draw, so that the others stay the same."""

    planar: bool = False  # two axes
    largest_share: float = 0.95  # peak of |u|/mu
    law: truths.Law = truths.FIRST_ORDER
    mu: float | tuple[float, float] = (0.1, 1.2)
    s_p: float | tuple[float, float] | AnyArray = (0.2e-3, 3e-3)  # [m]
    load: float | tuple[float, float] = (250.0, 500.0)  # [N]
    duration: float | tuple[float, float] = (0.3, 0.6)  # [s]
    profile: int | None = None


def draw(rng: np.random.Generator, count: int, kind: StanceKind) -> Stances:
    """Draw stances in the study's order, so that its seeds give its stances."""
    duration = _uniform(rng, count, kind.duration)
    load = _uniform(rng, count, kind.load)
    mu = _log_uniform(rng, count, kind.mu)
    s_p = _log_uniform(rng, count, kind.s_p)
    profile = rng.integers(0, 3, count)
    if kind.profile is not None:
        profile = np.full(count, kind.profile)
    heading = rng.uniform(0.0, 2.0 * math.pi, count)
    bow = rng.uniform(-0.3, 0.3, count)
    time = np.arange(SAMPLES) * PERIOD
    tau = time / duration[:, None]
    length = np.minimum(np.floor(duration / PERIOD).astype(np.int64), SAMPLES)
    normal = _normal_force(load, time, tau)
    ratio = np.zeros((count, SAMPLES, 2))
    ratio[..., 0] = _profile(profile, time, tau)
    if kind.planar:
        ratio[..., 1] = bow[:, None] * np.sin(math.pi * tau)
        cosine, sine = np.cos(heading)[:, None], np.sin(heading)[:, None]
        ratio = np.stack(
            [cosine * ratio[..., 0] - sine * ratio[..., 1], sine * ratio[..., 0] + cosine * ratio[..., 1]], -1
        )
    inside = np.arange(SAMPLES) < length[:, None]
    peak = np.max(np.hypot(ratio[..., 0], ratio[..., 1]) * inside, axis=1)
    ratio = ratio * (kind.largest_share * mu / peak)[:, None, None]
    displacement = truths.displacement(kind.law, ratio, normal, mu, s_p, PERIOD)
    return Stances(mu, s_p, length, profile, ratio, normal, displacement)


def _uniform(rng: np.random.Generator, count: int, limits: float | tuple[float, float] | AnyArray) -> AnyArray:
    if isinstance(limits, tuple):
        return rng.uniform(limits[0], limits[1], count)
    rng.uniform(0.0, 1.0, count)
    return np.broadcast_to(np.asarray(limits, dtype=float), (count,)).copy()


def _log_uniform(rng: np.random.Generator, count: int, limits: float | tuple[float, float] | AnyArray) -> AnyArray:
    if isinstance(limits, tuple):
        return np.exp(_uniform(rng, count, (math.log(limits[0]), math.log(limits[1]))))
    return _uniform(rng, count, limits)


def smooth(y: AnyArray) -> AnyArray:
    """S(y) = 3 y^2 - 2 y^3 on clipped y (study 2)."""
    y = np.clip(y, 0.0, 1.0)
    return 3.0 * y**2 - 2.0 * y**3


def _normal_force(load: AnyArray, time: AnyArray, tau: AnyArray) -> AnyArray:
    dip = 1.0 - 0.2 * np.sin(math.pi * np.clip(tau, 0.0, 1.0)) ** 2
    stance = 1.15 * np.minimum(1.0, tau / 0.08) * np.clip((1.0 - tau) / 0.08, 0.0, 1.0) * dip
    ringing = 0.3 * np.exp(-time / 0.015) * np.sin(2.0 * math.pi * 40.0 * time)
    return np.maximum(0.0, load[:, None] * (stance + ringing))


def _profile(kind: AnyArray, time: AnyArray, tau: AnyArray) -> AnyArray:
    push = smooth(tau / 0.9)
    brake = -0.5 * np.sin(math.pi * np.clip(tau / 0.35, 0.0, 1.0))
    brake_push = np.where(tau < 0.35, brake, smooth((tau - 0.35) / 0.55))
    shaken = push * (0.92 + 0.08 * np.sin(2.0 * math.pi * 8.0 * time))
    touchdown = 0.15 * np.exp(-time / 0.02) * np.sin(2.0 * math.pi * 35.0 * time)
    return np.choose(kind[:, None], [push, brake_push, shaken]) + touchdown

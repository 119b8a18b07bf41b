# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Stances of walking feet for the certificate: braking before pushing, human double humps, and contacts with memory."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from biped_slip.compile.arrays import AnyArray
from biped_slip.lab.studies import memory_truths
from biped_slip.lab.studies.memory_truths import Contact
from biped_slip.lab.studies.stances import PERIOD, SAMPLES, Stances, smooth

PUSH, BRAKE, HUMAN, SWAY = range(4)  # how the force ratio runs


class Walk(NamedTuple):
    """What is drawn: ranges are uniform, those of mu and s_p in the logarithm; a single value is fixed."""

    contact: Contact = Contact()
    planar: bool = False
    mu: tuple[float, float] = (0.1, 1.2)
    s_p: tuple[float, float] = (0.2e-3, 3e-3)  # [m]
    load: tuple[float, float] = (250.0, 500.0)  # [N]
    duration: tuple[float, float] = (0.35, 0.6)  # [s]
    largest_share: tuple[float, float] = (0.7, 0.97)  # of mu
    brake: tuple[float, float] = (0.1, 0.9)  # of the largest share, before the push
    profile: int | None = None


def draw(rng: np.random.Generator, count: int, walk: Walk, s_p: AnyArray | None = None) -> Stances:
    """Draw stances of a light foot under a prescribed force; ``s_p`` (count,) [m] replaces what would be drawn."""
    mu = np.exp(rng.uniform(math.log(walk.mu[0]), math.log(walk.mu[1]), count))
    drawn = np.exp(rng.uniform(math.log(walk.s_p[0]), math.log(walk.s_p[1]), count))
    s_p = drawn if s_p is None else s_p
    load, duration = rng.uniform(*walk.load, count), rng.uniform(*walk.duration, count)
    largest, brake = rng.uniform(*walk.largest_share, count), rng.uniform(*walk.brake, count)
    profile = rng.integers(0, 4, count)
    if walk.profile is not None:
        profile[:] = walk.profile
    turn, bow, beat = (
        rng.uniform(0.0, 2.0 * math.pi, count),
        rng.uniform(-0.4, 0.4, count),
        rng.uniform(2.0, 8.0, count),
    )
    time = np.arange(SAMPLES) * PERIOD
    tau = time / duration[:, None]
    normal = _normal_force(load, profile, time, tau)
    ratio = np.zeros((count, SAMPLES, 2))
    ratio[..., 0] = _ratio(profile, brake, beat, time, tau)
    if walk.planar:
        across = (
            bow[:, None] * np.sin(math.pi * np.clip(tau, 0.0, 1.0)) * np.cos(2.0 * math.pi * tau * (bow[:, None] > 0.0))
        )
        cosine, sine = np.cos(turn)[:, None], np.sin(turn)[:, None]
        ratio = np.stack([cosine * ratio[..., 0] - sine * across, sine * ratio[..., 0] + cosine * across], -1)
    length = np.minimum(np.floor(duration / PERIOD).astype(np.int64), SAMPLES)
    inside = np.arange(SAMPLES) < length[:, None]
    peak = np.max(np.hypot(ratio[..., 0], ratio[..., 1]) * inside, axis=1)
    ratio = ratio * (largest * mu / peak)[:, None, None]
    moved = memory_truths.displacement(walk.contact, ratio, normal, mu, s_p, PERIOD)
    return Stances(mu, s_p, length, profile, ratio, normal, moved)


def _normal_force(load: AnyArray, profile: AnyArray, time: AnyArray, tau: AnyArray) -> AnyArray:
    inside = np.clip(tau, 0.0, 1.0)
    edge = np.minimum(1.0, tau / 0.08) * np.clip((1.0 - tau) / 0.08, 0.0, 1.0)
    flat = 1.15 * edge * (1.0 - 0.2 * np.sin(math.pi * inside) ** 2)
    humps = (
        np.minimum(1.0, inside / 0.2)
        * np.minimum(1.0, (1.0 - inside) / 0.2)
        * (1.15 - 0.45 * np.sin(math.pi * inside) ** 6)
    )
    ringing = 0.3 * np.exp(-time / 0.015) * np.sin(2.0 * math.pi * 40.0 * time)
    return np.maximum(0.0, load[:, None] * (np.where(profile[:, None] == HUMAN, humps, flat) + ringing))


def _ratio(profile: AnyArray, brake: AnyArray, beat: AnyArray, time: AnyArray, tau: AnyArray) -> AnyArray:
    brake, beat = brake[:, None], beat[:, None]
    push = smooth(tau / 0.85)
    late = smooth((tau - 0.35) / 0.5)
    braked = np.where(tau < 0.35, -brake * np.sin(math.pi * np.clip(tau / 0.35, 0.0, 1.0)), late)
    human = np.where(
        tau < 0.5,
        -brake * np.sin(2.0 * math.pi * np.clip(tau, 0.0, 0.5)),
        np.sin(2.0 * math.pi * (np.clip(tau, 0.5, 1.0) - 0.5)),
    )
    sway = push * (1.0 - 0.3 * brake * (1.0 - np.cos(2.0 * math.pi * beat * time)))
    touchdown = 0.15 * np.exp(-time / 0.02) * np.sin(2.0 * math.pi * 35.0 * time)
    return np.choose(profile[:, None], [push, braked, human, sway]) + touchdown

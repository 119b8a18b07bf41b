# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Errors that last and that nobody told of: drift, correlation, lateness, held samples, spikes, a sole that rolls."""

from __future__ import annotations

import math
from typing import Callable, NamedTuple

import numpy as np
from scipy.signal import lfilter

from biped_slip.compile.arrays import AnyArray, Array
from biped_slip.lab.studies.sensing import Observed
from biped_slip.lab.studies.stances import PERIOD, SAMPLES, Stances, smooth

CORRELATION_TIME = 0.02  # [s]
FORCE_SPIKE, MOTION_SPIKE = 30.0, 200e-6  # [N], [m]
BURST = 15  # samples
ALONG_X = np.array([1.0, 0.0])

Fault = Callable[[np.random.Generator, Stances, Observed, float], Observed]


class FaultKind(NamedTuple):
    """A fault with the level at which the certificate was broken before (attack, section 3)."""

    name: str
    level: float
    fault: Fault


def _signs(rng: np.random.Generator, stances: Stances) -> Array:
    return rng.choice([-1.0, 1.0], (stances.mu.size, 1))


def _moved(seen: Observed, extra: Array) -> Observed:
    return seen._replace(displacement=seen.displacement + extra[..., None] * ALONG_X)


def _pushed(seen: Observed, extra: Array) -> Observed:
    return seen._replace(force=seen.force + extra[..., None] * ALONG_X)


def motion_drift(rng: np.random.Generator, stances: Stances, seen: Observed, speed: float) -> Observed:
    """The displacement runs away at ``speed`` [m/s]."""
    return _moved(seen, _signs(rng, stances) * speed * np.arange(SAMPLES) * PERIOD)


def motion_correlated(rng: np.random.Generator, stances: Stances, seen: Observed, sigma: float) -> Observed:
    """More noise of the displacement [m], correlated over 20 ms."""
    kept = math.exp(-PERIOD / CORRELATION_TIME)
    noise = lfilter([math.sqrt(1.0 - kept**2)], [1.0, -kept], rng.standard_normal(seen.normal.shape), axis=1)
    return _moved(seen, sigma * noise)


def force_offset(rng: np.random.Generator, stances: Stances, seen: Observed, bound: float) -> Observed:
    """Constant errors of both forces [N]."""
    error = rng.uniform(-bound, bound, (2, stances.mu.size, 1))
    return _pushed(seen, error[0] * np.ones(SAMPLES))._replace(normal=seen.normal + error[1])


def force_drift(rng: np.random.Generator, stances: Stances, seen: Observed, rate: float) -> Observed:
    """The tangential force runs away at ``rate`` [N/s]."""
    return _pushed(seen, _signs(rng, stances) * rate * np.arange(SAMPLES) * PERIOD)


def force_late(rng: np.random.Generator, stances: Stances, seen: Observed, time: float) -> Observed:
    """Forces come later than told by ``time`` [s]."""
    index = np.maximum(np.arange(SAMPLES) - round(time / PERIOD), 0)
    return seen._replace(force=seen.force[:, index], normal=seen.normal[:, index])


def force_held(rng: np.random.Generator, stances: Stances, seen: Observed, time: float) -> Observed:
    """Forces are sampled once in ``time`` [s] and held."""
    width = max(round(time / PERIOD), 1)
    index = np.arange(SAMPLES) // width * width
    return seen._replace(force=seen.force[:, index], normal=seen.normal[:, index])


def cross_talk(rng: np.random.Generator, stances: Stances, seen: Observed, share: float) -> Observed:
    """A share of the normal force is read as tangential."""
    return _pushed(seen, _signs(rng, stances) * share * seen.normal)


def force_spikes(rng: np.random.Generator, stances: Stances, seen: Observed, share: float) -> Observed:
    """A share of the samples is off by 30 N."""
    shape = seen.normal.shape
    return _pushed(seen, FORCE_SPIKE * (rng.uniform(size=shape) < share) * rng.choice([-1.0, 1.0], shape))


def motion_spikes(rng: np.random.Generator, stances: Stances, seen: Observed, share: float) -> Observed:
    """A share of the samples is off by 0.2 mm."""
    shape = seen.normal.shape
    return _moved(seen, MOTION_SPIKE * (rng.uniform(size=shape) < share) * rng.choice([-1.0, 1.0], shape))


def light_samples(rng: np.random.Generator, stances: Stances, seen: Observed, share: float) -> Observed:
    """A share of the samples shows no force at all, as when a physics engine's contact drops out."""
    kept = rng.uniform(size=seen.normal.shape) >= share
    return seen._replace(force=seen.force * kept[..., None], normal=seen.normal * kept)


def motion_lost(rng: np.random.Generator, stances: Stances, seen: Observed, share: float) -> Observed:
    """The motion is not seen for a share of the time, 15 ms at once."""
    lost = _bursts(rng, seen, share)
    return seen._replace(displacement=np.where(lost[..., None], np.nan, seen.displacement))


def force_lost(rng: np.random.Generator, stances: Stances, seen: Observed, share: float) -> Observed:
    """The forces are not finite for a share of the time, 15 ms at once."""
    return seen._replace(normal=np.where(_bursts(rng, seen, share), np.nan, seen.normal))


def _bursts(rng: np.random.Generator, seen: Observed, share: float) -> AnyArray:
    starts = rng.uniform(size=seen.normal.shape) < share / BURST
    lost: AnyArray = lfilter(np.ones(BURST), [1.0], starts, axis=1) > 0.5
    return lost


def motion_jump(rng: np.random.Generator, stances: Stances, seen: Observed, way: float) -> Observed:
    """The displacement jumps once by ``way`` [m], as a marker or an odometry does that is set anew."""
    when = rng.integers(100, 250, (stances.mu.size, 1))
    return _moved(seen, _signs(rng, stances) * way * (np.arange(SAMPLES) >= when))


def rolling(rng: np.random.Generator, stances: Stances, seen: Observed, way: float) -> Observed:
    """The sole rolls by ``way`` [m] over the stance."""
    tau = np.arange(SAMPLES) * PERIOD / (stances.length[:, None] * PERIOD)
    return _moved(seen, _signs(rng, stances) * way * smooth(tau))


CROSS_TALK = FaultKind("cross-talk 2 %", 0.02, cross_talk)
FAULTS = (
    FaultKind("displacement drifts 0.2 mm/s", 2e-4, motion_drift),
    FaultKind("displacement noise 5 um over 20 ms", 5e-6, motion_correlated),
    FaultKind("force offset 5 N, told 1", 5.0, force_offset),
    FaultKind("force drifts 10 N/s", 10.0, force_drift),
    FaultKind("force 4 ms later than told", 4e-3, force_late),
    FaultKind("force held for 10 ms", 10e-3, force_held),
    CROSS_TALK,
    FaultKind("force spikes 0.5 %", 0.005, force_spikes),
    FaultKind("displacement spikes 0.5 %", 0.005, motion_spikes),
    FaultKind("sole rolls 0.3 mm", 3e-4, rolling),
    FaultKind("samples without load 0.5 %", 0.005, light_samples),
    FaultKind("motion lost 10 % of the time", 0.1, motion_lost),
    FaultKind("forces lost 10 % of the time", 0.1, force_lost),
    FaultKind("displacement jumps by 0.1 mm", 1e-4, motion_jump),
)

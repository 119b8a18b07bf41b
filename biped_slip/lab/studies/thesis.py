# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The thesis' recursive least squares over the study's stances: as printed, and as the study tuned it (study 3)."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from scipy.signal import butter, lfilter

from biped_slip.compile.arrays import AnyArray
from biped_slip.compile.kernel import kernel
from biped_slip.friction_estimation.rls import RlsState, rls_update
from biped_slip.lab.studies.following import START
from biped_slip.lab.studies.scores import FIRST, OVER, SHARES, check_points
from biped_slip.lab.studies.sensing import Observed
from biped_slip.lab.studies.stances import PERIOD, SAMPLES, Stances

GOOD = 0.2  # an error below it counts as right (study 3)
POSITION_CUT_OFF = 30.0  # [Hz], of the velocity differenced from a position (study 2)


class Tuning(NamedTuple):
    """What the thesis leaves open."""

    cut_off: float  # [Hz] of the causal second order Butterworth on u and velocity; 0: none
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
    """Shares of stances in which the thesis' answers are flagged, dangerous and right."""
    mu, flag = follow_thesis(stances, seen, kind, tuning)
    judged = (np.arange(SAMPLES) >= FIRST) & (np.arange(SAMPLES) <= check_points(stances, SHARES[-1])[:, None])
    rows, truth = np.arange(stances.mu.size), stances.mu[:, None]
    good = flag & (np.abs(mu / truth - 1.0) < GOOD)
    return ThesisScore(
        flagged=float(np.mean((judged & flag).any(axis=1))),
        danger=float(np.mean((judged & flag & (mu > OVER * truth)).any(axis=1))),
        right=tuple(float(np.mean(good[rows, check_points(stances, share)])) for share in SHARES),
    )


def follow_thesis(stances: Stances, seen: Observed, kind: str, tuning: Tuning) -> tuple[AnyArray, AnyArray]:
    """Run over every stance, x axis, from 60 ms on; mu and flag, shape (stances, samples)."""
    ratio = seen.ratio[..., 0]
    moved = seen.displacement[..., 0]
    velocity = low_passed_velocity(moved) if kind == "position" else differenced(moved)
    if tuning.cut_off > 0.0:
        ratio, velocity = _low_pass(ratio, tuning.cut_off), _low_pass(velocity, tuning.cut_off)
    mu, flag = np.full(ratio.shape, np.nan), np.zeros(ratio.shape, dtype=np.bool_)
    for stance in range(stances.mu.size):
        run(ratio[stance], velocity[stance], int(stances.length[stance]), tuning.initial_covariance,
            tuning.residual_limit, tuning.residual_count, tuning.forgetting, mu[stance], flag[stance])  # fmt: skip
    return mu, flag


def differenced(displacement: AnyArray) -> AnyArray:
    """Velocity from sample to sample [m/s]."""
    velocity: AnyArray = np.diff(displacement, axis=1, prepend=displacement[:, :1]) / PERIOD
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
    """One stance through the thesis' recursion; fills ``mu`` and ``flag`` (samples,)."""
    state = RlsState(0.0, 0.0, initial_covariance, 0.0, initial_covariance, 0, ratio[START - 1], velocity[START - 1])
    small = 0
    for k in range(START, length):
        state, residual = rls_update(state, ratio[k], velocity[k], PERIOD, forgetting)
        small = small + 1 if abs(residual) < residual_limit else 0
        flag[k] = small >= residual_count
        mu[k] = -state.a2 / state.a1 if state.a1 != 0.0 else math.nan

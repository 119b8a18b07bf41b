# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""What the floor under one foot is taken to hold, from its estimate and from what it has held."""

from __future__ import annotations

import math
from typing import NamedTuple, Sequence

import numpy as np

from biped_slip.compile.arrays import Array
from biped_slip.control.friction_governor.config import FrictionGovernorConfig
from biped_slip.friction_estimation.types import FrictionEstimate

BINS, WIDTH = 100, 0.01  # of a stance's histogram of force ratios; the last holds all larger ones


class FootSeen(NamedTuple):
    """What is seen of one foot at one instant."""

    force_ratio: float  # tangential over normal force [-]
    load_share: float  # normal force over the robot's weight [-]
    estimate: FrictionEstimate


def foot_seen(force: Sequence[float], estimate: FrictionEstimate, weight: float) -> FootSeen:
    """What a governor sees of a foot: force of the ground along the sole's axes (3,) [N], estimate, weight [N]."""
    normal = float(force[2])
    ratio = math.hypot(float(force[0]), float(force[1])) / normal if normal > 0.0 else math.nan
    return FootSeen(ratio, normal / weight, estimate)


class Stance(NamedTuple):
    """A stance that has ended."""

    ratio: float  # that it asked for
    slid: bool
    speed: float  # let through meanwhile, mean [m/s]
    turn: float  # [rad/s]


class Floor(NamedTuple):
    """What is remembered of one foot."""

    holds: float  # ratio that its floor is taken to hold
    known: bool  # by an estimate, not only by default or by what was held
    silent: float  # since it last said something [s]
    usable: float  # since when its estimate is usable in this stance [s]
    ratios: Array  # (BINS,) loaded time by force ratio in this stance [s]
    slid: bool  # in this stance
    travelled: tuple[float, float]  # integrals of speed and turn over its loaded time [m], [rad]


def unknown_floor(config: FrictionGovernorConfig) -> Floor:
    """Of a foot that has said nothing yet."""
    return Floor(config.unknown, False, math.inf, 0.0, np.zeros(BINS), False, (0.0, 0.0))


def floor_step(
    floor: Floor, seen: FootSeen, command: tuple[float, float], config: FrictionGovernorConfig, dt: float
) -> tuple[Floor, Stance | None]:
    """One sample later; ``command`` is the speed and turn that were let through. A stance when one has ended."""
    if not seen.load_share >= config.loaded:  # true for NaN
        return _unloaded(floor, config, dt)
    estimate = seen.estimate
    bound = estimate.mu_q05 if estimate.usable else math.nan
    usable = floor.usable + dt if math.isfinite(bound) else 0.0
    ratios, (way, angle) = floor.ratios, floor.travelled
    if math.isfinite(seen.force_ratio):
        ratios = ratios.copy()
        ratios[min(int(seen.force_ratio / WIDTH), BINS - 1)] += dt
        way, angle = way + command[0] * dt, angle + command[1] * dt
    holds, known = floor.holds, floor.known
    if usable > 0.0 and usable >= config.settled:
        holds, known = bound, True
    silent = floor.silent + dt if math.isnan(estimate.force_ratio) else 0.0
    heard = floor._replace(holds=holds, known=known, silent=silent, usable=usable, ratios=ratios,
                           slid=floor.slid or estimate.slipping, travelled=(way, angle))  # fmt: skip
    return _forgetting(heard, config), None


def _unloaded(floor: Floor, config: FrictionGovernorConfig, dt: float) -> tuple[Floor, Stance | None]:
    """In the air; what the stance before asked for, its floor has held, or it has slid at that."""
    time = float(floor.ratios.sum())
    rested = floor._replace(silent=floor.silent + dt)
    if time == 0.0:
        return _forgetting(rested, config), None
    ratio = quantile(floor.ratios, config.quantile)
    stance = Stance(ratio, floor.slid, floor.travelled[0] / time, floor.travelled[1] / time)
    fresh = rested._replace(usable=0.0, ratios=np.zeros(BINS), slid=False, travelled=(0.0, 0.0))
    if floor.usable == 0.0 and floor.silent < config.forget:
        held = ratio * (1.0 if floor.slid else config.rise)
        fresh = fresh._replace(holds=max(floor.holds, held), known=floor.known and floor.holds >= held)
    return _forgetting(fresh, config), stance


def _forgetting(floor: Floor, config: FrictionGovernorConfig) -> Floor:
    """Nothing was heard for long: the floor is one that nobody knows, and no better for having been good before."""
    if floor.silent < config.forget:
        return floor
    return floor._replace(holds=min(floor.holds, config.unknown), known=False)


def quantile(ratios: Array, share: float) -> float:
    """Upper edge of the bin in which a share of a histogram's time is reached."""
    reached = np.cumsum(ratios)
    return WIDTH * (int(np.searchsorted(reached, share * reached[-1])) + 1)

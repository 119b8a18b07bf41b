# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""What a planar walk amounts to: fell, how far, slides of feet, what was known when.

A slide is a stretch of a stance in which a foot moves faster than a threshold. Each
stance is told with the estimate of its floor: when it was usable, when the limit
followed it, and what was known when the gait first wanted most of the friction.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Callable, Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from biped_slip.compile.arrays import Array
from biped_slip.constants import FEET
from biped_slip.control.planar.gait import LEFT_SWING, RIGHT_SWING
from biped_slip.simulation.planar.log import WalkLog
from biped_slip.simulation.stances import (
    StanceSlide,
    extent,
    spans,
    stances,
    steady_part,
)
from biped_slip.simulation.summary import Summary

SLIDING_SPEED = 0.02  # [m/s] a foot that is faster is sliding
LEAST_SLIDE = 0.002  # [m]: twice the presliding distance of the thesis' floor
DEMAND_SHARE = 0.9  # of the true mu


@dataclass(frozen=True)
class StanceEstimate:
    """Stance with the estimate of its floor; None where unknown or not reached."""

    foot: str
    start: float  # [s]
    end: float  # [s]
    mu_true: float
    mu_hat: float | None  # last estimate in force
    # [s] wanted ratio of the rear foot first passes 0.9 mu_true
    demand_time: float | None
    mu_at_demand: float | None  # estimate in force then
    usable_from: float | None  # [s]
    alone_from: float | None = None  # [s] the other foot lifts: this one carries all
    released_from: float | None = None  # [s] the limit follows an estimate
    limit_at_release: float | None = None
    mean_limit: float | None = None  # over the stance, where there is a limit
    largest_limit: float | None = None  # after release
    largest_low: float | None = None  # of the certificate mu_low


@dataclass(frozen=True)
class WalkSummary(Summary):
    """Result of one walk; ``slips`` are the times at which a stance foot moved.

    Attributes:
        fell: the robot lies.
        end_time: when the walk ended [s].
        distance: walked along x [m].
        max_stance_slip: farthest slide of a stance foot [m].
        slips: times at which a stance foot moved.
        diverged: the simulation has no answer from some tick on; this is no fall.
        contacts: what was known of the floor in each stance.
        wall_time: that the computation took [s].
    """

    contacts: tuple[StanceEstimate, ...]
    wall_time: float

    def passes(self, required_distance: float) -> bool:
        """Return whether upright, far enough, and no stance foot slid by 1 cm.

        Args:
            required_distance: [m].
        """
        return self.upright_without_slip() and self.distance >= required_distance

    @classmethod
    def from_mapping(cls, mapping: Mapping[str, Any]) -> WalkSummary:
        """Build the summary from :meth:`to_mapping`, also after JSON.

        Args:
            mapping: values by the names of fields.
        """
        return super().from_mapping(
            {
                **mapping,
                "contacts": tuple(StanceEstimate(**c) for c in mapping["contacts"]),
            }
        )


def summarise(
    log: WalkLog, fell: bool, wall_time: float, diverged: str = ""
) -> WalkSummary:
    """Summarise the trimmed log of a walk.

    Args:
        log: trimmed.
        fell: whether the robot fell.
        wall_time: that the walk took [s].
        diverged: how the simulation diverged, a sentence; empty: it did not.
    """
    slips: list[StanceSlide] = []
    contacts: list[StanceEstimate] = []
    largest = 0.0
    for foot in (0, 1):
        for stance in stances(log.time, log.normal[:, foot]):
            steady = steady_part(stance, log.time)
            largest = max(largest, extent(log.foot_x[steady, foot]))
            slips.extend(_slides(log, foot, steady))
            contacts.append(_stance_estimate(log, foot, stance))
    return WalkSummary(
        fell=fell,
        end_time=float(log.time[-1]) if log.length else 0.0,
        distance=float(log.q[-1, 0]) if log.length else 0.0,
        max_stance_slip=largest,
        slips=tuple(sorted(slips, key=lambda slip: slip.start)),
        contacts=tuple(sorted(contacts, key=lambda contact: contact.start)),
        wall_time=wall_time,
        diverged=diverged,
    )


def _stance_estimate(log: WalkLog, foot: int, stance: slice) -> StanceEstimate:
    """Describe a stance: what was known of its floor when it mattered."""
    time = log.time[stance]
    mu, quantile, low, flag, usable = (
        log.estimate(name)[stance, foot]
        for name in ("mu", "mu_q05", "mu_low", "flag", "usable")
    )
    in_force = _estimate_in_force(log, foot, stance)
    limit = log.limit[stance, foot]
    demand = _first_demand(log, foot, stance)
    swing_of_other = RIGHT_SWING if foot == 0 else LEFT_SWING
    alone = _first(log.phase[stance] == swing_of_other)
    released = _first(
        np.isfinite(mu) & ((flag > 0.0) | np.isfinite(quantile)) & np.isfinite(limit)
    )
    return StanceEstimate(
        foot=FEET[foot],
        start=float(time[0]),
        end=float(time[-1]),
        mu_true=float(np.median(log.mu_true[stance, foot])),
        mu_hat=_known(in_force, -1),
        demand_time=_known(time, demand),
        mu_at_demand=_known(in_force, demand),
        usable_from=_known(time, _first(usable > 0.0)),
        alone_from=_known(time, alone),
        released_from=_known(time, released),
        limit_at_release=_known(limit, released),
        mean_limit=_over(np.mean, limit),
        largest_limit=None if released is None else _over(np.max, limit[released:]),
        largest_low=_over(np.max, low),
    )


def _estimate_in_force(log: WalkLog, foot: int, stance: slice) -> Array:
    """Find the last flagged value or usable median at each tick; NaN before one."""
    mu, median, flag, usable = (
        log.estimate(name)[stance, foot]
        for name in ("mu", "mu_median", "flag", "usable")
    )
    usable_median = np.where(usable > 0.0, median, np.nan)
    return _hold(np.where(np.isfinite(mu) & (flag > 0.0), mu, usable_median))


def _first_demand(log: WalkLog, foot: int, stance: slice) -> int | None:
    """Find the tick at which the rear foot first wants most of its friction."""
    wanted = log.wanted_ratio[stance]
    behind = log.foot_x[stance, foot] <= log.foot_x[stance, 1 - foot]
    rear = behind | np.isnan(wanted[:, 1 - foot])
    limit = DEMAND_SHARE * log.mu_true[stance, foot]
    return _first(rear & (np.abs(wanted[:, foot]) > limit))


def _first(condition: NDArray[np.bool_]) -> int | None:
    hits = np.flatnonzero(condition)
    return int(hits[0]) if hits.size else None


def _known(values: Array, tick: int | None) -> float | None:
    return (
        float(values[tick])
        if tick is not None and math.isfinite(values[tick])
        else None
    )


def _hold(values: Array) -> Array:
    """Replace each NaN by the last number before it."""
    index = np.where(np.isfinite(values), np.arange(values.size), 0)
    held: Array = values[np.maximum.accumulate(index)]
    return held


def _over(function: Callable[[Array], Any], values: Array) -> float | None:
    finite = values[np.isfinite(values)]
    return float(function(finite)) if finite.size else None


def _slides(log: WalkLog, foot: int, steady: slice) -> Iterator[StanceSlide]:
    for begin, end in (
        spans(np.abs(log.foot_vx[steady, foot]) > SLIDING_SPEED) + steady.start
    ):
        distance = extent(log.foot_x[begin:end, foot])
        if distance > LEAST_SLIDE:
            yield StanceSlide(
                foot=FEET[foot],
                start=float(log.time[begin]),
                end=float(log.time[end - 1]),
                distance=distance,
            )

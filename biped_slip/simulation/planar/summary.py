# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""What a walk amounts to: fell, how far, how far a stance foot slid, what was known of the floor and when."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Callable, Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from biped_slip.compile.arrays import Array
from biped_slip.control.planar.gait import LEFT_SWING, RIGHT_SWING
from biped_slip.simulation.planar.log import WalkLog
from biped_slip.simulation.stances import FEET, SLIP_LIMIT, Slip, extent, stances, steady_part
from biped_slip.simulation.summary import Summary

SLIDING_SPEED = 0.02  # [m/s] a foot that is faster is sliding
SHORTEST_SLIDE = 0.002  # [m]: twice the presliding distance of the thesis' floor
DEMAND_SHARE = 0.9  # of the true mu


@dataclass(frozen=True)
class Contact:
    """One stance, and what was known of its floor; None where not known or not reached."""

    foot: str
    start: float  # [s]
    end: float  # [s]
    mu_true: float
    mu_hat: float | None  # last estimate in force
    demand_time: float | None  # [s] wanted ratio of the rear foot first passes 0.9 mu_true
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
    """The result of one walk; ``slips`` are the times at which a stance foot moved."""

    contacts: tuple[Contact, ...]
    wall_time: float  # [s]

    def passes(self, required_distance: float, slip_limit: float = SLIP_LIMIT) -> bool:
        """Upright, far enough, and no stance foot slid by the limit [m]."""
        return self.upright_without_slip(slip_limit) and self.distance >= required_distance

    @classmethod
    def from_mapping(cls, mapping: Mapping[str, Any]) -> WalkSummary:
        """What :meth:`to_mapping` gave, also after a detour through JSON."""
        slips = tuple(Slip(**slip) for slip in mapping["slips"])
        return cls(**{**mapping, "slips": slips, "contacts": tuple(Contact(**c) for c in mapping["contacts"])})


def _slides(log: WalkLog, foot: int, stance: slice) -> Iterator[Slip]:
    part = steady_part(stance, log.time)
    fast = np.abs(log.foot_vx[part, foot]) > SLIDING_SPEED
    edges = np.flatnonzero(np.diff(np.concatenate(([0], fast.view(np.int8), [0])))).reshape(-1, 2)
    for begin, end in edges:
        distance = extent(log.foot_x[part.start + begin : part.start + end, foot])
        if distance > SHORTEST_SLIDE:
            times = log.time[part.start + begin], log.time[part.start + end - 1]
            yield Slip(FEET[foot], float(times[0]), float(times[1]), distance)


def _first(condition: NDArray[np.bool_]) -> int | None:
    hits = np.flatnonzero(condition)
    return int(hits[0]) if hits.size else None


def _contact(log: WalkLog, foot: int, stance: slice) -> Contact:
    time, mu_true = log.time[stance], log.mu_true[stance, foot]
    mu, flag = log.estimate("mu")[stance, foot], log.estimate("flag")[stance, foot] > 0.0
    median = log.estimate("mu_median")[stance, foot]
    usable = log.estimate("usable")[stance, foot] > 0.0
    acted_upon = np.where(np.isfinite(mu) & flag, mu, np.where(usable, median, np.nan))
    in_force = _hold(acted_upon)
    rear = (log.foot_x[stance, foot] <= log.foot_x[stance, 1 - foot]) | np.isnan(log.wanted_ratio[stance, 1 - foot])
    demanded = rear & (np.abs(log.wanted_ratio[stance, foot]) > DEMAND_SHARE * mu_true)
    demand, first_usable = _first(demanded), _first(usable)
    alone = _first(log.phase[stance] == (RIGHT_SWING if foot == 0 else LEFT_SWING))
    limit, low = log.limit[stance, foot], log.estimate("mu_low")[stance, foot]
    released = _first(np.isfinite(mu) & (flag | np.isfinite(log.estimate("mu_q05")[stance, foot])) & np.isfinite(limit))
    return Contact(
        FEET[foot],
        float(time[0]),
        float(time[-1]),
        float(np.median(mu_true)),
        _known(in_force[-1]),
        None if demand is None else float(time[demand]),
        None if demand is None else _known(in_force[demand]),
        None if first_usable is None else float(time[first_usable]),
        None if alone is None else float(time[alone]),
        None if released is None else float(time[released]),
        None if released is None else float(limit[released]),
        _over(np.mean, limit),
        None if released is None else _over(np.max, limit[released:]),
        _over(np.max, low),
    )


def _hold(values: Array) -> Array:
    """Each NaN replaced by the last number before it."""
    index = np.where(np.isfinite(values), np.arange(values.size), 0)
    held: Array = values[np.maximum.accumulate(index)]
    return held


def _over(function: Callable[[Array], Any], values: Array) -> float | None:
    finite = values[np.isfinite(values)]
    return float(function(finite)) if finite.size else None


def _known(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None


def summarise(log: WalkLog, fell: bool, wall_time: float) -> WalkSummary:
    """Summary of a trimmed log."""
    slips: list[Slip] = []
    contacts: list[Contact] = []
    largest = 0.0
    for foot in (0, 1):
        for stance in stances(log.time, log.normal[:, foot]):
            largest = max(largest, extent(log.foot_x[steady_part(stance, log.time), foot]))
            slips.extend(_slides(log, foot, stance))
            contacts.append(_contact(log, foot, stance))
    return WalkSummary(
        fell,
        float(log.time[-1]) if log.length else 0.0,
        float(log.q[-1, 0]) if log.length else 0.0,
        largest,
        tuple(sorted(slips, key=lambda slip: slip.start)),
        tuple(sorted(contacts, key=lambda contact: contact.start)),
        wall_time,
    )

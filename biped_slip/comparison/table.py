# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The table of a comparison: a row a walker, contact, governor and floor.

Shares have their exact interval (Clopper-Pearson, 95 %). A walk completes if the robot
is on its feet to the end of the time.
"""

from __future__ import annotations

import math
import shlex
from typing import Iterable, NamedTuple, Sequence

import numpy as np
from scipy.stats import binomtest

from biped_slip.comparison.job import ComparedWalk
from biped_slip.comparison.plan import ALONE, GOOD_MU, TRUTH, WalkedFloor

CONFIDENCE = 0.95


class RowKey(NamedTuple):
    """What the walks of one row share."""

    walker: str
    contact: str
    governed: str
    floor: WalkedFloor


class ComparedRow(NamedTuple):
    """One row over all seeds; NaN where there is nothing to count."""

    group: RowKey
    walks: int
    completed: int
    low: float  # of the share of completed walks
    high: float
    survival: float  # [s] mean
    kept: float  # speed of completed walks over that of the walker alone on mu 1.0
    sole_speed: float  # [m/s] mean, of touching soles
    slip_largest: float  # [m]
    slip_mean: float  # [m] a stance
    required: float  # friction after the slide


class LastMu(NamedTuple):
    """How far down a walker walks, with all walks completed on each floor above."""

    walker: str
    contact: str
    governed: str
    mu: float  # NaN: not even on the first floor
    walks: int  # a floor


class Saved(NamedTuple):
    """Walks that fall alone, and what a governor makes of them, in one contact."""

    walker: str
    contact: str
    governed: str
    walks: int  # compared, on the same floors with the same seeds
    alone: int  # falls alone
    fell: int  # falls governed
    truth_saved: int  # of the falls alone, by the governor that knows mu
    saved: int  # of those, the ones that this one saves as well


def group_of(walk: ComparedWalk) -> RowKey:
    """Return what the walks of one row share."""
    job = walk.job
    return RowKey(
        walker=job.name, contact=job.contact, governed=job.governed, floor=job.floor
    )


def interval(successes: int, trials: int) -> tuple[float, float]:
    """Return the exact interval of a share."""
    found = binomtest(successes, trials).proportion_ci(CONFIDENCE)
    return float(found.low), float(found.high)


def rows_of(walks: Sequence[ComparedWalk]) -> list[ComparedRow]:
    """Make one row per walker, contact, governor and floor, as they first appear."""
    groups: dict[RowKey, list[ComparedWalk]] = {}
    for walk in walks:
        groups.setdefault(group_of(walk), []).append(walk)
    good = {
        (group.walker, group.contact): mean_speed(some)
        for group, some in groups.items()
        if group.governed == ALONE and group.floor == WalkedFloor(GOOD_MU)
    }
    return [
        _row(group, some, good.get((group.walker, group.contact), math.nan))
        for group, some in groups.items()
    ]


def _row(group: RowKey, walks: Sequence[ComparedWalk], good: float) -> ComparedRow:
    completed = sum(walk.completed for walk in walks)
    low, high = interval(completed, len(walks))
    columns = [walk.end.columns for walk in walks]
    return ComparedRow(
        group=group,
        walks=len(walks),
        completed=completed,
        low=low,
        high=high,
        survival=float(np.mean([walk.end.time for walk in walks])),
        kept=mean_speed(walks) / good if good != 0.0 else math.nan,
        sole_speed=mean(one.sole_speed for one in columns),
        slip_largest=max(known(one.slip_largest for one in columns), default=math.nan),
        slip_mean=mean(one.slip_mean for one in columns),
        required=mean(one.required for one in columns),
    )


def mean_speed(walks: Sequence[ComparedWalk]) -> float:
    """Average the speed of the walks that completed; NaN without any."""
    return mean(walk.end.columns.speed for walk in walks if walk.completed)


def mean(values: Iterable[float]) -> float:
    """Average the numbers among the values; NaN without any."""
    numbers = known(values)
    return float(np.mean(numbers)) if numbers else math.nan


def known(values: Iterable[float]) -> list[float]:
    """List the numbers among the values."""
    return [value for value in values if math.isfinite(value)]


def first_failing(
    walks: Sequence[ComparedWalk], walker: str, contact: str
) -> float | None:
    """Find the largest whole floor on which a walker alone falls; None: it never does.

    A walker that falls on mu 1.0 has no such floor: nothing there is slippery.
    """
    failing = [
        walk.job.floor.mu
        for walk in walks
        if (walk.job.name, walk.job.contact, walk.job.governed)
        == (walker, contact, ALONE)
        and whole(walk.job.floor)
        and not walk.completed
    ]
    largest = max(failing, default=None)
    return None if largest is None or largest >= GOOD_MU else largest


def whole(floor: WalkedFloor) -> bool:
    """Return whether a floor is of one friction, without a push."""
    return not floor.patch and floor.push == 0.0


def last_mus(rows: Sequence[ComparedRow]) -> list[LastMu]:
    """Find how far down each walker, contact and governor goes, as they appear."""
    kinds: dict[tuple[str, str, str], list[ComparedRow]] = {}
    for row in rows:
        if whole(row.group.floor):
            kinds.setdefault(row.group[:3], []).append(row)
    return [_last_mu(kind, some) for kind, some in kinds.items()]


def _last_mu(kind: tuple[str, str, str], rows: Sequence[ComparedRow]) -> LastMu:
    last = math.nan
    for row in sorted(rows, key=lambda row: -row.group.floor.mu):
        if row.completed < row.walks:
            break
        last = row.group.floor.mu
    walker, contact, governed = kind
    return LastMu(
        walker=walker,
        contact=contact,
        governed=governed,
        mu=last,
        walks=max(row.walks for row in rows),
    )


def saved_by(walks: Sequence[ComparedWalk]) -> list[Saved]:
    """Count what each governor saves of the walks that fall alone."""
    ends = {(group_of(walk), walk.job.seed): walk.completed for walk in walks}
    kinds: dict[tuple[str, str, str], list[tuple[bool, bool, bool]]] = {}
    for (group, seed), completed in ends.items():
        alone = ends.get((group._replace(governed=ALONE), seed))
        if group.governed == ALONE or alone is None:
            continue
        truth = ends.get((group._replace(governed=TRUTH), seed), False)
        kinds.setdefault(group[:3], []).append((alone, truth, completed))
    return [_saved(kind, some) for kind, some in kinds.items()]


def _saved(
    kind: tuple[str, str, str], ends: Sequence[tuple[bool, bool, bool]]
) -> Saved:
    savable = [end for end in ends if not end[0] and end[1]]
    walker, contact, governed = kind
    return Saved(
        walker=walker,
        contact=contact,
        governed=governed,
        walks=len(ends),
        alone=sum(not alone for alone, _, _ in ends),
        fell=sum(not completed for _, _, completed in ends),
        truth_saved=len(savable),
        saved=sum(completed for _, _, completed in savable),
    )


def command_of(group: RowKey, words: Sequence[str]) -> str:
    """Return the command that walks one row again.

    Args:
        group: of the row.
        words: that begin the command: program, plan, folders, seeds, seconds.
    """
    floor = group.floor
    where = ["--floor", f"{floor.mu:g}"]
    if floor.patch:
        where = ["--patch", f"{floor.mu:g}"]
    if floor.push > 0.0:
        where = ["--push", f"{floor.push:g}"]
    return shlex.join(
        [
            *words,
            "--walker",
            group.walker,
            "--contact",
            group.contact,
            "--governed",
            group.governed,
            *where,
        ]
    )

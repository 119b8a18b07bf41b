# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Many walks of a humanoid over a slippery patch, as one table: the same seeds for every kind of slip prevention."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Callable, Iterable, Iterator

import numpy as np

from biped_slip.simulation.floating.walk import HumanoidWalk
from biped_slip.simulation.floating.walk_config import HumanoidWalkConfig
from biped_slip.simulation.floating.walk_summary import HumanoidSummary, summarise_humanoid


@dataclass(frozen=True)
class HumanoidOutcome:
    """One walk's result."""

    kind: str
    seed: int
    summary: HumanoidSummary


@dataclass(frozen=True)
class HumanoidRow:
    """One line of the table: a kind of slip prevention over all seeds."""

    kind: str
    runs: int
    passed: int
    fell: int
    slipped: int  # walks with a stance slip over 1 cm
    median_slip: float  # [m] of the walks' largest slips
    largest_slip: float  # [m]
    peak_ratio: float  # median off the patch
    speed: float  # [m/s] mean off the patch, of the walks that did not fall


def humanoid_walk(config: HumanoidWalkConfig, kind: str, seed: int,
                  progress: Callable[[float], None] | None = None) -> HumanoidOutcome:  # fmt: skip
    """Walk once."""
    walk = HumanoidWalk(config, kind, seed)
    walk.run(progress)
    return HumanoidOutcome(kind, seed, summarise_humanoid(walk))


def humanoid_campaign(
    config: HumanoidWalkConfig, kinds: Iterable[str], seeds: Iterable[int]
) -> Iterator[HumanoidOutcome]:
    """All walks, one after the other, each handed out as soon as it is done."""
    seeds = list(seeds)
    for kind in kinds:
        for seed in seeds:
            yield humanoid_walk(config, kind, seed)


def humanoid_table(outcomes: Iterable[HumanoidOutcome]) -> list[HumanoidRow]:
    """One row per kind, in the order of first appearance."""
    groups: dict[str, list[HumanoidSummary]] = {}
    for outcome in outcomes:
        groups.setdefault(outcome.kind, []).append(outcome.summary)
    return [_row(kind, group) for kind, group in groups.items()]


def _row(kind: str, group: list[HumanoidSummary]) -> HumanoidRow:
    slips = [summary.largest_slip for summary in group]
    return HumanoidRow(
        kind,
        len(group),
        sum(summary.passes() for summary in group),
        sum(summary.fell for summary in group),
        sum(summary.slips > 0 for summary in group),
        float(np.median(slips)),
        float(np.max(slips)),
        _mean(summary.peak_ratio for summary in group),
        _mean(summary.speed_off_patch for summary in group if not summary.fell),
    )


def _mean(values: Iterable[float]) -> float:
    """Mean of the numbers among the values; NaN without any."""
    known = [value for value in values if np.isfinite(value)]
    return float(np.mean(known)) if known else float("nan")

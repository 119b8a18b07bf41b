# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The walks of a plan, in three parts: contract, alone on floors, and all others.

Others come last, as the patch of the first floor on which a walker fails is known only
then.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Iterable, Sequence

from biped_slip.comparison.contract import CHECK_SECONDS, CHECKED
from biped_slip.comparison.job import ComparedJob, ComparedWalk
from biped_slip.comparison.plan import (
    ALONE,
    GOOD_MU,
    ComparedWalker,
    ComparisonConfig,
    WalkedFloor,
)
from biped_slip.comparison.table import first_failing

Place = tuple[ComparedWalker, str]  # a walker and the contact on which it walks


def contract_jobs(
    walkers: Iterable[ComparedWalker], config: ComparisonConfig
) -> list[ComparedJob]:
    """List the walks on mu 1.0 that show whether a walker walks as it is commanded."""
    short = replace(config, seconds=min(CHECK_SECONDS, config.seconds))
    return [
        ComparedJob(
            walker=walker,
            contact=walker.config.contacts[0],
            governed=ALONE,
            floor=WalkedFloor(GOOD_MU),
            plan=short,
            seed=0,
            scale=scale,
        )
        for walker in walkers
        for scale in CHECKED
    ]


def places(walkers: Iterable[ComparedWalker]) -> list[Place]:
    """List walkers with each contact on which they walk."""
    return [(walker, one) for walker in walkers for one in walker.config.contacts]


def floor_jobs(
    walkers: Iterable[ComparedWalker], config: ComparisonConfig
) -> list[ComparedJob]:
    """List the walks alone on whole floors, mu 1.0 among them."""
    floors = sorted({GOOD_MU, *config.floors}, reverse=True)
    return [
        job
        for place in places(walkers)
        for mu in floors
        for job in seeded(place, ALONE, WalkedFloor(mu), config)
    ]


def other_jobs(
    walkers: Iterable[ComparedWalker],
    config: ComparisonConfig,
    alone: Sequence[ComparedWalk],
) -> list[ComparedJob]:
    """List governed walks, walks over patches, and pushed ones.

    Args:
        walkers: of the plan.
        config: of the plan.
        alone: the walks alone on whole floors.
    """
    jobs = []
    for walker, contact in places(walkers):
        patches = list(config.patches)
        failing = first_failing(alone, walker.name, contact)
        if config.failing_patch and failing is not None and failing not in patches:
            patches.append(failing)
        beside = [WalkedFloor(mu, patch=True) for mu in patches]
        beside += [WalkedFloor(config.push_mu, push=force) for force in config.pushes]
        slippery = [
            WalkedFloor(mu) for mu in config.floors if mu <= config.governed_up_to
        ]
        for kind in config.governed:
            floors = beside if kind == ALONE else [*slippery, *beside]
            for floor in floors:
                jobs += seeded((walker, contact), kind, floor, config)
    return jobs


def seeded(
    place: Place, kind: str, floor: WalkedFloor, config: ComparisonConfig
) -> list[ComparedJob]:
    """List the walks of all seeds on one floor."""
    walker, contact = place
    return [
        ComparedJob(
            walker=walker,
            contact=contact,
            governed=kind,
            floor=floor,
            plan=config,
            seed=seed,
        )
        for seed in range(getattr(config.seeds, contact))
    ]

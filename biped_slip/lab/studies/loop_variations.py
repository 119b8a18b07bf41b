# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The same walks with one thing changed: noisier force sensors, probing, contacts that remember reversals."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Sequence

from biped_slip.constants import GRAVITY
from biped_slip.lab.studies.closed_loop import FLAT, LIMITS, UPHILL
from biped_slip.robots.planar_biped import planar_biped
from biped_slip.simulation.planar.campaign import Job, Outcome

NOISE = (0.003, 0.01, 0.03)  # of body weight
LANDING_SIGMAS = 8.0  # landing is felt above offset and noise (choice: a second at 1 kHz without false alarm)
LANDING_FORCE = 3.0  # [N] the gait's own
CONTACTS = ("iwan", "dahl")


@dataclass(frozen=True)
class Variation:
    """Changes of the scenarios with a name, and the limits that are walked with them."""

    name: str
    changes: tuple[tuple[str, Any], ...]
    limits: tuple[str, ...]


def force_noise() -> list[Variation]:
    """Noise and offset of the force sensors alike; the estimator is told, the gait feels landings above them."""
    weight = planar_biped("thesis").mass * GRAVITY
    found = []
    for share in NOISE:
        noise = share * weight
        changes = {
            "sensors.force_noise": noise,
            "sensors.force_offset": noise,
            "interval.force.sigma": noise,
            "interval.force.offset": noise,
            "controller.gait.landing_force": max(LANDING_FORCE, LANDING_SIGMAS * noise),
        }
        found.append(Variation(f"force noise {100 * share:g} %", tuple(changes.items()), ("interval", "oracle")))
    return found


def probing() -> list[Variation]:
    """Feet that push against each other in double support, off and on."""
    return [
        Variation(f"probing {name}", (("controller.probing.enabled", on),), ("interval",))
        for name, on in (("off", False), ("on", True))
    ]


def contacts() -> list[Variation]:
    """Every limit on a contact that remembers every reversal, and on one that remembers none."""
    return [Variation(name, (("plant.contact", f"hunt_crossley + {name}"),), LIMITS) for name in CONTACTS]


def jobs(variations: Sequence[Variation], walks: int, first_seed: int = 0) -> list[Job]:
    """Every variation on both scenarios over the same seeds."""
    return [
        Job(scenario, limit, seed, variation.changes)
        for variation in variations
        for scenario in (FLAT, UPHILL)
        for limit in variation.limits
        for seed in range(first_seed, first_seed + walks)
    ]


def walked(variation: Variation, outcomes: Sequence[Outcome]) -> list[Outcome]:
    """The outcomes of one variation."""
    return [outcome for outcome in outcomes if outcome.job.changes == variation.changes]

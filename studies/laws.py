# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""One walk of the planar biped on every friction law, with default values.

How each ends, on which step, and how large the forces along the floor become: no law
may diverge, nor be reported as a fall when it does.
"""

from __future__ import annotations

import argparse
from typing import NamedTuple, Sequence

import numpy as np

from biped_slip.cli.terminal import Screen
from biped_slip.friction_laws.registry import friction_law_names
from biped_slip.simulation.planar.oracle import planar_policy
from biped_slip.simulation.planar.scenario import chosen_scenario
from biped_slip.simulation.planar.summary import summarise
from biped_slip.simulation.planar.walk import Walk
from studies.frame import Study, declare, table_of

SCENARIO = "demo"
LIMIT = "touchdown"


class LawWalk(NamedTuple):
    """A walk on one friction law."""

    law: str
    seed: int
    end: str  # in a few words
    diverged: str  # a sentence; empty: it did not
    time: float  # [s]
    distance: float  # [m]
    slip: float  # [m] most in one stance
    steps: int  # of the plant in a control period
    # largest at the ticks of a foot that bears a tenth of the weight, over mu F_n
    ratio: float
    force: float  # largest along the floor at the ticks [weights]


def walk_on(job: tuple[str, int]) -> LawWalk:
    """Walk once, tick by tick: then nothing but the law is compiled."""
    law, seed = job
    scenario = chosen_scenario(SCENARIO, seed=seed, contact=f"hunt_crossley + {law}")
    walk = Walk(scenario, planar_policy(LIMIT, scenario), seed)
    while not walk.ended:
        walk.tick()
    log = walk.log.trim()
    summary = summarise(log, walk.fell, 0.0, walk.diverged)
    along = np.abs(log.tangential)
    bears = log.normal >= 0.1 * log.weight
    cone = np.where(bears, log.mu_true * log.normal, np.inf)
    return LawWalk(
        law=law,
        seed=seed,
        end=summary.end,
        diverged=walk.diverged,
        time=summary.end_time,
        distance=summary.distance,
        slip=summary.max_stance_slip,
        steps=walk.plant.steps,
        ratio=float((along / cone).max()),
        force=float(along.max() / log.weight),
    )


COLUMNS = {
    "friction law": lambda walk: walk.law,
    "end": lambda walk: walk.end,
    "time": lambda walk: f"{walk.time:.1f} s",
    "distance": lambda walk: f"{walk.distance:.2f} m",
    "slip max": lambda walk: f"{1e3 * walk.slip:.1f} mm",
    "steps a period": lambda walk: walk.steps,
    "F_t/(mu F_n)": lambda walk: f"{walk.ratio:.2f}",
    "F_t/weight": lambda walk: f"{walk.force:.2f}",
}


def show(walks: Sequence[LawWalk], console: Screen) -> bool:
    """Print a row a law; the answer is False when one diverged."""
    console.print(table_of(COLUMNS, walks))
    for walk in walks:
        if walk.diverged:
            console.print(f"{walk.law}: {walk.diverged}")
    return not any(walk.diverged for walk in walks)


LAWS = Study(
    "laws", walk_on, LawWalk, show=show, job=lambda walk: (walk.law, walk.seed)
)


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    declare(parser, "workers")
    parser.add_argument(
        "--friction", nargs="+", metavar="LAW", help="these friction laws only"
    )


def run(arguments: argparse.Namespace) -> int:
    """Walk on each law; the exit code is 1 when one diverged."""
    laws = arguments.friction or friction_law_names()
    return LAWS.run(arguments, [(law, arguments.first_seed) for law in laws])

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The friction estimate in the loop: hundreds of walks with real sensors, resumable, beside what is required."""

from __future__ import annotations

import argparse
from typing import Any, Sequence

from biped_slip.cli import COUNT, SEED
from biped_slip.cli.campaign import walk
from biped_slip.cli.terminal import Screen, file_to_keep, file_to_write, write_json
from biped_slip.errors import InvalidParameter
from biped_slip.simulation.planar.walk import Job, Outcome
from studies.estimator import closed_loop
from studies.estimator import closed_loop as loop_variations
from studies.estimator import closed_loop as lowest_mu
from studies.estimator import closed_loop as tables
from studies.estimator.closed_loop import Variation


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "--part",
        choices=tuple(PARTS),
        default="limits",
        help="limits side by side (default), the lowest mu each can cross, noisier force sensors, probing, or the "
        "limits on contacts that remember every reversal (Iwan) and none (Dahl)",
    )
    parser.add_argument("--walks", type=COUNT, default=200, help="per scenario and limit (200)")
    parser.add_argument("--first-seed", type=SEED, default=0, help="first seed (0)")
    parser.add_argument("--workers", type=COUNT, help="processes; all cores by default")
    parser.add_argument(
        "--results",
        type=file_to_keep,
        metavar="FILE",
        help="every walk is appended here as it ends, and not walked again",
    )
    parser.add_argument("--json", type=file_to_write, metavar="FILE", help="write the tables here")


def run(arguments: argparse.Namespace) -> int:
    """Walk what is missing, print the tables; exit code 1 when a required number is missed."""
    if arguments.walks < 1:
        raise InvalidParameter("--walks", arguments.walks, "at least 1")
    met, content = PARTS[arguments.part](arguments)
    if arguments.json is not None:
        write_json(arguments.json, arguments, [content])
    return 0 if met else 1


Result = tuple[bool, dict[str, Any]]  # whether all requirements are met; the tables for JSON


def _limits(arguments: argparse.Namespace) -> Result:
    outcomes = _walked(arguments, closed_loop.jobs(arguments.walks, arguments.first_seed))
    content = _show("", outcomes)
    required = closed_loop.requirements(closed_loop.passes(outcomes))
    Screen().print(tables.requirements_table(required))
    content["required"] = [{**tables.plain(row), "met": row.met} for row in required]
    return all(row.met for row in required), content


def _lowest_mu(arguments: argparse.Namespace) -> Result:
    rows = lowest_mu.search(lambda jobs: _walked(arguments, jobs), arguments.first_seed)
    Screen().print(tables.lowest_table(rows))
    return True, {"lowest": [tables.plain(row) for row in rows]}


def _force_noise(arguments: argparse.Namespace) -> Result:
    return _variations(arguments, loop_variations.force_noise())


def _probing(arguments: argparse.Namespace) -> Result:
    return _variations(arguments, loop_variations.probing())


def _contacts(arguments: argparse.Namespace) -> Result:
    return _variations(arguments, loop_variations.contacts())


def _variations(arguments: argparse.Namespace, variations: Sequence[Variation]) -> Result:
    jobs = loop_variations.loop_variations_jobs(variations, arguments.walks, arguments.first_seed)
    outcomes = _walked(arguments, jobs)
    return True, {v.name: _show(f"{v.name}, ", loop_variations.walked(v, outcomes)) for v in variations}


def _walked(arguments: argparse.Namespace, jobs: Sequence[Job]) -> list[Outcome]:
    return walk(jobs, arguments.results, arguments.workers)


def _show(title: str, outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """Print walks and stances per scenario; the same for JSON."""
    passes, floors = closed_loop.passes(outcomes), closed_loop.floors(outcomes)
    for scenario in (closed_loop.FLAT, closed_loop.UPHILL):
        Screen().print(tables.passes_table(title + scenario, [row for row in passes if row.scenario == scenario]))
        Screen().print(tables.floors_table(title + scenario, [row for row in floors if row.scenario == scenario]))
    return {"passes": [tables.plain(row) for row in passes], "floors": [tables.plain(row) for row in floors]}


PARTS = {
    "limits": _limits,
    "lowest-mu": _lowest_mu,
    "force-noise": _force_noise,
    "probing": _probing,
    "contacts": _contacts,
}

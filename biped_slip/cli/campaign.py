# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Many walks: a campaign file, or seeds × limits × scenarios or humanoids, on all cores."""

from __future__ import annotations

import argparse
from dataclasses import asdict
from pathlib import Path
from typing import Any, Sequence

from rich.table import Column, Table

from biped_slip.cli import campaign_plan
from biped_slip.cli.outputs import file_to_keep, file_to_write, result_screen, write_json
from biped_slip.cli.parser import COUNT, SEED
from biped_slip.cli.screen import Screen
from biped_slip.cli.seeds import chosen_seeds
from biped_slip.cli.walk_humanoid import pushed_walk
from biped_slip.cli.walks import walk
from biped_slip.errors import InvalidParameter
from biped_slip.simulation.campaign import Outcome, Row, table
from biped_slip.simulation.humanoid.campaign import Job as HumanoidJob
from biped_slip.simulation.planar.campaign import Job as PlanarJob
from biped_slip.simulation.planar.campaign import demand_table

LIMITS, SEEDS = ("none", "constant:0.2", "oracle", "thesis"), 60
HUMANOID_LIMITS, HUMANOID_SEEDS = ("constant:0.7", "constant:0.2", "interval", "oracle"), 20
HUMANOID_RESULTS = Path("humanoid-walks.jsonl")
SCENARIO = "thesis"
Outcomes = Sequence[Outcome[Any, Any]]


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    campaign_plan.configure(parser)
    parser.add_argument("--scenario", nargs="+", metavar="NAME", help=f"shipped names or .yaml files ({SCENARIO})")
    parser.add_argument(
        "--robot", nargs="+", metavar="NAME", help="humanoids in place of the scenarios: talos, g1, ..."
    )
    parser.add_argument("--limit", nargs="+", metavar="LIMIT", help="slip preventions to compare")
    parser.add_argument(
        "--push", nargs="+", type=float, metavar="WEIGHTS", help="humanoids: sideways push on the patch (0)"
    )
    parser.add_argument("--true-base", action="store_true", help="humanoids: the base as it truly moves")
    parser.add_argument("--seeds", type=COUNT, help=f"number of seeds ({SEEDS}; humanoids {HUMANOID_SEEDS})")
    parser.add_argument("--first-seed", type=SEED, default=0, help="first seed (0)")
    parser.add_argument("--workers", type=COUNT, help="processes; all cores by default")
    parser.add_argument(
        "--results", type=file_to_keep, metavar="FILE",
        help=f"walks that have ended; what is there is not walked again (humanoids: {HUMANOID_RESULTS})",
    )  # fmt: skip
    parser.add_argument("--json", type=file_to_write, metavar="FILE", help="write rows and every outcome here")


def run(arguments: argparse.Namespace) -> int:
    """Run all walks and print the tables."""
    if arguments.plan is not None:
        return campaign_plan.run(arguments)
    outcomes = _humanoids(arguments) if arguments.robot else _scenarios(arguments)
    screen = result_screen(arguments)
    show(table(outcomes), screen)
    if not arguments.robot:
        show_demand(outcomes, screen)
    if arguments.json is not None:
        rows = [asdict(row) for row in table(outcomes)]
        write_json(arguments.json, arguments, [outcome.to_mapping() for outcome in outcomes], {"walks": rows})
    return 0


def _scenarios(arguments: argparse.Namespace) -> Outcomes:
    for name in ("push", "true_base"):
        if getattr(arguments, name):
            raise InvalidParameter(f"--{name.replace('_', '-')}", getattr(arguments, name), "given with --robot")
    seeds, limits = chosen_seeds(arguments, SEEDS), arguments.limit or LIMITS
    scenarios = arguments.scenario or [SCENARIO]
    jobs = [PlanarJob(name, limit, seed) for name in scenarios for limit in limits for seed in seeds]
    return walk(jobs, arguments.results, arguments.workers, arguments.scheduler)


def _humanoids(arguments: argparse.Namespace) -> Outcomes:
    if arguments.scenario:
        raise InvalidParameter("--scenario", " ".join(arguments.scenario), "left out with --robot")
    seeds, limits = chosen_seeds(arguments, HUMANOID_SEEDS), arguments.limit or HUMANOID_LIMITS
    pushes = arguments.push or [0.0]
    configs = [pushed_walk(name, push) for name in arguments.robot for push in pushes]
    jobs = [
        HumanoidJob(config, limit, seed, arguments.true_base)
        for config in configs
        for limit in limits
        for seed in seeds
    ]
    return walk(jobs, arguments.results or HUMANOID_RESULTS, arguments.workers, arguments.scheduler)


def show(rows: Sequence[Row], console: Screen) -> None:
    """Print how the walks ended."""
    beside_patch = any(row.peak_ratio is not None for row in rows)
    columns = (
        Column("name", overflow="fold"), Column("limit", no_wrap=True, min_width=12), "pass", "refused", "fell",
        "slip > 1 cm", "fell or > 5 cm", "slip median", "slip max",
        "distance",
    )  # fmt: skip
    walks = Table(*columns, *(("peak ratio", "speed off patch") if beside_patch else ()))
    for row in rows:
        walks.add_row(
            row.name,
            row.limit,
            f"{row.passed}/{row.runs}",
            str(row.refused),
            str(row.fell),
            str(row.slipped),
            str(row.fell_or_slid_far),
            f"{1e3 * row.median_slip:.1f} mm",
            f"{1e3 * row.largest_slip:.1f} mm",
            f"{row.median_distance:.2f} m",
            *((_digits(row.peak_ratio), f"{_digits(row.speed)} m/s") if beside_patch else ()),
        )
    console.print(walks)


def _digits(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"


def show_demand(outcomes: Outcomes, console: Screen) -> None:
    """Print what was known of the floor when the load asked for it."""
    known = Table(
        "scenario", "limit", "mu true", "stances asking 0.9 mu", "estimate known", "of these <= mu", "5/50/95 %"
    )
    for demand in demand_table(outcomes):
        share = f"{100 * demand.at_or_below / demand.known:.0f} %" if demand.known else "-"
        quantiles = "/".join(f"{q:.2f}" for q in demand.quantiles) if demand.known else "-"
        counts = str(demand.contacts), str(demand.known)
        known.add_row(demand.scenario, demand.limit, f"{demand.mu_true:.2f}", *counts, share, quantiles)
    console.print(known)

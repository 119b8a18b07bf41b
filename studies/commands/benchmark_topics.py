# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Count the walks over ROS topics that end upright, in real time at 1 kHz: nominal ones and perturbed ones."""

from __future__ import annotations

import argparse
import sys

from rich.progress import Progress
from rich.table import Table

from biped_slip.cli import SEED
from biped_slip.cli.terminal import Screen
from biped_slip.errors import InvalidParameter
from biped_slip.ros.processes import REALTIME, compile_ahead, walk_over_topics
from biped_slip.simulation.planar.walk import WalkSummary, chosen_scenario


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("--scenario", default="thesis", help="name of a shipped scenario, or a .yaml file")
    parser.add_argument("--limit", default="interval", help="slip prevention")
    parser.add_argument("--runs", type=SEED, default=5, help="walks of the nominal scenario")
    parser.add_argument("--seeds", type=SEED, default=20, help="walks of perturbed scenarios")
    parser.add_argument("--first-seed", type=SEED, default=0)
    parser.add_argument("--mode", choices=("real-time", "lockstep"), default="real-time")
    parser.add_argument("--embedded", action="store_true", help="estimate inside the controller: two processes")
    parser.add_argument("--no-priority", action="store_true", help="ask for no real-time priority")


def run(arguments: argparse.Namespace) -> int:
    """Walk, count, print."""
    if arguments.runs < 0 or arguments.seeds < 0 or arguments.runs + arguments.seeds < 1:
        raise InvalidParameter("--runs and --seeds", (arguments.runs, arguments.seeds), "at least one walk in all")
    seeds = range(arguments.first_seed, arguments.first_seed + arguments.seeds)
    groups: dict[str, list[int | None]] = {"nominal": [None] * arguments.runs, "seeds": list(seeds)}
    scenario = chosen_scenario(arguments.scenario)
    compile_ahead(scenario, [arguments.limit], arguments.embedded)
    priority = () if arguments.no_priority or arguments.mode == "lockstep" else REALTIME
    results: dict[str, list[WalkSummary]] = {name: [] for name in groups}
    with Progress(console=Screen(stderr=True), transient=True) as bar:
        task = bar.add_task(f"walking ({arguments.mode})", total=arguments.runs + arguments.seeds)
        for name, group in groups.items():
            for seed in group:
                walk = walk_over_topics(
                    arguments.scenario,
                    arguments.limit,
                    seed=seed,
                    mode=arguments.mode,
                    embedded=arguments.embedded,
                    options=priority,
                )
                results[name].append(walk.summary)
                bar.advance(task)
    show(results, scenario.required_distance, Screen(file=sys.stdout))
    return 0


def show(results: dict[str, list[WalkSummary]], required_distance: float, console: Screen) -> None:
    """Print how many walks ended upright, and how many also far enough without sliding by 1 cm."""
    table = Table("walks", "upright to the end", "without slide > 1 cm", "median slide", "largest slide", "wall time")
    for name, walks in results.items():
        if not walks:
            continue
        slides = sorted(walk.max_stance_slip for walk in walks)
        times = sorted(walk.wall_time for walk in walks)
        table.add_row(
            name,
            f"{sum(not walk.fell for walk in walks)} of {len(walks)}",
            f"{sum(walk.passes(required_distance) for walk in walks)} of {len(walks)}",
            f"{1e3 * slides[len(slides) // 2]:.1f} mm",
            f"{1e3 * slides[-1]:.1f} mm",
            f"{times[len(times) // 2]:.1f} s",
        )
    console.print(table)

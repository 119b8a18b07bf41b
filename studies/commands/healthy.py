# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""How often sound sensors are accused while robots walk."""

from __future__ import annotations

import argparse
from collections import Counter
from dataclasses import asdict

from rich.table import Table

from biped_slip.cli.terminal import Screen, result_screen, write_json
from studies.commands.arguments import configure as declare_walks

MINUTES = 120.0


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    declare_walks(parser)
    parser.add_argument("--minutes", type=float, default=MINUTES, help=f"of healthy walking ({MINUTES:g})")


def run(arguments: argparse.Namespace) -> int:
    """Walk what is missing; exit code 1 when a sound robot was stopped, or warned more than once in two hours."""
    from studies.faults.healthy import RESULTS, HealthyWalk, healthy_walks

    progress = Screen(stderr=True)

    def tell(walk: HealthyWalk) -> None:
        progress.print(f"{walk.name}, seed {walk.seed}: {walk.seconds:.1f} s {walk.stop}")

    walks = list(healthy_walks(arguments.minutes, str(arguments.results or RESULTS), tell))
    table = Table("robot", "walks", "minutes", "stopped for nothing", "warnings", "fell")
    for name in dict.fromkeys(walk.name for walk in walks):
        group = [walk for walk in walks if walk.name == name]
        stops = "; ".join(f"seed {walk.seed}: {walk.stop}" for walk in group if walk.stopped)
        warned = sum((Counter(walk.warnings) for walk in group), Counter[str]())
        words = ", ".join(f"{problem} {number}" for problem, number in warned.items())
        minutes = sum(walk.seconds for walk in group) / 60.0
        table.add_row(
            name, str(len(group)), f"{minutes:.1f}", stops or "0", words or "0", str(sum(w.fell for w in group))
        )
    screen = result_screen(arguments)
    screen.print(table)
    minutes, stopped = sum(walk.seconds for walk in walks) / 60.0, sum(walk.stopped for walk in walks)
    warnings = sum(sum(walk.warnings.values()) for walk in walks)
    screen.print(f"{minutes:.1f} minutes of healthy walking: {stopped} stopped for nothing, {warnings} warnings")
    if arguments.json is not None:
        write_json(arguments.json, arguments, [asdict(walk) for walk in walks])
    return 0 if not stopped and warnings <= max(1.0, minutes / MINUTES) else 1

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""robots whose controller loses ticks at random moments of the gait, and how many stay upright."""

from __future__ import annotations

import argparse
from dataclasses import asdict

from rich.table import Table

from biped_slip.cli import COUNT
from biped_slip.cli.terminal import Screen, result_screen, write_json
from studies.commands.arguments import configure as declare_walks

MOMENTS = 200
SHORT, SURVIVED = 5, 0.95  # ticks that nobody may fall for; share that has to outlive longer ones


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of this one alone."""
    declare_walks(parser)
    parser.add_argument("--moments", type=COUNT, default=MOMENTS, help=f"of the gait, for each robot ({MOMENTS})")
    parser.add_argument("--lost", nargs="+", type=COUNT, metavar="TICKS", help="lost at once (1 2 5 20)")


def run(arguments: argparse.Namespace) -> int:
    """Try what is missing; exit code 1 when a short stall felled a robot, or more than 5 % of the long ones did."""
    from studies.faults.stalls import LOST, RESULTS, ROBOTS, Stall, stalls

    progress = Screen(stderr=True)

    def tell(one: Stall) -> None:
        how = "fell" if one.fell else one.stopped or "upright"
        progress.print(f"{one.robot}, seed {one.seed}, tick {one.tick}, {one.lost} lost: {how}")

    robots, lost = arguments.robot or ROBOTS, tuple(arguments.lost or LOST)
    found = list(stalls(arguments.moments, robots, str(arguments.results or RESULTS), tell, lost))
    table, missed = Table("robot", "lost [ms]", "tried", "fell", "stopped", "first of them"), 0
    for robot in robots:
        for ticks in (0, *lost):
            group = [one for one in found if (one.robot, one.lost) == (robot, ticks)]
            bad = [one for one in group if one.fell or one.stopped]
            missed += len(bad) > (0 if ticks <= SHORT else (1.0 - SURVIVED) * len(group))
            first = f"seed {bad[0].seed}, tick {bad[0].tick} {bad[0].stopped}" if bad else ""
            what = str(ticks) if ticks else "none: whole walks"
            table.add_row(
                robot, what, str(len(group)), str(sum(one.fell for one in bad)),
                str(sum(bool(one.stopped) for one in bad)), first,
            )  # fmt: skip
    screen = result_screen(arguments)
    screen.print(table)
    screen.print(f"{sum(one.lost > 0 for one in found)} stalls, {missed} rows beyond what is allowed")
    if arguments.json is not None:
        write_json(arguments.json, arguments, [asdict(one) for one in found])
    return 1 if missed else 0

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""which commands a controller survives on which floor, and what a friction governor saves."""

from __future__ import annotations

import argparse
from dataclasses import asdict
from pathlib import Path
from typing import Sequence

from rich.table import Table

from biped_slip.cli.campaign import complete
from biped_slip.cli.terminal import Screen, chosen_seeds, result_screen, write_json
from biped_slip.walking.humanoid_registry import DEFAULT
from studies.commands.arguments import configure as declare_walks
from studies.humanoids.governed import (
    CONTACTS,
    GUARDS,
    MUS,
    WAYS,
    Cell,
    GovernedFile,
    Row,
    governed_table,
    governed_walks,
)

RESULTS, SEEDS, SPEED, COMMANDS, ROBOT = Path("governor.jsonl"), 4, 1.0, (0.0, 0.3, 0.6, 1.0), "g1"


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of this campaign alone."""
    declare_walks(parser)
    parser.add_argument("--controller", default=DEFAULT, metavar="NAME", help="of a humanoid, such as onnx:FILE")
    parser.add_argument("--speed", type=float, default=SPEED, help=f"commanded where the floor ends [m/s] ({SPEED:g})")
    parser.add_argument(
        "--commands", nargs="+", type=float, default=list(COMMANDS), help="speeds tried on each floor [m/s]; 0 stops"
    )
    parser.add_argument("--mu", nargs="+", type=float, help="friction coefficients of the floor")
    parser.add_argument("--true-base", action="store_true", help="the base as it truly moves")
    parser.add_argument("--contact", nargs="+", choices=CONTACTS, default=["presliding", "creep"], help="of the floor")
    parser.add_argument("--way", nargs="+", choices=WAYS, default=list(WAYS), help="a floor all the way, or ahead")
    parser.add_argument("--guard", nargs="+", choices=GUARDS, default=list(GUARDS), help="where the floor lies ahead")
    parser.add_argument("--tolerance", type=float, default=1.0, help="of the governor")
    parser.add_argument("--deceleration", type=float, default=1.5, help="of the governor [m/s^2]")
    parser.add_argument("--keep", type=float, default=0.0, help="of the governor: speed that always goes through [m/s]")


def run(arguments: argparse.Namespace) -> int:
    """Walk what is missing and print the tables."""
    seeds = chosen_seeds(arguments, SEEDS)
    jobs = [(cell, seed) for cell in _cells(arguments) for seed in seeds]
    file = GovernedFile(arguments.results or RESULTS)
    walks = complete(jobs, file, lambda some, done: governed_walks(some, arguments.workers, done))
    rows = governed_table(walks)
    show(rows, result_screen(arguments))
    if arguments.json is not None:
        tables = {"governor": [{**row._asdict(), "cell": asdict(row.cell)} for row in rows]}
        write_json(arguments.json, arguments, [asdict(walk) for walk in walks], tables)
    return 0


def _cells(arguments: argparse.Namespace) -> list[Cell]:
    robots = arguments.robot or [ROBOT]
    places = [(robot, contact, mu) for robot in robots for contact in arguments.contact for mu in arguments.mu or MUS]
    return [cell for place in places for way in arguments.way for cell in _at(arguments, way, *place)]


def _at(arguments: argparse.Namespace, way: str, robot: str, contact: str, mu: float) -> list[Cell]:
    def cell(guard: str, speed: float) -> Cell:
        chosen = (arguments.tolerance, arguments.keep, arguments.deceleration) if guard == "governor" else ()
        return Cell(arguments.controller, mu, speed, guard, way, contact, robot, arguments.true_base, *chosen)

    if way == "ahead":
        return [cell(guard, arguments.speed) for guard in arguments.guard]
    return [cell("none", speed) if speed else cell("stop", SPEED) for speed in arguments.commands]


def show(rows: Sequence[Row], console: Screen) -> None:
    """Print what is survived, then what the governor makes of it, for each robot and contact."""
    for robot, contact in dict.fromkeys((row.cell.robot, row.cell.contact) for row in rows):
        mine = [row for row in rows if (row.cell.robot, row.cell.contact) == (robot, contact)]
        title = f"{robot} on {CONTACTS[contact]}"
        if survived := [row for row in mine if row.cell.way == "all"]:
            console.print(_survived(f"{title}: fell, and speed, by command", survived))
        if ahead := [row for row in mine if row.cell.way == "ahead"]:
            console.print(_guarded(f"{title}: from mu 0.8 onto mu, {ahead[0].cell.speed:g} m/s commanded", ahead))


def _survived(title: str, rows: Sequence[Row]) -> Table:
    commands = sorted({_command(row.cell) for row in rows})
    table = Table("mu", *(f"{command:g} m/s" for command in commands), title=title)
    for mu in dict.fromkeys(row.cell.mu for row in rows):
        found = {_command(row.cell): row for row in rows if row.cell.mu == mu}
        table.add_row(f"{mu:g}", *(
            f"{found[c].fell}/{found[c].runs}  {found[c].speed:+.2f}" if c in found else "-" for c in commands
        ))  # fmt: skip
    return table


def _command(cell: Cell) -> float:
    return 0.0 if cell.guard == "stop" else cell.speed


def _guarded(title: str, rows: Sequence[Row]) -> Table:
    table = Table("mu", "guard", "fell", "distance [m]", "of ungoverned", "slid [mm]", "known before it slid 1 cm",
                  title=title)  # fmt: skip
    for mu in dict.fromkeys(row.cell.mu for row in rows):
        free = next((row.distance for row in rows if row.cell.mu == mu and row.cell.guard == "none"), 0.0)
        for row in rows:
            if row.cell.mu == mu:
                table.add_row(
                    f"{mu:g}",
                    row.cell.guard,
                    f"{row.fell}/{row.runs}",
                    f"{row.distance:.2f}",
                    f"{100 * row.distance / free:.0f} %" if free > 0.0 else "-",
                    f"{1e3 * row.slid:.0f}",
                    "{}/{}".format(*row.known_first),
                )
    return table

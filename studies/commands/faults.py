# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Faults against the running controller: kinds × moments of the gait, and the share that went as required."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import defaultdict
from typing import Any

from rich.table import Table

from biped_slip.child_processes import child_process
from biped_slip.cli.terminal import Screen, result_screen, write_json
from biped_slip.errors import BipedSlipError
from biped_slip.ros.processes import need_ros
from studies.commands.arguments import configure as declare_walks
from studies.faults.outcomes import MOMENTS, OUT_OF_TIME

PARTS = ("campaign", "process_campaign", "file_campaign")  # modules; each has a DDS of its own, or none


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of this one alone."""
    declare_walks(parser)
    parser.add_argument("--kind", nargs="+", default=[], metavar="WORD", help="only kinds with one of these words")
    parser.add_argument("--moment", nargs="+", choices=MOMENTS, metavar="MOMENT", help=f"of {', '.join(MOMENTS)}")
    parser.add_argument("--within", type=float, metavar="MINUTES", help="after which nothing new is tried")


def run(arguments: argparse.Namespace) -> int:
    """Try all kinds, or those with one of the words in their name; exit code 1 when one has failed."""
    need_ros()
    begin, done, short = time.monotonic(), list[dict[str, Any]](), False
    for part in PARTS:
        words = [sys.executable, "-m", f"studies.faults.{part}", "--seed", str(arguments.first_seed)]
        for name in ("kind", "moment", "robot"):
            if values := getattr(arguments, name):
                words += [f"--{name}", *values]
        if arguments.results is not None:
            words += ["--results", str(arguments.results)]
        if arguments.within is not None:
            words += ["--seconds", str(60.0 * arguments.within - (time.monotonic() - begin))]
        with child_process(words) as process:
            for line in process.stdout or ():
                done.append(json.loads(line))
                print(f"{len(done)}: {done[-1]['robot']}, {done[-1]['kind']}, {done[-1]['moment']}", file=sys.stderr)
        short = short or process.returncode == OUT_OF_TIME
        if process.returncode not in (0, OUT_OF_TIME):
            raise BipedSlipError(f"{part} ended with exit code {process.returncode} after {len(done)} faults")
    if not done:
        raise BipedSlipError("no kind has such a word in its name")
    good = show(done, result_screen(arguments), short)
    if arguments.json is not None:
        write_json(arguments.json, arguments, done)
    return 0 if good else 1


def show(outcomes: list[dict[str, Any]], console: Screen, short: bool = False) -> bool:
    """Print a row a kind; answers whether everything went as required. ``short``: the time was over before."""
    by_kind: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for outcome in outcomes:
        by_kind[outcome["kind"]].append(outcome)
    table = Table("fault", "as required", "damped after [ticks]", "named in /diagnostics", "violations")
    for kind, group in by_kind.items():
        good = sum(not outcome["violations"] for outcome in group)
        reactions = [outcome["reaction"] for outcome in group if outcome["reaction"] is not None]
        ticks = f"{min(reactions)} to {max(reactions)}" if reactions else "goes on"
        names = ", ".join(sorted({name for outcome in group for name in outcome["named"]}))
        wrong = "; ".join(sorted({f"{o['robot']}, {o['moment']}: {v}" for o in group for v in o["violations"]}))
        table.add_row(kind, f"{good} of {len(group)}", ticks, names, wrong)
    console.print(table)
    good = sum(not outcome["violations"] for outcome in outcomes)
    for robot in dict.fromkeys(outcome["robot"] for outcome in outcomes):
        group = [outcome for outcome in outcomes if outcome["robot"] == robot]
        kinds, right = len({outcome["kind"] for outcome in group}), sum(not one["violations"] for one in group)
        console.print(f"{robot}: {kinds} kinds, {len(group)} faults, {right} as required ({right / len(group):.1%})")
    for why in sorted({f"{one['kind']}: {one['skipped']}" for one in outcomes if one["skipped"]}):
        console.print(f"could not be tried: {why}")
    console.print(f"{len(by_kind)} kinds in all, {good} of {len(outcomes)} as required")
    if short:
        console.print("the time was over before all were tried; with --results the next run goes on from here")
    return good == len(outcomes) and not short

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""How often and how soon wrong sensors are named."""

from __future__ import annotations

import argparse
from dataclasses import asdict
from statistics import median

from rich.table import Table

from biped_slip.cli.terminal import Screen, result_screen, write_json
from studies.commands.arguments import configure as declare_walks

INJECTIONS, REQUIRED = 100, 0.95


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    declare_walks(parser)
    parser.add_argument("--injections", type=int, default=INJECTIONS, help=f"of each kind ({INJECTIONS})")


def run(arguments: argparse.Namespace) -> int:
    """Inject every kind; exit code 1 when one is named in time in less than 95 % of the injections."""
    from studies.faults.detection import ROBOTS, Detection, detections

    table = Table("robot", "kind", "magnitude", "named in time", "within [s]", "median [s]", "longest [s]")
    found: list[Detection] = []
    for one in detections(arguments.injections, arguments.robot or ROBOTS):
        found.append(one)
        middle, longest = (f"{f(one.latencies):.3f}" if one.latencies else "-" for f in (median, max))
        share = f"{one.in_time} of {one.injections}"
        size = f"{one.magnitude:g} {one.unit}".strip()
        table.add_row(one.robot, one.kind, size, share, f"{one.within:g}", middle, longest)
        Screen(stderr=True).print(f"{one.robot}, {one.kind}, {size}: {share}")
    screen = result_screen(arguments)
    screen.print(table)
    missed = [one for one in found if one.in_time < REQUIRED * one.injections]
    screen.print(f"{len(found)} rows, {len(found) - len(missed)} named in time in at least {REQUIRED:.0%}")
    if arguments.json is not None:
        write_json(arguments.json, arguments, [asdict(one) for one in found])
    return 1 if missed else 0

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Faults against the running controller, its processes and its files.

The result is the share that went as required.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from functools import partial
from typing import Sequence

from biped_slip.cli.terminal import Screen
from biped_slip.errors import BipedSlipError
from biped_slip.ros.processes import need_ros
from studies.faults.outcomes import MOMENTS, OUT_OF_TIME, Outcome
from studies.frame import child_process, declare, grouped, report, table_of, typed

# modules; each has a DDS of its own, or none
PARTS = (
    "node_campaign",
    "process_campaign",
    "file_campaign",
)


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    declare(parser, "robot")
    parser.add_argument(
        "--kind",
        nargs="+",
        default=[],
        metavar="WORD",
        help="only kinds with one of these words",
    )
    parser.add_argument(
        "--moment",
        nargs="+",
        choices=MOMENTS,
        metavar="MOMENT",
        help=f"of {', '.join(MOMENTS)}",
    )
    parser.add_argument(
        "--within",
        type=float,
        metavar="MINUTES",
        help="after which nothing new is tried",
    )


def run(arguments: argparse.Namespace) -> int:
    """Try all kinds, or those with one of the words in their name.

    The exit code is 1 when one has failed.
    """
    need_ros()
    begin = time.monotonic()
    done = list[Outcome]()
    short = False
    for part in PARTS:
        words = [
            sys.executable,
            "-m",
            f"{__name__}.{part}",
            "--seed",
            str(arguments.first_seed),
        ]
        for name in ("kind", "moment", "robot"):
            if values := getattr(arguments, name):
                words += [f"--{name}", *values]
        if arguments.results is not None:
            words += ["--results", str(arguments.results)]
        if arguments.within is not None:
            words += [
                "--seconds",
                str(60.0 * arguments.within - (time.monotonic() - begin)),
            ]
        with child_process(words) as process:
            for line in process.stdout or ():
                done.append(one := typed(Outcome, json.loads(line)))
                print(
                    f"{len(done)}: {one.robot}, {one.kind}, {one.moment}",
                    file=sys.stderr,
                )
        short = short or process.returncode == OUT_OF_TIME
        if process.returncode not in (0, OUT_OF_TIME):
            raise BipedSlipError(
                f"{part} ended with exit code {process.returncode} after {len(done)} "
                "faults"
            )
    if not done:
        raise BipedSlipError("no kind has such a word in its name")
    return report(arguments, done, partial(show, short=short))


def _good(group: Sequence[Outcome]) -> int:
    return sum(not one.violations for one in group)


def _ticks(group: Sequence[Outcome]) -> str:
    reactions = [one.reaction for one in group if one.reaction is not None]
    return f"{min(reactions)} to {max(reactions)}" if reactions else "goes on"


COLUMNS = {
    "fault": lambda group: group[0].kind,
    "as required": lambda group: f"{_good(group)} of {len(group)}",
    "damped after [ticks]": _ticks,
    "named in /diagnostics": lambda group: ", ".join(
        sorted({name for one in group for name in one.named})
    ),
    "violations": lambda group: "; ".join(
        sorted(
            {
                f"{one.robot}, {one.moment}: {violation}"
                for one in group
                for violation in one.violations
            }
        )
    ),
}


def show(outcomes: Sequence[Outcome], console: Screen, short: bool = False) -> bool:
    """Print a row a kind and return whether everything went as required.

    ``short`` means that the time was over before.
    """
    by_kind = grouped(outcomes, lambda one: one.kind)
    console.print(table_of(COLUMNS, by_kind.values()))
    for robot, group in grouped(outcomes, lambda one: one.robot).items():
        kinds = len({one.kind for one in group})
        right = _good(group)
        console.print(
            f"{robot}: {kinds} kinds, {len(group)} faults, {right} as required "
            f"({right / len(group):.1%})"
        )
    for why in sorted(
        {f"{one.kind}: {one.skipped}" for one in outcomes if one.skipped}
    ):
        console.print(f"could not be tried: {why}")
    console.print(
        f"{len(by_kind)} kinds in all, {_good(outcomes)} of {len(outcomes)} as required"
    )
    if short:
        console.print(
            "the time was over before all were tried; with --results the next run "
            "goes on from here"
        )
    return _good(outcomes) == len(outcomes) and not short

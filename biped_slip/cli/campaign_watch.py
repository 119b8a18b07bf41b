# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""`campaign healthy` and `campaign detection`: how often sound sensors are accused, how often wrong ones are named."""

from __future__ import annotations

import argparse
from collections import Counter
from dataclasses import asdict
from statistics import median

from rich.table import Table

from biped_slip.cli.outputs import result_screen, write_json
from biped_slip.cli.screen import Screen

MINUTES, INJECTIONS, REQUIRED = 120.0, 100, 0.95


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of these two alone."""
    group = parser.add_argument_group("campaign healthy, campaign detection")
    group.add_argument("--minutes", type=float, default=MINUTES, help=f"of healthy walking ({MINUTES:g})")
    group.add_argument("--injections", type=int, default=INJECTIONS, help=f"of each kind ({INJECTIONS})")


def healthy(arguments: argparse.Namespace) -> int:
    """Walk what is missing; exit code 1 when a sound robot was stopped, or warned more than once in two hours."""
    from biped_slip.lab.fault_injection.healthy import RESULTS, HealthyWalk, healthy_walks

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


def detection(arguments: argparse.Namespace) -> int:
    """Inject every kind; exit code 1 when one is named in time in less than 95 % of the injections."""
    from biped_slip.lab.fault_injection.detection import ROBOTS, Detection, detections

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

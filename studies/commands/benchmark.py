# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Measure this package against its requirements: one sub-benchmark a subject."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from rich.table import Table

from biped_slip.cli import COUNT, SEED
from biped_slip.cli.terminal import Screen, folder_to_write
from biped_slip.errors import InvalidParameter
from biped_slip.ros.processes import REALTIME
from studies.commands import (
    benchmark_certificate,
    benchmark_closed_loop,
    benchmark_loop,
    benchmark_simulation,
    benchmark_topics,
)
from studies.rows import show_rows

WALKERS = ("planar", "talos", "g1", "surena3")


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the sub-benchmarks."""
    subjects = parser.add_subparsers(dest="subject", required=True, metavar="SUBJECT")
    estimator = subjects.add_parser("estimator", help="the interval estimator over the study's stances, row by row")
    estimator.add_argument("--stances", type=int, default=2000, help="per condition (2000; fewer is quicker)")
    estimator.add_argument(
        "--pictures", type=folder_to_write, metavar="DIR", help="write the three pictures of the docs instead"
    )
    estimator.set_defaults(benchmark=_estimator)
    certificate = subjects.add_parser("certificate", help="whether the certificate keeps its word, contact by contact")
    benchmark_certificate.configure(certificate)
    certificate.set_defaults(benchmark=benchmark_certificate.run)
    rig = subjects.add_parser("presliding", help="the interval estimator over a recorded contact pushed to and fro")
    rig.add_argument("recording", type=Path, help="table: time [s], normal [uN], position [mm], friction [uN]")
    rig.set_defaults(benchmark=_presliding)
    loop = subjects.add_parser("closed-loop", help="the estimate in the loop: walks with real sensors, limit by limit")
    benchmark_closed_loop.configure(loop)
    loop.set_defaults(benchmark=benchmark_closed_loop.run)
    sources = subjects.add_parser("motion-sources", help="the interval estimator on every source of foot motion")
    sources.add_argument("--walks", type=COUNT, default=10, help="per scenario (10)")
    sources.set_defaults(benchmark=_motion_sources)
    sensors = subjects.add_parser("sensors", help="what each set of sensors lets a robot know, when, and how surely")
    sensors.add_argument("--stances", type=COUNT, default=400, help="per row (400)")
    sensors.add_argument("--seed", type=SEED, default=97000, help="of the stances (97000)")
    sensors.add_argument("--walks", type=COUNT, help="in so many walks of each kind, in place of drawn stances")
    sensors.add_argument("--robot", choices=WALKERS, nargs="+", default=WALKERS[:2],
                         help="with --walks (planar talos)")  # fmt: skip
    sensors.set_defaults(benchmark=_sensors)
    topics = subjects.add_parser("topics", help="walks over ROS 2 topics in real time: how many end upright")
    benchmark_topics.configure(topics)
    topics.set_defaults(benchmark=benchmark_topics.run)
    humanoid = subjects.add_parser("humanoid", help="one control tick of a walking humanoid, sensors to torques")
    humanoid.add_argument("--robot", default="talos", help="name of a shipped walk, or a .yaml file (talos)")
    humanoid.add_argument("--ticks", type=int, default=5000, help="after the warm-up (5000)")
    humanoid.set_defaults(benchmark=_humanoid)
    loop = subjects.add_parser("loop", help="latency of the control loop over ROS 2, beside its floor")
    benchmark_loop.configure(loop)
    loop.set_defaults(benchmark=benchmark_loop.run)
    view = subjects.add_parser("view", help="what a viewer costs the loop that it looks at, in turns of the same run")
    view.add_argument("--robot", default="talos", help="name of a shipped walk (talos)")
    view.add_argument("--seconds", type=COUNT, default=60, help="of walking, at most (60)")
    view.add_argument("--realtime", action="store_true", help="simulator and controller at real-time priority")
    view.set_defaults(benchmark=_view)
    simulation = subjects.add_parser("simulation", help="our simulator beside others: speed, error, creep, campaigns")
    benchmark_simulation.configure(simulation)
    simulation.set_defaults(benchmark=benchmark_simulation.run)


def run(arguments: argparse.Namespace) -> int:
    """Run the chosen sub-benchmark."""
    return int(arguments.benchmark(arguments))


def _estimator(arguments: argparse.Namespace) -> int:
    """Print the table; exit code 1 when a required number is missed."""
    from studies.estimator import table as estimator_table  # the studies need scipy and half a minute of compilation

    if arguments.stances < 50:
        raise InvalidParameter("--stances", arguments.stances, ">= 50", "shares of fewer stances mean nothing")
    if arguments.pictures is not None:
        from studies.estimator import pictures

        for path in pictures.draw_all(arguments.pictures):
            Screen().print(path)
        return 0
    return 0 if estimator_table.all_rows(arguments.stances, show_rows) else 1


def _presliding(arguments: argparse.Namespace) -> int:
    """Print how the interval fared in every stroke; exit code 1 when it missed mu too often."""
    from studies.estimator import recorded

    rows = recorded.rows(arguments.recording)
    show_rows("contact pushed to and fro", rows)
    return 0 if all(row.met for row in rows) else 1


def _motion_sources(arguments: argparse.Namespace) -> int:
    """Print what each source is worth: on the level without limit, where steps slip, and uphill with the oracle."""
    from studies.estimator import closed_loop

    if arguments.walks < 1:
        raise InvalidParameter("--walks", arguments.walks, ">= 1")
    for scenario, limit in (("thesis_sensors", "none"), ("traction_sensors", "oracle")):
        table = Table(
            "source", "stances", "usable before .9 mu", "usable", "mu inside while usable", "mu_low above mu",
            "above 1.1 mu", title=f"{scenario}, limit {limit}", title_justify="left",
        )  # fmt: skip
        for line in closed_loop.lines(closed_loop.compare(scenario, limit, range(arguments.walks))):
            table.add_row(*line)
        Screen().print(table)
    return 0


def _view(arguments: argparse.Namespace) -> int:
    """Print updates and late ticks; exit code 1 when a required number is missed."""
    from studies.estimator.conditions import NAN, Row
    from studies.loop.viewer_load import viewer_load

    load = viewer_load(arguments.robot, arguments.seconds, REALTIME if arguments.realtime else ())
    rows = [
        Row("updates of the view [1/s]", 29.0, False, "30", load.rate),
        Row("messages that a client took [1/s]", NAN, False, "", load.received),
        *(
            Row(f"{turns.late} late of {turns.ticks} ticks {how} a viewer [%]", NAN, True, "", turns.share)
            for how, turns in (("without", load.without), ("with", load.watched))
        ),
        Row("late ticks more with a viewer [%]", 0.01, True, "0.01", load.watched.share - load.without.share),
    ]
    busy = f"{os.cpu_count()} cores, load average {os.getloadavg()[0]:.1f}"
    show_rows(f"{arguments.robot}: a viewer beside the loop, {load.turns} turns ({busy})", rows)
    return 0 if all(row.met for row in rows) else 1


def _sensors(arguments: argparse.Namespace) -> int:
    """Print the table; exit code 1 when a certificate is wrong too often."""
    from studies.estimator import sensing

    if arguments.walks is not None:
        return _unseen_soles(arguments)
    if arguments.stances < 50:
        raise InvalidParameter("--stances", arguments.stances, ">= 50", "shares of fewer stances mean nothing")
    table = Table("sensors", "contact", "reach .9", "usable before", "possible", "mu_low/mu then", "lead [ms]",
                  "mu_low > mu", "> 1.1 mu")  # fmt: skip
    wrong = 0.0
    for known in sensing.rows(arguments.stances, arguments.seed):
        wrong = max(wrong, known.wrong)
        table.add_row(*sensing.cells(known))
    Screen().print(table)
    return 0 if wrong <= sensing.ALLOWED else 1


def _unseen_soles(arguments: argparse.Namespace) -> int:
    """Print what walks know whose soles no sensor sees; exit code 1 when a certificate is wrong too often."""
    from studies.estimator import sensing

    table = Table("robot", "motion", "limit", "mu", "reach .9", "usable before", "usable", "possible", "if probed",
                  "force [N]", "mu_low > mu", "worst", "held/mu", "limit > mu", "slid [mm]")  # fmt: skip
    wrong = []
    seeds = range(arguments.seed, arguments.seed + arguments.walks)
    for robot, source, limit, double in sensing.plan(arguments.robot):
        for known in sensing.unseen_soles_rows(robot, source, limit, seeds, double_support=double):
            wrong.append(known.wrong * known.stances)
            table.add_row(*sensing.unseen_soles_cells(known))
    Screen().print(table)
    return 0 if sum(wrong) <= sensing.ALLOWED * len(wrong) else 1


def _humanoid(arguments: argparse.Namespace) -> int:
    """Print what a tick costs beside the bare quadratic program; exit code 1 when it takes too long."""
    from biped_slip.simulation.humanoid.scenario import chosen_walk
    from studies import ticks

    cost = ticks.humanoid_tick(chosen_walk(arguments.robot), arguments.ticks)
    rows = ticks.rows(cost)
    show_rows(f"{arguments.robot}, {cost.ticks} ticks", rows)
    return 0 if all(row.met for row in rows) else 1

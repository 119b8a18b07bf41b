# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Measure this package against its requirements: one sub-benchmark a subject.

Exit code 1 when a required number is missed. What a subject needs (scipy, ROS, half a
minute of compilation) is imported when it is measured.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
from functools import partial
from pathlib import Path
from typing import Any, Callable, NamedTuple, Sequence

from rich.table import Table

from biped_slip.cli.campaign import walk
from biped_slip.cli.options import (
    COUNT,
    SEED_TYPE,
    file_to_keep,
    file_to_write,
    folder_to_write,
)
from biped_slip.cli.terminal import Screen, result_screen, write_json, written
from biped_slip.errors import InvalidParameter
from biped_slip.ros.processes import REALTIME
from biped_slip.simulation.planar.job import PlanarJob, PlanarOutcome
from studies.estimator import closed_loop
from studies.frame import NAN, Row, need_stances, plain, show_rows, table_of

Benchmark = Callable[[argparse.Namespace], int]
WALKERS = ("planar", "talos", "g1", "surena3")


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the sub-benchmarks."""
    subjects = parser.add_subparsers(dest="subject", required=True, metavar="SUBJECT")
    for name, subject in SUBJECTS.items():
        declared = subjects.add_parser(name, help=subject.words)
        declared.set_defaults(benchmark=subject.benchmark)
        subject.declare(declared)


def run(arguments: argparse.Namespace) -> int:
    """Run the chosen sub-benchmark."""
    return int(arguments.benchmark(arguments))


def _declare_estimator(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--stances",
        type=int,
        default=2000,
        help="per condition (2000; fewer is quicker)",
    )
    parser.add_argument(
        "--pictures",
        type=folder_to_write,
        metavar="DIR",
        help="write the three pictures of the docs instead",
    )


def _estimator(arguments: argparse.Namespace) -> int:
    from studies.estimator import pictures, table

    need_stances(arguments.stances)
    if arguments.pictures is not None:
        for path in pictures.draw_all(arguments.pictures):
            Screen().print(path)
        return 0
    return 0 if table.all_rows(arguments.stances, show_rows) else 1


# The certificate, contact by contact, what it costs, and what others would have said.


def _declare_certificate(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--part",
        choices=("all", *CERTIFICATE),
        default="all",
        help="one section alone (all)",
    )
    parser.add_argument(
        "--recordings",
        nargs="+",
        type=Path,
        default=[],
        metavar="PATH",
        help="recordings, or folders of them, in place of stances: is any mu_high "
        "below what a foot "
        "held?",
    )
    parser.add_argument(
        "--stances", type=int, default=1000, help="per row (1000; fewer is quicker)"
    )
    parser.add_argument(
        "--seed", type=SEED_TYPE, default=91000, help="of the stances (91000)"
    )


def _certificate(arguments: argparse.Namespace) -> int:
    """Print the sections, each as soon as it is measured."""
    if arguments.recordings:
        return 0 if _recordings(arguments.recordings) else 1
    need_stances(arguments.stances)
    chosen = list(CERTIFICATE) if arguments.part == "all" else [arguments.part]
    missed = [
        part
        for part in chosen
        if not CERTIFICATE[part](part, arguments.stances, arguments.seed)
    ]
    return 1 if missed else 0


def _section(name: str, title: str, count: int, seed: int) -> bool:
    from studies.estimator import certificate

    return show_rows(title, getattr(certificate, name)(count, seed))


def _side_by_side(title: str, count: int, seed: int) -> bool:
    from studies.estimator import rivals_table

    compared = rivals_table.compare(count, seed)
    Screen().print(table_of(rivals_table.COLUMNS, compared, title))
    return show_rows(f"{title}: as safe, and earlier?", rivals_table.verdict(compared))


def _recordings(places: list[Path]) -> bool:
    from studies.estimator import recorded

    table = Table(
        "recording",
        "contacts",
        "held",
        "finite mu_high",
        "withdrawn",
        "mu_high below held",
        "ever, live",
    )
    kept = True
    for found in recorded.tallies(places):
        counts = (
            found.contacts,
            found.at_least,
            found.bounded,
            found.withdrawn,
            found.refuted,
            found.refuted_live,
        )
        table.add_row(
            found.name, *(["not a recording"] if found.note else map(str, counts))
        )
        kept = kept and found.refuted == 0
    Screen().print(table)
    return kept


CERTIFICATE: dict[str, Callable[[str, int, int], bool]] = {
    "contacts": partial(_section, "contacts"),
    "calibrated": partial(_section, "calibrated"),
    "taught": partial(_section, "taught"),
    "price": partial(_section, "prices"),
    "side-by-side": _side_by_side,
    "faults": partial(_section, "faults"),
    "changing-floors": partial(_section, "changes"),
    "slides": partial(_section, "slides"),
}


def _declare_presliding(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "recording",
        type=Path,
        help="table: time [s], normal [uN], position [mm], friction [uN]",
    )


def _presliding(arguments: argparse.Namespace) -> int:
    """Print how the interval fared in every stroke."""
    from studies.estimator import recorded

    return (
        0
        if show_rows("contact pushed to and fro", recorded.rows(arguments.recording))
        else 1
    )


# The estimate in the loop: hundreds of walks with real sensors, resumable, beside what
# is required.

Result = tuple[
    bool, dict[str, Any]
]  # whether all requirements are met; the tables for JSON


def _declare_closed_loop(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--part",
        choices=tuple(CLOSED_LOOP),
        default="limits",
        help="limits side by side (default), the lowest mu each can cross, noisier "
        "force sensors, "
        "or contacts that remember every reversal (Iwan) and none (Dahl)",
    )
    parser.add_argument(
        "--walks", type=COUNT, default=200, help="per scenario and limit (200)"
    )
    parser.add_argument(
        "--first-seed", type=SEED_TYPE, default=0, help="first seed (0)"
    )
    parser.add_argument("--workers", type=COUNT, help="processes; all cores by default")
    parser.add_argument(
        "--results",
        type=file_to_keep,
        metavar="FILE",
        help="every walk is appended here as it ends, and not walked again",
    )
    parser.add_argument(
        "--json", type=file_to_write, metavar="FILE", help="write the tables here"
    )


def _closed_loop(arguments: argparse.Namespace) -> int:
    """Walk what is missing, print the tables."""
    if arguments.walks < 1:
        raise InvalidParameter("--walks", arguments.walks, "at least 1")
    met, content = CLOSED_LOOP[arguments.part](arguments)
    if arguments.json is not None:
        write_json(arguments.json, arguments, [content])
    return 0 if met else 1


def _limits(arguments: argparse.Namespace) -> Result:
    outcomes = _walked(
        arguments, closed_loop.jobs(arguments.walks, arguments.first_seed)
    )
    content = _show("", outcomes)
    required = closed_loop.requirements(closed_loop.passes(outcomes))
    content["required"] = [{**plain(row), "met": row.met} for row in required]
    return show_rows("required of the closed loop", required), content


def _lowest_mu(arguments: argparse.Namespace) -> Result:
    rows = closed_loop.search(
        lambda jobs: _walked(arguments, jobs), arguments.first_seed
    )
    Screen().print(table_of(closed_loop.LOWEST_COLUMNS, rows, "lowest mu of the patch"))
    return True, {"lowest": plain(rows)}


def _variations(
    varied: Callable[[], Sequence[closed_loop.Variation]], arguments: argparse.Namespace
) -> Result:
    variations = varied()
    outcomes = _walked(
        arguments,
        closed_loop.varied_jobs(variations, arguments.walks, arguments.first_seed),
    )
    return True, {
        v.name: _show(f"{v.name}, ", closed_loop.walked(v, outcomes))
        for v in variations
    }


def _walked(
    arguments: argparse.Namespace, jobs: Sequence[PlanarJob]
) -> list[PlanarOutcome]:
    return walk(jobs, arguments.results, arguments.workers)


def _show(title: str, outcomes: Sequence[PlanarOutcome]) -> dict[str, Any]:
    """Print walks and stances per scenario; the same for JSON."""
    passes = closed_loop.passes(outcomes)
    floors = closed_loop.floors(outcomes)
    for name in (closed_loop.FLAT, closed_loop.UPHILL):
        walks, stances = (
            [row for row in rows if row.scenario == name] for rows in (passes, floors)
        )
        Screen().print(
            table_of(closed_loop.PASSES_COLUMNS, walks, f"{title}{name}: walks")
        )
        Screen().print(
            table_of(closed_loop.FLOORS_COLUMNS, stances, f"{title}{name}: stances")
        )
    return {"passes": plain(passes), "floors": plain(floors)}


CLOSED_LOOP: dict[str, Callable[[argparse.Namespace], Result]] = {
    "limits": _limits,
    "lowest-mu": _lowest_mu,
    "force-noise": partial(_variations, closed_loop.force_noise),
    "contacts": partial(_variations, closed_loop.contacts),
}


def _declare_motion_sources(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--walks", type=COUNT, default=10, help="per scenario (10)")


def _motion_sources(arguments: argparse.Namespace) -> int:
    """Print what each source is worth.

    This is on the level without limit, where steps slip, and uphill with the oracle.
    """
    if arguments.walks < 1:
        raise InvalidParameter("--walks", arguments.walks, ">= 1")
    for scenario, limit in (("thesis_sensors", "none"), ("traction_sensors", "oracle")):
        rows = closed_loop.compare(scenario, limit, range(arguments.walks))
        Screen().print(
            table_of(closed_loop.SOURCE_COLUMNS, rows, f"{scenario}, limit {limit}")
        )
    return 0


def _declare_sensors(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--stances", type=COUNT, default=400, help="per row (400)")
    parser.add_argument(
        "--seed", type=SEED_TYPE, default=97000, help="of the stances (97000)"
    )
    parser.add_argument(
        "--walks",
        type=COUNT,
        help="number of walks of each kind, in place of drawn stances",
    )
    parser.add_argument(
        "--robot",
        choices=WALKERS,
        nargs="+",
        default=WALKERS[:2],
        help="with --walks (planar talos)",
    )


def _sensors(arguments: argparse.Namespace) -> int:
    """Print what is known by drawn stances or in walks.

    The exit code is 1 where a certificate is wrong too often.
    """
    from studies.estimator import sensing

    if arguments.walks is None:
        need_stances(arguments.stances)
        known = list(sensing.rows(arguments.stances, arguments.seed))
        Screen().print(table_of(sensing.COLUMNS, known))
        return 0 if max(one.wrong for one in known) <= sensing.ALLOWED else 1
    seeds = range(arguments.seed, arguments.seed + arguments.walks)
    walked = [
        row
        for kind in sensing.plan(arguments.robot)
        for row in sensing.walked_rows(*kind, seeds)
    ]
    Screen().print(table_of(sensing.WALKED_COLUMNS, walked))
    return (
        0
        if sum(one.wrong * one.stances for one in walked)
        <= sensing.ALLOWED * len(walked)
        else 1
    )


def _declare_humanoid(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--robot",
        default="talos",
        help="name of a shipped walk, or a .yaml file (talos)",
    )
    parser.add_argument(
        "--ticks", type=int, default=5000, help="after the warm-up (5000)"
    )


def _humanoid(arguments: argparse.Namespace) -> int:
    """Print what a tick costs beside the bare quadratic program."""
    from biped_slip.simulation.humanoid.scenario import chosen_walk
    from studies import ticks

    cost = ticks.humanoid_tick(chosen_walk(arguments.robot), arguments.ticks)
    return (
        0
        if show_rows(f"{arguments.robot}, {cost.ticks} ticks", ticks.rows(cost))
        else 1
    )


def _declare_loop(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--seconds", type=float, default=60.0, help="of each of the five loops (60)"
    )
    parser.add_argument(
        "--minutes",
        type=float,
        help="ours alone for so long: what drifts, in place of the table",
    )
    parser.add_argument(
        "--robot",
        metavar="NAME",
        help="with --minutes: a humanoid, with its noisy sensors",
    )
    parser.add_argument(
        "--no-priority", action="store_true", help="ask for no real-time priority"
    )
    parser.add_argument(
        "--cpu", type=int, default=(os.cpu_count() or 1) - 1, help="core of both"
    )
    parser.add_argument(
        "--json",
        type=file_to_write,
        metavar="FILE",
        help="write everything that was measured",
    )


def _loop(arguments: argparse.Namespace) -> int:
    from studies.loop import latency

    return latency.run(arguments)


def _declare_view(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--robot", default="talos", help="name of a shipped walk (talos)"
    )
    parser.add_argument(
        "--seconds", type=COUNT, default=60, help="of walking, at most (60)"
    )
    parser.add_argument(
        "--realtime",
        action="store_true",
        help="simulator and controller at real-time priority",
    )


def _view(arguments: argparse.Namespace) -> int:
    """Print updates and late ticks."""
    from studies.loop.viewer_load import viewer_load

    load = viewer_load(
        arguments.robot, arguments.seconds, REALTIME if arguments.realtime else ()
    )
    rows = [
        Row(
            what="updates of the view [1/s]",
            required=29.0,
            at_most=False,
            study="30",
            ours=load.rate,
        ),
        Row(
            what="messages that a client took [1/s]",
            required=NAN,
            at_most=False,
            study="",
            ours=load.received,
        ),
        *(
            Row(
                what=f"{turns.late} late of {turns.ticks} ticks {how} a viewer [%]",
                required=NAN,
                at_most=True,
                study="",
                ours=turns.share,
            )
            for how, turns in (("without", load.without), ("with", load.watched))
        ),
        Row(
            what="late ticks more with a viewer [%]",
            required=0.01,
            at_most=True,
            study="0.01",
            ours=load.watched.share - load.without.share,
        ),
    ]
    busy = f"{os.cpu_count()} cores, load average {os.getloadavg()[0]:.1f}"
    return (
        0
        if show_rows(
            f"{arguments.robot}: a viewer beside the loop, {load.turns} turns ({busy})",
            rows,
        )
        else 1
    )


# Our simulator beside others, and how fast whole walks and campaigns are.

SIMULATION = (
    "planar",
    "humanoid",
    "creep",
    "walk",
    "humanoid-walk",
    "campaign",
    "start-up",
    "memory",
    "kills",
)
PEERS = {"PyBullet": "pybullet", "DART": "dartpy", "Drake": "pydrake"}
BESIDE = "jiminy (brings a Pinocchio of its own that can't be loaded beside ours)"


def _declare_simulation(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--part",
        action="append",
        choices=SIMULATION,
        help="may be repeated (the first four)",
    )
    parser.add_argument(
        "--walks", type=COUNT, default=20, help="of the parts walk and campaign (20)"
    )
    parser.add_argument(
        "--seconds", type=int, default=8, help="of the part humanoid-walk (8)"
    )
    parser.add_argument(
        "--short-walks", type=COUNT, default=10_000, help="of the part memory (10000)"
    )
    parser.add_argument(
        "--kills", type=COUNT, default=20, help="of the part kills (20)"
    )
    parser.add_argument(
        "--picture", type=file_to_write, metavar="FILE", help="draw error over time"
    )


def _simulation(arguments: argparse.Namespace) -> int:
    """Measure and print."""
    from studies.simulators import bench, creep, humanoid, peers, planar, throughput

    out, rows, tables = (
        result_screen(arguments),
        list[Row](),
        dict[str, list[bench.Measured]](),
    )

    def measured(
        robot: str, settings: list[bench.Setting], scenes: dict[str, int]
    ) -> list[bench.Measured]:
        tables[robot] = bench.measured(settings, scenes)
        title = (
            f"{robot}: one control period, errors against the simulator's own "
            "converged solution"
        )
        out.print(table_of(bench.columns(scenes), tables[robot], title))
        return tables[robot]

    parts: dict[str, Callable[[], list[Row]]] = {
        "planar": lambda: bench.planar_rows(
            measured(
                "planar biped", planar.settings() + peers.settings(), planar.SCENES
            )
        ),
        "humanoid": lambda: bench.humanoid_rows(
            measured("TALOS", humanoid.settings(), humanoid.SCENES)
        ),
        "creep": lambda: creep.rows(creep.all_creeps()),
        "walk": lambda: throughput.walk_rows(arguments.walks),
        "humanoid-walk": lambda: throughput.humanoid_walk_rows(arguments.seconds),
        "campaign": lambda: throughput.campaign_rows(arguments.walks),
        "start-up": throughput.start_rows,
        "memory": lambda: throughput.memory_rows(arguments.short_walks),
        "kills": lambda: throughput.kill_rows(arguments.kills),
    }
    for part in SIMULATION:
        if part in (arguments.part or SIMULATION[:4]):
            rows += parts[part]()
    for table in tables.values():
        for word in bench.faster_peers(table):
            out.print(word)
    met = show_rows("required", rows)
    if tables:
        absent = [
            f"{name} (not installed here)"
            for name, it in PEERS.items()
            if not importlib.util.find_spec(it)
        ]
        out.print(f"not measured: {', '.join([*absent, BESIDE])}")
    if arguments.picture is not None and tables:
        from biped_slip.reports.figures import save_figure

        with written(arguments.picture, ".png") as path:
            save_figure(bench.picture(tables), path)
    return 0 if met else 1


class Subject(NamedTuple):
    """A sub-benchmark: its arguments, what it does, and its line of help."""

    declare: Callable[[argparse.ArgumentParser], None]
    benchmark: Benchmark
    words: str


SUBJECTS = {
    "estimator": Subject(
        _declare_estimator,
        _estimator,
        "the interval estimator over the study's stances, row by row",
    ),
    "certificate": Subject(
        _declare_certificate,
        _certificate,
        "whether the certificate keeps its word, contact by contact",
    ),
    "presliding": Subject(
        _declare_presliding,
        _presliding,
        "the interval estimator over a recorded contact pushed to and fro",
    ),
    "closed-loop": Subject(
        _declare_closed_loop,
        _closed_loop,
        "the estimate in the loop: walks with real sensors, limit by limit",
    ),
    "motion-sources": Subject(
        _declare_motion_sources,
        _motion_sources,
        "the interval estimator on every source of foot motion",
    ),
    "sensors": Subject(
        _declare_sensors,
        _sensors,
        "what each set of sensors lets a robot know, when, and how surely",
    ),
    "humanoid": Subject(
        _declare_humanoid,
        _humanoid,
        "one control tick of a walking humanoid, sensors to torques",
    ),
    "loop": Subject(
        _declare_loop,
        _loop,
        "latency of the control loop over ROS 2, beside its floor",
    ),
    "view": Subject(
        _declare_view,
        _view,
        "what a viewer costs the loop that it looks at, in turns of the same run",
    ),
    "simulation": Subject(
        _declare_simulation,
        _simulation,
        "our simulator beside others: speed, error, creep, campaigns",
    ),
}

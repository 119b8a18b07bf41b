# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The control loop over real DDS, two processes: a bare echo, ours, ours by type, rclpy's executors."""

from __future__ import annotations

import argparse
import json
import os
import time
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from rich.table import Table

from biped_slip.cli.terminal import Screen, file_to_write, result_screen, write_json
from biped_slip.errors import BipedSlipError, InvalidParameter
from biped_slip.ros.processes import REALTIME, NodeProcess, free_domain, need_ros, walk_over_topics
from studies.ticks import TickCost, control_tick

OURS = {"mode": "real-time", "embedded_estimator": True, "scenario": "thesis", "limit": "thesis"}
HUMANOID = {"mode": "real-time", "limit": "interval"}
OURS |= {"supervisor.grace": 1.0}  # joints are let go in a silence all the same, but the walk is not over
LOCKSTEP_SECONDS = 4.0  # of simulated time
SILENCES = 100
PROBE = "studies.loop.probe"
BACK_TO_BACK = 3.0  # [s] of echoes without a pause


class Loop(NamedTuple):
    """One measured pair of processes."""

    name: str
    said: dict[str, Any]  # by the robot's side
    cpu: float  # share of a core that the controller's process took
    memory_kb: float  # its memory at the end, less that at the beginning of the measurement


class Required(NamedTuple):
    """A number that must not be exceeded, or (``at_least``) be reached."""

    what: str
    ours: float
    limit: float
    unit: str
    at_least: bool = False

    @property
    def met(self) -> bool:
        """Whether it is."""
        return self.ours >= self.limit if self.at_least else self.ours <= self.limit


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("--seconds", type=float, default=60.0, help="of each of the five loops (60)")
    parser.add_argument("--minutes", type=float, help="ours alone for so long: what drifts, in place of the table")
    parser.add_argument("--robot", metavar="NAME", help="with --minutes: a humanoid, with its noisy sensors")
    parser.add_argument("--no-priority", action="store_true", help="ask for no real-time priority")
    parser.add_argument("--cpu", type=int, default=(os.cpu_count() or 1) - 1, help="core of both")
    parser.add_argument("--json", type=file_to_write, metavar="FILE", help="write everything that was measured")


def run(arguments: argparse.Namespace) -> int:
    """Measure and print; exit code 1 when a required number is missed."""
    need_ros()
    seconds = 60.0 * arguments.minutes if arguments.minutes else arguments.seconds
    if not seconds >= 2.0:
        raise InvalidParameter("--seconds", seconds, "at least 2")
    options = () if arguments.no_priority else (*REALTIME, "--cpu", str(arguments.cpu))
    if arguments.robot and not arguments.minutes:
        raise InvalidParameter("--robot", arguments.robot, "with --minutes: the table is the planar biped's")
    console = result_screen(arguments)
    if arguments.minutes:
        ours = {**HUMANOID, "humanoid_walk": arguments.robot} if arguments.robot else OURS
        loop = measured("ours", ("walking_controller", ours), seconds, options, walk=arguments.robot)
        rows = drift(loop)
        if arguments.robot:
            rows.append(Required("falls", loop.said["falls"], 0.0, f"after {len(loop.said['drift'])} minutes"))
        show_drift(loop, rows, console)
        return 0 if all(row.met for row in rows) else 1
    ticks = {limit: control_tick(limit, 4000) for limit in ("thesis", "interval")}
    loops = [
        measured("bare echo", ("echo", None), seconds, options, robot="still-robot"),
        measured("ours", ("walking_controller", OURS), seconds, options),
        measured("ours by type", ("walking_controller", {**OURS, "raw_messages": False}), seconds, options),
        measured("plain rclpy", ("plain", None), seconds, ()),
        measured("events executor", ("events", None), seconds, options),
    ]
    echo = measured("echo", ("echo", None), BACK_TO_BACK, options, robot="still-robot", period_us=0)
    watchdog = measured("watchdog", ("walking_controller", OURS), 0.2 * SILENCES, options, silences=SILENCES)
    rows = required(loops, ticks, echo.said["p50"], lockstep_rate(options[:2]))
    rows.append(Required("watchdog: joints let go after the sensors were due, p99", watchdog.said["p99"], 5000.0, "us"))
    rows.append(Required("watchdog: silences without that", watchdog.said["missed"], 0.0, f"of {SILENCES}"))
    show(loops, rows, console)
    if arguments.json is not None:
        tables = {"required": [row._asdict() for row in rows]}
        write_json(arguments.json, arguments, [loop._asdict() for loop in loops], tables)
    return 0 if all(row.met for row in rows) else 1


def measured(
    name: str,
    controller: tuple[str, dict[str, Any] | None],
    seconds: float,
    options: tuple[str, ...],
    robot: str = "robot",
    period_us: float = 1000.0,
    silences: int = 0,
    walk: str | None = None,
) -> Loop:
    """One controller, a node with parameters or a role of the probe, against the robot's side."""
    kind, parameters = controller
    with TemporaryDirectory(prefix="biped_slip_") as place:
        folder, domain = Path(place), free_domain()
        if parameters is None:
            brain = NodeProcess(PROBE, {}, folder, domain, (kind, *options), alias=kind)
        else:
            brain = NodeProcess(kind, parameters, folder, domain, options)
        asked = (robot, "--seconds", str(seconds), "--period-us", str(period_us), "--silences", str(silences), *options)
        body = NodeProcess(PROBE, {}, folder, domain, (*asked, "--walk", walk) if walk else asked, alias=robot)
        try:
            usage = [_usage(brain.process.pid)]
            while body.running:
                time.sleep(0.25)
                usage.append(_usage(brain.process.pid))
                if not brain.running:
                    raise BipedSlipError(brain.failure())
            lines = body.process.stdout.read().splitlines() if body.process.stdout else []
            answers = [line for line in lines if line.startswith("{")]  # DDS libraries print lines of their own
            if body.process.returncode or not answers:
                raise BipedSlipError(body.failure())
        finally:
            body.end()
            brain.end()
    first = next(each for each in usage if each[0] > usage[-1][0] - seconds)
    last = usage[-1]
    return Loop(name, json.loads(answers[-1]), (last[1] - first[1]) / max(last[0] - first[0], 1e-9), last[2] - first[2])


def lockstep_rate(options: tuple[str, ...]) -> float:
    """Ticks a second of simulator and controller in lockstep, as two nodes."""
    seen: list[tuple[float, float]] = []
    walk_over_topics(
        "thesis",
        "thesis",
        embedded=True,
        duration=LOCKSTEP_SECONDS,
        options=options,
        progress=lambda share: seen.append((time.perf_counter(), share)),
    )
    (begin, first), (end, last) = seen[0], seen[-1]
    return 1e3 * LOCKSTEP_SECONDS * (last - first) / (end - begin)


def _usage(pid: int) -> tuple[float, float, float]:
    """Now, processor time and memory of a process [s, s, kB]."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii", errors="replace").rpartition(")")[2].split()
    except OSError:
        return time.monotonic(), 0.0, 0.0
    ticks = os.sysconf("SC_CLK_TCK")
    page_kb = os.sysconf("SC_PAGE_SIZE") / 1024.0
    return time.monotonic(), (int(fields[11]) + int(fields[12])) / ticks, int(fields[21]) * page_kb


def required(loops: list[Loop], ticks: dict[str, TickCost], echo_us: float, rate: float) -> list[Required]:
    """The required numbers beside ours."""
    floor, ours = loops[0].said, loops[1].said
    compute = ours["compute_us"] or ticks["thesis"].median_us
    p999, cpu = ticks["thesis"].p999_us + 1.5 * floor["p999"], max(15.0, 200.0 * loops[0].cpu)
    own_rate = 0.8e6 / (echo_us + compute + ticks["thesis"].simulator_us)
    rows = [
        Required("p50: own compute + 1.5 x floor", ours["p50"], compute + 1.5 * floor["p50"], "us"),
        Required("p99.9: that of the tick in process + 1.5 x floor", ours["p999"], p999, "us"),
        Required("late ticks: the floor's + 0.01 %", _late(ours), _late(floor) + 0.01, "%"),
        Required("processor of the controller: 15 % or 2 x floor", 100.0 * loops[1].cpu, cpu, "% of a core"),
        Required("lockstep: 0.8 / (echo + control + simulator)", rate, own_rate, "ticks/s", at_least=True),
    ]
    for limit, cost in ticks.items():
        rows.append(Required(f"control tick, {limit}: median", cost.median_us, 60.0, "us"))
        rows.append(Required(f"control tick, {limit}: memory after {cost.ticks} ticks", cost.growth_kb, 512.0, "kB"))
    return rows


def _late(said: dict[str, Any]) -> float:
    """Share of ticks without an answer in time [%]."""
    return float(100.0 * said["late"] / said["ticks"])


def show(loops: list[Loop], rows: list[Required], console: Screen) -> None:
    """Print both tables."""
    table = Table("loop", "p50", "p99", "p99.9 [us]", "late", "of", "own compute [us]", "processor", "falls")
    for loop in loops:
        said = loop.said
        compute = "-" if said["compute_us"] is None else f"{said['compute_us']:.0f}"
        times = (f"{said[name]:.0f}" for name in ("p50", "p99", "p999"))
        counts = str(said["late"]), str(said["ticks"]), compute, f"{100 * loop.cpu:.1f} %", str(said["falls"])
        table.add_row(loop.name, *times, *counts)
    console.print(table)
    for loop in loops:
        show_causes(loop, console)
    show_rows(rows, console)


def show_causes(loop: Loop, console: Screen) -> None:
    """Print what the controller itself says of answers that came late."""
    if causes := loop.said["causes"]:
        words = ", ".join(f"{cause} {number}" for cause, number in sorted(causes.items()))
        console.print(f"{loop.name}: answers more than half a period late, by cause: {words}")


def show_rows(rows: list[Required], console: Screen) -> None:
    """Print each number with its verdict."""
    for row in rows:
        sign, verdict = (">=" if row.at_least else "<="), "ok" if row.met else "MISSED"
        console.print(f"{row.what}: {row.ours:.4g} {row.unit}, required {sign} {row.limit:.4g}: {verdict}")


def drift(loop: Loop) -> list[Required]:
    """What must stay as it is: medians of the first and last third of the minutes, memory, finite torques."""
    minutes = loop.said["drift"]
    third = max(len(minutes) // 3, 1)
    rows = []
    for name, words, allowed in (("p50", "p50", 1.1), ("p99", "p99", 1.25), ("p999", "p99.9", 1.25)):
        first, last = (median(block[name] for block in part) for part in (minutes[:third], minutes[-third:]))
        rows.append(Required(f"latency {words}: last third of the minutes over the first", last / first, allowed, "x"))
    rows.append(Required("memory of the controller: growth", loop.memory_kb, 1024.0, "kB"))
    rows.append(Required("commands that are not finite", loop.said["not_finite"], 0.0, f"of {loop.said['ticks']}"))
    return rows


def show_drift(loop: Loop, rows: list[Required], console: Screen) -> None:
    """Print the latency minute by minute, and whether anything drifts."""
    table = Table("minute", "p50", "p99", "p99.9 [us]")
    for minute, block in enumerate(loop.said["drift"]):
        table.add_row(str(minute), *(f"{block[name]:.0f}" for name in ("p50", "p99", "p999")))
    console.print(table)
    said = loop.said
    show_causes(loop, console)
    console.print(f"{said['ticks']} ticks, {said['late']} late, {said['falls']} falls")
    show_rows(rows, console)

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Latency of the control loop over real DDS, two processes.

Compared are a bare echo, ours, ours by type, and rclpy's executors.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from biped_slip.cli.terminal import Screen, result_screen, write_json
from biped_slip.errors import BipedSlipError, InvalidParameter
from biped_slip.ros.processes import REALTIME, NodeProcess, free_domain, need_ros
from biped_slip.ros.topic_walks import Run, walk_over_topics
from studies.frame import Row, show_rows, table_of
from studies.ticks import TickCost, control_tick

OURS = {
    "mode": "real-time",
    "embedded_estimator": True,
    "scenario": "thesis",
    "limit": "thesis",
}
HUMANOID = {"mode": "real-time", "limit": "interval"}
OURS |= {
    "supervisor.grace": 1.0
}  # joints are let go in a silence all the same, but the walk is not over
LOCKSTEP_SECONDS = 4.0  # of simulated time
SILENCES = 100
PROBE = "studies.loop.probe"
BACK_TO_BACK = 3.0  # [s] of echoes without a pause


class Loop(NamedTuple):
    """One measured pair of processes."""

    name: str
    said: dict[str, Any]  # by the robot's side
    cpu: float  # share of a core that the controller's process took
    memory_kb: (
        float  # its memory at the end, less that at the beginning of the measurement
    )


def run(arguments: argparse.Namespace) -> int:
    """Measure and print; exit code 1 when a required number is missed."""
    need_ros()
    seconds = 60.0 * arguments.minutes if arguments.minutes else arguments.seconds
    if not seconds >= 2.0:
        raise InvalidParameter("--seconds", seconds, "at least 2")
    options = () if arguments.no_priority else (*REALTIME, "--cpu", str(arguments.cpu))
    if arguments.robot and not arguments.minutes:
        raise InvalidParameter(
            "--robot",
            arguments.robot,
            "with --minutes: the table is the planar biped's",
        )
    console = result_screen(arguments)
    if arguments.minutes:
        ours = (
            {**HUMANOID, "humanoid_walk": arguments.robot} if arguments.robot else OURS
        )
        loop = measured(
            "ours", ("walking_controller", ours), seconds, options, walk=arguments.robot
        )
        rows = drift(loop)
        if arguments.robot:
            rows.append(
                Row(
                    what=f"falls after {len(loop.said['drift'])} minutes",
                    required=0.0,
                    at_most=True,
                    study="",
                    ours=loop.said["falls"],
                )
            )
        show_drift(loop, console)
        return 0 if show_rows("required", rows, console) else 1
    ticks = {limit: control_tick(limit, 4000) for limit in ("thesis", "interval")}
    loops = [
        measured("bare echo", ("echo", None), seconds, options, robot="still-robot"),
        measured("ours", ("walking_controller", OURS), seconds, options),
        measured(
            "ours by type",
            ("walking_controller", {**OURS, "raw_messages": False}),
            seconds,
            options,
        ),
        measured("plain rclpy", ("plain", None), seconds, ()),
        measured("events executor", ("events", None), seconds, options),
    ]
    anywhere = options[:2]  # lockstep's two nodes may run on any core, so may its echo
    echo = measured(
        "echo", ("echo", None), BACK_TO_BACK, anywhere, robot="still-robot", period_us=0
    )
    watchdog = measured(
        "watchdog",
        ("walking_controller", OURS),
        0.2 * SILENCES,
        options,
        silences=SILENCES,
    )
    rows = required(loops, ticks, echo.said["p50"], lockstep_rate(anywhere))
    rows += [
        Row(
            what="watchdog: joints let go after the sensors were due, p99 [us]",
            required=5000.0,
            at_most=True,
            study="",
            ours=watchdog.said["p99"],
        ),
        Row(
            what=f"watchdog: silences without that, of {SILENCES}",
            required=0.0,
            at_most=True,
            study="",
            ours=watchdog.said["missed"],
        ),
    ]
    console.print(table_of(COLUMNS, loops))
    for loop in loops:
        show_causes(loop, console)
    met = show_rows("required", rows, console)
    if arguments.json is not None:
        tables = {"required": [row._asdict() for row in rows]}
        write_json(
            arguments.json, arguments, [loop._asdict() for loop in loops], tables
        )
    return 0 if met else 1


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
    """Measure one controller against the robot's side.

    The controller is a node with parameters or a role of the probe.
    """
    kind, parameters = controller
    with TemporaryDirectory(prefix="biped_slip_") as place:
        folder = Path(place)
        domain = free_domain()
        if parameters is None:
            brain = NodeProcess(PROBE, {}, folder, domain, (kind, *options), alias=kind)
        else:
            brain = NodeProcess(kind, parameters, folder, domain, options)
        asked = (
            robot,
            "--seconds",
            str(seconds),
            "--period-us",
            str(period_us),
            "--silences",
            str(silences),
            *options,
        )
        body = NodeProcess(
            PROBE,
            {},
            folder,
            domain,
            (*asked, "--walk", walk) if walk else asked,
            alias=robot,
        )
        try:
            usage = [_usage(brain.process.pid)]
            while body.running:
                time.sleep(0.25)
                usage.append(_usage(brain.process.pid))
                if not brain.running:
                    raise BipedSlipError(brain.failure())
            lines = (
                body.process.stdout.read().splitlines() if body.process.stdout else []
            )
            answers = [
                line for line in lines if line.startswith("{")
            ]  # DDS libraries print lines of their own
            if body.process.returncode or not answers:
                raise BipedSlipError(body.failure())
        finally:
            body.end()
            brain.end()
    first = next(each for each in usage if each[0] > usage[-1][0] - seconds)
    last = usage[-1]
    return Loop(
        name,
        json.loads(answers[-1]),
        (last[1] - first[1]) / max(last[0] - first[0], 1e-9),
        last[2] - first[2],
    )


def lockstep_rate(options: tuple[str, ...]) -> float:
    """Ticks a second of simulator and controller in lockstep, as two nodes."""
    seen: list[tuple[float, float]] = []
    walk_over_topics(
        "thesis",
        "thesis",
        Run(options=options),
        embedded=True,
        duration=LOCKSTEP_SECONDS,
        progress=lambda share: seen.append((time.perf_counter(), share)),
    )
    (begin, first) = seen[0]
    (end, last) = seen[-1]
    return 1e3 * LOCKSTEP_SECONDS * (last - first) / (end - begin)


def _usage(pid: int) -> tuple[float, float, float]:
    """Now, processor time and memory of a process [s, s, kB]."""
    try:
        fields = (
            Path(f"/proc/{pid}/stat")
            .read_text(encoding="ascii", errors="replace")
            .rpartition(")")[2]
            .split()
        )
    except OSError:
        return time.monotonic(), 0.0, 0.0
    ticks = os.sysconf("SC_CLK_TCK")
    page_kb = os.sysconf("SC_PAGE_SIZE") / 1024.0
    return (
        time.monotonic(),
        (int(fields[11]) + int(fields[12])) / ticks,
        int(fields[21]) * page_kb,
    )


def required(
    loops: list[Loop], ticks: dict[str, TickCost], echo_us: float, rate: float
) -> list[Row]:
    """List the required numbers beside ours."""
    floor = loops[0].said
    ours = loops[1].said
    compute = ours["compute_us"] or ticks["thesis"].median_us
    p999 = ticks["thesis"].p999_us + 1.5 * floor["p999"]
    cpu = max(15.0, 200.0 * loops[0].cpu)
    own_rate = 0.8e6 / (echo_us + compute + ticks["thesis"].simulator_us)
    rows = [
        Row(
            what="p50 [us]: own compute + 1.5 x floor",
            required=compute + 1.5 * floor["p50"],
            at_most=True,
            study="",
            ours=ours["p50"],
        ),
        Row(
            what="p99.9 [us]: that of the tick in process + 1.5 x floor",
            required=p999,
            at_most=True,
            study="",
            ours=ours["p999"],
        ),
        Row(
            what="late ticks [%]: the floor's + 0.01 %",
            required=_late(floor) + 0.01,
            at_most=True,
            study="",
            ours=_late(ours),
        ),
        Row(
            what="processor of the controller [% of a core]: 15 % or 2 x floor",
            required=cpu,
            at_most=True,
            study="",
            ours=100.0 * loops[1].cpu,
        ),
        Row(
            what="lockstep [ticks/s]: 0.8 / (echo + control + simulator)",
            required=own_rate,
            at_most=False,
            study="",
            ours=rate,
        ),
        Row(
            what="falls of the robot that ours walks",
            required=0.0,
            at_most=True,
            study="",
            ours=ours["falls"],
        ),
    ]
    for limit, cost in ticks.items():
        rows.append(
            Row(
                what=f"control tick, {limit}: median [us]",
                required=60.0,
                at_most=True,
                study="",
                ours=cost.median_us,
            )
        )
        rows.append(
            Row(
                what=f"control tick, {limit}: memory after {cost.ticks} ticks [kB]",
                required=512.0,
                at_most=True,
                study="",
                ours=cost.growth_kb,
            )
        )
    return rows


def _late(said: dict[str, Any]) -> float:
    """Share of ticks without an answer in time [%]."""
    return float(100.0 * said["late"] / said["ticks"])


QUANTILES = {"p50": "p50", "p99": "p99", "p99.9 [us]": "p999"}
COLUMNS = {
    "loop": lambda loop: loop.name,
    **{
        heading: lambda loop, name=name: f"{loop.said[name]:.0f}"
        for heading, name in QUANTILES.items()
    },
    "late": lambda loop: loop.said["late"],
    "of": lambda loop: loop.said["ticks"],
    "own compute [us]": lambda loop: (
        "-" if loop.said["compute_us"] is None else f"{loop.said['compute_us']:.0f}"
    ),
    "processor": lambda loop: f"{100 * loop.cpu:.1f} %",
    "falls": lambda loop: loop.said["falls"],
}
MINUTES = {
    "minute": lambda minute: minute[0],
    **{
        heading: lambda minute, name=name: f"{minute[1][name]:.0f}"
        for heading, name in QUANTILES.items()
    },
}


def show_causes(loop: Loop, console: Screen) -> None:
    """Print what the controller itself says of answers that came late."""
    if causes := loop.said["causes"]:
        words = ", ".join(
            f"{cause} {number}" for cause, number in sorted(causes.items())
        )
        console.print(
            f"{loop.name}: answers more than half a period late, by cause: {words}"
        )


def drift(loop: Loop) -> list[Row]:
    """Check what must stay as it is.

    These are medians of the first and last third of the minutes, memory, and finite
    torques.
    """
    minutes = loop.said["drift"]
    third = max(len(minutes) // 3, 1)
    rows = []
    for name, words, allowed in (
        ("p50", "p50", 1.1),
        ("p99", "p99", 1.25),
        ("p999", "p99.9", 1.25),
    ):
        first, last = (
            median(block[name] for block in part)
            for part in (minutes[:third], minutes[-third:])
        )
        rows.append(
            Row(
                what=f"latency {words}: last third of the minutes over the first",
                required=allowed,
                at_most=True,
                study="",
                ours=last / first,
            )
        )
    rows.append(
        Row(
            what="memory of the controller: growth [kB]",
            required=1024.0,
            at_most=True,
            study="",
            ours=loop.memory_kb,
        )
    )
    said = loop.said
    rows.append(
        Row(
            what=f"commands that are not finite, of {said['ticks']}",
            required=0.0,
            at_most=True,
            study="",
            ours=said["not_finite"],
        )
    )
    return rows


def show_drift(loop: Loop, console: Screen) -> None:
    """Print the latency minute by minute."""
    console.print(table_of(MINUTES, enumerate(loop.said["drift"])))
    show_causes(loop, console)
    console.print(
        f"{loop.said['ticks']} ticks, {loop.said['late']} late, {loop.said['falls']} "
        "falls"
    )

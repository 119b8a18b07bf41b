# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Long walks without ROS over a floor with patches.

Memory and processor time of the controller are measured minute by minute.

A computer is not steady for an hour: time is compared with that of a bare call beside
it, in the same minute.
"""

from __future__ import annotations

import argparse
import gc
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Sequence

import numpy as np

from biped_slip.cli.terminal import Screen
from biped_slip.control.supervisor import Mode, SupervisorConfig
from biped_slip.estimation.health import HealthConfig
from biped_slip.simulation.humanoid.scenario import HumanoidWalkConfig, chosen_walk
from biped_slip.simulation.humanoid.walk import HumanoidTrack
from biped_slip.walking.humanoid import guarded_humanoid
from studies.frame import Study, declare, table_of
from synthetic.guarded_walk import LIMIT, Walker, sensed

ROBOTS = ("talos", "surena3", "g1")
SPEED = 0.25  # [m/s] an hour of it ends before the longest way
# [m] between patches, [m] and friction of each
EVERY = 10.0
LENGTH = 2.0
MU = 0.25
WIDE = 500.0  # [m] to either side: the heading drifts
# ticks between bare calls; equations and turns of a loop in each
BARE_EVERY = 100
BARE_SIZE = 60
BARE_LOOP = 5_000
# share of the first minute's processor time, in bare calls, by which others may differ
MORE_TIME = 0.05
MORE_MEMORY = 1.0  # [MB] by which memory may grow after a quarter of the walk


@dataclass(frozen=True)
class Endurance:
    """One walk; a number a minute."""

    robot: str
    seed: int
    minutes: int  # that were wanted
    processor: tuple[float, ...]  # of the controller in the minute [s]
    bare: tuple[float, ...]  # of a bare call in the minute, mean [us]
    median: tuple[float, ...]  # of its ticks in the minute [us]
    memory: tuple[float, ...]  # resident, of the process at the end of the minute [MB]
    way: tuple[float, ...]  # walked until then [m]
    ended: str  # why before the time; empty: it did not


Job = tuple[str, int, int]


def patched(name: str, minutes: int) -> HumanoidWalkConfig:
    """Put patches on the way of a long walk."""
    said = chosen_walk(name).to_mapping()
    distance = SPEED * 60.0 * minutes
    said |= {"speed": SPEED, "distance": distance, "patience": 1.0001}
    said["patch"]["length"] = 0.0
    starts = np.arange(0.5 * EVERY, distance, EVERY)
    said["course"]["patches"] = [
        [float(x), float(x) + LENGTH, -WIDE, WIDE, MU] for x in starts
    ]
    return HumanoidWalkConfig.from_mapping(said)


def bare_call() -> float:
    """Solve some equations and count; return the processor time [s]."""
    begin = time.thread_time()
    np.linalg.solve(np.eye(BARE_SIZE) + 0.01, np.ones(BARE_SIZE))
    for _ in range(BARE_LOOP):
        pass
    return time.thread_time() - begin


class Unlogged:
    """Log of a walk that is too long for one."""

    def record(self, plant: Any, truth: Any) -> None:
        """Keep nothing."""


def walk(job: Job) -> Endurance:
    """Walk once."""
    name, seed, minutes = job
    config = patched(name, minutes)
    guarded = guarded_humanoid(
        config.walking, LIMIT, SupervisorConfig(), HealthConfig()
    )
    robot = Walker(HumanoidTrack(config, seed), guarded)
    way = robot.world
    rows = []
    ticks = []
    bare = []
    way.log = Unlogged()
    guarded.start()
    while not way.ended and guarded.mode != Mode.FAULT:
        readings = sensed(way.read())
        begin = time.thread_time()
        torques = guarded.step(readings).torques
        ticks.append(time.thread_time() - begin)
        way.advance(torques)
        if len(ticks) % BARE_EVERY == 0:
            bare.append(bare_call())
        if len(ticks) == 60_000:
            gc.collect()
            gone = float(np.hypot(*way.plant.state.q[:2]))
            rows.append(
                (
                    sum(ticks),
                    1e6 * float(np.mean(bare)),
                    1e6 * float(np.median(ticks)),
                    resident(),
                    gone,
                )
            )
            ticks = []
            bare = []
    ended = (
        "it fell"
        if robot.fell
        else str(guarded.problem)
        if guarded.mode == Mode.FAULT
        else ""
    )
    processor, reference, median, memory, place = (
        tuple(column) for column in np.reshape(rows, (-1, 5)).T.tolist()
    )
    return Endurance(
        robot=name,
        seed=seed,
        minutes=minutes,
        processor=processor,
        bare=reference,
        median=median,
        memory=memory,
        way=place,
        ended=ended,
    )


def resident() -> float:
    """Memory of this process [MB]."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return int(status.split("VmRSS:")[1].split()[0]) / 1024.0


def _apart(values: Sequence[float]) -> str:
    share = np.array(values) / values[0] - 1.0
    return (
        f"{values[0]:.1f}, then {100.0 * share.min():+.1f} to "
        f"{100.0 * share.max():+.1f} %"
    )


def in_bare_calls(one: Endurance) -> list[float]:
    """Processor time of each minute over a bare call's in it."""
    return [
        1e6 * spent / bare for spent, bare in zip(one.processor, one.bare, strict=True)
    ]


def halves(values: Sequence[float]) -> float:
    """Mean of the second half of a walk over that of the first.

    It shows a trend, where the computer itself is not steady.
    """
    middle = len(values) // 2
    return float(np.mean(values[middle:]) / np.mean(values[:middle]))


def growth(values: Sequence[float]) -> float:
    """Growth after a quarter of the walk."""
    return max(values) - values[len(values) // 4]


COLUMNS = {
    "robot": lambda one: one.robot,
    "minutes": lambda one: len(one.way),
    "way [m]": lambda one: f"{max(one.way, default=0.0):.0f}",
    "processor [s/min]": lambda one: _apart(one.processor) if one.way else "-",
    "bare call [us]": lambda one: _apart(one.bare) if one.way else "-",
    "processor [bare calls/min]": lambda one: (
        _apart(in_bare_calls(one)) if one.way else "-"
    ),
    "median tick [us]": lambda one: _apart(one.median) if one.way else "-",
    "second half over first": lambda one: (
        f"{halves(in_bare_calls(one)):.2f}" if len(one.way) > 1 else "-"
    ),
    "memory, then growth [MB]": lambda one: (
        f"{one.memory[0]:.1f}, {growth(one.memory):+.1f}" if one.way else "-"
    ),
    "ended": lambda one: one.ended or "in time",
}


def show(walks: Sequence[Endurance], console: Screen) -> bool:
    """Print a row a robot.

    Return False when one ended early, grew, or got slower or faster.
    """
    console.print(table_of(COLUMNS, walks))
    return all(
        not one.ended
        and growth(one.memory) <= MORE_MEMORY
        and np.abs(np.array(in_bare_calls(one)) / in_bare_calls(one)[0] - 1.0).max()
        <= MORE_TIME
        for one in walks
    )


ENDURANCE = Study(
    "endurance",
    walk,
    Endurance,
    show=show,
    job=lambda one: (one.robot, one.seed, one.minutes),
)


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    declare(parser, "robot", "workers")
    parser.add_argument("--minutes", type=int, default=60, help="of each walk (60)")


def run(arguments: argparse.Namespace) -> int:
    """Walk each robot.

    The exit code is 1 when one ended early, grew, or got slower or faster.
    """
    jobs = [
        (name, arguments.first_seed, arguments.minutes)
        for name in arguments.robot or ROBOTS
    ]
    return ENDURANCE.run(arguments, jobs)

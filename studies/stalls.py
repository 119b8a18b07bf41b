# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Controllers that lose ticks at random moments of the gait.

The robot moves on under the last torque meanwhile.

Walks go on undisturbed; at random moments the whole process forks, and each copy loses
some ticks and walks on.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import traceback
from dataclasses import dataclass, replace
from functools import partial
from itertools import count
from pathlib import Path
from typing import Callable, Iterator, Sequence

import numpy as np

from biped_slip.cli.options import COUNT
from biped_slip.cli.terminal import Screen
from biped_slip.compile.arrays import Array
from biped_slip.control.supervisor import Mode
from biped_slip.control.tick_time import Steady
from biped_slip.errors import BipedSlipError
from studies.frame import (
    ResultFile,
    Study,
    declare,
    grouped,
    plain,
    report,
    table_of,
    typed,
)
from synthetic.guarded_walk import Walker, sensed, walker

ROBOTS = ("thesis_sensors", "talos", "g1", "bolt", "surena3")
LOST = (1, 2, 5, 20)  # ticks
MOMENTS = 200
# ticks that nobody may fall for; share that has to outlive longer ones
SHORT = 5
SURVIVED = 0.95
FIRST = 2500  # tick of the first moment: by then every robot walks
BETWEEN = 600  # ticks between two moments, at most
AFTER = 2000  # ticks in which the robot has to stay upright: some steps of every gait
PERIOD = 1e-3  # [s]


@dataclass(frozen=True)
class Stall:
    """One stall and how it ended."""

    robot: str
    seed: int
    tick: int  # of the walk, after which the controller stood still
    lost: int  # ticks; 0: the walk itself, at its end
    fell: bool
    stopped: str  # problem for which the supervisor kept the joints; empty: none


Job = tuple[str, int, int, int]  # robot, seed, tick, ticks lost


def stall_of(job: Job) -> Stall:
    """Choose a stall that has not been tried yet."""
    robot, seed, tick, lost = job
    return Stall(robot=robot, seed=seed, tick=tick, lost=lost, fell=False, stopped="")


def stalls(
    moments: int,
    robots: Sequence[str],
    path: str | Path | None,
    tell: Callable[[Stall], None],
    lost: Sequence[int] = LOST,
) -> Iterator[Stall]:
    """Try every stall at so many moments of each robot's walks.

    Those in the file are not tried again.
    """
    file = STALLS.file(path)
    for robot in robots:
        tried = 0
        for seed in count():
            if tried >= moments:
                break
            for one in stalled_walk(robot, seed, moments - tried, lost, file):
                tried += one.lost == lost[0]
                tell(one)
                yield one


def stalled_walk(
    robot: str, seed: int, moments: int, lost: Sequence[int], file: Kept
) -> Iterator[Stall]:
    """Try all stalls at the random moments of one walk, so many at most.

    The end of the walk itself comes last.
    """
    walk, rng = walker(robot, seed), np.random.default_rng(seed)
    walk.guarded.start()
    tick = 0
    due = FIRST + int(rng.integers(BETWEEN))
    tried = 0
    while not walk.way.ended and tried < moments:
        torques = tick_of(walk)
        tick += 1
        if tick == due:
            due = due + 1 + int(rng.integers(BETWEEN))
            tried = tried + 1
            for ticks in lost:
                job = robot, seed, tick, ticks
                stalled = partial(_stalled, walk, torques)
                yield file.kept(job, stalled)[0]
        walk.way.advance(torques)
    yield _ending(
        walk, Stall(robot=robot, seed=seed, tick=tick, lost=0, fell=False, stopped="")
    )


def tick_of(walk: Walker, stall: float = 0.0) -> Array:
    """Torques for what the sensors say now, after a stall of so long [s]."""
    readings = walk.way.read()
    return walk.guarded.step(
        sensed(readings), steady=Steady(1e-9 * readings.stamp_ns, stall)
    ).torques


def outlived(walk: Walker, torques: Array, stall: Stall) -> Stall:
    """How the walk goes on when nobody answers for some ticks after these torques."""
    walk.way.advance(torques)
    for _ in range(stall.lost):
        walk.way.read()
        if not walk.way.ended:
            walk.way.advance(torques)
    late = PERIOD * stall.lost
    for _ in range(AFTER):
        if walk.way.ended or walk.guarded.mode == Mode.FAULT:
            break
        walk.way.advance(tick_of(walk, late))
        late = 0.0
    return _ending(walk, stall)


def _ending(walk: Walker, stall: Stall) -> Stall:
    return replace(
        stall,
        fell=walk.fell,
        stopped=str(walk.guarded.problem) if walk.guarded.mode == Mode.FAULT else "",
    )


def _stalled(walk: Walker, torques: Array, job: Job) -> Stall:
    return _in_a_copy(walk, torques, stall_of(job))


def _in_a_copy(walk: Walker, torques: Array, stall: Stall) -> Stall:
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.close(reader)
            os.write(writer, json.dumps(plain(outlived(walk, torques, stall))).encode())
        except BaseException:  # a copy ends here, whatever happens
            traceback.print_exc(file=sys.stderr)
        finally:
            os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as answer:
        said = answer.read()
    os.waitpid(child, 0)
    if not said:
        raise BipedSlipError(
            f"{stall.robot}, seed {stall.seed}, tick {stall.tick}: a copy of the walk "
            "has failed"
        )
    found: Stall = typed(Stall, json.loads(said))
    return found


STALLS = Study(
    "stalls",
    lambda job: outlived(walker(*job[:2]), np.zeros(0), stall_of(job)),
    Stall,
    job=lambda stall: (stall.robot, stall.seed, stall.tick, stall.lost),
)
Kept = ResultFile[Job, Stall]


def _bad(group: Sequence[Stall]) -> list[Stall]:
    return [one for one in group if one.fell or one.stopped]


def _missed(group: Sequence[Stall]) -> bool:
    """Whether a short stall felled or stopped a robot, or over 5 % of the long ones."""
    return len(_bad(group)) > (
        0 if group[0].lost <= SHORT else (1.0 - SURVIVED) * len(group)
    )


COLUMNS = {
    "robot": lambda group: group[0].robot,
    "lost [ms]": lambda group: group[0].lost or "none: whole walks",
    "tried": len,
    "fell": lambda group: sum(one.fell for one in group),
    "stopped": lambda group: sum(bool(one.stopped) for one in group),
    "first of them": lambda group: next(
        (f"seed {one.seed}, tick {one.tick} {one.stopped}" for one in _bad(group)), ""
    ),
}


def show(found: Sequence[Stall], console: Screen) -> bool:
    """Print a row a robot and length; False when one misses what is allowed."""
    groups = grouped(
        sorted(found, key=lambda one: one.lost), lambda one: (one.robot, one.lost)
    )
    rows = [
        groups[key]
        for robot in dict.fromkeys(one.robot for one in found)
        for key in groups
        if key[0] == robot
    ]
    missed = sum(_missed(group) for group in rows)
    console.print(table_of(COLUMNS, rows))
    console.print(
        f"{sum(one.lost > 0 for one in found)} stalls, {missed} rows beyond what is "
        "allowed"
    )
    return not missed


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    declare(parser, "robot")
    parser.add_argument(
        "--moments",
        type=COUNT,
        default=MOMENTS,
        help=f"of the gait, for each robot ({MOMENTS})",
    )
    parser.add_argument(
        "--lost", nargs="+", type=COUNT, metavar="TICKS", help="lost at once (1 2 5 20)"
    )


def run(arguments: argparse.Namespace) -> int:
    """Try what is missing.

    The exit code is 1 when a short stall felled a robot, or more than 5 % of the long
    ones did.
    """
    progress = Screen(stderr=True)

    def tell(one: Stall) -> None:
        how = "fell" if one.fell else one.stopped or "upright"
        progress.print(
            f"{one.robot}, seed {one.seed}, tick {one.tick}, {one.lost} lost: {how}"
        )

    lost = tuple(arguments.lost or LOST)
    return report(
        arguments,
        list(
            stalls(
                arguments.moments,
                arguments.robot or ROBOTS,
                arguments.results,
                tell,
                lost,
            )
        ),
        show,
    )

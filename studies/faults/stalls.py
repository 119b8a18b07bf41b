# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""A controller that stands still for some ticks at any moment, while the robot moves on under the last torque.

Walks go on undisturbed; at random moments the whole process forks, and each copy loses some ticks and walks on.
"""

from __future__ import annotations

import json
import os
import sys
import traceback
from dataclasses import asdict, dataclass, replace
from itertools import count
from typing import Callable, Iterator, Sequence

import numpy as np

from biped_slip.compile.arrays import Array
from biped_slip.control.supervisor import Mode
from biped_slip.control.tick_time import Steady
from biped_slip.errors import BipedSlipError
from biped_slip.simulation.campaign import LineFile, key_of
from studies.faults.guarded_walk import Walker, sensed, walker

ROBOTS = ("thesis_sensors", "talos", "g1", "bolt", "surena3")
LOST = (1, 2, 5, 20)  # ticks
RESULTS = "stalls.jsonl"
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


def stalls(
    moments: int, robots: Sequence[str], path: str, tell: Callable[[Stall], None], lost: Sequence[int] = LOST
) -> Iterator[Stall]:
    """Every stall at so many moments of each robot's walks; those in the file are not tried again."""
    file = LineFile(path)
    for robot in robots:
        tried = 0
        for seed in count():
            if tried >= moments:
                break
            for one in stalled_walk(robot, seed, moments - tried, lost, file):
                tried += one.lost == lost[0]
                tell(one)
                yield one


def stalled_walk(robot: str, seed: int, moments: int, lost: Sequence[int], file: LineFile) -> Iterator[Stall]:
    """All stalls at the random moments of one walk, so many at most, then the end of the walk itself."""
    walk, rng = walker(robot, seed), np.random.default_rng(seed)
    walk.guarded.start()
    tick, due, tried = 0, FIRST + int(rng.integers(BETWEEN)), 0
    while not walk.way.ended and tried < moments:
        torques = tick_of(walk)
        tick += 1
        if tick == due:
            due, tried = due + 1 + int(rng.integers(BETWEEN)), tried + 1
            for ticks in lost:
                yield _kept(file, walk, torques, Stall(robot, seed, tick, ticks, False, ""))
        walk.way.advance(torques)
    yield _ending(walk, Stall(robot, seed, tick, 0, False, ""))


def tick_of(walk: Walker, stall: float = 0.0) -> Array:
    """Torques for what the sensors say now, after a stall of so long [s]."""
    readings = walk.way.read()
    return walk.guarded.step(sensed(readings), steady=Steady(1e-9 * readings.stamp_ns, stall)).torques


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
    return replace(stall, fell=walk.fell, stopped=str(walk.guarded.problem) if walk.guarded.mode == Mode.FAULT else "")


def _kept(file: LineFile, walk: Walker, torques: Array, stall: Stall) -> Stall:
    """From the file, or tried in a copy of this process and written there."""
    key = key_of("stall", stall.robot, stall.seed, stall.tick, stall.lost)
    known = file.entry(key)
    if known is not None:
        return Stall(**{name: known[name] for name in asdict(stall)})
    found = _in_a_copy(walk, torques, stall)
    file.append(key, asdict(found))
    return found


def _in_a_copy(walk: Walker, torques: Array, stall: Stall) -> Stall:
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.close(reader)
            os.write(writer, json.dumps(asdict(outlived(walk, torques, stall))).encode())
        except BaseException:  # a copy ends here, whatever happens
            traceback.print_exc(file=sys.stderr)
        finally:
            os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as answer:
        said = answer.read()
    os.waitpid(child, 0)
    if not said:
        raise BipedSlipError(f"{stall.robot}, seed {stall.seed}, tick {stall.tick}: a copy of the walk has failed")
    return Stall(**json.loads(said))

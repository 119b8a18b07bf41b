# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""What one period of a humanoid's closed loop costs, in bare steps of MuJoCo.

The loop walks: sensors are read, the controller answers, the plant moves on by a
period. MuJoCo's own model of the same robot stands on both soles meanwhile and does
``mj_step`` of as long, in turns with the loop, so that what else the machine does falls
on both. Times are processor time of one thread, so a waiting disk or neighbour is not
in them; a cache that others use is. ::

    loop | sense control advance | ... 400 ticks |             | ...
    bare |                                       | 400 mj_step |

A ratio that is too high names its causes: the functions in which the loop's own time
goes, from a profile of further ticks (which the profiler slows, Python more than
compiled code).
"""

from __future__ import annotations

import argparse
import cProfile
import gc
import pstats
import time
from typing import Any, Callable, NamedTuple

import numpy as np

from biped_slip.cli.options import COUNT
from biped_slip.cli.terminal import result_screen
from biped_slip.robots.humanoid import Humanoid
from biped_slip.simulation.humanoid.scenario import chosen_walk
from biped_slip.simulation.humanoid.walk import HumanoidWalk
from studies.frame import NAN, Row, declare, show_rows, table_of

REQUIRED = {"g1": 8.0, "talos": 9.0}  # ratios; other robots have none
BLOCK = 400  # ticks
WARM_UP = 500  # ticks: standing, compiled
ENTRIES = 5  # of the profile


class Spent(NamedTuple):
    """Processor time of one period [us]."""

    sensors: float
    controller: float
    plant: float

    @property
    def whole(self) -> float:
        """Of all three."""
        return self.sensors + self.controller + self.plant


class Loop:
    """A humanoid's closed loop, walking for ever: one that ends begins anew."""

    def __init__(self, robot: str, limit: str, seed: int) -> None:
        self.config = chosen_walk(robot)
        self.limit = limit
        self.seed = seed
        self._begin()

    def _begin(self) -> None:
        self.walk = HumanoidWalk(self.config, self.limit, self.seed)
        for _ in range(WARM_UP):
            self.walk.tick()

    def period(self) -> Spent:
        """Walk one period, and return what it cost."""
        if self.walk.ended:
            self._begin()
        begin = time.thread_time_ns()
        raw = self.walk.world.sense()
        sensed = time.thread_time_ns()
        torques = self.walk.control(raw).torques
        controlled = time.thread_time_ns()
        self.walk.world.advance(torques)
        end = time.thread_time_ns()
        return Spent(
            sensors=1e-3 * (sensed - begin),
            controller=1e-3 * (controlled - sensed),
            plant=1e-3 * (end - controlled),
        )


class Bare:
    """MuJoCo's model of a robot, standing under the torques of gravity.

    Args:
        humanoid: the robot.
        q, v: its coordinates (nq,) and velocities (nv,), from which each block starts.
        period: length of a step [s].
    """

    def __init__(
        self, humanoid: Humanoid, q: np.ndarray, v: np.ndarray, period: float
    ) -> None:
        # an extra
        import mujoco

        from biped_slip.simulation.humanoid.mujoco_plant import Twin

        self.q = q
        self.v = v
        self.twin = Twin(humanoid, feet=True, pairs=True)
        self.twin.model.opt.timestep = period
        self._step: Callable[[Any, Any], None] = mujoco.mj_step
        self._forward: Callable[[Any, Any], None] = mujoco.mj_forward

    def block(self) -> float:
        """Return the processor time of a step, median of a block [us]."""
        twin = self.twin
        twin.place(self.q, self.v)
        self._forward(twin.model, twin.data)
        twin.data.qfrc_applied[twin.vs] = twin.data.qfrc_bias[twin.vs]
        spent = []
        for _ in range(BLOCK):
            begin = time.thread_time_ns()
            self._step(twin.model, twin.data)
            spent.append(time.thread_time_ns() - begin)
        return 1e-3 * float(np.median(spent))


class Entry(NamedTuple):
    """A function in which a loop's own time goes."""

    share: float  # of the profiled time [%]
    calls: float  # a tick
    name: str


def largest_entries(loop: Loop, ticks: int) -> list[Entry]:
    """Profile ticks; return the functions with the most time of their own."""
    profile = cProfile.Profile()
    profile.enable()
    for _ in range(ticks):
        loop.period()
    profile.disable()
    found: Any = pstats.Stats(profile)
    whole = found.total_tt
    entries = []
    for (file, line, function), (_, calls, own, _, _) in found.stats.items():
        place = file.split("site-packages/")[-1].split("biped_slip/")[-1]
        name = f"{place}:{line} {function}" if line else function
        entries.append(Entry(share=100.0 * own / whole, calls=calls / ticks, name=name))
    return sorted(entries, key=lambda entry: -entry.share)


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    declare(parser)
    parser.add_argument("--robot", default="talos", help="humanoid (talos)")
    parser.add_argument("--limit", default="touchdown", help="of friction (touchdown)")
    parser.add_argument("--turns", type=COUNT, default=8, help="of both (8)")
    parser.add_argument(
        "--entries",
        type=COUNT,
        default=ENTRIES,
        help=f"of the profile, where the ratio is too high ({ENTRIES})",
    )


def run(arguments: argparse.Namespace) -> int:
    """Measure and print; exit code 1 where the ratio is too high."""
    console = result_screen(arguments)
    loop = Loop(arguments.robot, arguments.limit, arguments.first_seed)
    state = loop.walk.world.plant.state
    bare = Bare(loop.walk.humanoid, state.q, state.v, loop.config.period)
    bare.block()
    steps = []
    periods: list[Spent] = []
    for _ in range(arguments.turns):
        gc.collect()
        spent = np.array([loop.period() for _ in range(BLOCK)])
        periods.append(Spent(*np.median(spent, axis=0).tolist()))
        steps.append(bare.block())
    step = float(np.median(steps))
    parts = Spent(*np.median(np.array(periods), axis=0).tolist())
    ratio = float(
        np.median(
            [one.whole / other for one, other in zip(periods, steps, strict=True)]
        )
    )
    required = REQUIRED.get(arguments.robot, NAN)
    measured = {
        "one mj_step [us]": (NAN, step),
        "sensors [us]": (NAN, parts.sensors),
        "controller [us]": (NAN, parts.controller),
        "plant [us]": (NAN, parts.plant),
        "the loop, in steps": (required, ratio),
    }
    rows = [
        Row(what=what, required=bound, at_most=True, study="", ours=found)
        for what, (bound, found) in measured.items()
    ]
    kept = show_rows(f"{arguments.robot}: one period in bare steps", rows, console)
    if not kept:
        columns = {
            "own time [%]": lambda entry: f"{entry.share:.1f}",
            "calls a tick": lambda entry: f"{entry.calls:.1f}",
            "function": lambda entry: entry.name,
        }
        entries = largest_entries(loop, BLOCK)[: arguments.entries]
        console.print(table_of(columns, entries))
    return 0 if kept else 1

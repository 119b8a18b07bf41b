# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""What a tick by motor currents costs, beside one by ankle sensors.

Both walks of one robot run in turns, so that what else the machine does falls on both:
a pair is a block of ticks of either, and its ratio that of the blocks' medians of
processor time. Only the controller's tick counts, from sensors to torques.
"""

from __future__ import annotations

import argparse
import gc
import time
from typing import Iterator

import numpy as np

from biped_slip.cli.options import COUNT
from biped_slip.cli.terminal import result_screen
from biped_slip.simulation.humanoid.scenario import chosen_walk
from biped_slip.simulation.humanoid.walk import HumanoidWalk
from biped_slip.walking.humanoid import CURRENTS, SENSORS
from studies.frame import NAN, Row, declare, show_rows

REQUIRED = 1.1
BLOCK = 250  # ticks
WARM_UP = 2000  # ticks: standing, the first transfer


def ticks(robot: str, sensors: str, seed: int) -> Iterator[float]:
    """Walk, and yield the processor time of each tick [us]; a walk over begins anew."""
    config = chosen_walk(robot, sensors)
    while True:
        walk = HumanoidWalk(config, "touchdown", seed)
        for _ in range(WARM_UP):
            walk.tick()
        while not walk.ended:
            raw = walk.world.sense()
            before = time.thread_time()
            answer = walk.control(raw)
            spent = time.thread_time() - before
            walk.world.advance(answer.torques)
            yield 1e6 * spent


def block(walking: Iterator[float]) -> float:
    """Return the median of a block of ticks [us]."""
    gc.collect()
    return float(np.median([next(walking) for _ in range(BLOCK)]))


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    declare(parser)
    parser.add_argument("--robot", default="g1", help="humanoid (g1)")
    parser.add_argument("--pairs", type=COUNT, default=12, help="of blocks (12)")


def run(arguments: argparse.Namespace) -> int:
    """Measure and print; exit code 1 where a tick by currents is too dear."""
    console = result_screen(arguments)
    seed = arguments.first_seed
    ours = ticks(arguments.robot, CURRENTS, seed)
    others = ticks(arguments.robot, SENSORS, seed)
    pairs = np.array([(block(ours), block(others)) for _ in range(arguments.pairs)])
    ratios = pairs[:, 0] / pairs[:, 1]
    low, high = np.quantile(ratios, (0.25, 0.75))
    measured = {
        "tick by currents, median of blocks [us]": (NAN, np.median(pairs[:, 0])),
        "tick by ankle sensors, likewise [us]": (NAN, np.median(pairs[:, 1])),
        "ratio of pairs, lower quartile": (NAN, low),
        "ratio of pairs, upper quartile": (NAN, high),
        "ratio of pairs, median": (REQUIRED, np.median(ratios)),
    }
    rows = [
        Row(what=what, required=bound, at_most=True, study="", ours=float(found))
        for what, (bound, found) in measured.items()
    ]
    return 0 if show_rows("paired ticks", rows, console) else 1

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Files that one control tick of a humanoid passes, and how often it changes file.

The robot walks in plain Python, in which every kernel is a call. Then one tick, from
the raw readings to the torques, is traced: a call counts for the file of the function
that is called. Who reads the tick along its calls turns to another file as often as
two calls after each other lie in two files.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from collections import Counter
from itertools import pairwise
from pathlib import Path
from types import FrameType
from typing import Any, Callable, NamedTuple

import biped_slip
from biped_slip.cli.options import COUNT
from biped_slip.cli.terminal import Screen

LIBRARY = Path(biped_slip.__file__).parent
PLAIN = {"NUMBA_DISABLE_JIT": "1"}
TICKS = 700  # before the one that is traced: in the first transfer


class TracedTick(NamedTuple):
    """Calls of one tick."""

    calls: dict[str, int]  # by file of the library, the most called first
    changes: int  # of file from one call to the next
    between: dict[str, int]  # the same by "from -> to", the most frequent first


def traced(function: Callable[[], Any]) -> TracedTick:
    """Trace the library's functions that a call passes."""
    files: list[str] = []

    def note(frame: FrameType, event: str, _: Any) -> None:
        path = Path(frame.f_code.co_filename)
        if event == "call" and path.is_relative_to(LIBRARY):
            files.append(str(path.relative_to(LIBRARY)))

    sys.setprofile(note)
    try:
        function()
    finally:
        sys.setprofile(None)
    between = Counter(f"{a} -> {b}" for a, b in pairwise(files) if a != b)
    return TracedTick(
        calls=dict(Counter(files).most_common()),
        changes=between.total(),
        between=dict(between.most_common()),
    )


def humanoid_tick(robot: str, ticks: int) -> TracedTick:
    """Trace a tick of a humanoid's walk, as its controller is told of raw readings."""
    walk = biped_slip.HumanoidWalk(
        biped_slip.chosen_walk(robot), "touchdown", seed=1, checked=False
    )
    for _ in range(ticks):
        walk.tick()
    raw = walk.world.sense()
    return traced(lambda: walk.control(raw))


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("--robot", default="talos", help="humanoid (talos)")
    parser.add_argument(
        "--ticks", type=COUNT, default=TICKS, help=f"walked before ({TICKS})"
    )


def run(arguments: argparse.Namespace) -> int:
    """Print files, calls and changes of file."""
    if any(os.environ.get(name) != value for name, value in PLAIN.items()):
        # kernels compiled by this process would hide their calls
        command = [sys.executable, "-m", "studies", "tick-files"]
        command += ["--robot", arguments.robot, "--ticks", str(arguments.ticks)]
        return subprocess.run(command, env={**os.environ, **PLAIN}).returncode
    screen = Screen()
    tick = humanoid_tick(arguments.robot, arguments.ticks)
    screen.print(
        f"{arguments.robot}: {sum(tick.calls.values())} calls in {len(tick.calls)} "
        f"files, {tick.changes} changes of file"
    )
    for name, count in tick.calls.items():
        screen.print(f"{count:6d}  {name}")
    screen.print("most frequent changes:")
    for name, count in list(tick.between.items())[:10]:
        screen.print(f"{count:6d}  {name}")
    return 0

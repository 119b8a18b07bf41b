# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Compile what walks will run, once and ahead: the first walk of a fresh installation begins without a wait."""

from __future__ import annotations

import argparse
import importlib.util
import time
from dataclasses import replace
from functools import partial
from typing import Any, Callable

from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from biped_slip.cli.terminal import Screen
from biped_slip.compile.cache import cache_folder
from biped_slip.shared_files import shared_names

SCENARIOS, LIMITS, NODES = ("thesis", "thesis_sensors"), ("none", "interval"), "nodes of a walk"
SAMPLES = ("slide", "walk")
ALIKE = 0.05  # [s] of a planar walk: every topic's first messages have passed
STEPS = 3.0  # [s] of a humanoid's: it has stood, shifted its weight and stepped


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "--robot", nargs="*", metavar="NAME",
        help="humanoids, shipped or own .yaml files; no name: the planar biped alone (all that are shipped)",
    )  # fmt: skip


def run(arguments: argparse.Namespace) -> int:
    """Walk the beginning of each, and say how long it took; what is compiled already takes a second or two."""
    screen = Screen(stderr=True)
    parts = _parts(arguments.robot)
    columns = TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn()
    with Progress(*columns, console=screen, transient=True) as bar:
        task = bar.add_task("compiling", total=len(parts))
        for name, walk in parts.items():
            bar.update(task, description=f"compiling: {name}")
            begin = time.monotonic()
            walk()
            bar.advance(task)
            screen.print(f"{name}: {time.monotonic() - begin:.1f} s")
    screen.print(f"compiled code is in {cache_folder()}", highlight=False)
    return 0


def _parts(robots: list[str] | None) -> dict[str, Callable[[], Any]]:
    parts: dict[str, Callable[[], Any]] = {"recordings": _recordings, "planar biped": _planar}
    if importlib.util.find_spec("rclpy") is not None:
        parts[NODES] = _nodes
    if robots is None:
        robots = (
            list(shared_names("config/humanoid_walks")) if importlib.util.find_spec("pinocchio") is not None else []
        )
    return {**parts, **{name: partial(_humanoid, walk) for name, walk in zip(robots, _walks(robots), strict=True)}}


def _walks(robots: list[str]) -> list[Any]:
    """All are read before the first is compiled: what is misspelt is said at once."""
    from biped_slip.simulation.humanoid.scenario import chosen_walk

    return [chosen_walk(name) for name in robots]


def _recordings() -> None:
    from biped_slip.recordings.replay import replay_file
    from biped_slip.recordings.samples import sample_or_file

    for sample in SAMPLES:
        replay_file(*sample_or_file(sample, None))


def _planar() -> None:
    from biped_slip.ros.processes import compile_ahead
    from biped_slip.simulation.planar.walk import chosen_scenario, run_walk

    for scenario in map(chosen_scenario, SCENARIOS):
        for embedded in (False, True):
            compile_ahead(scenario, LIMITS, embedded)
        for limit in LIMITS:
            run_walk(replace(scenario, duration=ALIKE), limit)


def _nodes() -> None:
    from biped_slip.ros.processes import walk_over_topics

    for scenario in SCENARIOS:
        walk_over_topics(scenario, LIMITS[-1], duration=ALIKE)


def _humanoid(walk: Any) -> None:
    from biped_slip.simulation.humanoid.walk import HumanoidWalk

    HumanoidWalk(walk, LIMITS[-1], checked=True).tick()
    for limit in LIMITS:
        steps = HumanoidWalk(walk, limit)
        while not steps.ended and 1e-9 * steps.world.plant.stamp_ns < STEPS:
            steps.tick()

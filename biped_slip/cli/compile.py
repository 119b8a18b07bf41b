# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Compile ahead what the first commands run, or everything.

What is left compiles at its first use.
"""

from __future__ import annotations

import argparse
import importlib.util
import time
from concurrent.futures import as_completed
from dataclasses import replace
from functools import partial
from typing import Any, Callable

from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from biped_slip.child_processes import WorkerProcesses
from biped_slip.cli.terminal import Screen
from biped_slip.compile.cache import cache_folder, hush_first_use
from biped_slip.shared_files import shared_names

SCENARIOS = ("thesis", "demo")
COMPILED_LIMITS = ("none", "touchdown")
COMPILED_SAMPLES = ("slide", "walk")
TOPICS_TIME = 0.05  # [s] of a planar walk: every topic's first messages have passed
STEPPING_TIME = 3.0  # [s] of a humanoid's: it has stood, shifted its weight and stepped
COMPILERS = 2  # processes: a third one would compile little that these do not (choice)


def run(arguments: argparse.Namespace) -> int:
    """Compile by walking the beginning of each walk, and report the times."""
    screen = Screen(stderr=True)
    parts = _parts(arguments.all, arguments.robot)
    columns = TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn()
    with (
        Progress(*columns, console=screen, transient=True) as bar,
        WorkerProcesses(COMPILERS) as workers,
    ):
        task = bar.add_task(f"compiling: {', '.join(parts)}", total=len(parts))
        names = {workers.submit(_seconds, walk): name for name, walk in parts.items()}
        for done in as_completed(names):
            bar.advance(task)
            screen.print(f"{names[done]}: {done.result():.1f} s")
    screen.print(f"compiled code is in {cache_folder()}", highlight=False)
    return 0


def _seconds(walk: Callable[[], Any]) -> float:
    hush_first_use()
    begin = time.monotonic()
    walk()
    return time.monotonic() - begin


def _parts(everything: bool, robots: list[str] | None) -> dict[str, Callable[[], Any]]:
    """Order walks so that shared code is compiled first.

    All are read before: a misspelt name is reported at once.
    """
    from biped_slip.simulation.humanoid.scenario import chosen_walk

    robots = list(robots or ())
    if everything and importlib.util.find_spec("pinocchio") is not None:
        robots += [
            name for name in shared_names("config/humanoid_walks") if name not in robots
        ]
    humanoids: dict[str, Callable[[], Any]] = {
        name: partial(_humanoid, chosen_walk(name)) for name in robots
    }
    first = dict(list(humanoids.items())[:1])
    planar = {
        "planar biped": partial(_planar, SCENARIOS if everything else SCENARIOS[:1])
    }
    return {
        **planar,
        **first,
        "recordings": partial(
            _recordings, COMPILED_SAMPLES if everything else COMPILED_SAMPLES[:1]
        ),
        **humanoids,
    }


def _recordings(samples: tuple[str, ...]) -> None:
    from biped_slip.recordings.replay import replay_file
    from biped_slip.recordings.samples import sample_or_file

    for sample in samples:
        replay_file(*sample_or_file(sample, None))


def _planar(scenarios: tuple[str, ...]) -> None:
    """Walk planar scenarios; then compile the nodes' parts of some.

    That is done here, where nothing is compiled twice.
    """
    from biped_slip.ros.topic_walks import compile_ahead, walk_over_topics
    from biped_slip.simulation.planar.scenario import chosen_scenario
    from biped_slip.simulation.planar.walk import run_walk

    for name in SCENARIOS:
        scenario = chosen_scenario(name)
        for limit in COMPILED_LIMITS if name in scenarios else COMPILED_LIMITS[-1:]:
            run_walk(replace(scenario, duration=TOPICS_TIME), limit)
        if name in scenarios:
            compile_ahead(scenario, COMPILED_LIMITS)
    # what looks at messages is the same in all scenarios
    if importlib.util.find_spec("rclpy") is not None:
        walk_over_topics(SCENARIOS[0], COMPILED_LIMITS[-1], duration=TOPICS_TIME)


def _humanoid(walk: Any) -> None:
    from biped_slip.simulation.humanoid.walk import HumanoidWalk

    HumanoidWalk(walk, COMPILED_LIMITS[-1], checked=True).tick()
    for limit in COMPILED_LIMITS:
        steps = HumanoidWalk(walk, limit)
        while not steps.ended and 1e-9 * steps.world.plant.stamp_ns < STEPPING_TIME:
            steps.tick()

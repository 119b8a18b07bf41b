# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Walk the planar biped over real ROS 2 topics: simulator, estimator and controller as three processes."""

from __future__ import annotations

import argparse
import sys

from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from biped_slip.cli.terminal import Screen
from biped_slip.cli.walk import show_end, show_stances
from biped_slip.errors import InvalidParameter
from biped_slip.reports.figures import prevention
from biped_slip.reports.planar import write_walk_report
from biped_slip.reports.stances import KEY
from biped_slip.ros.processes import REALTIME, compile_ahead, walk_over_topics
from biped_slip.simulation.planar.walk import chosen_scenario
from biped_slip.view.page import planar_scene


def run(arguments: argparse.Namespace) -> int:
    """Walk once per limit, show the results, write the report."""
    if arguments.duration is not None and not arguments.duration > 0.0:
        raise InvalidParameter("--duration", arguments.duration, "above 0 s")
    scenario = chosen_scenario(arguments.scenario, seed=arguments.seed)
    mode = "real-time" if arguments.real_time else "lockstep"
    console, results = Screen(stderr=True), {}
    columns = TextColumn("{task.description}"), BarColumn(), TextColumn("{task.percentage:3.0f} %"), TimeElapsedColumn()
    with Progress(*columns, console=console) as bar:
        compiling = bar.add_task("compiling", total=1)
        compile_ahead(scenario, arguments.limit, arguments.embedded)
        bar.update(compiling, completed=1)
        for limit in arguments.limit:
            task = bar.add_task(f"walking, slip prevention: {limit}", total=1.0)
            results[limit] = walk_over_topics(
                arguments.scenario, limit, seed=arguments.seed, mode=mode, embedded=arguments.embedded,
                duration=arguments.duration, options=REALTIME if arguments.real_time else (),
                progress=lambda share, task=task: bar.update(task, completed=share),
            )  # fmt: skip
            bar.update(task, completed=1.0)
        drawing = bar.add_task("drawing the report", total=1)
        page = write_walk_report(arguments.report, results, scenario, planar_scene(results, scenario))
        bar.update(drawing, completed=1)
    screen = Screen(file=sys.stdout)
    for limit, (log, _) in results.items():
        show_stances(log, screen, prevention(limit))
    screen.print(KEY, style="dim", highlight=False)
    for limit, (log, summary) in results.items():
        show_end(summary, log, screen, f"{prevention(limit)}: ")
    console.print(f"report: {page}")
    return 0

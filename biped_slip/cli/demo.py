# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Walk the planar biped over real ROS 2 topics: simulator, estimator and controller as three processes."""

from __future__ import annotations

import argparse
import sys
from typing import Mapping

from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from biped_slip.cli.terminal import Screen
from biped_slip.errors import InvalidParameter
from biped_slip.reports.planar import write_walk_report
from biped_slip.ros.processes import REALTIME, compile_ahead, walk_over_topics
from biped_slip.simulation.planar.walk import Contact, WalkResult, chosen_scenario
from biped_slip.simulation.walk import FEET
from biped_slip.view.page import planar_scene


def run(arguments: argparse.Namespace) -> int:
    """Walk once per limit, show how it went, write the report."""
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
                arguments.scenario,
                limit,
                seed=arguments.seed,
                mode=mode,
                embedded=arguments.embedded,
                duration=arguments.duration,
                options=REALTIME if arguments.real_time else (),
                progress=lambda share, task=task: bar.update(task, completed=share),
            )
            bar.update(task, completed=1.0)
        drawing = bar.add_task("drawing the report", total=1)
        page = write_walk_report(arguments.report, results, scenario, planar_scene(results, scenario))
        bar.update(drawing, completed=1)
    show(results, Screen(file=sys.stdout))
    console.print(f"report: {page}")
    return 0


def show(results: Mapping[str, WalkResult], console: Screen) -> None:
    """Print how the walks ended and what was known of each floor under each foot, and when."""
    walks = Table("slip prevention", "fell", "until", "x", "largest slide of a stance foot")
    floors = Table("slip prevention", "mu true", "foot", "estimate", "known at", "load at 0.9 mu", "estimate then")
    for limit, (_, summary) in results.items():
        walks.add_row(
            limit,
            "yes" if summary.fell else "no",
            f"{summary.end_time:.2f} s",
            f"{summary.distance:.2f} m",
            f"{1e3 * summary.max_stance_slip:.1f} mm",
        )
        for mu in sorted({contact.mu_true for contact in summary.contacts}, reverse=True):
            for foot in FEET:
                first = _first_demanding(summary.contacts, foot, mu)
                if first is not None:
                    floors.add_row(limit, f"{mu:.2f}", foot, *_known(first))
    console.print(walks)
    console.print(floors)


def _first_demanding(contacts: tuple[Contact, ...], foot: str, mu: float) -> Contact | None:
    """The first stance of a foot on a floor that asked for the floor's friction, else its first stance there."""
    there = [contact for contact in contacts if contact.foot == foot and contact.mu_true == mu]
    asked = [contact for contact in there if contact.demand_time is not None]
    return next(iter(asked or there), None)


def _known(contact: Contact) -> tuple[str, ...]:
    def words(value: float | None, unit: str = "") -> str:
        return "-" if value is None else f"{value:.2f}{unit}"

    return (
        words(contact.mu_hat),
        words(contact.usable_from, " s"),
        words(contact.demand_time, " s"),
        words(contact.mu_at_demand),
    )

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Walk the planar biped, or a humanoid, over floors of different friction, without ROS.

Exit codes: 0 upright without a slide, 1 fell, 2 can't be walked, 3 upright, but a stance foot slid by 1 cm or
more, 4 upright, but out of time.
"""

from __future__ import annotations

import argparse
from typing import Callable

from rich.progress import Progress
from rich.table import Table

from biped_slip.cli.exit_codes import walk_exit_code
from biped_slip.cli.outputs import (
    file_to_write,
    folder_to_write,
    result_screen,
    series_to_write,
    tell_kept_time,
    write_json,
    write_walk_series,
)
from biped_slip.cli.parser import SEED
from biped_slip.cli.scenes import planar_scene
from biped_slip.cli.screen import Screen
from biped_slip.errors import InvalidParameter
from biped_slip.estimation.motion.unseen_soles import SOURCES
from biped_slip.robots.planar_biped import ROOTS, planar_biped
from biped_slip.ros.processes import REALTIME, walk_over_topics
from biped_slip.simulation.planar.run import WalkResult, chosen_scenario, run_walk
from biped_slip.simulation.planar.scenario import ScenarioConfig
from biped_slip.simulation.planar.step_choice import with_chosen_step
from biped_slip.simulation.planar.summary import WalkSummary
from biped_slip.walking.humanoid_registry import humanoid_controller_names
from biped_slip.walking.planar_registry import DEFAULT, planar_controller_names
from biped_slip.walking.slip_policy import DEFAULT_POLICY, slip_policy_names

SCENARIO, MODES = "thesis", ("lockstep", "real-time")


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("--true-base", action="store_true", help="humanoids: the base as it truly moves")
    parser.add_argument("--robot", default="planar", help="planar (the default), or a humanoid: talos, g1, ...")
    parser.add_argument(
        "--over-topics", nargs="?", choices=MODES, const="lockstep", help="by nodes over ROS topics (lockstep)"
    )
    parser.add_argument("--no-sensor-check", action="store_true", help="humanoids: no weight shift before the walk")
    parser.add_argument("--scenario", help=f"name of a shipped scenario ({SCENARIO}), or a .yaml file")
    parser.add_argument("--variant", choices=sorted(ROOTS), help="torso without pitch (thesis) or with (torso)")
    parser.add_argument("--contact", metavar="LAW", help="contact in place of the scenario's, e.g. mujoco or bruneau")
    parser.add_argument("--motion", choices=SOURCES, help="humanoids: what tells how the soles move, in place of a "
                        "sensor that sees them")  # fmt: skip
    policies = f"slip prevention: {', '.join(slip_policy_names())} or FILE.py:NAME"
    parser.add_argument("--limit", default=DEFAULT_POLICY, metavar="LIMIT", help=policies)
    planar, humanoid = ", ".join(planar_controller_names()), ", ".join(humanoid_controller_names())
    controllers = f"{planar}; humanoids: {humanoid}; or FILE.py:NAME"
    parser.add_argument("--controller", default="", metavar="NAME", help=controllers)
    parser.add_argument(
        "--no-prevention", dest="limit", action="store_const", const="none", help="same as --limit none"
    )
    parser.add_argument("--seed", type=SEED, help="perturb start and patch edges, and draw the sensor noise")
    parser.add_argument(
        "--json", type=file_to_write, metavar="FILE", help="write the result here (- for standard output)"
    )
    parser.add_argument(
        "--series", type=series_to_write, metavar="FILE",
        help="write every tick here: .csv (- for standard output), .parquet or .npz",
    )  # fmt: skip
    parser.add_argument("--report", type=folder_to_write, metavar="DIR", help="write pictures and an HTML page here")


def run(arguments: argparse.Namespace) -> int:
    """Walk once, show what came out."""
    if arguments.robot != "planar":
        from biped_slip.cli import walk_humanoid

        return walk_humanoid.run(arguments)
    if arguments.motion:
        raise InvalidParameter(
            "--motion", arguments.motion, "left out without --robot", "write motion.source in a scenario"
        )
    arguments.scenario = arguments.scenario or SCENARIO
    scenario = chosen_scenario(arguments.scenario, arguments.variant, arguments.seed, arguments.contact)
    out, console = result_screen(arguments), Screen(stderr=True)
    with Progress(console=console, transient=True) as bar:
        task = bar.add_task(f"walking ({arguments.limit})", total=1.0)
        result = _walked(arguments, scenario, lambda share: bar.update(task, completed=share))
    physics = with_chosen_step(planar_biped(scenario.variant), scenario.plant)
    steps = physics.control_period_ns // physics.step_ns
    out.print(f"contact: {physics.contact.law}, {steps} steps a control period")
    show(result.summary, out)
    if arguments.json is not None:
        chosen = {"robot": arguments.robot, "scenario": arguments.scenario, "limit": arguments.limit}
        write_json(arguments.json, arguments, [{**chosen, **result.summary.to_mapping()}])
    if arguments.series is not None:
        write_walk_series(arguments.series, result.log.filled())
    if arguments.report is not None:
        from biped_slip.reports.planar.report import write_walk_report

        results = {arguments.limit: result}
        page = write_walk_report(arguments.report, results, scenario, planar_scene(results, scenario))
        console.print(f"report: {page}")
    return walk_exit_code(result.summary)


def _walked(arguments: argparse.Namespace, scenario: ScenarioConfig, progress: Callable[[float], None]) -> WalkResult:
    if arguments.over_topics is None:
        chosen = arguments.controller or DEFAULT
        return run_walk(scenario, arguments.limit, arguments.seed or 0, progress, chosen)
    if arguments.variant or arguments.contact:
        raise InvalidParameter("--over-topics", arguments.over_topics, "without --variant and --contact")
    options = REALTIME if arguments.over_topics == "real-time" else ()
    return walk_over_topics(
        arguments.scenario,
        arguments.limit,
        seed=arguments.seed,
        mode=arguments.over_topics,
        controller=arguments.controller,
        options=options,
        progress=progress,
        kept=tell_kept_time if arguments.over_topics == "real-time" else None,
    )


def show(summary: WalkSummary, console: Screen) -> None:
    """Print the result as tables."""
    end = "fell" if summary.fell else "upright"
    console.print(
        f"{end} at {summary.end_time:.2f} s, x = {summary.distance:.2f} m, "
        f"largest stance slip {1e3 * summary.max_stance_slip:.1f} mm, {len(summary.slips)} slides"
    )
    contacts = Table("foot", "from [s]", "to [s]", "mu true", "mu est.", "load at 0.9 mu [s]", "estimate then")
    for contact in summary.contacts:
        contacts.add_row(
            contact.foot,
            f"{contact.start:.2f}",
            f"{contact.end:.2f}",
            f"{contact.mu_true:.2f}",
            *(
                "-" if value is None else f"{value:.2f}"
                for value in (contact.mu_hat, contact.demand_time, contact.mu_at_demand)
            ),
        )
    console.print(contacts)

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Walk a humanoid in three dimensions over a slippery patch: what ``biped-slip walk --robot NAME`` runs."""

from __future__ import annotations

import argparse
import math
from dataclasses import replace
from typing import Any

from rich.progress import Progress, TextColumn, TimeElapsedColumn

from biped_slip.cli.exit_codes import walk_exit_code
from biped_slip.cli.outputs import result_screen, tell_kept_time, write_json, write_walk_series
from biped_slip.cli.screen import Screen
from biped_slip.errors import InvalidParameter
from biped_slip.ros.processes import REALTIME, humanoid_over_topics
from biped_slip.simulation.humanoid.summary import HumanoidSummary, summarise_humanoid
from biped_slip.simulation.humanoid.walk import HumanoidWalk
from biped_slip.simulation.humanoid.walk_config import HumanoidWalkConfig, chosen_walk, with_motion
from biped_slip.walking.humanoid_registry import DEFAULT

ONLY_PLANAR = ("scenario", "variant")  # arguments of the planar walk


def pushed_walk(name: str, push: float = 0.0) -> HumanoidWalkConfig:
    """A walk by its name or file, with a push [body weights] on the patch."""
    config = chosen_walk(name)
    if push == 0.0:
        return config
    changed = config.to_mapping()
    changed["push"]["force"] = push
    return HumanoidWalkConfig.from_mapping(changed)


def run(arguments: argparse.Namespace) -> int:
    """Check the sensors, walk once, show what came out."""
    for name in ONLY_PLANAR:
        if getattr(arguments, name) is not None:
            value = getattr(arguments, name)
            raise InvalidParameter(f"--{name}", value, "left out with --robot", "it belongs to the planar walk")
    config = chosen_walk(arguments.robot)
    if arguments.contact:
        config = HumanoidWalkConfig.from_mapping({**config.to_mapping(), "contact": arguments.contact})
    if arguments.motion:
        config = with_motion(config, arguments.motion)
    console = Screen(stderr=True)
    if arguments.over_topics is not None:
        for name in ("contact", "motion"):
            if getattr(arguments, name):
                value = getattr(arguments, name)
                raise InvalidParameter(f"--{name}", value, "left out with --over-topics", "name it in the walk")
        if arguments.report is not None:
            raise InvalidParameter("--report", arguments.report, "left out with --over-topics", "nodes keep no limits")
        summary, series = _over_topics(arguments, console)
        _tell(arguments, summary, config)
    else:
        walk = HumanoidWalk(config, arguments.limit, arguments.seed or 0, true_base=arguments.true_base,
                            checked=not arguments.no_sensor_check,
                            controller=arguments.controller or DEFAULT)  # fmt: skip
        faults = "; ".join(walk.check_sensors())
        if faults:
            walk.world.log.trim()
        else:
            with Progress(console=console, transient=True) as bar:
                task = bar.add_task(f"{arguments.robot} walks ({arguments.limit})", total=1.0)
                walk.run(lambda share: bar.update(task, completed=share))
        summary, series = replace(summarise_humanoid(walk), faults=faults), walk.world.log.filled()
        _tell(arguments, summary, config)
        if arguments.report is not None:
            from biped_slip.cli.scenes import scene_pieces
            from biped_slip.reports.html import paragraph
            from biped_slip.reports.humanoid.report import write_humanoid_report
            from biped_slip.view.sources.humanoid import HumanoidSource

            scene = scene_pieces(lambda: [HumanoidSource(walk, arguments.limit)])
            if faults:
                scene = [paragraph(f"Not a step, the check of its sensors found: {faults}."), *scene]
            console.print(f"report: {write_humanoid_report(arguments.report, {arguments.limit: walk}, scene)}")
    if arguments.json is not None:
        chosen = {"robot": arguments.robot, "limit": arguments.limit}
        write_json(arguments.json, arguments, [{**chosen, **summary.to_mapping()}])
    if arguments.series is not None:
        write_walk_series(arguments.series, series)
    return walk_exit_code(summary, summary.arrived)


def _tell(arguments: argparse.Namespace, summary: HumanoidSummary, config: HumanoidWalkConfig) -> None:
    """What came out."""
    if summary.refused:
        Screen(stderr=True).print(f"not a step: {summary.faults}")
    else:
        show(summary, config, result_screen(arguments))


def _over_topics(arguments: argparse.Namespace, console: Screen) -> tuple[HumanoidSummary, dict[str, Any]]:
    """The same walk by nodes; wrong sensors keep the robot standing until the time is over."""
    with Progress(TextColumn("{task.description}"), TimeElapsedColumn(), console=console, transient=True) as bar:
        task = bar.add_task(f"{arguments.robot} walks over topics", total=None)
        found, series = humanoid_over_topics(
            arguments.robot,
            arguments.limit,
            seed=arguments.seed or 0,
            mode=arguments.over_topics,
            checked=not arguments.no_sensor_check,
            base="odom" if arguments.true_base else "estimated",
            controller=arguments.controller,
            options=REALTIME if arguments.over_topics == "real-time" else (),
            progress=lambda time: bar.update(task, description=f"{arguments.robot} walks over topics: {time:.1f} s"),
            kept=tell_kept_time if arguments.over_topics == "real-time" else None,
        )
    return HumanoidSummary.from_mapping(found), series


def show(summary: HumanoidSummary, config: HumanoidWalkConfig, console: Screen) -> None:
    """Print the result."""
    end = "fell" if summary.fell else "arrived" if summary.arrived else "out of time"
    console.print(
        f"{end} at {summary.end_time:.1f} s, x = {summary.distance:.2f} m; "
        f"largest stance slip {1e3 * summary.max_stance_slip:.1f} mm, {len(summary.slips)} over 1 cm"
    )
    patch, begin = config.patch, summary.patch_from
    if patch.length > 0.0:
        console.print(f"patch of mu = {patch.mu:g} from {begin:.2f} m to {begin + patch.length:.2f} m")
    console.print(
        f"off the patch: {_digits(summary.speed_off_patch)} m/s, peak force ratio {_digits(summary.peak_ratio)}"
    )


def _digits(value: float) -> str:
    return "unknown" if math.isnan(value) else f"{value:.2f}"

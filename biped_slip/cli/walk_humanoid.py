# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Walk a humanoid in three dimensions over a slippery patch: what ``biped-slip walk --robot NAME`` runs."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from rich.console import Console
from rich.progress import Progress

from biped_slip.config import read_yaml
from biped_slip.errors import InvalidParameter
from biped_slip.simulation.floating.walk import HumanoidWalk
from biped_slip.simulation.floating.walk_config import HumanoidWalkConfig, humanoid_walk_named
from biped_slip.simulation.floating.walk_summary import HumanoidSummary, summarise_humanoid

ONLY_PLANAR = ("scenario", "variant", "contact", "report")  # arguments of the planar walk


def chosen_walk(name: str, push: float = 0.0) -> HumanoidWalkConfig:
    """A shipped walk by its robot's name, or a .yaml file; with a push [body weights] on the patch."""
    if Path(name).suffix in (".yaml", ".yml"):
        config = HumanoidWalkConfig.from_mapping(read_yaml(name))
    else:
        config = humanoid_walk_named(name)
    if push == 0.0:
        return config
    changed = config.to_mapping()
    changed["push"]["force"] = push
    return HumanoidWalkConfig.from_mapping(changed)


def run(arguments: argparse.Namespace) -> int:
    """Check the sensors, walk once, show what came out; exit code 1 when the robot fell or must not walk."""
    for name in ONLY_PLANAR:
        if getattr(arguments, name) not in (None, "thesis"):
            value = getattr(arguments, name)
            raise InvalidParameter(f"--{name}", value, "left out with --robot", "it belongs to the planar walk")
    kind = arguments.limit
    walk = HumanoidWalk(chosen_walk(arguments.robot), kind, arguments.seed or 0, true_base=arguments.true_base)
    faults = walk.check_sensors()
    if faults:
        Console(stderr=True).print("not a step: " + "; ".join(faults))
        return 1
    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(f"{arguments.robot} walks ({kind})", total=1.0)
        walk.run(lambda share: bar.update(task, completed=share))
    summary = summarise_humanoid(walk)
    text = json.dumps({"robot": arguments.robot, "limit": kind, **summary.to_mapping()}, indent=1)
    if str(arguments.json) == "-":
        print(text)
    else:
        if arguments.json is not None:
            arguments.json.write_text(text + "\n", encoding="utf-8")
        show(summary, walk, Console(file=sys.stdout))
    return 1 if summary.fell else 0


def show(summary: HumanoidSummary, walk: HumanoidWalk, console: Console) -> None:
    """Print the result."""
    end = "fell" if summary.fell else "arrived" if summary.arrived else "out of time"
    console.print(
        f"{end} at {summary.end_time:.1f} s, x = {summary.distance:.2f} m; "
        f"largest stance slip {1e3 * summary.largest_slip:.1f} mm, {summary.slips} over 1 cm"
    )
    patch = walk.config.patch
    if patch.length > 0.0:
        console.print(f"patch of mu = {patch.mu:g} from {walk.patch[0]:.2f} m to {walk.patch[1]:.2f} m")
    console.print(f"off the patch: {summary.speed_off_patch:.2f} m/s, peak force ratio {summary.peak_ratio:.2f}")

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""`python -m studies benchmark simulation`: our simulator beside others, and how fast whole walks and campaigns are."""

from __future__ import annotations

import argparse
import importlib.util

from rich.table import Table

from biped_slip.cli import COUNT
from biped_slip.cli.terminal import Screen, file_to_write, result_screen, written
from studies.estimator.conditions import Row
from studies.rows import show_rows
from studies.simulators.bench import Measured, Setting

PARTS = ("planar", "humanoid", "creep", "walk", "humanoid-walk", "campaign", "start-up", "memory", "kills")
PEERS = {"PyBullet": "pybullet", "DART": "dartpy", "Drake": "pydrake"}
BESIDE = "jiminy (brings a Pinocchio of its own that can't be loaded beside ours)"


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("--part", action="append", choices=PARTS, help="may be repeated (the first four)")
    parser.add_argument("--walks", type=COUNT, default=20, help="of the parts walk and campaign (20)")
    parser.add_argument("--seconds", type=int, default=8, help="of the part humanoid-walk (8)")
    parser.add_argument("--short-walks", type=COUNT, default=10_000, help="of the part memory (10000)")
    parser.add_argument("--kills", type=COUNT, default=20, help="of the part kills (20)")
    parser.add_argument("--picture", type=file_to_write, metavar="FILE", help="draw error over time")


def run(arguments: argparse.Namespace) -> int:
    """Measure and print; exit code 1 when a required number is missed."""
    from studies.simulators import bullet, claims, creep, dart, drake, humanoid, planar

    out, rows, tables = result_screen(arguments), list[Row](), dict[str, list[Measured]]()
    parts = arguments.part or PARTS[:4]
    if "planar" in parts:
        peers = bullet.settings() + dart.settings() + drake.settings()
        tables["planar biped"] = _table("planar biped", planar.settings() + peers, planar.SCENES, out)
        rows += claims.planar_rows(tables["planar biped"])
    if "humanoid" in parts:
        tables["TALOS"] = _table("TALOS", humanoid.settings(), humanoid.SCENES, out)
        rows += claims.humanoid_rows(tables["TALOS"])
    for table in tables.values():
        for word in claims.faster_peers(table):
            out.print(word)
    if "creep" in parts:
        rows += claims.creep_rows(creep.all_creeps())
    rows += _throughput(parts, arguments)
    show_rows("required", rows)
    if tables:
        missing = [
            f"{name} (not installed here)" for name, module in PEERS.items() if not importlib.util.find_spec(module)
        ]
        out.print(f"not measured: {', '.join([*missing, BESIDE])}")
    if arguments.picture is not None and tables:
        from biped_slip.reports.figures import save_figure

        with written(arguments.picture, ".png") as path:
            save_figure(claims.picture(tables), path)
    return 0 if all(row.met for row in rows) else 1


def _table(title: str, settings: list[Setting], scenes: dict[str, int], out: Screen) -> list[Measured]:
    """Measure every setting of a robot and print it as it comes."""
    from studies.simulators.bench import measured

    lines = measured(settings, scenes)
    table = Table(
        "simulator", "steps", "physics [us]", "tick [us]", *(f"{scene} [mm]" for scene in scenes),
        title=f"{title}: one control period, errors against the simulator's own converged solution",
        title_justify="left",
    )  # fmt: skip
    for line in lines:
        errors = (f"{error:.2g}" for error in line.errors)
        table.add_row(line.simulator, line.label, f"{line.physics_us:.2f}", f"{line.tick_us:.1f}", *errors)
    out.print(table)
    return lines


def _throughput(parts: tuple[str, ...] | list[str], arguments: argparse.Namespace) -> list[Row]:
    from studies.loop import start_up
    from studies.simulators import endurance, throughput

    rows = []
    if "walk" in parts:
        rows += throughput.walk_rows(arguments.walks)
    if "humanoid-walk" in parts:
        rows += throughput.humanoid_walk_rows(arguments.seconds)
    if "campaign" in parts:
        rows += throughput.campaign_rows(arguments.walks)
    if "start-up" in parts:
        rows += start_up.start_rows()
    if "memory" in parts:
        rows += endurance.memory_rows(arguments.short_walks)
    if "kills" in parts:
        rows += endurance.kill_rows(arguments.kills)
    return rows

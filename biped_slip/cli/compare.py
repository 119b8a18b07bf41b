# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Compare walkers on slippery floors: alone, and behind the friction governor.

First each walker is shown on mu 1.0, and a sentence says what is off with it. Walks
that have ended are kept; the page is written again whenever the command ends.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import replace
from pathlib import Path
from typing import Any, Sequence

from rich.table import Table

from biped_slip.cli.campaign import walk
from biped_slip.cli.terminal import Screen, result_screen, write_json
from biped_slip.comparison.contract import CHECKED, ContractCheck, checked, robot_words
from biped_slip.comparison.job import ComparedJob, ComparedWalk, plain, with_robot
from biped_slip.comparison.jobs import contract_jobs, floor_jobs, other_jobs
from biped_slip.comparison.plan import (
    ComparedWalker,
    ComparisonConfig,
    ComparisonPlan,
    WalkerConfig,
    found_walker,
    load_plan,
    plan_of_network,
)
from biped_slip.comparison.table import ComparedRow, rows_of
from biped_slip.errors import InvalidParameter
from biped_slip.reports.comparison import (
    PAGE_COLUMNS,
    Comparison,
    cells_of,
    write_comparison_page,
)

OUT = Path("comparison")
WALKS_FILE = "walks.jsonl"
PAGE = "index.html"
ROBOTS = "robots"


def run(arguments: argparse.Namespace) -> int:
    """Walk what is missing, print the table and write the page."""
    began = time.monotonic()
    plan = chosen_plan(arguments)
    out = arguments.out or OUT
    out.mkdir(parents=True, exist_ok=True)
    names = arguments.walker or list(plan.walkers)
    walkers = [
        with_robot(with_contacts(found_walker(plan, name), arguments), out / ROBOTS)
        for name in names
    ]
    console = Screen(stderr=True)

    def walked(jobs: Sequence[ComparedJob]) -> list[ComparedWalk]:
        return walk(jobs, out / WALKS_FILE, arguments.workers, arguments.scheduler)

    checks = contracts(walked(contract_jobs(walkers, plan.config)))
    for walker, check in zip(walkers, checks, strict=True):
        console.print(check.sentence, highlight=False)
        if check.faults:
            words = robot_words(walker.robot)
            console.print(f"{walker.name}: {words}", highlight=False)
    alone = walked(floor_jobs(walkers, plan.config))
    walks = [*alone, *walked(other_jobs(walkers, plan.config, alone))]
    rows = rows_of(walks)
    screen = result_screen(arguments)
    screen.print(rows_table(rows))
    if arguments.json is not None:
        write_json(
            arguments.json,
            arguments,
            [one.to_mapping() for one in walks],
            {
                "rows": [json_row(row) for row in rows],
                "contracts": [check._asdict() for check in checks],
            },
        )
    page = write_comparison_page(
        out / PAGE,
        Comparison(
            title=f"Walkers on slippery floors: {Path(plan.source).stem}",
            checks=checks,
            walks=walks,
            words=words_of(arguments),
            cost=f"{len(walks)} walks of {plan.config.seconds:g} s at most.",
        ),
    )
    console.print(f"{time.monotonic() - began:.0f} s; page: {page}", highlight=False)
    return 0


def contracts(walks: Sequence[ComparedWalk]) -> list[ContractCheck]:
    """Judge the walks of all walkers on mu 1.0."""
    each = len(CHECKED)
    return [checked(walks[at : at + each]) for at in range(0, len(walks), each)]


def with_contacts(
    walker: ComparedWalker, arguments: argparse.Namespace
) -> ComparedWalker:
    """Return a walker with the contacts that are asked for."""
    if not arguments.contact:
        return walker
    config = replace(walker.config, contacts=tuple(arguments.contact))
    return walker._replace(config=config)


def chosen_plan(arguments: argparse.Namespace) -> ComparisonPlan:
    """Return the plan with what the arguments choose of it.

    Raises:
        InvalidParameter: a network without a robot.
    """
    if Path(arguments.plan).suffix == ".onnx":
        if not arguments.robot:
            raise InvalidParameter(
                "--robot",
                arguments.robot,
                "given with a network",
                "name its MJCF, or a robot as `walk --robot` takes it",
            )
        walker = WalkerConfig(robot=str(Path(arguments.robot)), speed=arguments.speed)
        plan = plan_of_network(Path(arguments.plan), walker)
    else:
        plan = load_plan(arguments.plan, arguments.networks)
    return plan._replace(config=chosen_config(plan.config, arguments))


def chosen_config(
    config: ComparisonConfig, arguments: argparse.Namespace
) -> ComparisonConfig:
    """Return a plan's floors, governors and seeds as the arguments choose them."""
    changes: dict[str, Any] = {}
    if arguments.floor or arguments.patch or arguments.push:
        changes = {
            "floors": tuple(arguments.floor or ()),
            "patches": tuple(arguments.patch or ()),
            "pushes": tuple(arguments.push or ()),
            "failing_patch": False,
        }
    if arguments.governed:
        changes |= {
            "governed": tuple(arguments.governed),
            "governed_up_to": max((config.governed_up_to, *(arguments.floor or ()))),
        }
    if arguments.seeds is not None:
        seeds = arguments.seeds
        changes["seeds"] = replace(config.seeds, mujoco=seeds, here=seeds)
    if arguments.seconds is not None:
        changes["seconds"] = arguments.seconds
    if arguments.sensors is not None:
        changes["sensors"] = arguments.sensors
    return replace(config, **changes)


def words_of(arguments: argparse.Namespace) -> list[str]:
    """Return the words that begin the command of each row."""
    words = ["biped-slip", "compare", arguments.plan]
    for name in ("networks", "robot", "speed", "seeds", "seconds", "sensors", "out"):
        value = getattr(arguments, name)
        if value is not None and (name != "speed" or arguments.robot):
            words += [f"--{name}", str(value)]
    return words


def json_row(row: ComparedRow) -> dict[str, Any]:
    """Return a row as plain values, its group beside them."""
    values = plain(row._asdict())
    group = values.pop("group")
    return {**group._asdict(), "floor": group.floor._asdict(), **values}


def rows_table(rows: Sequence[ComparedRow]) -> Table:
    """Make the table for the terminal."""
    table = Table(*PAGE_COLUMNS)
    for row in rows:
        table.add_row(*(str(cell) for cell in cells_of(row)))
    return table

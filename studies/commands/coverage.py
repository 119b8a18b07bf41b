# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""How often each interval of the chance of a slip holds the truth, over simulated studies."""

from __future__ import annotations

import argparse

from rich.progress import Progress
from rich.table import Table

from biped_slip.cli import COUNT
from biped_slip.cli.terminal import Screen
from biped_slip.gait_laboratory.slip_chance import DEFAULT, METHODS
from studies.gait.chance_coverage import CHANCES, SIZES, STUDIES, Coverage, coverage, studies_count

WANTED = 0.93  # share of studies whose 95 % interval holds the truth


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("--studies", type=COUNT, default=STUDIES, help=f"of each kind ({STUDIES})")
    parser.add_argument("--readings", type=COUNT, metavar="M", help="in each study (as many as steps)")
    parser.add_argument("--methods", nargs="+", choices=sorted(METHODS), default=list(METHODS), help="(all)")


def run(arguments: argparse.Namespace) -> int:
    """Print coverage; exit code 1 when the default falls short somewhere."""
    methods, studies, readings = arguments.methods, arguments.studies, arguments.readings
    with Progress(console=Screen(stderr=True), transient=True) as bar:
        task = bar.add_task("studies", total=studies_count(SIZES, CHANCES))
        found = coverage(methods, studies=studies, readings=readings, progress=lambda: bar.advance(task))
    table = Table(
        "steps scatter", "steps", "chance", *(f"{name}: holds" for name in methods), *(f"{n}: width" for n in methods)
    )
    cells: dict[tuple[str, int, float], dict[str, Coverage]] = {}
    for one in found:
        cells.setdefault((one.world, one.steps, one.chance), {})[one.method] = one
    for (world, size, chance), by_method in cells.items():
        held = [_marked(by_method[name].held) for name in methods]
        widths = [f"{by_method[name].width:.3f}" for name in methods]
        table.add_row(world, str(size), f"{chance:g}", *held, *widths)
    console = Screen(width=max(100, 40 + 22 * len(methods)))
    console.print(table)
    for name in methods:
        worst = min(one.held for one in found if one.method == name)
        console.print(
            f"{name}: the worst cell holds the truth in {100 * worst:.1f} % of {studies} studies", highlight=False
        )
    return 0 if all(one.held >= WANTED for one in found if one.method == DEFAULT) else 1


def _marked(held: float) -> str:
    return f"{held:.3f}" if held >= WANTED else f"[red]{held:.3f} !"

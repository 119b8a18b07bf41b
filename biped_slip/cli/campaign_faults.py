# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Faults against the running controller: kinds × moments of the gait, and the share that went as required."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import defaultdict
from typing import Any

from rich.table import Table

from biped_slip.cli.screen import Screen
from biped_slip.errors import BipedSlipError
from biped_slip.ros.processes import need_ros


def run(kinds: list[str], robots: list[str] | None = None) -> int:
    """Try all kinds, or those with one of the words in their name; exit code 1 when one has failed."""
    need_ros()
    words = [sys.executable, "-m", "biped_slip.lab.fault_injection.campaign"]
    words += [*(["--kind", *kinds] if kinds else []), *(["--robot", *robots] if robots else [])]
    console, done = Screen(), list[dict[str, Any]]()
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
        for line in process.stdout or ():
            done.append(json.loads(line))
            print(f"{len(done)}: {done[-1]['robot']}, {done[-1]['kind']}, {done[-1]['moment']}", file=sys.stderr)
    if process.returncode or not done:
        raise BipedSlipError(f"the fault campaign ended with exit code {process.returncode} after {len(done)} faults")
    return 0 if show(done, console) else 1


def show(outcomes: list[dict[str, Any]], console: Screen) -> bool:
    """Print a row a kind; answers whether everything went as required."""
    by_kind: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for outcome in outcomes:
        by_kind[outcome["kind"]].append(outcome)
    table = Table("fault", "as required", "damped after [ticks]", "named in /diagnostics", "violations")
    for kind, group in by_kind.items():
        good = sum(not outcome["violations"] for outcome in group)
        reactions = [outcome["reaction"] for outcome in group if outcome["reaction"] is not None]
        ticks = f"{min(reactions)} to {max(reactions)}" if reactions else "goes on"
        names = ", ".join(sorted({name for outcome in group for name in outcome["named"]}))
        wrong = "; ".join(sorted({f"{o['robot']}, {o['moment']}: {v}" for o in group for v in o["violations"]}))
        table.add_row(kind, f"{good} of {len(group)}", ticks, names, wrong)
    console.print(table)
    good = sum(not outcome["violations"] for outcome in outcomes)
    robots = " and ".join(dict.fromkeys(outcome["robot"] for outcome in outcomes))
    console.print(
        f"{len(by_kind)} kinds, {len(outcomes)} faults on {robots}: {good} as required ({good / len(outcomes):.1%})"
    )
    return good == len(outcomes)

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""the last command of a controller's process, whatever ends it, as a listener over DDS hears it."""

from __future__ import annotations

import argparse
import json
import sys
from typing import Any

from rich.table import Table

from biped_slip.child_processes import child_process
from biped_slip.cli.terminal import result_screen, write_json
from biped_slip.errors import BipedSlipError
from biped_slip.ros.processes import need_ros
from studies.commands.arguments import configure as declare_walks

ROUNDS = 17  # of twelve kinds


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the argument of this one alone."""
    declare_walks(parser)
    parser.add_argument("--rounds", type=int, default=ROUNDS, help=f"of all kinds ({ROUNDS})")


def run(arguments: argparse.Namespace) -> int:
    """End processes; exit code 1 when a last command was not zero effort."""
    need_ros()
    words = [sys.executable, "-m", "studies.faults.endings", str(arguments.rounds)]
    done = list[dict[str, Any]]()
    with child_process(words) as process:
        for line in process.stdout or ():
            done.append(json.loads(line))
            print(f"{len(done)}: {done[-1]['kind']}", file=sys.stderr)
    if not done or process.returncode not in (0, 1):
        raise BipedSlipError(f"the endings stopped with exit code {process.returncode} after {len(done)}")
    table = Table("ending", "last command is zero effort", "exit codes")
    for kind in dict.fromkeys(one["kind"] for one in done):
        group = [one for one in done if one["kind"] == kind]
        codes = ", ".join(sorted({str(one["exit_code"]) for one in group}))
        table.add_row(kind, f"{sum(one['zero'] for one in group)} of {len(group)}", codes)
    screen, good = result_screen(arguments), sum(one["zero"] for one in done)
    screen.print(table)
    screen.print(f"{good} of {len(done)} endings: zero effort is the last command")
    if arguments.json is not None:
        write_json(arguments.json, arguments, done)
    return 0 if good == len(done) else 1

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""List sample recordings, or download them from their publishers."""

from __future__ import annotations

import argparse
from pathlib import Path

from rich.table import Table

from biped_slip.cli.terminal import Screen
from biped_slip.recordings.samples import fetch, samples


def run(arguments: argparse.Namespace) -> int:
    """List samples, or fetch them and print how each is replayed."""
    screen = Screen()
    known = samples()
    if not arguments.fetch:
        table = Table("name", "what", "licence", "replay it")
        for sample in known.values():
            how = (
                f"biped-slip replay {sample.name}"
                if sample.file
                else f"biped-slip samples --fetch {sample.name}"
            )
            table.add_row(
                sample.name, sample.what, sample.licence or "this package's", how
            )
        screen.print(table)
        return 0
    arguments.to.mkdir(parents=True, exist_ok=True)
    for name in arguments.fetch:
        path: Path = fetch(name, arguments.to)
        config = f" --config {known[name].layout}" if known[name].layout else ""
        screen.print(f"biped-slip replay {path}{config}", highlight=False)
    return 0

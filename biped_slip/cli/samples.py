# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Recordings to try things with: list them, or fetch real ones from their publishers."""

from __future__ import annotations

import argparse
from pathlib import Path

from rich.table import Table

from biped_slip.cli.terminal import Screen, folder_to_write
from biped_slip.recordings.samples import fetch, samples


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("--fetch", nargs="+", default=[], metavar="NAME", help="bring these; their hashes are compared")
    parser.add_argument("--to", type=folder_to_write, default=".", metavar="DIR", help="where they go (here)")


def run(arguments: argparse.Namespace) -> int:
    """List, or fetch and say how each is replayed."""
    screen, known = Screen(), samples()
    if not arguments.fetch:
        table = Table("name", "what", "licence", "replay it")
        for sample in known.values():
            how = f"biped-slip replay {sample.name}" if sample.file else f"biped-slip samples --fetch {sample.name}"
            table.add_row(sample.name, sample.what, sample.licence or "this package's", how)
        screen.print(table)
        return 0
    arguments.to.mkdir(parents=True, exist_ok=True)
    for name in arguments.fetch:
        path: Path = fetch(name, arguments.to)
        config = f" --config {known[name].layout}" if known[name].layout else ""
        screen.print(f"biped-slip replay {path}{config}", highlight=False)
    return 0

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Run the friction estimator over recordings of feet on floors."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from biped_slip.recordings.figures import replay_figure
from biped_slip.recordings.layout import read_layouts
from biped_slip.recordings.replay import ESTIMATORS, Replay, contact_record, replay
from biped_slip.recordings.table_recording import read_table_recording
from biped_slip.reports.figures import save_figure
from biped_slip.reports.html import cell_text


def configure(parser: argparse.ArgumentParser) -> None:
    """Arguments of the command."""
    parser.add_argument("recordings", nargs="+", metavar="RECORDING", help="CSV or other table of numbers, also .gz")
    parser.add_argument("--config", metavar="YAML", required=True, help="names columns, units, signs and rate")
    parser.add_argument("--estimator", choices=sorted(ESTIMATORS), default="slip", help="default: slip")
    parser.add_argument("--json", metavar="FILE", help="write contacts, estimates and slips; - for standard output")
    parser.add_argument("--picture", metavar="PNG", help="draw forces, ratio, estimate and slips (one recording)")


def run(arguments: argparse.Namespace) -> int:
    """Replay every recording; returns 0."""
    layouts = read_layouts(arguments.config)
    console = Console(stderr=arguments.json == "-")
    records = []
    for path in arguments.recordings:
        series, processing = read_table_recording(path, layouts)
        results = [replay(one, processing, arguments.estimator) for one in series]
        records.append(_record(path, results))
        for result in results:
            _print(console, result)
            if arguments.picture:
                save_figure(replay_figure(result), arguments.picture)
    if arguments.json:
        text = json.dumps(records[0] if len(records) == 1 else {"recordings": records}, indent=2, allow_nan=False)
        if arguments.json == "-":
            print(text)
        else:
            Path(arguments.json).write_text(text + "\n", encoding="utf-8")
    return 0


def _record(path: str, results: list[Replay]) -> dict[str, Any]:
    return {
        "file": str(path),
        "estimator": results[0].estimator,
        "notes": [note for result in results for note in result.series.provenance[1:]],
        "contacts": [contact_record(contact, result.series) for result in results for contact in result.contacts],
    }


def _print(console: Console, result: Replay) -> None:
    columns = ["contact", "start [s]", "end [s]", "peak ratio", "mu", "low", "high", "usable from", "slips"]
    table = Table(*columns, title=f"{Path(result.series.provenance[0]).name}: {result.series.name}")
    for number, contact in enumerate(result.contacts, start=1):
        values = (contact.start, contact.end, contact.peak_ratio, contact.mu_median, contact.mu_low, contact.mu_high)
        table.add_row(str(number), *map(cell_text, values), cell_text(contact.usable_from), str(len(contact.slips)))
    console.print(table)
    for note in result.series.provenance[1:]:
        console.print(f"  {note}", highlight=False)

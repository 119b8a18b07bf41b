# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Run the friction estimator over recordings of feet on floors.

Exit codes: 0 every recording was answered, 1 some were (the others are named on stderr), 2 none was.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from rich.progress import Progress
from rich.table import Table

from biped_slip.cli.terminal import Screen, file_to_write, folder_to_write, result_screen, write_json, written
from biped_slip.errors import BipedSlipError
from biped_slip.friction_estimation.registry import DEFAULT, estimator_names
from biped_slip.recordings.gait import Overrides
from biped_slip.recordings.layout import FOLDER
from biped_slip.recordings.markers import AXES
from biped_slip.recordings.registry import format_names
from biped_slip.recordings.replay import Answer, answer_record, replay_file, summary, write_csv
from biped_slip.recordings.report import replay_figure, write_index, write_report
from biped_slip.recordings.samples import sample_or_file
from biped_slip.reports.figures import save_figure
from biped_slip.reports.html import cell_text
from biped_slip.shared_files import shared_names
from biped_slip.view.page import scene_pieces
from biped_slip.view.recording_source import RecordingSource

MOST_ROWS = 40


def configure(parser: argparse.ArgumentParser) -> None:
    """Arguments of the command."""
    parser.add_argument(
        "recordings", nargs="+", metavar="RECORDING", help="C3D, .mot, .sto, CSV, .gz, rosbag2, or a sample's name"
    )
    parser.add_argument(
        "--config",
        metavar="YAML",
        help=f"columns, units and signs of a table, topics of a bag; shipped: {', '.join(shared_names(FOLDER))}",
    )
    parser.add_argument(
        "--estimator", default=DEFAULT, help=f"{', '.join(estimator_names())} or FILE.py:NAME (default: {DEFAULT})"
    )
    parser.add_argument(
        "--format", default="", help=f"{', '.join(format_names())} or FILE.py:NAME, where the file does not tell it"
    )
    parser.add_argument("--vertical", choices=AXES, default="", help="vertical axis of plates, instead of detecting it")
    parser.add_argument("--forward", choices=AXES, default="", help="walking direction, instead of detecting it")
    parser.add_argument("--keep-offsets", action="store_true", help="don't subtract the reading of unloaded plates")
    parser.add_argument("--json", type=file_to_write, metavar="FILE", help="write everything; - for standard output")
    parser.add_argument("--csv", type=file_to_write, metavar="FILE", help="write one line per contact")
    parser.add_argument(
        "--report",
        type=folder_to_write,
        metavar="DIR",
        help="write a self-contained HTML page with pictures per recording",
    )
    parser.add_argument(
        "--picture", type=file_to_write, metavar="PNG", help="draw the first foot: forces, ratio, estimate and slips"
    )


def run(arguments: argparse.Namespace) -> int:
    """Replay every recording; one that fails doesn't stop the others."""
    console = result_screen(arguments)
    results: list[Answer] = []
    pages: list[tuple[Path, Answer]] = []
    failures: list[str] = []
    for path in arguments.recordings:
        try:
            results.append(_answered(path, arguments))
        except BipedSlipError as error:
            if len(arguments.recordings) == 1:
                raise
            failures.append(str(error))
            print(f"biped-slip replay: {error}", file=sys.stderr)
            continue
        _print(console, results[-1])
        if arguments.report:
            pages.append((write_report(arguments.report, results[-1], _scene(results[-1])), results[-1]))
            console.print(f"report: {pages[-1][0]}", highlight=False, soft_wrap=True)
    if pages:
        console.print(f"index: {write_index(arguments.report, pages, failures)}", highlight=False, soft_wrap=True)
    if results and arguments.picture:
        with written(arguments.picture, ".png") as path:
            save_figure(replay_figure(results[0].feet[0]), path)
    if arguments.csv:
        with written(arguments.csv) as path:
            write_csv(path, results)
    if arguments.json:
        write_json(arguments.json, arguments, [answer_record(result) for result in results])
    return 0 if not failures else 1 if results else 2


def _scene(result: Answer) -> list[str]:
    return scene_pieces(lambda: [RecordingSource(result, Path(result.path).name)])


def _answered(path: str, arguments: argparse.Namespace) -> Answer:
    errors = Screen(stderr=True)
    with Progress(console=errors, transient=True, disable=not errors.is_terminal) as progress:
        task = progress.add_task(Path(path).name, total=None)

        def count(rows: int) -> None:
            progress.update(task, description=f"{Path(path).name}: {rows} rows or messages read")

        overrides = Overrides(arguments.vertical, arguments.forward, arguments.keep_offsets)
        file, config = sample_or_file(path, arguments.config)
        return replay_file(file, config, arguments.estimator, overrides, count, arguments.format)


def _print(console: Screen, result: Answer) -> None:
    columns = ["", "foot", "start [s]", "end [s]", "required", "mu", "low", "high", "held", "usable from", "slips"]
    table = Table(*columns, title=Path(result.path).name)
    for number, contact in enumerate(result.contacts[:MOST_ROWS], start=1):
        values = (
            contact.start,
            contact.end,
            contact.demand.required,
            contact.mu_median,
            contact.mu_low,
            contact.mu_high,
        )
        table.add_row(
            str(number),
            contact.foot,
            *map(cell_text, values),
            "" if contact.held is None else f"≥ {contact.held:.2f}",
            cell_text(contact.usable_from),
            str(len(contact.slips)),
        )
    console.print(table)
    unknown = [contact.held for contact in result.contacts if contact.mu_median is None and contact.held is not None]
    if unknown:
        console.print(f"  held without slip: in {len(unknown)} contacts friction is only known to be at least that")
    if len(result.contacts) > MOST_ROWS:
        console.print(f"… and {len(result.contacts) - MOST_ROWS} more contacts")
    for name, value in summary(result).items():
        console.print(f"  {name.replace('_', ' ')}: {cell_text(value) or '-'}", highlight=False)
    for note in result.notes:
        console.print(f"  {note}", highlight=False, style="dim")

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Run the friction estimator over recordings of feet on floors.

Exit codes: 0 every recording was answered, 1 some were (the others are named on
stderr), 2 none was.
"""

from __future__ import annotations

import argparse
import sys
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Callable

from rich.progress import Progress
from rich.table import Table

from biped_slip.cli.recordings import overrides
from biped_slip.cli.terminal import Screen, result_screen, write_json, written
from biped_slip.errors import BipedSlipError, reason
from biped_slip.recordings.replay import (
    Answer,
    answer_record,
    answer_sentence,
    answered_files,
    contact_table,
    replay_file,
    summary,
)
from biped_slip.recordings.report import replay_figure, write_index, write_report
from biped_slip.recordings.samples import sample_or_file
from biped_slip.reports.figures import save_figure
from biped_slip.reports.html import cell_text
from biped_slip.view.page import RECORDINGS, scene_pieces
from biped_slip.view.recording_source import RecordingSource

MOST_ROWS = 40
UNITS = {"body_weight": " [N]", "slip_time": " [s]"} | dict.fromkeys(
    ("required_median", "required_largest", "mu_median", "mu_smallest", "mu_largest"),
    " [-]",
)
KEY = (
    "  All ratios are |tangential| / normal force [-]. required: required friction, "
    "the largest between 10 and 90 % of "
    "the stance.\n  mu: friction found, between low and high. held: the largest ratio "
    "that lasted without slip, so "
    "friction is at least that.\n  A dash is unknown: a foot that does not slip may "
    "stand on any friction above held."
)


def run(arguments: argparse.Namespace) -> int:
    """Replay every recording.

    A failed one is a line of the table and does not stop the others.
    """
    console = result_screen(arguments)
    results: list[Answer] = []
    pages: list[tuple[Path, Answer]] = []
    failures: dict[str, str] = {}
    there = (
        answered_files(arguments.csv) if arguments.resume and arguments.csv else set()
    )
    try:
        with (
            written(arguments.csv) if arguments.csv else nullcontext() as path,
            _table(path, arguments.resume) as add,
        ):
            for name in arguments.recordings:
                try:
                    if there and {name, sample_or_file(name)[0]} & there:
                        continue
                    results.append(_answered(name, arguments))
                    if arguments.report:
                        pages.append(
                            (
                                write_report(
                                    arguments.report, results[-1], _scene(results[-1])
                                ),
                                results[-1],
                            )
                        )
                except Exception as error:
                    if len(arguments.recordings) == 1:
                        raise BipedSlipError(reason(name, error)) from error
                    failures[name] = reason(name, error)
                    add(name, failures[name])
                    print(f"biped-slip replay: {failures[name]}", file=sys.stderr)
                    continue
                add(name, results[-1])
                _print(console, results[-1])
                if pages:
                    console.print(
                        f"report: {pages[-1][0]}", highlight=False, soft_wrap=True
                    )
    finally:  # what was answered before an interruption is kept
        if arguments.json:
            failed = [{"file": name, "reason": why} for name, why in failures.items()]
            write_json(
                arguments.json,
                arguments,
                [answer_record(one) for one in results],
                {"failures": failed},
            )
    if pages:
        page = write_index(arguments.report, pages, list(failures.values()))
        console.print(f"index: {page}", highlight=False, soft_wrap=True)
    if results and arguments.picture:
        with written(arguments.picture, ".png") as path:
            save_figure(replay_figure(results[0].feet[0]), path)
    return 0 if not failures else 1 if results else 2


def _table(
    path: Path | None, resume: bool
) -> AbstractContextManager[Callable[[str, Answer | str], None]]:
    return (
        nullcontext(lambda name, result: None)
        if path is None
        else contact_table(path, resume)
    )


def _scene(result: Answer) -> list[str]:
    return scene_pieces(
        lambda: [RecordingSource(result, Path(result.path).name)], RECORDINGS
    )


def _answered(path: str, arguments: argparse.Namespace) -> Answer:
    errors = Screen(stderr=True)
    with Progress(
        console=errors, transient=True, disable=not errors.is_terminal
    ) as progress:
        task = progress.add_task(Path(path).name, total=None)

        def count(rows: int) -> None:
            progress.update(
                task, description=f"{Path(path).name}: {rows} rows or messages read"
            )

        file, config = sample_or_file(path, arguments.config)
        return replay_file(
            file,
            config,
            arguments.estimator,
            overrides(arguments),
            count,
            arguments.format,
        )


def _print(console: Screen, result: Answer) -> None:
    columns = [
        "",
        "foot",
        "start [s]",
        "end [s]",
        "required",
        "mu",
        "low",
        "high",
        "held",
        "usable from [s]",
        "slips",
    ]
    table = Table(*columns, title=Path(result.path).name)
    for number, contact in enumerate(result.contacts[:MOST_ROWS], start=1):
        required = cell_text(contact.forces.required)
        table.add_row(
            str(number),
            contact.foot,
            *map(cell_text, (contact.start, contact.end)),
            f">= {required}" if contact.undersampled else required,
            *map(cell_text, (contact.mu_median, contact.mu_low, contact.mu_high)),
            "" if contact.held is None else f">= {contact.held:.2f}",
            cell_text(contact.usable_from),
            str(len(contact.slips)),
        )
    console.print(table)
    console.print(KEY, style="dim", highlight=False)
    if len(result.contacts) > MOST_ROWS:
        console.print(f"… and {len(result.contacts) - MOST_ROWS} more contacts")
    for number, contact in enumerate(result.contacts[:MOST_ROWS], start=1):
        for words in contact.withheld:
            console.print(f"  contact {number}: {words}", highlight=False)
    for name, value in summary(result).items():
        unit = UNITS.get(name, "")
        console.print(
            f"  {name.replace('_', ' ')}{unit}: {cell_text(value) or '-'}",
            highlight=False,
            markup=False,
        )
    for note in result.notes:
        console.print(f"  {note}", highlight=False, style="dim")
    console.print(answer_sentence(result), highlight=False)

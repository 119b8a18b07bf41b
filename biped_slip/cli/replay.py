# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Run the friction estimator over recordings of feet on floors.

Exit codes: 0 every recording was answered, 1 some were (the others are named on
stderr), 2 none was.
"""

from __future__ import annotations

import argparse
import dataclasses
import sys
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Callable

from rich.progress import Progress
from rich.table import Table

from biped_slip.cli.recorded_axes import known_axes
from biped_slip.cli.terminal import Screen, result_screen, write_json, written
from biped_slip.errors import BipedSlipError, reason
from biped_slip.recordings.answer import (
    Answer,
    answer_record,
    answer_sentence,
    answered_files,
    contact_table,
    summary,
)
from biped_slip.recordings.samples import sample_or_file
from biped_slip.reports.cells import cell_text

MOST_PRINTED_ROWS = 40
UNITS = {"body_weight": " [N]", "slip_time": " [s]"} | dict.fromkeys(
    ("required_median", "required_largest", "mu_median", "mu_smallest", "mu_largest"),
    " [-]",
)
REPLAY_KEY = (
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
    batch = _Batch(arguments, result_screen(arguments))
    there = (
        answered_files(arguments.csv) if arguments.resume and arguments.csv else set()
    )
    try:
        with (
            written(arguments.csv) if arguments.csv else nullcontext() as path,
            _table(path, arguments.resume) as add,
        ):
            for name in arguments.recordings:
                batch.replay(name, add, there)
    finally:  # what was answered before an interruption is kept
        if arguments.json:
            batch.write_json()
    if batch.pages:
        batch.write_index()
    if batch.results and arguments.picture:
        # figures take longer to load than most recordings to be replayed
        from biped_slip.recordings.report import replay_figure
        from biped_slip.reports.figures import save_figure

        with written(arguments.picture, ".png") as path:
            save_figure(replay_figure(batch.results[0].feet[0]), path)
    if not batch.failures:
        return 0
    return 1 if batch.results else 2


AddRow = Callable[[str, "Answer | str"], None]


@dataclasses.dataclass
class _Batch:
    """Recordings of one command: answers, pages, and why others have none."""

    arguments: argparse.Namespace
    console: Screen
    results: list[Answer] = dataclasses.field(default_factory=list)
    pages: list[tuple[Path, Answer]] = dataclasses.field(default_factory=list)
    failures: dict[str, str] = dataclasses.field(default_factory=dict)

    def replay(self, name: str, add: AddRow, there: set[str]) -> None:
        """Replay one recording; write its line, its page, and print it.

        Args:
            name: of the recording.
            add: writes a line of the table.
            there: names of recordings that have been answered before.
        """
        try:
            if there and {name, sample_or_file(name)[0]} & there:
                return
            result = _answered(name, self.arguments)
            if self.arguments.report:
                self.pages.append((_report(result, self.arguments.report), result))
        except Exception as error:
            why = reason(name, error)
            if len(self.arguments.recordings) == 1:
                raise BipedSlipError(why) from error
            self.failures[name] = why
            add(name, why)
            print(f"biped-slip replay: {why}", file=sys.stderr)
            return
        self.results.append(result)
        add(name, result)
        _print(self.console, result)
        if self.pages:
            self.console.print(
                f"report: {self.pages[-1][0]}", highlight=False, soft_wrap=True
            )

    def write_json(self) -> None:
        """Write all answers and failures."""
        failed = [{"file": name, "reason": why} for name, why in self.failures.items()]
        write_json(
            self.arguments.json,
            self.arguments,
            [answer_record(one) for one in self.results],
            {"failures": failed},
        )

    def write_index(self) -> None:
        """Write the page that leads to those of all recordings."""
        from biped_slip.recordings.report import write_index

        page = write_index(
            self.arguments.report, self.pages, list(self.failures.values())
        )
        self.console.print(f"index: {page}", highlight=False, soft_wrap=True)


def _table(path: Path | None, resume: bool) -> AbstractContextManager[AddRow]:
    return (
        nullcontext(lambda name, result: None)
        if path is None
        else contact_table(path, resume)
    )


def _report(result: Answer, folder: Path) -> Path:
    """Write the page of a recording, with its scene in three dimensions."""
    from biped_slip.recordings.report import write_report
    from biped_slip.view.page import RECORDING_HELP, scene_pieces
    from biped_slip.view.recording_source import RecordingSource

    scene = scene_pieces(
        lambda: [RecordingSource(result, Path(result.path).name)], RECORDING_HELP
    )
    return write_report(folder, result, scene)


def _answered(path: str, arguments: argparse.Namespace) -> Answer:
    # estimators are loaded where one is asked for
    from biped_slip.recordings.replay import replay_file

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
            known_axes(arguments),
            count,
            arguments.format,
            arguments.robot,
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
    for number, contact in enumerate(result.contacts[:MOST_PRINTED_ROWS], start=1):
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
    console.print(REPLAY_KEY, style="dim", highlight=False)
    if len(result.contacts) > MOST_PRINTED_ROWS:
        console.print(f"… and {len(result.contacts) - MOST_PRINTED_ROWS} more contacts")
    for number, contact in enumerate(result.contacts[:MOST_PRINTED_ROWS], start=1):
        for words in contact.withheld:
            console.print(f"  contact {number}: {words}", highlight=False)
        if contact.standing.refusal:
            console.print(
                f"  contact {number} isn't judged: {contact.standing.refusal}",
                highlight=False,
            )
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

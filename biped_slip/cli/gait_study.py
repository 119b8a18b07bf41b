# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""All trials of a folder: what is missing is worked out, then tables, figures and the report are written."""

from __future__ import annotations

import argparse
from pathlib import Path

from rich.progress import MofNCompleteColumn, Progress, TimeRemainingColumn

from biped_slip.cli.gait_trial import add_overrides, overrides_of, settings_of
from biped_slip.cli.parser import COUNT
from biped_slip.cli.terminal import Screen, folder_to_write
from biped_slip.gait_laboratory.slip_chance import read_readings
from biped_slip.gait_laboratory.study import TABLE, Study, study_trials
from biped_slip.gait_laboratory.study_report import write_results


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("folder", type=Path, help=f"trials, with their table in {TABLE}")
    parser.add_argument("--table", type=Path, metavar="CSV", help="the table, where it is elsewhere")
    parser.add_argument("--acof", type=Path, metavar="CSV", help="readings: instrument, floor, shoe, condition, acof")
    parser.add_argument("--out", type=folder_to_write, metavar="DIR", help="results go here (FOLDER/results)")
    parser.add_argument("--workers", type=COUNT, default=1, metavar="N", help="processes (1)")
    parser.add_argument("--settings", metavar="YAML", help="rules other than the usual ones")
    add_overrides(parser)


def run(arguments: argparse.Namespace) -> int:
    """Exit code 0: every file was read, 1: some were, 2: none was."""
    readings = read_readings(arguments.acof) if arguments.acof else ()
    trials = study_trials(arguments.folder, arguments.table)
    out = arguments.out or arguments.folder / "results"
    study = Study(trials, out, settings_of(arguments.settings), overrides_of(arguments))
    errors, missing = Screen(stderr=True), len(study.missing)
    if missing < len(trials):
        errors.print(f"{len(trials) - missing} of {len(trials)} trials are worked out already")
    columns = (*Progress.get_default_columns()[:2], MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=errors, transient=True, disable=not errors.is_terminal) as bar:
        task = bar.add_task("trials", total=missing)
        study.run(arguments.workers, lambda: bar.advance(task))
    page = write_results(study, readings)
    failed = [trial for trial in study.stored() if trial.failure]
    for trial in failed[:20]:
        errors.print(f"not read: {trial.failure}", highlight=False)
    steps = judged = 0
    for step in study.steps():
        steps, judged = steps + 1, judged + (not step.excluded)
    Screen().print(f"{len(trials)} trials, {steps} steps, {judged} judged; {page}", highlight=False, soft_wrap=True)
    return 0 if not failed else 1 if len(failed) < len(trials) else 2

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""All trials of a study: what is missing is analysed, the results are written."""

from __future__ import annotations

import argparse
import shlex
import sys
from datetime import datetime

from rich.progress import MofNCompleteColumn, Progress, TimeRemainingColumn

from biped_slip import __version__
from biped_slip.cli.gait_rules import gait_rules
from biped_slip.cli.terminal import Screen
from biped_slip.gait_laboratory.made import Made
from biped_slip.gait_laboratory.slip_chance import read_readings
from biped_slip.gait_laboratory.study import Study, study_trials
from biped_slip.gait_laboratory.study_report import write_results


def run(arguments: argparse.Namespace) -> int:
    """Analyse the missing trials and write the results.

    The exit code is 0 when all files were read, 1: some, 2: none.
    """
    readings = read_readings(arguments.acof) if arguments.acof else ()
    trials = study_trials(arguments.folder, arguments.table)
    study = Study(
        trials, arguments.out or arguments.folder / "results", *gait_rules(arguments)
    )
    errors = Screen(stderr=True)
    missing = len(study.missing)
    if missing < len(trials):
        errors.print(
            f"{len(trials) - missing} of {len(trials)} trials are worked out already"
        )
    columns = (
        *Progress.get_default_columns()[:2],
        MofNCompleteColumn(),
        TimeRemainingColumn(),
    )
    with Progress(
        *columns, console=errors, transient=True, disable=not errors.is_terminal
    ) as bar:
        task = bar.add_task("trials", total=missing)
        study.run(arguments.workers, lambda: bar.advance(task))
    made = Made(
        version=__version__,
        command=shlex.join(["biped-slip", *sys.argv[1:]]),
        date=datetime.now().astimezone().isoformat(timespec="seconds"),
        settings=study.settings.to_mapping(),
    )
    page = write_results(study, readings, made)
    failed = [trial for trial in study.stored() if trial.failure]
    for trial in failed[:20]:
        errors.print(f"not read: {trial.failure}", highlight=False)
    judged = [not step.excluded for step in study.steps()]
    Screen().print(
        f"{len(trials)} trials, {len(judged)} steps, {sum(judged)} judged; {page}",
        highlight=False,
        soft_wrap=True,
    )
    return 0 if not failed else 1 if len(failed) < len(trials) else 2

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Required friction, slips and the chance of a slip from recorded gait.

They are found for one trial, for a study, or as a table of chances.
"""

from __future__ import annotations

import argparse
import math
from pathlib import Path
from typing import Iterator

from rich.progress import MofNCompleteColumn, Progress, TimeRemainingColumn
from rich.table import Table

from biped_slip.cli.recordings import overrides
from biped_slip.cli.terminal import Screen, result_screen, written
from biped_slip.errors import BipedSlipError
from biped_slip.gait_laboratory.slip_chance import (
    at_least,
    chance_rows,
    read_readings,
    write_chances,
)
from biped_slip.gait_laboratory.step import (
    NUMBERS,
    Step,
    TrialInfo,
    read_steps,
    write_csv,
)
from biped_slip.gait_laboratory.study import Study, study_trials
from biped_slip.gait_laboratory.study_report import steps_figure, write_results
from biped_slip.gait_laboratory.trial import (
    GaitSettings,
    TrialSteps,
    analyse_file,
    trial_recordings,
    write_opensim_forces,
)
from biped_slip.recordings.gait import Overrides
from biped_slip.recordings.samples import sample_or_file
from biped_slip.reports.figures import save_figure
from biped_slip.reports.html import cell_text

# rows on the screen
MOST_STEPS = 40
MOST_CHANCES = 60
KEY = (
    "  All ratios are |shear| / normal force [-]. RCOF: its local maximum at weight "
    "acceptance (first quarter of the "
    "stance) and\n  at push-off (second half). required: its largest between 10 and "
    "90 % of the stance. held: the "
    "largest that lasted\n  without slip, so friction is at least that. - is unknown."
)
REQUIRED = tuple(
    name for name in NUMBERS if name == "required" or name.startswith("rcof")
)


def run(arguments: argparse.Namespace) -> int:
    """Run the chosen subcommand of ``gait``."""
    return {"trial": run_trial, "study": run_study, "chance": run_chance}[
        arguments.verb
    ](arguments)


def _rules(arguments: argparse.Namespace) -> tuple[GaitSettings, Overrides]:
    settings = (
        GaitSettings.from_yaml(arguments.settings)
        if arguments.settings
        else GaitSettings()
    )
    return settings, overrides(arguments)


def run_trial(arguments: argparse.Namespace) -> int:
    """Print the steps of one recording; exit code 1 when none could be judged."""
    name = Path(arguments.recording).name
    slope = math.radians(arguments.slope)
    info = TrialInfo(
        name,
        subject=arguments.subject,
        slope=slope,
        axes=arguments.axes,
        mass=arguments.mass,
    )
    settings, known = _rules(arguments)
    source, config = sample_or_file(arguments.recording, arguments.config)
    found = analyse_file(source, config, known, info, settings)
    if not found.stances:
        raise BipedSlipError(
            f"{arguments.recording}: holds no stance; are its forces in N, and was "
            "the foot loaded?"
        )
    _show_steps(found, result_screen(arguments))
    if arguments.csv:
        with written(arguments.csv) as path:
            write_csv(path, found.steps)
    if arguments.opensim:
        (recording,) = trial_recordings(source, config, known)
        with written(arguments.opensim) as path:
            write_opensim_forces(path, recording, info)
    if arguments.picture:
        shown = [
            (one.step, one.curves) for one in found.stances if not one.step.excluded
        ]
        with written(arguments.picture, ".png") as path:
            save_figure(steps_figure(shown), path)
    return 0 if any(not step.excluded for step in found.steps) else 1


def _show_steps(found: TrialSteps, console: Screen) -> None:
    """Print steps, exclusions, agreement of events and what was done to the data."""
    columns = [
        "step",
        "foot",
        "on the floor [s]",
        "activity",
        "RCOF acceptance",
        "RCOF push-off",
        "required",
        "held",
    ]
    table = Table(
        *columns, "slip", title=f"{found.steps[0].trial}: required friction and slips"
    )
    for step in found.steps[:MOST_STEPS]:
        values = (step.rcof_acceptance, step.rcof_push_off, step.required)
        ratios = ("-" if math.isnan(value) else f"{value:.3f}" for value in values)
        held = "-" if math.isnan(step.held) else f">= {step.held:.2f}"
        time = f"{step.touchdown_s:.3f} to {step.lift_off_s:.3f}"
        table.add_row(
            str(step.step),
            step.foot,
            time,
            step.activity,
            *ratios,
            held,
            _slip_words(step),
        )
    console.print(table)
    if len(found.steps) > MOST_STEPS:
        console.print(f"… and {len(found.steps) - MOST_STEPS} more steps")
    console.print(KEY, style="dim", highlight=False)
    for step in found.steps[:MOST_STEPS]:
        if step.withheld:
            console.print(f"  step {step.step}: {step.withheld}", highlight=False)
        if step.excluded:
            console.print(
                f"  step {step.step} isn't judged: {step.excluded}", highlight=False
            )
    first = found.steps[0]
    console.print(
        f"  body weight: {cell_text(first.weight_n)} N ({first.weight_from})",
        highlight=False,
    )
    console.print(f"  speed: {cell_text(first.speed_m_s)} m/s", highlight=False)
    for event in found.agreement:
        times = (
            f"{event.by_force:.3f} s by force, {event.in_file:.3f} s in the file, "
            f"{event.frames:+.1f} frames"
        )
        console.print(f"  {event.kind} {event.foot}: {times}", highlight=False)
    for note in found.notes:
        console.print(f"  {note}", highlight=False, style="dim")


def _slip_words(step: Step) -> str:
    if not step.slips:
        return step.slip_class or "unknown"
    return (
        f"{step.slip_class}: {1e3 * step.slip_distance_m:.0f} mm, "
        f"{step.slip_peak_velocity_m_s:.2f} m/s"
    )


def run_study(arguments: argparse.Namespace) -> int:
    """Analyse the missing trials and write the results.

    The exit code is 0 when all files were read, 1: some, 2: none.
    """
    readings = read_readings(arguments.acof) if arguments.acof else ()
    trials = study_trials(arguments.folder, arguments.table)
    study = Study(
        trials, arguments.out or arguments.folder / "results", *_rules(arguments)
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
    page = write_results(study, readings)
    failed = [trial for trial in study.stored() if trial.failure]
    for trial in failed[:20]:
        errors.print(f"not read: {trial.failure}", highlight=False)
    steps = judged = 0
    for step in study.steps():
        steps = steps + 1
        judged = judged + (not step.excluded)
    Screen().print(
        f"{len(trials)} trials, {steps} steps, {judged} judged; {page}",
        highlight=False,
        soft_wrap=True,
    )
    return 0 if not failed else 1 if len(failed) < len(trials) else 2


def run_chance(arguments: argparse.Namespace) -> int:
    """Print the chance of a slip, floors times people.

    Without readings the lower bounds of the floors are printed.
    """
    console = result_screen(arguments)
    steps = read_steps(arguments.steps)
    if not arguments.acof:
        _show_at_least(steps, console)
        return 0
    rows = chance_rows(
        steps, read_readings(arguments.acof), arguments.quantity, arguments.interval
    )
    columns = [
        "instrument",
        "surface",
        "shoe",
        "walk",
        "person",
        "foot",
        "steps",
        "readings",
        "required",
        "available",
    ]
    table = Table(
        *columns, "chance [-]", "95 % interval", title="chance of a slip at a step"
    )
    for row in rows[:MOST_CHANCES]:
        words = (
            row.instrument,
            row.surface,
            row.shoe,
            row.condition,
            row.person,
            row.foot,
        )
        counts = (str(row.steps), str(row.readings))
        means = (f"{row.required_mean:.3f}", f"{row.available_mean:.3f}")
        table.add_row(
            *words,
            *counts,
            *means,
            f"{row.chance:.3f}",
            f"{row.low:.3f} to {row.high:.3f}",
        )
    console.print(table)
    console.print(
        f"  required: mean {arguments.quantity} of the steps [-]; available: mean "
        "reading [-]",
        style="dim",
    )
    if len(rows) > MOST_CHANCES:
        console.print(f"… and {len(rows) - MOST_CHANCES} more rows")
    if arguments.csv:
        with written(arguments.csv) as path:
            write_chances(path, rows)
    return 0


def _show_at_least(steps: Iterator[Step], console: Screen) -> None:
    table = Table(
        "floor",
        "shoe",
        "condition",
        "steps",
        "held at least",
        "slides",
        "friction of slides",
    )
    for row in at_least(steps):
        names = (row.floor, row.shoe, row.condition)
        numbers = (
            str(row.steps),
            cell_text(row.held),
            str(row.slides),
            cell_text(row.friction),
        )
        table.add_row(*names, *numbers)
    console.print(table)
    console.print(
        "Steps that don't slip say what their floor held, not what it has: "
        "the chance of a slip needs readings of an instrument (--acof)."
    )

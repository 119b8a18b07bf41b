# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Steps of one recording: required friction, slips, and why a step isn't judged."""

from __future__ import annotations

import argparse
import math
from pathlib import Path

from rich.table import Table

from biped_slip.cli.gait_rules import gait_rules
from biped_slip.cli.terminal import Screen, result_screen, written
from biped_slip.errors import BipedSlipError
from biped_slip.gait_laboratory.friction_definitions import DEFINITIONS
from biped_slip.gait_laboratory.step import Step, TrialInfo, write_csv
from biped_slip.gait_laboratory.trial import (
    TrialSteps,
    analyse_file,
    trial_recordings,
)
from biped_slip.recordings.samples import sample_or_file
from biped_slip.reports.cells import cell_text

MOST_STEPS = 40  # rows on the screen
GAIT_KEY = (
    "  All ratios are |shear| / normal force [-]. RCOF: its local maximum at weight "
    "acceptance (first quarter of the "
    "stance) and\n  at push-off (second half). required: its largest between 10 and "
    "90 % of the stance. held: the "
    "largest that lasted\n  without slip, so friction is at least that. - is unknown."
)


def run(arguments: argparse.Namespace) -> int:
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
    settings, known = gait_rules(arguments)
    source, config = sample_or_file(arguments.recording, arguments.config)
    kind = arguments.format
    found = analyse_file(source, config, known, info, settings, kind)
    if not found.stances:
        raise BipedSlipError(
            f"{arguments.recording}: holds no stance; are its forces in N, and was "
            "the foot loaded?"
        )
    _show_steps(found, result_screen(arguments), arguments.definitions)
    if arguments.csv:
        with written(arguments.csv) as path:
            write_csv(path, found.steps)
    if arguments.opensim:
        from biped_slip.gait_laboratory.opensim_forces import write_opensim_forces

        (recording,) = trial_recordings(source, config, known, kind)
        with written(arguments.opensim) as path:
            write_opensim_forces(path, recording, info)
    if arguments.picture:
        # figures take longer to load than most trials to be judged
        from biped_slip.gait_laboratory.study_report import steps_figure
        from biped_slip.reports.figures import save_figure

        shown = [
            (one.step, one.curves) for one in found.stances if not one.step.excluded
        ]
        with written(arguments.picture, ".png") as path:
            save_figure(steps_figure(shown), path)
    return 0 if any(not step.excluded for step in found.steps) else 1


def _show_steps(found: TrialSteps, console: Screen, definitions: bool) -> None:
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
    console.print(GAIT_KEY, style="dim", highlight=False)
    if definitions:
        _show_definitions(found, console)
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


def _show_definitions(found: TrialSteps, console: Screen) -> None:
    """Print required friction by definition, one row each, and how far they differ."""
    judged = [step for step in found.steps[:MOST_STEPS] if not step.excluded]
    table = Table(
        "shear",
        "part of the stance",
        "direction",
        *(f"step {step.step}" for step in judged),
        title="required friction by definition",
    )
    for one in DEFINITIONS:
        values = [getattr(step, one.name) for step in judged]
        table.add_row(one.shear, one.part, one.direction, *map(_ratio, values))
    spans = []
    for step in judged:
        known = [
            value
            for one in DEFINITIONS
            if math.isfinite(value := getattr(step, one.name))
        ]
        spans.append(max(known) - min(known) if known else math.nan)
    table.add_row("largest difference", "", "", *map(_ratio, spans))
    console.print(table)


def _ratio(value: float) -> str:
    return "-" if math.isnan(value) else f"{value:.4f}"


def _slip_words(step: Step) -> str:
    if not step.slips:
        return step.slip_class or "unknown"
    return (
        f"{step.slip_class}: {1e3 * step.slip_distance_m:.0f} mm, "
        f"{step.slip_peak_velocity_m_s:.2f} m/s"
    )

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Steps of recordings, one table a file."""

from __future__ import annotations

import argparse
import math
from pathlib import Path

from rich.table import Table

from biped_slip.cli.terminal import Screen, file_to_write, result_screen, written
from biped_slip.errors import BipedSlipError
from biped_slip.gait_laboratory.figures import steps_figure
from biped_slip.gait_laboratory.opensim_export import write_opensim_forces
from biped_slip.gait_laboratory.step import AXES, FLOOR, PERSON, SUBJECTS, Step, TrialInfo, write_csv
from biped_slip.gait_laboratory.trial import GaitSettings, TrialSteps, analyse_file, trial_recordings
from biped_slip.recordings.gait import Overrides
from biped_slip.recordings.markers import AXES as DIRECTIONS
from biped_slip.recordings.samples import sample_or_file
from biped_slip.reports.figures import save_figure
from biped_slip.reports.html import cell_text

MOST_ROWS = 40


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("recording", help="C3D, .mot, .sto, CSV or rosbag2")
    parser.add_argument("--config", metavar="YAML", help="names columns, units and signs of a table, topics of a bag")
    parser.add_argument("--subject", choices=SUBJECTS, default=PERSON, help="who walked (person)")
    parser.add_argument("--mass", type=float, default=math.nan, metavar="KG", help="used where the forces don't tell")
    parser.add_argument("--slope", type=float, default=0.0, metavar="DEG", help="of the floor, positive uphill (0)")
    parser.add_argument(
        "--axes", choices=AXES, default=FLOOR, help="recorded forces on a slope are along the floor (floor)"
    )
    parser.add_argument("--settings", metavar="YAML", help="rules other than the usual ones")
    add_overrides(parser)
    parser.add_argument("--csv", type=file_to_write, metavar="FILE", help="write the table of steps")
    parser.add_argument(
        "--opensim", type=file_to_write, metavar="MOT", help="write zeroed forces, foot by foot, for OpenSim"
    )
    parser.add_argument("--picture", type=file_to_write, metavar="PNG", help="draw the force ratio of every step")


def add_overrides(parser: argparse.ArgumentParser) -> None:
    """Arguments that overrule what is found in the data."""
    parser.add_argument("--vertical", choices=DIRECTIONS, default="", help="vertical axis, instead of detecting it")
    parser.add_argument("--forward", choices=DIRECTIONS, default="", help="walking direction, instead of detecting it")
    parser.add_argument("--keep-offsets", action="store_true", help="don't subtract the reading of unloaded plates")


def overrides_of(arguments: argparse.Namespace) -> Overrides:
    """What the user knows better."""
    return Overrides(arguments.vertical, arguments.forward, arguments.keep_offsets)


def settings_of(path: str | None) -> GaitSettings:
    """The usual rules, or those of a YAML file."""
    return GaitSettings() if path is None else GaitSettings.from_yaml(path)


def run(arguments: argparse.Namespace) -> int:
    """Print the steps; exit code 1 when none could be judged."""
    info = TrialInfo(
        Path(arguments.recording).name,
        subject=arguments.subject,
        slope=math.radians(arguments.slope),
        axes=arguments.axes,
        mass=arguments.mass,
    )
    settings, overrides = settings_of(arguments.settings), overrides_of(arguments)
    source, config = sample_or_file(arguments.recording, arguments.config)
    found = analyse_file(source, config, overrides, info, settings)
    if not found.stances:
        raise BipedSlipError(f"{arguments.recording}: holds no stance")
    console = result_screen(arguments)
    show(found, console)
    if arguments.csv:
        with written(arguments.csv) as path:
            write_csv(path, found.steps)
    if arguments.opensim:
        (recording,) = trial_recordings(arguments.recording, arguments.config, overrides)
        with written(arguments.opensim) as path:
            write_opensim_forces(path, recording, info)
    if arguments.picture:
        shown = [(one.step, one.curves) for one in found.stances if not one.step.excluded]
        with written(arguments.picture, ".png") as path:
            save_figure(steps_figure(shown), path)
    return 0 if any(not step.excluded for step in found.steps) else 1


def _slip_words(step: Step) -> str:
    if not step.slips:
        return step.slip_class or "unknown"
    return f"{step.slip_class}: {1e3 * step.slip_distance_m:.0f} mm, {step.slip_peak_velocity_m_s:.2f} m/s"


def show(found: TrialSteps, console: Screen) -> None:
    """Print steps, exclusions, agreement of events and what was done to the data."""
    columns = ["", "foot", "on the floor", "activity", "acceptance", "push-off", "10-90 %", "slip"]
    table = Table(*columns, title=f"{found.steps[0].trial}: required friction and slips")
    for step in found.steps[:MOST_ROWS]:
        values = (step.rcof_acceptance, step.rcof_push_off, step.rcof_10_90)
        table.add_row(
            str(step.step),
            step.foot,
            f"{step.touchdown_s:.3f} to {step.lift_off_s:.3f} s",
            step.activity,
            *("-" if math.isnan(value) else f"{value:.3f}" for value in values),
            _slip_words(step),
        )
    console.print(table)
    more = len(found.steps) - MOST_ROWS
    if more > 0:
        console.print(f"… and {more} more steps")
    for step in found.steps[:MOST_ROWS]:
        if step.excluded:
            console.print(f"  step {step.step} isn't judged: {step.excluded}", highlight=False)
    first = found.steps[0]
    console.print(f"  body weight: {cell_text(first.weight_n)} N ({first.weight_from})", highlight=False)
    console.print(f"  speed: {cell_text(first.speed_m_s)} m/s", highlight=False)
    for event in found.agreement:
        console.print(
            f"  {event.kind} {event.foot}: {event.by_force:.3f} s by force, {event.in_file:.3f} s in the file, "
            f"{event.frames:+.1f} frames",
            highlight=False,
        )
    for note in found.notes:
        console.print(f"  {note}", highlight=False, style="dim")

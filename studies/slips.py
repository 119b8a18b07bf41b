# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""How well slips are found: made-up steps on floors of known mu.

They go the whole way from plate and markers to class.
"""

from __future__ import annotations

import argparse
from collections import Counter

import numpy as np
from rich.progress import track
from rich.table import Table

from biped_slip.cli.options import COUNT, SEED_TYPE
from biped_slip.cli.terminal import Screen
from biped_slip.gait_laboratory.step import CLASSES
from synthetic.found_slips import FoundSlide, slip_trials

# [m], [s], share of classes: what is wanted
DISTANCE = 2e-3
ONSET = 10e-3
RIGHT = 0.98
GROUPS = (
    ("all", 0.0, 1.0),
    ("mu below 0.07", 0.0, 0.07),
    ("mu 0.07 and more", 0.07, 1.0),
)


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "--steps", type=COUNT, default=1000, help="made-up steps (1000)"
    )
    parser.add_argument("--seed", type=SEED_TYPE, default=1, help="(1)")
    parser.add_argument(
        "--mu", type=float, help="of every floor; at random from 0.03 to 0.5 by default"
    )


def run(arguments: argparse.Namespace) -> int:
    """Print errors and classes.

    The exit code is 1 when fewer classes than wanted are right.
    """
    console = Screen()
    steps = slip_trials(arguments.steps, arguments.seed, arguments.mu)
    trials = list(
        track(
            steps, "steps", arguments.steps, console=Screen(stderr=True), transient=True
        )
    )
    slides = [slide for trial in trials for slide in trial.slides]
    errors = Table(
        "slides",
        "number",
        "found",
        "distance within 2 mm",
        "95 %",
        "onset within 10 ms",
        "95 %",
        "velocity 95 %",
    )
    for name, low, high in GROUPS:
        chosen = [slide for slide in slides if low <= slide.mu < high]
        if chosen:
            errors.add_row(name, *_errors(chosen))
    console.print(errors)
    counts = Counter((trial.true_class, trial.found_class) for trial in trials)
    classes = Table("true", *(f"found {name}" for name in CLASSES))
    for true in CLASSES:
        classes.add_row(true, *(str(counts[true, found]) for found in CLASSES))
    console.print(classes)
    right = sum(counts[name, name] for name in CLASSES) / max(len(trials), 1)
    console.print(
        f"class right in {100 * right:.1f} % of {len(trials)} steps "
        f"({100 * RIGHT:.0f} % wanted)",
        highlight=False,
    )
    return 0 if right >= RIGHT else 1


def _errors(slides: list[FoundSlide]) -> list[str]:
    distance, onset, velocity = (
        np.abs([getattr(slide, name) for slide in slides])
        for name in ("distance_error", "onset_error", "velocity_error")
    )
    known = np.isfinite(distance)
    limits = [
        np.quantile(values[known], 0.95) if known.any() else np.nan
        for values in (distance, onset, velocity)
    ]
    return [
        str(len(slides)),
        str(int(known.sum())),
        f"{100 * np.mean(distance <= DISTANCE):.1f} %",
        f"{1e3 * limits[0]:.1f} mm",
        f"{100 * np.mean(onset <= ONSET):.1f} %",
        f"{1e3 * limits[1]:.0f} ms",
        f"{limits[2]:.2f} m/s",
    ]

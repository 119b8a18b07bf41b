# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The gait laboratory from Python: one trial, or a study of many, as columns."""

from __future__ import annotations

import dataclasses
import math
from pathlib import Path
from typing import Any, Iterator

import numpy as np

from biped_slip.compile.arrays import Columns
from biped_slip.gait_laboratory.step import COLUMNS, Step, TrialInfo
from biped_slip.gait_laboratory.study import FROM_DATA, Study, study_trials
from biped_slip.gait_laboratory.trial import GaitSettings, TrialSteps, analyse_file
from biped_slip.recordings.gait import Overrides
from biped_slip.recordings.samples import sample_or_file


def gait_trial(
    path: str | Path,
    config: str | Path | None = None,
    *,
    subject: str = "person",
    mass: float = math.nan,
    slope_deg: float = 0.0,
    axes: str = "floor",
    settings: GaitSettings | None = None,
    overrides: Overrides | None = None,
) -> TrialSteps:
    """Analyse the steps of one recording: required friction, slips, exclusions.

    ::

        steps = bs.gait_trial("trial.c3d")
        steps["rcof"], steps["excluded"]  # arrays (steps,)
        steps.to_pandas().query("excluded == ''")  # with pandas installed

    Args:
        path: C3D, OpenSim, a table, a bag, or the name of a shipped sample.
        config: YAML that names the columns of a table or the topics of a bag.
        subject: person, robot or insoles.
        mass: of the subject, where the forces do not show the weight [kg].
        slope_deg: of the floor along the walk, positive uphill [deg].
        axes: of the recorded forces on a slope: floor or gravity.
        settings: rules of steps and slips.
        overrides: axes that the user knows better.

    Returns:
        One row a step, with notes on what was read and done.

    Raises:
        BipedSlipError: one sentence on what can't be used and why.
    """
    info = TrialInfo(
        trial=Path(path).name,
        subject=subject,
        slope=math.radians(slope_deg),
        axes=axes,
        mass=mass,
    )
    source, layout = sample_or_file(str(path), None if config is None else str(config))
    return analyse_file(
        source, layout, overrides or Overrides(), info, settings or GaitSettings()
    )


@dataclasses.dataclass(frozen=True, repr=False)
class StudySteps(Columns):
    """Steps of all trials of a study, one row a step.

    Columns are those of ``steps.csv``.

    Attributes:
        steps: one a row, in the order of the trials.
        failures: trial and why it couldn't be read.
    """

    steps: tuple[Step, ...]
    failures: tuple[tuple[str, str], ...]

    names = tuple(COLUMNS)

    def column(self, name: str) -> Any:
        """Return a column, shape (steps,).

        Args:
            name: one of ``names``; ``[name]`` refuses any other in a sentence.
        """
        return np.array([getattr(step, name) for step in self.steps])


def gait_study(
    folder: str | Path,
    table: str | Path | None = None,
    *,
    out: str | Path | None = None,
    workers: int = 1,
    settings: GaitSettings | None = None,
    overrides: Overrides = FROM_DATA,
) -> StudySteps:
    """Analyse all trials of a folder; what is stored already is not done again.

    Args:
        folder: of trials, with their table in ``trials.csv``.
        table: of trials, where it lies elsewhere.
        out: folder of the results; ``FOLDER/results`` where it is left out.
        workers: number of processes.
        settings: rules of steps and slips.
        overrides: axes that the user knows better.

    Returns:
        The steps, and the trials that could not be read.

    Raises:
        BipedSlipError: no trial, or a line of the table that can't be used.
    """
    study = Study(
        study_trials(folder, table),
        Path(out) if out is not None else Path(folder) / "results",
        settings or GaitSettings(),
        overrides,
    )
    study.run(workers)
    return StudySteps(tuple(study.steps()), tuple(_failures(study)))


def _failures(study: Study) -> Iterator[tuple[str, str]]:
    for trial in study.stored():
        if trial.failure:
            yield trial.trial, trial.failure

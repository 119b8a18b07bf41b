# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Folders of other people hold sound, odd and broken files side by side: each is
answered or named, and the others go on."""

import csv

import numpy as np
from recordings.c3d_files import plates, step_wrench, two_steps, written

from biped_slip.gait_laboratory import trial
from biped_slip.gait_laboratory.step import Step, TrialInfo, read_steps, write_csv
from biped_slip.gait_laboratory.study import Study, StudyTrial
from biped_slip.gait_laboratory.trial import GaitSettings


def test_a_study_of_mixed_and_broken_files_answers_what_it_can(tmp_path, monkeypatch):
    """Two types of plates beside one another, a plate of another type, a cut file, a
    foreign byte order, and one whose reader fails as no reader should."""
    good = written(tmp_path / "good.c3d", two_steps())
    mixed = two_steps()
    mixed[:, 9] = -mixed[:, 10] / np.maximum(mixed[:, 8], 1e-9)
    mixed[:, 10] = 0.0
    units = ["N", "N", "N", "Nm", "Nm", "Nm", "N", "N", "N", "m", "m", "Nm"]
    files = [
        good,
        written(
            tmp_path / "mixed.c3d",
            mixed,
            plates(2, TYPE=[2, 1]),
            ANALOG={"UNITS": units},
        ),
        written(tmp_path / "unused.c3d", two_steps(), plates(2, TYPE=[2, 5])),
        written(tmp_path / "cut.c3d", two_steps()),
        written(tmp_path / "sgi.c3d", two_steps(), order=">", processor=86),
        written(tmp_path / "fails.c3d", step_wrench()),
        good,
    ]
    files[3].write_bytes(files[3].read_bytes()[:-3000])
    read = trial.read_recording

    def fails(path, *others, **named):
        if path.name == "fails.c3d":
            raise ZeroDivisionError("of a reader")
        return read(path, *others, **named)

    monkeypatch.setattr(trial, "read_recording", fails)
    trials = [
        StudyTrial(file, None, TrialInfo(f"{number} {file.name}"))
        for number, file in enumerate(files)
    ]
    study = Study(trials, tmp_path / "out", GaitSettings())
    study.run()
    assert not study.missing
    of_trials = [len(one.steps) for one in study.stored()]
    assert of_trials == [2, 2, 1, 0, 0, 0, 2]
    required = [step.required for step in study.steps()]
    assert np.ptp(required) < 0.001
    reasons = [one.failure for one in study.stored()]
    assert "truncated" in reasons[3]
    assert "SGI" in reasons[4]
    assert "fails.c3d" in reasons[5]


def test_a_table_from_before_the_belts_is_still_read(tmp_path):
    write_csv(tmp_path / "steps.csv", [Step(trial="a", foot="left", rcof=0.2)])
    with (tmp_path / "steps.csv").open() as file:
        (row,) = csv.DictReader(file)
    del row["belt_m_s"]
    with (tmp_path / "old.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, list(row))
        writer.writeheader()
        writer.writerow(row)
    (step,) = read_steps(tmp_path / "old.csv")
    assert step.rcof == 0.2
    assert np.isnan(step.belt_m_s)

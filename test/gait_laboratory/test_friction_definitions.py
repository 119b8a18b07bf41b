# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Required friction by definition: closed forms, and a computation from the page."""

import json
import math
import re

import numpy as np
import pytest

import biped_slip as bs
from biped_slip.gait_laboratory.friction_definitions import (
    DEFINITIONS,
    Admission,
    friction_by_definition,
)
from biped_slip.gait_laboratory.made import Made
from biped_slip.gait_laboratory.step import read_steps, write_csv
from biped_slip.gait_laboratory.study import Study, study_trials
from biped_slip.gait_laboratory.study_report import write_results
from biped_slip.gait_laboratory.trial import GaitSettings

SHARE = np.linspace(0.0, 1.0, 701)
TIME = 0.7 * SHARE
LEFT_OPEN = Admission(least_normal=100.0, fraction=(0.0, 0.25), prominence=0.01)


def bump(place, height, width=0.03):
    return height * np.exp(-(((SHARE - place) / width) ** 2))


def stance():
    """A step of 700 N: braking with 0.15 at 8 % and 0.2 at 18 %, 0.1 across at 50 %,
    pushing with 0.25 at 88 %."""
    normal = 700.0 * np.ones_like(SHARE)
    along = -bump(0.08, 0.15, 0.02) - bump(0.18, 0.2, 0.02) + bump(0.88, 0.25)
    return np.column_stack([along * normal, bump(0.5, 0.1) * normal, normal])


def test_each_definition_has_its_closed_form():
    found = friction_by_definition(TIME, stance(), LEFT_OPEN)
    right = {
        "friction_resultant_10_90": 0.25,  # at 88 %, pushing
        "friction_fore_aft_10_90": 0.25,
        "friction_transverse_10_90": 0.1,
        "friction_resultant_fraction": 0.2,  # of the first quarter
        "friction_fore_aft_fraction": 0.2,
        "friction_resultant_first_peak": 0.15,  # at 8 %, before the larger one
        "friction_fore_aft_first_peak": 0.15,
        "friction_fore_aft_against": 0.2,
        "friction_fore_aft_with": 0.25,
    }
    assert found == pytest.approx(right, abs=2e-4)
    assert set(right) == {one.name for one in DEFINITIONS}


def test_a_threshold_and_a_fraction_that_are_stated_are_kept():
    force = stance()
    force[SHARE < 0.12, 2] = 50.0  # below the threshold the first maximum is none
    later = friction_by_definition(TIME, force, LEFT_OPEN)
    assert later["friction_fore_aft_first_peak"] == pytest.approx(0.2, abs=2e-4)
    narrow = LEFT_OPEN._replace(fraction=(0.8, 0.95))
    found = friction_by_definition(TIME, stance(), narrow)
    assert found["friction_resultant_fraction"] == pytest.approx(0.25, abs=2e-4)
    assert math.isnan(found["friction_fore_aft_fraction"])  # nothing brakes there


def test_no_definition_depends_on_the_size_of_the_forces():
    heavy = LEFT_OPEN._replace(least_normal=300.0)
    assert friction_by_definition(TIME, 3.0 * stance(), heavy) == pytest.approx(
        friction_by_definition(TIME, stance(), LEFT_OPEN), rel=1e-12
    )


def test_a_trial_from_python_has_the_columns_and_reads_old_tables_without_the_new_ones(
    recordings, tmp_path
):
    trial = bs.gait_trial(recordings / "btk_c3d" / "type-2a.c3d", mass=55.0)
    assert trial["friction_resultant_10_90"] == pytest.approx(
        trial["required"], nan_ok=True
    )
    path = tmp_path / "steps.csv"
    write_csv(path, trial.steps)
    lines = path.read_text().splitlines()
    names = lines[0].split(",")
    old = [
        k
        for k, name in enumerate(names)
        if not name.startswith(("friction_", "subject_id"))
    ]
    cut = tmp_path / "old.csv"
    cut.write_text(
        "\n".join(",".join(line.split(",")[k] for k in old) for line in lines[:1])
        + "\n"
    )
    assert list(read_steps(cut)) == []
    again = next(read_steps(path))
    assert again.friction_fore_aft_10_90 == trial.steps[0].friction_fore_aft_10_90


def test_a_study_from_python_has_the_steps_of_its_trials(recordings, tmp_path):
    folder = tmp_path / "study"
    folder.mkdir()
    file = recordings / "btk_c3d" / "type-2a.c3d"
    (folder / "trials.csv").write_text(f"file,person\n{file},P01\n{folder}/none,P02\n")
    study = bs.gait_study(folder)
    assert set(study["subject_id"]) == {"P01"}
    assert len(study) == len(bs.gait_trial(file))
    ((name, reason),) = study.failures
    assert name.endswith("none")
    assert "no such file" in reason


def test_how_a_study_was_made_stands_in_its_pages_and_tables(recordings, tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    file = recordings / "btk_c3d" / "type-2a.c3d"
    (tmp_path / "trials.csv").write_text(f"file,trial\n{file},walk 1\n")
    study = Study(study_trials(tmp_path), tmp_path / "out", GaitSettings())
    study.run()
    made = Made(
        version="9.9", command="gait study here", date="2020-02-02", settings={"a": 1.5}
    )
    page = write_results(study, made=made).read_text()
    assert "biped_slip 9.9, 2020-02-02: gait study here" in page
    assert "walk 1" in page
    assert "size: A4" in page
    assert json.loads((tmp_path / "out" / "made.json").read_text())["version"] == "9.9"
    kept = parquet.read_schema(tmp_path / "out" / "steps.parquet").metadata
    assert kept[b"made"].startswith(b"biped_slip 9.9")
    assert kept[b"settings"] == b'{"a": 1.5}'
    content = (tmp_path / "out" / "report.pdf").read_bytes()
    # 595 x 842 points are A4, whatever is drawn
    boxes = set(re.findall(rb"/MediaBox \[ ?0 0 ([\d.]+) ([\d.]+) ?\]", content))
    assert {(round(float(w)), round(float(h))) for w, h in boxes} == {(595, 842)}

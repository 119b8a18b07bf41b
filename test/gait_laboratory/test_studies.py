# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""A study: every trial once, the same table after a kill, failures and exclusions with
reasons, exports that agree."""

import csv
import math
from pathlib import Path

import numpy as np
import pytest

from biped_slip.cli import main
from biped_slip.errors import InvalidRecording
from biped_slip.gait_laboratory.required_friction import Band
from biped_slip.gait_laboratory.slip_chance import at_least, chance_rows, read_readings
from biped_slip.gait_laboratory.statistics import BOTH, conditions
from biped_slip.gait_laboratory.step import read_steps
from biped_slip.gait_laboratory.study import STORE, Study, study_trials
from biped_slip.gait_laboratory.study_report import write_results
from biped_slip.gait_laboratory.trial import GaitSettings
from biped_slip.recordings.judge.force_ratio import on_slope
from synthetic.gait_trials import walked_forces, write_trial

CONFIG = Path(__file__).parents[2] / "config" / "recordings" / "gait_trial.yaml"


def written(folder, trials=4):
    """A folder of trials of two people; the last line names a file that isn't there."""
    lines = ["file,person,shoe,floor,condition,config"]
    asked = []
    for number in range(trials):
        rng = np.random.default_rng(number)
        time, left, right, true = walked_forces(
            rng, 3, 250.0, 600.0 + 100.0 * (number % 2)
        )
        write_trial(folder / f"{number}.csv", time, left, right)
        lines.append(f"{number}.csv,P{number % 2},trainer,steel,dry,{CONFIG}")
        asked.append(true)
    lines.append(f"gone.csv,P0,trainer,steel,dry,{CONFIG}")
    (folder / "trials.csv").write_text("\n".join(lines) + "\n")
    return asked


def study(folder, out):
    return Study(study_trials(folder), out, GaitSettings())


@pytest.fixture(scope="module")
def done(tmp_path_factory):
    folder = tmp_path_factory.mktemp("study")
    asked = written(folder)
    (folder / "acof.csv").write_text(
        "instrument,floor,acof\n" + "".join(f"A,ice,0.{n}\n" for n in (17, 19, 21, 24))
    )
    whole = study(folder, folder / "whole")
    whole.run()
    write_results(whole, read_readings(folder / "acof.csv"))
    return folder, asked, whole


def test_what_the_steps_asked_for_is_in_the_table(done):
    folder, asked, _ = done
    steps = list(read_steps(folder / "whole" / "steps.csv"))
    assert [step.trial for step in steps] == [
        f"{n}.csv" for n in range(4) for _ in range(6)
    ]
    assert [step.rcof for step in steps] == pytest.approx(
        np.concatenate(asked), abs=0.01
    )
    assert {step.person for step in steps} == {"P0", "P1"}
    assert steps[0].weight_n == pytest.approx(600.0, rel=0.01)


def test_csv_and_parquet_hold_the_same(done):
    folder, _, _ = done
    pytest.importorskip("pyarrow")
    assert repr(list(read_steps(folder / "whole" / "steps.csv"))) == repr(
        list(read_steps(folder / "whole" / "steps.parquet"))
    )


def test_a_killed_study_goes_on_and_gives_the_same_table(done, tmp_path):
    folder, _, whole = done
    lines = (folder / "whole" / STORE).read_bytes().splitlines(keepends=True)
    tmp_path.mkdir(exist_ok=True)
    # killed while it wrote
    (tmp_path / STORE).write_bytes(b"".join(lines[:2]) + lines[2][: len(lines[2]) // 2])
    resumed = study(folder, tmp_path)
    assert len(resumed.missing) == len(whole.trials) - 2
    resumed.run()
    assert not resumed.missing
    assert repr(list(resumed.steps())) == repr(list(whole.steps()))


def test_a_trial_that_changed_is_made_anew(tmp_path):
    written(tmp_path, 2)
    first = study(tmp_path, tmp_path / "out")
    first.run()
    time, left, right, _ = walked_forces(np.random.default_rng(99))
    write_trial(tmp_path / "1.csv", time, left, right)
    assert study(tmp_path, tmp_path / "out").missing == [1]


def test_a_file_that_cannot_be_read_is_listed_and_stops_nothing(done):
    folder, _, _ = done
    with (folder / "whole" / "exclusions.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [(row["trial"], "no such file" in row["reason"]) for row in rows] == [
        ("gone.csv", True)
    ]


def test_results_are_complete(done):
    out = done[0] / "whole"
    page = (out / "index.html").read_text()
    for words in (
        "required",
        "Chance of a slip",
        "Trials that couldn&#x27;t be read",
        "gone.csv",
    ):
        assert words in page
    assert (out / "report.pdf").read_bytes().startswith(b"%PDF")
    assert {
        "steps.csv",
        "conditions.csv",
        "chances.csv",
        "required.png",
        "curves-1.png",
    } <= {p.name for p in out.iterdir()}


def test_statistics_per_foot_and_condition(done):
    _, asked, whole = done
    found = {one.group.foot: one for one in conditions(whole.steps())}
    assert set(found) == {"left", "right", BOTH}
    assert found[BOTH].of("rcof").steps == 24
    assert found[BOTH].of("rcof").people == 2
    assert found["left"].of("rcof").mean == pytest.approx(
        np.mean([true[::2] for true in asked]), abs=0.01
    )


def test_chances_per_person_and_foot(done):
    folder, asked, whole = done
    rows = chance_rows(whole.steps(), read_readings(folder / "acof.csv"))
    assert {(row.person, row.foot) for row in rows} == {
        (person, foot)
        for person in ("P0", "P1", "everybody")
        for foot in ("left", "right", BOTH)
    }
    everybody = next(
        row for row in rows if row.person == "everybody" and row.foot == BOTH
    )
    true = np.mean(
        [
            reading < step
            for reading in (0.17, 0.19, 0.21, 0.24)
            for step in np.concatenate(asked)
        ]
    )
    assert everybody.chance == pytest.approx(true, abs=0.06)
    assert everybody.low < true < everybody.high
    # without motion nobody knows that nothing slipped
    assert at_least(whole.steps()) == []


def test_a_band_is_the_mean_and_the_scatter_of_its_curves():
    curves = np.random.default_rng(1).normal(0.0, 1.0, (30, 4, 101))
    curves[::3, 3, :5] = np.nan
    band = Band()
    for curve in curves:
        band = band.with_curve(curve)
    assert band.middle == pytest.approx(np.nanmean(curves, axis=0))
    assert band.spread == pytest.approx(np.nanstd(curves, axis=0, ddof=1))


def test_a_ramp_is_judged_by_its_own_axes(tmp_path):
    time, left, right, _ = walked_forces(np.random.default_rng(1), 3, noise=0.0)
    slope = math.radians(8.0)
    plumb = [
        on_slope(force, -slope) for force in (left, right)
    ]  # what level plates under the ramp would read
    write_trial(tmp_path / "along.csv", time, left, right)
    write_trial(tmp_path / "plumb.csv", time, *plumb)
    (tmp_path / "trials.csv").write_text(
        f"file,slope_deg,axes,config\nalong.csv,8,floor,{CONFIG}\nplumb.csv,8,gravity,{CONFIG}\n"
    )
    ramp = study(tmp_path, tmp_path / "out")
    ramp.run()
    along, turned = (trial.steps for trial in ramp.stored())
    assert len(along) == len(turned) == 6
    for one, other in zip(along, turned, strict=True):
        assert one.rcof_from == "largest over the step on a ramp"
        assert other.rcof == pytest.approx(one.rcof, abs=2e-3)
        assert other.rcof_acceptance == pytest.approx(one.rcof_acceptance, abs=2e-3)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("name\nx\n", "unknown columns 'name'"),
        ("file,subject\na.c3d,horse\n", "line 2: subject is 'horse'"),
        ("file,slope_deg\na.c3d,80\n", "line 2: slope"),
        ("file\na.c3d\na.c3d\n", "lines 2 and 3 are both called"),
        ("file\n", "no line below its header"),
    ],
)
def test_a_table_that_cannot_be_used_is_refused_with_its_line(tmp_path, text, words):
    (tmp_path / "trials.csv").write_text(text)
    with pytest.raises(InvalidRecording, match=words):
        study_trials(tmp_path)


def test_the_commands(done, tmp_path, capsys):
    folder, _, _ = done
    trial = [
        str(folder / "0.csv"),
        "--config",
        str(CONFIG),
        "--csv",
        str(tmp_path / "one.csv"),
    ]
    assert main(["gait", "trial", *trial, "--picture", str(tmp_path / "one.png")]) == 0
    assert len(list(read_steps(tmp_path / "one.csv"))) == 6
    # gone.csv
    assert main(["gait", "study", str(folder), "--out", str(folder / "whole")]) == 1
    assert "4 trials, 24 steps, 24 judged" in capsys.readouterr().out.replace(
        "5 trials", "4 trials"
    )
    steps = str(folder / "whole" / "steps.csv")
    assert main(["gait", "chance", steps, "--acof", str(folder / "acof.csv")]) == 0
    assert main(["gait", "chance", steps]) == 0
    assert "needs readings of an" in capsys.readouterr().out.replace("\n", " ")

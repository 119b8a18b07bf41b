# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""One recording has one answer, whichever command and whichever way asks for it."""

import csv
import dataclasses
import json

import numpy as np
import pytest
from recorded_files import FILES, RecordedFile

import biped_slip as bs
from biped_slip.cli import main
from biped_slip.gait_laboratory.step import TrialInfo, as_row
from biped_slip.gait_laboratory.study import Study, StudyTrial
from biped_slip.gait_laboratory.trial import GaitSettings, analyse_file
from biped_slip.recordings.answer import answer_record
from biped_slip.recordings.gait import Overrides
from biped_slip.recordings.judge.spoiled import Footing, on_two_plates
from biped_slip.recordings.registry import read_recording
from biped_slip.recordings.samples import sample_or_file, samples

SHIPPED = sorted(sample.name for sample in samples().values() if sample.file)
#: Why a sound stance is no step to be judged: what required friction of a walk needs
#: beside it.
NO_STEP = ("standing:", "running:", "cut off by the ", "the force along ")


def replayed(file, config, folder):
    """What ``biped-slip replay`` writes of one recording, as JSON and as CSV."""
    words = [
        str(file),
        "--estimator",
        "slip",
        *(["--config", str(config)] * bool(config)),
    ]
    out = [*("--json", str(folder / "a.json")), *("--csv", str(folder / "a.csv"))]
    assert main(["replay", *words, *out]) == 0
    (record,) = json.loads((folder / "a.json").read_text())["results"]
    with (folder / "a.csv").open(newline="") as table:
        return record, list(csv.DictReader(table))


def tried(file, config, subject, folder):
    """What ``biped-slip gait trial`` writes of one recording."""
    words = [
        str(file),
        "--subject",
        subject,
        *(["--config", str(config)] * bool(config)),
    ]
    assert main(["gait", "trial", *words, "--csv", str(folder / "steps.csv")]) in (0, 1)
    with (folder / "steps.csv").open(newline="") as table:
        return list(csv.DictReader(table))


def number(cell):
    return float(cell) if cell not in ("", None) else None


def assert_one_answer(record, steps):
    """Both commands state the same of what both state."""
    assert len(record["contacts"]) == len(steps) > 0
    for contact, step in zip(record["contacts"], steps, strict=True):
        assert contact["foot"] == step["foot"]
        assert contact["sensor"] == step["sensor"]
        assert contact["start"] == number(step["touchdown_s"])
        assert contact["end"] == number(step["lift_off_s"])
        if contact["refusal"]:
            assert step["excluded"] == contact["refusal"]
            stated = ("required", "held", "mu_median", "mu_low", "mu_high")
            assert [contact[name] for name in stated] == [None] * len(stated)
            assert contact["slips"] == []
            assert number(step["required"]) is None
        elif step["excluded"]:
            assert step["excluded"].startswith(NO_STEP)
        if step["excluded"].startswith("cut off by the "):
            assert contact["cut_off"]
        if not step["excluded"]:
            assert not contact["cut_off"]
            # of fewer than eight samples the laboratory says nothing
            brief = contact["end"] - contact["start"] < 0.1
            assert brief or number(step["required"]) is not None
        if number(step["required"]) is not None:
            assert number(step["required"]) == contact["required"]
    summary = record["summary"]
    assert {number(step["weight_n"]) for step in steps} == {summary["body_weight"]}
    assert {step["weight_from"] for step in steps} == {summary["body_weight_from"]}
    assert summary["refused"] == sum(bool(one["refusal"]) for one in record["contacts"])


def assert_both_ways_agree(file, config, subject, record, rows, steps):
    """Python answers what the commands wrote."""
    result = bs.replay_file(file, config, "slip")
    answered = json.loads(json.dumps(answer_record(result)))
    assert answered["contacts"] == record["contacts"]
    assert answered["summary"] == record["summary"]
    for name in ("refusal", "foot", "required"):
        written = [row[name] or None for row in rows]
        assert written == [
            None if one[name] is None else str(one[name]) for one in record["contacts"]
        ]
    info = TrialInfo("trial", subject=subject)
    found = analyse_file(file, config, Overrides(), info, GaitSettings())
    for step, row in zip(found.steps, steps, strict=True):
        own = as_row(step)
        for name in ("touchdown_s", "lift_off_s", "weight_n", "required"):
            assert own[name] == number(row[name])
        assert own["excluded"] == row["excluded"]


@pytest.mark.parametrize("one", FILES, ids=lambda one: f"{one.name}-{one.layout}")
def test_a_recording_has_one_answer_in_all_commands_and_both_ways(
    recordings, tmp_path, one
):
    file = recordings / one.name
    config = one.config(recordings)
    record, rows = replayed(file, config, tmp_path)
    steps = tried(file, config, one.subject, tmp_path)
    assert_one_answer(record, steps)
    assert_both_ways_agree(file, config, one.subject, record, rows, steps)


@pytest.mark.parametrize("name", SHIPPED)
def test_a_shipped_sample_has_one_answer_in_all_commands_and_both_ways(tmp_path, name):
    file, config = sample_or_file(name)
    record, rows = replayed(name, None, tmp_path)
    steps = tried(name, None, "robot", tmp_path)
    assert_one_answer(record, steps)
    assert_both_ways_agree(file, config, "robot", record, rows, steps)


def test_files_that_hold_no_forces_are_refused_by_all_commands_in_the_same_words(
    recordings,
):
    """Every other file and bag below the folder: read-me files, policies, talkers."""
    known = {recordings / one.name for one in FILES}
    bags = {path.parent for path in recordings.rglob("metadata.yaml")}
    files = {path for path in recordings.rglob("*") if path.is_file()}
    others = {
        path for path in files - known if not any(bag in path.parents for bag in bags)
    }
    info = TrialInfo("trial")
    assert bags
    for place in sorted(others | bags):
        with pytest.raises(bs.BipedSlipError) as replay:
            bs.replay_file(place, None, "slip")
        with pytest.raises(bs.BipedSlipError) as gait:
            analyse_file(place, None, Overrides(), info, GaitSettings())
        assert str(replay.value) == str(gait.value)


@pytest.mark.parametrize(
    "one",
    [*SHIPPED, RecordedFile("gem_valkyrie/valkyrie_rows0-7999.csv.gz", "gem_valkyrie")],
    ids=str,
)
def test_a_bag_has_one_answer_in_all_commands(request, tmp_path, one):
    pytest.importorskip("rosbags")
    file = one
    config = None
    if isinstance(one, RecordedFile):
        folder = request.getfixturevalue("recordings")
        file = folder / one.name
        config = one.config(folder)
    bag = tmp_path / "walk.mcap"
    words = [str(file), str(bag), *(["--config", str(config)] * bool(config))]
    assert main(["convert", *words]) == 0
    record, _ = replayed(bag, f"{bag}.yaml", tmp_path)
    assert_one_answer(record, tried(bag, f"{bag}.yaml", "robot", tmp_path))


def test_a_study_has_the_steps_of_its_trials(recordings, tmp_path):
    files = ["opensim/walking2.c3d", "btk_c3d/PiG_Motion3_noFF.c3d"]
    trials = [StudyTrial(recordings / name, None, TrialInfo(name)) for name in files]
    study = Study(trials, tmp_path / "out", GaitSettings())
    study.run()
    for trial, stored in zip(trials, study.stored(), strict=True):
        found = analyse_file(trial.path, None, Overrides(), trial.info, GaitSettings())
        assert list(map(as_row, stored.steps)) == list(map(as_row, found.steps))


def test_a_series_of_a_recording_is_judged_as_among_the_others(recordings):
    """Its markers tell that the heel is off the plate, which the series alone can't."""
    file = recordings / "opensim" / "walking2.c3d"
    recording = read_recording(file)
    alone = [
        contact
        for series in recording.series
        for contact in bs.replay(series, recording.processing, "slip").contacts
    ]
    alone.sort(key=lambda contact: contact.start)
    together = bs.replay_file(file, None, "slip").contacts
    assert [one.standing.refusal for one in alone] == [
        one.standing.refusal for one in together
    ]
    assert "heel marker is 16 cm beyond the edge" in alone[0].standing.refusal
    assert not alone[1].standing.refusal


def test_the_step_beside_the_plate_is_refused_and_the_other_judged(recordings, capsys):
    """OpenSim's walking2.c3d: the left heel is off its plate, so nobody is weighed."""
    file = recordings / "opensim" / "walking2.c3d"
    answer = bs.replay_file(file, None, "slip")
    left, right = answer.contacts
    assert left.foot == "left"
    assert "its heel marker is 16 cm beyond the edge" in left.standing.refusal
    assert left.forces.peak_normal == pytest.approx(766.6, abs=0.5)
    assert right.forces.required == pytest.approx(0.297, abs=0.003)
    assert np.isnan(answer.weight)
    assert bs.summary(answer)["required_largest"] == right.forces.required
    assert main(["replay", str(file), "--estimator", "slip"]) == 0
    assert "contact 1 isn't judged: the foot is partly off" in capsys.readouterr().out


def test_a_clipping_channel_spoils_its_plate_in_a_replay_too(recordings):
    recording = read_recording(recordings / "btk_c3d" / "PiG_Motion3_noFF.c3d")
    clipping = dataclasses.replace(recording.series[1], clipped=(3,))
    found = bs.replay(clipping, recording.processing, "slip").contacts
    assert [one.standing.refusal for one in found] == [
        "channel 3 of plate 2 clips: its force is cut off"
    ]


def test_a_foot_stands_on_two_plates_where_both_bear_it_for_longer_than_a_touch():
    first = Footing(foot="left", sensor="plate 1", begin=0.0, end=0.7)
    for sensor, foot, begin, spoils in (
        ("plate 2", "left", 0.3, True),
        ("plate 2", "left", 0.66, False),  # it brushes the second for 40 ms
        ("plate 2", "right", 0.3, False),
        ("plate 1", "left", 0.3, False),
    ):
        other = Footing(foot=foot, sensor=sensor, begin=begin, end=1.0)
        assert bool(on_two_plates(first, [first, other])) == spoils
    unknown = first._replace(foot="unknown")
    assert not on_two_plates(unknown, [unknown, unknown._replace(sensor="plate 2")])

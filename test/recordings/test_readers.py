# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""What other laboratories' files look like: events of every shape, low rates, wrong
units, foreign formats, batches."""

import csv
import dataclasses
import json
import math

import numpy as np
import pytest

from biped_slip.cli import main
from biped_slip.errors import InvalidRecording
from biped_slip.gait_laboratory.step import TrialInfo
from biped_slip.gait_laboratory.study import Study, StudyTrial
from biped_slip.gait_laboratory.trial import GaitSettings, analyse
from biped_slip.recordings import c3d
from biped_slip.recordings.answer import answer_record
from biped_slip.recordings.c3d_file import event_times
from biped_slip.recordings.foot_arrays import estimate_friction
from biped_slip.recordings.gait import Overrides
from biped_slip.recordings.judge.weight import body_weight
from biped_slip.recordings.registry import read_recording, recording_format
from biped_slip.recordings.replay import answer
from biped_slip.recordings.series import Stance, TimeSeries, absent

TRUE = [61.5, 2.25, 0.75, 130.0]  # [s]; the second minute among them
PAIRS = np.array([[t // 60, t % 60] for t in TRUE])


@pytest.mark.parametrize(
    "shape",
    [
        PAIRS.T,
        PAIRS.T.ravel(order="F"),
        PAIRS.ravel(),
        PAIRS.T.ravel(),
        PAIRS,
        np.array(TRUE),
        PAIRS.T[:, :, None],
    ],
    ids=[
        "two rows",
        "flat",
        "flat rows",
        "all minutes first",
        "two columns",
        "seconds",
        "three dimensions",
    ],
)
def test_event_times_of_every_shape_are_the_same_seconds(shape):
    assert event_times(shape, len(TRUE)) == pytest.approx(TRUE)


@pytest.mark.parametrize("shape", [np.empty(0), np.array(3.0), np.array([1.0])])
def test_event_times_that_are_missing_are_no_events_and_no_error(shape):
    assert len(event_times(shape, 4)) <= 1
    assert len(event_times(shape, 0)) == 0


def test_eleven_events_in_a_flat_vector_read_like_two_rows(recordings, monkeypatch):
    path = recordings / "btk_c3d" / "PiG_Motion3_noFF.c3d"
    content = c3d.load_c3d(path)
    events = {
        "event_labels": np.array(["Foot Strike"] * 11),
        "event_contexts": np.array(["Left"] * 11),
    }
    flat = np.array([[0.0, 2.0 + 0.1 * k] for k in range(11)]).ravel()
    monkeypatch.setattr(
        c3d,
        "load_c3d",
        lambda path: content | events | {"event_times": event_times(flat, 11)},
    )
    assert len(c3d.read_c3d(path).events) == 11


# ---- a parameter section that looks damaged
# ----------------------------------------------------------------------


def test_a_parameter_section_that_the_reader_opens_is_read_with_a_note(
    recordings, monkeypatch
):
    path = recordings / "btk_c3d" / "PiG_Motion3_noFF.c3d"
    monkeypatch.setattr(
        c3d,
        "_broken_chain",
        lambda parameters, order: "a parameter at byte 7 is larger than its room",
    )
    notes = c3d.read_c3d(path).notes
    assert any(
        "byte 7 is larger than its room; its reader opened it all the same" in note
        for note in notes
    )


def test_one_that_it_cannot_open_is_refused_with_what_is_broken(
    recordings, monkeypatch, tmp_path
):
    path = recordings / "btk_c3d" / "PiG_Motion3_noFF.c3d"

    def gives_up(path):
        raise InvalidRecording(path, "the C3D reader gave up")

    monkeypatch.setattr(
        c3d, "_broken_chain", lambda parameters, order: "broken at byte 7"
    )
    monkeypatch.setattr(c3d, "load_c3d", gives_up)
    with pytest.raises(
        InvalidRecording, match="broken at byte 7; it is damaged or truncated"
    ):
        c3d.read_c3d(path)


@pytest.mark.parametrize(
    ("head", "words"),
    [
        (b"#ROSBAG V2.0\n", "is a bag of ROS 1; `rosbags-convert"),
        (b"PK\x03\x04rest", "is a zip archive or an Excel workbook; unpack it"),
    ],
)
def test_formats_that_must_be_converted_are_named_with_the_remedy(
    tmp_path, head, words
):
    path = tmp_path / "walk.bag"
    path.write_bytes(head)
    with pytest.raises(InvalidRecording, match=words):
        recording_format(path)


# ---- sampling rates
# ----------------------------------------------------------------------------------------------


def resampled(series, rate):
    """The same foot, but this many samples a second."""
    step = max(1, round(1.0 / (rate * series.step)))
    names = (
        "stamp_ns",
        "force",
        "moment",
        "displacement",
        "velocity",
        "angular_rate",
        "pressure",
    )
    parts = {name: getattr(series, name)[::step] for name in names}
    shorter = [
        one._replace(stance=Stance(*(-(-edge // step) for edge in one.stance)))
        for one in series.standings
    ]
    return dataclasses.replace(series, **parts, standings=tuple(shorter))


def at_rate(recordings, rate):
    recording = read_recording(
        recordings / "btk_c3d" / "PiG_Motion3_noFF.c3d", None, Overrides()
    )
    return dataclasses.replace(
        recording, series=tuple(resampled(one, rate) for one in recording.series)
    )


@pytest.mark.parametrize("rate", [100.0, 500.0, 1000.0])
def test_at_a_hundred_samples_a_second_and_more_required_friction_is_what_it_is(
    recordings, rate
):
    found = answer(at_rate(recordings, rate), "slip")
    assert [one.forces.required for one in found.contacts] == pytest.approx(
        [0.305, 0.305, 0.340], rel=0.1
    )
    assert not any(one.undersampled for one in found.contacts)


def test_below_a_hundred_samples_a_second_it_says_at_least(recordings):
    found = answer(at_rate(recordings, 60.0), "slip")
    assert all(one.undersampled for one in found.contacts)
    assert any("required friction is a lower bound" in note for note in found.notes)
    steps = analyse(at_rate(recordings, 60.0), TrialInfo("slow"), GaitSettings()).steps
    assert all(
        step.rcof_from.startswith("at least, by") for step in steps if not step.excluded
    )


@pytest.mark.parametrize("rate", [20.0, 40.0])
def test_below_fifty_required_friction_is_refused_with_the_reason(recordings, rate):
    found = answer(at_rate(recordings, rate), "slip")
    for contact in found.contacts:
        record = answer_record(found)["contacts"][0]
        assert record["required"] is None
        assert record["peak_ratio"] is None
        assert "force ratios need at least 50 Hz" in contact.standing.refusal
    steps = analyse(at_rate(recordings, rate), TrialInfo("slow"), GaitSettings()).steps
    assert all("50 Hz" in step.excluded and math.isnan(step.required) for step in steps)


# ---- units and signs
# ---------------------------------------------------------------------------------------------


def pull(scale=1.0, sign=1.0):
    """A foot that is dragged by 3 cm after it held."""
    time = np.arange(0.0, 2.0, 1e-3)
    ratio = np.minimum(0.3, 0.3 * time)
    displacement = np.where(time > 1.0, 0.03 * (time - 1.0), 0.0)
    return {
        "time": time,
        "force_x": -ratio * 300.0 * sign,
        "force_normal": np.full(len(time), 300.0 * sign),
        "displacement_x": scale * displacement,
    }


def test_metres_and_the_ground_s_force_are_accepted():
    assert len(estimate_friction(pull(), "slip")) == 2000


def test_millimetres_that_are_called_metres_are_refused_in_one_sentence():
    with pytest.raises(
        InvalidRecording, match=r"while it stands; are its motions in mm\?"
    ):
        estimate_friction(pull(scale=1000.0), "slip")


def test_a_normal_force_that_is_negative_under_load_is_refused_in_one_sentence():
    with pytest.raises(
        InvalidRecording,
        match="normal force of foot is -300 N while loaded, but the ground pushes",
    ):
        estimate_friction(pull(sign=-1.0), "slip")


# ---- weight: quiet standing, then strides, then what is written down, then a step
# ------------------------------


def standing_and_stepping(still):
    """One plate on which a person stands for some seconds, or steps once, and another
    one for the next step."""
    time = np.arange(0.0, 6.0, 1e-3)
    feet = []
    spans = [(0.5, 0.5 + still), (0.45 + still, 1.1 + still)]
    for begin, end in spans:
        share = np.clip(np.minimum(time - begin, end - time) / 0.05, 0.0, 1.0)
        normal = 700.0 * share * (1.0 if still > 2.0 and begin == 0.5 else 0.9)
        force = np.column_stack([0.0 * normal, 0.0 * normal, normal])
        stamps = np.round(1e9 * time).astype(np.int64)
        none = {
            "displacement": absent(6000, 2),
            "velocity": absent(6000, 2),
            "angular_rate": absent(6000, 3),
        }
        series = TimeSeries("plate", stamps, force, absent(6000, 3), **none)
        feet.append((series, [Stance(round(1e3 * begin), round(1e3 * end))]))
    return feet


def test_quiet_standing_is_believed_before_a_mass_that_is_written_down():
    weight, words = body_weight(
        standing_and_stepping(3.0), [(80.0, "the mass in the file")]
    )
    assert weight == pytest.approx(700.0, rel=1e-3)
    assert "still standing" in words
    assert (
        "the mass in the file says 784.5 N; 11 % apart, check which is right" in words
    )


def test_a_mass_that_is_written_down_is_believed_before_a_single_step():
    weight, words = body_weight(
        standing_and_stepping(0.7),
        [(math.nan, "the table"), (72.0, "the mass in the file")],
    )
    assert weight == pytest.approx(72.0 * 9.80665)
    assert "% apart, check which is right" in words


def test_weights_that_agree_within_three_percent_are_named_without_a_warning():
    _, words = body_weight(standing_and_stepping(3.0), [(70.0, "the mass in the file")])
    assert "says 686.5 N" in words
    assert "check" not in words


# ---- batches
# -----------------------------------------------------------------------------------------------------

LAYOUT = """
layouts:
  - {name: one, rate: 200.0, width: 3, feet: [{name: left, force_x: {column: 1, unit: N},
     force_y: {column: 2, unit: N}, normal: {column: 3, unit: N}}]}
"""


def trials(folder, count=200):
    """Trials of one step each; five of them are broken in five ways."""
    (folder / "one.yaml").write_text(LAYOUT)
    share = np.linspace(-0.2, 1.2, 200)
    normal = np.where(
        (share > 0.0) & (share < 1.0),
        700.0 * np.sin(np.pi * np.clip(share, 0.0, 1.0)),
        0.0,
    )
    np.savetxt(
        folder / "sound.csv",
        np.column_stack([0.2 * normal * np.cos(3 * share), 0.0 * normal, normal]),
        delimiter=",",
        fmt="%.6g",
    )
    sound = (folder / "sound.csv").read_bytes()
    for number in range(count):
        (folder / f"{number:03}.csv").write_bytes(sound)
    for number, broken in (
        (10, b""),
        (50, sound.replace(b",", b",x", 3)),
        (90, b"1,2\n3,4\n"),
    ):
        (folder / f"{number:03}.csv").write_bytes(broken)
    (folder / "130.csv").unlink(missing_ok=True)
    return [folder / f"{number:03}.csv" for number in range(count)]


def crash(*arguments):
    """A defect of a reader that nobody foresaw."""
    raise IndexError("tuple index out of range")


def test_a_study_of_200_trials_of_which_five_break_has_195_answers_and_five_reasons(
    tmp_path, monkeypatch
):
    files = trials(tmp_path)
    from biped_slip.gait_laboratory import study as module

    sound = module.analyse_file
    monkeypatch.setattr(
        module,
        "analyse_file",
        lambda path, *rest: (crash if path == files[170] else sound)(path, *rest),
    )
    lines = [
        StudyTrial(path, tmp_path / "one.yaml", TrialInfo(path.name)) for path in files
    ]
    study = Study(lines, tmp_path / "out", GaitSettings())
    study.run()
    stored = list(study.stored())
    failed = {one.trial: one.failure for one in stored if one.failure}
    assert len(stored) == 200
    assert sorted(failed) == ["010.csv", "050.csv", "090.csv", "130.csv", "170.csv"]
    assert len({words.split(": ", 1)[1] for words in failed.values()}) == 5
    assert "IndexError" in failed["170.csv"]
    assert all(one.steps for one in stored if not one.failure)
    assert Study(lines, tmp_path / "out", GaitSettings()).missing == [], (
        "a study that is started again goes on"
    )


def test_a_replay_of_many_writes_each_answer_as_it_comes_and_each_failure_as_a_line(
    tmp_path, monkeypatch, capsys
):
    files = trials(tmp_path, 12)[:12]
    import biped_slip.cli.replay as command

    answered = command._answered
    seen = []

    def one(path, arguments):
        seen.append(len((tmp_path / "all.csv").read_text().splitlines()))
        if path == str(files[5]):
            crash()
        return answered(path, arguments)

    monkeypatch.setattr(command, "_answered", one)
    out = [
        "--config",
        str(tmp_path / "one.yaml"),
        "--csv",
        str(tmp_path / "all.csv"),
        "--json",
        str(tmp_path / "a.json"),
    ]
    assert main(["replay", *map(str, files), *out]) == 1
    assert seen == list(range(1, 13)), (
        "every line is there before the next recording is read"
    )
    with (tmp_path / "all.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [bool(row["refusal"]) for row in rows].count(True) == 2
    assert "IndexError" in rows[5]["refusal"]
    found = json.loads((tmp_path / "a.json").read_text())
    assert len(found["results"]) == 10
    assert len(found["tables"]["failures"]) == 2
    assert "IndexError" in capsys.readouterr().err


def test_a_single_file_that_breaks_its_reader_is_one_sentence_and_no_traceback(
    tmp_path, monkeypatch, capsys
):
    import biped_slip.cli.replay as command

    monkeypatch.setattr(command, "_answered", crash)
    assert main(["replay", "x.csv"]) == 2
    message = capsys.readouterr().err
    assert len(message.strip().splitlines()) == 1
    assert "IndexError" in message

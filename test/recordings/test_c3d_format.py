# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""C3D files that are rare but sound: read as the published description of the format
says, or refused by their own reason, never called damaged."""

import numpy as np
import pytest
from recordings.c3d_files import (
    CORNERS,
    RATE,
    SHARE,
    plates,
    step_wrench,
    two_steps,
    written,
)

from biped_slip.errors import InvalidRecording
from biped_slip.recordings.c3d import length_unit, read_c3d
from biped_slip.recordings.c3d_file import load_c3d, vax_floats
from biped_slip.recordings.replay import replay_file

#: |shear| / normal is a cosine, so between 10 and 90 % of a stance its largest is this.
REQUIRED = SHARE * np.cos(0.1 * np.pi)


def answered(path, count=2):
    """The notes of a file, whose steps all have their true required friction."""
    found = replay_file(path, None, "slip")
    assert len(found.contacts) == count
    for contact in found.contacts:
        assert not contact.standing.refusal
        assert contact.forces.required == pytest.approx(REQUIRED, abs=0.006)
    return " | ".join(found.notes)


def test_the_sound_file_that_all_others_change(tmp_path):
    assert "FRAMES" not in answered(written(tmp_path / "a.c3d", two_steps()))


# ---- number of frames: 16 bits count to 65535, so files say it elsewhere, too


def test_a_number_of_frames_may_be_a_real_number(tmp_path):
    file = written(tmp_path / "a.c3d", two_steps(), POINT={"FRAMES": 380.0})
    answered(file)
    assert len(load_c3d(file)["analog"]) == 380


def test_the_header_of_a_trimmed_trial_may_keep_the_range_of_the_whole(tmp_path):
    """POINT:FRAMES and the room in the file agree on 380; the header says 1,000."""
    file = written(tmp_path / "a.c3d", two_steps(), header={"first": 1, "last": 1000})
    assert "the header 1000, but the file holds 380" in answered(file)


def long_trial(path, **changes):
    steps = step_wrench(seconds=3.0)
    return written(path, np.tile(steps, (117, 1))[:70_000], **changes)


@pytest.mark.parametrize(
    ("frames", "last"),
    [(65535, 65535), (70_000 - 65536, 70_000 - 65536), (65535, 70_000 - 65536)],
    ids=["stop at 65535", "wrap", "both"],
)
def test_more_frames_than_16_bits_count_are_all_read_and_said(tmp_path, frames, last):
    """70,000 frames are 116 whole steps and 600 / 3 of another one's 117th."""
    file = long_trial(
        tmp_path / "long.c3d", POINT={"FRAMES": frames}, header={"last": last}
    )
    trial = read_c3d(file)
    assert len(trial.plates[0].stamp_ns) == 70_000
    assert any("the file holds 70000: all are read" in note for note in trial.notes)


@pytest.mark.parametrize(
    "changes",
    [
        {"POINT": {"FRAMES": 65535, "LONG_FRAMES": 70_000.0}},
        {"TRIAL": {"ACTUAL_START_FIELD": [1, 0], "ACTUAL_END_FIELD": [4464, 1]}},
    ],
    ids=["LONG_FRAMES", "ACTUAL_END_FIELD"],
)
def test_the_parameters_of_long_trials_count_more_than_16_bits(tmp_path, changes):
    trial = read_c3d(long_trial(tmp_path / "long.c3d", **changes))
    assert len(trial.plates[0].stamp_ns) == 70_000


def test_frames_behind_the_promised_ones_are_left_out_and_counted(tmp_path):
    changes = {"POINT": {"FRAMES": 300}, "header": {"last": 300}}
    file = written(tmp_path / "a.c3d", two_steps(), **changes)
    (note,) = load_c3d(file)["notes"]
    assert len(load_c3d(file)["analog"]) == 300
    # the block is filled up to 384 frames of 48 bytes
    assert "300 are read, 84 are left out" in note


def test_a_truncated_file_is_refused_by_all_that_it_promises(tmp_path):
    file = written(tmp_path / "a.c3d", two_steps())
    file.write_bytes(file.read_bytes()[:-4000])
    with pytest.raises(
        InvalidRecording, match=r"holds 300 of the 380 frames.*truncated"
    ):
        read_c3d(file)


# ---- rates


@pytest.mark.parametrize(
    "changes",
    [
        {"POINT": {"RATE": None}},
        {"ANALOG": {"RATE": None}},
        {"POINT": {"RATE": None}, "header": {"rate": 0.0}},
        {"POINT": {"RATE": 0.0}, "ANALOG": {"RATE": 0.0}},
    ],
    ids=["header's", "no analog rate", "analog rate alone", "zeros"],
)
def test_rates_of_forces_without_points_are_found_where_the_file_says_them(
    tmp_path, changes
):
    file = written(tmp_path / "a.c3d", two_steps(), **changes)
    answered(file)
    assert load_c3d(file)["analog_rate"] == RATE


def test_a_file_that_names_no_rate_is_refused_by_that(tmp_path):
    nothing = {"POINT": {"RATE": None}, "ANALOG": {"RATE": None}}
    file = written(tmp_path / "a.c3d", two_steps(), header={"rate": 0.0}, **nothing)
    with pytest.raises(InvalidRecording, match="at 0 Hz; ANALOG:RATE, POINT:RATE"):
        read_c3d(file)


def test_several_samples_a_frame_are_read_in_their_order(tmp_path):
    file = written(tmp_path / "a.c3d", two_steps(), samples=4)
    answered(file)
    assert load_c3d(file)["point_rate"] == RATE / 4


# ---- integers


@pytest.mark.parametrize(
    ("form", "bits", "middle", "step"),
    [("UNSIGNED", 16, 32768, 0.1), ("UNSIGNED", 12, 2048, 0.5), ("SIGNED", 16, 0, 0.1)],
)
def test_samples_of_either_sign_convention_are_the_same_forces(
    tmp_path, form, bits, middle, step
):
    """ANALOG:FORMAT UNSIGNED: samples and offsets are counted from 0."""
    counts = np.round(two_steps() / step) + middle
    changes = {
        "FORMAT": [form],
        "BITS": bits,
        "OFFSET": [middle] * 12,
        "SCALE": [step] * 12,
    }
    file = written(tmp_path / "a.c3d", counts, integers=True, ANALOG=changes)
    answered(file)
    assert load_c3d(file)["analog"] == pytest.approx(two_steps(), abs=0.51 * step)


def test_floats_of_a_vax_are_its_halves_in_the_other_order_and_four_times_as_large():
    values = np.array([0.0, 1.0, -2.5, 681.25, 1e-3], dtype="<f4")
    halves = (values * 4).view("<u2").reshape(-1, 2)[:, ::-1]
    stored = np.ascontiguousarray(halves).view("<f4").ravel()
    assert vax_floats(stored) == pytest.approx(values)


def test_sgi_byte_order_is_refused_by_its_name(tmp_path):
    file = written(tmp_path / "a.c3d", two_steps(), order=">", processor=86)
    with pytest.raises(InvalidRecording, match=r"a\.c3d: is in SGI .* convert it"):
        read_c3d(file)


def test_more_labels_than_one_list_holds_go_on_in_the_next(tmp_path):
    points = np.ones((380, 300, 4))
    names = [f"P{k}" for k in range(300)]
    lists = {"LABELS": names[:255], "LABELS2": names[255:]}
    file = written(tmp_path / "a.c3d", two_steps(), points=points, POINT=lists)
    assert read_c3d(file).markers.names == tuple(names)


# ---- units


@pytest.mark.parametrize(
    ("text", "metres"),
    [
        ("mete", 1.0),
        ("Meters", 1.0),
        ("metr", 1.0),
        ("mill", 1e-3),
        ("millimetres", 1e-3),
        ("cent", 1e-2),
        ("inch", 0.0254),
        ("mm", 1e-3),
        ("m", 1.0),
        ("me", None),
        ("furlong", None),
    ],
)
def test_names_of_units_may_be_cut(text, metres):
    assert length_unit(text) == metres


def test_a_cut_unit_is_presumed_and_said(tmp_path):
    file = written(tmp_path / "a.c3d", two_steps(), POINT={"UNITS": ["mete"]})
    assert "POINT:UNITS is 'mete': 1 m are presumed" in answered(file)


# ---- plates


def test_a_plate_that_was_never_set_up_is_left_out_beside_a_good_one(tmp_path):
    corners = plates(2)["CORNERS"]
    corners[:, :, 1] = 0.0
    file = written(tmp_path / "a.c3d", two_steps(), plates(2, CORNERS=corners))
    notes = answered(file, count=1)
    assert "plate 2 is not set up: its corners span no area: it is left out" in notes


def test_a_plate_of_a_type_without_conversion_is_left_out_beside_a_good_one(tmp_path):
    file = written(tmp_path / "a.c3d", two_steps(), plates(2, TYPE=[2, 5]))
    assert "plate 2 is of type 5, but types 1 to 4" in answered(file, count=1)


def test_a_plate_that_names_the_channels_of_another_is_left_out(tmp_path):
    """Both would show one foot's force, and together twice the weight."""
    channels = np.tile(np.arange(1, 7)[:, None], (1, 2))
    file = written(tmp_path / "a.c3d", two_steps(), plates(2, CHANNEL=channels))
    assert "plate 2 names the channels of plate 1" in answered(file, count=1)


def test_two_plates_of_two_types_are_each_converted_by_its_own(tmp_path):
    """Type 1 stores the point of application, the other the moments."""
    one = step_wrench()
    of_point = step_wrench(begin=1.1)
    of_point[:, 3] = -of_point[:, 4] / np.maximum(of_point[:, 2], 1e-9)
    of_point[:, 4] = 0.0
    units = ["N", "N", "N", "Nm", "Nm", "Nm", "N", "N", "N", "m", "m", "Nm"]
    both = np.hstack([one, of_point])
    file = written(
        tmp_path / "a.c3d", both, plates(2, TYPE=[2, 1]), ANALOG={"UNITS": units}
    )
    answered(file)
    first, second = read_c3d(file).plates
    assert second.moment[300] == pytest.approx(first.moment[180], abs=1e-3)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"USED": [0]}, r"no valid force plates \(FORCE_PLATFORM:USED 0\)"),
        ({"ORIGIN": None}, "has no FORCE_PLATFORM:ORIGIN"),
        ({"CORNERS": None}, "has no FORCE_PLATFORM:CORNERS"),
        ({"CHANNEL": None}, "has no FORCE_PLATFORM:CHANNEL"),
        ({"TYPE": [6, 7]}, "plate 1 is of type 6.*plate 2 is of type 7"),
        ({"CORNERS": np.zeros((3, 4, 2))}, "its corners span no area"),
    ],
)
def test_what_cannot_be_read_is_refused_by_its_own_reason(tmp_path, changes, words):
    file = written(tmp_path / "a.c3d", two_steps(), plates(2, **changes))
    with pytest.raises(InvalidRecording, match=words) as caught:
        read_c3d(file)
    assert "damaged" not in str(caught.value)
    assert str(file) in str(caught.value)


def test_corners_as_one_long_list_are_those_of_the_array(tmp_path):
    flat = plates(1, CORNERS=CORNERS.ravel())
    file = written(tmp_path / "a.c3d", step_wrench(), flat)
    assert read_c3d(file).plates[0].corners == pytest.approx(CORNERS)

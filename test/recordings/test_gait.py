# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Raw plates make sense: real walking, running and standing of several laboratories,
and made-up defects."""

import dataclasses
from pathlib import Path

import numpy as np
import pytest

from biped_slip.errors import BipedSlipError, InvalidRecording
from biped_slip.recordings.answer import summary
from biped_slip.recordings.gait import Overrides
from biped_slip.recordings.markers import NO_MARKERS, Markers, feet_from_markers
from biped_slip.recordings.plate_series import plate_series
from biped_slip.recordings.plates import Plate, clipped, find_zero
from biped_slip.recordings.registry import read_recording
from biped_slip.recordings.replay import answer
from biped_slip.recordings.series import Stance

CONFIGS = Path(__file__).parents[2] / "config" / "recordings"
WALKING = [
    "btk_c3d/PiG_Motion3_noFF.c3d",
    "btk_c3d/Eb015pr.c3d",
    "btk_c3d/type-2a.c3d",
    "btk_c3d/type-4a.c3d",
]
WALKING += ["opensim/walking2.c3d"]


def answered(recordings, name, config=None):
    path = config and CONFIGS / f"{config}.yaml"
    return answer(read_recording(recordings / name, path, Overrides()), "slip")


def column(result, name):
    return [getattr(contact.forces, name) for contact in result.contacts]


# ---- recorded data: the numbers were computed independently
# ----------------------------------------------------


def test_three_steps_over_three_plates(recordings):
    result = answered(recordings, "btk_c3d/PiG_Motion3_noFF.c3d")
    contacts = result.contacts
    assert [contact.foot for contact in contacts] == ["left", "right", "left"]
    assert [contact.sensor for contact in contacts] == ["plate 1", "plate 2", "plate 3"]
    assert [contact.start for contact in contacts] == pytest.approx(
        [0.613, 1.142, 1.691], abs=0.003
    )
    assert [contact.end for contact in contacts] == pytest.approx(
        [1.271, 1.805, 2.355], abs=0.003
    )
    assert column(result, "peak_normal") == pytest.approx([793, 823, 827], abs=1.0)
    assert column(result, "required") == pytest.approx([0.305, 0.305, 0.340], abs=0.003)
    assert result.weight == pytest.approx(709.0, rel=0.005)


def test_plates_with_large_offsets_are_zeroed_before_anything_else(recordings):
    result = answered(recordings, "btk_c3d/Eb015pr.c3d")
    contacts = result.contacts
    assert [contact.sensor for contact in contacts] == ["plate 2", "plate 1"]
    assert [contact.start for contact in contacts] == pytest.approx(
        [2.72, 5.39], abs=0.02
    )
    assert [contact.end for contact in contacts] == pytest.approx(
        [4.98, 7.33], abs=0.02
    )
    assert column(result, "peak_normal") == pytest.approx([807, 817], abs=3.0)
    assert column(result, "required") == pytest.approx([0.129, 0.181], abs=0.005)


def test_a_trial_with_unloaded_offsets_of_20_newtons(recordings):
    result = answered(recordings, "opensim/walking2.c3d")
    assert [contact.sensor for contact in result.contacts] == ["plate 2", "plate 1"]
    assert [contact.foot for contact in result.contacts] == ["left", "right"]
    assert column(result, "peak_normal") == pytest.approx([766.6, 964.6], abs=0.5)
    assert column(result, "required") == pytest.approx(
        [np.nan, 0.297], abs=0.003, nan_ok=True
    )
    assert any("(2.3, -0.9, -13.7) N removed" in note for note in result.notes)


def test_an_opensim_force_file_of_two_feet(recordings):
    result = answered(recordings, "opensim/gait10dof18musc_subject01_walk_grf.mot")
    assert result.weight == pytest.approx(714.8, rel=0.005)
    peaks = {
        side: max(c.forces.peak_normal for c in result.contacts if c.foot == side)
        for side in ("left", "right")
    }
    assert peaks == pytest.approx({"right": 804.9, "left": 810.8}, abs=0.5)
    whole = [
        contact
        for contact in result.contacts
        if contact.start > 0.0 and contact.end < 2.49
    ]
    assert [(c.foot, c.forces.required) for c in whole] == [
        ("left", pytest.approx(0.248, abs=0.003)),
        ("right", pytest.approx(0.243, abs=0.003)),
        ("left", pytest.approx(0.252, abs=0.003)),
    ]


def test_running_with_flight_between_the_steps(recordings):
    result = answered(recordings, "bmclab/grf_run.mot")
    contacts = result.contacts
    assert [(c.foot, round(c.start, 3), round(c.end, 3)) for c in contacts] == [
        ("right", 0.06, 0.29),
        ("left", 0.407, 0.653),
    ]
    assert column(result, "peak_normal") == pytest.approx([1751, 1623], abs=1.0)
    assert column(result, "required") == pytest.approx([0.357, 0.300], abs=0.003)


def test_quiet_standing_with_one_foot_on_each_plate(recordings):
    result = answered(recordings, "bmclab/PDS13OR1grf.txt.gz", "bmclab")
    assert result.weight == pytest.approx(635.39, abs=0.01)
    assert [(c.foot, c.peak_ratio) for c in result.contacts] == [
        ("right", pytest.approx(0.0535, abs=1e-4)),
        ("left", pytest.approx(0.0465, abs=1e-4)),
    ]
    assert summary(result)["slip_count"] == 0


def test_standing_with_both_feet_on_one_plate_is_weighed_but_not_judged(recordings):
    result = answered(recordings, "pycgm/Sample_Static.c3d")
    assert result.weight == pytest.approx(781.28, abs=0.01)
    (contact,) = result.contacts
    assert contact.foot == "both"
    assert "two feet on one plate" in contact.standing.refusal
    assert contact.mu_median is None
    assert contact.peak_ratio == pytest.approx(0.013, abs=0.0005)


def test_a_walking_humanoid_is_weighed_and_its_phases_are_found(recordings):
    result = answered(
        recordings, "gem_valkyrie/valkyrie_rows0-7999.csv.gz", "gem_valkyrie_truth"
    )
    assert result.weight == pytest.approx(1317.7, rel=0.005)
    labels = np.genfromtxt(
        recordings / "gem_valkyrie" / "valkyrie_rows0-7999.csv.gz",
        delimiter=",",
        skip_header=1,
    )[:, -1]
    standing = np.zeros((2, len(labels)), dtype=bool)
    for contact in result.contacts:
        standing[int(contact.foot == "right"), slice(*contact.standing.stance)] = True
    phase = np.where(standing[0] & standing[1], 0, np.where(standing[0], 1, 2))
    assert np.mean(phase == labels) > 0.99
    assert summary(result)["slip_count"] == 0


def test_an_ankle_sensor_is_freed_of_the_weight_of_the_foot_below_it(recordings):
    result = answered(
        recordings, "gem_valkyrie/valkyrie_rows0-7999.csv.gz", "gem_valkyrie"
    )
    notes = " ".join(result.notes)
    for side, expected in (("left", (-0.1, 0.0, -22.7)), ("right", (-0.9, 0.0, -21.7))):
        found = notes.split(f"{side}: offsets (")[1].split(")")[0]
        assert [float(value) for value in found.split(",")] == pytest.approx(
            expected, abs=0.5
        )
    assert summary(result)["slip_count"] == 0


@pytest.mark.parametrize(
    "name",
    [*WALKING, "opensim/gait10dof18musc_subject01_walk_grf.mot", "bmclab/grf_run.mot"],
)
def test_healthy_gait_on_dry_floors_raises_no_slip(recordings, name):
    result = answered(recordings, name)
    assert len(result.contacts) >= 2
    assert summary(result)["slip_count"] == 0
    whole = [
        contact.forces.required
        for contact in result.contacts
        if contact.end - contact.start > 0.2 and not contact.standing.refusal
    ]
    assert len(whole) >= 1
    assert 0.12 < min(whole)
    assert max(whole) < 0.40


# ---- made-up plates: defects, signs and axes
# ---------------------------------------------------------------------

RATE = 500.0


def walk(steps=4, weight=700.0, offset=(4.0, -2.0, 15.0), noise=1.0, seed=3):
    """Two plates on which left and right feet step in turn along +x; z up."""
    rng = np.random.default_rng(seed)
    time = np.arange(0.0, 0.6 * steps + 1.0, 1.0 / RATE)
    plates = []
    for number in range(2):
        force = np.zeros((len(time), 3))
        moment = np.zeros((len(time), 3))
        for step in range(number, steps, 2):
            phase = (time - 0.4 - 0.6 * step) / 0.7
            on = (phase > 0.0) & (phase < 1.0)
            # neighbours add up to the weight
            load = np.minimum(1.0, np.minimum(phase, 1.0 - phase) * 7.0)[on] * weight
            force[on, 2] = load
            force[on, 0] = -0.18 * load * np.sin(2 * np.pi * phase[on])
            y = 0.1 if number == 0 else -0.1
            moment[on, 0], moment[on, 1] = y * load, -(phase[on] * 0.2 - 0.1) * load
        force += np.array(offset) + rng.normal(0, noise, force.shape)
        stamps = np.round(time * 1e9).astype(np.int64)
        plates.append(
            Plate(
                name=f"plate {number + 1}",
                stamp_ns=stamps,
                force=force,
                moment=moment,
                centre=np.zeros(3),
            )
        )
    return plates


def turned(plates, matrix):
    return [
        dataclasses.replace(p, force=p.force @ matrix.T, moment=p.moment @ matrix.T)
        for p in plates
    ]


def series(plates, **overrides):
    return plate_series("made.c3d", plates, NO_MARKERS, Overrides(**overrides))


def test_offsets_are_found_in_the_unloaded_stretches_and_removed():
    found = series(walk(offset=(8.0, -5.0, 30.0)))
    for one in found:
        empty = np.ones(len(one.stamp_ns), dtype=bool)
        for standing in one.standings:
            empty[max(0, standing.stance.first - 20) : standing.stance.last + 20] = (
                False
            )
        assert np.abs(one.force[empty].mean(axis=0)).max() < 0.5


def test_sides_follow_from_where_consecutive_steps_press():
    assert [[s.foot for s in one.standings] for one in series(walk())] == [
        ["left", "left"],
        ["right", "right"],
    ]


@pytest.mark.parametrize("up", range(3))
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_any_vertical_axis_and_either_sign_give_the_same_series(up, sign):
    cycle = np.roll(np.eye(3), up + 1, axis=0)  # z goes to axis `up`, right-handed
    usual = series(walk())
    other = series(turned(walk(), sign * cycle))
    for one, two in zip(usual, other, strict=True):
        assert two.force[:, 2] == pytest.approx(one.force[:, 2], abs=1e-9)
        assert two.ratio[one.force[:, 2] > 50] == pytest.approx(
            one.ratio[one.force[:, 2] > 50], abs=1e-9
        )
    words = " ".join(other[0].provenance)
    assert f"{'xyz'[up]} is vertical" in words
    assert ("all signs are turned" in words) == (sign < 0.0)


def test_the_walking_direction_is_told_by_the_shear_when_there_are_no_markers():
    assert "forward is +x: the larger shear" in " ".join(series(walk())[0].provenance)
    back = np.diag([-1.0, -1.0, 1.0])
    assert "forward is -x" in " ".join(series(turned(walk(), back))[0].provenance)


def test_axes_can_be_told_instead_of_detected():
    words = " ".join(series(walk(), vertical="+z", forward="+y")[0].provenance)
    assert "vertical axis +z, as requested" in words
    assert "forward is +y, as requested" in words


def test_forces_without_a_dominant_axis_are_refused_with_the_remedy():
    axes = np.array([[1.0, -1.0, 0.0], [1.0, 1.0, -2.0], [1.0, 1.0, 1.0]])
    # rows: where the plate's axes point
    tilted = axes / np.linalg.norm(axes, axis=1, keepdims=True)
    with pytest.raises(BipedSlipError, match="--vertical"):
        series(turned(walk(), tilted.T))


def test_a_plate_on_which_nobody_stands_is_refused():
    plates = [dataclasses.replace(plate, force=plate.force * 1e-3) for plate in walk()]
    with pytest.raises(InvalidRecording, match="no plate is loaded"):
        series(plates)


def test_weight_is_the_mean_over_whole_strides():
    from biped_slip.recordings.judge.weight import body_weight

    found = series(walk(steps=7))
    weight, words = body_weight(
        [(one, [s.stance for s in one.standings]) for one in found]
    )
    assert weight == pytest.approx(700.0, rel=1e-4)
    assert "stride" in words


def test_drift_of_the_zero_is_followed_and_reported():
    plates = walk(steps=8)
    drifting = [
        dataclasses.replace(
            p, force=p.force + np.outer(p.stamp_ns * 1e-9, [0.0, 0.0, 3.0])
        )
        for p in plates
    ]
    steady = series(plates)
    found = series(drifting)
    assert "drift of 180 N per minute" in " ".join(found[0].provenance)
    assert np.abs(found[0].force[:, 2] - steady[0].force[:, 2]).max() < 2.0


def test_a_clipped_channel_is_reported_and_a_resting_one_is_not():
    time = np.arange(0.0, 2.0, 1e-3)
    load = np.maximum(0.0, np.sin(np.pi * time)) * 900.0
    noisy = load + np.random.default_rng(1).normal(0, 1, len(time))
    channels = np.column_stack([np.minimum(noisy, 600.0), noisy, load])
    assert clipped(channels, load < 1.0) == [0]


def test_a_plate_that_is_never_unloaded_keeps_its_reading():
    time = np.arange(0.0, 2.0, 0.01)
    load = 700.0 + np.random.default_rng(1).normal(0, 2, len(time))
    zero = find_zero(time, np.column_stack([load] * 3), load)
    assert not zero.reading.any()
    assert "never unloaded" in zero.note


def test_missing_samples_of_a_plate_do_not_become_stances_or_numbers():
    plates = walk()
    force = plates[0].force.copy()
    force[380:420] = np.nan
    found = series([dataclasses.replace(plates[0], force=force), plates[1]])
    for standing in found[0].standings:
        assert np.isfinite(
            found[0].force[standing.stance.first : standing.stance.last]
        ).all()


def markers(sliding=0.0):
    """Foot markers of the walk above on 100 Hz: they stand while the foot stands, and
    may slide."""
    time = np.arange(0.0, 3.4, 0.01)
    position = np.full((len(time), 4, 3), 0.02)
    for number, side_y in ((0, 0.1), (1, -0.1)):
        x = np.full(len(time), -0.6 + 0.3 * number)
        for step in range(number, 4, 2):
            begin = 0.4 + 0.6 * step
            on = (time >= begin) & (time < begin + 0.7)
            x[on] = np.where(
                time[on] > begin + 0.25, sliding * (time[on] - begin - 0.25), 0.0
            )
        position[:, 2 * number : 2 * number + 2, 0] = x[:, None] + [[-0.1, 0.1]]
        position[:, 2 * number : 2 * number + 2, 1] = side_y
    return Markers(("LHEE", "LTOE", "RHEE", "RTOE"), 100.0, position)


def test_markers_name_the_foot_and_give_its_motion():
    found = plate_series("made.c3d", walk(), markers(), Overrides(forward="+x"))
    assert [[s.foot for s in one.standings] for one in found] == [
        ["left", "left"],
        ["right", "right"],
    ]
    stance = found[0].standings[0].stance
    middle = slice(stance.first + 100, stance.last - 100)
    assert np.abs(found[0].velocity[middle]).max() < 1e-9
    assert found[0].motion.source == "marker"


def crutch(beside=0.4, height=0.0):
    """A press of 0.6 s on a plate, and the markers of two feet that walk past it."""
    rate = 100.0
    time = np.arange(0.0, 2.0, 1.0 / rate)
    # it swings by at 2.5 m/s, no higher than a standing foot
    left = np.column_stack([2.5 * (time - 0.5), 0.1 + 0.0 * time, 0.03 + 0.0 * time])
    right = np.tile([1.0, beside, 0.03], (len(time), 1))
    right[60:130, 2] += height
    markers = Markers(
        names=("LHEE", "LTOE", "RHEE", "RTOE"),
        rate=rate,
        position=np.stack([left, left, right, right], axis=1),
    )
    pressure = np.tile([1.0, 0.0, 0.0], (len(time), 1))
    corners = np.array([[0.7, -0.3, 0], [1.3, -0.3, 0], [1.3, 0.3, 0], [0.7, 0.3, 0]])
    return feet_from_markers(Stance(60, 120), time, pressure, corners, markers, 2)


def test_a_press_where_no_foot_is_near_and_low_is_that_of_a_stick_or_a_hand():
    # the right foot stands 0.4 m beside, the left passes in 0.24 s, as low
    foot, refusal = crutch()
    assert foot == "none"
    assert "stick, hand?" in refusal
    # near it, but raised all the time
    assert crutch(beside=0.05, height=0.2)[0] == "none"


def test_a_foot_that_stands_on_the_plate_is_no_stick():
    assert crutch(beside=0.05) == ("right", "")

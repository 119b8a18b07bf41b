# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The direction of a load is found of each plate and each foot by itself: turned with a
note, or refused by the sensor's name. What hardly can be is doubted in words."""

import numpy as np
import pytest
from recordings.c3d_files import SHARE, step_wrench, two_steps, written
from recordings.wrench_bags import table_of, walking, wrench_bag

from biped_slip.errors import InvalidRecording
from biped_slip.gait_laboratory.step import TrialInfo
from biped_slip.gait_laboratory.trial import GaitSettings, analyse_file
from biped_slip.recordings.gait import Overrides
from biped_slip.recordings.plausibility import Found, doubts
from biped_slip.recordings.replay import replay_file

REQUIRED = SHARE * np.cos(0.1 * np.pi)


def answered(file, **overrides):
    return replay_file(file, None, "slip", overrides=Overrides(**overrides))


@pytest.mark.parametrize("flipped", [(), (0,), (1,), (0, 1)])
@pytest.mark.parametrize("vertical", ["", "+z", "-z"])
def test_each_plate_is_turned_by_its_own_load(tmp_path, flipped, vertical):
    """Two steps of 700 N, whichever plates record the force of the foot on them."""
    both = two_steps()
    for plate in flipped:
        both[:, 6 * plate : 6 * plate + 6] *= -1.0
    found = answered(written(tmp_path / "a.c3d", both), vertical=vertical)
    assert [one.forces.required for one in found.contacts] == pytest.approx(
        [REQUIRED] * 2, abs=0.006
    )
    assert [one.forces.peak_normal for one in found.contacts] == pytest.approx(
        [700.0] * 2, rel=0.01
    )
    notes = " ".join(found.notes)
    if not vertical:
        assert ("plate 2: its loaded force" in notes) == (flipped == (1,))
        assert ("all signs are turned" in notes) == (flipped == (0, 1))


def test_a_plate_that_bears_a_part_of_a_foot_is_turned_by_its_own_load_as_well(
    tmp_path,
):
    """100 of 700 N: the toes alone, on a plate of the other sign."""
    both = np.hstack([step_wrench(), -step_wrench(begin=1.1, weight=100.0)])
    found = answered(written(tmp_path / "a.c3d", both))
    assert [round(one.forces.peak_normal, -1) for one in found.contacts] == [700, 100]
    assert "plate 2: its loaded force along z is -" in " ".join(found.notes)


def test_an_unloaded_plate_with_an_offset_goes_with_the_others(tmp_path):
    """Its reading of -30 N is no load, so it tells nothing of its direction."""
    both = two_steps()
    both[:, 6:] = [0.0, 0.0, -30.0, 0.0, 0.0, 0.0]
    found = answered(written(tmp_path / "a.c3d", both))
    assert [one.sensor for one in found.contacts] == ["plate 1"]
    assert "plate 2: its loaded force" not in " ".join(found.notes)


def test_a_plate_that_bears_its_load_along_another_axis_is_refused_by_name(tmp_path):
    both = np.hstack([step_wrench(weight=900.0), step_wrench(begin=1.1)])
    both[:, [6, 8]] = both[:, [8, 6]]
    file = written(tmp_path / "a.c3d", both)
    for vertical in ("", "+z"):
        with pytest.raises(InvalidRecording, match=r"plate 2 bears its load along x"):
            answered(file, vertical=vertical)


# ---- feet of tables and bags

TURNS = {
    "weight on x": np.array([[0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0]]),
    "weight on -y": np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]]),
    "z down": np.diag([1.0, -1.0, -1.0]),
}
WORDS = {
    "weight on x": r"right.* bears its load along \+x \(\d+ N\), not along z",
    "weight on -y": r"right.* bears its load along -y \(\d+ N\), not along z",
    "z down": r"normal force of right.* is -\d+ N while loaded.*sign: -1",
}


@pytest.mark.parametrize("turn", TURNS)
@pytest.mark.parametrize("as_bag", [False, True], ids=["table", "bag"])
def test_a_sensor_that_is_mounted_turned_is_refused_by_its_name(tmp_path, turn, as_bag):
    """One foot of two: its load of 500 N lies along another axis than +z."""
    feet = walking()
    feet["right"][:, :3] = feet["right"][:, :3] @ TURNS[turn].T
    if as_bag:
        file = wrench_bag(tmp_path / "bag", feet)
        config = None
    else:
        file, config = table_of(tmp_path, feet)
    for command in (
        lambda: replay_file(file, config, "slip"),
        lambda: analyse_file(file, config, Overrides(), TrialInfo("a"), GaitSettings()),
    ):
        with pytest.raises(InvalidRecording, match=WORDS[turn]):
            command()


def test_a_foot_that_slides_on_rubber_is_not_taken_for_a_turned_sensor(tmp_path):
    """A friction of 1.2 is rare but is none that another axis carries."""
    feet = walking()
    for force in feet.values():
        force[:, 0] = 1.2 * force[:, 2]
    found = replay_file(*table_of(tmp_path, feet), "slip")
    assert len(found.contacts) == 4
    assert not any("doubted" in note for note in found.notes)


# ---- doubts


def test_a_force_ratio_that_no_floor_gives_is_doubted_in_both_commands(tmp_path):
    """Shear ten times as large as it was: a friction of 1.9 cos(0.1 pi) is required."""
    both = two_steps()
    both[:, [0, 6]] *= 10.0
    file = written(tmp_path / "a.c3d", both)
    words = "required friction of 1.79 is doubted"
    assert any(words in note for note in answered(file).notes)
    steps = analyse_file(file, None, Overrides(), TrialInfo("a"), GaitSettings())
    assert any(words in note for note in steps.notes)


@pytest.mark.parametrize(
    ("weight", "peak", "doubted"),
    [
        (27.2, 680.0, True),
        (680.0, 700.0, False),
        (600.0, 1700.0, False),  # a runner
        (53.0, 60.0, False),  # a small robot
        (-0.0001, 480.0, True),
        (float("nan"), 480.0, False),
    ],
)
def test_a_weight_that_is_nothing_beside_the_forces_is_doubted(weight, peak, doubted):
    found = doubts([Found(peak, 0.2, 0.2)] * 3, weight)
    assert len(found) == doubted
    if doubted:
        assert (
            f"{weight:.3g} N is doubted beside normal forces of {peak:.3g}" in found[0]
        )


def test_a_person_of_three_kilograms_is_doubted_and_a_robot_is_not():
    found = [Found(30.0, 0.2, 0.2)]
    assert doubts(found, 27.0) == []
    assert "a weight of 27 N is doubted: no person" in doubts(found, 27.0, True)[0]
    assert doubts(found, 90.0, True) == []


def test_what_is_unknown_is_not_doubted():
    assert doubts([Found(float("nan"), None, float("nan"))], float("nan")) == []
    assert doubts([], float("nan")) == []


# ---- one weight


@pytest.mark.parametrize("alone", [False, True])
def test_one_file_has_one_weight_in_both_commands_and_names_both_sources(
    tmp_path, alone
):
    """80 kg are written down twice, once as 74.8 kg; a step or two tell another."""
    groups = {"PROCESSING": {"Bodymass": 80.0}, "SUBJECT": {"WEIGHT": 74.8}}
    analog = step_wrench() if alone else two_steps()
    file = written(tmp_path / "a.c3d", analog, groups=groups)
    found = answered(file)
    steps = analyse_file(file, None, Overrides(), TrialInfo("a"), GaitSettings())
    assert {step.weight_n for step in steps.steps} == {found.weight}
    assert found.weight == pytest.approx(784.5, abs=0.1)
    assert {step.weight_from for step in steps.steps} == {found.weight_note}
    if not alone:
        assert "mean over 1 step" in found.weight_note
        assert "check which is right" in found.weight_note
    for notes in (found.notes, steps.notes):
        assert any("BODYMASS 80 kg and SUBJECT:WEIGHT 74.8 kg" in n for n in notes)

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Small sound files that were answered wrongly once: each is the same few steps, changed
in one point, and answered as those are, or refused by its own reason."""

from pathlib import Path

import numpy as np
import pytest

from biped_slip.errors import InvalidRecording
from biped_slip.gait_laboratory.step import TrialInfo
from biped_slip.gait_laboratory.trial import GaitSettings, analyse_file
from biped_slip.recordings.gait import Overrides
from biped_slip.recordings.replay import replay_file

INPUTS = Path(__file__).parents[3] / "shared" / "bug-inputs"
#: Of the two steps and of the four: numbers of stances, required friction, weight [N].
TWO = (2, 0.193, 679.7)
FOUR = (4, 0.1895, 484.8)


@pytest.fixture
def inputs():
    if not INPUTS.is_dir():
        pytest.skip(f"the inputs are not at {INPUTS}")
    return INPUTS


@pytest.mark.parametrize(
    ("file", "config", "right", "note"),
    [
        ("00-control/control.c3d", "", TWO, ""),
        ("00-control/bag", "", FOUR, ""),
        ("00-control/table.csv", "00-control/table.yaml", FOUR, ""),
        ("01-plates-of-opposite-sign/two.c3d", "", TWO, "plate 2: its loaded force"),
        ("03-offset/bag", "03-offset/feet.yaml", FOUR, "offsets (5.0, 0.0, 25.0) N"),
        ("03-offset/table.csv", "03-offset/table.yaml", FOUR, "offsets (5.0"),
        ("04-clipping/one-newton.c3d", "", TWO, ""),
        ("04-clipping/interpolated.c3d", "", TWO, ""),
        ("05-force-only/no-point-rate.c3d", "", TWO, ""),
        ("05-force-only/no-analog-rate.c3d", "", TWO, ""),
        ("06-frames-as-float/float.c3d", "", TWO, ""),
        ("08-belt/belt.c3d", "", (4, 0.193, 679.7), ""),
        (
            "10-same-names/two-plates.csv",
            "10-same-names/table.yaml",
            FOUR,
            "Fx stands 2 times",
        ),
        ("10-same-names/two-plates.mot", "", FOUR, "ground_force_vx stands 2 times"),
        (
            "11-preamble/five-lines.csv",
            "11-preamble/names.yaml",
            FOUR,
            "first 3 lines are skipped",
        ),
        ("11-preamble/units-line.csv", "11-preamble/table.yaml", FOUR, "line 2 is"),
        ("11-preamble/quoted.csv", "11-preamble/table.yaml", FOUR, ""),
        ("15-unsigned/unsigned.c3d", "", TWO, ""),
        ("16-wrist/bag", "", FOUR, "/left_wrist_ft/wrench is named after another"),
    ],
)
def test_a_sound_file_has_the_answer_of_its_steps(inputs, file, config, right, note):
    settings = str(inputs / config) if config else None
    found = replay_file(inputs / file, settings, "slip")
    count, required, weight = right
    assert len(found.contacts) == count
    for contact in found.contacts:
        assert contact.forces.required == pytest.approx(required, abs=0.004)
    assert found.weight == pytest.approx(weight, abs=1.5)
    assert note in " | ".join(found.notes)
    steps = analyse_file(
        inputs / file, settings, Overrides(), TrialInfo("a"), GaitSettings()
    ).steps
    assert [step.required for step in steps] == [
        contact.forces.required for contact in found.contacts
    ]
    assert not any(step.excluded for step in steps)
    assert {step.weight_n for step in steps} == {found.weight}


@pytest.mark.parametrize(
    ("file", "config", "words"),
    [
        ("02-wrench-axes/weight-on-x", "", r"left.* its load along \+x"),
        ("02-wrench-axes/weight-on-x.csv", "02-wrench-axes/table.yaml", r"along \+x"),
        ("02-wrench-axes/z-down", "", "normal force of left .* is -486 N while"),
        ("17-words/used-zero.c3d", "", r"no valid force plates .*USED 0"),
        ("17-words/no-origin.c3d", "", "has no FORCE_PLATFORM:ORIGIN"),
        ("17-words/big-endian.c3d", "", "SGI .* byte order.* convert it"),
        ("21-ros1-in-mcap/ros1.mcap", "", "holds messages of ROS 1; `rosbags-conv"),
    ],
)
def test_what_cannot_be_read_is_refused_by_its_own_reason(inputs, file, config, words):
    with pytest.raises(InvalidRecording, match=words) as caught:
        replay_file(inputs / file, str(inputs / config) if config else None, "slip")
    assert "damaged" not in str(caught.value)


@pytest.mark.parametrize(
    "file",
    [
        "20-type-1-point/clip_type1.c3d",
        "20-type-1-point/clip_type2.c3d",
        "22-twelve-bits/noise_half_a_count.c3d",
        "22-twelve-bits/noise_half_a_count_2.c3d",
        "22-twelve-bits/noise_one_count.c3d",
    ],
)
def test_a_single_sound_step_is_judged(inputs, file):
    (step,) = analyse_file(
        inputs / file, None, Overrides(), TrialInfo("a"), GaitSettings()
    ).steps
    assert not step.excluded
    assert step.required == pytest.approx(0.192, abs=0.004)


def test_opposite_plates_are_turned_with_a_requested_axis_as_well(inputs):
    file = inputs / "01-plates-of-opposite-sign" / "two.c3d"
    found = replay_file(file, None, "slip", overrides=Overrides(vertical="+z"))
    assert [round(one.forces.required, 3) for one in found.contacts] == [0.193] * 2


def test_the_stances_of_repeated_names_begin_when_each_foot_lands(inputs):
    folder = inputs / "10-same-names"
    for file, config in (("two-plates.csv", "table.yaml"), ("two-plates.mot", "")):
        settings = str(folder / config) if config else None
        found = replay_file(folder / file, settings, "slip")
        starts = [one.start for one in found.contacts]
        assert np.allclose(starts, [0.26, 0.81, 1.36, 1.91], atol=0.011)

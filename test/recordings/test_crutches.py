# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""A patient on crutches: the tip of a stick on a plate is no foot and asks no friction
of one, in both commands."""

import numpy as np
import pytest
from recordings.c3d_files import RATE, SHARE, step_wrench, written

from biped_slip.gait_laboratory.step import TrialInfo
from biped_slip.gait_laboratory.trial import GaitSettings, analyse_file
from biped_slip.recordings.gait import Overrides
from biped_slip.recordings.registry import read_recording
from biped_slip.recordings.replay import answer

SAMPLES = 2  # of the plates in a frame of the markers
NAMES = ["LHEE", "LTOE", "RHEE", "RTOE"]


def tip(slide=0.25, begin=1.1):
    """A press of 100 N that the tip holds with a constant ratio of ``slide``."""
    press = step_wrench(begin=begin, weight=100.0)
    press[:, 0] = -slide * press[:, 2]
    return press


def walker(right_place=0.9, right_side=0.1):
    """Foot markers (frames, 4, 4) [m]: the left foot stands on plate 1 from 0.5 to
    1.2 s, the right one at its place from 1.1 s on."""
    time = np.arange(round(1.9 * RATE) // SAMPLES) * SAMPLES / RATE
    found = np.zeros((len(time), 4, 4))
    moves = [  # times and places of each foot, and its side
        ([0.0, 0.45, 1.25, 1.9], [-0.6, 0.3, 0.3, 1.5], 0.2),
        ([0.0, 0.5, 1.05, 1.9], [-0.2, -0.2, right_place, right_place], right_side),
    ]
    for foot, (times, places, side) in enumerate(moves):
        along = np.interp(time, times, places)
        high = np.where(np.gradient(along) > 1e-6, 0.12, 0.03)
        for part, reach in enumerate((-0.1, 0.1)):
            marker = found[:, 2 * foot + part]
            marker[:, 0] = along + reach
            marker[:, 1] = side
            marker[:, 2] = high
    return found


def trial_file(tmp_path, wrench, markers):
    return written(
        tmp_path / "crutches.c3d",
        np.hstack([step_wrench(), wrench]),
        points=markers,
        samples=SAMPLES,
        POINT={"LABELS": NAMES},
    )


def both_answers(file):
    """The columns of replay, and the steps of the gait laboratory."""
    replayed = answer(read_recording(file, None, Overrides()), "slip")
    steps = analyse_file(file, None, Overrides(), TrialInfo("a"), GaitSettings()).steps
    return replayed, steps


@pytest.mark.parametrize("slide", [0.05, 0.25, 0.6])
def test_the_tip_of_a_crutch_is_no_foot(tmp_path, slide):
    """The foot needs 0.19 cos(0.1 pi) = 0.181, at 10 % of its stance, whatever the
    tip holds: no value of the tip is a foot's."""
    replayed, steps = both_answers(trial_file(tmp_path, tip(slide), walker()))
    foot, stick = replayed["required"]
    assert list(replayed["foot"]) == ["left", "none"]
    assert foot == pytest.approx(SHARE * np.cos(0.1 * np.pi), abs=0.003)
    assert np.isnan(stick)
    assert "stick, hand?" in replayed["refusal"][1]
    assert [row.slips for row in replayed.contacts] == [(), ()]
    assert [step.excluded != "" for step in steps] == [False, True]
    assert "stick, hand?" in steps[1].excluded
    assert steps[0].required == pytest.approx(foot, abs=1e-9)


def test_a_light_step_where_a_foot_stands_is_no_crutch(tmp_path):
    """As light as a tip, but the right foot stands there: a foot that is spared."""
    markers = walker(right_place=0.3, right_side=-0.3)
    replayed, _ = both_answers(trial_file(tmp_path, tip(), markers))
    assert list(replayed["foot"]) == ["left", "right"]
    assert not any("stick" in str(words) for words in replayed["refusal"])

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Treadmills: pressure that a belt carries back is that of one foot."""

import numpy as np
import pytest
from recordings.c3d_files import plates, written

from biped_slip.gait_laboratory.step import TrialInfo
from biped_slip.gait_laboratory.trial import GaitSettings, analyse_file
from biped_slip.recordings.gait import Overrides
from biped_slip.recordings.markers import speed_backward
from biped_slip.recordings.replay import replay_file

RATE = 200.0
LONG, WIDE = 1.8, 0.5  # [m] of each belt's plate
ROLL = 0.2  # [m] from heel to toe
STEP, STANCE = 0.55, 0.65  # [s]


def on_plate(places, begin, weight=700.0, seconds=3.0, shear=0.19):
    """Wrench about a plate's centre, (n, 6), of a step whose pressure goes through
    ``places`` (along the plate [m]) at even times."""
    time = np.arange(round(seconds * RATE)) / RATE
    share = np.clip((time - begin) / STANCE, 0.0, 1.0)
    normal = weight * np.sin(np.pi * share) ** 0.3
    place = np.interp(share, np.linspace(0.0, 1.0, len(places)), places)
    force = -shear * normal * np.cos(np.pi * share)
    zero = np.zeros_like(time)
    return np.column_stack([force, zero, normal, zero, -place * normal, zero])


def file_of(path, steps):
    """A file of two plates side by side, left y > 0; steps: (plate, wrench)."""
    analog = np.zeros((len(steps[0][1]), 12))
    for plate, wrench in steps:
        analog[:, 6 * plate : 6 * plate + 6] += wrench
    corners = np.array(
        [[LONG / 2, WIDE], [-LONG / 2, WIDE], [-LONG / 2, 0.0], [LONG / 2, 0.0]]
    )
    left = np.column_stack([corners, np.zeros(4)])
    both = np.stack([left.T, (left - [0.0, WIDE, 0.0]).T], axis=2)
    return written(path, analog, plates(2, CORNERS=both))


def walk_on_belts(path, speed, roll=(0.0, ROLL)):
    """Four steps; the foot rolls on while the belt carries it back."""
    rolled = np.interp(
        np.linspace(0.0, 1.0, 101), np.linspace(0.0, 1.0, len(roll)), roll
    )
    way = rolled - speed * STANCE * np.linspace(0.0, 1.0, 101) + 0.3
    steps = [(number % 2, on_plate(way, 0.3 + STEP * number)) for number in range(4)]
    return file_of(path, steps)


def steps_of(file):
    return analyse_file(file, None, Overrides(), TrialInfo("a"), GaitSettings()).steps


@pytest.mark.parametrize("speed", [0.6, 0.9, 1.2, 1.6])
@pytest.mark.parametrize(
    "roll", [(0.0, ROLL), (0.0, 0.09, 0.13, 0.17, ROLL)], ids=["even", "heel first"]
)
def test_a_step_on_a_belt_is_one_foot_and_the_table_has_the_belts_speed(
    tmp_path, speed, roll
):
    """The pressure goes back by the belt's way less the 0.2 m that the foot rolls."""
    file = walk_on_belts(tmp_path / "a.c3d", speed, roll)
    steps = steps_of(file)
    assert [step.foot for step in steps] == ["left", "right"] * 2
    assert [step.excluded for step in steps] == [""] * 4
    for step in steps:
        assert step.required == pytest.approx(0.19 * np.cos(0.1 * np.pi), abs=0.006)
        assert step.belt_m_s == pytest.approx(speed, abs=0.1)
        assert step.speed_m_s == pytest.approx(speed, abs=0.1)
    contacts = replay_file(file, None, "slip").contacts
    assert [one.forces.required for one in contacts] == [s.required for s in steps]


def test_two_feet_on_one_plate_are_still_refused(tmp_path):
    """On a floor the pressure goes on, and jumps from the first foot to the second."""
    places = [-0.4, -0.3, -0.25, 0.25, 0.35, 0.4]
    file = file_of(tmp_path / "a.c3d", [(0, on_plate(places, 0.5))])
    (step,) = steps_of(file)
    assert "two feet on one plate" in step.excluded
    assert np.isnan(step.belt_m_s)


def test_two_feet_that_step_backward_are_no_belt(tmp_path):
    """Against the walk, too, the pressure rests under each foot and jumps between."""
    places = [0.4, 0.38, 0.36, -0.36, -0.38, -0.4]
    file = file_of(tmp_path / "a.c3d", [(0, on_plate(places, 0.5))])
    (step,) = steps_of(file)
    assert "two feet on one plate" in step.excluded


def test_a_step_on_a_floor_has_no_belt(tmp_path):
    file = file_of(tmp_path / "a.c3d", [(0, on_plate([-0.1, 0.1], 0.5))])
    (step,) = steps_of(file)
    assert not step.excluded
    assert np.isnan(step.belt_m_s)


def test_the_speed_backward_of_an_even_motion_is_its_slope():
    time = np.arange(200) / RATE
    load = np.full(200, 500.0)
    place = np.column_stack([1.0 - 0.8 * time, 0.1 * time])
    assert speed_backward(time, place, load) == pytest.approx(0.8)
    assert speed_backward(time, -place, load) == 0.0
    assert speed_backward(time, place * np.nan, load) == 0.0

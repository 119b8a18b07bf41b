# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Stances of feet whose sensor loses samples, drifts, or is never unloaded."""

import dataclasses
import itertools

import numpy as np
import pytest

from biped_slip.recordings.gait import Recording
from biped_slip.recordings.judge.losses import without_losses
from biped_slip.recordings.judge.recording import judge
from biped_slip.recordings.judge.stances import contact_level, stances, usual_load
from biped_slip.recordings.layout import Processing
from biped_slip.recordings.replay import answer, replay_file
from biped_slip.recordings.series import TimeSeries, absent

TIME = np.arange(0.0, 12.0, 0.01)
PHASE = TIME % 1.2
# ten stances of 0.7 s, each with a trapezoid of load
NORMAL = 600.0 * np.clip(np.minimum(PHASE, 0.7 - PHASE) / 0.1, 0.0, 1.0)
STANCES = 10


def walked(normal, name="left"):
    blank = absent(len(TIME), 2)
    series = TimeSeries(
        name=name,
        stamp_ns=np.round(1e9 * TIME).astype(np.int64),
        force=np.column_stack([0.19 * normal, 0.0 * normal, normal]),
        moment=absent(len(TIME), 3),
        displacement=blank,
        velocity=blank,
        angular_rate=absent(len(TIME), 3),
    )
    return Recording(path="made", series=(series,), processing=Processing())


def starts(judgement):
    return np.array([stance.time[0] for stance in judgement.stances])


def test_samples_that_the_sensor_loses_do_not_split_a_stance():
    # a foot can't leave and land within 10 ms, three times in one stance
    lost = NORMAL.copy()
    lost[[20, 35, 50]] = 0.0
    judgement = judge(walked(lost))
    assert len(judgement.stances) == STANCES
    assert "3 samples without load within stances" in " ".join(judgement.notes)
    required = answer(walked(lost), "slip")["required"]
    assert required == pytest.approx(np.full(STANCES, 0.19), rel=1e-9)


def test_two_samples_in_a_row_are_lost_too_and_a_swing_is_not():
    lost = NORMAL.copy()
    lost[30:32] = 0.0
    assert len(judge(walked(lost)).stances) == STANCES
    swung = NORMAL.copy()
    swung[20:35] = 0.0  # 150 ms
    assert len(judge(walked(swung)).stances) == STANCES + 1


def test_a_light_touch_before_a_landing_is_not_joined_to_it():
    # before and after the loss it bears less than a tenth of its load: it bounces
    bounced = NORMAL.copy()
    bounced[118:120] = 30.0
    bounced[120] = 0.0
    assert len(judge(walked(bounced)).stances) == STANCES + 1


@pytest.mark.parametrize("rate", [-8.0, 0.0, 4.0, 12.0])  # [N/s]
def test_a_slow_drift_joins_no_stances(rate):
    # 12 N/s ends at 144 N, far above the level of a contact, 12 N
    drifted = NORMAL + (rate * TIME if rate >= 0.0 else rate * (TIME - TIME[-1]))
    judgement = judge(walked(drifted))
    assert starts(judgement) == pytest.approx(starts(judge(walked(NORMAL))), abs=0.02)
    noted = any("in the air" in note for note in judgement.notes)
    assert noted == (rate != 0.0)


def test_a_constant_offset_above_the_level_joins_none_either():
    assert len(judge(walked(NORMAL + 40.0)).stances) == STANCES


def test_a_robot_that_stands_on_one_foot_now_and_then_is_not_taken_for_a_drift():
    # the load moves to and fro between 120 and 600 N: no reading of the air
    stands = 360.0 + 240.0 * np.sin(2.0 * np.pi * TIME / 1.7)
    judgement = judge(walked(stands))
    assert len(judgement.stances) == 1
    assert "never unloaded" in " ".join(judgement.notes)


def test_units_that_are_possible_but_unlikely_are_doubted_in_words():
    kilonewtons = " ".join(judge(walked(NORMAL / 1000.0)).notes)
    assert "bears 0.6 N at most" in kilonewtons
    assert "kN" in kilonewtons
    recording = walked(NORMAL)
    moved = np.column_stack([5.0 * np.minimum(TIME, 0.5), 0.0 * TIME])
    (series,) = recording.series
    series = dataclasses.replace(series, displacement=moved)
    words = " ".join(judge(dataclasses.replace(recording, series=(series,))).notes)
    assert "in mm or cm?" in words
    assert not any("?" in note for note in judge(walked(NORMAL)).notes)


def test_three_zero_samples_in_a_bag_leave_its_four_stances(recordings):
    # 10 ms each within the first stance: a foot can't leave and land so quickly
    bag = recordings.parent / "bug-inputs" / "14-dropout" / "bag"
    if not bag.exists():
        pytest.skip(f"no such bag at {bag}")
    found = replay_file(bag, estimator="slip")
    assert len(found.contacts) == 4
    assert found["required"][0] == pytest.approx(0.19, abs=0.005)
    assert "left: 3 samples without load" in " ".join(found.notes)


# Simulated feet without a sensor that could lose anything: their contact solver lets a
# foot that rolls onto its sole bounce for one sample. Integrated from rest, the foot
# rises by less than 0.07 mm in it and mostly snaps down: the robot stands on.


@pytest.mark.parametrize(
    ("name", "count", "bounces"),
    [
        ("ATLAS_10k_05ground", 29, 1),
        ("ATLAS_21k_02ground", 50, 1),
        ("NAO_13k_mixedFriction_rows0-6799", 86, 9),
    ],
)
def test_a_simulated_foot_that_bounces_for_one_sample_stands_on(
    recordings, name, count, bounces
):
    path = recordings / "lcd" / f"{name}.csv.gz"
    if not path.exists():
        pytest.skip("the simulated feet are not there")
    assert len(replay_file(path, "lcd", "slip").contacts) == count
    table = np.loadtxt(path, delimiter=",")
    normal = table[:, 2]
    load = usual_load(normal)
    apart = stances(normal, contact_level(load, Processing().contact_share, 0.0))
    assert len(apart) == count + bounces
    for before, after in itertools.pairwise(apart):
        joined = without_losses(
            [before, after], 0.01 * np.arange(len(normal)), normal, load
        )
        if len(joined) == 1:
            lifted = table[before.last - 1 : after.first + 1, 8]
            speed = np.cumsum(0.005 * (lifted[1:] + lifted[:-1]))
            height = np.cumsum(0.005 * (speed + np.append(0.0, speed[:-1])))
            assert height.max() < 1e-4

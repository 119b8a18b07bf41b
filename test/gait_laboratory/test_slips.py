# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Slips on floors of known mu: found when, how far, how fast, of which class; none
where nothing slides."""

import numpy as np
import pytest

from biped_slip.gait_laboratory.slips import GaitSlipConfig, find_slips
from biped_slip.gait_laboratory.sole_motion import (
    StandingMotion,
    sole_motion,
    without_belts,
)
from biped_slip.gait_laboratory.step import SlipLimits, slip_class
from biped_slip.recordings.markers import Markers, foot_marker
from synthetic.found_slips import slip_trials
from synthetic.slipping_steps import (
    Walker,
    normal_force,
    slide,
    slipping_step,
    true_slides,
)


@pytest.fixture(scope="module")
def trials():
    return list(slip_trials(300, seed=11))


def test_distance_is_within_2_mm_and_onset_within_10_ms(trials):
    slides = [slide for trial in trials for slide in trial.slides]
    assert len(slides) > 100
    distance, onset = (
        np.abs([getattr(slide, name) for slide in slides])
        for name in ("distance_error", "onset_error")
    )
    assert np.mean(distance <= 2e-3) >= 0.95
    assert np.mean(onset <= 10e-3) >= 0.95


def test_the_class_is_right_in_98_percent(trials):
    assert np.mean([trial.true_class == trial.found_class for trial in trials]) >= 0.98


def test_nothing_slips_on_a_dry_floor():
    assert {trial.found_class for trial in slip_trials(60, seed=5, mu=0.6)} == {"none"}


def test_a_sliding_foot_is_held_back_by_mu_times_its_load():
    walker = Walker(mu=0.1, landing_speed=0.2)
    _, velocity, force = slide(walker)
    moving = (np.abs(velocity) > 0.02) & (force[:, 2] > 50.0)
    assert np.hypot(force[moving, 0], force[moving, 1]) / force[
        moving, 2
    ] == pytest.approx(0.1, abs=1e-9)
    assert (force[moving, 0] * velocity[moving] < 0.0).all()


def test_a_foot_that_sticks_does_not_move():
    position, velocity, _ = slide(Walker(mu=0.8, landing_speed=0.0))
    assert not velocity.any()
    assert true_slides(position, velocity) == ()


def test_two_feet_carry_the_weight_on_the_mean():
    share = np.linspace(0.0, 1.0, 10001)
    assert 2.0 * 0.61 * normal_force(share, 700.0).mean() == pytest.approx(
        700.0, rel=1e-3
    )


def test_a_heel_that_rolls_over_its_point_of_contact_does_not_slide():
    walker = Walker(mu=0.8, landing_speed=0.0, marker_noise=0.0, skin=0.0)
    step = slipping_step(walker, np.random.default_rng(1))
    begin = step.touchdown
    motion = sole_motion(step.markers, "left", begin, begin + walker.stance)
    assert isinstance(motion, StandingMotion)
    early = motion.time < begin + 0.12
    marker = foot_marker(step.markers, "left", ("HEE",))
    frames = (step.markers.time >= begin) & (step.markers.time < begin + 0.12)
    assert np.ptp(marker[frames, 0]) > 0.01  # the marker itself swings
    assert np.ptp(motion.position[early, 0]) < 0.002


def test_motion_along_the_friction_is_no_slip():
    time = np.arange(0.0, 0.7, 0.001)
    frames = np.arange(0.0, 0.7, 0.01)
    velocity = np.column_stack(
        [np.where((frames > 0.3) & (frames < 0.5), 0.3, 0.0), np.zeros(len(frames))]
    )
    position = np.cumsum(velocity, axis=0) * 0.01
    motion = StandingMotion(frames, position, velocity, 0.6)
    for sign, number in ((-1.0, 1), (1.0, 0)):
        force = np.column_stack(
            [
                np.full(len(time), sign * 70.0),
                np.zeros(len(time)),
                np.full(len(time), 700.0),
            ]
        )
        assert len(find_slips(time, force, motion, GaitSlipConfig()).slips) == number


@pytest.mark.parametrize(
    ("distance", "velocity", "expected"),
    [
        *[
            (0.0, 0.0, "none"),
            (0.02, 0.2, "micro-slip"),
            (0.05, 0.4, "slide"),
            (0.05, 0.6, "fall-like"),
        ],
        *[(0.12, 0.3, "fall-like"), (0.02, 0.7, "fall-like")],
    ],
)
def test_classes_by_distance_and_velocity(distance, velocity, expected):
    assert slip_class(distance, velocity, SlipLimits()) == expected


def test_without_both_markers_motion_is_unknown_with_the_reason():
    position = np.zeros((200, 1, 3))
    markers = Markers(("LHEE",), 100.0, position)
    assert sole_motion(markers, "left", 0.5, 1.2) == "no marker on the left toe"


def test_feet_that_a_belt_carries_have_no_known_motion():
    frames = np.arange(0.0, 0.7, 0.01)
    velocity = np.column_stack([np.full(len(frames), -1.1), np.zeros(len(frames))])
    carried = StandingMotion(frames, np.cumsum(velocity, axis=0) * 0.01, velocity, 0.6)
    still = StandingMotion(frames, 0.0 * velocity, 0.0 * velocity, 0.6)
    assert without_belts([carried, carried, "unknown"]) == [
        *["a belt carries the feet"] * 2,
        "unknown",
    ]
    assert without_belts([still, carried, still])[1] is carried

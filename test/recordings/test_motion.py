# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest

from biped_slip.friction_estimation.types import FootMeasurement
from biped_slip.recordings.judge.stances import contact_level, stances, usual_load
from biped_slip.recordings.series import COLUMNS, Stance, differenced, integrated


def walked(rate=200.0, steps=6, bias=0.0, spikes=0.0):
    """A foot that rests and swings in turn: (time, acceleration, rate of turn, contact,
    true velocity)."""
    time = np.arange(0.0, steps * 1.5, 1.0 / rate)
    phase = time % 1.5
    swing = phase > 1.0
    speed = np.where(swing, 0.8 * np.sin(np.pi * (phase - 1.0) / 0.5) ** 2, 0.0)
    velocity = np.column_stack([speed, 0.1 * speed])
    acceleration = np.gradient(velocity, time, axis=0) + bias
    acceleration[np.flatnonzero(np.diff(swing.astype(int)) < 0) + 1, 0] += spikes
    turning = np.column_stack(
        [np.zeros_like(speed), np.where(swing, 1.0, 0.0), np.zeros_like(speed)]
    )
    return time, acceleration, turning, ~swing, velocity


def test_an_acceleration_that_closes_from_rest_to_rest_gives_the_velocity():
    time, acceleration, turning, contact, velocity = walked()
    found, motion = integrated(time, acceleration, turning, contact)
    known = np.isfinite(found[:, 0])
    assert motion.source == "integrated"
    assert known.mean() > 0.8
    assert np.abs(found - velocity)[known].max() < 0.02


def test_a_small_bias_is_taken_out_between_rests():
    time, acceleration, turning, contact, velocity = walked(bias=0.01)
    found, _ = integrated(time, acceleration, turning, contact)
    known = np.isfinite(found[:, 0])
    assert np.abs(found - velocity)[known].max() < 0.03


def test_an_acceleration_with_impacts_that_do_not_integrate_is_refused_with_the_reason():
    time, acceleration, turning, contact, _ = walked(spikes=300.0)
    found, motion = integrated(time, acceleration, turning, contact)
    assert np.isnan(found).all()
    assert motion.source == "none"
    assert "from rest to rest" in motion.note


def test_a_foot_that_never_rests_has_no_motion():
    time = np.arange(0.0, 2.0, 0.01)
    found, motion = integrated(
        time, np.ones((200, 2)), np.ones((200, 3)), np.ones(200, dtype=bool)
    )
    assert np.isnan(found).all()
    assert "never rests" in motion.note


@pytest.mark.parametrize("window", [0.001, 0.02, 0.1])
def test_differencing_a_straight_line_gives_its_slope_whatever_the_steps(window):
    time = np.cumsum(np.random.default_rng(1).uniform(0.002, 0.02, 300))
    position = np.column_stack([0.3 * time, -0.1 * time])
    assert differenced(time, position, window) == pytest.approx(
        np.tile([0.3, -0.1], (300, 1)), rel=1e-9
    )


def test_a_wider_window_quiets_encoder_steps():
    time = np.arange(0.0, 2.0, 0.005)
    position = np.round(0.0123 * time / 1e-5) * 1e-5
    error = [
        np.abs(differenced(time, position[:, None], window) - 0.0123).max()
        for window in (0.01, 0.1)
    ]
    assert error[1] < 0.25 * error[0]


def test_a_dip_that_stays_above_half_of_the_level_does_not_end_a_contact():
    normal = np.array(
        [0.0, 9.0, 11.0, 6.0, 10.0, 9.0, 4.0, 12.0, 12.0, np.nan, 12.0, 12.0]
    )
    assert stances(normal, 10.0) == [Stance(2, 5), Stance(7, 9), Stance(10, 12)]


def test_the_contact_level_follows_the_load_and_stays_above_the_noise():
    normal = np.concatenate([np.zeros(500), np.full(500, 800.0), [np.nan]])
    assert contact_level(usual_load(normal), 0.02, 0.0) == pytest.approx(16.0)
    assert contact_level(usual_load(normal), 0.02, 5.0) == pytest.approx(25.0)


def test_no_samples_make_no_contact():
    assert stances(np.zeros(0), 10.0) == []
    assert stances(np.full(5, np.nan), 10.0) == []


def test_a_series_has_the_columns_of_a_foot_measurement_beside_its_stamps():
    assert ("stamp_ns", *COLUMNS) == FootMeasurement._fields

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Noise of a foot's measured places: what it is, and that no slide is read from it."""

import math

import numpy as np
import pytest

import biped_slip as bs
from biped_slip.recordings.layout import Processing
from biped_slip.recordings.motion_noise import (
    LONGEST_WINDOW,
    differenced_places,
    quiet_window,
    sample_noise,
    slope_noise,
    slopes,
    wandering,
    way_between,
)
from biped_slip.recordings.replay import replay_file
from biped_slip.recordings.series import Stance, differenced

STEP = 0.01
TIME = np.arange(0.0, 20.0, STEP)
ALL = [Stance(0, len(TIME))]


def noisy(sigma, seed=0):
    return np.random.default_rng(seed).normal(0.0, sigma, (len(TIME), 2))


@pytest.mark.parametrize("sigma", [1e-5, 3e-4, 2e-3])
def test_the_noise_of_places_is_found_whatever_stroke_they_follow(sigma):
    stroke = 0.05 * np.sin(2.0 * np.pi * 0.5 * TIME)
    places = noisy(sigma) + np.column_stack([stroke, 0.02 * TIME])
    assert sample_noise(places, STEP, ALL) == pytest.approx(sigma, rel=0.15)


def test_places_without_noise_and_stances_too_short_for_it_have_none():
    assert sample_noise(np.zeros((len(TIME), 2)), STEP, ALL) == 0.0
    assert sample_noise(noisy(1e-3), STEP, [Stance(0, 20)]) == 0.0


@pytest.mark.parametrize("window", [0.06, 0.1, 0.2])
def test_slopes_have_the_noise_of_least_squares(window):
    # sigma_v = sigma sqrt(12 dt / T^3) holds for many samples a window; with N of them
    # N^3 is N (N^2 - 1), and N = T / dt + 1
    found = np.std(slopes(TIME, noisy(1e-3), window)[50:-50])
    count = 2 * round(0.5 * window / STEP) + 1
    exact = 1e-3 / STEP * math.sqrt(12.0 / (count * (count**2 - 1.0)))
    assert found == pytest.approx(exact, rel=0.1)
    assert exact == pytest.approx(slope_noise(1e-3, STEP, window), rel=0.4)


def test_slopes_of_a_straight_line_are_its_slope_whatever_the_steps():
    time = np.cumsum(np.random.default_rng(1).uniform(0.009, 0.011, 300))
    place = np.column_stack([0.3 * time, -0.1 * time])
    place[100] = math.nan
    found = slopes(time, place, 0.12)
    assert np.isnan(found[100]).all()
    assert np.delete(found, 100, axis=0) == pytest.approx(
        np.tile([0.3, -0.1], (299, 1)), rel=1e-9
    )


def test_quiet_places_are_differenced_as_ever_and_noisy_ones_for_longer():
    rule = Processing()
    velocity, motion = differenced_places(TIME, noisy(1e-5), ALL, rule)
    assert motion.window == rule.velocity_window
    assert (velocity == differenced(TIME, noisy(1e-5), rule.velocity_window)).all()
    velocity, motion = differenced_places(TIME, noisy(4e-4), ALL, rule)
    assert rule.velocity_window < motion.window < LONGEST_WINDOW
    assert motion.place_noise == pytest.approx(4e-4, rel=0.1)
    assert "while the foot stands, its places vary by 0.4" in motion.note
    assert 5.0 * np.std(velocity) <= 1.2 * rule.motion.speed_threshold


def test_a_noise_that_is_stated_is_not_measured_again():
    rule = Processing(velocity_noise=0.01)
    _, motion = differenced_places(TIME, noisy(4e-4), ALL, rule)
    assert motion.velocity_noise == 0.01
    assert motion.window == rule.velocity_window


def test_no_window_is_longer_than_a_fifth_of_a_second():
    assert quiet_window(0.1, STEP, 0.02, 0.05) == LONGEST_WINDOW


def test_a_place_wanders_by_root_two_of_its_noise_and_a_slide_goes_its_way():
    places = noisy(1e-3)
    places[1000:1031, 0] += np.linspace(0.0, 0.03, 31)
    places[1031:, 0] += 0.03
    averaged = math.sqrt(2.0 / round(0.025 / STEP))
    found = wandering(TIME, places, 10.0, 10.3)
    assert found == pytest.approx(1e-3 * averaged, rel=0.4)
    assert way_between(TIME, places, 10.0, 10.3) == pytest.approx(0.03, abs=4e-3)


# The log of a walking iCub on a rigid floor of one unknown friction: some contact held
# 0.298 without slip, so nothing below that can be certified, and it did not slip
# visibly. Its standing feet's places vary by 0.2 to 0.5 mm and wander by millimetres.


def log_of(recordings):
    folder = recordings / "icub"
    if not folder.exists():
        pytest.skip("the log of the humanoid is not there")
    return (
        folder / "walking_front_and_back.csv.gz",
        folder / "forces_and_positions.yaml",
        folder / "forces.yaml",
    )


@pytest.mark.parametrize("estimator", ["interval", "slip", "touchdown"])
def test_a_humanoid_that_did_not_slip_has_no_slide_and_no_bound_below_what_it_held(
    recordings, estimator
):
    path, layout, forces = log_of(recordings)
    found = replay_file(path, layout, estimator)
    by_forces = replay_file(path, forces, estimator)
    assert sum(len(one.slips) for one in found.contacts) <= 2
    highest = [one.mu_high for one in found.contacts if one.mu_high is not None]
    assert all(bound >= 0.298 for bound in highest)
    assert len(found.contacts) == len(by_forces.contacts) == 43
    assert sum(len(one.slips) for one in by_forces.contacts) == 0
    assert np.nanmax(by_forces["held"]) == pytest.approx(0.298, abs=0.002)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("sigma", [1e-4, 6e-4])
def test_a_standing_foot_that_is_moved_by_15_mm_is_found_to_slide(
    recordings, tmp_path, seed, sigma
):
    path, layout, _ = log_of(recordings)
    log = np.genfromtxt(path, delimiter=",", names=True)
    rng = np.random.default_rng(seed)
    side = "lr"[rng.integers(2)]
    loaded = (log["lfz"] > 60.0) & (log["rfz"] > 60.0)
    free = [
        k
        for k in range(100, len(loaded) - 200, 10)
        if loaded[k - 50 : k + 80].all()  # on both feet, before and after
    ]
    begin = int(rng.choice(free))
    slide = slice(begin, begin + 30)
    heading = rng.uniform(0.0, 2.0 * np.pi)
    moved = 15e-3 * np.clip((log["t"] - log["t"][begin]) / 0.3, 0.0, 1.0)
    for axis, along in (("x", math.cos(heading)), ("y", math.sin(heading))):
        log[f"{side}{axis}"] += moved * along
        log[f"{side}f{axis}"][slide] = -0.25 * along * log[f"{side}fz"][slide]
        for foot in "lr":
            log[f"{foot}{axis}"] += rng.normal(0.0, sigma, len(log))
    names = log.dtype.names
    table = tmp_path / "moved.csv"
    np.savetxt(
        table,
        np.column_stack([log[name] for name in names]),
        delimiter=",",
        header=",".join(names),
        comments="",
    )
    foot = {"l": "left", "r": "right"}[side]
    slips = [
        slip
        for contact in replay_file(table, layout, "slip").contacts
        for slip in contact.slips
        if contact.foot == foot
        and slip.start < log["t"][begin + 30]
        and slip.end > log["t"][begin]
    ]
    assert len(slips) == 1
    assert slips[0].mu == pytest.approx(0.25, abs=0.02)


@pytest.mark.parametrize("sigma", [0.0, 1e-6, 1e-4, 1e-3])
@pytest.mark.parametrize("estimator", ["interval", "slip"])
def test_arrays_show_the_friction_of_a_slide_at_any_noise_and_at_none(sigma, estimator):
    # the ratio rises to 0.5, the foot slides by 0.06 m at that, and is let go; without
    # noise its place stands still while the load changes, as a dead sensor's would
    time = np.arange(0.0, 1.2, 0.002)
    slides = (time > 0.5) & (time < 0.8)
    speed = np.where(slides, 0.3 * np.sin(np.pi * (time - 0.5) / 0.3), 0.0)
    ratio = 0.5 * np.clip(np.minimum((time - 0.1) / 0.4, (1.1 - time) / 0.3), 0.0, 1.0)
    normal = np.where((time > 0.1) & (time < 1.1), 600.0, 0.0)
    noise = np.random.default_rng(2).normal(0.0, sigma, len(time))
    table = bs.estimate_friction(
        {
            "time": time,
            "force_x": -ratio * normal,
            "force_normal": normal,
            "displacement_x": np.cumsum(speed) * 0.002 + noise,
        },
        estimator,
    )
    (contact,) = table.contacts
    assert len(contact.slips) == 1
    assert contact.mu_median == pytest.approx(0.5, abs=0.02)
    at_last = table["mu"][np.searchsorted(time, 0.9)]
    assert at_last == pytest.approx(0.5, abs=0.02)

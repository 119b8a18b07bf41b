# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The chance of a slip and its interval, the distributions behind it, and the readings
it needs."""

import math

import numpy as np
import pytest

from biped_slip.errors import BipedSlipError, InvalidRecording
from biped_slip.gait_laboratory.slip_chance import (
    METHODS,
    chance_of_slip,
    instruments,
    read_readings,
    readings_for,
    share_below,
    surfaces,
)
from biped_slip.gait_laboratory.statistics import fit, fits


def test_the_estimate_is_the_share_of_pairs():
    rng = np.random.default_rng(1)
    required = rng.normal(0.2, 0.05, 17)
    available = rng.normal(0.25, 0.05, 23)
    brute = np.mean([(a < r) + 0.5 * (a == r) for r in required for a in available])
    assert share_below(required, available) == pytest.approx(brute)
    assert share_below(np.array([0.2, 0.3]), np.array([0.2])) == pytest.approx(0.75)


@pytest.mark.parametrize("method", METHODS)
def test_an_interval_holds_its_estimate_and_stays_within_0_and_1(method):
    rng = np.random.default_rng(2)
    for gap in (-0.3, -0.05, 0.0, 0.05, 0.3):
        found = chance_of_slip(
            rng.normal(0.2, 0.03, 12), rng.normal(0.2 + gap, 0.03, 9), method
        )
        assert -1e-12 <= found.low <= found.high <= 1.0 + 1e-12
        if method != "normal":  # its centre is another
            assert found.low - 1e-9 <= found.estimate <= found.high + 1e-9


def test_steps_that_never_reach_a_reading_leave_a_chance_that_shrinks_with_their_number():
    highs = []
    for count in (10, 30, 100):
        found = chance_of_slip(
            np.linspace(0.15, 0.25, count), np.linspace(0.3, 0.5, count)
        )
        assert (found.estimate, found.low) == (0.0, 0.0)
        highs.append(found.high)
    assert 0.15 < highs[0] < 0.35
    assert highs[0] > 2.0 * highs[1] > 4.0 * highs[2] > 0.0


def test_the_unit_of_friction_does_not_matter():
    rng = np.random.default_rng(3)
    required = rng.normal(0.2, 0.03, 20)
    available = rng.normal(0.24, 0.03, 15)
    one = chance_of_slip(required, available)
    other = chance_of_slip(np.exp(7 * required), np.exp(7 * available))
    assert one == other


def test_few_readings_get_the_exact_interval():
    rng = np.random.default_rng(8)
    steps = rng.normal(0.2, 0.03, 100)
    assert chance_of_slip(steps, rng.normal(0.22, 0.03, 5)).method == "exact"
    assert chance_of_slip(steps, rng.normal(0.22, 0.03, 40)).method == "wide score"


def test_one_reading_is_taken_as_exact():
    found = chance_of_slip(np.array([0.1, 0.2, 0.3, 0.4]), np.array([0.25]))
    assert found.method == "exact"
    assert found.estimate == 0.5
    # Clopper and Pearson, 2 of 4
    assert (found.low, found.high) == pytest.approx((0.0676, 0.9324), abs=1e-4)


def test_too_few_steps_or_no_reading_is_refused():
    with pytest.raises(BipedSlipError, match="at least 2 steps and 1 reading"):
        chance_of_slip(np.array([0.2, math.nan]), np.array([0.3]))


# ---- distributions
# ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("family", "draw", "location", "scale"),
    [
        ("normal", lambda rng, n: rng.normal(0.2, 0.02, n), 0.2, 0.02),
        ("lognormal", lambda rng, n: np.exp(rng.normal(-1.6, 0.1, n)), -1.6, 0.1),
        ("weibull", lambda rng, n: 0.2 * rng.weibull(8.0, n), math.log(0.2), 1.0 / 8.0),
    ],
)
def test_parameters_are_recovered_and_the_test_keeps_its_level(
    family, draw, location, scale
):
    rng = np.random.default_rng(5)
    large = fit(draw(rng, 4000), family)
    assert (large.location, large.scale) == pytest.approx((location, scale), rel=0.03)
    refused = np.mean([fit(draw(rng, 40), family).refused for _ in range(400)])
    assert 0.02 < refused < 0.085


def test_two_humps_are_refused_by_every_family():
    rng = np.random.default_rng(6)
    values = np.concatenate([rng.normal(0.15, 0.008, 60), rng.normal(0.25, 0.008, 60)])
    assert all(one.refused for one in fits(values))


def test_a_few_values_are_fitted_but_not_tested():
    (best, *_) = fits(np.array([0.2, 0.21, 0.19]))
    assert math.isnan(best.p)
    assert not best.refused


# ---- readings
# --------------------------------------------------------------------------------------------------------


def test_readings_are_kept_apart_by_instrument_surface_and_shoe(tmp_path):
    path = tmp_path / "acof.csv"
    path.write_text(
        "instrument,floor,shoe,condition,acof\nA,steel,,wet,0.2\nA,steel,boot,wet,0.3\nA,steel,,dry,0.7\nB,steel,,wet,0.4\n"
    )
    found = read_readings(path)
    assert instruments(found) == ["A", "B"]
    assert surfaces(found, "A") == ["steel wet", "steel dry"]
    assert readings_for(found, "A", "steel wet", "boot").tolist() == [0.2, 0.3]
    assert readings_for(found, "A", "steel wet", "trainer").tolist() == [0.2]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("floor,acof\nsteel,0.2\n", "no column instrument"),
        ("instrument,floor,acof\n,steel,0.2\n", "line 2 names no instrument"),
        ("instrument,floor,acof\nA,steel,slippery\n", "line 2: acof is 'slippery'"),
        ("instrument,floor,acof\nA,steel,20\n", "line 2: acof is '20'"),
    ],
)
def test_a_reading_without_an_instrument_or_a_number_is_refused(tmp_path, text, words):
    path = tmp_path / "acof.csv"
    path.write_text(text)
    with pytest.raises(InvalidRecording, match=words):
        read_readings(path)

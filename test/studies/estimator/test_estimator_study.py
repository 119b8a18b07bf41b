# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
import math

import numpy as np
import pytest

from biped_slip.cli import main
from studies.__main__ import STUDIES
from studies.estimator import recorded, rivals, steps
from studies.estimator.conditions import (
    ACCEPTANCE,
    COMPLIANT,
    OTHER_TRUTHS,
    P1,
    SENSITIVITY,
    Condition,
    check_points,
    score,
)
from studies.estimator.table import acceptance, scored, thesis
from studies.frame import NAN, Row
from synthetic.stances import BLOCKS, Course, StanceKind, draw


def course(stances, low, median, high, usable):
    shape = (stances.mu.size, BLOCKS)
    values = [
        np.broadcast_to(np.asarray(v, float), shape)
        for v in (low, low, median, median, high, 1.0, usable, 0.0, 1.0, 0.1)
    ]
    exists = (
        np.array([Course.sample(block) for block in range(BLOCKS)])
        < stances.length[:, None]
    )
    return Course(*(np.where(exists, value, np.nan) for value in values))


def stances(count=30):
    return draw(np.random.default_rng(3), count, StanceKind())


def test_an_oracle_scores_perfectly():
    some = stances()
    mu = some.mu[:, None]
    found = score(some, course(some, 0.9 * mu, mu, 1.1 * mu, 1.0))
    assert found.low_above_mu == 0.0
    assert found.covered == (1.0, 1.0, 1.0)
    assert found.usable == (1.0, 1.0, 1.0)
    assert found.error[1] == pytest.approx(0.0, abs=1e-12)
    assert found.lead > 50.0


def test_a_liar_is_found_out():
    some = stances()
    mu = some.mu[:, None]
    found = score(some, course(some, 1.2 * mu, 1.3 * mu, 1.4 * mu, 1.0))
    assert (
        found.low_above_mu == found.low_far_above_mu == found.median_far_above_mu == 1.0
    )
    assert found.covered == (0.0, 0.0, 0.0)


def test_silence_is_neither_wrong_nor_usable():
    some = stances()
    found = score(some, course(some, 0.05, 0.3, 1.6, 0.0))
    assert found.usable_ever == 0.0
    assert found.median_far_above_mu == 0.0
    assert math.isnan(found.lead)


def test_check_points_are_where_the_load_first_reaches_the_share():
    some = stances()
    at = check_points(some, 0.7)
    share = some.share[np.arange(at.size), at]
    assert np.all((share >= 0.7) | (at == some.length - 1))
    assert np.all(at >= 80)


def test_a_row_knows_which_side_is_required():
    assert Row(what="", required=0.05, at_most=True, study="", ours=0.04).met
    assert not Row(what="", required=0.05, at_most=True, study="", ours=0.06).met
    assert not Row(what="", required=0.9, at_most=False, study="", ours=0.8).met
    assert Row(what="", required=NAN, at_most=True, study="", ours=1e9).met


@pytest.mark.parametrize("index", [1, 8])
def test_the_acceptance_rows_hold_on_another_seed(index):
    rows = list(
        acceptance(ACCEPTANCE[index], scored(ACCEPTANCE[index]._replace(seed=123), 400))
    )
    margin = 0.05  # three sd of a share of 400 stances
    for row in rows:
        if 0.0 < row.required <= 1.0:
            assert (
                row.ours <= row.required + margin
                if row.at_most
                else row.ours >= row.required - margin
            ), row


@pytest.mark.parametrize(
    "condition", [*OTHER_TRUTHS, COMPLIANT[1]], ids=lambda c: c.name
)
def test_the_certificate_survives_truths_it_does_not_carry(condition):
    assert scored(condition._replace(seed=321), 120).low_above_mu <= 0.05


@pytest.mark.parametrize("condition", SENSITIVITY, ids=lambda c: c.name)
def test_the_certificate_survives_bad_sensors(condition):
    # 0.05 and three sd of 150 stances
    assert scored(condition._replace(seed=55), 150).low_above_mu <= 0.09


def test_the_thesis_flags_overestimates_where_the_interval_does_not():
    condition = ACCEPTANCE[1]._replace(seed=9)
    printed, tuned, _ = thesis(condition, 150)
    assert printed.ours > 0.5
    assert tuned.ours > 0.2
    assert scored(condition, 150).median_far_above_mu < 0.1


def test_least_squares_reaches_the_cramer_rao_bound():
    cells = [
        cell
        for cell in rivals.cells(60, rivals.SENSORS[1:2])
        if cell.bound < rivals.LARGEST_BOUND
    ]
    assert len(cells) >= 8
    assert np.median([cell.least_squares for cell in cells]) == pytest.approx(
        1.0, abs=0.2
    )
    assert max(cell.least_squares for cell in cells) < 1.5


def test_the_bound_follows_the_study_s_ramp_formula():
    """Study 4: sd(ln mu) = G(r) s_x/(s_p sqrt n) on a ramp, G = 119, 31, 5.3 at r =
    0.5, 0.7, 0.9."""
    mu = 0.5
    s_p = 1e-3
    n = 4000
    sensors = P1._replace(sigma=5e-6, force_sigma=0.0)
    for share, factor in ((0.5, 119.0), (0.7, 31.0), (0.9, 5.3)):
        ratio = np.linspace(0.0, share * mu, n)
        found = rivals.bound(ratio, np.full(n, 300.0), mu, s_p, sensors)
        assert found == pytest.approx(factor * 5e-6 / (s_p * math.sqrt(n)), rel=0.03)


def test_a_slip_is_seen_and_none_is_invented():
    rows = {row.what: row for row in steps.slips(60, seed=4)}
    assert all(row.met for row in rows.values())
    assert rows["P2: median delay [ms]"].ours <= 15.0


def test_memory_of_the_sole_does_not_break_the_certificate():
    rows = steps.memory(60, seed=4)
    assert all(row.ours <= 0.1 for row in rows if row.at_most)


def test_on_a_real_contact_the_certificate_holds_and_whoever_speaks_is_right(
    recordings,
):
    rows = {
        row.what: row.ours
        for row in recorded.rows(
            recordings / "friction_models/test_data_2_t0-107.5.txt"
        )
    }
    assert rows["calibrated: strokes"] >= 40
    for sole in ("calibrated", "unknown shape"):
        assert rows[f"{sole}: certificate never above the sliding ratio"] >= 0.95
        assert (
            rows[f"{sole}: usable before it slides"] == 0.0
            or rows[f"{sole}: sliding ratio inside whenever usable"] >= 0.9
        )


def test_strokes_slide_at_the_published_ratio(recordings):
    strokes = recorded.read_strokes(
        recordings / "friction_models/test_data_2_t0-107.5.txt"
    )
    sliding = [stroke.sliding for stroke in strokes]
    assert np.mean(sliding) == pytest.approx(0.464, abs=0.005)
    assert {stroke.direction for stroke in strokes} == {1, -1}


def test_too_few_stances_are_refused(capsys):
    assert main(["benchmark", "estimator", "--stances", "3"], program=STUDIES) == 2
    assert "--stances" in capsys.readouterr().err


def test_conditions_are_reproducible():
    one, two = (Condition("x", 5, P1).realise(3)[1] for _ in range(2))
    np.testing.assert_array_equal(one.displacement, two.displacement)

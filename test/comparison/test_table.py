# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Rows, last floors, what a governor saves, and the contract in one sentence."""

import math

import pytest

pytest.importorskip("mujoco", reason="the mujoco extra is not installed")

from browser import chromium
from comparison.made import made_walk

from biped_slip.comparison.contract import checked
from biped_slip.comparison.plan import ALONE, BY_ANKLES, TRUTH, WalkedFloor
from biped_slip.comparison.table import (
    command_of,
    first_failing,
    interval,
    last_mus,
    rows_of,
    saved_by,
)
from biped_slip.reports.comparison import Comparison, write_comparison_page


def test_an_interval_of_a_share_is_exact():
    """Clopper-Pearson of 0 of n reaches to 1 - 0.025^(1/n), of n of n down from 1."""
    low, high = interval(0, 4)
    assert low == 0.0
    assert high == pytest.approx(1.0 - 0.025**0.25)
    low, high = interval(4, 4)
    assert low == pytest.approx(0.025**0.25)
    assert high == 1.0


def test_speed_kept_is_that_of_the_walks_that_stay_up_over_the_one_on_good_floor():
    walks = [made_walk(1.0, speed=0.4), made_walk(0.15, speed=0.1)]
    walks += [made_walk(0.15, seed=1, fell=True, speed=2.0)]
    good, icy = rows_of(walks)
    assert good.kept == pytest.approx(1.0)
    assert icy.kept == pytest.approx(0.25)
    assert (icy.completed, icy.walks) == (1, 2)
    assert icy.survival == pytest.approx(12.0)


def test_without_a_walk_on_good_floor_no_speed_is_kept():
    (row,) = rows_of([made_walk(0.15)])
    assert math.isnan(row.kept)


def test_the_last_mu_is_the_end_of_an_unbroken_row_of_floors():
    """A floor that goes well below one that fails is luck."""
    walks = [made_walk(mu) for mu in (1.0, 0.4, 0.1)]
    walks.append(made_walk(0.25, fell=True))
    walks.append(made_walk(WalkedFloor(0.4, patch=True), fell=True))
    (found,) = last_mus(rows_of(walks))
    assert found.mu == 0.4
    (none,) = last_mus(rows_of([made_walk(1.0, fell=True)]))
    assert math.isnan(none.mu)


def test_the_first_failing_floor_is_the_largest_alone_and_never_the_good_one():
    walks = [made_walk(1.0), made_walk(0.4, governed=TRUTH, fell=True)]
    assert first_failing(walks, "made", "mujoco") is None
    walks += [made_walk(mu, fell=True) for mu in (0.1, 0.15)]
    assert first_failing(walks, "made", "mujoco") == 0.15
    assert first_failing(walks, "made", "here") is None
    lost = [made_walk(1.0, fell=True), made_walk(0.4, fell=True)]
    assert first_failing(lost, "made", "mujoco") is None


def test_a_governor_saves_what_falls_alone_and_is_counted_against_the_truth():
    """Of four seeds two fall alone; the truth saves both; the estimate saves one, and
    lets one fall that stayed up alone."""
    ends = {ALONE: "xx..", TRUTH: "....", BY_ANKLES: ".x.x"}
    walks = [
        made_walk(0.15, seed, kind, fell=letter == "x")
        for kind, letters in ends.items()
        for seed, letter in enumerate(letters)
    ]
    true, felt = saved_by(walks)
    assert (true.alone, true.fell, true.truth_saved, true.saved) == (2, 0, 2, 2)
    assert (felt.alone, felt.fell, felt.truth_saved, felt.saved) == (2, 2, 2, 1)


def test_the_command_of_a_row_names_its_floor_and_no_other():
    row, patch, push = rows_of(
        [
            made_walk(0.15),
            made_walk(WalkedFloor(0.1, patch=True)),
            made_walk(WalkedFloor(0.4, push=0.2)),
        ]
    )
    begin = ["biped-slip", "compare", "plan.yaml"]
    assert command_of(row.group, begin) == (
        "biped-slip compare plan.yaml --walker made --contact mujoco --governed alone "
        "--floor 0.15"
    )
    assert command_of(patch.group, begin).endswith("--patch 0.1")
    assert command_of(push.group, begin).endswith("--push 0.2")


def contract(full=None, slow=None, still=None):
    """The sentence on a walker whose three walks ended so."""
    ends = ({"speed": 0.5} | (full or {}), {"speed": 0.2} | (slow or {}))
    ends = (*ends, {"speed": 0.0} | (still or {}))
    walks = [
        made_walk(1.0, scale=scale, **end)
        for scale, end in zip((1.0, 0.4, 0.0), ends, strict=True)
    ]
    return checked(walks).sentence


@pytest.mark.parametrize(
    ("ends", "words"),
    [
        ({}, "nothing is off: 0.50 m/s at 0.5 m/s, 0.20 m/s at 0.2"),
        ({"full": {"speed": 0.1}}, "does not track its command: 20% of it"),
        ({"full": {"fell": True, "time": 0.7}}, "falls at once after 0.7 s"),
        ({"full": {"fell": True, "time": 5.0}}, "falls after 5.0 s"),
        (
            {"full": {"speed": math.nan}},
            "says nothing of its speed: give more than 3 s",
        ),
        ({"full": {"at_limit": 0.3}}, "saturates: knee is at its torque limit for 30%"),
        ({"slow": {"speed": 0.01}}, "has a dead zone: 0.01 m/s at 0.2 m/s"),
        ({"still": {"fell": True}}, "falls without a command"),
        ({"still": {"speed": -0.2}}, "drifts without a command: -0.20 m/s"),
    ],
)
def test_a_sentence_says_what_is_off_on_good_floor(ends, words):
    assert words in contract(**ends)


def made_page(folder):
    walks = [made_walk(1.0), made_walk(0.15, fell=True)]
    walks += [made_walk(0.15, governed=TRUTH)]
    return write_comparison_page(
        folder / "index.html",
        Comparison(
            title="made",
            checks=[checked([made_walk(1.0, scale=s, speed=s) for s in (1, 0.4, 0)])],
            walks=walks,
            words=["biped-slip", "compare", "plan.yaml"],
            cost="3 walks.",
        ),
    )


def test_a_page_has_every_row_with_its_contact_interval_and_command(tmp_path):
    page = made_page(tmp_path).read_text(encoding="utf-8")
    assert page.count("--walker made") == 3
    assert "MuJoCo, friction of 2 ms" in page
    assert "0 to 98 %" in page  # of 0 of 1, exactly
    assert page.count("data:image/png") == 2


def test_a_page_of_twelve_columns_scrolls_sideways_in_no_window(tmp_path):
    page = made_page(tmp_path)
    with chromium(tmp_path / "profile") as opened:
        opened.open(page.as_uri())
        assert opened.sideways() == {}

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
import math
import re
import xml.etree.ElementTree as ET
from itertools import pairwise

import numpy as np
import pytest
from reports.walks import made_up_walk

from biped_slip.contact.ground import GroundConfig
from biped_slip.reports.figures import ESTIMATE, patches, ratio_figure
from biped_slip.reports.html import stance_pieces
from biped_slip.reports.planar_walks import feet_figure, labelled
from biped_slip.reports.stances import (
    closing_sentence,
    fall_sentence,
    slide_sentence,
    stance_rows,
)
from biped_slip.reports.walks import write_walk_report
from biped_slip.robots.planar_biped import planar_biped
from biped_slip.simulation.planar.scenario import ScenarioConfig
from biped_slip.simulation.stances import StanceSlide

FLAT = GroundConfig()
UPHILL = GroundConfig.from_mapping(
    {"mu": [0.6, 0.4, 0.8], "edges": [0.5, 1.5], "slope": 0.15}
)


def scenario(ground):
    return ScenarioConfig.from_mapping({"ground": ground.to_mapping()})


def labels(figure):
    return {
        label for axis in figure.axes for label in axis.get_legend_handles_labels()[1]
    }


def test_the_page_holds_every_picture_and_loads_nothing_from_elsewhere(tmp_path):
    walks = {
        "none": made_up_walk(500, FLAT, slide=0.1),
        "thesis": made_up_walk(500, FLAT, interval=True),
    }
    path = write_walk_report(tmp_path / "deep" / "report", walks, scenario(FLAT))
    text = path.read_text(encoding="utf-8")
    assert not re.findall(r'(?:src|href)="(?!data:)', text)
    assert text.count("data:image/png") == len(list(path.parent.glob("*.png"))) == 3
    assert path.stat().st_size < 5e6


@pytest.mark.parametrize(
    ("ticks", "ground"), [(0, FLAT), (1, FLAT), (2, UPHILL), (30, FLAT), (250, UPHILL)]
)
def test_walks_that_ended_early_and_knew_nothing_are_reported_too(
    tmp_path, ticks, ground
):
    walk = made_up_walk(ticks, ground, fell=True)
    text = write_walk_report(tmp_path, {"none": walk}, scenario(ground)).read_text(
        encoding="utf-8"
    )
    assert "fell" in text
    assert "nan" not in re.sub(r"base64,[^\"]*", "", text).lower()


def test_names_of_walks_are_escaped(tmp_path):
    evil = "<script>alert('x')</script>"
    text = write_walk_report(
        tmp_path, {evil: made_up_walk(250, FLAT)}, scenario(FLAT)
    ).read_text(encoding="utf-8")
    assert "<script>alert" not in text


def test_slides_are_marked_where_the_summary_has_them():
    walk = made_up_walk(400, FLAT, slide=0.1)
    axis = feet_figure({"none": walk}, FLAT).axes[0]
    spans = sorted(
        (patch.get_x(), patch.get_x() + patch.get_width())
        for patch in axis.patches
        if patch.get_width() < 1.0
    )
    assert len(walk.summary.slips) == 4
    for span, slip in zip(spans, walk.summary.slips, strict=True):
        assert span == pytest.approx((slip.start, slip.end))


def test_of_slides_in_a_row_only_the_longest_shows_its_length():
    slips = [
        StanceSlide("left", 1.0, 1.1, 0.02),
        StanceSlide("right", 1.2, 1.3, 0.05),
        StanceSlide("left", 3.0, 3.1, 0.001),
    ]
    assert labelled(slips, 0.01) == [slips[1]]


def test_what_is_certified_is_drawn_only_where_something_is():
    for interval in (True, False):
        axis = ratio_figure({"a": made_up_walk(300, FLAT, interval=interval).log}).axes[
            0
        ]
        (band,) = axis.collections
        lines = {line.get_color(): line.get_ydata() for line in axis.lines}
        assert (
            (len(band.get_paths()) > 0)
            == interval
            == bool(np.isfinite(lines[ESTIMATE]).any())
        )


def test_the_force_ratio_is_unknown_without_contact():
    log = made_up_walk(300, FLAT).log
    stands = log.normal > 0.0
    assert np.isnan(log.ratio[~stands]).all()
    assert log.ratio[stands] == pytest.approx(
        np.abs(log.tangential[stands]) / log.normal[stands]
    )


def test_the_sentence_tells_a_slide_from_its_absence():
    assert "slid 4 times" in str(made_up_walk(400, FLAT, slide=0.1).summary)
    assert "no stance foot slid" in str(made_up_walk(400, FLAT).summary)


def test_the_page_has_one_row_a_stance_and_says_when_the_answer_came_and_what_was_used(
    tmp_path,
):
    for name, answer in (("knowing", "310"), ("blind", "-")):
        walk = made_up_walk(400, FLAT, interval=name == "knowing")
        piece = ET.fromstring(stance_pieces(name, stance_rows(walk.log)))
        rows = piece.findall(".//tbody/tr")
        assert len(rows) == len(walk.summary.contacts) == 4
        assert answer in {row.findall("td")[5].text for row in rows}


def test_an_estimate_that_is_usable_but_wrong_is_not_counted_as_right():
    walk = made_up_walk(400, FLAT, interval=True)
    assert "known in 4 of 4 stances" in closing_sentence(stance_rows(walk.log))
    assert "(4 of 4 values within 10 % of the true mu)" in closing_sentence(
        stance_rows(walk.log)
    )
    walk.log.estimates *= 0.5
    walk.log.estimate("flag")[:] = walk.log.estimate("usable")[:] = 1.0
    assert "(0 of 4 values within 10 % of the true mu)" in closing_sentence(
        stance_rows(walk.log)
    )


def test_patches_cover_the_shown_floor_without_gaps():
    shown = list(patches(UPHILL, -0.3, 2.0))
    assert [p.mu for p in shown] == [0.6, 0.4, 0.8]
    assert (shown[0].start, shown[-1].end) == (-0.3, 2.0)
    assert all(a.end == b.start for a, b in pairwise(shown))
    assert [p.mu for p in patches(UPHILL, 0.7, 1.2)] == [0.4]


def test_each_stance_says_what_was_known_when_and_how_much_was_used_by_then():
    knowing, blind = (
        stance_rows(made_up_walk(400, FLAT, interval=known).log)
        for known in (True, False)
    )
    assert [row.foot for row in knowing] == ["left", "right"] * 2
    for row in knowing:
        assert (row.mu, row.mu_low, row.mu_high) == pytest.approx(
            (row.mu_true, 0.8 * row.mu_true, 1.1 * row.mu_true)
        )
        assert row.known_after == pytest.approx(0.31, abs=0.011)
        assert row.used_then == pytest.approx(0.31, abs=0.011)
    words = closing_sentence(knowing)
    assert "known in 4 of 4 stances, on average 303 ms after touchdown with" in words
    assert "of the weight on the foot, before more than 0.31" in words
    assert all(row.known_after is None and row.used_then is None for row in blind)
    assert closing_sentence(blind) == "The floor was known in 0 of 4 stances."


def test_the_slide_of_a_landing_is_not_counted_as_used_but_a_slide_under_weight_is():
    for begin, used in ((0, 0.31), (15, 1.0)):  # ticks of 10 ms after touchdown
        walk = made_up_walk(400, FLAT, interval=True)
        sliding = slice(begin, begin + 5)
        walk.log.foot_vx[sliding, 0], walk.log.tangential[sliding, 0] = (
            -0.3,
            walk.log.normal[sliding, 0],
        )
        assert stance_rows(walk.log)[0].used_then == pytest.approx(used, abs=0.011)


def test_a_standstill_of_an_instant_within_the_landing_is_an_impact_and_uses_nothing():
    walk = made_up_walk(400, FLAT, interval=True)
    walk.log.foot_vx[:10, 0] = -0.3  # 0.1 s after touchdown, the answer comes at 0.05 s
    walk.log.foot_vx[3, 0] = 0.0
    walk.log.tangential[:10, 0] = walk.log.normal[:10, 0]
    walk.log.estimates[5:] = walk.log.estimates[50]
    assert stance_rows(walk.log)[0].used_then == 0.0


def test_a_foot_that_bounces_has_one_row_from_its_first_touch():
    walk = made_up_walk(400, FLAT, interval=True)
    rows = stance_rows(walk.log)
    begin = round(rows[2].touchdown / 0.01)
    walk.log.normal[begin + 11 : begin + 19, 0] = (
        0.0  # in the air for 80 ms after 110 ms
    )
    assert [row.touchdown for row in stance_rows(walk.log)] == [
        row.touchdown for row in rows
    ]
    walk.log.normal[begin + 11 : begin + 22, 0] = 0.0  # 110 ms: a stance of its own
    assert len(stance_rows(walk.log)) == len(rows) + 1


def test_a_light_foot_uses_nothing_and_a_bounced_one_counts_from_its_first_touch():
    walk = made_up_walk(400, FLAT, interval=True)
    walk.log.weight = 35.0 / 0.2  # of which the feet of this walk bear a fifth
    walk.log.estimate("known_after")[:] = 0.4
    for row in stance_rows(walk.log):
        assert (row.used_then, row.known_after) == (0.0, 0.4)
        assert row.load_then == pytest.approx(0.2)


def test_an_answer_that_a_later_lower_bound_of_the_stance_refutes_is_not_told():
    walk = made_up_walk(400, FLAT, interval=True)
    walk.log.estimate("mu_low")[90:100] = 1.3  # beyond what it called usable before
    walk.log.estimate("usable")[90:100] = walk.log.estimate("flag")[90:100] = 0.0
    first, *others = stance_rows(walk.log)
    assert (
        first.mu,
        first.mu_high,
        first.known_after,
        first.load_then,
        first.used_then,
    ) == (None,) * 5
    for row in others:
        assert row.mu_low <= row.mu <= row.mu_high


def fallen(change=lambda log: None):
    """Why a made-up walk fell whose hip sinks from 3.5 s on; ``change`` puts a cause
    into its log."""
    log = made_up_walk(400, FLAT, fell=True).log
    robot = planar_biped("thesis")
    log.q[350:, 1] -= 0.3
    log.foot_vx[:] = 0.0
    log.q[:, 2:] = 0.5 * robot.position_limits.sum(axis=0)
    change(log)
    return fall_sentence(log, "fell")


def stiff(log, since=300):
    log.torques[since:320, 1] = -60.0


def straight(log):
    log.q[330:350, 5] = 0.0


def clipped(log):
    log.limit[200:350] = 0.04


def slippery(log):
    log.foot_vx[310:330, 1] = -0.4


def test_a_walk_that_did_not_fall_is_not_explained():
    assert fall_sentence(made_up_walk(400, FLAT).log, "still stood") == ""


def test_a_walk_whose_time_is_over_names_its_last_way_and_what_held_it():
    log = made_up_walk(400, FLAT).log
    log.limit[200:350] = 0.04
    words = fall_sentence(log, "ran out of time")
    assert re.search(
        r"^It ran out of time: \d\.\d\d m in its last 3 s, friction limit 0\.04\.",
        words,
    ), words
    assert "far below" in words


def test_a_fall_without_a_cause_in_the_log_says_that_nothing_was_found():
    words = fallen()
    assert "sank from 3.49 s on" in words
    assert "the record does not show why" in words


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (stiff, "l_knee at its torque limit of 60 N m, for 0.20 s (0.50 s before)"),
        (
            straight,
            "r_knee at the end of its range, the step is out of reach, for 0.20 s "
            "(0.20 s before)",
        ),
        (clipped, "foot's limit was 0.04 on mu 1, far below"),
        (
            slippery,
            "the right foot slid 80 mm on mu 1, it had no limit (0.40 s before)",
        ),
    ],
)
def test_each_cause_of_a_fall_is_told_with_its_size_and_its_time(change, words):
    assert words in fallen(change)


def standing(log):
    """Never stepped: both feet bore half of the weight until the base had sunk."""
    log.normal[:350] = 0.5 * log.weight
    log.q[:, 0] = np.linspace(0.0, -0.2, len(log.q))


def test_a_fall_before_the_first_step_is_not_put_down_to_what_is_not_known_yet():
    """A robot that has not stepped knows no floor, and its limit is low; nor has a
    step been out of reach."""

    def change(log):
        standing(log)
        clipped(log)
        straight(log)
        stiff(log)

    words = fallen(change)
    assert words.startswith("It fell before its first step: its base sank from 3.49 s")
    assert "0.17 m behind where it stood" in words
    assert "the centre of mass of its posture" in words
    assert "far below" not in words
    assert "out of reach" not in words
    assert "r_knee at the end of its range" in words
    assert "l_knee at its torque limit" in words


def test_a_fall_after_steps_is_put_down_to_its_limit_as_before():
    words = fallen(clipped)
    assert words.startswith("It fell: its base sank")
    assert "far below" in words


def slid(limit, known=math.nan):
    """What is said of a walk whose right foot slid by 20 mm, its largest slide."""
    log = made_up_walk(400, FLAT).log
    slips = [
        StanceSlide("left", 0.5, 0.8, 0.012),
        StanceSlide("right", 3.0, 3.4, 0.020),
        StanceSlide("left", 1.0, 1.2, 0.003),
    ]
    log.foot_vx[:] = 0.0
    log.foot_vx[310:330, 1] = 0.1
    log.limit[:] = limit
    log.estimates[:] = math.nan
    if known == known:
        log.estimate("flag")[:] = 1.0
        log.estimate("mu")[:] = known
    return slide_sentence(log, slips)


@pytest.mark.parametrize(
    ("limit", "known", "words"),
    [
        (math.inf, math.nan, "it had no limit"),
        (1.4, math.nan, "its limit allowed 1.40: the floor was not known"),
        (1.4, 1.4, "its limit allowed 1.40: what was known of the floor"),
        (0.7, 1.0, "its limit of 0.70 was right, its force ratio went up to"),
    ],
)
def test_the_largest_slide_of_an_upright_walk_is_put_down_to_what_let_it_be(
    limit, known, words
):
    found = slid(limit, known)
    assert found.startswith("The largest slide: the right foot, 20 mm on mu 1,")
    assert words in found, found


def test_a_walk_whose_feet_slid_by_less_than_a_slide_says_nothing():
    log = made_up_walk(400, FLAT).log
    assert slide_sentence(log, []) == ""
    assert slide_sentence(log, [StanceSlide("left", 0.5, 0.8, 0.009)]) == ""


def test_a_joint_that_stands_at_the_end_of_its_range_is_no_cause():
    assert "out of reach" not in fallen(lambda log: log.q[:, 5].fill(0.0))


def test_causes_are_told_in_the_order_in_which_they_began():
    words = fallen(lambda log: (slippery(log), stiff(log, 290)))
    assert words.index("torque limit") < words.index("slid 80 mm")

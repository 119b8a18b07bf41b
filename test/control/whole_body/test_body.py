# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""What the controller takes the soles for."""

import numpy as np
import pytest
from derived_robots import (
    with_common_waist,
    with_roll_before_pitch,
    with_straight_arms,
    with_weak_ankles,
)

from biped_slip.control.whole_body.balance import INSIDE_SOLE
from biped_slip.control.whole_body.body import (
    SoleUse,
    ankle_places,
    with_smaller_soles,
    within_reach,
)
from biped_slip.robots.humanoid import load_humanoid
from biped_slip.walking.humanoid import chosen_walking, humanoid_body

G1 = humanoid_body(load_humanoid("g1"))
FAR = (1.0, 1.0)


def ends(body):
    """From where to where each sole is used, along and across, (2, 2) both [m]."""
    corners = body.program.corners[:, :, :2]
    return corners.min(axis=1), corners.max(axis=1)


def names(body, places):
    by_place = dict(zip(body.model.idx_vs, body.model.names, strict=True))
    return [by_place[place] for place in places]


def test_soles_shrink_along_and_across_by_their_own_shares_about_the_same_middle():
    smaller = with_smaller_soles(G1, SoleUse((0.5, 0.9), FAR))
    assert smaller.half_size == pytest.approx(G1.half_size * (0.5, 0.9))
    assert smaller.middle == pytest.approx(G1.middle)
    assert np.array_equal(smaller.program.corners[:, :, 2], G1.program.corners[:, :, 2])


def test_the_whole_sole_is_the_sole():
    whole = with_smaller_soles(G1, SoleUse((1.0, 1.0), FAR))
    assert np.array_equal(whole.program.corners, G1.program.corners)


def test_a_weak_ankle_shortens_what_is_far_from_it_and_keeps_the_heel():
    """G1's ankle is 60 mm ahead of the heel and 130 mm behind the toe: at 80 mm its
    torque ends, which is ahead of it alone."""
    low, high = ends(with_smaller_soles(G1, SoleUse((1.0, 1.0), (0.08, 1.0))))
    assert low[:, 0] == pytest.approx([-0.06, -0.06])
    assert high[:, 0] == pytest.approx([0.08, 0.08])
    weak = with_smaller_soles(G1, SoleUse((1.0, 1.0), (1.0, 0.02)))
    low, high = ends(weak)
    assert low[:, 1] == pytest.approx([-0.02, -0.02])
    assert high[:, 1] == pytest.approx([0.02, 0.02])
    assert weak.half_size[0] == pytest.approx(G1.half_size[0])


def test_an_ankle_without_torque_leaves_a_quarter_of_the_sole_about_itself():
    assert within_reach(-0.1, 0.3, 0.0, 0.0) == pytest.approx((-0.05, 0.05))
    assert within_reach(-0.1, 0.3, 0.0, 0.04) == pytest.approx((-0.05, 0.05))
    # behind its heel: the part that is nearest
    assert within_reach(0.1, 0.3, 0.0, 0.0) == pytest.approx((0.1, 0.15))
    assert within_reach(-0.1, 0.3, 0.5, 0.2) == pytest.approx((0.2, 0.3))


def test_ankles_are_where_their_axes_are_whichever_turns_first(tmp_path):
    """TALOS' axes meet over the middle of the sole; the sole moved ahead by 50 mm keeps
    its frame, and so its ankle's place in it."""
    for file in (with_roll_before_pitch(tmp_path), with_weak_ankles(tmp_path)):
        places = ankle_places(humanoid_body(load_humanoid(file)))
        assert places == pytest.approx(np.zeros((2, 2)), abs=1e-6)


def test_the_pressure_may_be_under_the_standing_centre_of_mass_of_weak_ankles(tmp_path):
    """70 N m of 886 N hold it up to 68 mm from the ankle, which is 50 mm behind the
    sole's middle: between -30 mm, the used heel, and 68 mm. The centre of mass stands
    6 mm ahead of the ankle. Shrunk about the middle the range began at 30 mm."""
    humanoid = load_humanoid(with_weak_ankles(tmp_path))
    (tmp_path / "walk.yaml").write_text("robot: weak_ankles.yaml\n", encoding="utf-8")
    config = chosen_walking(str(tmp_path / "walk.yaml")).controller
    used = with_smaller_soles(humanoid_body(humanoid), config.sole_use)
    low, high = ends(used)
    assert low[0, 0] == pytest.approx(-0.03)
    assert high[0, 0] == pytest.approx(0.86 * 70.0 / humanoid.weight, abs=1e-4)
    half = INSIDE_SOLE * used.half_size[0]
    standing = 0.0057
    assert used.middle[0, 0] - half + 0.02 < standing < used.middle[0, 0] + half - 0.02


def test_what_both_legs_hang_on_is_a_waist_and_no_leg(tmp_path):
    body = humanoid_body(load_humanoid(with_common_waist(tmp_path)))
    moved = names(body, body.program.moved)
    assert len(moved) == len(set(moved)) == 13
    assert names(body, body.counterweights) == ["waist"]
    assert "waist" not in moved[:12]


def test_a_common_waist_that_turns_little_is_held_like_any_joint(tmp_path):
    """One that bends forward has no momentum about the vertical."""
    file = with_common_waist(tmp_path, axis="0 1 0")
    body = humanoid_body(load_humanoid(file))
    assert names(body, body.program.rest) == ["waist"]
    assert body.program.waists == 0


def test_straight_arms_counter_the_legs(tmp_path):
    body = humanoid_body(load_humanoid(with_straight_arms(tmp_path)))
    shoulders = [f"{side}_shoulder_pitch_joint" for side in ("left", "right")]
    assert names(body, body.counterweights) == ["waist_yaw_joint", *shoulders]
    assert names(G1, G1.counterweights) == ["waist_yaw_joint"]

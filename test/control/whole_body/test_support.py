# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Where the ZMP may be, and who carries what."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial import ConvexHull

from biped_slip.control.whole_body.balance import (
    INSIDE_SOLE,
    USED,
    Support,
    force_origin,
    into_support,
    load_share,
    planned_forces,
    planned_pressure,
    usable_zmp,
)

UNDER = np.array([[0.0, 0.085], [0.4, -0.085]])
HALF = np.array([0.1, 0.06])
HEIGHT = 0.8
numbers = st.floats(-1.0, 1.0)


def support(stance=(True, True), limits=(0.5, 0.5)):
    return Support(
        stance=stance,
        under=UNDER,
        yaw=np.zeros(2),
        half_size=HALF,
        limits=np.array(limits),
    )


@given(
    numbers,
    numbers,
    st.floats(-0.05, 0.05),
    st.floats(-0.05, 0.05),
    st.floats(0.05, 1.0),
)
@settings(max_examples=100, deadline=None)
def test_over_its_foot_the_robot_never_asks_more_than_the_floor_holds(
    x, y, cx, cy, limit
):
    centre = UNDER[1] + np.array([cx, cy])
    alone = support((False, True), (1.0, limit))
    zmp = usable_zmp(np.array([x, y]), centre, HEIGHT, alone)
    assert np.linalg.norm(zmp - centre) <= USED * limit * HEIGHT + 1e-9


@given(numbers, numbers)
@settings(max_examples=50, deadline=None)
def test_on_one_foot_the_pivot_stays_under_it(x, y):
    zmp = into_support(np.array([x, y]), support(stance=(False, True)))
    assert np.all(np.abs(zmp - UNDER[1]) <= HALF)


@given(numbers, numbers)
@settings(max_examples=200, deadline=None)
def test_on_both_feet_the_pivot_may_be_anywhere_in_the_hull_of_the_soles_and_nowhere_else(
    x, y
):
    half = INSIDE_SOLE * HALF
    wanted = np.array([x, y])
    corners = [
        under + half * np.array(side)
        for under in UNDER
        for side in ((1, 1), (1, -1), (-1, 1), (-1, -1))
    ]
    hull = ConvexHull(corners)
    inside = np.max(hull.equations[:, :2] @ wanted + hull.equations[:, 2]) <= 0.0
    zmp = into_support(wanted, support())
    at = load_share(wanted, support())
    assert np.max(hull.equations[:, :2] @ zmp + hull.equations[:, 2]) <= 1e-3
    if inside:
        assert zmp == pytest.approx(wanted, abs=1e-3)
        assert np.all(
            np.abs(zmp - (1.0 - at) * UNDER[0] - at * UNDER[1]) <= half + 1e-3
        )


def test_the_load_follows_the_pivot_from_foot_to_foot():
    shares = [
        load_share((1 - s) * UNDER[0] + s * UNDER[1], support())
        for s in (0.0, 0.25, 1.0)
    ]
    assert shares == pytest.approx([0.0, 0.25, 1.0])


def test_at_the_toe_of_the_rear_foot_that_foot_bears_the_load_in_its_middle():
    narrow = support()._replace(half_size=np.array([0.085, 0.024]))
    toe = UNDER[0] + np.array([0.05, 0.0])
    assert load_share(toe, narrow) < 0.05
    assert abs(planned_pressure(toe, narrow)[0, 1]) < 0.3 * 0.024


@given(
    numbers, numbers, st.floats(0.2, 0.8), st.floats(0.05, 0.5), st.floats(0.05, 0.5)
)
@settings(max_examples=100, deadline=None)
def test_between_its_feet_the_robot_uses_all_that_both_floors_hold_and_no_more(
    x, y, share, left, right
):
    both = support(limits=(left, right))
    centre = (1.0 - share) * UNDER[0] + share * UNDER[1]
    zmp = usable_zmp(np.array([x, y]), centre, HEIGHT, both)
    at = load_share(zmp, both, 10.0)
    held = USED * ((1.0 - at) * left + at * right) * HEIGHT
    assert np.linalg.norm(zmp - centre) <= held + 5e-3
    wanted = into_support(np.array([x, y]), both)
    assert (
        zmp == pytest.approx(wanted, abs=1e-9)
        or np.linalg.norm(zmp - centre) >= held - 5e-3
    )


def test_braking_towards_a_foot_on_ice_the_foot_behind_it_helps():
    centre = 0.6 * UNDER[0] + 0.4 * UNDER[1]
    toe = UNDER[1]
    with_it = usable_zmp(toe, centre, HEIGHT, support(limits=(0.3, 0.05)))
    without = usable_zmp(toe, centre, HEIGHT, support(limits=(0.05, 0.05)))
    assert np.linalg.norm(with_it - centre) > 2.0 * np.linalg.norm(without - centre)


def test_the_forces_add_up_and_the_better_floor_takes_more_of_the_pull():
    force = np.array([100.0, -20.0, 800.0])
    zmp = 0.5 * (UNDER[0] + UNDER[1])
    forces = planned_forces(force, zmp, support(limits=(0.6, 0.2)), np.zeros((2, 3)))
    assert forces.sum(axis=0) == pytest.approx(force)
    assert forces[0, 0] == pytest.approx(3.0 * forces[1, 0])


def test_a_probed_foot_takes_its_ratio_and_the_other_one_the_rest():
    force = np.array([30.0, 0.0, 800.0])
    zmp = 0.5 * (UNDER[0] + UNDER[1])
    probe = np.array([[0.0, 0.0, 0.0], [-0.2, 0.05, 1.0]])
    forces = planned_forces(force, zmp, support(), probe)
    assert forces.sum(axis=0) == pytest.approx(force)
    assert forces[1, :2] / forces[1, 2] == pytest.approx([-0.2, 0.05])


@given(st.floats(0.0, 1.0), st.floats(-0.09, 0.09), st.floats(-0.05, 0.05))
@settings(max_examples=50, deadline=None)
def test_the_centres_of_pressure_of_both_soles_meet_in_the_pivot(share, x, y):
    turned = Support(
        stance=(True, True),
        under=UNDER,
        yaw=np.array([0.3, -0.2]),
        half_size=HALF,
        limits=np.array([0.5, 0.5]),
    )
    zmp = (1.0 - share) * UNDER[0] + share * UNDER[1] + np.array([x, y])
    load = load_share(zmp, turned)
    offsets = planned_pressure(zmp, turned)
    under = []
    for i, yaw in enumerate(turned.yaw):
        c = np.cos(yaw)
        s = np.sin(yaw)
        under.append(UNDER[i] + np.array([[c, -s], [s, c]]) @ offsets[i])
    assert (1.0 - load) * under[0] + load * under[1] == pytest.approx(zmp)


@given(
    numbers,
    numbers,
    st.floats(-0.05, 0.05),
    st.floats(-0.05, 0.05),
    st.floats(0.05, 1.0),
    st.floats(0.0, 0.2),
)
@settings(max_examples=100, deadline=None)
def test_a_force_from_beyond_the_sole_keeps_to_friction_to_its_bound_and_to_what_is_wanted(
    x, y, cx, cy, limit, beyond
):
    wanted = np.array([x, y])
    centre = UNDER[1] + np.array([cx, cy])
    alone = support((False, True), (1.0, limit))
    zmp = usable_zmp(wanted, centre, HEIGHT, alone)
    source = force_origin(wanted, zmp, centre, HEIGHT, alone, beyond)
    assert np.linalg.norm(source - centre) <= USED * limit * HEIGHT + 1e-9
    assert np.linalg.norm(source - zmp) <= beyond + 1e-9
    assert np.linalg.norm(source - wanted) <= np.linalg.norm(zmp - wanted) + 1e-9


def test_a_zmp_that_the_sole_reaches_is_where_the_force_points_from():
    inside = UNDER[1] + np.array([0.02, -0.01])
    alone = support((False, True))
    zmp = usable_zmp(inside, UNDER[1], HEIGHT, alone)
    assert force_origin(inside, zmp, UNDER[1], HEIGHT, alone, 0.05) == pytest.approx(
        inside
    )


@given(
    st.floats(0.0, 1.0),
    st.floats(-0.09, 0.09),
    st.floats(0.05, 0.5),
    st.floats(0.05, 0.5),
    st.floats(0.0, 0.6),
)
@settings(max_examples=100, deadline=None)
def test_where_floors_differ_the_better_one_bears_as_much_as_a_pull_needs_and_soles_allow(
    share, x, left, right, pull
):
    both = support(limits=(left, right))
    zmp = (1.0 - share) * UNDER[0] + share * UNDER[1] + np.array([x, 0.0])
    calm = load_share(zmp, both)
    pulled = load_share(zmp, both, pull)
    assert abs(pulled - calm) < 1e-9 or (pulled > calm) == (right > left)
    middle = (1.0 - pulled) * UNDER[0] + pulled * UNDER[1]
    assert np.all(np.abs(zmp - middle) <= INSIDE_SOLE * HALF + 1e-3)
    assert (
        USED * ((1.0 - pulled) * left + pulled * right)
        >= USED * ((1.0 - calm) * left + calm * right) - 1e-9
    )

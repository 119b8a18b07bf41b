# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The load of a sliding foot: hard where friction hardly holds it, gentle where it
does."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from biped_slip.control.sliding_touchdown import SlidingTouchdownConfig, sliding_load

WEIGHT = 886.0
LEAD = 0.04
BY_DRAG = SlidingTouchdownConfig(lead=LEAD, load=0.08, load_max=0.4, drag=0.05).packed
BY_LOAD = SlidingTouchdownConfig(lead=LEAD, load=0.08).packed


def on_floor(mu, load=70.0, heading=math.pi):
    """Force (3,) of a floor on a foot that slides under a load [N]."""
    return np.array(
        [mu * load * math.cos(heading), mu * load * math.sin(heading), load]
    )


@pytest.mark.parametrize(
    ("mu", "share"),
    [
        (0.0, 0.4),
        (0.05, 0.4),
        (0.125, 0.4),
        (0.2, 0.25),
        (0.4, 0.125),
        (0.8, 0.08),
    ],
)
def test_the_load_keeps_the_drag_at_a_twentieth_of_the_weight_between_its_bounds(
    mu, share
):
    assert sliding_load(on_floor(mu), WEIGHT, LEAD, BY_DRAG) == pytest.approx(
        share * WEIGHT
    )


@given(
    st.floats(0.01, 1.5),
    st.floats(5.0, 400.0),
    st.floats(5.0, 400.0),
    st.floats(-math.pi, math.pi),
)
@settings(max_examples=100, deadline=None)
def test_the_load_wanted_depends_on_mu_alone_not_on_the_load_or_the_way_of_the_slide(
    mu, load, other, heading
):
    wanted = sliding_load(on_floor(mu, load), WEIGHT, LEAD, BY_DRAG)
    assert sliding_load(
        on_floor(mu, other, heading), WEIGHT, LEAD, BY_DRAG
    ) == pytest.approx(wanted)


@given(st.floats(-50.0, 50.0), st.floats(-50.0, 50.0), st.floats(-50.0, 400.0))
@settings(max_examples=100, deadline=None)
def test_compiled_and_plain_load_are_equal_and_within_the_bounds(x, y, normal):
    force = np.array([x, y, normal])
    wanted = sliding_load(force, WEIGHT, LEAD, BY_DRAG)
    assert wanted == sliding_load.py_func(force, WEIGHT, LEAD, BY_DRAG)
    assert 0.08 * WEIGHT <= wanted <= 0.4 * WEIGHT


@pytest.mark.parametrize("mu", [0.0, 0.05, 0.8])
def test_without_a_drag_every_floor_is_asked_under_the_same_load(mu):
    assert sliding_load(on_floor(mu), WEIGHT, LEAD, BY_LOAD) == BY_LOAD.load * WEIGHT


@pytest.mark.parametrize("normal", [0.0, -2.0])
def test_a_foot_in_a_hop_is_pressed_by_the_least_load(normal):
    hop = np.array([0.0, 0.0, normal])
    assert sliding_load(hop, WEIGHT, LEAD, BY_DRAG) == BY_DRAG.load * WEIGHT


def test_a_least_load_above_the_largest_one_counts():
    heavy = SlidingTouchdownConfig(lead=LEAD, load=0.45, load_max=0.4, drag=0.05).packed
    assert sliding_load(on_floor(0.05), WEIGHT, LEAD, heavy) == heavy.load * WEIGHT


@pytest.mark.parametrize(
    ("left", "share"),
    [(0.06, 0.4), (0.04, 0.4), (0.02, 0.24), (0.0, 0.08), (-1.0, 0.08)],
)
def test_the_load_fades_to_the_least_one_until_the_planned_end_of_the_swing(
    left, share
):
    """Let go of at once, TALOS' foot left ice for 80 ms."""
    assert sliding_load(on_floor(0.05), WEIGHT, left, BY_DRAG) == pytest.approx(
        share * WEIGHT
    )

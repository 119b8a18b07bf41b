# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The least friction of a steady walk: against the closed form, the known table, and
what must hold of any optimum."""

import math

import pytest

from biped_slip.control.whole_body.gait_patterns import Pendulum, peak_ratio, rolled
from studies.demand import Walker, in_time, least_ratio

TALOS = Walker(0.87, 0.17, 0.08, 0.04)
G1 = Walker(0.62, 0.16, 0.07, 0.02)


def used(walker, share):
    """The walker with a share of its soles."""
    return walker._replace(
        half_length=share * walker.half_length, half_width=share * walker.half_width
    )


@pytest.mark.parametrize(
    ("walker", "share", "speed", "time", "expected"),
    [
        (TALOS, 1.0, 0.6, 0.6, 0.041),
        (TALOS, 0.5, 0.6, 0.4, 0.069),
        (TALOS, 1e-6, 0.6, 0.3, 0.102),
        (G1, 1.0, 0.6, 0.6, 0.071),
        (G1, 0.5, 0.6, 0.4, 0.099),
        (G1, 1e-6, 0.6, 0.3, 0.136),
    ],
)
def test_it_finds_what_an_independent_program_found(
    walker, share, speed, time, expected
):
    """Least ratios at half double support, of the study of walking on ice."""
    assert least_ratio(used(walker, share), speed, time, 0.5) == pytest.approx(
        expected, rel=0.06
    )


def test_on_points_without_double_support_nothing_is_left_to_choose():
    point = used(TALOS, 1e-9)
    length = 0.3
    expected = math.hypot(0.5 * length, 0.5 * point.width) / point.height
    assert least_ratio(point, length / 0.5, 0.5, 0.0) == pytest.approx(
        expected, rel=0.02
    )


@pytest.mark.parametrize(
    ("speed", "single", "double"), [(0.3, 0.4, 0.4), (0.6, 0.4, 0.2), (0.2, 0.6, 1.0)]
)
def test_a_pivot_that_rolls_and_moves_over_evenly_needs_no_less(speed, single, double):
    """What is walked is one path of the ZMP; the program knows them all."""
    walker = used(TALOS, 0.5)
    time = single + double
    roll = rolled(speed * time, single, double, 2.0 * walker.half_length)
    pendulum = Pendulum(walker.height, math.sqrt(9.81 / walker.height), roll)
    walked = peak_ratio(speed * time, walker.width, single, double, pendulum)
    least = least_ratio(walker, speed, time, double / time)
    assert least <= 1.02 * walked
    assert walked <= 2.5 * least


def test_faster_or_wider_walks_and_smaller_soles_need_more():
    base = least_ratio(TALOS, 0.5, 0.5, 0.3)
    assert least_ratio(TALOS, 0.7, 0.5, 0.3) > base
    assert least_ratio(TALOS._replace(width=0.22), 0.5, 0.5, 0.3) > base
    assert least_ratio(used(TALOS, 0.5), 0.5, 0.5, 0.3) > base


def test_a_swing_that_is_too_fast_is_not_in_time():
    assert in_time(TALOS, 0.6, 0.4, 0.5)
    assert not in_time(TALOS, 0.7, 0.4, 0.5)

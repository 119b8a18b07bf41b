# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""How walks with and without a friction governor are judged."""

import math

import numpy as np
import pytest

from studies.governor import (
    GOVERNOR,
    Cell,
    GovernedWalk,
    governed_table,
    slides,
    steering,
)

WEIGHT = 100.0


def test_a_slide_is_the_way_of_a_loaded_sole_on_the_floor_in_question():
    ticks = 100
    normal = np.full((ticks, 2), 50.0)
    place = np.zeros((ticks, 2, 3))
    place[:, 0, 0] = 1e-3 * np.arange(ticks)  # slides
    place[:, 1, 0] = 1e-2 * np.arange(ticks)  # in the air
    normal[:, 1] = 0.0
    longest, first = slides(normal, place, np.ones((ticks, 2), bool), WEIGHT)
    assert longest == pytest.approx(0.099)
    assert first == 10
    on_floor = np.ones((ticks, 2), bool)
    on_floor[:60] = False
    longest, first = slides(normal, place, on_floor, WEIGHT)
    assert longest == pytest.approx(0.039)
    assert first == 70


def test_who_stands_does_not_slide():
    assert slides(
        np.full((50, 2), 50.0), np.zeros((50, 2, 3)), np.ones((50, 2), bool), WEIGHT
    ) == (0.0, None)


def test_the_pilot_turns_back_to_the_way_and_not_too_fast():
    for yaw in (-2.0, -0.2, 0.0, 0.2, 2.0):
        q = np.array([0.0, 0.0, 0.7, 0.0, 0.0, math.sin(yaw / 2), math.cos(yaw / 2)])
        assert steering(q) == pytest.approx(min(max(-yaw, -0.5), 0.5))


def test_a_table_counts_the_walks_of_a_cell_and_a_file_keeps_them(tmp_path):
    cell = Cell("whole_body", 0.25, 0.6, "governor")
    walks = [
        GovernedWalk(
            cell=cell,
            seed=0,
            fell=False,
            time=10.0,
            distance=5.0,
            slid=0.02,
            known_first=True,
        ),
        GovernedWalk(
            cell=cell,
            seed=1,
            fell=True,
            time=5.0,
            distance=1.0,
            slid=0.3,
            known_first=False,
        ),
        GovernedWalk(
            cell=cell,
            seed=2,
            fell=False,
            time=10.0,
            distance=6.0,
            slid=0.004,
            known_first=None,
        ),
    ]
    (row,) = governed_table(walks)
    assert (row.runs, row.fell, row.slid, row.known_first) == (3, 1, 0.3, (1, 2))
    assert row.distance == pytest.approx(4.0)
    assert row.speed == pytest.approx((0.5 + 0.2 + 0.6) / 3)
    file = GOVERNOR.file(tmp_path / "walks.jsonl")
    for walk in walks:
        file.add(walk)
    again = GOVERNOR.file(tmp_path / "walks.jsonl")
    assert [again.find((cell, seed)) for seed in range(4)] == [*walks, None]

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""A spill makes another floor of a floor, the one that a file would describe."""

import math

import numpy as np
import pytest

from biped_slip.contact.ground import (
    GroundConfig,
    friction_at,
    ground_under,
    terrain_of,
)
from biped_slip.contact.spill import (
    covers,
    spill_of,
    spilled_ground,
    spilled_terrain,
    timed_spills,
)
from biped_slip.errors import InvalidParameter
from biped_slip.simulation.humanoid.terrain import TerrainConfig


def test_a_spill_on_a_grid_is_the_patch_that_was_there_from_the_start():
    dry = {"mu": 0.8, "profile": [[0.0, 0.0], [1.0, 0.1]], "bump_height": 0.01}
    spilled = spilled_terrain(
        TerrainConfig.from_mapping(dry).gridded(), spill_of([2.0, 4.0, -1.0, 1.0, 0.1])
    )
    patched = TerrainConfig.from_mapping(
        {**dry, "patches": [[2.0, 4.0, -1.0, 1.0, 0.1]]}
    ).terrain()
    for ours, theirs in zip(spilled, patched, strict=True):
        np.testing.assert_array_equal(ours, theirs)


def test_random_spills_in_a_plane_are_the_last_one_at_each_place():
    rng = np.random.default_rng(3)
    floor = GroundConfig(mu=(1.0, 0.4, 0.7), edges=(0.0, 1.0)).ground()
    spills = []
    for _ in range(40):
        begin, length = rng.uniform(-2.0, 2.0), rng.uniform(0.01, 2.0)
        spills.append(spill_of([begin, begin + length, rng.uniform(0.0, 1.0)]))
        before = floor
        floor = spilled_ground(floor, spills[-1])
        assert len(floor.edges) + 1 == len(floor.mu)
        assert np.all(np.diff(floor.edges) > 0.0)
        for x in rng.uniform(-4.0, 4.0, 20):
            wet = covers(spills[-1], x, 0.0)
            expected = spills[-1].mu if wet else friction_at(before, x)
            assert friction_at(floor, x) == expected


def test_a_spill_at_every_step_of_a_way_is_one_spill_along_the_way():
    floor = GroundConfig(mu=(0.8,), edges=()).ground()
    for step in range(3000):
        begin = 0.25 * step
        floor = spilled_ground(floor, spill_of([begin, begin + 0.5, 0.1]))
    assert floor.edges.tolist() == [0.0, 0.25 * 2999 + 0.5]
    assert floor.mu.tolist() == [0.8, 0.1, 0.8]
    dried = spilled_ground(floor, spill_of([-1.0, 800.0, 0.8]))
    assert dried.mu.tolist() == [0.8]
    assert dried.edges.size == 0


def test_a_floor_of_a_thousand_pieces_takes_no_further_one_but_a_spill_that_covers_some():
    """Each contact looks through all pieces in each step of the plant."""
    floor = GroundConfig(mu=(0.8,), edges=()).ground()
    for step in range(499):  # each makes two more
        floor = spilled_ground(floor, spill_of([step, step + 0.5, 0.1]))
    assert len(floor.mu) == 999
    with pytest.raises(InvalidParameter, match="at most 1000 pieces"):
        spilled_ground(floor, spill_of([499.0, 499.5, 0.1]))
    covered = spilled_ground(floor, spill_of([-1.0, 100.0, 0.1]))
    assert len(covered.mu) == 999 - 2 * 100


def test_random_spills_on_a_grid_count_each_cell_by_its_centre():
    rng = np.random.default_rng(4)
    floor = terrain_of(lambda x, y: 0.0 * (x + y), 0.8, (-1.0, 1.0, -0.5, 0.5), 0.1)
    for _ in range(30):
        begin = rng.uniform(-2.0, 1.0, 2)
        end = begin + rng.uniform(0.01, 2.0, 2)
        spill = spill_of([begin[0], end[0], begin[1], end[1], rng.uniform()])
        before, floor = floor, spilled_terrain(floor, spill)
        for _ in range(20):
            cell = [rng.integers(size) for size in floor.mu.shape]
            x = floor.origin_x + (cell[0] + 0.5) * 0.1
            y = floor.origin_y + (cell[1] + 0.5) * 0.1
            wet = covers(spill, x, y)
            expected = spill.mu if wet else ground_under(before, x, y).mu
            assert floor.mu[tuple(cell)] == expected


def test_a_spill_beyond_the_grid_ends_where_it_ends_and_the_slope_goes_on():
    slope = 0.2
    floor = terrain_of(lambda x, y: slope * x + 0.0 * y, 0.8, (-1.0, 1.0, -1.0, 1.0))
    spilled = spilled_terrain(floor, spill_of([3.0, 4.0, -2.0, -1.5, 0.1]))
    frictions = {
        (0.0, 0.0): 0.8,
        (2.9, -1.7): 0.8,
        (3.5, -1.7): 0.1,
        (3.5, -1.4): 0.8,
        (3.5, -2.1): 0.8,
        (3.5, -50.0): 0.8,
        (50.0, -1.7): 0.8,
    }
    for (x, y), mu in frictions.items():
        found = ground_under(spilled, x, y)
        assert found.mu == mu
        assert found.height == pytest.approx(slope * x, abs=1e-9)


def test_a_spill_without_ends_along_y_goes_across_the_whole_floor_and_beyond_it():
    floor = terrain_of(lambda x, y: 0.0 * (x + y), 0.8, (-1.0, 1.0, -1.0, 1.0))
    spilled = spilled_terrain(floor, spill_of([0.0, 0.5, 0.1]))
    assert ground_under(spilled, 0.25, 70.0).mu == 0.1
    assert ground_under(spilled, 0.75, 70.0).mu == 0.8


def test_spills_are_sorted_by_time_and_later_ones_cover_earlier_ones():
    rows = [[2.0, 0.0, 1.0, 0.3], [1.0, 0.0, 1.0, 0.1]]
    assert [timed.spill.mu for timed in timed_spills(rows, "spills")] == [0.1, 0.3]


@pytest.mark.parametrize(
    ("numbers", "why"),
    [
        ([1.0, 2.0], "x from, x to"),
        ([2.0, 1.0, 0.1], "from < to"),
        ([1.0, 2.0, 1.0, 0.5, 0.1], "from < to"),
        ([1.0, 2.0, -0.1], "0 to 5"),
        ([1.0, 2.0, 5.1], "0 to 5"),
        ([1.0, math.inf, 0.1], "finite along x"),
        ([1.0, 2.0, math.nan], "x from, x to"),
    ],
)
def test_what_is_no_spill_is_refused_with_its_numbers(numbers, why):
    with pytest.raises(InvalidParameter, match=why):
        spill_of(numbers)


def test_a_spill_far_from_the_grid_is_refused_before_it_fills_the_memory():
    floor = terrain_of(lambda x, y: 0.0 * (x + y), 0.8, (-1.0, 1.0, -1.0, 1.0))
    with pytest.raises(InvalidParameter, match="cells"):
        spilled_terrain(floor, spill_of([1e8, 1e8 + 1.0, 0.1]))


@pytest.mark.parametrize("row", [[-1.0, 0.0, 1.0, 0.1], [0.0, 1.0, 0.1]])
@pytest.mark.parametrize("kind", [GroundConfig, TerrainConfig])
def test_a_spill_comes_at_a_time_from_the_start_on(kind, row):
    with pytest.raises(InvalidParameter, match="time >= 0"):
        kind.from_mapping({"spills": [row]})


def test_a_plane_has_no_spill_that_ends_across_it():
    with pytest.raises(InvalidParameter, match="in a plane"):
        GroundConfig.from_mapping({"spills": [[0.0, 1.0, 2.0, -1.0, 1.0, 0.1]]})

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The course: what lies on the way, where walks ended, and the table, from walks that
are made up."""

import math

import numpy as np
import pytest

from biped_slip.contact.ground import ground_under
from biped_slip.errors import UnknownName
from biped_slip.simulation.humanoid.scenario import (
    HumanoidWalkConfig,
    drawn,
    track_scenario,
)
from biped_slip.simulation.humanoid.summary import HumanoidSummary
from biped_slip.walking.humanoid import walking_part
from studies.course import (
    COURSE,
    LEVEL,
    RAMP_ALONE,
    SHIFT,
    TILE_MU,
    WITH_RAMP,
    CourseJob,
    CourseOutcome,
    climb_speed,
    course_table,
    course_walk,
)


def floor_of(stretches, seed=0):
    """The floor of a course, and by how much its seed moves it."""
    walk = course_walk("talos", stretches)
    draw = drawn(walk, seed)
    return track_scenario(walk, draw).terrain.terrain(), draw.shift


def outcome(kind, seed, distance=11.0, end_time=30.0, fell=False):
    """One walk as it might have ended."""
    arrived = distance >= 11.0 and not fell
    summary = HumanoidSummary(
        fell, end_time, distance, 0.004, (), arrived, 0.2, 0.4, 0, 3.0
    )
    return CourseOutcome(CourseJob("talos", kind, seed, "level"), summary, 0.3)


def test_a_walk_names_the_contact_law_of_its_floor():
    said = course_walk("talos", LEVEL).to_mapping()
    own = HumanoidWalkConfig.from_mapping(said)
    other = HumanoidWalkConfig.from_mapping({**said, "contact": "hunt_crossley + iwan"})
    laws = [
        track_scenario(walk, drawn(walk, 0)).plant.contact.law for walk in (own, other)
    ]
    assert laws[0] != laws[1] == "hunt_crossley + iwan"
    # of the world, not of the controller
    assert walking_part(other.to_mapping()) == walking_part(own.to_mapping())
    with pytest.raises(UnknownName, match="iwam"):
        HumanoidWalkConfig.from_mapping({**said, "contact": "hunt_crossley + iwam"})


def test_the_way_leads_over_every_floor_that_its_stretches_name():
    terrain, shift = floor_of(WITH_RAMP)
    begin = shift
    for stretch in WITH_RAMP:
        middle = ground_under(terrain, begin + 0.5 * stretch.length, 0.0)
        if not stretch.tiles:
            assert middle.mu == stretch.mu
        assert middle.normal_x / middle.normal_z == pytest.approx(
            -math.tan(stretch.rise), abs=1e-9
        )
        begin += stretch.length
    assert ground_under(terrain, begin, 0.0).height == pytest.approx(0.0, abs=1e-9)


def test_without_its_ramp_the_course_is_level_and_otherwise_the_same():
    terrain, shift = floor_of(LEVEL)
    assert all(ground_under(terrain, 0.1 * k, 0.0).height == 0.0 for k in range(120))
    assert [part for part in WITH_RAMP if part in LEVEL] == list(LEVEL)
    assert ground_under(terrain, shift + 3.5, 0.0).mu == 0.08


def test_no_small_patch_carries_a_whole_sole():
    terrain, shift = floor_of(LEVEL)
    begin = shift + sum(stretch.length for stretch in LEVEL[:5])
    found = [
        [ground_under(terrain, begin + 0.3 + 0.02 * i, 0.02 * j).mu for i in range(8)]
        for j in range(4)
    ]
    assert {mu for row in found for mu in row} == {
        TILE_MU,
        0.8,
    }  # 16 x 8 cm, a small sole, meets both


def test_the_seed_moves_the_course_by_less_than_a_step():
    walk = course_walk("g1", LEVEL)
    shifts = {drawn(walk, seed).shift for seed in range(8)}
    assert len(shifts) == 8
    assert all(0.0 <= shift <= SHIFT for shift in shifts)


def test_a_row_counts_who_arrived_in_which_time_and_where_the_others_ended():
    walks = [
        outcome("oracle", 0),
        outcome("oracle", 1, end_time=34.0),
        outcome("oracle", 2, 3.2, fell=True),
        outcome("oracle", 3, 6.0),
    ]
    (row,) = course_table(walks)
    assert (row.runs, row.arrived, row.fell, row.time, row.climb) == (
        4,
        2,
        1,
        32.0,
        0.3,
    )
    assert row.ended_on == (("ice", 1), ("wet", 1))


def test_the_speed_up_the_ramp_is_that_between_its_ends():
    time = 0.01 * np.arange(2000)
    along = np.where(time < 5.0, 0.3 * time, 1.5 + 0.2 * (time - 5.0))
    assert climb_speed(along, time, RAMP_ALONE) == pytest.approx(0.2, rel=1e-2)
    assert math.isnan(climb_speed(along[:1000], time[:1000], RAMP_ALONE))  # fell on it
    assert math.isnan(climb_speed(along, time, LEVEL))


def test_a_walk_that_has_ended_is_found_in_its_file(tmp_path):
    ended = outcome("reflex", 0)
    COURSE.file(tmp_path / "course.jsonl").add(ended)
    found = COURSE.file(tmp_path / "course.jsonl")
    assert found.find(ended.job) == ended
    assert found.find(CourseJob("talos", "reflex", 1, "level")) is None
    assert found.find(CourseJob("talos", "reflex", 0)) is None

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The floor changes while a robot walks, ahead of it or under its foot."""

import numpy as np
import pytest
from simulation.humanoid.standing import Standing, stand

from biped_slip.contact.spill import spill_of
from biped_slip.errors import InvalidParameter
from biped_slip.reports.stances import stance_rows
from biped_slip.robots.humanoid import load_humanoid
from biped_slip.simulation.humanoid.scenario import (
    FloatingScenarioConfig,
    HumanoidWalkConfig,
    chosen_walk,
    drawn,
    track_scenario,
)
from biped_slip.simulation.humanoid.world import FloatingWorld
from biped_slip.simulation.planar.oracle import planar_policy
from biped_slip.simulation.planar.scenario import changed, chosen_scenario
from biped_slip.simulation.planar.walk import Walk

SECONDS = 4.0
WET = [1.6, 2.6, 0.4]


def planar(**ground):
    scenario = changed(
        chosen_scenario("thesis"),
        {"duration": SECONDS, "ground": {"mu": [1.0], "edges": [], **ground}},
    )
    return Walk(scenario, planar_policy("touchdown", scenario), seed=1)


def same(one, other):
    for name, rows in one.filled().items():
        np.testing.assert_array_equal(rows, other.filled()[name], err_msg=name)


@pytest.fixture(scope="module")
def patched():
    """A walk over a patch that was there from the start."""
    return planar(mu=[1.0, WET[2], 1.0], edges=WET[:2]).run()


@pytest.mark.parametrize("time", [0.0, 0.7])
def test_what_is_spilled_ahead_is_the_patch_from_the_start_to_the_last_bit(
    patched, time
):
    walk = planar(spills=[[time, *WET]])
    log = walk.run()
    assert np.min(log.mu_true) == WET[2]
    touched = log.time[np.any((log.foot_x > WET[0]) & (log.normal > 0.0), axis=1)][0]
    assert touched > time
    for name, rows in log.filled().items():
        if name != "mu_true":  # of the floor under a foot in the air, too
            np.testing.assert_array_equal(rows, patched.filled()[name], err_msg=name)
    after = log.time > time
    np.testing.assert_array_equal(log.mu_true[after], patched.mu_true[after])


def test_a_hand_spills_what_the_scenario_says_and_ticks_are_the_compiled_walk(patched):
    walk = planar()
    while not walk.ended:
        if walk.plant.ticks == 700:
            walk.spill(spill_of(WET))
        walk.tick()
    same(walk.log.trim(), planar(spills=[[0.7, *WET]]).run())


def test_under_a_standing_foot_the_force_is_inside_the_new_cone_at_once():
    """Also of a foot at rest: bristles that held more than the new floor does would
    hold for ever where nothing moves."""
    walk = planar()
    while walk.plant.ticks < 410:
        walk.tick()
    foot = int(np.nanargmax(walk.log.ratio[409]))
    x = float(walk.log.foot_x[409, foot])
    assert walk.log.ratio[409, foot] > 0.1
    before = walk.plant.state
    walk.spill(spill_of([x - 0.05, x + 0.05, 0.05]))
    assert walk.plant.state is not before  # what was measured there is out of date
    contact = walk.plant.contact()
    normal = contact.normal[foot]
    assert normal > 0.0
    assert abs(contact.force[foot, 0]) <= 0.05 * normal + 1e-9
    assert contact.mu[foot] == 0.05
    for _ in range(20):
        walk.tick()
    rows = walk.log.ratio[410:430, foot]
    assert np.nanmax(rows) <= 0.05 + 1e-9


def test_the_table_of_stances_says_what_the_floor_was_and_what_it_became():
    walk = planar()
    while walk.plant.ticks < 450:
        walk.tick()
    foot = int(np.argmax(walk.log.normal[449]))
    x = float(walk.log.foot_x[449, foot])
    walk.spill(spill_of([x - 0.05, x + 0.05, 0.5]))
    while walk.plant.ticks < 1600 and not walk.ended:
        walk.tick()
    rows = stance_rows(walk.log.trim())
    name = ("left", "right")[foot]
    (changed_one,) = [
        row for row in rows if row.foot == name and row.touchdown < 0.45 < row.lift_off
    ]
    assert (changed_one.mu_true, changed_one.mu_at_end) == (1.0, 0.5)
    others = [row for row in rows if row is not changed_one]
    assert {row.mu_true for row in others} == {1.0}
    assert all(row.mu_at_end == row.mu_true for row in others)


def talos(**terrain):
    scenario = FloatingScenarioConfig.from_mapping(
        {"duration": 0.3, "terrain": {"mu": 0.8, **terrain}}
    )
    return FloatingWorld(load_humanoid("talos"), scenario)


def test_a_humanoid_stands_as_before_while_the_spill_touches_no_foot():
    world = talos()
    dry = stand(world, Standing(world.humanoid))
    for terrain in (
        {"spills": [[0.1, 2.0, 4.0, 0.1]]},
        {"patches": [[2.0, 4.0, -3.0, 3.0, 0.1]]},
    ):
        world = talos(**terrain)
        same(stand(world, Standing(world.humanoid)), dry)


def test_under_one_sole_only_its_friction_changes_and_only_from_then_on():
    world = talos(spills=[[0.1, -1.0, 1.0, 0.0, 1.0, 0.1]])  # the left one's side
    log = stand(world, Standing(world.humanoid))
    wet = log.time >= 0.1 - 1e-9
    np.testing.assert_array_equal(log.mu[wet, 0], 0.1)
    np.testing.assert_array_equal(log.mu[~wet, 0], 0.8)
    np.testing.assert_array_equal(log.mu[:, 1], 0.8)
    assert np.nanmax(log.ratio[wet, 0]) <= 0.1 + 1e-9


def test_a_refused_spill_leaves_the_floor_as_it_was():
    walk = planar()
    before = walk.plant.ground
    with pytest.raises(InvalidParameter, match="in a plane"):
        walk.spill(spill_of([0.0, 1.0, -1.0, 1.0, 0.1]))
    assert walk.plant.ground is before
    world = talos()
    before = world.plant.around.terrain
    with pytest.raises(InvalidParameter, match="cells"):
        world.spill(spill_of([1e8, 1e8 + 1.0, 0.1]))
    assert world.plant.around.terrain is before


def test_the_spills_of_a_way_move_with_its_other_floors():
    way = chosen_walk("talos").to_mapping()
    way["course"] = {
        "shift": 2.0,
        "patches": [[1.0, 2.0, -1.0, 1.0, 0.3]],
        "spills": [[3.0, 1.0, 2.0, -1.0, 1.0, 0.1]],
    }
    config = HumanoidWalkConfig.from_mapping(way)
    terrain = track_scenario(config, drawn(config, seed=4)).terrain
    ((_, begin, end, *rest),) = terrain.spills
    assert (begin, end) == tuple(terrain.patches[-1][:2])
    assert begin > 1.0
    assert rest == [-1.0, 1.0, 0.1]

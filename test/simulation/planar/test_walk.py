# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Walks as ensembles: what each slip prevention achieves on the shipped scenarios."""

import math

import numpy as np
import pytest

from biped_slip.errors import BipedSlipError, InvalidParameter, UnknownName
from biped_slip.friction_estimation.limits import EstimateLimit
from biped_slip.friction_estimation.types import (
    NO_ESTIMATE,
    NO_MEASUREMENT,
    EstimateState,
)
from biped_slip.simulation.campaign import run_campaign, table
from biped_slip.simulation.planar.job import PlanarJob
from biped_slip.simulation.planar.oracle import planar_policy
from biped_slip.simulation.planar.scenario import (
    PushConfig,
    ScenarioConfig,
    chosen_scenario,
    perturbed,
)
from biped_slip.simulation.planar.walk import Walk, run_walk
from biped_slip.walking.planar import SpeedConfig

SEEDS = range(7000, 7008)


def rows(scenario, limits):
    outcomes = run_campaign(
        [PlanarJob(scenario, limit, seed) for limit in limits for seed in SEEDS],
        workers=1,
    )
    return {row.limit: row for row in table(outcomes)}, outcomes


@pytest.mark.slow
def test_on_the_thesis_floor_prevention_walks_and_its_absence_slides():
    found, outcomes = rows("thesis", ["none", "oracle", "thesis"])
    assert found["none"].fell_or_slid_far >= 6
    assert found["oracle"].passed >= 7
    assert found["thesis"].passed >= 6
    assert found["none"].median_slip > 10 * found["oracle"].median_slip
    slippery = [
        c for outcome in outcomes for c in outcome.summary.contacts if c.mu_true == 0.4
    ]
    assert any(contact.demand_time is not None for contact in slippery)


@pytest.mark.slow
def test_the_torso_variant_walks_with_the_oracle():
    found, _ = rows("torso", ["oracle"])
    assert found["oracle"].passed >= 7


@pytest.mark.slow
def test_uphill_caution_alone_walks_and_who_knows_the_floor_walks_further():
    found, _ = rows("traction", ["none", "constant:0.2", "oracle"])
    assert found["none"].passed <= 1
    assert found["constant:0.2"].passed >= 7
    assert found["oracle"].passed >= 7
    cautious = found["constant:0.2"].median_distance
    assert cautious < 0.85 * found["oracle"].median_distance


def test_the_same_seed_walks_the_same_way_and_another_does_not():
    def end(seed):
        scenario = perturbed(
            chosen_scenario("thesis_sensors"), np.random.default_rng(seed)
        )
        scenario = ScenarioConfig.from_mapping(
            {**scenario.to_mapping(), "duration": 0.4}
        )
        return run_walk(scenario, "thesis", seed).log.q

    np.testing.assert_array_equal(end(3), end(3))
    assert not np.array_equal(end(3), end(4))


def test_a_campaign_gives_the_same_table_on_one_and_on_two_workers(tmp_path):
    path = tmp_path / "short.yaml"
    path.write_text("duration: 0.3\n")
    jobs = [
        PlanarJob(str(path), limit, seed)
        for limit in ("none", "thesis")
        for seed in range(2)
    ]
    one = run_campaign(jobs, workers=1)
    two = run_campaign(jobs, workers=2)
    assert table(one) == table(two)


def test_hip_and_feet_start_where_the_scenario_says_and_feet_are_still():
    for name in ("thesis", "traction"):
        scenario = chosen_scenario(name)
        walk = Walk(scenario, planar_policy("none", scenario))
        position, velocity = walk.plant.motion(walk.plant.state.q, walk.plant.state.v)
        assert walk.height() == pytest.approx(scenario.start.hip_height, abs=1e-12)
        np.testing.assert_allclose(velocity[:, :3], 0.0, atol=1e-12)
        assert walk.plant.contact().normal.sum() == pytest.approx(
            walk.robot.mass * 9.81, rel=1e-6
        )
        along = position[:, 0] * math.cos(scenario.ground.slope) + position[
            :, 2
        ] * math.sin(scenario.ground.slope)
        np.testing.assert_allclose(
            along, [scenario.start.left_foot, scenario.start.right_foot], atol=1e-9
        )


def test_a_push_that_no_robot_survives_is_a_fall_not_an_exception():
    scenario = ScenarioConfig.from_mapping(
        {
            "duration": 3.0,
            "pushes": {"start": [0.1], "duration": [0.5], "force": [-200.0]},
        }
    )
    summary = run_walk(scenario, "oracle").summary
    assert summary.fell
    assert summary.end_time < 3.0
    assert math.isfinite(summary.distance)


def test_torques_stay_finite_and_inside_the_robots_limits():
    scenario = ScenarioConfig.from_mapping(
        {
            "duration": 2.0,
            "pushes": {"start": [0.5], "duration": [0.1], "force": [80.0]},
        }
    )
    log = run_walk(scenario, "thesis").log
    assert np.isfinite(log.torques).all()
    assert (np.abs(log.torques) <= 60.0).all()


def test_the_thesis_limit_is_none_before_the_flag_follows_it_holds_and_is_cleared_in_flight():
    limit = EstimateLimit()
    state = limit.initial_state()
    flagged = NO_ESTIMATE._replace(
        mu=0.5, flag=True, state_code=int(EstimateState.USABLE)
    )
    state, before = limit.step(
        state, flagged._replace(flag=False), NO_MEASUREMENT, 1e-3
    )
    state, during = limit.step(state, flagged, NO_MEASUREMENT, 1e-3)
    state, held = limit.step(
        state, flagged._replace(flag=False, mu=9.0), NO_MEASUREMENT, 1e-3
    )
    state, cleared = limit.step(state, NO_ESTIMATE, NO_MEASUREMENT, 1e-3)
    assert (before, during, held, cleared) == (math.inf, 0.45, 0.45, math.inf)


def test_wrong_names_and_files_are_refused(tmp_path):
    scenario = ScenarioConfig()
    with pytest.raises(InvalidParameter, match="one of none"):
        planar_policy("magic", scenario)
    with pytest.raises(InvalidParameter, match="a ratio above 0"):
        planar_policy("constant:low", scenario)
    with pytest.raises(UnknownName, match="thesis"):
        chosen_scenario("thesys")
    with pytest.raises(BipedSlipError, match="can't be read"):
        chosen_scenario(str(tmp_path / "missing.yaml"))
    with pytest.raises(InvalidParameter, match="rising"):
        SpeedConfig(time=(0.0, 0.0), value=(0.1, 0.2))
    with pytest.raises(InvalidParameter, match="as long as"):
        PushConfig(start=(1.0,))


def test_speed_commands_and_pushes_hold_between_their_times():
    speed = SpeedConfig(time=(0.0, 2.0), value=(0.5, 0.0))
    assert [speed.at(t) for t in (0.0, 1.99, 2.0, 9.0)] == [0.5, 0.5, 0.0, 0.0]
    push = PushConfig(start=(1.0, 1.5), duration=(1.0, 0.1), force=(3.0, 4.0))
    assert [push.at(t) for t in (0.9, 1.0, 1.55, 1.7, 2.0)] == [0.0, 3.0, 7.0, 3.0, 0.0]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["thesis", "torso", "traction"])
def test_the_interval_estimator_walks_every_shipped_scenario(name):
    scenario = chosen_scenario(name)
    assert run_walk(scenario, "interval").summary.passes(scenario.required_distance)

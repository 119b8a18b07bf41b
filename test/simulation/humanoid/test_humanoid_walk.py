# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""A humanoid walks: a few steps in the closed loop, and what its summary says."""

import itertools
import shutil
from dataclasses import replace

import numpy as np
import pytest

from biped_slip.errors import InvalidParameter, UnknownName
from biped_slip.shared_files import shared_file
from biped_slip.simulation.campaign import CampaignFile, run_campaign, table
from biped_slip.simulation.humanoid.job import HumanoidJob
from biped_slip.simulation.humanoid.scenario import HumanoidWalkConfig, chosen_walk
from biped_slip.simulation.humanoid.summary import HumanoidSummary, summarise_humanoid
from biped_slip.simulation.humanoid.walk import HumanoidWalk
from biped_slip.simulation.stances import StanceSlide

NAN = float("nan")
GOOD = HumanoidSummary(False, 20.0, 10.0, 0.002, (), True, 0.3, 0.5, 0, 4.0)
FELL = HumanoidSummary(
    True, 9.0, 5.0, 0.3, (StanceSlide("left", 8.0, 8.5, 0.3),), False, NAN, NAN, 3, 4.0
)


def short(**changes):
    """TALOS over 0.6 m of floor without a patch."""
    mapping = chosen_walk("talos").to_mapping()
    mapping.update(distance=0.6, speed=0.4)
    mapping["patch"]["length"] = 0.0
    mapping.update(changes)
    return HumanoidWalkConfig.from_mapping(mapping)


@pytest.fixture(scope="module")
def walked():
    """The walk and the answer of every tick on which the base was known."""
    walk = HumanoidWalk(short(), "interval", 3)
    answers = []
    while not walk.ended:
        answer = walk.tick().answer
        if answer is not None:
            answers.append(answer)
    return walk, answers


@pytest.fixture(scope="module")
def walk(walked):
    return walked[0]


def test_talos_walks_a_few_steps_upright_without_slip(walk):
    summary = summarise_humanoid(walk)
    assert summary.passes()
    assert summary.unsolved == 0
    assert summary.max_stance_slip < 0.005


def test_g1_does_not_roll_over_its_toes():
    """It did by 0.03 rad in half of the time on one foot, then twisted about the toe:
    that holds no moment."""
    mapping = {**chosen_walk("g1").to_mapping(), "distance": 1.0, "speed": 0.4}
    mapping["patch"]["length"] = 0.0
    walk = HumanoidWalk(HumanoidWalkConfig.from_mapping(mapping), "oracle", 3)
    while not walk.ended:
        walk.tick()
    log = walk.world.log.trim()
    alone = log.normal > 0.8 * walk.humanoid.weight
    assert alone.any()
    assert (
        np.median(np.arccos(np.minimum(log.sole_rotation[alone][:, 2, 2], 1.0))) < 0.02
    )


@pytest.fixture(scope="module")
def surena3():
    """First steps of SURENA III."""
    mapping = chosen_walk("surena3").to_mapping()
    mapping.update(distance=0.6, patch={"length": 0.0})
    walk = HumanoidWalk(HumanoidWalkConfig.from_mapping(mapping), "touchdown", 3)
    walk.run()
    return walk


def test_surena3_walks_its_first_steps_upright_without_slip(surena3):
    assert summarise_humanoid(surena3).passes()


def test_its_base_turns_to_the_side_of_its_front_foot_for_it_has_no_waist(surena3):
    """Held along the walk it was thrown by up to 40 degrees in each swing where the
    floor held no moment."""
    log = surena3.world.log
    both = np.all(log.normal > 0.2 * surena3.humanoid.weight, axis=1)
    apart = (log.sole_position[:, 0] - log.sole_position[:, 1])[:, 0]
    turned = 2.0 * np.arctan2(log.q[:, 5], log.q[:, 6]) - log.yaw.mean(axis=1)
    for side in (-1.0, 1.0):
        ahead = both & (side * apart > 0.1)
        assert 0.1 < np.median(side * turned[ahead]) < 0.4


def test_its_waist_counters_the_legs_of_a_slow_walk_without_swinging_up_from_step_to_step():
    walk = HumanoidWalk(short(distance=1.2, speed=0.2), "interval", 0)
    walk.run()
    model = walk.humanoid.model
    log = walk.world.log
    waist = log.q[:, model.joints[model.getJointId("torso_1_joint")].idx_q]
    early, late = (
        float(np.abs(part).max())
        for part in np.array_split(waist[len(waist) // 3 :], 2)
    )
    assert summarise_humanoid(walk).passes()
    assert 0.05 < late < 1.3 * early < 0.65


@pytest.mark.parametrize("late", [1, 2])
def test_it_stands_up_to_walk_though_its_torques_come_late(late):
    """A simulator behind a bridge, or a bus, takes a few ticks: also before the base's
    motion is known."""
    walk = HumanoidWalk(chosen_walk("talos", "ankles"), "constant:0.25", seed=0)
    sent = []
    while len(sent) < 400:
        sent.append(walk.control(walk.world.sense()).torques)
        walk.world.advance(sent[max(len(sent) - 1 - late, 0)])
    assert walk.guarded.problem is None
    assert abs(walk.world.plant.state.q[2] - walk.humanoid.standing()[2]) < 0.005


def test_its_time_begins_when_it_has_its_joints():
    walk = HumanoidWalk(short(), "constant:0.25", seed=0)
    start = round(1e3 * walk.config.walking.start)

    def moves(ticks):
        for _ in range(ticks):
            walk.tick()
        return walk.sequencer.moving

    for _ in range(start + 100):
        walk.sequencer.wait_for_joints()
        assert not moves(1)
    assert not moves(start - 100)
    assert moves(200)


def test_the_feet_take_turns_and_both_carry_in_between(walk):
    phases = [tick.phase for tick in walk.ticks]
    changes = [b for a, b in itertools.pairwise(phases) if a != b]
    assert changes[:4] == [1, 2, 1, 2]


def test_on_an_unknown_floor_the_limit_starts_at_the_default(walk):
    assert walk.ticks[0].limits == (walk.config.limit.mu_default,) * 2
    assert all(min(tick.limits) > 0.0 for tick in walk.ticks)


def test_no_force_that_is_asked_for_leaves_its_friction_cone(walked):
    walk, answers = walked
    # a sole that is tilted by some mrad tilts its cone
    slack = 0.03 * walk.humanoid.weight
    for answer in answers:
        along = np.hypot(answer.forces[:, 0], answer.forces[:, 1])
        assert np.all(along <= np.array(answer.limits) * answer.forces[:, 2] + slack)


@pytest.mark.parametrize("kind", ["constant:x", "sometimes"])
def test_an_unknown_slip_prevention_is_refused(kind):
    with pytest.raises(InvalidParameter, match="limit"):
        HumanoidWalk(short(), kind)


def test_an_unknown_walk_is_refused_with_the_known_ones():
    with pytest.raises(UnknownName, match="talos"):
        chosen_walk("nobody")


def test_a_walk_finds_the_robot_that_lies_beside_its_file(tmp_path):
    shutil.copy(shared_file("config/robots/surena3.yaml"), tmp_path / "mine.yaml")
    (tmp_path / "walk.yaml").write_text("robot: mine.yaml\nspeed: 0.2\n")
    assert chosen_walk(str(tmp_path / "walk.yaml")).robot == str(tmp_path / "mine.yaml")
    assert chosen_walk("talos").robot == "talos"


def test_the_table_counts_falls_slips_and_speeds():
    slid = replace(
        GOOD,
        max_stance_slip=0.05,
        slips=(StanceSlide("left", 3.0, 3.5, 0.05),) * 2,
        speed_off_patch=0.7,
    )
    jobs = [HumanoidJob(short(), "a", seed) for seed in range(3)]
    rows = table(
        [
            job.outcome(summary)
            for job, summary in zip(jobs, (GOOD, slid, FELL), strict=True)
        ]
    )
    assert len(rows) == 1
    assert (rows[0].runs, rows[0].passed, rows[0].fell, rows[0].slipped) == (3, 1, 1, 2)
    assert rows[0].speed == pytest.approx(0.6)
    assert np.isfinite(rows[0].peak_ratio)


def test_a_campaign_gives_the_same_walks_whatever_the_number_of_workers():
    jobs = [HumanoidJob(short(distance=0.05), "interval", seed) for seed in (1, 2)]
    alone = run_campaign(jobs[:1], 1)
    pair = run_campaign(jobs, 2)
    assert [outcome.job for outcome in pair] == jobs
    assert (
        alone[0].summary.to_mapping()
        == pair[0].summary.to_mapping()
        != pair[1].summary.to_mapping()
    )


def test_a_walk_in_the_file_of_results_is_found_and_another_one_is_not(tmp_path):
    job = HumanoidJob(short(), "interval", 3)
    CampaignFile(tmp_path / "walks.jsonl").add(job.outcome(FELL))
    again = CampaignFile(tmp_path / "walks.jsonl")
    found = again.find(job)
    assert found is not None
    assert found.summary.to_mapping() == FELL.to_mapping()
    assert found.summary.slips == FELL.slips
    others = (
        HumanoidJob(short(mu=0.7), "interval", 3),
        HumanoidJob(short(), "oracle", 3),
        HumanoidJob(short(), "interval", 4),
    )
    assert [again.find(other) for other in others] == [None] * 3


def test_the_check_before_a_walk_finds_nothing_wrong_with_right_sensors():
    assert HumanoidWalk(short(), "interval", 100, checked=True).check_sensors() == ()


def test_a_walk_whose_sensors_are_wrong_does_not_pass():
    refused = replace(GOOD, faults="the IMU is upside down")
    row = table([HumanoidJob(short(), "a", 0).outcome(refused)])[0]
    assert (row.passed, row.refused) == (0, 1)

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The ladder's table and its verdicts, from walks that are made up, and one short walk
in the closed loop."""

import math
from dataclasses import replace

import pytest

from biped_slip.errors import InvalidParameter
from biped_slip.friction_estimation.types import NO_MEASUREMENT
from biped_slip.robots.humanoid import load_humanoid
from biped_slip.simulation.humanoid.oracle import humanoid_policy
from biped_slip.simulation.humanoid.scenario import HumanoidWalkConfig, drawn
from biped_slip.simulation.humanoid.summary import HumanoidSummary
from biped_slip.simulation.humanoid.walk import HumanoidWalk
from studies.ladder import (
    LADDER,
    SENSORS_LATE,
    SLOWEST,
    TORQUES_LATE,
    LadderJob,
    LadderOutcome,
    PatchSummary,
    Rung,
    config_of,
    ladder_table,
    orders,
    sign_test,
    summarise_patch,
)

ICE = Rung("talos", 0.1, "interval")
PATCH = PatchSummary(
    first_slip=0.004, later_slip=0.002, speed=0.4, peak_ratio=0.11, stood=False
)


def outcome(kind, seed, fell=False, arrived=True, stood=False):
    """One walk as it might have ended."""
    summary = HumanoidSummary(
        fell=fell,
        end_time=20.0,
        distance=10.0,
        max_stance_slip=0.004,
        slips=(),
        arrived=arrived and not fell,
        peak_ratio=0.15,
        speed_off_patch=0.5,
        unsolved=0,
        patch_from=4.0,
    )
    return LadderOutcome(
        LadderJob(replace(ICE, kind=kind), seed), summary, replace(PATCH, stood=stood)
    )


def test_a_row_counts_falls_arrivals_and_who_stood():
    walks = [
        outcome("interval", 0),
        outcome("interval", 1, fell=True),
        outcome("interval", 2, arrived=False, stood=True),
    ]
    (row,) = ladder_table(walks)
    assert (row.runs, row.fell, row.arrived, row.stood) == (3, 1, 1, 1)
    assert row.first_slip == 0.004
    assert row.speed_on_patch == pytest.approx(0.4)


def test_who_knows_more_and_falls_more_often_is_named_only_where_it_is_no_chance():
    few = [outcome("oracle", s, fell=s < 2) for s in range(4)] + [
        outcome("constant:0.2", s) for s in range(4)
    ]
    (order,) = orders(few)
    assert order.falls == (2, 0)
    assert not order.broken
    many = [outcome("oracle", s, fell=s < 6) for s in range(9)] + [
        outcome("constant:0.2", s) for s in range(9)
    ]
    assert orders(many)[0].broken
    other = [outcome("oracle", s) for s in range(9)] + [
        outcome("constant:0.2", s, fell=True) for s in range(9)
    ]
    assert not orders(other)[0].broken


def test_the_true_friction_is_measured_against_the_estimate_and_both_against_each_constant():
    walks = [
        outcome(kind, 0)
        for kind in ("none", "constant:0.2", "interval", "touchdown", "oracle")
    ]
    pairs = {(order.better.kind, order.worse.kind) for order in orders(walks)}
    assert pairs == {
        ("oracle", "touchdown"),
        ("oracle", "interval"),
        ("oracle", "none"),
        ("oracle", "constant:0.2"),
        ("touchdown", "interval"),
        ("touchdown", "none"),
        ("touchdown", "constant:0.2"),
        ("interval", "none"),
        ("interval", "constant:0.2"),
    }


def test_a_short_walk_ends_soon_behind_the_whole_patch_and_is_another_cell():
    walk = config_of(Rung("talos", 0.1, "interval"))
    short = config_of(Rung("talos", 0.1, "interval", short=True))
    assert short.distance < 0.5 * walk.distance
    assert short.patch.mu == 0.1
    assert short.patch.latest + short.patch.length < short.distance
    assert (
        LadderJob(ICE, 0).walk.key()
        != LadderJob(replace(ICE, short=True), 0).walk.key()
    )


def test_a_walk_has_time_to_creep_over_ice_however_fast_it_is_told_to_go():
    for robot in ("talos", "surena3", "g1"):
        walk = config_of(Rung(robot, 0.05, "oracle", short=True))
        assert (
            walk.patience * walk.distance / walk.speed >= walk.distance / SLOWEST - 1e-9
        )


def test_one_oracle_sees_the_way_ahead_and_one_only_the_floor_under_a_loaded_sole():
    walk = config_of(Rung("talos", 0.1, "underfoot"))
    humanoid, draw = load_humanoid("talos"), drawn(walk, 0)
    before = draw.patch[0] - 0.2
    on = draw.patch[0] + 0.2

    def told(kind, x, load):
        policy = humanoid_policy(kind, walk, humanoid, 0)
        seen = NO_MEASUREMENT._replace(
            displacement_x=x, displacement_y=0.0, force_normal=load * humanoid.weight
        )
        return policy.estimator.step(policy.estimator.initial_state(), seen, 1e-3)[1].mu

    assert (
        told("oracle", before, 0.0)
        == told("oracle", on, 1.0)
        == told("underfoot", on, 1.0)
        == 0.1
    )
    assert told("underfoot", before, 1.0) == 0.8
    assert math.isnan(told("underfoot", before, 0.0))


def test_a_policy_from_a_file_is_a_limit_of_the_table_that_is_told_how_its_base_moves_and_ranks_nowhere():
    walk = LadderJob(Rung("g1", 0.1, "onnx:policy.onnx"), 3).walk
    assert (walk.controller, walk.limit, walk.true_base) == (
        "onnx:policy.onnx",
        "none",
        True,
    )
    assert walk.key() != LadderJob(Rung("g1", 0.1, "none"), 3).walk.key()
    assert (
        orders([outcome("interval", 0, fell=True), outcome("onnx:policy.onnx", 0)])
        == []
    )


def test_the_sign_test_is_the_tail_of_a_fair_coin():
    assert sign_test(5, 0) == pytest.approx(1 / 32)
    assert sign_test(0, 0) == 1.0
    assert sign_test(3, 1) == pytest.approx(5 / 16)


def test_a_patch_without_friction_is_refused():
    with pytest.raises(InvalidParameter, match="mu"):
        config_of(replace(ICE, mu=0.0))


def test_a_walk_in_the_file_is_found_again_and_one_on_another_patch_is_not(tmp_path):
    walked = outcome("interval", 3)
    LADDER.file(tmp_path / "ladder.jsonl").add(walked)
    again = LADDER.file(tmp_path / "ladder.jsonl")
    assert again.find(walked.job) == walked
    assert again.find(LadderJob(replace(ICE, mu=0.2), 3)) is None
    assert again.find(LadderJob(replace(ICE, push=0.05), 3)) is None


@pytest.mark.compiled
def test_talos_that_knows_the_ice_crosses_its_edge_without_slipping():
    mapping = config_of(Rung("talos", 0.08, "oracle")).to_mapping()
    mapping.update(distance=1.6)
    mapping["patch"].update(earliest=0.8, latest=0.8)
    walk = HumanoidWalk(HumanoidWalkConfig.from_mapping(mapping), "oracle", 100)
    walk.run()
    patch = summarise_patch(walk)
    assert not walk.world.fell
    assert patch.first_slip < 0.005
    assert patch.speed < 0.5


def test_a_rung_on_the_feets_imus_tells_the_estimator_what_they_are_worth():
    seen = config_of(replace(ICE, motion="odometry"))
    felt = config_of(replace(ICE, motion="foot_imu"))
    assert seen.motion.source == "odometry"
    assert felt.motion.source == "foot_imu"
    told = felt.walking.policy_settings(900.0).estimator.interval.motion
    assert told.kind == "imu"
    assert told.noise_density == pytest.approx(
        felt.sensors.foot_imu.accelerometer_noise * math.sqrt(2e-3)
    )
    assert felt.sensors.encoders.leg_stiffness > 0.0
    chain = (
        config_of(replace(ICE, motion="both_feet"))
        .walking.policy_settings(900.0)
        .estimator.interval
    )
    assert chain.motion.shared
    assert chain.sole.compliance == pytest.approx(
        2.0 / felt.sensors.encoders.leg_stiffness
    )


def test_a_rung_has_the_walks_own_sensors_or_a_named_set_and_its_motion():
    own, real, seen = (
        config_of(replace(ICE, sensors=name))
        for name in ("", "realistic", "laboratory")
    )
    assert own.motion.source == real.motion.source == "both_feet"
    assert seen.motion.source == "odometry"
    # TALOS' own set is the realistic one
    assert own.unmodelled.mass == real.unmodelled.mass > 0.0
    assert seen.unmodelled.mass == 0.0


def test_a_late_rung_delays_torques_and_every_sensor_and_the_controller_knows():
    late, usual = (
        config_of(Rung("talos", 0.25, "touchdown", late=late)) for late in (True, False)
    )
    assert (
        late.unmodelled.dead_time == late.controller.actuation.dead_time == TORQUES_LATE
    )
    assert late.controller.actuation.sensor_age == SENSORS_LATE
    for name in ("encoders", "imu", "foot_imu", "force_torque", "foot_position"):
        older = (
            getattr(late.sensors, name).delivery.latency
            - getattr(usual.sensors, name).delivery.latency
        )
        assert older == pytest.approx(SENSORS_LATE)

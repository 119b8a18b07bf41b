# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""A bag of a robot's own topics replays into the estimates that the robot had."""

from pathlib import Path

import numpy as np
import pytest
from recordings.walk_bags import STORE, bag_of, made, messages, write_messages

from biped_slip.errors import InvalidParameter, InvalidRecording, UnknownName
from biped_slip.estimation.planar_feet import odometry_motion
from biped_slip.estimation.readings import SensorReadings
from biped_slip.friction_estimation.rls import ThesisEstimator
from biped_slip.recordings.bag_feet import own_layout, read_bag_layout
from biped_slip.recordings.bags import Bag
from biped_slip.recordings.messages import BagWriter
from biped_slip.recordings.replay import answer_bag, replay_file
from biped_slip.robots.planar_biped import planar_biped
from biped_slip.simulation.planar.oracle import planar_policy
from biped_slip.simulation.planar.scenario import chosen_scenario
from biped_slip.simulation.planar.summary import summarise
from biped_slip.simulation.planar.walk import Walk
from biped_slip.walking.planar import FrictionObserver, planar_output

CONFIG = Path(__file__).parents[2] / "config" / "recordings" / "walk.yaml"


def readings(count=400, seed=4):
    """Sensor readings of a foot-dragging robot; nothing about them is still or
    periodic."""
    rng = np.random.default_rng(seed)
    for k in range(count):
        time = 1e-3 * k
        wave = np.sin(2.0 * time + np.arange(4))
        load = np.array([300.0, 250.0]) * (
            0.3 + np.abs(np.sin(3.0 * time + np.array([0.0, 1.0])))
        )
        wrench = np.zeros((2, 6))
        wrench[:, 0] = -0.2 * load * np.sin(5.0 * time)
        wrench[:, 2] = load
        yield SensorReadings(
            stamp_ns=1_000_000_000 + k * 1_000_000,
            joint_position=np.array([-1.4, 0.3, -1.7, 0.4]) + 0.1 * wave,
            joint_velocity=0.2 * np.cos(2.0 * time + np.arange(4)),
            orientation_base_in_world=np.array([0.0, 0.0, 0.0, 1.0]),
            angular_velocity_in_base=np.zeros(3),
            specific_force_in_base=np.array([0.0, 0.0, 9.81]),
            position_base_in_odom=np.array([0.4 * time, 0.0, 0.7])
            + rng.normal(0, 1e-5, 3),
            linear_velocity_in_base=np.array([0.4, 0.0, 0.01]),
            wrench_ground_on_foot_in_sole=wrench,
        )


def observed(all_readings):
    """What the robot itself estimates from the same readings, shape (n, 2, 12)."""
    robot = planar_biped("thesis")
    observer = FrictionObserver(robot, ThesisEstimator(), odometry_motion(robot))
    return np.array(
        [observer.step(reading).estimates for reading in all_readings], dtype=float
    )


def test_a_bag_of_a_walk_gives_the_estimates_of_the_walk(tmp_path):
    result = answer_bag(bag_of(tmp_path / "a.mcap", readings()), CONFIG, "thesis")
    live = observed(readings())
    for foot, replayed in enumerate(result.feet):
        assert replayed.series.name == ("left", "right")[foot]
        assert replayed.answers == pytest.approx(
            live[:, foot], rel=1e-9, abs=1e-9, nan_ok=True
        )
    assert np.isfinite(live[:, :, 0]).any(), "otherwise nothing has been compared"


def test_a_bag_of_ones_own_walk_is_recognised_and_read_through_the_robots_model(
    tmp_path,
):
    # the wrenches turn with the shanks: as they are, they are not along the floor
    path = bag_of(tmp_path / "a.mcap", readings())
    by_itself = replay_file(path, estimator="thesis")
    named = replay_file(path, CONFIG, "thesis")
    assert by_itself["held"] == pytest.approx(named["held"], nan_ok=True)
    assert by_itself["required"] == pytest.approx(named["required"], nan_ok=True)
    assert any("planar biped: read through" in note for note in by_itself.notes)


def test_another_robots_bag_with_the_same_topics_is_not_taken_for_it(tmp_path):
    joints = ("hip_a", "knee_a", "hip_b", "knee_b")
    path = bag_of(tmp_path / "a.mcap", readings(), joints)
    assert own_layout(Bag(path)) is None


def test_instants_with_a_missing_message_are_left_out(tmp_path):
    result = answer_bag(
        bag_of(tmp_path / "a.mcap", readings(), leave_out="/odom"), CONFIG, "thesis"
    )
    kept = [reading for reading in readings() if reading.stamp_ns % 7_000_000]
    assert result.feet[0].series.stamp_ns.tolist() == [
        reading.stamp_ns for reading in kept
    ]


def test_a_joint_that_the_robot_lacks_is_named(tmp_path):
    bag = bag_of(
        tmp_path / "a.mcap", readings(5), joints=("hip", "l_knee", "r_hip", "r_knee")
    )
    with pytest.raises(UnknownName, match="unknown joint 'l_hip'"):
        answer_bag(bag, CONFIG, "thesis")


def test_a_missing_topic_is_named(tmp_path):
    path = tmp_path / "a.mcap"
    with BagWriter(path) as writer:
        topic, kind, fields = next(iter(messages(next(readings(1)))))
        writer.raw(
            topic, kind, 1, bytes(STORE.serialize_cdr(made(kind, **fields), kind))
        )
    with pytest.raises(
        InvalidRecording, match="no messages on /imu/data, only on /joint_states"
    ):
        answer_bag(path, CONFIG, "thesis")


def spread_bag(path, all_readings, between):
    """A bag whose messages of one cycle have stamps so far apart [ns], joint_states
    first."""
    with BagWriter(path) as writer:
        for reading in all_readings:
            for number, (topic, kind, _) in enumerate(messages(reading)):
                own = reading._replace(stamp_ns=reading.stamp_ns + between * number)
                fields = {t: f for t, _, f in messages(own)}[topic]
                writer.raw(
                    topic,
                    kind,
                    own.stamp_ns,
                    bytes(STORE.serialize_cdr(made(kind, **fields), kind)),
                )
    return path


@pytest.mark.parametrize("between", [15_000, -15_000])
def test_stamps_of_a_cycle_that_differ_by_microseconds_give_the_same_estimates(
    tmp_path, between
):
    equal = answer_bag(bag_of(tmp_path / "a.mcap", readings()), CONFIG, "thesis")
    spread = answer_bag(
        spread_bag(tmp_path / "b.mcap", readings(), between), CONFIG, "thesis"
    )
    for one, other in zip(spread.feet, equal.feet, strict=True):
        assert one.series.stamp_ns.tolist() == other.series.stamp_ns.tolist()
        np.testing.assert_array_equal(one.answers, other.answers)


def test_messages_whose_stamps_never_agree_are_refused(tmp_path):
    rare = (reading for number, reading in enumerate(readings(40)) if number % 10 == 0)
    with pytest.raises(InvalidRecording, match="stamps must agree"):
        answer_bag(spread_bag(tmp_path / "a.mcap", rare, 600_000), CONFIG, "thesis")


def test_a_writer_that_fails_leaves_nothing_behind(tmp_path):
    with pytest.raises(RuntimeError), BagWriter(tmp_path / "a.mcap"):
        raise RuntimeError("interrupted")
    assert list(tmp_path.iterdir()) == []


def walked(path):
    """Walk the demo, its sensors' messages in a bag; the summary of the walk."""
    scenario = chosen_scenario("demo")
    walk = Walk(scenario, planar_policy("touchdown", scenario))
    with BagWriter(path) as writer:
        while not walk.ended:
            read = walk.read()
            write_messages(writer, read.stamp_ns, messages(read))
            output = walk.controller.step(read)
            walk.log.record_control(walk.log.length - 1, planar_output(output))
            walk.advance(output.torques)
    return summarise(walk.log.trim(), walk.fell, 0.0)


@pytest.mark.slow
def test_a_recorded_walk_replays_to_its_own_table(tmp_path):
    had = walked(tmp_path / "walk.mcap").contacts
    assert sum(contact.mu_hat is not None for contact in had) == 11
    for layout, error in (("demo", 0.0), ("walk", 0.003)):
        found = replay_file(tmp_path / "walk.mcap", layout, "touchdown").contacts
        assert [one.foot for one in found] == [one.foot for one in had]
        for one, own in zip(found, had, strict=True):
            # the walk's are the true loads, the bag's 1 ms old and noisy
            assert one.start == pytest.approx(own.start, abs=2e-3)
            assert one.end == pytest.approx(own.end, abs=5e-3)
            assert one.usable_from == own.usable_from
            if own.mu_hat is None:
                assert one.mu_median is None
            else:
                assert one.mu_median == pytest.approx(own.mu_hat, abs=error)


def topics_of(folder, text):
    (folder / "robot.yaml").write_text(f"bag: {text}\n")
    return read_bag_layout(folder / "robot.yaml")


def test_a_scenario_stands_for_the_settings_of_its_walk_and_what_is_beside_it_wins(
    tmp_path,
):
    walk = chosen_scenario("demo").walking
    topics = topics_of(tmp_path, "{robot: {scenario: demo}}").robot
    for name in ("variant", "motion", "interval", "rls", "touchdown"):
        assert getattr(topics, name) == getattr(walk, name)
    own = topics_of(
        tmp_path, "{robot: {scenario: demo, motion: {source: odometry}}}"
    ).robot
    assert own.motion.source == "odometry"
    assert own.motion.leg_stiffness == walk.motion.leg_stiffness


@pytest.mark.parametrize(
    ("text", "error", "words"),
    [
        ("{robot: {scenario: nowhere}}", UnknownName, "unknown scenario 'nowhere'"),
        ("{humanoid: {walk: talos, slope: 1}}", UnknownName, "slope"),
        ("{robot: {}, humanoid: {}}", InvalidParameter, "where a robot is named"),
        ("3", InvalidParameter, "bag is 3"),
    ],
)
def test_a_mistake_in_a_robots_layout_is_named(tmp_path, text, error, words):
    with pytest.raises(error, match=words):
        topics_of(tmp_path, text)

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""A bag of a humanoid's own topics replays into the estimates that its walk had, by
its force sensors or by the currents of its motors."""

import numpy as np
import pytest
from recordings.walk_bags import humanoid_messages, write_messages

import biped_slip as bs
from biped_slip.errors import InvalidRecording
from biped_slip.friction_estimation.types import FrictionEstimate
from biped_slip.recordings.bag_feet import HumanoidTopics
from biped_slip.recordings.bag_humanoid import HumanoidFeet
from biped_slip.recordings.bags import Bag
from biped_slip.recordings.messages import BagWriter
from biped_slip.robots.humanoid import load_humanoid
from biped_slip.simulation.humanoid.scenario import humanoid_walk_of
from biped_slip.simulation.stances import stances
from biped_slip.walking.humanoid import standing_readings, walk_file

BOLT = load_humanoid("bolt")
SECONDS = 4.0
LOADED = 0.035  # body weights


@pytest.mark.slow
def test_a_recorded_walk_of_talos_replays_to_its_own_estimates(tmp_path):
    walk = bs.HumanoidWalk(bs.chosen_walk("talos"), "touchdown", seed=3, checked=False)
    joints = walk.humanoid.robot.joints
    had = []
    with BagWriter(tmp_path / "walk.mcap") as writer:
        sense = walk.world.sense

        def sense_and_write():
            raw = sense()
            write_messages(writer, raw.stamp_ns, humanoid_messages(raw, joints))
            return raw

        walk.world.sense = sense_and_write
        while 1e-9 * walk.world.plant.stamp_ns < SECONDS:
            had.append(walk.tick().estimates)
    answer = bs.replay_file(tmp_path / "walk.mcap", "talos", "touchdown")
    log = walk.world.log.trim()
    mu = FrictionEstimate._fields.index("mu_median")
    for foot, replayed in enumerate(answer.feet):
        own = np.array([pair[foot] for pair in had], dtype=float)
        np.testing.assert_array_equal(replayed.answers, own)
        assert np.isfinite(own[:, mu]).any(), "otherwise nothing has been compared"
        load = log.normal[:, foot] - LOADED * walk.humanoid.weight
        walked = [
            (log.time[one.start], log.time[one.stop - 1])
            for one in stances(log.time, load)
        ]
        found = [
            (one.start, one.end)
            for one in answer.contacts
            if one.foot == replayed.series.name
        ]
        np.testing.assert_allclose(found, walked, atol=0.01)


@pytest.mark.parametrize("known", [True, False])
def test_a_bag_has_the_torques_of_the_motors_where_they_were_recorded(tmp_path, known):
    joints = BOLT.robot.joints
    torques = np.arange(1.0, len(joints) + 1.0)
    raw = next(standing_readings(BOLT, external_base=False)).raw
    raw = raw._replace(joint_torque=torques if known else np.empty(0))
    with BagWriter(tmp_path / "stand.mcap") as writer:
        write_messages(writer, raw.stamp_ns, humanoid_messages(raw, joints))
    bag = Bag(tmp_path / "stand.mcap")
    (read,) = HumanoidFeet(bag, HumanoidTopics(walk="bolt")).readings()
    wanted = torques if known else np.full(len(joints), np.nan)
    np.testing.assert_array_equal(read.raw.joint_torque, wanted)


HEARD = ("/joint_states", "/imu/data")


def write_heard(writer, raw, joints):
    """Write joint states and IMU alone."""
    every = humanoid_messages(raw, joints)
    write_messages(writer, raw.stamp_ns, [one for one in every if one[0] in HEARD])


@pytest.mark.slow
def test_a_walk_by_currents_replays_to_its_own_table(tmp_path):
    mapping, folder = walk_file("g1")
    changes = {"sensors": "currents", "mu": 0.2, "patch": {"length": 0.0}, "speed": 0.3}
    config = humanoid_walk_of({**mapping, **changes}, folder)
    walk = bs.HumanoidWalk(config, "touchdown", seed=2, checked=False)
    joints = walk.humanoid.robot.joints
    had = []
    with BagWriter(tmp_path / "walk.mcap") as writer:
        sense = walk.world.sense

        def sense_and_write():
            raw = sense()
            write_heard(writer, raw, joints)
            return raw

        walk.world.sense = sense_and_write
        while 1e-9 * walk.world.plant.stamp_ns < 3.6:
            had.append(walk.tick().estimates)
    answer = bs.replay_file(tmp_path / "walk.mcap", None, "touchdown", robot="g1")
    mu = FrictionEstimate._fields.index("mu_median")
    compared = 0
    for foot, replayed in enumerate(answer.feet):
        own = np.array([pair[foot] for pair in had], dtype=float)
        np.testing.assert_array_equal(replayed.answers, own)
        compared += np.isfinite(own[:, mu]).sum()
    assert compared > 0


def standing_bag(path, period, **changes):
    joints = BOLT.robot.joints
    rng = np.random.default_rng(0)
    with BagWriter(path) as writer:
        readings = standing_readings(BOLT, period=period)
        for _, one in zip(range(60), readings, strict=False):
            shaken = one.raw.joint_position + 1e-6 * rng.normal(size=len(joints))
            write_heard(
                writer, one.raw._replace(joint_position=shaken, **changes), joints
            )
    return path


@pytest.mark.parametrize(
    ("period", "torque", "words"),
    [
        (0.001, np.empty(0), "joint states have no effort"),
        (0.001, np.zeros(len(BOLT.robot.joints)), "all efforts of the legs are zero"),
        (0.01, np.ones(len(BOLT.robot.joints)), "joint states come at 100 Hz"),
    ],
)
def test_a_bag_that_says_no_forces_is_refused_in_one_sentence(
    tmp_path, period, torque, words
):
    bag = standing_bag(tmp_path / "stand.mcap", period, joint_torque=torque)
    with pytest.raises(InvalidRecording, match=words):
        bs.replay_file(bag, None, "touchdown", robot="bolt")

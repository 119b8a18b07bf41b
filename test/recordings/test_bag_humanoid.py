# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""A bag of a humanoid's own topics replays into the estimates that its walk had."""

import numpy as np
import pytest
from recordings.walk_bags import humanoid_messages, write_messages

import biped_slip as bs
from biped_slip.friction_estimation.types import FrictionEstimate
from biped_slip.recordings.bag_feet import HumanoidTopics
from biped_slip.recordings.bag_humanoid import HumanoidFeet
from biped_slip.recordings.bags import Bag
from biped_slip.recordings.messages import BagWriter
from biped_slip.robots.humanoid import load_humanoid
from biped_slip.simulation.stances import stances
from biped_slip.walking.humanoid import standing_readings

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

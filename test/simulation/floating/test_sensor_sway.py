# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Before the first step of its walk TALOS shifts its weight and sways: wrong sensors are named, right ones are not."""

import numpy as np
import pytest

from biped_slip.estimation.body_frames import BodyFrames
from biped_slip.estimation.humanoid_observer import HumanoidObserver
from biped_slip.estimation.planted_window import check_standing
from biped_slip.robots.humanoid_config import FOOT_IMUS, FORCE_SENSORS, IMU, SOLES
from biped_slip.simulation.floating.sensor_sway import STILL, SWAYING
from biped_slip.simulation.floating.walk import HumanoidWalk
from biped_slip.simulation.floating.walk_config import humanoid_walk_named

pytestmark = pytest.mark.compiled
SEEDS = (0, 1, 2)
Z90 = np.kron(np.eye(2), [[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])


def swayed(seed, spoil=lambda raw: raw):
    """The walk after its sway, what its sensors said, and what was found wrong with them."""
    walk, raws = HumanoidWalk(humanoid_walk_named("talos"), "interval", seed, checked=True), []
    sense = walk.world.sense

    def kept():
        raws.append(spoil(sense()))
        return raws[-1]

    walk.world.sense = kept
    return walk, raws, walk.check_sensors()


@pytest.fixture(scope="module")
def right():
    return [swayed(seed) for seed in SEEDS]


def test_right_sensors_are_left_alone_whatever_their_noise_and_the_walk_goes_on(right):
    assert [found for _, _, found in right] == [()] * len(SEEDS)
    walk = right[0][0]
    assert not walk.pilot.moving
    walk.tick()
    assert walk.pilot.moving
    assert not walk.world.fell


def of_foot(foot, change):
    def spoil(raw):
        wrench = raw.force_torque.copy()
        wrench[foot] = change @ wrench[foot]
        return raw._replace(force_torque=wrench)

    return spoil


def constant(raw):
    return raw._replace(force_torque=np.array([raw.force_torque[0], [2.0, -3.0, 440.0, 1.0, 4.0, 0.1]]))


FAULTS = {
    "flipped signs": (of_foot(0, -np.eye(6)), "the force sensor of the left foot has the opposite sign"),
    "swapped feet": (
        lambda raw: raw._replace(force_torque=raw.force_torque[::-1].copy()),
        "the force sensors of the left and the right foot are exchanged",
    ),
    "a frame turned by 90 degrees": (
        of_foot(1, Z90),
        "the force sensor of the right foot is turned by 90 degrees about its z axis",
    ),
    "a constant": (constant, "the force sensor of the right foot reads a constant while the weight shifts"),
    "an IMU upside down": (lambda raw: raw._replace(imu=raw.imu * [1.0, -1.0, -1.0, 1.0, -1.0, -1.0]), "upside down"),
}


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("seed", SEEDS[:2])
def test_a_wrong_sensor_is_named(right, fault, seed):
    spoil, words = FAULTS[fault]
    walk, raws, _ = right[seed]
    model = walk.humanoid.model
    observer = HumanoidObserver(walk.humanoid.robot, BodyFrames(model, SOLES, FORCE_SENSORS, FOOT_IMUS, IMU))
    readings = [observer.step(spoil(raw)) for raw in raws]
    begin, end = round(1e3 * STILL), round(1e3 * (STILL + SWAYING))
    (found,) = check_standing(model, SOLES, readings[begin:end])
    assert words in found


def test_wrong_sensors_are_named_before_the_first_step_and_keep_the_robot_standing():
    spoil, words = FAULTS["swapped feet"]
    walk, _, found = swayed(3, spoil)
    assert found == (words,)
    assert walk.pilot.reserve.name == "sensor check"
    for _ in range(300):
        assert walk.tick().answer.phase == 0
    assert not walk.pilot.moving
    assert not walk.world.fell

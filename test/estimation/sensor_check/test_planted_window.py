# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""What the sensors of a swaying robot should say, against inverse dynamics of the same
motion."""

import numpy as np
import pinocchio as pin
import pytest

from biped_slip.estimation.sensor_self_test import (
    COUNTERED,
    WANDER,
    StandingJoints,
    SwayRecord,
    planted_window,
)
from biped_slip.robots.humanoid import FORCE_SENSORS, SOLES, load_humanoid
from biped_slip.walking.sensor_sway import FOOT_FRAMES

# [s], [rad/s]
STEP = 5e-3
RATE = 2.0 * np.pi


def test_the_expected_wrench_of_a_torso_that_sways_is_that_of_inverse_dynamics():
    robot = load_humanoid("surena3")
    model, hips = (
        robot.model,
        [robot.robot.joints.index(name) for name in ("l_hip_pitch", "r_hip_pitch")],
    )
    swing = np.zeros(len(robot.robot.joints))
    swing[hips] = 0.06
    time = np.arange(0.0, 2.0, STEP)
    joints = robot.posture + np.outer(np.sin(RATE * time), swing)
    none = np.zeros((len(time), 3))
    level = np.tile([0.0, 0.0, 9.81], (len(time), 1))
    record = SwayRecord(
        time=time,
        joint_position=joints,
        joint_velocity=0.0 * joints,
        force_torque=np.zeros((len(time), 2, 6)),
        specific_force=level,
        angular_velocity=none,
        torques=0.0 * joints,
    )
    carried = planted_window(model, FOOT_FRAMES, record).carried
    data = model.createData()

    def state(k):
        """The left sole at rest at the origin."""
        q = np.concatenate([np.zeros(6), [1.0], joints[k]])
        pin.framesForwardKinematics(model, data, q)
        base = data.oMf[model.getFrameId(SOLES[0])].inverse()
        return np.concatenate(
            [base.translation, pin.Quaternion(base.rotation).coeffs(), joints[k]]
        )

    middle = slice(100, 300)
    wanted = []
    places = []
    feet = [model.frames[model.getFrameId(sole)].parentJoint for sole in SOLES]
    for k in range(middle.start, middle.stop):
        before = state(k - 1)
        now = state(k)
        after = state(k + 1)
        v = [
            pin.difference(model, before, now) / STEP,
            pin.difference(model, now, after) / STEP,
        ]
        push = pin.rnea(model, data, now, 0.5 * (v[0] + v[1]), (v[1] - v[0]) / STEP)[:6]
        ground = pin.SE3(pin.XYZQUATToSE3(now[:7])).act(pin.Force(push)).vector
        com = robot.robot.mass * pin.centerOfMass(model, data, now)
        pin.framesForwardKinematics(model, data, now)
        for (
            foot
        ) in feet:  # both rest: the floor bears their weight, which no sensor feels
            inertia = data.oMi[foot].act(model.inertias[foot])
            com -= inertia.mass * inertia.lever
            ground -= np.hstack(
                [
                    weight := [0.0, 0.0, 9.81 * inertia.mass],
                    np.cross(inertia.lever, weight),
                ]
            )
        com /= robot.robot.mass - sum(model.inertias[foot].mass for foot in feet)
        wanted.append(np.hstack([ground[:3], ground[3:] - np.cross(com, ground[:3])]))
        places.append(
            [
                data.oMf[model.getFrameId(sensor)].translation - com
                for sensor in FORCE_SENSORS
            ]
        )
    found = np.hstack([carried.force, carried.moment])[middle]
    swayed = np.ptp(np.array(wanted), axis=0)
    apart = np.ptp(found - np.array(wanted), axis=0)
    assert swayed[4] > 5.0  # [N m]
    assert swayed[0] > 20.0  # [N]
    assert apart[4] < 0.15 * swayed[4]  # both smooth alike, which takes 5 % of it
    assert apart[0] < 0.15 * swayed[0]
    assert np.mean(found, axis=0)[2] == pytest.approx(
        np.mean(wanted, axis=0)[2], rel=1e-3
    )
    np.testing.assert_allclose(carried.position[middle], places, atol=1e-3)


@pytest.mark.parametrize(
    ("joint", "most"), [("torso_1_joint", COUNTERED), ("arm_left_4_joint", WANDER)]
)
def test_a_joint_that_is_held_may_wander_little_and_a_waist_that_counters_moments_more(
    joint, most
):
    robot = load_humanoid("talos")
    moved = np.array([name == joint for name in robot.robot.joints])
    for share, named in ((0.99, 0), (1.01, 1)):
        standing = StandingJoints(robot.model, SOLES)
        for one in (0.0, share * most):
            standing.add(robot.posture + one * moved)
        assert len(standing.faults()) == named

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""What the sensors of a swaying robot should say, against inverse dynamics of the same
motion."""

import numpy as np
import pinocchio as pin
import pytest
from derived_robots import with_common_waist, with_straight_arms

from biped_slip.estimation.sensor_self_test import (
    COUNTERED,
    FALLS,
    WANDER,
    StandingJoints,
    SwayRecord,
    planted_window,
)
from biped_slip.robots.humanoid import FORCE_SENSORS, SOLES, load_humanoid
from biped_slip.walking.humanoid import humanoid_body
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


def standing_of(humanoid):
    """The check of a robot that counters its legs by what its controller moves."""
    counterweights = humanoid_body(humanoid).counterweights
    return StandingJoints(humanoid.model, SOLES, counterweights)


def faults_of(humanoid, moved, lean=0.0):
    """What is found as joints move [rad] by name, and the robot leans backwards."""
    standing = standing_of(humanoid)
    tilt = np.array([0.0, -np.sin(0.5 * lean), 0.0, np.cos(0.5 * lean)])
    joints = np.array([moved.get(name, 0.0) for name in humanoid.robot.joints])
    standing.add(humanoid.posture)
    standing.add(humanoid.posture + joints, tilt)
    return standing.faults()


def test_shoulders_that_counter_the_legs_wander_as_a_waist_does(tmp_path):
    """0.15 rad of a shoulder is not its encoder, where the controller turns it."""
    humanoid = load_humanoid(with_straight_arms(tmp_path))
    shoulder = "left_shoulder_pitch_joint"
    assert faults_of(humanoid, {shoulder: 0.95 * COUNTERED}) == ()
    (fault,) = faults_of(humanoid, {shoulder: 1.05 * COUNTERED})
    assert f"joint {shoulder} runs away" in fault
    (fault,) = faults_of(humanoid, {"left_elbow_joint": 1.05 * WANDER})
    assert "joint left_elbow_joint runs away" in fault


def test_a_waist_that_turns_in_a_fall_is_no_wrong_encoder():
    """0.3 rad backwards take the centre of mass of TALOS, 0.88 m up, 0.26 m away."""
    talos = load_humanoid("talos")
    turned = {"torso_1_joint": 1.1 * COUNTERED}
    assert faults_of(talos, turned, lean=0.3) == (FALLS,)
    (fault,) = faults_of(talos, turned)
    assert "joint torso_1_joint runs away" in fault
    # as far as it sways in the self-test
    (fault,) = faults_of(talos, turned, lean=0.06)
    assert "joint torso_1_joint runs away" in fault


def test_a_joint_that_nothing_turns_is_named_in_a_fall_too():
    talos = load_humanoid("talos")
    moved = {"torso_1_joint": 1.1 * COUNTERED, "arm_left_4_joint": 2.0 * WANDER}
    faults = faults_of(talos, moved, lean=0.3)
    assert any("arm_left_4_joint" in fault for fault in faults)


def test_a_fall_in_which_no_joint_runs_away_is_left_to_who_sees_it():
    assert faults_of(load_humanoid("talos"), {}, lean=0.3) == ()


def test_a_waist_between_base_and_legs_is_none_of_the_legs(tmp_path):
    """Both soles turn with it: its encoder is not tried as one of a leg's."""
    humanoid = load_humanoid(with_common_waist(tmp_path))
    assert faults_of(humanoid, {"waist": 0.9 * COUNTERED}) == ()
    (fault,) = faults_of(humanoid, {"waist": 1.1 * COUNTERED})
    assert "joint waist runs away" in fault

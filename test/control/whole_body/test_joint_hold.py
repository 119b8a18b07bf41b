# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The hold of the joints brakes a sway by the right joints, and by no more than a loop
bears."""

import numpy as np
import pinocchio as pin
import pytest
from derived_robots import with_mass, with_roll_before_pitch, without_ankle_roll

from biped_slip.control.whole_body.joint_hold import JointHold, free_inertia
from biped_slip.estimation.readings import SensorReadings
from biped_slip.robots.humanoid import load_humanoid

PERIOD = 1e-3


def hold_of(humanoid):
    soles = tuple(humanoid.model.getFrameId(sole) for sole in humanoid.robot.soles)
    return JointHold(humanoid.model, soles, humanoid.posture, humanoid.efforts)


def swaying(humanoid, rate):
    """Readings of the standing posture whose base turns at a rate (3,) [rad/s]."""
    nothing = np.zeros(3)
    return SensorReadings(
        stamp_ns=0,
        joint_position=humanoid.posture,
        joint_velocity=np.zeros(len(humanoid.robot.joints)),
        orientation_base_in_world=np.array([0.0, 0.0, 0.0, 1.0]),
        angular_velocity_in_base=np.array(rate),
        specific_force_in_base=nothing,
        position_base_in_odom=nothing,
        linear_velocity_in_base=nothing,
        wrench_ground_on_foot_in_sole=np.zeros((2, 6)),
    )


def moment_on_base(humanoid, torques):
    """Moment (3,) of joint torques on all above the ankles: the feet stand."""
    model = humanoid.model
    data = model.createData()
    jacobian = pin.computeJointJacobians(model, data, humanoid.standing())
    feet = [
        model.frames[model.getFrameId(sole)].parentJoint
        for sole in ("l_sole", "r_sole")
    ]
    moment = np.zeros(3)
    for joint in range(2, model.njoints):
        below = any(joint in model.supports[foot] for foot in feet)
        if below:
            place = model.idx_vs[joint]
            moment -= jacobian[3:, place] * torques[place - 6]
    return moment


@pytest.mark.parametrize("derived", [lambda _: "talos", with_roll_before_pitch])
@pytest.mark.parametrize("axis", [0, 1])
def test_ankles_push_against_a_sway_whichever_axis_comes_first(tmp_path, derived, axis):
    humanoid = load_humanoid(derived(tmp_path))
    hold = hold_of(humanoid)
    still = hold.torques(swaying(humanoid, np.zeros(3)))
    pushed = hold.torques(swaying(humanoid, 0.1 * np.eye(3)[axis])) - still
    moment = moment_on_base(humanoid, pushed)
    strength = 2.0 * 0.3 * humanoid.weight * 0.1  # two feet, BRAKING
    assert moment[axis] == pytest.approx(-strength, rel=0.2)  # a shin leans by 0.45 rad
    assert abs(moment[1 - axis]) < 0.02 * strength
    moved = [humanoid.robot.joints[place] for place in np.flatnonzero(pushed)]
    assert all(name[9:].removeprefix("_")[-7] in "56" for name in moved), moved
    assert len(moved) == 2


def test_one_ankle_joint_brakes_its_own_axis_and_a_knee_none(tmp_path):
    humanoid = load_humanoid(without_ankle_roll(tmp_path))
    hold = hold_of(humanoid)
    still = hold.torques(swaying(humanoid, np.zeros(3)))
    rolled, pitched = (
        hold.torques(swaying(humanoid, 0.1 * np.eye(3)[axis])) - still
        for axis in (0, 1)
    )
    assert not rolled.any()
    moved = [humanoid.robot.joints[place] for place in np.flatnonzero(pitched)]
    assert moved == ["leg_left_5_joint", "leg_right_5_joint"]


def test_points_have_no_ankles_to_brake_with():
    bolt = load_humanoid("bolt")
    hold = hold_of(bolt)
    still, swayed = (
        hold.torques(swaying(bolt, rate)) for rate in ([0.0] * 3, [1.0, 1.0, 0.0])
    )
    assert np.array_equal(still, swayed)


def factors(humanoid):
    """Largest |eigenvalue| of a tick of each joint alone, free, under the hold.

    ``v' = v + dt (-K q - D v) / I``, ``q' = q + dt v'``.
    """
    hold = hold_of(humanoid)
    at_rest = swaying(humanoid, np.zeros(3))
    base = hold.torques(at_rest)
    joints = len(humanoid.robot.joints)
    stiffness, damping = (
        -np.diag(
            [
                hold.torques(at_rest._replace(**{field: getattr(at_rest, field) + one}))
                - base
                for one in np.eye(joints)
            ]
        )
        for field in ("joint_position", "joint_velocity")
    )
    inertia = free_inertia(humanoid.model, humanoid.posture)
    found = []
    for k, d, i in zip(stiffness, damping, inertia, strict=True):
        push = PERIOD * np.array([-k, -d]) / i
        step = np.array([[1.0, PERIOD], [0.0, 1.0]]) @ np.array(
            [[1.0, 0.0], [*(push + np.array([0.0, 1.0]))]]
        )
        found.append(float(np.abs(np.linalg.eigvals(step)).max()))
    return np.array(found)


@pytest.mark.parametrize("mass", [60.0, 175.0, 300.0])
@pytest.mark.parametrize("armature", [0.005, 0.05])
def test_no_joint_of_a_heavy_robot_with_small_rotors_swings_up(
    tmp_path, mass, armature
):
    assert factors(load_humanoid(with_mass(tmp_path, mass, armature))).max() < 1.0


@pytest.mark.parametrize("robot", ["talos", "g1", "surena3", "bolt"])
def test_joints_of_shipped_robots_have_the_gains_of_their_weight(robot):
    """None takes a whole rate in a tick, so none is softened."""
    humanoid = load_humanoid(robot)
    hold = hold_of(humanoid)
    at_rest = swaying(humanoid, np.zeros(3))
    rates = at_rest._replace(joint_velocity=np.ones(len(humanoid.robot.joints)))
    damping = hold.torques(at_rest) - hold.torques(rates)
    share = np.minimum(humanoid.efforts / (0.1 * humanoid.weight), 1.0)
    rotor = min(1.0, float(humanoid.model.armature[6:].min()) / 0.05)
    expected = 0.1 * humanoid.weight * share * rotor * max(rotor, 0.2)
    assert damping == pytest.approx(expected)

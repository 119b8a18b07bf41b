# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Steps, gains and weights of a humanoid follow from its size, legs, soles and motors."""

import math
from dataclasses import replace

import numpy as np
import pinocchio as pin
import pytest

from biped_slip.constants import GRAVITY
from biped_slip.control.whole_body.body import STRAIGHTEST, leg_of
from biped_slip.robots.humanoid import load_humanoid
from biped_slip.walking.humanoid import humanoid_body
from biped_slip.walking.scaling import (
    BENT,
    KNEE,
    LegMotors,
    leg_reach,
    on_soles,
    scaled_gait,
    shortest_lift,
    walking_length,
)


def one_leg_shares(humanoid):
    """Compute torque over limit (n,) of each joint that moves a leg forward and back,
    standing on that leg.

    The base's rows of ``g = J' w + S' tau`` give the wrench w on the one sole. Other
    joints and legs are 0: how far the weight is shifted over the foot is not known
    here, and changes nothing about axes across the way.
    """
    model = humanoid.model
    q = humanoid.standing()
    worst = np.zeros(humanoid.model.nv - 6)
    data = model.createData()
    gravity = pin.computeGeneralizedGravity(model, data, q)
    pin.computeJointJacobians(model, data, q)
    pin.updateFramePlacements(model, data)
    for sole in humanoid.robot.soles:
        jacobian = pin.getFrameJacobian(
            model, data, model.getFrameId(sole), pin.LOCAL_WORLD_ALIGNED
        )
        wrench = np.linalg.solve(jacobian[:, :6].T, gravity[:6])
        torque = np.where(
            np.abs(jacobian[4]) > 0.9, gravity - jacobian.T @ wrench, 0.0
        )[6:]
        worst = np.maximum(worst, np.abs(torque) / humanoid.efforts)
    return worst


ROBOTS = ["talos", "surena3", "g1", "human38", "two_sole_biped"]


def leg_and_body(name):
    humanoid = load_humanoid(name)
    return leg_of(humanoid_body(humanoid)), humanoid


def enlarged(leg, by):
    """The same leg, all lengths and densities' bodies ``by`` times as long."""
    lengths = {
        name: by * getattr(leg, name)
        for name in ("thigh", "shin", "vertical", "radius", "ahead", "middle")
    }
    return leg._replace(**lengths, moment=by**5 * leg.moment)


@pytest.mark.parametrize("by", [0.5, 2.0])
def test_a_robot_of_the_same_shape_gets_the_same_gait_by_dynamic_similarity(by):
    leg, _ = leg_and_body("talos")
    half_size = np.array([0.1, 0.065])
    small = on_soles(leg, LegMotors(160.0, 300.0, 60.0, 5.8), 0.877, half_size, 886.0)
    motors = LegMotors(160.0 * by**4, 300.0 * by**4, 60.0 * by**4, 5.8 / math.sqrt(by))
    large = on_soles(
        enlarged(leg, by), motors, 0.877 * by, half_size * by, 886.0 * by**3
    )
    one = small["controller"]
    other = large["controller"]
    assert other["height_share"] == pytest.approx(one["height_share"])
    assert other["sole_share"] == one["sole_share"] == 0.58  # 0.86 * 60 / 886 / 0.1
    assert large["speed"] == pytest.approx(math.sqrt(by) * small["speed"])
    powers = {
        "width": 1,
        "inward": 1,
        "outward": 1,
        "length": 1,
        "single_support": 0.5,
        "double_support": 0.5,
        "shortest_single_support": 0.5,
        "leg_reach": 0,
        "swing_speed": 0.5,
        "swing_acceleration": 0,
        "swing_height": 1,
        "sinking_speed": 0.5,
        "settle_time": 0.5,
        "first_transfer": 0.5,
        "base": -1,
        "height": -1,
        "posture": -1,
        "swing": -1,
        "dcm": -0.5,
        "momentum": -0.5,
        "waist_damping": -0.5,
    }
    for part in ("steps", "pattern", "stepping", "gains"):
        for name, value in one[part].items():
            if name != "touchdown":
                assert other[part][name] == pytest.approx(by ** powers[name] * value), (
                    name
                )


@pytest.mark.parametrize("robot", ROBOTS)
def test_the_leg_of_a_foot_that_lifts_off_is_bent(robot):
    leg, _ = leg_and_body(robot)
    length = BENT * leg.longest
    behind = leg_reach(leg, length) - leg.ahead + leg.middle  # hip ahead of ankle
    lifting = math.hypot(length, behind)
    assert length < lifting < leg.longest
    assert lifting**2 == pytest.approx(0.5 * (length**2 + leg.longest**2))


@pytest.mark.parametrize("robot", ROBOTS)
def test_lengths_of_a_leg_agree_with_the_kinematics_of_its_bend(robot):
    leg, humanoid = leg_and_body(robot)
    bend = abs(humanoid.posture[humanoid.model.idx_vs[leg.knee] - 6])
    apart = math.sqrt(
        leg.thigh**2 + leg.shin**2 + 2.0 * leg.thigh * leg.shin * math.cos(bend)
    )
    # the hip stands nearly over the ankle
    assert leg.vertical == pytest.approx(apart, rel=0.02)
    assert leg.offset(leg.longest) == pytest.approx(
        leg.thigh * leg.shin * math.sin(STRAIGHTEST) / leg.longest, rel=1e-9
    )


@pytest.mark.parametrize("robot", ["talos", "surena3", "two_sole_biped"])
def test_the_torque_of_a_knee_is_that_of_the_whole_models_statics(robot):
    leg, humanoid = leg_and_body(robot)
    knee = humanoid.model.idx_vs[leg.knee] - 6
    torque = humanoid.weight * abs(leg.forward * leg.offset(leg.vertical) - leg.ahead)
    found = one_leg_shares(humanoid)[knee] * humanoid.efforts[knee]
    # its shank and foot rest on the floor by themselves
    assert torque == pytest.approx(found, rel=0.15)


def test_a_weak_knee_stands_straighter_and_reaches_less():
    leg, humanoid = leg_and_body("talos")
    lengths = [
        walking_length(leg, humanoid.weight, torque)
        for torque in (600.0, 250.0, 120.0, 1.0)
    ]
    assert lengths[0] == pytest.approx(BENT * leg.longest)
    assert lengths == sorted(lengths)
    assert lengths[-1] == leg.longest
    assert humanoid.weight * abs(leg.offset(lengths[2]) - leg.ahead) <= KNEE * 120.0
    reaches = [leg_reach(leg, length) for length in lengths]
    assert reaches == sorted(reaches, reverse=True)


def test_a_hip_lifts_a_bent_leg_sooner_than_a_straight_one():
    leg, _ = leg_and_body("talos")
    times = [
        shortest_lift(leg, share * leg.longest, 0.06, 160.0)
        for share in (0.84, 0.9, 0.98)
    ]
    assert times == sorted(times)
    assert shortest_lift(leg, 0.9 * leg.longest, 0.06, 40.0) == pytest.approx(
        2.0 * times[1]
    )


@pytest.mark.parametrize("robot", ROBOTS)
def test_soles_keep_a_clearance_and_gains_follow_the_pendulum(robot):
    _, humanoid = leg_and_body(robot)
    body = humanoid_body(humanoid)
    leg = leg_of(body)
    sole = 2.0 * float(body.half_size[1])
    motors = LegMotors(200.0, 300.0, 200.0, 8.0)
    gait = on_soles(leg, motors, body.centre_height, body.half_size, humanoid.weight)[
        "controller"
    ]
    steps = gait["steps"]
    height = gait["height_share"] * body.centre_height
    assert steps["width"] - steps["inward"] >= sole + 0.01 * height
    assert gait["gains"]["base"] == pytest.approx(4.0 * GRAVITY / height)
    assert np.isfinite(list(steps.values())).all()


def test_efforts_that_a_robots_file_corrects_count():
    talos = load_humanoid("talos")
    weaker = replace(
        talos.config,
        efforts=(("leg_left_4_joint", 100.0), ("leg_right_4_joint", 100.0)),
    )
    weak = replace(talos, config=weaker)
    shares = [
        scaled_gait(humanoid_body(one), one.efforts, one.weight)["controller"][
            "height_share"
        ]
        for one in (talos, weak)
    ]
    assert shares[0] < 0.96 < 1.0 < shares[1]


def test_a_weak_ankle_keeps_the_centre_of_pressure_near():
    g1, talos = (leg_and_body(name)[1] for name in ("g1", "talos"))
    shares = [
        scaled_gait(humanoid_body(one), one.efforts, one.weight)["controller"][
            "sole_share"
        ]
        for one in (g1, talos)
    ]
    assert shares == [0.6, 0.8]  # 0.6 was found by trial before

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Steps, gains and weights of a humanoid follow from its size, legs, soles and motors."""

import math
from dataclasses import replace

import numpy as np
import pinocchio as pin
import pytest
from derived_robots import with_double_knees, with_weak_hip_roll, without_ankle_roll

from biped_slip.constants import GRAVITY
from biped_slip.control.whole_body.body import STRAIGHTEST, leg_of
from biped_slip.robots.humanoid import load_humanoid
from biped_slip.walking.humanoid import humanoid_body
from biped_slip.walking.scaling import (
    BENT,
    KNEE,
    LegMotors,
    leg_reach,
    lift_off_place,
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


MOTORS = LegMotors(
    hip=160.0, knee=300.0, ankle=60.0, ankle_roll=100.0, hip_roll=160.0, speed=5.8
)
TALOS = load_humanoid("talos")
ROBOTS = ["talos", "surena3", "g1", "human38", "two_sole_biped"]


def leg_and_body(name):
    humanoid = load_humanoid(name)
    return leg_of(humanoid_body(humanoid)), humanoid


def enlarged(leg, by):
    """The same leg, all lengths and densities' bodies ``by`` times as long."""
    lengths = {
        name: by * getattr(leg, name)
        for name in (
            "thigh",
            "shin",
            "vertical",
            "radius",
            "aside",
            "above",
            "ahead",
            "middle",
        )
    }
    return leg._replace(**lengths, moment=by**5 * leg.moment)


@pytest.mark.parametrize("by", [0.5, 2.0])
def test_a_robot_of_the_same_shape_gets_the_same_gait_by_dynamic_similarity(by):
    leg, _ = leg_and_body("talos")
    half_size = np.array([0.1, 0.065])
    small = on_soles(leg, MOTORS, 0.877, half_size, 886.0)
    *torques, speed = MOTORS
    motors = LegMotors(*(by**4 * one for one in torques), speed / math.sqrt(by))
    large = on_soles(
        enlarged(leg, by), motors, 0.877 * by, half_size * by, 886.0 * by**3
    )
    one = small["controller"]
    other = large["controller"]
    assert other["height_share"] == pytest.approx(one["height_share"])
    assert one["ankle_reach"] == pytest.approx(0.86 * 60.0 / 886.0)
    assert other["ankle_reach"] == pytest.approx(by * one["ankle_reach"])
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
    bend = abs(humanoid.posture[humanoid.model.idx_vs[leg.knees[0]] - 6])
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
    knee = humanoid.model.idx_vs[leg.knees[0]] - 6
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
    gait = on_soles(leg, MOTORS, body.centre_height, body.half_size, humanoid.weight)[
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


def gait_of(humanoid):
    gait = scaled_gait(humanoid_body(humanoid), humanoid.efforts, humanoid.weight)
    return gait["controller"]


def test_an_ankle_holds_the_pressure_as_far_away_as_its_torque_over_the_weight():
    g1 = load_humanoid("g1")
    reach = gait_of(g1)["ankle_reach"]
    assert reach == pytest.approx(0.86 * 35.0 / g1.weight)  # both toes were that far
    assert reach < 0.035 + 0.8 * 0.095  # within its sole, ahead of the ankle
    assert reach > 0.041  # and all of the heel


def test_a_foot_whose_edge_holds_needs_no_ankle_that_rolls(tmp_path):
    """One ankle joint a foot, as Unitree's H1: nothing across is weaker for it."""
    file = without_ankle_roll(tmp_path)
    gait = gait_of(load_humanoid(file))
    assert gait["ankle_reach_across"] == 1.0
    assert gait["ankle_reach"] == pytest.approx(gait_of(TALOS)["ankle_reach"], rel=0.01)


@pytest.mark.parametrize(("single", "double"), [(2.7, 0.35), (2.0, 1.0), (4.0, 0.05)])
def test_where_a_body_lifts_off_is_that_of_a_pendulum_integrated_step_by_step(
    single, double
):
    """Half a cycle from the middle between the feet, feet at -1 and 1, omega 1: at its
    end the body is where it was, mirrored, if it began at the right speed."""
    count = 20000

    def swing(speed):
        place = 0.0
        lifted = math.nan
        dt = (double + single) / count
        for tick in range(count):
            time = (tick + 0.5) * dt
            if time > 0.5 * double and math.isnan(lifted):
                lifted = place
            zmp = min(time / (0.5 * double), 1.0)
            if time > 0.5 * double + single:
                zmp = 1.0 - (time - 0.5 * double - single) / (0.5 * double)
            middle = place + 0.5 * dt * speed
            speed += dt * (middle - zmp)
            place = middle + 0.5 * dt * speed
        return place, lifted

    # the end is linear in the first speed
    slow = swing(0.0)[0]
    speed = -slow / (swing(1.0)[0] - slow)
    assert lift_off_place(single, double) == pytest.approx(swing(speed)[1], abs=2e-3)


def test_a_robot_with_weak_hip_rolls_waits_longer_on_both_feet(tmp_path):
    """71 N m is 80 mm of the weight, of which 56 mm are used, and hips are 85 mm aside:
    the force of the ground has to pass 29 mm beside the middle, and passes 25 mm."""
    weak = load_humanoid(with_weak_hip_roll(tmp_path))
    strong = gait_of(TALOS)["steps"]
    steps = gait_of(weak)["steps"]
    assert {name for name in steps if steps[name] != strong[name]} == {"double_support"}
    leg = leg_of(humanoid_body(weak))
    gait = gait_of(weak)
    height = gait["height_share"] * humanoid_body(weak).centre_height
    omega = math.sqrt(GRAVITY / height)
    up = (leg.above - leg.vertical + BENT * leg.longest) / height
    foot = 0.5 * steps["width"]

    def lever(double):
        """Of the line from the foot to the body about the hip [m]."""
        place = foot * lift_off_place(omega * steps["single_support"], omega * double)
        return leg.aside - (foot + up * (place - foot))

    holds = 0.7 * 71.0 / weak.weight
    assert lever(strong["double_support"]) > 1.05 * holds
    assert lever(steps["double_support"]) == pytest.approx(holds, rel=0.05)
    assert lever(strong["double_support"]) < 0.7 * 160.0 / weak.weight


def test_hips_that_hold_nothing_wait_as_long_as_any_gait_does(tmp_path):
    steps = gait_of(load_humanoid(with_weak_hip_roll(tmp_path, 1.0)))["steps"]
    height = gait_of(TALOS)["height_share"] * humanoid_body(TALOS).centre_height
    assert steps["double_support"] == pytest.approx(math.sqrt(height / GRAVITY))


def test_a_double_knee_is_one_knee_between_two_long_links(tmp_path):
    """Half of each gap belongs to thigh and shin; each half of the knee bears what the
    whole would, and the weaker one counts."""
    plain, double = (
        leg_of(humanoid_body(load_humanoid(name)))
        for name in ("talos", with_double_knees(tmp_path, gap=0.08))
    )
    assert double.thigh == pytest.approx(plain.thigh + 0.04, abs=1e-3)
    assert double.shin == pytest.approx(plain.shin + 0.04, abs=1e-3)
    assert double.longest == pytest.approx(plain.longest + 0.08, abs=2e-3)
    gap = load_humanoid(with_double_knees(tmp_path, gap=0.08))
    names = [gap.model.names[joint] for joint in double.knees]
    assert names == ["leg_left_4_joint", "leg_left_4_lower_joint"]
    assert gap.model.names[double.hip] == "leg_left_3_joint"
    assert gap.model.names[double.ankle] == "leg_left_5_joint"


@pytest.mark.parametrize("gap", [0.0, 0.02, 0.15])
def test_a_double_knee_is_found_whatever_is_between_its_halves(tmp_path, gap):
    leg = leg_of(humanoid_body(load_humanoid(with_double_knees(tmp_path, gap))))
    assert len(leg.knees) == 2
    assert leg.longest == pytest.approx(
        leg_of(humanoid_body(TALOS)).longest + gap, abs=4e-3
    )

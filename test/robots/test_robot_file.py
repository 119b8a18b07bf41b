# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""What is found in a description alone: soles, legs, sensors, motors, posture."""

import math
import re
import socket
import struct
from copy import deepcopy
from xml.etree import ElementTree

import numpy as np
import pinocchio as pin
import pytest
import yaml
from described_biped import (
    ANKLE,
    HALF_WIDTH,
    HEEL,
    HIPS,
    MASS,
    TOE,
    arm,
    biped,
    box_foot,
    collision,
    frame,
    turned,
)

from biped_slip.cli import main
from biped_slip.errors import BipedSlipError, InvalidParameter, UnknownName
from biped_slip.robots.described_motors import ROTOR_SHARE, TORQUE_SHARES
from biped_slip.robots.humanoid import (
    HumanoidConfig,
    check_legs,
    humanoid_of,
    load_humanoid,
)
from biped_slip.robots.leg_freedom import LegToSole, check_leg
from biped_slip.robots.robot import SOLES
from biped_slip.robots.robot_file import read_robot_file, written_yaml
from biped_slip.walking.humanoid import completed

LEG_LENGTH = 0.7  # [m] thigh and shin of the made biped


def robot_file(folder, text):
    path = folder / "made.urdf"
    path.write_text(text)
    return str(path)


def found(folder, text):
    return read_robot_file(robot_file(folder, text)).settings


def corners(settings):
    polygon = np.array(settings["contact"].value["polygon"])
    return [*polygon.min(axis=0), *polygon.max(axis=0)]


def standing(source):
    """Places of both soles and the centre of mass of the robot as it stands."""
    humanoid = load_humanoid(source)
    model = humanoid.model
    data = model.createData()
    q = humanoid.standing()
    pin.framesForwardKinematics(model, data, q)
    centre = pin.centerOfMass(model, data, q)
    return [data.oMf[model.getFrameId(sole)] for sole in SOLES], centre


def stl(folder, corners, name="foot.stl"):
    """Write the hull of points as a binary STL."""
    from scipy.spatial import ConvexHull

    hull = ConvexHull(corners)
    with (folder / name).open("wb") as file:
        file.write(bytes(80) + struct.pack("<I", len(hull.simplices)))
        for triangle in corners[hull.simplices]:
            file.write(struct.pack("<12fH", 0, 0, 0, *triangle.ravel(), 0))
    return collision(f'<mesh filename="{name}"/>')


def test_a_box_is_its_lower_face(tmp_path):
    settings = found(tmp_path, biped())
    for sole in SOLES:
        assert settings[sole].value["position"] == pytest.approx([0.0, 0.0, -ANKLE])
        assert "rpy" not in settings[sole].value
    expected = [HEEL, -HALF_WIDTH, TOE, HALF_WIDTH]
    assert corners(settings) == pytest.approx(expected, abs=1e-6)


def test_balls_at_the_corners_stand_on_their_lowest_points(tmp_path):
    radius = 0.005
    ball = f'<sphere radius="{radius}"/>'
    places = [(-0.05, 0.025), (-0.05, -0.025), (0.12, 0.03), (0.12, -0.03)]
    foot = "".join(collision(ball, f"{x} {y} -0.03") for x, y in places)
    settings = found(tmp_path, biped(foot))
    assert settings["l_sole"].value["position"][2] == pytest.approx(-0.03 - radius)
    # the largest rectangle between the centres, narrower at the heel
    assert corners(settings) == pytest.approx([-0.05, -0.025, 0.12, 0.025], abs=1e-3)


def test_a_standing_cylinder_is_a_round_sole(tmp_path):
    """The largest rectangle in a circle of radius r is a square of side r sqrt 2."""
    foot = collision('<cylinder radius="0.06" length="0.02"/>', "0.01 0 -0.05")
    settings = found(tmp_path, biped(foot))
    assert settings["l_sole"].value["position"][2] == pytest.approx(-0.06)
    half = 0.06 / math.sqrt(2.0)
    low_x, low_y, high_x, high_y = corners(settings)
    assert (high_x - low_x) * (high_y - low_y) == pytest.approx(4.0 * half**2, rel=0.01)
    assert 0.5 * (low_x + high_x) == pytest.approx(0.01, abs=1e-3)


def test_a_lying_cylinder_is_no_wider_than_what_nearly_touches(tmp_path):
    """Within 4 mm of the floor a cylinder of 50 mm is sqrt(2 r d - d^2) wide a side."""
    lying = collision(
        '<cylinder radius="0.05" length="0.2"/>', "0.02 0 0", "0 1.5707963 0"
    )
    settings = found(tmp_path, biped(lying))
    widest = math.sqrt(2.0 * 0.05 * 0.004 - 0.004**2)
    low_x, low_y, high_x, high_y = corners(settings)
    assert (low_x, high_x) == pytest.approx((-0.08, 0.12), abs=1e-6)
    assert -widest - 1e-6 <= low_y < -0.8 * widest
    assert 0.8 * widest < high_y <= widest + 1e-6


def test_a_mesh_is_the_flat_face_of_its_hull(tmp_path):
    """A foot whose toes turn up stands on what is flat."""
    flat = np.array([(x, y, -0.07) for x in (-0.05, 0.1) for y in (-0.04, 0.04)])
    toes = np.array([(0.15, y, -0.04) for y in (-0.03, 0.03)])
    top = np.array([(x, y, 0.0) for x in (-0.05, 0.15) for y in (-0.03, 0.03)])
    foot = stl(tmp_path, np.vstack((flat, toes, top)))
    settings = found(tmp_path, biped(foot))
    assert settings["l_sole"].value["position"][2] == pytest.approx(-0.07)
    expected = [-0.05, -0.04, 0.1, 0.04]
    assert corners(settings) == pytest.approx(expected, abs=0.007)  # 4 mm up the toes


@pytest.mark.parametrize("rpy", ["0.1 0.5 0", "-0.3 0 0.2", "0 -0.4 -0.3"])
def test_a_foot_that_is_drawn_turned_stands_on_its_own_face(tmp_path, rpy):
    """The sole is found wherever the link's axes point, and the robot stands on it."""
    angles = [float(angle) for angle in rpy.split()]
    turn = pin.rpy.rpyToMatrix(np.array(angles))
    middle = turn @ np.array([0.03, 0.0, -0.05])
    box = collision(
        '<box size="0.2 0.08 0.02"/>', " ".join(str(x) for x in middle), rpy
    )
    source = robot_file(tmp_path, biped(box))
    settings = read_robot_file(source).settings
    low_x, low_y, high_x, high_y = corners(settings)
    assert (high_x - low_x, high_y - low_y) == pytest.approx((0.2, 0.08), abs=1e-4)
    place = settings["l_sole"].value
    normal = pin.rpy.rpyToMatrix(np.array(place["rpy"]))[:, 2]
    np.testing.assert_allclose(normal, turn[:, 2], atol=1e-4)
    for sole in standing(source)[0]:
        np.testing.assert_allclose(sole.rotation, np.eye(3), atol=0.01)


def test_what_is_drawn_counts_where_nothing_touches(tmp_path):
    drawn = box_foot().replace("collision", "visual")
    settings = found(tmp_path, biped(drawn))
    assert corners(settings) == pytest.approx([HEEL, -HALF_WIDTH, TOE, HALF_WIDTH])
    assert "what is drawn" in settings["l_sole"].why


def test_shapes_of_links_that_are_fixed_to_the_foot_count(tmp_path):
    low = box_foot(low=-0.09)
    pads = "".join(
        frame(f"{side}_pad", f"{side}_ankle_roll_link", "0 0 -0.01", inside=low)
        for side in "lr"
    )
    settings = found(tmp_path, biped(extra=pads))
    assert settings["l_sole"].value["position"][2] == pytest.approx(-0.1)


def test_a_missing_mesh_leaves_a_sole_that_is_assumed_and_named(tmp_path):
    lost = collision('<mesh filename="package://robot/lost.stl"/>')
    robot = read_robot_file(robot_file(tmp_path, biped(lost)))
    assert "assumed" in robot.settings["l_sole"].why
    assert any("lost.stl" in note for note in robot.notes)
    assert any("correct its corners under contact.polygon" in n for n in robot.notes)


def test_a_box_beside_a_missing_mesh_is_the_sole(tmp_path):
    foot = collision('<mesh filename="lost.stl"/>') + box_foot()
    robot = read_robot_file(robot_file(tmp_path, biped(foot)))
    assert corners(robot.settings) == pytest.approx(
        [HEEL, -HALF_WIDTH, TOE, HALF_WIDTH]
    )
    assert any("lost.stl" in note for note in robot.notes)


def test_a_frame_that_is_called_sole_is_kept(tmp_path):
    frames = "".join(
        frame(f"{side}_sole", f"{side}_ankle_roll_link", f"0.02 0 {-ANKLE}")
        for side in "lr"
    )
    settings = found(tmp_path, biped(extra=frames))
    assert "l_sole" not in settings
    expected = [HEEL - 0.02, -HALF_WIDTH, TOE - 0.02, HALF_WIDTH]
    assert corners(settings) == pytest.approx(expected, abs=1e-6)
    load_humanoid(robot_file(tmp_path, biped(extra=frames)))


# Legs, and which way the robot looks.


@pytest.mark.parametrize("rpy", ["0 0 3.14159265", "0 0 1.57079633", "1.57079633 0 0"])
def test_a_base_that_looks_elsewhere_is_turned(tmp_path, rpy):
    """The same robot, drawn in a root that is turned, stands the same."""
    plain = robot_file(tmp_path, biped())
    expected, centre = standing(plain)
    other = tmp_path / "turned.urdf"
    other.write_text(turned(biped(), rpy))
    settings = read_robot_file(str(other)).settings
    assert "base_rpy" in settings
    places, moved = standing(str(other))
    for one, two in zip(places, expected, strict=True):
        np.testing.assert_allclose(one.translation, two.translation, atol=0.01)
        np.testing.assert_allclose(one.rotation, two.rotation, atol=0.01)
    np.testing.assert_allclose(moved, centre, atol=0.02)


@pytest.mark.parametrize(
    "names",
    ["{side}_{joint}", "leg_{side}_{joint}", "{joint}_{side}"],
)
def test_left_is_what_names_call_left(tmp_path, names):
    """Also where toes and heels do not say it: soles as long behind as ahead."""
    even = box_foot(heel=-0.1, toe=0.1)
    source = robot_file(tmp_path, biped(even, names=names))
    assert "base_rpy" not in read_robot_file(source).settings


def test_toes_point_forward_where_names_say_nothing(tmp_path):
    unnamed = "leg_{side}_{joint}"
    text = biped(names=unnamed).replace("leg_l", "leg_a").replace("leg_r", "leg_b")
    assert "base_rpy" not in found(tmp_path, text)
    backwards = biped(box_foot(heel=-TOE, toe=-HEEL), names=unnamed)
    text = backwards.replace("leg_l", "leg_a").replace("leg_r", "leg_b")
    turn = found(tmp_path, text)["base_rpy"].value
    assert abs(turn[2]) == pytest.approx(math.pi, abs=1e-6)


def test_mirrored_axes_stand_as_equal_ones(tmp_path):
    plain, centre = standing(robot_file(tmp_path, biped()))
    source = tmp_path / "mirrored.urdf"
    source.write_text(biped(mirrored=True))
    places, other = standing(str(source))
    for one, two in zip(places, plain, strict=True):
        np.testing.assert_allclose(one.homogeneous, two.homogeneous, atol=1e-6)
    np.testing.assert_allclose(other, centre, atol=1e-6)
    posture = read_robot_file(str(source)).settings["posture"].value
    assert posture["l_knee"] == pytest.approx(-posture["r_knee"], abs=1e-6)


def test_it_stands_with_bent_knees_and_its_mass_over_its_soles(tmp_path):
    """Half-way from the ankles to the middle of the soles."""
    source = robot_file(tmp_path, biped())
    posture = read_robot_file(source).settings["posture"].value
    assert posture["l_knee"] == pytest.approx(0.4, abs=1e-3)
    places, centre = standing(source)
    assert places[0].translation[1] - places[1].translation[1] == pytest.approx(
        2.0 * HIPS, abs=1e-3
    )
    ahead = centre[0] - places[0].translation[0]
    assert ahead == pytest.approx(0.25 * (HEEL + TOE), abs=1e-3)
    assert HEEL + 0.02 < ahead < TOE - 0.02


@pytest.mark.parametrize("drawn", [0.9, 0.6, -0.5])
def test_knees_that_are_drawn_bent_bend_from_where_the_leg_is_straight(tmp_path, drawn):
    """The same robot whose knees' zero is elsewhere stands as high."""
    straight = biped()
    bent = straight
    for side in "lr":
        old = f'<child link="{side}_knee_link"/><origin xyz="0.0 0.0 -0.35"/>'
        assert old in bent
        new = old.replace("/>", f' rpy="0 {drawn} 0"/>').replace(
            f'link="{side}_knee_link" rpy="0 {drawn} 0"', f'link="{side}_knee_link"'
        )
        bent = bent.replace(old, new)
    bent = bent.replace(
        'lower="-0.05" upper="2.2"', f'lower="{-0.05 - drawn}" upper="{2.2 - drawn}"'
    )
    heights = []
    for text in (straight, bent):
        (left, _), centre = standing(robot_file(tmp_path, text))
        heights.append(centre[2] - left.translation[2])
    assert heights[1] == pytest.approx(heights[0], abs=1e-3)


def test_arms_that_hang_as_low_as_feet_are_no_legs(tmp_path):
    hands = ""
    for side in "lr":
        parent = "base"
        for name in ("shoulder", "upper_arm", "elbow"):
            hands += arm(side, parent, f"{side}_{name}").replace(
                'xyz="0 0.2 0.3"', 'xyz="0 0.2 -0.4"'
            )
            parent = f"{side}_{name}_link"
    settings = found(tmp_path, biped(extra=hands))
    assert settings["l_sole"].value["link"] == "l_ankle_roll_link"


def test_a_robot_on_four_feet_is_refused(tmp_path):
    hind = biped(names="hind_{side}_{joint}")
    links = hind[hind.index('<link name="hind') : hind.index("</robot>")]
    with pytest.raises(InvalidParameter, match="legs is 4, but must be 2"):
        found(tmp_path, biped(extra=links))


def test_a_description_without_legs_is_refused(tmp_path):
    single = '<robot name="box"><link name="base"/></robot>'
    with pytest.raises(BipedSlipError, match="has no two legs"):
        found(tmp_path, single)


@pytest.mark.parametrize("joint", ["ankle_roll", "ankle_pitch"])
def test_a_leg_that_cannot_turn_its_foot_is_named_with_what_it_lacks(tmp_path, joint):
    text = biped()
    for side in "lr":
        name = f'<joint name="{side}_{joint}" type="revolute">'
        text = text.replace(name, name.replace("revolute", "fixed"))
    lacking = joint.removeprefix("ankle_")
    with pytest.raises(BipedSlipError, match=f"its ankle has no {lacking} joint"):
        check_legs(load_humanoid(robot_file(tmp_path, text)))


@pytest.mark.parametrize("bend", [0.0, 0.4])
def test_a_leg_that_stands_straight_is_not_called_one_without_an_ankle(tmp_path, bend):
    """A straight leg can't lift its foot: of six joints it has five ways there, and
    all six once the knee is bent."""
    humanoid = load_humanoid(robot_file(tmp_path, biped()))
    model = humanoid.model
    q = humanoid.standing()
    for name, share in (("hip_pitch", -0.5), ("knee", 1.0), ("ankle_pitch", -0.5)):
        for side in "lr":
            q[model.idx_qs[model.getJointId(f"{side}_{name}")]] = share * bend
    for side, sole in zip("lr", SOLES, strict=True):
        foot = model.getJointId(f"{side}_ankle_roll")
        chain = tuple(model.supports[foot])[2:]
        place = model.frames[model.getFrameId(sole)].placement
        check_leg("made", model, q, LegToSole(chain=chain, sole=place, name=sole))


def test_a_sole_that_ranges_tilt_is_named_with_the_joint_and_not_as_lacking_one(
    tmp_path,
):
    """Ankles that only go upwards, as in a description whose rows were shifted."""
    text = biped().replace('lower="-1.1" upper="0.8"', 'lower="0.5" upper="2.6"')
    text = text.replace('lower="-1.6" upper="0.8"', 'lower="0.0" upper="0.8"')
    text = text.replace('lower="-0.05" upper="2.2"', 'lower="0.0" upper="2.6"')
    with pytest.raises(InvalidParameter, match="tilt of a sole") as caught:
        found(tmp_path, text)
    assert "at the end of its range is" in str(caught.value)
    assert "has no" not in str(caught.value)


@pytest.mark.parametrize("joint", ["hip_yaw", "knee", "ankle_pitch"])
@pytest.mark.parametrize("sides", ["r", "lr"])
def test_a_leg_joint_that_follows_another_is_named_with_its_leader(
    tmp_path, joint, sides
):
    """In one leg (NAO's hips share a motor) or in both (a knee of two halves)."""
    text = biped()
    for side in sides:
        leader = "l_hip_yaw" if side == "r" else "r_hip_yaw"
        opening = f'<joint name="{side}_{joint}" type="revolute">'
        follower = f'{opening}<mimic joint="{leader}"/>'
        text = text.replace(opening, follower)
    with pytest.raises(BipedSlipError, match=r"of a leg follows [lr]_hip_yaw"):
        found(tmp_path, text)


def with_rolling_knees(text):
    """Knees of two joints, 0.1 m apart, with a motor each."""
    tree = ElementTree.fromstring(text)
    for side in "lr":
        upper = next(one for one in tree if one.get("name") == f"{side}_knee")
        lower = deepcopy(upper)
        cap = deepcopy(
            next(one for one in tree if one.get("name") == f"{side}_hip_yaw_link")
        )
        cap.set("name", f"{side}_kneecap")
        upper.find("child").set("link", f"{side}_kneecap")
        lower.set("name", f"{side}_knee_lower")
        lower.find("parent").set("link", f"{side}_kneecap")
        lower.find("origin").set("xyz", "0 0 -0.1")
        tree.extend([cap, lower])
    return ElementTree.tostring(tree, encoding="unicode")


def test_the_halves_of_a_knee_that_rolls_share_its_bend(tmp_path):
    """One that stands straight would be at the end of its range as the robot walks."""
    whole = found(tmp_path, biped())["posture"].value
    posture = found(tmp_path, with_rolling_knees(biped()))["posture"].value
    for side in "lr":
        halves = [posture[f"{side}_{half}"] for half in ("knee", "knee_lower")]
        assert sum(halves) == pytest.approx(whole[f"{side}_knee"], abs=1e-3)
        assert halves[0] == pytest.approx(halves[1], abs=0.02)


def test_toes_that_follow_an_ankle_are_held_beyond_the_leg(tmp_path):
    mimic = '<mimic joint="l_ankle_pitch" multiplier="-1"/>'
    toe = arm("l", "l_ankle_roll_link", "l_toe", inside=mimic)
    assert "follows" in found(tmp_path, biped(extra=toe))["locked"].why


def test_legs_of_six_joints_can_put_their_soles_anywhere(tmp_path):
    check_legs(load_humanoid(robot_file(tmp_path, biped())))
    for name in ("talos", "g1", "surena3", "bolt"):
        check_legs(load_humanoid(name))


def test_a_walk_of_legs_without_ankle_roll_is_refused_before_it_compiles(
    tmp_path, capsys, monkeypatch
):
    """In one sentence of the command; a learned policy may try."""
    text = biped()
    for side in "lr":
        name = f'name="{side}_ankle_roll" type='
        text = text.replace(f'{name}"revolute"', f'{name}"fixed"')
    source = robot_file(tmp_path, text)

    def compiled(*_, **__):
        raise AssertionError("the walk was about to be built")

    monkeypatch.setattr("biped_slip.cli.walk.HumanoidWalk", compiled)
    assert main(["walk", "--robot", source]) == 2
    error = capsys.readouterr().err
    assert "can't walk by this package" in error
    assert "its ankle has no roll joint" in error
    assert main(["robot", source]) == 2
    assert completed({"robot": source}, tmp_path)["robot"] == source


# What holds a robot in its world.


@pytest.mark.parametrize("kind", ["fixed", "floating", "planar"])
def test_a_world_above_the_base_is_left_out(tmp_path, kind):
    world = (
        f'<link name="world"/><joint name="stand" type="{kind}"><origin xyz="0 0 0.8"/>'
        '<parent link="world"/><child link="base"/></joint>'
    )
    held = load_humanoid(robot_file(tmp_path, biped(extra=world)))
    (tmp_path / "free.urdf").write_text(biped())
    free = load_humanoid(str(tmp_path / "free.urdf"))
    assert held.standing() == pytest.approx(free.standing())
    assert held.robot.mass == pytest.approx(MASS)


def test_a_massless_root_of_another_name_stays_the_base(tmp_path):
    """As URDFs for KDL have one: the frames of the robot are below it."""
    root = (
        '<link name="base_footprint"/><joint name="up" type="fixed"><origin xyz="0 0 '
        '0.8"/><parent link="base_footprint"/><child link="base"/></joint>'
    )
    humanoid = load_humanoid(robot_file(tmp_path, biped(extra=root)))
    assert humanoid.standing()[2] == pytest.approx(0.0, abs=0.05)


def test_a_floating_joint_inside_the_robot_is_held_where_it_is(tmp_path):
    loose = arm("l", "base", "tail", kind="floating")
    settings = found(tmp_path, biped(extra=loose))
    assert settings["locked"].value == {"tail": 0.0}


def test_a_link_may_have_the_name_of_a_joint(tmp_path):
    text = biped().replace("l_knee_link", "l_knee").replace("r_knee_link", "r_hip_yaw")
    humanoid = load_humanoid(robot_file(tmp_path, text))
    (tmp_path / "plain.urdf").write_text(biped())
    plain = load_humanoid(str(tmp_path / "plain.urdf"))
    assert humanoid.standing() == pytest.approx(plain.standing())


# Sensors.


def test_sensors_that_the_description_lacks_are_absent(tmp_path):
    """Forces then come from the currents of the motors, and no IMU is in the feet."""
    source = robot_file(tmp_path, biped())
    settings = read_robot_file(source).settings
    assert settings["absent"].value == ["force_torque", "foot_imus"]
    assert "assumed" in settings["imu"].why
    walk = completed({"robot": source}, tmp_path)
    assert not walk["sensors"]["force_torque"]["present"]
    assert not walk["sensors"]["foot_imu"]["present"]
    assert walk["sensors"]["motor_torques"]["present"]


@pytest.mark.parametrize("order", [1, -1])
def test_of_two_imus_that_move_together_the_one_on_fewer_links_is_the_bodys(
    tmp_path, order
):
    """Valkyrie's head has one, which is held at the torso; G1's chest another."""
    chest = frame("chest", "base", "0 0 0.3")
    neck = arm("l", "chest", "neck_pitch")  # held, as a head is
    head = frame("head_imu", "neck_pitch_link")
    imus = [frame("chest_imu", "chest"), frame("pelvis_imu", "base", "0 0 -0.4")]
    text = biped(extra=chest + neck + head + "".join(imus[::order]))
    setting = found(tmp_path, text)["imu"]
    assert setting.value == {"link": "pelvis_imu"}
    assert "of 3, the one nearest to the base" in setting.why
    without = biped(extra=chest + neck + head + imus[0])
    assert found(tmp_path, without)["imu"].value == {"link": "chest_imu"}


def test_no_set_of_sensors_gives_a_robot_what_it_lacks(tmp_path):
    source = robot_file(tmp_path, biped())
    for name in ("ankles", "realistic"):
        walk = completed({"robot": source, "sensors": name}, tmp_path)
        assert not walk["sensors"]["force_torque"]["present"], name
        assert walk["sensors"]["motor_torques"]["present"], name
    own = {"force_torque": {"present": True}}
    walk = completed({"robot": source, "sensors": own}, tmp_path)
    assert walk["sensors"]["force_torque"]["present"]


GAZEBO = '<gazebo reference="{}"><sensor type="{}" name="s"/></gazebo>'


@pytest.mark.parametrize(
    "sensors",
    [
        GAZEBO.format("{side}_ankle_roll_link", "force_torque"),
        GAZEBO.format("{side}_ankle_roll", "force_torque"),  # at a joint: its child
        '<sensor name="{side}"><parent link="{side}_ankle_roll_link"/><force_torque/>'
        "</sensor>",
    ],
)
def test_a_force_sensor_of_the_description_is_used(tmp_path, sensors):
    both = "".join(sensors.format(side=side) for side in "lr")
    settings = found(tmp_path, biped(extra=both))
    assert settings["l_ft"].value == {"link": "l_ankle_roll_link"}
    assert settings["absent"].value == ["foot_imus"]


def test_a_force_sensor_may_be_a_link_of_its_name(tmp_path):
    both = "".join(
        frame(f"{side}_foot_ft_sensor", f"{side}_ankle_roll_link", "0 0 -0.02")
        for side in "lr"
    )
    settings = found(tmp_path, biped(extra=both))
    assert settings["r_ft"].value == {"link": "r_foot_ft_sensor"}


def test_two_force_sensors_in_a_foot_or_three_axes_are_named_and_not_used(tmp_path):
    both = "".join(
        frame(f"{side}_{end}_ft", f"{side}_ankle_roll_link")
        for side in "lr"
        for end in ("front", "rear")
    )
    robot = read_robot_file(robot_file(tmp_path, biped(extra=both)))
    assert "force_torque" in robot.settings["absent"].value
    assert any("several force/torque sensors" in note for note in robot.notes)
    plain = "".join(GAZEBO.format(f"{side}_ankle_roll_link", "force") for side in "lr")
    robot = read_robot_file(robot_file(tmp_path, biped(extra=plain)))
    assert "force_torque" in robot.settings["absent"].value
    assert any("three axes and no moments" in note for note in robot.notes)


def test_a_force_sensor_in_the_hip_is_none_of_the_foot(tmp_path):
    hips = "".join(
        GAZEBO.format(f"{side}_hip_pitch_link", "force_torque") for side in "lr"
    )
    settings = found(tmp_path, biped(extra=hips))
    assert "l_ft" not in settings
    assert "force_torque" in settings["absent"].value


def test_of_two_imus_the_one_nearest_to_the_base_is_taken_and_the_other_named(tmp_path):
    extra = (
        arm("l", "base", "chest")
        + frame("imu_chest", "chest_link")
        + frame("imu_pelvis", "base")
    )
    imu = found(tmp_path, biped(extra=extra))["imu"]
    assert imu.value == {"link": "imu_pelvis"}
    assert "imu_chest" in imu.why


def test_an_imu_in_each_foot_is_one_of_the_foot(tmp_path):
    feet = "".join(frame(f"{s}_foot_imu_x", f"{s}_ankle_roll_link") for s in "lr")
    settings = found(tmp_path, biped(extra=feet))
    assert settings["l_foot_imu"].value == {"link": "l_foot_imu_x"}
    assert settings["absent"].value == ["force_torque"]
    assert "assumed" in settings["imu"].why


# Motors and joints.


@pytest.mark.parametrize("effort", [0.0, 1e9])
def test_torque_limits_that_are_none_are_assumed_from_weight_and_leg(tmp_path, effort):
    robot = read_robot_file(robot_file(tmp_path, biped(effort=effort)))
    efforts = robot.settings["efforts"].value
    scale = MASS * 9.81 * LEG_LENGTH
    assert efforts["l_knee"] == pytest.approx(TORQUE_SHARES["knee"] * scale, rel=0.01)
    assert efforts["r_hip_yaw"] == pytest.approx(TORQUE_SHARES["leg"] * scale, rel=0.01)
    assert any("torque limits of 12 joints" in note for note in robot.notes)
    load_humanoid(robot_file(tmp_path, biped(effort=effort)))


def scanner(effort='effort="0" velocity="0"'):
    """A joint that spins a scanner, as URDFs give it: without a motor's limit."""
    text = arm("l", "base", "hokuyo_joint", kind="continuous")
    return text.replace('effort="20" velocity="8"', effort)


def test_a_joint_without_a_motor_beside_the_legs_is_held(tmp_path):
    """A scanner on Valkyrie's head spins; it was given the torque of an arm."""
    without_limit = re.sub(r"<limit[^>]*/>", "", scanner())
    for text in (scanner(), without_limit):
        settings = found(tmp_path, biped(extra=text))
        assert settings["locked"].value == {"hokuyo_joint": 0.0}
        assert "no motor moves it" in settings["locked"].why
        assert "efforts" not in settings
        load_humanoid(robot_file(tmp_path, biped(extra=text)))


def test_legs_are_the_same_beside_a_joint_that_is_held_for_want_of_a_motor(tmp_path):
    """Whichever number it has among the joints: before the legs, or behind them."""
    plain = found(tmp_path, biped(names="m_{side}_{joint}"))
    for name in ("a_first", "z_last"):
        text = scanner().replace("hokuyo_joint", name)
        settings = found(tmp_path, biped(names="m_{side}_{joint}", extra=text))
        for key in ("l_sole", "r_sole", "contact"):
            assert settings[key].value == plain[key].value, (name, key)
        assert set(settings["posture"].value) == set(plain["posture"].value)


def test_arms_whose_motors_have_no_limit_in_a_file_without_any_are_moved(tmp_path):
    """Nothing says then that they have no motors: all limits are assumed."""
    text = biped(extra=scanner(), effort=0.0)
    settings = found(tmp_path, text)
    assert "locked" not in settings
    assert "hokuyo_joint" in settings["efforts"].value


def test_a_passive_joint_in_a_leg_is_named_with_what_to_do(tmp_path):
    weak = biped().replace('upper="0.8" effort="120.0"', 'upper="0.8" effort="0"')
    with pytest.raises(InvalidParameter) as caught:
        found(tmp_path, weak)
    sentence = str(caught.value)
    assert "torque limit of joint l_hip_pitch is 0.0" in sentence
    assert "no spring and no loop may move it" in sentence


def test_rotors_are_assumed_from_mass_and_leg(tmp_path):
    armature = found(tmp_path, biped())["armature"]
    expected = ROTOR_SHARE * MASS * LEG_LENGTH**2
    assert armature.value == pytest.approx(expected, rel=0.01)
    assert "assumed" in armature.why


def test_a_joint_without_a_range_gets_one_that_is_named_as_assumed(tmp_path):
    endless = arm("l", "base", "l_elbow", lower=0.0, upper=0.0)
    source = robot_file(tmp_path, biped(extra=endless))
    setting = read_robot_file(source).settings["ranges"]
    assert list(setting.value) == ["l_elbow"]
    assert "assumed" in setting.why
    model = load_humanoid(source).model
    at = model.idx_qs[model.getJointId("l_elbow")]
    assert model.upperPositionLimit[at] == setting.value["l_elbow"][1] > 0.0


def test_hands_and_heads_are_held_and_shoulders_are_not(tmp_path):
    names = ["HeadYaw", "l_hand_thumb_0", "RFinger12", "L_UTHUMB", "neck_pitch"]
    kept = ["l_shoulder", "spring_elbow", "torso_yaw", "l_forearm_roll"]
    extra = "".join(arm("l", "base", name) for name in [*names, *kept])
    locked = found(tmp_path, biped(extra=extra))["locked"].value
    assert sorted(locked) == sorted(names)


def test_a_held_joint_whose_range_excludes_zero_stands_at_its_end(tmp_path):
    finger = arm("l", "base", "l_index", lower=0.2, upper=0.9)
    elbow = arm("r", "base", "r_elbow", lower=-0.9, upper=-0.1)
    settings = found(tmp_path, biped(extra=finger + elbow))
    assert settings["locked"].value == {"l_index": 0.2}
    assert settings["posture"].value["r_elbow"] == pytest.approx(-0.1)


def test_a_joint_that_mimics_is_held_where_it_follows(tmp_path):
    mimic = '<mimic joint="l_elbow" multiplier="-0.5" offset="0.3"/>'
    extra = arm("l", "base", "l_elbow") + arm("l", "base", "l_rod", inside=mimic)
    setting = found(tmp_path, biped(extra=extra))["locked"]
    assert setting.value == {"l_rod": 0.3}
    assert "follows l_elbow" in setting.why


def test_joints_are_locked_by_pattern_where_their_range_lets_them(tmp_path):
    fingers = "".join(arm("l", "base", f"l_index_{k}") for k in range(3))
    source = robot_file(tmp_path, biped(extra=fingers))
    mapping = read_robot_file(source).mapping
    assert len(mapping.pop("locked")) == 3
    config = HumanoidConfig.from_mapping({**mapping, "locked": {"l_index_*": 0.1}})
    assert len(humanoid_of(config).robot.joints) == 12
    config = HumanoidConfig.from_mapping({**mapping, "locked": {"r_index_*": 0.1}})
    with pytest.raises(UnknownName, match="joint to lock 'r_index_"):
        humanoid_of(config)


def test_a_joint_that_no_posture_names_stands_at_zero_or_next_to_it(tmp_path):
    elbow = arm("l", "base", "l_elbow", lower=0.3, upper=0.9)
    source = robot_file(tmp_path, biped(extra=elbow))
    mapping = read_robot_file(source).mapping
    del mapping["posture"]["l_elbow"]
    humanoid = humanoid_of(HumanoidConfig.from_mapping(mapping))
    at = humanoid.robot.joints.index("l_elbow")
    assert humanoid.posture[at] == pytest.approx(0.3)


def test_endless_torques_of_legs_are_named_by_their_joints(tmp_path):
    source = robot_file(tmp_path, biped(effort=1e9))
    mapping = read_robot_file(source).mapping
    del mapping["efforts"]
    (tmp_path / "made.yaml").write_text(yaml.safe_dump(mapping))
    with pytest.raises(InvalidParameter) as caught:
        completed({"robot": "made.yaml"}, tmp_path)
    sentence = str(caught.value)
    assert sentence.startswith("torque limit of joint l_hip_yaw, l_hip_roll")
    assert "give real ones under 'efforts'" in sentence


# The YAML, names, and files.


def test_the_written_yaml_is_the_same_robot_with_a_reason_for_every_number(tmp_path):
    extra = arm("l", "base", "l_elbow", lower=0.0, upper=0.0) + arm("l", "base", "head")
    source = robot_file(tmp_path, turned(biped(extra=extra)))
    text = written_yaml(read_robot_file(source))
    (tmp_path / "made.yaml").write_text(text)
    one = load_humanoid(source)
    other = load_humanoid(str(tmp_path / "made.yaml"))
    assert one.config == other.config
    assert one.robot.key == other.robot.key
    for setting in list(read_robot_file(source).settings.values())[1:]:
        assert f"# {setting.why}" in text


def test_a_description_in_a_yaml_may_be_an_mjcf(tmp_path):
    from described_biped import mjcf_biped

    (tmp_path / "made.xml").write_text(mjcf_biped())
    mapping = read_robot_file(str(tmp_path / "made.xml")).mapping
    config = HumanoidConfig.from_mapping({**mapping, "description": "made.xml"})
    humanoid = humanoid_of(config, "made", tmp_path)
    assert humanoid.robot.mass == pytest.approx(MASS)
    assert humanoid.model.armature[6:].tolist() == [0.02] * 12


@pytest.fixture
def packages(tmp_path, monkeypatch):
    """Made packages of descriptions on the path, and no network."""

    def refuse(*_):
        raise AssertionError("a description was about to be fetched")

    monkeypatch.setattr(socket, "create_connection", refuse)
    monkeypatch.setattr(socket.socket, "connect", refuse)
    for name in ("robot_descriptions", "mujoco_menagerie", "maker"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text("")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv("ROBOT_DESCRIPTIONS_CACHE", str(tmp_path / "cache"))
    (tmp_path / "robot_descriptions" / "made_description.py").write_text(
        "from os import getenv as _getenv\n"
        "from os import path as _path\n"
        "from ._cache import clone_to_cache as _clone_to_cache\n"
        'REPOSITORY_PATH = _clone_to_cache("made_repo", commit=_getenv("NONE", None))\n'
        'URDF_PATH = _path.join(REPOSITORY_PATH, "urdf", "made.urdf")\n'
    )
    return tmp_path


def test_a_name_is_looked_up_in_installed_packages(packages):
    from described_biped import mjcf_biped

    folder = packages / "cache" / "made_repo" / "urdf"
    folder.mkdir(parents=True)
    (folder / "made.urdf").write_text(biped())
    assert load_humanoid("made").robot.mass == pytest.approx(MASS)
    (packages / "mujoco_menagerie" / "maker_made").mkdir()
    (packages / "mujoco_menagerie" / "maker_made" / "made.xml").write_text(mjcf_biped())
    (packages / "mujoco_menagerie" / "maker_made" / "scene.xml").write_text("<mujoco/>")
    assert load_humanoid("maker_made").robot.mass == pytest.approx(MASS)
    (packages / "maker" / "made.urdf").write_text(biped())
    assert load_humanoid("maker:made.urdf").robot.mass == pytest.approx(MASS)


def test_a_description_that_is_not_here_is_not_fetched(packages):
    with pytest.raises(BipedSlipError, match="its files are not here and nothing is"):
        load_humanoid("made_description")
    with pytest.raises(BipedSlipError, match="no package 'none' is installed"):
        load_humanoid("none:made.urdf")
    with pytest.raises(UnknownName, match="or a robot of example-robot-data"):
        load_humanoid("no_such_robot")


def test_robots_of_example_robot_data_go_by_their_names():
    pytest.importorskip("pinocchio")
    icub = load_humanoid("icub")
    assert icub.robot.mass == pytest.approx(28.35, abs=0.01)
    assert icub.config.base_rpy[2] == pytest.approx(math.pi, abs=1e-5)
    assert icub.config.l_ft.link == "l_foot"
    assert load_humanoid("romeo_small").config.contact.polygon[0][0] < -0.05


def test_what_was_found_of_shipped_robots_is_what_their_files_say():
    """Soles, heights and legs of TALOS and G1 within a centimetre of the measured ones."""
    for name, source in (("talos", "talos_reduced"), ("g1", "g1_29dof_rev_1_0")):
        shipped = load_humanoid(name)
        alone = load_humanoid(source)
        model = shipped.model
        data = model.createData()
        other = alone.model.createData()
        neutral = pin.neutral(model)
        pin.framesForwardKinematics(model, data, neutral)
        pin.framesForwardKinematics(alone.model, other, pin.neutral(alone.model))
        for foot, sole in enumerate(SOLES):
            theirs = data.oMf[model.getFrameId(sole)].translation
            ours = other.oMf[alone.model.getFrameId(sole)].translation
            assert ours[2] == pytest.approx(theirs[2], abs=0.002)
            edges = [
                np.array(one.polygon(foot)) + place[:2]
                for one, place in ((shipped, theirs), (alone, ours))
            ]
            np.testing.assert_allclose(
                edges[0].mean(axis=0), edges[1].mean(axis=0), atol=0.02
            )


def test_a_yaml_may_correct_speeds_and_ranges(tmp_path):
    source = robot_file(tmp_path, biped())
    mapping = read_robot_file(source).mapping
    changed = {
        **mapping,
        "speeds": {"l_knee": 3.5},
        "ranges": {"l_knee": [-0.1, 1.5]},
    }
    (tmp_path / "made.yaml").write_text(yaml.safe_dump(changed))
    model = load_humanoid(str(tmp_path / "made.yaml")).model
    at = model.getJointId("l_knee")
    assert model.velocityLimit[model.idx_vs[at]] == 3.5
    assert model.upperPositionLimit[model.idx_qs[at]] == 1.5
    for wrong, message in (
        ({"ranges": {"l_knee": [1.0, -1.0]}}, "the lower one first"),
        ({"ranges": {"l_knee": 1.0}}, "lower, upper"),
        ({"speeds": {"tail": 1.0}}, "unknown joint 'tail'"),
        ({"absent": ["ears"]}, "unknown sensor under 'absent'"),
        ({"base_rpy": [1.0]}, "three angles"),
    ):
        with pytest.raises(BipedSlipError, match=message):
            humanoid_of(HumanoidConfig.from_mapping({**mapping, **wrong}))

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Humanoids from URDF and YAML: what comes out, and what is said when something is
wrong."""

import numpy as np
import pinocchio as pin
import pytest

from biped_slip.errors import BipedSlipError, InvalidParameter, UnknownName
from biped_slip.robots.description import complete
from biped_slip.robots.humanoid import HumanoidConfig, humanoid_of, load_humanoid

LINK = (
    '<link name="{0}"><inertial><mass value="{1}"/>'
    '<inertia ixx="0.02" iyy="0.02" izz="0.02" ixy="0" ixz="0" '
    'iyz="0"/></inertial></link>'
)
LEG = (
    '<joint name="{0}_hip" type="revolute"><parent link="trunk"/><child '
    'link="{0}_leg"/><origin xyz="0 {1} 0"/>'
    '<axis xyz="{2}"/><limit effort="50" velocity="9" lower="-1" upper="1"/></joint>'
)


def urdf(axis="0 1 0", mass=1.0, extra=""):
    legs = "".join(LINK.format(f"{side}_leg", mass) for side in "lr")
    joints = LEG.format("l", 0.1, axis) + LEG.format("r", -0.1, axis)
    return (
        "<robot "
        f'name="two_legs">{LINK.format("trunk", 5.0)}{legs}{joints}{extra}</robot>'
    )


def two_legs(folder, text=None, **changes):
    (folder / "robot.urdf").write_text(urdf() if text is None else text)
    soles = {
        f"{side}_sole": {"link": f"{side}_leg", "position": [0.0, 0.0, -0.5]}
        for side in "lr"
    }
    return humanoid_of(
        HumanoidConfig.from_mapping({"description": "robot.urdf", **soles, **changes}),
        "two",
        folder,
    )


@pytest.mark.parametrize(
    ("name", "joints", "mass"),
    [("talos", 30, 90.27), ("g1", 29, 33.34), ("bolt", 6, 1.254)],
)
def test_third_party_robots_stand_level_on_both_soles(name, joints, mass):
    humanoid = load_humanoid(name)
    model = humanoid.model
    data = humanoid.model.createData()
    assert (model.nv, len(humanoid.robot.joints)) == (6 + joints, joints)
    assert humanoid.robot.mass == pytest.approx(mass, abs=0.01)
    q = humanoid.standing(1.0, 2.0, 0.5, 0.3)
    pin.framesForwardKinematics(model, data, q)
    places = [data.oMf[model.getFrameId(sole)] for sole in ("l_sole", "r_sole")]
    middle = 0.5 * (places[0].translation + places[1].translation)
    np.testing.assert_allclose(middle, [1.0, 2.0, 0.3], atol=1e-3)
    for place in places:
        np.testing.assert_allclose(
            place.rotation, pin.rpy.rpyToMatrix(0.0, 0.0, 0.5), atol=0.01
        )


def test_a_locked_joint_stays_where_it_would_be():
    text = complete(urdf(), {"l_hip": 0.4}, {})
    free = pin.buildModelFromXML(urdf())
    q = np.array([0.4, 0.0])
    whole = free.createData()
    locked = pin.buildModelFromXML(text)
    pin.framesForwardKinematics(free, whole, q)
    data = locked.createData()
    pin.framesForwardKinematics(locked, data, np.zeros(1))
    for name in ("l_leg", "r_leg"):
        one = whole.oMf[free.getFrameId(name)]
        two = data.oMf[locked.getFrameId(name)]
        np.testing.assert_allclose(one.homogeneous, two.homogeneous, atol=1e-12)


def test_a_frame_that_the_description_has_already_is_taken_from_there(tmp_path):
    joint = (
        '<joint name="i" type="fixed"><parent link="trunk"/><child '
        'link="imu"/><origin xyz="1 2 3"/></joint>'
    )
    imu = f'<link name="imu"/>{joint}'
    model = two_legs(tmp_path, urdf(extra=imu)).model
    np.testing.assert_allclose(
        model.frames[model.getFrameId("imu")].placement.translation, [1.0, 2.0, 3.0]
    )
    with pytest.raises(
        InvalidParameter,
        match="frame imu is 'on trunk', but must be what it is in the description",
    ):
        two_legs(tmp_path, urdf(extra=imu), imu={"link": "trunk"})


def test_friction_of_a_joint_corrects_that_of_the_description(tmp_path):
    rough = urdf().replace("<limit", '<dynamics damping="0.4" friction="2.0"/><limit')
    plain = two_legs(tmp_path, rough)
    assert plain.model.friction[6:].tolist() == [2.0, 2.0]
    corrected = two_legs(tmp_path, rough, frictions={"r_hip": 0.3})
    assert corrected.model.friction[6:].tolist() == [2.0, 0.3]
    assert corrected.model.damping[6:].tolist() == [0.4, 0.4]
    added = two_legs(tmp_path, frictions={"l_hip": 0.1})
    assert added.model.friction[6:].tolist() == [0.1, 0.0]
    with pytest.raises(UnknownName, match="tail"):
        _ = two_legs(tmp_path, frictions={"tail": 0.1}).robot


def test_a_link_may_have_the_name_of_a_joint(tmp_path):
    soles = {
        f"{side}_sole": {"link": f"{side}_hip", "position": [0.0, 0.0, -0.5]}
        for side in "lr"
    }
    plain = two_legs(tmp_path)
    shared = urdf().replace("l_leg", "l_hip").replace("r_leg", "r_hip")
    named_alike = two_legs(tmp_path, shared, **soles)
    assert named_alike.robot.joints == plain.robot.joints
    np.testing.assert_allclose(named_alike.standing(), plain.standing())
    q = plain.standing()
    ours, theirs = (
        pin.crba(robot.model, robot.model.createData(), q)
        for robot in (named_alike, plain)
    )
    np.testing.assert_allclose(ours, theirs)


def test_rotor_inertia_enters_the_model(tmp_path):
    robot = two_legs(tmp_path, armature=0.1, armatures={"r_hip": 0.3}).robot
    np.testing.assert_allclose(robot.model.armature, [0.0] * 6 + [0.1, 0.3])


@pytest.mark.parametrize(
    ("text", "changes", "message"),
    [
        (
            urdf(mass=0.0),
            {},
            r"mass moved by joint l_hip is 0.0, but must be > 0 kg; give its link an "
            r"<inertial>",
        ),
        (urdf(axis="0 0 0"), {}, r"joint l_hip: axis is .* must be a unit vector"),
        (urdf(), {"joints": ["l_hip"]}, r"r_hip is not actuated; list it, or lock it"),
        (urdf(), {"l_sole": {}}, r"two: no sole; name the link of l_sole"),
        (
            urdf(),
            {"l_sole": {"link": "foot"}},
            r"unknown link of the frame l_sole 'foot'; known: l_leg, r_leg, trunk",
        ),
        (urdf(), {"locked": {"knee": 1.0}}, r"unknown joint to lock 'knee'"),
        (urdf(), {"posture": {"knee": 1.0}}, r"unknown joint 'knee'"),
        (
            urdf(),
            {"posture": {"l_hip": 9.0}},
            r"posture of joint l_hip is 9.0, but must be within its range",
        ),
        (
            urdf(),
            {"posture": {"l_hip": 9.0, "r_hip": -9.0}},
            r"joint l_hip is 9.0.* \(outside are, too: r_hip\)",
        ),
        (
            urdf(),
            {"l_sole": {"link": "r_leg"}, "r_sole": {"link": "l_leg"}},
            r"on the left \(\+y\) side; swap",
        ),
        (
            urdf(),
            {"l_sole": {"link": "l_leg", "rpy": [1.57, 0, 0]}},
            r"l_sole: angle between its z axis .* is 1.57",
        ),
        (
            urdf(),
            {"l_sole": {"link": "l_leg", "rpy": [0, 0, 3.1]}},
            r"l_sole: x axis in the base's frame is .* forward",
        ),
        (
            urdf().replace('effort="50"', 'effort="0"'),
            {},
            r"torque limit of joint l_hip is 0.0, .* under 'efforts'",
        ),
        (
            urdf().replace('ixx="0.02"', 'ixx="-0.02"'),
            {},
            r"smallest principal moment moved by joint l_hip is -0.02",
        ),
        ("<robot", {}, r"robot description: not valid XML"),
        (
            urdf().replace("revolute", "floating"),
            {},
            r"joint l_hip: type is 'floating'",
        ),
    ],
)
def test_what_is_wrong_is_said(tmp_path, text, changes, message):
    with pytest.raises(BipedSlipError, match=message):
        two_legs(tmp_path, text, **changes)


def test_zero_moments_are_refused_with_a_remedy_that_helps(tmp_path):
    thin = urdf().replace('ixx="0.02"', 'ixx="0.0"')
    with pytest.raises(
        InvalidParameter, match=r"moved by joint l_hip is 0.0, .* 'least_moment: 1e-5'"
    ):
        two_legs(tmp_path, thin)
    whole = two_legs(tmp_path).model
    raised = two_legs(tmp_path, thin, least_moment=1e-4).model
    for i in range(1, whole.njoints):
        assert raised.inertias[i].mass == whole.inertias[i].mass
        assert np.linalg.eigvalsh(raised.inertias[i].inertia)[0] >= 1e-4 * (1.0 - 1e-9)
    sound = two_legs(tmp_path, least_moment=1e-4).model
    for i in range(1, whole.njoints):
        np.testing.assert_array_equal(
            sound.inertias[i].inertia, whole.inertias[i].inertia
        )


def test_unknown_robots_and_polygons_of_two_corners_are_refused(tmp_path):
    with pytest.raises(UnknownName, match="unknown robot 'atlas'; known: bolt, g1"):
        load_humanoid("atlas")
    with pytest.raises(InvalidParameter, match="one corner"):
        two_legs(tmp_path, contact={"polygon": [[0, 0], [1, 0]]})


def test_a_joint_without_a_range_is_said_to_have_none(tmp_path):
    """Not to stand wrong: no posture but 0 would do."""
    no_range = urdf().replace('lower="-1" upper="1"', "")
    with pytest.raises(
        InvalidParameter,
        match=r"range of joint l_hip, r_hip is '0 to 0 rad', but must be a lower end "
        r"below its upper end; .*<limit>",
    ):
        two_legs(tmp_path, no_range, posture={"l_hip": 0.2, "r_hip": 0.2})
    two_legs(tmp_path, no_range)  # at 0 it may stand

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The robot of an MJCF is MuJoCo's: compared with MuJoCo itself."""

import math
import struct

import numpy as np
import pinocchio as pin
import pytest
from described_biped import ANKLE, LEG, MASS, mjcf_biped

from biped_slip.errors import BipedSlipError, InvalidParameter
from biped_slip.robots.description import description_of
from biped_slip.robots.mjcf import LINK_SHARE, read_mjcf
from biped_slip.robots.robot_file import read_robot_file

mujoco = pytest.importorskip("mujoco", reason="MuJoCo is not installed")


def written(folder, text, name="robot.xml"):
    path = folder / name
    path.write_text(text)
    return path


def before_body(name, element, text):
    """Put an element before a body, into the body around that one."""
    place = text.index(f'<body name="{name}"')
    return text[:place] + element + text[place:]


def model_of(path):
    return pin.buildModelFromXML(read_mjcf(path).urdf, pin.JointModelFreeFlyer())


def limits(path, joint):
    model = model_of(path)
    index = model.getJointId(joint)
    at = model.idx_qs[index]
    ends = model.lowerPositionLimit[at], model.upperPositionLimit[at]
    return ends, model.effortLimit[model.idx_vs[index]]


def assert_like_mujoco(path, seed=0):
    """Masses, mass matrix, places and ranges agree in a random posture."""
    theirs = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(theirs)
    ours = model_of(path)
    rng = np.random.default_rng(seed)
    q = pin.neutral(ours)
    data.qpos[:7] = [0, 0, 0, 1, 0, 0, 0]
    rows = list(range(6))
    for index in range(2, ours.njoints):
        joint = theirs.joint(ours.names[index])
        value = rng.uniform(-0.5, 0.5)
        q[ours.idx_qs[index]] = value
        data.qpos[joint.qposadr[0]] = value
        rows.append(int(joint.dofadr[0]))
        if theirs.jnt_limited[joint.id]:
            np.testing.assert_allclose(
                (
                    ours.lowerPositionLimit[ours.idx_qs[index]],
                    ours.upperPositionLimit[ours.idx_qs[index]],
                ),
                theirs.jnt_range[joint.id],
                atol=1e-9,
            )
    mujoco.mj_forward(theirs, data)
    pin.forwardKinematics(ours, ours_data := ours.createData(), q)
    for index in range(2, ours.njoints):
        joint = theirs.joint(ours.names[index])
        if theirs.jnt_type[joint.id] == mujoco.mjtJoint.mjJNT_SLIDE:
            continue  # whose anchor is where it would be at its reference
        np.testing.assert_allclose(
            ours_data.oMi[index].translation, data.xanchor[joint.id], atol=1e-9
        )
    columns = []
    for column in range(theirs.nv):
        unit = np.zeros((theirs.nv, 1))
        unit[column] = 1.0
        product = np.zeros((theirs.nv, 1))
        mujoco.mj_mulM(theirs, data, product, unit)
        columns.append(product[:, 0])
    matrix = np.array(columns)
    robot = read_mjcf(path)
    expected = matrix[np.ix_(rows, rows)][6:, 6:]
    found = pin.crba(ours, ours.createData(), q)[6:, 6:]
    found = np.triu(found) + np.triu(found, 1).T + np.diag(_rotors(robot.urdf, ours))
    np.testing.assert_allclose(found, expected, atol=1e-9)


def _rotors(urdf, model):
    from xml.etree import ElementTree

    joints = {
        one.get("name"): one for one in ElementTree.fromstring(urdf).iter("joint")
    }
    return [
        float(joints[name].find("dynamics").get("armature")) for name in model.names[2:]
    ]


def test_masses_and_motion_are_those_of_mujoco(tmp_path):
    path = written(tmp_path, mjcf_biped())
    assert_like_mujoco(path)
    model = model_of(path)
    assert sum(one.mass for one in model.inertias) == pytest.approx(MASS)
    assert model.damping[6:].tolist() == [0.5] * 12
    assert model.friction[6:].tolist() == [0.3] * 12


@pytest.mark.parametrize(
    "place",
    [
        'euler="10 20 30"',
        'axisangle="1 1 0 40"',
        'xyaxes="0 1 0 -1 0.2 0"',
        'zaxis="0.3 0.1 1"',
        'quat="0.9 0.1 0.2 0.3"',
    ],
)
def test_every_way_to_write_an_orientation_is_read(tmp_path, place):
    text = mjcf_biped().replace('name="r_knee_link"', f'name="r_knee_link" {place}')
    assert_like_mujoco(written(tmp_path, text))


def test_a_sequence_of_euler_angles_and_radians_are_those_of_the_compiler(tmp_path):
    text = mjcf_biped(compiler='angle="radian" eulerseq="ZYx"').replace(
        'name="r_knee_link"', 'name="r_knee_link" euler="0.1 0.2 0.3"'
    )
    for joint, *_, low, high in LEG:
        degrees = f"{low * 57.29577951308232} {high * 57.29577951308232}"
        text = text.replace(f'range="{degrees}"', f'range="{low} {high}"')
        assert joint in text
    assert_like_mujoco(written(tmp_path, text))


def test_a_reference_moves_neither_range_nor_coordinate(tmp_path):
    """Ranges and positions are of MuJoCo's coordinate, which is ref as drawn."""
    knee = 'name="l_knee" axis="0 1 0"'
    path = written(tmp_path, mjcf_biped().replace(knee, f'{knee} ref="20"'))
    assert_like_mujoco(path)
    ends, _ = limits(path, "l_knee")
    assert ends == pytest.approx((-0.05, 2.2))


def test_a_slide_with_a_reference_and_a_joint_beside_its_body_are_read(tmp_path):
    hip = 'name="l_hip_yaw" axis="0 0 1"'
    moved = mjcf_biped().replace(hip, f'{hip} type="slide" ref="0.1" pos="0.01 0 0.02"')
    assert_like_mujoco(written(tmp_path, moved))


def test_frames_and_classes_in_them_are_put_in_place(tmp_path):
    leg = '<body name="r_hip_yaw_link"'
    start = mjcf_biped().index(leg)
    text = mjcf_biped()
    end = text.index("</body></worldbody>")
    inner = f'<frame pos="0.01 0.02 0" euler="0 0 30">{text[start:end]}</frame>'
    assert_like_mujoco(written(tmp_path, text[:start] + inner + text[end:]))


@pytest.mark.parametrize(
    ("joint", "actuator", "limit"),
    [
        ('actuatorfrcrange="-30 40"', "", 30.0),
        ("", '<motor joint="l_knee" ctrlrange="-25 25"/>', 25.0),
        ("", '<motor joint="l_knee" gear="50" ctrlrange="-1 1"/>', 50.0),
        ("", '<position joint="l_knee" kp="9" forcerange="-12 12"/>', 12.0),
        ("", '<position joint="l_knee" ctrlrange="-1 1" forcerange="-9 9"/>', 9.0),
        ('actuatorfrcrange="-8 8"', '<motor joint="l_knee" forcerange="-12 12"/>', 8.0),
        ("", '<general joint="l_knee" gainprm="3" ctrlrange="-2 2"/>', 6.0),
        ("", '<motor class="strong" joint="l_knee"/>', 77.0),
    ],
)
def test_the_torque_limit_is_the_smaller_of_joint_and_actuator(
    tmp_path, joint, actuator, limit
):
    text = mjcf_biped(
        default='</default><default class="strong"><motor forcerange="-77 77"/>',
        actuators=f"<actuator>{actuator}</actuator>" if actuator else "",
    ).replace('name="l_knee" axis', f'name="l_knee" {joint} axis')
    path = written(tmp_path, text)
    mujoco.MjModel.from_xml_path(str(path))  # the file is one that MuJoCo takes
    assert limits(path, "l_knee")[1] == pytest.approx(limit)


def test_a_joint_without_motor_beside_joints_with_one_has_no_torque(tmp_path):
    one = '<actuator><motor joint="l_knee" forcerange="-9 9"/></actuator>'
    path = written(tmp_path, mjcf_biped(actuators=one))
    assert limits(path, "r_knee")[1] == 0.0
    with pytest.raises(InvalidParameter, match="with a motor in every joint"):
        read_robot_file(str(path))


def test_a_body_with_several_joints_becomes_a_chain_of_links_with_mass(tmp_path):
    """Mass and places stay; 2 % of the body's inertia goes to each link before it."""
    text = mjcf_biped()
    roll = text[text.index('<body name="r_hip_roll_link"') :]
    roll = roll[: roll.index("<body", 5)]
    joint = roll[roll.index("<joint") :]
    merged = text.replace(roll, "").replace(
        "</body></body></body></body></body></body></body></worldbody>",
        "</body></body></body></body></body></body></worldbody>",
    )
    merged = merged.replace(
        '<joint name="r_hip_yaw"', f'{joint}<joint name="r_hip_yaw"'
    )
    path = written(tmp_path, merged)
    theirs = mujoco.MjModel.from_xml_path(str(path))
    ours = model_of(path)
    assert sum(one.mass for one in ours.inertias) == pytest.approx(
        theirs.body_mass.sum()
    )
    first = ours.getJointId("r_hip_roll")
    second = ours.getJointId("r_hip_yaw")
    assert ours.parents[second] == first
    assert ours.inertias[first].mass == pytest.approx(LINK_SHARE * 1.0)


def test_a_scene_that_includes_the_robot_is_the_robot(tmp_path):
    written(tmp_path, mjcf_biped())
    (tmp_path / "parts").mkdir()
    written(
        tmp_path / "parts",
        '<mujoco><sensor><gyro site="chip" name="g"/></sensor></mujoco>',
        "sensor.xml",
    )
    text = (
        '<mujoco><include file="robot.xml"/><worldbody><geom type="plane" '
        'size="1 1 1"/><body name="crate" pos="3 0 1"><freejoint/><geom type="box" '
        'size="1 1 1"/></body></worldbody><include file="parts/sensor.xml"/></mujoco>'
    )
    scene = written(tmp_path, text, "scene.xml")
    robot = (tmp_path / "robot.xml").read_text()
    chip = robot.replace('childclass="leg">', 'childclass="leg"><site name="chip"/>')
    (tmp_path / "robot.xml").write_text(chip)
    assert_like_mujoco(tmp_path / "robot.xml")
    found = read_robot_file(str(scene))
    assert found.settings["imu"].value == {"link": "chip"}
    assert read_mjcf(scene).urdf.count("<joint") == read_mjcf(
        tmp_path / "robot.xml"
    ).urdf.count("<joint")


def test_a_robot_that_the_file_holds_by_its_base_floats(tmp_path):
    held = model_of(written(tmp_path, mjcf_biped(base="")))
    free = model_of(written(tmp_path, mjcf_biped()))
    assert held.nv == free.nv == 18
    for one, other in zip(held.inertias, free.inertias, strict=True):
        np.testing.assert_allclose(
            one.toDynamicParameters(), other.toDynamicParameters()
        )


def test_a_keyframe_says_how_the_arms_stand(tmp_path):
    hand = (
        '<body name="l_arm_link" pos="0 0.2 0.3"><inertial pos="0 0 0" mass="1" '
        'diaginertia="0.01 0.01 0.01"/><joint name="l_elbow" axis="0 1 0" '
        'range="-90 90"/></body>'
    )
    lying = f"0 0 0.1 0.7 0 0.7 0 {' '.join(['0'] * 13)}"
    up = f"0 0 0.8 1 0 0 0 {' '.join(['0'] * 12)} 0.7"
    keys = f'<keyframe><key qpos="{lying}"/><key qpos="{up}"/></keyframe>'
    text = mjcf_biped(inside=keys).replace(
        "</body></worldbody>", f"{hand}</body></worldbody>"
    )
    path = written(tmp_path, text)
    mujoco.MjModel.from_xml_path(str(path))
    posture = read_robot_file(str(path)).settings["posture"]
    assert posture.value["l_elbow"] == pytest.approx(0.7)
    assert "as the keyframe" in posture.why


def test_missing_meshes_are_left_out_and_named(tmp_path):
    mesh = '<asset><mesh name="shell" file="shell.stl"/></asset>'
    text = mjcf_biped(inside=mesh).replace(
        'childclass="leg">', 'childclass="leg"><geom type="mesh" mesh="shell"/>', 1
    )
    found = read_robot_file(str(written(tmp_path, text)))
    assert any("meshes are missing and left out: shell" in note for note in found.notes)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<mujoco/>", "holds no body with joints"),
        ('<mujoco><include file="none.xml"/></mujoco>', "can't be read"),
        ('<mujoco><include file="robot.xml"/></mujoco>', "included twice"),
        ('<mujoco><worldbody><replicate count="2"/></worldbody></mujoco>', "replicate"),
        (
            '<mujoco><worldbody><body name="b"><joint class="no"/></body></worldbody>'
            "</mujoco>",
            "class of <joint>  is 'no', but must be one of the file's defaults: main",
        ),
        (
            mjcf_biped().replace('pos="0 0 -0.02"', 'pos="0 0 x"', 1),
            "pos of <inertial>  is '0 0 x', but must be numbers",
        ),
        (
            mjcf_biped().replace('pos="0 0 -0.02"', 'pos="0, 0, -0.02"', 1),
            "pos of <inertial>  is '0, 0, -0.02', but must be numbers with spaces",
        ),
    ],
)
def test_what_is_no_robot_is_one_sentence(tmp_path, text, message):
    path = written(tmp_path, text)
    with pytest.raises(BipedSlipError, match=message) as caught:
        read_robot_file(str(path))
    assert "\n" not in str(caught.value)


def test_switches_of_the_simulation_are_no_numbers(tmp_path):
    """``frictionloss`` is a number of a joint, and a switch of a flag."""
    option = '<option><flag frictionloss="enable" equality="disable"/></option>'
    found = read_robot_file(str(written(tmp_path, mjcf_biped(inside=option))))
    assert found.mapping["posture"]


def test_rods_on_ball_joints_are_named_as_the_loops_that_they_close(tmp_path):
    rod = (
        '<body name="rod"><inertial pos="0 0 -0.1" mass="0.1" '
        'diaginertia="1e-4 1e-4 1e-4"/><joint name="rod_ball" type="ball"/></body>'
    )
    loop = (
        '<equality><connect name="achilles" body1="l_ankle_roll_link" body2="rod" '
        'anchor="0 0 0"/></equality>'
    )
    text = before_body("l_ankle_pitch_link", rod, mjcf_biped(inside=loop))
    path = written(tmp_path, text)
    with pytest.raises(BipedSlipError, match=r"closes loops of bodies \(achilles\)"):
        read_robot_file(str(path))


@pytest.mark.parametrize("turning", [("ball",), ("hinge", "hinge", "hinge")])
def test_three_slides_and_what_turns_freely_float_a_base(tmp_path, turning):
    """As files have it whose learner wants the base's coordinates one by one."""
    kinds = ("slide", "slide", "slide", *turning)
    axes = ("1 0 0", "0 1 0", "0 0 1") * 2
    base = "".join(
        f'<joint type="{kind}" axis="{axis}" range="-10 10"/>'
        for kind, axis in zip(kinds, axes, strict=False)
    )
    path = written(tmp_path, mjcf_biped(base=base))
    free = written(tmp_path, mjcf_biped(), "free.xml")
    ours, theirs = (read_robot_file(str(one)).mapping for one in (path, free))
    assert ours["posture"] == theirs["posture"]
    lacking = mjcf_biped(base=base.replace('type="slide"', 'type="hinge"', 1))
    path = str(written(tmp_path, lacking))
    with pytest.raises(InvalidParameter, match="a free joint, or none"):
        read_robot_file(path)


def wedge(folder, name, notched):
    """Write a mesh: a prism, or an L that is no convex body, as a binary STL."""
    flat = [(0, 0), (0.2, 0), (0.2, 0.05), (0.05, 0.05), (0.05, 0.1), (0, 0.1)]
    faces = [(0, 1, 2), (0, 2, 3), (0, 3, 4), (0, 4, 5)]
    if not notched:
        flat = [(0, 0), (0.2, 0), (0, 0.1)]
        faces = [(0, 1, 2)]
    low, high = ([np.array([*p, z]) for p in flat] for z in (0.0, 0.07))
    triangles = [(low[a], low[c], low[b]) for a, b, c in faces]
    triangles += [(high[a], high[b], high[c]) for a, b, c in faces]
    for a, p in enumerate(low):
        b = (a + 1) % len(low)
        triangles += [(p, low[b], high[b]), (p, high[b], high[a])]
    with (folder / name).open("wb") as file:
        file.write(bytes(80) + struct.pack("<I", len(triangles)))
        for triangle in triangles:
            file.write(struct.pack("<12fH", 0, 0, 0, *np.ravel(triangle), 0))


@pytest.mark.parametrize("weight", ["", 'density="0"', 'density="2700"', 'mass="0.7"'])
@pytest.mark.parametrize("notched", [False, True])
def test_a_body_that_says_no_inertia_weighs_what_its_meshes_do(
    tmp_path, weight, notched
):
    """And its simple shapes, as MuJoCo has it; a hand of 30 g was 1 kg a mesh."""
    wedge(tmp_path, "wedge.stl", notched)
    hand = (
        '<body name="hand" pos="0.1 0.2 0.3" euler="20 0 40">'
        '<joint name="wrist" range="-30 30"/>'
        f'<geom type="mesh" mesh="wedge" pos="0.1 0 0" euler="0 30 0" {weight}/>'
        '<geom type="capsule" fromto="0 0 0 0.1 0.1 0" size="0.02"/>'
        '<geom type="cylinder" size="0.03 0.05" pos="0 0 0.1"/></body>'
    )
    asset = (
        '<asset><mesh name="wedge" file="wedge.stl" scale="1 1.5 -1" inertia="exact"/>'
        "</asset>"
    )
    text = before_body("l_hip_yaw_link", hand, mjcf_biped(inside=asset))
    path = written(tmp_path, text)
    model = mujoco.MjModel.from_xml_path(str(path))
    ours = model_of(path)
    found = ours.inertias[ours.getJointId("wrist")]
    body = model.body("hand").id
    assert found.mass == pytest.approx(model.body_mass[body], rel=1e-5)
    np.testing.assert_allclose(found.lever, model.body_ipos[body], atol=1e-6)
    own = np.sort(np.linalg.eigvalsh(found.inertia))
    np.testing.assert_allclose(own, np.sort(model.body_inertia[body]), rtol=1e-4)


def test_loops_of_bodies_are_refused_by_their_names(tmp_path):
    loop = (
        '<equality><connect name="rod" body1="l_knee_link" body2="l_ankle_roll_link" '
        'anchor="0 0 0"/></equality>'
    )
    path = written(tmp_path, mjcf_biped(inside=loop))
    with pytest.raises(BipedSlipError, match=r"closes loops of bodies \(rod\)"):
        read_robot_file(str(path))


def test_a_capsule_is_a_foot_with_round_ends(tmp_path):
    """Two capsules along the foot: their bottoms span the sole, up to where they rise."""
    radius = 0.02
    rails = "".join(
        f'<geom type="capsule" size="{radius}" fromto="-0.05 {y} {radius - ANKLE} '
        f'0.1 {y} {radius - ANKLE}"/>'
        for y in (-0.03, 0.03)
    )
    found = read_robot_file(str(written(tmp_path, mjcf_biped(foot=rails)))).settings
    assert found["l_sole"].value["position"] == pytest.approx([0, 0, -ANKLE], abs=1e-6)
    corners = np.array(found["contact"].value["polygon"])
    # within 4 mm of the floor a ball of 20 mm is sqrt(2 * 20 * 4 - 4^2) = 12 mm wide
    aside = math.sqrt(2.0 * radius * 0.004 - 0.004**2)
    assert corners[:, 0].min() == pytest.approx(-0.05, abs=1e-6)
    assert corners[:, 0].max() == pytest.approx(0.1, abs=1e-6)
    assert 0.03 <= corners[:, 1].max() <= 0.03 + aside


def test_a_description_is_told_by_its_root_element(tmp_path):
    """Whatever its name: an MJCF called .urdf, a URDF called .xml."""
    from described_biped import biped

    one = description_of(str(written(tmp_path, mjcf_biped(), "robot.urdf")))
    other = description_of(str(written(tmp_path, biped(), "other.xml")))
    assert "dynamics" in one.text
    assert 'name="base"' in other.text
    with pytest.raises(BipedSlipError, match="its root element is <sdf>"):
        description_of(str(written(tmp_path, "<sdf/>", "robot.xml")))

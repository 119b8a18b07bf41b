# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Whole comparisons of a made-up network, short ones: they resume, and every kind of
governor has something to say."""

import json
from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("mujoco", reason="the mujoco extra is not installed")
pytest.importorskip("onnx", reason="the test extra is not installed")
pytest.importorskip("onnxruntime", reason="the policies extra is not installed")

import mujoco
import pinocchio as pin
import yaml
from walking.learned_policy.tiny_network import write_linear

from biped_slip.cli import main
from biped_slip.comparison.job import ComparedJob
from biped_slip.comparison.plan import (
    ALONE,
    GOVERNED,
    MUJOCO,
    OWN_CONTACT,
    ComparedWalker,
    ComparisonConfig,
    WalkedFloor,
    WalkerConfig,
)
from biped_slip.comparison.policy_robot import (
    BASE_IMU,
    PolicyFiles,
    imu_of,
    sole_boxes,
    write_robot,
)
from biped_slip.comparison.walk import has_tipped, prepared, walked
from biped_slip.errors import BipedSlipError, InvalidParameter
from biped_slip.walking.learned_policy import TargetDrivenRobot
from biped_slip.walking.policy_layout import layout_of

JOINTS = 29
SEEN = 103
SHORT = ComparisonConfig(seconds=0.4)

BODY = """<body name="{name}" pos="{at}"><joint name="{name}_joint" axis="0 1 0"/>
<inertial pos="0 0 0" mass="1" diaginertia="0.01 0.01 0.01"/>{geoms}</body>"""
SOLE = '<geom type="box" size="0.1 0.04 0.01" pos="0 0 -0.02"/>'
SHELL = '<geom type="box" size="0.3 0.3 0.01" contype="0" conaffinity="0"/>'


def mjcf(*bodies, site=""):
    """A floating base with bodies under it."""
    return (
        '<mujoco><worldbody><geom type="plane" size="1 1 1"/>'
        f'<body name="base" pos="0 0 1"><freejoint/>{site}'
        '<inertial pos="0 0 0" mass="5" diaginertia="0.1 0.1 0.1"/>'
        f"{''.join(bodies)}</body></worldbody></mujoco>"
    )


@pytest.fixture
def network(tmp_path):
    """A network that wants the posture of its layout, which is the shipped one."""
    return write_linear(tmp_path / "g1_playground.onnx", np.zeros((JOINTS, SEEN)))


def walker_of(network):
    config = WalkerConfig(robot="g1", network=str(network), contacts=(OWN_CONTACT,))
    return ComparedWalker("made", network, "g1", config)


def test_soles_are_the_shapes_that_touch_of_the_two_lowest_bodies():
    text = mjcf(
        BODY.format(name="left", at="0 0.1 -0.8", geoms=SOLE + SHELL),
        BODY.format(name="right", at="0 -0.1 -0.8", geoms=SOLE),
        BODY.format(name="hand", at="0 0.3 -0.1", geoms=SHELL),
    )
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    left, right = sole_boxes(model, data)
    assert (left.link, right.link) == ("left", "right")
    np.testing.assert_allclose(left.half, (0.1, 0.04))
    np.testing.assert_allclose(left.position, (0.0, 0.0, -0.03), atol=1e-12)


# a flat foot of 0.2 x 0.08 m with a lump over its heel, which tilts its inertia's axes
FOOT_MESH = """<asset><mesh name="foot" vertex="-0.08 -0.04 -0.03  0.12 -0.04 -0.03
0.12 0.04 -0.03  -0.08 0.04 -0.03  0.12 -0.04 -0.02  0.12 0.04 -0.02
-0.08 -0.04 0.07  -0.08 0.04 0.07"/></asset>"""
MESH_SOLE = '<geom type="mesh" mesh="foot"/>'


@pytest.mark.parametrize(
    ("turn", "position", "half"),
    [
        ("1 0 0 0", (0.02, 0.0, -0.03), (0.1, 0.04)),
        # the foot body's x to the left, its y up, its z forward
        ("0.5 0.5 0.5 0.5", (0.0, -0.03, 0.02), (0.1, 0.04)),
    ],
)
def test_the_sole_of_a_mesh_is_its_lowest_face_however_its_body_is_turned(
    turn, position, half
):
    """MuJoCo's own box of a mesh lies along the axes of its inertia, and floats."""
    straight = mujoco.MjSpec.from_string(
        mjcf(
            BODY.format(name="left", at="0 0.1 -0.8", geoms=MESH_SOLE),
            BODY.format(name="right", at="0 -0.1 -0.8", geoms=MESH_SOLE),
        ).replace("<worldbody>", FOOT_MESH + "<worldbody>")
    )
    quaternion = np.array([float(part) for part in turn.split()])
    back = quaternion * [1.0, -1.0, -1.0, -1.0]
    for name in ("left", "right"):
        straight.body(name).quat = quaternion
        for geom in straight.body(name).geoms:
            geom.quat = back
    model = straight.compile()
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    left, right = sole_boxes(model, data)
    assert (left.link, right.link) == ("left", "right")
    np.testing.assert_allclose(left.half, half, atol=1e-9)
    np.testing.assert_allclose(left.position, position, atol=1e-9)
    into_world = data.xmat[model.body("left").id].reshape(3, 3)
    axes = into_world @ pin.rpy.rpyToMatrix(*left.rpy)
    np.testing.assert_allclose(axes, np.eye(3), atol=1e-9)


def test_feet_are_what_reaches_lowest_and_not_what_begins_lowest():
    """An ankle of two bodies at one place: the first has a motor that is drawn."""
    ankle = (
        '<body name="{0}_ankle" pos="0 {1} -0.8"><joint axis="1 0 0"/>'
        '<inertial pos="0 0 0" mass="1" diaginertia="0.01 0.01 0.01"/>'
        '<geom type="capsule" size="0.01 0.02" contype="0" conaffinity="0"/>{2}</body>'
    )
    legs = [
        ankle.format(side, at, BODY.format(name=side, at="0 0 0", geoms=SOLE))
        for side, at in (("left", 0.1), ("right", -0.1))
    ]
    model = mujoco.MjModel.from_xml_string(mjcf(*legs))
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    assert [one.link for one in sole_boxes(model, data)] == ["left", "right"]


def test_a_foot_that_is_a_ball_is_refused_for_it_cannot_be_stood_on():
    ball = '<geom type="capsule" size="0.02 0.001"/>'
    model = mujoco.MjModel.from_xml_string(
        mjcf(
            BODY.format(name="left", at="0 0.1 -0.8", geoms=ball),
            BODY.format(name="right", at="0 -0.1 -0.8", geoms=ball),
        )
    )
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    with pytest.raises(InvalidParameter, match="sole of left is 'a point'"):
        sole_boxes(model, data)


def files_of(network, path):
    return PolicyFiles(
        network=network,
        layout=layout_of(network),
        mjcf=path,
        imu=BASE_IMU,
        speed=0.5,
    )


RAILS = (
    '<joint type="slide" axis="1 0 0"/><joint type="slide" axis="0 1 0"/>'
    '<joint type="slide" axis="0 0 1"/><joint type="ball"/>'
)


@pytest.mark.parametrize(("base", "floats"), [(RAILS, True), ("", False)])
def test_a_base_floats_by_a_free_joint_or_a_ball_between_rails(
    tmp_path, network, base, floats
):
    text = mjcf(
        BODY.format(name="left", at="0 0.1 -0.8", geoms=SOLE),
        BODY.format(name="right", at="0 -0.1 -0.8", geoms=SOLE),
    )
    path = tmp_path / "robot.xml"
    path.write_text(text.replace("<freejoint/>", base), encoding="utf-8")
    layout = replace(layout_of(network), posture=())
    files = files_of(network, path)._replace(layout=layout)
    if floats:
        written = write_robot(files, tmp_path / "robots")
        assert set(yaml.safe_load(written.read_text())["armatures"]) == {
            "left_joint",
            "right_joint",
        }
    else:
        with pytest.raises(InvalidParameter, match="<freejoint/>"):
            write_robot(files, tmp_path / "robots")


def test_a_robot_without_two_feet_is_refused():
    model = mujoco.MjModel.from_xml_string(
        mjcf(BODY.format(name="left", at="0 0.1 -0.8", geoms=SOLE))
    )
    with pytest.raises(BipedSlipError, match="1 bodies of the MJCF have shapes"):
        sole_boxes(model, mujoco.MjData(model))


@pytest.mark.parametrize(
    ("site", "found"),
    [
        ("", "base"),
        ('<site name="pelvis"/>', "base"),
        ('<site name="pelvis"/><site name="imu_low"/>', "imu_low"),
    ],
)
def test_the_imu_is_the_site_on_the_base_that_is_called_so(tmp_path, site, found):
    path = tmp_path / "robot.xml"
    hand = BODY.format(
        name="hand", at="0 0 -0.1", geoms='<site name="a_imu"/>' if site else ""
    )
    path.write_text(mjcf(hand, site=site), encoding="utf-8")
    expected = "a_imu" if "pelvis" in site and found == "base" else found
    assert imu_of(path) == expected


def test_a_file_that_mujoco_cannot_read_is_named(tmp_path):
    path = tmp_path / "robot.xml"
    path.write_text("no robot", encoding="utf-8")
    with pytest.raises(BipedSlipError, match=r"robot\.xml: MuJoCo can.t read it"):
        imu_of(path)


def test_a_base_on_its_side_has_tipped():
    q = np.zeros(7)
    q[6] = 1.0
    assert not has_tipped(q)
    q[3:7] = np.sin(np.radians(31)), 0.0, 0.0, np.cos(np.radians(31))
    assert has_tipped(q)


def test_a_walk_starts_in_the_posture_of_its_layout_on_the_floor(network):
    walk = prepared(walker_of(network), OWN_CONTACT, WalkedFloor(0.5), SHORT, 3)
    drives = walk.sequencer.robot.drives
    q = walk.world.plant.state.q
    np.testing.assert_array_equal(q[7:][drives.joints], drives.rest)
    lowest = walk.world.plant.observe().soles.position[:, 2].min()
    assert lowest == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize("kind", GOVERNED)
def test_each_kind_of_governor_walks_and_a_seed_walks_the_same_again(network, kind):
    ends = [
        walked(walker_of(network), OWN_CONTACT, kind, WalkedFloor(0.3), SHORT, 1)
        for _ in range(2)
    ]
    assert str(ends[0]) == str(ends[1])  # NaN is what it was
    assert ends[0].passed <= ends[0].commanded + 1e-12
    assert (ends[0].passed < ends[0].commanded) == (kind != "alone")


def test_a_key_follows_what_the_end_depends_on(network):
    def key(**changes):
        said = {
            "walker": walker_of(network),
            "contact": OWN_CONTACT,
            "governed": "alone",
            "floor": WalkedFloor(0.3),
            "plan": SHORT,
            "seed": 1,
        }
        return ComparedJob(**{**said, **changes}).key()

    assert key() == key()
    others = [
        {"seed": 2},
        {"contact": "mujoco"},
        {"floor": WalkedFloor(0.3, patch=True)},
        {"governed": "truth"},
        {"scale": 0.4},
        {"plan": ComparisonConfig(seconds=0.5)},
    ]
    assert len({key(), *(key(**change) for change in others)}) == 1 + len(others)


def test_a_comparison_is_kept_and_its_page_written(network, tmp_path, capsys):
    out = tmp_path / "out"
    words = ["compare", str(network), "--robot", "g1", "--contact", "here"]
    words += ["--floor", "0.3", "--governed", "alone", "truth", "--seconds", "0.3"]
    words += ["--seeds", "1", "--workers", "1", "--out", str(out), "--json"]
    first = tmp_path / "first.json"
    again = tmp_path / "again.json"
    assert main([*words, str(first)]) == 0
    assert "its robot was read as " in capsys.readouterr().err  # for it stands
    kept = (out / "walks.jsonl").read_bytes()
    capsys.readouterr()
    assert main([*words, str(again)]) == 0
    assert "3 of 3 walks are in" in capsys.readouterr().err
    assert (out / "walks.jsonl").read_bytes() == kept
    told = [json.loads(path.read_text()) for path in (first, again)]
    assert told[0]["tables"] == told[1]["tables"]
    assert told[0]["results"] == told[1]["results"]
    row = told[0]["tables"]["rows"][0]
    assert (row["walker"], row["completed"], row["kept"]) == ("g1_playground", 1, None)
    page = (out / "index.html").read_text(encoding="utf-8")
    assert "Does each walker walk well on mu 1.0?" in page
    assert f"--robot g1 --speed 0.5 --seeds 1 --seconds 0.3 --out {out}" in page
    assert main([*words, str(again), "--sensors", "laboratory"]) == 0
    assert "0 of 3 walks are in" in capsys.readouterr().err  # others than those
    page = (out / "index.html").read_text(encoding="utf-8")
    assert f"--seconds 0.3 --sensors laboratory --out {out}" in page


def test_a_set_of_sensors_that_is_not_known_is_refused_in_one_sentence(
    network, tmp_path, capsys
):
    words = ["compare", str(network), "--robot", "g1", "--out", str(tmp_path)]
    assert main([*words, "--sensors", "perfect"]) == 2
    assert capsys.readouterr().err.splitlines()[-1] == (
        "biped-slip compare: unknown set of sensors 'perfect'; known: ankles, "
        "currents, laboratory, realistic, or a .yaml file"
    )


def test_a_network_without_a_robot_is_refused_in_one_sentence(network, capsys):
    assert main(["compare", str(network)]) == 2
    assert capsys.readouterr().err == (
        "biped-slip compare: --robot is None, but must be given with a network; name "
        "its MJCF, or a robot as `walk --robot` takes it\n"
    )


def test_a_network_that_is_shown_no_estimate_walks_the_same_without_one(
    tmp_path, monkeypatch
):
    """Of what is estimated of base and floor nothing reaches it: its walk is that of
    the whole senses to the last bit, whatever its answers are."""
    answers = 0.02 * np.random.default_rng(7).normal(size=(JOINTS, SEEN))
    walker = walker_of(write_linear(tmp_path / "g1_playground.onnx", answers))

    def end():
        return walked(walker, OWN_CONTACT, ALONE, WalkedFloor(0.3), SHORT, seed=3)

    without = end()
    monkeypatch.setattr(TargetDrivenRobot, "listen_no_more", lambda self: None)
    assert repr(end()) == repr(without)


def test_a_spill_between_reading_and_step_is_the_floor_of_that_step(network):
    """MuJoCo's feet stand on what is under them now, not on what was when it was last
    looked at."""
    walker = walker_of(network)
    plain = replace(SHORT, sensors="ankles")
    ways = []
    for looks in (True, False):
        walk = prepared(walker, MUJOCO, WalkedFloor(1.0), plain, seed=0)
        plant = walk.world.plant
        if looks:
            plant.observe()
        walk.world.spill(walk.world.around_base(2.0, 2.0, 0.05))
        torques = np.zeros(walk.humanoid.model.nv - 6)
        for _ in range(30):
            plant.advance(torques, np.array([300.0, 0.0, 0.0, 0.0, 0.0, 0.0]))
        ways.append(plant.state.q.copy())
    np.testing.assert_array_equal(ways[0], ways[1])

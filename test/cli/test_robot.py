# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""``biped-slip robot``: what a user sees of a robot of his own."""

import pinocchio as pin
import pytest

from biped_slip.cli import main

ROMEO = """
description: example-robot-data:romeo_description/urdf/romeo_small.urdf
imu: {link: ImuTorsoAccelerometer_frame}
l_ft: {link: l_ankle}
r_ft: {link: r_ankle}
contact:
  polygon: [[-0.08, -0.05], [0.13, -0.05], [0.13, 0.05], [-0.08, 0.05]]
posture: {LHipPitch: -0.35, LKneePitch: 0.7, LAnklePitch: -0.35, RHipPitch: -0.35, RKneePitch: 0.7, RAnklePitch: -0.35}
armature: 0.05
"""


def test_a_robot_that_comes_with_nobody_is_checked_and_shown(tmp_path, capsys):
    yaml = tmp_path / "romeo.yaml"
    urdf = tmp_path / "romeo.urdf"
    yaml.write_text(ROMEO)
    assert main(["robot", str(yaml), "--urdf", str(urdf), "--no-trial"]) == 0
    out = capsys.readouterr().out
    assert "romeo: 40.53 kg, 31 joints" in out
    assert "0.210 x 0.100 m, 16 contact points" in out
    # the description's own fault
    assert "note: inertia moved by joint RShoulderYaw: no body has it" in out
    assert pin.buildModelFromXML(urdf.read_text()).existFrame("l_foot_imu")


@pytest.mark.compiled
def test_the_step_that_a_landing_needs_is_reported(capsys):
    assert main(["robot", "bolt"]) == 0
    assert "a landing from 2 cm needs" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("joints: [LKneePitch]", "is not actuated; list it, or lock it"),
        ("efforts: {LKnee: 3.0}", "unknown joint 'LKnee'"),
        (
            "l_sole: {link: l_ankle}",
            "frame l_sole is 'on l_ankle', but must be what it is in the description",
        ),
        ("description: nowhere.urdf", "nowhere.urdf"),
        ("soles: []", "unknown parameter 'soles'"),
    ],
)
def test_what_is_wrong_is_one_sentence_and_exit_code_two(
    tmp_path, capsys, change, message
):
    yaml = tmp_path / "romeo.yaml"
    lines = [
        line for line in ROMEO.splitlines() if not line.startswith(change.split(":")[0])
    ]
    yaml.write_text("\n".join([*lines, change]))
    assert main(["robot", str(yaml), "--no-trial"]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert len(error.strip().splitlines()) == 1

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""``biped-slip robot``: what a user sees of a robot of his own."""

import re
from pathlib import Path

import pinocchio as pin
import pytest
from described_biped import HEEL, TOE, biped, box_foot

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


def test_a_description_alone_shows_what_was_found_and_writes_it(tmp_path, capsys):
    source = tmp_path / "made.urdf"
    source.write_text(biped())
    target = tmp_path / "made.yaml"
    asked = ["robot", str(source), "--no-trial", "--yaml", str(target)]
    assert main(asked) == 0
    out = capsys.readouterr().out
    assert "made: 39.00 kg, 12 joints" in out
    assert "hip l_hip_yaw, l_hip_roll, l_hip_pitch; knee l_knee; ankle" in out
    assert "forces on its feet: from the currents of its motors" in out
    assert "absent: [force_torque, foot_imus]" in out
    assert main(["robot", str(target), "--no-trial"]) == 0
    again = capsys.readouterr().out
    table = [line for line in out.splitlines() if "│" in line]
    assert [line for line in again.splitlines() if "│" in line] == table
    assert main(["robot", str(target), "--no-trial", "--yaml", str(target)]) == 2
    assert "it writes what is found in a description" in capsys.readouterr().err


def test_where_the_mass_stands_over_the_sole_is_shown_in_numbers(tmp_path, capsys):
    """Half-way from the ankles to the middle of the soles: see described_biped."""
    source = tmp_path / "made.urdf"
    source.write_text(biped())
    assert main(["robot", str(source), "--no-trial"]) == 0
    out = " ".join(capsys.readouterr().out.split())
    found = re.search(r"([+-][\d.]+) m ahead of the ankles, ([\d.]+) m from", out)
    ahead = 0.25 * (HEEL + TOE)
    shown = [float(number) for number in found.groups()]
    assert shown == pytest.approx([ahead, ahead - HEEL], abs=1.5e-3)


def test_a_force_sensor_that_the_description_lacks_is_named(tmp_path, capsys):
    yaml = tmp_path / "romeo.yaml"
    yaml.write_text(
        "\n".join(line for line in ROMEO.splitlines() if "_ft:" not in line)
    )
    assert main(["robot", str(yaml), "--no-trial"]) == 0
    assert "no force sensors in the feet" in capsys.readouterr().out


def test_a_parser_says_nothing_of_materials_without_names(tmp_path, capfd):
    plain = '<visual><geometry><box size="1 1 1"/></geometry><material/></visual>'
    source = tmp_path / "made.urdf"
    source.write_text(biped(box_foot() + plain))
    assert main(["robot", str(source), "--no-trial"]) == 0
    assert "material" not in capfd.readouterr().err


BUG_INPUTS = Path(__file__).parents[2].parent / "shared" / "bug-inputs"


@pytest.mark.parametrize("name", ["12-world-link", "18-same-name"])
@pytest.mark.parametrize("file", ["tiny.yaml", "tiny.urdf"])
def test_descriptions_that_once_ended_in_a_traceback_are_robots(name, file, capsys):
    path = BUG_INPUTS / name / file
    if not path.is_file():
        pytest.skip("the descriptions are not beside the checkout")
    assert main(["robot", str(path), "--no-trial"]) == 0
    out = capsys.readouterr().out
    assert "tiny: 39.00 kg, 12 joints" in out
    assert "its base is 0.79" in out

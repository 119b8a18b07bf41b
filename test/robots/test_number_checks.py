# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""A description with numbers that no robot has is refused with link or joint, value and
what is allowed."""

import contextlib

import pytest

from biped_slip.errors import BipedSlipError, InvalidParameter
from biped_slip.robots.description import complete, read_description
from biped_slip.robots.planar_biped import JOINTS, planar_biped
from biped_slip.robots.robot import SOLES, Robot, Root, check_numbers

URDF = """<robot name="one"><link name="trunk"><inertial><origin xyz="0 0 0.1"/><mass value="{mass}"/>
<inertia ixx="{ixx}" iyy="1" izz="1" ixy="{ixy}" ixz="0" iyz="0"/></inertial></link><link name="leg"/>
<joint name="hip" type="revolute"><parent link="trunk"/><child link="leg"/><origin xyz="0 {y} 0"/><axis xyz="0 1 0"/>
<limit lower="{lower}" upper="{upper}" effort="{effort}" velocity="{velocity}"/></joint></robot>"""
GOOD = {
    "mass": 1,
    "ixx": 1,
    "ixy": 0,
    "y": 0,
    "lower": -1,
    "upper": 1,
    "effort": 50,
    "velocity": 9,
}


def test_a_good_description_passes():
    check_numbers(URDF.format(**GOOD))
    check_numbers(planar_biped().urdf)


@pytest.mark.parametrize(
    ("field", "value", "named"),
    [
        *(
            (field, value, owner)
            for owner, fields in {
                "link trunk": ("mass", "ixx", "ixy"),
                "joint hip": ("y", "lower", "upper", "effort", "velocity"),
            }.items()
            for field in fields
            for value in ("nan", "inf", "-inf", "1e308", "two")
        ),
        ("mass", -1, "link trunk: mass value"),
        ("ixx", -1, "link trunk: inertia ixx"),
        ("effort", -1, "joint hip: limit effort"),
        ("velocity", -1, "joint hip: limit velocity"),
        ("lower", 1.5, "joint hip: lower limit"),
    ],
)
def test_a_number_that_no_robot_has_is_refused_by_name(field, value, named):
    text = URDF.format(**{**GOOD, field: value})
    with pytest.raises(InvalidParameter) as refusal:
        check_numbers(text)
    assert named in refusal.value.name
    if field != "ixx" or value != -1:
        with pytest.raises(InvalidParameter):
            complete(text, {}, {})


def test_the_planar_robot_is_checked_before_it_is_built():
    text = planar_biped().urdf
    start = text.index('<mass value="') + len('<mass value="')
    injected = text[:start] + "nan" + text[text.index('"', start) :]
    with pytest.raises(InvalidParameter, match="finite"):
        Robot(injected, Root.SAGITTAL, JOINTS, SOLES)


@pytest.mark.parametrize(
    "trick",
    ["${1/0}", "${undefined}", "${'a' + 1}", "${[].pop()}", "${open}", "${[0]*3 + x}"],
)
def test_a_xacro_file_that_fails_is_one_sentence(tmp_path, trick):
    pytest.importorskip("xacro")
    path = tmp_path / "robot.xacro"
    head = '<robot name="x" xmlns:xacro="http://www.ros.org/wiki/xacro">'
    path.write_text(
        f'{head}<xacro:property name="a" value="{trick}"/><link '
        f'name="${{a}}{trick}"/></robot>'
    )
    with contextlib.suppress(BipedSlipError):
        assert "<robot" in read_description(str(path))

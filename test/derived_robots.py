# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Robots derived from shipped ones, each with one thing of bipeds that others build.

Every function writes a description and a robot's file into a folder and returns that
file. What is not named stays as it is in the shipped robot.
"""

from copy import deepcopy
from pathlib import Path
from xml.etree import ElementTree

import yaml

from biped_slip.robots.description import read_description
from biped_slip.robots.humanoid import load_humanoid
from biped_slip.shared_files import shared_file

SIDES = ("left", "right")


def _parts(name):
    """The robot's file as a mapping, and its description as a tree."""
    path = Path(str(shared_file(f"config/robots/{name}.yaml")))
    mapping = yaml.safe_load(path.read_text(encoding="utf-8"))
    return mapping, ElementTree.fromstring(
        read_description(mapping["description"], path.parent)
    )


def _written(folder, name, mapping, tree):
    (folder / f"{name}.urdf").write_text(
        ElementTree.tostring(tree, encoding="unicode"), encoding="utf-8"
    )
    file = folder / f"{name}.yaml"
    text = yaml.safe_dump({**mapping, "description": f"{name}.urdf"})
    file.write_text(text, encoding="utf-8")
    return str(file)


def _joint(tree, name):
    return next(one for one in tree.findall("joint") if one.get("name") == name)


def _link(tree, name):
    return next(one for one in tree.findall("link") if one.get("name") == name)


def with_weak_ankles(folder, torque=70.0, ahead=0.05):
    """TALOS on soles whose middle is ahead of ankles that are weak [N m, m]."""
    mapping, tree = _parts("talos")
    corners = mapping["contact"]["polygon"]
    mapping["contact"]["polygon"] = [[x + ahead, y] for x, y in corners]
    mapping["efforts"] = {f"leg_{side}_5_joint": torque for side in SIDES}
    return _written(folder, "weak_ankles", mapping, tree)


def with_weak_hip_roll(folder, torque=71.0):
    """TALOS whose hips roll with little torque [N m]."""
    mapping, tree = _parts("talos")
    mapping["efforts"] = {f"leg_{side}_2_joint": torque for side in SIDES}
    return _written(folder, "weak_hip_roll", mapping, tree)


def with_straight_arms(folder):
    """G1 with straight arms a little away from the body: shoulders counter the legs."""
    mapping, tree = _parts("g1")
    for side, sign in zip(SIDES, (1.0, -1.0), strict=True):
        mapping["posture"][f"{side}_shoulder_pitch_joint"] = 0.0
        mapping["posture"][f"{side}_shoulder_roll_joint"] = 0.5 * sign
        mapping["posture"][f"{side}_elbow_joint"] = 1.5
    return _written(folder, "straight_arms", mapping, tree)


def with_mass(folder, mass=175.0, armature=0.05):
    """TALOS of another mass and strength [kg], with small rotors [kg m^2]."""
    mapping, tree = _parts("talos")
    talos = load_humanoid("talos")
    by = mass / talos.robot.mass
    for link in tree.findall("link"):
        inertial = link.find("inertial")
        if inertial is not None:
            one = inertial.find("mass")
            one.set("value", repr(by * float(one.get("value"))))
            moments = inertial.find("inertia")
            for key in moments.keys():
                moments.set(key, repr(by * float(moments.get(key))))
    for joint in tree.findall("joint"):
        limit = joint.find("limit")
        if limit is not None:
            limit.set("effort", repr(by * float(limit.get("effort"))))
    del mapping["power"]
    mapping["armature"] = armature
    return _written(folder, "heavy", mapping, tree)


def with_roll_before_pitch(folder):
    """TALOS whose ankles roll first, then pitch."""
    mapping, tree = _parts("talos")
    for side in SIDES:
        pitch, roll = (_joint(tree, f"leg_{side}_{k}_joint") for k in (5, 6))
        for part in ("axis", "limit"):
            first, second = (joint.find(part) for joint in (pitch, roll))
            before = dict(first.attrib)
            first.attrib.clear()
            first.attrib.update(second.attrib)
            second.attrib.clear()
            second.attrib.update(before)
        posture = mapping["posture"]
        posture[f"leg_{side}_6_joint"] = posture.pop(f"leg_{side}_5_joint")
    return _written(folder, "roll_first", mapping, tree)


def without_ankle_roll(folder):
    """TALOS whose ankles pitch and do not roll."""
    mapping, tree = _parts("talos")
    mapping["locked"] |= {f"leg_{side}_6_joint": 0.0 for side in SIDES}
    return _written(folder, "no_ankle_roll", mapping, tree)


def with_common_waist(folder, share=0.7, axis="0 0 1"):
    """SURENA III whose pelvis turns below a trunk that has a share of its mass."""
    mapping, tree = _parts("surena3")
    pelvis = _link(tree, "pelvis")
    trunk = ElementTree.SubElement(tree, "link", {"name": "trunk"})
    trunk.append(deepcopy(pelvis.find("inertial")))
    for link, part in ((trunk, share), (pelvis, 1.0 - share)):
        for element in (link.find("inertial/mass"), link.find("inertial/inertia")):
            for key in element.keys():
                element.set(key, repr(part * float(element.get(key))))
    waist = ElementTree.SubElement(tree, "joint", {"name": "waist", "type": "revolute"})
    ElementTree.SubElement(waist, "parent", {"link": "trunk"})
    ElementTree.SubElement(waist, "child", {"link": "pelvis"})
    ElementTree.SubElement(waist, "axis", {"xyz": axis})
    limits = {"lower": "-1", "upper": "1", "effort": "150", "velocity": "6"}
    ElementTree.SubElement(waist, "limit", limits)
    mapping["imu"] = {"link": "trunk"}
    return _written(folder, "common_waist", mapping, tree)


def with_double_knees(folder, gap=0.08):
    """TALOS whose knees are two joints a gap [m] apart, each with half of the bend."""
    mapping, tree = _parts("talos")
    for side in SIDES:
        upper = _joint(tree, f"leg_{side}_4_joint")
        lower = deepcopy(upper)
        between = f"leg_{side}_kneecap"
        link = ElementTree.SubElement(tree, "link", {"name": between})
        inertial = ElementTree.SubElement(link, "inertial")
        ElementTree.SubElement(inertial, "origin", {"xyz": "0 0 0", "rpy": "0 0 0"})
        ElementTree.SubElement(inertial, "mass", {"value": "0.5"})
        moments = dict.fromkeys(("ixx", "iyy", "izz"), "0.001")
        moments |= dict.fromkeys(("ixy", "ixz", "iyz"), "0")
        ElementTree.SubElement(inertial, "inertia", moments)
        upper.find("child").set("link", between)
        lower.set("name", f"leg_{side}_4_lower_joint")
        lower.find("parent").set("link", between)
        lower.find("origin").set("xyz", f"0 0 {-gap}")
        tree.append(lower)
        half = 0.5 * mapping["posture"][f"leg_{side}_4_joint"]
        mapping["posture"][f"leg_{side}_4_joint"] = half
        mapping["posture"][f"leg_{side}_4_lower_joint"] = half
    return _written(folder, "double_knees", mapping, tree)

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The planar biped for simulators that read a URDF: on two rails, with a ball at each sole, its joints held by a PD."""

from __future__ import annotations

from xml.etree import ElementTree

from biped_slip.compile.arrays import Array
from biped_slip.lab.simulators.planar import DAMPING, STIFFNESS, push
from biped_slip.robots.mjcf import SOLE_RADIUS
from biped_slip.robots.planar_biped import planar_biped
from biped_slip.shared_files import shared_file

NOTHING = 1e-6  # [kg], [kg m^2] of links without mass, which some simulators would give 1 kg
AXES = {"along_x": "1 0 0", "along_z": "0 0 1"}
JOINTS = (*AXES, *planar_biped("thesis").joints)


def held(q: Array, v: Array, start: Array, scene: str, time: float) -> Array:
    """Forces (6,) along the joints: a PD to the start, the scene's push on the hip [N, N m]."""
    forces: Array = STIFFNESS * (start - q) - DAMPING * v
    forces[:2] = push(scene, time), 0.0
    return forces


def on_rails() -> str:
    """The robot's URDF with two rails before its base and balls at its soles."""
    root = ElementTree.parse(shared_file("urdf/planar_biped.urdf")).getroot()
    ElementTree.SubElement(root, "link", name="world")
    ElementTree.SubElement(root, "link", name="carriage")
    inertia = {axis: repr(NOTHING) for axis in ("ixx", "iyy", "izz")} | dict.fromkeys(("ixy", "ixz", "iyz"), "0")
    for link in [link for link in root.iter("link") if link.find("inertial") is None]:
        inertial = ElementTree.SubElement(link, "inertial")
        ElementTree.SubElement(inertial, "mass", value=repr(NOTHING))
        ElementTree.SubElement(inertial, "inertia", inertia)
    for name, parent, child in (("along_x", "world", "carriage"), ("along_z", "carriage", "base_link")):
        joint = ElementTree.SubElement(root, "joint", name=name, type="prismatic")
        ElementTree.SubElement(joint, "parent", link=parent)
        ElementTree.SubElement(joint, "child", link=child)
        ElementTree.SubElement(joint, "axis", xyz=AXES[name])
        ElementTree.SubElement(joint, "limit", lower="-1000", upper="1000", effort="1e6", velocity="1e3")
    for sole in planar_biped("thesis").soles:
        link = next(link for link in root.iter("link") if link.get("name") == sole)
        geometry = ElementTree.SubElement(ElementTree.SubElement(link, "collision"), "geometry")
        ElementTree.SubElement(geometry, "sphere", radius=repr(SOLE_RADIUS))
    return ElementTree.tostring(root, encoding="unicode")

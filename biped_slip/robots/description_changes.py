# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Numbers of a completed description that a robot's YAML corrects.

Moments of inertia, names that links and joints share, friction, and limits of joints.
"""

from __future__ import annotations

from typing import Sequence
from xml.etree import ElementTree

import numpy as np

from biped_slip.errors import UnknownName

INERTIA_ELEMENTS = (
    ("ixx", 0, 0),
    ("ixy", 0, 1),
    ("ixz", 0, 2),
    ("iyy", 1, 1),
    ("iyz", 1, 2),
    ("izz", 2, 2),
)


def with_least_moment(urdf: str, least: float) -> str:
    """Add one moment about all axes of links with a principal moment below ``least``.

    Args:
        urdf: whose numbers have been checked.
        least: [kg m^2] of links that have a mass; 0 changes nothing.
    """
    if least <= 0.0:
        return urdf
    robot = ElementTree.fromstring(urdf)
    for inertial in robot.iter("inertial"):
        mass = inertial.find("mass")
        inertia = inertial.find("inertia")
        if mass is None or not float(mass.get("value", "0")) > 0.0:
            continue
        if inertia is None:
            inertia = ElementTree.SubElement(inertial, "inertia")
        matrix = np.zeros((3, 3))
        for name, i, j in INERTIA_ELEMENTS:
            matrix[i, j] = matrix[j, i] = float(inertia.get(name, "0"))
        missing = least - float(np.linalg.eigvalsh(matrix)[0])
        if missing > 0.0:
            for name, i, j in INERTIA_ELEMENTS:
                inertia.set(
                    name, repr(float(matrix[i, j] + (missing if i == j else 0.0)))
                )
    return ElementTree.tostring(robot, encoding="unicode")


def with_distinct_links(urdf: str) -> str:
    """Rename links that share the name of a joint: ``Waist`` becomes ``Waist_link``.

    A description may use one name for both, a model's frames may not.

    Args:
        urdf: with all frames that are asked for by link.
    """
    robot = ElementTree.fromstring(urdf)
    joints = {joint.get("name") for joint in robot.findall("joint")}
    links = {link.get("name", "") for link in robot.findall("link")}
    if not joints & links:
        return urdf
    for element, key in (
        *((link, "name") for link in robot.findall("link")),
        *((end, "link") for end in robot.findall("joint/parent")),
        *((end, "link") for end in robot.findall("joint/child")),
    ):
        name = element.get(key, "")
        while name in joints or (name != element.get(key) and name in links):
            name += "_link"
        element.set(key, name)
    return ElementTree.tostring(robot, encoding="unicode")


def with_frictions(urdf: str, frictions: Sequence[tuple[str, float]]) -> str:
    """Set the Coulomb friction of joints in a description.

    Args:
        urdf: whose joints keep what is not named.
        frictions: by joint [N m]; names that it lacks are left to who reads them.
    """
    if not frictions:
        return urdf
    robot = ElementTree.fromstring(urdf)
    known = dict(frictions)
    for joint in robot.iter("joint"):
        name = joint.get("name", "")
        if name in known:
            dynamics = joint.find("dynamics")
            if dynamics is None:
                dynamics = ElementTree.SubElement(joint, "dynamics")
            dynamics.set("friction", repr(known[name]))
    return ElementTree.tostring(robot, encoding="unicode")


def with_limits(
    urdf: str,
    speeds: Sequence[tuple[str, float]],
    ranges: Sequence[tuple[str, tuple[float, float]]],
) -> str:
    """Set speed limits [rad/s] and ends of ranges [rad] of joints in a description.

    Args:
        urdf: completed description.
        speeds: by joint.
        ranges: by joint.

    Raises:
        UnknownName: a joint that the description lacks.
    """
    if not speeds and not ranges:
        return urdf
    robot = ElementTree.fromstring(urdf)
    joints = {joint.get("name", ""): joint for joint in robot.findall("joint")}
    for name in (*dict(speeds), *dict(ranges)):
        if name not in joints:
            raise UnknownName("joint", name, list(joints))
    for name, speed in speeds:
        _limit_of(joints[name]).set("velocity", repr(speed))
    for name, (low, high) in ranges:
        _limit_of(joints[name]).attrib.update(lower=repr(low), upper=repr(high))
    return ElementTree.tostring(robot, encoding="unicode")


def _limit_of(joint: ElementTree.Element) -> ElementTree.Element:
    limit = joint.find("limit")
    if limit is None:
        nothing = {"lower": "0", "upper": "0", "effort": "0", "velocity": "0"}
        limit = ElementTree.SubElement(joint, "limit", nothing)
    return limit

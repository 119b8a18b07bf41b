# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Inertias that a description leaves at zero, raised to what a body may have."""

from __future__ import annotations

from xml.etree import ElementTree

import numpy as np

ELEMENTS = (("ixx", 0, 0), ("ixy", 0, 1), ("ixz", 0, 2), ("iyy", 1, 1), ("iyz", 1, 2), ("izz", 2, 2))


def with_least_moment(urdf: str, least: float) -> str:
    """The description with the same moment added about all axes of every link whose smallest principal one is less.

    Args:
        urdf: whose numbers have been checked.
        least: [kg m^2] of links that have a mass; 0 changes nothing.
    """
    if least <= 0.0:
        return urdf
    robot = ElementTree.fromstring(urdf)
    for inertial in robot.iter("inertial"):
        mass, inertia = inertial.find("mass"), inertial.find("inertia")
        if mass is None or not float(mass.get("value", "0")) > 0.0:
            continue
        if inertia is None:
            inertia = ElementTree.SubElement(inertial, "inertia")
        matrix = np.zeros((3, 3))
        for name, i, j in ELEMENTS:
            matrix[i, j] = matrix[j, i] = float(inertia.get(name, "0"))
        missing = least - float(np.linalg.eigvalsh(matrix)[0])
        if missing > 0.0:
            for name, i, j in ELEMENTS:
                inertia.set(name, repr(float(matrix[i, j] + (missing if i == j else 0.0))))
    return ElementTree.tostring(robot, encoding="unicode")

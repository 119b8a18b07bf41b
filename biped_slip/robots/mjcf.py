# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""A robot as MuJoCo's XML, made from its Pinocchio model: the same coordinates in the same order."""

from __future__ import annotations

from typing import Any
from xml.etree import ElementTree

import numpy as np

from biped_slip.constants import GRAVITY
from biped_slip.robots.robot import Robot

SOLE_RADIUS = 1.0e-3  # [m] of the ball that stands for a point foot; the floor lies as much lower


def mjcf(robot: Robot, slope: float = 0.0) -> ElementTree.Element:
    """The robot over a plane through the origin that rises along x by ``slope`` [rad].

    Joints with one degree of freedom; a ball of :data:`SOLE_RADIUS` at each sole, paired with the floor alone.
    """
    root = ElementTree.Element("mujoco")
    ElementTree.SubElement(root, "option", gravity=f"0 0 {-GRAVITY!r}")
    world = ElementTree.SubElement(root, "worldbody")
    normal = np.array([-np.sin(slope), 0.0, np.cos(slope)])
    ElementTree.SubElement(
        world, "geom", name="floor", type="plane", size="100 100 1", zaxis=_text(normal),
        pos=_text(-SOLE_RADIUS * normal), contype="0", conaffinity="0",
    )  # fmt: skip
    bodies: dict[int, ElementTree.Element] = {0: world}
    for index in range(1, robot.model.njoints):
        bodies[index] = _joint(robot.model, index, bodies)
    _soles(robot, bodies)
    pairs = ElementTree.SubElement(root, "contact")
    for name in robot.soles:
        ElementTree.SubElement(pairs, "pair", name=name, geom1="floor", geom2=name, condim="3")
    return root


def _joint(model: Any, index: int, bodies: dict[int, ElementTree.Element]) -> ElementTree.Element:
    """Append joint and link ``index``; joints with nothing between them share a body."""
    parent, placement = bodies[model.parents[index]], model.jointPlacements[index]
    if parent.tag == "body" and parent.find("inertial") is None:
        body = parent
    else:
        body = ElementTree.SubElement(
            parent, "body", name=f"link_{model.names[index]}", pos=_text(placement.translation),
            quat=_quaternion(placement.rotation),
        )  # fmt: skip
    joint = model.joints[index]
    data = joint.createData()
    joint.calc(data, np.zeros(joint.nq))
    axis = np.asarray(data.S).reshape(6)
    slides = bool(np.any(axis[:3] != 0.0))
    ElementTree.SubElement(
        body, "joint", name=model.names[index], type="slide" if slides else "hinge",
        axis=_text(axis[:3] if slides else axis[3:]),
    )  # fmt: skip
    inertia = model.inertias[index]
    if inertia.mass > 0.0:
        xx, xy, yy, xz, yz, zz = inertia.inertia[np.tril_indices(3)]
        full = np.array([xx, yy, zz, xy, xz, yz])
        ElementTree.SubElement(
            body, "inertial", mass=repr(float(inertia.mass)), pos=_text(inertia.lever), fullinertia=_text(full)
        )
    return body


def _soles(robot: Robot, bodies: dict[int, ElementTree.Element]) -> None:
    for name in robot.soles:
        frame = robot.model.frames[robot.model.getFrameId(name)]
        ElementTree.SubElement(
            bodies[frame.parentJoint], "geom", name=name, type="sphere", size=repr(SOLE_RADIUS), mass="0",
            pos=_text(frame.placement.translation), contype="0", conaffinity="0",
        )  # fmt: skip


def _text(values: Any) -> str:
    return " ".join(repr(float(value)) for value in values)


def _quaternion(rotation: Any) -> str:
    from pinocchio import Quaternion

    x, y, z, w = Quaternion(np.asarray(rotation)).coeffs()
    return _text((w, x, y, z))

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Robot descriptions written from tables of bodies and joints."""

from __future__ import annotations

import math
from typing import Iterable, NamedTuple
from xml.etree import ElementTree

Vector = tuple[float, float, float]


class Body(NamedTuple):
    """A rigid body; its frame is that of the joint that carries it."""

    name: str
    mass: float  # [kg]
    centre: Vector  # [m]
    moments: Vector  # [kg m^2] about the centre of mass, along the frame's axes


class Hinge(NamedTuple):
    """A revolute joint; in the zero posture all frames are parallel."""

    name: str
    parent: str
    child: str
    origin: Vector  # [m] in the parent
    axis: str  # x, y or z
    low: float  # [rad]
    high: float  # [rad]
    effort: float  # [N m]
    speed: float  # [rad/s]


AXES = {"x": "1 0 0", "y": "0 1 0", "z": "0 0 1"}


class Range(NamedTuple):
    """What a joint may do."""

    low: float  # [rad]
    high: float  # [rad]
    effort: float  # [N m]
    speed: float = 8.0  # [rad/s]


TURNS = {"x": "roll", "y": "pitch", "z": "yaw"}


class Assembly:
    """A robot under construction.

    Args:
        name: of the robot.
        base: its first body.
    """

    def __init__(self, name: str, base: Body) -> None:
        self.name, self.bodies, self.hinges = name, [base], list[Hinge]()

    def attach(
        self, parent: str, origin: Vector, joint: str, body: Body, ranges: dict[str, Range], between: float = 0.0
    ) -> None:
        """Carry a body by a joint with one axis after the other at one place.

        Args:
            ranges: by axis, from parent to body.
            between: mass [kg] of each ball of 5 cm radius between two axes; the caller takes it from the body.
        """
        for count, (axis, limit) in enumerate(ranges.items(), start=1):
            name = joint if len(ranges) == 1 else f"{joint}_{TURNS[axis]}"
            last = count == len(ranges)
            moment = 0.4 * between * 0.05**2
            carried = body if last else Body(f"{name}_link", between, (0.0, 0.0, 0.0), (moment, moment, moment))
            self.bodies.append(carried)
            self.hinges.append(Hinge(name, parent, carried.name, origin, axis, *limit))
            parent, origin = carried.name, (0.0, 0.0, 0.0)

    def urdf(self) -> str:
        """The description as text."""
        return urdf(self.name, self.bodies, self.hinges)


def urdf(name: str, bodies: Iterable[Body], hinges: Iterable[Hinge]) -> str:
    """The description as text."""
    robot = ElementTree.Element("robot", name=name)
    for body in bodies:
        link = ElementTree.SubElement(robot, "link", name=body.name)
        inertial = ElementTree.SubElement(link, "inertial")
        ElementTree.SubElement(inertial, "origin", xyz=_text(body.centre))
        ElementTree.SubElement(inertial, "mass", value=repr(body.mass))
        xx, yy, zz = (repr(moment) for moment in body.moments)
        ElementTree.SubElement(inertial, "inertia", ixx=xx, iyy=yy, izz=zz, ixy="0", ixz="0", iyz="0")
    for hinge in hinges:
        joint = ElementTree.SubElement(robot, "joint", name=hinge.name, type="revolute")
        ElementTree.SubElement(joint, "parent", link=hinge.parent)
        ElementTree.SubElement(joint, "child", link=hinge.child)
        ElementTree.SubElement(joint, "origin", xyz=_text(hinge.origin))
        ElementTree.SubElement(joint, "axis", xyz=AXES[hinge.axis])
        limits = {"lower": hinge.low, "upper": hinge.high, "effort": hinge.effort, "velocity": hinge.speed}
        ElementTree.SubElement(joint, "limit", {key: repr(value) for key, value in limits.items()})
    ElementTree.indent(robot)
    return ElementTree.tostring(robot, encoding="unicode") + "\n"


def box(mass: float, x: float, y: float, z: float) -> Vector:
    """Principal moments of a solid box with these edges [m]."""
    return mass / 12.0 * (y * y + z * z), mass / 12.0 * (x * x + z * z), mass / 12.0 * (x * x + y * y)


def rod(mass: float, length: float, gyration: float, radius: float) -> Vector:
    """Principal moments of a limb along z: radius of gyration in parts of its length, a cylinder's about its axis."""
    across = mass * (gyration * length) ** 2
    return across, across, 0.5 * mass * radius * radius


def cylinder(mass: float, length: float, radius: float) -> Vector:
    """Principal moments of a solid cylinder along z."""
    return rod(mass, length, math.sqrt(1.0 / 12.0 + (0.5 * radius / length) ** 2), radius)


def _text(values: Vector) -> str:
    return " ".join(repr(float(value)) for value in values)

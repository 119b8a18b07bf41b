# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Write the papers' robots, ``urdf/NAME.urdf``, from tables.

The command is ``python -m studies.papers.robots``.

References:
    D. A. Winter, Biomechanics and Motor Control of Human Movement [Winter2009]: table
    4.1 (after [Dempster1955]: mass, centre of mass from the proximal end, radius of
    gyration about it), figure 4.1 (after Drillis and Contini: lengths in parts of the
    height).
"""

from __future__ import annotations

import math
from typing import NamedTuple
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from biped_slip.shared_files import shared_folder

Vector = tuple[float, float, float]


class Body(NamedTuple):
    """A rigid body; its frame is that of the joint that carries it."""

    name: str
    mass: float  # [kg]
    centre: Vector  # [m]
    moments: Vector  # [kg m^2] about the centre of mass, along the frame's axes


class Range(NamedTuple):
    """Limits of a joint, named as in a URDF."""

    lower: float  # [rad]
    upper: float  # [rad]
    effort: float  # [N m]
    velocity: float = 8.0  # [rad/s]


AXES = {"x": "1 0 0", "y": "0 1 0", "z": "0 0 1"}
TURNS = {"x": "roll", "y": "pitch", "z": "yaw"}


class Assembly:
    """A robot under construction; in the zero posture all frames are parallel.

    Args:
        name: of the robot.
        base: its first body.
    """

    def __init__(self, name: str, base: Body) -> None:
        self._name = name
        self._bodies = [base]
        self._joints = list[Element]()

    def attach(
        self,
        parent: str,
        origin: Vector,
        joint: str,
        body: Body,
        ranges: dict[str, Range],
        between: float = 0.0,
    ) -> None:
        """Carry a body by a joint with one axis after the other at one place.

        Args:
            parent: name of the carrying body.
            origin: of the joint in the parent [m].
            joint: name; with several axes a prefix.
            body: that is carried.
            ranges: by axis, from parent to body.
            between: mass [kg] of each ball of 5 cm radius between two axes; the caller
                takes it from the body.
        """
        for count, (axis, limit) in enumerate(ranges.items(), start=1):
            name = joint if len(ranges) == 1 else f"{joint}_{TURNS[axis]}"
            last = count == len(ranges)
            moment = 0.4 * between * 0.05**2
            carried = (
                body
                if last
                else Body(
                    f"{name}_link", between, (0.0, 0.0, 0.0), (moment, moment, moment)
                )
            )
            self._bodies.append(carried)
            hinge = Element("joint", name=name, type="revolute")
            SubElement(hinge, "parent", link=parent)
            SubElement(hinge, "child", link=carried.name)
            SubElement(hinge, "origin", xyz=_text(origin))
            SubElement(hinge, "axis", xyz=AXES[axis])
            SubElement(
                hinge,
                "limit",
                {key: repr(value) for key, value in limit._asdict().items()},
            )
            self._joints.append(hinge)
            parent = carried.name
            origin = (0.0, 0.0, 0.0)

    def urdf(self) -> str:
        """Write the description as text."""
        robot = Element("robot", name=self._name)
        for body in self._bodies:
            inertial = SubElement(SubElement(robot, "link", name=body.name), "inertial")
            SubElement(inertial, "origin", xyz=_text(body.centre))
            SubElement(inertial, "mass", value=repr(body.mass))
            xx, yy, zz = (repr(moment) for moment in body.moments)
            SubElement(
                inertial, "inertia", ixx=xx, iyy=yy, izz=zz, ixy="0", ixz="0", iyz="0"
            )
        robot.extend(self._joints)
        indent(robot)
        return tostring(robot, encoding="unicode") + "\n"


def box(mass: float, x: float, y: float, z: float) -> Vector:
    """Principal moments of a solid box with these edges [m]."""
    return (
        mass / 12.0 * (y * y + z * z),
        mass / 12.0 * (x * x + z * z),
        mass / 12.0 * (x * x + y * y),
    )


def rod(mass: float, length: float, gyration: float, radius: float) -> Vector:
    """Return the principal moments of a limb along z.

    The radius of gyration is in parts of its length; about its axis it is a cylinder's.
    """
    across = mass * (gyration * length) ** 2
    return across, across, 0.5 * mass * radius * radius


def cylinder(mass: float, length: float, radius: float) -> Vector:
    """Principal moments of a solid cylinder along z."""
    return rod(
        mass, length, math.sqrt(1.0 / 12.0 + (0.5 * radius / length) ** 2), radius
    )


def _text(values: Vector) -> str:
    return " ".join(repr(float(value)) for value in values)


class Segment(NamedTuple):
    """One row: parts of body mass, of body height and of segment length."""

    mass: float
    length: float
    centre: float  # from the proximal end
    gyration: float  # about the centre of mass
    radius: float  # thickness in parts of the segment's length (choice)


SEGMENTS = {
    "foot": Segment(
        mass=0.0145, length=0.152, centre=0.50, gyration=0.475, radius=0.15
    ),
    "shank": Segment(
        mass=0.0465, length=0.246, centre=0.433, gyration=0.302, radius=0.12
    ),
    "thigh": Segment(
        mass=0.100, length=0.245, centre=0.433, gyration=0.323, radius=0.16
    ),
    "upper_arm": Segment(
        mass=0.028, length=0.186, centre=0.436, gyration=0.322, radius=0.14
    ),
    "forearm": Segment(
        mass=0.016, length=0.146, centre=0.430, gyration=0.303, radius=0.13
    ),
    "hand": Segment(
        mass=0.006, length=0.108, centre=0.506, gyration=0.297, radius=0.20
    ),
    # with the neck, from the shoulders up; centre: choice
    "head": Segment(mass=0.081, length=0.182, centre=0.50, gyration=0.495, radius=0.45),
    # hips to shoulders; gyration of a uniform trunk: choice
    "trunk": Segment(mass=0.497, length=0.288, centre=0.50, gyration=0.30, radius=0.30),
    # head, arms and trunk
    "hat": Segment(mass=0.678, length=0.288, centre=0.626, gyration=0.496, radius=0.30),
    # a part of the trunk; its length: choice
    "pelvis": Segment(mass=0.142, length=0.10, centre=0.50, gyration=0.30, radius=0.80),
}
SIDES = (("l", 1.0), ("r", -1.0))
# of the height
ANKLE_HEIGHT = 0.039
HIP_WIDTH = 0.191
SHOULDER_WIDTH = 0.259
FOOT_BREADTH = 0.055


class Person(NamedTuple):
    """Whom the segments belong to."""

    mass: float  # [kg]
    height: float  # [m]

    def length(self, segment: str) -> float:
        """Length of a segment [m]."""
        return SEGMENTS[segment].length * self.height

    def limb(
        self,
        name: str,
        segment: str,
        up: bool = False,
        less: float = 0.0,
        mass: float | None = None,
    ) -> Body:
        """Build a segment along z from its proximal end, downwards or upwards.

        Args:
            name: of the body.
            segment: row of the table of segments.
            up: upwards instead of downwards.
            less: mass [kg] that its neighbours have taken.
            mass: [kg] instead of the table's.
        """
        row = SEGMENTS[segment]
        own = (row.mass * self.mass if mass is None else mass) - less
        length = row.length * self.height
        z = (1.0 if up else -1.0) * row.centre * length
        return Body(
            name,
            own,
            (0.0, 0.0, z),
            rod(own, length, row.gyration, row.radius * length),
        )

    def foot(self, name: str, mass: float | None = None) -> Body:
        """Build a foot under its ankle.

        The heel is a quarter of its length behind, the sole at the ankle's height.
        """
        own = SEGMENTS["foot"].mass * self.mass if mass is None else mass
        length = self.length("foot")
        height = ANKLE_HEIGHT * self.height
        return Body(
            name,
            own,
            (0.25 * length, 0.0, -0.5 * height),
            box(own, length, self.breadth, height),
        )

    @property
    def breadth(self) -> float:
        """Width of a foot [m]."""
        return FOOT_BREADTH * self.height


HANAVAN_PERSON = Person(75.0, 1.75)


def hanavan_walker_description() -> str:
    """Write the planar walker of Bruneau and Ouezdou (B.3).

    It has 75 kg, is sagittal, and has a person's segments.

    The paper names the body (Hanavan) and prints its mass alone: the segments are
    Winter's for 75 kg and 1.75 m. Both legs hang at the middle, so that a motion that
    begins in the sagittal plane stays there, with soles broad enough to stand on one of
    them (choices). Hip, knee and ankle pitch; head, arms and trunk are one body.
    """
    # [m] between the hips: left is left
    person = HANAVAN_PERSON
    apart = 1e-3
    hip = {"y": Range(-2.0, 1.0, 300.0, 15.0)}
    knee = {"y": Range(0.0, 2.4, 300.0, 15.0)}
    ankle = {"y": Range(-1.0, 1.0, 250.0, 15.0)}
    robot = Assembly("hanavan_walker", person.limb("hat", "hat", up=True))
    for side, sign in SIDES:
        thigh = person.limb(f"{side}_thigh", "thigh")
        shank = person.limb(f"{side}_shank", "shank")
        robot.attach("hat", (0.0, sign * 0.5 * apart, 0.0), f"{side}_hip", thigh, hip)
        robot.attach(
            thigh.name, (0.0, 0.0, -person.length("thigh")), f"{side}_knee", shank, knee
        )
        foot = person.foot(f"{side}_foot")
        robot.attach(
            shank.name,
            (0.0, 0.0, -person.length("shank")),
            f"{side}_ankle",
            foot,
            ankle,
        )
    return robot.urdf()


PERSON = Person(84.0728, 1.90)
BETWEEN = 0.1  # [kg] of each link inside a joint with several axes
TOES = 0.25  # of the foot's length and mass

WIDE = Range(-2.8, 2.8, 100.0, 20.0)
NARROW = Range(-0.9, 0.9, 150.0, 20.0)
HIP = {
    "z": Range(-0.8, 0.8, 200.0, 20.0),
    "x": Range(-0.8, 0.8, 300.0, 20.0),
    "y": Range(-2.0, 1.0, 300.0, 20.0),
}
KNEE = {"y": Range(0.0, 2.4, 300.0, 20.0)}
ANKLE = {"y": Range(-1.0, 1.0, 250.0, 20.0), "x": Range(-0.6, 0.6, 150.0, 20.0)}
TRUNK = {"z": NARROW, "x": NARROW, "y": NARROW}
SHOULDER = {"y": WIDE, "x": WIDE, "z": WIDE}
ELBOW = {"y": WIDE}
WRIST = {"y": WIDE, "x": WIDE}


def human38_description() -> str:
    """Write Rodić et al.'s person: 84.0728 kg, 1.90 m, 38 degrees of freedom (D.3).

    6 + 32: hips 3, knees 1, ankles 2, toes 1, shoulders 3, elbows 1, wrists 2, each
    twice; waist 3, neck 3. Mass and height are printed; the segments are Winter's, the
    pelvis a part of the trunk, the toes a quarter of the foot (choices). In the
    experiment arms, neck and toes are frozen: the robot's YAML locks them.
    """
    robot = Assembly("human38", PERSON.limb("pelvis", "pelvis", up=True))
    chest_mass = (
        SEGMENTS["trunk"].mass - SEGMENTS["pelvis"].mass
    ) * PERSON.mass - 2 * BETWEEN
    chest = PERSON.limb("chest", "trunk", up=True, mass=chest_mass)
    waist = (0.0, 0.0, PERSON.length("pelvis"))
    shoulders = PERSON.length("trunk") - PERSON.length("pelvis")
    chest = chest._replace(centre=(0.0, 0.0, 0.5 * shoulders))
    robot.attach("pelvis", waist, "waist", chest, TRUNK, BETWEEN)
    head = PERSON.limb("head", "head", up=True, less=2 * BETWEEN)
    robot.attach("chest", (0.0, 0.0, shoulders), "neck", head, TRUNK, BETWEEN)
    for side, sign in SIDES:
        _leg(robot, side, sign)
        _arm(robot, side, (0.0, 0.5 * sign * SHOULDER_WIDTH * PERSON.height, shoulders))
    return robot.urdf()


def _leg(robot: Assembly, side: str, sign: float) -> None:
    thigh = PERSON.limb(f"{side}_thigh", "thigh", less=2 * BETWEEN)
    shank = PERSON.limb(f"{side}_shank", "shank", less=BETWEEN)
    length = PERSON.length("foot")
    height = ANKLE_HEIGHT * PERSON.height
    mass = SEGMENTS["foot"].mass * PERSON.mass
    toes = TOES * mass
    rear = (1.0 - TOES) * mass
    ball = (0.75 - TOES) * length  # the toes' joint, ahead of the ankle
    middle = (0.5 * (ball - 0.25 * length), 0.0, -0.5 * height)
    foot = Body(
        f"{side}_foot",
        rear,
        middle,
        box(rear, (1.0 - TOES) * length, PERSON.breadth, height),
    )
    tip = Body(
        f"{side}_toes",
        toes,
        (0.5 * TOES * length, 0.0, 0.0),
        box(toes, TOES * length, PERSON.breadth, 0.03),
    )
    hip = (0.0, 0.5 * sign * HIP_WIDTH * PERSON.height, 0.0)
    robot.attach("pelvis", hip, f"{side}_hip", thigh, HIP, BETWEEN)
    robot.attach(
        thigh.name, (0.0, 0.0, -PERSON.length("thigh")), f"{side}_knee", shank, KNEE
    )
    robot.attach(
        shank.name,
        (0.0, 0.0, -PERSON.length("shank")),
        f"{side}_ankle",
        foot,
        ANKLE,
        BETWEEN,
    )
    robot.attach(
        foot.name, (ball, 0.0, -height + 0.015), f"{side}_toe", tip, {"y": NARROW}
    )


def _arm(robot: Assembly, side: str, shoulder: tuple[float, float, float]) -> None:
    upper = PERSON.limb(f"{side}_upper_arm", "upper_arm", less=2 * BETWEEN)
    fore = PERSON.limb(f"{side}_forearm", "forearm", less=BETWEEN)
    hand = PERSON.limb(f"{side}_hand", "hand")
    robot.attach("chest", shoulder, f"{side}_shoulder", upper, SHOULDER, BETWEEN)
    robot.attach(
        upper.name,
        (0.0, 0.0, -PERSON.length("upper_arm")),
        f"{side}_elbow",
        fore,
        ELBOW,
    )
    robot.attach(
        fore.name,
        (0.0, 0.0, -PERSON.length("forearm")),
        f"{side}_wrist",
        hand,
        WRIST,
        BETWEEN,
    )


# [kg]
FOOT = 3.859
TALUS = 2.236
SHANK = 4.561
THIGH = 6.327
PELVIS = 17.800
UPPER = 36.234
# [m]
FOOT_LENGTH = 0.265
FOOT_WIDTH = 0.160
SOLE_DEPTH = 0.098
# [m]
SHANK_LENGTH = 0.360
THIGH_LENGTH = 0.360
HIP_SPACING = 0.230
HIP_TO_PELVIS = 0.115
PELVIS_TO_HEAD = 0.967
HIP_LINK = 0.5  # [kg] each of the two
RADIUS = 0.06  # [m] of shank and thigh
HEEL = 0.10  # [m] from the ankle back to the heel

HIP_RANGES = {
    "z": Range(-0.6, 0.6, 150.0),
    "x": Range(-0.6, 0.6, 250.0),
    "y": Range(-1.8, 0.8, 250.0),
}
KNEE_RANGES = {"y": Range(0.0, 2.2, 300.0)}
ANKLE_PITCH = {"y": Range(-1.2, 0.8, 200.0)}
ANKLE_ROLL = {"x": Range(-0.6, 0.6, 150.0)}


def surena3_description() -> str:
    """Write SURENA III, as simulated by Khadiv et al. (E.5).

    It has twelve joints in the legs and one upper body.

    Masses and lengths are printed. Choices: bodies are uniform boxes and cylinders of
    the sizes above; the two links inside each hip, for which no mass is printed, take
    theirs from the thigh; ranges, torques and speeds of the joints.
    """
    robot = Assembly("surena3", _trunk())
    thigh = THIGH - 2 * HIP_LINK
    centre = (0.5 * FOOT_LENGTH - HEEL, 0.0, -0.5 * SOLE_DEPTH)
    for side, sign in SIDES:
        limbs = [
            Body(
                f"{side}_thigh",
                thigh,
                (0.0, 0.0, -0.5 * THIGH_LENGTH),
                cylinder(thigh, THIGH_LENGTH, RADIUS),
            ),
            Body(
                f"{side}_shank",
                SHANK,
                (0.0, 0.0, -0.5 * SHANK_LENGTH),
                cylinder(SHANK, SHANK_LENGTH, RADIUS),
            ),
            Body(f"{side}_ankle", TALUS, (0.0, 0.0, 0.0), box(TALUS, 0.1, 0.1, 0.1)),
            Body(
                f"{side}_foot", FOOT, centre, box(FOOT, FOOT_LENGTH, FOOT_WIDTH, 0.06)
            ),
        ]
        hip = (0.0, sign * 0.5 * HIP_SPACING, -HIP_TO_PELVIS)
        robot.attach("pelvis", hip, f"{side}_hip", limbs[0], HIP_RANGES, HIP_LINK)
        robot.attach(
            limbs[0].name,
            (0.0, 0.0, -THIGH_LENGTH),
            f"{side}_knee",
            limbs[1],
            KNEE_RANGES,
        )
        robot.attach(
            limbs[1].name,
            (0.0, 0.0, -SHANK_LENGTH),
            f"{side}_ankle_pitch",
            limbs[2],
            ANKLE_PITCH,
        )
        robot.attach(
            limbs[2].name, (0.0, 0.0, 0.0), f"{side}_ankle_roll", limbs[3], ANKLE_ROLL
        )
    return robot.urdf()


def _trunk() -> Body:
    """Build pelvis and upper body, boxes on top of one another.

    They are one rigid body, as in the paper.
    """
    parts = (
        (
            PELVIS,
            -0.5 * HIP_TO_PELVIS,
            box(PELVIS, 0.2, HIP_SPACING + 0.1, 2 * HIP_TO_PELVIS),
        ),
        (UPPER, 0.5 * PELVIS_TO_HEAD, box(UPPER, 0.25, 0.45, PELVIS_TO_HEAD)),
    )
    mass = PELVIS + UPPER
    centre = sum(part * z for part, z, _ in parts) / mass
    apart = sum(part * (z - centre) ** 2 for part, z, _ in parts)
    xx, yy, zz = (sum(moments[axis] for _, _, moments in parts) for axis in range(3))
    return Body("pelvis", mass, (0.0, 0.0, centre), (xx + apart, yy + apart, zz))


def two_sole_biped_description() -> str:
    """Write the biped of Rengifo et al.: five links and two rectangular feet (C.3).

    It has fourteen joints and twenty velocities.

    The paper prints no sizes: trunk, thighs and shanks are Winter's segments of 60 kg
    and 1.65 m, the feet those of the paper's planar test, 5 kg and 0.24 m long with the
    ankle 0.07 m high (choices). Seven joints a leg: three in the hip, one in the knee,
    three in the ankle.
    """
    # [kg] of a foot, [m] under its ankle
    person = Person(60.0, 1.65)
    mass = 5.0
    depth = 0.07
    between = 0.3  # [kg] of each link inside a hip or an ankle
    knee = {"y": Range(0.0, 2.2, 250.0)}
    ankle = {"z": Range(-0.4, 0.4, 100.0), **ANKLE_PITCH, **ANKLE_ROLL}
    robot = Assembly("two_sole_biped", person.limb("trunk", "hat", up=True))
    for side, sign in SIDES:
        thigh = person.limb(f"{side}_thigh", "thigh", less=2 * between)
        shank = person.limb(f"{side}_shank", "shank", less=2 * between)
        foot = Body(
            f"{side}_foot", mass, (0.0, 0.0, -0.5 * depth), box(mass, 0.24, 0.12, 0.05)
        )
        hip = (0.0, 0.5 * sign * HIP_WIDTH * person.height, 0.0)
        robot.attach("trunk", hip, f"{side}_hip", thigh, HIP_RANGES, between)
        robot.attach(
            thigh.name, (0.0, 0.0, -person.length("thigh")), f"{side}_knee", shank, knee
        )
        robot.attach(
            shank.name,
            (0.0, 0.0, -person.length("shank")),
            f"{side}_ankle",
            foot,
            ankle,
            between,
        )
    return robot.urdf()


DESCRIPTIONS = {
    "hanavan_walker": hanavan_walker_description,
    "human38": human38_description,
    "surena3": surena3_description,
    "two_sole_biped": two_sole_biped_description,
}


if __name__ == "__main__":
    for each, describe in DESCRIPTIONS.items():
        (shared_folder() / "urdf" / f"{each}.urdf").write_text(
            describe(), encoding="utf-8"
        )

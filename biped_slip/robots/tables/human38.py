# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The person of Rodić et al.: 84.0728 kg, 1.90 m, 38 degrees of freedom (D.3).

6 + 32: hips 3, knees 1, ankles 2, toes 1, shoulders 3, elbows 1, wrists 2, each twice; waist 3, neck 3. Mass and
height are printed; the segments are Winter's, the pelvis a part of the trunk, the toes a quarter of the foot
(choices). In the experiment arms, neck and toes are frozen: the robot's YAML locks them.
"""

from __future__ import annotations

from biped_slip.robots.anthropometry import ANKLE_HEIGHT, HIP_WIDTH, SEGMENTS, SHOULDER_WIDTH, Person
from biped_slip.robots.urdf_writer import Assembly, Body, Range, box

PERSON = Person(84.0728, 1.90)
BETWEEN = 0.1  # [kg] of each link inside a joint with several axes
TOES = 0.25  # of the foot's length and mass

WIDE, NARROW = Range(-2.8, 2.8, 100.0, 20.0), Range(-0.9, 0.9, 150.0, 20.0)
HIP = {"z": Range(-0.8, 0.8, 200.0, 20.0), "x": Range(-0.8, 0.8, 300.0, 20.0), "y": Range(-2.0, 1.0, 300.0, 20.0)}
KNEE = {"y": Range(0.0, 2.4, 300.0, 20.0)}
ANKLE = {"y": Range(-1.0, 1.0, 250.0, 20.0), "x": Range(-0.6, 0.6, 150.0, 20.0)}
TRUNK = {"z": NARROW, "x": NARROW, "y": NARROW}
SHOULDER, ELBOW, WRIST = {"y": WIDE, "x": WIDE, "z": WIDE}, {"y": WIDE}, {"y": WIDE, "x": WIDE}


def description() -> str:
    """URDF."""
    robot = Assembly("human38", PERSON.limb("pelvis", "pelvis", up=True))
    chest_mass = (SEGMENTS["trunk"].mass - SEGMENTS["pelvis"].mass) * PERSON.mass - 2 * BETWEEN
    chest = PERSON.limb("chest", "trunk", up=True, mass=chest_mass)
    waist = (0.0, 0.0, PERSON.length("pelvis"))
    shoulders = PERSON.length("trunk") - PERSON.length("pelvis")
    rest = 0.5 * shoulders
    chest = chest._replace(centre=(0.0, 0.0, rest))
    robot.attach("pelvis", waist, "waist", chest, TRUNK, BETWEEN)
    neck = (0.0, 0.0, shoulders)
    robot.attach("chest", neck, "neck", PERSON.limb("head", "head", up=True, less=2 * BETWEEN), TRUNK, BETWEEN)
    for side, sign in (("l", 1.0), ("r", -1.0)):
        _leg(robot, side, sign)
        _arm(robot, side, (0.0, 0.5 * sign * SHOULDER_WIDTH * PERSON.height, shoulders))
    return robot.urdf()


def _leg(robot: Assembly, side: str, sign: float) -> None:
    thigh = PERSON.limb(f"{side}_thigh", "thigh", less=2 * BETWEEN)
    shank = PERSON.limb(f"{side}_shank", "shank", less=BETWEEN)
    length, height, mass = PERSON.length("foot"), ANKLE_HEIGHT * PERSON.height, SEGMENTS["foot"].mass * PERSON.mass
    toes, rear = TOES * mass, (1.0 - TOES) * mass
    ball = (0.75 - TOES) * length  # the toes' joint, ahead of the ankle
    foot = Body(
        f"{side}_foot",
        rear,
        (0.5 * (ball - 0.25 * length), 0.0, -0.5 * height),
        box(rear, (1.0 - TOES) * length, PERSON.breadth, height),
    )
    tip = Body(f"{side}_toes", toes, (0.5 * TOES * length, 0.0, 0.0), box(toes, TOES * length, PERSON.breadth, 0.03))
    hip = (0.0, 0.5 * sign * HIP_WIDTH * PERSON.height, 0.0)
    robot.attach("pelvis", hip, f"{side}_hip", thigh, HIP, BETWEEN)
    robot.attach(thigh.name, (0.0, 0.0, -PERSON.length("thigh")), f"{side}_knee", shank, KNEE)
    robot.attach(shank.name, (0.0, 0.0, -PERSON.length("shank")), f"{side}_ankle", foot, ANKLE, BETWEEN)
    robot.attach(foot.name, (ball, 0.0, -height + 0.015), f"{side}_toe", tip, {"y": NARROW})


def _arm(robot: Assembly, side: str, shoulder: tuple[float, float, float]) -> None:
    upper = PERSON.limb(f"{side}_upper_arm", "upper_arm", less=2 * BETWEEN)
    fore, hand = PERSON.limb(f"{side}_forearm", "forearm", less=BETWEEN), PERSON.limb(f"{side}_hand", "hand")
    robot.attach("chest", shoulder, f"{side}_shoulder", upper, SHOULDER, BETWEEN)
    robot.attach(upper.name, (0.0, 0.0, -PERSON.length("upper_arm")), f"{side}_elbow", fore, ELBOW)
    robot.attach(fore.name, (0.0, 0.0, -PERSON.length("forearm")), f"{side}_wrist", hand, WRIST, BETWEEN)

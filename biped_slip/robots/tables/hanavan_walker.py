# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The planar walker of Bruneau and Ouezdou: 75 kg, sagittal, a person's segments (B.3).

The paper names the body (Hanavan) and prints its mass alone: the segments are Winter's for 75 kg and 1.75 m. Both
legs hang at the middle, so that a motion that begins in the sagittal plane stays there, with soles broad enough to
stand on one of them (choices). Hip, knee and ankle pitch; head, arms and trunk are one body.
"""

from __future__ import annotations

from biped_slip.robots.anthropometry import Person
from biped_slip.robots.urdf_writer import Assembly, Range

PERSON = Person(75.0, 1.75)
APART = 1e-3  # [m] between the hips: left is left

HIP, KNEE, ANKLE = (
    {"y": Range(-2.0, 1.0, 300.0, 15.0)},
    {"y": Range(0.0, 2.4, 300.0, 15.0)},
    {"y": Range(-1.0, 1.0, 250.0, 15.0)},
)


def description() -> str:
    """URDF."""
    hat = PERSON.limb("hat", "hat", up=True)
    robot = Assembly("hanavan_walker", hat)
    for side, sign in (("l", 1.0), ("r", -1.0)):
        thigh, shank = PERSON.limb(f"{side}_thigh", "thigh"), PERSON.limb(f"{side}_shank", "shank")
        robot.attach("hat", (0.0, sign * 0.5 * APART, 0.0), f"{side}_hip", thigh, HIP)
        robot.attach(thigh.name, (0.0, 0.0, -PERSON.length("thigh")), f"{side}_knee", shank, KNEE)
        foot = PERSON.foot(f"{side}_foot")
        robot.attach(shank.name, (0.0, 0.0, -PERSON.length("shank")), f"{side}_ankle", foot, ANKLE)
    return robot.urdf()

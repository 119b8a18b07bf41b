# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The biped of Rengifo et al.: five links and two rectangular feet, fourteen joints, twenty velocities (C.3).

The paper prints no sizes: trunk, thighs and shanks are Winter's segments of 60 kg and 1.65 m, the feet those of the
paper's planar test, 5 kg and 0.24 m long with the ankle 0.07 m high (choices). Seven joints a leg: three in the hip,
one in the knee, three in the ankle.
"""

from __future__ import annotations

from biped_slip.robots.anthropometry import HIP_WIDTH, Person
from biped_slip.robots.urdf_writer import Assembly, Body, Range, box

PERSON = Person(60.0, 1.65)
FOOT_MASS, FOOT_LENGTH, FOOT_WIDTH, ANKLE_HEIGHT = 5.0, 0.24, 0.12, 0.07  # [kg], [m]
BETWEEN = 0.3  # [kg] of each link inside a hip or an ankle

HIP = {"z": Range(-0.6, 0.6, 150.0), "x": Range(-0.6, 0.6, 250.0), "y": Range(-1.8, 0.8, 250.0)}
KNEE = {"y": Range(0.0, 2.2, 250.0)}
ANKLE = {"z": Range(-0.4, 0.4, 100.0), "y": Range(-1.2, 0.8, 200.0), "x": Range(-0.6, 0.6, 150.0)}


def description() -> str:
    """URDF."""
    robot = Assembly("two_sole_biped", PERSON.limb("trunk", "hat", up=True))
    for side, sign in (("l", 1.0), ("r", -1.0)):
        thigh = PERSON.limb(f"{side}_thigh", "thigh", less=2 * BETWEEN)
        shank = PERSON.limb(f"{side}_shank", "shank", less=2 * BETWEEN)
        foot = Body(
            f"{side}_foot", FOOT_MASS, (0.0, 0.0, -0.5 * ANKLE_HEIGHT), box(FOOT_MASS, FOOT_LENGTH, FOOT_WIDTH, 0.05)
        )
        hip = (0.0, 0.5 * sign * HIP_WIDTH * PERSON.height, 0.0)
        robot.attach("trunk", hip, f"{side}_hip", thigh, HIP, BETWEEN)
        robot.attach(thigh.name, (0.0, 0.0, -PERSON.length("thigh")), f"{side}_knee", shank, KNEE)
        robot.attach(shank.name, (0.0, 0.0, -PERSON.length("shank")), f"{side}_ankle", foot, ANKLE, BETWEEN)
    return robot.urdf()

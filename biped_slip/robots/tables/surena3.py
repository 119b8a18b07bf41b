# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""SURENA III, as simulated by Khadiv et al.: twelve joints in the legs, the upper body one body with the pelvis (E.5).

Masses and lengths are printed. Choices: bodies are uniform boxes and cylinders of the sizes below; the two links
inside each hip, for which no mass is printed, take theirs from the thigh; ranges, torques and speeds of the joints.
"""

from __future__ import annotations

from biped_slip.robots.urdf_writer import Assembly, Body, Range, box, cylinder

FOOT, ANKLE, SHANK, THIGH, PELVIS, UPPER = 3.859, 2.236, 4.561, 6.327, 17.800, 36.234  # [kg]
FOOT_LENGTH, FOOT_WIDTH, ANKLE_HEIGHT = 0.265, 0.160, 0.098  # [m]
SHANK_LENGTH, THIGH_LENGTH, HIP_SPACING, HIP_TO_PELVIS, PELVIS_TO_HEAD = 0.360, 0.360, 0.230, 0.115, 0.967  # [m]
HIP_LINK = 0.5  # [kg] each of the two
RADIUS = 0.06  # [m] of shank and thigh
HEEL = 0.10  # [m] from the ankle back to the heel

HIP = {"z": Range(-0.6, 0.6, 150.0), "x": Range(-0.6, 0.6, 250.0), "y": Range(-1.8, 0.8, 250.0)}
KNEE = {"y": Range(0.0, 2.2, 300.0)}
ANKLE_PITCH, ANKLE_ROLL = {"y": Range(-1.2, 0.8, 200.0)}, {"x": Range(-0.6, 0.6, 150.0)}


def description() -> str:
    """URDF."""
    robot = Assembly("surena3", _trunk())
    thigh = THIGH - 2 * HIP_LINK
    for side, sign in (("l", 1.0), ("r", -1.0)):
        limbs = [
            Body(f"{side}_thigh", thigh, (0.0, 0.0, -0.5 * THIGH_LENGTH), cylinder(thigh, THIGH_LENGTH, RADIUS)),
            Body(f"{side}_shank", SHANK, (0.0, 0.0, -0.5 * SHANK_LENGTH), cylinder(SHANK, SHANK_LENGTH, RADIUS)),
            Body(f"{side}_ankle", ANKLE, (0.0, 0.0, 0.0), box(ANKLE, 0.1, 0.1, 0.1)),
            Body(
                f"{side}_foot",
                FOOT,
                (0.5 * FOOT_LENGTH - HEEL, 0.0, -0.5 * ANKLE_HEIGHT),
                box(FOOT, FOOT_LENGTH, FOOT_WIDTH, 0.06),
            ),
        ]
        hip = (0.0, sign * 0.5 * HIP_SPACING, -HIP_TO_PELVIS)
        robot.attach("pelvis", hip, f"{side}_hip", limbs[0], HIP, HIP_LINK)
        robot.attach(limbs[0].name, (0.0, 0.0, -THIGH_LENGTH), f"{side}_knee", limbs[1], KNEE)
        robot.attach(limbs[1].name, (0.0, 0.0, -SHANK_LENGTH), f"{side}_ankle_pitch", limbs[2], ANKLE_PITCH)
        robot.attach(limbs[2].name, (0.0, 0.0, 0.0), f"{side}_ankle_roll", limbs[3], ANKLE_ROLL)
    return robot.urdf()


def _trunk() -> Body:
    """Pelvis and upper body, boxes on top of one another, as the one rigid body that they are in the paper."""
    parts = (
        (PELVIS, -0.5 * HIP_TO_PELVIS, box(PELVIS, 0.2, HIP_SPACING + 0.1, 2 * HIP_TO_PELVIS)),
        (UPPER, 0.5 * PELVIS_TO_HEAD, box(UPPER, 0.25, 0.45, PELVIS_TO_HEAD)),
    )
    mass = PELVIS + UPPER
    centre = sum(part * z for part, z, _ in parts) / mass
    apart = sum(part * (z - centre) ** 2 for part, z, _ in parts)
    xx, yy, zz = (sum(moments[axis] for _, _, moments in parts) for axis in range(3))
    return Body("pelvis", mass, (0.0, 0.0, centre), (xx + apart, yy + apart, zz))

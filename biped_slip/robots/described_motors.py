# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Motors of a described robot: torque and speed limits, rotors.

What a description leaves out, or gives as 0 or as a number that stands for none,
follows from the robot's weight W, mass m and the length l of its legs.
"""

from __future__ import annotations

import math
from typing import Sequence

import numpy as np

from biped_slip.constants import GRAVITY
from biped_slip.robots.described_robot import DescribedRobot, Setting
from biped_slip.robots.robot import ENDLESS
from biped_slip.robots.written_numbers import short

# Choice: between those of TALOS, G1, SURENA III, T1, H1-2.
TORQUE_SHARES = {"knee": 0.4, "leg": 0.25, "other": 0.06}  # of W l
SPEED_SHARE = 3.0  # of sqrt(g/l)
ROTOR_SHARE = 0.0015  # of m l^2
LEAST_MOMENT = 1e-5  # [kg m^2] of links that have none (choice)


def motor_settings(robot: DescribedRobot) -> dict[str, Setting]:
    """Return what the robot's YAML must say of its motors."""
    names = robot.names(range(2, robot.model.njoints))
    legs = {name for chain in robot.legs.joints for name in robot.names(chain)}
    knees = set(robot.names([robot.knee(chain) for chain in robot.legs.joints]))
    long = robot.leg_length()
    mass = float(sum(inertia.mass for inertia in robot.model.inertias))
    efforts = {}
    speeds = {}
    for name in names:
        part = "knee" if name in knees else "leg" if name in legs else "other"
        if not 0.0 < robot.limit(name, "effort") < ENDLESS:
            efforts[name] = short(TORQUE_SHARES[part] * mass * GRAVITY * long)
        if not 0.0 < robot.limit(name, "velocity") < ENDLESS:
            speeds[name] = short(SPEED_SHARE * math.sqrt(GRAVITY / long))
    settings = {}
    if efforts:
        why = (
            f"assumed from weight and leg [N m]: the description has 0, or {ENDLESS:g} "
            "and more"
        )
        settings["efforts"] = Setting(efforts, why)
    if speeds:
        why = "assumed from the leg [rad/s]: the description has none"
        settings["speeds"] = Setting(speeds, why)
    settings |= _rotors(robot, names, mass * long**2)
    least = min(
        float(np.linalg.eigvalsh(inertia.inertia)[0])
        for inertia in list(robot.model.inertias)[1:]
    )
    if least <= 0.0:
        why = "links of the description have no moment of inertia [kg m^2]"
        settings["least_moment"] = Setting(LEAST_MOMENT, why)
    return settings


def _rotors(
    robot: DescribedRobot, names: Sequence[str], size: float
) -> dict[str, Setting]:
    """Return the rotors' inertia; ``size`` is m l^2 [kg m^2]."""
    known = {}
    for name in names:
        dynamics = robot.joints[name].find("dynamics")
        text = "0" if dynamics is None else dynamics.get("armature", "0")
        if float(text) > 0.0:
            known[name] = float(text)
    settings = {}
    if len(known) < len(names):
        why = "assumed from mass and leg: reflected inertia of rotors [kg m^2]"
        settings["armature"] = Setting(short(ROTOR_SHARE * size), why)
    if known:
        why = "of the description: reflected inertia of rotors [kg m^2]"
        settings["armatures"] = Setting(known, why)
    return settings


def motor_notes(settings: dict[str, Setting]) -> tuple[str, ...]:
    """Name the joints whose torque limits are assumed."""
    if "efforts" not in settings:
        return ()
    joints = list(settings["efforts"].value)
    few = ", ".join(joints[:3]) + (" ..." if len(joints) > 3 else "")
    return (
        f"torque limits of {len(joints)} joints ({few}) are assumed; give real ones "
        "under 'efforts'",
    )

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""A first walk for a robot of which nothing but its description is known: slow steps that fit its size and sensors."""

from __future__ import annotations

import math
from typing import Any, Mapping

from biped_slip.constants import GRAVITY
from biped_slip.errors import InvalidParameter
from biped_slip.robots.humanoid import Humanoid
from biped_slip.robots.one_leg import tired_joints
from biped_slip.robots.sole_moment_arm import moment_arm
from biped_slip.simulation.floating.sensor_config import FloatingSensorConfig
from biped_slip.simulation.floating.walker import humanoid_body

# choices, of the pendulum's time sqrt(h/g), its speed sqrt(g h) and its height h; TALOS' own walk has 2.4 and 0.22
SINGLE, SHORTEST, DOUBLE, SPEED, LENGTH = 2.7, 2.3, 0.4, 0.08, 0.6
# of the standing centre of mass' height: bent knees reach further, but need torque; for legs that tire (choice)
HEIGHT, HIGH = 0.97, 0.99


def first_walk(humanoid: Humanoid, sensors: FloatingSensorConfig) -> dict[str, Any]:
    """What a walk's file need not say, as nested mappings of ``HumanoidWalkConfig``.

    Raises:
        InvalidParameter: the robot has no soles to stand on.
    """
    corners = humanoid.polygon(0)
    if len(corners) < 3:
        raise InvalidParameter("corners of a sole", len(corners), "at least 3", "point feet are simulated, not walked")
    body = humanoid_body(humanoid)
    share = HIGH if tired_joints(humanoid) else HEIGHT
    height = share * body.centre_height
    time, speed = math.sqrt(height / GRAVITY), math.sqrt(GRAVITY * height)
    arm = moment_arm(body.program.corners[0, :, :2])
    return {
        "speed": round(SPEED * speed, 2),
        "controller": {
            "height_share": share,
            "steps": {
                "width": round(body.width, 3),
                "length": round(LENGTH * height, 2),
                "single_support": round(SINGLE * time, 2),
                "double_support": round(DOUBLE * time, 2),
            },
            "caution": {"shortest_single_support": round(SHORTEST * time, 2)},
        },
        "interval": {
            "force": {"sigma": sensors.force_torque.force_noise * humanoid.weight},
            "gate": {"carry_sole": False},  # soles roll and twist: see the walk of TALOS
            "slip": {"moment_arm": arm},
        },
        "limit": {"lower_when_usable": True, "rise_rate": 1.0},
    }


def filled(said: Mapping[str, Any], default: Mapping[str, Any]) -> dict[str, Any]:
    """What is said, and the default where nothing is; mappings in mappings likewise."""
    result = {**default, **said}
    for key, value in default.items():
        if isinstance(value, Mapping) and isinstance(said.get(key), Mapping):
            result[key] = filled(said[key], value)
    return result

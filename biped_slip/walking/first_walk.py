# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""A first walk for a robot of which nothing but its description is known: slow steps that fit its size and sensors."""

from __future__ import annotations

import math
from typing import Any, Mapping

from biped_slip.constants import GRAVITY
from biped_slip.control.whole_body.support import balances
from biped_slip.robots.humanoid import Humanoid
from biped_slip.robots.one_leg import tired_joints
from biped_slip.robots.sensor_config import FloatingSensorConfig
from biped_slip.robots.sole_moment_arm import moment_arm
from biped_slip.walking.humanoid import humanoid_body

# choices, of the pendulum's time sqrt(h/g), its speed sqrt(g h) and its height h; TALOS' own walk has 2.4 and 0.22
SINGLE, SHORTEST, DOUBLE, SPEED, LENGTH = 2.7, 2.3, 0.4, 0.08, 0.6
# of the standing centre of mass' height: bent knees reach further, but need torque; for legs that tire (choice)
HEIGHT, HIGH = 0.97, 0.99
# on points, of the same: what Bolt's own walk has (choice)
POINT_SINGLE, POINT_WIDTH, POINT_SWING, POINT_INWARD, POINT_SINKING = 1.2, 0.3, 0.11, 0.22, 0.3


def first_walk(humanoid: Humanoid, sensors: FloatingSensorConfig) -> dict[str, Any]:
    """What a walk's file need not say, as nested mappings of ``HumanoidWalkingConfig``."""
    body = humanoid_body(humanoid)
    share = HIGH if tired_joints(humanoid) else HEIGHT
    height = share * body.centre_height
    time, speed = math.sqrt(height / GRAVITY), math.sqrt(GRAVITY * height)
    stands = bool(balances(body.half_size))
    arm = moment_arm(body.program.corners[0, :, :2]) if stands else 0.0
    walk = {
        "speed": round(SPEED * speed, 2),
        "controller": {
            "height_share": share,
            "steps": {
                "width": round(body.width, 3),
                "length": round(LENGTH * height, 2),
                "single_support": round(SINGLE * time, 2),
                "double_support": round(DOUBLE * time, 2),
            },
            "pattern": {"shortest_single_support": round(SHORTEST * time, 2)},
        },
        "interval": {
            "force": {
                "sigma": sensors.force_torque.force_noise * humanoid.weight,
                "offset": sensors.force_torque.force_bias * humanoid.weight,
            },
            "gate": {"carry_sole": False},  # soles roll and twist: see the walk of TALOS
            "slip": {"moment_arm": arm},
        },
        "limit": {"lower_when_usable": True, "lower_when_sliding": True, "rise_rate": 1.0},
    }
    return walk if stands else filled(_on_points(body.width, height), walk)


def _on_points(width: float, height: float) -> dict[str, Any]:
    """What differs for a robot on two points ``width`` [m] apart, its centre of mass at ``height`` [m].

    It steps from the first moment, without double support; the trunk is held, and the swing foot lands on time.
    """
    time, speed = math.sqrt(height / GRAVITY), math.sqrt(GRAVITY * height)
    single = round(POINT_SINGLE * time, 3)
    return {
        "base": {"start_time": 0.02},
        "controller": {
            "acceleration": 0.1,
            "steps": {
                "width": round(max(width, POINT_WIDTH * height), 3),
                "inward": round(POINT_INWARD * height, 3),
                "outward": round(LENGTH * height, 2),
                "single_support": single,
                "double_support": 0.0,
            },
            "stepping": {
                "swing_height": round(POINT_SWING * height, 3),
                "inset": 0.0,
                "sinking_speed": round(POINT_SINKING * speed, 2),
                "smooth_swing": True,
                "landing_force": 0.05,  # a fortieth is felt in the air, too: Bolt landed too soon
            },
            "gains": {"base": 200.0, "swing": 2500.0},
            "weights": {"base": 1.0, "momentum": 0.0, "force": 1e-4, "swing": 10.0},
            "adaptation": {"share": 0.9, "unknown": 0.18},
            "pattern": {"shortest_single_support": single, "longest_double_support": 1e-3},
        },
    }


def filled(said: Mapping[str, Any], default: Mapping[str, Any]) -> dict[str, Any]:
    """What is said, and the default where nothing is; mappings in mappings likewise."""
    result = {**default, **said}
    for key, value in default.items():
        if isinstance(value, Mapping) and isinstance(said.get(key), Mapping):
            result[key] = filled(said[key], value)
    return result

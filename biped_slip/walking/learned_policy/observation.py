# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""What a network may see: terms by name, each from one instant."""

from __future__ import annotations

from typing import Callable, NamedTuple, Sequence

import numpy as np

from biped_slip.compile.arrays import Array


class Instant(NamedTuple):
    """What the terms are made from; joints in the network's order."""

    linear_velocity_in_imu: Array  # (3,) of the IMU [m/s]
    angular_velocity_in_imu: Array  # (3,) [rad/s]
    gravity_in_imu: Array  # (3,) unit vector downwards
    command: Array  # (3,) forward, left [m/s], turn [rad/s]
    joint_position: Array  # (n,) from the posture [rad]
    joint_velocity: Array  # (n,) [rad/s]
    last_action: Array  # (n,)
    phases: Array  # (k,) of the gait [rad]


TERMS: dict[str, Callable[[Instant], Array]] = {
    "linear_velocity_in_imu": lambda now: now.linear_velocity_in_imu,
    "angular_velocity_in_imu": lambda now: now.angular_velocity_in_imu,
    "gravity_in_imu": lambda now: now.gravity_in_imu,
    "command": lambda now: now.command,
    "joint_position": lambda now: now.joint_position,
    "joint_velocity": lambda now: now.joint_velocity,
    "last_action": lambda now: now.last_action,
    "cosine_of_phases": lambda now: np.cos(now.phases),
    "sine_of_phases": lambda now: np.sin(now.phases),
}


def observed(terms: Sequence[str], now: Instant) -> Array:
    """The input of a network: the terms one after the other."""
    return np.concatenate([TERMS[term](now) for term in terms])

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The one table of sensors that only some robots have, one at each foot: its messages, and the readings they fill."""

from __future__ import annotations

from typing import Any, Mapping, NamedTuple

from geometry_msgs.msg import PointStamped
from sensor_msgs.msg import Imu

FEET = ("l_foot", "r_foot")
ANKLES = ("l_ankle", "r_ankle")
SOLE, WORLD = "sole", "world"  # whose frame a message is in


class FootSensor(NamedTuple):
    """One kind of sensor; its topics are ``l_foot/NAME`` and ``r_foot/NAME``."""

    kind: type[Any]  # of message, with a schema in ``cdr_layout``
    frame: str
    fields: Mapping[str, str]  # vector of the message -> field (2, 3) of SensorReadings
    sources: tuple[str, ...]  # of the feet's motion that need it


FOOT_SENSORS: dict[str, FootSensor] = {
    "imu": FootSensor(
        Imu,
        SOLE,
        {"linear_acceleration": "foot_specific_force_in_sole", "angular_velocity": "foot_angular_velocity_in_sole"},
        ("foot_imu", "humanoid"),
    ),
    "position": FootSensor(PointStamped, WORLD, {"point": "foot_position_in_world"}, ("external", "humanoid")),
}


def wrench_topics(motion_source: str) -> tuple[str, str]:
    """Topics of both feet's forces: at a humanoid's ankle as its sensor gives them, elsewhere in the sole."""
    left, right = ANKLES if motion_source == "humanoid" else FEET
    return f"{left}/wrench", f"{right}/wrench"


def foot_topics(motion_source: str) -> dict[str, tuple[int, FootSensor]]:
    """Topics that a motion source needs, each with its foot (0 left, 1 right) and its sensor."""
    return {
        f"{foot}/{name}": (index, sensor)
        for name, sensor in FOOT_SENSORS.items()
        if motion_source in sensor.sources
        for index, foot in enumerate(FEET)
    }

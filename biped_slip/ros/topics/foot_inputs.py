# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Input topics of one foot: its wrench, and what the table of foot sensors names."""

from __future__ import annotations

from typing import Any

import numpy as np
from geometry_msgs.msg import WrenchStamped
from sensor_msgs.msg import Imu

from biped_slip.ros.topics.foot_sensors import FootSensor
from biped_slip.ros.topics.input_topic import Content, InputTopic, Numbers, WrongContent, vector
from biped_slip.ros.topics.messages import ABSENT

#: Covariances of an IMU that say whether it has a quantity.
IMU_FLAGS = {"angular_velocity_covariance": "angular velocity"}


class WrenchInput(InputTopic):
    """``wrench`` (6,) of the ground on a foot in its sole frame: force [N], moment [N m]."""

    kind = WrenchStamped

    def __init__(self, name: str, sole: str, raw: bool = True) -> None:
        super().__init__(name, raw)
        self._sole, self.numbers = sole, {"wrench": np.zeros(6)}

    def content(self, message: Any) -> Content:
        """Force and moment."""
        wrench = np.concatenate([vector(message.wrench.force), vector(message.wrench.torque)])
        return Content({"frame_id": (message.header.frame_id,)}, {"wrench": wrench})

    def check(self, content: Content) -> None:
        """The frame is the sole's."""
        (frame,) = content.texts["frame_id"]
        if frame != self._sole:
            raise WrongContent("wrong frame", f"{self.name}: frame {frame!r}, but must be {self._sole!r}")


class FootSensorInput(InputTopic):
    """The vectors (3,) of a sensor in the table; NaN as long as nothing has come.

    Args:
        name: of the topic.
        sensor: what its messages are and what is read of them.
        raw: whether layouts may be learnt.
    """

    def __init__(self, name: str, sensor: FootSensor, raw: bool = True) -> None:
        super().__init__(name, raw)
        self.kind, self._parts = sensor.kind, tuple(sensor.fields)
        self._flags = IMU_FLAGS if sensor.kind is Imu else {}
        self.numbers = dict.fromkeys(self._parts, np.full(3, np.nan))

    def content(self, message: Any) -> Content:
        """These vectors alone, and whether an IMU has them; it needs no orientation here."""
        numbers = {part: vector(getattr(message, part)) for part in self._parts}
        return Content({}, {**numbers, **{flag: np.array(getattr(message, flag)) for flag in self._flags}})

    def accept(self, numbers: Numbers) -> None:
        """A first covariance of −1 says that a quantity is absent (REP 145)."""
        for flag, what in self._flags.items():
            if numbers[flag][0] == ABSENT:
                raise WrongContent(f"{what} absent", f"{self.name}: marked as absent (covariance -1); it is needed")
        self.numbers = numbers

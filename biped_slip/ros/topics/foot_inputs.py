# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Input topics of one foot: its wrench, its IMU, and where others see it."""

from __future__ import annotations

from typing import Any

import numpy as np
from geometry_msgs.msg import PointStamped, WrenchStamped
from sensor_msgs.msg import Imu

from biped_slip.ros.topics.input_topic import Content, InputTopic, WrongContent, vector


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


class FootImuInput(InputTopic):
    """``linear_acceleration`` [m/s^2] and ``angular_velocity`` [rad/s] (3,) of a foot in its sole frame."""

    kind = Imu

    def __init__(self, name: str, raw: bool = True) -> None:
        super().__init__(name, raw)
        self.numbers = dict.fromkeys(("linear_acceleration", "angular_velocity"), np.full(3, np.nan))

    def content(self, message: Any) -> Content:
        """Both vectors; such an IMU needs no orientation."""
        numbers = {
            "angular_velocity": vector(message.angular_velocity),
            "linear_acceleration": vector(message.linear_acceleration),
        }
        return Content({}, numbers)


class FootPositionInput(InputTopic):
    """``point`` (3,) [m]: place of a sole's origin as seen from outside the robot."""

    kind = PointStamped

    def __init__(self, name: str, raw: bool = True) -> None:
        super().__init__(name, raw)
        self.numbers = {"point": np.full(3, np.nan)}

    def content(self, message: Any) -> Content:
        """The place."""
        return Content({}, {"point": vector(message.point)})

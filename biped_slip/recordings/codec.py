# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Messages of plain numbers as CDR bytes: what a bag stores and a publisher sends, without ROS."""

from __future__ import annotations

from typing import Any

import numpy as np

from biped_slip.errors import BipedSlipError
from biped_slip.recordings.messages import ODOMETRY, WRENCH, TimedMessage

ZEROS = 36  # of a covariance


def type_store() -> Any:
    """The common interfaces of ROS 2 as ``rosbags`` knows them.

    Raises:
        BipedSlipError: ``rosbags`` isn't installed.
    """
    try:
        from rosbags.typesys import Stores, get_typestore
    except ImportError as error:
        raise BipedSlipError("bags need the package rosbags; `pip install .` in the checkout brings it") from error
    return get_typestore(Stores.ROS2_JAZZY)


class Codec:
    """Plain numbers to message objects and bytes."""

    def __init__(self, store: Any) -> None:
        self._store, types = store, store.types
        self._header, self._time = types["std_msgs/msg/Header"], types["builtin_interfaces/msg/Time"]
        self._vector, self._point = types["geometry_msgs/msg/Vector3"], types["geometry_msgs/msg/Point"]
        self._wrench, self._stamped = types["geometry_msgs/msg/Wrench"], types[WRENCH]
        self._quaternion, self._pose = types["geometry_msgs/msg/Quaternion"], types["geometry_msgs/msg/Pose"]
        self._twist, self._odometry = types["geometry_msgs/msg/Twist"], types[ODOMETRY]
        self._with_pose = types["geometry_msgs/msg/PoseWithCovariance"]
        self._with_twist = types["geometry_msgs/msg/TwistWithCovariance"]
        self._covariance = np.zeros(ZEROS)

    def encode(self, message: TimedMessage) -> bytes:
        """The message as CDR, little endian."""
        return bytes(self._store.serialize_cdr(self._built(message), message.kind))

    def _built(self, message: TimedMessage) -> Any:
        seconds, nanoseconds = divmod(message.stamp_ns, 1_000_000_000)
        values, vector = message.values, self._vector
        stamp = self._time(seconds, nanoseconds)
        if message.kind == WRENCH:
            header = self._header(stamp, message.frame)
            return self._stamped(header, self._wrench(vector(*values[:3]), vector(*values[3:6])))
        pose = self._pose(self._point(values[0], values[1], 0.0), self._quaternion(0.0, 0.0, 0.0, 1.0))
        twist = self._twist(vector(values[2], values[3], 0.0), vector(*values[4:7]))
        return self._odometry(
            self._header(stamp, "floor"),
            message.frame,
            self._with_pose(pose, self._covariance),
            self._with_twist(twist, self._covariance),
        )

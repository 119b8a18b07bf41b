# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Any recording as messages in the order of time: what a player publishes and what a converter writes."""

from __future__ import annotations

import heapq
import re
from typing import Iterator, NamedTuple, Sequence

import numpy as np

from biped_slip.recordings.estimators import of_the_patch
from biped_slip.recordings.series import TimeSeries

WRENCH = "geometry_msgs/msg/WrenchStamped"
ODOMETRY = "nav_msgs/msg/Odometry"
SIDES = {"left": "l_foot", "right": "r_foot", "left foot": "l_foot", "right foot": "r_foot"}
FRAMES = {"l_foot": "l_sole", "r_foot": "r_sole"}


class TimedMessage(NamedTuple):
    """One standard ROS message as plain numbers."""

    stamp_ns: int  # of the header, 0 or later
    topic: str
    kind: str  # WRENCH or ODOMETRY
    frame: str  # sole frame
    values: tuple[float, ...]  # wrench: force, torque (6); odometry: position x y, velocity x y, rate of turn (7)


def foot_prefix(series: TimeSeries) -> str:
    """Topic prefix of a foot: ``l_foot``, ``r_foot``, or the sensor's name as a topic may spell it."""
    return SIDES.get(series.name, re.sub(r"[^a-z0-9]+", "_", series.name.lower()).strip("_") or "foot")


def moves(series: TimeSeries) -> bool:
    """Whether the foot's motion or rate of turn is known anywhere."""
    return any(np.isfinite(part).any() for part in (series.displacement, series.velocity, series.angular_rate))


def series_messages(series: Sequence[TimeSeries]) -> Iterator[TimedMessage]:
    """Wrenches, and odometry of the foot over the floor where it is known, merged in the order of time.

    Of one stamp the odometry comes first, so that whoever takes the latest motion with each wrench has the right one.
    Recordings that begin before time zero are moved to begin there.
    """
    earliest = min((int(one.stamp_ns[0]) for one in series), default=0)
    shift = -min(earliest, 0)
    return heapq.merge(*(_foot_messages(one, shift) for one in series), key=lambda message: message.stamp_ns)


def _foot_messages(series: TimeSeries, shift: int) -> Iterator[TimedMessage]:
    prefix, moving = foot_prefix(series), moves(series)
    frame = FRAMES.get(prefix, f"{prefix}_sole")
    wrench = np.column_stack([series.force, np.nan_to_num(series.moment)])
    motion = np.column_stack([of_the_patch(series).displacement, series.velocity, series.angular_rate])
    for index, stamp in enumerate(series.stamp_ns):
        stamp_ns = int(stamp) + shift
        if moving:
            yield TimedMessage(stamp_ns, f"/{prefix}/odom", ODOMETRY, frame, tuple(map(float, motion[index])))
        yield TimedMessage(stamp_ns, f"/{prefix}/wrench", WRENCH, frame, tuple(map(float, wrench[index])))

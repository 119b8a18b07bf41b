# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Quality of service of every kind of topic; each may be overridden by parameters ``qos_overrides.*``."""

from __future__ import annotations

from rclpy.qos import (
    QoSDurabilityPolicy,
    QoSProfile,
    QoSReliabilityPolicy,
    qos_profile_sensor_data,
)
from rclpy.qos_overriding_options import QoSOverridingOptions

#: Publishers of sensors and estimates: reliable, and a late subscriber gets the last sample. Fits every subscriber.
OUTPUTS = QoSProfile(depth=5, reliability=QoSReliabilityPolicy.RELIABLE, durability=QoSDurabilityPolicy.TRANSIENT_LOCAL)
#: Lockstep: nothing may be lost, the first sample included, whoever starts last.
LOCKSTEP_INPUTS = OUTPUTS
#: Whoever wants every sample of a robot whose publishers are reliable, and may lag behind a little.
COMPLETE_INPUTS = QoSProfile(depth=1000, reliability=QoSReliabilityPolicy.RELIABLE)
#: Robots: only the newest sample counts (REP 2003).
SENSOR_INPUTS = qos_profile_sensor_data
#: Commands on a robot: never an old one to a late listener.
COMMANDS = QoSProfile(depth=1, reliability=QoSReliabilityPolicy.RELIABLE)
#: Records for the log: a reader may lag behind.
RECORDS = QoSProfile(depth=200, reliability=QoSReliabilityPolicy.RELIABLE)
#: Recordings: fits every subscriber, and a reader may lag behind.
PLAYED = QoSProfile(
    depth=200, reliability=QoSReliabilityPolicy.RELIABLE, durability=QoSDurabilityPolicy.TRANSIENT_LOCAL
)
DIAGNOSTICS = QoSProfile(depth=10)


def overridable() -> QoSOverridingOptions:
    """Let users override history, depth and reliability."""
    return QoSOverridingOptions.with_default_policies()

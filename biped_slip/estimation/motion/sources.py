# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Sources of the feet's motion by name."""

from __future__ import annotations

from biped_slip.estimation.foot_measurement import FloorConfig, OdometryMotion, SagittalMotion
from biped_slip.estimation.motion.base_imu import BaseImuMotion
from biped_slip.estimation.motion.both_feet import BothFeetMotion
from biped_slip.estimation.motion.config import MotionConfig
from biped_slip.estimation.motion.external import ExternalMotion
from biped_slip.estimation.motion.foot_imu import FootImuMotion
from biped_slip.robots.robot import Robot


def motion_source(robot: Robot, config: MotionConfig, floor: FloorConfig) -> SagittalMotion:
    """The source that a configuration names."""
    if config.source == "base_imu":
        return BaseImuMotion(robot, floor, config)
    if config.source == "both_feet":
        return BothFeetMotion(robot, floor)
    if config.source == "foot_imu":
        return FootImuMotion(robot, floor, config)
    if config.source == "external":
        return ExternalMotion(robot, floor)
    return OdometryMotion(robot, floor)

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Noise and age of the simulated sensors of a sagittal robot."""

from __future__ import annotations

from biped_slip.config import Configuration, configuration, parameter


@configuration
class SensorConfig(Configuration):
    """Noise of the simulated sensors, standard deviations per sample; all zero is ideal."""

    joint_position_noise: float = parameter(0.0, unit="rad", low=0.0, high=0.1, source="choice", doc="encoders")
    leg_stiffness: float = parameter(
        0.0, unit="N/m", low=0.0, high=1e9, source="choice", doc="of each leg along x between encoders and sole, which "
        "see nothing of how it gives way; 0: rigid",
    )  # fmt: skip
    leg_spread: float = parameter(
        0.2, low=0.0, high=0.5, source="choice", doc="sd of its compliance per leg and run, as a share of it"
    )
    joint_velocity_noise: float = parameter(0.0, unit="rad/s", low=0.0, high=10.0, source="choice", doc="encoders")
    gyro_noise: float = parameter(0.0, unit="rad/s", low=0.0, high=1.0, source="choice", doc="torso IMU")
    accelerometer_noise: float = parameter(
        0.0, unit="m/s^2", low=0.0, high=10.0, source="choice", doc="torso and foot IMU; of means over a control period"
    )
    accelerometer_bias: float = parameter(
        0.0, unit="m/s^2", low=0.0, high=1.0, source="choice", doc="sd of a constant per axis, IMU and run"
    )
    force_noise: float = parameter(0.0, unit="N", low=0.0, high=100.0, source="choice", doc="each force axis")
    force_offset: float = parameter(
        0.0, unit="N", low=0.0, high=100.0, source="choice", doc="constant per axis and run, uniform within this"
    )
    odometry_noise: float = parameter(0.0, unit="m", low=0.0, high=0.1, source="choice", doc="each axis of position")
    foot_displacement_noise: float = parameter(
        0.0, unit="m", low=0.0, high=0.1, source="choice", doc="position of each foot by motion capture or a rig"
    )
    force_latency_ticks: int = parameter(
        0, low=0, high=100, source="choice", doc="age of the force readings in control periods"
    )

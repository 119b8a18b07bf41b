# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Imperfections of a humanoid's sensors: noise per sample, bias per run, age and rate; all zero is ideal."""

from __future__ import annotations

from biped_slip.config import Configuration, configuration, parameter, section


@configuration
class DeliveryConfig(Configuration):
    """When a sample of a sensor arrives."""

    latency_ticks: int = parameter(0, low=0, high=100, doc="age of a sample in control periods")
    every_ticks: int = parameter(1, low=1, high=1000, doc="control periods between two samples; held between")


@configuration
class EncoderConfig(Configuration):
    """Joint positions and velocities."""

    position_noise: float = parameter(0.0, unit="rad", low=0.0, high=0.1, doc="standard deviation")
    position_bias: float = parameter(0.0, unit="rad", low=0.0, high=0.1, doc="per joint and run, uniform within this")
    velocity_noise: float = parameter(0.0, unit="rad/s", low=0.0, high=10.0, doc="standard deviation")
    leg_stiffness: float = parameter(
        0.0, unit="N/m", low=0.0, high=1e9, doc="of each leg along the floor between encoders and sole, which see "
        "nothing of how it gives way; 0: rigid",
    )  # fmt: skip
    leg_spread: float = parameter(0.2, low=0.0, high=0.5, doc="sd of its compliance per leg and run, as a share of it")
    delivery: DeliveryConfig = section(DeliveryConfig)


@configuration
class ImuConfig(Configuration):
    """Angular velocity and specific force."""

    gyro_noise: float = parameter(0.0, unit="rad/s", low=0.0, high=1.0, doc="standard deviation of each axis")
    gyro_bias: float = parameter(0.0, unit="rad/s", low=0.0, high=1.0, doc="per axis and run, uniform within this")
    accelerometer_noise: float = parameter(0.0, unit="m/s^2", low=0.0, high=10.0, doc="standard deviation of each axis")
    accelerometer_bias: float = parameter(
        0.0, unit="m/s^2", low=0.0, high=10.0, doc="per axis and run, uniform within this"
    )
    delivery: DeliveryConfig = section(DeliveryConfig)


@configuration
class ForceTorqueConfig(Configuration):
    """Six axes, in parts of the robot's weight, moments in parts of weight times one metre."""

    force_noise: float = parameter(0.0, low=0.0, high=0.1, doc="standard deviation of each force axis")
    moment_noise: float = parameter(0.0, unit="m", low=0.0, high=0.1, doc="standard deviation of each moment axis")
    force_bias: float = parameter(0.0, low=0.0, high=0.1, doc="per axis and run, uniform within this")
    moment_bias: float = parameter(0.0, unit="m", low=0.0, high=0.1, doc="per axis and run, uniform within this")
    delivery: DeliveryConfig = section(DeliveryConfig)


@configuration
class FootPositionConfig(Configuration):
    """Place of the soles, from outside the robot or from a sensor in the sole that sees the floor."""

    noise: float = parameter(0.0, unit="m", low=0.0, high=0.1, doc="standard deviation of each axis")
    delivery: DeliveryConfig = section(DeliveryConfig)


@configuration
class FloatingSensorConfig(Configuration):
    """All sensors of a humanoid."""

    encoders: EncoderConfig = section(EncoderConfig)
    imu: ImuConfig = section(ImuConfig)
    foot_imu: ImuConfig = section(ImuConfig)
    force_torque: ForceTorqueConfig = section(ForceTorqueConfig)
    foot_position: FootPositionConfig = section(FootPositionConfig)

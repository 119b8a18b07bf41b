# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""How exact the sensors and contacts of a humanoid are, for the estimate of its floating base."""

from __future__ import annotations

from biped_slip.config import Configuration, configuration, parameter, section
from biped_slip.errors import InvalidParameter


@configuration
class ContactNoiseConfig(Configuration):
    """How much a foot in contact is believed to stay where it is: a random walk of its place."""

    creep: float = parameter(
        1e-3, unit="m/sqrt(s)", above=0.0, high=1.0, doc="of a loaded foot that holds: presliding and the sole's give "
        "(choice)",
    )  # fmt: skip
    slide: float = parameter(
        0.3, unit="m/sqrt(s)", above=0.0, high=10.0, doc="of a foot that slips: 1 m/s for a tenth of a second (choice)"
    )
    full_share: float = parameter(
        0.25, above=0.0, high=1.0, doc="of body weight on a foot from which it holds as well as it ever does (choice)"
    )
    on_share: float = parameter(0.10, above=0.0, below=1.0, doc="of body weight that begins a contact (choice)")
    off_share: float = parameter(0.05, above=0.0, below=1.0, doc="of body weight below which it ends (choice)")
    margin: float = parameter(
        0.9, above=0.0, high=1.0, doc="force ratio over mu_low, once usable, from which a foot counts as about to slip"
    )
    settling_time: float = parameter(
        0.03, unit="s", low=0.0, high=0.5, doc="after touchdown, while the sole rolls and rings, it slides (choice)"
    )

    def check(self) -> None:
        """Hysteresis must not be inverted; what slides moves more than what holds."""
        if self.off_share >= self.on_share:
            raise InvalidParameter("ContactNoiseConfig.off_share", self.off_share, f"below on_share, {self.on_share:g}")
        if self.slide < self.creep:
            raise InvalidParameter("ContactNoiseConfig.slide", self.slide, f"at least creep, {self.creep:g} m/sqrt(s)")


@configuration
class FloatingBaseConfig(Configuration):
    """Noise of IMU and legs; densities per square root of hertz."""

    gyro_density: float = parameter(
        1.7e-4, unit="rad/s/sqrt(Hz)", above=0.0, high=1.0, doc="0.01 deg/s/sqrt(Hz), a MEMS gyro (choice)"
    )
    accelerometer_density: float = parameter(
        1e-3, unit="m/s^2/sqrt(Hz)", above=0.0, high=10.0, source="study 2: I1", doc="white noise"
    )
    gyro_bias_walk: float = parameter(
        1e-5, unit="rad/s/sqrt(s)", low=0.0, high=1.0, doc="of the gyro's bias (choice: MEMS)"
    )
    accelerometer_bias_walk: float = parameter(
        1e-4, unit="m/s^2/sqrt(s)", low=0.0, high=1.0, doc="of the accelerometer's bias (choice: MEMS)"
    )
    start_time: float = parameter(
        0.2, unit="s", low=0.0, high=10.0, doc="of standing still over which the accelerometer gives the tilt (choice)"
    )
    start_tilt: float = parameter(0.02, unit="rad", above=0.0, high=1.0, doc="sd of roll and pitch at the start")
    start_yaw: float = parameter(1e-3, unit="rad", above=0.0, high=3.2, doc="sd of yaw, which nothing observes")
    start_velocity: float = parameter(0.05, unit="m/s", above=0.0, high=10.0, doc="sd of the velocity at the start")
    start_position: float = parameter(1e-3, unit="m", above=0.0, high=10.0, doc="sd of the place: the world's origin")
    start_gyro_bias: float = parameter(5e-3, unit="rad/s", above=0.0, high=1.0, doc="sd of the gyro's bias")
    start_accelerometer_bias: float = parameter(
        0.05, unit="m/s^2", above=0.0, high=10.0, doc="sd of the accelerometer's bias (0.02 in study 2, and mounting)"
    )
    kinematics: float = parameter(
        1e-3, unit="m", above=0.0, high=0.1, doc="rms of a foot's place against the base: encoders, give of the leg"
    )
    contact: ContactNoiseConfig = section(ContactNoiseConfig)

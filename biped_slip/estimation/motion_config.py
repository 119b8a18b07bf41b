# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Source of the feet's motion, and its noise."""

from __future__ import annotations

import math
from dataclasses import replace

from biped_slip.config import Configuration, configuration, parameter
from biped_slip.errors import InvalidParameter
from biped_slip.friction_estimation.interval.config import (
    IntervalConfig,
    MotionNoise,
    SoleModel,
)

SOURCES = ("odometry", "both_feet", "foot_imu", "external")
STILL_MODELS = ("still_foot", "stance_foot_still", "zero_velocity")


@configuration
class MotionConfig(Configuration):
    """Source of the feet's motion over the ground, and the errors of its sensors."""

    source: str = parameter(
        "odometry",
        doc="odometry: the base's pose as good as it is, and joints; both_feet: one "
        "foot against the "
        "other, joints alone; foot_imu; external: positions from outside the robot",
    )
    encoder_noise: float = parameter(
        1e-5,
        unit="m",
        low=0.0,
        high=0.01,
        doc="rms of a foot's place against the base: 19 bits at 0.7 m (choice)",
    )
    noise_density: float = parameter(
        1e-3,
        unit="m/s^2/sqrt(Hz)",
        above=0.0,
        high=1.0,
        source="study 2: I1",
        doc="of an accelerometer",
    )
    bias: float = parameter(
        0.02,
        unit="m/s^2",
        low=0.0,
        high=1.0,
        source="study 2: I1",
        doc="sd of its bias",
    )
    creep_speed: float = parameter(
        3e-3,
        unit="m/s",
        above=0.0,
        high=0.1,
        doc="sd of a loaded foot's speed before it slips: s_p 0.5 mm at "
        "3 ratios a second near 0.7 mu (choice)",
    )
    creep_time: float = parameter(
        0.1,
        unit="s",
        above=0.0,
        high=10.0,
        doc="how long that speed keeps its sign: half a load change (choice)",
    )
    horizon: float = parameter(
        0.5,
        unit="s",
        above=0.0,
        high=10.0,
        source="study 2",
        doc="of double integration in a stance; then it is blind",
    )
    settling_time: float = parameter(
        0.06,
        unit="s",
        low=0.0,
        high=0.5,
        source="study 7.8",
        doc="from touchdown until its ringing has decayed",
    )
    external_noise: float = parameter(
        20e-6,
        unit="m",
        low=0.0,
        high=0.1,
        source="study 2: P3",
        doc="rms of a position from outside",
    )
    leg_stiffness: float = parameter(
        0.0,
        unit="N/m",
        low=0.0,
        high=1e9,
        doc="of each leg along the floor, between its encoders and its sole, which "
        "do not measure it (both_feet); 0: rigid",
    )
    leg_known_to: float = parameter(
        0.2, low=0.0, high=1.0, doc="sd of that compliance, as a share of it (choice)"
    )
    lighter_moves: bool = parameter(
        False,
        doc="of two loaded feet that move against each other after a landing, the "
        "lighter one does (both_feet of a humanoid); for forces by currents, whose "
        "noise keeps a foot loaded that is being lifted",
    )

    def check(self) -> None:
        """Check that the source measures motion."""
        if self.source not in SOURCES:
            still = (
                "a source that assumes the stance foot is still carries no "
                "information about friction"
            )
            remedy = still if self.source in STILL_MODELS else ""
            raise InvalidParameter(
                "motion.source", self.source, f"one of {', '.join(SOURCES)}", remedy
            )

    def assumed(self, interval: IntervalConfig) -> IntervalConfig:
        """Return the assumptions of an estimator.

        They are the noise of the source, and its motion beside the contact's own.
        """
        motion = self.noise(interval.motion)
        sole = interval.sole
        if self.source == "both_feet" and self.leg_stiffness > 0.0:
            sole = self._on_legs(sole)
        return replace(interval, motion=motion, sole=sole)

    def _on_legs(self, sole: SoleModel) -> SoleModel:
        """Put both legs in series with a sole; a spread that is not known stays so."""
        give = 2.0 / self.leg_stiffness
        spread = sole.compliance_spread
        if spread >= 0.0:
            spread = math.hypot(spread, math.sqrt(0.5) * self.leg_known_to * give)
        return replace(
            sole, compliance=sole.compliance + give, compliance_spread=spread
        )

    def noise(self, odometry: MotionNoise) -> MotionNoise:
        """Return the noise model of the source.

        Of odometry the robot's maker must say it. With ``both_feet`` the other foot's
        creep is part of the motion: it bends less than that of the foot nearer to its
        limit, and can only make a foot look weaker.
        """
        latency = odometry.latency
        if self.source == "external":
            return MotionNoise(
                kind="position", sigma=self.external_noise, latency=latency
            )
        if self.source == "both_feet":
            return MotionNoise(
                kind="position",
                sigma=2.0**0.5 * self.encoder_noise,
                latency=latency,
                shared=True,
            )
        if self.source == "foot_imu":
            return MotionNoise(
                kind="imu",
                sigma=0.0,
                quantisation=0.0,
                noise_density=self.noise_density,
                bias=self.bias,
                latency=latency,
                start_speed=self.creep_speed,
            )
        return odometry

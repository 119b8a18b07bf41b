# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Senses of a robot whose base's motion is given, and which asks nothing of the floor.

A network that is measured by itself, as its authors measured it, is shown the true
motion of its base. Nothing that it does depends on an estimate of its base or of the
friction under its feet, and neither is made: a walk takes two thirds of the time, and
goes as it goes with :class:`~biped_slip.walking.humanoid.HumanoidSenses`, to the last
bit.
"""

from __future__ import annotations

import math

import numpy as np

from biped_slip.estimation.floating_base import FloatingBaseConfig
from biped_slip.estimation.readings import BaseMotion, RawReadings, SensorReadings
from biped_slip.estimation.sole_motion import floating_state
from biped_slip.friction_estimation.types import NO_ESTIMATE, NO_MEASUREMENT
from biped_slip.walking.humanoid import HumanoidObservation


class GivenBase:
    """Joints as they are read, and the base as it is given; nothing of the feet.

    Args:
        config: its ``start_time`` is how long the robot stands before it is ready.
    """

    faults: tuple[str, ...] = ()

    def __init__(self, config: FloatingBaseConfig) -> None:
        self._start_time = config.start_time
        self.reset()

    def reset(self) -> None:
        """Reset to the state before the first sample."""
        self._first_ns: int | None = None
        self._stamp_ns: int | None = None

    def step(
        self, raw: RawReadings, base: BaseMotion | None = None
    ) -> HumanoidObservation:
        """Take one sample of the joints, and the motion of the base.

        Raises:
            ValueError: no motion is given.
        """
        if base is None:
            raise ValueError("the motion of the base is None, but it must be given")
        self._first_ns = raw.stamp_ns if self._first_ns is None else self._first_ns
        last = raw.stamp_ns if self._stamp_ns is None else self._stamp_ns
        self._stamp_ns = raw.stamp_ns
        known = SensorReadings(
            stamp_ns=raw.stamp_ns,
            joint_position=raw.joint_position,
            joint_velocity=raw.joint_velocity,
            specific_force_in_base=np.full(3, math.nan),
            wrench_ground_on_foot_in_sole=np.full((2, 6), math.nan),
            **base._asdict(),
        )
        return HumanoidObservation(
            readings=known,
            known=known,
            state=floating_state(known),
            measurements=(NO_MEASUREMENT, NO_MEASUREMENT),
            estimates=(NO_ESTIMATE, NO_ESTIMATE),
            ready=1e-9 * (raw.stamp_ns - self._first_ns) >= self._start_time,
            dt=1e-9 * (raw.stamp_ns - last),
            rise=np.zeros((2, 2)),
        )

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Everything between a humanoid's sensors and its torques: state, soles, friction estimates, limits, whole body."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from biped_slip.control.whole_body.body import Body, body_of
from biped_slip.control.whole_body.config import WholeBodyConfig
from biped_slip.control.whole_body.controller import WholeBodyAnswer, WholeBodyController
from biped_slip.control.whole_body.footsteps import Command
from biped_slip.estimation.foot_measurement import MotionSource
from biped_slip.estimation.readings import SensorReadings
from biped_slip.estimation.sole_motion import floating_state
from biped_slip.friction.types import FrictionEstimate
from biped_slip.robots.humanoid import Humanoid
from biped_slip.simulation.prevention import Prevention


class HumanoidRecord(NamedTuple):
    """What a controller made of one instant."""

    estimates: tuple[FrictionEstimate, FrictionEstimate]
    answer: WholeBodyAnswer


def humanoid_body(humanoid: Humanoid) -> Body:
    """A humanoid as the whole-body controller sees it."""
    corners = np.array([[(x, y, 0.0) for x, y in humanoid.polygon(foot)] for foot in (0, 1)])
    robot = humanoid.robot
    return body_of(humanoid.model, robot.soles, corners, humanoid.standing(), humanoid.efforts)


class HumanoidWalker:
    """Walks a humanoid at a commanded velocity.

    Args:
        humanoid: to be walked.
        config: of the whole-body controller.
        prevention: estimator and limit.
        motion: where the motion of the soles comes from.
        period: between the first two readings [s].
    """

    def __init__(
        self,
        humanoid: Humanoid,
        config: WholeBodyConfig,
        prevention: Prevention,
        motion: MotionSource,
        period: float = 1e-3,
    ) -> None:
        self._motion, self._estimator, self._period = motion, prevention.estimator, period
        self.controller = WholeBodyController(humanoid_body(humanoid), config, prevention.limit)
        self.reset()

    def reset(self) -> None:
        """Forget everything, as before the first reading."""
        self._motion.reset()
        self.controller.reset()
        self._states = [self._estimator.initial_state(), self._estimator.initial_state()]
        self._stamp_ns: int | None = None

    def step(self, readings: SensorReadings, command: Command) -> HumanoidRecord:
        """Torques for one reading; the time step is the difference of the stamps."""
        dt = self._period if self._stamp_ns is None else 1e-9 * (readings.stamp_ns - self._stamp_ns)
        self._stamp_ns = readings.stamp_ns
        state = floating_state(readings)
        measurements = self._motion.measure(state, readings)
        self._states[0], left = self._estimator.step(self._states[0], measurements[0], dt)
        self._states[1], right = self._estimator.step(self._states[1], measurements[1], dt)
        answer = self.controller.step(state, measurements, (left, right), command, dt)
        return HumanoidRecord((left, right), answer)

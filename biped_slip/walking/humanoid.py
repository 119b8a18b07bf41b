# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Everything between a humanoid's sensors and its torques: state, soles, friction estimates, limits, whole body."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from biped_slip.compile.arrays import Array, all_finite
from biped_slip.control.whole_body.body import Body, body_of
from biped_slip.control.whole_body.config import WholeBodyConfig
from biped_slip.control.whole_body.controller import WholeBodyController, WholeBodyOutput
from biped_slip.control.whole_body.fallback import StandingFallback
from biped_slip.control.whole_body.footsteps import Command
from biped_slip.control.whole_body.hold import JointHold
from biped_slip.estimation.body_frames import BodyFrames
from biped_slip.estimation.floating_base import FloatingBaseConfig
from biped_slip.estimation.humanoid_observer import HumanoidObserver
from biped_slip.estimation.raw_readings import BaseMotion, RawReadings
from biped_slip.estimation.readings import SensorReadings
from biped_slip.estimation.sole_motion import SoleMotion, floating_state
from biped_slip.friction_estimation.types import NO_ESTIMATE, FrictionEstimate
from biped_slip.robots.humanoid import Humanoid
from biped_slip.robots.humanoid_config import FOOT_IMUS, FORCE_SENSORS, IMU, SOLES
from biped_slip.walking.slip_policy import SlipPolicy


class HumanoidOutput(NamedTuple):
    """What a controller made of one instant."""

    readings: SensorReadings  # with the base as estimated
    estimates: tuple[FrictionEstimate, FrictionEstimate]
    torques: Array  # (n,) [N m]
    answer: WholeBodyOutput | None  # None as long as the base is not known and the joints hold the robot
    fallback: bool = False  # the program has no answer, the virtual model stands


def humanoid_body(humanoid: Humanoid) -> Body:
    """A humanoid as the whole-body controller sees it."""
    corners = np.array([[(x, y, 0.0) for x, y in humanoid.polygon(foot)] for foot in (0, 1)])
    return body_of(humanoid.robot, corners, humanoid.standing(), humanoid.efforts)


class HumanoidController:
    """Walks a humanoid at a commanded velocity, from the readings of its own sensors.

    Args:
        humanoid: to be walked.
        config: of the whole-body controller.
        policy: estimator and limit.
        base: noise of IMU, legs and contacts, as the estimate of the base takes them.
    """

    def __init__(
        self,
        humanoid: Humanoid,
        config: WholeBodyConfig,
        policy: SlipPolicy,
        base: FloatingBaseConfig | None = None,
    ) -> None:
        model, robot = humanoid.model, humanoid.robot
        frames = BodyFrames(model, SOLES, FORCE_SENSORS, FOOT_IMUS, IMU)
        self._observer = HumanoidObserver(robot, frames, base)
        self._motion, self._estimator = SoleMotion(robot), policy.estimator
        body = humanoid_body(humanoid)
        self.whole_body = WholeBodyController(body, config, policy.limit)
        self._fallback = StandingFallback(self.whole_body.body)
        self._hold = JointHold(model, body.soles, body.posture, humanoid.efforts)
        self.reset()

    def reset(self) -> None:
        """Forget everything, as before the first reading."""
        self._observer.reset()
        self._motion.reset()
        self.whole_body.reset()
        self._fallback.reset()
        self._states = [self._estimator.initial_state(), self._estimator.initial_state()]
        self._estimates = (NO_ESTIMATE, NO_ESTIMATE)
        self._stamp_ns: int | None = None

    def step(self, raw: RawReadings, command: Command, base: BaseMotion | None = None) -> HumanoidOutput:
        """Torques for one sample of all sensors; ``base`` says how the base moves where that is known better."""
        readings = self._observer.step(raw, self._estimates)
        known = readings if base is None else readings._replace(**base._asdict())
        state = floating_state(known)
        if not (all_finite(state.q) and all_finite(state.v)):
            return self._lost(readings)
        dt = 0.0 if self._stamp_ns is None else 1e-9 * (raw.stamp_ns - self._stamp_ns)
        self._stamp_ns = raw.stamp_ns
        measurements = self._motion.measure(state, known)
        self._states[0], left = self._estimator.step(self._states[0], measurements[0], dt)
        self._states[1], right = self._estimator.step(self._states[1], measurements[1], dt)
        self._estimates = (left, right)
        if not self._observer.ready:
            return HumanoidOutput(readings, self._estimates, self._hold.torques(known), None)
        answer = self.whole_body.step(state, measurements, self._estimates, self._fallback.allowed(command), dt)
        torques = self._fallback.step(answer, state, dt)
        if torques is None:
            return HumanoidOutput(readings, self._estimates, answer.torques, answer)
        return HumanoidOutput(readings, self._estimates, torques, answer, True)

    def _lost(self, readings: SensorReadings) -> HumanoidOutput:
        """The base's estimate has broken down: begin anew, the joints hold the robot meanwhile."""
        self.reset()
        return HumanoidOutput(readings, self._estimates, self._hold.torques(readings), None)

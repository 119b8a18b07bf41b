# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Everything between a humanoid's sensors and its torques: state, soles, friction estimates, limits, whole body."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from biped_slip.compile.arrays import Array
from biped_slip.control.whole_body.body import Body, body_of
from biped_slip.control.whole_body.config import WholeBodyConfig
from biped_slip.control.whole_body.controller import WholeBodyController, WholeBodyOutput
from biped_slip.control.whole_body.fallback import StandingFallback
from biped_slip.control.whole_body.footsteps import Command
from biped_slip.control.whole_body.hold import JointHold
from biped_slip.estimation.floating_base import FloatingBaseConfig
from biped_slip.estimation.motion.config import MotionConfig
from biped_slip.estimation.raw_readings import BaseMotion, RawReadings
from biped_slip.estimation.readings import SensorReadings
from biped_slip.friction_estimation.types import FrictionEstimate
from biped_slip.robots.humanoid import Humanoid
from biped_slip.walking.humanoid_senses import HumanoidSenses, Seen
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
        motion: what tells how the soles move; else a sensor that sees them.
    """

    def __init__(
        self,
        humanoid: Humanoid,
        config: WholeBodyConfig,
        policy: SlipPolicy,
        base: FloatingBaseConfig | None = None,
        motion: MotionConfig | None = None,
    ) -> None:
        self._senses = HumanoidSenses(humanoid, policy.estimator, base, motion)
        body = humanoid_body(humanoid)
        self.whole_body = WholeBodyController(body, config, policy.limit)
        self._fallback = StandingFallback(self.whole_body.body)
        self._hold = JointHold(humanoid.model, body.soles, body.posture, humanoid.efforts)
        self.reset()

    def reset(self) -> None:
        """Forget everything, as before the first reading."""
        self._senses.reset()
        self.whole_body.reset()
        self._fallback.reset()

    def step(self, raw: RawReadings, command: Command, base: BaseMotion | None = None) -> HumanoidOutput:
        """Torques for one sample of all sensors; ``base`` says how the base moves where that is known better."""
        seen = self._senses.step(raw, base)
        if seen.state is None:
            return self._lost(seen)
        if not seen.ready:
            return HumanoidOutput(seen.readings, seen.estimates, self._hold.torques(seen.known), None)
        answer = self.whole_body.step(
            seen.state, seen.measurements, seen.estimates, self._fallback.allowed(command), seen.dt, seen.rise
        )
        torques = self._fallback.step(answer, seen.state, seen.dt)
        if torques is None:
            return HumanoidOutput(seen.readings, seen.estimates, answer.torques, answer)
        return HumanoidOutput(seen.readings, seen.estimates, torques, answer, True)

    def _lost(self, seen: Seen) -> HumanoidOutput:
        """The base's estimate has broken down: begin anew, the joints hold the robot meanwhile."""
        self.reset()
        return HumanoidOutput(seen.readings, seen.estimates, self._hold.torques(seen.readings), None)

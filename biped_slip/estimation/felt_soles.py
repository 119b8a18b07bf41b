# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""What IMUs in the soles would read, from the body's IMU and the joints.

A force sensor in an ankle does not feel what hangs below it: as a foot lands, its own
inertia is 0.2 to 2.7 times the friction sought. Without an IMU in the foot the joints
tell how it moves against the body, and the body's IMU how that moves. Accelerations of
the joints are differences of two samples: noisy each, but their sum over a landing is
the change of speed, so that an impulse keeps the noise of its two ends alone.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from biped_slip.compile.arrays import Array
from biped_slip.compile.kernel import OfOneType, kernel
from biped_slip.constants import GRAVITY
from biped_slip.estimation.joint_torque_wrench import (
    BodySample,
    BodyTorques,
    between,
    body_torques,
    copy_sample,
    empty_body,
    empty_sample,
)
from biped_slip.robots.model_functions import (
    Generated,
    floating_functions,
    leg_joints,
)
from biped_slip.robots.robot import Robot

LEAST_SPAN = 1e-5  # [s] between two samples


class FeltState(NamedTuple):
    """Two samples and what lies between them; overwritten."""

    before: BodySample
    middle: BodySample  # work
    change: BodySample  # work
    body: BodyTorques


@kernel
def felt_step(
    state: FeltState, sample: BodySample, robot: Generated, dt: float
) -> None:
    """Compute what the soles feel between a sample and the one before; fills ``body``.

    Args:
        state: is overwritten.
        sample: of joints and IMU.
        robot: addresses of its functions.
        dt: since the sample before [s].
    """
    between(state.before, sample, dt, state.middle, state.change)
    copy_sample(sample, state.before)
    body_torques(state, robot)


class FeltSoles:
    """Readings of IMUs that the soles do not have.

    Args:
        robot: with a floating base.
    """

    def __init__(self, robot: Robot) -> None:
        self._robot = floating_functions(robot).generated
        self._joints = len(robot.joints)
        self._leg = len(leg_joints(robot)[0])
        self._step = OfOneType(felt_step)
        self.reset()

    def reset(self) -> None:
        """Reset to the state before the first sample."""
        sample, before, middle, change = (
            empty_sample(self._joints, self._leg) for _ in range(4)
        )
        self._sample = sample
        self._state = FeltState(
            before=before, middle=middle, change=change, body=empty_body(self._leg)
        )
        self._started = False

    def step(
        self, position: Array, velocity: Array, rate: Array, felt: Array, dt: float
    ) -> Array:
        """Compute the readings (2, 6), angular velocity over specific force.

        They are in the axes of the soles; those of a level sole at rest for the first
        sample.

        Args:
            position: (n,) of the joints [rad].
            velocity: (n,) [rad/s].
            rate: (3,) of the base, in its axes [rad/s].
            felt: (3,) specific force in the IMU's axes [m/s^2].
            dt: since the sample before [s].
        """
        sample = self._sample
        sample.position[:] = position
        sample.velocity[:] = velocity
        sample.rate[:] = rate
        sample.felt[:] = felt
        if not self._started or not dt > LEAST_SPAN:
            copy_sample(sample, self._state.before)
            self._started = True
            return np.tile([0.0, 0.0, 0.0, 0.0, 0.0, GRAVITY], (2, 1))
        self._step(self._state, sample, self._robot, dt)
        return self._state.body.sole_felt.copy()

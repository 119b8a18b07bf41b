# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The log of a humanoid's walk.

The truth of a tick is written as its sensors are read, the controller's output once it
has answered; a controller other than the whole-body one leaves limits blank.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from biped_slip.compile.arrays import Array
from biped_slip.robots.humanoid import Humanoid
from biped_slip.simulation.humanoid.plant import FloatingPlant, Truth
from biped_slip.simulation.log import ESTIMATES, FOOT_COLUMN, Joints, Log, LogColumn
from biped_slip.walking.controller import ControlOutput
from biped_slip.walking.humanoid import humanoid_body


class FloatingLog(Log):
    """Arrays over ticks; feet left, right on the second axis.

    Only the first ``length`` rows are filled. The limits are NaN as long as the
    controller does not know its base.
    """

    v: Array  # (ticks, nv)
    sole_position: Array  # (ticks, 2, 3) [m], world
    sole_velocity: Array  # (ticks, 2, 6) linear [m/s], angular [rad/s], world
    sole_rotation: Array  # (ticks, 2, 3, 3)
    wrench: Array  # (ticks, 2, 6) of the ground, world axes [N, N m]
    mu: Array  # (ticks, 2) of the floor under each sole's origin
    solved: NDArray[np.bool_]  # (ticks,) whether the controller's program had an answer

    def __init__(self, plant: FloatingPlant, ticks: int) -> None:
        humanoid = plant.humanoid
        model = humanoid.model
        columns = {
            "time": LogColumn(),
            "q": LogColumn((model.nq,)),
            "v": LogColumn((model.nv,)),
            "sole_position": LogColumn((2, 3)),
            "sole_velocity": LogColumn((2, 6)),
            "sole_rotation": LogColumn((2, 3, 3)),
            "wrench": LogColumn((2, 6)),
            "normal": FOOT_COLUMN,
            "mu": FOOT_COLUMN,
            "torques": LogColumn((model.nv - 6,)),
            "limit": LogColumn((2,), blank=math.nan),
            "solved": LogColumn(blank=True, kind=bool),
            "estimates": ESTIMATES,
        }
        limits = Joints(
            humanoid.robot.joints, humanoid.efforts, _ranges_of_legs(humanoid)
        )
        super().__init__(ticks, humanoid.weight, limits, columns)

    def record(self, plant: FloatingPlant, truth: Truth) -> None:
        """Append the truth of this instant."""
        i = self.length
        state = plant.state
        soles = truth.soles
        self.time[i] = 1e-9 * plant.stamp_ns
        self.q[i] = state.q
        self.v[i] = state.v
        self.torques[i] = state.torque
        self.mu[i] = truth.mu
        self.sole_position[i] = soles.position
        self.sole_rotation[i] = soles.rotation
        self.sole_velocity[i] = soles.velocity
        self.wrench[i] = soles.wrench
        self.normal[i] = soles.normal
        self.length += 1

    def record_control(self, output: ControlOutput) -> None:
        """Record a controller's output of the last instant."""
        i = self.length - 1
        answer = getattr(output, "answer", None)
        self.estimates[i] = output.estimates
        if answer is not None:
            self.limit[i] = answer.limits
            self.solved[i] = answer.solved

    @property
    def mu_true(self) -> Array:
        """Return the friction of the floor under each sole's origin (ticks, 2)."""
        return self.mu

    @property
    def wanted_ratio(self) -> Array:
        """Return the wanted force ratio (ticks, 2), which is NaN.

        There is none, for the limits are inside the whole body's program.
        """
        return np.full_like(self.mu, np.nan)

    @property
    def height(self) -> Array:
        """Return the height of the base over the lower sole [m] (ticks,)."""
        return np.asarray(self.q[:, 2] - self.sole_position[:, :, 2].min(axis=1))

    @property
    def yaw(self) -> Array:
        """Return the yaw of the soles [rad] (ticks, 2)."""
        return np.asarray(
            np.arctan2(self.sole_rotation[:, :, 1, 0], self.sole_rotation[:, :, 0, 0])
        )

    @property
    def sole_speed(self) -> Array:
        """Return the horizontal speed of the soles' origins [m/s] (ticks, 2)."""
        return np.asarray(np.linalg.norm(self.sole_velocity[:, :, :2], axis=2))

    @property
    def ratio(self) -> Array:
        """Return horizontal over vertical force of each sole (ticks, 2).

        It is NaN without load.
        """
        horizontal = np.linalg.norm(self.wrench[:, :, :2], axis=2)
        vertical = self.wrench[:, :, 2]
        return np.where(vertical > 1.0, horizontal / np.maximum(vertical, 1.0), np.nan)


def _ranges_of_legs(humanoid: Humanoid) -> Array:
    """Find the ends (2, n) [rad] of what the controller moves, where knees stay bent.

    They are infinite for other joints.
    """
    body = humanoid_body(humanoid)
    ranges = np.full((2, len(humanoid.robot.joints)), np.inf)
    moved = body.program.moved - 6
    ranges[0] *= -1.0
    ranges[:, moved] = body.lowest, body.highest
    return ranges

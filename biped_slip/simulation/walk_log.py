# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""What a walk leaves behind: one row per control tick, preallocated."""

from __future__ import annotations

import numpy as np

from biped_slip.estimation.readings import Array
from biped_slip.friction.types import FrictionEstimate
from biped_slip.robots.robot import Robot


class WalkLog:
    """Arrays over ticks; feet left, right on the second axis. Only the first ``length`` rows are filled.

    Attributes:
        time: (ticks,) [s]
        q, v: (ticks, nv)
        foot_x, foot_z, foot_vx: (ticks, 2) [m], [m/s], world
        normal, tangential: (ticks, 2) true contact force in the floor frame [N]
        mu_true: (ticks, 2) of the patch under each foot
        wanted_ratio: (ticks, 2) ratio wanted before any limit; NaN in swing
        limit: (ticks, 2), inf: none
        estimates: (ticks, 2, fields of FrictionEstimate)
        torques: (ticks, n) [N m]
        phase: (ticks,) gait phase
    """

    def __init__(self, robot: Robot, ticks: int) -> None:
        nv, n = robot.model.nv, len(robot.joints)
        self.length = 0
        self.time = np.zeros(ticks)
        self.q, self.v = np.zeros((ticks, nv)), np.zeros((ticks, nv))
        self.foot_x, self.foot_z, self.foot_vx = (np.zeros((ticks, 2)) for _ in range(3))
        self.normal, self.tangential, self.mu_true = (np.zeros((ticks, 2)) for _ in range(3))
        self.wanted_ratio, self.limit = np.full((ticks, 2), np.nan), np.full((ticks, 2), np.inf)
        self.estimates = np.full((ticks, 2, len(FrictionEstimate._fields)), np.nan)
        self.torques, self.phase = np.zeros((ticks, n)), np.zeros(ticks, dtype=int)

    def trim(self) -> WalkLog:
        """Drop the rows that were not reached."""
        for name, values in vars(self).items():
            if isinstance(values, np.ndarray):
                setattr(self, name, values[: self.length])
        return self

    def estimate(self, field: str) -> Array:
        """One quantity of the estimates over time, (ticks, 2)."""
        values: Array = self.estimates[:, :, FrictionEstimate._fields.index(field)]
        return values

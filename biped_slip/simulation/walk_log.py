# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""What a walk leaves behind: one row per control tick, preallocated."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from biped_slip.errors import InvalidRecording
from biped_slip.estimation.readings import Array
from biped_slip.friction.types import FrictionEstimate
from biped_slip.robots.robot import Robot
from biped_slip.simulation.plant import Plant
from biped_slip.simulation.walker import ControlRecord


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

    def record_world(self, plant: Plant) -> None:
        """Append what is true at this instant."""
        i, slope = self.length, plant.ground.slope
        contact = plant.contact()
        position, velocity = plant.motion(plant.state.q, plant.state.v)
        self.time[i], self.q[i], self.v[i] = 1e-9 * plant.stamp_ns, plant.state.q, plant.state.v
        self.foot_x[i], self.foot_z[i], self.foot_vx[i] = position[:, 0], position[:, 2], velocity[:, 0]
        self.normal[i], self.mu_true[i] = contact.normal, contact.mu
        self.tangential[i] = contact.force @ np.array([np.cos(slope), np.sin(slope)])
        self.length = i + 1

    def record_control(self, i: int, record: ControlRecord) -> None:
        """What the controller made of instant ``i``."""
        self.wanted_ratio[i], self.limit[i] = record.wanted_ratio, record.limits
        self.torques[i], self.phase[i] = record.torques, record.phase
        self.estimates[i] = record.estimates

    def save(self, path: str | Path) -> None:
        """Write the filled rows as a NumPy archive (.npz)."""
        arrays = {name: values for name, values in vars(self).items() if isinstance(values, np.ndarray)}
        filled: dict[str, Any] = {name: values[: self.length] for name, values in arrays.items()}
        with Path(path).open("wb") as file:
            np.savez(file, **filled)

    @classmethod
    def load(cls, path: str | Path, robot: Robot) -> WalkLog:
        """Read what :meth:`save` wrote.

        Raises:
            InvalidRecording: not such a file.
        """
        log = cls(robot, 0)
        try:
            with np.load(path) as archive:
                for name in [name for name, values in vars(log).items() if isinstance(values, np.ndarray)]:
                    setattr(log, name, archive[name])
        except (OSError, KeyError, ValueError) as error:
            raise InvalidRecording(path, f"not the log of a walk ({error})") from error
        log.length = log.time.size
        return log

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

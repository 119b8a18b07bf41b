# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The log of a planar walk, and the kernels that write its rows.

The single tick and the compiled walk write rows by the same kernels: ``write_truth`` as
the sensors are read, ``write_control`` once the controller has answered.
"""

from __future__ import annotations

import math
from collections import namedtuple
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from biped_slip.compile.array_kernels import copy_vector
from biped_slip.compile.arrays import Array
from biped_slip.compile.kernel import kernel
from biped_slip.constants import GRAVITY
from biped_slip.friction_estimation.types import write_estimate
from biped_slip.robots.robot import Robot
from biped_slip.simulation.log import ESTIMATES, FOOT_COLUMN, Joints, Log, LogColumn
from biped_slip.simulation.planar.physics import PlantState, SoleForces
from biped_slip.simulation.planar.plant import Plant
from biped_slip.walking.planar import PlanarOutput

#: The arrays of a log, for kernels; shapes as in :class:`WalkLog`.
LogRows = namedtuple(
    "LogRows",
    "time q v foot_x foot_z foot_vx normal tangential mu_true wanted_ratio limit "
    "estimates torques phase",
)


@kernel
def write_truth(
    rows: LogRows,
    i: int,
    time: float,
    state: PlantState,
    contact: SoleForces,
    motion: Any,
    slope: float,
) -> None:
    """Write the truth of an instant into row ``i``.

    The motion is positions (2, 3) and velocities (2, 6) of the soles.

    Args:
        rows: of the log.
        i: row.
        time: [s].
        state: of the plant.
        contact: of the feet.
        motion: positions (2, 3) and velocities (2, 6) of the soles.
        slope: of the floor [rad].
    """
    position, velocity = motion
    c = math.cos(slope)
    s = math.sin(slope)
    rows.time[i] = time
    copy_vector(state.q, rows.q[i], 0)
    copy_vector(state.v, rows.v[i], 0)
    for foot in range(2):
        rows.foot_x[i, foot] = position[foot, 0]
        rows.foot_z[i, foot] = position[foot, 2]
        rows.foot_vx[i, foot] = velocity[foot, 0]
        rows.normal[i, foot] = contact.normal[foot]
        rows.mu_true[i, foot] = contact.mu[foot]
        rows.tangential[i, foot] = (
            c * contact.force[foot, 0] + s * contact.force[foot, 1]
        )


@kernel
def write_control(rows: LogRows, i: int, record: PlanarOutput) -> None:
    """Write a controller's output at an instant into row ``i``.

    Args:
        rows: of the log.
        i: row.
        record: output of the controller.
    """
    rows.phase[i] = record.phase
    copy_vector(record.torques, rows.torques[i], 0)
    for foot in range(2):
        rows.wanted_ratio[i, foot] = record.wanted_ratio[foot]
        rows.limit[i, foot] = record.limits[foot]
        write_estimate(rows.estimates[i, foot], record.estimates[foot])


class WalkLog(Log):
    """Arrays over ticks; feet left, right on the second axis.

    Only the first ``length`` rows are filled.
    """

    v: Array  # (ticks, nv)
    foot_x: Array  # (ticks, 2) [m], world
    foot_z: Array  # (ticks, 2) [m], world
    foot_vx: Array  # (ticks, 2) [m/s], world
    tangential: Array  # (ticks, 2) true contact force along the floor [N]
    mu_true: Array  # (ticks, 2) of the patch under each foot
    wanted_ratio: Array  # (ticks, 2) before any limit; NaN in swing
    phase: NDArray[np.int64]  # (ticks,) of the gait

    def __init__(self, robot: Robot, ticks: int) -> None:
        nv = robot.model.nv
        columns = {
            "time": LogColumn(),
            "q": LogColumn((nv,)),
            "v": LogColumn((nv,)),
            "foot_x": FOOT_COLUMN,
            "foot_z": FOOT_COLUMN,
            "foot_vx": FOOT_COLUMN,
            "normal": FOOT_COLUMN,
            "tangential": FOOT_COLUMN,
            "mu_true": FOOT_COLUMN,
            "wanted_ratio": LogColumn((2,), blank=math.nan),
            "limit": LogColumn((2,), blank=math.inf),
            "estimates": ESTIMATES,
            "torques": LogColumn((len(robot.joints),)),
            "phase": LogColumn(kind=int),
        }
        limits = Joints(robot.joints, robot.effort_limits, robot.position_limits)
        super().__init__(ticks, robot.mass * GRAVITY, limits, columns)

    def record_world(self, plant: Plant) -> None:
        """Append the truth of this instant."""
        state = plant.state
        time = 1e-9 * plant.stamp_ns
        motion = plant.motion(state.q, state.v)
        if self.length == self.time.size:  # compiled code would write past the end
            raise IndexError("the log is full")
        write_truth(
            self.rows,
            self.length,
            time,
            state,
            plant.contact(),
            motion,
            plant.ground.slope,
        )
        self.length += 1

    def record_control(self, i: int, record: PlanarOutput) -> None:
        """Record the controller's output of instant ``i``.

        Its numbers may also come from a message.
        """
        self.wanted_ratio[i] = record.wanted_ratio
        self.limit[i] = record.limits
        self.torques[i] = record.torques
        self.phase[i] = record.phase
        self.estimates[i] = record.estimates

    @property
    def rows(self) -> LogRows:
        """Return the log's arrays for the kernels."""
        return LogRows._make(getattr(self, name) for name in LogRows._fields)

    @property
    def ratio(self) -> Array:
        """Return tangential over normal contact force [-] (ticks, 2).

        It is NaN without contact.
        """
        loaded = self.normal > 0.0
        return np.where(
            loaded, np.abs(self.tangential) / np.where(loaded, self.normal, 1.0), np.nan
        )

    @property
    def sole_speed(self) -> Array:
        """Return the speed of the feet along x [m/s] (ticks, 2)."""
        return np.abs(self.foot_vx)

    @property
    def height(self) -> Array:
        """Return the height of the hip over the lower foot [m] (ticks,)."""
        return np.asarray(self.q[:, 1] - self.foot_z.min(axis=1))

    @property
    def yaw(self) -> Array:
        """Return the yaw of the feet: none in a plane (ticks, 2)."""
        return np.zeros_like(self.foot_x)

    @property
    def solved(self) -> NDArray[np.bool_]:
        """Return whether each tick had a solution (ticks,): always, in closed form."""
        return np.ones(self.time.size, dtype=bool)

    @classmethod
    def load(cls, path: str | Path, robot: Robot) -> WalkLog:
        """Load a log from the file of :meth:`save`."""
        return cls(robot, 0).read(path)

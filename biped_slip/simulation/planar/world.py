# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""What surrounds the controller in a simulated walk: robot, floor, sensors, log."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from biped_slip.compile.arrays import Array, copy_vector
from biped_slip.compile.kernel import kernel
from biped_slip.contact.ground import height_along_normal
from biped_slip.errors import InvalidRecording, SimulationDiverged
from biped_slip.estimation.readings import SensorReadings
from biped_slip.friction_estimation.types import FrictionEstimate
from biped_slip.robots.planar_biped import planar_biped
from biped_slip.robots.robot import Robot
from biped_slip.simulation.planar.plant import Plant, PlantState, SoleForces, with_chosen_step
from biped_slip.simulation.planar.scenario import ScenarioConfig, start_state
from biped_slip.simulation.planar.sensors import Sensors
from biped_slip.simulation.summary import Log
from biped_slip.walking.planar import PlanarOutput

# What a walk leaves behind: one row per control tick, preallocated.


class LogRows(NamedTuple):
    """The arrays of a log, for kernels; shapes as in :class:`WalkLog`."""

    time: Array
    q: Array
    v: Array
    foot_x: Array
    foot_z: Array
    foot_vx: Array
    normal: Array
    tangential: Array
    mu_true: Array
    wanted_ratio: Array
    limit: Array
    estimates: Array
    torques: Array
    phase: NDArray[np.int64]


@kernel
def write_truth(
    rows: LogRows, i: int, time: float, state: PlantState, contact: SoleForces, motion: Any, slope: float
) -> None:
    """What is true at an instant into row ``i``; motion: positions (2, 3) and velocities (2, 6) of the soles."""
    position, velocity = motion
    c, s = math.cos(slope), math.sin(slope)
    rows.time[i] = time
    copy_vector(state.q, rows.q[i], 0)
    copy_vector(state.v, rows.v[i], 0)
    for foot in range(2):
        rows.foot_x[i, foot], rows.foot_z[i, foot] = position[foot, 0], position[foot, 2]
        rows.foot_vx[i, foot] = velocity[foot, 0]
        rows.normal[i, foot], rows.mu_true[i, foot] = contact.normal[foot], contact.mu[foot]
        rows.tangential[i, foot] = c * contact.force[foot, 0] + s * contact.force[foot, 1]


@kernel
def write_control(rows: LogRows, i: int, record: PlanarOutput) -> None:
    """What a controller made of an instant into row ``i``."""
    rows.phase[i] = record.phase
    copy_vector(record.torques, rows.torques[i], 0)
    for foot in range(2):
        rows.wanted_ratio[i, foot], rows.limit[i, foot] = record.wanted_ratio[foot], record.limits[foot]
        _write_estimate(rows.estimates[i, foot], record.estimates[foot])


@kernel
def _write_estimate(row: Array, estimate: FrictionEstimate) -> None:
    row[0], row[1], row[2], row[3] = estimate.mu, estimate.mu_low, estimate.mu_q05, estimate.mu_median
    row[4], row[5], row[6], row[7] = estimate.mu_high, estimate.usable, estimate.flag, estimate.witnessed
    row[8], row[9], row[10], row[11] = estimate.s_p, estimate.force_ratio, estimate.slipping, estimate.state_code


class WalkLog(Log):
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
        i, state = self.length, plant.state
        motion = plant.motion(state.q, state.v)
        write_truth(self.rows, i, 1e-9 * plant.stamp_ns, state, plant.contact(), motion, plant.ground.slope)
        self.length = i + 1

    def record_control(self, i: int, record: PlanarOutput) -> None:
        """What the controller made of instant ``i``, also when its numbers come from a message."""
        self.wanted_ratio[i], self.limit[i] = record.wanted_ratio, record.limits
        self.torques[i], self.phase[i] = record.torques, record.phase
        self.estimates[i] = record.estimates

    @property
    def rows(self) -> LogRows:
        """The arrays as they are now."""
        return LogRows(*(getattr(self, name) for name in LogRows._fields))

    @classmethod
    def load(cls, path: str | Path, robot: Robot) -> WalkLog:
        """Read what :meth:`save` wrote.

        Raises:
            InvalidRecording: not such a file.
        """
        log = cls(robot, 0)
        try:
            with np.load(path) as archive:
                for name in log.filled():
                    setattr(log, name, archive[name])
        except (OSError, KeyError, ValueError) as error:
            raise InvalidRecording(path, f"not the log of a walk ({error})") from error
        log.length = log.time.size
        return log

    def estimate(self, field: str) -> Array:
        """One quantity of the estimates over time, (ticks, 2)."""
        values: Array = self.estimates[:, :, FrictionEstimate._fields.index(field)]
        return values


# What surrounds the controller in a simulated walk: the robot on its floor, its sensors, its start and its end.

FALLEN_HEIGHT = 0.45  # [m] of the hip over the floor


class World:
    """Readings out, torques in, once per control period, until the walk has ended.

    Args:
        scenario: what to walk.
        seed: of the sensor noise.
    """

    def __init__(self, scenario: ScenarioConfig, seed: int = 0) -> None:
        self.scenario, self.robot = scenario, planar_biped(scenario.variant)
        self.plant = Plant(self.robot, scenario.ground, with_chosen_step(self.robot, scenario.plant))
        self.plant.place(*start_state(scenario, self.robot))
        self.ticks = round(scenario.duration * 1e9 / scenario.plant.control_period_ns)
        self.log = WalkLog(self.robot, self.ticks)
        self.fell = False
        self.sensors = Sensors(self.plant, scenario.sensors, np.random.default_rng(seed))

    @property
    def ended(self) -> bool:
        """Whether the robot fell or the time is over."""
        return self.fell or self.plant.ticks >= self.ticks

    def read(self) -> SensorReadings:
        """Readings of this instant, which is logged; once per control period."""
        readings = self.measure()
        self.record()
        return readings

    def measure(self) -> SensorReadings:
        """Readings of this instant, not logged yet: for a loop in which somebody waits for them."""
        return self.sensors.read()

    def record(self) -> None:
        """Log this instant; once per control period."""
        self.log.record_world(self.plant)

    def advance(self, torques: Array) -> None:
        """One control period under joint torques (n,); a fall or divergence ends the walk."""
        push = self.scenario.pushes.at(1e-9 * self.plant.stamp_ns)
        try:
            self.plant.advance(torques, (push, 0.0))
        except SimulationDiverged:
            self.fell = True
        self.fell = self.fell or self.hip_height() < FALLEN_HEIGHT

    def hip_height(self) -> float:
        """Height of the hip over the floor [m]."""
        q = self.plant.state.q
        return height_along_normal(self.plant.ground, float(q[0]), float(q[1]))

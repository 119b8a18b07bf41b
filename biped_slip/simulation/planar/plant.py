# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The robot on its floor: rigid-body dynamics, contact at the soles, fixed-step integration.

A control period is a whole number of plant steps; how a step goes is the contact physics' affair.
"""

from __future__ import annotations

import math
from functools import cached_property
from typing import Any

import numpy as np

from biped_slip.compile.arrays import Array, copy_vector
from biped_slip.compile.kernel import kernel, without_dispatch
from biped_slip.config import Configuration, configuration, parameter, section
from biped_slip.constants import GRAVITY
from biped_slip.contact.contact_config import WHOLE_ROBOT, ContactConfig
from biped_slip.contact.ground import GroundConfig
from biped_slip.contact.point_law import fresh_memory
from biped_slip.contact.time_step import check_time_step
from biped_slip.errors import InvalidParameter, SimulationDiverged
from biped_slip.robots.model_functions import model_functions
from biped_slip.robots.robot import Robot
from biped_slip.simulation.planar.constraint_contact import constraint_kernels
from biped_slip.simulation.planar.penalty_contact import penalty_kernels
from biped_slip.simulation.planar.plant_state import PlantState, SoleForces

FOOT_SHARE = 0.5  # of the robot's mass and weight on each foot, for the check of the time step


@configuration
class PlantConfig(Configuration):
    """Integration and contact."""

    control_period_ns: int = parameter(
        1_000_000, unit="ns", low=1000, high=1_000_000_000, source="A.9: 1 kHz", doc="time between two commands"
    )
    step_ns: int = parameter(
        100_000,
        unit="ns",
        low=100,
        high=1_000_000,
        source="A.7: <= 1e-4 s",
        doc="integration step; this one errs by less than 3 um in a landing",
    )
    error_target: float = parameter(
        0.0, unit="m", low=0.0, high=0.01, doc="a walk chooses the longest step below this error; 0 keeps step_ns"
    )
    speed_limit: float = parameter(
        200.0, unit="rad/s or m/s", above=0.0, source="choice", doc="a faster coordinate means divergence"
    )
    contact: ContactConfig = section(ContactConfig)

    def check(self) -> None:
        """The step must divide the control period, and resolve the contact's own time scale."""
        if self.control_period_ns % self.step_ns:
            raise InvalidParameter(
                "PlantConfig.step_ns", self.step_ns, f"a divisor of the control period {self.control_period_ns} ns"
            )


@kernel
def generalized_forces(root: int, torques: Array, push_x: float, push_z: float) -> Array:
    """Joint torques (n,) and a force [N] on the base in the coordinates of a robot with a base of ``root``, (nv,)."""
    tau = np.zeros(root + torques.shape[0])
    tau[0], tau[1] = push_x, push_z
    copy_vector(torques, tau, root)
    return tau


@kernel
def fastest_coordinate(v: Array) -> float:
    """Largest speed of a coordinate; infinity if one is not finite."""
    fastest = 0.0
    for speed in v:
        if not math.isfinite(speed):
            return math.inf
        fastest = max(fastest, abs(speed))
    return fastest


class Plant:
    """A robot on a floor; torques in, state out."""

    def __init__(self, robot: Robot, ground: GroundConfig, config: PlantConfig) -> None:
        self.robot, self.config = robot, config
        self.ground = ground.ground()
        functions = model_functions(robot)
        if config.contact.law == "mujoco":
            from biped_slip.simulation.planar.mujoco_contact import mujoco_kernels  # takes a while to load

            self.kernels = mujoco_kernels(robot, self.ground, config.contact)
        elif config.contact.law in WHOLE_ROBOT:
            self.kernels = constraint_kernels(functions, config.contact)
        else:
            share, mu = FOOT_SHARE * robot.mass, max(ground.mu)
            check_time_step(config.contact.pair, share, share * GRAVITY, mu, self.step)
            self.kernels = penalty_kernels(functions, config.contact)
        self.motion: Any = functions.sole_motion
        self.state = PlantState(np.zeros(robot.model.nq), np.zeros(robot.model.nv), fresh_memory(2))
        self.tau = np.zeros(robot.model.nv)
        self.ticks = 0
        self._contact: tuple[PlantState, SoleForces] | None = None

    @cached_property
    def _advance(self) -> Any:
        kernels = self.kernels
        return without_dispatch(kernels.advance, self.state, self.tau, self.ground, kernels.settings, 1, 1.0)

    @property
    def step(self) -> float:
        """Integration step [s]."""
        return 1e-9 * self.config.step_ns

    @property
    def steps(self) -> int:
        """Integration steps in a control period."""
        return self.config.control_period_ns // self.config.step_ns

    @property
    def stamp_ns(self) -> int:
        """Time since the start, in whole control periods."""
        return self.ticks * self.config.control_period_ns

    def place(self, q: Array, v: Array, contact: Array | None = None) -> None:
        """Start from given coordinates and contact memory (2, MEMORY) at time zero."""
        held = fresh_memory(2) if contact is None else np.array(contact, dtype=float)
        self.state = PlantState(np.array(q, dtype=float), np.array(v, dtype=float), held)
        self.tau, self.ticks = np.zeros(self.robot.model.nv), 0

    def contact(self) -> SoleForces:
        """True contact now; computed once however often it is asked for."""
        if self._contact is None or self._contact[0] is not self.state:
            kernels = self.kernels
            forces = kernels.forces(self.state, self.tau, self.ground, kernels.settings, self.step)
            self._contact = self.state, forces
        return self._contact[1]

    def acceleration(self) -> Array:
        """Accelerations (nv,) now, under the torques of the last period."""
        kernels = self.kernels
        return kernels.acceleration(self.state, self.tau, self.ground, kernels.settings, self.step)

    def advance(self, torques: Array, push: tuple[float, float] = (0.0, 0.0)) -> None:
        """One control period under joint torques (n,) and a push (x, z) [N] on the base.

        Raises:
            SimulationDiverged: a coordinate is not finite or absurdly fast; the state stays as it was.
        """
        tau = generalized_forces(self.robot.root_size, torques, push[0], push[1])
        state = self._advance(self.state, tau, self.ground, self.kernels.settings, self.steps, self.step)
        fastest = fastest_coordinate(state.v)
        if not fastest <= self.config.speed_limit:
            raise SimulationDiverged("largest speed", fastest, self.config.speed_limit, 1e-9 * self.stamp_ns)
        self.state, self.tau = state, tau
        self.ticks += 1

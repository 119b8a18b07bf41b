# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The robot on its floor: rigid-body dynamics, contact at the soles, fixed-step integration.

Explicit midpoint for the coordinates, the exact exponential for the friction state; a control period is a whole
number of plant steps.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple, cast

import numpy as np

from biped_slip.config import Configuration, configuration, parameter, section
from biped_slip.contact.ground import Ground, GroundConfig
from biped_slip.contact.point_contact import (
    PointContact,
    PointContactConfig,
    friction_state_step,
    point_force,
)
from biped_slip.errors import InvalidParameter, SimulationDiverged
from biped_slip.robots.model_functions import Array, joint_acceleration, model_functions, sole_motion
from biped_slip.robots.robot import Robot


@configuration
class PlantConfig(Configuration):
    """Integration and contact."""

    control_period_ns: int = parameter(
        1_000_000, unit="ns", low=1000, high=1_000_000_000, source="A.9: 1 kHz", doc="time between two commands"
    )
    step_ns: int = parameter(
        50_000, unit="ns", low=100, high=1_000_000, source="A.7: <= 1e-4 s", doc="integration step"
    )
    speed_limit: float = parameter(
        200.0, unit="rad/s or m/s", above=0.0, source="choice", doc="a faster coordinate means divergence"
    )
    contact: PointContactConfig = section(PointContactConfig)

    def check(self) -> None:
        """The step must divide the control period, and resolve the contact's own time scale."""
        if self.control_period_ns % self.step_ns:
            raise InvalidParameter(
                "PlantConfig.step_ns", self.step_ns, f"a divisor of the control period {self.control_period_ns} ns"
            )


class PlantState(NamedTuple):
    """Everything that the plant remembers."""

    q: Array  # (nv,)
    v: Array  # (nv,)
    friction: Array  # (2,) state u of each foot


class SoleForces(NamedTuple):
    """True contact at one instant, feet left and right."""

    force: Array  # (2, 2) of the ground on the foot, world x and z [N]
    normal: Array  # (2,) [N]
    mu: Array  # (2,) of the patch under each foot
    slip_velocity: Array  # (2,) along the floor [m/s]


def contact_forces(state: PlantState, ground: Ground, contact: PointContact) -> SoleForces:
    """Contact forces in a state."""
    position, velocity = sole_motion(state.q, state.v)
    result = SoleForces(np.empty((2, 2)), np.empty(2), np.empty(2), np.empty(2))
    for foot in range(2):
        force = point_force(
            state.friction[foot],
            position[foot, 0],
            position[foot, 2],
            velocity[foot, 0],
            velocity[foot, 2],
            ground,
            contact,
        )
        result.force[foot, 0], result.force[foot, 1] = force.x, force.z
        result.normal[foot], result.mu[foot] = force.normal, force.mu
        result.slip_velocity[foot] = force.slip_velocity
    return result


def stage(
    state: PlantState, friction_before: Array, tau: Array, ground: Ground, contact: PointContact, dt: float
) -> tuple[Array, Array]:
    """Acceleration (nv,) in a state, and the friction states (2,) that follow those before after dt of its sliding."""
    position, velocity = sole_motion(state.q, state.v)
    wrenches, friction = np.zeros((2, 6)), np.empty(2)
    for foot in range(2):
        force = point_force(
            state.friction[foot],
            position[foot, 0],
            position[foot, 2],
            velocity[foot, 0],
            velocity[foot, 2],
            ground,
            contact,
        )
        wrenches[foot, 0], wrenches[foot, 2] = force.x, force.z
        friction[foot] = friction_state_step(friction_before[foot], force, contact, dt)
    return joint_acceleration(state.q, state.v, tau, wrenches), friction


def advance(state: PlantState, tau: Array, ground: Ground, contact: PointContact, steps: int, dt: float) -> PlantState:
    """State after a number of midpoint steps of dt [s] under constant generalized torques (nv,)."""
    for _ in range(steps):
        acceleration, friction = stage(state, state.friction, tau, ground, contact, 0.5 * dt)
        middle = PlantState(state.q + 0.5 * dt * state.v, state.v + 0.5 * dt * acceleration, friction)
        acceleration, friction = stage(middle, state.friction, tau, ground, contact, dt)
        state = PlantState(state.q + dt * middle.v, state.v + dt * acceleration, friction)
    return state


def base_motion(state: PlantState, tau: Array, ground: Ground, contact: PointContact) -> Array:
    """Acceleration (nv,) of all coordinates, for the inertial sensor."""
    acceleration, _ = stage(state, state.friction, tau, ground, contact, 0.0)
    return acceleration


class Plant:
    """A robot on a floor; torques in, state out."""

    def __init__(self, robot: Robot, ground: GroundConfig, config: PlantConfig) -> None:
        self.robot, self.config = robot, config
        self.ground = ground.ground()
        self._contact = config.contact.packed
        functions = model_functions(robot)
        self._forces: Any = functions.bind(contact_forces)
        bound_stage = functions.bind(stage)
        self._advance: Any = functions.bind(advance, stage=bound_stage)
        self._base_motion: Any = functions.bind(base_motion, stage=bound_stage)
        self.motion: Any = functions.sole_motion
        self.state = PlantState(np.zeros(robot.model.nq), np.zeros(robot.model.nv), np.zeros(2))
        self.tau = np.zeros(robot.model.nv)
        self.ticks = 0

    @property
    def stamp_ns(self) -> int:
        """Time since the start, in whole control periods."""
        return self.ticks * self.config.control_period_ns

    def place(self, q: Array, v: Array, friction: Array | None = None) -> None:
        """Start from given coordinates and friction states (2,) at time zero."""
        held = np.zeros(2) if friction is None else np.array(friction, dtype=float)
        self.state = PlantState(np.array(q, dtype=float), np.array(v, dtype=float), held)
        self.tau, self.ticks = np.zeros(self.robot.model.nv), 0

    def contact(self) -> SoleForces:
        """True contact now."""
        return cast(SoleForces, self._forces(self.state, self.ground, self._contact))

    def acceleration(self) -> Array:
        """Accelerations (nv,) now, under the torques of the last period."""
        return cast(Array, self._base_motion(self.state, self.tau, self.ground, self._contact))

    def advance(self, torques: Array, push: tuple[float, float] = (0.0, 0.0)) -> None:
        """One control period under joint torques (n,) and a push (x, z) [N] on the base.

        Raises:
            SimulationDiverged: a coordinate is not finite or absurdly fast; the state stays as it was.
        """
        tau = np.zeros(self.robot.model.nv)
        tau[0], tau[1] = push
        tau[self.robot.root_size :] = torques
        config = self.config
        steps = config.control_period_ns // config.step_ns
        state = self._advance(self.state, tau, self.ground, self._contact, steps, 1e-9 * config.step_ns)
        fastest = float(np.abs(state.v).max())
        if not math.isfinite(fastest) or fastest > config.speed_limit:
            raise SimulationDiverged("largest speed", fastest, config.speed_limit, 1e-9 * self.stamp_ns)
        self.state, self.tau = state, tau
        self.ticks += 1

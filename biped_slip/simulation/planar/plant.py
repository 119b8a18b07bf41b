# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The planar biped on its floor: rigid-body dynamics and contact at the soles.

Integration is by fixed steps.
"""

from __future__ import annotations

import dataclasses
import math
from functools import lru_cache
from typing import Any, Callable, NamedTuple

import numpy as np
from numpy.typing import NDArray

from biped_slip.compile.array_kernels import copy_vector
from biped_slip.compile.arrays import Array
from biped_slip.compile.kernel import OfOneType, kernel
from biped_slip.config import Configuration, configuration, parameter, section
from biped_slip.constants import GRAVITY
from biped_slip.contact.feedback_linearised import (
    ContactSpace,
    contact_space,
    linearising_forces,
)
from biped_slip.contact.ground import (
    Ground,
    GroundConfig,
    friction_at,
    height_along_normal,
)
from biped_slip.contact.point_contact import (
    MOVING_SHARE,
    WHOLE_ROBOT,
    ContactConfig,
    FootForce,
    PointLaw,
    PointMotion,
    begin_anew,
    check_time_step,
    fresh_memory,
    load,
    longest_damped_step,
    planar_point,
    store,
)
from biped_slip.contact.spill import (
    Spill,
    check_sagittal,
    covers,
    spilled_ground,
)
from biped_slip.errors import InvalidParameter
from biped_slip.estimation.readings import whole_periods
from biped_slip.robots.gears import gears_of
from biped_slip.robots.model_functions import ModelFunctions, model_functions
from biped_slip.robots.planar_biped import standing_coordinates
from biped_slip.robots.robot import Robot
from biped_slip.simulation.divergence import force_beyond
from biped_slip.simulation.joint_friction import joint_friction
from biped_slip.simulation.planar.physics import (
    Acceleration,
    Advance,
    ContactForces,
    PlantKernels,
    PlantState,
    SoleForces,
)
from biped_slip.simulation.plant import SteppedPlant
from biped_slip.simulation.step_choice import (
    IntegrationStep,
    longest_step,
    with_borne_step,
)
from biped_slip.simulation.unmodelled import (
    Anatomy,
    Unmodelled,
    check_plain_joints,
)

# The plant on contact laws of points: explicit midpoint for the coordinates, exact
# steps of the contact's memory.


class PointSettings(NamedTuple):
    """Settings of the physics of points."""

    law: PointLaw
    per_mass: float  # masses of the model over those of the robot


class PlantWork(NamedTuple):
    """Work arrays of one call."""

    position: Array  # (2, 3) of the soles
    velocity: Array  # (2, 6)
    wrenches: Array  # (2, 6)
    acceleration: Array  # (nv,)
    beyond: Array  # (1,) largest force_beyond of all steps so far [N]


@kernel
def new_work(nv: int) -> PlantWork:
    """Allocate arrays for a robot of ``nv`` velocities."""
    return PlantWork(
        position=np.empty((2, 3)),
        velocity=np.empty((2, 6)),
        wrenches=np.zeros((2, 6)),
        acceleration=np.empty(nv),
        beyond=np.zeros(1),
    )


#: (state, before, after, tau, ground, settings, dt, work): fills ``work`` and ``after``
Stage = Callable[
    [PlantState, Array, Array, Array, Ground, PointSettings, float, PlantWork], None
]


def penalty_kernels(functions: ModelFunctions, contact: ContactConfig) -> PlantKernels:
    """Make the plant's kernels for a robot on a law of points."""
    foot_force = planar_point(contact.pair)
    stage = stage_of(functions, foot_force)
    return PlantKernels(
        forces_of(functions, foot_force),
        advance_by(stage),
        acceleration_by(stage),
        PointSettings(contact.pair.packed, 1.0),
        compiled=True,
    )


def forces_of(functions: ModelFunctions, foot_force: FootForce) -> ContactForces:
    """Compute the contact forces (2, 3) in a state."""
    sole_motion = functions.sole_motion

    @kernel
    def contact_forces(
        state: PlantState,
        tau: Array,
        ground: Ground,
        settings: PointSettings,
        dt: float,
    ) -> SoleForces:
        position, velocity = sole_motion(state.q, state.v)
        result = SoleForces(np.empty((2, 2)), np.empty(2), np.empty(2), np.empty(2))
        for foot in range(2):
            memory = load(state.contact, foot)
            motion = PointMotion(
                position[foot, 0],
                position[foot, 2],
                velocity[foot, 0],
                velocity[foot, 2],
            )
            force, _ = foot_force(memory, memory, motion, ground, settings.law, 0.0)
            result.force[foot, 0] = force.x
            result.force[foot, 1] = force.z
            result.normal[foot] = force.normal
            result.mu[foot] = force.mu
            result.slip_velocity[foot] = force.slip_velocity
        return result

    return contact_forces


def stage_of(functions: ModelFunctions, foot_force: FootForce) -> Stage:
    """Compute acceleration into ``work``, and contact memory into ``after``.

    The memory in ``after`` follows that in ``before`` by dt.
    """
    coordinates = functions.coordinates
    sole_motion_into = functions.sole_motion_into
    joint_acceleration_into = functions.joint_acceleration_into

    @kernel(inline="code")
    def stage_in(
        state: PlantState,
        before: Array,
        after: Array,
        tau: Array,
        ground: Ground,
        settings: PointSettings,
        dt: float,
        work: PlantWork,
    ) -> None:
        q = coordinates(state.q)
        v = coordinates(state.v)
        sole_motion_into(q, v, work.position, work.velocity)
        for foot in range(2):
            motion = PointMotion(
                work.position[foot, 0],
                work.position[foot, 2],
                work.velocity[foot, 0],
                work.velocity[foot, 2],
            )
            force, memory = foot_force(
                load(state.contact, foot),
                load(before, foot),
                motion,
                ground,
                settings.law,
                dt,
            )
            along = abs(ground.cos * force.x + ground.sin * force.z)
            beyond = force_beyond(along, force.mu * force.normal)
            work.beyond[0] = max(work.beyond[0], beyond)
            share = settings.per_mass
            work.wrenches[foot, 0] = share * force.x
            work.wrenches[foot, 2] = share * force.z
            store(after, foot, memory)
        joint_acceleration_into(q, v, tau, work.wrenches, work.acceleration)

    return stage_in


def advance_by(stage: Stage) -> Advance:
    """Integrate the state by a number of midpoint steps of dt [s].

    The generalized torques (nv,) are constant.
    """

    @kernel
    def advance(
        state: PlantState,
        tau: Array,
        ground: Ground,
        settings: PointSettings,
        steps: int,
        dt: float,
    ) -> tuple[PlantState, float]:
        nv = state.v.shape[0]
        now = PlantState(state.q.copy(), state.v.copy(), state.contact.copy())
        middle = PlantState(np.empty(nv), np.empty(nv), np.empty_like(now.contact))
        work = new_work(nv)
        for _ in range(steps):
            stage(
                now, now.contact, middle.contact, tau, ground, settings, 0.5 * dt, work
            )
            for i in range(nv):
                middle.q[i] = now.q[i] + 0.5 * dt * now.v[i]
                middle.v[i] = now.v[i] + 0.5 * dt * work.acceleration[i]
            stage(middle, now.contact, now.contact, tau, ground, settings, dt, work)
            for i in range(nv):
                now.q[i] += dt * middle.v[i]
                now.v[i] += dt * work.acceleration[i]
        return now, work.beyond[0]

    return advance


def acceleration_by(stage: Stage) -> Acceleration:
    """Compute acceleration (nv,) of all coordinates, for the inertial sensor."""

    @kernel
    def acceleration(
        state: PlantState,
        tau: Array,
        ground: Ground,
        settings: PointSettings,
        dt: float,
    ) -> Array:
        work = new_work(state.v.shape[0])
        stage(
            state,
            state.contact,
            np.empty_like(state.contact),
            tau,
            ground,
            settings,
            0.0,
            work,
        )
        return work.acceleration

    return acceleration


# The plant on laws that solve for all contact points at once: Rengifo's (C) and Rodić's
# (D), semi-implicit Euler.
#
# Contact space has three rows per foot in the floor's axes: along it, across (idle in a
# sagittal world), its normal.


class Soles(NamedTuple):
    """Both soles in the floor's axes."""

    space: ContactSpace  # 6 rows
    height: Array  # (2,) [m] over the floor
    velocity: Array  # (2, 3) [m/s]
    mu: Array  # (2,)


SolesOnFloor = Callable[[Array, Array, Array, Ground], Soles]  # (q, v, tau, ground)
Solve = Callable[
    [Soles, Any, float], Array
]  # (soles, settings, dt) -> forces (2, 3) [N] in the floor's axes
Collide = Callable[
    [Soles, Any], Array
]  # (soles, settings) -> impulses (2, 3) [N s] in the floor's axes
Evaluate = Callable[[PlantState, Array, Ground, Any, float], tuple[SoleForces, Array]]


def constraint_kernels(
    functions: ModelFunctions, contact: ContactConfig
) -> PlantKernels:
    """Make the plant's kernels for a robot on Rengifo's or Rodić's law."""
    soles = soles_of(functions)
    rodic = contact.law == "rodic"
    solve, collide = complementarity() if rodic else (feedback_forces, no_impulse)
    evaluate = evaluate_by(soles, solve)
    settings = contact.rodic.packed if rodic else contact.rengifo.packed
    advance = constraint_contact_advance_by(soles, solve, collide)
    return PlantKernels(
        lambda *now: evaluate(*now)[0],
        advance,
        lambda *now: evaluate(*now)[1],
        settings,
    )


def soles_of(functions: ModelFunctions) -> SolesOnFloor:
    """Compute motion and contact space of both soles."""
    sole_motion = functions.sole_motion
    sole_jacobians = functions.sole_jacobians
    dynamics_terms = functions.dynamics_terms
    sole_drift = functions.sole_drift

    @kernel
    def soles_on_floor(q: Array, v: Array, tau: Array, ground: Ground) -> Soles:
        position, velocity = sole_motion(q, v)
        (mass, bias) = dynamics_terms(q, v)
        drift = sole_drift(q, v)
        c = ground.cos
        s = ground.sin
        jacobian = np.zeros((6, q.shape[0]))
        world = sole_jacobians(q)
        drifts = np.zeros(6)
        height = np.empty(2)
        speeds = np.zeros((2, 3))
        mu = np.empty(2)
        for foot in range(2):
            x = world[3 * foot]
            z = world[3 * foot + 2]
            jacobian[3 * foot] = c * x + s * z
            jacobian[3 * foot + 2] = c * z - s * x
            drifts[3 * foot] = c * drift[foot, 0] + s * drift[foot, 2]
            drifts[3 * foot + 2] = c * drift[foot, 2] - s * drift[foot, 0]
            height[foot] = height_along_normal(
                ground, position[foot, 0], position[foot, 2]
            )
            speeds[foot, 0] = c * velocity[foot, 0] + s * velocity[foot, 2]
            speeds[foot, 2] = c * velocity[foot, 2] - s * velocity[foot, 0]
            mu[foot] = friction_at(ground, position[foot, 0])
        return Soles(
            contact_space(mass, tau, bias, jacobian, drifts), height, speeds, mu
        )

    return soles_on_floor


@kernel
def part_of(space: ContactSpace, feet: NDArray[Any]) -> ContactSpace:
    """Select the contact space of some feet."""
    rows = np.empty(3 * feet.shape[0], dtype=np.int64)
    for k in range(rows.shape[0]):
        rows[k] = 3 * feet[k // 3] + k % 3
    response = np.empty((rows.shape[0], rows.shape[0]))
    for i in range(rows.shape[0]):
        for j in range(rows.shape[0]):
            response[i, j] = space.response[rows[i], rows[j]]
    return ContactSpace(
        response, space.free[rows], space.to_joints[:, rows], space.free_joints
    )


@kernel
def feedback_forces(soles: Soles, settings: Any, dt: float) -> Array:
    """Compute Rengifo's forces on the soles that touch (C.3)."""
    forces = np.zeros((2, 3))
    feet = np.flatnonzero(soles.height <= 0.0)
    if feet.shape[0] > 0:
        found = linearising_forces(
            part_of(soles.space, feet),
            soles.height[feet],
            soles.velocity[feet],
            soles.mu[feet],
            settings.k_p,
            settings.k_v,
            settings.resting_height,
            settings.rank_tolerance,
        )
        for k in range(feet.shape[0]):
            forces[feet[k]] = found[k]
    return forces


@kernel
def no_impulse(soles: Soles, settings: Any) -> Array:
    """Return no impulse: Rengifo's contact has no impacts."""
    return np.zeros((2, 3))


def complementarity() -> tuple[Solve, Collide]:
    """Solve Rodić's contact and impact on the soles of the plant (D.2)."""
    # its solver takes seconds to import
    from biped_slip.contact.complementarity import (
        contact_forces,
        impact,
    )

    @kernel
    def complementarity_forces(soles: Soles, settings: Any, dt: float) -> Array:
        """Compute forces on soles with a closed gap that do not approach (44)–(48).

        A gap left open by one step's round-off is closed within the next
        (``gap_tolerance``).
        """
        forces = np.zeros((2, 3))
        closed = soles.height <= settings.gap_tolerance
        feet = np.flatnonzero(
            closed & (soles.velocity[:, 2] <= settings.rate_tolerance)
        )
        if feet.shape[0] > 0:
            space = part_of(soles.space, feet)
            found = contact_forces(
                space.response,
                space.free,
                soles.velocity[feet],
                soles.mu[feet],
                dt,
                settings.rate_tolerance,
                settings.circular,
            )
            for k in range(feet.shape[0]):
                forces[feet[k]] = found.forces[k]
        return forces

    @kernel
    def complementarity_impulse(soles: Soles, settings: Any) -> Array:
        """Compute impulses on the soles of Omega_S* (32)–(53).

        There are impulses when one sole approaches faster than the tolerance.
        """
        impulses = np.zeros((2, 3))
        closed = (soles.height <= settings.gap_tolerance) & (
            soles.velocity[:, 2] <= 0.0
        )
        if np.any(closed & (soles.velocity[:, 2] < -settings.rate_tolerance)):
            feet = np.flatnonzero(closed)
            velocity = soles.velocity[feet]
            found = impact(
                part_of(soles.space, feet).response,
                velocity,
                np.zeros_like(velocity),
                soles.mu[feet],
                settings.restitution,
                settings.circular,
            )
            for k in range(feet.shape[0]):
                impulses[feet[k]] = found.forces[k]
        return impulses

    return complementarity_forces, complementarity_impulse


def evaluate_by(soles_on_floor: SolesOnFloor, solve: Solve) -> Evaluate:
    """Compute contact forces under generalized torques (nv,).

    The acceleration (nv,) that results is computed, too.
    """

    @kernel
    def evaluate(
        state: PlantState, tau: Array, ground: Ground, settings: Any, dt: float
    ) -> tuple[SoleForces, Array]:
        soles = soles_on_floor(state.q, state.v, tau, ground)
        local = solve(soles, settings, dt)
        c = ground.cos
        s = ground.sin
        world = np.empty((2, 2))
        for foot in range(2):
            world[foot, 0] = c * local[foot, 0] - s * local[foot, 2]
            world[foot, 1] = s * local[foot, 0] + c * local[foot, 2]
        acceleration = (
            soles.space.free_joints + soles.space.to_joints @ local.copy().reshape(-1)
        )
        return SoleForces(
            world, local[:, 2].copy(), soles.mu, soles.velocity[:, 0].copy()
        ), acceleration

    return evaluate


def constraint_contact_advance_by(
    soles_on_floor: SolesOnFloor, solve: Solve, collide: Collide
) -> Advance:
    """Integrate the state by steps of dt [s].

    In each, impacts come first, then one semi-implicit Euler step.
    """

    @kernel
    def advance(
        state: PlantState,
        tau: Array,
        ground: Ground,
        settings: Any,
        steps: int,
        dt: float,
    ) -> tuple[PlantState, float]:
        q = state.q
        v = state.v
        for _ in range(steps):
            soles = soles_on_floor(q, v, tau, ground)
            impulses = collide(soles, settings)
            if np.any(impulses != 0.0):
                v = v + soles.space.to_joints @ impulses.copy().reshape(-1)
                soles = soles_on_floor(q, v, tau, ground)
            forces = solve(soles, settings, dt)
            v = v + dt * (
                soles.space.free_joints
                + soles.space.to_joints @ forces.copy().reshape(-1)
            )
            q = q + dt * v
        return PlantState(q, v, state.contact), 0.0  # inside the cone by the solver

    return advance


# The robot on its floor: rigid-body dynamics, contact at the soles, fixed-step
# integration.
#
# A control period is a whole number of plant steps; how a step goes is the contact
# physics' affair.

FOOT_SHARE = (
    0.5  # of the robot's mass and weight on each foot, for the check of the time step
)


@configuration
class PlantConfig(Configuration):
    """Configuration of integration and contact."""

    control_period_ns: int = parameter(
        1_000_000,
        unit="ns",
        low=1000,
        high=1_000_000_000,
        source="A.9: 1 kHz",
        doc="time between two commands",
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
        0.0,
        unit="m",
        low=0.0,
        high=0.01,
        doc="a walk chooses the longest step below this error; 0 keeps step_ns",
    )
    speed_limit: float = parameter(
        200.0,
        unit="rad/s or m/s",
        above=0.0,
        source="choice",
        doc="a faster coordinate means divergence",
    )
    contact: ContactConfig = section(ContactConfig)

    def check(self) -> None:
        """Check that the step divides the control period.

        Check, too, that it resolves the contact's own time scale.
        """
        if self.control_period_ns % self.step_ns:
            raise InvalidParameter(
                "PlantConfig.step_ns",
                self.step_ns,
                f"a divisor of the control period {self.control_period_ns} ns",
            )


class Motors(NamedTuple):
    """Motors from commands to torques; one control period is one step."""

    period: float  # [s]
    # of the way from the last torques to the command at the end of a period; 0: motors
    # follow at once
    kept: float
    mean: float  # the same on the average over the period
    coulomb: Array  # (n,) [N m]
    viscous: Array  # (n,) [N m s/rad]
    # 3/s_p of the friction, s_p the angle at 95 % of the Coulomb torque [1/rad]
    per_angle: float
    per_mass: float  # masses of the model over those of the robot
    ideal: bool  # torques are their commands


class MotorMemory(NamedTuple):
    """Buffers that a control period overwrites."""

    commands: Array  # (dead ticks + 1, n), a ring
    counts: NDArray[np.int64]  # (1,) commands so far
    torque: Array  # (n,) of the motors [N m]
    friction: Array  # (n,) [N m]


PRESLIDING = 1e-3  # [rad] at 95 % of a joint's Coulomb friction (choice)


def motors_of(
    found: Unmodelled | None, joints: int, period: float
) -> tuple[Motors, MotorMemory]:
    """Make the motors of a robot, with or without errors of its model."""
    none = np.zeros(joints)
    lag = 0.0 if found is None else found.lag
    dead = 0.0 if found is None else found.dead_time
    kept = math.exp(-period / lag) if lag > 0.0 else 0.0
    coulomb = none if found is None else found.coulomb
    viscous = none if found is None else found.viscous
    mass = 1.0 if found is None else found.mass
    waiting = np.zeros((whole_periods(dead, period) + 1, joints))
    memory = MotorMemory(waiting, np.zeros(1, dtype=np.int64), none.copy(), none.copy())
    mean = lag / period * (1.0 - kept)
    motors = Motors(
        period=period,
        kept=kept,
        mean=mean,
        coulomb=coulomb,
        viscous=viscous,
        per_angle=3.0 / PRESLIDING,
        per_mass=1.0 / mass,
        ideal=found is None,
    )
    return motors, memory


@kernel
def drive(
    root: int,
    command: Array,
    v: Array,
    push: float,
    motors: Motors,
    memory: MotorMemory,
) -> Array:
    """Compute forces in all coordinates (nv,) in one control period.

    They are for a command (n,) and a push along x.

    Motors follow the command that is as old as their dead time; joints rub. Forces are
    per mass of the robot over the model's: heavier bodies move as those of the model
    under smaller forces.
    """
    if motors.ideal:
        return generalized_forces(root, command, push)
    slots = memory.commands.shape[0]
    k = memory.counts[0]
    copy_vector(command, memory.commands[k % slots], 0)
    memory.counts[0] = k + 1
    torques = np.empty(command.shape[0])
    for i in range(command.shape[0]):
        aim = memory.commands[(k + 1) % slots, i]
        before = memory.torque[i]
        rate = v[root + i]
        memory.torque[i] = aim + motors.kept * (before - aim)
        middle, memory.friction[i] = joint_friction(
            memory.friction[i], rate, motors.coulomb[i], motors.per_angle, motors.period
        )
        torques[i] = motors.per_mass * (
            aim + motors.mean * (before - aim) - middle - motors.viscous[i] * rate
        )
    return generalized_forces(root, torques, motors.per_mass * push)


@kernel
def generalized_forces(root: int, torques: Array, push: float) -> Array:
    """Map joint torques (n,) and a push [N] along x to all coordinates (nv,).

    The push is on a base of ``root`` coordinates.
    """
    tau = np.zeros(root + torques.shape[0])
    tau[0] = push
    copy_vector(torques, tau, root)
    return tau


@kernel
def fastest_coordinate(v: Array) -> float:
    """Return the largest speed of a coordinate; infinity if one is not finite."""
    fastest = 0.0
    for speed in v:
        if not math.isfinite(speed):
            return math.inf
        fastest = max(fastest, abs(speed))
    return fastest


class Plant(SteppedPlant):
    """Plant of a planar robot on a floor: torques in, state out."""

    def __init__(self, robot: Robot, ground: GroundConfig, config: PlantConfig) -> None:
        self.robot = robot
        self.weight = robot.mass * GRAVITY
        self.config = config
        self.ground = ground.ground()
        functions = model_functions(robot)
        if config.contact.law == "mujoco":
            if config.contact.mujoco.file:
                raise InvalidParameter(
                    "contact.mujoco.file",
                    config.contact.mujoco.file,
                    "empty for the planar biped",
                    "a world from a file is for humanoids",
                )
            # takes a while to load
            from biped_slip.simulation.planar.mujoco_physics import mujoco_kernels

            self.kernels = mujoco_kernels(robot, self.ground, config.contact)
        elif config.contact.law in WHOLE_ROBOT:
            self.kernels = constraint_kernels(functions, config.contact)
        else:
            self._check_step(ground.largest_mu)
            self.kernels = penalty_kernels(functions, config.contact)
        self._advance = OfOneType(self.kernels.advance)
        self._forces = OfOneType(self.kernels.forces)
        self.motion: Any = functions.sole_motion
        self._drive = OfOneType(drive)
        self.state = PlantState(
            np.zeros(robot.model.nq), np.zeros(robot.model.nv), fresh_memory(2)
        )
        self.tau = np.zeros(robot.model.nv)
        self.ticks = 0
        self.motors, self.motor_memory = motors_of(
            None, len(robot.joints), 1e-9 * config.control_period_ns
        )
        self._contact: tuple[PlantState, SoleForces] | None = None

    def _check_step(self, mu: float) -> None:
        """Refuse a friction coefficient for which the integration step is too long."""
        if self.config.contact.law in WHOLE_ROBOT:
            return
        share = FOOT_SHARE * self.robot.mass
        check_time_step(
            self.config.contact.pair,
            share,
            share * GRAVITY,
            mu,
            self.step,
            moving=MOVING_SHARE,
        )

    def spill(self, spill: Spill) -> None:
        """Change the floor from now on; the friction of feet on it begins anew.

        Raises:
            InvalidParameter: the step does not bear this friction, or it ends along y.
        """
        check_sagittal(spill)
        self._check_step(spill.mu)
        places = self.motion(self.state.q, self.state.v)[0]
        held = self.state.contact.copy()
        begin_anew(held, covers(spill, places[:, 0], 0.0))
        self.state = self.state._replace(contact=held)
        self.ground = spilled_ground(self.ground, spill)

    def place(self, q: Array, v: Array, contact: Array | None = None) -> None:
        """Place the robot at given coordinates and contact memory (2, MEMORY).

        The time is then zero.
        """
        held = fresh_memory(2) if contact is None else np.array(contact, dtype=float)
        self.state = PlantState(
            np.array(q, dtype=float), np.array(v, dtype=float), held
        )
        self.tau = np.zeros(self.robot.model.nv)
        self.ticks = 0

    def differ(self, found: Unmodelled) -> None:
        """Apply differences between robot and model, before the first period.

        Raises:
            InvalidParameter: another mass on a physics that solves for all contact
                points at once; gears or links that err by themselves.
        """
        check_plain_joints(found, "the planar biped")
        settings = self.kernels.settings
        if isinstance(settings, PointSettings):
            self.kernels = self.kernels._replace(
                settings=settings._replace(per_mass=1.0 / found.mass)
            )
        elif found.mass != 1.0:
            law = self.config.contact.law
            raise InvalidParameter(
                "unmodelled.mass",
                found.mass - 1.0,
                f"0 on {law}",
                "take a contact law of points",
            )
        period = 1e-9 * self.config.control_period_ns
        self.motors, self.motor_memory = motors_of(
            found, len(self.robot.joints), period
        )

    @property
    def anatomy(self) -> Anatomy:
        """Return limits of the motors, friction of their gears, number of bodies."""
        efforts = self.robot.effort_limits
        return Anatomy(
            efforts=efforts,
            speeds=self.robot.velocity_limits,
            gears=gears_of((), self.robot.joints, efforts),
            bodies=len(self.robot.joints) + 1,
        )

    def contact(self) -> SoleForces:
        """Compute the true contact, once per instant."""
        if self._contact is None or self._contact[0] is not self.state:
            self._contact = self.state, self._forces(*self._now)
        return self._contact[1]

    def acceleration(self) -> Array:
        """Compute accelerations (nv,) now, under the torques of the last period."""
        return self.kernels.acceleration(*self._now)

    @property
    def _now(self) -> tuple[PlantState, Array, Ground, Any, float]:
        return self.state, self.tau, self.ground, self.kernels.settings, self.step

    def advance(self, torques: Array, push: float = 0.0) -> None:
        """Advance one control period under joint torques (n,) and a push [N] along x.

        The push is on the base.

        Raises:
            SimulationDiverged: a coordinate is not finite or absurdly fast; the state
                stays as it was.
        """
        # a message's are read-only, another type
        torques = np.array(torques, dtype=float)
        push = float(push)
        tau = self._drive(
            self.robot.root_size,
            torques,
            self.state.v,
            push,
            self.motors,
            self.motor_memory,
        )
        state, beyond = self._advance(
            self.state, tau, self.ground, self.kernels.settings, self.steps, self.step
        )
        self.check(fastest_coordinate(state.v), beyond)
        self.state = state
        self.tau = tau
        self.ticks += 1


# The trial of an integration step (``step_choice.py``).

TRIAL_HEIGHT = 0.8  # [m] over the floor
DROP = 0.02  # [m] of that over the floor
SPEED = 0.5  # [m/s]
SECONDS = 0.2  # [s]


def with_chosen_step(robot: Robot, config: PlantConfig) -> PlantConfig:
    """Choose the integration step for the error target, if there is one.

    Without one it is the configured step, halved until the law of the contact bears it.
    """
    if config.error_target == 0.0:
        if config.contact.law in WHOLE_ROBOT:
            return config
        share = FOOT_SHARE * robot.mass
        longest = longest_damped_step(
            config.contact.pair, MOVING_SHARE * share, share * GRAVITY
        )
        borne: PlantConfig = with_borne_step(config, longest)
        return borne
    return dataclasses.replace(
        config, step_ns=choose_step(robot, config, config.error_target).step_ns
    )


@lru_cache(maxsize=32)
def choose_step(robot: Robot, config: PlantConfig, target: float) -> IntegrationStep:
    """Choose the longest step of a planar robot with a trial error below a target [m].

    The trial: limp, 2 cm over a floor of mu = 1, moving at 0.5 m/s, 0.2 s: touchdown,
    sliding and the beginning of a fall. The error is that of hip and feet against 80
    steps a control period.
    """
    q = standing_coordinates(robot, (0.0, TRIAL_HEIGHT), ((0.2, 0.0), (-0.2, 0.0)))
    q[1] += DROP
    v = np.zeros_like(q)
    v[0] = SPEED

    def trial(tried: PlantConfig) -> Array:
        plant = Plant(robot, GroundConfig(mu=(1.0,), edges=()), tried)
        plant.place(q, v)
        places = []
        for _ in range(round(SECONDS * 1e9 / tried.control_period_ns)):
            plant.advance(np.zeros(len(robot.joints)))
            soles = plant.motion(plant.state.q, plant.state.v)[0]
            places.append(np.concatenate((plant.state.q[:2], soles[:, 0])))
        return np.array(places)

    return longest_step(trial, config, target)

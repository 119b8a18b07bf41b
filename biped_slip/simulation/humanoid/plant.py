# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
r"""The plant of a humanoid: rigid bodies with a floating base on a floor of points.

.. math:: M(q)\,\dot v + h(q, v) = S^T \tau + J_b^T f_{push} + \sum_{feet} J^T f

Torques of motors, friction and stops act in the joints, a wrench of the floor on each
sole: the sum over its contact points, whose friction has a memory. A step is the
explicit midpoint rule for coordinates and velocities; the memory goes on exactly, at
the velocities of the middle. Both feet have the same number of points. The same
functions run compiled, with generated dynamics, or as plain Python with CasADi's.
"""

from __future__ import annotations

import dataclasses
import math
from functools import lru_cache
from typing import Callable, NamedTuple

import numpy as np

from biped_slip.compile.arrays import Array
from biped_slip.compile.kernel import OfOneType, kernel
from biped_slip.config import Configuration, configuration, parameter, section
from biped_slip.constants import GRAVITY
from biped_slip.contact.distributed_foot import (
    FootContact,
    SoleMovement,
    foot_wrench,
    foot_wrench_midway,
    sole_grid,
)
from biped_slip.contact.ground import Terrain, ground_under
from biped_slip.contact.normal_laws import HuntCrossleyConfig
from biped_slip.contact.point_contact import (
    MOVING_SHARE,
    WHOLE_ROBOT,
    ContactConfig,
    ContactLaw,
    PointLaw,
    begin_anew,
    check_time_step,
    fresh_memory,
    longest_damped_step,
)
from biped_slip.contact.spill import Spill, covers, spilled_terrain
from biped_slip.errors import InvalidParameter
from biped_slip.estimation.readings import whole_periods
from biped_slip.robots.humanoid import Humanoid
from biped_slip.robots.model_functions import (
    FloatingFunctions,
    Generated,
    floating_functions,
)
from biped_slip.simulation.divergence import force_beyond
from biped_slip.simulation.humanoid.coordinates import move, turned, turned_back
from biped_slip.simulation.humanoid.joints import (
    JointConfig,
    JointPhysics,
    joint_physics,
    motors,
    stop_torque,
)
from biped_slip.simulation.humanoid.link_errors import (
    LinkErrors,
    link_errors,
    no_link_errors,
    taken_by_links,
)
from biped_slip.simulation.humanoid.terrain import TerrainConfig
from biped_slip.simulation.joint_friction import friction_level, joint_friction
from biped_slip.simulation.plant import SteppedPlant
from biped_slip.simulation.step_choice import (
    IntegrationStep,
    longest_step,
    with_borne_step,
)
from biped_slip.simulation.unmodelled import Anatomy, Unmodelled


class FloatingState(NamedTuple):
    """State of the plant."""

    q: Array  # (nq,)
    v: Array  # (nv,)
    contact: Array  # (2, points, MEMORY) of each contact point
    friction: Array  # (n,) torque of each joint's bristle [N m]
    torque: Array  # (n,) torque of each motor [N m]


class Surroundings(NamedTuple):
    """Floor, laws and motion of the simulation."""

    robot: Generated
    points: Array  # (2, points, 3) contact points in the soles [m]
    terrain: Terrain
    law: PointLaw
    joints: JointPhysics
    mass: float  # of all bodies, over those of the model
    links: LinkErrors  # what single bodies have beyond the model's


class SolesInWorld(NamedTuple):
    """Motion of the soles in the world and what the ground does to them."""

    position: Array  # (2, 3) [m]
    rotation: Array  # (2, 3, 3)
    velocity: Array  # (2, 6) linear [m/s], angular [rad/s]
    # (2, 6) force [N], moment about the sole's origin [N m], in world axes
    wrench: Array
    normal: Array  # (2,) sum over the points [N]
    beyond: Array  # (2,) force along the floor, see force_beyond [N]


class Evaluation(NamedTuple):
    """Buffers that an evaluation of the equations of motion fills."""

    soles: SolesInWorld
    forces: Array  # (nv,) generalized, without those of the soles
    acceleration: Array  # (nv,)


class Truth(NamedTuple):
    """True quantities without a sensor; feet left, right."""

    soles: SolesInWorld
    mu: Array  # (2,) of the floor under each sole's origin
    acceleration: Array  # (nv,)


#: (now, after, push, around, dt, into): fills ``into``, and the memory after dt
EquationsOfMotion = Callable[
    [FloatingState, FloatingState, Array, Surroundings, float, Evaluation], None
]


@kernel
def new_soles() -> SolesInWorld:
    """Allocate the soles."""
    return SolesInWorld(
        position=np.empty((2, 3)),
        rotation=np.empty((2, 3, 3)),
        velocity=np.empty((2, 6)),
        wrench=np.empty((2, 6)),
        normal=np.empty(2),
        beyond=np.zeros(2),
    )


def sole_wrenches_by(foot_contact: FootContact) -> Callable[..., None]:
    """Make the kernel of the floor's wrenches on soles in motion."""

    @kernel
    def sole_wrenches(
        soles: SolesInWorld,
        before: Array,
        after: Array,
        around: Surroundings,
        dt: float,
    ) -> None:
        """Fill the wrenches on both soles, and the memory of their points after dt.

        Args:
            soles: in motion; wrenches and normal forces are filled.
            before: memory (2, points, MEMORY).
            after: filled; may be ``before``.
            around: floor and law.
            dt: [s].
        """
        for foot in range(2):
            force = foot_contact(
                around.points[foot],
                before[foot],
                after[foot],
                SoleMovement(
                    rotation=soles.rotation[foot],
                    position=soles.position[foot],
                    velocity=soles.velocity[foot, :3],
                    angular_velocity=soles.velocity[foot, 3:],
                ),
                around.terrain,
                around.law,
                dt,
            )
            wrench = soles.wrench[foot]
            wrench[0] = force.force_x
            wrench[1] = force.force_y
            wrench[2] = force.force_z
            wrench[3] = force.moment_x
            wrench[4] = force.moment_y
            wrench[5] = force.moment_z
            soles.normal[foot] = force.normal
            soles.beyond[foot] = force_beyond(force.tangential, force.limit)

    return sole_wrenches


@kernel
def generalized_forces(
    now: FloatingState,
    friction: Array,
    push: Array,
    joints: JointPhysics,
    dt: float,
    forces: Array,
) -> None:
    """Fill the forces (nv,) in all coordinates, without those of the soles.

    Args:
        now: state, with the torques (n,) of the motors.
        friction: (n,) of the joints after dt [N m], filled.
        push: (6,) force and moment on the base, in world axes at its origin.
        joints: their physics.
        dt: [s].
        forces: filled.
    """
    q = now.q
    v = now.v
    forces[0], forces[1], forces[2] = turned_back(q, push[0], push[1], push[2])
    forces[3], forces[4], forces[5] = turned_back(q, push[3], push[4], push[5])
    for i in range(now.torque.shape[0]):
        rate = v[6 + i]
        forces[6 + i] = now.torque[i] - joints.viscous[i] * rate
        forces[6 + i] += stop_torque(
            q[7 + i],
            rate,
            joints.low[i],
            joints.high[i],
            joints.stiffness[i],
            joints.stop_time,
        )
        if joints.coulomb[i] > 0.0:
            middle, friction[i] = joint_friction(
                now.friction[i], rate, joints.coulomb[i], joints.per_angle[i], dt
            )
            level = friction_level(
                now.torque[i],
                rate,
                joints.coulomb[i],
                joints.static[i],
                joints.static_rate[i],
                joints.load[i],
            )
            forces[6 + i] -= level * middle


# times that the bodies' errors are met again: of 8 %, the largest share of an inertia
# by links that err by 5 %, 4e-5 are left
REPEATED = 3


def equations_of_motion(
    functions: FloatingFunctions, foot_contact: FootContact
) -> EquationsOfMotion:
    """Make the kernel of one evaluation of the equations of motion."""
    sole_kinematics = functions.sole_kinematics
    forward_dynamics = functions.forward_dynamics
    sole_wrenches = sole_wrenches_by(foot_contact)

    @kernel
    def evaluate(
        now: FloatingState,
        after: FloatingState,
        push: Array,
        around: Surroundings,
        dt: float,
        into: Evaluation,
    ) -> None:
        """Compute the acceleration (nv,) of a state, and its memory after dt.

        Args:
            now: state, with the torques (n,) of the motors.
            after: its contact and friction are filled; they may be those of ``now``.
            push: (6,) force and moment on the base, in world axes at its origin.
            around: floor, laws, joints.
            dt: [s] that the memory goes on.
            into: filled.
        """
        soles = into.soles
        sole_kinematics(
            around.robot, now.q, now.v, soles.position, soles.rotation, soles.velocity
        )
        sole_wrenches(soles, now.contact, after.contact, around, dt)
        forces = into.forces
        generalized_forces(now, after.friction, push, around.joints, dt, forces)
        wrenches = soles.wrench
        if around.mass != 1.0:
            # bodies that are heavier by a factor move as those of the model under
            # forces that are smaller by it
            forces /= around.mass
            wrenches = soles.wrench / around.mass
        forward_dynamics(
            around.robot, now.q, now.v, forces, wrenches, into.acceleration
        )
        if around.links.mass.shape[0] > 0:
            known = forces.copy()
            for _ in range(REPEATED):
                taken_by_links(around.links, now.q, now.v, into.acceleration, forces)
                for i in range(forces.shape[0]):
                    forces[i] = known[i] - forces[i] / around.mass
                forward_dynamics(
                    around.robot, now.q, now.v, forces, wrenches, into.acceleration
                )

    return evaluate


@kernel
def fastest_of(v: Array) -> float:
    """Find the largest speed of a coordinate; infinite where one is no number."""
    fastest = 0.0
    for speed in v:
        fastest = max(fastest, abs(speed)) if math.isfinite(speed) else math.inf
    return fastest


class Room(NamedTuple):
    """States within a step, which share arrays with the state that goes on."""

    start: FloatingState  # before the step, with the torques of its beginning
    middle: FloatingState
    unused: FloatingState  # takes a memory that nobody needs
    into: Evaluation


@kernel
def new_room(now: FloatingState) -> Room:
    """Make room for the steps of a state, whose arrays are overwritten by them."""
    torque = np.empty_like(now.torque)
    start = FloatingState(
        q=now.q, v=now.v, contact=now.contact, friction=now.friction, torque=torque
    )
    middle = FloatingState(
        q=np.empty_like(now.q),
        v=np.empty_like(now.v),
        contact=now.contact,
        friction=now.friction,
        torque=torque,
    )
    unused = FloatingState(
        q=now.q,
        v=now.v,
        contact=np.empty_like(now.contact),
        friction=np.empty_like(now.friction),
        torque=torque,
    )
    into = Evaluation(
        soles=new_soles(),
        forces=np.empty_like(now.v),
        acceleration=np.empty_like(now.v),
    )
    return Room(start=start, middle=middle, unused=unused, into=into)


@kernel
def copy_state(state: FloatingState, into: FloatingState) -> None:
    """Copy a state into the arrays of another one."""
    into.q[:] = state.q
    into.v[:] = state.v
    into.torque[:] = state.torque
    into.contact[:] = state.contact
    into.friction[:] = state.friction


def advance_by(
    at_start: EquationsOfMotion, midway: EquationsOfMotion
) -> Callable[..., tuple[float, float]]:
    """Integrate a number of midpoint steps of dt [s] from one state to another.

    Commands (n,) and a push (6,) act.

    ``after`` is filled, whatever it held. Returns its largest speed, infinite where one
    is no number, and the largest force of a foot along the floor, see ``force_beyond``.
    """

    @kernel
    def advance(
        before: FloatingState,
        after: FloatingState,
        command: Array,
        push: Array,
        around: Surroundings,
        steps: int,
        dt: float,
    ) -> tuple[float, float]:
        copy_state(before, after)
        room = new_room(after)
        start = room.start
        middle = room.middle
        into = room.into
        q = after.q
        v = after.v
        torque = start.torque
        joints = around.joints
        kept = 0.0  # of the way to a motor's aim, after half a step
        if joints.lag > 0.0:
            kept = math.exp(-0.5 * dt / joints.lag)
        beyond = 0.0
        for _ in range(steps):
            motors(command, v, joints, kept, after.torque, torque)
            at_start(start, room.unused, push, around, 0.0, into)
            move(q, v, 0.5 * dt, middle.q)
            for i in range(v.shape[0]):
                middle.v[i] = v[i] + 0.5 * dt * into.acceleration[i]
            motors(command, middle.v, joints, kept, after.torque, torque)
            motors(command, middle.v, joints, kept, torque, after.torque)
            midway(middle, after, push, around, dt, into)
            move(q, middle.v, dt, q)
            for i in range(v.shape[0]):
                v[i] += dt * into.acceleration[i]
            beyond = max(beyond, into.soles.beyond[0], into.soles.beyond[1])
        return fastest_of(v), beyond

    return advance


def observe_by(at_start: EquationsOfMotion) -> Callable[..., Truth]:
    """Make the kernel that looks at a state, whose memory stays as it is."""

    @kernel
    def observe(
        state: FloatingState,
        push: Array,
        around: Surroundings,
    ) -> Truth:
        """Return soles, mu (2,) below their origins and acceleration (nv,)."""
        soles = new_soles()
        mu = np.empty(2)
        acceleration = np.empty_like(state.v)
        unused = FloatingState(
            q=state.q,
            v=state.v,
            contact=np.empty_like(state.contact),
            friction=np.empty_like(state.friction),
            torque=state.torque,
        )
        into = Evaluation(
            soles=soles, forces=np.empty_like(state.v), acceleration=acceleration
        )
        at_start(state, unused, push, around, 0.0, into)
        for foot in range(2):
            mu[foot] = ground_under(
                around.terrain, soles.position[foot, 0], soles.position[foot, 1]
            ).mu
        return Truth(soles=soles, mu=mu, acceleration=acceleration)

    return observe


@kernel
def specific_force(q: Array, v: Array, acceleration: Array) -> Array:
    """Compute the reading of an accelerometer at the base's origin (3,) [m/s^2].

    It is for accelerations (nv,).

    Args:
        q: coordinates (nq,).
        v: velocities (nv,).
        acceleration: (nv,).
    """
    x, y, z = turned_back(q, 0.0, 0.0, GRAVITY)
    return np.array(
        [
            acceleration[0] + v[4] * v[2] - v[5] * v[1] + x,
            acceleration[1] + v[5] * v[0] - v[3] * v[2] + y,
            acceleration[2] + v[3] * v[1] - v[4] * v[0] + z,
        ]
    )


# rests, and springs back: what a test of presliding needs
LAW = "hunt_crossley + elasto_plastic"


def standing_contact() -> ContactConfig:
    """Return the contact of humanoids where none is named."""
    return ContactConfig.from_mapping(LAW)


@configuration
class FloatingPlantConfig(Configuration):
    """Configuration of integration, contact and friction in the joints."""

    control_period_ns: int = parameter(
        1_000_000,
        unit="ns",
        low=1000,
        high=1_000_000_000,
        source="A.9: 1 kHz",
        doc="time between two commands",
    )
    step_ns: int = parameter(
        200_000,
        unit="ns",
        low=100,
        high=10_000_000,
        doc="integration step; this one errs by 2 um in a landing",
    )
    error_target: float = parameter(
        0.0,
        unit="m",
        low=0.0,
        high=0.01,
        doc="a world chooses the longest step below this error; 0 keeps step_ns",
    )
    speed_limit: float = parameter(
        300.0,
        unit="rad/s or m/s",
        above=0.0,
        doc="a faster coordinate means divergence",
    )
    contact: ContactConfig = section(standing_contact)  # type: ignore[arg-type]
    weight_scaled: bool = parameter(
        True,
        doc="stiffness and damping of hunt_crossley from the robot's YAML and weight",
    )
    joints: JointConfig = section(JointConfig)

    def check(self) -> None:
        """Check for a law of points, and a step that divides the control period."""
        if self.contact.law in WHOLE_ROBOT:
            raise InvalidParameter(
                "plant.contact", self.contact.law, "a law of points, such as " + LAW
            )
        if self.control_period_ns % self.step_ns:
            raise InvalidParameter(
                "plant.step_ns",
                self.step_ns,
                f"a divisor of the control period {self.control_period_ns} ns",
            )


class FloatingPlant(SteppedPlant):
    """A humanoid on a floor.

    Args:
        humanoid: the robot.
        terrain: the floor.
        config: integration and contact.
        compiled: false runs plain Python with CasADi, as without a C compiler.

    Attributes:
        notes: what is worth knowing of it, a sentence each.
    """

    notes: tuple[str, ...] = ()

    def __init__(
        self,
        humanoid: Humanoid,
        terrain: TerrainConfig,
        config: FloatingPlantConfig,
        compiled: bool = True,
    ) -> None:
        self.humanoid = humanoid
        self.weight = humanoid.weight
        self.config = config
        points = sole_points(humanoid)
        self.law = point_law(humanoid, config, points.shape[1])
        self._points = 2 * points.shape[1]
        self._floor = terrain
        self._gridded = not terrain.plain
        self._check_step(terrain.largest_mu)
        functions = floating_functions(humanoid.robot, compiled)
        self.around = Surroundings(
            robot=functions.generated,
            points=points,
            terrain=terrain.terrain(),
            law=self.law.packed,
            joints=joint_physics(humanoid, config.joints),
            mass=1.0,
            links=no_link_errors(),
        )
        # weight times its place beside the model's centre of mass [N m]
        self._lean = np.zeros(3)
        self._leans = False
        self._waiting: list[Array] = []  # commands that do not act yet
        self.compiled = functions.compiled
        self.place(humanoid.standing())
        at_start = equations_of_motion(functions, foot_wrench(self.law))
        midway = equations_of_motion(functions, foot_wrench_midway(self.law))
        self._advance = OfOneType(advance_by(at_start, midway))
        self._observe = OfOneType(observe_by(at_start))
        self._sensors = OfOneType(functions.sensor_readings)

    def _check_step(self, mu: float) -> None:
        """Refuse a friction coefficient for which the integration step is too long."""
        check_time_step(
            self.law,
            self.humanoid.robot.mass / self._points,
            self.humanoid.weight / self._points,
            mu,
            self.step,
            moving=MOVING_SHARE,
        )

    def spill(self, spill: Spill) -> None:
        """Change the floor from now on; the friction of points on it begins anew.

        Raises:
            InvalidParameter: the step does not bear this friction, or the grid of the
                floor would grow too large.
        """
        self._check_step(spill.mu)
        terrain = self.around.terrain if self._gridded else self._floor.gridded()
        terrain = spilled_terrain(terrain, spill)
        soles = self.observe().soles
        for foot, points in enumerate(self.around.points):
            places = soles.position[foot] + points @ soles.rotation[foot].T
            wet = covers(spill, places[:, 0], places[:, 1])
            begin_anew(self.state.contact[foot], wet)
        self.around = self.around._replace(terrain=terrain)
        self._gridded = True

    def differ(self, found: Unmodelled) -> None:
        """Apply differences between robot and model, before the first period."""
        joints = self.around.joints
        bent = found.bristle > 0.0
        per_angle = joints.per_angle.copy()
        per_angle[bent] = 1.0 / found.bristle[bent]
        joints = joints._replace(
            coulomb=joints.coulomb + found.coulomb,
            viscous=joints.viscous + found.viscous,
            static=found.static,
            static_rate=found.static_rate,
            load=found.load,
            per_angle=per_angle,
            lag=max(joints.lag, found.lag),
        )
        self.around = self.around._replace(joints=joints, mass=found.mass)
        if found.link_mass.any() or found.link_centre.any():
            links = link_errors(self.humanoid.model, found.link_mass, found.link_centre)
            self.around = self.around._replace(links=links)
        self._lean = found.mass * self.humanoid.weight * found.centre
        self._leans = bool(self._lean.any())
        dead = whole_periods(found.dead_time, 1e-9 * self.config.control_period_ns)
        self._waiting = [np.zeros(joints.effort.size)] * dead

    @property
    def anatomy(self) -> Anatomy:
        """Return limits of the motors, friction of their gears, number of bodies."""
        return Anatomy(
            efforts=self.humanoid.efforts,
            speeds=np.array(self.humanoid.model.velocityLimit[6:]),
            gears=self.humanoid.gears,
            bodies=self.humanoid.model.njoints - 1,
        )

    def acts(self, torques: Array, push: Array | None) -> tuple[Array, Array]:
        """Compute the command (n,) that acts in this period.

        Force and moment (6,) on the base come with it, all in new arrays.
        """
        held = np.zeros(6) if push is None else np.array(push, dtype=float)
        if self._leans:  # weight beside the model's centre of mass
            x, y, _ = turned(self.state.q, *self._lean)
            held[3] -= y
            held[4] += x
        self._waiting.append(np.array(torques, dtype=float))
        return self._waiting.pop(0), held

    def place(self, q: Array, v: Array | None = None) -> None:
        """Place the robot at coordinates (nq,) and velocities (nv,) at time zero.

        The contact points are fresh.
        """
        model = self.humanoid.model
        points = self.around.points.shape[1]
        speed = np.zeros(model.nv) if v is None else np.array(v, dtype=float)
        contact = np.stack([fresh_memory(points)] * 2)
        self.state = FloatingState(
            q=np.array(q, dtype=float),
            v=speed,
            contact=contact,
            friction=np.zeros(model.nv - 6),
            torque=np.zeros(model.nv - 6),
        )
        self._next = FloatingState._make(np.empty_like(part) for part in self.state)
        self.push = np.zeros(6)
        self.ticks = 0

    def observe(self) -> Truth:
        """Compute true contact and acceleration now.

        The torques and the push are those of the last period.
        """
        truth: Truth = self._observe(self.state, self.push, self.around)
        return truth

    def sensor_readings(self, truth: Truth) -> tuple[Array, Array, Array]:
        """Compute ideal sensors' readings.

        They are IMU (6,), feet's IMUs (2, 6), force/torque sensors (2, 6).
        """
        readings = np.empty(6), np.empty((2, 6)), np.empty((2, 6))
        state = self.state
        mass = self.around.mass
        wrenches = truth.soles.wrench if mass == 1.0 else truth.soles.wrench / mass
        self._sensors(
            self.around.robot, state.q, state.v, truth.acceleration, wrenches, *readings
        )
        readings[2][:] *= mass
        return readings

    def advance(self, torques: Array, push: Array | None = None) -> None:
        """Advance one control period under joint torques (n,).

        A force and moment (6,) act on the base in world axes.

        Raises:
            SimulationDiverged: a coordinate is not finite or absurdly fast; the state
                stays as it was.
        """
        command, held = self.acts(torques, push)
        fastest, beyond = self._advance(
            self.state,
            self._next,
            command,
            held,
            self.around,
            self.steps,
            self.step,
        )
        self.check(fastest, beyond)
        self.state, self._next = self._next, self.state
        self.push = held
        self.ticks += 1


def sole_points(humanoid: Humanoid) -> Array:
    """Place contact points of both soles (2, points, 3) [m].

    They are a grid over each polygon, or the point of a point foot.
    """
    contact = humanoid.config.contact
    if len(contact.polygon) == 1:
        return np.array(
            [[[x, y, 0.0] for x, y in humanoid.polygon(foot)] for foot in range(2)]
        )
    return np.stack(
        [
            sole_grid(humanoid.polygon(foot), contact.rows, contact.columns)
            for foot in range(2)
        ]
    )


def point_law(
    humanoid: Humanoid, config: FloatingPlantConfig, points: int
) -> ContactLaw:
    """Scale a contact law to one of several points of a sole.

    Args:
        humanoid: whose weight scales it.
        config: with the law.
        points: of a sole.
    """
    pair = config.contact.pair
    sole = humanoid.config.contact
    if not config.weight_scaled or not isinstance(pair.normal, HuntCrossleyConfig):
        return pair
    stiffness = sole.stiffness * humanoid.weight / points
    return ContactLaw(
        HuntCrossleyConfig(stiffness=stiffness, damping=sole.damping * stiffness),
        pair.friction,
    )


# The trial of an integration step (``step_choice.py``): a landing of the very robot,
# law and floor.

# [m] over the floor, [m/s] sideways and forward, [s]
TRIAL_HEIGHT = 0.02
TRIAL_SPEED = 0.5
TRIAL_SECONDS = 0.2


def with_chosen_step(
    humanoid: Humanoid, terrain: TerrainConfig, config: FloatingPlantConfig
) -> FloatingPlantConfig:
    """Choose the integration step for the error target, if there is one.

    Without one it is the configured step, halved until the law of the contact bears it.

    Args:
        humanoid: the robot.
        terrain: its floor.
        config: of its plant.
    """
    if config.error_target == 0.0:
        points = 2 * sole_points(humanoid).shape[1]
        longest = longest_damped_step(
            config.contact.pair,
            MOVING_SHARE * humanoid.robot.mass / points,
            humanoid.weight / points,
        )
        borne: FloatingPlantConfig = with_borne_step(config, longest)
        return borne
    chosen = choose_step(humanoid, terrain, config, config.error_target)
    return dataclasses.replace(config, step_ns=chosen.step_ns)


@lru_cache(maxsize=32)
def choose_step(
    humanoid: Humanoid,
    terrain: TerrainConfig,
    config: FloatingPlantConfig,
    target: float,
) -> IntegrationStep:
    """Choose the longest step whose error in the trial is below a target [m].

    The trial: limp, 2 cm over the floor, moving at 0.5 m/s along both axes, 0.2 s:
    touchdown, sliding and the beginning of a fall. The error is that against 80 steps a
    control period.

    Args:
        humanoid: the robot.
        terrain: its floor.
        config: of its plant.
        target: allowed error [m].
    """

    def trial(tried: FloatingPlantConfig) -> Array:
        plant = FloatingPlant(humanoid, terrain, tried)
        plant.place(
            humanoid.standing(height=TRIAL_HEIGHT),
            np.array([TRIAL_SPEED, TRIAL_SPEED] + [0.0] * (humanoid.model.nv - 2)),
        )
        limp = np.zeros(len(humanoid.robot.joints))
        places = []
        for _ in range(round(TRIAL_SECONDS * 1e9 / tried.control_period_ns)):
            plant.advance(limp)
            places.append(plant.state.q[:3].copy())
        return np.array(places)

    return longest_step(trial, config, target)

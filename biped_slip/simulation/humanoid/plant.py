# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Plant of a floating-base robot on its floor, by control periods.

Torques go in, the state comes out.
"""

from __future__ import annotations

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
    foot_wrench,
    foot_wrench_midway,
    sole_grid,
)
from biped_slip.contact.ground import Terrain, ground_under
from biped_slip.contact.normal_laws import HuntCrossleyConfig
from biped_slip.contact.point_contact import (
    WHOLE_ROBOT,
    ContactConfig,
    ContactLaw,
    PointLaw,
    check_time_step,
    fresh_memory,
)
from biped_slip.errors import InvalidParameter
from biped_slip.estimation.readings import whole_periods
from biped_slip.robots.humanoid import Humanoid
from biped_slip.robots.model_functions import (
    FloatingFunctions,
    Generated,
    floating_functions,
)
from biped_slip.simulation.humanoid.coordinates import move, turned, turned_back
from biped_slip.simulation.humanoid.joints import (
    JointConfig,
    JointPhysics,
    joint_physics,
    motors,
    stop_torque,
)
from biped_slip.simulation.humanoid.terrain import TerrainConfig
from biped_slip.simulation.joint_friction import joint_friction
from biped_slip.simulation.plant import SteppedPlant
from biped_slip.simulation.step_choice import StepChoice, longest_step
from biped_slip.simulation.unmodelled import Unmodelled

# One control period of a floating-base robot: explicit midpoint, with exact steps of
# every friction memory.
#
# Both feet have the same number of contact points. The same functions run compiled,
# with generated dynamics, or as plain Python with CasADi's.


class FloatingState(NamedTuple):
    """State of the plant."""

    q: Array  # (nq,)
    v: Array  # (nv,)
    contact: Array  # (2, points, MEMORY) of each contact point
    friction: Array  # (n,) friction torque of each joint [N m]
    torque: Array  # (n,) torque of each motor [N m]


class Surroundings(NamedTuple):
    """Floor, laws and motion of the simulation."""

    robot: Generated
    points: Array  # (2, points, 3) contact points in the soles [m]
    terrain: Terrain
    law: PointLaw
    joints: JointPhysics
    mass: float  # of all bodies, over those of the model


class Soles(NamedTuple):
    """Motion of the soles in the world and what the ground does to them."""

    position: Array  # (2, 3) [m]
    rotation: Array  # (2, 3, 3)
    velocity: Array  # (2, 6) linear [m/s], angular [rad/s]
    wrench: (
        Array  # (2, 6) force [N], moment about the sole's origin [N m], in world axes
    )
    normal: Array  # (2,) sum over the points [N]


Stage = Callable[
    ..., None
]  # (q, v, state, after, tau, push, around, dt, soles, total, acceleration)


@kernel
def new_soles() -> Soles:
    """Allocate the soles."""
    return Soles(
        position=np.empty((2, 3)),
        rotation=np.empty((2, 3, 3)),
        velocity=np.empty((2, 6)),
        wrench=np.empty((2, 6)),
        normal=np.empty(2),
    )


def stage_of(functions: FloatingFunctions, foot_contact: FootContact) -> Stage:
    """Make the kernel of one evaluation of the equations of motion."""
    sole_kinematics = functions.sole_kinematics
    forward_dynamics = functions.forward_dynamics

    @kernel
    def stage(
        q: Array,
        v: Array,
        state: FloatingState,
        after: FloatingState,
        tau: Array,
        push: Array,
        around: Surroundings,
        dt: float,
        soles: Soles,
        total: Array,
        acceleration: Array,
    ) -> None:
        """Compute acceleration (nv,) at (q, v), and the memory after dt.

        The memory goes into ``after`` (may be ``state``).

        Args: tau (n,) joint torques; push (6,) force and moment on the base, in world
        axes at its origin; soles, total (nv,) and acceleration (nv,) are filled.
        """
        sole_kinematics(
            around.robot, q, v, soles.position, soles.rotation, soles.velocity
        )
        for foot in range(2):
            force = foot_contact(
                around.points[foot],
                state.contact[foot],
                after.contact[foot],
                soles.rotation[foot],
                soles.position[foot],
                soles.velocity[foot, :3],
                soles.velocity[foot, 3:],
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
        total[0], total[1], total[2] = turned_back(q, push[0], push[1], push[2])
        total[3], total[4], total[5] = turned_back(q, push[3], push[4], push[5])
        joints = around.joints
        for i in range(tau.shape[0]):
            rate = v[6 + i]
            total[6 + i] = tau[i] - joints.viscous[i] * rate
            total[6 + i] += stop_torque(
                q[7 + i],
                rate,
                joints.low[i],
                joints.high[i],
                joints.stiffness[i],
                joints.stop_time,
            )
            if joints.coulomb[i] > 0.0:
                bristle = state.friction[i]
                limit = joints.coulomb[i]
                middle, after.friction[i] = joint_friction(
                    bristle, rate, limit, joints.per_angle, dt
                )
                total[6 + i] -= middle
        if around.mass == 1.0:
            forward_dynamics(around.robot, q, v, total, soles.wrench, acceleration)
        else:
            # bodies that are heavier by a factor move as those of the model under
            # forces that are smaller by it
            total /= around.mass
            forward_dynamics(
                around.robot, q, v, total, soles.wrench / around.mass, acceleration
            )

    return stage


def advance_by(stage_start: Stage, stage_midway: Stage) -> Callable[..., float]:
    """Integrate a number of midpoint steps of dt [s] from one state to another.

    Commands (n,) and a push (6,) act.

    ``after`` is filled, whatever it held. Returns its largest speed; infinite where one
    is no number.
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
    ) -> float:
        after.q[:] = before.q
        after.v[:] = before.v
        after.torque[:] = before.torque
        after.contact[:] = before.contact
        after.friction[:] = before.friction
        q = after.q
        v = after.v
        joints = around.joints
        middle_q = np.empty_like(q)
        middle_v = np.empty_like(v)
        middle_torque = np.empty_like(after.torque)
        memory = FloatingState(
            q=q,
            v=v,
            contact=np.empty_like(after.contact),
            friction=np.empty_like(after.friction),
            torque=middle_torque,
        )
        soles = new_soles()
        total = np.empty_like(v)
        acceleration = np.empty_like(v)
        kept = (
            math.exp(-0.5 * dt / joints.lag) if joints.lag > 0.0 else 0.0
        )  # of the way to the aim, after half a step
        for _ in range(steps):
            motors(command, v, joints, kept, after.torque, middle_torque)
            stage_start(
                q,
                v,
                after,
                memory,
                middle_torque,
                push,
                around,
                0.0,
                soles,
                total,
                acceleration,
            )
            move(q, v, 0.5 * dt, middle_q)
            for i in range(v.shape[0]):
                middle_v[i] = v[i] + 0.5 * dt * acceleration[i]
            motors(command, middle_v, joints, kept, after.torque, middle_torque)
            motors(command, middle_v, joints, kept, middle_torque, after.torque)
            stage_midway(
                middle_q,
                middle_v,
                after,
                after,
                middle_torque,
                push,
                around,
                dt,
                soles,
                total,
                acceleration,
            )
            move(q, middle_v, dt, q)
            for i in range(v.shape[0]):
                v[i] += dt * acceleration[i]
        fastest = 0.0
        for speed in v:
            fastest = max(fastest, abs(speed)) if math.isfinite(speed) else math.inf
        return fastest

    return advance


def observe_by(stage_start: Stage) -> Callable[..., None]:
    """Fill soles, mu (2,) below their origins and acceleration (nv,) in a state.

    The state's memory stays as it is.
    """

    @kernel
    def observe(
        state: FloatingState,
        push: Array,
        around: Surroundings,
        soles: Soles,
        mu: Array,
        acceleration: Array,
    ) -> None:
        contact = np.empty_like(state.contact)
        friction = np.empty_like(state.friction)
        memory = FloatingState(
            q=state.q,
            v=state.v,
            contact=contact,
            friction=friction,
            torque=state.torque,
        )
        total = np.empty_like(state.v)
        stage_start(
            state.q,
            state.v,
            state,
            memory,
            state.torque,
            push,
            around,
            0.0,
            soles,
            total,
            acceleration,
        )
        for foot in range(2):
            mu[foot] = ground_under(
                around.terrain, soles.position[foot, 0], soles.position[foot, 1]
            ).mu

    return observe


@kernel
def specific_force(q: Array, v: Array, acceleration: Array) -> Array:
    """Compute the reading of an accelerometer at the base's origin (3,) [m/s^2].

    It is for accelerations (nv,).
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


class Truth(NamedTuple):
    """True quantities without a sensor; feet left, right."""

    soles: Soles
    mu: Array  # (2,) of the floor under each sole's origin
    acceleration: Array  # (nv,)


class FloatingPlant(SteppedPlant):
    """A humanoid on a floor.

    Args:
        humanoid: the robot.
        terrain: the floor.
        config: integration and contact.
        compiled: false runs plain Python with CasADi, as without a C compiler.
    """

    def __init__(
        self,
        humanoid: Humanoid,
        terrain: TerrainConfig,
        config: FloatingPlantConfig,
        compiled: bool = True,
    ) -> None:
        self.humanoid = humanoid
        self.config = config
        points = sole_points(humanoid)
        self.law = point_law(humanoid, config, points.shape[1])
        feet = 2 * points.shape[1]
        share = humanoid.robot.mass / feet
        check_time_step(
            self.law, share, humanoid.weight / feet, terrain.largest_mu, self.step
        )
        functions = floating_functions(humanoid.robot, compiled)
        self.around = Surroundings(
            robot=functions.generated,
            points=points,
            terrain=terrain.terrain(),
            law=self.law.packed,
            joints=joint_physics(humanoid, config.joints),
            mass=1.0,
        )
        self._lean = np.zeros(
            3
        )  # weight times its place beside the model's centre of mass [N m]
        self._waiting: list[Array] = []  # commands that do not act yet
        self.compiled = functions.compiled
        self.place(humanoid.standing())
        start = stage_of(functions, foot_wrench(self.law))
        midway = stage_of(functions, foot_wrench_midway(self.law))
        self._advance = OfOneType(advance_by(start, midway))
        self._observe = OfOneType(observe_by(start))
        self._sensors = OfOneType(functions.sensor_readings)

    def differ(self, found: Unmodelled) -> None:
        """Apply differences between robot and model, before the first period."""
        joints = self.around.joints
        joints = joints._replace(
            coulomb=joints.coulomb + found.coulomb,
            viscous=joints.viscous + found.viscous,
            lag=max(joints.lag, found.lag),
        )
        self.around = self.around._replace(joints=joints, mass=found.mass)
        self._lean = found.mass * self.humanoid.weight * found.centre
        dead = whole_periods(found.dead_time, 1e-9 * self.config.control_period_ns)
        self._waiting = [np.zeros(joints.effort.size)] * dead

    def acts(self, torques: Array, push: Array | None) -> tuple[Array, Array]:
        """Compute the command (n,) that acts in this period.

        Force and moment (6,) on the base come with it, all in new arrays.
        """
        held = np.zeros(6) if push is None else np.array(push, dtype=float)
        if self._lean.any():  # weight beside the model's centre of mass
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
        self._next = FloatingState(*(np.empty_like(part) for part in self.state))
        self.push = np.zeros(6)
        self.ticks = 0

    def observe(self) -> Truth:
        """Compute true contact and acceleration now.

        The torques and the push are those of the last period.
        """
        truth = _empty_truth(self.state.v.size)
        self._observe(self.state, self.push, self.around, *truth)
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
        self.check_speed(
            self._advance(
                self.state,
                self._next,
                command,
                held,
                self.around,
                self.steps,
                self.step,
            )
        )
        self.state, self._next, self.push = self._next, self.state, held
        self.ticks += 1


def _empty_truth(nv: int) -> Truth:
    soles = Soles(
        position=np.empty((2, 3)),
        rotation=np.empty((2, 3, 3)),
        velocity=np.empty((2, 6)),
        wrench=np.empty((2, 6)),
        normal=np.empty(2),
    )
    return Truth(soles, np.empty(2), np.empty(nv))


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
    """Scale a contact law to one of several points of a sole."""
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
HEIGHT = 0.02
SPEED = 0.5
SECONDS = 0.2


@lru_cache(maxsize=32)
def choose_step(
    humanoid: Humanoid,
    terrain: TerrainConfig,
    config: FloatingPlantConfig,
    target: float,
) -> StepChoice:
    """Choose the longest step whose error in the trial is below a target [m].

    The trial: limp, 2 cm over the floor, moving at 0.5 m/s along both axes, 0.2 s:
    touchdown, sliding and the beginning of a fall. The error is that against 80 steps a
    control period.
    """

    def trial(tried: FloatingPlantConfig) -> Array:
        plant = FloatingPlant(humanoid, terrain, tried)
        plant.place(
            humanoid.standing(height=HEIGHT),
            np.array([SPEED, SPEED] + [0.0] * (humanoid.model.nv - 2)),
        )
        limp = np.zeros(len(humanoid.robot.joints))
        places = []
        for _ in range(round(SECONDS * 1e9 / tried.control_period_ns)):
            plant.advance(limp)
            places.append(plant.state.q[:3].copy())
        return np.array(places)

    return longest_step(trial, config, target)

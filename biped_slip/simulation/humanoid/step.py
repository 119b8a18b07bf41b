# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""One control period of a floating-base robot: explicit midpoint, with exact steps of every friction memory.

Both feet have the same number of contact points. The same functions run compiled, with generated dynamics, or as
plain Python with Pinocchio's.
"""

from __future__ import annotations

import math
from typing import Callable, NamedTuple

import numpy as np

from biped_slip.compile.arrays import Array
from biped_slip.compile.kernel import kernel
from biped_slip.constants import GRAVITY
from biped_slip.contact.distributed_foot import FootContact
from biped_slip.contact.point_law import PointLaw
from biped_slip.contact.terrain import Terrain, ground_under
from biped_slip.robots.floating_functions import FloatingFunctions, Generated
from biped_slip.simulation.humanoid.base_motion import move, turned_back


class FloatingState(NamedTuple):
    """Everything that the plant remembers."""

    q: Array  # (nq,)
    v: Array  # (nv,)
    contact: Array  # (2, points, MEMORY) of each contact point
    friction: Array  # (n,) friction torque of each joint [N m]
    torque: Array  # (n,) torque of each motor [N m]


class JointPhysics(NamedTuple):
    """Motors, friction and stops of the joints."""

    effort: Array  # (n,) largest torque of the motor [N m]
    speed: Array  # (n,) speed at which the motor has no torque left to drive [rad/s]
    fading: Array  # (n,) how fast its torque falls to that point, per torque [s/rad]
    lag: float  # time constant with which the motors' torques follow their commands [s]; 0 at once
    viscous: Array  # (n,) [N m s/rad]
    coulomb: Array  # (n,) [N m]
    per_angle: float  # 3/s_p of the friction, s_p the angle at 95 % of the Coulomb torque [1/rad]
    low: Array  # (n,) lower stop [rad]
    high: Array  # (n,) upper stop [rad]
    stiffness: Array  # (n,) of the stops [N m/rad]
    stop_time: float  # damping of the stops over their stiffness [s]


class Surroundings(NamedTuple):
    """What is simulated, on what and with which laws."""

    robot: Generated
    points: Array  # (2, points, 3) contact points in the soles [m]
    terrain: Terrain
    law: PointLaw
    joints: JointPhysics


class Soles(NamedTuple):
    """Motion of the soles in the world and what the ground does to them."""

    position: Array  # (2, 3) [m]
    rotation: Array  # (2, 3, 3)
    velocity: Array  # (2, 6) linear [m/s], angular [rad/s]
    wrench: Array  # (2, 6) force [N], moment about the sole's origin [N m], in world axes
    normal: Array  # (2,) sum over the points [N]


Stage = Callable[
    [Array, Array, FloatingState, FloatingState, Array, Array, Surroundings, float, Soles, Array, Array], None
]
#: (before, after, command, push, around, steps, dt) -> largest speed
Advance = Callable[[FloatingState, FloatingState, Array, Array, Surroundings, int, float], float]
#: (state, push, around, soles, mu, acceleration): fills the last three
Observe = Callable[[FloatingState, Array, Surroundings, Soles, Array, Array], None]


@kernel
def new_soles() -> Soles:
    """Room for the soles."""
    return Soles(np.empty((2, 3)), np.empty((2, 3, 3)), np.empty((2, 6)), np.empty((2, 6)), np.empty(2))


@kernel
def joint_friction(torque: float, rate: float, coulomb: float, per_angle: float, dt: float) -> tuple[float, float]:
    """Friction torque [N m] after half of dt [s] and after all of it: Bliman–Sorine in its absolute form (A.2).

    Exact at a constant joint rate; per_angle is 3/s_p [1/rad].
    """
    kept = math.exp(-0.5 * per_angle * abs(rate) * dt)
    rest = math.copysign(coulomb, rate)
    middle = rest + (torque - rest) * kept
    return middle, rest + (middle - rest) * kept


@kernel
def motor_torque(command: float, rate: float, effort: float, speed: float, fading: float) -> float:
    """Torque [N m] that a motor can give of a command at a joint rate: less and less as it drives faster."""
    torque = min(max(command, -effort), effort)
    if torque * rate > 0.0:
        torque *= min(max((speed - abs(rate)) * fading, 0.0), 1.0)
    return torque


@kernel
def motors(command: Array, v: Array, joints: JointPhysics, kept: float, before: Array, after: Array) -> None:
    """Torques of the motors (n,) when only ``kept`` is left of the way to what they can give at the velocities v."""
    for i in range(command.shape[0]):
        aim = motor_torque(command[i], v[6 + i], joints.effort[i], joints.speed[i], joints.fading[i])
        after[i] = aim + kept * (before[i] - aim)


@kernel
def stop_torque(position: float, rate: float, low: float, high: float, stiffness: float, time: float) -> float:
    """Torque [N m] of a joint's stops: a spring and a damper beyond each, that never pull."""
    if position < low:
        return max(0.0, stiffness * (low - position - time * rate))
    if position > high:
        return min(0.0, stiffness * (high - position - time * rate))
    return 0.0


def stage_of(functions: FloatingFunctions, foot_contact: FootContact) -> Stage:
    """One evaluation of the equations of motion."""
    sole_kinematics, forward_dynamics = functions.sole_kinematics, functions.forward_dynamics

    @kernel
    def stage(
        q: Array, v: Array, state: FloatingState, after: FloatingState, tau: Array, push: Array, around: Surroundings,
        dt: float, soles: Soles, total: Array, acceleration: Array,
    ) -> None:  # fmt: skip
        """Acceleration (nv,) at (q, v), and the memory that follows ``state`` after dt, into ``after`` (may be it).

        Args: tau (n,) joint torques; push (6,) force and moment on the base, in world axes at its origin; soles, total
        (nv,) and acceleration (nv,) are filled.
        """
        sole_kinematics(around.robot, q, v, soles.position, soles.rotation, soles.velocity)
        for foot in range(2):
            force = foot_contact(
                around.points[foot], state.contact[foot], after.contact[foot], soles.rotation[foot],
                soles.position[foot], soles.velocity[foot, :3], soles.velocity[foot, 3:],
                around.terrain, around.law, dt,
            )  # fmt: skip
            wrench = soles.wrench[foot]
            wrench[0], wrench[1], wrench[2] = force.force_x, force.force_y, force.force_z
            wrench[3], wrench[4], wrench[5] = force.moment_x, force.moment_y, force.moment_z
            soles.normal[foot] = force.normal
        total[0], total[1], total[2] = turned_back(q, push[0], push[1], push[2])
        total[3], total[4], total[5] = turned_back(q, push[3], push[4], push[5])
        joints = around.joints
        for i in range(tau.shape[0]):
            rate = v[6 + i]
            total[6 + i] = tau[i] - joints.viscous[i] * rate
            total[6 + i] += stop_torque(
                q[7 + i], rate, joints.low[i], joints.high[i], joints.stiffness[i], joints.stop_time
            )
            if joints.coulomb[i] > 0.0:
                middle, after.friction[i] = joint_friction(
                    state.friction[i], rate, joints.coulomb[i], joints.per_angle, dt
                )
                total[6 + i] -= middle
        forward_dynamics(around.robot, q, v, total, soles.wrench, acceleration)

    return stage


def advance_by(stage_start: Stage, stage_midway: Stage) -> Advance:
    """A number of midpoint steps of dt [s] from one state into another, under torque commands (n,) and a push (6,).

    ``after`` is filled, whatever it held. Returns its largest speed; infinite where one is no number.
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
        after.q[:], after.v[:], after.torque[:] = before.q, before.v, before.torque
        after.contact[:], after.friction[:] = before.contact, before.friction
        q, v, joints = after.q, after.v, around.joints
        middle_q, middle_v, middle_torque = np.empty_like(q), np.empty_like(v), np.empty_like(after.torque)
        memory = FloatingState(q, v, np.empty_like(after.contact), np.empty_like(after.friction), middle_torque)
        soles, total, acceleration = new_soles(), np.empty_like(v), np.empty_like(v)
        kept = math.exp(-0.5 * dt / joints.lag) if joints.lag > 0.0 else 0.0  # of the way to the aim, after half a step
        for _ in range(steps):
            motors(command, v, joints, kept, after.torque, middle_torque)
            stage_start(q, v, after, memory, middle_torque, push, around, 0.0, soles, total, acceleration)
            move(q, v, 0.5 * dt, middle_q)
            for i in range(v.shape[0]):
                middle_v[i] = v[i] + 0.5 * dt * acceleration[i]
            motors(command, middle_v, joints, kept, after.torque, middle_torque)
            motors(command, middle_v, joints, kept, middle_torque, after.torque)
            stage_midway(middle_q, middle_v, after, after, middle_torque, push, around, dt, soles, total, acceleration)
            move(q, middle_v, dt, q)
            for i in range(v.shape[0]):
                v[i] += dt * acceleration[i]
        fastest = 0.0
        for speed in v:
            fastest = max(fastest, abs(speed)) if math.isfinite(speed) else math.inf
        return fastest

    return advance


def observe_by(stage_start: Stage) -> Observe:
    """Fill soles, mu (2,) below their origins and acceleration (nv,) in a state, whose memory stays as it is."""

    @kernel
    def observe(
        state: FloatingState, push: Array, around: Surroundings, soles: Soles, mu: Array, acceleration: Array
    ) -> None:
        memory = FloatingState(
            state.q, state.v, np.empty_like(state.contact), np.empty_like(state.friction), state.torque
        )
        total = np.empty_like(state.v)
        stage_start(state.q, state.v, state, memory, state.torque, push, around, 0.0, soles, total, acceleration)
        for foot in range(2):
            mu[foot] = ground_under(around.terrain, soles.position[foot, 0], soles.position[foot, 1]).mu

    return observe


@kernel
def specific_force(q: Array, v: Array, acceleration: Array) -> Array:
    """What an accelerometer at the base's origin reads, (3,) [m/s^2] in the base, for accelerations (nv,)."""
    x, y, z = turned_back(q, 0.0, 0.0, GRAVITY)
    return np.array(
        [
            acceleration[0] + v[4] * v[2] - v[5] * v[1] + x,
            acceleration[1] + v[5] * v[0] - v[3] * v[2] + y,
            acceleration[2] + v[3] * v[1] - v[4] * v[0] + z,
        ]
    )

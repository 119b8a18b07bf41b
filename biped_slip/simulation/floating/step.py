# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""One control period of a floating-base robot: explicit midpoint, with exact steps of every friction memory.

Both feet have the same number of contact points. The same functions run compiled, with generated dynamics, or as
plain Python with Pinocchio's.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from biped_slip.contact.distributed_foot import FootWrench
from biped_slip.contact.point_law import PointLaw
from biped_slip.contact.terrain import Terrain
from biped_slip.friction.bliman_sorine import bliman_sorine_step
from biped_slip.friction.law import STICK, FrictionMemory
from biped_slip.kernels import kernel
from biped_slip.robots.floating_functions import forward_dynamics, sole_kinematics
from biped_slip.robots.model_functions import Array
from biped_slip.simulation.floating.base_motion import move, turned_back


class FloatingState(NamedTuple):
    """Everything that the plant remembers."""

    q: Array  # (nq,)
    v: Array  # (nv,)
    contact: Array  # (2, points, MEMORY) of each contact point
    friction: Array  # (n,) friction torque of each joint [N m]
    torque: Array  # (n,) torque of each motor [N m]


class JointPhysics(NamedTuple):
    """Motors and friction of the joints."""

    effort: Array  # (n,) largest torque of the motor [N m]
    lag: float  # time constant with which the motors' torques follow their commands [s]; 0 at once
    viscous: Array  # (n,) [N m s/rad]
    coulomb: Array  # (n,) [N m]
    law: Any  # packed BlimanSorineConfig of the joints' friction, s_p in rad


class Surroundings(NamedTuple):
    """What the robot is simulated on and with."""

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


def foot_force(*_: Any) -> FootWrench:
    """Bound to the kernel of a foot."""
    raise NotImplementedError


def stage_start(*_: Any) -> None:
    """Bound to :func:`stage` with the forces at the end of its step."""
    raise NotImplementedError


def stage_midway(*_: Any) -> None:
    """Bound to :func:`stage` with the forces in the middle of its step."""
    raise NotImplementedError


@kernel
def new_soles() -> Soles:
    """Room for the soles."""
    return Soles(np.empty((2, 3)), np.empty((2, 3, 3)), np.empty((2, 6)), np.empty((2, 6)), np.empty(2))


@kernel
def joint_friction(torque: float, rate: float, coulomb: float, law: Any, dt: float) -> float:
    """Friction torque [N m] after dt [s] at a joint rate [rad/s]: Bliman–Sorine in its absolute form (A.2)."""
    memory, _, _ = bliman_sorine_step(
        FrictionMemory(torque, 0.0, 0.0, 0.0, STICK, 0.0), rate, 0.0, 1.0, coulomb, law, dt
    )
    return memory.x


def stage(
    q: Array, v: Array, state: FloatingState, after: FloatingState, tau: Array, push: Array, around: Surroundings,
    dt: float, soles: Soles, total: Array, acceleration: Array,
) -> None:  # fmt: skip
    """Acceleration (nv,) at (q, v), and the memory that follows ``state`` after dt, into ``after`` (may be it).

    Args: tau (n,) joint torques; push (6,) force and moment on the base, in world axes at its origin; soles, total
    (nv,) and acceleration (nv,) are filled.
    """
    sole_kinematics(q, v, soles.position, soles.rotation, soles.velocity)
    for foot in range(2):
        force = foot_force(
            around.points[foot], state.contact[foot], after.contact[foot], soles.rotation[foot], soles.position[foot],
            soles.velocity[foot, :3], soles.velocity[foot, 3:], around.terrain, around.law, dt,
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
        if joints.coulomb[i] > 0.0:
            middle = joint_friction(state.friction[i], rate, joints.coulomb[i], joints.law, 0.5 * dt)
            after.friction[i] = joint_friction(middle, rate, joints.coulomb[i], joints.law, 0.5 * dt)
            total[6 + i] -= middle
    forward_dynamics(q, v, total, soles.wrench, acceleration)


def advance(
    before: FloatingState,
    after: FloatingState,
    command: Array,
    push: Array,
    around: Surroundings,
    steps: int,
    dt: float,
) -> None:
    """A number of midpoint steps of dt [s] from one state into another, under torque commands (n,) and a push (6,).

    ``after`` is filled, whatever it held.
    """
    after.q[:], after.v[:], after.torque[:] = before.q, before.v, before.torque
    after.contact[:], after.friction[:] = before.contact, before.friction
    q, v, joints = after.q, after.v, around.joints
    middle_q, middle_v, middle_torque = np.empty_like(q), np.empty_like(v), np.empty_like(after.torque)
    memory = FloatingState(q, v, np.empty_like(after.contact), np.empty_like(after.friction), middle_torque)
    soles, total, acceleration = new_soles(), np.empty_like(v), np.empty_like(v)
    aim = np.minimum(np.maximum(command, -joints.effort), joints.effort)
    kept = math.exp(-0.5 * dt / joints.lag) if joints.lag > 0.0 else 0.0  # of the way to the aim, after half a step
    for _ in range(steps):
        for i in range(aim.shape[0]):
            middle_torque[i] = aim[i] + kept * (after.torque[i] - aim[i])
            after.torque[i] = aim[i] + kept * (middle_torque[i] - aim[i])
        stage_start(q, v, after, memory, middle_torque, push, around, 0.0, soles, total, acceleration)
        move(q, v, 0.5 * dt, middle_q)
        for i in range(v.shape[0]):
            middle_v[i] = v[i] + 0.5 * dt * acceleration[i]
        stage_midway(middle_q, middle_v, after, after, middle_torque, push, around, dt, soles, total, acceleration)
        move(q, middle_v, dt, q)
        for i in range(v.shape[0]):
            v[i] += dt * acceleration[i]


def observe(state: FloatingState, push: Array, around: Surroundings, soles: Soles, acceleration: Array) -> None:
    """Fill the soles and the acceleration (nv,) in a state, whose memory stays as it is."""
    memory = FloatingState(state.q, state.v, np.empty_like(state.contact), np.empty_like(state.friction), state.torque)
    total = np.empty_like(state.v)
    stage_start(state.q, state.v, state, memory, state.torque, push, around, 0.0, soles, total, acceleration)

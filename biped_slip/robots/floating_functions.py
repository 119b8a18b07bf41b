# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Kinematics and dynamics of a floating-base robot for kernels: generated C, or Pinocchio where there is no compiler.

Arrays are filled, not returned: one allocation a step would cost as much as the step. q (nq,), v and tau (nv,),
wrenches (2, 6) as (force, moment) of the ground on each sole, in world axes at the sole.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Callable, NamedTuple

import numba

from biped_slip.compile.arrays import Array
from biped_slip.compile.kernel import kernel
from biped_slip.compile.sources import code_hash
from biped_slip.robots.compiled_library import call_c, compiled_library
from biped_slip.robots.floating_expressions import floating_expressions
from biped_slip.robots.floating_pinocchio import with_pinocchio
from biped_slip.robots.robot import Robot


class Generated(NamedTuple):
    """Addresses of a robot's compiled functions; all 0 where Pinocchio takes their place."""

    forward_dynamics: int
    sole_kinematics: int
    sensor_readings: int
    body_kinematics: int
    whole_body_terms: int


@kernel
def forward_dynamics(robot: Generated, q: Array, v: Array, tau: Array, wrenches: Array, acceleration: Array) -> None:
    """Accelerations (nv,) under generalized torques and sole wrenches (articulated-body algorithm)."""
    call_c(robot.forward_dynamics, (q, v, tau, wrenches, acceleration))


@kernel
def sole_kinematics(robot: Generated, q: Array, v: Array, position: Array, rotation: Array, velocity: Array) -> None:
    """Soles in the world: positions (2, 3), rotations (2, 3, 3), velocities (2, 6) as (linear, angular)."""
    call_c(robot.sole_kinematics, (q, v, position, rotation, velocity))


@kernel
def sensor_readings(
    robot: Generated, q: Array, v: Array, acceleration: Array, wrenches: Array, imu: Array, foot_imus: Array,
    force_torque: Array,
) -> None:  # fmt: skip
    """What ideal sensors read in their own frames, for accelerations (nv,).

    Filled: imu (6,) and foot_imus (2, 6) as (angular velocity, specific force); force_torque (2, 6), force and moment
    of the ground on all that hangs below each sensor, with its weight and inertia.
    """
    call_c(robot.sensor_readings, (q, v, acceleration, wrenches, imu, foot_imus, force_torque))


@kernel
def body_kinematics(
    robot: Generated, joint_position: Array, joint_velocity: Array, rotation: Array, position: Array, velocity: Array,
    sole_position: Array, sole_rotation: Array,
) -> None:  # fmt: skip
    """IMU and soles in the base, from the joints (n,) alone.

    Filled: rotation (3, 3) of the IMU's link, position (3,) and velocity (6,) of the IMU as (linear, angular), both
    against the base in its axes; positions (2, 3) and rotations (2, 3, 3) of the soles.
    """
    call_c(
        robot.body_kinematics,
        (joint_position, joint_velocity, rotation, position, velocity, sole_position, sole_rotation),
    )


@kernel
def whole_body_terms(
    robot: Generated, q: Array, v: Array, mass_matrix: Array, bias: Array, jacobians: Array, drift: Array,
    position: Array, rotation: Array, velocity: Array, centre: Array, centre_velocity: Array, momentum: Array,
) -> None:  # fmt: skip
    """Dynamics and kinematics for whole-body control.

    Filled: mass matrix (nv, nv) with the rotors' inertia, bias (nv,), Jacobians (2, 6, nv) of the soles and their
    drift (2, 6), soles as of ``sole_kinematics``, centre of mass, its velocity, angular momentum about it, each (3,).
    """
    call_c(
        robot.whole_body_terms,
        (q, v, mass_matrix, bias, jacobians, drift, position, rotation, velocity, centre, centre_velocity, momentum),
    )


@dataclass(frozen=True, eq=False)
class FloatingFunctions:
    """The functions above for one robot, or Pinocchio's: ``generated`` is the first argument of each.

    A kernel that closes over Pinocchio's stays plain Python.
    """

    compiled: bool
    generated: Generated
    forward_dynamics: Callable[[Generated, Array, Array, Array, Array, Array], None]
    """(robot, q, v, tau, wrenches, acceleration)."""
    sole_kinematics: Callable[[Generated, Array, Array, Array, Array, Array], None]
    """(robot, q, v, position, rotation, velocity)."""
    sensor_readings: Callable[[Generated, Array, Array, Array, Array, Array, Array, Array], None]
    """(robot, q, v, acceleration, wrenches, imu, foot_imus, force_torque)."""
    body_kinematics: Callable[[Generated, Array, Array, Array, Array, Array, Array, Array], None]
    """(robot, joint_position, joint_velocity, rotation, position, velocity, sole_position, sole_rotation)."""
    whole_body_terms: Callable[
        [Generated, Array, Array, Array, Array, Array, Array, Array, Array, Array, Array, Array, Array], None
    ]
    """(robot, q, v, mass_matrix, bias, jacobians, drift, position, rotation, velocity,
    centre, centre_velocity, momentum)."""


@lru_cache(maxsize=16)
def floating_functions(robot: Robot, compiled: bool = True) -> FloatingFunctions:
    """The functions of a robot, generated at most once.

    Args:
        robot: with a floating base.
        compiled: false asks for Pinocchio even where there is a compiler.
    """
    library = None
    if compiled and not numba.config.DISABLE_JIT:
        library = compiled_library(f"{robot.key}_{code_hash(__name__)}", lambda: floating_expressions(robot))
    if library is None:
        return FloatingFunctions(False, Generated(0, 0, 0, 0, 0), **with_pinocchio(robot))
    return FloatingFunctions(
        True, Generated(*map(library, Generated._fields)),
        forward_dynamics, sole_kinematics, sensor_readings, body_kinematics, whole_body_terms,
    )  # fmt: skip

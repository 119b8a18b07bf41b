# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Kinematics and dynamics of a floating-base robot for kernels: generated C, or Pinocchio where kernels are plain.

Arrays are filled, not returned: one allocation a step would cost as much as the step. q (nq,), v and tau (nv,),
wrenches (2, 6) as (force, moment) of the ground on each sole, in world axes at the sole.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Callable, NamedTuple

import casadi as cs
import numba
import numpy as np
import pinocchio as pin

from biped_slip.compile.arrays import Array
from biped_slip.compile.cache import code_hash
from biped_slip.compile.kernel import kernel
from biped_slip.robots.code_generation import CFunction, call_c, compiled_library
from biped_slip.robots.humanoid_config import FOOT_IMUS, FORCE_SENSORS, IMU
from biped_slip.robots.robot import Robot
from biped_slip.robots.symbolic_dynamics import SymbolicDynamics, SymbolicTerms


def floating_expressions(robot: Robot) -> dict[str, CFunction]:
    """Write every function by its name as expressions, for C."""
    symbolic = SymbolicDynamics(robot.model, robot.soles)
    dynamics = (symbolic.q, symbolic.v, symbolic.tau, symbolic.wrenches)
    soles = (
        cs.vertcat(*(sole["position"].T for sole in symbolic.soles)),
        cs.vertcat(*(sole["rotation"] for sole in symbolic.soles)),
        cs.vertcat(*(sole["velocity"].T for sole in symbolic.soles)),
    )
    terms = SymbolicTerms(symbolic)
    mass_matrix = terms.mass_matrix()
    jacobians, drifts = cs.vertcat(*terms.sole_jacobians()), cs.vertcat(*(one.T for one in terms.sole_drifts()))
    rest = symbolic.bias_forces(), jacobians, drifts
    return {
        "forward_dynamics": CFunction(dynamics, (symbolic.acceleration(),)),
        "sole_kinematics": CFunction((symbolic.q, symbolic.v), soles),
        "sensor_readings": _sensors(robot, symbolic),
        "body_kinematics": _body(robot, symbolic, soles),
        "whole_body_terms": CFunction(
            (symbolic.q, symbolic.v), (mass_matrix, *rest, *soles, *terms.centre(mass_matrix))
        ),
    }


def _sensors(robot: Robot, symbolic: SymbolicDynamics) -> CFunction:
    rates, (imu, *frames) = cs.SX.sym("rates", robot.model.nv), sensor_frames(robot)
    proper = symbolic.proper_accelerations(rates)
    readings = (
        symbolic.inertial_reading(imu, proper),
        cs.vertcat(*(symbolic.inertial_reading(frame, proper).T for frame in frames[:2])),
        cs.vertcat(*(symbolic.transmitted(frame, proper).T for frame in frames[2:])),
    )
    return CFunction((symbolic.q, symbolic.v, rates, symbolic.wrenches), readings)


def _body(robot: Robot, symbolic: SymbolicDynamics, soles: tuple[Any, Any, Any]) -> CFunction:
    """IMU and soles where the base is the world."""
    place = symbolic.sole(sensor_frames(robot)[0])
    rotation = symbolic.rotation[place["joint"]]
    outputs = [rotation, place["position"], place["velocity"], soles[0], soles[1]]
    base = [symbolic.q[:7], symbolic.v[:6]]
    outputs = cs.substitute(outputs, base, [cs.SX(pin.neutral(robot.model)[:7]), cs.SX.zeros(6)])
    return CFunction((symbolic.q[7:], symbolic.v[6:]), tuple(outputs))


def sensor_frames(robot: Robot) -> list[Any]:
    """Frames of the IMU, the feet's IMUs and the force/torque sensors."""
    return [robot.model.frames[robot.model.getFrameId(name)] for name in (IMU, *FOOT_IMUS, *FORCE_SENSORS)]


AXES = pin.LOCAL_WORLD_ALIGNED


def with_pinocchio(robot: Robot) -> dict[str, Callable[..., None]]:
    """Compute every function by its name with Pinocchio; the first argument is not looked at.

    They take the place of the generated ones where there is no C compiler; tests compare both.
    """
    model = robot.model
    data = model.createData()
    frames = [model.getFrameId(sole) for sole in robot.soles]
    imu, *others = sensor_frames(robot)

    def outside(q: Array, wrenches: Array) -> Any:
        pin.framesForwardKinematics(model, data, q)
        forces = pin.StdVec_Force()
        forces.extend(pin.Force.Zero() for _ in range(model.njoints))
        for frame, wrench in zip(frames, wrenches, strict=True):
            joint = model.frames[frame].parentJoint
            at_sole = pin.SE3(np.eye(3), data.oMf[frame].translation)
            forces[joint] += data.oMi[joint].actInv(at_sole.act(pin.Force(wrench)))
        return forces

    def forward_dynamics(robot: Any, q: Array, v: Array, tau: Array, wrenches: Array, acceleration: Array) -> None:
        acceleration[:] = pin.aba(model, data, q, v, tau, outside(q, wrenches))

    def inertial(frame: Any, out: Array) -> None:
        index = model.getFrameId(frame.name)
        turn = pin.updateFramePlacement(model, data, index).rotation.T
        out[:3] = pin.getFrameVelocity(model, data, index, pin.LOCAL).angular
        moving = pin.getFrameClassicalAcceleration(model, data, index, pin.LOCAL).linear
        out[3:] = moving - turn @ model.gravity.linear

    def sensor_readings(robot: Any, q: Array, v: Array, acceleration: Array, wrenches: Array, *filled: Array) -> None:
        imu_out, foot_imus, force_torque = filled
        pin.rnea(model, data, q, v, acceleration, outside(q, wrenches))
        for frame, out in zip(others[2:], force_torque, strict=True):
            out[:] = -frame.placement.actInv(data.f[frame.parentJoint]).vector
        pin.forwardKinematics(model, data, q, v, acceleration)
        for frame, out in zip((imu, *others[:2]), (imu_out, *foot_imus), strict=True):
            inertial(frame, out)

    def sole_kinematics(robot: Any, q: Array, v: Array, position: Array, rotation: Array, velocity: Array) -> None:
        pin.forwardKinematics(model, data, q, v)
        for foot, frame in enumerate(frames):
            place = pin.updateFramePlacement(model, data, frame)
            position[foot], rotation[foot] = place.translation, place.rotation
            velocity[foot] = pin.getFrameVelocity(model, data, frame, AXES).vector

    def body_kinematics(robot: Any, joint_position: Array, joint_velocity: Array, *filled: Array) -> None:
        rotation, position, velocity, sole_position, sole_rotation = filled
        q, v, index = pin.neutral(model), np.zeros(model.nv), model.getFrameId(imu.name)
        q[7:], v[6:] = joint_position, joint_velocity
        pin.forwardKinematics(model, data, q, v)
        rotation[:] = data.oMi[imu.parentJoint].rotation
        position[:] = pin.updateFramePlacement(model, data, index).translation
        velocity[:] = pin.getFrameVelocity(model, data, index, AXES).vector
        for foot, frame in enumerate(frames):
            place = pin.updateFramePlacement(model, data, frame)
            sole_position[foot], sole_rotation[foot] = place.translation, place.rotation

    def whole_body_terms(robot: Any, q: Array, v: Array, *filled: Array) -> None:
        mass_matrix, bias, jacobians, drift, position, rotation, velocity, centre, centre_velocity, momentum = filled
        pin.forwardKinematics(model, data, q, v, np.zeros(model.nv))
        for foot, frame in enumerate(frames):
            drift[foot] = pin.getFrameClassicalAcceleration(model, data, frame, AXES).vector
        sole_kinematics(robot, q, v, position, rotation, velocity)
        pin.computeAllTerms(model, data, q, v)
        for foot, frame in enumerate(frames):
            jacobians[foot] = pin.getFrameJacobian(model, data, frame, AXES)
        upper = np.triu(data.M)  # Pinocchio fills no more
        mass_matrix[:], bias[:] = upper + np.triu(upper, 1).T, data.nle
        centre[:], centre_velocity[:], momentum[:] = data.com[0], data.vcom[0], data.hg.angular

    functions: tuple[Callable[..., None], ...] = (
        forward_dynamics, sole_kinematics, sensor_readings, body_kinematics, whole_body_terms,
    )  # fmt: skip
    return {function.__name__: function for function in functions}


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
    forward_dynamics: Callable[..., None]
    sole_kinematics: Callable[..., None]
    sensor_readings: Callable[..., None]
    body_kinematics: Callable[..., None]
    whole_body_terms: Callable[..., None]


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

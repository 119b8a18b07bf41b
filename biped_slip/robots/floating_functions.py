# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Kinematics and dynamics of a floating-base robot for kernels: generated C, or Pinocchio where there is no compiler.

Arrays are filled, not returned: one allocation a step would cost as much as the step. q (nq,), v and tau (nv,),
wrenches (2, 6) as (force, moment) of the ground on each sole, in world axes at the sole.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Callable, NamedTuple, cast

import casadi as cs
import numba
import numpy as np
import pinocchio as pin
from numpy.typing import NDArray

from biped_slip.code_hash import code_hash
from biped_slip.kernels import bound, kernel, specialise
from biped_slip.robots.compiled_library import CFunction, call_c, compiled_library
from biped_slip.robots.humanoid_config import FOOT_IMUS, FORCE_SENSORS, IMU
from biped_slip.robots.robot import Robot
from biped_slip.robots.symbolic_dynamics import SymbolicDynamics

Array = NDArray[np.float64]


class Generated(NamedTuple):
    """Addresses of a robot's compiled functions; all 0 where Pinocchio takes their place."""

    forward_dynamics: int
    sole_kinematics: int
    sensor_readings: int


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


class FloatingFunctions:
    """The functions above for one robot: ``generated`` is what kernels pass to them.

    Args:
        robot: with a floating base.
        compiled: false asks for Pinocchio even where there is a compiler.
    """

    def __init__(self, robot: Robot, compiled: bool = True) -> None:
        able = compiled and not numba.config.DISABLE_JIT
        library = compiled_library(f"{robot.key}_{code_hash(__name__)}", lambda: _expressions(robot)) if able else None
        self.compiled = library is not None
        self.generated = Generated(*(0 if library is None else library(name) for name in Generated._fields))
        kernels = {f.__name__: f for f in (forward_dynamics, sole_kinematics, sensor_readings)}
        self.functions: dict[str, Callable[..., None]] = kernels if self.compiled else _with_pinocchio(robot)

    def bind(self, function: Callable[..., Any], key: str, **bindings: Any) -> Callable[..., Any]:
        """A function of another room: compiled for any robot, or plain Python with this robot's Pinocchio.

        Args:
            key: names what is bound.
        """
        if self.compiled:
            return specialise(cast(Any, function), bindings, key)
        return bound(cast(Any, function), {**self.functions, **bindings})


@lru_cache(maxsize=16)
def floating_functions(robot: Robot, compiled: bool = True) -> FloatingFunctions:
    """The functions of a robot, generated at most once."""
    return FloatingFunctions(robot, compiled)


def _expressions(robot: Robot) -> dict[str, CFunction]:
    symbolic = SymbolicDynamics(robot.model, robot.soles)
    soles = symbolic.soles
    kinematics = (
        cs.vertcat(*(sole["position"].T for sole in soles)),
        cs.vertcat(*(sole["rotation"] for sole in soles)),
        cs.vertcat(*(sole["velocity"].T for sole in soles)),
    )
    dynamics = (symbolic.q, symbolic.v, symbolic.tau, symbolic.wrenches)
    rates, (imu, *frames) = cs.SX.sym("rates", robot.model.nv), _sensor_frames(robot)
    proper = symbolic.proper_accelerations(rates)
    sensors = (
        symbolic.inertial_reading(imu, proper),
        cs.vertcat(*(symbolic.inertial_reading(frame, proper).T for frame in frames[:2])),
        cs.vertcat(*(symbolic.transmitted(frame, proper).T for frame in frames[2:])),
    )
    return {
        "forward_dynamics": CFunction(dynamics, (symbolic.acceleration(),)),
        "sole_kinematics": CFunction((symbolic.q, symbolic.v), kinematics),
        "sensor_readings": CFunction((symbolic.q, symbolic.v, rates, symbolic.wrenches), sensors),
    }


def _sensor_frames(robot: Robot) -> list[Any]:
    """Frames of the IMU, the feet's IMUs and the force/torque sensors."""
    return [robot.model.frames[robot.model.getFrameId(name)] for name in (IMU, *FOOT_IMUS, *FORCE_SENSORS)]


def _with_pinocchio(robot: Robot) -> dict[str, Callable[..., None]]:
    model = robot.model
    data = model.createData()
    frames = [model.getFrameId(sole) for sole in robot.soles]

    imu, *others = _sensor_frames(robot)

    def outside(q: Array, wrenches: Array) -> Any:
        pin.framesForwardKinematics(model, data, q)
        forces = pin.StdVec_Force()
        forces.extend(pin.Force.Zero() for _ in range(model.njoints))
        for frame, wrench in zip(frames, wrenches, strict=True):
            joint = model.frames[frame].parentJoint
            at_sole = pin.SE3(np.eye(3), data.oMf[frame].translation)
            forces[joint] += data.oMi[joint].actInv(at_sole.act(pin.Force(wrench)))
        return forces

    def forward_dynamics(
        robot: Generated, q: Array, v: Array, tau: Array, wrenches: Array, acceleration: Array
    ) -> None:
        acceleration[:] = pin.aba(model, data, q, v, tau, outside(q, wrenches))

    def inertial(frame: Any, out: Array) -> None:
        index = model.getFrameId(frame.name)
        turn = pin.updateFramePlacement(model, data, index).rotation.T
        out[:3] = pin.getFrameVelocity(model, data, index, pin.LOCAL).angular
        moving = pin.getFrameClassicalAcceleration(model, data, index, pin.LOCAL).linear
        out[3:] = moving - turn @ model.gravity.linear

    def sensor_readings(
        robot: Generated,
        q: Array,
        v: Array,
        acceleration: Array,
        wrenches: Array,
        imu_out: Array,
        foot_imus: Array,
        force_torque: Array,
    ) -> None:
        pin.rnea(model, data, q, v, acceleration, outside(q, wrenches))
        for frame, out in zip(others[2:], force_torque, strict=True):
            out[:] = -frame.placement.actInv(data.f[frame.parentJoint]).vector
        pin.forwardKinematics(model, data, q, v, acceleration)
        for frame, out in zip((imu, *others[:2]), (imu_out, *foot_imus), strict=True):
            inertial(frame, out)

    def sole_kinematics(
        robot: Generated, q: Array, v: Array, position: Array, rotation: Array, velocity: Array
    ) -> None:
        pin.forwardKinematics(model, data, q, v)
        for foot, frame in enumerate(frames):
            place = pin.updateFramePlacement(model, data, frame)
            position[foot], rotation[foot] = place.translation, place.rotation
            velocity[foot] = pin.getFrameVelocity(model, data, frame, pin.LOCAL_WORLD_ALIGNED).vector

    functions: tuple[Callable[..., None], ...] = forward_dynamics, sole_kinematics, sensor_readings
    return {function.__name__: function for function in functions}

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Compiled model functions of a robot, from its Pinocchio model.

They are generated once and kept in the code cache.

Planar robots have Python for numba: factories of kernels in other rooms close over
those that they need. Robots with a floating base have C, or CasADi where kernels are
plain; these fill arrays, for one allocation a step would cost as much as the step.
Arrays: q (nq,), v, tau (nv,); wrenches (2, 6) as (force, moment) of the ground on each
sole, in world axes at the sole.
"""

from __future__ import annotations

import os
import sys
import tempfile
from dataclasses import dataclass, fields
from functools import lru_cache
from pathlib import Path
from types import ModuleType
from typing import Any, Callable, NamedTuple

import casadi as cs
import numba
import pinocchio as pin

from biped_slip.compile.arrays import Array
from biped_slip.compile.cache import cache_folder, code_hash, keep, kept
from biped_slip.compile.kernel import kernel
from biped_slip.errors import BipedSlipError
from biped_slip.robots.code_generation import (
    CFunction,
    call_c,
    compiled_library,
    into_source,
    returning_source,
)
from biped_slip.robots.humanoid import FOOT_IMUS, FORCE_SENSORS, IMU
from biped_slip.robots.robot import Robot
from biped_slip.robots.symbolic_dynamics import (
    SymbolicDynamics,
    SymbolicTerms,
    constant,
)

_HEADER = '''"""Generated from a robot model; do not edit."""
import math

import numpy as np

from biped_slip.compile.kernel import generated_kernel


'''


@dataclass(frozen=True, eq=False)
class ModelFunctions:
    """Kinematics and dynamics of one robot as kernels.

    Those named ``_into`` fill arrays of the caller.
    """

    key: str
    joint_acceleration: Callable[[Array, Array, Array, Array], Array]
    """(q, v, tau, wrenches) -> accelerations (nv,), by the articulated-body
    algorithm."""
    sole_motion: Callable[[Array, Array], tuple[Array, Array]]
    """(q, v) -> sole positions (2, 3) and velocities (2, 6) as (linear, angular), in
    the world."""
    sole_rotations: Callable[[Array], Array]
    """(q) -> sole orientations (6, 3): two stacked matrices that turn sole axes into
    world axes."""
    sole_jacobians: Callable[[Array], Array]
    """(q) -> linear rows of the sole Jacobians in the world (6, nv): left x, y, z,
    right x, y, z."""
    sole_drift: Callable[[Array, Array], Array]
    """(q, v) -> linear accelerations (2, 3) of the soles at zero joint acceleration:
    dJ/dt v, in the world."""
    dynamics_terms: Callable[[Array, Array], tuple[Array, Array]]
    """(q, v) -> mass matrix (nv, nv) and bias torques h (nv,): Coriolis, centrifugal,
    gravity."""
    joint_acceleration_into: Callable[[Any, Any, Array, Array, Array], None]
    """(q, v, tau, wrenches, acceleration)."""
    sole_motion_into: Callable[[Any, Any, Array, Array], None]
    """(q, v, position, velocity)."""
    coordinates: Callable[[Array], Any]
    """An array (nv,) as a tuple, which every function here takes in place of q or v.

    What two of them compute of the same tuple, sines above all, is computed once.
    """


@lru_cache(maxsize=16)
def model_functions(robot: Robot) -> ModelFunctions:
    """Load the model functions of a robot, generated at most once."""
    module = _load(robot.key, lambda: _source(robot))
    names = (field.name for field in fields(ModelFunctions)[1:])
    return ModelFunctions(
        key=robot.key, **{name: getattr(module, name) for name in names}
    )


def _source(robot: Robot) -> str:
    symbolic = SymbolicDynamics(robot.model, robot.soles)
    soles = symbolic.soles
    q = {"q": symbolic.q}
    v = {"v": symbolic.v}

    def stacked(part: str) -> Any:
        return cs.vertcat(*(sole[part].T for sole in soles))

    moving = {**q, **v}
    forced = {**moving, "tau": symbolic.tau, "wrenches": symbolic.wrenches}
    drift = cs.vertcat(
        *(cs.jtimes(s["velocity"][:3], symbolic.q, symbolic.v).T for s in soles)
    )
    parts: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
        "joint_acceleration": (forced, {"acceleration": symbolic.acceleration()}),
        "sole_motion": (
            moving,
            {"position": stacked("position"), "velocity": stacked("velocity")},
        ),
        "sole_rotations": (
            q,
            {"rotation": cs.vertcat(*(sole["rotation"] for sole in soles))},
        ),
        "sole_jacobians": (
            q,
            {"jacobian": cs.vertcat(*(sole["jacobian"][:3, :] for sole in soles))},
        ),
        "sole_drift": (moving, {"drift": drift}),
        "dynamics_terms": (
            moving,
            {"mass": symbolic.mass_matrix(), "bias": symbolic.bias_forces()},
        ),
    }
    numbers = ", ".join(f"q[{i}]" for i in range(robot.model.nv))
    sources = [f"def coordinates(q):\n    return ({numbers})\n"]
    sources += [
        source(name, *signature)
        for name, signature in parts.items()
        for source in (into_source, returning_source)
    ]
    return _HEADER + "\n\n".join(f"@generated_kernel\n{source}" for source in sources)


def _load(key: str, generate: Callable[[], str]) -> ModuleType:
    """Load the generated module from the code cache.

    It is made first where it is missing or damaged.
    """
    name = f"_biped_slip_model_{key}"
    if name in sys.modules:
        return sys.modules[name]
    folder = cache_folder("robots", f"{key}-{code_hash(__name__)}")
    content = kept(folder / "model.kept")
    if content is None:
        content = generate().encode()
        keep(folder / "model.kept", content)
    path = folder / "model.py"  # numba asks it for its age, and people may read it
    _write(path, content)
    module = ModuleType(name)
    module.__file__ = str(path)
    sys.modules[name] = module
    # the checked text, even if the file has changed since
    exec(compile(content, str(path), "exec"), module.__dict__)
    return module


def _write(path: Path, content: bytes) -> None:
    """Write a changed file at once or not at all.

    Several processes may start together.
    """
    try:
        if path.is_file() and path.read_bytes() == content:
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=path.parent, suffix=".tmp")
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        os.replace(temporary, path)
    except OSError as error:
        remedy = "make room or set BIPED_SLIP_CACHE to another folder"
        raise BipedSlipError(
            f"{path} can't be written: {error.strerror or error}; {remedy}"
        ) from error


def floating_expressions(robot: Robot) -> dict[str, CFunction]:
    """Build the CasADi expressions of every model function, by name."""
    symbolic = SymbolicDynamics(robot.model, robot.soles)
    dynamics = (symbolic.q, symbolic.v, symbolic.tau, symbolic.wrenches)
    soles = (
        cs.vertcat(*(sole["position"].T for sole in symbolic.soles)),
        cs.vertcat(*(sole["rotation"] for sole in symbolic.soles)),
        cs.vertcat(*(sole["velocity"].T for sole in symbolic.soles)),
    )
    terms = SymbolicTerms(symbolic)
    mass_matrix = terms.mass_matrix()
    jacobians = cs.vertcat(*terms.sole_jacobians())
    drifts = cs.vertcat(*(one.T for one in terms.sole_drifts()))
    rest = symbolic.bias_forces(), jacobians, drifts
    return {
        "forward_dynamics": CFunction(dynamics, (symbolic.acceleration(),)),
        "sole_kinematics": CFunction((symbolic.q, symbolic.v), soles),
        "sensor_readings": _sensors(robot, symbolic),
        "body_kinematics": _body(robot, symbolic, soles),
        "carried_body": _carried(robot),
        "leg_dynamics": _leg_dynamics(robot, symbolic),
        "whole_body_terms": CFunction(
            (symbolic.q, symbolic.v),
            (mass_matrix, *rest, *soles, *terms.centre(mass_matrix)),
        ),
    }


def _sensors(robot: Robot, symbolic: SymbolicDynamics) -> CFunction:
    rates = cs.SX.sym("rates", robot.model.nv)
    (imu, *frames) = sensor_frames(robot)
    proper = symbolic.proper_accelerations(rates)
    readings = (
        symbolic.inertial_reading(imu, proper),
        cs.vertcat(
            *(symbolic.inertial_reading(frame, proper).T for frame in frames[:2])
        ),
        cs.vertcat(*(symbolic.transmitted(frame, proper).T for frame in frames[2:])),
    )
    return CFunction((symbolic.q, symbolic.v, rates, symbolic.wrenches), readings)


def _body(
    robot: Robot, symbolic: SymbolicDynamics, soles: tuple[Any, Any, Any]
) -> CFunction:
    """Compute IMU and soles in the base's frame."""
    place = symbolic.sole(sensor_frames(robot)[0])
    rotation = symbolic.rotation[place["joint"]]
    outputs = [rotation, place["position"], place["velocity"], soles[0], soles[1]]
    return CFunction(
        (symbolic.q[7:], symbolic.v[6:]),
        tuple(_of_base(robot, symbolic, outputs, cs.SX.zeros(6))),
    )


def _carried(robot: Robot) -> CFunction:
    """Compute the balance of all above the force sensors, and how the feet move.

    See ``carried_body``.
    """
    symbolic = SymbolicDynamics(_without_feet(robot), robot.soles)
    sensed = _Sensed(
        imu=cs.SX.sym("imu", 6),
        wrenches=cs.SX.sym("force_torque", 2, 6),
        feet=cs.SX.sym("foot_imus", 2, 6),
    )
    imu, *feet = (symbolic.sole(frame) for frame in sensor_frames(robot))
    terms = SymbolicTerms(symbolic)
    mass_matrix = terms.mass_matrix()
    mass = mass_matrix[0, 0]
    centre, speed, spin = terms.centre(mass_matrix)
    up = imu["rotation"] @ sensed.imu[3:]
    turning = imu["rotation"] @ sensed.imu[:3] - imu["velocity"][3:]
    (turning,) = _of_base(robot, symbolic, [turning], cs.SX.zeros(6))
    outputs = [
        _total_wrench(sensed.wrenches, feet[2:], centre),
        cs.vertcat(mass * up, cs.cross(turning, spin)),
        cs.vertcat(mass * (speed - imu["velocity"][:3]), spin),
        up,
        turning,
        cs.vertcat(*(sole["position"].T for sole in symbolic.soles)),
        cs.vertcat(
            *((foot["rotation"].T @ foot["velocity"][3:]).T for foot in feet[:2])
        ),
        *_swings(sensed.feet, imu, feet[:2], up, turning),
    ]
    outputs = _of_base(robot, symbolic, outputs, cs.vertcat(cs.SX.zeros(3), turning))
    inputs = (symbolic.q[7:], symbolic.v[6:], *sensed)
    return CFunction(inputs, tuple(outputs))


def leg_joints(robot: Robot) -> list[list[int]]:
    """List the joints of both legs, left and right, as places among all joints.

    A leg has the joints between its sole and what both legs share, from the hip down.
    """
    model = robot.model
    chains = [
        {joint for joint in model.supports[frame.parentJoint] if joint > 1}
        for frame in (model.frames[model.getFrameId(name)] for name in robot.soles)
    ]
    return [
        [model.idx_vs[joint] - 6 for joint in sorted(chains[i] - chains[1 - i])]
        for i in (0, 1)
    ]


def _leg_dynamics(robot: Robot, symbolic: SymbolicDynamics) -> CFunction:
    """Compute what moves the body, and the soles' Jacobians: see ``leg_dynamics``."""
    joint_acceleration = cs.SX.sym("joint_acceleration", robot.model.nv - 6)
    turning = cs.SX.sym("turning", 3)
    spin = cs.SX.sym("spin", 3)
    felt = cs.SX.sym("felt", 3)
    imu = sensor_frames(robot)[0]
    turn = symbolic.sole(imu)["rotation"]

    def rates(specific_force: Any) -> Any:
        """Accelerations whose proper ones have a specific force at the base."""
        weightless = specific_force + symbolic.gravity[:3]
        return cs.vertcat(weightless, spin, joint_acceleration)

    # the IMU's reading is linear in the base's specific force, whose share is a turn
    still = symbolic.proper_accelerations(rates(cs.SX.zeros(3)))
    lever = symbolic.inertial_reading(imu, still)[3:]
    proper = symbolic.proper_accelerations(rates(turn @ (felt - lever)))
    torques = symbolic.inverse_dynamics(proper)
    torques[6:] += constant(robot.model.armature[6:]) * joint_acceleration
    jacobians = [
        cs.vertcat(
            sole["rotation"].T @ sole["jacobian"][:3, :],
            sole["rotation"].T @ sole["jacobian"][3:, :],
        )
        for sole in symbolic.soles
    ]
    legs = [[6 + joint for joint in leg] for leg in leg_joints(robot)]
    outputs = [
        torques[:6],
        cs.vertcat(*(torques[leg].T for leg in legs)),
        cs.vertcat(*(one[:, :6] for one in jacobians)),
        cs.vertcat(*(one[:, leg] for one, leg in zip(jacobians, legs, strict=True))),
        cs.vertcat(*((one @ symbolic.v).T for one in jacobians)),
        cs.vertcat(
            *(
                symbolic.inertial_reading(
                    robot.model.frames[robot.model.getFrameId(name)], proper
                ).T
                for name in robot.soles
            )
        ),
    ]
    velocity = cs.vertcat(cs.SX.zeros(3), turning)
    inputs = (symbolic.q[7:], symbolic.v[6:], joint_acceleration, turning, spin, felt)
    return CFunction(inputs, tuple(_of_base(robot, symbolic, outputs, velocity)))


class _Sensed(NamedTuple):
    """Symbols of what the sensors say."""

    imu: Any  # (6,) angular velocity, specific force
    wrenches: Any  # (2, 6) of the force/torque sensors
    feet: Any  # (2, 6) of the feet's IMUs


def _total_wrench(wrenches: Any, sensors: list[Any], centre: Any) -> Any:
    """Add up the sensors' wrenches (2, 6) about the centre of mass (6,)."""
    total = cs.SX.zeros(6)
    for sensor, wrench in zip(sensors, cs.vertsplit(wrenches), strict=True):
        force = sensor["rotation"] @ wrench[:3].T
        moment = sensor["rotation"] @ wrench[3:].T
        total += cs.vertcat(
            force, moment + cs.cross(sensor["position"] - centre, force)
        )
    return total


def _swings(sensed: Any, imu: Any, feet: list[Any], up: Any, turning: Any) -> list[Any]:
    """Compute velocities (2, 3) of the IMU against the feet, and how they change.

    Args:
        sensed: (2, 6) of the feet's IMUs.
        imu: frame of the base's IMU.
        feet: frames of the feet's IMUs.
        up: specific force (3,) at the base's IMU.
        turning: angular velocity (3,) of the base.
    """
    swing = [imu["velocity"][:3] - foot["velocity"][:3] for foot in feet]
    pulls = [
        up - foot["rotation"] @ sensed[k, 3:].T - cs.cross(turning, swing[k])
        for k, foot in enumerate(feet)
    ]
    return [cs.horzcat(*vectors).T for vectors in (swing, pulls)]


def _without_feet(robot: Robot) -> Any:
    """Copy a model without the masses below its force sensors."""
    model = robot.model.copy()
    for sensor in sensor_frames(robot)[3:]:
        model.inertias[sensor.parentJoint] = pin.Inertia.Zero()
    return model


def _of_base(
    robot: Robot, symbolic: SymbolicDynamics, outputs: list[Any], velocity: Any
) -> list[Any]:
    """Express outputs in the axes of the base, at the origin with a velocity (6,)."""
    base = [symbolic.q[:7], symbolic.v[:6]]
    place = cs.SX(pin.neutral(robot.model)[:7])
    return list(cs.substitute(outputs, base, [place, velocity]))


def sensor_frames(robot: Robot) -> list[Any]:
    """List the frames of the IMU, the feet's IMUs and the force/torque sensors."""
    return [
        robot.model.frames[robot.model.getFrameId(name)]
        for name in (IMU, *FOOT_IMUS, *FORCE_SENSORS)
    ]


def evaluated(function: CFunction) -> Callable[..., None]:
    """Make a function that CasADi evaluates, where there is no C compiler.

    The first argument is unused; the inputs are a tuple, what is filled another one.
    """
    expressions = cs.Function(
        "expressions", list(function.inputs), list(function.outputs)
    )

    def fill(robot: Any, inputs: tuple[Array, ...], filled: tuple[Array, ...]) -> None:
        found = expressions.call(list(inputs))
        for array, values in zip(filled, found, strict=True):
            array[...] = values.full().reshape(array.shape)

    return fill


def _ungrouped(count: int, fill: Callable[..., None]) -> Callable[..., None]:
    """Take ``count`` inputs and what is filled one by one."""
    return lambda robot, *arrays: fill(robot, arrays[:count], arrays[count:])


class Generated(NamedTuple):
    """Addresses of a robot's compiled functions; all 0 where CasADi evaluates them."""

    forward_dynamics: int
    sole_kinematics: int
    sensor_readings: int
    body_kinematics: int
    carried_body: int
    leg_dynamics: int
    whole_body_terms: int


@kernel
def forward_dynamics(
    robot: Generated,
    q: Array,
    v: Array,
    tau: Array,
    wrenches: Array,
    acceleration: Array,
) -> None:
    """Compute accelerations (nv,) under generalized torques and sole wrenches.

    This is the articulated-body algorithm.

    Args:
        robot: addresses of its functions.
        q: coordinates (nq,).
        v: velocities (nv,).
        tau: generalized torques (nv,).
        wrenches: (2, 6) of the ground on the soles.
        acceleration: (nv,), filled.
    """
    call_c(robot.forward_dynamics, (q, v, tau, wrenches), (acceleration,))


@kernel
def sole_kinematics(
    robot: Generated,
    q: Array,
    v: Array,
    position: Array,
    rotation: Array,
    velocity: Array,
) -> None:
    """Compute positions (2, 3), rotations (2, 3, 3) and velocities (2, 6) of the soles.

    All are in the world; velocities are (linear, angular).

    Args:
        robot: addresses of its functions.
        q: coordinates (nq,).
        v: velocities (nv,).
        position: (2, 3), filled.
        rotation: (2, 3, 3), filled.
        velocity: (2, 6), filled.
    """
    call_c(robot.sole_kinematics, (q, v), (position, rotation, velocity))


@kernel
def sensor_readings(
    robot: Generated,
    q: Array,
    v: Array,
    acceleration: Array,
    wrenches: Array,
    imu: Array,
    foot_imus: Array,
    force_torque: Array,
) -> None:
    """Compute the readings of ideal sensors in their frames, for accelerations (nv,).

    Filled: imu (6,) and foot_imus (2, 6) as (angular velocity, specific force);
    force_torque (2, 6), force and moment of the ground on all that hangs below each
    sensor, with its weight and inertia.
    """
    call_c(
        robot.sensor_readings,
        (q, v, acceleration, wrenches),
        (imu, foot_imus, force_torque),
    )


@kernel
def body_kinematics(
    robot: Generated,
    joint_position: Array,
    joint_velocity: Array,
    rotation: Array,
    position: Array,
    velocity: Array,
    sole_position: Array,
    sole_rotation: Array,
) -> None:
    """Compute IMU and soles in the base, from the joints (n,) alone.

    Filled: rotation (3, 3) of the IMU's link, position (3,) and velocity (6,) of the
    IMU as (linear, angular), both against the base in its axes; positions (2, 3) and
    rotations (2, 3, 3) of the soles.
    """
    call_c(
        robot.body_kinematics,
        (joint_position, joint_velocity),
        (rotation, position, velocity, sole_position, sole_rotation),
    )


@kernel
def carried_body(
    robot: Generated, sensed: tuple[Array, ...], filled: tuple[Array, ...]
) -> None:
    """Compute what the sensors say of all above the force sensors.

    It is in the axes of the base, from its origin.

    Args:
        robot: addresses of its functions.
        sensed: joint positions and velocities (n,); IMU (6,), force/torque sensors (2,
            6), feet's IMUs (2, 6).
        filled: load, carried and momentum (6,) of a ``Balance``; specific force (3,) at
            the IMU; turn rate (3,) of the base, as gyroscope and joints say; places of
            the soles (2, 3); angular velocities (2, 3) of the feet's IMUs, in their
            axes, as the base and the joints turn them; swing (2, 3), velocities of the
            IMU against those of the feet; pull (2, 3), how they change in the base's
            axes, as the accelerometers say.
    """
    call_c(robot.carried_body, sensed, filled)


@kernel
def leg_dynamics(
    robot: Generated, motion: tuple[Array, ...], filled: tuple[Array, ...]
) -> None:
    """Compute the torques that move the body, and how the floor's wrenches share them.

    With ``n`` of the base, ``n_leg`` of the legs and wrenches w of the floor in the
    axes of the soles about their origins::

        n = X_left^T w_left + X_right^T w_right
        n_leg - torques of the motors = J^T w        for each leg

    Args:
        robot: addresses of its functions.
        motion: joint positions, velocities and accelerations (n,); turn rate and its
            change (3,) of the base, in its axes; specific force (3,) at the IMU, in the
            IMU's axes.
        filled: n (6,), force over moment about the base's origin in its axes; n_leg (2,
            k) with the rotors' inertia; X (2, 6, 6) and J (2, 6, k), linear over
            angular rows in the soles' axes; velocities (2, 6) of the soles in their
            axes, but for the base's linear one; what IMUs in the soles would read (2,
            6), angular velocity over specific force.
    """
    call_c(robot.leg_dynamics, motion, filled)


@kernel
def whole_body_terms(
    robot: Generated, motion: tuple[Array, Array], filled: tuple[Array, ...]
) -> None:
    """Compute dynamics and kinematics for whole-body control.

    Args:
        robot: addresses of its functions.
        motion: coordinates (nq,) and velocities (nv,).
        filled: mass matrix (nv, nv) with the rotors' inertia, bias (nv,), Jacobians (2,
            6, nv) of the soles and their drift (2, 6), soles as of
            ``sole_kinematics``, centre of mass, its velocity, angular momentum about
            it, each (3,).
    """
    call_c(robot.whole_body_terms, motion, filled)


#: Functions that take their inputs as one tuple, and what they fill as another.
GROUPED = ("carried_body", "leg_dynamics", "whole_body_terms")


@dataclass(frozen=True, eq=False)
class FloatingFunctions:
    """Model functions of one robot, compiled or CasADi's.

    ``generated`` is the first argument of each.

    A kernel that closes over CasADi's stays plain Python.
    """

    compiled: bool
    generated: Generated
    forward_dynamics: Callable[..., None]
    sole_kinematics: Callable[..., None]
    sensor_readings: Callable[..., None]
    body_kinematics: Callable[..., None]
    carried_body: Callable[..., None]
    leg_dynamics: Callable[..., None]
    whole_body_terms: Callable[..., None]


@lru_cache(maxsize=16)
def floating_functions(robot: Robot, compiled: bool = True) -> FloatingFunctions:
    """Load the model functions of a floating-base robot, generated at most once.

    Args:
        robot: with a floating base.
        compiled: false asks for CasADi even where there is a compiler.
    """
    library = None
    if compiled and not numba.config.DISABLE_JIT:
        library = compiled_library(
            f"{robot.key}_{code_hash(__name__)}", lambda: floating_expressions(robot)
        )
    if library is None:
        plain = {}
        for name, function in floating_expressions(robot).items():
            fill = evaluated(function)
            count = len(function.inputs)
            plain[name] = fill if name in GROUPED else _ungrouped(count, fill)
        return FloatingFunctions(
            compiled=False,
            generated=Generated(
                forward_dynamics=0,
                sole_kinematics=0,
                sensor_readings=0,
                body_kinematics=0,
                carried_body=0,
                leg_dynamics=0,
                whole_body_terms=0,
            ),
            **plain,
        )
    return FloatingFunctions(
        compiled=True,
        generated=Generated._make(map(library, Generated._fields)),
        forward_dynamics=forward_dynamics,
        sole_kinematics=sole_kinematics,
        sensor_readings=sensor_readings,
        body_kinematics=body_kinematics,
        carried_body=carried_body,
        leg_dynamics=leg_dynamics,
        whole_body_terms=whole_body_terms,
    )

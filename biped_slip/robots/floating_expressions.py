# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The functions of a floating-base robot as expressions, to be written as C; :mod:`.floating_functions` has them."""

from __future__ import annotations

from typing import Any

import casadi as cs
import pinocchio as pin

from biped_slip.robots.compiled_library import CFunction
from biped_slip.robots.humanoid_config import FOOT_IMUS, FORCE_SENSORS, IMU
from biped_slip.robots.robot import Robot
from biped_slip.robots.symbolic_dynamics import SymbolicDynamics
from biped_slip.robots.symbolic_terms import SymbolicTerms


def floating_expressions(robot: Robot) -> dict[str, CFunction]:
    """Every function by its name."""
    symbolic = SymbolicDynamics(robot.model, robot.soles)
    dynamics = (symbolic.q, symbolic.v, symbolic.tau, symbolic.wrenches)
    soles = _soles(symbolic)
    return {
        "forward_dynamics": CFunction(dynamics, (symbolic.acceleration(),)),
        "sole_kinematics": CFunction((symbolic.q, symbolic.v), soles),
        "sensor_readings": _sensors(robot, symbolic),
        "body_kinematics": _body(robot, symbolic, soles),
        "whole_body_terms": CFunction((symbolic.q, symbolic.v), _terms(symbolic, soles)),
    }


def _soles(symbolic: SymbolicDynamics) -> tuple[Any, Any, Any]:
    """Positions, rotations and velocities of the soles in the world."""
    return (
        cs.vertcat(*(sole["position"].T for sole in symbolic.soles)),
        cs.vertcat(*(sole["rotation"] for sole in symbolic.soles)),
        cs.vertcat(*(sole["velocity"].T for sole in symbolic.soles)),
    )


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


def _terms(symbolic: SymbolicDynamics, soles: tuple[Any, Any, Any]) -> tuple[Any, ...]:
    terms = SymbolicTerms(symbolic)
    mass_matrix = terms.mass_matrix()
    jacobians, drifts = cs.vertcat(*terms.sole_jacobians()), cs.vertcat(*(one.T for one in terms.sole_drifts()))
    return mass_matrix, symbolic.bias_forces(), jacobians, drifts, *soles, *terms.centre(mass_matrix)


def sensor_frames(robot: Robot) -> list[Any]:
    """Frames of the IMU, the feet's IMUs and the force/torque sensors."""
    return [robot.model.frames[robot.model.getFrameId(name)] for name in (IMU, *FOOT_IMUS, *FORCE_SENSORS)]

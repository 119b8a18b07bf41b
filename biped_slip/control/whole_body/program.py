# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The quadratic program of whole-body control, assembled densely (Escande et al. 2014; Herzog et al. 2016).

Unknowns: accelerations of the base, the legs and a waist that can counter them, then the force at every corner of the
stance soles over the robot's mass. The rest of the body follows its posture, its accelerations are known. ::

    min  sum of w_k |task_k|^2
    s.t. base rows of  M a + h = J^T f          the base has no motor
         J a + J' v = -d J v                    stance soles stay
         C f <= 0                               unilateral, inside the friction pyramid; corners bound the CoP
         |M a + h - J^T f| <= effort limits     leg joints; these rows may give way, as the next ones
         low <= a <= high                       leg joints stay inside their range, knees stay bent
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from biped_slip.config import Configuration, configuration, parameter
from biped_slip.constants import GRAVITY
from biped_slip.control.whole_body.contact_cone import FACETS, OF_POINT, cone_rows, corner_forces
from biped_slip.control.whole_body.terms import Terms
from biped_slip.estimation.readings import Array
from biped_slip.kernels import kernel

EQUALITY, SOFT = 5, 8  # daqp's kinds of rows
FREE = 1e30  # no bound


@configuration
class WeightConfig(Configuration):
    """Weights of the tasks; all errors are accelerations, so the numbers compare directly."""

    centre_of_mass: float = parameter(10.0, low=0.0, high=1e4, doc="acceleration of the centre of mass [m/s^2]")
    base: float = parameter(
        0.02, low=0.0, high=1e4, doc="angular acceleration of the base [rad/s^2]: it leans while a leg swings"
    )
    base_turn: float = parameter(
        1.0,
        low=0.0,
        high=10.0,
        doc="of that weight, about the base's vertical axis: where nothing else counters the legs",
    )
    swing: float = parameter(1.0, low=0.0, high=1e4, doc="acceleration of the swing sole [m/s^2, rad/s^2]")
    swing_turn: float = parameter(
        0.1, unit="m", low=0.0, high=10.0, doc="lever at which its turning counts: a late ankle is no harm in the air"
    )
    momentum: float = parameter(0.01, low=0.0, high=1e4, doc="rate of angular momentum over mass [m^2/s^2]")
    posture: float = parameter(1e-4, above=0.0, high=1e4, doc="accelerations of the legs: fixes what no task does")
    waist: float = parameter(
        0.002, above=0.0, high=1e4, doc="acceleration of a waist, likewise: it counters the legs, but comes back"
    )
    force: float = parameter(
        0.03, above=0.0, high=1e4, doc="corner forces over mass against their planned shares [m/s^2]"
    )
    stance_damping: float = parameter(40.0, unit="1/s", low=0.0, high=500.0, doc="decay of a stance sole's velocity")
    stance_level: float = parameter(
        400.0, unit="1/s^2", low=0.0, high=1e4, doc="turns a stance sole that tips back onto the floor"
    )


class Wanted(NamedTuple):
    """What the tasks want at one instant."""

    centre_acceleration: Array  # (3,) [m/s^2]
    momentum_rate: Array  # (3,) about the centre of mass [N m]
    base_acceleration: Array  # (3,) angular, in the base [rad/s^2]
    swing_acceleration: Array  # (2, 6) of the soles; only a swing foot's row is looked at
    joint_acceleration: Array  # (nv - 6,) of all joints [rad/s^2]
    foot_force: Array  # (2, 3) planned share of each stance foot [N], world
    foot_moment: Array  # (2,) planned about the vertical at each stance foot [N m]
    pressure: Array  # (2, 2) where it acts, from the middle of the foot's corners, in the sole [m]
    lowest_acceleration: Array  # (nl,) of the joints it moves [rad/s^2]
    highest_acceleration: Array  # (nl,)


class Robot(NamedTuple):
    """What the program knows of the robot beside its terms."""

    mass: float  # [kg]
    moved: Array  # (nl,) velocity indices of the joints it moves, as integers: legs, and a waist that counters them
    waists: int  # how many of them, at the end, are no legs
    rest: Array  # velocity indices of the other joints
    effort: Array  # (nl,) [N m]
    corners: Array  # (2, n, 3) of the soles, in the sole [m]: where the normal forces act
    grips: Array  # (2, n, 3) where the tangential forces act: a sole holds less moment than its corners would [m]


class Program(NamedTuple):
    """``min 1/2 x'Hx + g'x`` with ``lower <= [x; A x] <= upper``; the first bounds are on the accelerations."""

    hessian: Array
    gradient: Array
    rows: Array
    upper: Array
    lower: Array
    kind: Array  # (rows,) int32
    torque_rows: Array  # (nl, n) and
    torque_bias: Array  # (nl,): torques of these joints are ``rows x + bias`` [N m]


@kernel
def _spread(rotation: Array, corners: Array, grips: Array) -> Array:
    """Map (6, 3 n) from corner forces to the wrench at the sole's origin, world axes; the floor is level."""
    n = corners.shape[0]
    result = np.zeros((6, 3 * n))
    for k in range(n):
        r, grip = rotation @ corners[k], rotation @ grips[k]
        for j in range(3):
            result[j, 3 * k + j] = 1.0
        result[3, 3 * k + 1], result[3, 3 * k + 2] = -grip[2], r[1]
        result[4, 3 * k], result[4, 3 * k + 2] = grip[2], -r[0]
        result[5, 3 * k], result[5, 3 * k + 1] = -grip[1], grip[0]
    return result


@kernel
def corner_shares(corners: Array, pressure: Array) -> Array:
    """Shares (n,) of a foot's force at its corners (n, 3), the least ones that act at ``pressure`` (2,) [m].

    ``1/n + sum_k p_k r_k / sum(r_k^2)`` with r from the corners' middle; a share may be negative near a corner. All
    corners alike would ask for a force through the middle of the sole: with it the pivot would turn the trunk.
    """
    n = corners.shape[0]
    shares = np.full(n, 1.0 / n)
    for k in range(2):
        out = corners[:, k] - np.mean(corners[:, k])
        spread = np.dot(out, out)
        if spread > 0.0:
            shares += pressure[k] / spread * out
    return shares


@kernel
def assemble(terms: Terms, wanted: Wanted, robot: Robot, stance: tuple[bool, bool], limits: tuple[float, float],
             weights: WeightConfig) -> Program:  # fmt: skip
    """The program of one tick; ``weights`` is packed, ``limits`` are per foot."""
    moved, rest, mass = robot.moved, robot.rest, robot.mass
    nl, n = moved.shape[0], robot.corners.shape[1]
    na, rows_of_foot, facets = 6 + nl, 6 if n > 2 else 3, FACETS if n > 1 else OF_POINT
    feet = (1 if stance[0] else 0) + (1 if stance[1] else 0)
    size = na + 3 * n * feet
    coordinates = np.empty(na, dtype=np.int64)
    coordinates[:6] = np.arange(6)
    coordinates[6:] = moved
    known = np.zeros(terms.bias.shape[0])
    for j in rest:
        known[j] = wanted.joint_acceleration[j - 6]
    drag = terms.bias + terms.mass_matrix @ known
    dynamics = np.zeros((na, size))  # M a - J^T f over mass
    for i in range(na):
        for j in range(na):
            dynamics[i, j] = terms.mass_matrix[coordinates[i], coordinates[j]]

    H, g = np.zeros((size, size)), np.zeros(size)
    count = 6 + feet * (rows_of_foot + facets * n) + nl
    A, upper, lower = np.zeros((count, size)), np.zeros(na + count), np.full(na + count, -FREE)
    kind = np.zeros(na + count, dtype=np.int32)
    upper[:6] = FREE
    lower[6:na], upper[6:na], kind[6:na] = wanted.lowest_acceleration, wanted.highest_acceleration, SOFT
    row, column = 6, na
    for i in range(2):
        sole = np.empty((6, na))
        drift = terms.drift[i] + terms.jacobians[i] @ known
        for k in range(6):
            for j in range(na):
                sole[k, j] = terms.jacobians[i, k, coordinates[j]]
        if not stance[i]:
            gap = drift - wanted.swing_acceleration[i]
            for k in range(3, 6):
                sole[k] *= weights.swing_turn
                gap[k] *= weights.swing_turn
            H[:na, :na] += weights.swing * (sole[:rows_of_foot].T @ sole[:rows_of_foot])
            g[:na] += weights.swing * (sole[:rows_of_foot].T @ gap[:rows_of_foot])
            continue
        spread = _spread(terms.rotation[i], robot.corners[i], robot.grips[i])
        end = column + 3 * n
        dynamics[:, column:end] = -mass * (sole.T @ spread)
        for k in range(rows_of_foot):
            A[row + k, :na] = sole[k]
            upper[na + row + k] = -drift[k] - weights.stance_damping * terms.velocity[i, k]
            if k == 3 or k == 4:  # sole normal x vertical turns the sole level
                tilt = terms.rotation[i, 1, 2] if k == 3 else -terms.rotation[i, 0, 2]
                upper[na + row + k] += weights.stance_level * tilt
            lower[na + row + k] = upper[na + row + k]
            kind[na + row + k] = EQUALITY
        row += rows_of_foot
        shares = corner_shares(robot.corners[i], wanted.pressure[i])
        planned = corner_forces(wanted.foot_force[i], wanted.foot_moment[i], shares, terms.rotation[i], robot.grips[i])
        yaw = math.atan2(terms.rotation[i, 1, 0], terms.rotation[i, 0, 0])
        for c in range(n):
            heading = math.atan2(planned[c, 1], planned[c, 0]) - yaw
            cone = cone_rows(limits[i], heading, terms.rotation[i], facets)
            A[row : row + facets, column + 3 * c : column + 3 * c + 3] = cone
            row += facets
            for j in range(3):
                place = column + 3 * c + j
                H[place, place] += weights.force
                g[place] -= weights.force * planned[c, j] / mass
        column = end

    # tasks on the sum of forces: acceleration of the centre of mass, rate of angular momentum
    total = np.zeros((6, size))
    column = na
    for i in range(2):
        if stance[i]:
            arm = terms.position[i] - terms.centre_of_mass
            spread = _spread(terms.rotation[i], robot.corners[i], robot.grips[i])
            for k in range(3 * n):
                f = spread[:, k]
                total[:3, column + k] = f[:3]
                total[3, column + k] = f[3] + arm[1] * f[2] - arm[2] * f[1]
                total[4, column + k] = f[4] + arm[2] * f[0] - arm[0] * f[2]
                total[5, column + k] = f[5] + arm[0] * f[1] - arm[1] * f[0]
            column += 3 * n
    aim = np.empty(6)
    aim[:3] = wanted.centre_acceleration
    aim[2] += GRAVITY
    aim[3:] = wanted.momentum_rate / mass
    for k in range(6):
        weight = weights.centre_of_mass if k < 3 else weights.momentum
        if n == 1 and feet == 1 and k < 2:
            continue  # through one point the force can hold the base or move the centre aside, not both
        for i in range(na, size):
            g[i] -= weight * total[k, i] * aim[k]
            for j in range(na, size):
                H[i, j] += weight * total[k, i] * total[k, j]
    for k in range(3):
        weight = weights.base * (weights.base_turn if k == 2 else 1.0)
        H[3 + k, 3 + k] += weight
        g[3 + k] -= weight * wanted.base_acceleration[k]
        H[k, k] += weights.posture
    for k in range(nl):
        weight = weights.posture if k < nl - robot.waists else weights.waist
        H[6 + k, 6 + k] += weight
        g[6 + k] -= weight * wanted.joint_acceleration[moved[k] - 6]

    for k in range(6):
        A[k] = dynamics[k] / mass
        upper[na + k] = -drag[k] / mass
        lower[na + k] = upper[na + k]
        kind[na + k] = EQUALITY
    torque_bias = np.empty(nl)
    for k in range(nl):
        torque_bias[k] = drag[moved[k]]
        A[row + k] = dynamics[6 + k] / robot.effort[k]
        upper[na + row + k] = 1.0 - torque_bias[k] / robot.effort[k]
        lower[na + row + k] = -1.0 - torque_bias[k] / robot.effort[k]
        kind[na + row + k] = SOFT
    return Program(H, g, A, upper, lower, kind, dynamics[6:], torque_bias)

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Tick program: accelerations and corner forces of one tick, by quadratic programming.

It is assembled densely ([Escande2014], [Herzog2016]) and solved by daqp.

Unknowns: accelerations of the base, the legs and a waist that can counter them, then
the force at every corner of the stance soles over the robot's mass. The rest of the
body follows its posture, its accelerations are known. ::

    min  sum of w_k |task_k|^2
    s.t. base rows of  M a + h = J^T f        the base has no motor
         J a + J' v = -d J v                  stance soles stay
         C f <= 0                             unilateral, inside the friction pyramid;
                                              corners bound the centre of pressure
         |M a + h - J^T f| <= effort limits   leg joints; may give way, as the next row
         low <= a <= high                     leg joints in their range, knees bent
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from biped_slip.compile.arrays import Array
from biped_slip.compile.kernel import kernel
from biped_slip.config import Configuration, configuration, parameter
from biped_slip.constants import GRAVITY
from biped_slip.control.whole_body.tasks import Terms
from biped_slip.errors import MissingExtra

# daqp's kinds of rows
EQUALITY = 5
SOFT = 8
UNBOUNDED = 1e30  # no bound


@configuration
class WeightConfig(Configuration):
    """Weights of the tasks.

    All errors are accelerations, so the numbers compare directly.
    """

    centre_of_mass: float = parameter(
        10.0, low=0.0, high=1e4, doc="acceleration of the centre of mass [m/s^2]"
    )
    base: float = parameter(
        0.02,
        low=0.0,
        high=1e4,
        doc="angular acceleration of the base [rad/s^2]: it leans while a leg swings",
    )
    base_turn: float = parameter(
        0.1,
        low=0.0,
        high=10.0,
        doc="of that weight, about the base's vertical axis: where nothing else "
        "counters the legs",
    )
    swing: float = parameter(
        1.0, low=0.0, high=1e4, doc="acceleration of the swing sole [m/s^2, rad/s^2]"
    )
    swing_turn: float = parameter(
        0.1,
        unit="m",
        low=0.0,
        high=10.0,
        doc="lever at which its turning counts: a late ankle is no harm in the air",
    )
    momentum: float = parameter(
        0.01, low=0.0, high=1e4, doc="rate of angular momentum over mass [m^2/s^2]"
    )
    posture: float = parameter(
        1e-4,
        above=0.0,
        high=1e4,
        doc="accelerations of the legs: fixes what no task does",
    )
    waist: float = parameter(
        0.002,
        above=0.0,
        high=1e4,
        doc="acceleration of a waist, likewise: it counters the legs, but comes back",
    )
    force: float = parameter(
        0.3,
        above=0.0,
        high=1e4,
        doc="corner forces over mass against their planned shares [m/s^2]",
    )
    stance_damping: float = parameter(
        40.0, unit="1/s", low=0.0, high=500.0, doc="decay of a stance sole's velocity"
    )
    stance_level: float = parameter(
        400.0,
        unit="1/s^2",
        low=0.0,
        high=1e4,
        doc="turns a stance sole that tips back onto the floor",
    )


UPWARDS = np.array([0.0, 0.0, 1.0])


class Targets(NamedTuple):
    """Targets of the tasks at one instant."""

    centre_acceleration: Array  # (3,) [m/s^2]
    momentum_rate: Array  # (3,) about the centre of mass [N m]
    base_acceleration: Array  # (3,) angular, in the base [rad/s^2]
    # (2, 6) of the soles; only a swing foot's row is looked at
    swing_acceleration: Array
    joint_acceleration: Array  # (nv - 6,) of all joints [rad/s^2]
    foot_force: Array  # (2, 3) planned share of each stance foot [N], world
    # (2, 2) where it acts, from the middle of the foot's corners, in the sole [m]
    pressure: Array
    lowest_acceleration: Array  # (nl,) of the joints it moves [rad/s^2]
    highest_acceleration: Array  # (nl,)
    up: Array = UPWARDS  # (3,) the vertical


class RobotConstants(NamedTuple):
    """Constants of the robot beside its dynamics."""

    mass: float  # [kg]
    # (nl,) velocity indices of the joints it moves, as integers: legs, and a waist that
    # counters them
    moved: Array
    waists: int  # how many of them, at the end, are no legs
    rest: Array  # velocity indices of the other joints
    effort: Array  # (nl,) [N m]
    # (2, n, 3) of the soles, in the sole [m]: where the normal forces act
    corners: Array
    # (2, n, 3) where tangential forces act: a sole holds less moment than its corners
    # would [m]
    force_points: Array


class TickProgram(NamedTuple):
    """Program ``min 1/2 x'Hx + g'x`` with ``lower <= [x; A x] <= upper``.

    The first bounds are on the accelerations.
    """

    hessian: Array
    gradient: Array
    rows: Array
    upper: Array
    lower: Array
    kind: Array  # (rows,) int32
    torque_rows: Array  # (nl, n) and
    torque_bias: Array  # (nl,): torques of these joints are ``rows x + bias`` [N m]


FACETS = 4  # of each corner of a sole
# of a foot that is a point: there is but one corner, and no plan knows where its force
# will point
OF_POINT = 12


@kernel
def cone_rows(mu: float, heading: float, facets: int = FACETS) -> Array:
    """Build rows C (facets, 3) with ``C f <= 0`` for forces inside a pyramid.

    The forces are in world axes, and the pyramid is in the cone.

    Four facets lose up to ``1 - cos(pi/4)`` of mu; an edge along ``heading`` loses
    nothing in that direction. The rows also keep the normal force from pulling:
    opposite facets add up to ``-2 mu cos(pi/4) f_n <= 0``. The cone is the floor's,
    which is level, not the sole's: one that has tipped by 5 degrees on its edge would
    seem to lose 0.09 of mu to one side.

    Args:
        mu: limit on the force ratio.
        heading: of the wanted tangential force, from the world's x axis [rad].
        facets: of the pyramid.
    """
    rows = np.empty((facets, 3))
    reach = mu * math.cos(math.pi / facets)
    for k in range(facets):
        angle = heading + (2 * k + 1) * math.pi / facets
        rows[k, 0] = math.cos(angle)
        rows[k, 1] = math.sin(angle)
        rows[k, 2] = -reach
    return rows


@kernel
def corner_shares(corners: Array, pressure: Array) -> Array:
    """Compute least shares (n,) of a foot's force at its corners (n, 3).

    The shares act at ``pressure`` (2,) [m].

    ``1/n + sum_k p_k r_k / sum(r_k^2)`` with r from the corners' middle; a share may be
    negative near a corner. All corners alike would ask for a force through the middle
    of the sole: with it the ZMP would turn the trunk.
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
def _spread(rotation: Array, corners: Array, force_points: Array) -> Array:
    """Map (6, 3 n) from corner forces to the wrench at the sole's origin.

    The axes are the world's; the floor is level.
    """
    n = corners.shape[0]
    result = np.zeros((6, 3 * n))
    for k in range(n):
        r = rotation @ corners[k]
        force_point = rotation @ force_points[k]
        for j in range(3):
            result[j, 3 * k + j] = 1.0
        # r x f: tangential forces act at the force point, normal ones at the corner
        result[3, 3 * k + 1] = -force_point[2]
        result[3, 3 * k + 2] = r[1]
        result[4, 3 * k] = force_point[2]
        result[4, 3 * k + 2] = -r[0]
        result[5, 3 * k] = -force_point[1]
        result[5, 3 * k + 1] = force_point[0]
    return result


@kernel
def assemble(
    terms: Terms,
    targets: Targets,
    robot: RobotConstants,
    stance: tuple[bool, bool],
    limits: tuple[float, float],
    weights: WeightConfig,
    touching: Array,
) -> TickProgram:
    """Assemble the program of one tick.

    Args:
        terms: dynamics of the robot.
        targets: of the tasks.
        robot: constants beside its dynamics.
        stance: feet that carry.
        limits: on the force ratio of each foot.
        weights: packed, of the tasks.
        touching: (2, 3) known forces of the ground on the feet [N].
    """
    known = np.zeros(terms.bias.shape[0])
    for j in robot.rest:
        known[j] = targets.joint_acceleration[j - 6]
    bias = terms.bias + terms.mass_matrix @ known
    for foot in range(2):
        if touching[foot, 2] > 0.0:
            for k in range(3):
                bias -= touching[foot, k] * terms.jacobians[foot, k]
    program, dynamics = _empty_program(terms, targets, robot, stance)
    row = 6
    column = 6 + robot.moved.shape[0]
    for foot in range(2):
        sole = _sole_jacobian(terms, robot, foot)
        drift = terms.drift[foot] + terms.jacobians[foot] @ known
        if stance[foot]:
            _force_columns(dynamics, sole, terms.rotation[foot], robot, foot, column)
            row = _hold_sole(program, sole, drift, terms, robot, foot, weights, row)
            row = _friction_cones(
                program, targets, robot, foot, limits[foot], weights, row, column
            )
            column += 3 * robot.corners.shape[1]
        else:
            gap = drift - targets.swing_acceleration[foot]
            _swing_task(program, sole, gap, robot, weights)
    _force_tasks(program, terms, targets, robot, stance, weights, touching)
    _joint_tasks(program, targets, robot, weights)
    _dynamics_constraints(program, dynamics, bias, robot, row)
    return program


@kernel
def _rows_of_foot(robot: RobotConstants) -> int:
    """Count the directions in which a sole on the floor is held: a point may turn."""
    return 6 if robot.corners.shape[1] > 2 else 3


@kernel
def _empty_program(
    terms: Terms, targets: Targets, robot: RobotConstants, stance: tuple[bool, bool]
) -> tuple[TickProgram, Array]:
    """Start a program with bounds of accelerations only, and the dynamics.

    Those are the joint-space dynamics (6 + nl, unknowns) ``M a``.
    """
    nl = robot.moved.shape[0]
    n = robot.corners.shape[1]
    na = 6 + nl
    facets = FACETS if n > 1 else OF_POINT
    feet = (1 if stance[0] else 0) + (1 if stance[1] else 0)
    size = na + 3 * n * feet
    count = 6 + feet * (_rows_of_foot(robot) + facets * n) + nl
    coordinates = np.empty(na, dtype=np.int64)
    coordinates[:6] = np.arange(6)
    coordinates[6:] = robot.moved
    dynamics = np.zeros((na, size))
    for i in range(na):
        for j in range(na):
            dynamics[i, j] = terms.mass_matrix[coordinates[i], coordinates[j]]
    upper = np.zeros(na + count)
    lower = np.full(na + count, -UNBOUNDED)
    kind = np.zeros(na + count, dtype=np.int32)
    upper[:6] = UNBOUNDED
    lower[6:na] = targets.lowest_acceleration
    upper[6:na] = targets.highest_acceleration
    kind[6:na] = SOFT
    rows = np.zeros((count, size))
    hessian = np.zeros((size, size))
    return TickProgram(
        hessian=hessian,
        gradient=np.zeros(size),
        rows=rows,
        upper=upper,
        lower=lower,
        kind=kind,
        torque_rows=dynamics[6:],
        torque_bias=np.empty(nl),
    ), dynamics


@kernel
def _sole_jacobian(terms: Terms, robot: RobotConstants, foot: int) -> Array:
    """Compute a sole's acceleration (6, 6 + nl) per that of base and moved joints."""
    nl = robot.moved.shape[0]
    sole = np.empty((6, 6 + nl))
    for k in range(6):
        for j in range(6):
            sole[k, j] = terms.jacobians[foot, k, j]
        for j in range(nl):
            sole[k, 6 + j] = terms.jacobians[foot, k, robot.moved[j]]
    return sole


@kernel
def _swing_task(
    program: TickProgram,
    sole: Array,
    gap: Array,
    robot: RobotConstants,
    weights: WeightConfig,
) -> None:
    """Add the task of a swing foot.

    ``gap`` (6,) is its sole's acceleration without the unknowns, less the target.
    """
    na = sole.shape[1]
    held = _rows_of_foot(robot)
    for k in range(3, 6):
        sole[k] *= weights.swing_turn
        gap[k] *= weights.swing_turn
    program.hessian[:na, :na] += weights.swing * (sole[:held].T @ sole[:held])
    program.gradient[:na] += weights.swing * (sole[:held].T @ gap[:held])


@kernel
def _force_columns(
    dynamics: Array,
    sole: Array,
    rotation: Array,
    robot: RobotConstants,
    foot: int,
    column: int,
) -> None:
    """Enter the forces on a foot into the dynamics: ``-J^T f`` from a column on."""
    n = robot.corners.shape[1]
    spread = _spread(rotation, robot.corners[foot], robot.force_points[foot])
    dynamics[:, column : column + 3 * n] = -robot.mass * (sole.T @ spread)


@kernel
def _hold_sole(
    program: TickProgram,
    sole: Array,
    drift: Array,
    terms: Terms,
    robot: RobotConstants,
    foot: int,
    weights: WeightConfig,
    row: int,
) -> int:
    """Constrain a sole to stay on the floor; return the first free row.

    Its velocity decays, and a sole that tips turns back onto the floor.

    Args:
        program: to write to.
        sole: (6, na) acceleration of the sole per unknown acceleration.
        drift: (6,) the same without the unknowns.
        terms: of the robot.
        robot: constants.
        foot: 0 left, 1 right.
        weights: packed.
        row: first one.
    """
    na = sole.shape[1]
    held = _rows_of_foot(robot)
    rotation = terms.rotation[foot]
    upper = program.upper
    lower = program.lower
    for k in range(held):
        program.rows[row + k, :na] = sole[k]
        upper[na + row + k] = (
            -drift[k] - weights.stance_damping * terms.velocity[foot, k]
        )
        if k == 3 or k == 4:  # sole normal x vertical turns the sole level
            tilt = rotation[1, 2] if k == 3 else -rotation[0, 2]
            upper[na + row + k] += weights.stance_level * tilt
        lower[na + row + k] = upper[na + row + k]
        program.kind[na + row + k] = EQUALITY
    return row + held


@kernel
def _friction_cones(
    program: TickProgram,
    targets: Targets,
    robot: RobotConstants,
    foot: int,
    limit: float,
    weights: WeightConfig,
    row: int,
    column: int,
) -> int:
    """Keep the corners' forces inside their cones and near their planned shares.

    Returns the first free row.

    Args:
        program: to write to.
        targets: planned force of the foot, and where it acts.
        robot: constants.
        foot: 0 left, 1 right.
        limit: on the force ratio.
        weights: packed.
        row: first one.
        column: of the foot's first force.
    """
    n = robot.corners.shape[1]
    facets = FACETS if n > 1 else OF_POINT
    shares = corner_shares(robot.corners[foot], targets.pressure[foot])
    for c in range(n):
        first = column + 3 * c
        planned = shares[c] * targets.foot_force[foot]
        heading = math.atan2(planned[1], planned[0])
        program.rows[row : row + facets, first : first + 3] = cone_rows(
            limit, heading, facets
        )
        row += facets
        for j in range(3):
            program.hessian[first + j, first + j] += weights.force
            program.gradient[first + j] -= weights.force * planned[j] / robot.mass
    return row


@kernel
def _momentum_rate(
    terms: Terms, robot: RobotConstants, stance: tuple[bool, bool], size: int
) -> Array:
    """Map (6, size) from the unknowns to force and moment about the centre of mass.

    Both are over the robot's mass.
    """
    n = robot.corners.shape[1]
    total = np.zeros((6, size))
    column = 6 + robot.moved.shape[0]
    for i in range(2):
        if stance[i]:
            arm = terms.position[i] - terms.centre_of_mass
            spread = _spread(terms.rotation[i], robot.corners[i], robot.force_points[i])
            for k in range(3 * n):
                f = spread[:, k]
                total[:3, column + k] = f[:3]
                total[3, column + k] = f[3] + arm[1] * f[2] - arm[2] * f[1]
                total[4, column + k] = f[4] + arm[2] * f[0] - arm[0] * f[2]
                total[5, column + k] = f[5] + arm[0] * f[1] - arm[1] * f[0]
            column += 3 * n
    return total


@kernel
def _force_tasks(
    program: TickProgram,
    terms: Terms,
    targets: Targets,
    robot: RobotConstants,
    stance: tuple[bool, bool],
    weights: WeightConfig,
    touching: Array,
) -> None:
    """Add tasks on the sum of forces.

    They are on the acceleration of the centre of mass and on the rate of angular
    momentum.
    """
    na = 6 + robot.moved.shape[0]
    size = program.gradient.shape[0]
    total = _momentum_rate(terms, robot, stance, size)
    on_one_point = robot.corners.shape[1] == 1 and stance[0] != stance[1]
    aim = np.empty(6)
    aim[:3] = targets.centre_acceleration
    for k in range(3):
        aim[k] += (
            GRAVITY * targets.up[k] - (touching[0, k] + touching[1, k]) / robot.mass
        )
    aim[3:] = targets.momentum_rate / robot.mass
    for k in range(6):
        weight = weights.centre_of_mass if k < 3 else weights.momentum
        if on_one_point and k < 2:
            # through one point the force can hold the base or move the centre aside,
            # not both
            continue
        for i in range(na, size):
            if total[k, i] == 0.0:
                # half of them: a force moves along its axis alone
                continue
            program.gradient[i] -= weight * total[k, i] * aim[k]
            for j in range(na, size):
                program.hessian[i, j] += weight * total[k, i] * total[k, j]


@kernel
def _joint_tasks(
    program: TickProgram, targets: Targets, robot: RobotConstants, weights: WeightConfig
) -> None:
    """Add tasks on the accelerations: the base's tilt and turn, and the posture.

    The posture is what nothing else fixes.
    """
    H = program.hessian
    g = program.gradient
    nl = robot.moved.shape[0]
    for k in range(3):
        weight = weights.base * (weights.base_turn if k == 2 else 1.0)
        H[3 + k, 3 + k] += weight
        g[3 + k] -= weight * targets.base_acceleration[k]
        H[k, k] += weights.posture
    for k in range(nl):
        weight = weights.posture if k < nl - robot.waists else weights.waist
        H[6 + k, 6 + k] += weight
        g[6 + k] -= weight * targets.joint_acceleration[robot.moved[k] - 6]


@kernel
def _dynamics_constraints(
    program: TickProgram, dynamics: Array, bias: Array, robot: RobotConstants, row: int
) -> None:
    """Constrain by Newton and Euler for the base, and by torque limits.

    Those are the torque limits of the moved joints, from ``row`` on.
    """
    nl = robot.moved.shape[0]
    na = 6 + nl
    upper = program.upper
    lower = program.lower
    kind = program.kind
    torque_bias = program.torque_bias
    for k in range(6):
        program.rows[k] = dynamics[k] / robot.mass
        upper[na + k] = -bias[k] / robot.mass
        lower[na + k] = upper[na + k]
        kind[na + k] = EQUALITY
    for k in range(nl):
        torque_bias[k] = bias[robot.moved[k]]
        program.rows[row + k] = dynamics[6 + k] / robot.effort[k]
        upper[na + row + k] = 1.0 - torque_bias[k] / robot.effort[k]
        lower[na + row + k] = -1.0 - torque_bias[k] / robot.effort[k]
        kind[na + row + k] = SOFT


try:
    import daqp
except ImportError as error:
    raise MissingExtra("a humanoid's whole-body controller", "humanoids") from error


class Solution(NamedTuple):
    """Answer of the solver."""

    x: Array
    solved: bool
    softened: bool  # the torque limits had to give way
    multipliers: Array  # of the rows


def solve(program: TickProgram) -> Solution:
    """Solve a program by daqp [Arnstrom2022].

    ``solved`` is false where no force inside the cones holds the robot.
    """
    x, _, flag, info = daqp.solve(*program[:6])
    return Solution(
        x=np.asarray(x),
        solved=flag in (1, 2),
        softened=flag == 2,
        multipliers=np.asarray(info["lam"]),
    )

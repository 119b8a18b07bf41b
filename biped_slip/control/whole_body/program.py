# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The programs of whole-body control.

They are those of this tick's accelerations and forces, and of the next step.

The first is assembled densely ([Escande2014], [Herzog2016]) and solved by daqp.

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
from biped_slip.control.whole_body.tasks import (
    FACETS,
    OF_POINT,
    Terms,
    cone_rows,
    corner_shares,
)
from biped_slip.errors import MissingExtra

# daqp's kinds of rows
EQUALITY = 5
SOFT = 8
FREE = 1e30  # no bound


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


class Wanted(NamedTuple):
    """Targets of the tasks at one instant."""

    centre_acceleration: Array  # (3,) [m/s^2]
    momentum_rate: Array  # (3,) about the centre of mass [N m]
    base_acceleration: Array  # (3,) angular, in the base [rad/s^2]
    swing_acceleration: (
        Array  # (2, 6) of the soles; only a swing foot's row is looked at
    )
    joint_acceleration: Array  # (nv - 6,) of all joints [rad/s^2]
    foot_force: Array  # (2, 3) planned share of each stance foot [N], world
    # (2, 2) where it acts, from the middle of the foot's corners, in the sole [m]
    pressure: Array
    lowest_acceleration: Array  # (nl,) of the joints it moves [rad/s^2]
    highest_acceleration: Array  # (nl,)
    up: Array = UPWARDS  # (3,) the vertical


class Robot(NamedTuple):
    """Constants of the robot beside its dynamics."""

    mass: float  # [kg]
    # (nl,) velocity indices of the joints it moves, as integers: legs, and a waist that
    # counters them
    moved: Array
    waists: int  # how many of them, at the end, are no legs
    rest: Array  # velocity indices of the other joints
    effort: Array  # (nl,) [N m]
    corners: (
        Array  # (2, n, 3) of the soles, in the sole [m]: where the normal forces act
    )
    # (2, n, 3) where tangential forces act: a sole holds less moment than its corners
    # would [m]
    force_points: Array


class Program(NamedTuple):
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
        result[3, 3 * k + 1], result[3, 3 * k + 2] = -force_point[2], r[1]
        result[4, 3 * k], result[4, 3 * k + 2] = force_point[2], -r[0]
        result[5, 3 * k], result[5, 3 * k + 1] = -force_point[1], force_point[0]
    return result


@kernel
def assemble(
    terms: Terms,
    wanted: Wanted,
    robot: Robot,
    stance: tuple[bool, bool],
    limits: tuple[float, float],
    weights: WeightConfig,
    touching: Array,
) -> Program:
    """Assemble the program of one tick.

    ``weights`` are packed, ``limits`` are per foot, ``touching`` (2, 3) are known
    forces.
    """
    known = np.zeros(terms.bias.shape[0])
    for j in robot.rest:
        known[j] = wanted.joint_acceleration[j - 6]
    drag = terms.bias + terms.mass_matrix @ known
    for foot in range(2):
        if touching[foot, 2] > 0.0:
            for k in range(3):
                drag -= touching[foot, k] * terms.jacobians[foot, k]
    program, dynamics = _begun(terms, wanted, robot, stance)
    row = 6
    column = 6 + robot.moved.shape[0]
    for foot in range(2):
        sole = _sole_jacobian(terms, robot, foot)
        drift = terms.drift[foot] + terms.jacobians[foot] @ known
        if stance[foot]:
            row = _carry(
                program,
                dynamics,
                sole,
                drift,
                terms,
                wanted,
                robot,
                foot,
                limits[foot],
                weights,
                row,
                column,
            )
            column += 3 * robot.corners.shape[1]
        else:
            _swing(
                program, sole, drift - wanted.swing_acceleration[foot], robot, weights
            )
    _aim_of_forces(program, terms, wanted, robot, stance, weights, touching)
    _aim_of_joints(program, wanted, robot, weights)
    _obey(program, dynamics, drag, robot, row)
    return program


@kernel
def _rows_of_foot(robot: Robot) -> int:
    """Count the directions in which a sole on the floor is held: a point may turn."""
    return 6 if robot.corners.shape[1] > 2 else 3


@kernel
def _begun(
    terms: Terms, wanted: Wanted, robot: Robot, stance: tuple[bool, bool]
) -> tuple[Program, Array]:
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
    lower = np.full(na + count, -FREE)
    kind = np.zeros(na + count, dtype=np.int32)
    upper[:6] = FREE
    lower[6:na] = wanted.lowest_acceleration
    upper[6:na] = wanted.highest_acceleration
    kind[6:na] = SOFT
    rows = np.zeros((count, size))
    hessian = np.zeros((size, size))
    return Program(
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
def _sole_jacobian(terms: Terms, robot: Robot, foot: int) -> Array:
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
def _swing(
    program: Program, sole: Array, gap: Array, robot: Robot, weights: WeightConfig
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
def _carry(
    program: Program,
    dynamics: Array,
    sole: Array,
    drift: Array,
    terms: Terms,
    wanted: Wanted,
    robot: Robot,
    foot: int,
    limit: float,
    weights: WeightConfig,
    row: int,
    column: int,
) -> int:
    """Constrain a foot on the floor and return the first free row.

    Its sole stays, and its corners push inside their cones.
    """
    na = sole.shape[1]
    n = robot.corners.shape[1]
    held = _rows_of_foot(robot)
    rotation = terms.rotation[foot]
    facets = FACETS if n > 1 else OF_POINT
    upper = program.upper
    lower = program.lower
    spread = _spread(rotation, robot.corners[foot], robot.force_points[foot])
    dynamics[:, column : column + 3 * n] = -robot.mass * (sole.T @ spread)
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
    row += held
    shares = corner_shares(robot.corners[foot], wanted.pressure[foot])
    for c in range(n):
        first = column + 3 * c
        planned = shares[c] * wanted.foot_force[foot]
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
def _aim_of_forces(
    program: Program,
    terms: Terms,
    wanted: Wanted,
    robot: Robot,
    stance: tuple[bool, bool],
    weights: WeightConfig,
    touching: Array,
) -> None:
    """Add tasks on the sum of forces.

    They are on the acceleration of the centre of mass and on the rate of angular
    momentum.
    """
    n = robot.corners.shape[1]
    na = 6 + robot.moved.shape[0]
    size = program.gradient.shape[0]
    total = np.zeros((6, size))
    column = na
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
    aim = np.empty(6)
    aim[:3] = wanted.centre_acceleration
    for k in range(3):
        aim[k] += (
            GRAVITY * wanted.up[k] - (touching[0, k] + touching[1, k]) / robot.mass
        )
    aim[3:] = wanted.momentum_rate / robot.mass
    for k in range(6):
        weight = weights.centre_of_mass if k < 3 else weights.momentum
        if n == 1 and stance[0] != stance[1] and k < 2:
            # through one point the force can hold the base or move the centre aside,
            # not both
            continue
        for i in range(na, size):
            program.gradient[i] -= weight * total[k, i] * aim[k]
            for j in range(na, size):
                program.hessian[i, j] += weight * total[k, i] * total[k, j]


@kernel
def _aim_of_joints(
    program: Program, wanted: Wanted, robot: Robot, weights: WeightConfig
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
        g[3 + k] -= weight * wanted.base_acceleration[k]
        H[k, k] += weights.posture
    for k in range(nl):
        weight = weights.posture if k < nl - robot.waists else weights.waist
        H[6 + k, 6 + k] += weight
        g[6 + k] -= weight * wanted.joint_acceleration[robot.moved[k] - 6]


@kernel
def _obey(
    program: Program, dynamics: Array, drag: Array, robot: Robot, row: int
) -> None:
    """Constrain by Newton and Euler for the base, and by torque limits.

    Those are the torque limits of the moved joints, from ``row`` on.
    """
    nl = robot.moved.shape[0]
    na = 6 + nl
    upper = program.upper
    lower = program.lower
    kind = program.kind
    bias = program.torque_bias
    for k in range(6):
        program.rows[k] = dynamics[k] / robot.mass
        upper[na + k] = -drag[k] / robot.mass
        lower[na + k] = upper[na + k]
        kind[na + k] = EQUALITY
    for k in range(nl):
        bias[k] = drag[robot.moved[k]]
        program.rows[row + k] = dynamics[6 + k] / robot.effort[k]
        upper[na + row + k] = 1.0 - bias[k] / robot.effort[k]
        lower[na + row + k] = -1.0 - bias[k] / robot.effort[k]
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


def solve(program: Program) -> Solution:
    """Solve a program by daqp [Arnstrom2022].

    ``solved`` is false where no force inside the cones holds the robot.
    """
    x, _, flag, info = daqp.solve(*program[:6])
    return Solution(np.asarray(x), flag in (1, 2), flag == 2, np.asarray(info["lam"]))


# The step program: where and when the next foot lands, from the divergent component of
# motion in every tick.
#
# Its formulas are in docs/step_program.md ([Khadiv2020], with a ZMP that rolls and a
# transfer that takes time). For a given time each axis is a program of two unknowns in
# a box with one coupling, solved exactly by its dual. The DCM's offset behind the step
# is soft: what nothing feasible saves leaves with a wrong speed, not beyond the
# friction.

# weights [1/m^2], the last [1/s^2] (choice: the sole first)
PLACE = 1.0
SHIFT = 0.02
OFFSET = 100.0
TIME = 20.0
HURRY = 1.25  # times what a swing foot follows with ease: what it can (choice)
BEYOND = 1e4  # weight of friction that is exceeded at touchdown [1/m^2]
# of the search over time: a grid, then its best interval
TIMES = 12
GOLDEN = 0.618033988749895
REFINED = 12


class StepProgram(NamedTuple):
    """One step's program, in axes of the stance foot; arrays (2,) [m]."""

    dcm: Array  # now
    convergent: Array  # c - c'/omega, now
    lean: (
        Array  # of the centre of mass from the c that balances over the ZMP, on a slope
    )
    zmp: Array  # of the plan, now
    zmp_end: Array  # at touchdown
    place: Array  # u_0, wanted way from there to the new foot's ZMP
    offset: Array  # r_0, wanted at touchdown
    nearest: Array  # bounds of u
    furthest: Array
    back: Array  # bounds of delta
    front: Array
    reach: float  # mu_low h: of the centre of mass from the ZMP [m]
    # of the swing foot from its lift to the wanted place, along the stance foot [m]
    way: float
    swing_speed: float  # mean one of a swing foot [m/s]
    swing_acceleration: float  # its way over the square of its time [m/s^2]
    share: float  # of the swing that is over
    time: float  # T_0 [s]
    soonest: float  # bounds of T [s]
    latest: float
    double_support: float  # T_d [s]
    omega: float  # [1/s]


class StepChoice(NamedTuple):
    """Optimum of the step program."""

    place: Array  # u (2,) [m]
    shift: Array  # delta (2,) [m]
    offset: Array  # r (2,) [m]
    time: float  # T [s]
    cost: float


@kernel
def transfer_shares(double_support: float, omega: float) -> tuple[float, float]:
    """Compute the shares of a transfer in the DCM at touchdown.

    They are k of the ZMP's way, and E of the offset at its end.
    """
    a = omega * double_support
    if a < 1e-6:
        return 1.0, 1.0
    decay = math.exp(-a)
    return (1.0 - decay) / a, decay


@kernel
def _at_multiplier(
    m: float,
    place: float,
    near: float,
    far: float,
    back: float,
    front: float,
    k: float,
    grown: float,
) -> tuple[float, float]:
    return min(max(place + k * m / PLACE, near), far), min(
        max(grown * m / SHIFT, back), front
    )


@kernel
def axis_optimum(
    gap: float,
    place: float,
    near: float,
    far: float,
    back: float,
    front: float,
    k: float,
    grown: float,
) -> tuple[float, float, float]:
    """Solve one axis at a given time in closed form.

    The result is u, delta and the remaining error of the offset.

    ``gap`` is the DCM at touchdown without a shift, less the wanted offset. With the
    multiplier m of ``left = gap - k u - grown delta`` both unknowns are clipped lines
    in m, and ``left - m / w_r`` falls with it: a broken line with four corners, whose
    root lies between two of them.
    """
    low = -math.inf
    at_low = 0.0
    high = math.inf
    at_high = 0.0
    for corner in (
        (near - place) * PLACE / k,
        (far - place) * PLACE / k,
        back * SHIFT / grown,
        front * SHIFT / grown,
    ):
        u, shift = _at_multiplier(corner, place, near, far, back, front, k, grown)
        value = gap - k * u - grown * shift - corner / OFFSET
        if value >= 0.0 and corner > low:
            low = corner
            at_low = value
        elif value < 0.0 and corner < high:
            high = corner
            at_high = value
    if low == -math.inf:
        m = high + at_high * OFFSET
    elif high == math.inf:
        m = low + at_low * OFFSET
    else:
        m = low + (high - low) * at_low / (at_low - at_high)
    u, shift = _at_multiplier(m, place, near, far, back, front, k, grown)
    return u, shift, gap - k * u - grown * shift


@kernel
def at_time(program: StepProgram, time: float) -> StepChoice:
    """Solve the program for a given time [s] that is left of the swing."""
    omega = program.omega
    k, _ = transfer_shares(program.double_support, omega)
    tau = math.exp(omega * time)
    place = np.empty(2)
    shift = np.empty(2)
    offset = np.empty(2)
    cost = TIME * (time - program.time) ** 2
    away = 0.0
    whole = time / (1.0 - program.share)
    most = HURRY * whole * min(program.swing_speed, program.swing_acceleration * whole)
    for i in range(2):
        lift = program.place[i] - (program.way if i == 0 else 0.0)
        near = lift - most
        far = lift + most
        near = min(max(near, program.nearest[i]), program.furthest[i])
        far = max(min(far, program.furthest[i]), program.nearest[i])
        drift = (program.zmp_end[i] - program.zmp[i]) / (omega * time)
        free = drift + tau * (program.dcm[i] - program.zmp[i] - drift)
        u, d, left = axis_optimum(
            free - program.offset[i],
            program.place[i],
            near,
            far,
            program.back[i],
            program.front[i],
            k,
            tau - 1.0,
        )
        place[i], shift[i], offset[i] = u, d, left + program.offset[i]
        cost += (
            PLACE * (u - program.place[i]) ** 2 + SHIFT * d * d + OFFSET * left * left
        )
        settled = (program.convergent[i] - program.zmp[i] + drift - d) / tau - drift
        away += (0.5 * (free - (tau - 1.0) * d + settled - d) + program.lean[i]) ** 2
    more = max(math.sqrt(away) - program.reach, 0.0)
    return StepChoice(
        place=place,
        shift=shift,
        offset=offset,
        time=time,
        cost=cost + BEYOND * more * more,
    )


@kernel
def solve_step(program: StepProgram) -> StepChoice:
    """Find the place and the time of the next touchdown.

    The search is a grid over the time, then golden section.
    """
    best = at_time(program, min(max(program.time, program.soonest), program.latest))
    width = (program.latest - program.soonest) / TIMES
    if width < 1e-6:
        return best
    for i in range(TIMES + 1):
        one = at_time(program, program.soonest + i * width)
        if one.cost < best.cost:
            best = one
    low = max(best.time - width, program.soonest)
    high = min(best.time + width, program.latest)
    a = high - GOLDEN * (high - low)
    b = low + GOLDEN * (high - low)
    at_a = at_time(program, a)
    at_b = at_time(program, b)
    for _ in range(REFINED):
        if at_a.cost < at_b.cost:
            high = b
            b = a
            at_b = at_a
            a = high - GOLDEN * (high - low)
            at_a = at_time(program, a)
        else:
            low = a
            a = b
            at_a = at_b
            b = low + GOLDEN * (high - low)
            at_b = at_time(program, b)
    if at_a.cost < best.cost:
        best = at_a
    return at_b if at_b.cost < best.cost else best


@kernel
def steady_offset(
    way: float, other: float, rolled: float, single: float, double: float, omega: float
) -> float:
    """Compute the DCM [m] from the ZMP at the begin of a single support.

    The single support is one in the steady gait of two alternating steps.

    ``way`` [m] is that of the ZMP over the transfer behind it, ``other`` of the
    transfer behind the next one; in between it rolls by ``rolled`` [m]. With ``X = s +
    e^{omega Ts} (b - s) = k u + E b'`` the mean of both ways repeats and their
    difference alternates.
    """
    k, decay = transfer_shares(double, omega)
    grown = math.exp(omega * single)
    drift = rolled / (omega * single)
    mean = 0.5 * (way + other)
    half = 0.5 * (way - other)
    return (k * mean + drift * (grown - 1.0)) / (grown - decay) + k * half / (
        grown + decay
    )

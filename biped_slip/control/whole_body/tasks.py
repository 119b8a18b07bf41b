# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Terms of the whole-body program.

They are the robot's dynamics, accelerations of tasks and planned foot forces.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from biped_slip.compile.arrays import Array
from biped_slip.compile.kernel import OfOneType, kernel
from biped_slip.config import Configuration, configuration, parameter
from biped_slip.constants import GRAVITY
from biped_slip.control.whole_body.footsteps import SwingPoint
from biped_slip.estimation.invariant_filter import rotation_of
from biped_slip.robots.model_functions import floating_functions
from biped_slip.robots.robot import Robot


class Terms(NamedTuple):
    """Dynamics and kinematics at one state.

    The feet are left, right; velocities are as Pinocchio's (base in base).
    """

    mass_matrix: Array  # (nv, nv)
    bias: Array  # (nv,) Coriolis, centrifugal and gravity [N, N m]
    jacobians: Array  # (2, 6, nv) of the soles, linear over angular, world axes
    drift: Array  # (2, 6) their acceleration at zero joint acceleration
    position: Array  # (2, 3) of the soles [m], world
    rotation: Array  # (2, 3, 3) sole to world
    velocity: Array  # (2, 6) linear [m/s] over angular [rad/s], world axes
    centre_of_mass: Array  # (3,) [m]
    centre_velocity: Array  # (3,) [m/s]
    angular_momentum: Array  # (3,) about the centre of mass [kg m^2/s]


class TermsSource:
    """Computation of the terms of one floating-base robot, in arrays of its own."""

    def __init__(self, robot: Robot) -> None:
        functions = floating_functions(robot)
        nv = robot.model.nv
        self._robot = functions.generated
        self.terms = Terms(
            mass_matrix=np.zeros((nv, nv)),
            bias=np.zeros(nv),
            jacobians=np.zeros((2, 6, nv)),
            drift=np.zeros((2, 6)),
            position=np.zeros((2, 3)),
            rotation=np.zeros((2, 3, 3)),
            velocity=np.zeros((2, 6)),
            centre_of_mass=np.zeros(3),
            centre_velocity=np.zeros(3),
            angular_momentum=np.zeros(3),
        )
        self._fill = OfOneType(functions.whole_body_terms)

    def at(self, q: Array, v: Array) -> Terms:
        """Compute the terms at a state; the arrays are overwritten by the next call."""
        self._fill(self._robot, q, v, *self.terms)
        return self.terms


@configuration
class GainConfig(Configuration):
    """Feedback gains, all damped critically.

    All are choices that let a step settle within a tenth of it.
    """

    dcm: float = parameter(
        4.0, unit="1/s", low=0.0, high=50.0, doc="decay of the error of the DCM"
    )
    beyond: float = parameter(
        0.05,
        unit="m",
        low=0.0,
        high=0.5,
        doc="how far outside of the soles the force may point from where no ZMP "
        "under them corrects the DCM: the trunk turns (choice)",
    )
    height: float = parameter(
        100.0, unit="1/s^2", low=0.0, high=1e4, doc="of the centre of mass"
    )
    base: float = parameter(
        150.0, unit="1/s^2", low=0.0, high=1e4, doc="orientation of the base"
    )
    swing: float = parameter(900.0, unit="1/s^2", low=0.0, high=1e4, doc="swing sole")
    posture: float = parameter(
        100.0, unit="1/s^2", low=0.0, high=1e4, doc="joints that do not walk"
    )
    waist_damping: float = parameter(
        20.0,
        unit="1/s",
        low=0.0,
        high=1e3,
        doc="decay of a waist's speed: with little weight it comes back as on a "
        "soft spring, and swings up from step to step unless it is damped as much more",
    )
    joint_range: float = parameter(
        400.0,
        unit="1/s^2",
        low=0.0,
        high=1e4,
        doc="approach to the end of a joint's range",
    )
    joint_speed: float = parameter(
        50.0, unit="1/s", low=0.0, high=1e3, doc="approach to a joint's largest speed"
    )
    speed_share: float = parameter(
        0.8,
        above=0.0,
        high=1.0,
        doc="of a joint's speed limit that is used: near the limit its motor loses "
        "torque",
    )
    momentum: float = parameter(
        5.0, unit="1/s", low=0.0, high=100.0, doc="decay of angular momentum"
    )


@kernel
def rotation_vector(turn: Array) -> Array:
    """Compute axis times angle (3,) [rad] of a rotation matrix.

    The matrix turns by less than half a turn.
    """
    twice = np.array(
        [turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1]]
    )
    sine = 0.5 * math.sqrt(twice[0] ** 2 + twice[1] ** 2 + twice[2] ** 2)
    cosine = 0.5 * (turn[0, 0] + turn[1, 1] + turn[2, 2] - 1.0)
    if sine < 1e-9:
        return 0.5 * twice
    return twice * (0.5 * math.atan2(sine, cosine) / sine)


@kernel
def about_z(yaw: float) -> Array:
    """Build the rotation matrix (3, 3) about the vertical."""
    c = math.cos(yaw)
    s = math.sin(yaw)
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])


@kernel
def about_y(pitch: float) -> Array:
    """Build the rotation matrix (3, 3) about the axis to the left."""
    c = math.cos(pitch)
    s = math.sin(pitch)
    return np.array([[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]])


@kernel
def predicted(q: Array, v: Array, time: float) -> Array:
    """Predict coordinates (nq,) after a short time [s] at constant rates (nv,).

    The base's rates are in the base.
    """
    later = np.empty(q.shape[0])
    later[:3] = q[:3] + time * (rotation_of(q[3:7]) @ v[:3])
    x = q[3]
    y = q[4]
    z = q[5]
    w = q[6]
    a = 0.5 * time * v[3]
    b = 0.5 * time * v[4]
    c = 0.5 * time * v[5]
    later[3] = x + w * a + y * c - z * b
    later[4] = y + w * b + z * a - x * c
    later[5] = z + w * c + x * b - y * a
    later[6] = w - x * a - y * b - z * c
    later[3:7] /= math.sqrt(
        later[3] ** 2 + later[4] ** 2 + later[5] ** 2 + later[6] ** 2
    )
    later[7:] = q[7:] + time * v[6:]
    return later


@kernel
def turned_up(up: Array) -> Array:
    """Compute the smallest turn (3, 3) of the third axis to a direction (3,).

    The direction does not point down.
    """
    x = up[0]
    y = up[1]
    z = up[2]
    share = 1.0 / (1.0 + z)
    return np.array([
        [1.0 - share * x * x, -share * x * y, x],
        [-share * x * y, 1.0 - share * y * y, y],
        [-x, -y, z],
    ])  # fmt: skip


@kernel
def base_acceleration(
    quaternion: Array, rate: Array, up: Array, yaw: float, lean: float, stiffness: float
) -> Array:
    """Compute the angular acceleration (3,) that holds the base in its attitude.

    The base is held ``lean`` [rad] forward of ``up``, along ``yaw``.
    """
    error = rotation_vector(
        rotation_of(quaternion).T @ turned_up(up) @ about_z(yaw) @ about_y(lean)
    )
    return stiffness * error - 2.0 * math.sqrt(stiffness) * rate


@kernel
def sole_acceleration(
    point: SwingPoint, terms: Terms, foot: int, stiffness: float
) -> Array:
    """Compute the acceleration (6,) of the swing sole on its path.

    The sole is level; the axes are the world's [m/s^2, rad/s^2].
    """
    damping = 2.0 * math.sqrt(stiffness)
    result = np.empty(6)
    for k in range(3):
        gap = point.position[k] - terms.position[foot, k]
        speed = point.velocity[k] - terms.velocity[foot, k]
        result[k] = point.acceleration[k] + stiffness * gap + damping * speed
    turn = rotation_vector(about_z(point.position[3]) @ terms.rotation[foot].T)
    result[3:] = stiffness * turn - damping * terms.velocity[foot, 3:]
    result[5] += point.acceleration[3] + damping * point.velocity[3]
    return result


@kernel
def centre_acceleration(
    centre: Array,
    velocity: Array,
    zmp: Array,
    height: float,
    omega: float,
    stiffness: float,
) -> Array:
    """Compute the acceleration (3,) of the centre of mass.

    It is away from the ZMP, and to a height [m] over zero.
    """
    result = np.empty(3)
    result[0] = omega * omega * (centre[0] - zmp[0])
    result[1] = omega * omega * (centre[1] - zmp[1])
    up = stiffness * (height - centre[2]) - 2.0 * math.sqrt(stiffness) * velocity[2]
    result[2] = min(max(up, -0.5 * GRAVITY), 0.5 * GRAVITY)
    return result


@kernel
def posture_acceleration(
    posture: Array, position: Array, rate: Array, waists: Array, gains: GainConfig
) -> Array:
    """Compute accelerations (n,) back to a posture (n,) [rad/s^2].

    They are critically damped but for ``waists``.

    ``posture`` and ``position`` are in [rad], ``rate`` in [rad/s]; ``waists`` are
    indices, ``gains`` packed.
    """
    damping = np.full(rate.shape[0], 2.0 * math.sqrt(gains.posture))
    damping[waists] = gains.waist_damping
    return gains.posture * (posture - position) - damping * rate


@kernel
def joint_bounds(
    position: Array,
    rate: Array,
    lowest: Array,
    highest: Array,
    fastest: Array,
    stiffness: float,
    gain: float,
) -> tuple[Array, Array]:
    """Bound joint accelerations by the ends of the range and the largest speed.

    These are to be approached, not passed.

    Args:
        position: of the joints [rad].
        rate: of the joints [rad/s].
        lowest: lower ends of the ranges [rad].
        highest: upper ends [rad].
        fastest: largest speed [rad/s].
        stiffness: of the approach to the ends [1/s^2], critically damped.
        gain: of the approach to the speed [1/s].
    """
    low = np.empty_like(rate)
    high = np.empty_like(rate)
    for k in range(rate.shape[0]):
        drag = 2.0 * math.sqrt(stiffness) * rate[k]
        low[k] = max(
            stiffness * (lowest[k] - position[k]) - drag, gain * (-fastest[k] - rate[k])
        )
        high[k] = min(
            stiffness * (highest[k] - position[k]) - drag, gain * (fastest[k] - rate[k])
        )
        if (
            low[k] > high[k]
        ):  # beyond an end at full speed back: the range is what matters
            low[k] = high[k] = 0.5 * (low[k] + high[k])
    return low, high


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
        rows[k, 0], rows[k, 1], rows[k, 2] = math.cos(angle), math.sin(angle), -reach
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


# of a sole's half size that the ZMP may use; the rest is for what the plan doesn't know
# (choice)
INSIDE = 0.9
POINT = 1e-3  # [m] half a sole that is a point
SEARCH = 24  # steps, each of which leaves two thirds of an interval: 1e-4
HALVINGS = 10  # of the way to a ZMP that friction forbids: 1e-3 of it
MOST = 10.0  # force ratio that no floor holds
# of the friction that the ZMP may use: the program must be able to obey (choice)
USED = 0.98


class Support(NamedTuple):
    """Feet in contact; arrays (2, ...) left, right."""

    stance: tuple[bool, bool]
    under: Array  # (2, 2) middle of each sole, world [m]
    yaw: Array  # (2,) [rad]
    half_size: Array  # (2,) [m]
    limits: Array  # (2,) on the force ratio


@kernel
def balances(half_size: Array) -> bool:
    """Return whether soles of a half size (2,) [m] have an area.

    The ZMP can move in such an area.
    """
    return half_size[0] > 0.0 or half_size[1] > 0.0


@kernel
def _outside(
    share: float, x: float, y: float, along: float, across: float, half_size: Array
) -> float:
    """Compute how far [m] a point (x, y) is outside of a sole's used part.

    The sole is at ``share`` of the way to the next.
    """
    beyond_x = max(abs(x - share * along) - INSIDE * half_size[0], 0.0)
    beyond_y = max(abs(y - share * across) - INSIDE * half_size[1], 0.0)
    return math.hypot(beyond_x, beyond_y)


@kernel
def _span(place: float, way: float, half: float) -> tuple[float, float]:
    """Compute the shares of a ``way`` [m] that are within ``half`` [m] of a place.

    They are those at which the way's point is that near; if there are none, low > high.
    """
    if abs(way) < 1e-9:
        return (0.0, 1.0) if abs(place) <= half else (1.0, 0.0)
    a = (place - half) / way
    b = (place + half) / way
    return max(min(a, b), 0.0), min(max(a, b), 1.0)


@kernel
def load_share(zmp: Array, support: Support, pull: float = 0.0) -> float:
    """Compute the share of the load on the right foot.

    Both feet shall hold a force ratio of ``pull``.

    If floors differ and the share below does not hold it, the foot on the better one
    bears more, as far as the centres of pressure stay inside of their soles.

    Of all shares with which both centres of pressure stay inside their soles the one
    nearest to that with which they are nearest to the middles, in lengths and widths of
    the soles: under staggered feet a ZMP at the toe of one belongs to that foot, and to
    no edge of the other. The hull of two soles alike is what one sweeps on its way to
    the other.
    """
    if not support.stance[1]:
        return 0.0
    if not support.stance[0]:
        return 1.0
    line = support.under[1] - support.under[0]
    way = zmp - support.under[0]
    yaw = 0.5 * (support.yaw[0] + support.yaw[1])
    c = math.cos(yaw)
    s = math.sin(yaw)
    x = c * way[0] + s * way[1]
    y = c * way[1] - s * way[0]
    along = c * line[0] + s * line[1]
    across = c * line[1] - s * line[0]
    length = max(support.half_size[0], POINT) ** 2
    width = max(support.half_size[1], POINT) ** 2
    square = along * along / length + across * across / width
    share = min(
        max((x * along / length + y * across / width) / max(square, 1e-9), 0.0), 1.0
    )
    if _outside(share, x, y, along, across, support.half_size) > 0.0:
        # the distance is convex in the share
        low = 0.0
        high = 1.0
        for _ in range(SEARCH):
            a = low + (high - low) / 3.0
            b = high - (high - low) / 3.0
            at_a = _outside(a, x, y, along, across, support.half_size)
            at_b = _outside(b, x, y, along, across, support.half_size)
            if at_a < at_b or (at_a == at_b and share < a):  # equal: both are inside
                high = b
            else:
                low = a
        share = 0.5 * (low + high)
    left = support.limits[0]
    better = support.limits[1] - support.limits[0]
    if better == 0.0 or pull <= USED * (left + share * better):
        return share
    low_x, high_x = _span(x, along, INSIDE * support.half_size[0])
    low_y, high_y = _span(y, across, INSIDE * support.half_size[1])
    enough = (pull / USED - left) / better
    if better > 0.0:
        return max(share, min(enough, high_x, high_y))
    return min(share, max(enough, low_x, low_y))


@kernel
def beside_line(
    zmp: Array, support: Support, pull: float
) -> tuple[Array, Array, float]:
    """Project a ZMP (2,) on the line between the feet.

    The result is the point (2,), the offset (2,) and the yaw there.
    """
    share = load_share(zmp, support, pull)
    nearest = (1.0 - share) * support.under[0] + share * support.under[1]
    yaw = 0.5 * (support.yaw[0] + support.yaw[1])
    if not (support.stance[0] and support.stance[1]):
        yaw = support.yaw[1] if support.stance[1] else support.yaw[0]
    return nearest, zmp - nearest, yaw


@kernel
def planned_pressure(zmp: Array, support: Support, pull: float = 0.0) -> Array:
    """Compute the centre of pressure (2, 2) of each sole from its middle.

    Together they are the ZMP (2,).
    """
    _, away, _ = beside_line(zmp, support, pull)
    result = np.empty((2, 2))
    for i in range(2):
        c = math.cos(support.yaw[i])
        s = math.sin(support.yaw[i])
        result[i, 0], result[i, 1] = (
            c * away[0] + s * away[1],
            c * away[1] - s * away[0],
        )
    return result


@kernel
def into_support(zmp: Array, support: Support) -> Array:
    """Move the ZMP (2,) into the hull of the stance soles, as far as they are used."""
    nearest, away, yaw = beside_line(zmp, support, 0.0)
    c = math.cos(yaw)
    s = math.sin(yaw)
    x = c * away[0] + s * away[1]
    y = c * away[1] - s * away[0]
    x = min(max(x, -INSIDE * support.half_size[0]), INSIDE * support.half_size[0])
    y = min(max(y, -INSIDE * support.half_size[1]), INSIDE * support.half_size[1])
    return np.array([nearest[0] + c * x - s * y, nearest[1] + s * x + c * y])


@kernel
def usable_zmp(zmp: Array, centre: Array, height: float, support: Support) -> Array:
    """Limit the wanted ZMP (2,) to the support and to what friction allows.

    Friction limits its distance from the centre of mass.

    What both feet hold together depends on how they share the load, and that on the
    ZMP: the furthest point on the way from the centre of mass to the wanted one that
    they hold.
    """
    zmp = into_support(zmp, support)
    away = zmp - centre
    distance = math.hypot(away[0], away[1])
    if distance <= _reach(zmp, height, support):
        return zmp
    low = 0.0
    high = 1.0
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        if middle * distance <= _reach(centre + middle * away, height, support):
            low = middle
        else:
            high = middle
    return into_support(centre + low * away, support)


@kernel
def pushes_from(
    wanted: Array,
    zmp: Array,
    centre: Array,
    height: float,
    support: Support,
    beyond: float,
) -> Array:
    """Compute the origin (2,) [m] of the force on the centre of mass.

    It is ``beyond`` [m] further than the ZMP may go.

    A force that points past the centre of mass from beyond the sole's edge turns the
    trunk, which gives way for a moment. No further than to the ``wanted`` ZMP, nor than
    friction allows; ``zmp`` is the usable one.
    """
    way = wanted - zmp
    size = math.hypot(way[0], way[1])
    if size == 0.0 or beyond == 0.0:
        return zmp
    aim = zmp + min(beyond / size, 1.0) * way
    away = aim - centre
    distance = math.hypot(away[0], away[1])
    reach = _reach(zmp, height, support)
    return aim if distance <= reach else centre + reach / distance * away


@kernel
def _reach(zmp: Array, height: float, support: Support) -> float:
    """Compute how far [m] from a ZMP (2,) the centre of mass may be.

    It may be as far as the friction of the loaded feet allows.
    """
    share = load_share(zmp, support, MOST)
    return (
        USED * ((1.0 - share) * support.limits[0] + share * support.limits[1]) * height
    )


@kernel
def planned_forces(force: Array, zmp: Array, support: Support, probe: Array) -> Array:
    """Compute forces (2, 3) [N] of both feet.

    The normal ones are by the ZMP, the tangential ones by each floor's limit.

    Args:
        force: (3,) total, world.
        zmp: (2,) [m].
        support: of this instant.
        probe: (2, 3) tangential ratio (x, y) asked of a foot in double support whatever
            the total needs, and 1 or 0 whether it is asked; the other foot takes the
            rest.
    """
    result = np.zeros((2, 3))
    share = load_share(
        zmp, support, math.hypot(force[0], force[1]) / max(force[2], 1.0)
    )
    normal = np.array([(1.0 - share) * force[2], share * force[2]])
    carry = support.limits * normal
    total = max(carry[0] + carry[1], 1e-9)
    for i in range(2):
        result[i, 2] = normal[i]
        for k in range(2):
            result[i, k] = force[k] * carry[i] / total
    for i in range(2):
        if support.stance[0] and support.stance[1] and probe[i, 2] > 0.0:
            for k in range(2):
                result[i, k] = probe[i, k] * normal[i]
                result[1 - i, k] = force[k] - result[i, k]
    return result

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Balance: the force on the centre of mass that brings the DCM back, and its feet.

Where the ground's force acts, the zero-moment point [Vukobratovic2004], is limited to
the support: the used parts of the soles that carry, and what one sweeps on its way to
the other. How far the centre of mass may be from it is limited by friction, ``|c - p|
<= mu h``. Within both the ZMP follows what the DCM wants (:func:`usable_zmp`); the
force is shared by the feet so that their centres of pressure together are the ZMP
(:func:`load_share`), and their tangential parts by what each floor holds
(:func:`planned_forces`).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from biped_slip.compile.arrays import Array
from biped_slip.compile.kernel import kernel
from biped_slip.constants import GRAVITY
from biped_slip.control.whole_body.dcm import PendulumState
from biped_slip.control.whole_body.footsteps import TRANSFER, SolePoses, SteppingState
from biped_slip.control.whole_body.gait_patterns import LARGEST_TRUSTED_MU
from biped_slip.control.whole_body.setup import Setup
from biped_slip.control.whole_body.tasks import Terms

# of a sole's half size that the ZMP may use; the rest is for what the plan doesn't know
# (choice)
INSIDE_SOLE = 0.9
POINT = 1e-3  # [m] half a sole that is a point
SEARCH = 24  # steps, each of which leaves two thirds of an interval: 1e-4
HALVINGS = 10  # of the way to a ZMP that friction forbids: 1e-3 of it
ANY_PULL = 10.0  # force ratio that no floor holds
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
    beyond_x = max(abs(x - share * along) - INSIDE_SOLE * half_size[0], 0.0)
    beyond_y = max(abs(y - share * across) - INSIDE_SOLE * half_size[1], 0.0)
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
    yaw = 0.5 * (support.yaw[0] + support.yaw[1])
    c = math.cos(yaw)
    s = math.sin(yaw)
    x, y = _in_axes(zmp - support.under[0], c, s)
    along, across = _in_axes(support.under[1] - support.under[0], c, s)
    share = _share_by_pressure(x, y, along, across, support.half_size)
    left = support.limits[0]
    better = support.limits[1] - support.limits[0]
    if better == 0.0 or pull <= USED * (left + share * better):
        return share
    low_x, high_x = _span(x, along, INSIDE_SOLE * support.half_size[0])
    low_y, high_y = _span(y, across, INSIDE_SOLE * support.half_size[1])
    enough = (pull / USED - left) / better
    if better > 0.0:
        return max(share, min(enough, high_x, high_y))
    return min(share, max(enough, low_x, low_y))


@kernel(inline="code")
def _in_axes(vector: Array, c: float, s: float) -> tuple[float, float]:
    """Return a vector's (2,) components along axes turned by an angle."""
    return c * vector[0] + s * vector[1], c * vector[1] - s * vector[0]


@kernel
def _share_by_pressure(
    x: float, y: float, along: float, across: float, half_size: Array
) -> float:
    """Compute the share on the right foot for the centres of pressure alone.

    The ZMP is at (x, y), the right foot at (along, across) from the left one [m].
    """
    length = max(half_size[0], POINT) ** 2
    width = max(half_size[1], POINT) ** 2
    square = along * along / length + across * across / width
    share = min(
        max((x * along / length + y * across / width) / max(square, 1e-9), 0.0), 1.0
    )
    if _outside(share, x, y, along, across, half_size) > 0.0:
        # the distance is convex in the share
        low = 0.0
        high = 1.0
        for _ in range(SEARCH):
            a = low + (high - low) / 3.0
            b = high - (high - low) / 3.0
            at_a = _outside(a, x, y, along, across, half_size)
            at_b = _outside(b, x, y, along, across, half_size)
            if at_a < at_b or (at_a == at_b and share < a):  # equal: both are inside
                high = b
            else:
                low = a
        share = 0.5 * (low + high)
    return share


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
        result[i, 0], result[i, 1] = _in_axes(away, c, s)
    return result


@kernel
def into_support(zmp: Array, support: Support) -> Array:
    """Move the ZMP (2,) into the hull of the stance soles, as far as they are used."""
    nearest, away, yaw = beside_line(zmp, support, 0.0)
    c = math.cos(yaw)
    s = math.sin(yaw)
    x, y = _in_axes(away, c, s)
    x = min(
        max(x, -INSIDE_SOLE * support.half_size[0]), INSIDE_SOLE * support.half_size[0]
    )
    y = min(
        max(y, -INSIDE_SOLE * support.half_size[1]), INSIDE_SOLE * support.half_size[1]
    )
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
def force_origin(
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
    share = load_share(zmp, support, ANY_PULL)
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
def support_of(
    stance: tuple[bool, bool],
    feet: SolePoses,
    limits: tuple[float, float],
    setup: Setup,
) -> Support:
    """Return the feet that carry, and the friction of their floors."""
    under = np.empty((2, 2))
    yaw = np.empty(2)
    held = np.empty(2)
    for i in range(2):
        hold = feet.holds[i]
        c = math.cos(hold.yaw)
        s = math.sin(hold.yaw)
        x = feet.middle[i, 0]
        y = feet.middle[i, 1]
        under[i, 0] = hold.x + c * x - s * y
        under[i, 1] = hold.y + s * x + c * y
        yaw[i] = hold.yaw
        held[i] = min(limits[i], LARGEST_TRUSTED_MU)
    return Support(
        stance=stance, under=under, yaw=yaw, half_size=setup.half_size, limits=held
    )


@kernel
def _probe(
    steps: SteppingState, centre: Array, support: Support, height: float, need: float
) -> Array:
    """Load the coming stance foot in transfer with the ratio that it will need.

    It will need that ratio alone, and is loaded with it as far as it may.
    """
    probe = np.zeros((2, 3))
    if steps.phase == TRANSFER:
        foot = 1 - steps.swing
        x = (centre[0] - steps.zmp_to[0]) / height
        y = (centre[1] - steps.zmp_to[1]) / height
        ratio = math.hypot(x, y)
        held = min(ratio, need, USED * support.limits[foot]) / max(ratio, 1e-9)
        probe[foot, 0] = held * x
        probe[foot, 1] = held * y
        probe[foot, 2] = 1.0
    return probe


class BalanceForces(NamedTuple):
    """Force on the centre of mass, and of the feet that bring it about."""

    acceleration: Array  # (3,) of the centre of mass [m/s^2]
    foot_force: Array  # (2, 3) of the ground on each foot [N]
    pressure: Array  # (2, 2) where it acts, from the middle of each sole [m]


@kernel
def balance(
    wanted: Array,
    terms: Terms,
    pendulum: PendulumState,
    height: float,
    support: Support,
    steps: SteppingState,
    required: float,
    setup: Setup,
) -> BalanceForces:
    """Compute the force on the centre of mass and share it among the feet.

    Args:
        wanted: (2,) ZMP that brings the DCM back [m].
        terms: of the robot.
        pendulum: as measured.
        height: of the centre of mass over zero, wanted [m].
        support: feet that carry, and the friction of their floors.
        steps: phase of the feet.
        required: friction that the gait under way requires of a foot alone.
        setup: of the walk.
    """
    gains = setup.config.gains
    centre = pendulum.centre
    zmp = usable_zmp(wanted, centre, setup.height, support)
    beyond = gains.beyond if setup.flat else 0.0
    source = force_origin(wanted, zmp, centre, setup.height, support, beyond)
    place = np.array(
        [pendulum.balanced[0], pendulum.balanced[1], terms.centre_of_mass[2]]
    )
    acceleration = centre_acceleration(
        place, terms.centre_velocity, source, height, setup.omega, gains.height
    )
    total = setup.robot.mass * (acceleration + GRAVITY * pendulum.up)
    pull = math.hypot(total[0], total[1]) / max(total[2], 1.0)
    probe = _probe(steps, centre, support, setup.height, required)
    return BalanceForces(
        acceleration=acceleration,
        foot_force=planned_forces(total, zmp, support, probe),
        pressure=planned_pressure(zmp, support, pull),
    )

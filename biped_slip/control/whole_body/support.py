# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""From a wanted ZMP to planned foot forces inside support polygons and friction cones."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from biped_slip.compile.arrays import Array
from biped_slip.compile.kernel import kernel

# Forces at the corners of a sole: what is planned for each, and its friction cone as linear rows.
#
# A pyramid inside the cone, one edge along the planned force.

FACETS = 4  # of each corner of a sole
OF_POINT = 12  # of a foot that is a point: there is but one corner, and no plan knows where its force will point


@kernel
def cone_rows(mu: float, heading: float, facets: int = FACETS) -> Array:
    """Rows C (facets, 3) with ``C f <= 0`` for forces (world axes) inside a pyramid that lies in the cone.

    Four facets lose up to ``1 - cos(pi/4)`` of mu; an edge along ``heading`` loses nothing in that direction. The
    rows also keep the normal force from pulling: opposite facets add up to ``-2 mu cos(pi/4) f_n <= 0``. The cone is
    the floor's, which is level, not the sole's: one that has tipped by 5 degrees on its edge would seem to lose 0.09
    of mu to one side.

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
    """Shares (n,) of a foot's force at its corners (n, 3), the least ones that act at ``pressure`` (2,) [m].

    ``1/n + sum_k p_k r_k / sum(r_k^2)`` with r from the corners' middle; a share may be negative near a corner. All
    corners alike would ask for a force through the middle of the sole: with it the ZMP would turn the trunk.
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
def corner_forces(force: Array, moment: float, shares: Array, rotation: Array, force_points: Array) -> Array:
    """Forces (n, 3) at the corners of a sole that add up to a force and a moment about the vertical, the least ones.

    Every corner bears its share of the force, and of the moment what is across its lever: ``M e_z x r / sum r^2``.
    Where a leg swings, the corners' forces point in different directions: with one heading for all, pyramids would lose
    up to 0.3 of mu.

    Args:
        force: (3,) on the foot [N], world.
        moment: about the vertical through the middle of the sole [N m].
        shares: (n,) of the force at the corners.
        rotation: (3, 3) sole to world.
        force_points: (n, 3) where tangential forces act, in the sole [m].
    """
    n = force_points.shape[0]
    result, levers = np.empty((n, 3)), np.empty((n, 2))
    square = 0.0
    for c in range(n):
        for j in range(2):
            levers[c, j] = 0.0
            for k in range(2):
                levers[c, j] += rotation[j, k] * (force_points[c, k] - force_points[:, k].mean())
            square += levers[c, j] ** 2
    per = moment / square if square > 0.0 else 0.0
    for c in range(n):
        result[c, 0] = shares[c] * force[0] - per * levers[c, 1]
        result[c, 1] = shares[c] * force[1] + per * levers[c, 0]
        result[c, 2] = shares[c] * force[2]
    return result


# From a wanted ZMP to planned foot forces: inside the support, inside the friction of both feet, load shifted.

INSIDE = 0.9  # of a sole's half size that the ZMP may use; the rest is for what the plan doesn't know (choice)
POINT = 1e-3  # [m] half a sole that is a point
SEARCH = 24  # steps, each of which leaves two thirds of an interval: 1e-4
HALVINGS = 10  # of the way to a ZMP that friction forbids: 1e-3 of it
USED = 0.98  # of the friction that the ZMP may use: the program must be able to obey (choice)


class Support(NamedTuple):
    """Feet that carry; arrays (2, ...) left, right."""

    stance: tuple[bool, bool]
    under: Array  # (2, 2) middle of each sole, world [m]
    yaw: Array  # (2,) [rad]
    half_size: Array  # (2,) [m]
    limits: Array  # (2,) on the force ratio


@kernel
def balances(half_size: Array) -> bool:
    """Whether soles of that size (2,) [m] have an area to move the ZMP in; on points a robot falls or steps."""
    return half_size[0] > 0.0 or half_size[1] > 0.0


@kernel
def _outside(share: float, x: float, y: float, along: float, across: float, half_size: Array) -> float:
    """How far [m] a point (x, y) is outside of a sole's part in use that has gone ``share`` of the way to the next."""
    beyond_x = max(abs(x - share * along) - INSIDE * half_size[0], 0.0)
    beyond_y = max(abs(y - share * across) - INSIDE * half_size[1], 0.0)
    return math.hypot(beyond_x, beyond_y)


@kernel
def load_share(zmp: Array, support: Support) -> float:
    """Share of the load on the right foot.

    Of all shares with which both centres of pressure stay inside their soles the one nearest to that with which they
    are nearest to the middles, in lengths and widths of the soles: under staggered feet a ZMP at the toe of one belongs
    to that foot, and to no edge of the other. The hull of two soles alike is what one sweeps on its way to the other.
    """
    if not support.stance[1]:
        return 0.0
    if not support.stance[0]:
        return 1.0
    line, way = support.under[1] - support.under[0], zmp - support.under[0]
    yaw = 0.5 * (support.yaw[0] + support.yaw[1])
    c, s = math.cos(yaw), math.sin(yaw)
    x, y = c * way[0] + s * way[1], c * way[1] - s * way[0]
    along, across = c * line[0] + s * line[1], c * line[1] - s * line[0]
    length, width = max(support.half_size[0], POINT) ** 2, max(support.half_size[1], POINT) ** 2
    square = along * along / length + across * across / width
    share = min(max((x * along / length + y * across / width) / max(square, 1e-9), 0.0), 1.0)
    if _outside(share, x, y, along, across, support.half_size) == 0.0:
        return share
    low, high = 0.0, 1.0  # the distance is convex in the share
    for _ in range(SEARCH):
        a, b = low + (high - low) / 3.0, high - (high - low) / 3.0
        at_a = _outside(a, x, y, along, across, support.half_size)
        at_b = _outside(b, x, y, along, across, support.half_size)
        if at_a < at_b or (at_a == at_b and share < a):  # equal: both are inside
            high = b
        else:
            low = a
    return 0.5 * (low + high)


@kernel
def beside_line(zmp: Array, support: Support) -> tuple[Array, Array, float]:
    """Point (2,) between the carrying feet at the share of a ZMP (2,), the way (2,) from it to the ZMP, yaw there."""
    share = load_share(zmp, support)
    nearest = (1.0 - share) * support.under[0] + share * support.under[1]
    yaw = 0.5 * (support.yaw[0] + support.yaw[1])
    if not (support.stance[0] and support.stance[1]):
        yaw = support.yaw[1] if support.stance[1] else support.yaw[0]
    return nearest, zmp - nearest, yaw


@kernel
def planned_pressure(zmp: Array, support: Support) -> Array:
    """Centre of pressure (2, 2) of each sole from its middle, in the sole; together they are the ZMP (2,)."""
    _, away, _ = beside_line(zmp, support)
    result = np.empty((2, 2))
    for i in range(2):
        c, s = math.cos(support.yaw[i]), math.sin(support.yaw[i])
        result[i, 0], result[i, 1] = c * away[0] + s * away[1], c * away[1] - s * away[0]
    return result


@kernel
def into_support(zmp: Array, support: Support) -> Array:
    """The ZMP (2,), moved into the hull of the soles that carry, as far as they are in use."""
    nearest, away, yaw = beside_line(zmp, support)
    c, s = math.cos(yaw), math.sin(yaw)
    x = c * away[0] + s * away[1]
    y = c * away[1] - s * away[0]
    x = min(max(x, -INSIDE * support.half_size[0]), INSIDE * support.half_size[0])
    y = min(max(y, -INSIDE * support.half_size[1]), INSIDE * support.half_size[1])
    return np.array([nearest[0] + c * x - s * y, nearest[1] + s * x + c * y])


@kernel
def usable_zmp(zmp: Array, centre: Array, height: float, support: Support) -> Array:
    """The wanted ZMP (2,) inside the support and no further from the centre of mass than friction allows.

    What both feet hold together depends on how they share the load, and that on the ZMP: the furthest point on the way
    from the centre of mass to the wanted one that they hold.
    """
    zmp = into_support(zmp, support)
    away = zmp - centre
    distance = math.hypot(away[0], away[1])
    if distance <= _reach(zmp, height, support):
        return zmp
    low, high = 0.0, 1.0
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        if middle * distance <= _reach(centre + middle * away, height, support):
            low = middle
        else:
            high = middle
    return into_support(centre + low * away, support)


@kernel
def pushes_from(wanted: Array, zmp: Array, centre: Array, height: float, support: Support, beyond: float) -> Array:
    """Where the force on the centre of mass shall point from (2,) [m]: ``beyond`` [m] further than the ZMP may go.

    A force that points past the centre of mass from beyond the sole's edge turns the trunk, which gives way for a
    moment. No further than to the ``wanted`` ZMP, nor than friction allows; ``zmp`` is the usable one.
    """
    way = wanted - zmp
    size = math.hypot(way[0], way[1])
    if size == 0.0 or beyond == 0.0:
        return zmp
    aim = zmp + min(beyond / size, 1.0) * way
    away = aim - centre
    distance, reach = math.hypot(away[0], away[1]), _reach(zmp, height, support)
    return aim if distance <= reach else centre + reach / distance * away


@kernel
def _reach(zmp: Array, height: float, support: Support) -> float:
    """How far [m] from a ZMP (2,) the centre of mass may be for the friction of the feet that share its load."""
    share = load_share(zmp, support)
    return USED * ((1.0 - share) * support.limits[0] + share * support.limits[1]) * height


@kernel
def planned_forces(force: Array, zmp: Array, support: Support, probe: Array) -> Array:
    """Forces (2, 3) [N] of both feet: normal by the ZMP, tangential by what each floor can hold.

    Args:
        force: (3,) total, world.
        zmp: (2,) [m].
        support: of this instant.
        probe: (2, 3) tangential ratio (x, y) asked of a foot in double support whatever the total needs, and 1 or 0
            whether it is asked; the other foot takes the rest.
    """
    result = np.zeros((2, 3))
    share = load_share(zmp, support)
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

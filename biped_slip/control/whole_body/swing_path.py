# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Path of the swing foot: polynomials in time from where it is to its foothold.

Along the floor, and in yaw, each tick begins a new polynomial from the present state to
the foothold at rest: of least squared acceleration (cubic), or without a jump of
acceleration (quintic), so that a foothold may move while the foot is under way. Upward
it is a function of the swing's time alone: a blend from floor to floor, and an arc over
it.

The path of :func:`swing_step` ends at rest; that of :func:`sliding_swing_step` ends
``lead`` earlier, going down and backward, so that friction holds the foot back before
it carries (:mod:`~biped_slip.control.sliding_touchdown`).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from biped_slip.compile.arrays import Array
from biped_slip.compile.kernel import kernel
from biped_slip.control.sliding_touchdown import SlidingTouchdownConfig

# 1 over the largest s^2 (1 - s)^3, which has no curvature where it ends: early contact
# is as soft
LEVEL_OFF = 28.935
# of the swing, by when the foot is over its foothold: it may touch down early and must
# not scuff
ARRIVAL_SHARE = 0.95


class SwingPoint(NamedTuple):
    """Target of the swing sole; arrays (4,) of x, y, z [m] and yaw [rad]."""

    position: Array
    velocity: Array
    acceleration: Array


@kernel
def cubic(
    position: float, velocity: float, target: float, remaining: float, dt: float
) -> tuple[float, float, float]:
    """Compute the state after ``dt`` on the cubic polynomial towards ``target``.

    The polynomial rests at ``target`` after ``remaining`` [s].

    Of all ways there it has the least integral of squared acceleration; from rest its
    largest speed is 1.5 times the mean one (a quintic's 1.875): what joints can turn is
    the bound of long steps.
    """
    if remaining <= dt:
        return target, 0.0, 0.0
    gap = target - position
    start = (6.0 * gap / remaining - 4.0 * velocity) / remaining
    jerk = (6.0 * velocity - 12.0 * gap / remaining) / remaining**2
    return (
        position + dt * (velocity + dt * (0.5 * start + dt * jerk / 6.0)),
        velocity + dt * (start + 0.5 * dt * jerk),
        start + dt * jerk,
    )


@kernel
def quintic(
    position: float,
    velocity: float,
    acceleration: float,
    target: float,
    remaining: float,
    dt: float,
) -> tuple[float, float, float]:
    """Compute the state after ``dt`` on the quintic polynomial towards ``target``.

    The polynomial rests at ``target`` after ``remaining`` [s].

    It begins with the acceleration there is and ends with none: the leg's momentum asks
    nothing of the stance foot when that one has just taken over, and its torques don't
    jump. From rest its largest speed is 1.875 times the mean one.
    """
    if remaining <= dt:
        return target, 0.0, 0.0
    gap = target - position
    rush = velocity * remaining
    bend = acceleration * remaining**2
    c3 = 10.0 * gap - 6.0 * rush - 1.5 * bend
    c4 = -15.0 * gap + 8.0 * rush + 1.5 * bend
    c5 = 6.0 * gap - 3.0 * rush - 0.5 * bend
    s = dt / remaining
    return (
        position + s * (rush + s * (0.5 * bend + s * (c3 + s * (c4 + s * c5)))),
        (rush + s * (bend + s * (3.0 * c3 + s * (4.0 * c4 + s * 5.0 * c5))))
        / remaining,
        (bend + s * (6.0 * c3 + s * (12.0 * c4 + s * 20.0 * c5))) / remaining**2,
    )


@kernel
def arc(share: float, height: float, duration: float) -> tuple[float, float, float]:
    """Compute height, speed, acceleration of ``16 h s^2 (1-s)^2``.

    It is at rest at the ends, with apex ``h`` [m] at half time.
    """
    s = min(max(share, 0.0), 1.0)
    r = 1.0 - s
    value = 16.0 * height * (s * r) ** 2
    slope = 32.0 * height * s * r * (r - s) / duration
    curve = 32.0 * height * ((r - s) ** 2 - 2.0 * s * r) / duration**2
    return value, slope, curve


class Swing(NamedTuple):
    """Time and shape of the swing under way, at the end of this tick."""

    time: float  # since lift-off [s]
    duration: float  # planned [s]
    lift_z: float  # where the foot left the floor [m]
    apex: float  # height over the line from lift-off to foothold [m]
    sinking: float  # speed of a foot that has found no floor in time, downwards [m/s]
    smooth: bool  # whether the way along the floor begins and ends unaccelerated


@kernel
def swing_step(point: SwingPoint, target: Array, swing: Swing, dt: float) -> SwingPoint:
    """Advance the swing foot one tick along its path.

    Args:
        point: where it is.
        target: (4,) foothold x, y, z and yaw; may change from tick to tick.
        swing: time and shape of the swing.
        dt: tick [s].
    """
    p = np.empty(4)
    v = np.empty(4)
    a = np.empty(4)
    time = swing.time
    duration = swing.duration
    remaining = ARRIVAL_SHARE * duration - time + dt
    for k in (0, 1, 3):
        if swing.smooth:
            p[k], v[k], a[k] = quintic(
                point.position[k],
                point.velocity[k],
                point.acceleration[k],
                target[k],
                remaining,
                dt,
            )
        else:
            p[k], v[k], a[k] = cubic(
                point.position[k], point.velocity[k], target[k], remaining, dt
            )
    s = min(time / duration, 1.0)
    rise = target[2] - swing.lift_z
    blend = s**3 * (10.0 - 15.0 * s + 6.0 * s * s)
    blend_rate = 30.0 * (s * (1.0 - s)) ** 2 / duration
    blend_curve = 60.0 * s * (1.0 - s) * (1.0 - 2.0 * s) / duration**2
    up, up_rate, up_curve = arc(s, swing.apex, duration)
    p[2] = swing.lift_z + rise * blend + up
    v[2] = rise * blend_rate + up_rate
    a[2] = rise * blend_curve + up_curve
    if time > duration:
        p[2] -= swing.sinking * (time - duration)
        v[2] = -swing.sinking
    return SwingPoint(p, v, a)


@kernel
def descending_arc(
    swing: Swing, rise: float, descent: float, whole: float
) -> tuple[float, float, float]:
    """Compute height, speed and acceleration of a foot that arrives descending.

    The foot rests as it leaves the floor, and arrives ``rise`` [m] higher after
    ``whole`` [s], going down with ``descent`` [m/s].
    """
    s = min(max(swing.time / whole, 0.0), 1.0)
    sink = descent * whole
    r = 1.0 - s
    peak = LEVEL_OFF * swing.apex
    up = peak * s * s * r**3
    up_rate = peak * s * r * r * (2.0 * r - 3.0 * s) / whole
    up_curve = peak * r * (2.0 * r * r - 12.0 * s * r + 6.0 * s * s) / whole**2
    position = (
        swing.lift_z
        + rise * s**3 * (10.0 - 15.0 * s + 6.0 * s * s)
        + up
        + sink * s * s * (1.0 - s)
    )
    velocity = (
        rise * 30.0 * (s * (1.0 - s)) ** 2 / whole
        + up_rate
        + sink * (2.0 * s - 3.0 * s * s) / whole
    )
    acceleration = (
        60.0 * rise * s * r * (r - s) + sink * (2.0 - 6.0 * s)
    ) / whole**2 + up_curve
    return position, velocity, acceleration


@kernel
def sliding_swing_step(
    point: SwingPoint,
    target: Array,
    swing: Swing,
    slide: SlidingTouchdownConfig,
    down: bool,
    place: Array,
    dt: float,
) -> SwingPoint:
    """Advance the swing foot along a path that meets the floor down and backward.

    It meets the floor ``slide.lead`` before the swing's end.

    Along the floor it is the path of :func:`swing_step` in a frame that moves backward;
    upward the descent's speed is added with a blend that ends in it. A foot that is
    down goes on backward and no further down.

    Once it moves backward alone its place along the floor is where it is: what it is
    late by would hold its speed back.

    Args:
        point: where its path is.
        target: (4,) foothold x, y, z and yaw; may change from tick to tick.
        swing: time and shape of the swing.
        slide: of the touchdown, packed.
        down: whether the foot has met the floor.
        place: (3,) where the foot is [m].
        dt: tick [s].
    """
    time = swing.time
    whole = swing.duration - slide.lead
    p = np.empty(4)
    v = np.empty(4)
    a = np.empty(4)
    after = time - whole  # negative before the path's end
    back = (-slide.speed * math.cos(target[3]), -slide.speed * math.sin(target[3]))
    for k in (0, 1, 3):
        speed = back[k] if k < 2 else 0.0
        start = point.position[k] - speed * (after - dt)
        p[k], v[k], a[k] = cubic(
            start,
            point.velocity[k] - speed,
            target[k],
            slide.along * whole - time + dt,
            dt,
        )
        p[k] += speed * after
        v[k] += speed
        if k < 2 and time >= slide.along * whole:
            p[k] = point.position[k] + dt * speed if down else place[k]
    if down:
        p[2] = place[2]
        v[2] = 0.0
        a[2] = 0.0
        return SwingPoint(p, v, a)
    p[2], v[2], a[2] = descending_arc(
        swing, target[2] - swing.lift_z, slide.descent, whole
    )
    if after > 0.0:
        p[2] = target[2] - slide.descent * after
        v[2] = -slide.descent
        a[2] = 0.0
    if time > swing.duration:  # it has found no floor
        p[2] = p[2] - (swing.sinking - slide.descent) * (time - swing.duration)
        v[2] = -swing.sinking
    return SwingPoint(p, v, a)

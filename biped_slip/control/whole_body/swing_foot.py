# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Path of the swing foot: to a foothold that may still move, touching down without speed."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from biped_slip.compile.arrays import Array
from biped_slip.compile.kernel import kernel

ALONG = 0.95  # of the swing, by when the foot is over its foothold: it may touch down early and must not scuff


class SwingPoint(NamedTuple):
    """Where the swing sole shall be; arrays (4,) of x, y, z [m] and yaw [rad]."""

    position: Array
    velocity: Array
    acceleration: Array


@kernel
def cubic(position: float, velocity: float, target: float, remaining: float, dt: float) -> tuple[float, float, float]:
    """State after ``dt`` on the polynomial of third degree that comes to rest at ``target`` after ``remaining`` [s].

    Of all ways there it has the least integral of squared acceleration; from rest its largest speed is 1.5 times the
    mean one (a quintic's 1.875): what joints can turn is the bound of long steps.
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
def quintic(position: float, velocity: float, acceleration: float, target: float, remaining: float,
            dt: float) -> tuple[float, float, float]:  # fmt: skip
    """State after ``dt`` on the polynomial of fifth degree that comes to rest at ``target`` after ``remaining`` [s].

    It begins with the acceleration there is and ends with none: the leg's momentum asks nothing of the stance foot when
    that one has just taken over, and its torques don't jump. From rest its largest speed is 1.875 times the mean one.
    """
    if remaining <= dt:
        return target, 0.0, 0.0
    gap, rush, bend = target - position, velocity * remaining, acceleration * remaining**2
    c3 = 10.0 * gap - 6.0 * rush - 1.5 * bend
    c4 = -15.0 * gap + 8.0 * rush + 1.5 * bend
    c5 = 6.0 * gap - 3.0 * rush - 0.5 * bend
    s = dt / remaining
    return (
        position + s * (rush + s * (0.5 * bend + s * (c3 + s * (c4 + s * c5)))),
        (rush + s * (bend + s * (3.0 * c3 + s * (4.0 * c4 + s * 5.0 * c5)))) / remaining,
        (bend + s * (6.0 * c3 + s * (12.0 * c4 + s * 20.0 * c5))) / remaining**2,
    )


@kernel
def arc(share: float, height: float, duration: float) -> tuple[float, float, float]:
    """Height, speed and acceleration of ``16 h s^2 (1-s)^2``: no speed at both ends, apex ``h`` [m] at half time."""
    s = min(max(share, 0.0), 1.0)
    r = 1.0 - s
    value = 16.0 * height * (s * r) ** 2
    slope = 32.0 * height * s * r * (r - s) / duration
    curve = 32.0 * height * ((r - s) ** 2 - 2.0 * s * r) / duration**2
    return value, slope, curve


@kernel
def swing_step(point: SwingPoint, target: Array, time: float, duration: float, height: float, lift_z: float,
               sinking: float, smooth: bool, dt: float) -> SwingPoint:  # fmt: skip
    """One tick along the path.

    Args:
        point: before this tick.
        target: (4,) foothold x, y, z and yaw; may change from tick to tick.
        time: since lift-off, at the end of this tick [s].
        duration: planned [s].
        height: of the apex over the line from lift-off to foothold [m].
        lift_z: where the foot left the floor [m].
        sinking: speed at which a foot that has found no floor in time goes on downwards [m/s].
        smooth: whether the way begins and ends without acceleration.
        dt: of the tick [s].
    """
    p, v, a = np.empty(4), np.empty(4), np.empty(4)
    remaining = ALONG * duration - time + dt
    for k in (0, 1, 3):
        if smooth:
            p[k], v[k], a[k] = quintic(point.position[k], point.velocity[k], point.acceleration[k], target[k],
                                       remaining, dt)  # fmt: skip
        else:
            p[k], v[k], a[k] = cubic(point.position[k], point.velocity[k], target[k], remaining, dt)
    s = min(time / duration, 1.0)
    rise = target[2] - lift_z
    blend = s**3 * (10.0 - 15.0 * s + 6.0 * s * s)
    blend_rate = 30.0 * (s * (1.0 - s)) ** 2 / duration
    blend_curve = 60.0 * s * (1.0 - s) * (1.0 - 2.0 * s) / duration**2
    up, up_rate, up_curve = arc(s, height, duration)
    p[2] = lift_z + rise * blend + up
    v[2] = rise * blend_rate + up_rate
    a[2] = rise * blend_curve + up_curve
    if time > duration:
        p[2] -= sinking * (time - duration)
        v[2] = -sinking
    return SwingPoint(p, v, a)

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Path of the swing foot: to a foothold that may still move, touching down without speed."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from biped_slip.estimation.readings import Array
from biped_slip.kernels import kernel

ALONG = 0.9  # of the swing, by when the foot is over its foothold: it may touch down early and must not scuff


class SwingPoint(NamedTuple):
    """Where the swing sole shall be; arrays (4,) of x, y, z [m] and yaw [rad]."""

    position: Array
    velocity: Array
    acceleration: Array


@kernel
def quintic(position: float, velocity: float, acceleration: float, target: float, remaining: float,
            dt: float) -> tuple[float, float, float]:  # fmt: skip
    """State after ``dt`` on the polynomial of fifth degree that comes to rest at ``target`` after ``remaining`` [s]."""
    if remaining <= dt:
        return target, 0.0, 0.0
    T = remaining
    gap = target - position
    c3 = (20.0 * gap - 12.0 * velocity * T - 3.0 * acceleration * T * T) / (2.0 * T**3)
    c4 = (-30.0 * gap + 16.0 * velocity * T + 3.0 * acceleration * T * T) / (2.0 * T**4)
    c5 = (12.0 * gap - 6.0 * velocity * T - acceleration * T * T) / (2.0 * T**5)
    t = dt
    return (
        position + velocity * t + 0.5 * acceleration * t * t + c3 * t**3 + c4 * t**4 + c5 * t**5,
        velocity + acceleration * t + 3.0 * c3 * t**2 + 4.0 * c4 * t**3 + 5.0 * c5 * t**4,
        acceleration + 6.0 * c3 * t + 12.0 * c4 * t**2 + 20.0 * c5 * t**3,
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
               sinking: float, dt: float) -> SwingPoint:  # fmt: skip
    """One tick along the path.

    Args:
        point: before this tick.
        target: (4,) foothold x, y, z and yaw; may change from tick to tick.
        time: since lift-off, at the end of this tick [s].
        duration: planned [s].
        height: of the apex over the line from lift-off to foothold [m].
        lift_z: where the foot left the floor [m].
        sinking: speed at which a foot that has found no floor in time goes on downwards [m/s].
        dt: of the tick [s].
    """
    p, v, a = np.empty(4), np.empty(4), np.empty(4)
    remaining = ALONG * duration - time + dt
    for k in (0, 1, 3):
        p[k], v[k], a[k] = quintic(
            point.position[k], point.velocity[k], point.acceleration[k], target[k], remaining, dt
        )
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

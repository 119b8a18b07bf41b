# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Zero of a foot's force sensor, taken while the foot swings, and the foot's contact.

A force sensor is off by newtons, which drift. While the foot swings nothing pushes on
it: the mean of what its sensor shows then is its zero, for the landing that follows.
The swing is cut into parts of some 30 ms. The first part still rings from the lift-off
and the last may belong to the landing: both are left out.

The foot's mass times its acceleration is taken out beforehand, by the mass that is
known. What is left is proportional to the acceleration: the line of the parts' forces
over their accelerations, by running least squares, tells the error of that mass.

A contact begins at a load and ends at a smaller one; a foot that is back within
``BOUNCE`` is still in the same contact, and its zero is that of the swing before. With
``lifted_speed`` the time without load counts only while the foot moves: let go of, it
may bear next to nothing for longer, where it was put down.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from biped_slip.compile.kernel import kernel
from biped_slip.friction_estimation.types import NAN, FootMeasurement

# [s] without load after which a contact has ended; a foot that is back sooner is still
# landing (choice)
BOUNCE = 0.1


class ForceZero(NamedTuple):
    """Mean force of an unloaded foot, and its line over the foot's acceleration."""

    time: float  # in the air [s]
    recent_x: float  # mean of the samples that may belong to the landing [N]
    recent_y: float
    recent_normal: float
    recent_time: float  # [s] of them
    x: float  # [N]
    y: float
    normal: float
    velocity_x: float  # as the recent samples began [m/s]
    velocity_y: float
    rate_x: float  # mean acceleration [m/s^2]
    rate_y: float
    parts: float  # of ``zero_delay`` in the mean
    rates: float  # squares of accelerations about their mean [m^2/s^4]
    forces: float  # their products with forces about theirs [N m/s^2]


UNLOADED = ForceZero(
    time=0.0,
    recent_x=0.0,
    recent_y=0.0,
    recent_normal=0.0,
    recent_time=0.0,
    x=0.0,
    y=0.0,
    normal=0.0,
    velocity_x=NAN,
    velocity_y=NAN,
    rate_x=0.0,
    rate_y=0.0,
    parts=0.0,
    rates=0.0,
    forces=0.0,
)


class SoleContact(NamedTuple):
    """Whether a foot is in contact, and the zero of its force sensor."""

    in_contact: bool
    away: float  # without load since [s]
    zero: ForceZero


NO_SOLE_CONTACT = SoleContact(in_contact=False, away=0.0, zero=UNLOADED)


class SoleContactSettings(NamedTuple):
    """Loads that begin and end a contact, and the times of the zero."""

    begin: float  # [N]
    end: float  # [N]
    zero_time: float  # time constant of the mean [s]
    zero_delay: float  # length of a part, of which the first and last are left out [s]
    lifted_speed: float  # [m/s] below which a foot stays where it was put down


@kernel
def zero_step(
    zero: ForceZero,
    measurement: FootMeasurement,
    settings: SoleContactSettings,
    dt: float,
) -> ForceZero:
    """Update the zero by one sample of an unloaded foot.

    Args:
        zero: before.
        measurement: of the foot.
        settings: times of the zero.
        dt: time since the sample before [s].
    """
    fx = measurement.force_x
    fy = 0.0 if math.isnan(measurement.force_y) else measurement.force_y
    fn = measurement.force_normal
    vx = measurement.velocity_x
    vy = 0.0 if math.isnan(measurement.velocity_y) else measurement.velocity_y
    if zero.recent_time < settings.zero_delay:
        return _longer_part(zero, fx, fy, fn, vx, vy, dt)
    return _next_part(zero, fx, fy, fn, vx, vy, settings.zero_time, dt)


@kernel
def _longer_part(
    zero: ForceZero, fx: float, fy: float, fn: float, vx: float, vy: float, dt: float
) -> ForceZero:
    """Add a sample to the part of the swing that may belong to the landing."""
    time = zero.recent_time + dt
    share = dt / time
    begins = zero.recent_time == 0.0
    velocity_x = vx if begins else zero.velocity_x
    velocity_y = vy if begins else zero.velocity_y
    return ForceZero(
        time=zero.time + dt,
        recent_x=zero.recent_x + share * (fx - zero.recent_x),
        recent_y=zero.recent_y + share * (fy - zero.recent_y),
        recent_normal=zero.recent_normal + share * (fn - zero.recent_normal),
        recent_time=time,
        x=zero.x,
        y=zero.y,
        normal=zero.normal,
        velocity_x=velocity_x,
        velocity_y=velocity_y,
        rate_x=zero.rate_x,
        rate_y=zero.rate_y,
        parts=zero.parts,
        rates=zero.rates,
        forces=zero.forces,
    )


@kernel
def _next_part(
    zero: ForceZero,
    fx: float,
    fy: float,
    fn: float,
    vx: float,
    vy: float,
    zero_time: float,
    dt: float,
) -> ForceZero:
    """Take the last part into the mean, from the second on, and begin a new one."""
    parts = zero.parts + 1.0
    weight = max(1.0 / max(parts - 1.0, 1.0), min(zero.recent_time / zero_time, 1.0))
    ax = (vx - zero.velocity_x) / zero.recent_time
    ay = (vy - zero.velocity_y) / zero.recent_time
    if not math.isfinite(ax + ay):
        ax = zero.rate_x  # who does not know how the foot moves weighs nothing
        ay = zero.rate_y
    x = zero.x + weight * (zero.recent_x - zero.x)
    y = zero.y + weight * (zero.recent_y - zero.y)
    dx = (1.0 - weight) * (ax - zero.rate_x)
    dy = (1.0 - weight) * (ay - zero.rate_y)
    rates = zero.rates + dx * (ax - zero.rate_x) + dy * (ay - zero.rate_y)
    forces = zero.forces + dx * (zero.recent_x - zero.x) + dy * (zero.recent_y - zero.y)
    return ForceZero(
        time=zero.time + dt,
        recent_x=fx,
        recent_y=fy,
        recent_normal=fn,
        recent_time=dt,
        x=x,
        y=y,
        normal=zero.normal + weight * (zero.recent_normal - zero.normal),
        velocity_x=vx,
        velocity_y=vy,
        rate_x=zero.rate_x + weight * (ax - zero.rate_x),
        rate_y=zero.rate_y + weight * (ay - zero.rate_y),
        parts=parts,
        rates=rates,
        forces=forces,
    )


@kernel
def usable_force(measurement: FootMeasurement, dt: float) -> bool:
    """Return whether a sample's forces and its time step are finite numbers."""
    fy = 0.0 if math.isnan(measurement.force_y) else measurement.force_y
    return (
        dt > 0.0
        and math.isfinite(measurement.force_x)
        and math.isfinite(fy)
        and math.isfinite(measurement.force_normal)
    )


@kernel
def footing_step(
    footing: SoleContact,
    measurement: FootMeasurement,
    settings: SoleContactSettings,
    dt: float,
    in_air: bool = False,
) -> SoleContact:
    """Update contact and zero by one sample; one that is not usable changes nothing.

    Args:
        footing: before.
        measurement: of the foot.
        settings: loads of a contact, times of the zero.
        dt: time since the sample before [s].
        in_air: another witness knows that the foot is in the air, however noisy its
            force.
    """
    if not usable_force(measurement, dt):
        return footing
    load = measurement.force_normal - footing.zero.normal
    if not in_air and load >= (settings.end if footing.in_contact else settings.begin):
        return SoleContact(in_contact=True, away=0.0, zero=footing.zero)
    away = footing.away + dt
    speed = math.hypot(measurement.velocity_x, measurement.velocity_y)
    if speed < settings.lifted_speed:  # false for NaN
        away = max(footing.away, dt)
    if not in_air and footing.in_contact and away <= BOUNCE:
        return SoleContact(in_contact=True, away=away, zero=footing.zero)
    swing = UNLOADED if footing.in_contact else footing.zero
    return SoleContact(
        in_contact=False,
        away=away,
        zero=zero_step(swing, measurement, settings, dt),
    )

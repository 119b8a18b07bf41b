# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
r"""What a walk on a floor is judged by, from its true motion and forces.

The sole's material moves at the centre of pressure :math:`r` with
:math:`v + \omega \times r` along the floor; a foot that rolls over its toes does not
slip. A foot touches above a hundredth of the weight; a stance begins with the first
contact after 40 ms in the air; its slip path is the way of the material while the foot
bears a tenth of the weight; the friction that it requires after its landing slide is
the 99 % quantile of :math:`|F_t|/F_n` from 40 ms on, above three tenths of the weight.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from biped_slip.compile.arrays import Array
from biped_slip.simulation.humanoid.log import FloatingLog

TOUCHING = 0.01  # of the weight
IN_THE_AIR = 0.04  # [s] after which a contact is a landing
SLIP_LOAD = 0.1  # of the weight
SLIDE_TIME = 0.04  # [s] after which a landing has slid
BEARING = 0.3  # of the weight
REQUIRED_QUANTILE = 0.99
SPEED_FROM = 3.0  # [s] from which on the speed counts
STEPS_FROM = 1.5  # [s] from which on stances count


class SlipStance(NamedTuple):
    """One stance of a foot."""

    slip: float  # [m]
    required: float  # ratio after the slide; NaN: never borne


class WalkColumns(NamedTuple):
    """Numbers of one walk; NaN where there is nothing to count."""

    speed: float  # [m/s] forward from SPEED_FROM on
    sole_speed: float  # [m/s] mean, of touching soles
    slip_mean: float  # [m] a stance
    slip_largest: float  # [m]
    required: float  # median of its stances
    stances: int


def material_speed(log: FloatingLog) -> Array:
    """Compute the speed along the floor of each sole at its pressure (ticks, 2) [m/s].

    It is that of the sole's origin where the foot bears nothing.
    """
    force = log.wrench[:, :, :3]
    moment = log.wrench[:, :, 3:]
    bears = force[:, :, 2] > 0.0
    normal = np.where(bears, force[:, :, 2], 1.0)
    down = -log.sole_position[:, :, 2]
    forward = np.where(bears, (down * force[:, :, 0] - moment[:, :, 1]) / normal, 0.0)
    aside = np.where(bears, (moment[:, :, 0] + down * force[:, :, 1]) / normal, 0.0)
    arm = np.stack((forward, aside, np.where(bears, down, 0.0)), axis=2)
    velocity = log.sole_velocity[:, :, :3] + np.cross(log.sole_velocity[:, :, 3:], arm)
    return np.asarray(np.linalg.norm(velocity[:, :, :2], axis=2))


def stances_of(
    time: Array, load: Array, speed: Array, ratio: Array, weight: float
) -> list[SlipStance]:
    """List the stances of one foot that begin after STEPS_FROM and have ended.

    Args:
        time: (ticks,) [s].
        load: (ticks,) [N].
        speed: (ticks,) of its material along the floor [m/s].
        ratio: (ticks,) of forces.
        weight: of the robot [N].
    """
    touching = np.flatnonzero(load > TOUCHING * weight)
    if touching.size == 0:
        return []
    period = float(time[1] - time[0])
    begins = np.flatnonzero(np.diff(touching) * period > IN_THE_AIR) + 1
    found = []
    for part in np.split(touching, begins)[1:-1]:
        first = part[0]
        last = part[-1] + 1
        if time[first] < STEPS_FROM:
            continue
        loaded = load[first:last] > SLIP_LOAD * weight
        bears = np.logical_and(
            load[first:last] > BEARING * weight,
            time[first:last] - time[first] >= SLIDE_TIME,
        )
        required = math.nan
        if bears.any():
            required = float(np.quantile(ratio[first:last][bears], REQUIRED_QUANTILE))
        slip = float(np.sum(speed[first:last][loaded]) * period)
        found.append(SlipStance(slip=slip, required=required))
    return found


def columns_of(log: FloatingLog) -> WalkColumns:
    """Compute the columns of a walk whose log is trimmed."""
    time = log.time
    speed = math.nan
    steady = np.flatnonzero(time >= SPEED_FROM)
    if steady.size > 1:
        first = steady[0]
        way = float(log.q[-1, 0] - log.q[first, 0])
        speed = way / float(time[-1] - time[first])
    material = material_speed(log)
    counted = time >= STEPS_FROM
    touching = log.normal[counted] > TOUCHING * log.weight
    stances = [
        stance
        for foot in (0, 1)
        for stance in stances_of(
            time,
            log.normal[:, foot],
            material[:, foot],
            log.ratio[:, foot],
            log.weight,
        )
    ]
    slips = [stance.slip for stance in stances]
    required = [one.required for one in stances if math.isfinite(one.required)]
    return WalkColumns(
        speed=speed,
        sole_speed=float(material[counted][touching].mean())
        if touching.any()
        else math.nan,
        slip_mean=float(np.mean(slips)) if slips else math.nan,
        slip_largest=max(slips, default=math.nan),
        required=float(np.median(required)) if required else math.nan,
        stances=len(stances),
    )

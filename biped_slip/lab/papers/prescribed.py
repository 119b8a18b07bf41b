# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""A robot made to follow prescribed joint angles by stiff servos, its base free or held along some axes.

Held axes are what the papers do with "all motions are functions of time" (B.3, D.3): a guide of springs and dampers on
the base whose forces are recorded, so that what the guide had to give is known.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from biped_slip.compile.arrays import Array
from biped_slip.config import Configuration, configuration, parameter
from biped_slip.simulation.humanoid.log import FloatingLog
from biped_slip.simulation.humanoid.plant import FloatingPlant


@configuration
class ServoConfig(Configuration):
    """Position control of every joint, stiff enough to call its motion prescribed."""

    stiffness: float = parameter(2.0e5, unit="N m/rad", above=0.0, high=1e6, source="choice", doc="of every joint")
    damping: float = parameter(600.0, unit="N m s/rad", low=0.0, high=1e5, source="choice", doc="of every joint")


@configuration
class GuideConfig(Configuration):
    """Springs and dampers between the base and its prescribed motion, world axes."""

    axes: tuple[int, ...] = parameter((), doc="held: 0, 1, 2 place x, y, z; 3, 4, 5 rotation about x, y, z")
    stiffness: float = parameter(5.0e5, unit="N/m or N m/rad", low=0.0, source="choice", doc="of every held axis")
    damping: float = parameter(3.0e3, unit="N s/m or N m s/rad", low=0.0, source="choice", doc="of every held axis")


class Motion(NamedTuple):
    """What is prescribed at every control tick."""

    joints: Array  # (ticks, n) [rad]
    rates: Array  # (ticks, n) [rad/s]
    base: Array  # (ticks, 3) place of the base, world [m]; only held axes count
    velocity: Array  # (ticks, 3) [m/s]
    torques: Array  # (ticks, n) added to the servos' [N m]


class Followed(NamedTuple):
    """What happened."""

    log: FloatingLog
    guide: Array  # (rows, 6) force and moment of the guide on the base [N, N m]
    errors: Array  # (rows, n) of the joints [rad]


def motion_of(joints: Array, period: float, base: Array | None = None, torques: Array | None = None) -> Motion:
    """A motion from its joint angles (ticks, n) and places of the base (ticks, 3), every ``period`` [s]."""
    base = np.zeros((len(joints), 3)) if base is None else base
    torques = np.zeros_like(joints) if torques is None else torques
    rates, velocity = np.gradient(joints, period, axis=0), np.gradient(base, period, axis=0)
    return Motion(joints, rates, base, velocity, torques)


def follow(plant: FloatingPlant, motion: Motion, servo: ServoConfig, guide: GuideConfig, every: int) -> Followed:
    """Run a plant through a motion, one control period a tick; every so many ticks are recorded."""
    rows = len(motion.joints) // every
    log, wrenches, errors = FloatingLog(plant, rows), np.zeros((rows, 6)), np.zeros((rows, motion.joints.shape[1]))
    for tick in range(rows * every):
        q, v = plant.state.q, plant.state.v
        error = motion.joints[tick] - q[7:]
        wrench = guide_wrench(q, v, motion.base[tick], motion.velocity[tick], guide)
        if tick % every == 0:
            log.record(plant, plant.observe())
            wrenches[tick // every], errors[tick // every] = wrench, error
        torques = servo.stiffness * error + servo.damping * (motion.rates[tick] - v[6:]) + motion.torques[tick]
        plant.advance(torques, wrench)
    return Followed(log, wrenches, errors)


def guide_wrench(q: Array, v: Array, place: Array, velocity: Array, guide: GuideConfig) -> Array:
    """Force and moment (6,) on the base in world axes that bring it back, for a base that should not turn."""
    x, y, z, w = q[3], q[4], q[5], q[6]
    turn = np.array(
        [
            [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - z * w), 2.0 * (x * z + y * w)],
            [2.0 * (x * y + z * w), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - x * w)],
            [2.0 * (x * z - y * w), 2.0 * (y * z + x * w), 1.0 - 2.0 * (x * x + y * y)],
        ]
    )
    angle = 2.0 * math.copysign(1.0, w) * q[3:6]
    held = np.zeros(6)
    held[list(guide.axes)] = 1.0
    force = guide.stiffness * (place - q[:3]) + guide.damping * (velocity - turn @ v[:3])
    moment = -guide.stiffness * angle - guide.damping * (turn @ v[3:6])
    return np.asarray(held * np.concatenate((force, moment)))

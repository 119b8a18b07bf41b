# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Positions of the feet from outside the robot: motion capture, a force-plate rig, a cable sensor."""

from __future__ import annotations

import math
from typing import NamedTuple

from biped_slip.compile.arrays import Array
from biped_slip.compile.kernel import kernel
from biped_slip.estimation.foot_measurement import Feet, FloorConfig, SagittalMotion, with_motion
from biped_slip.estimation.readings import SensorReadings
from biped_slip.robots.robot import Robot

CUT_OFF = 30.0  # [Hz] second-order Butterworth on the differenced displacement (study 2)


class Differenced(NamedTuple):
    """What the velocity of one position remembers."""

    before: float  # last position [m]; NaN when there is none
    first: float  # memory of the transposed direct form
    second: float


class BothDifferenced(NamedTuple):
    """Of both feet."""

    left: Differenced
    right: Differenced


class Along(NamedTuple):
    """The floor's tangent in the world."""

    x: float
    z: float


UNSEEN = Differenced(math.nan, 0.0, 0.0)


@kernel
def differenced(state: Differenced, position: float, dt: float) -> tuple[Differenced, float]:
    """Velocity [m/s] of a noisy position: first difference, causal second-order Butterworth (study 2); 0 at first."""
    rate = 0.0 if math.isnan(state.before) or dt <= 0.0 else (position - state.before) / dt
    k = math.tan(math.pi * min(CUT_OFF * dt, 0.4))  # bilinear; coarser samples hardly need it
    scale = 1.0 / (1.0 + math.sqrt(2.0) * k + k * k)
    b, a1, a2 = k * k * scale, 2.0 * (k * k - 1.0) * scale, (1.0 - math.sqrt(2.0) * k + k * k) * scale
    velocity = b * rate + state.first
    return Differenced(position, 2.0 * b * rate - a1 * velocity + state.second, b * rate - a2 * velocity), velocity


@kernel
def _seen(state: Differenced, place: Array, along: Along, dt: float) -> tuple[Differenced, float, float]:
    """Displacement and velocity of one foot; a position that is lost begins anew."""
    x = place[0] * along.x + place[2] * along.z
    state, velocity = differenced(state, x, dt)
    return (UNSEEN if math.isnan(velocity) else state), x, velocity


@kernel(inline="text")
def as_seen_from_outside(
    state: BothDifferenced, readings: SensorReadings, q: Array, v: Array, feet: Feet, along: Along, dt: float
) -> tuple[BothDifferenced, Feet]:
    """Force from the feet's own sensors, motion from ``foot_position_in_world``; a lost position is not measured."""
    left, x_left, v_left = _seen(state.left, readings.foot_position_in_world[0], along, dt)
    right, x_right, v_right = _seen(state.right, readings.foot_position_in_world[1], along, dt)
    return BothDifferenced(left, right), Feet(
        with_motion(feet.left, x_left, v_left), with_motion(feet.right, x_right, v_right)
    )


class ExternalMotion(SagittalMotion):
    """Force from the feet's own sensors, motion from ``foot_position_in_world``."""

    def __init__(self, robot: Robot, floor: FloorConfig) -> None:
        along = Along(math.cos(floor.slope), math.sin(floor.slope))
        super().__init__(robot, floor, as_seen_from_outside, BothDifferenced(UNSEEN, UNSEEN), along)

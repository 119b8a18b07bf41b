# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""How the floor under each sole rises, learnt from soles that lie flat on it."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from biped_slip.compile.arrays import Array
from biped_slip.compile.kernel import kernel, without_dispatch
from biped_slip.estimation.sole_motion import LEVEL, SoleFrames
from biped_slip.friction_estimation.types import FootMeasurement
from biped_slip.robots.humanoid import Humanoid

SINKS = 0.004  # [m] by which one rim of a sole may be lower than its middle on a level floor (choice)
STEEPEST = 0.6  # rise that no sole stands on (choice)
CHANGED = 0.03  # by which a rise must differ from the known one to be another (choice)
CARRIES, AIR = 0.2, 0.02  # body weights on a sole that lies flat, on one in the air (choice)
INSIDE = 0.8  # of half a sole: with its pressure further out it may stand on an edge (choice)
CALM = 0.5  # [rad/s] a sole that turns faster lies flat on nothing (choice)
FLAT_TIME = 0.03  # [s] for which all that must hold (choice)


class FloorRise:
    """Gradient of the floor's height under each sole, world axes; 0 where it is level.

    A sole that carries, does not turn and has its pressure inside lies flat: its floor is as tilted as it is, or level
    where the sole may just have sunk on one side, which tilts a narrow one further than a long one. A foot in the air
    expects the floor of the other. Points lie flat on nothing.

    Args:
        humanoid: whose soles.

    Attributes:
        rise: (2, 2) of the left and the right foot, along x and y.
    """

    def __init__(self, humanoid: Humanoid) -> None:
        corners = np.array([humanoid.polygon(foot) for foot in (0, 1)], dtype=float)
        self._middle = 0.5 * (corners.min(axis=1) + corners.max(axis=1))
        self._half = 0.5 * np.ptp(corners, axis=1)
        self._level = np.maximum(LEVEL, SINKS / np.maximum(self._half, 1e-6))
        self._weight = humanoid.weight
        self.rise, self._flat = np.zeros((2, 2)), np.zeros(2)
        self._step: Any = None  # compiled at the first step

    def reset(self) -> None:
        """Level, as long as nothing else is known."""
        self.rise[:], self._flat[:] = 0.0, 0.0

    def step(self, soles: SoleFrames, measured: tuple[FootMeasurement, FootMeasurement], dt: float) -> None:
        """One sample of dt [s] later."""
        inputs = (self.rise, self._flat, soles, measured, self._middle, self._half, self._level, self._weight, dt)
        if self._step is None:
            self._step = without_dispatch(rise_step, *inputs)
        self._step(*inputs)


@kernel
def rise_step(rise: Array, flat: Array, soles: SoleFrames, measured: tuple[FootMeasurement, FootMeasurement],
              middle: Array, half: Array, level: Array, weight: float, dt: float) -> None:  # fmt: skip
    """Fill ``rise`` (2, 2) and the time ``flat`` (2,) [s] for which each sole has lain flat.

    Args:
        soles: of this instant.
        measured: of this instant.
        middle: (2, 2) of the soles [m].
        half: (2, 2) length and width of the soles [m].
        level: (2, 2) largest rise along length and width of each sole that still counts as level.
        weight: of the robot [N].
        dt: of the sample [s].
    """
    for foot in range(2):
        one, turn = measured[foot], soles.rotation[foot]
        inside = (
            abs(one.centre_of_pressure_x - middle[foot, 0]) < INSIDE * half[foot, 0]
            and abs(one.centre_of_pressure_y - middle[foot, 1]) < INSIDE * half[foot, 1]
        )
        calm = math.hypot(soles.velocity[foot, 3], soles.velocity[foot, 4]) < CALM
        flat[foot] = flat[foot] + dt if inside and calm and one.force_normal > CARRIES * weight else 0.0
        if flat[foot] >= FLAT_TIME:
            x, y = -turn[0, 2] / turn[2, 2], -turn[1, 2] / turn[2, 2]
            size, heading = math.hypot(x, y), math.atan2(turn[1, 0], turn[0, 0])
            along = math.cos(heading) * x + math.sin(heading) * y
            across = math.cos(heading) * y - math.sin(heading) * x
            if math.hypot(along / level[foot, 0], across / level[foot, 1]) < 1.0:
                rise[foot, 0], rise[foot, 1] = 0.0, 0.0
            elif size < STEEPEST and math.hypot(x - rise[foot, 0], y - rise[foot, 1]) > CHANGED:
                rise[foot, 0], rise[foot, 1] = x, y
        elif one.force_normal < AIR * weight:
            rise[foot, 0], rise[foot, 1] = rise[1 - foot, 0], rise[1 - foot, 1]

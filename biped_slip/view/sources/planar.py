# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""A planar biped's walk, while it is walked or afterwards."""

from __future__ import annotations

import math
from typing import Callable

import numpy as np
from numpy.typing import NDArray

from biped_slip.compile.arrays import Array
from biped_slip.constants import GRAVITY
from biped_slip.robots.planar_biped import SOLES, planar_biped
from biped_slip.simulation.planar.log import WalkLog
from biped_slip.simulation.planar.scenario import ScenarioConfig
from biped_slip.view.floor import stretch
from biped_slip.view.pressure import zero_moment_point
from biped_slip.view.scene import FloorPiece, FootNumbers, Instant, Scene
from biped_slip.view.shapes import FACES, robot_shapes
from biped_slip.view.skeleton import Skeleton

BEHIND, AHEAD, ASIDE, HEIGHT = 0.8, 1.5, 0.5, 1.3  # [m]
SOLE = 0.03  # [m] half the size of the square that stands for a point foot
POINT_SOLE = SOLE * np.array([(-1.0, -1.0, 0.0), (1.0, -1.0, 0.0), (1.0, 1.0, 0.0), (-1.0, 1.0, 0.0)])
NAN = math.nan


class PlanarSource:
    """Its log as instants.

    Args:
        log: that may grow in another thread.
        scenario: what is walked.
        name: of the scene.
        ended: whether no more rows will come.
        length: of the floor to draw [m].
    """

    def __init__(self, log: WalkLog, scenario: ScenarioConfig, name: str, ended: Callable[[], bool] = lambda: True,
                 length: float = 0.0) -> None:  # fmt: skip
        robot = planar_biped(scenario.variant)
        self._log, self._slope, self._ended = log, scenario.ground.slope, ended
        self._skeleton = Skeleton(robot.model)
        end = max(length, float(log.q[: log.length, 0].max(initial=0.0))) + AHEAD
        shapes = robot_shapes(robot.model, robot.urdf, (), SOLES, HEIGHT, FACES)
        self.scene = Scene(
            name, self._skeleton.names, self._skeleton.parents, shapes, (POINT_SOLE, POINT_SOLE),
            _floor(scenario, end), robot.mass * GRAVITY, HEIGHT,
        )  # fmt: skip

    @property
    def times(self) -> Array:
        """Of all ticks so far."""
        times: Array = self._log.time[: self._log.length]
        return times

    @property
    def ended(self) -> bool:
        """Whether the walk is over."""
        return self._ended()

    def instant(self, i: int) -> Instant:
        """The i-th tick."""
        log = self._log
        soles = np.zeros((2, 7))
        soles[:, 0], soles[:, 2] = log.foot_x[i], log.foot_z[i]
        soles[:, 3], soles[:, 5] = math.cos(0.5 * self._slope), -math.sin(0.5 * self._slope)
        along = np.array([math.cos(self._slope), 0.0, math.sin(self._slope)])
        up = np.array([-math.sin(self._slope), 0.0, math.cos(self._slope)])
        forces = log.tangential[i, :, None] * along + log.normal[i, :, None] * up
        numbers = self.numbers(np.array([i]))
        return Instant(
            float(log.time[i]), self._skeleton.places(log.q[i]), soles, forces, soles[:, :3].copy(),
            FootNumbers(*(values[0] for values in numbers)), self._skeleton.centre(log.q[i]),
            zero_moment_point(forces[:, 2], soles[:, :3]), np.empty((0, 3)),
        )  # fmt: skip

    def numbers(self, indices: NDArray[np.int64]) -> FootNumbers:
        """Of ticks."""
        log = self._log
        normal = log.normal[indices]
        ratio = np.where(normal > 1.0, np.abs(log.tangential[indices]) / np.maximum(normal, 1.0), NAN)
        low, high, usable = (log.estimate(name)[indices] for name in ("mu_low", "mu_high", "usable"))
        return FootNumbers(ratio, log.limit[indices], low, np.where(usable > 0.0, high, NAN), log.mu_true[indices])


def _floor(scenario: ScenarioConfig, end: float) -> tuple[FloorPiece, ...]:
    ground = scenario.ground
    borders = [-BEHIND, *(edge for edge in ground.edges if -BEHIND < edge < end), end]
    first = sum(edge <= -BEHIND for edge in ground.edges)
    pieces = zip(borders, borders[1:], ground.mu[first:], strict=False)
    return tuple(stretch(low, high, mu, ground.slope, ASIDE) for low, high, mu in pieces)

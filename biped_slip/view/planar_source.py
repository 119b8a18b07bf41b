# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""A planar biped's walk as a scene, while it is walked or afterwards.

The plane stands in three dimensions: y is 0, the floor a strip to both sides, the soles
small squares.
"""

from __future__ import annotations

import math
from typing import Callable

import numpy as np

from biped_slip.constants import GRAVITY
from biped_slip.robots.planar_biped import planar_biped
from biped_slip.robots.robot import SOLES
from biped_slip.simulation.planar.log import WalkLog
from biped_slip.simulation.planar.scenario import ScenarioConfig
from biped_slip.view.bodies import BIPED_HEIGHT, POINT_SOLE
from biped_slip.view.log_source import LogSource
from biped_slip.view.scene import (
    FloorPiece,
    FootNumbers,
    Landing,
    Scene,
    SceneInstant,
    log_landings,
    stretch,
    zero_moment_point,
)
from biped_slip.view.shapes import Skeleton, robot_shapes

# [m]
FLOOR_BEHIND = 0.8
FLOOR_AHEAD = 1.5
FLOOR_ASIDE = 0.3


class PlanarSource(LogSource):
    """Log of a planar walk as instants.

    Args:
        log: that may grow in another thread.
        scenario: what is walked.
        name: of the scene.
        ended: whether no more rows will come.
        length: of the floor to draw [m].
    """

    def __init__(
        self,
        log: WalkLog,
        scenario: ScenarioConfig,
        name: str,
        ended: Callable[[], bool] = lambda: True,
        length: float = 0.0,
    ) -> None:
        robot = planar_biped(scenario.variant)
        self._log = log
        self._slope = scenario.ground.slope
        self._ended = ended
        self._skeleton = Skeleton(robot.model)
        end = max(length, float(log.q[: log.length, 0].max(initial=0.0))) + FLOOR_AHEAD
        shapes = robot_shapes(robot.model, robot.urdf, (), SOLES, BIPED_HEIGHT)
        self.scene = Scene(
            name=name,
            joints=self._skeleton.names,
            parents=self._skeleton.parents,
            shapes=shapes,
            soles=(POINT_SOLE, POINT_SOLE),
            floor=_floor(scenario, end),
            weight=robot.mass * GRAVITY,
            height=BIPED_HEIGHT,
            aside=FLOOR_ASIDE,
        )

    @property
    def ended(self) -> bool:
        """Return whether the walk is over."""
        return self._ended()

    def instant(self, i: int) -> SceneInstant:
        """Return the instant of the i-th tick."""
        log = self._log
        soles = np.zeros((2, 7))
        soles[:, 0] = log.foot_x[i]
        soles[:, 2] = log.foot_z[i]
        soles[:, 3] = math.cos(0.5 * self._slope)
        soles[:, 5] = -math.sin(0.5 * self._slope)
        along = np.array([math.cos(self._slope), 0.0, math.sin(self._slope)])
        up = np.array([-math.sin(self._slope), 0.0, math.cos(self._slope)])
        forces = log.tangential[i, :, None] * along + log.normal[i, :, None] * up
        numbers = self.numbers(np.array([i]))
        return SceneInstant(
            time=float(log.time[i]),
            places=self._skeleton.places(log.q[i]),
            soles=soles,
            forces=forces,
            pressure=soles[:, :3].copy(),
            numbers=FootNumbers._make(values[0] for values in numbers),
            centre=self._skeleton.centre(log.q[i]),
            zmp=zero_moment_point(forces[:, 2], soles[:, :3]),
            footholds=np.empty((0, 3)),
            swing=0,
            landings=self._landings(i),
        )

    def _landings(self, i: int) -> list[Landing]:
        log = self._log
        x = log.foot_x[: i + 1]
        places = np.stack((x, np.zeros_like(x), x * math.tan(self._slope)), axis=2)
        return log_landings(log, places, i)


def _floor(scenario: ScenarioConfig, end: float) -> tuple[FloorPiece, ...]:
    ground = scenario.ground
    borders = [
        -FLOOR_BEHIND,
        *(edge for edge in ground.edges if -FLOOR_BEHIND < edge < end),
        end,
    ]
    first = sum(edge <= -FLOOR_BEHIND for edge in ground.edges)
    pieces = zip(borders, borders[1:], ground.mu[first:], strict=False)
    return tuple(
        stretch(low, high, mu, ground.slope, FLOOR_ASIDE) for low, high, mu in pieces
    )

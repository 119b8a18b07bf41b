# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""A humanoid's simulated walk as a scene, while it is walked or afterwards.

Places and forces are the true ones, limits and estimates those of the controller.
"""

from __future__ import annotations

import numpy as np

from biped_slip.compile.arrays import Array
from biped_slip.control.whole_body.footsteps import foothold_for
from biped_slip.simulation.humanoid.walk import HumanoidTrack, HumanoidWalk
from biped_slip.view.bodies import humanoid_shapes, sole_corners, standing_height
from biped_slip.view.log_source import LogSource
from biped_slip.view.scene import (
    FloorPiece,
    FootNumbers,
    Scene,
    SceneInstant,
    log_landings,
    pressure_points,
    stretch,
    zero_moment_point,
)
from biped_slip.view.shapes import Skeleton, level_points, pose

FLOOR_BEYOND = 1.0  # [m] of floor that is drawn before and behind the way


class HumanoidSource(LogSource):
    """Log of a humanoid's walk as instants.

    They have true places and forces, and the controller's estimates.

    Args:
        walk: that may go on in another thread.
        name: of the scene.
    """

    def __init__(self, walk: HumanoidWalk | HumanoidTrack, name: str) -> None:
        self._walk = walk
        self._log = walk.world.log
        humanoid = walk.humanoid
        self._skeleton = Skeleton(humanoid.model)
        self.scene = Scene(
            name=name,
            joints=self._skeleton.names,
            parents=self._skeleton.parents,
            shapes=humanoid_shapes(humanoid),
            soles=sole_corners(humanoid),
            floor=_humanoid_floor(walk),
            weight=humanoid.weight,
            height=standing_height(humanoid),
        )

    @property
    def ended(self) -> bool:
        """Return whether the robot arrived, fell or ran out of time."""
        return self._walk.ended

    def instant(self, i: int) -> SceneInstant:
        """Return the instant of the i-th tick."""
        log = self._log
        poses = np.array(
            [
                pose(log.sole_position[i, foot], log.sole_rotation[i, foot])
                for foot in (0, 1)
            ]
        )
        soles = level_points(poses, self.scene.soles)
        wrench = log.wrench[i]
        points = pressure_points(wrench, log.sole_position[i])
        swing, footholds = self._planned(i)
        numbers = self.numbers(np.array([i]))
        return SceneInstant(
            time=float(log.time[i]),
            places=self._skeleton.places(log.q[i]),
            soles=soles,
            forces=wrench[:, :3].copy(),
            pressure=points,
            numbers=FootNumbers._make(values[0] for values in numbers),
            centre=self._skeleton.centre(log.q[i]),
            zmp=zero_moment_point(wrench[:, 2], points),
            footholds=footholds,
            swing=swing,
            landings=log_landings(log, log.sole_position, i),
        )

    def _tick(self, i: int) -> object | None:
        """Return the controller's output of tick i.

        The controller's ticks end where the log ends, and begin later.
        """
        # a track alone lacks them
        ticks = self._walk.ticks if isinstance(self._walk, HumanoidWalk) else []
        late = len(ticks) - self._log.length + i
        return ticks[late] if 0 <= late < len(ticks) else None

    def _planned(self, i: int) -> tuple[int, Array]:
        """Return the foot that moves next, and the next two footholds (k, 3)."""
        tick = self._tick(i)
        if tick is None or tick.gait.still:  # type: ignore[attr-defined]
            return 0, np.empty((0, 3))
        swing, target, gait = tick.swing, tick.target, tick.gait  # type: ignore[attr-defined]
        after = foothold_for(
            target, 1 - swing, gait, self._walk.config.walking.controller.steps.packed
        )
        return swing, np.array([tuple(target), tuple(after)])


def _humanoid_floor(walk: HumanoidWalk | HumanoidTrack) -> tuple[FloorPiece, ...]:
    config = walk.config
    (begin, end) = walk.world.patch
    low = -FLOOR_BEYOND
    high = config.distance + FLOOR_BEYOND
    if config.patch.length <= 0.0:
        return (stretch(low, high, config.mu),)
    return (
        stretch(low, begin, config.mu),
        stretch(begin, end, config.patch.mu),
        stretch(end, high, config.mu),
    )

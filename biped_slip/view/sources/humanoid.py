# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""A humanoid's simulated walk, while it is walked or afterwards."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from biped_slip.compile.arrays import Array
from biped_slip.control.whole_body.stepping import foothold_for
from biped_slip.robots.description import mesh_folders, read_description
from biped_slip.robots.humanoid import Humanoid
from biped_slip.robots.humanoid_config import SOLES
from biped_slip.simulation.humanoid.walk import HumanoidWalk
from biped_slip.view.floor import stretch
from biped_slip.view.pressure import pressure_points, zero_moment_point
from biped_slip.view.scene import FloorPiece, FootNumbers, Instant, Scene, Shape
from biped_slip.view.shapes import FACES, robot_shapes
from biped_slip.view.skeleton import Skeleton, level_points, pose

BEYOND = 1.0  # [m] of floor that is drawn before and behind the way
NAN = math.nan


class HumanoidSource:
    """Its log as instants; true places and forces, and what the controller knew.

    Args:
        walk: that may go on in another thread.
        name: of the scene.
        faces: triangles of the robot, about.
    """

    def __init__(self, walk: HumanoidWalk, name: str, faces: int = FACES) -> None:
        self._walk, self._log, humanoid = walk, walk.world.log, walk.humanoid
        self._skeleton = Skeleton(humanoid.model)
        self.scene = Scene(
            name, self._skeleton.names, self._skeleton.parents, humanoid_shapes(humanoid, faces),
            sole_corners(humanoid), _floor(walk), humanoid.weight, standing_height(humanoid),
        )  # fmt: skip

    @property
    def times(self) -> Array:
        """Of all ticks so far."""
        times: Array = self._log.time[: self._log.length]
        return times

    @property
    def ended(self) -> bool:
        """Arrived, fallen, or out of time."""
        return self._walk.ended

    def instant(self, i: int) -> Instant:
        """The i-th tick."""
        log = self._log
        poses = np.array([pose(log.sole_position[i, foot], log.sole_rotation[i, foot]) for foot in (0, 1)])
        soles = level_points(poses, self.scene.soles)
        wrench = log.wrench[i]
        points = pressure_points(wrench, log.sole_position[i])
        swing, footholds = self._planned(i)
        numbers = self.numbers(np.array([i]))
        return Instant(
            float(log.time[i]), self._skeleton.places(log.q[i]), soles, wrench[:, :3].copy(), points,
            FootNumbers(*(values[0] for values in numbers)), self._skeleton.centre(log.q[i]),
            zero_moment_point(wrench[:, 2], points), footholds, swing,
        )  # fmt: skip

    def numbers(self, indices: NDArray[np.int64]) -> FootNumbers:
        """Of ticks; what the controller knew is NaN before it knew its base."""
        ticks = [self._tick(int(i)) for i in indices]
        none = (NAN, NAN)
        limits, low, high = (
            np.array([none if tick is None else getattr(tick, name) for tick in ticks], dtype=float).reshape(-1, 2)
            for name in ("limits", "mu_low", "mu_high")
        )
        forces = self._log.wrench[indices]
        vertical, along = forces[:, :, 2], np.hypot(forces[:, :, 0], forces[:, :, 1])
        ratio = np.where(vertical > 1.0, along / np.maximum(vertical, 1.0), NAN)
        return FootNumbers(ratio, limits, low, high, self._log.mu[indices])

    def _tick(self, i: int) -> object | None:
        """What the controller made of tick i: its ticks end where the log ends, and begin later."""
        ticks = self._walk.ticks
        late = len(ticks) - self._log.length + i
        return ticks[late] if 0 <= late < len(ticks) else None

    def _planned(self, i: int) -> tuple[int, Array]:
        """The foot that moves next, and the next two footholds (k, 3)."""
        tick = self._tick(i)
        if tick is None or tick.gait.still:  # type: ignore[attr-defined]
            return 0, np.empty((0, 3))
        swing, target, gait = tick.swing, tick.target, tick.gait  # type: ignore[attr-defined]
        after = foothold_for(target, 1 - swing, gait, self._walk.config.walking.controller.steps.packed)
        return swing, np.array([tuple(target), tuple(after)])


def humanoid_shapes(humanoid: Humanoid, faces: int = FACES) -> tuple[Shape, ...]:
    """What is drawn of a humanoid."""
    source, folder = humanoid.config.description, humanoid.folder
    text, folders = read_description(source, folder), mesh_folders(source, folder)
    return robot_shapes(humanoid.model, text, folders, SOLES, standing_height(humanoid), faces)


def sole_corners(humanoid: Humanoid) -> tuple[Array, ...]:
    """Corners (k, 3) of each sole in its frame; a point foot has one."""
    return tuple(np.array([(x, y, 0.0) for x, y in humanoid.polygon(foot)]) for foot in (0, 1))


def standing_height(humanoid: Humanoid) -> float:
    """Of the base over the soles, and as much above it as robots have, about [m]."""
    return 1.6 * float(humanoid.standing()[2])


def _floor(walk: HumanoidWalk) -> tuple[FloorPiece, ...]:
    config, (begin, end) = walk.config, walk.track.patch
    low, high = -BEYOND, config.distance + BEYOND
    if config.patch.length <= 0.0:
        return (stretch(low, high, config.mu),)
    return stretch(low, begin, config.mu), stretch(begin, end, config.patch.mu), stretch(end, high, config.mu)

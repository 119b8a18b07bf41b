# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""A robot that is heard: joints, base, wrenches and estimates as they come, the last minutes of them kept."""

from __future__ import annotations

import math
from typing import Mapping, NamedTuple, Sequence

import numpy as np
import pinocchio as pin
from numpy.typing import NDArray

from biped_slip.compile.arrays import Array
from biped_slip.constants import GRAVITY
from biped_slip.robots.humanoid import Humanoid
from biped_slip.robots.humanoid_config import SOLES
from biped_slip.robots.planar_biped import SOLES as PLANAR_SOLES
from biped_slip.robots.planar_biped import planar_biped
from biped_slip.view.floor import stretch
from biped_slip.view.pressure import pressure_points, zero_moment_point
from biped_slip.view.scene import FootNumbers, Instant, Scene
from biped_slip.view.shapes import robot_shapes
from biped_slip.view.skeleton import Skeleton, level_points, pose_of
from biped_slip.view.sources.humanoid import humanoid_shapes, sole_corners, standing_height
from biped_slip.view.sources.planar import HEIGHT

KEPT = 9000  # instants: five minutes at 30 a second
FLOOR = (-2.0, 12.0)  # [m] of floor that is drawn where nobody has told of one
NAN = math.nan


class Wrench(NamedTuple):
    """Of the ground on a foot, in a frame of the robot and about its origin."""

    frame: str
    force: Array  # (3,) [N]
    moment: Array  # (3,) [N m]


class LiveSource:
    """Instants as they are heard.

    Args:
        humanoid: the robot; None is the planar biped.
        name: of the scene.
    """

    ended = False

    def __init__(self, humanoid: Humanoid | None, name: str) -> None:
        if humanoid is None:
            biped = planar_biped()
            model = pin.buildModelFromXML(biped.urdf, pin.JointModelFreeFlyer())
            shapes, height = robot_shapes(model, biped.urdf, (), PLANAR_SOLES, HEIGHT), HEIGHT
            soles, weight = PLANAR_SOLES, biped.mass * GRAVITY
            outlines: tuple[Array, ...] = (np.zeros((1, 3)), np.zeros((1, 3)))
        else:
            model, shapes, height = humanoid.model, humanoid_shapes(humanoid), standing_height(humanoid)
            soles, outlines, weight = SOLES, sole_corners(humanoid), humanoid.weight
        self._model, self._data, self._skeleton = model, model.createData(), Skeleton(model)
        self._soles = [model.getFrameId(sole) for sole in soles]
        self._index = {str(name): model.joints[i].idx_q for i, name in enumerate(model.names) if i > 1}
        self._q = pin.neutral(model)
        self.scene = Scene(name, self._skeleton.names, self._skeleton.parents, tuple(shapes), tuple(outlines),
                           (stretch(*FLOOR, NAN),), weight, height)  # fmt: skip
        self._instants: list[Instant] = []
        self.times: Array = np.empty(0)
        self._begin = 0.0

    def instant(self, i: int) -> Instant:
        """One that is kept."""
        return self._instants[i]

    def numbers(self, indices: NDArray[np.int64]) -> FootNumbers:
        """Of instants that are kept."""
        chosen = [self._instants[int(i)].numbers for i in indices]
        return FootNumbers(*(np.array(values) for values in zip(*chosen, strict=True)))

    def add(self, time: float, base: tuple[Array, Array] | None, joints: Mapping[str, float],
            wrenches: Sequence[Wrench], bounds: Sequence[tuple[float, float, float]]) -> None:  # fmt: skip
        """Hear one instant; one that is not later than the last begins anew.

        Args:
            time: [s]; instants count from the first one.
            base: position (3,) [m] and quaternion x, y, z, w; None: nobody tells it, the robot stands upright on 0.
            joints: positions by name; those of others are ignored [rad].
            wrenches: of the left and right foot.
            bounds: limit, certified lower and upper bound of each foot; NaN is unknown.
        """
        if not self._instants or time - self._begin <= self._instants[-1].time:
            self._instants, self._begin = [], time
        time -= self._begin
        q = self._q
        for name, value in joints.items():
            if name in self._index:
                q[self._index[name]] = value
        self._place(base)
        placements = [self._data.oMf[sole] for sole in self._soles]
        turned = np.array([self._turned(wrench, foot) for wrench, foot in zip(wrenches, placements, strict=True)])
        soles = level_points(np.array([pose_of(placement) for placement in placements]), self.scene.soles)
        points = pressure_points(turned, soles[:, :3])
        vertical = turned[:, 2]
        along = np.hypot(turned[:, 0], turned[:, 1])
        ratio = np.where(vertical > 1.0, along / np.maximum(vertical, 1.0), NAN)
        limit, low, high = np.array(bounds, dtype=float).T
        numbers = FootNumbers(ratio, limit, low, high, np.full(2, NAN))
        middle = zero_moment_point(vertical, points)
        self._instants.append(Instant(time, self._skeleton.places(q), soles, turned[:, :3].copy(), points, numbers,
                                      self._skeleton.centre(q), middle, np.empty((0, 3))))  # fmt: skip
        del self._instants[:-KEPT]
        self.times = np.array([instant.time for instant in self._instants])

    def _place(self, base: tuple[Array, Array] | None) -> None:
        """Put the base where it is said to be, or so that the lower sole is on the floor."""
        q = self._q
        if base is None:
            q[:7] = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0)
            pin.framesForwardKinematics(self._model, self._data, q)
            q[2] = -min(float(self._data.oMf[sole].translation[2]) for sole in self._soles)
        else:
            size = float(np.linalg.norm(base[1]))
            q[:3], q[3:7] = base[0], base[1] / size if size > 0.0 else (0.0, 0.0, 0.0, 1.0)
        pin.framesForwardKinematics(self._model, self._data, q)

    def _turned(self, wrench: Wrench, sole: pin.SE3) -> Array:
        """The same (6,) in world axes about the sole's origin; a frame that the robot lacks is taken as the sole's."""
        known = self._model.existFrame(wrench.frame)
        place = self._data.oMf[self._model.getFrameId(wrench.frame)] if known else sole
        force, moment = place.rotation @ wrench.force, place.rotation @ wrench.moment
        return np.concatenate([force, moment + np.cross(place.translation - sole.translation, force)])

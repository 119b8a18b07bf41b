# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""A robot that is heard as a scene: joints, base, wrenches and estimates as they come.

Nothing is known of its floor but what its estimators say; the last minutes are kept.
"""

from __future__ import annotations

import math
from typing import Mapping, NamedTuple, Sequence

import numpy as np
import pinocchio as pin
from numpy.typing import NDArray

from biped_slip.compile.arrays import Array
from biped_slip.constants import GRAVITY
from biped_slip.friction_estimation.types import NAN
from biped_slip.reports.stances import answer_words
from biped_slip.robots.humanoid import Humanoid
from biped_slip.robots.planar_biped import planar_biped
from biped_slip.robots.robot import SOLES
from biped_slip.view.bodies import (
    BIPED_HEIGHT,
    humanoid_shapes,
    sole_corners,
    standing_height,
)
from biped_slip.view.scene import (
    SETTLED,
    FootNumbers,
    Landing,
    Scene,
    SceneInstant,
    pressure_points,
    stretch,
    zero_moment_point,
)
from biped_slip.view.shapes import Skeleton, level_points, pose_of, robot_shapes

KEPT_INSTANTS = 9000  # instants: five minutes at 30 a second
LIVE_FLOOR = (-2.0, 12.0)  # [m] of floor that is drawn by default


class Wrench(NamedTuple):
    """Wrench of the ground on a foot, in a frame of the robot and about its origin."""

    frame: str
    force: Array  # (3,) [N]
    moment: Array  # (3,) [N m]


class Bounds(NamedTuple):
    """Bounds of the friction under a foot; NaN is unknown."""

    limit: float  # that the controller keeps to
    low: float  # certified lower bound of mu
    high: float  # certified upper bound, where it may be acted upon
    mu: float = NAN  # point value
    travel: float = NAN  # of the slide that was answered [m]


class LiveSource:
    """Instants as they arrive over topics.

    Args:
        humanoid: the robot; None is the planar biped.
        name: of the scene.
    """

    ended = False

    def __init__(self, humanoid: Humanoid | None, name: str) -> None:
        if humanoid is None:
            biped = planar_biped()
            model = pin.buildModelFromXML(biped.urdf, pin.JointModelFreeFlyer())
            shapes = robot_shapes(model, biped.urdf, (), SOLES, BIPED_HEIGHT)
            height = BIPED_HEIGHT
            weight = biped.mass * GRAVITY
            outlines: tuple[Array, ...] = (np.zeros((1, 3)), np.zeros((1, 3)))
        else:
            model = humanoid.model
            shapes = humanoid_shapes(humanoid)
            height = standing_height(humanoid)
            outlines = sole_corners(humanoid)
            weight = humanoid.weight
        self._model = model
        self._data = model.createData()
        self._skeleton = Skeleton(model)
        self._soles = [model.getFrameId(sole) for sole in SOLES]
        self._index = {
            str(name): model.joints[i].idx_q
            for i, name in enumerate(model.names)
            if i > 1
        }
        self._q = pin.neutral(model)
        self.scene = Scene(
            name=name,
            joints=self._skeleton.names,
            parents=self._skeleton.parents,
            shapes=tuple(shapes),
            soles=tuple(outlines),
            floor=(stretch(*LIVE_FLOOR, NAN),),
            weight=weight,
            height=height,
        )
        self._instants: list[SceneInstant] = []
        self._landings: list[Landing] = []
        # [s] since when, of each foot; infinite: its landing is listed
        self._known: dict[int, float] = {}
        self.times: Array = np.empty(0)
        self._begin = 0.0

    def instant(self, i: int) -> SceneInstant:
        """Return a stored instant."""
        return self._instants[i]

    def numbers(self, indices: NDArray[np.int64]) -> FootNumbers:
        """Return friction estimates of stored instants."""
        chosen = [self._instants[int(i)].numbers for i in indices]
        return FootNumbers._make(map(np.array, zip(*chosen, strict=True)))

    def add(
        self,
        time: float,
        base: tuple[Array, Array] | None,
        joints: Mapping[str, float],
        wrenches: Sequence[Wrench],
        bounds: Sequence[Bounds],
    ) -> None:
        """Add an instant; one that is not later than the last clears the others.

        Args:
            time: [s]; instants count from the first one.
            base: position (3,) [m] and quaternion x, y, z, w; None: unknown, the robot
                stands upright on 0.
            joints: positions by name; those of others are ignored [rad].
            wrenches: of the left and right foot.
            bounds: of each foot.
        """
        if not self._instants or time - self._begin <= self._instants[-1].time:
            self._begin_at(time)
        time -= self._begin
        for name, value in joints.items():
            if name in self._index:
                self._q[self._index[name]] = value
        self._place(base)
        placements = [self._data.oMf[sole] for sole in self._soles]
        turned = np.array(
            [
                self._turned(wrench, foot)
                for wrench, foot in zip(wrenches, placements, strict=True)
            ]
        )
        poses = np.array([pose_of(placement) for placement in placements])
        soles = level_points(poses, self.scene.soles)
        points = pressure_points(turned, soles[:, :3])
        for foot, bound in enumerate(bounds):
            self._notice(foot, time, bound, soles[foot])
        self._instants.append(
            SceneInstant(
                time=time,
                places=self._skeleton.places(self._q),
                soles=soles,
                forces=turned[:, :3].copy(),
                pressure=points,
                numbers=_heard_numbers(turned, bounds),
                centre=self._skeleton.centre(self._q),
                zmp=zero_moment_point(turned[:, 2], points),
                footholds=np.empty((0, 3)),
                swing=0,
                landings=tuple(self._landings),
            )
        )
        del self._instants[:-KEPT_INSTANTS]
        self.times = np.array([instant.time for instant in self._instants])

    def _begin_at(self, time: float) -> None:
        """Forget all instants; those to come count from a time [s]."""
        self._instants = []
        self._begin = time
        self._landings = []
        self._known = {}

    def _notice(self, foot: int, time: float, bound: Bounds, sole: Array) -> None:
        """Record a landing once its estimate has settled; it slid backward."""
        if not math.isfinite(bound.high):
            self._known.pop(foot, None)
        elif time - self._known.setdefault(foot, time) >= SETTLED:
            w, _, _, z = sole[3:]
            ahead = np.array(
                [
                    math.cos(2.0 * math.atan2(z, w)),
                    math.sin(2.0 * math.atan2(z, w)),
                    0.0,
                ]
            )
            words = answer_words(bound.mu, bound.low, bound.high)
            self._landings.append(
                Landing(foot, sole[:3], -np.nan_to_num(bound.travel) * ahead, words)
            )
            self._known[foot] = math.inf

    def _place(self, base: tuple[Array, Array] | None) -> None:
        """Place the base at its pose, or so that the lower sole is on the floor."""
        q = self._q
        if base is None:
            q[:7] = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0)
            pin.framesForwardKinematics(self._model, self._data, q)
            q[2] = -min(
                float(self._data.oMf[sole].translation[2]) for sole in self._soles
            )
        else:
            size = float(np.linalg.norm(base[1]))
            q[:3] = base[0]
            q[3:7] = base[1] / size if size > 0.0 else (0.0, 0.0, 0.0, 1.0)
        pin.framesForwardKinematics(self._model, self._data, q)

    def _turned(self, wrench: Wrench, sole: pin.SE3) -> Array:
        """Rotate (6,) into world axes about the sole's origin.

        An unknown frame is taken as the sole's.
        """
        known = self._model.existFrame(wrench.frame)
        place = self._data.oMf[self._model.getFrameId(wrench.frame)] if known else sole
        force = place.rotation @ wrench.force
        moment = place.rotation @ wrench.moment
        return np.concatenate(
            [force, moment + np.cross(place.translation - sole.translation, force)]
        )


def _heard_numbers(wrenches: Array, bounds: Sequence[Bounds]) -> FootNumbers:
    """Compute force ratios of wrenches (2, 6), and take over the bounds of friction."""
    vertical = wrenches[:, 2]
    along = np.hypot(wrenches[:, 0], wrenches[:, 1])
    limit, low, high = np.array([bound[:3] for bound in bounds], dtype=float).T
    return FootNumbers(
        ratio=np.where(vertical > 1.0, along / np.maximum(vertical, 1.0), NAN),
        limit=limit,
        low=low,
        high=high,
        mu=np.full(2, NAN),
    )

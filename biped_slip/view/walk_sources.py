# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Sources of scenes of robots: walks while they run or afterwards, and live topics."""

from __future__ import annotations

import math
from typing import Any, Callable, Mapping, NamedTuple, Sequence

import numpy as np
import pinocchio as pin
from numpy.typing import NDArray

from biped_slip.compile.arrays import Array
from biped_slip.constants import GRAVITY
from biped_slip.control.whole_body.footsteps import foothold_for
from biped_slip.friction_estimation.types import NAN
from biped_slip.reports.stances import answer_words
from biped_slip.robots.description import mesh_folders, read_description
from biped_slip.robots.humanoid import Humanoid
from biped_slip.robots.planar_biped import planar_biped
from biped_slip.robots.robot import SOLES
from biped_slip.simulation.humanoid.walk import HumanoidTrack, HumanoidWalk
from biped_slip.simulation.planar.log import WalkLog
from biped_slip.simulation.planar.scenario import ScenarioConfig
from biped_slip.view.scene import (
    POINT_HALF_SIZE,
    SETTLED,
    FloorPiece,
    FootNumbers,
    Landing,
    Scene,
    SceneInstant,
    Shape,
    log_landings,
    pressure_points,
    stretch,
    zero_moment_point,
)
from biped_slip.view.shapes import Skeleton, level_points, pose, pose_of, robot_shapes


class LogSource:
    """Times and numbers of a walk's log, which may grow in another thread."""

    scene: Scene
    _log: Any  # of any robot

    @property
    def times(self) -> Array:
        """Return the times of all ticks so far [s]."""
        times: Array = self._log.time[: self._log.length]
        return times

    def numbers(self, indices: NDArray[np.int64]) -> FootNumbers:
        """Return friction estimates of ticks, NaN before the first."""
        log = self._log
        ratio = np.where(log.normal[indices] > 1.0, log.ratio[indices], NAN)
        low, high, usable = (
            log.estimate(name)[indices] for name in ("mu_low", "mu_high", "usable")
        )
        return FootNumbers(
            ratio=ratio,
            limit=log.limit[indices],
            low=low,
            high=np.where(usable > 0.0, high, NAN),
            mu=log.mu_true[indices],
        )


# A planar biped's walk, while it is walked or afterwards.

# [m]
FLOOR_BEHIND = 0.8
FLOOR_AHEAD = 1.5
FLOOR_ASIDE = 0.5
BIPED_HEIGHT = 1.3
POINT_SOLE = POINT_HALF_SIZE * np.array(
    [(-1.0, -1.0, 0.0), (1.0, -1.0, 0.0), (1.0, 1.0, 0.0), (-1.0, 1.0, 0.0)]
)


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


# A humanoid's simulated walk, while it is walked or afterwards.

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


def humanoid_shapes(humanoid: Humanoid) -> tuple[Shape, ...]:
    """List the shapes of a humanoid."""
    source = humanoid.config.description
    folder = humanoid.folder
    text = read_description(source, folder)
    folders = mesh_folders(source, folder)
    return robot_shapes(humanoid.model, text, folders, SOLES, standing_height(humanoid))


def sole_corners(humanoid: Humanoid) -> tuple[Array, ...]:
    """Return the corners (k, 3) of each sole in its frame; a point foot has one."""
    return tuple(
        np.array([(x, y, 0.0) for x, y in humanoid.polygon(foot)]) for foot in (0, 1)
    )


def standing_height(humanoid: Humanoid) -> float:
    """Estimate the robot's height from that of its base over the soles [m]."""
    return 1.6 * float(humanoid.standing()[2])


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


# A robot that is heard: joints, base, wrenches and estimates as they come, the last
# minutes of them kept.

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

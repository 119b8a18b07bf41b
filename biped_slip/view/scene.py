# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""What is seen: a scene that stays, instants of it, and where both come from."""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from biped_slip.compile.arrays import Array

Colour = tuple[int, int, int]  # red, green, blue, 0 to 255
LOADED = 0.02  # body weights; a foot with less is in the air (choice)


class Shape(NamedTuple):
    """A rigid piece of a robot."""

    joint: int  # that carries it, an index into ``Scene.joints``
    vertices: NDArray[np.float32]  # (n, 3) in the joint's frame [m]
    faces: NDArray[np.uint32]  # (m, 3)
    colour: Colour


class FloorPiece(NamedTuple):
    """A flat piece of floor, or a force plate."""

    corners: Array  # (4, 3) world [m], counter-clockwise from above
    mu: float  # NaN where nobody knows it
    name: str = ""


class Scene(NamedTuple):
    """What does not change from instant to instant."""

    name: str
    joints: tuple[str, ...]  # by name; the first is the base
    parents: tuple[int, ...]  # of each joint; -1 is the world
    shapes: tuple[Shape, ...]
    soles: tuple[Array, ...]  # (k, 3) corners of each sole in its own frame [m]; (0, 3) where no sole is known
    floor: tuple[FloorPiece, ...]
    weight: float  # [N]
    height: float  # [m] of the robot or person, for the size of cones and arrows


class FootNumbers(NamedTuple):
    """What is known of each foot's floor: (feet,) of an instant, (n, feet) over time; NaN is unknown."""

    ratio: Array  # |tangential| over normal force
    limit: Array  # that the controller keeps to; infinite without one
    low: Array  # certified lower bound of mu
    high: Array  # certified upper bound of mu, where the interval is narrow enough to act upon
    mu: Array  # true; only a simulation knows it


class Instant(NamedTuple):
    """One instant; places in the world [m], rotations as quaternions w, x, y, z."""

    time: float  # [s]
    places: Array  # (joints, 7) of each joint in its parent: x, y, z and a quaternion
    soles: Array  # (feet, 7) poses
    forces: Array  # (feet, 3) of the ground on the foot [N]
    pressure: Array  # (feet, 3) where these act
    numbers: FootNumbers
    centre: Array  # (3,) centre of mass; NaN where nobody knows it
    zmp: Array  # (3,) zero moment point
    footholds: Array  # (k, 3) of the next steps: x, y, yaw; the first is that of ``swing``
    swing: int = 0  # foot that moves next


class Source(Protocol):
    """Where instants come from; more of them may come while one looks."""

    scene: Scene

    @property
    def times(self) -> Array:
        """(n,) of all instants so far [s], rising."""
        ...

    @property
    def ended(self) -> bool:
        """Whether no more instants will come."""
        ...

    def instant(self, i: int) -> Instant:
        """The instant of ``times[i]``."""
        ...

    def numbers(self, indices: NDArray[np.int64]) -> FootNumbers:
        """Curves at some instants."""
        ...


def loaded(scene: Scene, instant: Instant) -> NDArray[np.bool_]:
    """Which feet carry something, (feet,)."""
    return np.linalg.norm(instant.forces, axis=1) > LOADED * scene.weight

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Where the joints of a robot are, each in its parent: what moves its shapes."""

from __future__ import annotations

from typing import Any, Sequence

import numpy as np
import pinocchio as pin

from biped_slip.compile.arrays import Array


class Skeleton:
    """Forward kinematics for drawing.

    Args:
        model: Pinocchio's.

    Attributes:
        names: of the joints, the root first.
        parents: of each; -1 is the world.
    """

    def __init__(self, model: Any) -> None:
        self._model, self._data = model, model.createData()
        self.names = tuple(str(name) for name in model.names[1:])
        self.parents = tuple(int(parent) - 1 for parent in model.parents[1:])

    def places(self, q: Array) -> Array:
        """(joints, 7) of each joint in its parent, see ``Instant.places``."""
        pin.forwardKinematics(self._model, self._data, q)
        return np.array([pose_of(placement) for placement in self._data.liMi[1:]])

    def centre(self, q: Array) -> Array:
        """(3,) centre of mass in the world [m]."""
        return np.array(pin.centerOfMass(self._model, self._data, q))


def pose_of(placement: Any) -> Array:
    """x, y, z and quaternion w, x, y, z of a Pinocchio placement."""
    return pose(placement.translation, placement.rotation)


def pose(position: Array, rotation: Array) -> Array:
    """The same of a position (3,) and a rotation matrix (3, 3)."""
    turn = pin.Quaternion(np.asarray(rotation))
    return np.array([*position, turn.w, turn.x, turn.y, turn.z])


def level_points(poses: Array, outlines: Sequence[Array]) -> Array:
    """Poses (feet, 7) of soles, those without an area turned level: a point touches in no direction."""
    level: Array = np.array(poses)
    for foot, corners in enumerate(outlines):
        if len(corners) < 3:
            level[foot, 3:] = (1.0, 0.0, 0.0, 0.0)
    return level

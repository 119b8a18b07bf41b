# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Places of a robot's links, joints and soles, for drawing.

Forward kinematics for whole walks at once: coordinates (n, nq) give points (n, ...).
"""

from __future__ import annotations

from typing import Any, Mapping, NamedTuple, Sequence

import numpy as np
import pinocchio as pin
from numpy.typing import NDArray

from biped_slip.compile.arrays import Array
from biped_slip.errors import BipedSlipError, UnknownName
from biped_slip.robots.planar_biped import leg_lengths
from biped_slip.robots.robot import Robot

TRUNK_HEIGHT = 0.3  # [m] height of the torso's box in the robot description


class StickFigure(NamedTuple):
    """Points (x, z) in the world [m], one row per sample.

    Legs are on the second axis: left, right.
    """

    trunk: NDArray[np.float64]  # (n, 2) upper end of the torso
    hip: NDArray[np.float64]  # (n, 2)
    knees: NDArray[np.float64]  # (n, 2, 2)
    soles: NDArray[np.float64]  # (n, 2, 2)


def stick_figure(robot: Robot, q: NDArray[np.float64]) -> StickFigure:
    """Compute the points of a planar biped for coordinates ``q`` of shape (n, nv).

    Angles are as in A.6.

    A positive pitch leans forward and turns the thighs, whose joints measure from the
    torso, with it.
    """
    lengths = leg_lengths(robot)
    root = robot.root_size
    hip = q[:, :2]
    pitch = q[:, 2] if root == 3 else np.zeros(len(q))
    thigh = q[:, root : root + 4 : 2] - pitch[:, None]  # (n, 2) absolute
    shank = thigh + q[:, root + 1 : root + 4 : 2]
    knees = hip[:, None, :] + lengths.thigh * np.stack(
        (np.cos(thigh), np.sin(thigh)), axis=2
    )
    soles = knees + lengths.shank * np.stack((np.cos(shank), np.sin(shank)), axis=2)
    trunk = hip + TRUNK_HEIGHT * np.stack((np.sin(pitch), np.cos(pitch)), axis=1)
    return StickFigure(trunk, hip, knees, soles)


def link_lines(model: Any, soles: tuple[str, str], q: Array) -> Array:
    """Draw a robot as lines (n, 2, 3) [m] in the world.

    They go from every joint to the joints that it carries, and to the soles.

    Args:
        model: Pinocchio's, with a free-flyer root.
        soles: names of frames.
        q: (nq,) coordinates.
    """
    data = model.createData()
    pin.framesForwardKinematics(model, data, q)
    at = [placement.translation for placement in data.oMi]
    ends = [model.getFrameId(sole) for sole in soles]
    joints = [
        (at[model.parents[joint]], at[joint]) for joint in range(2, model.njoints)
    ]
    feet = [
        (at[model.frames[end].parentJoint], data.oMf[end].translation) for end in ends
    ]
    return np.array(joints + feet)


def sole_outline(
    polygon: tuple[tuple[float, float], ...], position: Array, rotation: Array
) -> Array:
    """Return the corners (n + 1, 3) [m] of a sole in the world.

    The first one comes again at the end.

    Args:
        polygon: corners in the sole's frame [m].
        position: (3,) of the sole [m].
        rotation: (3, 3) of the sole to the world.
    """
    corners = np.array([(x, y, 0.0) for x, y in (*polygon, polygon[0])])
    outline: Array = position + corners @ rotation.T
    return outline


class SolePlaces:
    """Forward kinematics of a URDF whose base floats.

    Raises:
        BipedSlipError: no valid URDF.
        UnknownName: a frame that it doesn't have.
    """

    def __init__(self, urdf: str, soles: Sequence[str]) -> None:
        try:
            self._model = pin.buildModelFromXML(urdf, pin.JointModelFreeFlyer())
        except ValueError as error:
            raise BipedSlipError(
                f"robot_description: not a valid URDF ({' '.join(str(error).split())})"
            ) from error
        known = [frame.name for frame in self._model.frames]
        for sole in soles:
            if sole not in known:
                raise UnknownName("frame", sole, known)
        self._data = self._model.createData()
        self._soles = [self._model.getFrameId(sole) for sole in soles]
        self._q = pin.neutral(self._model)
        self._index = {
            name: self._model.joints[number].idx_q
            for number, name in enumerate(self._model.names)
            if number > 1 and self._model.joints[number].nq == 1
        }

    def places(
        self,
        position: Sequence[float],
        quaternion: Sequence[float],
        joints: Mapping[str, float],
    ) -> list[tuple[Array, Array]]:
        """Compute position (3,) and rotation (3, 3) of each sole.

        Joints that are not named stay where they were.

        Args:
            position: of the base [m].
            quaternion: of the base, x, y, z, w.
            joints: positions by name; names that the robot lacks are ignored.
        """
        self._q[:3] = position
        length = float(np.linalg.norm(quaternion))
        self._q[3:7] = (
            np.asarray(quaternion) / length if length > 0.0 else (0.0, 0.0, 0.0, 1.0)
        )
        for name, value in joints.items():
            if name in self._index:
                self._q[self._index[name]] = value
        pin.framesForwardKinematics(self._model, self._data, self._q)
        found = (self._data.oMf[sole] for sole in self._soles)
        return [(np.array(one.translation), np.array(one.rotation)) for one in found]

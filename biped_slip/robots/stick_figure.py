# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Where the points of a sagittal biped are: what one draws of it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from biped_slip.robots.robot import Robot
from biped_slip.robots.two_link_leg import leg_lengths

TRUNK = 0.3  # [m] height of the torso's box in the robot description


class StickFigure(NamedTuple):
    """Points (x, z) in the world [m], one row per sample; legs left, right on the second axis."""

    trunk: NDArray[np.float64]  # (n, 2) upper end of the torso
    hip: NDArray[np.float64]  # (n, 2)
    knees: NDArray[np.float64]  # (n, 2, 2)
    soles: NDArray[np.float64]  # (n, 2, 2)


def stick_figure(robot: Robot, q: NDArray[np.float64]) -> StickFigure:
    """Points of a planar biped for coordinates ``q`` of shape (n, nv), angles as in A.6.

    A positive pitch leans forward and turns the thighs, whose joints measure from the torso, with it.
    """
    lengths, root = leg_lengths(robot), robot.root_size
    hip = q[:, :2]
    pitch = q[:, 2] if root == 3 else np.zeros(len(q))
    thigh = q[:, root : root + 4 : 2] - pitch[:, None]  # (n, 2) absolute
    shank = thigh + q[:, root + 1 : root + 4 : 2]
    knees = hip[:, None, :] + lengths.thigh * np.stack((np.cos(thigh), np.sin(thigh)), axis=2)
    soles = knees + lengths.shank * np.stack((np.cos(shank), np.sin(shank)), axis=2)
    trunk = hip + TRUNK * np.stack((np.sin(pitch), np.cos(pitch)), axis=1)
    return StickFigure(trunk, hip, knees, soles)

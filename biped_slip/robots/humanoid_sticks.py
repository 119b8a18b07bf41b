# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Where the links of a robot in three dimensions are: what one draws of it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pinocchio as pin

from biped_slip.compile.arrays import Array


def link_lines(model: Any, soles: tuple[str, str], q: Array) -> Array:
    """Lines (n, 2, 3) [m], world, from every joint to the joints that it carries, and to the soles.

    Args:
        model: Pinocchio's, with a free-flyer root.
        soles: names of frames.
        q: (nq,) coordinates.
    """
    data = model.createData()
    pin.framesForwardKinematics(model, data, q)
    at = [placement.translation for placement in data.oMi]
    ends = [model.getFrameId(sole) for sole in soles]
    joints = [(at[model.parents[joint]], at[joint]) for joint in range(2, model.njoints)]
    feet = [(at[model.frames[end].parentJoint], data.oMf[end].translation) for end in ends]
    return np.array(joints + feet)


def sole_outline(polygon: tuple[tuple[float, float], ...], position: Array, rotation: Array) -> Array:
    """Corners (n + 1, 3) [m] of a sole in the world, the first one again at the end; a point foot is one point twice.

    Args:
        polygon: corners in the sole's frame [m].
        position: (3,) of the sole [m], and its rotation (3, 3) to the world.
    """
    corners = np.array([(x, y, 0.0) for x, y in (*polygon, polygon[0])])
    outline: Array = position + corners @ rotation.T
    return outline

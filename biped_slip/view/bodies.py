# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""What robots look like: shapes of their links, corners of their soles, height.

Humanoids are drawn from their description; the planar biped's soles are points, drawn
as small squares.
"""

from __future__ import annotations

import numpy as np

from biped_slip.compile.arrays import Array
from biped_slip.robots.description import mesh_folders, read_description
from biped_slip.robots.humanoid import Humanoid
from biped_slip.robots.robot import SOLES
from biped_slip.view.scene import POINT_HALF_SIZE, Shape
from biped_slip.view.shapes import robot_shapes

BIPED_HEIGHT = 1.3
POINT_SOLE = POINT_HALF_SIZE * np.array(
    [(-1.0, -1.0, 0.0), (1.0, -1.0, 0.0), (1.0, 1.0, 0.0), (-1.0, 1.0, 0.0)]
)


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

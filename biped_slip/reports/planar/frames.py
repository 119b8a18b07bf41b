# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Still pictures of a walk as points: the robot, its contact forces and their friction cones."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from biped_slip.compile.arrays import Array
from biped_slip.constants import GRAVITY
from biped_slip.reports.friction_cones import AT, NEAR
from biped_slip.reports.planar.figures import force_ratio
from biped_slip.robots.planar_biped import planar_biped
from biped_slip.robots.stick_figure import stick_figure
from biped_slip.simulation.planar.log import WalkLog
from biped_slip.simulation.planar.run import WalkResult
from biped_slip.simulation.planar.scenario import ScenarioConfig
from biped_slip.simulation.stances import CONTACT_FORCE, FEET

CONE_HEIGHT = 0.22  # [m] along the floor's normal
WEIGHT_LENGTH, LONGEST_ARROW = 0.30, 0.45  # [m] arrow of a force as large as the weight; a landing's arrow ends here
FLIGHT = -1


class Frames(NamedTuple):
    """Frames of one walk; places in the world [m], feet left, right on the second axis."""

    time: Array  # (n,) [s]
    trunk: Array  # (n, 2)
    hip: Array  # (n, 2)
    knees: Array  # (n, 2, 2)
    soles: Array  # (n, 2, 2)
    arrows: Array  # (n, 2, 2) contact force as a length
    cones: Array  # (n, 2, 2, 2) upper corners of the cone of the true mu, relative to the sole
    nearness: NDArray[np.int64]  # (n, 2) index into COLOURS, or FLIGHT


def walk_frames(walk: WalkResult, scenario: ScenarioConfig, times: Array) -> Frames:
    """The frames at given times [s]; times after the end of the walk are left out."""
    log, robot, slope = walk.log, planar_biped(scenario.variant), scenario.ground.slope
    last = float(log.time[-1]) if log.length else -1.0
    index = np.searchsorted(log.time, times[times <= last])
    along, up = np.array([np.cos(slope), np.sin(slope)]), np.array([-np.sin(slope), np.cos(slope)])
    force = log.tangential[index, :, None] * along + log.normal[index, :, None] * up
    arrows = force * (WEIGHT_LENGTH / (robot.mass * GRAVITY))
    length = np.linalg.norm(arrows, axis=2, keepdims=True)
    arrows = arrows * np.minimum(1.0, LONGEST_ARROW / np.maximum(length, LONGEST_ARROW))
    sides = np.array([-1.0, 1.0])[None, None, :, None] * log.mu_true[index][:, :, None, None] * along
    figure = stick_figure(robot, log.q[index])
    return Frames(
        log.time[index],
        figure.trunk,
        figure.hip,
        figure.knees,
        figure.soles,
        arrows,
        CONE_HEIGHT * (up + sides),
        _nearness(log, walk, index),
    )


def _nearness(log: WalkLog, walk: WalkResult, index: NDArray[np.int64]) -> NDArray[np.int64]:
    share = force_ratio(log)[index] / np.maximum(log.mu_true[index], 1e-6)
    nearness = (share >= NEAR).astype(np.int64) + (share >= AT)
    for slip in walk.summary.slips:
        during = (log.time[index] >= slip.start) & (log.time[index] <= slip.end)
        nearness[during, FEET.index(slip.foot)] = 2
    return np.where(log.normal[index] > CONTACT_FORCE, nearness, FLIGHT)

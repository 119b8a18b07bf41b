# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Constants of a whole-body walk, as the kernels of a tick take them."""

from __future__ import annotations

from typing import Any, NamedTuple

from biped_slip.compile.arrays import Array
from biped_slip.control.whole_body.gait_patterns import Patterns
from biped_slip.control.whole_body.tasks import Turning
from biped_slip.control.whole_body.tick_program import RobotConstants


class Setup(NamedTuple):
    """Constants of a walk."""

    robot: RobotConstants
    posture: Array  # (n,) [rad]
    lowest: Array  # (nl,) ends of the legs' ranges [rad]
    highest: Array  # (nl,)
    fastest: Array  # (nl,) largest speeds in use [rad/s]
    middle: Array  # (2, 2) of the soles [m]
    half_size: Array  # (2,) [m]
    flat: bool  # soles have an area, in which the ZMP can move; else they are points
    height: float  # of the centre of mass over the soles while walking [m]
    omega: float  # of the pendulum [1/s]
    patterns: Patterns  # that ask least of the floor, over speed
    quantile: float  # of the risk, see friction_adaptation
    turning: Turning  # of the body by the legs' swing
    config: Any  # packed WholeBodyConfig

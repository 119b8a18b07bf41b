# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Memory of a whole-body walk from tick to tick."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from biped_slip.compile.arrays import Array
from biped_slip.compile.kernel import kernel
from biped_slip.control.whole_body.footsteps import (
    Command,
    Gait,
    SteppingState,
    falling,
    feet_of,
    standing,
    yaw_near,
)
from biped_slip.control.whole_body.friction_adaptation import FloorBelief, believed
from biped_slip.control.whole_body.setup import Setup
from biped_slip.control.whole_body.tasks import Terms


class WholeBodyState(NamedTuple):
    """Memory from tick to tick."""

    stepping: SteppingState
    belief: FloorBelief
    command: Command  # as far as it has been taken up
    gait: Gait  # of the phase under way and, as planned in it, of the steps to come
    height: float  # of the centre of mass over the soles, likewise [m]
    heading: float  # of the walk as commanded; goes round [rad]
    # (2,) at which each foot is expected to meet the floor, over the other sole [m]
    touch: Array
    # (2,) of the footholds of feet that are points, ahead and to the left [m]
    trim: Array


@kernel
def first_memory(
    terms: Terms, limits: tuple[float, float], setup: Setup
) -> WholeBodyState:
    """Initialise the memory: standing on both feet.

    Where only steps balance, the robot is about to step.
    """
    feet = feet_of(terms, yaw_near(terms.rotation[0], 0.0), setup.middle)
    height = terms.centre_of_mass[2] - 0.5 * (feet.height[0] + feet.height[1])
    if setup.flat:
        start = standing(feet, setup.config.stepping)
    else:
        start = falling(feet, setup.config.stepping)
    worse = min(limits[0], limits[1])
    return WholeBodyState(
        stepping=start,
        belief=believed(worse, worse),
        command=Command(forward=0.0, left=0.0, turn=0.0, shift=0.0, lean=0.0),
        gait=Gait(
            forward=0.0,
            left=0.0,
            turn=0.0,
            width=setup.config.steps.width,
            single_support=setup.config.steps.single_support,
            double_support=setup.config.steps.double_support,
            still=True,
            shift=0.0,
            roll=0.0,
            ratio=0.0,
        ),
        height=height,
        heading=feet.holds[0].yaw,
        touch=np.zeros(2),
        trim=np.zeros(2),
    )

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""What feet without an area need: a heading that is not their own, and footholds that keep the commanded speed."""

from __future__ import annotations

import math

import numpy as np

from biped_slip.compile.arrays import Array
from biped_slip.compile.kernel import kernel
from biped_slip.control.whole_body.stepping import Gait
from biped_slip.control.whole_body.tasks import about_z, rotation_of
from biped_slip.control.whole_body.terms import Terms

TRIM_RATE, TRIM_MOST = 0.03, 0.03  # [-] metres of foothold per metre of way lost, [m] (choice: settles in about 3 s)


def heading_of(q: Array) -> float:
    """Heading [rad] of the base in coordinates (nq,)."""
    base = rotation_of(q[3:7])
    return math.atan2(base[1, 0], base[0, 0])


def level_points(terms: Terms, heading: float) -> None:
    """Soles that are points have no orientation of their own: they lie level and head as the walk does [rad]."""
    terms.rotation[:] = about_z(heading)


@kernel
def trimmed(trim: Array, gait: Gait, velocity: Array, heading: float, dt: float) -> Array:
    """How far (2,) [m] footholds move, ahead and to the left of the heading, one tick later.

    A foothold alone decides how the body leaves the step; what the pendulum doesn't know, such as the momentum of the
    swinging leg, makes each step a little too short or long. Who lags behind the gait puts its feet further back.

    Args:
        trim: before this tick.
        gait: what is walked.
        velocity: (2,) of the centre of mass, world [m/s].
        heading: of the walk [rad].
        dt: of the tick [s].
    """
    c, s = math.cos(heading), math.sin(heading)
    time = gait.single_support + gait.double_support
    ahead = c * velocity[0] + s * velocity[1] - gait.forward / time
    aside = c * velocity[1] - s * velocity[0] - gait.left / time
    change = TRIM_RATE * dt
    return np.array([
        min(max(trim[0] + change * ahead, -TRIM_MOST), TRIM_MOST),
        min(max(trim[1] + change * aside, -TRIM_MOST), TRIM_MOST),
    ])  # fmt: skip

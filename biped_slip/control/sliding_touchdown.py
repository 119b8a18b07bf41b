# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Sliding touchdown: a foot lands early, moving backward over the floor.

Friction holds it back by mu times its load.

The same numbers serve the planar biped and humanoids. The plan of the stance (ZMP, DCM,
time of the step) stays as it is: the swing alone ends earlier, by ``lead``, and the
time that is won belongs to the slide.

A humanoid's sliding foot is pressed by a load N. With mu = F_t/F_n as measured,
friction takes mu N T from the robot's momentum over a slide of the time T, and the
error of mu falls with N T. The load that keeps the drag at a share of the weight W::

    N = max(load W, min(load_max W, drag W F_n/|F_t|))

presses a slippery floor hard, where mu must be exact, and asks a dry one gently, where
a rough answer is plenty. What is more than ``load W`` fades over the last ``lead`` of
the swing's planned time: the transfer begins with a light foot, and one that is let go
of at once springs off the floor. With ``drag`` 0 it is ``load W`` on every floor.
"""

from __future__ import annotations

import math

from biped_slip.compile.arrays import Array
from biped_slip.compile.kernel import kernel
from biped_slip.config import Configuration, configuration, parameter


@configuration
class SlidingTouchdownConfig(Configuration):
    """Sliding landing of a foot.

    The foot is well faster along the floor than mu times its vertical speed.
    """

    lead: float = parameter(
        0.0,
        unit="s",
        low=0.0,
        high=0.2,
        doc="by which a swing's path ends early; 0: no slide",
    )
    speed: float = parameter(
        0.35,
        unit="m/s",
        low=0.0,
        high=1.0,
        doc="backward along the floor as the foot meets it",
    )
    descent: float = parameter(
        0.07,
        unit="m/s",
        above=0.0,
        high=1.0,
        doc="downward as the foot meets the floor",
    )
    height: float = parameter(
        0.005,
        unit="m",
        low=0.0,
        high=0.05,
        doc="over the floor at which that speed is reached",
    )
    time: float = parameter(
        0.02,
        unit="s",
        low=0.0,
        high=0.2,
        doc="of the slide, before the foot counts as landed",
    )
    load: float = parameter(
        0.08,
        low=0.0,
        high=0.5,
        doc="body weights on a humanoid's sliding foot after its impact, at least",
    )
    load_max: float = parameter(
        0.4,
        low=0.0,
        high=0.5,
        source="choice",
        doc="body weights on a foot that friction hardly holds, where ``drag`` is set: "
        "more moves the weight before the answer; counts from ``load`` on",
    )
    drag: float = parameter(
        0.0,
        low=0.0,
        high=0.2,
        source="choice",
        doc="body weights of friction on a humanoid's sliding foot, up to which it is "
        "pressed between ``load`` and ``load_max``: 0.05 turns no robot; 0: by "
        "``load`` alone",
    )
    enough: float = parameter(
        0.0,
        low=0.0,
        high=10.0,
        source="choice",
        doc="times the friction that a humanoid's gait requires: a floor that holds so "
        "much for certain ends the slide at once; 0: it lasts its time",
    )
    along: float = parameter(
        0.9,
        above=0.5,
        high=1.0,
        source="choice",
        doc="share of the swing, then backward alone",
    )


@kernel
def sliding_load(
    force: Array, weight: float, left: float, landing: SlidingTouchdownConfig
) -> float:
    """Compute the load [N] that a sliding foot shall be pressed by.

    Args:
        force: (3,) of the ground on the foot as measured, the load last [N].
        weight: of the robot [N].
        left: time until the planned end of the swing [s].
        landing: packed.
    """
    least = landing.load * weight
    tells = landing.drag > 0.0 and force[2] > 0.0  # a hop tells nothing
    if not tells or landing.lead == 0.0:
        return least
    friction = math.hypot(force[0], force[1])
    most = landing.load_max * weight
    pull = landing.drag * weight
    if pull * force[2] < most * friction:
        most = pull * force[2] / friction
    fading = min(max(left, 0.0) / landing.lead, 1.0)
    return least + fading * max(most - least, 0.0)

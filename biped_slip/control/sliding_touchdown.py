# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Sliding touchdown: a foot lands early, moving backward over the floor.

Friction holds it back by mu times its load.

The same numbers serve the planar biped and humanoids. The plan of the stance (ZMP, DCM,
time of the step) stays as it is: the swing alone ends earlier, by ``lead``, and the
time that is won belongs to the slide.
"""

from __future__ import annotations

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
        high=0.3,
        doc="body weights on a humanoid's sliding foot after its impact",
    )
    along: float = parameter(
        0.9,
        above=0.5,
        high=1.0,
        source="choice",
        doc="share of the swing, then backward alone",
    )

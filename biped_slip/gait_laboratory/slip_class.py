# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Classes of slips by their distance and peak velocity, each limit with its source (docs/gait_laboratory.md)."""

from __future__ import annotations

from biped_slip.config import Configuration, configuration, parameter

NONE, MICRO, SLIDE, FALL_LIKE = CLASSES = ("none", "micro-slip", "slide", "fall-like")


@configuration
class SlipLimits(Configuration):
    """Limits between the classes.

    The limits of a fall-like slip are those of induced slips that ended in falls; people do recover from longer and
    faster ones [Brady2000]_, so the class says what a slip looks like, not how it ended.
    """

    noticed: float = parameter(
        0.03, unit="m", above=0.0, high=1.0, source="[Leamon1990]", doc="shorter slips are mostly not perceived"
    )
    fall_distance: float = parameter(
        0.10,
        unit="m",
        above=0.0,
        high=2.0,
        source="[Perkins1978], [Strandberg1981]",
        doc="longer slips look like falls",
    )
    fall_velocity: float = parameter(
        0.5, unit="m/s", above=0.0, high=10.0, source="[Strandberg1981]", doc="faster slips look like falls"
    )


def slip_class(distance: float, peak_velocity: float, limits: SlipLimits) -> str:
    """One of ``CLASSES``; a distance of 0 is no slip."""
    if not distance > 0.0:
        return NONE
    if distance > limits.fall_distance or peak_velocity > limits.fall_velocity:
        return FALL_LIKE
    return MICRO if distance < limits.noticed else SLIDE

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Colours in the scene; what is certified of a floor is told apart by the colour-blind as well."""

from __future__ import annotations

import math
from enum import IntEnum

from biped_slip.reports.figures import FOOT_COLOURS
from biped_slip.view.scene import Colour


class Known(IntEnum):
    """How much is certified of the friction under a foot."""

    UNKNOWN = 0
    AT_LEAST = 1  # a lower bound
    INTERVAL = 2  # a lower and an upper bound


def rgb(colour: str) -> Colour:
    """From #rrggbb."""
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


KNOWN_COLOURS: tuple[Colour, ...] = (rgb("#4d4d4d"), rgb("#e69f00"), rgb("#009e73"))
KNOWN_WORDS = ("unknown", "at least", "interval")
FEET_COLOURS = tuple(rgb(colour) for colour in FOOT_COLOURS)
PLATE: Colour = (176, 190, 197)
CENTRE, ZMP, PLANNED = rgb("#cc79a7"), rgb("#d55e00"), rgb("#0072b2")


def known(low: float, high: float) -> Known:
    """What two certified bounds of mu amount to; NaN is a bound that is not there."""
    if not (math.isfinite(low) and low > 0.0):
        return Known.UNKNOWN
    return Known.INTERVAL if math.isfinite(high) else Known.AT_LEAST

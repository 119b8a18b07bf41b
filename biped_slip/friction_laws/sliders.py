# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Springs with sliders in parallel ([Iwan1966]): where each yields, how stiff it is, how it follows a motion.

Stretches and yields are in s_p/3 and forces in mu F_n: then the pull curve is Dahl's, ``1 - exp(-y)``, met at every
yield and straight in between. An unloading is the pull curve scaled by two, from any reversal ([Masing1926]).
"""

from __future__ import annotations

import math
from typing import Sequence

from biped_slip.compile.kernel import kernel

LONGEST = 6.0  # yield of the last element where they are spread, in s_p/3 (choice)


def spread_yields(count: int, spread: float) -> tuple[float, ...]:
    """Yields of ``count`` elements, the denser towards the start of the curve the larger ``spread``."""
    return tuple(LONGEST * (k / count) ** spread for k in range(1, count + 1))


def stiffnesses(yields: Sequence[float]) -> tuple[float, ...]:
    """Of each element: how much the pull curve's slope falls where it yields; together they hold 1."""
    knots = (0.0, *yields)
    curve = [1.0 - math.exp(-knot) for knot in knots]
    slopes = [(curve[k + 1] - curve[k]) / (knots[k + 1] - knots[k]) for k in range(len(yields))]
    return tuple((one - other) / curve[-1] for one, other in zip(slopes, [*slopes[1:], 0.0], strict=True))


def stretch_at(share: float, yields: Sequence[float]) -> float:
    """Motion [s_p/3] of a first load that carries ``share`` of the limit."""
    left, stretch, held = share, 0.0, stiffnesses(yields)
    slope = sum(held)
    for limit, stiffness in zip(yields, held, strict=True):
        step = min(left / slope, limit - stretch)
        stretch, left = stretch + step, left - slope * step
        slope -= stiffness
        if left <= 0.0 or slope <= 0.0:
            break
    return stretch


@kernel(inline="code")
def stretched(old_x: float, old_y: float, by_x: float, by_y: float, limit: float) -> tuple[float, float]:
    """Stretch of one element after a motion: radial return to its yield."""
    x, y = old_x + by_x, old_y + by_y
    far = math.sqrt(x * x + y * y)
    scale = limit / far if far > limit else 1.0
    return x * scale, y * scale

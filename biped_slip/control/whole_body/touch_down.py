# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Where a swing foot meets the floor, learnt from its last landings, so that it lands when the plan says so."""

from __future__ import annotations

from biped_slip.compile.arrays import Array
from biped_slip.compile.kernel import kernel
from biped_slip.control.whole_body.stepping import SWING, TRANSFER, Feet, SteppingState

LEARNT = 0.5  # of what a landing was higher or lower than expected (choice: forgets a kerb in a few steps)
MOST = 0.02  # [m] that a level floor is ever thought to lie above or below the stance sole (choice)


@kernel
def touch_after(touch: Array, before: SteppingState, now: SteppingState, feet: Feet) -> Array:
    """Heights (2,) [m] over the other sole at which each foot is expected to meet the floor, one tick later.

    The stance sole has sunk into the floor under the weight, and a base thought to be tilted has the foot ahead too
    high or too low: 2 mm over the floor at the end of a swing are 30 ms.

    Args:
        touch: before this tick.
        before: phase before this tick.
        now: phase at this tick.
        feet: soles at this tick.
    """
    if before.phase != SWING or now.phase != TRANSFER:
        return touch
    foot, result = before.swing, touch.copy()
    met = feet.height[foot] - feet.height[1 - foot]
    result[foot] = min(max(touch[foot] + LEARNT * (met - touch[foot]), -MOST), MOST)
    return result

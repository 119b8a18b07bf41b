# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Whether a loaded foot may be taken for one at rest: its speed, known up to a constant, must not change.

A foot that creeps before it slips changes its speed by millimetres a second; one that lands sliding is braked, and one
that begins to slide gathers speed. A slide at a constant speed looks like rest: no accelerometer feels it.
"""

from __future__ import annotations

from typing import NamedTuple

from biped_slip.compile.kernel import kernel

FAST, SLOW = 5e-3, 50e-3  # [s] of the two averages (choice: above a joint's speed noise; half a load change)
PATIENCE = 0.03  # [s] of steady speed before a foot is taken for one at rest (choice)
CREEPS = 3.0  # times the sd of a creeping foot's speed: more is a slide (choice)


class Steadiness(NamedTuple):
    """Speed of a foot against an unknown constant."""

    fast: float  # average [m/s]
    slow: float  # average [m/s]
    steady: float  # for how long they have been together [s]


UNSTEADY = Steadiness(0.0, 0.0, 0.0)


@kernel
def steadiness(state: Steadiness, speed: float, settled: bool, creep_speed: float, dt: float) -> Steadiness:
    """One sample later; before touchdown has rung off nothing is known."""
    if not settled:
        return Steadiness(speed, speed, 0.0)
    fast = state.fast + dt / (FAST + dt) * (speed - state.fast)
    slow = state.slow + dt / (SLOW + dt) * (speed - state.slow)
    together = abs(fast - slow) <= CREEPS * creep_speed
    return Steadiness(fast, slow, state.steady + dt if together else 0.0)


@kernel
def at_rest(state: Steadiness) -> bool:
    """Whether it may be taken for that."""
    return state.steady >= PATIENCE

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""When a simulation has diverged: a state that no robot on a floor can be in.

Two quantities tell it, in every step of the plant:

- the fastest coordinate, above the plant's ``speed_limit``, or not a number;
- the force along the floor of a foot, F_t > 50 (mu F_n + W), with the weight W of the
  robot.

Dry friction is at most mu F_n, in laws with a static peak up to 1.8 times that. Where a
law's spring or damper does not know the load, a foot is held by what the robot pushes
with: up to 11 (mu F_n + W) in landings of the planar biped on Bruneau's law, the
largest of all laws here. On a step that a law does not bear, friction reverses the slip
within the step and grows from step to step: 1,270 (mu F_n + W) and more (LuGre's law at
100 and 50 us). Fifty lies between.

A walk that ends so is no walk: it neither fell nor arrived. See
:class:`biped_slip.errors.SimulationDiverged`.
"""

from __future__ import annotations

from biped_slip.compile.kernel import kernel
from biped_slip.errors import SimulationDiverged

DIVERGED_FORCE = 50.0  # along the floor, over mu F_n plus the robot's weight (choice)


@kernel(inline="code")
def force_beyond(tangential: float, limit: float) -> float:
    """Compute F_t − 50 mu F_n of a foot [N], which is above 50 W in a divergence.

    Args:
        tangential: size of the force along the floor [N].
        limit: mu F_n of the foot [N].
    """
    return tangential - DIVERGED_FORCE * limit


def check_force(beyond: float, weight: float, time: float) -> None:
    """Refuse a foot's force along the floor that is absurd.

    Args:
        beyond: largest :func:`force_beyond` [N].
        weight: of the robot [N].
        time: since the start [s].

    Raises:
        SimulationDiverged: it is.
    """
    if not beyond <= DIVERGED_FORCE * weight:
        what = f"force along the floor less {DIVERGED_FORCE:g} mu F_n"
        raise SimulationDiverged(f"{what} in N", beyond, DIVERGED_FORCE * weight, time)

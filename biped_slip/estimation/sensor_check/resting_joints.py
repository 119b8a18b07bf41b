# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Whether arms, head and waist rest while the legs shift the weight: a joint held with a wrong sign runs away."""

from __future__ import annotations

from typing import Any

import numpy as np

from biped_slip.compile.arrays import Array
from biped_slip.estimation.sensor_check.leg_closure import leg_joints

WANDER = 0.15  # [rad] or [m]; the joints of TALOS and G1 stay within 0.04 (choice)


def restless_joints(model: Any, soles: tuple[str, str], joints: Array) -> tuple[str, ...]:
    """One sentence for every joint outside of the legs that does not rest.

    Args:
        model: Pinocchio model with a free-flyer root, joints in the readings' order.
        soles: names of the sole frames.
        joints: (T, n) positions, the first of them before anything moves [rad].
    """
    moved = np.abs(joints - joints[0]).max(axis=0)
    others = sorted(set(range(2, model.njoints)) - set(leg_joints(model, soles)))
    return tuple(
        f"joint {model.names[joint]} runs away though it is held: its encoder or its motor has the opposite sign"
        for joint in others
        if moved[model.idx_qs[joint] - 7] > WANDER
    )

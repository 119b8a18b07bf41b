# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Whether legs can put flat soles anywhere: each needs to move its foot in six ways.

The controller asks of each sole a place (three) and a turn (three). A leg whose
Jacobian has a smaller rank in every posture can't give them, however strong. A leg that
stands straight can't in that posture alone, so another one is tried, too.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pinocchio as pin

from biped_slip.compile.arrays import Array
from biped_slip.errors import BipedSlipError

WAYS = 6
# of the largest singular value: a way in which a leg hardly moves its foot (choice)
SMALLEST_WAY = 5e-3
ANKLE_HEIGHT_SHARE = (
    0.25  # of the hip's height: joints so near to the sole are an ankle (choice)
)
SAME_AXIS = 0.7  # cosine between an axis and one of the robot's
OTHER_POSTURE = 0.4  # [rad] by which joints of a leg stand elsewhere in turn (choice)


class LegToSole(NamedTuple):
    """A leg and its sole."""

    chain: tuple[int, ...]  # joints from hip to foot
    sole: Any  # placement in the last of them
    name: str  # of the sole


def check_leg(robot: str, model: Any, q: Array, leg: LegToSole) -> None:
    """Check that a leg moves its flat foot in all six ways.

    Args:
        robot: its name, for the sentence.
        model: Pinocchio's, with a free-flyer root.
        q: (nq,) coordinates near which the robot stands.
        leg: to be checked.

    Raises:
        BipedSlipError: with what it lacks.
    """
    ways = _leg_jacobian(model, q, leg)
    rank = max(_rank(ways), _rank(_leg_jacobian(model, _elsewhere(model, q, leg), leg)))
    if rank < WAYS:
        raise BipedSlipError(
            f"{robot} can't walk by this package: the {len(leg.chain)} joints of the "
            f"leg to {leg.name} move the foot in {rank} ways, and a flat foot needs "
            f"{WAYS}{_lacking(ways)}"
        )


def _rank(ways: Array) -> int:
    values = np.linalg.svd(ways, compute_uv=False)
    return int(np.sum(values > SMALLEST_WAY * values[0]))


def _elsewhere(model: Any, q: Array, leg: LegToSole) -> Array:
    """Turn the joints of a leg to either side in turn, out of any posture's symmetry.

    Ranges are left aside: they are no matter of how a leg is built.
    """
    moved = q.copy()
    for order, joint in enumerate(leg.chain):
        moved[model.idx_qs[joint]] += OTHER_POSTURE * (1.0 if order % 2 else -1.0)
    return moved


def _leg_jacobian(model: Any, q: Array, leg: LegToSole) -> Array:
    """Compute how a leg's joints move its sole, (6, n).

    Ways are in heights of the hip over the sole, in the robot's axes.
    """
    data = model.createData()
    pin.computeJointJacobians(model, data, q)
    place = data.oMi[leg.chain[-1]] * leg.sole
    height = float(data.oMi[leg.chain[0]].translation[2] - place.translation[2])
    columns = [model.idx_vs[joint] for joint in leg.chain]
    at_sole = pin.SE3(np.eye(3), place.translation).toActionMatrixInverse()
    ways: Array = at_sole @ np.array(data.J)[:, columns]
    ways[:3] /= max(height, 1e-3)
    return ways


def _lacking(ways: Array) -> str:
    """Say which turn the joints of the ankle lack, those nearest to the sole."""
    near = np.linalg.norm(ways[:3], axis=0) < ANKLE_HEIGHT_SHARE
    axes = np.abs(ways[3:, near])
    names = {"roll": 0, "pitch": 1}
    missing = [name for name, row in names.items() if not np.any(axes[row] > SAME_AXIS)]
    return f" (its ankle has no {' and no '.join(missing)} joint)" if missing else ""

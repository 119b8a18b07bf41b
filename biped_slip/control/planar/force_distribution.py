# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Foot forces of the thesis: each along the line from its foot to the hip, ratios clipped (A.8, A.9).

For a torso that can't pitch. All in the floor frame; forces are those of the ground on the robot.
"""

from __future__ import annotations

from typing import NamedTuple

from biped_slip.compile.kernel import kernel
from biped_slip.control.planar.posture import Posture
from biped_slip.control.planar.virtual_model import BodyForce

_PARALLEL = 1e-6  # ratios closer than this leave the split of the vertical force undetermined


class FootForces(NamedTuple):
    """Forces wanted on the robot at the feet (left, right) and the ratios wanted before any limit."""

    tangential: tuple[float, float]  # [N]
    normal: tuple[float, float]  # [N]
    wanted_ratio: tuple[float, float]  # tangential/normal without slip prevention; NaN in swing


@kernel
def clip_ratio(ratio: float, limit: float) -> float:
    """Slip prevention (6.30); an infinite limit leaves the ratio alone."""
    return min(max(ratio, -limit), limit)


@kernel
def split_normal(force: BodyForce, ratio_front: float, ratio_rear: float, minimum: float) -> tuple[float, float]:
    """Normal forces (front, rear) so that both ratios give the wanted force, (6.11)–(6.14) as corrected.

    Neither falls below a minimum [N] (half the total if that is less), so that an idle foot stays on the floor.
    """
    least = min(minimum, 0.5 * force.normal)
    difference = ratio_rear - ratio_front
    if abs(difference) < _PARALLEL:
        return 0.5 * force.normal, 0.5 * force.normal
    front = (ratio_rear * force.normal - force.tangential) / difference
    front = min(max(front, least), force.normal - least)
    return front, force.normal - front


@kernel
def with_internal_force(forces: FootForces, foot: int, force: float) -> FootForces:
    """The forces with an internal one [N] along the floor: on the robot at a foot, and the opposite at the other."""
    signed = force if foot == 0 else -force
    left, right = forces.tangential
    return FootForces((left + signed, right - signed), forces.normal, forces.wanted_ratio)


@kernel
def distribute_through_hip(
    posture: Posture, force: BodyForce, stance: tuple[bool, bool], limits: tuple[float, float], minimum: float
) -> FootForces:
    """Forces of both feet in double support, of one in single support (6.15)–(6.19), ratios limited (6.30)."""
    nan = float("nan")
    if stance[0] and stance[1]:
        rho = (
            (posture.hip_s - posture.foot_s[0]) / posture.hip_n,
            (posture.hip_s - posture.foot_s[1]) / posture.hip_n,
        )
        if posture.foot_s[0] >= posture.foot_s[1]:
            left, right = split_normal(force, rho[0], rho[1], minimum)
        else:
            right, left = split_normal(force, rho[1], rho[0], minimum)
        return FootForces(
            (clip_ratio(rho[0], limits[0]) * left, clip_ratio(rho[1], limits[1]) * right), (left, right), rho
        )
    wanted = force.tangential / max(force.normal, 1e-9)
    if stance[0]:
        return FootForces((clip_ratio(wanted, limits[0]) * force.normal, 0.0), (force.normal, 0.0), (wanted, nan))
    return FootForces((0.0, clip_ratio(wanted, limits[1]) * force.normal), (0.0, force.normal), (nan, wanted))


@kernel
def driven_rate(posture: Posture) -> float:
    """A torso that can't pitch carries any moment: the hip is driven in single support and doesn't fall away."""
    return 0.0

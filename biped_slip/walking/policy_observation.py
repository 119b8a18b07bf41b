# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""What a walking network is shown: terms of an instant, and the instants before it.

Each term is scaled, all numbers are clipped, and the last ``k`` instants stand in one
row: ``[a_1 .. a_k, b_1 .. b_k]`` by term, ``[a_1, b_1, .., a_k, b_k]`` by frame, oldest
first. Before the first instant a history by term repeats it; one by frame has zeros.
"""

from __future__ import annotations

import math
from operator import attrgetter
from typing import Callable, Mapping, NamedTuple, Sequence

import numpy as np

from biped_slip.compile.arrays import Array
from biped_slip.errors import InvalidParameter
from biped_slip.friction_estimation.types import FrictionEstimate


class Instant(NamedTuple):
    """Inputs of the observation's terms; joints in the network's order."""

    linear_velocity_in_imu: Array  # (3,) of the IMU [m/s]
    angular_velocity_in_imu: Array  # (3,) [rad/s]
    gravity_in_imu: Array  # (3,) unit vector downwards
    roll_pitch_yaw: Array  # (3,) of the base [rad]
    command: Array  # (3,) forward, left [m/s], turn [rad/s]
    joint_position: Array  # (n,) from the posture [rad]
    joint_velocity: Array  # (n,) [rad/s]
    last_action: Array  # (n,)
    phases: Array  # (k,) of the gait [rad]
    friction: Array  # (8,) of both feet, as friction_numbers gives it


#: Numbers that are shown of the friction under one foot.
NUMBERS_OF_FOOT = 4


def friction_numbers(estimates: Sequence[FrictionEstimate]) -> Array:
    """Return what a network is shown of the friction under both feet (8,).

    Of the left foot, then the right one: 1 where mu is known; mu; its lower and its
    upper bound. What is not known is 0.
    """
    numbers = np.zeros((len(estimates), NUMBERS_OF_FOOT))
    for row, one in zip(numbers, estimates, strict=True):
        mu = one.mu if one.flag else one.mu_median if one.usable else math.nan
        if math.isfinite(mu):
            row[:] = 1.0, mu, one.mu_low, one.mu_high
    return np.nan_to_num(numbers.ravel(), posinf=0.0)


TERMS: dict[str, Callable[[Instant], Array]] = {
    **{name: attrgetter(name) for name in Instant._fields if name != "phases"},
    "command_linear": lambda now: now.command[:2],
    "command_turn": lambda now: now.command[2:],
    "cosine_of_phases": lambda now: np.cos(now.phases),
    "sine_of_phases": lambda now: np.sin(now.phases),
}


def instant_at_rest(joints: int, phases: Sequence[float]) -> Instant:
    """Build the instant of a robot that stands upright in its posture.

    Args:
        joints: number that the network sees.
        phases: of the gait [rad].
    """
    return Instant(
        linear_velocity_in_imu=np.zeros(3),
        angular_velocity_in_imu=np.zeros(3),
        gravity_in_imu=np.array([0.0, 0.0, -1.0]),
        roll_pitch_yaw=np.zeros(3),
        command=np.zeros(3),
        joint_position=np.zeros(joints),
        joint_velocity=np.zeros(joints),
        last_action=np.zeros(joints),
        phases=np.array(phases, dtype=float),
        friction=np.zeros(2 * NUMBERS_OF_FOOT),
    )


def observed(terms: Sequence[str], now: Instant) -> Array:
    """Concatenate the observation's terms to the numbers of one instant."""
    return np.concatenate([TERMS[term](now) for term in terms])


class Shown(NamedTuple):
    """What of an instant is shown, and how many instants together."""

    terms: tuple[str, ...]
    sizes: tuple[int, ...]  # of the terms
    scale: Array  # (sum of the sizes,)
    limit: float  # of every number; 0: none
    frames: int
    by_term: bool

    @property
    def size(self) -> int:
        """Count the numbers that the network is shown."""
        return self.frames * sum(self.sizes)

    def __str__(self) -> str:
        terms = zip(self.terms, self.sizes, strict=True)
        said = " + ".join(f"{size} {term}" for term, size in terms)
        return f"{self.frames} x ({said})" if self.frames > 1 else said


def shown(
    terms: tuple[str, ...],
    scales: Mapping[str, tuple[float, ...]],
    like: Instant,
    limit: float = 0.0,
    frames: int = 1,
    by_term: bool = True,
) -> Shown:
    """Describe what a network is shown.

    Args:
        terms: in order.
        scales: factors by term; one for all of its numbers, or one each.
        like: an instant of the robot, which has the sizes.
        limit: of every number; 0: none.
        frames: instants together.
        by_term: whether all instants of the first term come first.

    Raises:
        InvalidParameter: a term has another number of factors than numbers.
    """
    sizes = tuple(TERMS[term](like).size for term in terms)
    scale = np.ones(sum(sizes))
    begin = 0
    for term, size in zip(terms, sizes, strict=True):
        factors = scales.get(term, (1.0,))
        if len(factors) not in (1, size):
            raise InvalidParameter(
                f"scales.{term}", list(factors), f"one number, or {size}", "correct it"
            )
        scale[begin : begin + size] = factors
        begin += size
    return Shown(
        terms=terms,
        sizes=sizes,
        scale=scale,
        limit=limit,
        frames=frames,
        by_term=by_term,
    )


def seen_at(how: Shown, now: Instant) -> Array:
    """Scale and clip the numbers of one instant (sum of the sizes,)."""
    seen = how.scale * observed(how.terms, now)
    return np.clip(seen, -how.limit, how.limit) if how.limit > 0.0 else seen


def with_instant(how: Shown, past: Array | None, seen: Array) -> Array:
    """Append one instant to the past (frames, sum of the sizes), oldest first.

    Args:
        how: the network is shown it.
        past: up to the instant before; None before the first.
        seen: of this instant.
    """
    if past is None:
        past = np.tile(seen if how.by_term else np.zeros_like(seen), (how.frames, 1))
    return np.concatenate((past[1:], seen[np.newaxis]))


def row_of(how: Shown, past: Array) -> Array:
    """Put the past (frames, sum of the sizes) into one row."""
    if not how.by_term:
        return past.ravel()
    ends = np.cumsum(how.sizes)[:-1]
    return np.concatenate([part.ravel() for part in np.split(past, ends, axis=1)])

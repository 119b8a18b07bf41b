# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""What the joints between both feet could tell of a floor at best, from the true loads of a walk (Cramer-Rao).

A foot meets another foot twice in a stance: the one that lifts after it has landed, and the one that lands before it
lifts. Only then, and once both touchdowns have rung off, joints see the floor. Contacts are Dahl's in the plane.
"""

from __future__ import annotations

import math
from typing import NamedTuple, Sequence

import numpy as np

from biped_slip.compile.arrays import AnyArray

STEP = 1e-4  # of ln mu, for the derivative
FULL = 0.995  # share of the limit beyond which a path is not followed
S_P = 1e-3  # [m]
SHORTEST = 8  # samples
NOTHING = 10.0  # sd of ln mu, ln s_p and, in s_p, of where a meeting began, that stands for not knowing


class Meeting(NamedTuple):
    """Both feet on the floor: the one that is asked about, and the other; per sample."""

    ratio: AnyArray  # true force ratio with the sign of the motion it drives (samples, 2)
    normal: AnyArray  # (samples,) [N]
    other_ratio: AnyArray
    other_normal: AnyArray
    other_mu: float


class Seen(NamedTuple):
    """How well joints and ankle sensors see that."""

    sigma: float  # of the chain's length, a sample [m]
    force_sigma: float  # [N]
    leg_stiffness: float = 1e5  # [N/m]
    leg_known_to: float = 0.2


def path(ratio: AnyArray, mu: float, s_p: float = S_P) -> tuple[AnyArray, AnyArray]:
    """Motion (samples, 2) [m] of a Dahl contact that carries a ratio (samples, 2), and how soft it is there.

    The length a of a step solves ``|d + a h| = a`` with d the elastic step and h the ratio over mu.
    """
    share = ratio / mu
    elastic = s_p / 3.0 * np.diff(share, axis=0)
    middle = 0.5 * (share[1:] + share[:-1])
    middle *= np.minimum(1.0, FULL / np.maximum(np.linalg.norm(middle, axis=1), 1e-9))[:, None]
    along, left = np.sum(elastic * middle, axis=1), 1.0 - np.sum(middle**2, axis=1)
    length = (along + np.sqrt(along**2 + left * np.sum(elastic**2, axis=1))) / left
    moved = np.vstack([np.zeros(2), np.cumsum(elastic + length[:, None] * middle, axis=0)])
    return moved, np.concatenate([[1.0], 1.0 / left])


def bound(meetings: Sequence[Meeting], mu: float, seen: Seen) -> float:
    """Cramer-Rao sd of ln mu; infinite where the feet never meet.

    Not known are mu, s_p, where each meeting began, and the legs' compliance but for its belief. That both feet stand
    on one floor is known where it is so, which nobody tells a robot. Of everything else next to nothing is believed,
    so that what no data show stays finite.
    """
    if not meetings:
        return math.inf
    unknowns = 3 + 3 * len(meetings)  # mu, s_p, compliance; of each meeting the other's mu and where it began
    rows = [
        _rows(meeting, mu, seen, axis, 3 + 3 * k, unknowns) for k, meeting in enumerate(meetings) for axis in (0, 1)
    ]
    belief = np.full(unknowns, 1.0 / NOTHING)
    belief[2] = 1.0
    r = np.linalg.qr(np.vstack([*rows, np.diag(belief)]), mode="r")
    return float(np.linalg.norm(np.linalg.inv(r)[0]))


def _rows(meeting: Meeting, mu: float, seen: Seen, axis: int, place: int, unknowns: int) -> AnyArray:
    own, soft = path(meeting.ratio, mu)
    other, other_soft = path(meeting.other_ratio, meeting.other_mu)
    noise = np.hypot(
        _force_noise(meeting.ratio, meeting.normal, mu, soft, seen),
        _force_noise(meeting.other_ratio, meeting.other_normal, meeting.other_mu, other_soft, seen),
    )
    pushed = 0.5 * (meeting.ratio * meeting.normal[:, None] - meeting.other_ratio * meeting.other_normal[:, None])
    rows = np.zeros((own.shape[0], unknowns))
    rows[:, 0] = _by_mu(meeting.ratio, mu)[:, axis]
    rows[:, 1] = (own - other)[:, axis]
    rows[:, 2] = seen.leg_known_to * math.sqrt(2.0) / seen.leg_stiffness * pushed[:, axis]
    rows[:, 0 if meeting.other_mu == mu else place] -= _by_mu(meeting.other_ratio, meeting.other_mu)[:, axis]
    rows[:, place + 1 + axis] = S_P
    return rows / np.hypot(noise, seen.sigma)[:, None]


def _by_mu(ratio: AnyArray, mu: float) -> AnyArray:
    return (path(ratio, mu * math.exp(STEP))[0] - path(ratio, mu * math.exp(-STEP))[0]) / (2.0 * STEP)


def _force_noise(ratio: AnyArray, normal: AnyArray, mu: float, soft: AnyArray, seen: Seen) -> AnyArray:
    return S_P / (3.0 * mu) * soft * seen.force_sigma / normal * np.sqrt(1.0 + np.sum(ratio**2, axis=1))


def pushed(meeting: Meeting, mu: float, share: float) -> tuple[Meeting, float]:
    """The same with the feet pushing against each other along x, half a sine up to a share of the weaker limit.

    Returns:
        the meeting, and the largest force of the push [N].
    """
    wave = np.sin(np.linspace(0.0, math.pi, meeting.normal.size))
    best, most = meeting, 0.0
    weight = float(np.max(meeting.normal + meeting.other_normal))
    for sign in (1.0, -1.0):
        for force in np.linspace(0.0, weight, 201):
            tried = _with(meeting, sign * force * wave)
            if max(_largest(tried.ratio) / mu, _largest(tried.other_ratio) / tried.other_mu) > share:
                break
            if force > most:
                best, most = tried, float(force)
    return best, most


def _with(meeting: Meeting, force: AnyArray) -> Meeting:
    own, other = meeting.ratio.copy(), meeting.other_ratio.copy()
    own[:, 0] += force / meeting.normal
    other[:, 0] -= force / meeting.other_normal
    return meeting._replace(ratio=own, other_ratio=other)


def _largest(ratio: AnyArray) -> float:
    return float(np.linalg.norm(ratio, axis=1).max())

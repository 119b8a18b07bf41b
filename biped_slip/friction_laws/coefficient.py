# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""What the coefficient mu is for a friction law: force over load, held and sliding.

A floor has one number mu, Coulomb's coefficient. Published laws use it for different
things: the force of every slide (Coulomb, Dahl), the level after a static peak (F_c of
Stribeck's curve), the limit of fast sliding (regularised laws). Here a law is asked
itself, at a contact point under a constant load:

- **held**: the ratio up to which it rises in a pull from rest at 1 um/s, 0.4 m at most;
- **slid**: the ratio that a slide settles at, begun at 1 m/s and slowed down to a
  speed, so that neither the time at rest before it nor a peak counts.

Ratios are in mu. A law whose ratios are not 1 within 1 % says in ``mu_is`` what mu is;
``biped-slip contact-laws`` prints both, and a test holds one to the other.
"""

from __future__ import annotations

from collections import deque
from typing import Iterable, Iterator, NamedTuple

from biped_slip.friction_laws.law import FRESH, FrictionLaw, FrictionMemory

SLIDING_SPEEDS = (1.0e-6, 1.0e-3, 1.0e-2, 0.1, 1.0)  # [m/s]
WITHIN = 0.01  # of mu: what counts as mu
PULL_SPEED = 1.0e-6  # [m/s]
# path [m] and steps: long enough for a law that adheres for centimetres
PULL = (0.4, 8000)
START = (0.03, 30)
SETTLING_SLIDE = (0.02, 40)


Dragged = tuple[float, FrictionMemory]  # ratio of force to load, memory


class Ratios(NamedTuple):
    """Force over load, in mu."""

    held: float  # at rest
    slid: tuple[float, ...]  # at each of SLIDING_SPEEDS

    @property
    def are_mu(self) -> bool:
        """Return whether the law holds and slides with mu at every speed."""
        return all(abs(ratio - 1.0) <= WITHIN for ratio in (self.held, *self.slid))


def measured_ratios(law: FrictionLaw, mu: float, normal: float) -> Ratios:
    """Measure what a contact point holds and slides with.

    Args:
        law: of the point, which is a foot of its own: its onset is the foot's.
        mu: of the floor, above 0.
        normal: load [N].

    Returns:
        The ratios in mu.
    """
    held = ratio = 0.0
    for ratio, _ in _dragged(law, FRESH, PULL_SPEED, PULL, mu, normal):
        if ratio <= held:
            break
        held = ratio
    _, sliding = _last(_dragged(law, FRESH, SLIDING_SPEEDS[-1], START, mu, normal))
    slid = []
    for speed in SLIDING_SPEEDS:
        ratio, _ = _last(_dragged(law, sliding, speed, SETTLING_SLIDE, mu, normal))
        slid.append(ratio / mu)
    return Ratios(held / mu, tuple(slid))


def _last(steps: Iterable[Dragged]) -> Dragged:
    """Return the last of the steps."""
    return deque(steps, maxlen=1)[0]


def _dragged(
    law: FrictionLaw,
    memory: FrictionMemory,
    speed: float,
    path: tuple[float, int],
    mu: float,
    normal: float,
) -> Iterator[Dragged]:
    """Drag a point along x at a constant speed.

    Args:
        law: of the point.
        memory: at the start.
        speed: of the point [m/s].
        path: its length [m], and in how many steps.
        mu: of the floor.
        normal: load [N].

    Yields:
        Ratio of force to load, and the memory, after each step.
    """
    packed = law.packed
    length, steps = path
    dt = length / speed / steps
    for _ in range(steps):
        memory, force, _ = law.step(memory, speed, 0.0, normal, mu, packed, dt)
        memory = law.release(memory, abs(force) / (mu * normal), packed)
        yield force / normal, memory

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Which rule of reversal a sole follows, from the way back of a pull that went to slip: Dahl's or Masing's.

Both rules have the same way there. On the way back from slip a contact without memory gives way by the pull curve's
slope at ``-u``, one that remembers by its half-scaled copy, which is stiffer for long.
"""

from __future__ import annotations

from typing import NamedTuple, Sequence

import numpy as np

from biped_slip.compile.arrays import Array

FEWEST_BLOCKS = 8  # of a way back
LEAST_RETURN = 0.4  # of the peak ratio, that the force must come back by
NEAR, FAR = 0.95, -0.95  # of the limit, between which the way back is compared
DECIDED = 1.5  # times that one rule's residual must be larger than the other's (choice)
CONVINCED, UNDECIDED = 0.95, 0.5  # belief in memory where the ways back agree on it, and where nothing is known


class Return(NamedTuple):
    """Residuals of a way back by either rule, rms [m]."""

    local: float
    masing: float


def way_back(ratio: Array, force: Array, displacement: Array, mu: float, shape: float, s_p: float, compliance: float,
             peak_at: int) -> Return | None:  # fmt: skip
    """Compare the samples after the peak with both rules, the rest as fitted to the way there; None: too few.

    Args:
        ratio, force, displacement: blocks of a pull [-], [N], [m].
        mu, shape, s_p, compliance: fitted to its way there [-], [-], [m], [m/N].
        peak_at: block of the largest ratio.
    """
    v = ratio[peak_at:] / mu
    turned = np.flatnonzero(v < NEAR)
    if turned.size == 0 or np.ptp(v[turned[0] :]) < LEAST_RETURN:
        return None
    last = int(np.argmin(v))
    use = slice(int(turned[0]), last + 1)
    v, f, x = v[use], force[peak_at:][use], displacement[peak_at:][use]
    keep = v > FAR
    v, f, x = v[keep], f[keep], x[keep]
    if v.size < FEWEST_BLOCKS:
        return None
    away = (1.0 - v) / 2.0  # from full slip, by which Masing's copy is entered
    found = []
    for path in (_curve(-v, shape), 2.0 * _curve(away, shape)):
        left = x + s_p / 3.0 * path - compliance * f
        found.append(float(np.std(left)))
    return Return(*found)


def belief(returns: Sequence[Return]) -> float:
    """Belief in memory of every reversal: sure where all ways back that decide say the same."""
    votes = [one.local > one.masing for one in returns if max(one) > DECIDED * min(one)]
    if not votes or any(votes) != all(votes):
        return UNDECIDED
    return CONVINCED if votes[0] else 1.0 - CONVINCED


def in_words(returns: Sequence[Return]) -> str:
    """What was found, in a sentence."""
    if not returns:
        return "rule of reversal unknown: let the force come back after slip, by half of its peak or more"
    rms = ", ".join(f"{1e6 * one.local:.1f} against {1e6 * one.masing:.1f} um" for one in returns)
    names = {UNDECIDED: "undecided", CONVINCED: "Masing's, it remembers reversals"}
    found = names.get(belief(returns), "Dahl's, it remembers none")
    return f"rule of reversal: {found} (residuals of the way back, Dahl's against Masing's: {rms})"


def _curve(v: Array, shape: float) -> Array:
    """phi(v) of a first load, also for v < 0 (study 2)."""
    room, bend = np.maximum(1.0 - v, 1e-6), 1.0 - shape
    return -np.log(room) if abs(bend) < 1e-6 else (1.0 - room**bend) / bend

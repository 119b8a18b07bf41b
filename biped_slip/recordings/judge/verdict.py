# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Verdict on a contact: of its slides, estimate and bound, none contradicts another.

Every answer about a contact passes through :func:`consistent`.

- What a foot bore without slip its floor holds: no slide, estimate or upper bound lies
  below it, beyond noise.
- A slide needs evidence. The motion of the sole itself is enough: a foot that breaks
  away bore more before it slid, so what it held is then bounded by the friction of its
  slides. Markers on skin and shoes, and forces alone, are not enough against a ratio
  that the same contact bore.
- A contact that is too short, or a slide by markers or forces in one that lands,
  leaves, stands for long or is cut off, certifies nothing: forces of rolling, of sway
  and of half a stance have plateaus, too.

What is withheld is withheld with its reason.
"""

from __future__ import annotations

import math
from typing import Any, Iterable, NamedTuple, Sequence

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from biped_slip.recordings.judge.slip import BY_FORCE, BY_MOTION, Slip
from biped_slip.recordings.motion_noise import wandering, way_between
from biped_slip.recordings.series import FloatArray

HELD_TIME = 0.02  # [s] that a held ratio must last
HELD_SHARE = 0.05  # of the contact that it must last
LONGEST_HELD = 0.15  # [s] that is never asked for more of
LOADED_SHARE = 0.1  # of the usual load, below which ratios mean little
NOISE_SIGMAS = 3.0  # of the force noise, that may have made a ratio larger
# times the friction of a slide that a ratio of the same contact may reach, e.g. while
# it starts
BEYOND_NOISE = 1.05
# standard deviations of a place's wandering that the way of a slide must exceed
WANDER_MARGIN = 6.0
LEAST_SAMPLES = 20  # samples of a contact that certifies anything
SHORTEST_CONTACT = 0.05  # [s] of a contact that certifies anything
SHORTEST_SLIDE_TIME = 0.02  # [s] of one that markers or forces show
# [s]; a person's foot that bears load for longer stands: its plateaus are those of sway
LONGEST_STANCE_TIME = 4.0
NO_PLACE: FloatArray = np.empty((0, 2))  # the foot's place is not asked for


class Borne(NamedTuple):
    """Forces on a foot in one contact of n samples, and conditions of the contact."""

    time: FloatArray  # shape (n,) [s]
    # of the ground on the foot, z along the floor's normal, shape (n, 3) [N]
    force: FloatArray
    load: float  # usual normal force of this foot [N]
    noise: float  # standard deviation of a force axis; 0: unknown [N]
    settle: float = 0.0  # that a foot takes to land and to leave: a person's rolls [s]
    cut_off: bool = False  # the contact reaches an end of the recording
    # half the time over which a velocity was averaged: a swing reaches so far into a
    # stance [s]
    blurred: float = 0.0
    shortest_slide: float = 0.0  # that this average can show [s]
    place: FloatArray = NO_PLACE  # of the foot where it is noisy, shape (n, 2) [m]


class Claim(NamedTuple):
    """Estimate of a contact; NaN where there is no such value."""

    mu: float = math.nan
    low: float = math.nan
    high: float = math.nan
    of_slides: bool = (
        False  # the value is the friction of the slides, not an estimate of its own
    )


class Verdict(NamedTuple):
    """Judged result of a contact; NaN where unknown."""

    slips: tuple[Slip, ...] = ()
    kept: tuple[bool, ...] = ()  # which of the slides that were claimed
    claim: Claim = Claim()
    # largest ratio that lasted without slip, less noise; not above the friction of
    # slides [-]
    held: float = math.nan
    withheld: tuple[str, ...] = ()  # what was withheld, and why


def consistent(
    borne: Borne, slips: Sequence[Slip], claim: Claim | None = None
) -> Verdict:
    """Check the estimate of one contact against its forces.

    Contradictions are withheld, with the reason.
    """
    claim = claim or Claim()
    span = float(borne.time[-1] - borne.time[0])
    if len(borne.time) < LEAST_SAMPLES or span < SHORTEST_CONTACT:
        words = (
            f"a contact of {len(borne.time)} samples and {1e3 * span:.0f} ms is "
            "too short to certify anything"
        )
        silent = not slips and math.isnan(claim.mu)
        return Verdict(kept=(False,) * len(slips), withheld=() if silent else (words,))
    reasons = [_no_slide(borne, slip) for slip in slips]
    bound = _bound(borne)
    while True:
        kept = [slip for slip, why in zip(slips, reasons, strict=True) if not why]
        held = _longest_held(borne, bound, kept)
        least = [
            math.inf
            if one.source == BY_MOTION or one.mu is None
            else BEYOND_NOISE * one.mu
            for one in slips
        ]
        places = [k for k in range(len(slips)) if not reasons[k] and least[k] < held]
        if not places:
            break
        worst = min(places, key=lambda k: slips[k].mu or 0.0)
        reasons[worst] = (
            f"its ratio is {slips[worst].mu:.3g}, but the same contact held "
            f"{held:.3g} without slip"
        )
    withheld = [
        f"a slide at {slip.start:.2f} s by {slip.source} is withheld: {why}"
        for slip, why in zip(slips, reasons, strict=True)
        if why
    ]
    friction = _friction(kept)
    held = (
        min([held, *(slip.mu for slip in kept if slip.mu is not None)])
        if math.isfinite(held)
        else held
    )
    found, why = _consistent_claim(claim, friction, held)
    return Verdict(
        slips=tuple(kept),
        kept=tuple(not why for why in reasons),
        claim=found,
        held=held,
        withheld=(*withheld, *why),
    )


def _no_slide(borne: Borne, slip: Slip) -> str:
    """Explain why a slide cannot be one whatever its friction; empty if it can."""
    begin = float(borne.time[0])
    end = float(borne.time[-1])
    if slip.source == BY_MOTION:
        if borne.blurred and (
            slip.end <= begin + borne.blurred or slip.start >= end - borne.blurred
        ):
            return "its velocity is differenced over a time that reaches into the swing"
        return _no_motion(borne, slip)
    if borne.cut_off:
        return "the recording cuts the contact off"
    if slip.end - slip.start < SHORTEST_SLIDE_TIME:
        return f"it lasts {1e3 * (slip.end - slip.start):.0f} ms"
    if borne.settle and (
        slip.end <= begin + borne.settle or slip.start >= end - borne.settle
    ):
        return "the foot lands or leaves"
    if borne.settle and slip.source == BY_FORCE and end - begin > LONGEST_STANCE_TIME:
        return "the foot stands, and sway has plateaus of force, too"
    return ""


def _no_motion(borne: Borne, slip: Slip) -> str:
    """Explain why what moved is noise of the measured motion; empty if it is not."""
    if not slip.end > slip.start:
        return "a single sample moves"
    lasted = slip.end - slip.start
    if lasted < borne.shortest_slide:
        return (
            f"it lasts {1e3 * lasted:.0f} ms, and noise has its velocity averaged over "
            f"{1e3 * borne.shortest_slide:.0f} ms"
        )
    if not np.isfinite(borne.place).any():
        return ""
    # its ends are known to half of that average
    begin = max(slip.start - borne.blurred, float(borne.time[0]))
    end = min(slip.end + borne.blurred, float(borne.time[-1]))
    way = way_between(borne.time, borne.place, begin, end)
    itself = wandering(borne.time, borne.place, slip.start, slip.end)
    if not way < WANDER_MARGIN * itself:
        return ""
    return (
        f"the foot goes {1e3 * way:.2g} mm, and its place wanders by "
        f"{1e3 * itself:.2g} mm in that time by itself"
    )


def _friction(slips: Sequence[Slip]) -> float:
    """Compute the median friction of slides [-], each weighted by its duration.

    It is NaN without any slide.
    """
    known = sorted(
        (slip.mu, slip.end - slip.start) for slip in slips if slip.mu is not None
    )
    if not known:
        return math.nan
    lasted = np.cumsum([length for _, length in known])
    return float(known[int(np.searchsorted(lasted, 0.5 * lasted[-1]))][0])


def _consistent_claim(
    claim: Claim, friction: float, held: float
) -> tuple[Claim, tuple[str, ...]]:
    """Compare an estimate with what the contact slid at and held.

    Return it, or why it is withheld.
    """
    if claim.of_slides and math.isfinite(claim.mu) and math.isnan(friction):
        return Claim(), (
            f"a friction of {claim.mu:.3g} is withheld: no slide is left that shows it",
        )
    low, high = (
        claim.mu if math.isnan(bound) else bound for bound in (claim.low, claim.high)
    )
    if claim.of_slides or math.isnan(claim.mu):
        claim = Claim(friction, of_slides=True)
    elif friction < low / BEYOND_NOISE or friction > high * BEYOND_NOISE:
        what = (
            f"estimate of {claim.mu:.3g}"
            if low == high
            else f"interval of {low:.3g} to {high:.3g}"
        )
        return Claim(friction, of_slides=True), (
            f"an {what} is withheld: the foot slid at {friction:.3g}",
        )
    if claim.mu < held <= min(BEYOND_NOISE * claim.mu, claim.high):
        claim = claim._replace(mu=held)
    if math.isnan(claim.mu) or not (
        min(claim.mu, claim.high) < held
        or claim.mu < claim.low
        or claim.high < claim.mu
    ):
        return claim, ()
    return Claim(), (
        f"an estimate of {claim.mu:.3g} is withheld: the contact held {held:.3g} "
        "without slip",
    )


def _bound(borne: Borne) -> FloatArray:
    """Compute the force ratio less possible noise, shape (n,).

    It is NaN where the foot is hardly loaded.
    """
    normal: Any = np.where(
        borne.force[:, 2] > LOADED_SHARE * borne.load, borne.force[:, 2], np.nan
    )
    ratio = np.hypot(borne.force[:, 0], np.nan_to_num(borne.force[:, 1])) / normal
    return np.asarray(
        ratio - NOISE_SIGMAS * borne.noise * np.hypot(1.0, ratio) / normal,
        dtype=np.float64,
    )


def _longest_held(borne: Borne, bound: FloatArray, slips: Iterable[Slip]) -> float:
    """Find the largest bound that lasted outside of slides; NaN without one [-].

    As long as 20 ms, or a twentieth of a long contact: an impact passes, what a foot
    stands on stays.
    """
    still = bound.copy()
    for slip in slips:
        still[(borne.time >= slip.start - 1e-9) & (borne.time <= slip.end + 1e-9)] = (
            np.nan
        )
    lasting = min(
        max(HELD_TIME, HELD_SHARE * float(borne.time[-1] - borne.time[0])), LONGEST_HELD
    )
    span = max(math.ceil(lasting / float(np.median(np.diff(borne.time))) - 1e-6) + 1, 2)
    if still.size < span:
        return math.nan
    # NaN where any sample of the window is
    windows = np.min(sliding_window_view(still, span), axis=1)
    return float(np.nanmax(windows)) if np.isfinite(windows).any() else math.nan

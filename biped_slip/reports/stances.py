# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""What a walk knew of its floor, stance by stance: the same table for every robot, on screen, page and in JSON."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple, Sequence

import numpy as np

from biped_slip.compile.arrays import Array
from biped_slip.simulation.walk import FEET, stances

if TYPE_CHECKING:  # each robot's report does without the libraries of the other
    from biped_slip.simulation.humanoid.walk import HumanoidWalk
    from biped_slip.simulation.planar.walk import WalkLog

COLUMNS = ("foot", "touchdown [s]", "lift-off [s]", "mu true", "answer", "at least", "at most", "known after [ms]",
           "used by then [mu]", "speed [m/s]")  # fmt: skip
KEY = (
    "All mu and ratios are |tangential| / normal force [-]. answer, at least, at most: what the estimator said of the "
    "floor at the end of the stance. known after: from touchdown until it could be acted upon. used by then: the "
    "largest share of the true mu that the foot had asked for. A dash is unknown."
)


RIGHT = 0.1  # share of the true mu by which a value may differ and still counts as right


class StanceRow(NamedTuple):
    """One stance and what was known of its floor; None where it was not known."""

    foot: str
    touchdown: float  # [s]
    lift_off: float  # [s]
    mu_true: float
    mu: float | None  # point value at the end of the stance
    mu_low: float | None  # certified lower bound then
    mu_high: float | None  # certified upper bound then
    known_after: float | None  # [s] from touchdown, until the answer could be acted upon
    used_then: float | None  # largest force ratio up to then over the true mu [-]
    speed: float  # [m/s] mean of the base along x


def planar_stances(log: WalkLog) -> list[StanceRow]:
    """Of the planar biped: a flagged point value counts, or an interval that is usable."""
    flag, usable = log.estimate("flag") > 0.0, log.estimate("usable") > 0.0
    point = np.where(flag, log.estimate("mu"), np.where(usable, log.estimate("mu_median"), np.nan))
    low = np.where(log.estimate("mu_low") > 0.0, log.estimate("mu_low"), np.nan)
    high = np.where(usable, log.estimate("mu_high"), np.nan)
    loaded = log.normal > 1.0
    ratio = np.where(loaded, np.abs(log.tangential) / np.where(loaded, log.normal, 1.0), np.nan)
    return _rows(log.time, log.normal, ratio, log.mu_true, (point, low, high), np.isfinite(point), log.q[:, 0])


def humanoid_stances(walk: HumanoidWalk) -> list[StanceRow]:
    """Of a humanoid: an interval that is narrow enough to act upon counts; a lower bound alone is shown."""
    log = walk.world.log
    told = np.full((2, log.length, 2), np.nan)
    ticks = walk.ticks[-log.length :] if log.length else []  # the controller's begin later and end with the log
    if ticks:
        told[:, -len(ticks) :] = np.array([[tick.mu_low, tick.mu_high] for tick in ticks]).transpose(1, 0, 2)
    low, high = told
    point = np.full_like(low, np.nan)
    time, normal, ratio, mu, q = (rows[: log.length] for rows in (log.time, log.normal, log.ratio, log.mu, log.q))
    return _rows(time, normal, ratio, mu, (point, low, high), np.isfinite(low) & np.isfinite(high), q[:, 0])


def _rows(
    time: Array, normal: Array, ratio: Array, mu: Array, answers: Sequence[Array], known: Any, x: Array
) -> list[StanceRow]:
    """Stances of both feet in the order of touchdowns; arrays have shape (ticks, 2), time and x (ticks,)."""
    rows = []
    for foot, name in enumerate(FEET):
        for part in stances(time, normal[:, foot]):
            now, true = time[part], float(np.median(mu[part, foot]))
            first = np.flatnonzero(known[part, foot])
            used = np.nanmax(ratio[part, foot][: first[0] + 1], initial=0.0) / max(true, 1e-9) if first.size else None
            point, low, high = (_last(values[part, foot]) for values in answers)
            after = float(now[first[0]] - now[0]) if first.size else None
            begin, end = float(now[0]), float(now[-1])
            speed = float(x[part][-1] - x[part][0]) / max(end - begin, 1e-9)
            share = None if used is None else float(used)
            if low is not None and (low > (math.inf if point is None else point) or low > (high or math.inf)):
                point = high = after = share = None  # what the foot bore later refuted it
            rows.append(StanceRow(name, begin, end, true, point, low, high, after, share, speed))
    return sorted(rows, key=lambda row: row.touchdown)


def _last(values: Array) -> float | None:
    finite = values[np.isfinite(values)]
    return float(finite[-1]) if finite.size else None


def cells(row: StanceRow) -> list[str]:
    """A row as text, in the order of ``COLUMNS``."""
    after = None if row.known_after is None else 1e3 * row.known_after
    numbers = (row.touchdown, row.lift_off, row.mu_true, row.mu, row.mu_low, row.mu_high)
    shown = ["-" if value is None else f"{value:.2f}" for value in numbers]
    last = ["-" if row.used_then is None else f"{row.used_then:.2f}", f"{row.speed:.2f}"]
    return [row.foot, *shown, "-" if after is None else f"{after:.0f}", *last]


def closing_sentence(rows: Sequence[StanceRow]) -> str:
    """How often the floor was known, how soon, and how much of it was used by then."""
    known = [row for row in rows if row.known_after is not None]
    least = [row for row in rows if row.known_after is None and row.mu_low]
    words = f"The floor was known in {len(known)} of {len(rows)} stances"
    if known:
        after = 1e3 * float(np.mean([row.known_after or 0.0 for row in known]))
        used = max(row.used_then or 0.0 for row in known)
        words += f", on average {after:.0f} ms after touchdown, before more than {_up(used)} of its friction was used"
        points = [row for row in known if row.mu is not None]
        right = sum(abs((row.mu or 0.0) - row.mu_true) <= RIGHT * row.mu_true for row in points)
        words += f" ({right} of {len(points)} values within {100 * RIGHT:.0f} % of the true mu)" if points else ""
    return words + (f"; in {len(least)} more a lower bound was." if least else ".")


def _up(share: float) -> str:
    """A share, rounded up to its second digit."""
    return f"{math.ceil(100.0 * share - 1e-9) / 100.0:.2f}"

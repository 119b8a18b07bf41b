# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Stances of a walk with the estimate of each, and causes of a fall.

One table for screens, pages and JSON: of each stance its floor's true friction, the
answer, how soon after touchdown, under which load, and how much of the friction had
been used by then. Why a walk ended badly is told from its log alone: what was wrong in
the last seconds before the base sank, in the order of beginning.
"""

from __future__ import annotations

import math
from typing import Any, Iterator, NamedTuple, Sequence

import numpy as np
from numpy.typing import NDArray

from biped_slip.compile.arrays import Array
from biped_slip.constants import FEET
from biped_slip.simulation.log import Log
from biped_slip.simulation.stances import SLIP_LIMIT, StanceSlide, spans, stances
from biped_slip.simulation.summary import END_FELL, END_LATE

STANCE_COLUMNS = (
    "foot",
    "from [s]",
    "to [s]",
    "true mu",
    "answer (interval)",
    "known after [ms]",
    "load then [weight]",
    "used then [mu]",
    "speed [m/s]",
)
STANCE_KEY = (
    "from, to: the foot stands. mu: |tangential| / normal force [-]. answer: at the "
    "end of the stance, with its "
    "certified interval. known after: from touchdown until the controller could act "
    "upon an answer. load then: normal "
    "force on this foot, impacts included. used then: largest force ratio until then, "
    "over the true mu, while the foot "
    "stood for 20 ms or longer with a quarter of the weight; 0 before it stood so. "
    "speed: of the robot. A dash: "
    "unknown."
)
# share of the true mu by which a value may differ and still counts as right
RIGHT_SHARE = 0.1
BEARING_SHARE = 0.25  # body weights from which a foot bears (choice)
LANDING_TIME = 0.1  # [s]; a foot that touched down since isn't judged (choice)
SLIDES = 0.02  # [m/s] from which a landing slides for a test
LASTS = 0.02  # [s]; what is over sooner is an impact


Knowledge = tuple[float | None, float | None, float | None]


class StanceRow(NamedTuple):
    """Stance with the estimate of its floor; None where there was none."""

    foot: str
    touchdown: float  # [s]
    lift_off: float  # [s]
    # of the floor; where that changes during the stance, at the answer or touchdown
    mu_true: float
    mu_at_end: float  # of the floor at lift-off
    mu: float | None  # point value at the end of the stance
    mu_low: float | None  # certified lower bound then
    mu_high: float | None  # certified upper bound then
    # [s] from touchdown, until the answer could be acted upon
    known_after: float | None
    load_then: float | None  # normal force then [body weights]
    # largest force ratio of the bearing foot up to then, over the true mu
    used_then: float | None
    test_load: float | None  # mean normal force of the slide that was answered [N]
    test_speed: float | None  # its fastest [m/s]
    test_travel: float | None  # its way [m]
    speed: float  # [m/s] mean of the base along x


class _Ticks(NamedTuple):
    """What rows are made of, over all ticks of a walk; feet on the second axis."""

    answers: tuple[Array, Array, Array]  # value, lower and upper bound of mu
    bears: NDArray[np.bool_]  # whether the foot bears
    slides: NDArray[np.bool_]
    share: Array  # of the true mu that the force uses
    period: float  # [s]


def stance_rows(log: Log) -> list[StanceRow]:
    """List stances of both feet in the order of touchdowns.

    A flagged value counts as known, or a usable interval.
    """
    ticks = _Ticks(
        answers=log.answers(),
        bears=log.normal >= BEARING_SHARE * log.weight,
        slides=log.sole_speed > SLIDES,
        share=log.ratio / np.maximum(log.mu_true, 1e-9),
        period=float(log.time[1] - log.time[0]) if log.time.size > 1 else 0.0,
    )
    rows = [
        _stance_row(log, ticks, foot, part)
        for foot in range(len(FEET))
        for part in stances(log.time, log.normal[:, foot], LANDING_TIME)
    ]
    return sorted(rows, key=lambda row: row.touchdown)


def _stance_row(log: Log, ticks: _Ticks, foot: int, part: slice) -> StanceRow:
    """Describe one stance of a foot, over a part of the ticks."""
    begin = float(log.time[part][0])
    end = float(log.time[part][-1])
    used = _used_share(log, ticks, foot, part)
    mu, low, high = (_last(values[part, foot]) for values in ticks.answers)
    known = np.isfinite(ticks.answers[0][part, foot])
    known_after, load_then, used_then = _knowledge(log, foot, part, used, known)
    if _refuted(mu, low, high):
        mu = None
        high = None
        known_after = None
        load_then = None
        used_then = None
    test_load, test_speed, test_travel = (
        _last(log.estimate(f"test_{of}")[part, foot])
        for of in ("load", "speed", "travel")
    )
    x = log.q[part, 0]
    floor = log.mu_true[part, foot]
    true = float(np.median(floor))
    if floor[0] != floor[-1]:
        true = float(floor[np.argmax(known)])  # the first where there is no answer
    return StanceRow(
        foot=FEET[foot],
        touchdown=begin,
        lift_off=end,
        mu_true=true,
        mu_at_end=float(floor[-1]),
        mu=mu,
        mu_low=low,
        mu_high=high,
        known_after=known_after,
        load_then=load_then,
        used_then=used_then,
        test_load=test_load,
        test_speed=test_speed,
        test_travel=test_travel,
        speed=float(x[-1] - x[0]) / max(end - begin, 1e-9),
    )


def _used_share(log: Log, ticks: _Ticks, foot: int, part: slice) -> Array:
    """Compute the share of mu that a stance uses at each tick.

    It is 0 while the foot does not bear, and while it slides for a test as it lands.
    """
    now = log.time[part]
    tested = ticks.slides[part, foot] & (now - float(now[0]) < LANDING_TIME)
    used = np.zeros(now.size)
    for first, last in _lasting(ticks.bears[part, foot] & ~tested, ticks.period):
        used[first:last] = ticks.share[part, foot][first:last]
    return used


def _refuted(mu: float | None, low: float | None, high: float | None) -> bool:
    """Judge whether what the foot bore later was more than its estimate allows."""
    if low is None:
        return False
    return low > (math.inf if mu is None else mu) or low > (high or math.inf)


def _knowledge(log: Log, foot: int, part: slice, used: Array, known: Any) -> Knowledge:
    """Find when and under which load the floor of a stance was known.

    The time is in [s], the load in [body weights]; the used share of mu comes with
    them.
    """
    ticks = np.flatnonzero(known)
    if not ticks.size:
        return None, None, None
    first = int(ticks[0])
    tick = part.start + first
    after = float(log.time[tick] - log.time[part.start])
    # longer for a foot that bounced
    own = float(log.estimate("known_after")[tick, foot])
    return (
        max(after, own) if own == own else after,
        float(log.normal[tick, foot]) / log.weight,
        float(np.nanmax(used[: first + 1])),
    )


def _last(values: Array) -> float | None:
    finite = values[np.isfinite(values)]
    return float(finite[-1]) if finite.size else None


def true_words(mu: float, at_end: float) -> str:
    """Say the friction of a stance's floor, and what it became if that is another."""
    if abs(at_end - mu) < 0.005:
        return f"{mu:.2f}"
    return f"{mu:.2f}, then {at_end:.2f}"


def answer_words(mu: float | None, low: float | None, high: float | None) -> str:
    """Format an estimate: value and interval, a lower bound alone, or a dash.

    None and NaN are unknown.

    Args:
        mu: value, or unknown.
        low: lower bound, or unknown.
        high: upper bound, or unknown.
    """
    mu, low, high = (
        None if value is None or math.isnan(value) else value
        for value in (mu, low, high)
    )
    interval = "" if low is None or high is None else f"{low:.2f} to {high:.2f}"
    if mu is not None:
        return f"{mu:.2f} ({interval})" if interval else f"{mu:.2f}"
    return interval or ("-" if low is None else f"at least {low:.2f}")


def cells(row: StanceRow) -> list[str]:
    """Format a row as text, in the order of ``STANCE_COLUMNS``."""
    after = "-" if row.known_after is None else f"{1e3 * row.known_after:.0f}"
    shares = [
        "-" if value is None else f"{value:.2f}"
        for value in (row.load_then, row.used_then)
    ]
    times = [f"{row.touchdown:.2f}", f"{row.lift_off:.2f}"]
    answer = answer_words(row.mu, row.mu_low, row.mu_high)
    return [
        row.foot,
        *times,
        true_words(row.mu_true, row.mu_at_end),
        answer,
        after,
        *shares,
        f"{row.speed:.2f}",
    ]


def closing_sentence(rows: Sequence[StanceRow]) -> str:
    """Summarise the estimates of a walk.

    The sentence says how often and how soon the floor was known, and under which load
    and share of friction.
    """
    known = [row for row in rows if row.known_after is not None]
    least = [row for row in rows if row.known_after is None and row.mu_low]
    words = f"The floor was known in {len(known)} of {len(rows)} stances"
    if known:
        after, load = (
            float(np.mean([getattr(row, of) for row in known]))
            for of in ("known_after", "load_then")
        )
        used = max(row.used_then or 0.0 for row in known)
        words += (
            f", on average {1e3 * after:.0f} ms after touchdown with {load:.2f} "
            "of the weight on the foot"
        )
        share = (
            f"more than {math.ceil(100.0 * used - 1e-9) / 100.0:.2f}" if used else "any"
        )
        words += f", before {share} of its friction was used"
        points = [row for row in known if row.mu is not None]
        right = sum(
            abs((row.mu or 0.0) - row.mu_true) <= RIGHT_SHARE * row.mu_true
            for row in points
        )
        words += (
            f" ({right} of {len(points)} values within {100 * RIGHT_SHARE:.0f} % of "
            "the true mu)"
            if points
            else ""
        )
    return words + (f"; in {len(least)} more a lower bound was." if least else ".")


# Why a walk ended badly, from its record alone: what was wrong before the base sank or
# the time was over, in the order of beginning.

LOOKED_BACK = 3.0  # [s] that the base is looked back upon (choice: some steps)
SUNK = 0.9  # share of its usual height below which the base stood low
MOST_CAUSES = 4  # causes that are named
# share of a torque limit; [rad] from the end of a range, which is approached slowly
FULL = 0.98
NEAR_END = 0.03
# [m/s] of a bearing foot; [rad] that a bearing sole may turn
SLIPS = 0.05
TURN_LIMIT = math.radians(5.0)
TOO_LOW = 0.3  # of the floor's friction: a limit that robs a step
CLIPS = 0.1  # [s] for which it must be so low
STARTS = 0.2  # [s] in which feet come to rest where a walk begins (choice)
TWISTS = 2.0  # [deg] that a foot turns while it slides (choice)


Cause = tuple[int, str]  # the tick since when, what was wrong


def fall_sentence(log: Log, end: str) -> str:
    """Describe the problems in the moments before a fall or a walk's time was over.

    The sentence is empty at other ends.
    """
    if end not in (END_FELL, END_LATE):
        return ""
    if log.time.size < 2:
        return "It fell at once."
    period = float(log.time[1] - log.time[0])
    height = log.height
    upright = np.flatnonzero(height >= SUNK * float(np.median(height)))
    last = int(upright[-1]) + 1 if end == END_FELL else log.time.size
    part = slice(max(last - round(LOOKED_BACK / period), 0), last)
    stepped = _stepped(log, last)
    found = [
        *_joints_at_limits(log, part, period, stepped),
        *_feet_astray(log, part, period, stepped),
    ]
    missing = np.flatnonzero(~log.solved[part])
    if missing.size * period >= LASTS:
        found.append(
            (int(missing[0]), f"the solver had no answer in {missing.size} ticks")
        )
    causes = [
        f"{words} ({(last - part.start - tick) * period:.2f} s before)"
        for tick, words in sorted(found)[:MOST_CAUSES]
    ]
    words = "; ".join(causes) or (
        "no joint at its torque limit or at the end of its range, no slip, no sole "
        "turned, no friction limit far below "
        "the floor's, and the solver answered: the record does not show why"
    )
    if end == END_FELL and not stepped:
        return (
            f"It fell before its first step: its base sank from "
            f"{log.time[last - 1]:.2f} s on, {_aside(log, last)}. See that the centre "
            "of mass of its posture is over the soles, and what its ankles hold. What "
            f"came before: {words}."
        )
    if end == END_FELL:
        return (
            f"It fell: its base sank from {log.time[last - 1]:.2f} s on. What came "
            f"before: {words}."
        )
    way = float(np.ptp(log.q[part, 0]))
    least = log.limit[part].min()
    return (
        f"It ran out of time: {way:.2f} m in its last {LOOKED_BACK:g} s, friction "
        f"limit {least:.2g}. Found: {words}."
    )


def _stepped(log: Log, last: int) -> bool:
    """Return whether a foot has touched down again before a tick."""
    return any(
        log.time[part.start] > log.time[0] + STARTS
        for foot in range(len(FEET))
        for part in stances(log.time[:last], log.normal[:last, foot], LANDING_TIME)
    )


def _aside(log: Log, last: int) -> str:
    """Describe where the base is at a tick, from where it was first."""
    way = float(log.q[last - 1, 0] - log.q[0, 0])
    return f"{abs(way):.2f} m {'ahead of' if way > 0.0 else 'behind'} where it stood"


def slide_sentence(log: Log, slips: Sequence[StanceSlide]) -> str:
    """Describe the largest slide of a walk, and what let it be.

    The sentence is empty where no stance foot slid by ``SLIP_LIMIT``.
    """
    slip = max(slips, key=lambda one: one.distance, default=None)
    if slip is None or slip.distance < SLIP_LIMIT:
        return ""
    foot = FEET.index(slip.foot)
    first, last = (int(t) for t in np.searchsorted(log.time, (slip.start, slip.end)))
    part = slice(first, last + 1)
    speed = log.sole_speed[part, foot]
    worst = first + int(np.argmax(speed))
    mu = float(log.mu_true[worst, foot])
    limit = float(log.limit[worst, foot])
    known = any(math.isfinite(of[worst, foot]) for of in log.answers())
    turn = math.degrees(float(np.ptp(np.unwrap(log.yaw[part, foot]))))
    if not math.isfinite(limit):
        why = "it had no limit"
    elif limit > mu:
        reason = "what was known of the floor" if known else "the floor was not known"
        why = f"its limit allowed {limit:.2f}: {reason}"
    elif turn >= TWISTS:
        why = (
            f"its limit of {limit:.2f} was right, but it turned by {turn:.0f} degrees: "
            "a moment about the vertical used the friction, too"
        )
    else:
        used = float(np.nanmax(log.ratio[part, foot]))
        why = (
            f"its limit of {limit:.2f} was right, its force ratio went up to {used:.2f}"
        )
    return (
        f"The largest slide: the {slip.foot} foot, {1e3 * slip.distance:.0f} mm on mu "
        f"{mu:.2g}, fastest at {log.time[worst]:.2f} s with "
        f"{log.normal[worst, foot] / log.weight:.2f} of the weight; {why}."
    )


def _lasting(
    condition: Any, period: float, least: float = LASTS
) -> list[tuple[int, int]]:
    """Find stretches of ticks, from and to, in which a condition lasts."""
    return [
        (int(begin), int(end))
        for begin, end in spans(condition)
        if (end - begin) * period >= least
    ]


def _joints_at_limits(
    log: Log, part: slice, period: float, stepped: bool
) -> Iterator[Cause]:
    """Find the joint longest at its torque limit and that longest at its range's end.

    A joint that stands at the end of its range all the time is none that a step has
    brought there, and before the first step there is none.
    """
    names, efforts, (low, high) = log.joints
    torques = np.abs(log.torques[part])
    angles = log.q[part, -len(names) :]
    ends = (angles <= low + NEAR_END) | (angles >= high - NEAR_END)
    for wrong, words in (
        (torques >= FULL * efforts, "{} at its torque limit of {:.0f} N m"),
        (
            ends & ~ends.all(axis=0),
            "{} at the end of its range"
            + (", the step is out of reach" if stepped else ""),
        ),
    ):
        found = [_lasting(wrong[:, joint], period) for joint in range(len(names))]
        times = [sum(end - begin for begin, end in of) * period for of in found]
        longest = int(np.argmax(times))
        if found[longest]:
            sentence = words.format(names[longest], efforts[longest])
            yield found[longest][0][0], f"{sentence}, for {times[longest]:.2f} s"


def _feet_astray(
    log: Log, part: slice, period: float, stepped: bool
) -> Iterator[Cause]:
    """Describe slides of loaded feet with their required friction.

    Soles that turned are described, too. The limit of a robot that has not stepped is
    low, for it knows no floor yet, and robs no step.
    """
    for foot, name in enumerate(FEET):
        bears = log.normal[part, foot] >= BEARING_SHARE * log.weight
        limit = log.limit[part, foot]
        for begin, end in _lasting(
            bears & (log.sole_speed[part, foot] > SLIPS), period
        )[:1]:
            way = float(log.sole_speed[part, foot][begin:end].sum()) * period
            mu = float(log.mu_true[part, foot][begin:end].min())
            asked = float(limit[begin])
            allowed = (
                f"its limit allowed {asked:.2f}"
                if math.isfinite(asked)
                else "it had no limit"
            )
            turn = math.degrees(
                float(np.ptp(np.unwrap(log.yaw[part, foot][begin:end])))
            )
            turned = f" and turned by {turn:.0f} degrees" if turn >= 1.0 else ""
            yield (
                begin,
                f"the {name} foot slid {1e3 * way:.0f} mm{turned} on mu {mu:.2g}, "
                f"{allowed}",
            )
        low = stepped & bears & (limit < TOO_LOW * log.mu_true[part, foot])
        for begin, _ in _lasting(low, period, CLIPS)[:1]:
            mu = float(log.mu_true[part, foot][begin])
            yield (
                begin,
                f"the {name} foot's limit was {float(limit[begin]):.2g} on mu "
                f"{mu:.2g}, far below",
            )
        for begin, end in _lasting(bears, period):
            yaw = np.unwrap(log.yaw[part, foot][begin:end])
            far = np.flatnonzero(np.abs(yaw - yaw[0]) > TURN_LIMIT)
            if far.size:
                words = (
                    f"the {name} sole turned by "
                    f"{math.degrees(float(np.ptp(yaw))):.0f} degrees as it stood"
                )
                yield begin + int(far[0]), words
                break

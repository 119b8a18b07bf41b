# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Three pictures of what the interval estimator knows.

They show one stance, many stances, and the thesis beside it.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from biped_slip.compile.arrays import AnyArray
from biped_slip.reports.figures import (
    ESTIMATE,
    LEFT_COLOUR,
    LIMIT,
    MUTED,
    RIGHT_COLOUR,
    SLIP,
    TRUTH,
    save_figure,
    single_axes,
    stacked_axes,
)
from studies.estimator.conditions import ACCEPTANCE, P2, Condition
from studies.estimator.rivals import TUNED, follow_thesis
from synthetic.stances import (
    PERIOD,
    SAMPLES,
    Course,
    StanceKind,
    Stances,
    follow,
    told,
)

STANCES = 500
ONE = Condition(
    "one stance",
    12,
    P2,
    StanceKind(mu=0.6, s_p=0.8e-3, load=350.0, duration=0.5, profile=0),
)


def draw_all(folder: Path) -> list[Path]:
    """Write the pictures; returns their paths."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, draw in PICTURES.items():
        save_figure(draw(), folder / f"{name}.png")
    return [folder / f"{name}.png" for name in PICTURES]


def _times(course: Course) -> AnyArray:
    return np.array([course.sample(block) for block in range(course.low.shape[1])])


def one_stance() -> Any:
    """How the interval closes around mu while the load rises."""
    stances, seen = ONE.realise(1)
    course = follow(seen, stances.length, told(ONE.sensors, False, ONE.sole))
    time = PERIOD * _times(course)
    low, q05, median, high = (
        field[0] for field in (course.low, course.q05, course.median, course.high)
    )
    figure, (top, bottom) = stacked_axes(
        ["friction [-]", "displacement [mm]"],
        title="one stance, 5 µm position sensor",
        row_height=2.6,
    )
    top.fill_between(
        time,
        low,
        np.minimum(high, 1.7),
        color=ESTIMATE,
        alpha=0.2,
        label="interval mu_low to mu_high",
    )
    top.plot(time, median, color=ESTIMATE, label="median")
    top.plot(time, q05, color=ESTIMATE, linestyle=":", label="5 % quantile")
    top.axhline(stances.mu[0], color=TRUTH, linestyle="--", label="true mu")
    loaded = slice(20, SAMPLES)  # before, the ratio divides by nothing
    top.plot(
        PERIOD * np.arange(SAMPLES)[loaded],
        np.hypot(*seen.ratio[0, loaded].T),
        color=LIMIT,
        label="force ratio |u|",
    )
    first = time[int(np.argmax(course.usable[0] > 0.0))]
    top.axvline(first, color=MUTED)
    top.set_ylim(0.0, 1.7)
    top.legend(loc="upper right", ncol=2)
    moved = 1e3 * stances.displacement[0, :, 0]
    bottom.plot(PERIOD * np.arange(SAMPLES), moved, color=LEFT_COLOUR)
    bottom.axvline(first, color=MUTED)
    bottom.annotate(
        "usable from here", (first, 0.7), xytext=(4, 0), textcoords="offset points"
    )
    top.set_xlim(0.0, PERIOD * float(stances.length[0]))
    return figure


def known_when() -> Any:
    """Share of stances with a usable answer, and the middle interval.

    Both are over the share of the limit in use.
    """
    figure, (top, bottom) = stacked_axes(
        ["share usable", "interval / mu"],
        abscissa="load so far, share of the limit",
        title="what can be known when",
        row_height=2.6,
    )
    shares = np.arange(0.15, 0.94, 0.025)
    for name, colour in (
        ("P1", LEFT_COLOUR),
        ("P2", ESTIMATE),
        ("P3", LIMIT),
        ("P4", SLIP),
    ):
        condition = next(c for c in ACCEPTANCE if c.name == name)
        stances, seen = condition.realise(STANCES)
        course = follow(
            seen, stances.length, told(condition.sensors, False, condition.sole)
        )
        usable, low, high = _at_shares(stances, course, shares)
        label = f"{1e6 * condition.sensors.sigma:.0f} µm"
        top.plot(shares, usable, color=colour, label=label)
        bottom.plot(shares, low, color=colour)
        bottom.plot(shares, high, color=colour)
    top.legend(title="position noise", loc="upper left")
    bottom.axhline(1.0, color=TRUTH, linestyle="--")
    bottom.set_yscale("log")
    bottom.set_ylim(0.2, 6.0)
    bottom.set_yticks([0.2, 0.5, 1.0, 2.0, 5.0], ["0.2", "0.5", "1", "2", "5"])
    bottom.minorticks_off()
    return figure


def _at_shares(
    stances: Stances, course: Course, shares: AnyArray
) -> tuple[AnyArray, AnyArray, AnyArray]:
    """Usable share and median interval over mu.

    They are taken when the load so far first reaches each share.
    """
    times = _times(course)
    so_far = np.maximum.accumulate(stances.share[:, times] * (times >= 80), axis=1)
    usable = np.zeros(shares.size)
    low = np.zeros(shares.size)
    high = np.zeros(shares.size)
    rows = np.arange(stances.mu.size)
    for k, share in enumerate(shares):
        block = (so_far >= share).argmax(axis=1)
        usable[k] = np.nanmean(course.usable[rows, block])
        low[k] = np.nanmedian(course.low[rows, block] / stances.mu)
        high[k] = np.nanmedian(course.high[rows, block] / stances.mu)
    return usable, low, high


def thesis_beside() -> Any:
    """Largest value over mu that each estimator ever vouched for, stance by stance."""
    condition = ACCEPTANCE[1]
    stances, seen = condition.realise(STANCES)
    course = follow(
        seen, stances.length, told(condition.sensors, False, condition.sole)
    )
    mu, flag = follow_thesis(stances, seen, condition.sensors.kind, TUNED)
    judged = np.arange(SAMPLES) >= 80
    flagged = np.where(
        flag & judged & (stances.share < 0.9), mu / stances.mu[:, None], 0.0
    ).max(axis=1)
    early = stances.share[:, _times(course)] < 0.9
    vouched = np.where(
        (course.usable > 0.0) & early, course.median / stances.mu[:, None], 0.0
    ).max(axis=1)
    certified = np.where(
        early, np.nan_to_num(course.low) / stances.mu[:, None], 0.0
    ).max(axis=1)
    figure, axes = single_axes(
        "largest value ever vouched for / mu",
        "share of stances below",
        title="5 µm sensor, before 0.9 of the limit",
        width=7.0,
    )
    for values, colour, label in (
        (flagged, RIGHT_COLOUR, "thesis (tuned), flagged"),
        (vouched, ESTIMATE, "interval, usable median"),
        (certified, LEFT_COLOUR, "interval, certificate mu_low"),
    ):
        axes.plot(
            np.sort(np.clip(values, 0.3, 4.0)),
            np.linspace(0.0, 1.0, values.size),
            color=colour,
            label=label,
        )
    axes.axvline(1.0, color=TRUTH, linestyle="--")
    axes.set_xscale("log")
    axes.set_xlim(0.5, 4.0)
    axes.set_xticks(
        [0.5, 0.7, 1.0, 1.5, 2.0, 3.0, 4.0], ["0.5", "0.7", "1", "1.5", "2", "3", "4"]
    )
    axes.minorticks_off()
    axes.legend(loc="lower right")
    return figure


PICTURES = {
    "one-stance": one_stance,
    "known-when": known_when,
    "thesis-beside": thesis_beside,
}

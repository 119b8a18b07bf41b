# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Pictures of a replayed recording."""

from __future__ import annotations

from typing import Any, Sequence

import numpy as np

from biped_slip.recordings.batch import FIELDS
from biped_slip.recordings.replay import Contact, Replay
from biped_slip.reports.figures import (
    ESTIMATE,
    FOOT_COLOURS,
    LEFT,
    MUTED,
    RIGHT,
    SLIP,
    single_axes,
    stacked_axes,
    thinned,
)

COLOURS = dict(zip(("left", "right"), FOOT_COLOURS, strict=True))


def replay_figure(result: Replay) -> Any:
    """Forces, force ratio with the estimate and its interval, speed where known; slips are shaded."""
    series = result.series
    moving = bool(np.isfinite(series.velocity[:, 0]).any())
    labels = [f"force [{series.normal_unit}]", "|Ft| / Fn, mu [-]"] + (["speed [m/s]"] if moving else [])
    figure, axes = stacked_axes(labels, title=f"{series.name}: {series.provenance[0].rsplit('/', 1)[-1]}", width=11.0)
    time = series.stamp_ns * 1e-9
    _forces(axes[0], result, time)
    _ratios(axes[1], result, time)
    if moving:
        speed = np.hypot(series.velocity[:, 0], np.nan_to_num(series.velocity[:, 1]))
        axes[2].plot(*thinned(time, speed), color=MUTED)
    for axis in axes:
        for contact in result.contacts:
            for slip in contact.slips:
                axis.axvspan(slip.start, slip.end, color=SLIP, alpha=0.18, linewidth=0.0)
    return figure


def _forces(axis: Any, result: Replay, time: Any) -> None:
    normal = result.series.force[:, 2]
    tangential = np.hypot(result.series.force[:, 0], np.nan_to_num(result.series.force[:, 1]))
    thin_time, thin_normal, thin_tangential = thinned(time, normal, tangential)
    axis.plot(thin_time, thin_normal, color=LEFT, label="normal")
    axis.plot(thin_time, thin_tangential, color=RIGHT, label="tangential")
    axis.legend(loc="lower right", bbox_to_anchor=(1.0, 1.0), ncols=2)


def _ratios(axis: Any, result: Replay, time: Any) -> None:
    standing = np.zeros(len(time), dtype=bool)
    for contact in result.contacts:
        standing[slice(*contact.standing.stance)] = True
    ratio = np.where(standing, result.series.ratio, np.nan)
    usable = result.answers[:, FIELDS.index("usable")] > 0.0
    mu, low, high = (
        np.where(usable, result.answers[:, FIELDS.index(name)], np.nan) for name in ("mu", "mu_low", "mu_high")
    )
    axis.plot(*thinned(time, ratio), color=MUTED, label="ratio", linewidth=0.8)
    if np.isfinite(low).any():
        axis.fill_between(*thinned(time, low, high), color=ESTIMATE, alpha=0.2, label="interval", linewidth=0.0)
    axis.plot(*thinned(time, mu), color=ESTIMATE, label=f"mu ({result.estimator})", linewidth=1.8)
    if np.isfinite(ratio).any():
        axis.set_ylim(0.0, 1.3 * float(np.nanquantile(ratio, 0.99)))
    axis.legend(loc="lower right", bbox_to_anchor=(1.0, 1.0), ncols=3)


def demand_figure(contacts: Sequence[tuple[Replay, Contact]]) -> Any:
    """Required friction over each stance, one line per contact; the judged part lies between the dotted lines."""
    figure, axes = single_axes("share of the stance [%]", "|Ft| / Fn [-]", title="friction demand", width=7.0)
    largest = 0.0
    for replayed, contact in contacts:
        first, last = contact.standing.stance
        share = np.linspace(0.0, 100.0, last - first)
        ratio = replayed.series.ratio[first:last]
        axes.plot(*thinned(share, ratio, points=800), color=COLOURS.get(contact.foot, MUTED), alpha=0.7, linewidth=0.9)
        if np.isfinite(contact.demand.required):
            largest = max(largest, contact.demand.required)
    for edge in (10.0, 90.0):
        axes.axvline(edge, color=MUTED, linestyle=":", linewidth=0.9)
    for side, colour in COLOURS.items():
        axes.plot([], [], color=colour, label=side)
    axes.set_ylim(0.0, 1.6 * largest or 1.0)
    axes.legend(loc="upper center", ncols=2)
    return figure


def path_figure(contacts: Sequence[tuple[Replay, Contact]]) -> Any | None:
    """Paths of the centre of pressure over the floor, or None where no plate tells them."""
    figure, axes = single_axes("forward [m]", "left [m]", title="centre of pressure", width=7.0)
    drawn = False
    for replayed, contact in contacts:
        if not len(replayed.series.pressure):
            continue
        first, last = contact.standing.stance
        load = replayed.series.force[first:last, 2]
        steady = load > 0.25 * np.nanmax(load)
        x, y = replayed.series.pressure[first:last][steady].T
        axes.plot(x, y, color=COLOURS.get(contact.foot, MUTED), linewidth=1.4)
        drawn = True
    axes.set_aspect("equal", adjustable="datalim")
    return figure if drawn else None

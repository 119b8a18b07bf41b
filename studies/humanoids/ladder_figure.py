# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The ladder as a picture: how fast each robot crosses a patch and how far it slides there, one line a limit."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any, Sequence

import matplotlib
import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, NullFormatter, NullLocator

from biped_slip.reports.figures import ESTIMATE, LIMIT, MUTED, RIGHT, SERIES, SLIP, STYLE, TRUTH, WIDTH, legend_above
from studies.humanoids.ladder import LadderRow

LOOKS = {  # colour and words
    "oracle": (TRUTH, "true friction, seen ahead"),
    "interval": (ESTIMATE, "estimate"),
    "constant:0.2": (LIMIT, "constant 0.2"),
    "constant:0.08": (RIGHT, "constant 0.08"),
    "reflex": (SLIP, "reflex after slips"),
    "none": (MUTED, "none"),
}
ASIDE = 1.012  # times mu by which the lines of two limits are drawn apart
LEAST = 0.3  # [mm] a smaller slip is drawn there


def ladder_figure(rows: Sequence[LadderRow]) -> Any:
    """A column per robot: above the speed on the patch, below the largest slips; crosses where walks fell."""
    robots = list(dict.fromkeys(row.rung.robot for row in rows))
    kinds = list(dict.fromkeys(row.rung.kind for row in rows))
    looks = {kind: look_of(kind, k) for k, kind in enumerate(kinds)}
    mus = sorted({row.rung.mu for row in rows})
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(WIDTH, 5.2), layout="constrained")
        FigureCanvasAgg(figure)
        axes = figure.subplots(2, len(robots), sharex=True, sharey="row", squeeze=False)
        for column, robot in enumerate(robots):
            fast, slip = axes[:, column]
            for k, kind in enumerate(kinds):
                cells = sorted(
                    (row for row in rows if (row.rung.robot, row.rung.kind) == (robot, kind)),
                    key=lambda row: row.rung.mu,
                )
                draw_cells(fast, slip, cells, looks[kind][0], ASIDE ** (k - 0.5 * (len(kinds) - 1)))
            fast.set_title(_name(robot), loc="left")
            slip.set(yscale="log", xlabel="friction coefficient of the patch")
            slip.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
            slip.set_xscale("log")
            slip.set_xticks(mus, [f"{mu:g}" for mu in mus])
            slip.xaxis.set_minor_locator(NullLocator())
            slip.xaxis.set_minor_formatter(NullFormatter())
        axes[0, 0].set_ylabel("speed on the patch [m/s]")
        axes[0, 0].set_ylim(bottom=0.0)
        axes[1, 0].set_ylabel("largest slip of a stance [mm]")
        handles = [
            Line2D([], [], color=colour, marker="o", markersize=4, label=words) for colour, words in looks.values()
        ]
        handles.append(Line2D([], [], color=TRUTH, linestyle="", marker="o", mfc="none", label="first stances"))
        handles.append(Line2D([], [], color=TRUTH, linestyle="", marker="x", label="walks fell"))
        legend_above(figure, handles)
    return figure


def look_of(kind: str, k: int) -> tuple[str, str]:
    """Colour and words of the k-th limit."""
    known, colour = LOOKS.get(kind), SERIES[k % len(SERIES)]
    if known is not None:
        return known
    return colour, Path(kind.removeprefix("onnx:")).stem if kind.startswith("onnx:") else kind.replace(":", " ")


def draw_cells(fast: Any, slip: Any, cells: Sequence[LadderRow], colour: str, aside: float) -> None:
    """One limit of one robot on its two axes, ``aside`` times mu."""
    mu = aside * np.array([row.rung.mu for row in cells])
    speed = np.array([row.speed_on_patch for row in cells])
    first, later = (
        np.array([max(1e3 * getattr(row, name), LEAST) for row in cells]) for name in ("first_slip", "later_slip")
    )
    fast.plot(mu, speed, "o-", color=colour, markersize=4)
    slip.plot(mu, later, "o-", color=colour, markersize=4)
    slip.plot(mu, first, "o", color=colour, markersize=6, mfc="none")
    for row, x, y in zip(cells, mu, later, strict=True):
        if row.fell:
            at = row.speed_on_patch if math.isfinite(row.speed_on_patch) else 0.0
            fast.plot([x], [at], "x", color=colour, markersize=9, mew=1.6, clip_on=False)
            slip.plot([x], [y], "x", color=colour, markersize=9, mew=1.6)
            words = f"{row.fell}/{row.runs}"
            fast.annotate(words, (x, at), (0, 7), textcoords="offset points", ha="center", size=7.0, color=colour)


def _name(robot: str) -> str:
    """As it is written."""
    return {"talos": "TALOS", "surena3": "SURENA III", "g1": "G1"}.get(robot, Path(robot).stem)

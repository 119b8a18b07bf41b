# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Draw the figures of the docs again, each from what it shows.

They show walks, stances, papers, contact laws and the ladder.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import math
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from typing import Any, Callable, Sequence

import matplotlib
import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, NullFormatter, NullLocator

from biped_slip.cli.options import folder_to_write
from biped_slip.cli.terminal import Screen
from biped_slip.errors import MissingExtra, UnknownName
from biped_slip.reports.figures import (
    ESTIMATE,
    FIGURE_WIDTH,
    LEFT_COLOUR,
    LIMIT,
    MUTED,
    RIGHT_COLOUR,
    SERIES,
    SLIP,
    STYLE,
    TRUTH,
    VECTOR,
    legend_above,
    save_figure,
    stacked_axes,
)
from studies.ladder import LadderRow, rows_of

LIMITS = ("none", "touchdown")
HUMANOID = "surena3"
SEED = 2
HUMANOID_LIMITS = ("constant:0.7", "touchdown")
PAPERS = ("bruneau", "rengifo", "rodic", "khadiv")
OF_PAPERS = (
    "bruneau-normal",
    "rengifo-walk-force",
    "rodic-walk-normal",
    "khadiv-walk-zmp",
)
PEERS = ("mujoco", "pybullet", "dartpy", "pydrake")
ON_ICE = {
    "none": "no friction limit",
    "touchdown": "limit: friction estimated at each touchdown",
}
# mu, seed; seconds from and to, and how fast
ICE = 0.06
ICE_SEED = 1
ICE_SPAN = (4.6, 11.6, 1.3)
ICE_BEGINS = 1.5  # [m]: both walks reach it within the picture
# mu, [m/s], seed, [s], left
LANDS_ON = 0.4
LANDS_AT = 0.3
LANDING_SEED = 1
LANDED = 4.0
LANDING_FOOT = 0
# samples of 1 ms that are drawn
BEFORE = 20
AFTER = 100
COURSE_SEED = 0
COURSE_LIMITS = ("constant:0.7", "constant:0.2", "touchdown")
ENDINGS = (".png", *VECTOR)


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "--out",
        type=folder_to_write,
        default="docs/images",
        metavar="DIR",
        help="(docs/images)",
    )
    parser.add_argument(
        "--only",
        nargs="+",
        metavar="NAME",
        help=f"these of {', '.join((*FIGURES, *MOVING))}",
    )
    parser.add_argument(
        "--ladder",
        type=Path,
        nargs="+",
        metavar="FILE",
        help="of `ladder --json`, to be drawn side by side as humanoid-ladder",
    )
    endings = [ending.strip(".") for ending in ENDINGS]
    parser.add_argument(
        "--format",
        nargs="+",
        choices=endings,
        default=["png"],
        help="svg and pdf have no pixels; moving ones are GIF",
    )


def run(arguments: argparse.Namespace) -> int:
    """Draw one after the other; what can't be drawn here is named, exit code 1."""
    screen = Screen(stderr=True)
    missing = 0
    known: dict[str, Callable[[], Any]] = {**FIGURES, **MOVING}
    if arguments.ladder is not None:
        known["humanoid-ladder"] = partial(_ladder, arguments.ladder)
    for name in arguments.only or known:
        if name not in known:
            raise UnknownName("figure", name, list(known))
    for name in arguments.only or known:
        try:
            with screen.status(f"drawing {name}"):
                figure = known[name]()
        except MissingExtra as error:
            missing += 1
            screen.print(f"{name} is left out: {error}")
            continue
        for ending in ["gif"] if name in MOVING else arguments.format:
            path = Path(arguments.out) / f"{name}.{ending}"
            _save(figure, path)
            screen.print(str(path), highlight=False)
    return 1 if missing else 0


def _save(figure: Any, path: Path) -> None:
    if isinstance(figure, bytes):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(figure)
    else:
        save_figure(figure, path)


def _walk() -> Any:
    from biped_slip.reports.planar_walks import feet_figure
    from biped_slip.simulation.planar.scenario import chosen_scenario
    from biped_slip.simulation.planar.walk import run_walk

    scenario = chosen_scenario("thesis")
    return feet_figure(
        {limit: run_walk(scenario, limit) for limit in LIMITS}, scenario.ground
    )


def _drop() -> Any:
    from biped_slip.cli.contact_laws import drop_figure
    from biped_slip.contact.normal_laws import normal_law_names

    return drop_figure(normal_law_names())


def _pull() -> Any:
    from biped_slip.cli.contact_laws import pull_figure
    from biped_slip.friction_laws.registry import friction_law_names

    return pull_figure(friction_law_names())


def _stances(name: str) -> Callable[[], Any]:
    def draw() -> Any:
        from studies.estimator.pictures import PICTURES

        return PICTURES[name]()

    return draw


@cache
def _humanoid_walks() -> Any:
    from biped_slip.simulation.humanoid.scenario import chosen_walk
    from biped_slip.simulation.humanoid.walk import HumanoidWalk

    walks = {
        limit: HumanoidWalk(chosen_walk(HUMANOID), limit, SEED)
        for limit in HUMANOID_LIMITS
    }
    for walk in walks.values():
        walk.run()
    return walks


def _cone() -> Any:
    """Draw the friction cone of a floor and the cone of a limit.

    A force of the ground is drawn inside both.
    """
    mu = 0.6
    limit = 0.4
    force = (0.25, 0.9)
    figure = Figure(figsize=(7.5, 3.2), layout="constrained")
    axes = figure.subplots()
    for ratio, colour, label in (
        (mu, MUTED, "friction cone of the floor, mu = 0.6"),
        (limit, ESTIMATE, "limit, 0.4"),
    ):
        axes.fill(
            [0.0, -ratio, ratio], [0.0, 1.0, 1.0], color=colour, alpha=0.25, label=label
        )
    axes.annotate(
        "",
        force,
        (0.0, 0.0),
        arrowprops={"arrowstyle": "-|>", "color": TRUTH, "lw": 2.0},
    )
    axes.plot(
        [0.0, force[0], force[0]], [force[1], force[1], 0.0], ":", color=TRUTH, lw=1.0
    )
    axes.text(force[0] / 2.0, -0.08, "tangential force", ha="center", fontsize=9)
    axes.text(-0.02, 0.6, "normal\nforce", ha="right", fontsize=9)
    axes.annotate(
        f"force ratio {force[0] / force[1]:.2f}: no slip",
        force,
        (0.62, 0.6),
        fontsize=9,
        arrowprops={"arrowstyle": "-", "color": MUTED},
    )
    axes.axhline(0.0, color=MUTED, lw=3.0)
    axes.set(
        xlim=(-1.5, 1.3),
        ylim=(-0.12, 1.05),
        aspect="equal",
        title="The force of the ground stays inside the limit",
    )
    axes.axis("off")
    axes.legend(loc="center left", frameon=False, fontsize=8)
    return figure


def _footprints() -> Any:
    from biped_slip.reports.humanoid_walks import footprint_figure

    return footprint_figure(_humanoid_walks())


class _Heard:
    """An estimator that keeps what it was told and what it answered.

    It keeps a list per foot.
    """

    def __init__(self, estimator: Any) -> None:
        self._estimator, self.feet = estimator, ([], [])  # type: tuple[Any, tuple[list[Any], list[Any]]]
        self._calls = 0

    def initial_state(self) -> Any:
        """As the estimator does."""
        return self._estimator.initial_state()

    def step(self, state: Any, measurement: Any, dt: float, context: Any) -> Any:
        """As the estimator does."""
        state, estimate = self._estimator.step(state, measurement, dt, context)
        self.feet[self._calls % 2].append((measurement, estimate, state))
        self._calls += 1
        return state, estimate


def _landing() -> Any:
    from biped_slip.simulation.humanoid.scenario import chosen_walk
    from biped_slip.simulation.humanoid.walk import HumanoidWalk

    talos = chosen_walk("talos")
    config = replace(
        talos, mu=LANDS_ON, speed=LANDS_AT, patch=replace(talos.patch, length=0.0)
    )
    walk = HumanoidWalk(config, "touchdown", LANDING_SEED)
    senses = walk.sequencer.controller._senses  # type: ignore[attr-defined]
    heard = _Heard(senses.friction.estimator)
    senses.friction.ask(heard)
    while (
        not walk.ended
        and walk.world.log.time[max(walk.world.log.length - 1, 0)] < LANDED
    ):
        walk.tick()
    return landing_figure(heard.feet[LANDING_FOOT], LANDS_ON, walk.humanoid.weight)


def landing_figure(samples: Sequence[Any], mu: float, weight: float) -> Any:
    """Draw a foot's last landing over the milliseconds around it.

    The figure shows load, ratio with the answer's interval, and speed.

    Args:
        samples: (FootMeasurement, FrictionEstimate, TouchdownState) of one foot, 1 ms
            apart.
        mu: of the floor.
        weight: of the robot [N].
    """
    contact = np.array([state.footing.in_contact for _, _, state in samples])
    begun = int(np.flatnonzero(contact[1:] & ~contact[:-1])[-1]) + 1
    told = samples[begun - BEFORE : begun + AFTER]
    time = np.arange(len(told)) - BEFORE  # [ms]
    load = (
        np.array(
            [one.force_normal - state.footing.zero.normal for one, _, state in told]
        )
        / weight
    )
    speed = np.array([one.velocity_x for one, _, _ in told])
    slid = np.array([state.slide.samples for _, _, state in told])
    summed = (np.diff(slid, prepend=0.0) > 0.0) & (time >= 0)
    ratio, low, high, answer = (
        np.array([getattr(estimate, name) for _, estimate, _ in told])
        for name in ("force_ratio", "mu_low", "mu_high", "mu")
    )
    figure, (top, middle, bottom) = stacked_axes(
        ["load [body weights]", "friction [-]", "foot's speed [m/s]"],
        abscissa="time after touchdown [ms]; shaded: samples that are summed",
        row_height=1.7,
    )
    for axis in (top, middle, bottom):
        for k in np.flatnonzero(summed):
            axis.axvspan(
                time[k] - 0.5, time[k] + 0.5, color=LIMIT, alpha=0.15, linewidth=0.0
            )
    top.plot(time, load, color=SERIES[0])
    known = np.flatnonzero(np.isfinite(answer))
    first = known[0]
    middle.fill_between(
        time[known],
        low[known],
        high[known],
        color=ESTIMATE,
        alpha=0.25,
        label="its interval",
    )
    middle.plot(time[known], answer[known], color=ESTIMATE, label="answer")
    middle.plot(
        time,
        np.where(time >= 0, ratio, math.nan),
        color=LIMIT,
        linewidth=0.9,
        label="measured force ratio",
    )
    middle.axhline(mu, color=TRUTH, linestyle="--", linewidth=0.9, label="the floor's")
    middle.set_ylim(0.0, 2.0 * mu)
    legend_above(figure, middle.get_legend_handles_labels()[0])
    bottom.plot(time, speed, color=RIGHT_COLOUR)
    for axis in (top, middle, bottom):
        axis.axvline(time[first], color=MUTED)
    top.annotate(
        f"answered after {time[first]} ms",
        (0.33, 0.85),
        xycoords="axes fraction",
        color=MUTED,
    )
    bottom.set_xlim(-BEFORE, AFTER)
    return figure


def _landing_by_currents() -> Any:
    from studies.same_landing import landing_figure

    return landing_figure()


def _ratios() -> Any:
    from biped_slip.reports.figures import ratio_figure

    return ratio_figure(
        {name: walk.world.log for name, walk in _humanoid_walks().items()}
    )


def _course() -> Any:
    from biped_slip.reports.humanoid_walks import humanoid_filmstrip
    from biped_slip.simulation.humanoid.walk import HumanoidWalk
    from studies.course import LEVEL, course_walk

    walks = {
        limit: HumanoidWalk(course_walk("talos", LEVEL), limit, COURSE_SEED)
        for limit in COURSE_LIMITS
    }
    for walk in walks.values():
        walk.run()
    return humanoid_filmstrip(walks)


def _ladder(tables: Sequence[Path]) -> Any:
    return ladder_figure([row for table in tables for row in rows_of(table)])


def _papers() -> Any:
    from studies.papers.rows import figures_together

    found: dict[str, Any] = {}
    for name in PAPERS:
        reproduced = importlib.import_module(f"studies.papers.{name}").reproduce()
        found |= {figure.name: figure for figure in reproduced.figures}
    return figures_together([found[name] for name in OF_PAPERS])


def _simulators() -> Any:
    from studies.simulators import bench, humanoid, peers, planar

    if any(importlib.util.find_spec(name) is None for name in PEERS):
        raise MissingExtra("this figure", "peers")
    return bench.picture(
        {
            "planar biped": bench.measured(
                planar.settings() + peers.settings(), planar.SCENES
            ),
            "TALOS": bench.measured(humanoid.settings(), humanoid.SCENES),
        }
    )


def _on_ice() -> bytes:
    from biped_slip.simulation.humanoid.scenario import chosen_walk
    from biped_slip.simulation.humanoid.walk import HumanoidWalk
    from biped_slip.view.humanoid_source import HumanoidSource
    from biped_slip.view.moving import moving_picture
    from biped_slip.view.scene import ShownSpan

    talos = chosen_walk("talos")
    config = replace(
        talos,
        patch=replace(talos.patch, mu=ICE, earliest=ICE_BEGINS, latest=ICE_BEGINS),
    )
    walks = {
        words: HumanoidWalk(config, limit, ICE_SEED) for limit, words in ON_ICE.items()
    }
    for walk in walks.values():
        walk.run()
    return moving_picture(
        [HumanoidSource(walk, words) for words, walk in walks.items()],
        ShownSpan(*ICE_SPAN),
        ["fell" if walk.world.fell else "arrived" for walk in walks.values()],
    )


def _step_program() -> Any:
    """Draw what a planned gait may require of a floor.

    The speeds that follow for TALOS are drawn, too.
    """
    from biped_slip.control.whole_body.controller import WholeBodyController
    from biped_slip.control.whole_body.friction_adaptation import (
        allowed_ratio,
        believed,
        fastest_within,
    )
    from biped_slip.control.whole_body.gait_patterns import RATIO
    from biped_slip.friction_estimation.limits import LimitRule
    from biped_slip.robots.humanoid import load_humanoid
    from biped_slip.walking.humanoid import chosen_walking, humanoid_body

    body = humanoid_body(load_humanoid("talos"))
    config = chosen_walking("talos").controller
    setup = WholeBodyController(body, config, LimitRule())._setup
    floors = np.linspace(0.01, 0.8, 80)
    table = setup.patterns
    z = setup.quantile
    known = [believed(mu, mu) for mu in floors]
    guessed = [believed(mu, mu - z * (0.01 + 0.05 * mu)) for mu in floors]
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(FIGURE_WIDTH, 2.8), layout="constrained")
        FigureCanvasAgg(figure)
        left, right = figure.subplots(1, 2)
        left.plot(floors, floors, color=TRUTH, label="what the floor holds")
        for beliefs, colour, words in (
            (known, ESTIMATE, "known exactly"),
            (guessed, LIMIT, "known within 0.01 + 5 %"),
        ):
            ratios = np.array([allowed_ratio(belief, 0.0, z) for belief in beliefs])
            steep = [allowed_ratio(belief, 0.176, z) for belief in beliefs]
            left.plot(floors, ratios, color=colour, label=words)
            left.plot(floors, steep, color=colour, linestyle=":")
            speeds = [
                fastest_within(table.speed, table.least[RATIO], ratio)
                for ratio in ratios
            ]
            right.plot(floors, speeds, color=colour)
        stops = [fastest_within(table.speed, table.behind, mu) for mu in floors]
        right.plot(
            floors, stops, color=SLIP, label="stops if the next floor is the worst"
        )
        left.set(xlabel="estimated friction", ylabel="required friction, at most")
        right.set(xlabel="estimated friction", ylabel="speed of TALOS, at most [m/s]")
        right.legend(fontsize="small")
        legend_above(figure, left.get_legend_handles_labels()[0])
    return figure


FIGURES: dict[str, Callable[[], Any]] = {
    "walk": _walk,
    "contact/drop": _drop,
    "contact/pull": _pull,
    **{name: _stances(name) for name in ("one-stance", "known-when", "thesis-beside")},
    "humanoid-footprints": _footprints,
    "humanoid-ratio": _ratios,
    "one-landing": _landing,
    "landing-by-currents": _landing_by_currents,
    "step-program": _step_program,
    "cone": _cone,
    "humanoid-course": _course,
    "papers-walks": _papers,
    "simulators": _simulators,
}
MOVING: dict[str, Callable[[], bytes]] = {"talos-on-ice": _on_ice}


# The ladder: how fast each robot crosses a patch and how far it slides there, one line
# a limit.

LOOKS = {  # colour and words
    "oracle": (TRUTH, "true friction, seen ahead"),
    "touchdown": (ESTIMATE, "asks at each landing"),
    "interval": (LEFT_COLOUR, "presliding"),
    "constant:0.2": (LIMIT, "constant 0.2"),
    "constant:0.08": (RIGHT_COLOUR, "constant 0.08"),
    "reflex": (SLIP, "reflex after slips"),
    "none": (MUTED, "none"),
}
ASIDE = 1.012  # times mu by which the lines of two limits are drawn apart
LEAST = 0.3  # [mm] a smaller slip is drawn there


def ladder_figure(rows: Sequence[LadderRow]) -> Any:
    """Draw a column per robot: above the speed on the patch, below the largest slips.

    Crosses mark where walks fell.
    """
    robots = list(dict.fromkeys(row.rung.robot for row in rows))
    kinds = list(dict.fromkeys(row.rung.kind for row in rows))
    looks = {kind: look_of(kind, k) for k, kind in enumerate(kinds)}
    mus = sorted({row.rung.mu for row in rows})
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(FIGURE_WIDTH, 5.2), layout="constrained")
        FigureCanvasAgg(figure)
        axes = figure.subplots(2, len(robots), sharex=True, sharey="row", squeeze=False)
        for column, robot in enumerate(robots):
            fast, slip = axes[:, column]
            for k, kind in enumerate(kinds):
                cells = sorted(
                    (
                        row
                        for row in rows
                        if (row.rung.robot, row.rung.kind) == (robot, kind)
                    ),
                    key=lambda row: row.rung.mu,
                )
                draw_cells(
                    fast,
                    slip,
                    cells,
                    looks[kind][0],
                    ASIDE ** (k - 0.5 * (len(kinds) - 1)),
                )
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
            Line2D([], [], color=colour, marker="o", markersize=4, label=words)
            for colour, words in looks.values()
        ]
        handles.append(
            Line2D(
                [],
                [],
                color=TRUTH,
                linestyle="",
                marker="o",
                mfc="none",
                label="first stances",
            )
        )
        handles.append(
            Line2D([], [], color=TRUTH, linestyle="", marker="x", label="walks fell")
        )
        legend_above(figure, handles)
    return figure


def look_of(kind: str, k: int) -> tuple[str, str]:
    """Colour and words of the k-th limit."""
    known = LOOKS.get(kind)
    colour = SERIES[k % len(SERIES)]
    if known is not None:
        return known
    return colour, Path(kind.removeprefix("onnx:")).stem if kind.startswith(
        "onnx:"
    ) else kind.replace(":", " ")


def draw_cells(
    fast: Any, slip: Any, cells: Sequence[LadderRow], colour: str, aside: float
) -> None:
    """One limit of one robot on its two axes, ``aside`` times mu."""
    mu = aside * np.array([row.rung.mu for row in cells])
    speed = np.array([row.speed_on_patch for row in cells])
    first, later = (
        np.array([max(1e3 * getattr(row, name), LEAST) for row in cells])
        for name in ("first_slip", "later_slip")
    )
    fast.plot(mu, speed, "o-", color=colour, markersize=4)
    slip.plot(mu, later, "o-", color=colour, markersize=4)
    slip.plot(mu, first, "o", color=colour, markersize=6, mfc="none")
    for row, x, y in zip(cells, mu, later, strict=True):
        if row.fell:
            at = row.speed_on_patch if math.isfinite(row.speed_on_patch) else 0.0
            fast.plot(
                [x], [at], "x", color=colour, markersize=9, mew=1.6, clip_on=False
            )
            slip.plot([x], [y], "x", color=colour, markersize=9, mew=1.6)
            words = f"{row.fell}/{row.runs}"
            fast.annotate(
                words,
                (x, at),
                (0, 7),
                textcoords="offset points",
                ha="center",
                size=7.0,
                color=colour,
            )


def _name(robot: str) -> str:
    """As it is written."""
    return {"talos": "TALOS", "surena3": "SURENA III", "g1": "G1"}.get(
        robot, Path(robot).stem
    )

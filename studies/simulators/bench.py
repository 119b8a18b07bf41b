# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""What is asked of every simulator, and how it is measured.

Errors are against the simulator's own converged solution: they say how far its step is
from its own physics, not whose physics is true. Times are of the processor, so that
other processes disturb them little.
"""

from __future__ import annotations

import math
import time
from functools import partial
from itertools import cycle
from typing import Any, Callable, Iterable, NamedTuple, Protocol

import numpy as np

from biped_slip.compile.arrays import Array
from biped_slip.reports.figures import (
    ESTIMATE,
    LEFT_COLOUR,
    LIMIT,
    MUTED,
    RIGHT_COLOUR,
    SLIP,
    TRUTH,
    stacked_axes,
)
from studies.frame import NAN, Columns, Row

TICK = 1e-3  # [s] one control period
BATCH = 50  # control periods in one call when the physics alone is timed
ROUNDS = 6
REPEATS = 4


class Bench(Protocol):
    """One robot in one simulator with one step."""

    def place(self) -> None:
        """Back to the start of the scene."""
        ...

    def tick(self, time: float) -> None:
        """One control period: controller in NumPy, torques in, physics, state out."""
        ...

    def batch(self) -> None:
        """``BATCH`` control periods of physics alone, in one call."""
        ...

    def seen(self) -> Array:
        """Places whose error is judged [m]."""
        ...


class Setting(NamedTuple):
    """A simulator with a step; ``make`` builds its bench for a scene."""

    simulator: str
    label: str
    steps: int  # per control period
    make: Callable[[str], Bench]
    truth: Callable[[str], Bench]  # the same with a step so small that it has converged


def settings_of(
    simulator: str,
    label: str,
    make: Callable[..., Bench],
    counts: Iterable[int],
    converged: int,
    **options: Any,
) -> list[Setting]:
    """List a simulator's settings: several numbers of steps a control period.

    Args:
        simulator: its name.
        label: of a setting, with the number of steps as ``{n}`` and their length as
            ``{ms}`` [ms].
        make: gives the bench of a scene with some ``steps`` and the options.
        counts: of steps.
        converged: number of steps of the converged solution.
        options: of the simulator.
    """
    truth = partial(make, steps=converged, **options)
    return [
        Setting(
            simulator=simulator,
            label=label.format(n=n, ms=f"{1e3 * TICK / n:g}"),
            steps=n,
            make=partial(make, steps=n, **options),
            truth=truth,
        )
        for n in counts
    ]


class Measured(NamedTuple):
    """One line of the table."""

    simulator: str
    label: str
    physics_us: float  # of a control period
    tick_us: float  # of a control period with controller, torques and state from Python
    errors: tuple[float, ...]  # [mm] per scene; NaN: it has fallen apart


def trajectory(bench: Bench, ticks: int) -> Array:
    """Places after each control period (ticks, k)."""
    bench.place()
    rows = []
    for k in range(ticks):
        bench.tick(k * TICK)
        rows.append(bench.seen())
    return np.array(rows)


def measured(settings: list[Setting], scenes: dict[str, int]) -> list[Measured]:
    """Error and time of every setting; scenes with their length in control periods.

    They are timed in turns and the shortest time counts: what else the machine does
    passes, and meets all alike.
    """
    truths: dict[tuple[Any, str], Array] = {}
    errors = [_errors(setting, scenes, truths) for setting in settings]
    benches = [
        setting.make(list(scenes)[-1]) for setting in settings
    ]  # on the floor from the start
    times = np.min(
        [[_times(bench) for bench in benches] for _ in range(ROUNDS)], axis=0
    )
    return [
        Measured(
            simulator=one.simulator,
            label=one.label,
            physics_us=float(physics),
            tick_us=float(tick),
            errors=found,
        )
        for one, (physics, tick), found in zip(settings, times, errors, strict=True)
    ]


def _errors(
    setting: Setting, scenes: dict[str, int], truths: dict[tuple[Any, str], Array]
) -> tuple[float, ...]:
    errors = []
    for scene, ticks in scenes.items():
        key = (setting.truth, scene)
        if key not in truths:
            truths[key] = trajectory(setting.truth(scene), ticks)
        try:
            error = 1e3 * float(
                np.abs(trajectory(setting.make(scene), ticks) - truths[key]).max()
            )
        except ArithmeticError:
            error = np.nan
        errors.append(error if np.isfinite(error) else np.nan)
    return tuple(errors)


def _times(bench: Bench) -> tuple[float, float]:
    physics = []
    ticks = []
    for _ in range(REPEATS):
        bench.place()
        physics.append(_spent(bench.batch))
        bench.place()
        ticks.append(_spent(lambda: _ticks(bench)))
    return 1e6 * float(np.min(physics)) / BATCH, 1e6 * float(np.min(ticks)) / BATCH


def _ticks(bench: Bench) -> None:
    for k in range(BATCH):
        bench.tick(k * TICK)


def _spent(work: Callable[[], object]) -> float:
    begin = time.thread_time()
    work()
    return time.thread_time() - begin


def columns(scenes: Iterable[str]) -> Columns:
    """Columns of the table of all settings."""
    return {
        "simulator": lambda line: line.simulator,
        "steps": lambda line: line.label,
        "physics [us]": lambda line: f"{line.physics_us:.2f}",
        "tick [us]": lambda line: f"{line.tick_us:.1f}",
        **{f"{scene} [mm]": _error(k) for k, scene in enumerate(scenes)},
    }


def _error(k: int) -> Callable[[Measured], str]:
    return lambda line: f"{line.errors[k]:.2g}"


# What the table must show, and its picture.

OURS = "biped_slip"
PEER = "Euler, 1 ms"
SHARE = 0.1  # of MuJoCo's error that our step may have
FINER = 0.1  # [mm] error of ours that is reported, too
EQUAL = 1.0  # [mm] slip error at which speeds are compared
MARKERS = "s^vDPX*<>"  # of the others
LOOK = {
    "biped_slip": (ESTIMATE, "o"),
    "MuJoCo, Euler": (SLIP, "o"),
    "MuJoCo, RK4": (LIMIT, "o"),
}
OTHERS = (LEFT_COLOUR, RIGHT_COLOUR, "#56b4e9", TRUTH, MUTED)


def planar_rows(table: list[Measured]) -> list[Row]:
    """Check the requirements on the planar biped.

    The errors are of its scenes: drop, then slips.
    """
    rows = _beside_euler("planar", table, 3.0, "3.2")
    peer = _peer(table)
    finer = _best(table, OURS, FINER)
    if peer is not None and finer is not None:
        what = (
            f"... and over ours, {finer.label}, with an error of "
            f"{max(finer.errors):.2g} mm"
        )
        rows.append(
            Row(
                what=what,
                required=NAN,
                at_most=False,
                study="",
                ours=peer.physics_us / finer.physics_us,
            )
        )
    fine = _best(table, OURS, EQUAL, slips=True)
    if fine is None:
        return rows
    reached = max(fine.errors[1:])
    for words, error, required in (
        ("no larger slip error", reached, 100.0),
        (f"<= {EQUAL:g} mm as well", EQUAL, NAN),
    ):
        theirs = _best(table, "MuJoCo", error, slips=True)
        if theirs is not None:
            what = (
                f"planar, ours {fine.label} with {reached:.2g} mm of slip error, "
                f"MuJoCo {theirs.label} with {words}"
            )
            rows.append(
                Row(
                    what=f"{what}, by time",
                    required=required,
                    at_most=False,
                    study="> 100",
                    ours=theirs.physics_us / fine.physics_us,
                )
            )
    return rows


def humanoid_rows(table: list[Measured]) -> list[Row]:
    """Check the requirements on the humanoid."""
    return _beside_euler("talos", table, 1.5, "1.5")


def _beside_euler(
    robot: str, table: list[Measured], required: float, study: str
) -> list[Row]:
    """Find our fastest step with a tenth of the error that MuJoCo's usual step has."""
    peer = _peer(table)
    ours = None if peer is None else _best(table, OURS, SHARE * max(peer.errors))
    if peer is None or ours is None:
        return []
    what = f"{robot}: MuJoCo {PEER} over ours, {ours.label}, by time"
    return [
        Row(
            what=what,
            required=required,
            at_most=False,
            study=study,
            ours=peer.physics_us / ours.physics_us,
        ),
        Row(
            what="... our error over its",
            required=SHARE,
            at_most=True,
            study="",
            ours=max(ours.errors) / max(peer.errors),
        ),
    ]


def faster_peers(table: list[Measured]) -> list[str]:
    """Name in words peer settings faster than one of ours that has a larger error."""
    words = []
    for peer in table:
        if peer.simulator == OURS:
            continue
        beaten = [
            one.label
            for one in table
            if one.simulator == OURS
            and one.physics_us > peer.physics_us
            and max(one.errors) > max(peer.errors)
        ]
        if beaten:
            words.append(
                f"{peer.simulator} {peer.label} is faster and closer to its own "
                f"solution than {beaten[0]}"
            )
    return words


def picture(tables: dict[str, list[Measured]]) -> Any:
    """Error over time of a control period, one row of axes per robot."""
    names = list(tables)
    figure, axes = stacked_axes(
        [f"{name}: largest error [mm]" for name in names],
        abscissa="time of a control period of physics [µs]",
        row_height=3.0,
    )
    for axis, name in zip(axes, names, strict=True):
        axis.set_xscale("log")
        axis.set_yscale("log")
        others = cycle(zip(OTHERS, MARKERS, strict=False))
        for family, line in _families(tables[name]).items():
            colour, marker = LOOK.get(family) or next(others)
            axis.plot(
                [one.physics_us for one in line],
                [max(one.errors) for one in line],
                "-",
                marker=marker,
                color=colour,
                markersize=4,
                label=_with_steps(family, line),
            )
        axis.legend(loc="center left", bbox_to_anchor=(1.01, 0.5))
    return figure


def _with_steps(family: str, line: list[Measured]) -> str:
    """Name of a curve, and its steps from left to right."""
    first, last = (one.label.rpartition(", ")[2] for one in (line[0], line[-1]))
    return f"{family}: {first}" + (f" to {last}" if len(line) > 1 else "")


def _families(table: list[Measured]) -> dict[str, list[Measured]]:
    found: dict[str, list[Measured]] = {}
    for one in table:
        kind = one.label.rpartition(", ")[0]
        found.setdefault(
            f"{one.simulator}, {kind}" if kind else one.simulator, []
        ).append(one)
    return found


def _peer(table: list[Measured]) -> Measured | None:
    return next((one for one in table if one.label == PEER), None)


def _best(
    table: list[Measured], simulator: str, error: float, slips: bool = False
) -> Measured | None:
    """Find the fastest setting of a simulator within an error [mm].

    The error is of sliding alone, if asked.
    """

    def largest(one: Measured) -> float:
        return max(one.errors[1:] if slips else one.errors)

    fitting = [
        one
        for one in table
        if one.simulator == simulator
        and largest(one) <= error
        and not math.isnan(sum(one.errors))
    ]
    return min(fitting, key=lambda one: one.physics_us, default=None)

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""What is asked of every simulator, and how it is measured.

Errors are against the simulator's own converged solution: they say how far its step is from its own physics, not whose
physics is true. Times are of the processor, so that other processes disturb them little.
"""

from __future__ import annotations

import time
from typing import Any, Callable, NamedTuple, Protocol

import numpy as np

from biped_slip.compile.arrays import Array

TICK = 1e-3  # [s] one control period
BATCH = 50  # control periods in one call when the physics alone is timed
ROUNDS, REPEATS = 6, 4


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

    They are timed in turns and the shortest time counts: what else the machine does passes, and meets all alike.
    """
    truths: dict[tuple[Any, str], Array] = {}
    errors = [_errors(setting, scenes, truths) for setting in settings]
    benches = [setting.make(list(scenes)[-1]) for setting in settings]  # on the floor from the start
    times = np.min([[_times(bench) for bench in benches] for _ in range(ROUNDS)], axis=0)
    return [
        Measured(one.simulator, one.label, float(physics), float(tick), found)
        for one, (physics, tick), found in zip(settings, times, errors, strict=True)
    ]


def _errors(setting: Setting, scenes: dict[str, int], truths: dict[tuple[Any, str], Array]) -> tuple[float, ...]:
    errors = []
    for scene, ticks in scenes.items():
        key = (setting.truth, scene)
        if key not in truths:
            truths[key] = trajectory(setting.truth(scene), ticks)
        try:
            error = 1e3 * float(np.abs(trajectory(setting.make(scene), ticks) - truths[key]).max())
        except ArithmeticError:
            error = np.nan
        errors.append(error if np.isfinite(error) else np.nan)
    return tuple(errors)


def _times(bench: Bench) -> tuple[float, float]:
    physics, ticks = [], []
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

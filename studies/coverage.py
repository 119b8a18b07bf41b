# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""How often each interval of the chance of a slip holds the truth.

The studies are simulated, with known chances.
"""

from __future__ import annotations

import argparse
from typing import Callable, Iterator, NamedTuple, Sequence

import numpy as np
from rich.progress import track
from rich.table import Table
from scipy.optimize import brentq
from scipy.stats import norm

from biped_slip.cli.options import COUNT
from biped_slip.cli.terminal import Screen
from biped_slip.gait_laboratory.slip_chance import DEFAULT, METHODS
from biped_slip.recordings.series import FloatArray
from studies.frame import grouped

SIZES = (10, 30, 100)
CHANCES = (0.0, 0.01, 0.1, 0.5)
STUDIES = 1000
# of RCOF: level walking
STEP_MEAN = 0.20
STEP_SPREAD = 0.025
# of quantiles, for the truth of skewed and two-humped samples
GRID = np.linspace(0.0005, 0.9995, 1000)
Draw = Callable[[np.random.Generator, int], FloatArray]


class World(NamedTuple):
    """How steps and readings scatter."""

    name: str
    step: Draw
    reading: Callable[[float], Draw]  # by how far the floor lies above the steps
    chance: Callable[[float], float]  # of a slip, by the same distance


class Coverage(NamedTuple):
    """Share of studies whose interval holds the truth, and the intervals' width."""

    world: str
    steps: int
    chance: float
    method: str
    held: float
    width: float  # mean


def normal_world() -> World:
    """Both normal, the floor's readings scatter more than the steps."""
    spread = 0.035
    return World(
        "normal",
        lambda rng, n: rng.normal(STEP_MEAN, STEP_SPREAD, n),
        lambda gap: lambda rng, n: rng.normal(STEP_MEAN + gap, spread, n),
        lambda gap: float(norm.cdf(-gap / np.hypot(STEP_SPREAD, spread))),
    )


def skewed_world() -> World:
    """Draw lognormal readings: a floor with a long tail of good places."""
    sigma = 0.35

    def chance(gap: float) -> float:
        steps = norm.ppf(GRID, STEP_MEAN, STEP_SPREAD)
        return float(
            np.mean(
                norm.cdf(np.log(np.maximum(steps, 1e-9) / (STEP_MEAN + gap)) / sigma)
            )
        )

    return World(
        "skewed",
        lambda rng, n: rng.normal(STEP_MEAN, STEP_SPREAD, n),
        lambda gap: (
            lambda rng, n: (STEP_MEAN + gap) * np.exp(sigma * rng.standard_normal(n))
        ),
        chance,
    )


def two_humped_world() -> World:
    """Left and right foot differ: steps come from two humps.

    No normal distribution fits.
    """
    apart = 0.05
    spread = 0.012

    def steps(rng: np.random.Generator, n: int) -> FloatArray:
        return (
            STEP_MEAN
            + apart * np.where(rng.random(n) < 0.5, -0.5, 0.5)
            + spread * rng.standard_normal(n)
        )

    def chance(gap: float) -> float:
        shift = 0.5 * apart
        both = np.hypot(spread, spread)
        return float(
            0.5 * (norm.cdf((-gap - shift) / both) + norm.cdf((-gap + shift) / both))
        )

    return World(
        "two humps",
        steps,
        lambda gap: lambda rng, n: STEP_MEAN + gap + spread * rng.standard_normal(n),
        chance,
    )


def apart_world() -> World:
    """Draw steps and readings that never meet.

    The chance is exactly 0 whatever the distance.
    """
    return World(
        "apart",
        lambda rng, n: rng.uniform(0.15, 0.25, n),
        lambda gap: lambda rng, n: rng.uniform(0.26, 0.5, n),
        lambda gap: 0.0,
    )


def studies_count(sizes: Sequence[int], chances: Sequence[float]) -> int:
    """Count the kinds of studies, for progress."""
    certain = sum(chance == 0.0 for chance in chances)
    return len(sizes) * (certain + 3 * (len(chances) - certain))


def coverage(
    methods: Sequence[str] = tuple(METHODS),
    sizes: Sequence[int] = SIZES,
    chances: Sequence[float] = CHANCES,
    studies: int = STUDIES,
    readings: int | None = None,
    seed: int = 1,
) -> Iterator[list[Coverage]]:
    """Coverage of all methods in each kind of study.

    There are as many readings as steps unless they are given.

    A chance of 0 is drawn in a world where steps and readings never meet, the others
    where they do.
    """
    for world in (normal_world(), skewed_world(), two_humped_world(), apart_world()):
        for chance in chances:
            if (chance == 0.0) != (world.name == "apart"):
                continue
            gap = (
                0.0
                if chance == 0.0
                else brentq(lambda x, w=world, c=chance: w.chance(x) - c, -0.15, 2.0)
            )
            truth = world.chance(gap)
            draw = world.reading(gap)
            for size in sizes:
                rng = np.random.default_rng([seed, size, round(1e4 * chance)])
                intervals: dict[str, list[tuple[float, float]]] = {
                    method: [] for method in methods
                }
                for _ in range(studies):
                    steps = world.step(rng, size)
                    read = draw(rng, readings or size)
                    for method in methods:
                        intervals[method].append(METHODS[method](steps, read))
                yield [
                    _coverage(world.name, size, chance, truth, name, got)
                    for name, got in intervals.items()
                ]


def _coverage(
    world: str,
    size: int,
    chance: float,
    truth: float,
    method: str,
    intervals: list[tuple[float, float]],
) -> Coverage:
    low, high = np.array(intervals).T
    held = float(np.mean((low <= truth) & (truth <= high)))
    return Coverage(
        world=world,
        steps=size,
        chance=chance,
        method=method,
        held=held,
        width=float(np.mean(high - low)),
    )


WANTED = 0.93  # share of studies whose 95 % interval holds the truth


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "--studies", type=COUNT, default=STUDIES, help=f"of each kind ({STUDIES})"
    )
    parser.add_argument(
        "--readings", type=COUNT, metavar="M", help="in each study (as many as steps)"
    )
    parser.add_argument(
        "--methods",
        nargs="+",
        choices=sorted(METHODS),
        default=list(METHODS),
        help="(all)",
    )


def run(arguments: argparse.Namespace) -> int:
    """Print coverage; exit code 1 when the default falls short somewhere."""
    methods = arguments.methods
    studies = arguments.studies
    readings = arguments.readings
    kinds = coverage(methods, studies=studies, readings=readings)
    total = studies_count(SIZES, CHANCES)
    found = [
        one
        for kind in track(
            kinds, "studies", total, console=Screen(stderr=True), transient=True
        )
        for one in kind
    ]
    table = Table(
        "steps scatter",
        "steps",
        "chance",
        *(f"{name}: holds" for name in methods),
        *(f"{n}: width" for n in methods),
    )
    for (world, size, chance), kind in grouped(
        found, lambda one: (one.world, one.steps, one.chance)
    ).items():
        by_method = {one.method: one for one in kind}
        held = [_marked(by_method[name].held) for name in methods]
        widths = [f"{by_method[name].width:.3f}" for name in methods]
        table.add_row(world, str(size), f"{chance:g}", *held, *widths)
    console = Screen(width=max(100, 40 + 22 * len(methods)))
    console.print(table)
    for name in methods:
        worst = min(one.held for one in found if one.method == name)
        console.print(
            f"{name}: the worst cell holds the truth in {100 * worst:.1f} % of "
            f"{studies} studies",
            highlight=False,
        )
    return 0 if all(one.held >= WANTED for one in found if one.method == DEFAULT) else 1


def _marked(held: float) -> str:
    return f"{held:.3f}" if held >= WANTED else f"[red]{held:.3f} !"

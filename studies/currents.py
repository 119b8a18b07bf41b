# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""What humanoids without sensors in their ankles know of each foothold as they land.

Each walk draws its gears, masses and sensors anew, none of which the estimator knows. A
landing is a contact after a swing by the floor's true force; its answer is the last one
of its first tenth of a second. The same walks with sensors in the ankles stand beside.
"""

from __future__ import annotations

import argparse
import math
from typing import Any, NamedTuple, Sequence, cast

import numpy as np

from biped_slip.cli.options import COUNT
from biped_slip.cli.terminal import Screen, chosen_seeds
from biped_slip.simulation.humanoid.oracle import HERE, half_soles, held_on
from biped_slip.simulation.humanoid.scenario import humanoid_walk_of
from biped_slip.simulation.humanoid.summary import summarise_humanoid
from biped_slip.simulation.humanoid.walk import HumanoidWalk
from biped_slip.walking.humanoid import walk_file
from studies.frame import NAN, Study, declare, grouped, table_of

SWING = 0.05  # [s] without load that are a swing
ANSWERED_WITHIN = 0.1  # [s] of a contact
FALLING = 0.5  # [s] before the end of a fall, whose landings are none
LEAST = 0.05  # of drawn floors, log-uniform
MOST = 1.0
ICE = 0.12  # classes of floors: below it, and below SLIPPERY
SLIPPERY = 0.25
# [m] where a patch may begin, so that some steps know the floor before it
EARLIEST = 1.2
LATEST = 1.6
APART = 0.04  # from a class's limit, nearer to which no class is right


class Job(NamedTuple):
    """One walk."""

    robot: str
    mu: float
    onto: float  # mu of the patch; NaN: none
    sensors: str
    seconds: float
    seed: int


class Landing(NamedTuple):
    """What was known of a foothold."""

    time: float  # [s] of touchdown
    truth: float  # mu of the worse half of the sole
    mu: float  # NaN: not answered
    low: float
    after: float  # [ms] from touchdown to the first answer
    judged: bool  # the torques of the motors were judged before it


class Walked(NamedTuple):
    """One walk's result."""

    job: Job
    faults: str  # of the self-test
    fell: bool
    way: float  # [m]
    slip: float  # largest of a stance [m]
    landings: tuple[Landing, ...]


class Landings:
    """Landings of one foot, by the floor's true force."""

    def __init__(self) -> None:
        self.found: list[Landing] = []
        self._aloft = 0.0  # [s] without load
        self._open: Landing | None = None

    def step(
        self, time: float, load: float, truth: float, estimate: Any, judged: bool
    ) -> None:
        """Take one tick.

        Args:
            time: [s].
            load: true [N].
            truth: true mu.
            estimate: of the foot.
            judged: whether the source of its forces is.
        """
        if load <= 0.0:
            self._aloft += 1e-3
        if self._open is not None:
            self._follow(time, estimate)
        if load > 0.0:
            if self._aloft > SWING and self._open is None:
                self._open = Landing(time, truth, NAN, NAN, NAN, judged)
            self._aloft = 0.0

    def _follow(self, time: float, estimate: Any) -> None:
        one = self._open
        assert one is not None
        if math.isfinite(estimate.mu):
            first = 1e3 * (time - one.time) if math.isnan(one.after) else one.after
            one = one._replace(mu=estimate.mu, low=estimate.mu_low, after=first)
            self._open = one
        if time - one.time >= ANSWERED_WITHIN or self._aloft > SWING:
            self.found.append(one)
            self._open = None


def judged(walk: HumanoidWalk) -> bool:
    """Return whether a walk trusts its source of forces; it judges currents first."""
    currents = cast(Any, walk.sequencer).controller._senses._currents
    return currents is None or bool(currents.trusted)


def walk_once(job: Job) -> Walked:
    """Walk one robot, its sensors checked first."""
    mapping, folder = walk_file(job.robot)
    patch: dict[str, float] = {"length": 0.0}
    if not math.isnan(job.onto):
        patch = {"mu": job.onto, "length": 1.0, "earliest": EARLIEST, "latest": LATEST}
    config = humanoid_walk_of(
        {**mapping, "mu": job.mu, "sensors": job.sensors, "patch": patch}, folder
    )
    walk = HumanoidWalk(config, "touchdown", job.seed, checked=True)
    faults = walk.check_sensors()
    feet = (Landings(), Landings())
    halves = half_soles(walk.humanoid)
    terrain = walk.world.plant.around.terrain
    while not faults and not walk.ended and walk.world.plant.ticks < 1e3 * job.seconds:
        output = walk.tick()
        log = walk.world.log
        if output is None:
            continue
        now = log.length - 1
        for foot in (0, 1):
            x, y, _ = log.sole_position[now, foot]
            truth = float(held_on(terrain, x, y, HERE, halves))
            feet[foot].step(
                1e-3 * walk.world.plant.ticks,
                float(log.normal[now, foot]),
                truth,
                output.estimates[foot],
                judged(walk),
            )
    walk.world.log.trim()
    end = 1e-3 * walk.world.plant.ticks - (FALLING if walk.world.fell else 0.0)
    landings = sorted(one for foot in feet for one in foot.found if one.time < end)
    return Walked(
        job=job,
        faults="; ".join(faults),
        fell=walk.world.fell,
        way=float(walk.world.plant.state.q[0]),
        slip=NAN if faults else summarise_humanoid(walk).max_stance_slip,
        landings=tuple(landings),
    )


class Row(NamedTuple):
    """All landings on floors of one friction coefficient."""

    robot: str
    sensors: str
    floor: str
    walks: int
    refused: int
    fell: int
    landings: int
    answered: float  # share
    judged: float  # likewise, of those whose torques were judged before
    after: float  # median [ms]
    median: float  # of answer less truth
    mean: float
    spread: float  # sd
    width: float  # median of mu - mu_low
    above: float  # share of the answers whose mu_low is above the truth
    farthest: float  # by which a mu_low is above the truth
    right: float  # share of the answers whose class is right, away from the limits
    slip: float  # largest [m]


def floor_class(mu: float) -> int:
    """Return 0 for ice, 1 for slippery, 2 for dry."""
    return int(mu >= ICE) + int(mu >= SLIPPERY)


def _row(name: tuple[str, str, str], walks: Sequence[Walked]) -> Row:
    landings = [one for walk in walks for one in walk.landings]
    known = [one for one in landings if math.isfinite(one.mu)]
    errors = [one.mu - one.truth for one in known]
    above = [one.low - one.truth for one in known]
    clear = [
        one
        for one in known
        if min(abs(one.truth - ICE), abs(one.truth - SLIPPERY)) > APART
    ]
    return Row(
        *name,
        walks=len(walks),
        refused=sum(bool(one.faults) for one in walks),
        fell=sum(one.fell for one in walks),
        landings=len(landings),
        answered=_of(np.mean, [math.isfinite(one.mu) for one in landings]),
        judged=_of(np.mean, [math.isfinite(one.mu) for one in landings if one.judged]),
        after=_of(np.median, [one.after for one in known]),
        median=_of(np.median, errors),
        mean=_of(np.mean, errors),
        spread=_of(np.std, errors),
        width=_of(np.median, [one.mu - one.low for one in known]),
        above=_of(np.mean, [one > 0.0 for one in above]),
        farthest=max(above, default=NAN),
        right=_of(
            np.mean, [floor_class(one.mu) == floor_class(one.truth) for one in clear]
        ),
        slip=max((one.slip for one in walks), default=NAN),
    )


def _of(what: Any, values: Sequence[Any]) -> float:
    return float(what(values)) if values else NAN


def _floor(job: Job) -> str:
    return f"{job.mu:g}" + ("" if math.isnan(job.onto) else f" onto {job.onto:g}")


def rows(walks: Sequence[Walked]) -> list[Row]:
    """Tabulate a row a robot, set of sensors and floor."""
    ordered = sorted(walks, key=lambda one: one.job.mu)
    return [
        _row(name, some)
        for name, some in grouped(
            ordered, lambda one: (one.job.robot, one.job.sensors, _floor(one.job))
        ).items()
    ]


def tables(walks: Sequence[Walked]) -> dict[str, list[Row]]:
    """Return the rows for JSON."""
    return {"floors": rows(walks)}


def show(walks: Sequence[Walked], console: Screen) -> None:
    """Print a row a floor."""
    columns = {
        "robot": lambda row: row.robot,
        "sensors": lambda row: row.sensors,
        "mu": lambda row: row.floor,
        "walks (refused, fell)": lambda row: f"{row.walks} ({row.refused}, {row.fell})",
        "answered (once judged)": lambda row: (
            f"{row.answered:.0%} of {row.landings} ({row.judged:.0%})"
        ),
        "after": lambda row: f"{row.after:.0f} ms",
        "error, median; mean +- sd": lambda row: (
            f"{row.median:+.3f}; {row.mean:+.3f} +- {row.spread:.3f}"
        ),
        "mu - mu_low": lambda row: f"{row.width:.3f}",
        "mu_low above (most)": lambda row: f"{row.above:.0%} ({row.farthest:+.3f})",
        "class right": lambda row: f"{row.right:.0%}",
        "slip": lambda row: f"{1e3 * row.slip:.0f} mm",
    }
    console.print(table_of(columns, rows(walks)))


CURRENTS = Study("currents", walk_once, Walked, tables, show)


def drawn_floors(count: int, rng: np.random.Generator) -> list[float]:
    """Friction coefficients, log-uniform."""
    low, high = math.log(LEAST), math.log(MOST)
    return [float(mu) for mu in np.exp(rng.uniform(low, high, count)).round(3)]


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the command line."""
    declare(parser, "robot", "mu", "workers", "seeds")
    parser.add_argument(
        "--sensors", nargs="+", default=["currents"], metavar="SET", help="of the robot"
    )
    parser.add_argument(
        "--drawn", type=COUNT, default=0, help="floors drawn from 0.05 to 1.0, no --mu"
    )
    parser.add_argument("--onto", type=float, default=NAN, help="mu of a patch of 1 m")
    parser.add_argument("--seconds", type=float, default=12.0, help="of a walk (12)")


def run(arguments: argparse.Namespace) -> int:
    """Walk, and print what was known."""
    seeds = chosen_seeds(arguments, 2)
    floors = arguments.mu or [0.1, 0.2, 0.4, 0.8]
    if arguments.drawn:
        floors = drawn_floors(
            arguments.drawn, np.random.default_rng(arguments.first_seed)
        )
    jobs = [
        Job(robot, mu, arguments.onto, sensors, arguments.seconds, seed)
        for robot in arguments.robot or ["g1"]
        for sensors in arguments.sensors
        for mu in floors
        for seed in seeds
    ]
    return CURRENTS.run(arguments, jobs)

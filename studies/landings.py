# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""What sliding landings say of the floor before it carries, beside the friction that is there under full load.

Dry floors drawn at random, or floors as they are: rubber, wet, loose, grained.
"""

from __future__ import annotations

import argparse
import math
from collections import Counter
from dataclasses import dataclass
from typing import Any, Mapping, NamedTuple, Sequence, cast

import numpy as np

from biped_slip.cli import COUNT
from biped_slip.cli.terminal import Screen, chosen_seeds
from biped_slip.constants import GRAVITY
from biped_slip.contact.point_contact import ContactConfig
from biped_slip.friction_estimation.touchdown import Doubt
from biped_slip.friction_estimation.types import FrictionEstimate
from biped_slip.friction_laws.bristle_laws import SurfaceConfig
from biped_slip.friction_laws.law import FRESH
from biped_slip.robots.humanoid import load_humanoid
from biped_slip.robots.planar_biped import planar_biped
from biped_slip.simulation.humanoid.scenario import HumanoidWalkConfig, chosen_walk
from biped_slip.simulation.humanoid.walk import HERE, HumanoidWalk, half_soles, held_on
from biped_slip.simulation.planar.scenario import ScenarioConfig
from biped_slip.simulation.planar.walk import Walk, chosen_scenario, planar_policy
from biped_slip.walking.planar import planar_output
from studies.frame import NAN, Study, declare, grouped, table_of

POINTS = 16  # contact points that share a humanoid's weight
QUARTER = 0.25  # body weights that a foot bears: by then its floor should be known
SWING, BORNE = 50, 20  # [ms] without load that are a swing; above a quarter of the weight that are no impact (choice)
DRY, LEAST, MOST, LIMIT = "dry", 0.05, 1.0, "touchdown"  # drawn floors lie between, log-uniform
RESTS, SLIDES, SPEED, STEP = 0.1, 0.05, 0.1, 1e-4  # [s], [s], [m/s], [s] of the slip whose ratio is the truth (choice)


class Floor(NamedTuple):
    """A surface at a friction coefficient; loads are those of the robot's contact points."""

    mu: float
    friction: Mapping[str, float] = {}  # parameters of a surface; none: the walk's own contact
    spots: tuple[tuple[float, ...], ...] = ()


FLOORS = {
    "rubber": Floor(0.5, {"load_exponent": 0.1}),
    "static peak": Floor(0.3, {"static_ratio": 1.4}),
    "water film": Floor(0.5, {"film": 1e-5}),
    "oil film": Floor(0.5, {"film": 1e-4, "film_viscosity": 0.1}),
    "loose": Floor(0.3, {"ploughing": 20.0}),
    "grained": Floor(0.5, {"across": 0.6, "grain": math.pi / 4}),
    "spots": Floor(0.8, {}, ((8.0, 0.03, 0.15, 0.1),)),
}


@dataclass(frozen=True)
class Job:
    """One walk."""

    robot: str
    floor: str
    mu: float
    seed: int
    sensors: str
    seconds: float

    @property
    def ground(self) -> Floor:
        """The floor walked on."""
        return FLOORS.get(self.floor, Floor(self.mu))._replace(mu=self.mu)


@dataclass(frozen=True)
class Landing:
    """What was known of a foothold as the foot came to bear a quarter of the weight."""

    truth: float  # kinetic ratio under full load, of the worse half of the sole
    answer: float  # NaN: none
    low: float
    doubt: str
    after: float  # touchdown, when an answer was there first [ms]; NaN: not by then


@dataclass(frozen=True)
class Walked:
    """What came of a walk."""

    job: Job
    fell: bool
    landings: tuple[Landing, ...]


def surface(floor: Floor, load: float) -> SurfaceConfig:
    """Return the law of a floor under contact points that carry a load [N] when a foot carries all."""
    return SurfaceConfig(reference_load=load, **floor.friction)


def kinetic_ratio(floor: Floor, mu: float, load: float) -> float:
    """Force against the motion over load, of a point that has rested under a load [N] and then slides back by 5 mm."""
    if not floor.friction:
        return mu
    law = surface(floor, load)
    memory, force, packed = FRESH, (0.0, 0.0), law.packed
    for speed, steps in ((0.0, round(RESTS / STEP)), (-SPEED, round(SLIDES / STEP))):
        for _ in range(steps):
            memory, *force = type(law).step(memory, speed, 0.0, load, mu, packed, STEP)  # type: ignore[assignment]
    return abs(force[0]) / load


def drawn_floors(count: int, rng: np.random.Generator) -> list[float]:
    """Friction coefficients, log-uniform from 0.05 to 1.0."""
    return [float(mu) for mu in np.exp(rng.uniform(math.log(LEAST), math.log(MOST), count)).round(4)]


def walk_once(job: Job) -> Walked:
    """Walk a robot that lands sliding, nothing known of the floor but its answers."""
    return (_planar if job.robot == "planar" else _humanoid)(job, job.ground)


def _contact(floor: Floor, load: float) -> dict[str, Any]:
    if not floor.friction:
        return {}
    friction = surface(floor, load).to_mapping()
    contact = ContactConfig.from_mapping({"law": "hunt_crossley + surface", "friction": friction})
    return {"contact": contact.to_mapping()}


def _planar(job: Job, floor: Floor) -> Walked:
    nominal = chosen_scenario("thesis_sensors", seed=job.seed, sensors=job.sensors or None)
    weight = planar_biped(nominal.variant).mass * GRAVITY
    said = nominal.to_mapping()
    said["ground"] |= {"mu": (floor.mu,), "edges": ()}
    said["plant"] |= _contact(floor, weight)
    said["duration"] = job.seconds
    scenario = ScenarioConfig.from_mapping(said)
    walk = Walk(scenario, planar_policy(LIMIT, scenario), job.seed)
    truth = kinetic_ratio(floor, floor.mu, weight)
    found, watch = [], Watch(weight)
    while not walk.ended:
        output = planar_output(walk.controller.step(walk.read()))
        walk.log.record_control(walk.log.length - 1, output)
        walk.advance(output.torques)
        states = cast(Any, walk.controller).state.observer
        known = [
            Known(one, _word(state)) for one, state in zip(output.estimates, (states.left, states.right), strict=True)
        ]
        for _, borne in watch.landed(walk.log.normal[walk.log.length - 1], known):
            found.append(borne.landing(truth))
    return Walked(job, walk.fell, tuple(found))


def _humanoid(job: Job, floor: Floor) -> Walked:
    said = chosen_walk(job.robot, job.sensors or None).to_mapping()
    said["patch"]["length"], said["course"]["spots"] = 0.0, floor.spots
    said |= {"mu": floor.mu, "distance": 100.0}
    weight = load_humanoid(said["robot"]).weight
    said |= _contact(floor, weight / POINTS)
    walk = HumanoidWalk(HumanoidWalkConfig.from_mapping(said), LIMIT, job.seed)
    halves, sequencer = half_soles(walk.humanoid), cast(Any, walk.sequencer)
    truths: dict[float, float] = {}
    found, watch = [], Watch(weight)
    while not walk.ended and walk.world.plant.ticks < 1e3 * job.seconds:
        output, log = walk.tick(), walk.world.log
        if output is None:
            continue
        states = sequencer.controller._senses._states
        known = [Known(one, _word(state)) for one, state in zip(output.estimates, states, strict=True)]
        for foot, borne in watch.landed(log.normal[log.length - 1], known):
            x, y, _ = log.sole_position[log.length - 1, foot]
            mu = float(held_on(walk.world.plant.around.terrain, x, y, HERE, halves))
            found.append(borne.landing(truths.setdefault(mu, kinetic_ratio(floor, mu, weight / POINTS))))
    return Walked(job, walk.world.fell, tuple(found))


def _word(state: Any) -> str:
    return Doubt(state.doubt).name.lower().replace("_", " ") if hasattr(state, "doubt") else ""


class Known(NamedTuple):
    """What is known of the floor under a foot."""

    estimate: FrictionEstimate
    doubt: str


class Borne(NamedTuple):
    """What was known as a foot that has landed came to bear a quarter of the weight."""

    known: Known
    after: float  # [ms] from touchdown to the first answer; NaN: none by then

    def landing(self, truth: float) -> Landing:
        """Beside the truth."""
        estimate = self.known.estimate
        return Landing(truth, estimate.mu, estimate.mu_low, self.known.doubt, self.after)


class Watch:
    """Which feet have come to bear a quarter of the weight after a swing; one that bounces has not swung.

    An impact of some milliseconds bears nothing: a foot bears what it holds for 20 ms on end.

    Args:
        weight: of the robot [N].
    """

    def __init__(self, weight: float) -> None:
        self._least = QUARTER * weight
        self._aloft = [0, 0]  # ticks without load
        self._since = [NAN, NAN]  # ticks from touchdown; NaN: in the swing, or on the ground since the start
        self._landing = [False, False]  # from the swing until it bears; robots start on their feet
        self._answered = [NAN, NAN]  # ticks from touchdown to the first answer
        self._heavy = [0, 0]  # ticks above a quarter of the weight
        self._borne: list[Borne | None] = [None, None]  # as that began

    def landed(self, normal: Any, known: Sequence[Known]) -> list[tuple[int, Borne]]:
        """Feet that have landed by now, for the loads (2,) [N] and what is known of their floors at this instant."""
        return [(foot, borne) for foot in (0, 1) if (borne := self._step(foot, normal[foot], known[foot])) is not None]

    def _step(self, foot: int, normal: float, known: Known) -> Borne | None:
        self._aloft[foot] = 0 if normal > 0.0 else self._aloft[foot] + 1
        if self._aloft[foot] > SWING:
            self._since[foot], self._landing[foot], self._answered[foot] = NAN, True, NAN
        if not self._landing[foot]:
            return None
        if normal > 0.0 or self._since[foot] >= 0.0:
            self._since[foot] = 0.0 if math.isnan(self._since[foot]) else self._since[foot] + 1.0
        if math.isnan(self._answered[foot]) and math.isfinite(known.estimate.mu):
            self._answered[foot] = self._since[foot]
        self._heavy[foot] = self._heavy[foot] + 1 if normal >= self._least else 0
        if self._heavy[foot] == 1:
            self._borne[foot] = Borne(known, self._answered[foot])
        if self._heavy[foot] < BORNE:
            return None
        self._landing[foot] = False
        return self._borne[foot]


class Row(NamedTuple):
    """All landings of a robot on one floor, or on all."""

    robot: str
    floor: str
    mu: float  # NaN: of all floors
    fell: int
    walks: int
    landings: int
    known: float  # share, before a quarter of the weight
    after: float  # median from touchdown to the answer, of those known [ms]
    truth: float  # mean
    error: float  # mean of answer less truth
    spread: float  # its standard deviation
    above: float  # share of the known whose mu_low is above the truth
    doubts: str


def rows(walks: Sequence[Walked]) -> list[Row]:
    """Tabulate a row a robot and floor, then one a robot over all floors."""
    table = []
    for robot, mine in grouped(walks, lambda one: one.job.robot).items():
        floors = grouped(sorted(mine, key=lambda one: one.job.mu), lambda one: (one.job.floor, one.job.mu))
        table += [_row(robot, floor, mu, some) for (floor, mu), some in floors.items()]
        table.append(_row(robot, "all", NAN, mine))
    return table


def _row(robot: str, floor: str, mu: float, walks: Sequence[Walked]) -> Row:
    landings = [landing for one in walks for landing in one.landings]
    known = [one for one in landings if math.isfinite(one.answer)]
    errors = [one.answer - one.truth for one in known]
    words = Counter(one.doubt for one in landings).most_common()
    return Row(
        robot, floor, mu, sum(one.fell for one in walks), len(walks), len(landings),
        _of(np.mean, [math.isfinite(one.answer) for one in landings]), _of(np.median, [one.after for one in known]),
        _of(np.mean, [one.truth for one in landings]), _of(np.mean, errors), _of(np.std, errors),
        _of(np.mean, [one.low > one.truth for one in known]), ", ".join(f"{word} {count}" for word, count in words),
    )  # fmt: skip


def _of(statistic: Any, values: Sequence[float]) -> float:
    return float(statistic(values)) if values else NAN


def show(walks: Sequence[Walked], console: Screen) -> None:
    """Print the table."""
    columns = {
        "robot": lambda row: row.robot, "floor": lambda row: f"{row.floor} {row.mu:.3g}".removesuffix(" nan"),
        "fell": lambda row: f"{row.fell} of {row.walks}", "landings": lambda row: row.landings,
        "known": lambda row: f"{row.known:.2f}", "after [ms]": lambda row: f"{row.after:.0f}",
        "truth": lambda row: f"{row.truth:.3f}",
        "answer - truth": lambda row: f"{row.error:+.3f} +- {row.spread:.3f}",
        "mu_low above": lambda row: f"{row.above:.3f}", "doubt": lambda row: row.doubts,
    }  # fmt: skip
    console.print(table_of(columns, rows(walks)))


LANDINGS = Study("landings", walk_once, Walked, lambda walks: {"landings": rows(walks)}, show)


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    declare(parser, "robot", "mu", "workers", "seeds")
    parser.add_argument("--floors", type=COUNT, default=20, help="dry floors drawn by the first seed, 0.05 to 1.0 (20)")
    parser.add_argument("--floor", nargs="+", choices=FLOORS, default=[], help="these, and dry ones of --mu, instead")
    parser.add_argument("--sensors", default="realistic", help="set of sensors (realistic); empty: the walk's own")
    parser.add_argument("--seconds", type=float, default=10.0, help="length of each walk [s] (10)")


def run(arguments: argparse.Namespace) -> int:
    """Walk every robot over every floor; spots need a sole."""
    floors = [(DRY, mu) for mu in arguments.mu or ()] + [(name, FLOORS[name].mu) for name in arguments.floor]
    if not floors:
        floors = [(DRY, mu) for mu in drawn_floors(arguments.floors, np.random.default_rng(arguments.first_seed))]
    jobs = [
        Job(robot, floor, mu, seed, arguments.sensors, arguments.seconds)
        for robot in arguments.robot or ("planar", "talos")
        for floor, mu in floors
        for seed in chosen_seeds(arguments, 1)
        if robot != "planar" or floor == DRY or not FLOORS[floor].spots
    ]
    return LANDINGS.run(arguments, jobs)

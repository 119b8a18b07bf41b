# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""What sliding landings say of floors as they are, beside the friction that is there under full load."""

from __future__ import annotations

import argparse
import math
from collections import Counter
from dataclasses import dataclass
from typing import Any, Mapping, NamedTuple, Sequence, cast

import numpy as np

from biped_slip.cli.terminal import Screen, chosen_seeds
from biped_slip.constants import GRAVITY
from biped_slip.contact.contact_config import ContactConfig
from biped_slip.friction_estimation.touchdown import Doubt
from biped_slip.friction_laws.bristle_laws import SurfaceConfig
from biped_slip.friction_laws.law import FRESH
from biped_slip.simulation.humanoid.scenario import HumanoidWalkConfig, chosen_walk
from biped_slip.simulation.humanoid.walk import HERE, HumanoidWalk, half_soles, held_on
from biped_slip.simulation.planar.scenario import ScenarioConfig
from biped_slip.simulation.planar.walk import Walk, chosen_scenario, planar_policy
from biped_slip.walking.planar import planar_output
from studies.frame import NAN, Study, declare, grouped, table_of

POINTS = 16  # contact points that share a humanoid's weight
SWING, ASKED = 50, 40  # [ms] without load that are a swing; after touchdown at which the answer is read
RESTS, SLIDES, SPEED, STEP = 0.1, 0.05, 0.1, 1e-4  # [s], [s], [m/s], [s] of the slip whose ratio is the truth (choice)


class Floor(NamedTuple):
    """A surface at a friction coefficient; loads are those of the robot's contact points."""

    mu: float
    friction: Mapping[str, float] = {}
    spots: tuple[tuple[float, ...], ...] = ()


FLOORS = {
    **{f"dry {mu:g}": Floor(mu) for mu in (0.1, 0.3, 0.5, 0.8)},
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
    seed: int
    sensors: str
    seconds: float


@dataclass(frozen=True)
class Landing:
    """What was known of a foothold 40 ms after touchdown."""

    truth: float  # kinetic ratio under full load, of the worse half of the sole
    answer: float  # NaN: none
    low: float
    doubt: str


@dataclass(frozen=True)
class Walked:
    """What came of a walk."""

    job: Job
    fell: bool
    landings: tuple[Landing, ...]


def surface(floor: Floor, load: float) -> SurfaceConfig:
    """The law of a floor under contact points that carry a load [N] when a foot carries all."""
    return SurfaceConfig(reference_load=load, **floor.friction)


def kinetic_ratio(law: SurfaceConfig, mu: float, load: float) -> float:
    """Force against the motion over load, of a point that has rested under a load [N] and then slides back by 5 mm."""
    memory, force, packed = FRESH, (0.0, 0.0), law.packed
    for speed, steps in ((0.0, round(RESTS / STEP)), (-SPEED, round(SLIDES / STEP))):
        for _ in range(steps):
            memory, *force = type(law).step(memory, speed, 0.0, load, mu, packed, STEP)  # type: ignore[assignment]
    return abs(force[0]) / load


def walk_once(job: Job) -> Walked:
    """Walk a robot that lands sliding, nothing known of the floor but its answers."""
    return (_planar if job.robot == "planar" else _humanoid)(job, FLOORS[job.floor])


def _contact(floor: Floor, load: float) -> dict[str, Any]:
    friction = surface(floor, load).to_mapping()
    return ContactConfig.from_mapping({"law": "hunt_crossley + surface", "friction": friction}).to_mapping()


def _planar(job: Job, floor: Floor) -> Walked:
    nominal = chosen_scenario("thesis_sensors", seed=job.seed, sensors=job.sensors or None)
    said = nominal.to_mapping()
    said["controller"]["swing"]["touchdown"] |= {"lead": 0.06, "descent": 0.1}
    said["ground"] |= {"mu": (floor.mu,), "edges": ()}
    said["duration"] = job.seconds
    walk = Walk(nominal, planar_policy("none", nominal), job.seed)  # for the weight alone
    weight = walk.robot.mass * GRAVITY
    said["plant"]["contact"] = _contact(floor, weight)
    scenario = ScenarioConfig.from_mapping(said)
    walk = Walk(scenario, planar_policy("touchdown", scenario), job.seed)
    truth = kinetic_ratio(surface(floor, weight), floor.mu, weight)
    found, watch = [], Watch()
    while not walk.ended:
        output = planar_output(walk.controller.step(walk.read()))
        walk.log.record_control(walk.log.length - 1, output)
        walk.advance(output.torques)
        states = cast(Any, walk.controller).state.observer
        for foot in watch.landed(walk.log.normal[walk.log.length - 1]):
            state = (states.left, states.right)[foot]
            found.append(Landing(truth, output.estimates[foot].mu, output.estimates[foot].mu_low, _word(state)))
    return Walked(job, walk.fell, tuple(found))


def _humanoid(job: Job, floor: Floor) -> Walked:
    said = chosen_walk(job.robot, job.sensors or None).to_mapping()
    said["controller"]["stepping"]["touchdown"]["lead"] = 0.04
    said["patch"]["length"], said["course"]["spots"] = 0.0, floor.spots
    said |= {"mu": floor.mu, "speed": 0.25, "distance": 5.0}
    weight = HumanoidWalk(HumanoidWalkConfig.from_mapping(said), "none").humanoid.weight
    said["contact"] = _contact(floor, weight / POINTS)
    walk = HumanoidWalk(HumanoidWalkConfig.from_mapping(said), "touchdown", job.seed)
    law, halves = surface(floor, weight / POINTS), half_soles(walk.humanoid)
    truths: dict[float, float] = {}
    found, watch = [], Watch()
    while not walk.ended and walk.world.plant.ticks < 1e3 * job.seconds:
        output = walk.tick()
        log, sequencer = walk.world.log, cast(Any, walk.sequencer)
        for foot in watch.landed(log.normal[log.length - 1]):
            if output is None:
                continue
            x, y, _ = log.sole_position[log.length - 1, foot]
            mu = float(held_on(walk.world.plant.around.terrain, x, y, HERE, halves))
            truth = truths.setdefault(mu, kinetic_ratio(law, mu, weight / POINTS))
            estimate = output.estimates[foot]
            found.append(
                Landing(truth, estimate.mu, estimate.mu_low, _word(sequencer.controller._senses._states[foot]))
            )
    return Walked(job, walk.world.fell, tuple(found))


def _word(state: Any) -> str:
    return Doubt(state.doubt).name.lower().replace("_", " ") if hasattr(state, "doubt") else ""


class Watch:
    """Which feet touched the floor 40 ms ago, after a swing; one that bounces has not swung."""

    def __init__(self) -> None:
        self._aloft = [0, 0]  # ticks without load
        self._since = [ASKED + 1] * 2  # ticks since touchdown, -1 in the swing; robots start on their feet

    def landed(self, normal: Any) -> list[int]:
        """Feet for the loads (2,) [N] of this instant."""
        for foot in (0, 1):
            self._aloft[foot] = 0 if normal[foot] > 0.0 else self._aloft[foot] + 1
            if self._aloft[foot] > SWING:
                self._since[foot] = -1
            elif self._since[foot] >= 0 or normal[foot] > 0.0:
                self._since[foot] += 1
        return [foot for foot in (0, 1) if self._since[foot] == ASKED]


class Row(NamedTuple):
    """All landings of a robot on one floor."""

    robot: str
    floor: str
    fell: int
    walks: int
    landings: int
    answered: float  # share
    truth: float  # mean
    error: float  # mean of answer less truth
    spread: float  # its standard deviation
    above: float  # share of the answered whose mu_low is above the truth
    doubts: str


def rows(walks: Sequence[Walked]) -> list[Row]:
    """A row a robot and floor."""
    table = []
    for (robot, floor), mine in grouped(walks, lambda one: (one.job.robot, one.job.floor)).items():
        landings = [landing for one in mine for landing in one.landings]
        known = [one for one in landings if math.isfinite(one.answer)]
        errors = np.array([one.answer - one.truth for one in known])
        above = sum(one.low > one.truth for one in known)
        words = Counter(one.doubt for one in landings).most_common()
        table.append(Row(
            robot, floor, sum(one.fell for one in mine), len(mine), len(landings),
            len(known) / len(landings) if landings else NAN,
            float(np.mean([one.truth for one in landings])) if landings else NAN,
            float(errors.mean()) if known else NAN, float(errors.std()) if known else NAN,
            above / len(known) if known else NAN, ", ".join(f"{word} {count}" for word, count in words),
        ))  # fmt: skip
    return table


def show(walks: Sequence[Walked], console: Screen) -> None:
    """Print the table."""
    columns = {
        "robot": lambda row: row.robot, "floor": lambda row: row.floor,
        "fell": lambda row: f"{row.fell} of {row.walks}",
        "truth": lambda row: f"{row.truth:.3f}", "answered": lambda row: f"{row.answered:.2f} of {row.landings}",
        "answer - truth": lambda row: f"{row.error:+.3f} +- {row.spread:.3f}",
        "mu_low above": lambda row: f"{row.above:.2f}", "doubt": lambda row: row.doubts,
    }  # fmt: skip
    console.print(table_of(columns, rows(walks)))


FLOORS_STUDY = Study("floors", walk_once, Walked, lambda walks: {"floors": rows(walks)}, show)


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    declare(parser, "robot", "workers", "seeds")
    parser.add_argument("--floor", nargs="+", choices=FLOORS, default=list(FLOORS), help="floors (all)")
    parser.add_argument("--sensors", default="realistic", help="set of sensors; empty: the walk's own")
    parser.add_argument("--seconds", type=float, default=10.0, help="length of each walk [s]")


def run(arguments: argparse.Namespace) -> int:
    """Walk every robot over every floor; spots need a sole."""
    jobs = [
        Job(robot, floor, seed, arguments.sensors, arguments.seconds)
        for robot in arguments.robot or ("planar", "talos")
        for floor in arguments.floor
        for seed in chosen_seeds(arguments, 1)
        if robot != "planar" or not FLOORS[floor].spots
    ]
    return FLOORS_STUDY.run(arguments, jobs)

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""What sliding landings say of the floor before it carries.

Beside it stands the friction that is there under full load.

Dry floors drawn at random, or floors as they are: rubber, wet, loose, grained; one dry
floor onto another; MuJoCo's. The thesis' estimator and the slip-based one read the same
landings. Feet that land without a slide show what it costs.
"""

from __future__ import annotations

import argparse
import math
from collections import Counter
from dataclasses import dataclass, replace
from typing import Any, Mapping, NamedTuple, Sequence, cast

import numpy as np

from biped_slip.cli.options import COUNT
from biped_slip.cli.terminal import Screen, chosen_seeds
from biped_slip.constants import GRAVITY
from biped_slip.contact.point_contact import ContactConfig
from biped_slip.estimation.planar_feet import FloorConfig, motion_source
from biped_slip.estimation.readings import robot_state
from biped_slip.friction_estimation.registry import make_estimator
from biped_slip.friction_estimation.settings import (
    EstimatorSettings,
    SlipBasedConfig,
    TouchdownConfig,
)
from biped_slip.friction_estimation.touchdown import Doubt
from biped_slip.friction_estimation.types import (
    FootContext,
    FootMeasurement,
    FrictionEstimate,
)
from biped_slip.friction_laws.bristle_laws import SurfaceConfig
from biped_slip.friction_laws.law import FRESH
from biped_slip.robots.humanoid import load_humanoid
from biped_slip.robots.planar_biped import planar_biped
from biped_slip.simulation.humanoid.oracle import HERE, half_soles, held_on
from biped_slip.simulation.humanoid.scenario import HumanoidWalkConfig, chosen_walk
from biped_slip.simulation.humanoid.summary import summarise_humanoid
from biped_slip.simulation.humanoid.walk import HumanoidWalk
from biped_slip.simulation.planar.oracle import planar_policy
from biped_slip.simulation.planar.scenario import ScenarioConfig, chosen_scenario
from biped_slip.simulation.planar.summary import summarise
from biped_slip.simulation.planar.walk import Walk
from biped_slip.walking.planar import planar_output
from studies.frame import NAN, Study, declare, grouped, table_of

POINTS = 16  # contact points that share a humanoid's weight
QUARTER = 0.25  # body weights that a foot bears: by then its floor should be known
# [ms] without load that are a swing; above a quarter of the weight that are no impact
# (choice)
SWING = 50
BORNE = 20
RIVALS = ("thesis", "slip")  # estimators beside the walk's own
# [m] length of a floor that is walked onto, and where it begins
PATCH = 2.0
EDGE_FROM = 1.2
# drawn floors lie between, log-uniform
DRY = "dry"
LEAST = 0.05
MOST = 1.0
LIMIT = "touchdown"
# [s], [s], [m/s], [s] of the slip whose ratio is the truth (choice)
RESTS = 0.1
SLIDES = 0.05
SPEED = 0.1
STEP = 1e-4


class Floor(NamedTuple):
    """A surface at a friction coefficient.

    Loads are those of the robot's contact points.
    """

    mu: float
    friction: Mapping[
        str, float
    ] = {}  # parameters of a surface; none: the walk's own contact
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
    onto: float = NAN  # mu from 1.2 m on; NaN: the same floor
    contact: str = ""  # law; empty: the walk's own
    limit: str = LIMIT
    speed: float = NAN  # commanded of a humanoid [m/s]; NaN: the walk's own
    # friction under full load over that of the test, that is assumed; NaN: the robot's
    load_factor: float = NAN
    slides: bool = True  # feet land sliding

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
    rivals: tuple[float, ...] = (NAN, NAN)  # what RIVALS answer, 20 ms later


@dataclass(frozen=True)
class Walked:
    """What came of a walk."""

    job: Job
    fell: bool
    landings: tuple[Landing, ...]
    slip: float = NAN  # largest of a stance [m]
    speed: float = NAN  # mean of the second half [m/s]
    dcm_error: float = NAN  # rms [m]; NaN: its controller has none


def surface(floor: Floor, load: float) -> SurfaceConfig:
    """Return the law of a floor under contact points.

    They carry a load [N] when a foot carries all.
    """
    return SurfaceConfig(reference_load=load, **floor.friction)


def kinetic_ratio(floor: Floor, mu: float, load: float) -> float:
    """Return the force against the motion over load, of a point that slides back.

    The point has rested under a load [N] and then slides back by 5 mm.
    """
    if not floor.friction:
        return mu
    law = surface(floor, load)
    memory = FRESH
    force = (0.0, 0.0)
    packed = law.packed
    for speed, steps in ((0.0, round(RESTS / STEP)), (-SPEED, round(SLIDES / STEP))):
        for _ in range(steps):
            memory, *force = type(law).step(memory, speed, 0.0, load, mu, packed, STEP)  # type: ignore[assignment]
    return abs(force[0]) / load


def drawn_floors(count: int, rng: np.random.Generator) -> list[float]:
    """Friction coefficients, log-uniform from 0.05 to 1.0."""
    return [
        float(mu)
        for mu in np.exp(rng.uniform(math.log(LEAST), math.log(MOST), count)).round(4)
    ]


def walk_once(job: Job) -> Walked:
    """Walk a robot that lands sliding, nothing known of the floor but its answers."""
    return (_planar if job.robot == "planar" else _humanoid)(job, job.ground)


class Beside:
    """The rivals' answers to what the walk's own estimator measures of both feet."""

    def __init__(self, weight: float) -> None:
        slip = SlipBasedConfig(contact_on=0.035 * weight, contact_off=0.02 * weight)
        settings = EstimatorSettings(body_weight=weight, slip=slip)
        self._estimators = [make_estimator(name, settings) for name in RIVALS]
        self._states = [
            [one.initial_state() for one in self._estimators] for _ in (0, 1)
        ]
        self.answers = [(NAN, NAN), (NAN, NAN)]  # of each foot

    def step(self, foot: int, measurement: FootMeasurement, dt: float) -> None:
        """Take one sample of a foot.

        A rival's number counts as an answer where it is usable.
        """
        found = []
        for i, one in enumerate(self._estimators):
            self._states[foot][i], estimate = one.step(
                self._states[foot][i], measurement, dt
            )
            found.append(estimate.mu if estimate.usable else NAN)
        self.answers[foot] = (found[0], found[1])


class Overheard:
    """An estimator whose measurements, left and right in turn, go to its rivals too."""

    def __init__(self, own: Any, beside: Beside) -> None:
        self._own = own
        self._beside = beside
        self._foot = 1

    def __getattr__(self, name: str) -> Any:
        return getattr(self._own, name)

    def step(
        self,
        state: Any,
        measurement: FootMeasurement,
        dt: float,
        context: FootContext,
    ) -> Any:
        """Step the own one, and the rivals."""
        self._foot = 1 - self._foot
        self._beside.step(self._foot, measurement, dt)
        return self._own.step(state, measurement, dt, context)


def _contact(job: Job, floor: Floor, load: float) -> dict[str, Any]:
    if job.contact:
        return {
            "contact": ContactConfig.from_mapping({"law": job.contact}).to_mapping()
        }
    if not floor.friction:
        return {}
    friction = surface(floor, load).to_mapping()
    contact = ContactConfig.from_mapping(
        {"law": "hunt_crossley + surface", "friction": friction}
    )
    return {"contact": contact.to_mapping()}


def _planar(job: Job, floor: Floor) -> Walked:
    nominal = chosen_scenario(
        "thesis_sensors", seed=job.seed, sensors=job.sensors or None
    )
    weight = planar_biped(nominal.variant).mass * GRAVITY
    said = nominal.to_mapping()
    there = math.isfinite(job.onto)
    said["ground"] |= {
        "mu": (floor.mu, job.onto, floor.mu) if there else (floor.mu,),
        "edges": (EDGE_FROM, EDGE_FROM + PATCH) if there else (),
    }
    said["plant"] |= _contact(job, floor, weight)
    if math.isfinite(job.load_factor):
        said["touchdown"]["load_factor"] = job.load_factor
    if job.contact == "mujoco":
        said["unmodelled"]["mass"] = 0.0  # it takes the model's
    if not job.slides:
        said["controller"]["swing"]["touchdown"]["lead"] = 0.0
    said["duration"] = job.seconds
    scenario = ScenarioConfig.from_mapping(said)
    walk = Walk(scenario, planar_policy(job.limit, scenario), job.seed)
    period = scenario.walking.period
    motion = motion_source(walk.robot, scenario.motion, FloorConfig())
    beside = Beside(weight)
    truth = kinetic_ratio(floor, floor.mu, weight)
    found = []
    watch = Watch(weight)
    while not walk.ended:
        readings = walk.read()
        for foot, measured in enumerate(
            motion.measure(robot_state(readings, walk.robot.root_size), readings)
        ):
            beside.step(foot, measured, period)
        output = planar_output(walk.controller.step(readings))
        walk.log.record_control(walk.log.length - 1, output)
        walk.advance(output.torques)
        states = cast(Any, walk.controller).loop.held.value.observer
        known = [
            Known(one, _word(state))
            for one, state in zip(
                output.estimates, (states.left, states.right), strict=True
            )
        ]
        i = walk.log.length - 1
        for foot, borne in watch.landed(walk.log.normal[i], known):
            found.append(
                borne.landing(
                    walk.log.mu_true[i, foot] if there else truth, beside.answers[foot]
                )
            )
    log = walk.log.trim()
    return Walked(
        job=job,
        fell=walk.fell,
        landings=tuple(found),
        slip=summarise(log, walk.fell, 0.0).max_stance_slip,
        speed=_speed(log),
    )


def _humanoid(job: Job, floor: Floor) -> Walked:
    said = chosen_walk(job.robot, job.sensors or None).to_mapping()
    said["patch"]["length"] = 0.0
    said["course"]["spots"] = floor.spots
    said |= {"mu": floor.mu, "distance": 100.0}
    weight = load_humanoid(said["robot"]).weight
    said |= _contact(job, floor, weight / POINTS)
    if math.isfinite(job.load_factor):
        said["touchdown"]["load_factor"] = job.load_factor
    if math.isfinite(job.speed):
        said["speed"] = job.speed
    if not job.slides:
        said["controller"]["stepping"]["touchdown"]["lead"] = 0.0
    walk = HumanoidWalk(HumanoidWalkConfig.from_mapping(said), job.limit, job.seed)
    halves = half_soles(walk.humanoid)
    sequencer = cast(Any, walk.sequencer)
    beside = Beside(weight)
    senses = sequencer.controller._senses
    errors = []
    senses.friction.ask(Overheard(senses.friction.estimator, beside))
    truths: dict[float, float] = {}
    found = []
    watch = Watch(weight)
    while not walk.ended and walk.world.plant.ticks < 1e3 * job.seconds:
        output = walk.tick()
        log = walk.world.log
        if output is None:
            continue
        states = senses.friction.states
        answer = cast(Any, output).answer
        errors += [] if answer is None else [float(answer.dcm_error @ answer.dcm_error)]
        known = [
            Known(one, _word(state))
            for one, state in zip(output.estimates, states, strict=True)
        ]
        for foot, borne in watch.landed(log.normal[log.length - 1], known):
            x, y, _ = log.sole_position[log.length - 1, foot]
            mu = float(held_on(walk.world.plant.around.terrain, x, y, HERE, halves))
            truth = truths.setdefault(mu, kinetic_ratio(floor, mu, weight / POINTS))
            found.append(borne.landing(truth, beside.answers[foot]))
    log = walk.world.log.trim()
    slip = summarise_humanoid(walk).max_stance_slip
    error = math.sqrt(_of(np.mean, errors))
    return Walked(
        job=job,
        fell=walk.world.fell,
        landings=tuple(found),
        slip=slip,
        speed=_speed(log),
        dcm_error=error,
    )


def _speed(log: Any) -> float:
    middle = log.length // 2
    return float((log.q[-1, 0] - log.q[middle, 0]) / (log.time[-1] - log.time[middle]))


def _word(state: Any) -> str:
    return (
        Doubt(state.answer.doubt).name.lower().replace("_", " ")
        if hasattr(state, "answer")
        else ""
    )


class Known(NamedTuple):
    """What is known of the floor under a foot."""

    estimate: FrictionEstimate
    doubt: str


class Borne(NamedTuple):
    """What was known as a foot that has landed came to bear a quarter of the weight."""

    known: Known
    after: float  # [ms] from touchdown to the first answer; NaN: none by then

    def landing(self, truth: float, rivals: tuple[float, ...] = (NAN, NAN)) -> Landing:
        """Beside the truth, and what rivals know by now."""
        estimate = self.known.estimate
        return Landing(
            truth=float(truth),
            answer=estimate.mu,
            low=estimate.mu_low,
            doubt=self.known.doubt,
            after=self.after,
            rivals=rivals,
        )


class Watch:
    """Which feet have come to bear a quarter of the weight after a swing.

    A foot that bounces has not swung.

    An impact of some milliseconds bears nothing: a foot bears what it holds for 20 ms
    on end.

    Args:
        weight: of the robot [N].
    """

    def __init__(self, weight: float) -> None:
        self._least = QUARTER * weight
        self._aloft = [0, 0]  # ticks without load
        self._since = [
            NAN,
            NAN,
        ]  # ticks from touchdown; NaN: in the swing, or on the ground since the start
        self._landing = [
            False,
            False,
        ]  # from the swing until it bears; robots start on their feet
        self._answered = [NAN, NAN]  # ticks from touchdown to the first answer
        self._heavy = [0, 0]  # ticks above a quarter of the weight
        self._borne: list[Borne | None] = [None, None]  # as that began

    def landed(self, normal: Any, known: Sequence[Known]) -> list[tuple[int, Borne]]:
        """Return the feet that have landed by now.

        It takes the loads (2,) [N] and what is known of their floors at this instant.
        """
        return [
            (foot, borne)
            for foot in (0, 1)
            if (borne := self._step(foot, normal[foot], known[foot])) is not None
        ]

    def _step(self, foot: int, normal: float, known: Known) -> Borne | None:
        self._aloft[foot] = 0 if normal > 0.0 else self._aloft[foot] + 1
        if self._aloft[foot] > SWING:
            self._since[foot] = NAN
            self._landing[foot] = True
            self._answered[foot] = NAN
        if not self._landing[foot]:
            return None
        if normal > 0.0 or self._since[foot] >= 0.0:
            self._since[foot] = (
                0.0 if math.isnan(self._since[foot]) else self._since[foot] + 1.0
            )
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
    rivals: str  # of each: share that answers 20 ms later, error as above
    slip: float  # largest of all stances [m]
    speed: float  # mean over the walks [m/s]
    dcm_error: float  # likewise [m]


def rows(walks: Sequence[Walked]) -> list[Row]:
    """Tabulate a row a robot and floor, then one a robot over all floors."""
    table = []
    for robot, mine in grouped(walks, lambda one: one.job.robot).items():
        floors = grouped(
            sorted(mine, key=lambda one: one.job.mu),
            lambda one: (_name(one.job), one.job.mu),
        )
        table += [_row(robot, floor, mu, some) for (floor, mu), some in floors.items()]
        table.append(_row(robot, "all", NAN, mine))
    return table


def _row(robot: str, floor: str, mu: float, walks: Sequence[Walked]) -> Row:
    landings = [landing for one in walks for landing in one.landings]
    known = [one for one in landings if math.isfinite(one.answer)]
    errors = [one.answer - one.truth for one in known]
    words = Counter(one.doubt for one in landings).most_common()
    return Row(
        robot=robot,
        floor=floor,
        mu=mu,
        fell=sum(one.fell for one in walks),
        walks=len(walks),
        landings=len(landings),
        known=_of(np.mean, [math.isfinite(one.answer) for one in landings]),
        after=_of(np.median, [one.after for one in known]),
        truth=_of(np.mean, [one.truth for one in landings]),
        error=_of(np.mean, errors),
        spread=_of(np.std, errors),
        above=_of(np.mean, [one.low > one.truth for one in known]),
        doubts=", ".join(f"{word} {count}" for word, count in words),
        rivals="; ".join(_beside(i, landings) for i in range(len(RIVALS))),
        slip=max((one.slip for one in walks), default=NAN),
        speed=_of(np.mean, [one.speed for one in walks]),
        dcm_error=_of(np.mean, [one.dcm_error for one in walks]),
    )


def _name(job: Job) -> str:
    onto = f" onto {job.onto:g} after" if math.isfinite(job.onto) else ""
    return (
        f"{job.contact} ".lstrip()
        + job.floor
        + ("" if job.slides else " no slide")
        + onto
    )


def _beside(rival: int, landings: Sequence[Landing]) -> str:
    errors = [
        error
        for one in landings
        if math.isfinite(error := one.rivals[rival] - one.truth)
    ]
    if not errors:
        return f"{RIVALS[rival]} 0 of {len(landings)}"
    return (
        f"{RIVALS[rival]} {len(errors)} of {len(landings)}, {np.mean(errors):+.3f} "
        f"+- {np.std(errors):.3f}"
    )


def _of(statistic: Any, values: Sequence[float]) -> float:
    return float(statistic(values)) if values else NAN


def show(walks: Sequence[Walked], console: Screen) -> None:
    """Print the table."""
    columns = {
        "robot": lambda row: row.robot,
        "floor": lambda row: f"{row.floor} {row.mu:.3g}".removesuffix(" nan"),
        "fell": lambda row: f"{row.fell} of {row.walks}",
        "landings": lambda row: row.landings,
        "known": lambda row: f"{row.known:.2f}",
        "after [ms]": lambda row: f"{row.after:.0f}",
        "truth": lambda row: f"{row.truth:.3f}",
        "answer - truth": lambda row: f"{row.error:+.3f} +- {row.spread:.3f}",
        "mu_low above": lambda row: f"{row.above:.3f}",
        "doubt": lambda row: row.doubts,
        "rivals": lambda row: row.rivals,
        "slip [mm]": lambda row: f"{1e3 * row.slip:.1f}",
        "speed [m/s]": lambda row: f"{row.speed:.3f}",
        "DCM error [mm]": lambda row: f"{1e3 * row.dcm_error:.1f}",
    }
    console.print(table_of(columns, rows(walks)))


LANDINGS = Study(
    name="landings",
    work=walk_once,
    result=Walked,
    tables=lambda walks: {"landings": rows(walks)},
    show=show,
)


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    declare(parser, "robot", "mu", "workers", "seeds")
    parser.add_argument(
        "--floors",
        type=COUNT,
        default=20,
        help="dry floors drawn by the first seed, 0.05 to 1.0 (20)",
    )
    parser.add_argument(
        "--floor",
        nargs="+",
        choices=FLOORS,
        default=[],
        help="these, and dry ones of --mu, instead",
    )
    parser.add_argument(
        "--sensors",
        default="realistic",
        help="set of sensors (realistic); empty: the walk's own",
    )
    parser.add_argument(
        "--onto",
        type=float,
        default=NAN,
        help="mu of 2 m of the planar biped's floor after 1.2 m",
    )
    parser.add_argument(
        "--contact", default="", help="contact law, e.g. mujoco; empty: the walk's own"
    )
    parser.add_argument("--limit", default=LIMIT, help="policy for slip (touchdown)")
    parser.add_argument(
        "--speed",
        type=float,
        default=NAN,
        help="commanded of humanoids [m/s]; the walk's own",
    )
    parser.add_argument(
        "--load-factor",
        type=float,
        default=NAN,
        help="that the estimator assumes (the robot's; on "
        "rubber that of a sole which was not calibrated)",
    )
    parser.add_argument(
        "--cost",
        action="store_true",
        help="each walk also with feet that land without a slide",
    )
    parser.add_argument(
        "--seconds", type=float, default=10.0, help="length of each walk [s] (10)"
    )


def _factor(floor: str, factor: float) -> float:
    """Choose what is assumed of the load.

    A rubber sole is not the one that the robot's own factor was calibrated for.
    """
    return (
        TouchdownConfig().load_factor
        if floor == "rubber" and math.isnan(factor)
        else factor
    )


def run(arguments: argparse.Namespace) -> int:
    """Walk every robot over every floor; spots need a sole."""
    floors = [(DRY, mu) for mu in arguments.mu or ()] + [
        (name, FLOORS[name].mu) for name in arguments.floor
    ]
    if not floors:
        floors = [
            (DRY, mu)
            for mu in drawn_floors(
                arguments.floors, np.random.default_rng(arguments.first_seed)
            )
        ]
    jobs = [
        Job(
            robot=robot,
            floor=floor,
            mu=mu,
            seed=seed,
            sensors=arguments.sensors,
            seconds=arguments.seconds,
            onto=arguments.onto,
            contact=arguments.contact,
            limit=arguments.limit,
            speed=arguments.speed,
            load_factor=_factor(floor, arguments.load_factor),
        )
        for robot in arguments.robot or ("planar", "talos")
        for floor, mu in floors
        for seed in chosen_seeds(arguments, 1)
        if robot != "planar" or floor == DRY or not FLOORS[floor].spots
    ]
    jobs += [replace(job, slides=False) for job in jobs if arguments.cost]
    return LANDINGS.run(arguments, jobs)

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""What is known of the floor under gaits that land as they please: open policies.

Three estimators listen to the same walk, which none knows of: by the ankles' sensors
with an IMU in each foot (both), by the ankles' sensors alone, and by the currents of
the motors; all have one IMU in the body. A
landing is a contact after 40 ms in the air by the floor's true force, from one second
on; its answer is the last one of its first tenth of a second. Walks that fall count
until the base tilts by 20 degrees.
"""

from __future__ import annotations

import argparse
import math
import tempfile
from pathlib import Path
from typing import Any, NamedTuple, Sequence

import numpy as np

from biped_slip.cli.terminal import Screen
from biped_slip.compile.arrays import Array
from biped_slip.estimation.readings import RawReadings
from biped_slip.friction_estimation.types import FrictionEstimate
from biped_slip.simulation.humanoid.oracle import humanoid_policy
from biped_slip.simulation.humanoid.pilot import steering
from biped_slip.simulation.humanoid.scenario import HumanoidWalkConfig, chosen_walk
from biped_slip.simulation.humanoid.walk import HumanoidWalk
from biped_slip.walking.governed_humanoid import Turns
from biped_slip.walking.humanoid import CURRENTS, HumanoidSenses
from biped_slip.walking.humanoid_friction import HumanoidFriction, walking_by_currents
from studies import policies
from studies.frame import NAN, Study, grouped, table_of
from studies.policies import (
    FASTEST,
    PolicyJob,
    playable,
    policy_content,
    policy_jobs,
    start_moving,
    write_walk,
)
from studies.policy_robots import policy_files

SOURCES = ("both", "ankles", "currents")
FIRST = 1.0  # [s] before it the gait begins
SWING = 0.04  # [s] without load that are a swing
ANSWERED_WITHIN = 0.1  # [s] of a contact
TILTED = math.cos(math.radians(20.0))  # of the base, from which a walk is a fall


class Answer(NamedTuple):
    """Answer to one landing; NaN: none."""

    mu: float
    low: float
    high: float


NO_ANSWER = Answer(NAN, NAN, NAN)


class Landed(NamedTuple):
    """A landing, and its answer by each source."""

    time: float  # [s]
    truth: float  # mu of the floor under the sole
    answers: dict[str, Answer]


class Heard(NamedTuple):
    """One walk's result: answers of every landing in order of time, by source."""

    job: PolicyJob
    time: float  # [s]
    truth: tuple[float, ...]  # mu of the floor
    both: tuple[Answer, ...]
    ankles: tuple[Answer, ...]
    currents: tuple[Answer, ...]
    fault: str  # of the torques


class Row(NamedTuple):
    """Landings of a policy on one floor, or of all on all, by one source."""

    policy: str
    plant: str
    mu: float
    source: str
    landings: int
    answered: float  # share
    error: float  # mean
    spread: float  # sd
    excluded: float  # share of the answers whose interval excludes mu
    high: float  # share of the answers whose interval is above mu
    width: float  # median of mu_high - mu
    half: float  # median of half of mu_high - mu_low
    again: float  # steps on another floor until it is known, at most; NaN: no other one
    faults: int  # walks whose torques were refused


def by_ankles(
    config: HumanoidWalkConfig, walk: HumanoidWalk, feet_felt: bool
) -> HumanoidSenses:
    """Make the estimator by the ankles' sensors, with IMUs in the feet or without."""
    policy = humanoid_policy("touchdown", config, walk.humanoid, 0)
    walking = config.walking
    return HumanoidSenses(
        walk.humanoid,
        policy.estimator,
        walking.base,
        walking.motion,
        walking.touchdown,
        feet_felt=feet_felt,
    )


class Footfall:
    """Landings of one foot and what both sources say of them."""

    def __init__(self) -> None:
        self.found: list[Landed] = []
        self._aloft = 0.0
        self._open: Landed | None = None

    def step(
        self,
        time: float,
        load: float,
        truth: float,
        answers: dict[str, FrictionEstimate],
    ) -> None:
        """Take one tick.

        Args:
            time: [s].
            load: true [N].
            truth: true mu under the sole.
            answers: each source's estimate.
        """
        if self._open is not None:
            self._follow(self._open, time, answers)
        landed = load > 0.0 and self._aloft > SWING and self._open is None
        if landed and time > FIRST:
            self._open = Landed(time, truth, dict.fromkeys(SOURCES, NO_ANSWER))
        self._aloft = 0.0 if load > 0.0 else self._aloft + 1e-3

    def _follow(
        self, landed: Landed, time: float, answers: dict[str, FrictionEstimate]
    ) -> None:
        for source, one in answers.items():
            if math.isfinite(one.mu):
                landed.answers[source] = Answer(one.mu, one.mu_low, one.mu_high)
        if time - landed.time >= ANSWERED_WITHIN or self._aloft > SWING:
            self.found.append(landed)
            self._open = None


def tilted(q: Array) -> bool:
    """Return whether the base of coordinates (nq,) is tilted too far for a walk."""
    return bool(1.0 - 2.0 * (q[3] ** 2 + q[4] ** 2) < TILTED)


def listen(job: PolicyJob) -> Heard:
    """Walk once, and listen."""
    files = policy_files(Path(job.folder), job.policy)
    far = FASTEST * files.speed * job.seconds
    with tempfile.TemporaryDirectory() as folder:
        path = write_walk(files, Path(folder), job.plant, job.mu, far, job.onto)
        mapping = chosen_walk(str(path)).to_mapping()
        currents = chosen_walk(str(path), CURRENTS).to_mapping()
        mapping["sensors"]["motor_torques"] = currents["sensors"]["motor_torques"]
        config = HumanoidWalkConfig.from_mapping(mapping)
        walk = HumanoidWalk(
            config,
            "none",
            job.seed,
            true_base=True,
            controller=f"onnx:{files.network}",
        )
        felt = HumanoidFriction(walking_by_currents(str(path)), period=config.period)
    sensed = by_ankles(config, walk, True)
    alone = by_ankles(config, walk, False)
    plant = walk.world.plant
    start_moving(walk, job.seed)
    feet = (Footfall(), Footfall())
    fault = ""
    while 1e-9 * plant.stamp_ns < job.seconds and not walk.ended:
        if isinstance(walk.sequencer, Turns):
            walk.sequencer.turn = steering(plant.state.q)
        raw = walk.world.sense()
        walk.world.advance(walk.control(raw).torques)
        if tilted(plant.state.q):
            break
        first = sensed.step(raw).estimates
        bare = alone.step(raw).estimates
        second = felt.step(_currents_alone(raw))
        if second.problem is not None and second.problem.severe:
            fault = fault or str(second.problem)
        log = walk.world.log
        now = log.length - 1
        for foot in (0, 1):
            answers = {
                "both": first[foot],
                "ankles": bare[foot],
                "currents": second.estimates[foot],
            }
            feet[foot].step(
                1e-9 * raw.stamp_ns,
                float(log.normal[now, foot]),
                float(log.mu[now, foot]),
                answers,
            )
    landings = sorted(
        (one for foot in feet for one in foot.found), key=lambda one: one.time
    )
    found = [one.answers for one in landings]
    return Heard(
        job=job,
        time=1e-9 * plant.stamp_ns,
        truth=tuple(one.truth for one in landings),
        both=tuple(one["both"] for one in found),
        ankles=tuple(one["ankles"] for one in found),
        currents=tuple(one["currents"] for one in found),
        fault=fault,
    )


def _currents_alone(raw: RawReadings) -> RawReadings:
    nothing = np.full((2, 6), NAN)
    return raw._replace(foot_imus=nothing, force_torque=nothing)


def _row(name: tuple[str, str, float], source: str, walks: Sequence[Heard]) -> Row:
    answers = [one for walk in walks for one in getattr(walk, source)]
    mus = [mu for walk in walks for mu in walk.truth]
    steps = [step for walk in walks for step in steps_until_known(walk, source)]
    known = [
        (one, mu) for one, mu in zip(answers, mus, strict=True) if math.isfinite(one.mu)
    ]
    return Row(
        *name,
        source=source,
        landings=len(answers),
        answered=_of(np.mean, [math.isfinite(one.mu) for one in answers]),
        error=_of(np.mean, [one.mu - mu for one, mu in known]),
        spread=_of(np.std, [one.mu - mu for one, mu in known]),
        excluded=_of(np.mean, [not one.low <= mu <= one.high for one, mu in known]),
        high=_of(np.mean, [one.low > mu for one, mu in known]),
        width=_of(np.median, [one.high - one.mu for one, _ in known]),
        half=_of(np.median, [0.5 * (one.high - one.low) for one, _ in known]),
        again=_of(np.max, steps),
        faults=sum(bool(walk.fault) for walk in walks),
    )


def steps_until_known(walk: Heard, source: str) -> list[int]:
    """Count, from each change of the floor on, the steps to an interval that holds mu.

    The step that finds it counts, too; one more than there were, where none does.
    """
    counts = []
    waiting = 0
    before = walk.truth[0] if walk.truth else NAN
    for truth, answer in zip(walk.truth, getattr(walk, source), strict=True):
        if truth != before:
            waiting = 1
        elif waiting:
            waiting += 1
        before = truth
        if waiting and answer.low <= truth <= answer.high:
            counts.append(waiting)
            waiting = 0
    return [*counts, waiting + 1] if waiting else counts


def _of(what: Any, values: Sequence[Any]) -> float:
    return float(what(values)) if values else NAN


def rows(walks: Sequence[Heard]) -> list[Row]:
    """Tabulate a row a policy, plant, floor and source, then one a source over all."""
    table = []
    for name, some in grouped(
        walks, lambda one: (one.job.policy, one.job.plant, one.job.mu)
    ).items():
        table += [_row(name, source, some) for source in SOURCES]
    return table + [_row(("all", "all", NAN), source, walks) for source in SOURCES]


COLUMNS = {
    "policy": lambda row: row.policy,
    "plant": lambda row: row.plant,
    "mu": lambda row: f"{row.mu:g}",
    "by": lambda row: row.source,
    "answered": lambda row: f"{row.answered:.0%} of {row.landings}",
    "error": lambda row: f"{row.error:+.3f} +- {row.spread:.3f}",
    "interval excludes mu (above it)": lambda row: (
        f"{row.excluded:.0%} ({row.high:.0%})"
    ),
    "mu_high - mu; half of the interval": lambda row: (
        f"{row.width:.3f}; {row.half:.3f}"
    ),
    "known again after": lambda row: (
        "-" if math.isnan(row.again) else f"{row.again:.0f} steps"
    ),
    "refused": lambda row: f"{row.faults}",
}


def show(walks: Sequence[Heard], console: Screen) -> None:
    """Print the table, and why torques were refused."""
    console.print(table_of(COLUMNS, rows(walks)))
    for walk in walks:
        if walk.fault:
            console.print(f"{walk.job.policy}, mu {walk.job.mu:g}: {walk.fault}")


LISTENING = Study(
    name="policy-friction",
    work=listen,
    result=Heard,
    tables=lambda walks: {"landings": rows(walks)},
    show=show,
    content=policy_content,
)


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    policies.configure(parser)
    parser.add_argument("--onto", type=float, help="mu of a patch of 2 m after 2 m")


def run(arguments: argparse.Namespace) -> int:
    """Walk what is missing and print the table."""
    names = arguments.policy or playable(arguments.folder)
    jobs = policy_jobs(arguments, names, arguments.mu or [1.0, 0.4, 0.25])
    jobs = [job._replace(onto=arguments.onto) for job in jobs]
    return LISTENING.run(arguments, jobs)

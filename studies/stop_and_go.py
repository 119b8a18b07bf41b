# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Stop and go from drawn moments of a walk, speeds and floors drawn anew.

A guarded walk is put back at each moment; ``speed_scale`` is all that changes, as it
may on a live node, and where floors are drawn what is spilled around the robot. Sound
readings stop no robot: a fall, a fault, a joint that is driven with more than twice a
healthy walk's power or a robot that does not go again is a defect. That walk lasts
until the robot is as fast as it becomes; a humanoid learns the floor from landings
first.

What comes after the moments is not logged: it may last for minutes.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, NamedTuple, Sequence

import numpy as np

from biped_slip.cli.options import COUNT, SEED_TYPE
from biped_slip.cli.terminal import Screen
from biped_slip.compile.arrays import Array
from biped_slip.control.supervisor import Mode, SupervisorConfig
from biped_slip.errors import SimulationDiverged
from biped_slip.estimation.health import HealthConfig
from biped_slip.estimation.planar_feet import FloorConfig
from biped_slip.simulation.planar.scenario import ScenarioConfig, chosen_scenario
from biped_slip.simulation.planar.world import PlanarWorld
from biped_slip.walking.planar import guarded_planar
from studies.drawn_faults import LEAST, MOST, Power, velocity_of
from studies.faults.live_floors import drawn_spills, no_spills, spill_around
from studies.faults.live_speeds import (
    drawn_speeds,
    stop_and_go,
    toggled_speeds,
)
from studies.faults.snapshot import Restore, snapshot
from studies.frame import Study, declare, table_of
from synthetic.guarded_walk import (
    LIMIT,
    Walker,
    full_speed_humanoid,
    is_humanoid,
    sensed,
)

ROBOTS = ("thesis", "demo", "torso", "talos", "g1")
# of robots whose sensors are too coarse for ``interval``
LIMITS = {"demo": "touchdown"}
WALKED = 6.0  # [s] of the walk that the moments are drawn from
WALKED_BY_HUMANOIDS = 16.0  # [s] TALOS is at its fastest after 12
FIRST = 0.05  # [s] of the first moment
STOP = "stop and go"
DRAWN = "drawn speeds"
TOGGLED = "toggled speeds"
SPILLED = "drawn speeds and floors"
KINDS = (STOP, DRAWN, TOGGLED, SPILLED)
# share of the commanded way that a robot goes at least, but for some seconds of setting
# off; under commands that toggle it may stand, on floors that change it is careful
LEAST_WAY = 0.25
SETTING_OFF = 2.0  # [s]
GOING = (STOP, DRAWN)


class Job(NamedTuple):
    """One moment from which the speed changes."""

    robot: str
    kind: str  # of KINDS
    number: int  # seeds the moment and the speeds
    seconds: float  # with changed speeds
    drawing: int = 0  # of the moments


@dataclass(frozen=True)
class Outcome:
    """How a robot went on."""

    job: Job
    tick: int  # at which the speed began to change
    distance: float = 0.0  # [m]
    power: float = 0.0  # times a healthy walk's, largest of a joint over 50 ms
    problem: str = ""

    @property
    def sound(self) -> bool:
        """Neither fell nor was stopped, nor drove a joint too hard."""
        return not self.problem and self.power <= MOST


class Sound(NamedTuple):
    """A walk at its own speed, to be put back at its moments."""

    robot: Walker
    moments: tuple[tuple[int, Restore], ...]
    power: Array  # (n,) largest of each joint over the window [W]
    speed: float  # over all of it [m/s]


def walked_for(name: str) -> float:
    """Time [s] of the walk that a robot's moments are drawn from."""
    return WALKED_BY_HUMANOIDS if is_humanoid(name) else WALKED


def long_walker(name: str, seed: int = 0) -> Walker:
    """Load a robot that may walk for ever, on a floor without a patch."""
    if is_humanoid(name):
        return full_speed_humanoid(name, seed)
    limit = LIMITS.get(name, LIMIT)
    return guarded_walker(chosen_scenario(name, seed=seed), limit, seed)


def guarded_walker(scenario: ScenarioConfig, limit: str, seed: int = 0) -> Walker:
    """Load a planar scenario with a limit and a seed of its noise, without an end."""
    scenario = replace(scenario, duration=WALKED)
    way = PlanarWorld(scenario, seed)
    way.endless = True
    floor = FloorConfig(scenario.ground.slope)
    guarded = guarded_planar(
        way.robot, scenario.walking, limit, floor, SupervisorConfig(), HealthConfig()
    )
    return Walker(way, guarded)


def advance(robot: Walker, power: Power) -> str:
    """Walk one tick; return what is wrong."""
    try:
        torques = robot.guarded.step(sensed(robot.way.read())).torques
        power.add(torques, velocity_of(robot))
        robot.way.advance(torques)
    except SimulationDiverged:
        return "fell"
    if robot.fell:
        return "fell"
    stopped = robot.guarded.mode not in (Mode.STANDING, Mode.WALKING)
    return str(robot.guarded.problem) if stopped else ""


@cache
def sound_walk(name: str, moments: int, drawing: int = 0) -> Sound:
    """Walk once at the walk's own speed; in every process."""
    robot = long_walker(name)
    rng = np.random.default_rng(1 + drawing)
    end = round(1e3 * walked_for(name))
    ticks = rng.integers(round(1e3 * FIRST), end, moments).tolist()
    power = Power(len(robot.world.robot.joints))
    kept = dict[int, Restore]()
    robot.guarded.start()
    for tick in range(end):
        if tick in ticks:
            kept[tick] = snapshot(robot.way, robot.guarded)
        if problem := advance(robot, power):
            raise AssertionError(f"{name} does not walk: {problem}")
    most = np.maximum(power.most, LEAST * power.most.max())
    return Sound(
        robot=robot,
        moments=tuple((tick, kept[tick]) for tick in ticks),
        power=most,
        speed=float(robot.world.plant.state.q[0]) / walked_for(name),
    )


def scales_of(kind: str, ticks: int, number: int) -> Array:
    """Return the scales (ticks,) of a kind, drawn by a number where it draws."""
    if kind == STOP:
        return stop_and_go(ticks)
    drawn = toggled_speeds if kind == TOGGLED else drawn_speeds
    return drawn(ticks, np.random.default_rng((5, number)))


def spills_of(kind: str, ticks: int, number: int) -> Array:
    """Return the spills (ticks, 2) of a kind, drawn by a number where it draws."""
    if kind != SPILLED:
        return no_spills(ticks)
    return drawn_spills(ticks, np.random.default_rng((6, number)))


def try_one(job: Job, moments: int = 20) -> Outcome:
    """Put the walk back at a moment and change its speed."""
    sound = sound_walk(job.robot, moments, job.drawing)
    tick, restore = sound.moments[job.number % moments]
    restore()
    robot = sound.robot
    controller: Any = robot.guarded.controller
    power = Power(len(sound.power))
    begin = robot.world.plant.state.q[0]
    problem = ""
    ticks = round(1e3 * job.seconds)
    scales = scales_of(job.kind, ticks, job.number).tolist()
    spills = spills_of(job.kind, ticks, job.number)
    for scale, spill in zip(scales, spills, strict=True):
        controller.speed_scale = scale
        spill_around(robot.world, spill)
        problem = advance(robot, power)
        if problem:
            break
    controller.speed_scale = 1.0
    distance = float(robot.world.plant.state.q[0] - begin)
    commanded = (1e-3 * sum(scales) - SETTING_OFF) * sound.speed
    if not problem and job.kind in GOING and distance < LEAST_WAY * commanded:
        problem = f"went {distance:.2f} of {commanded:.2f} m"
    return Outcome(
        job=job,
        tick=tick,
        distance=distance,
        power=float((power.most / sound.power).max()),
        problem=problem,
    )


COLUMNS = {
    "robot": lambda one: one.job.robot,
    "kind": lambda one: one.job.kind,
    "from tick": lambda one: one.tick,
    "distance": lambda one: f"{one.distance:.2f} m",
    "power": lambda one: f"{one.power:.2f}",
    "": lambda one: one.problem,
}


def show(outcomes: Sequence[Outcome], console: Screen) -> bool:
    """Print a row a moment; return False when a robot did not go on."""
    console.print(table_of(COLUMNS, outcomes))
    bad = sum(not one.sound for one in outcomes)
    console.print(f"{len(outcomes)} moments, {bad} defects")
    return bad == 0


STOPS: Study[Job, Outcome] = Study("stop-and-go", try_one, Outcome, show=show)


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    declare(parser, "robot", "workers")
    parser.add_argument("--kind", nargs="+", choices=KINDS, default=KINDS)
    parser.add_argument("--moments", type=COUNT, default=20, help="of each kind (20)")
    parser.add_argument(
        "--seconds", type=float, default=25.0, help="with changed speeds (25)"
    )
    parser.add_argument(
        "--drawing", type=SEED_TYPE, default=0, help="of the moments (0)"
    )


def run(arguments: argparse.Namespace) -> int:
    """Change the speed at so many moments; 1 if a robot did not go on."""
    numbers = range(arguments.first_seed, arguments.first_seed + arguments.moments)
    return STOPS.run(
        arguments,
        [
            Job(robot, kind, number, arguments.seconds, arguments.drawing)
            for robot in arguments.robot or ROBOTS
            for kind in arguments.kind
            for number in numbers
        ],
    )

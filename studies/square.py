# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""A square that a humanoid is steered around, and slippery floor poured at its end.

Velocity commands are clipped and obeyed as those of ``cmd_vel`` are; the driver sees
the base as it truly moves, as a person beside the robot does::

    forward SIDE, turn left by 90 degrees, four times
    spill of WATER over the next POOL of the way, and across it

A side is over when the base is SIDE further along it, whichever way it has drifted.
"""

from __future__ import annotations

import argparse
import math
from dataclasses import replace
from typing import Any, NamedTuple, Sequence

import pinocchio as pin

from biped_slip.cli.keyboard import steerable
from biped_slip.cli.terminal import Screen
from biped_slip.contact.spill import spill_of
from biped_slip.control.friction_governor import Twist
from biped_slip.reports.stances import stance_rows
from biped_slip.simulation.humanoid.scenario import HumanoidWalkConfig
from biped_slip.simulation.humanoid.summary import summarise_humanoid
from biped_slip.simulation.humanoid.walk import HumanoidWalk
from biped_slip.simulation.summary import END_FELL, END_LATE
from biped_slip.walking.registry import HUMANOID_DEFAULT
from studies.frame import Study, declare, table_of
from studies.robots import HERE, Known, known_of, short_name, walk_config

SIDE = 1.5  # [m]
SIDES = 4
POOL = 2.0  # [m] of the way under which water is poured
AHEAD = 0.3  # [m] of the base, where it begins
WATER = 0.1  # its friction
LEVEL_OF_TURN = 0.05  # [rad] from a heading at which a turn is over
TURN_GAIN = 1.0  # [1/s] of the heading's error
ARRIVED = "arrived"
FAR_AWAY = 20.0  # [m] where the walk would end by itself; it may take the time for it


class Job(NamedTuple):
    """One square of a robot."""

    robot: str
    world: str
    period: float | None  # [s] of control; None: the walk's
    seed: int


class Squared(NamedTuple):
    """How it went, and what was known of the floor.

    Attributes:
        job: that was asked.
        end: in words.
        seconds: until then.
        slip: largest of a stance [mm].
        dry: stances before the water.
        wet: stances in it.
    """

    job: Job
    end: str
    seconds: float
    slip: float
    dry: Known
    wet: Known


class Driver:
    """Steers a walk by where its base truly is.

    Args:
        walk: whose sensors are checked already.
    """

    def __init__(self, walk: Any) -> None:
        self._walk = walk
        self._controller = steerable(walk.sequencer, HUMANOID_DEFAULT)
        self._limits = self._controller.twist_limits

    def place(self) -> tuple[float, float, float]:
        """Return x, y [m] and heading [rad] of the base."""
        q = self._walk.world.plant.state.q
        turn = pin.Quaternion(q[3:7]).matrix()
        return float(q[0]), float(q[1]), math.atan2(turn[1, 0], turn[0, 0])

    def straight(self, heading: float, length: float) -> None:
        """Walk a length [m] along a heading [rad]."""
        x, y, _ = self.place()
        way = 0.0
        while way < length and not self._walk.ended:
            now = self.place()
            way = (now[0] - x) * math.cos(heading) + (now[1] - y) * math.sin(heading)
            self._steer(self._limits.forward, _wrapped(heading - now[2]))

    def turn(self, heading: float) -> None:
        """Turn on the spot to a heading [rad]."""
        error = math.pi
        while abs(error) > LEVEL_OF_TURN and not self._walk.ended:
            error = _wrapped(heading - self.place()[2])
            self._steer(0.0, error)

    def _steer(self, forward: float, error: float) -> None:
        asked = Twist(forward, 0.0, TURN_GAIN * error)
        self._controller.twist = self._limits.clipped(asked)
        self._walk.tick()


def around(walk: Any) -> None:
    """Walk around the square, until the robot looks along x again."""
    driver = Driver(walk)
    for side in range(SIDES):
        driver.straight(0.5 * math.pi * side, SIDE)
        driver.turn(0.5 * math.pi * (side + 1))


def poured_over(walk: Any) -> None:
    """Spill over the way ahead, which is along x, and walk over it."""
    driver = Driver(walk)
    x, y, _ = driver.place()
    start = x + AHEAD
    across = (y - POOL, y + POOL)
    walk.world.spill(spill_of([start, start + POOL, *across, WATER]))
    driver.straight(0.0, AHEAD + POOL)


def _wrapped(angle: float) -> float:
    return math.remainder(angle, 2.0 * math.pi)


def square_config(job: Job) -> HumanoidWalkConfig:
    """Build the walk of a square: dry floor, ended by its driver."""
    config = walk_config(job.robot, None, job.period, job.world)
    return replace(config, distance=FAR_AWAY)


def squared(job: Job) -> Squared:
    """Walk one square and over the water."""
    walk = HumanoidWalk(square_config(job), "touchdown", job.seed, checked=True)
    end = "; ".join(walk.check_sensors()) or _driven(walk)
    summary = summarise_humanoid(walk)
    rows = stance_rows(walk.world.log)
    return Squared(
        job=job,
        end=end,
        seconds=summary.end_time,
        slip=1e3 * summary.max_stance_slip,
        dry=known_of([row for row in rows if row.mu_at_end != WATER]),
        wet=known_of([row for row in rows if row.mu_at_end == WATER]),
    )


def _driven(walk: HumanoidWalk) -> str:
    around(walk)
    if not walk.ended:
        poured_over(walk)
    if walk.world.fell:
        return END_FELL
    return END_LATE if walk.ended else ARRIVED


COLUMNS = {
    "robot": lambda one: short_name(one.job.robot),
    "world": lambda one: one.job.world,
    "seed": lambda one: one.job.seed,
    "end": lambda one: one.end,
    "seconds": lambda one: f"{one.seconds:.0f}",
    "largest slip [mm]": lambda one: f"{one.slip:.1f}",
    "dry: stances, answered, right, held": lambda one: " ".join(map(str, one.dry)),
    f"{WATER:g}: the same": lambda one: " ".join(map(str, one.wet)),
}


def show(results: Sequence[Squared], console: Screen) -> bool:
    """Print a row a square; return False when a robot fell."""
    console.print(table_of(COLUMNS, results))
    return all(one.end == ARRIVED for one in results)


SQUARES: Study[Job, Squared] = Study("square", squared, Squared, show=show)


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    declare(parser, "robot", "seeds", "workers")
    parser.add_argument("--world", default=HERE, help="here (default), own, or an MJCF")
    parser.add_argument("--period", type=float, help="of control [ms]")


def run(arguments: argparse.Namespace) -> int:
    """Walk squares; 1 if a robot did not come to the end of one."""
    period = None if arguments.period is None else 1e-3 * arguments.period
    first = arguments.first_seed
    return SQUARES.run(
        arguments,
        [
            Job(robot, arguments.world, period, seed)
            for robot in arguments.robot or ("g1",)
            for seed in range(first, first + (arguments.seeds or 4))
        ],
    )

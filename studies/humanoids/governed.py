# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""What a friction governor is worth: a controller over floors of every friction, governed or not, or stopped."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, Callable, Iterable, NamedTuple, Sequence

import numpy as np

from biped_slip.compile.arrays import Array
from biped_slip.compile.sources import sources_hash
from biped_slip.control.friction_governor import FrictionGovernorConfig
from biped_slip.errors import InvalidParameter
from biped_slip.estimation.readings import HumanoidReadings, base_motion
from biped_slip.friction_estimation.types import EstimateState
from biped_slip.robots.humanoid import load_humanoid
from biped_slip.simulation.campaign import LineFile, key_of, run_all
from biped_slip.simulation.humanoid.mujoco_plant import MujocoPlant
from biped_slip.simulation.humanoid.scenario import FloatingScenarioConfig, HumanoidWalkConfig, chosen_walk
from biped_slip.simulation.humanoid.walk import FloatingWorld
from biped_slip.walking.controller import Controller, slip_policy
from biped_slip.walking.governed_humanoid import GovernedHumanoid, Turns
from biped_slip.walking.humanoid_registry import humanoid_controller

MUS = (0.8, 0.4, 0.25, 0.2, 0.15, 0.1, 0.05)
CONTACTS = {
    "presliding": "hunt_crossley + elasto_plastic",
    "memory": "hunt_crossley + iwan",
    "creep": "hunt_crossley + regularised",  # without any presliding
    "mujoco": "MuJoCo",  # likewise, on its own dynamics
}
WAYS = ("all", "ahead")  # the floor from the start, or from a place that the seed draws
GUARDS = ("none", "governor", "stop")
GOOD, EARLIEST, LATEST = 0.8, 2.0, 3.0  # mu before the floor ahead; [m] where that begins
STEERING, FASTEST_TURN = 1.0, 0.5  # [1/s], [rad/s] of the pilot that keeps the heading
DURATION = 15.0  # [s]
KNOWN_PATH = 0.01  # [m] a slide that is called one


@dataclass(frozen=True)
class Cell:
    """Everything about a walk but its seed."""

    controller: str  # name of a humanoid's controller
    mu: float  # of the floor
    speed: float  # commanded [m/s]
    guard: str = "none"
    way: str = "ahead"
    contact: str = "presliding"
    robot: str = "g1"
    true_base: bool = True
    tolerance: float = 1.0  # of the governor
    keep: float = 0.0  # [m/s] likewise
    deceleration: float = 1.5  # [m/s^2] likewise


@dataclass(frozen=True)
class GovernedWalk:
    """One walk's result."""

    cell: Cell
    seed: int
    fell: bool
    time: float  # [s] to the fall, or all of it
    distance: float  # [m] along the commanded heading
    slid: float  # [m] longest way of a loaded sole in one stance
    known_first: bool | None  # whether the floor was known before a loaded sole slid 1 cm; None: it never slid


class Row(NamedTuple):
    """One line of the table: a cell over all seeds."""

    cell: Cell
    runs: int
    fell: int
    distance: float  # [m] mean
    speed: float  # [m/s] mean
    slid: float  # [m] largest
    known_first: tuple[int, int]  # walks in which the floor was known first, of those that slid


class GovernedFile(LineFile):
    """Walks that have ended."""

    def find(self, job: tuple[Cell, int]) -> GovernedWalk | None:
        """A walk that is in the file."""
        entry = self.entry(_key(*job))
        return None if entry is None else GovernedWalk(*job, **entry["found"])

    def add(self, walk: GovernedWalk) -> None:
        """Append one walk."""
        found = {name: value for name, value in vars(walk).items() if name not in ("cell", "seed")}
        self.append(_key(walk.cell, walk.seed), {"cell": vars(walk.cell), "seed": walk.seed, "found": found})


def _key(cell: Cell, seed: int) -> str:
    robot = load_humanoid(cell.robot).config.to_mapping()
    return "governed-" + key_of(sources_hash(__name__), robot, _config(cell).to_mapping(), vars(cell), seed)


def _config(cell: Cell) -> HumanoidWalkConfig:
    return replace(chosen_walk(cell.robot), speed=cell.speed, mu=cell.mu)


def _world(cell: Cell, seed: int) -> FloatingWorld:
    begin = float(np.random.default_rng(seed).uniform(EARLIEST, LATEST))
    far = 2.0 + DURATION * max(abs(cell.speed), 0.2) * 1.5
    ahead = cell.way == "ahead"
    terrain: dict[str, Any] = {
        "mu": GOOD if ahead else cell.mu,
        "patches": [[begin, far, -far, far, cell.mu]] if ahead else [],
        "extent": [-far, far, -far, far],
    }
    sensors = chosen_walk(cell.robot).sensors.to_mapping()
    said = {"duration": DURATION, "terrain": terrain, "sensors": sensors}
    humanoid = load_humanoid(cell.robot)
    if cell.contact == "mujoco":
        return FloatingWorld(humanoid, FloatingScenarioConfig.from_mapping(said), seed, plant=MujocoPlant)
    scenario = FloatingScenarioConfig.from_mapping({**said, "contact": CONTACTS[cell.contact]})
    return FloatingWorld(humanoid, scenario, seed)


def _controller(cell: Cell, config: HumanoidWalkConfig) -> Controller[HumanoidReadings]:
    weight, walking = load_humanoid(cell.robot).weight, config.walking
    controller = humanoid_controller(walking, slip_policy("interval", walking.policy_settings(weight)), cell.controller)
    if cell.guard == "governor":
        chosen = {name: getattr(cell, name) for name in ("tolerance", "keep", "deceleration")}
        governor = FrictionGovernorConfig(**chosen)
        return GovernedHumanoid(controller, cell.speed, weight, governor, walking.start)
    if cell.guard == "stop":
        controller.speed_scale = 0.0
    return controller


def run_governed(job: tuple[Cell, int]) -> GovernedWalk:
    """Walk once, a pilot keeping the heading, until the time is over or the robot has fallen."""
    cell, seed = job
    if cell.way not in WAYS or cell.contact not in CONTACTS or cell.guard not in GUARDS:
        raise InvalidParameter("cell", cell, f"of {WAYS}, {tuple(CONTACTS)}, {GUARDS}")
    world, controller = _world(cell, seed), _controller(cell, _config(cell))
    heading, known = world.plant.state.q, math.inf
    while not world.ended:
        heading = world.plant.state.q
        if isinstance(controller, Turns) and cell.guard != "stop":
            controller.turn = steering(heading)
        base = base_motion(world.measure()) if cell.true_base else None
        output = controller.step(HumanoidReadings(world.sense(), base))
        on_floor = world.log.mu[world.log.length - 1] == cell.mu
        for foot, estimate in enumerate(output.estimates):
            if on_floor[foot] and estimate.usable and estimate.state_code >= EstimateState.USABLE:
                known = min(known, 1e-9 * world.plant.stamp_ns)
        world.advance(output.torques)
    log = world.log.trim()
    slid, first = slides(log.normal, log.sole_position, log.mu == cell.mu, world.humanoid.weight)
    known_first = None if first is None else bool(known <= log.time[first])
    return GovernedWalk(cell, seed, world.fell, float(log.time[-1]), float(log.q[-1, 0]), slid, known_first)


def steering(q: Array) -> float:
    """Rate of turning [rad/s] that a pilot commands to go along x, for coordinates (nq,) of the base."""
    heading = math.atan2(2.0 * (q[6] * q[5] + q[3] * q[4]), 1.0 - 2.0 * (q[4] ** 2 + q[5] ** 2))
    return min(max(-STEERING * heading, -FASTEST_TURN), FASTEST_TURN)


def slides(normal: Array, place: Array, on_floor: Array, weight: float) -> tuple[float, int | None]:
    """Longest way of a loaded sole in one stance on the floor [m], and the tick at which one first reached 1 cm.

    Args:
        normal: (ticks, 2) load [N].
        place: (ticks, 2, 3) of the soles [m].
        on_floor: (ticks, 2) whether the sole is on the floor in question.
        weight: of the robot [N].
    """
    longest, first = 0.0, math.inf
    for foot in range(2):
        loaded = np.logical_and(normal[:, foot] > 0.3 * weight, on_floor[:, foot])
        edges = np.flatnonzero(np.diff(np.concatenate(([0], loaded.astype(int), [0])))).reshape(-1, 2)
        for begin, end in edges:
            way = np.linalg.norm(place[begin:end, foot, :2] - place[begin, foot, :2], axis=1)
            longest = max(longest, float(way.max()))
            far = np.flatnonzero(way >= KNOWN_PATH)
            first = min(first, begin + far[0]) if far.size else first
    return longest, None if math.isinf(first) else int(first)


def governed_walks(
    jobs: Sequence[tuple[Cell, int]],
    workers: int | None = None,
    done: Callable[[GovernedWalk], None] | None = None,
) -> list[GovernedWalk]:
    """All walks, results in their order."""
    return run_all(run_governed, jobs, workers, done)


def governed_table(walks: Iterable[GovernedWalk]) -> list[Row]:
    """One row per cell, in the order of first appearance."""
    groups: dict[Cell, list[GovernedWalk]] = {}
    for walk in walks:
        groups.setdefault(walk.cell, []).append(walk)
    return [_row(cell, group) for cell, group in groups.items()]


def _row(cell: Cell, group: list[GovernedWalk]) -> Row:
    slid = [walk for walk in group if walk.known_first is not None]
    return Row(
        cell,
        len(group),
        sum(walk.fell for walk in group),
        float(np.mean([walk.distance for walk in group])),
        float(np.mean([walk.distance / walk.time for walk in group])),
        max(walk.slid for walk in group),
        (sum(bool(walk.known_first) for walk in slid), len(slid)),
    )

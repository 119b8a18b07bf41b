# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Which commands a controller survives on which floor.

It also tells what a friction governor saves.
"""

from __future__ import annotations

import argparse
import math
from dataclasses import dataclass, replace
from typing import Any, Iterable, NamedTuple, Sequence

import numpy as np
from rich.table import Table

from biped_slip.cli.terminal import Screen, chosen_seeds
from biped_slip.compile.arrays import Array
from biped_slip.control.friction_governor import FrictionGovernorConfig
from biped_slip.errors import InvalidParameter
from biped_slip.estimation.readings import HumanoidReadings, base_motion
from biped_slip.friction_estimation.types import EstimateState
from biped_slip.robots.humanoid import load_humanoid
from biped_slip.simulation.humanoid.mujoco_plant import MujocoPlant
from biped_slip.simulation.humanoid.pilot import steering
from biped_slip.simulation.humanoid.scenario import (
    FloatingScenarioConfig,
    HumanoidWalkConfig,
    chosen_walk,
)
from biped_slip.simulation.humanoid.world import FloatingWorld
from biped_slip.walking.controller import Controller
from biped_slip.walking.governed_humanoid import GovernedHumanoid, Turns
from biped_slip.walking.registry import HUMANOID_DEFAULT, humanoid_controller
from biped_slip.walking.slip_policies import slip_policy
from studies.frame import Study, declare, grouped, table_of

MUS = (0.8, 0.4, 0.25, 0.2, 0.15, 0.1, 0.05)
CONTACTS = {
    "presliding": "hunt_crossley + elasto_plastic",
    "memory": "hunt_crossley + iwan",
    "creep": "hunt_crossley + regularised",  # without any presliding
    "mujoco": "MuJoCo",  # likewise, on its own dynamics
}
WAYS = ("all", "ahead")  # the floor from the start, or from a place that the seed draws
GUARDS = ("none", "governor", "stop")
# mu before the floor ahead; [m] where that begins
GOOD = 0.8
EARLIEST = 2.0
LATEST = 3.0
DURATION = 15.0  # [s]
KNOWN_PATH = 0.01  # [m] a slide that is called one
SEEDS = 4
SPEED = 1.0
COMMANDS = (0.0, 0.3, 0.6, 1.0)
ROBOT = "g1"


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
    # whether the floor was known before a loaded sole slid 1 cm; None: it never slid
    known_first: bool | None


class Row(NamedTuple):
    """One line of the table: a cell over all seeds."""

    cell: Cell
    runs: int
    fell: int
    distance: float  # [m] mean
    speed: float  # [m/s] mean
    slid: float  # [m] largest
    known_first: tuple[
        int, int
    ]  # walks in which the floor was known first, of those that slid


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
        return FloatingWorld(
            humanoid, FloatingScenarioConfig.from_mapping(said), seed, plant=MujocoPlant
        )
    scenario = FloatingScenarioConfig.from_mapping(
        {**said, "contact": CONTACTS[cell.contact]}
    )
    return FloatingWorld(humanoid, scenario, seed)


def _controller(cell: Cell, config: HumanoidWalkConfig) -> Controller[HumanoidReadings]:
    weight = load_humanoid(cell.robot).weight
    walking = config.walking
    controller = humanoid_controller(
        walking,
        slip_policy("interval", walking.policy_settings(weight)),
        cell.controller,
    )
    if cell.guard == "governor":
        chosen = {
            name: getattr(cell, name) for name in ("tolerance", "deceleration")
        } | {"minimum_speed": cell.keep}
        governor = FrictionGovernorConfig(**chosen)
        return GovernedHumanoid(controller, cell.speed, weight, governor, walking.start)
    if cell.guard == "stop":
        controller.speed_scale = 0.0
    return controller


def run_governed(job: tuple[Cell, int]) -> GovernedWalk:
    """Walk once, a pilot keeping the heading.

    The walk ends when the time is over or the robot has fallen.
    """
    cell, seed = job
    if cell.way not in WAYS or cell.contact not in CONTACTS or cell.guard not in GUARDS:
        raise InvalidParameter("cell", cell, f"of {WAYS}, {tuple(CONTACTS)}, {GUARDS}")
    world = _world(cell, seed)
    controller = _controller(cell, _config(cell))
    heading = world.plant.state.q
    known = math.inf
    while not world.ended:
        heading = world.plant.state.q
        if isinstance(controller, Turns) and cell.guard != "stop":
            controller.turn = steering(heading)
        base = base_motion(world.measure()) if cell.true_base else None
        output = controller.step(HumanoidReadings(world.sense(), base))
        on_floor = world.log.mu[world.log.length - 1] == cell.mu
        for foot, estimate in enumerate(output.estimates):
            if (
                on_floor[foot]
                and estimate.usable
                and estimate.state_code >= EstimateState.USABLE
            ):
                known = min(known, 1e-9 * world.plant.stamp_ns)
        world.advance(output.torques)
    log = world.log.trim()
    slid, first = slides(
        log.normal, log.sole_position, log.mu == cell.mu, world.humanoid.weight
    )
    known_first = None if first is None else bool(known <= log.time[first])
    return GovernedWalk(
        cell=cell,
        seed=seed,
        fell=world.fell,
        time=float(log.time[-1]),
        distance=float(log.q[-1, 0]),
        slid=slid,
        known_first=known_first,
    )


def slides(
    normal: Array, place: Array, on_floor: Array, weight: float
) -> tuple[float, int | None]:
    """Find the longest way of a loaded sole in one stance on the floor [m].

    Also find the tick at which one first reached 1 cm.

    Args:
        normal: (ticks, 2) load [N].
        place: (ticks, 2, 3) of the soles [m].
        on_floor: (ticks, 2) whether the sole is on the floor in question.
        weight: of the robot [N].
    """
    longest = 0.0
    first = math.inf
    for foot in range(2):
        loaded = np.logical_and(normal[:, foot] > 0.3 * weight, on_floor[:, foot])
        edges = np.flatnonzero(
            np.diff(np.concatenate(([0], loaded.astype(int), [0])))
        ).reshape(-1, 2)
        for begin, end in edges:
            way = np.linalg.norm(
                place[begin:end, foot, :2] - place[begin, foot, :2], axis=1
            )
            longest = max(longest, float(way.max()))
            far = np.flatnonzero(way >= KNOWN_PATH)
            first = min(first, begin + far[0]) if far.size else first
    return longest, None if math.isinf(first) else int(first)


def governed_table(walks: Iterable[GovernedWalk]) -> list[Row]:
    """One row per cell, in the order of first appearance."""
    return [
        _row(cell, group)
        for cell, group in grouped(walks, lambda walk: walk.cell).items()
    ]


def _row(cell: Cell, group: list[GovernedWalk]) -> Row:
    slid = [walk for walk in group if walk.known_first is not None]
    return Row(
        cell=cell,
        runs=len(group),
        fell=sum(walk.fell for walk in group),
        distance=float(np.mean([walk.distance for walk in group])),
        speed=float(np.mean([walk.distance / walk.time for walk in group])),
        slid=max(walk.slid for walk in group),
        known_first=(sum(bool(walk.known_first) for walk in slid), len(slid)),
    )


def _content(job: tuple[Cell, int]) -> Any:
    """Resolve the names in a cell."""
    return load_humanoid(job[0].robot).config.to_mapping(), _config(job[0]).to_mapping()


def show(walks: Sequence[GovernedWalk], console: Screen) -> None:
    """Print what is survived, then what the governor makes of it.

    Both are printed for each robot and contact.
    """
    places = grouped(
        governed_table(walks), lambda row: (row.cell.robot, row.cell.contact)
    )
    for (robot, contact), mine in places.items():
        title = f"{robot} on {CONTACTS[contact]}"
        if survived := [row for row in mine if row.cell.way == "all"]:
            console.print(_survived(f"{title}: fell, and speed, by command", survived))
        if ahead := [row for row in mine if row.cell.way == "ahead"]:
            console.print(
                _guarded(
                    f"{title}: from mu 0.8 onto mu, {ahead[0].cell.speed:g} m/s "
                    "commanded",
                    ahead,
                )
            )


def _survived(title: str, rows: Sequence[Row]) -> Table:
    commands = sorted({_command(row.cell) for row in rows})
    table = Table("mu", *(f"{command:g} m/s" for command in commands), title=title)
    for mu, group in grouped(rows, lambda row: row.cell.mu).items():
        found = {
            _command(row.cell): f"{row.fell}/{row.runs}  {row.speed:+.2f}"
            for row in group
        }
        table.add_row(f"{mu:g}", *(found.get(command, "-") for command in commands))
    return table


def _command(cell: Cell) -> float:
    return 0.0 if cell.guard == "stop" else cell.speed


def _guarded(title: str, rows: Sequence[Row]) -> Table:
    free = {
        row.cell.mu: row.distance
        for row in rows
        if row.cell.guard == "none" and row.distance > 0.0
    }
    columns = {
        "mu": lambda row: f"{row.cell.mu:g}",
        "guard": lambda row: row.cell.guard,
        "fell": lambda row: f"{row.fell}/{row.runs}",
        "distance [m]": lambda row: f"{row.distance:.2f}",
        "of ungoverned": lambda row: (
            f"{100 * row.distance / free[row.cell.mu]:.0f} %"
            if row.cell.mu in free
            else "-"
        ),
        "slid [mm]": lambda row: f"{1e3 * row.slid:.0f}",
        "known before it slid 1 cm": lambda row: "{}/{}".format(*row.known_first),
    }
    return table_of(
        columns,
        (
            row
            for group in grouped(rows, lambda row: row.cell.mu).values()
            for row in group
        ),
        title,
    )


GOVERNOR = Study(
    name="governor",
    work=run_governed,
    result=GovernedWalk,
    tables=lambda walks: {"governor": governed_table(walks)},
    show=show,
    content=_content,
    job=lambda walk: (walk.cell, walk.seed),
)


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    declare(parser, "robot", "mu", "seeds", "workers")
    parser.add_argument(
        "--controller",
        default=HUMANOID_DEFAULT,
        metavar="NAME",
        help="of a humanoid, such as onnx:FILE",
    )
    parser.add_argument(
        "--true-base", action="store_true", help="the base as it truly moves"
    )
    parser.add_argument(
        "--speed",
        type=float,
        default=SPEED,
        help=f"commanded where the floor ends [m/s] ({SPEED:g})",
    )
    parser.add_argument(
        "--commands",
        nargs="+",
        type=float,
        default=list(COMMANDS),
        help="speeds tried on each floor [m/s]; 0 stops",
    )
    parser.add_argument(
        "--contact",
        nargs="+",
        choices=CONTACTS,
        default=["presliding", "creep"],
        help="of the floor",
    )
    parser.add_argument(
        "--way",
        nargs="+",
        choices=WAYS,
        default=list(WAYS),
        help="a floor all the way, or ahead",
    )
    parser.add_argument(
        "--guard",
        nargs="+",
        choices=GUARDS,
        default=list(GUARDS),
        help="where the floor lies ahead",
    )
    parser.add_argument("--tolerance", type=float, default=1.0, help="of the governor")
    parser.add_argument(
        "--deceleration", type=float, default=1.5, help="of the governor [m/s^2]"
    )
    parser.add_argument(
        "--keep",
        type=float,
        default=0.0,
        help="of the governor: speed that always goes through [m/s]",
    )


def run(arguments: argparse.Namespace) -> int:
    """Walk what is missing and print the tables."""
    seeds = chosen_seeds(arguments, SEEDS)
    return GOVERNOR.run(
        arguments, [(cell, seed) for cell in _cells(arguments) for seed in seeds]
    )


def _cells(arguments: argparse.Namespace) -> list[Cell]:
    robots = arguments.robot or [ROBOT]
    places = [
        (robot, contact, mu)
        for robot in robots
        for contact in arguments.contact
        for mu in arguments.mu or MUS
    ]
    return [
        cell
        for place in places
        for way in arguments.way
        for cell in _at(arguments, way, *place)
    ]


def _at(
    arguments: argparse.Namespace, way: str, robot: str, contact: str, mu: float
) -> list[Cell]:
    def cell(guard: str, speed: float) -> Cell:
        made = Cell(
            controller=arguments.controller,
            mu=mu,
            speed=speed,
            guard=guard,
            way=way,
            contact=contact,
            robot=robot,
            true_base=arguments.true_base,
        )
        if guard != "governor":
            return made
        return replace(
            made,
            tolerance=arguments.tolerance,
            keep=arguments.keep,
            deceleration=arguments.deceleration,
        )

    if way == "ahead":
        return [cell(guard, arguments.speed) for guard in arguments.guard]
    return [
        cell("none", speed) if speed else cell("stop", SPEED)
        for speed in arguments.commands
    ]

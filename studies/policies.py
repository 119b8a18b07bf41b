# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Open walking policies on floors of one friction coefficient, in both plants.

Each policy walks its own source's robot (``comparison/policy_robot.py``) at the speed
at which it was measured, on the true motion of its base, a pilot keeping the heading.
The seed draws the base's velocity at the start. MuJoCo's friction is stiff (2 ms): with
its default a loaded foot creeps by centimetres a stance.
"""

from __future__ import annotations

import argparse
import hashlib
import math
import tempfile
from pathlib import Path
from typing import Any, Iterable, NamedTuple, Sequence

import numpy as np
import yaml

from biped_slip.cli.options import folder_to_write
from biped_slip.cli.terminal import Screen, chosen_seeds
from biped_slip.comparison.policy_robot import (
    PolicyFiles,
    senses_base,
    write_robot,
)
from biped_slip.compile.arrays import Array
from biped_slip.config import read_yaml
from biped_slip.simulation.humanoid.pilot import steering
from biped_slip.simulation.humanoid.scenario import chosen_walk
from biped_slip.simulation.humanoid.walk import HumanoidWalk
from biped_slip.walking.governed_humanoid import Turns
from studies.frame import Study, declare, grouped, table_of
from studies.policy_robots import policy_files

PLANTS: dict[str, Any] = {
    "here": "hunt_crossley + elasto_plastic",
    "mujoco": {
        "law": "mujoco",
        "mujoco": {"friction_time_constant": 0.002, "impratio": 10.0},
    },
}
SECONDS = 20.0
STEADY = 3.0  # [s] from which on the speed counts
STARTING_SPEED = 0.05  # [m/s] sd of the base's at the start, forward and sideways
ON_FLOOR = 0.01  # of the weight
IN_THE_AIR = 0.04  # [s] after which a contact is a landing
PATCH_FROM = 2.0  # [m] where it begins
PATCH_LENGTH = 2.0  # [m]
FASTEST = 3.0  # times the command: no policy walks so far


class PolicyJob(NamedTuple):
    """Everything about a walk of a policy."""

    folder: str
    policy: str
    plant: str
    mu: float
    seconds: float
    seed: int
    onto: float | None = None  # mu of a patch on the way


class PolicyWalk(NamedTuple):
    """One walk's result."""

    job: PolicyJob
    problem: str  # of the guard; empty: none
    fell: bool
    time: float  # [s] to the fall, or all of it
    commanded: float  # [m/s]
    speed: float  # [m/s] forward from STEADY on
    landings: int


class Row(NamedTuple):
    """A policy on one floor of one plant, over all seeds."""

    policy: str
    plant: str
    mu: float
    runs: int
    up: int
    time: float  # [s] mean of the falls; NaN: none
    commanded: float  # [m/s]
    speed: float  # [m/s] mean of the walks that stayed up; NaN: none
    landings: float  # mean of a walk


def write_walk(
    files: PolicyFiles,
    folder: Path,
    plant: str,
    mu: float,
    distance: float,
    onto: float | None = None,
) -> Path:
    """Write a policy's robot and a walk of it, as ``walk --robot`` takes it.

    Args:
        files: of the policy.
        folder: to write to.
        plant: a name of PLANTS.
        mu: friction coefficient of the floor.
        distance: where the walk ends [m].
        onto: mu of a patch on the way.
    """
    patch = {"length": 0.0}
    if onto is not None:
        place = {"earliest": PATCH_FROM, "latest": PATCH_FROM}
        patch = {"mu": onto, "length": PATCH_LENGTH, **place}
    robot = write_robot(files, folder)
    mapping = {
        "robot": robot.name,
        "speed": files.speed,
        "start": 0.0,
        "distance": distance,
        "mu": mu,
        "patch": patch,
        "contact": PLANTS[plant],
    }
    path = folder / f"{files.network.stem}.yaml"
    path.write_text(yaml.safe_dump(mapping, sort_keys=False), encoding="utf-8")
    return path


def landings(normal: Array, weight: float, period: float) -> int:
    """Count the contacts of both feet that come after 40 ms in the air.

    Args:
        normal: (ticks, 2) load [N].
        weight: of the robot [N].
        period: of a tick [s].
    """
    count = 0
    for load in normal.T:
        loaded = np.flatnonzero(load > ON_FLOOR * weight)
        count += int(np.sum(np.diff(loaded) * period > IN_THE_AIR))
    return count


def start_moving(walk: HumanoidWalk, seed: int) -> None:
    """Place a robot in its posture, its base moving a little as the seed draws it."""
    velocity = np.zeros(walk.humanoid.model.nv)
    draw = np.random.default_rng(seed)
    velocity[:2] = draw.normal(0.0, STARTING_SPEED, 2)
    walk.world.plant.place(walk.humanoid.standing(), velocity)


def walk_policy(job: PolicyJob) -> PolicyWalk:
    """Walk once."""
    files = policy_files(Path(job.folder), job.policy)
    far = FASTEST * files.speed * job.seconds
    with tempfile.TemporaryDirectory() as folder:
        path = write_walk(files, Path(folder), job.plant, job.mu, far)
        config = chosen_walk(str(path))
        walk = HumanoidWalk(
            config,
            "none",
            job.seed,
            true_base=True,
            controller=f"onnx:{files.network}",
        )
    plant = walk.world.plant
    start_moving(walk, job.seed)
    while 1e-9 * plant.stamp_ns < job.seconds and not walk.ended:
        if isinstance(walk.sequencer, Turns):
            walk.sequencer.turn = steering(plant.state.q)
        walk.tick()
    return _result(job, files, walk)


def _result(job: PolicyJob, files: PolicyFiles, walk: HumanoidWalk) -> PolicyWalk:
    log = walk.world.log.trim()
    steady = np.flatnonzero(log.time >= STEADY)
    speed = math.nan
    if steady.size > 1:
        way = log.q[steady[-1], 0] - log.q[steady[0], 0]
        speed = float(way / (log.time[steady[-1]] - log.time[steady[0]]))
    return PolicyWalk(
        job=job,
        problem=str(walk.guarded.problem or ""),
        fell=walk.world.fell,
        time=float(log.time[-1]),
        commanded=files.speed,
        speed=speed,
        landings=landings(log.normal, walk.humanoid.weight, walk.config.period),
    )


def policy_table(walks: Iterable[PolicyWalk]) -> list[Row]:
    """One row per policy, plant and floor, in the order of first appearance."""
    return [
        _row(group)
        for group in grouped(walks, lambda walk: walk.job._replace(seed=0)).values()
    ]


def _row(group: list[PolicyWalk]) -> Row:
    first = group[0]
    up = [walk for walk in group if not walk.fell]
    falls = [walk.time for walk in group if walk.fell]
    return Row(
        policy=first.job.policy,
        plant=first.job.plant,
        mu=first.job.mu,
        runs=len(group),
        up=len(up),
        time=float(np.mean(falls)) if falls else math.nan,
        commanded=first.commanded,
        speed=float(np.mean([walk.speed for walk in up])) if up else math.nan,
        landings=float(np.mean([walk.landings for walk in group])),
    )


COLUMNS = {
    "policy": lambda row: row.policy,
    "plant": lambda row: row.plant,
    "mu": lambda row: f"{row.mu:g}",
    "stayed up": lambda row: f"{row.up}/{row.runs}",
    "fell after": lambda row: "-" if math.isnan(row.time) else f"{row.time:.1f} s",
    "speed": lambda row: "-" if math.isnan(row.speed) else f"{row.speed:+.2f} m/s",
    "of the command": lambda row: (
        "-" if math.isnan(row.speed) else f"{100.0 * row.speed / row.commanded:.0f} %"
    ),
    "landings": lambda row: f"{row.landings:.0f}",
}


def show(walks: Sequence[PolicyWalk], console: Screen) -> None:
    """Print the table, and what the guard stopped."""
    console.print(table_of(COLUMNS, policy_table(walks)))
    for walk in walks:
        if walk.problem:
            console.print(
                f"{walk.job.policy}, {walk.job.plant}, mu {walk.job.mu:g}, seed "
                f"{walk.job.seed}: the guard stopped the joints ({walk.problem})"
            )


def policy_content(job: PolicyJob) -> Any:
    """Hash the files that a job reads."""
    files = policy_files(Path(job.folder), job.policy)
    read = (files.network, files.network.with_suffix(".yaml"), files.mjcf)
    return [hashlib.sha256(path.read_bytes()).hexdigest() for path in read]


POLICIES = Study(
    name="policies",
    work=walk_policy,
    result=PolicyWalk,
    tables=lambda walks: {"policies": policy_table(walks)},
    show=show,
    content=policy_content,
)


def playable(folder: Path) -> list[str]:
    """List the policies of an index whose IMU is on the base."""
    index = read_yaml(folder / "index.yaml")
    return [name for name in index if senses_base(policy_files(folder, name))]


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    declare(parser, "mu", "seeds", "workers")
    parser.add_argument(
        "folder",
        type=Path,
        help="networks with layouts of their names beside them, index.yaml and the "
        "robots' MJCF under robots/",
    )
    parser.add_argument(
        "--policy",
        nargs="+",
        metavar="NAME",
        help="of the index (all whose IMU is on the base)",
    )
    parser.add_argument(
        "--plant", nargs="+", choices=PLANTS, default=list(PLANTS), help="physics"
    )
    parser.add_argument(
        "--seconds", type=float, default=SECONDS, help=f"of a walk ({SECONDS:g})"
    )
    parser.add_argument(
        "--files",
        type=folder_to_write,
        metavar="FOLDER",
        help="write robots and walks there, for `biped-slip walk --robot`, and end",
    )


def policy_jobs(
    arguments: argparse.Namespace, names: Sequence[str], mus: Sequence[float]
) -> list[PolicyJob]:
    """List the walks of policies on floors in the chosen plants."""
    return [
        PolicyJob(
            folder=str(arguments.folder.resolve()),
            policy=name,
            plant=plant,
            mu=mu,
            seconds=arguments.seconds,
            seed=seed,
        )
        for plant in arguments.plant
        for name in names
        for mu in mus
        for seed in chosen_seeds(arguments, 1)
    ]


def run(arguments: argparse.Namespace) -> int:
    """Walk what is missing and print the table, or write the robots' files."""
    names = arguments.policy or playable(arguments.folder)
    mus = arguments.mu or [1.0]
    if arguments.files is not None:
        for name in names:
            files = policy_files(arguments.folder, name)
            distance = files.speed * arguments.seconds
            path = write_walk(
                files, arguments.files, arguments.plant[0], mus[0], distance
            )
            Screen().print(path)
        return 0
    return POLICIES.run(arguments, policy_jobs(arguments, names, mus))

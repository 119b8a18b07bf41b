# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Walks over ROS topics: simulator and controller are nodes, each in a process.

In lockstep a walk is, to the last bit, the one that the simulator walks alone.
"""

from __future__ import annotations

import contextlib
import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Callable, Iterator, NamedTuple, Sequence

import numpy as np

from biped_slip.constants import GRAVITY
from biped_slip.contact.spill import spill_of
from biped_slip.control.supervisor import SupervisorConfig
from biped_slip.estimation.health import HealthConfig
from biped_slip.estimation.planar_feet import FloorConfig, motion_source
from biped_slip.friction_estimation.registry import make_estimator
from biped_slip.robots.planar_biped import planar_biped
from biped_slip.ros.processes import follow, running_nodes
from biped_slip.simulation.humanoid.scenario import chosen_walk
from biped_slip.simulation.humanoid.walk import HumanoidTrack
from biped_slip.simulation.kept_time import KEPT_TIME, KeptTime
from biped_slip.simulation.planar.log import WalkLog
from biped_slip.simulation.planar.scenario import ScenarioConfig, chosen_scenario
from biped_slip.simulation.planar.summary import summarise
from biped_slip.simulation.planar.walk import WalkResult
from biped_slip.simulation.planar.world import PlanarWorld
from biped_slip.simulation.scenario import ORACLE
from biped_slip.walking.planar import FrictionObserver, guarded_planar
from biped_slip.walking.slip_policies import estimator_of

SENSOR_CHECK_PATIENCE = (
    60.0  # [s] in lockstep the sensors are judged between two answers
)

Nodes = dict[str, dict[str, Any]]  # parameters by the node's name


class Run(NamedTuple):
    """How the nodes of a walk run."""

    mode: str = "lockstep"  # or real-time
    controller: str = ""  # by its name; empty: the robot's usual one
    period: str = "walk"  # of control, as the nodes' parameter says it
    options: Sequence[str] = ()  # further words of the nodes' command lines
    kept: Callable[[KeptTime], None] | None = None  # told how the time was kept


LOCKSTEP = Run()


def walk_over_topics(
    scenario: str,
    limit: str,
    how: Run = LOCKSTEP,
    *,
    seed: int | None = None,
    embedded: bool = False,
    duration: float | None = None,
    progress: Callable[[float], None] | None = None,
) -> WalkResult:
    """Run a planar walk by three nodes over ROS topics.

    It is two if the estimator is inside the controller.

    Args:
        scenario: name or file.
        limit: policy for slip.
        how: the nodes run.
        seed: perturbs the scenario and draws the noise; None: nominal.
        embedded: the estimator runs inside the controller.
        duration: [s], in place of the scenario's.
        progress: called with the share done.

    Raises:
        NodeFailed: a node ended before the walk did.
    """
    shared = {
        "mode": how.mode,
        "scenario": scenario,
        "seed": -1 if seed is None else seed,
    }
    length = duration or chosen_scenario(scenario).duration
    nodes = _planar_nodes(shared, limit, how, embedded)
    nodes["contact_simulator"]["duration"] = float(length)
    robot = planar_biped(chosen_scenario(scenario).variant)
    with _walked(nodes, how, lambda now: progress and progress(now / length)) as (
        result,
        log_file,
    ):
        log = WalkLog.load(log_file, robot)
        end = result["fell"], result["wall_time"], result["diverged"]
        return WalkResult(log, summarise(log, *end))


def _planar_nodes(
    shared: dict[str, Any], limit: str, how: Run, embedded: bool
) -> Nodes:
    """List the nodes of a planar walk with their parameters.

    An oracle or a policy from outside has its own estimator, inside the controller.
    """
    estimator = estimator_of(limit)
    embedded = embedded or estimator is None
    nodes: Nodes = {"contact_simulator": {**shared, "period": how.period}}
    if not embedded:
        nodes["friction_estimator"] = {**shared, "estimator": estimator}
    nodes["walking_controller"] = {
        **shared,
        **_policy(limit, shared["scenario"], shared["seed"], how.controller),
        "period": how.period,
        "embedded_estimator": embedded,
    }
    return nodes


def humanoid_over_topics(
    walk: str,
    limit: str,
    how: Run = LOCKSTEP,
    *,
    seed: int = 0,
    checked: bool = True,
    base: str = "estimated",
    progress: Callable[[float], None] | None = None,
) -> HumanoidTrack:
    """Run a humanoid's walk by simulator and controller over ROS topics.

    Args:
        walk: its name or file.
        limit: policy for slip.
        how: the nodes run.
        seed: draws floor and noise.
        checked: whether the sensors are checked first.
        base: odom or estimated.
        progress: called with the time walked [s].

    Returns:
        The way that was walked, with its log.

    Raises:
        NodeFailed: a node ended before the walk did.
    """
    shared = {
        "mode": how.mode,
        "humanoid_walk": walk,
        "seed": seed,
        "period": how.period,
    }
    nodes: Nodes = {
        "contact_simulator": {
            **shared,
            "startup_timeout": 600.0,
            "timeout": SENSOR_CHECK_PATIENCE,
        },
        "walking_controller": {
            **shared,
            **_policy(limit, walk, seed, how.controller),
            "check_sensors": checked,
            "base": base,
        },
    }
    with _walked(nodes, how, lambda now: progress and progress(now)) as (
        result,
        log_file,
    ):
        track = HumanoidTrack(chosen_walk(walk), seed)
        track.log.read(log_file)
        for _, *numbers in result["spills"]:
            track.spill(spill_of(numbers))
        track.fell = bool(result["fell"])
        track.diverged = str(result["diverged"])
        return track


def _policy(limit: str, walk: str, seed: int, controller: str) -> dict[str, str]:
    """Build a controller's parameters; an oracle gets its walk."""
    return {
        "limit": f"{limit}:{walk}:{seed}" if limit == ORACLE else limit,
        "controller": controller,
    }


@contextlib.contextmanager
def _walked(
    nodes: Nodes, how: Run, progress: Callable[[float], Any]
) -> Iterator[tuple[dict[str, Any], str]]:
    """Return summary and log file of a walk, from the simulator among these nodes."""
    with TemporaryDirectory(prefix="biped_slip_") as folder:
        files = {
            "result_file": f"{folder}/result.json",
            "log_file": f"{folder}/log.npz",
        }
        nodes["contact_simulator"] |= {**files, "progress": True}
        with running_nodes(nodes, options=how.options) as processes:
            follow(processes, "contact_simulator", progress)
        found: dict[str, Any] = json.loads(
            Path(files["result_file"]).read_text(encoding="utf-8")
        )
        time_kept = KeptTime(**found.pop(KEPT_TIME))
        if how.kept is not None:
            how.kept(time_kept)
        yield found, files["log_file"]


def compile_ahead(
    scenario: ScenarioConfig, limits: Sequence[str], embedded: bool = False
) -> None:
    """Compile the nodes' kernels once in this process, before the nodes start.

    Args:
        scenario: what will be walked.
        limits: policies for slip; one from outside brings its own parts, which its node
            compiles.
        embedded: whether the estimator will run inside the controller.
    """
    world = PlanarWorld(scenario)
    floor = FloorConfig(scenario.ground.slope)
    walking = scenario.walking
    robot = world.robot
    world.read()
    world.advance(np.zeros(len(robot.joints)))
    estimators = {
        limit: name for limit in limits if (name := estimator_of(limit)) is not None
    }
    for limit in estimators:
        supervision = SupervisorConfig(), HealthConfig()
        guarded_planar(robot, walking, limit, floor, *supervision)
    if not embedded:
        for name in set(estimators.values()):
            estimator = make_estimator(
                name, walking.policy_settings(robot.mass * GRAVITY).estimator
            )
            FrictionObserver(
                robot, estimator, motion_source(robot, walking.motion, floor)
            ).try_out(len(robot.joints))

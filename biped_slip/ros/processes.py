# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Nodes of this package as child processes over DDS on this machine alone."""

from __future__ import annotations

import contextlib
import importlib.util
import json
import os
import random
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, Any, Callable, Iterator, Mapping, Sequence

import numpy as np
import yaml

from biped_slip.child_processes import endings_wait
from biped_slip.constants import GRAVITY
from biped_slip.control.supervisor import SupervisorConfig
from biped_slip.errors import BipedSlipError
from biped_slip.estimation.health import HealthConfig
from biped_slip.estimation.planar_feet import FloorConfig, motion_source
from biped_slip.friction_estimation.registry import make_estimator
from biped_slip.robots.planar_biped import planar_biped
from biped_slip.simulation.humanoid.scenario import chosen_walk
from biped_slip.simulation.humanoid.walk import HumanoidTrack
from biped_slip.simulation.planar.scenario import ScenarioConfig
from biped_slip.simulation.planar.walk import (
    ORACLE,
    WalkLog,
    WalkResult,
    World,
    chosen_scenario,
    summarise,
)
from biped_slip.simulation.walk import KEPT, KeptTime
from biped_slip.walking.planar import FrictionObserver, guarded_planar
from biped_slip.walking.slip_policies import estimator_of

LOCAL_AND_PLAIN = {
    "ROS_AUTOMATIC_DISCOVERY_RANGE": "LOCALHOST",
    "RCUTILS_COLORIZED_OUTPUT": "0",
}
REALTIME = ("--realtime-priority", "60")  # words of a node's command line
_ERROR_LINE = re.compile(
    r"^\[(?:ERROR|FATAL)\] \[[\d.]+\] \[[^\]]*\]: (.*)$", re.MULTILINE
)
_PATIENCE_AT_END = 5.0  # [s] for a process to end after a signal
SENSOR_CHECK_PATIENCE = (
    60.0  # [s] in lockstep the sensors are judged between two answers
)
_PORTS = 7400, 250  # first port and ports per domain of DDS
_LISTENED = (
    0,
    *range(10, 32, 2),
)  # of a domain: everybody's, and the own ones of its first participants


class NodeFailed(BipedSlipError):
    """Error: a node ended early; the text is its last error."""


def free_domain(rng: random.Random | None = None) -> int:
    """Find a ROS domain that is not used on this machine.

    Who is heard on this machine alone (LOCALHOST) does not listen on the domain's
    common port, but on one of its own.
    """
    domains = list(range(1, 100))
    (rng or random.Random()).shuffle(domains)
    for domain in domains:
        if not any(
            _in_use(_PORTS[0] + _PORTS[1] * domain + offset) for offset in _LISTENED
        ):
            return domain
    raise BipedSlipError("every ROS domain of this machine is in use")


def _in_use(port: int) -> bool:
    """Return whether there is a listener."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.bind(("", port))
        except OSError:
            return True
    return False


def need_ros() -> None:
    """Raise an error in one sentence where ROS is not installed."""
    if importlib.util.find_spec("rclpy") is None:
        raise BipedSlipError(
            "ROS 2 is missing (no module rclpy); `pip install .[ros]` brings it"
        )


class NodeProcess:
    """Process of one node.

    Args:
        name: of the node and of its module, or a module elsewhere in full.
        parameters: ROS parameters.
        folder: for parameters and log.
        domain: ROS domain.
        options: further words of the command line.
        alias: name of its files and in its sentences, where a module runs twice.
        environment: further variables.
    """

    def __init__(
        self,
        name: str,
        parameters: Mapping[str, Any],
        folder: Path,
        domain: int,
        options: Sequence[str] = (),
        alias: str = "",
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self.name = alias or name
        self._errors = folder / f"{self.name}.log"
        file = folder / f"{self.name}.yaml"
        file.write_text(
            yaml.safe_dump({"/**": {"ros__parameters": dict(parameters)}}),
            encoding="utf-8",
        )
        words = [
            sys.executable,
            "-m",
            "biped_slip.ros",
            name,
            *options,
            "--ros-args",
            "--params-file",
            str(file),
        ]
        place = {
            **os.environ,
            "ROS_DOMAIN_ID": str(domain),
            **LOCAL_AND_PLAIN,
            **(environment or {}),
        }
        with self._errors.open("w", encoding="utf-8") as errors:
            self.process = subprocess.Popen(
                words, stdout=subprocess.PIPE, stderr=errors, text=True, env=place
            )

    @property
    def running(self) -> bool:
        """Return whether the process has not ended."""
        return self.process.poll() is None

    def log(self) -> str:
        """Return the node's output so far."""
        return self._errors.read_text(encoding="utf-8", errors="replace")

    def failure(self) -> str:
        """Return the node's last error."""
        text = self.log()
        errors = _ERROR_LINE.findall(text) or text.strip().splitlines()
        reason = errors[-1] if errors else "no error message"
        return f"{self.name} ended with exit code {self.process.returncode}: {reason}"

    def end(self) -> None:
        """Interrupt the process, and kill it if it does not end."""
        if self.running:
            self.process.send_signal(signal.SIGINT)
        try:
            self.process.wait(_PATIENCE_AT_END)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


@contextlib.contextmanager
def running_nodes(
    nodes: Mapping[str, Mapping[str, Any]],
    domain: int | None = None,
    options: Sequence[str] = (),
) -> Iterator[dict[str, NodeProcess]]:
    """Run processes by node name while the context lasts; parameters by node name."""
    need_ros()
    domain = free_domain() if domain is None else domain
    processes: dict[str, NodeProcess] = {}
    with TemporaryDirectory(prefix="biped_slip_") as folder:
        try:
            for name, parameters in nodes.items():
                with endings_wait():
                    processes[name] = NodeProcess(
                        name, parameters, Path(folder), domain, options
                    )
            yield processes
        finally:
            for process in reversed(processes.values()):
                process.end()


def walk_over_topics(
    scenario: str,
    limit: str,
    *,
    seed: int | None = None,
    mode: str = "lockstep",
    embedded: bool = False,
    duration: float | None = None,
    controller: str = "",
    period: str = "walk",
    options: Sequence[str] = (),
    progress: Callable[[float], None] | None = None,
    kept: Callable[[KeptTime], None] | None = None,
) -> WalkResult:
    """Run a planar walk by three nodes over ROS topics.

    There are two if the estimator is inside the controller.

    Args:
        scenario: name or file.
        limit: policy for slip.
        seed: perturbs the scenario and draws the noise; None: nominal.
        mode: lockstep or real-time.
        embedded: the estimator runs inside the controller.
        duration: [s], in place of the scenario's.
        controller: by its name; empty: the virtual model.
        period: of control, as the nodes' parameter says it.
        options: further words of the nodes' command lines.
        progress: called with the share done.
        kept: called with how well the simulator kept the time.

    Raises:
        NodeFailed: a node ended before the walk did.
    """
    shared = {"mode": mode, "scenario": scenario, "seed": -1 if seed is None else seed}
    length = duration or chosen_scenario(scenario).duration
    nodes: dict[str, dict[str, Any]] = {
        "contact_simulator": {**shared, "duration": float(length), "period": period}
    }
    estimator = estimator_of(limit)
    embedded = (
        embedded or estimator is None
    )  # an oracle or a policy from outside has its own estimator
    if not embedded:
        nodes["friction_estimator"] = {**shared, "estimator": estimator}
    nodes["walking_controller"] = {
        **shared,
        **_policy(limit, scenario, shared["seed"], controller),
    }
    nodes["walking_controller"]["period"] = period
    nodes["walking_controller"]["embedded_estimator"] = embedded
    robot = planar_biped(chosen_scenario(scenario).variant)
    with _walked(
        nodes, options, lambda now: progress and progress(now / length), kept
    ) as (result, log_file):
        log = WalkLog.load(log_file, robot)
        return WalkResult(log, summarise(log, result["fell"], result["wall_time"]))


def humanoid_over_topics(
    walk: str,
    limit: str,
    *,
    seed: int = 0,
    mode: str = "lockstep",
    checked: bool = True,
    base: str = "estimated",
    controller: str = "",
    period: str = "walk",
    options: Sequence[str] = (),
    progress: Callable[[float], None] | None = None,
    kept: Callable[[KeptTime], None] | None = None,
) -> HumanoidTrack:
    """Run a humanoid's walk by simulator and controller over ROS topics.

    Args:
        walk: its name or file.
        limit: policy for slip.
        seed: draws floor and noise.
        mode: lockstep or real-time.
        checked: whether the sensors are checked first.
        base: odom or estimated.
        controller: by its name; empty: the whole body's.
        period: of control, as the nodes' parameter says it.
        options: further words of the nodes' command lines.
        progress: called with the time walked [s].
        kept: called with how well the simulator kept the time.

    Returns:
        The way that was walked, with its log.

    Raises:
        NodeFailed: a node ended before the walk did.
    """
    shared = {"mode": mode, "humanoid_walk": walk, "seed": seed, "period": period}
    nodes: dict[str, dict[str, Any]] = {
        "contact_simulator": {
            **shared,
            "startup_timeout": 600.0,
            "timeout": SENSOR_CHECK_PATIENCE,
        },
        "walking_controller": {
            **shared,
            **_policy(limit, walk, seed, controller),
            "check_sensors": checked,
            "base": base,
        },
    }
    with _walked(nodes, options, lambda now: progress and progress(now), kept) as (
        result,
        log_file,
    ):
        track = HumanoidTrack(chosen_walk(walk), seed)
        track.log.read(log_file)
        track.fell = bool(result["fell"])
        return track


def _policy(limit: str, walk: str, seed: int, controller: str) -> dict[str, str]:
    """Build a controller's parameters; an oracle gets its walk."""
    return {
        "limit": f"{limit}:{walk}:{seed}" if limit == ORACLE else limit,
        "controller": controller,
    }


@contextlib.contextmanager
def _walked(
    nodes: dict[str, dict[str, Any]],
    options: Sequence[str],
    progress: Callable[[float], Any],
    kept: Callable[[KeptTime], None] | None,
) -> Iterator[tuple[dict[str, Any], str]]:
    """Return summary and log file of a walk, from the simulator among these nodes."""
    with TemporaryDirectory(prefix="biped_slip_") as folder:
        files = {
            "result_file": f"{folder}/result.json",
            "log_file": f"{folder}/log.npz",
        }
        nodes["contact_simulator"] |= {**files, "progress": True}
        with running_nodes(nodes, options=options) as processes:
            _follow(processes, "contact_simulator", progress)
        found: dict[str, Any] = json.loads(
            Path(files["result_file"]).read_text(encoding="utf-8")
        )
        time_kept = KeptTime(**found.pop(KEPT))
        if kept is not None:
            kept(time_kept)
        yield found, files["log_file"]


def _follow(
    processes: Mapping[str, NodeProcess], leader: str, progress: Callable[[float], Any]
) -> None:
    """Wait until the leader has ended well.

    Its lines on standard output are times like `1.2 s`.
    """
    lead = processes[leader]
    reader = threading.Thread(
        target=_read_times, args=(lead.process.stdout, progress), daemon=True
    )
    reader.start()
    while lead.running:
        for process in processes.values():
            if not process.running and process is not lead:
                raise NodeFailed(process.failure())
        time.sleep(0.05)
    reader.join(_PATIENCE_AT_END)
    if lead.process.returncode:
        raise NodeFailed(lead.failure())


def _read_times(lines: IO[str] | None, progress: Callable[[float], Any]) -> None:
    for line in lines or ():
        with contextlib.suppress(ValueError, IndexError):
            progress(float(line.split()[0]))


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
    world = World(scenario)
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

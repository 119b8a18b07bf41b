# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""How soon a walk begins: with nothing compiled, after compiling ahead, for a node, and for a robot's first time."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from importlib.util import find_spec
from pathlib import Path

from biped_slip.errors import BipedSlipError
from biped_slip.ros.processes import NodeProcess, free_domain
from studies.estimator.conditions import NAN, Row

SCENARIO, LIMIT, HUMANOID, OTHER = "thesis_sensors", "interval", "talos", "bolt"
ACTIVE, PATIENCE = "active, waiting for input", 300.0  # of a node's log; [s] for it
PLANAR = f"""
from biped_slip.simulation.planar.walk import planar_policy
from biped_slip.simulation.planar.walk import named_scenario
from biped_slip.simulation.planar.walk import Walk
scenario = named_scenario("{SCENARIO}")
Walk(scenario, planar_policy("{LIMIT}", scenario)).walk_on(1)
"""
WHOLE_BODY = f"""
from biped_slip.simulation.humanoid.walk import HumanoidWalk
from biped_slip.simulation.humanoid.scenario import chosen_walk
HumanoidWalk(chosen_walk("{{}}"), "{LIMIT}").tick()
"""


def start_rows() -> list[Row]:
    """Seconds from the start of a process, all in a code cache of their own that is empty at first."""
    with tempfile.TemporaryDirectory() as folder:
        place = {**os.environ, "BIPED_SLIP_CACHE": folder}
        cold = _took(place, "-c", PLANAR)
        ahead = _took(place, "-m", "biped_slip.cli", "compile", "--robot", HUMANOID)
        planar, humanoid = _took(place, "-c", PLANAR), _took(place, "-c", WHOLE_BODY.format(HUMANOID))
        node = [] if find_spec("rclpy") is None else [_active(folder)]
        other = _took(place, "-c", WHOLE_BODY.format(OTHER))
    return [
        Row("first tick, nothing compiled [s]", NAN, True, "", cold),
        Row(f"compiling ahead, with {HUMANOID} [s]", NAN, True, "", ahead),
        Row("first tick then [s]", 5.0, True, "", planar),
        Row(f"... of {HUMANOID} [s]", 5.0, True, "", humanoid),
        *(Row("a node until it is active [s]", 2.0, True, "", seconds) for seconds in node),
        Row("first tick of another robot, whose code is made [s]", 30.0, True, "", other),
    ]


def _took(environment: dict[str, str], *words: str) -> float:
    begin = time.perf_counter()
    done = subprocess.run([sys.executable, *words], env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise BipedSlipError(f"{' '.join(words)[:80]}: {done.stderr.strip()[-500:]}")
    return time.perf_counter() - begin


def _active(cache: str) -> float:
    """Until a walking controller with the estimator inside waits for its first input [s]."""
    parameters = {"scenario": SCENARIO, "limit": LIMIT, "embedded_estimator": True}
    place = {"BIPED_SLIP_CACHE": cache}
    with tempfile.TemporaryDirectory() as folder:
        begin = time.perf_counter()
        node = NodeProcess("walking_controller", parameters, Path(folder), free_domain(), environment=place)
        try:
            while ACTIVE not in node.log():
                if not node.running or time.perf_counter() - begin > PATIENCE:
                    raise BipedSlipError(f"the node is not active after {PATIENCE:g} s: {node.failure()}")
                time.sleep(0.01)
            return time.perf_counter() - begin
        finally:
            node.end()

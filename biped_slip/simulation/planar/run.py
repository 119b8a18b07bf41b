# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""One call from a scenario to its result; scenario files by name."""

from __future__ import annotations

import time
from typing import Callable, NamedTuple

import numpy as np

from biped_slip.simulation.planar.log import WalkLog
from biped_slip.simulation.planar.policy import planar_policy
from biped_slip.simulation.planar.scenario import ScenarioConfig, perturbed
from biped_slip.simulation.planar.summary import WalkSummary, summarise
from biped_slip.simulation.planar.walk import Walk
from biped_slip.walking.config import scenario_file
from biped_slip.walking.planar_registry import DEFAULT
from biped_slip.walking.slip_policy import DEFAULT_POLICY


class WalkResult(NamedTuple):
    """Log and summary of one walk."""

    log: WalkLog
    summary: WalkSummary


def run_walk(
    scenario: ScenarioConfig,
    limit: str = DEFAULT_POLICY,
    seed: int = 0,
    progress: Callable[[float], None] | None = None,
    controller: str = DEFAULT,
) -> WalkResult:
    """Walk a scenario to its end or to a fall.

    Args:
        scenario: what to walk.
        limit: policy for slip, named as on the command line.
        seed: of the sensor noise.
        progress: called with the share done.
        controller: by its name.
    """
    walk = Walk(scenario, planar_policy(limit, scenario), seed, controller)
    begin = time.perf_counter()
    log = walk.run(progress)
    return WalkResult(log, summarise(log, walk.fell, time.perf_counter() - begin))


def chosen_scenario(
    name: str, variant: str | None = None, seed: int | None = None, contact: str | None = None
) -> ScenarioConfig:
    """A named scenario, on another variant of the robot or another contact if asked, perturbed by a seed if given."""
    said = scenario_file(name, variant)
    scenario = ScenarioConfig.from_mapping(said if contact is None else {**said, "contact": contact})
    return scenario if seed is None else perturbed(scenario, np.random.default_rng(seed))


def named_scenario(name: str) -> ScenarioConfig:
    """A scenario by file path, or by the name of one that comes with the package."""
    return ScenarioConfig.from_mapping(scenario_file(name))

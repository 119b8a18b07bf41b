# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""One call from a scenario to its result; scenario files by name."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Callable, NamedTuple

import numpy as np

from biped_slip.errors import UnknownName
from biped_slip.shared_files import shared_file, shared_names
from biped_slip.simulation.planar.log import WalkLog
from biped_slip.simulation.planar.scenario import ScenarioConfig, load_scenario, perturbed
from biped_slip.simulation.planar.summary import WalkSummary, summarise
from biped_slip.simulation.planar.walk import Walk
from biped_slip.walking.slip_policy import prevention


class WalkResult(NamedTuple):
    """Log and summary of one walk."""

    log: WalkLog
    summary: WalkSummary


def run_walk(
    scenario: ScenarioConfig, limit: str, seed: int = 0, progress: Callable[[float], None] | None = None
) -> WalkResult:
    """Walk a scenario with a slip prevention named as on the command line; the seed is that of the sensor noise."""
    walk = Walk(scenario, prevention(limit, scenario), seed)
    begin = time.perf_counter()
    log = walk.run(progress)
    return WalkResult(log, summarise(log, walk.fell, time.perf_counter() - begin))


def chosen_scenario(
    name: str, variant: str | None = None, seed: int | None = None, contact: str | None = None
) -> ScenarioConfig:
    """A named scenario, on another variant of the robot or another contact if asked, perturbed by a seed if given."""
    scenario = named_scenario(name)
    if variant is not None and variant != scenario.variant:
        if name == "thesis" and variant == "torso":
            scenario = named_scenario("torso")  # a pitching torso needs its own gait on the same floor
        else:
            scenario = ScenarioConfig.from_mapping({**scenario.to_mapping(), "variant": variant})
    if contact is not None:
        scenario = ScenarioConfig.from_mapping({**scenario.to_mapping(), "contact": contact})
    if seed is not None:
        scenario = perturbed(scenario, np.random.default_rng(seed))
    return scenario


def named_scenario(name: str) -> ScenarioConfig:
    """A scenario by file path, or by the name of one that comes with the package."""
    if Path(name).suffix in (".yaml", ".yml"):
        return load_scenario(name)
    known = shared_names("config/scenarios")
    if name not in known:
        raise UnknownName("scenario", name, [*known, "or a .yaml file"])
    return load_scenario(shared_file(f"config/scenarios/{name}.yaml"))

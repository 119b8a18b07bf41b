# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The first walk of a process waits for no compiler: what a tick needs is loaded when
the controller is made."""

import subprocess
import sys

import pytest

WALK = """
import numpy as np
from biped_slip.compile.cache import KernelCache
from biped_slip.control.supervisor import SupervisorConfig
from biped_slip.estimation.planar_feet import FloorConfig
from biped_slip.estimation.health import HealthConfig
from biped_slip.simulation.planar.scenario import chosen_scenario
from biped_slip.simulation.planar.world import PlanarWorld
from biped_slip.walking.planar import guarded_planar

scenario = chosen_scenario("thesis")
way = PlanarWorld(scenario)
controller = guarded_planar(
    way.robot, scenario.walking, {limit!r}, FloorConfig(), SupervisorConfig(), HealthConfig()
)
controller.start()
looked_for, in_tick, load = [], False, KernelCache.load_overload

def heard(cache, *key):
    if in_tick:
        looked_for.append(cache.function)
    return load(cache, *key)

KernelCache.load_overload = heard
for tick in range(2000):
    readings = way.read()
    in_tick = True
    answer = controller.step(readings)
    in_tick = False
    assert controller.problem is None, controller.problem
    way.advance(answer.torques)
print(controller.mode.name, *looked_for)
"""


@pytest.mark.compiled
@pytest.mark.parametrize("limit", ["none", "thesis", "interval"])
def test_no_tick_of_a_planar_walk_loads_or_compiles_anything(limit):
    code = WALK.format(limit=limit)
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.split() == ["WALKING"]

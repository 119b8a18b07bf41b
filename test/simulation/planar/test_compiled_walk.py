# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Many control periods in one compiled call are the control periods that a loop in
Python walks one by one."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest

from biped_slip.simulation.planar.oracle import planar_policy
from biped_slip.simulation.planar.scenario import PushConfig, changed, chosen_scenario
from biped_slip.simulation.planar.walk import Walk
from biped_slip.walking.planar import SpeedConfig

PERIODS = 1000

ONE_SECOND = """
import json, sys
import numpy as np
from biped_slip.simulation.planar.oracle import planar_policy
from biped_slip.simulation.planar.scenario import ScenarioConfig
from biped_slip.simulation.planar.walk import Walk
for mapping in json.loads(sys.stdin.read()):
    scenario = ScenarioConfig.from_mapping(mapping)
    walk = Walk(scenario, planar_policy("thesis", scenario), seed=5)
    walk.walk_on({periods})
    print(json.dumps([walk.plant.state.q.tolist(), walk.plant.state.v.tolist(), walk.plant.ticks, bool(walk.fell)]))
"""


def random_scenario(rng):
    """A robot, a start, a floor and sensors drawn at random; the draw may fall."""
    scenario = chosen_scenario("thesis")
    return changed(
        scenario,
        {
            "start.hip_height": float(rng.uniform(0.68, 0.74)),
            "start.speed": float(rng.uniform(0.3, 0.6)),
            "start.left_foot": float(rng.uniform(0.3, 0.5)),
            "start.right_foot": float(-rng.uniform(0.3, 0.5)),
            "ground": {
                "mu": [float(mu) for mu in rng.uniform(0.2, 1.2, 3)],
                "edges": sorted(float(edge) for edge in rng.uniform(-0.3, 0.8, 2)),
                "slope": float(rng.uniform(-0.1, 0.1)),
            },
            "sensors.force_noise": 0.1,
            "sensors.force_latency": 1e-3 * int(rng.integers(0, 3)),
            "plant.contact.friction.s_p": float(rng.uniform(0.5e-3, 3e-3)),
        },
    )


def ended(mappings, periods, disable_jit):
    """State after so many periods of each scenario."""
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1" if disable_jit else "0"}
    code = ONE_SECOND.replace("{periods}", str(periods))
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=environment,
        input=json.dumps(mappings),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.mark.slow
@pytest.mark.compiled
def test_one_second_as_plain_python_is_one_second_compiled_on_random_floors():
    rng = np.random.default_rng(11)
    mappings = [
        random_scenario(rng).to_mapping()
    ]  # plain Python takes a minute for one
    readable = ended(mappings, PERIODS, True)
    compiled = ended(mappings, PERIODS, False)
    for one, other in zip(readable, compiled, strict=True):
        np.testing.assert_allclose(other[0], one[0], rtol=0.0, atol=1e-10)
        np.testing.assert_allclose(other[1], one[1], rtol=0.0, atol=1e-10)
        assert other[2:] == one[2:]


@pytest.mark.parametrize(
    ("sensors", "limit"), [("drawn", "thesis"), ("realistic", "touchdown")]
)
def test_many_ticks_in_one_call_are_the_same_ticks_one_by_one(sensors, limit):
    """The log is the same to the last bit: noise, errors of the sensors, latency,
    pushes and commands included."""
    scenario = changed(
        random_scenario(np.random.default_rng(3))
        if sensors == "drawn"
        else chosen_scenario("demo"),
        {
            "duration": 0.4,
            "pushes": {
                "start": [0.1, 0.15],
                "duration": [0.1, 0.2],
                "force": [5.0, -3.0],
            },
            "speed": {"time": [0.0, 0.2], "value": [0.5, 0.3]},
        },
    )
    one, other = (
        Walk(scenario, planar_policy(limit, scenario), seed=2) for _ in range(2)
    )
    one.walk_on(150)
    one.walk_on(250)
    while not other.ended:
        other.tick()
    assert one.ended
    for name, values in other.log.rows._asdict().items():
        np.testing.assert_array_equal(getattr(one.log, name), values, err_msg=name)


def test_a_fall_ends_the_compiled_walk_where_it_ends_the_others():
    scenario = changed(
        chosen_scenario("thesis"),
        {
            "duration": 2.0,
            "pushes": {"start": [0.05], "duration": [1.0], "force": [-200.0]},
        },
    )
    one, other = (Walk(scenario, planar_policy("thesis", scenario)) for _ in range(2))
    log = one.run()
    while not other.ended:
        other.tick()
    assert one.fell
    assert other.fell
    assert one.plant.ticks == other.plant.ticks
    np.testing.assert_array_equal(log.q, other.log.trim().q)


def test_commands_and_pushes_over_many_times_are_those_at_each():
    times = np.linspace(0.0, 3.0, 61)
    speed = SpeedConfig(time=(0.0, 1.0, 2.5), value=(0.5, 0.2, 0.4))
    push = PushConfig(start=(0.5, 1.0), duration=(1.0, 0.1), force=(3.0, -4.0))
    np.testing.assert_array_equal(speed.over(times), [speed.at(t) for t in times])
    np.testing.assert_array_equal(push.over(times), [push.at(t) for t in times])

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Compiled kernels and the same code as plain Python give the same walk."""

import json
import os
import subprocess
import sys

import numba
import numpy as np
import pytest

from biped_slip.compile.kernel import specialise
from biped_slip.estimation.motion.base_imu import correct, predict, start
from biped_slip.estimation.motion.config import MotionConfig

WALK = """
import json, sys
import numpy as np
from biped_slip.walking.slip_policy import prevention
from biped_slip.simulation.planar.run import named_scenario
from biped_slip.simulation.planar.walk import Walk
result = []
for name in ("thesis", "traction"):
    scenario = named_scenario(name)
    walk = Walk(scenario, prevention("thesis", scenario))
    for _ in range(150):
        walk.tick()
    result.append([walk.plant.state.q.tolist(), walk.plant.state.v.tolist(), walk.plant.state.contact.tolist()])
print(json.dumps(result))
"""


def run(disable_jit):
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1" if disable_jit else "0"}
    done = subprocess.run([sys.executable, "-c", WALK], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.compiled
def test_the_compiled_walk_is_the_readable_walk():
    for readable, compiled in zip(run(True), run(False), strict=True):
        for expected, found in zip(readable, compiled, strict=True):
            np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-10)


def scaled(x):
    return factor(x)  # noqa: F821


OTHER_NUMBA = """
import numba
numba.__version__ = "0.99.0"
from biped_slip.compile.sources import KNOWN_COMPILER
from biped_slip.estimation.motion.base_imu import correct, predict, start
from biped_slip.estimation.motion.config import MotionConfig
assert not KNOWN_COMPILER
print(list(correct(predict(start(MotionConfig()), 0.3, 1e-3, 1e-3), 0.1, 1e-4)))
"""


def test_with_a_compiler_that_is_not_known_kernels_compile_as_ever_to_the_same_numbers(tmp_path):
    environment = {**os.environ, "BIPED_SLIP_CACHE": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", OTHER_NUMBA], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    expected = correct(predict(start(MotionConfig()), 0.3, 1e-3, 1e-3), 0.1, 1e-4)
    assert json.loads(done.stdout) == pytest.approx(list(expected), rel=1e-14)


def test_a_function_can_be_bound_to_different_robots():
    double, triple = numba.njit(lambda x: 2.0 * x), numba.njit(lambda x: 3.0 * x)
    assert specialise(scaled, {"factor": double}, "test_double")(1.5) == 3.0
    assert specialise(scaled, {"factor": triple}, "test_triple")(1.5) == 4.5


def test_the_same_bindings_give_the_same_function_so_that_code_is_loaded_once():
    double = numba.njit(lambda x: 2.0 * x)
    assert specialise(scaled, {"factor": double}, "test_double") is specialise(
        scaled, {"factor": double}, "test_double"
    )
    assert specialise(scaled, {"factor": double}, "test_other") is not specialise(
        scaled, {"factor": double}, "test_double"
    )

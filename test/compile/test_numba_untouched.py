# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Whoever imports the package finds numba as it was, whatever has been compiled."""

import os
import subprocess
import sys

import numpy as np
import pytest

from biped_slip.compile import own_process
from biped_slip.compile.kernel import kernel

WALK = """
import sys
from numba.core import pythonapi, types
from numba.core.targetconfig import TargetConfig
from numba.np import arrayobj

def tables():
    return {
        "boxers": dict(pythonapi._boxers.functions),
        "unboxers": dict(pythonapi._unboxers.functions),
        "get_call_type": types.functions.BaseFunction.get_call_type,
        "flags": TargetConfig.values,
        "shapes": arrayobj.raise_with_shape_context,
    }

before = tables()
import biped_slip as bs
from biped_slip.compile import own_process, quick_typing

assert not own_process.is_own()
used = []
numbas = quick_typing._call_type_once
quick_typing._call_type_once = lambda *given: used.append(given) or numbas(*given)
scenario = bs.chosen_scenario("thesis")
from biped_slip.simulation.planar.oracle import planar_policy
from biped_slip.simulation.planar.walk import Walk
walk = Walk(scenario, planar_policy("touchdown", scenario))
for _ in range(50):
    walk.tick()
@bs.kernel
def compiled_here(x):
    return x + 1.0
assert compiled_here(1.0) == 2.0
assert "biped_slip.compile.numba_parts" in sys.modules
after = tables()
assert not used
for part, table in before.items():
    if not isinstance(table, dict):
        assert after[part] is table and table.__module__.startswith("numba."), part
        continue
    for kind, entry in table.items():  # others were added for types of our own
        assert after[part][kind] is entry, kind
        assert entry.__module__.startswith("numba."), kind
"""


@pytest.mark.compiled
def test_after_a_walk_in_somebody_elses_process_numbas_tables_are_its_own():
    done = subprocess.run([sys.executable, "-c", WALK], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.skipif(
    os.environ.get("NUMBA_DISABLE_JIT") == "1", reason="nothing is compiled"
)
def test_in_an_own_process_the_shortcuts_end_with_each_compilation():
    from numba.core import types
    from numba.np import arrayobj

    before = types.functions.BaseFunction.get_call_type
    shapes = arrayobj.raise_with_shape_context

    @kernel
    def halved(values):
        values[1:] = 0.5 * values[:-1]
        return values

    assert own_process.is_own()
    assert halved(np.array([4.0, 0.0, 0.0])).tolist() == [4.0, 2.0, 0.0]
    assert types.functions.BaseFunction.get_call_type is before
    assert before.__module__.startswith("numba.")
    assert arrayobj.raise_with_shape_context is shapes
    assert shapes.__module__.startswith("numba.")


def test_with_numba_of_another_version_one_sentence_says_so(tmp_path):
    program = """
import numba
numba.__version__ = "0.99.0"
from biped_slip.estimation.planar_feet import Differenced, differenced
import sys
assert "biped_slip.compile.numba_parts" not in sys.modules
"""
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "BIPED_SLIP_CACHE": str(tmp_path), "NUMBA_DISABLE_JIT": "0"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("numba 0.99.0 is not a version that this release") == 1

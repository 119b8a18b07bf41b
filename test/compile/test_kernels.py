# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Compiled kernels and the same code as plain Python give the same walk."""

import json
import os
import subprocess
import sys
from types import FunctionType

import numpy as np
import pytest

from biped_slip.compile.kernel import OfOneType, kernel, without_dispatch
from biped_slip.estimation.planar_feet import Differenced, differenced

WALK = """
import json, sys
import numpy as np
from biped_slip.simulation.planar.oracle import planar_policy
from biped_slip.simulation.planar.scenario import chosen_scenario
from biped_slip.simulation.planar.walk import Walk
result = []
for name in ("thesis", "traction"):
    scenario = chosen_scenario(name)
    walk = Walk(scenario, planar_policy("thesis", scenario))
    for _ in range(150):
        walk.tick()
    result.append([walk.plant.state.q.tolist(), walk.plant.state.v.tolist(), walk.plant.state.contact.tolist()])
print(json.dumps(result))
"""


def run(disable_jit):
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1" if disable_jit else "0"}
    done = subprocess.run(
        [sys.executable, "-c", WALK],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.compiled
def test_the_compiled_walk_is_the_readable_walk():
    for readable, compiled in zip(run(True), run(False), strict=True):
        for expected, found in zip(readable, compiled, strict=True):
            np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-10)


OTHER_NUMBA = """
import numba
numba.__version__ = "0.99.0"
from biped_slip.compile.cache import KNOWN_COMPILER
from biped_slip.estimation.planar_feet import Differenced, differenced
assert not KNOWN_COMPILER
after, velocity = differenced(Differenced(0.1, 0.2, 0.3), 0.15, 1e-3)
print([*after, velocity])
"""


def test_with_a_compiler_that_is_not_known_kernels_compile_as_ever_to_the_same_numbers(
    tmp_path,
):
    environment = {**os.environ, "BIPED_SLIP_CACHE": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", OTHER_NUMBA],
        env=environment,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    after, velocity = differenced(Differenced(0.1, 0.2, 0.3), 0.15, 1e-3)
    assert json.loads(done.stdout) == pytest.approx([*after, velocity], rel=1e-14)


@kernel
def double(x):
    return 2.0 * x


@kernel
def triple(x):
    return 3.0 * x


def plus_one(of):
    @kernel
    def result(x):
        return of(x) + 1.0

    return result


def times(factor):
    @kernel
    def result(x):
        return factor * x

    return result


def two_of_one_place(of):
    @kernel
    def first(x):
        return of(x) + 1.0

    @kernel
    def second(x):
        return of(x) - 1.0

    return first, second


def test_different_things_closed_over_give_different_kernels():
    assert (plus_one(double)(1.5), plus_one(triple)(1.5)) == (4.0, 5.5)
    assert (times(2.0)(1.5), times(3.0)(1.5)) == (3.0, 4.5)


@pytest.mark.compiled
def test_equal_numbers_of_different_kinds_are_different_things():
    assert isinstance(times(2)(3), int)
    assert isinstance(times(2.0)(3), float)
    assert np.copysign(1.0, times(0.0)(1.0)) == 1.0
    assert np.copysign(1.0, times(-0.0)(1.0)) == -1.0


@pytest.mark.compiled
def test_the_same_things_closed_over_give_the_same_kernel_so_that_code_is_loaded_once():
    assert plus_one(double) is plus_one(double)
    assert plus_one(plus_one(double)) is plus_one(plus_one(double))
    assert plus_one(double) is not plus_one(triple)
    assert times(2.0) is times(2.0)


@pytest.mark.compiled
def test_a_kernel_that_closes_over_a_plain_function_stays_plain():
    plain = plus_one(lambda x: 5.0 * x)
    assert isinstance(plain, FunctionType)
    assert plain(1.0) == 6.0
    assert isinstance(plus_one(plain), FunctionType)
    assert plus_one(plain)(1.0) == 7.0
    assert not isinstance(plus_one(double), FunctionType)


def sum_of(of, inline):
    @kernel(inline=inline)
    def part(values, scale):
        total = 0.0
        for i in range(values.shape[0]):
            if values[i] > 0.0:
                total += of(values[i]) * scale
        return total

    @kernel
    def whole(values):
        return part(values, 0.1) + part(values[1:], 3.0)

    return whole


@pytest.mark.parametrize("inline", ["code", "text"])
def test_what_goes_into_its_callers_computes_the_same_as_a_call(inline):
    values = np.random.default_rng(0).normal(size=50)
    for of in (double, times(1.7)):
        assert sum_of(of, inline)(values) == sum_of(of, "never")(values)


def test_a_function_of_one_type_computes_the_same_and_is_looked_up_once(monkeypatch):
    values = np.random.default_rng(0).normal(size=50)
    looked_up = []

    def noted(function, *example):
        looked_up.append(example)
        return without_dispatch(function, *example)

    monkeypatch.setattr("biped_slip.compile.kernel.without_dispatch", noted)
    for function in (sum_of(double, "never"), lambda values: values.sum()):
        quick = OfOneType(function)
        looked_up[:] = ()
        assert [quick(values), quick(2.0 * values)] == [
            function(values),
            function(2.0 * values),
        ]
        compiled = hasattr(function, "get_compile_result")
        assert len(looked_up) == (1 if compiled else 0)
        assert (quick is function) == (not compiled)  # plain: comes back as it is


@pytest.mark.compiled
def test_two_closures_of_one_factory_never_share_a_symbol():
    closures = [
        *two_of_one_place(double),
        *two_of_one_place(triple),
        plus_one(double),
        plus_one(triple),
    ]
    closures += [
        plus_one(closure) for closure in closures
    ]  # and nor do those that close over them
    found = [closure(1.0) for closure in closures]
    assert found == [3.0, 1.0, 4.0, 2.0, 3.0, 4.0, 4.0, 2.0, 5.0, 3.0, 4.0, 5.0]
    symbols = [
        closure.overloads[closure.signatures[0]].fndesc.llvm_func_name
        for closure in closures
    ]
    assert len(set(symbols)) == len(closures)


CLOSURES = """
from biped_slip.compile.kernel import kernel
@kernel
def double(x):
    return {factor} * x
def plus(of, number, inline="never"):
    @kernel(inline=inline)
    def result(x):
        return of(x) + number
    return result
inner = plus(double, 1.0, "text")
for closure in (plus(double, 1.0), plus(double, 2.0), plus(plus(double, 1.0), 2.0), plus(inner, 4.0)):
    print(closure(1.5), sum(closure.stats.cache_hits.values()), sum(closure.stats.cache_misses.values()))
"""


def closures_of_another_process(folder, factor, cache=None):
    program = folder / "closures.py"
    program.write_text(CLOSURES.format(factor=factor))
    environment = {
        **os.environ,
        "BIPED_SLIP_CACHE": str(cache or folder / "cache"),
        "NUMBA_DISABLE_JIT": "0",
    }
    environment["PYTHONPATH"] = os.pathsep.join([str(folder), *sys.path])
    environment["PYTHONDONTWRITEBYTECODE"] = (
        "1"  # Python itself does not see an edit within a second
    )
    call = [sys.executable, "-c", "import closures"]
    done = subprocess.run(
        call, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return [[float(word) for word in line.split()] for line in done.stdout.splitlines()]


@pytest.mark.compiled
def test_a_second_process_finds_the_code_of_closures_in_the_cache_and_none_of_an_edited_function(
    tmp_path,
):
    assert closures_of_another_process(tmp_path, "2.0") == [
        [4.0, 0, 1],
        [5.0, 0, 1],
        [6.0, 0, 1],
        [8.0, 0, 1],
    ]
    assert closures_of_another_process(tmp_path, "2.0") == [
        [4.0, 1, 0],
        [5.0, 1, 0],
        [6.0, 1, 0],
        [8.0, 1, 0],
    ]
    assert closures_of_another_process(tmp_path, "3.0") == [
        [5.5, 0, 1],
        [6.5, 0, 1],
        [7.5, 0, 1],
        [9.5, 0, 1],
    ]


@pytest.mark.compiled
def test_a_second_copy_of_the_sources_at_another_time_finds_their_code_in_the_cache(
    tmp_path,
):
    for name, found in (("one", [0, 1]), ("two", [1, 0])):
        (tmp_path / name).mkdir()
        closures = closures_of_another_process(
            tmp_path / name, "2.0", tmp_path / "cache"
        )
        assert [counts for _, *counts in closures] == [found] * 4

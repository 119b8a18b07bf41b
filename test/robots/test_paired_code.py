# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Generated C that computes left and right limbs together gives what the expressions
give."""

from __future__ import annotations

import ctypes
import re
from pathlib import Path
from typing import Any

import casadi as cs
import numpy as np
import pytest

from biped_slip.robots.code_generation import (
    CFunction,
    compiled_library,
    compiler,
    paired_source,
)

X = cs.SX.sym("x", 8)


def limb(angles: Any, length: float, start: Any) -> Any:
    """The end of a planar limb of three joints."""
    angle = start
    end = cs.SX(0)
    for i in range(3):
        angle = angle + angles[i]
        end = end + length * cs.sin(angle) / (2.0 + cs.cos(angle) ** 2)
    return end


LEFT = limb(X[:3], 0.3, X[6])
RIGHT = limb(X[3:6], -0.4, X[6])


def operations(source: str) -> tuple[int, int]:
    """Statements that compute a pair, and those that compute one number."""
    return len(re.findall(r"pair p\d", source)), len(re.findall(r"double s\d", source))


def test_limbs_of_the_same_build_are_computed_together_whatever_their_numbers() -> None:
    source = paired_source(
        "limbs", cs.Function("limbs", [X], [cs.vertcat(LEFT, RIGHT)])
    )
    pairs, single = operations(source)
    one = cs.Function("one", [X], [LEFT])
    # without reading four inputs and two constants and writing the output
    arithmetic = one.n_instructions() - 7
    assert single == 0
    assert pairs <= arithmetic


def test_what_has_no_counterpart_is_computed_alone() -> None:
    pairs, single = operations(
        paired_source("limb", cs.Function("limb", [X], [X[0] * X[1] + cs.sqrt(X[2])]))
    )
    assert (pairs, single) == (0, 3)


@pytest.mark.skipif(compiler() is None, reason="needs a C compiler")
def test_paired_code_computes_its_expressions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BIPED_SLIP_CACHE", str(tmp_path))
    mixed = LEFT * RIGHT - X[7] / (RIGHT + 3.0) + cs.sqrt(1.0 + LEFT**2)
    crossed = cs.vertcat(
        LEFT - RIGHT,
        RIGHT - LEFT,
        -LEFT,
        2 * X[1],
        X[4] * X[5] + X[1] * X[2],
        X[2],
        7.0,
    )
    outputs = (cs.vertcat(LEFT, RIGHT), cs.horzcat(mixed, crossed[:3].T), crossed)
    library = compiled_library("limbs", lambda: {"limbs": CFunction((X,), outputs)})
    assert library is not None
    function = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 4)(library("limbs"))
    expected = cs.Function("expected", [X], list(outputs))
    for values in np.random.default_rng(5).uniform(-1.5, 1.5, (20, 8)):
        results = [np.empty(output.shape) for output in outputs]
        function(*(array.ctypes.data for array in (values, *results)))
        for result, wanted in zip(results, expected(values), strict=True):
            np.testing.assert_allclose(result, np.array(wanted), rtol=1e-13, atol=1e-14)

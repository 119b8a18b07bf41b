# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The list of residuals is whole: each names what it claims and the test that breaks
it, and each is asked, in its order."""

import ast
import re
from collections import namedtuple
from pathlib import Path

import numpy as np
import pytest

import biped_slip
from biped_slip.compile.kernel import kernel
from biped_slip.estimation import residuals
from biped_slip.estimation.health import (
    FALL,
    SENTENCES,
    UNBALANCED,
    WRONG_LEG,
    HealthConfig,
)
from biped_slip.estimation.residuals import (
    RESIDUALS,
    WELL_SO_FAR,
    Residual,
    WatchMemory,
    gravest_finding,
)
from biped_slip.estimation.signals import Loads, Signals, WatchedRobot, WatchLimits

ROOT = Path(biped_slip.__file__).parent.parent
DT = 1e-3


@pytest.mark.parametrize("residual", RESIDUALS, ids=lambda one: one.name)
def test_an_entry_says_all_that_a_reader_asks(residual):
    said = residual.quantity, residual.unit, residual.model, residual.reason
    assert all(said)
    assert residual.reads in Signals._fields
    assert residual.claims
    assert set(residual.claims) <= set(SENTENCES)


@pytest.mark.parametrize("residual", RESIDUALS, ids=lambda one: one.name)
def test_a_threshold_names_parameters_that_exist(residual):
    words = residual.threshold.replace(",", " ").replace(";", " ").split()
    names = {word for word in words if "_" in word and word.islower()}
    assert names <= {*HealthConfig.Packed._fields, "force_offset"}
    assert {*words} & {*HealthConfig.Packed._fields}


@pytest.mark.parametrize("residual", RESIDUALS, ids=lambda one: one.name)
def test_the_test_that_breaks_the_sensor_exists_and_asks_for_what_is_claimed(residual):
    path, _, name = residual.broken_in.partition("::")
    functions = {
        node.name: node
        for node in ast.walk(ast.parse((ROOT / path).read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef)
    }
    assert name in functions
    asserts = [
        node for node in ast.walk(functions[name]) if isinstance(node, ast.Assert)
    ]
    assert asserts


def test_names_are_told_once_and_every_finding_is_claimed():
    names = [one.name for one in RESIDUALS]
    assert len({*names}) == len(names)
    assert {code for one in RESIDUALS for code in one.claims} == {*SENTENCES}
    assert WatchMemory._fields == (*names,)


def says(code):
    """Kernel that finds always the same."""

    @kernel
    def find(own, loads, limits, dt):
        own[0] += dt
        return code, 1

    return find


@kernel
def well(own, loads, limits, dt):
    """Find nothing."""
    own[0] += dt
    return WELL_SO_FAR


def entry(name, find):
    """An entry of a stranger."""
    return Residual(
        name=name,
        reads="loads",
        quantity="load",
        unit="N",
        model="none",
        threshold="light",
        reason="none",
        claims=(FALL,),
        broken_in="",
        find=find,
        memory=lambda rows, below: np.zeros(1),
    )


LIMITS = WatchLimits(
    WatchedRobot(*np.zeros((4, 0)), 100.0, 1.0, 0.0, 0.0), HealthConfig().packed
)
LOADS = Loads((50.0, 50.0), (50.0, 50.0), (0.0, 0.0), 1.0, 100.0)


def signals_with(loads):
    """Signals of a robot that tells loads alone."""
    none = np.zeros(0)
    return Signals(*(loads if one == "loads" else none for one in Signals._fields))


def asked(*finds):
    """What a list of kernels finds, the gravest first, and who was asked."""
    names = ["base_height", "joint_range", "lifted_load", "floor_pull"]
    listed = [entry(name, find) for name, find in zip(names, finds, strict=False)]
    memory = WatchMemory(*(np.zeros(1) for _ in RESIDUALS))
    found = gravest_finding(listed)(memory, signals_with(LOADS), LIMITS, DT)
    return found, [getattr(memory, one.name)[0] for one in listed]


def test_all_are_asked_and_the_one_that_stands_highest_is_told():
    fall = says(FALL)
    forces = says(UNBALANCED)
    leg = says(WRONG_LEG)
    assert asked(well, leg, forces) == ((WRONG_LEG, 1), [DT] * 3)
    assert asked(fall, leg, well, forces) == ((FALL, 1), [DT] * 4)
    assert asked(well, well, forces) == ((UNBALANCED, 1), [DT] * 3)
    assert asked(well, well) == (WELL_SO_FAR, [DT] * 2)


def test_a_residual_of_the_page_is_asked_as_all_are():
    page = (ROOT / "docs/extending.md").read_text(encoding="utf-8")
    example = re.search(r"## A residual.*?```python\n(.*?)```", page, re.DOTALL)
    scope = dict(vars(residuals))
    exec(example.group(1), scope)
    one = scope["ROBOT_WEIGHT"]
    memory = namedtuple("OneMemory", [one.name])(one.memory(None, {}))
    find = gravest_finding([one])
    for load, told in ((150.0, WELL_SO_FAR), (150.1, (UNBALANCED, 0))):
        signals = signals_with(LOADS._replace(load=(load, 150.0)))
        found = [find(memory, signals, LIMITS, DT) for _ in range(42)]
        assert found[-1] == told
        assert found[0] == WELL_SO_FAR

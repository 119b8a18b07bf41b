# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""What is compiled anew after an edit: everything that may call the edited code, and
nothing else."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import biped_slip

MODULES = (
    "biped_slip.friction_laws.bristle_laws",
    "biped_slip.simulation.planar.plant",
    "biped_slip.friction_estimation.rls",
)


@pytest.fixture
def copy(tmp_path):
    shutil.copytree(
        Path(biped_slip.__file__).parent,
        tmp_path / "biped_slip",
        ignore=shutil.ignore_patterns("__py*"),
    )
    return tmp_path


def hashes(copy):
    program = (
        "from biped_slip.compile.cache import code_hash; print(*(code_hash(m) "
        f"for m in {(*MODULES, 'elsewhere')}))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=copy,
        env={},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.split()


def changed(copy, file, old, new):
    before = hashes(copy)
    path = copy / "biped_slip" / file
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))
    return [a != b for a, b in zip(before, hashes(copy), strict=True)]


def test_an_edited_callee_changes_its_callers_and_what_is_outside(copy):
    assert changed(copy, "friction_laws/law.py", "return", "pass; return") == [
        True,
        True,
        False,
        True,
    ]


def test_an_edit_elsewhere_changes_only_what_is_outside(copy):
    assert changed(copy, "cli/walk.py", "return", "pass; return") == [
        False,
        False,
        False,
        True,
    ]


def test_other_fields_of_a_class_change_what_imports_it(copy):
    new = "    first_force: float"
    assert changed(copy, "friction_estimation/types.py", "    force_x: float", new) == [
        False,
        True,
        True,
        True,
    ]


def test_another_field_of_a_configuration_changes_only_what_imports_it(copy):
    old = "    error_target: float"
    found = changed(
        copy, "simulation/planar/plant.py", old, f"    unused: float = 0.0\n{old}"
    )
    assert found == [False, True, False, True]  # its own module, and what is outside


FIRST = """
from typing import Any, NamedTuple
from biped_slip.compile import kernel as kernels
class Pair(NamedTuple):
    {fields}
kernels.code_hash = lambda module: "kept"  # as for a kernel that does not import the class
def first(pair: Any) -> float:
    return 10.0 * pair.a + pair.b
part = kernels.kernel(first)
def whole(pair: Any) -> float:
    return part(pair)
whole = kernels.kernel(whole)
print(part(Pair(a=1.0, b=2.0)), whole(Pair(a=1.0, b=2.0)), *part._cache_hits.values(), *whole._cache_hits.values())
"""


def answers(folder, fields):
    program = folder / "pairs.py"
    program.write_text(FIRST.format(fields=fields))
    environment = {"BIPED_SLIP_CACHE": str(folder / "cache"), "PYTHONPATH": str(folder)}
    environment["PYTHONDONTWRITEBYTECODE"] = (
        "1"  # Python itself does not see an edit within a second
    )
    call = [sys.executable, "-c", "import pairs"]
    done = subprocess.run(
        call, env=environment, capture_output=True, text=True, check=True
    )
    return [float(word) for word in done.stdout.split()]


@pytest.mark.compiled
def test_code_for_one_order_of_fields_is_not_served_for_another(tmp_path):
    assert answers(tmp_path, "a: float; b: float") == [12.0, 12.0]
    assert answers(tmp_path, "a: float; b: float") == [
        12.0,
        12.0,
        1.0,
        1.0,
    ]  # from the cache
    assert answers(tmp_path, "b: float; a: float") == [12.0, 12.0]

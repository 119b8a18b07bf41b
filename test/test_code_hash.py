# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""What is compiled anew after an edit: everything that may call the edited code, and nothing else."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import biped_slip

MODULES = ("biped_slip.friction.bliman_sorine", "biped_slip.simulation.penalty_contact", "biped_slip.friction.rls")


@pytest.fixture
def copy(tmp_path):
    shutil.copytree(Path(biped_slip.__file__).parent, tmp_path / "biped_slip", ignore=shutil.ignore_patterns("__py*"))
    return tmp_path


def hashes(copy):
    program = f"from biped_slip.code_hash import code_hash; print(*(code_hash(m) for m in {(*MODULES, 'elsewhere')}))"
    done = subprocess.run([sys.executable, "-c", program], cwd=copy, env={}, capture_output=True, text=True, check=True)
    return done.stdout.split()


def changed(copy, file, old, new):
    before = hashes(copy)
    path = copy / "biped_slip" / file
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))
    return [a != b for a, b in zip(before, hashes(copy), strict=True)]


def test_an_edited_callee_changes_its_callers_and_what_is_outside(copy):
    assert changed(copy, "friction/law.py", "return", "pass; return") == [True, True, False, True]


def test_an_edit_elsewhere_changes_only_what_is_outside(copy):
    assert changed(copy, "cli/walk.py", "return", "pass; return") == [False, False, False, True]


def test_a_new_order_of_fields_changes_everything(copy):
    assert changed(copy, "friction/types.py", "    force_x: float", "    first_force: float") == [True] * 4

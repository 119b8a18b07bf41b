# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Code that is compiled ahead."""

import os
import subprocess
import sys

import pytest


def _run(cache, *words):
    environment = {**os.environ, "BIPED_SLIP_CACHE": str(cache)}
    call = [sys.executable, "-m", "biped_slip.cli", *words]
    return subprocess.run(call, env=environment, capture_output=True, text=True, cwd=cache, check=False)


def _files(cache):
    return {path.relative_to(cache) for path in cache.rglob("*") if path.is_file()}


@pytest.mark.slow
def test_after_compiling_ahead_a_walk_with_sensors_compiles_nothing(tmp_path):
    compiled = _run(tmp_path, "compile", "--robot")
    assert compiled.returncode == 0, compiled.stderr
    assert "planar biped: " in compiled.stderr
    assert str(tmp_path) in compiled.stderr.replace("\n", "")
    before = _files(tmp_path)
    walked = _run(tmp_path, "walk", "--scenario", "thesis_sensors", "--json", "-")
    assert walked.returncode in (0, 1, 3, 4), walked.stderr
    assert before
    assert _files(tmp_path) == before


def test_a_humanoid_that_nobody_knows_is_refused_before_anything_is_compiled(tmp_path):
    refused = _run(tmp_path, "compile", "--robot", "tallos")
    assert refused.returncode == 2
    assert "unknown humanoid walk 'tallos'" in refused.stderr
    assert "planar" not in refused.stderr

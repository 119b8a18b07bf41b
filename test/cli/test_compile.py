# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Code that is compiled ahead."""

import os
import subprocess
import sys

import pytest

from biped_slip.cli import main


def _run(cache, *words):
    environment = {**os.environ, "BIPED_SLIP_CACHE": str(cache)}
    call = [sys.executable, *words]
    return subprocess.run(call, env=environment, capture_output=True, text=True, cwd=cache, check=False)


def _files(cache):
    return {path.relative_to(cache) for path in cache.rglob("*") if path.is_file()}


PLANAR = """
import biped_slip.cli.compile as ahead
ahead.SCENARIOS, ahead.LIMITS = ("thesis_sensors",), ("interval",)
ahead._planar()
"""


@pytest.mark.slow
def test_after_compiling_ahead_a_walk_compiles_nothing(tmp_path):
    compiled = _run(tmp_path, "-c", PLANAR)
    assert compiled.returncode == 0, compiled.stderr
    before = _files(tmp_path)
    walked = _run(tmp_path, "-m", "biped_slip.cli", "walk", "--scenario", "thesis_sensors", "--json", "-")
    assert walked.returncode in (0, 1, 3, 4), walked.stderr
    assert before
    assert _files(tmp_path) == before


def test_what_is_compiled_is_named_with_the_place_where_it_is_kept(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("biped_slip.cli.compile._parts", lambda everything, robots: {"planar biped": int})
    monkeypatch.setenv("BIPED_SLIP_CACHE", str(tmp_path))
    assert main(["compile"]) == 0
    said = capsys.readouterr().err
    assert "planar biped: 0.0 s" in said
    assert str(tmp_path) in said.replace("\n", "")


def test_a_humanoid_that_nobody_knows_is_refused_before_anything_is_compiled(tmp_path):
    refused = _run(tmp_path, "-m", "biped_slip.cli", "compile", "--robot", "tallos")
    assert refused.returncode == 2
    assert "unknown humanoid walk 'tallos'" in refused.stderr
    assert "planar" not in refused.stderr

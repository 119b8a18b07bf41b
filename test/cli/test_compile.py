# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Code that is compiled ahead."""

import os
import subprocess
import sys

import pytest

from biped_slip.cli import main


def _run(*words, cache=None):
    environment = {**os.environ, **({"BIPED_SLIP_CACHE": str(cache)} if cache else {})}
    return subprocess.run(
        [sys.executable, *map(str, words)],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


#: What a program reads from the code cache or writes into it, whoever has filled that
#: before, as lines of a file.
NOTED = """
import sys
from biped_slip.compile import cache
used = open(sys.argv[1], "w")
for name in ("kept", "keep"):
    def noted(path, *content, does=getattr(cache, name)):
        answer = does(path, *content)
        if answer:
            print(path, file=used, flush=True)
        return answer
    setattr(cache, name, noted)
"""
AHEAD = """
import biped_slip.cli.compile as ahead
ahead.SCENARIOS, ahead.LIMITS = ("thesis_sensors",), ("touchdown",)
ahead._planar(ahead.SCENARIOS)
"""
WALK = """
from biped_slip.cli import main
raise SystemExit(main(["walk", "--scenario", "thesis_sensors", "--json", "-"]))
"""


@pytest.mark.slow
def test_after_compiling_ahead_a_walk_compiles_nothing(tmp_path):
    compiled = _run("-c", NOTED + AHEAD, tmp_path / "ahead")
    assert compiled.returncode == 0, compiled.stderr
    walked = _run("-c", NOTED + WALK, tmp_path / "walked")
    assert walked.returncode in (0, 1, 3, 4), walked.stderr
    ahead, used = (
        set((tmp_path / name).read_text().splitlines()) for name in ("ahead", "walked")
    )
    assert used
    assert used <= ahead


def test_what_is_compiled_is_named_with_the_place_where_it_is_kept(
    tmp_path, monkeypatch, capsys
):
    monkeypatch.setattr(
        "biped_slip.cli.compile._parts",
        lambda everything, robots: {"planar biped": int},
    )
    monkeypatch.setenv("BIPED_SLIP_CACHE", str(tmp_path))
    assert main(["compile"]) == 0
    said = capsys.readouterr().err
    assert "planar biped: 0.0 s" in said
    assert str(tmp_path) in said.replace("\n", "")


def test_a_humanoid_that_nobody_knows_is_refused_before_anything_is_compiled(tmp_path):
    refused = _run("-m", "biped_slip", "compile", "--robot", "tallos", cache=tmp_path)
    assert refused.returncode == 2
    assert "unknown robot 'tallos'" in refused.stderr
    assert "planar" not in refused.stderr


@pytest.mark.parametrize("threads", ["0", "-1", "many", ""])
def test_a_number_of_threads_that_there_is_not_is_one_sentence(threads):
    program = (
        "import sys; from biped_slip.cli import main; sys.exit(main(sys.argv[1:]))"
    )
    environment = {**os.environ, "NUMBA_NUM_THREADS": threads}
    call = [sys.executable, "-c", program, "walk"]
    done = subprocess.run(
        call, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert "NUMBA_NUM_THREADS" in done.stderr
    assert done.stderr.count("\n") == 1

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The package as people get it: a wheel and a source distribution, built, and installed
where nothing else is."""

import json
import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCES = (
    "biped_slip",
    "config",
    "examples",
    "launch_files",
    "resource",
    "urdf",
    "worlds",
)
# of the source distribution alone: what a packager tests, builds and reads
BESIDES = ("biped_slip_msgs", "docs", "requirements", "studies", "synthetic", "test")
FILES = (
    "setup.py",
    "setup.cfg",
    "pyproject.toml",
    "MANIFEST.in",
    "README.md",
    "LICENSE",
    "package.xml",
    "CHANGELOG.md",
    "CITATION.cff",
    "CONTRIBUTING.md",
    "Makefile",
    "QUALITY_DECLARATION.md",
    "SECURITY.md",
    "pixi.toml",
    "rosdoc2.yaml",
)
GENERATED = ("__pycache__", "_build", "_scenes")


def run(*words, **options):
    return subprocess.run(
        [*map(str, words)], capture_output=True, text=True, timeout=900, **options
    )


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """Wheel and source distribution, built from a copy without leftovers of other
    builds."""
    place = tmp_path_factory.mktemp("package")
    for name in (*SOURCES, *BESIDES):
        shutil.copytree(
            ROOT / name,
            place / "src" / name,
            ignore=shutil.ignore_patterns(*GENERATED),
        )
    for name in FILES:
        shutil.copy(ROOT / name, place / "src")
    words = (
        sys.executable,
        "setup.py",
        "-q",
        "sdist",
        "-d",
        place,
        "bdist_wheel",
        "-d",
        place,
    )
    ended = run(*words, cwd=place / "src")
    assert ended.returncode == 0, ended.stderr
    return next(place.glob("*.whl")), next(place.glob("*.tar.gz"))


def test_wheel_and_source_distribution_hold_code_descriptions_and_samples(built):
    wheel, source = built
    with zipfile.ZipFile(wheel) as file:
        names = [name.partition("/data/")[2] or name for name in file.namelist()]
    with tarfile.open(source) as tar:
        members = {member.partition("/")[2] for member in tar.getnames()}
    modules = {
        str(path.relative_to(ROOT))
        for path in (ROOT / "biped_slip").rglob("*")
        if path.is_file()
    }
    modules = {name for name in modules if "__pycache__" not in name}
    assert modules <= set(names)
    assert modules <= members
    for folder in ("config", "launch_files", "urdf", "worlds", "examples"):
        place = folder.removesuffix("_files")  # where ROS 2 looks for launch files
        files = {
            str(path.relative_to(ROOT))
            for path in (ROOT / folder).rglob("*")
            if path.is_file()
        }
        files = {name for name in files if "__pycache__" not in name}
        inside = {name.removeprefix(f"{folder}/") for name in files}
        assert {f"share/biped_slip/{place}/{name}" for name in inside} <= set(names)
        assert files <= members


def test_a_source_distribution_holds_its_tests_and_what_they_need(built):
    """Every file of them, and all that a packager looks for beside the code."""
    with tarfile.open(built[1]) as tar:
        members = {member.partition("/")[2] for member in tar.getnames()}
    assert set(FILES) <= members
    for folder in BESIDES:
        files = {
            str(path.relative_to(ROOT))
            for path in (ROOT / folder).rglob("*")
            if path.is_file() and not set(GENERATED) & set(path.parts)
        }
        assert files
        assert files <= members, sorted(files - members)[:5]


def test_a_wheel_holds_no_tests(built):
    with zipfile.ZipFile(built[0]) as file:
        first = {name.partition("/")[0] for name in file.namelist()}
    assert not first & {"test", "studies", "synthetic", "docs"}


@pytest.mark.slow
def test_the_light_package_answers_recordings_in_an_empty_environment(built, tmp_path):
    assert run(sys.executable, "-m", "venv", tmp_path / "env").returncode == 0
    place = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("PYTHON")
    }
    installed = run(
        tmp_path / "env/bin/pip", "install", "-q", "--no-compile", built[0], env=place
    )
    if (
        "No matching distribution" in installed.stderr
        or "Connection" in installed.stderr
    ):
        pytest.skip("no package index answers")
    assert installed.returncode == 0, installed.stderr
    there = {
        "cwd": tmp_path,
        "env": place,
    }  # with the code cache of this run: its keys know no place
    replayed = run(
        tmp_path / "env/bin/biped-slip", "replay", "slide", "--json", "-", **there
    )
    assert replayed.returncode == 0, replayed.stderr
    assert json.loads(replayed.stdout)["results"][0]["summary"][
        "mu_median"
    ] == pytest.approx(0.4, abs=0.003)
    walked = run(tmp_path / "env/bin/biped-slip", "walk", **there)
    assert walked.returncode == 2
    assert walked.stderr.count("\n") == 1
    assert "pip install '.[walk]'" in walked.stderr

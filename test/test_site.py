# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The site: its tutorials run, its generated pages are up to date, it builds without a
warning."""

import contextlib
import importlib.util
import io
import re
import subprocess
import sys
from pathlib import Path

import api_page
import pytest
import scenario_page
import yaml

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
TUTORIALS = sorted((DOCS / "tutorials").glob("*.md"))
CELL = re.compile(r"^```\{code-cell\}\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def said_by(page):
    """What the cells of a tutorial print, run one after the other."""
    place = {}
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        for cell in CELL.findall(page.read_text(encoding="utf-8")):
            exec(compile(cell, str(page), "exec"), place)
    return out.getvalue()


def test_the_tutorial_on_recordings_finds_the_floor():
    said = said_by(DOCS / "tutorials/recording.md")
    assert re.search(r"mu_median +0\.(39|40)", said)
    low, median, high = map(
        float,
        re.findall(r"mu_\w+ ([\d.]+), median ([\d.]+), mu_high ([\d.]+)", said)[0],
    )
    assert low <= 0.5 <= high
    assert median == pytest.approx(0.5, abs=0.1)


def test_the_tutorial_on_laws_shows_that_the_own_law_creeps():
    drifts = [
        float(drift)
        for drift in re.findall(
            r"drift +([\d.]+) um/s", said_by(DOCS / "tutorials/friction_law.md")
        )
    ]
    assert drifts[1] > 10.0 * max(drifts[0], 0.1)


def test_the_tutorial_on_walks_slides_without_prevention_alone():
    slides = [
        float(slide)
        for slide in re.findall(
            r"stance ([\d.]+) mm", said_by(DOCS / "tutorials/walk.md")
        )
    ]
    assert slides[0] > 10.0 > slides[1]


def test_the_tutorial_on_the_environment_repeats_an_episode():
    pytest.importorskip("gymnasium", reason="the gymnasium extra is not installed")
    pytest.importorskip("mujoco", reason="the mujoco extra is not installed")
    said = said_by(DOCS / "tutorials/environment.md")
    returns = re.findall(r"return +(-?[\d.]+)", said)
    assert len(set(returns)) == len(returns) == 2
    assert "the same seed again: True" in said


def test_every_tutorial_is_run_here():
    assert {page.stem for page in TUTORIALS} == {
        "recording",
        "friction_law",
        "walk",
        "environment",
    }


def test_generated_pages_are_up_to_date():
    assert api_page.REFERENCE.read_text(encoding="utf-8") == api_page.reference(), (
        "python test/api_page.py"
    )
    assert scenario_page.PAGE.read_text(encoding="utf-8") == scenario_page.text(), (
        "python test/scenario_page.py"
    )


def test_every_page_is_in_the_index():
    listed = re.findall(
        r"^([\w/]+)$", (DOCS / "index.md").read_text(encoding="utf-8"), re.MULTILINE
    )
    pages = {
        str(page.relative_to(DOCS).with_suffix(""))
        for page in DOCS.rglob("*.md")
        if "_build" not in page.parts
    }
    assert set(listed) == pages - {"index"}
    assert len(listed) == len(set(listed))


def test_the_citation_names_the_version():
    import biped_slip

    assert (
        yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))["version"]
        == biped_slip.__version__
    )
    assert f"<version>{biped_slip.__version__}</version>" in (
        ROOT / "package.xml"
    ).read_text(encoding="utf-8")


@pytest.mark.slow
@pytest.mark.skipif(
    importlib.util.find_spec("sphinx") is None, reason="the extra docs is not installed"
)
def test_the_site_builds_without_a_warning(tmp_path):
    words = (
        "-W",
        "--keep-going",
        "-q",
        "-D",
        "nb_execution_mode=off",
        "-D",
        "suppress_warnings=myst-nb.lexer",
        "-b",
        "html",
        str(DOCS),
        str(tmp_path),
    )
    ended = subprocess.run(
        [sys.executable, "-m", "sphinx", *words],
        capture_output=True,
        text=True,
        timeout=900,
    )
    assert ended.returncode == 0, ended.stderr
    assert (tmp_path / "reference.html").is_file()

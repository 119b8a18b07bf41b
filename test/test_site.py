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
from datetime import date
from pathlib import Path
from urllib.parse import urlsplit

import api_page
import pytest
import scenario_page
import yaml
from browser import WINDOWS, chromium

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


LONGEST_LINE = 92  # letters of code that a window of 1024 px shows beside the side bar


@pytest.mark.parametrize("page", TUTORIALS, ids=lambda file: file.stem)
def test_the_code_of_a_tutorial_is_seen_whole_on_a_small_screen(page):
    cells = "".join(CELL.findall(page.read_text(encoding="utf-8")))
    assert [line for line in cells.splitlines() if len(line) > LONGEST_LINE] == []


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


ENTRY = re.compile(r"^(\w[\w ,]*) <([\w/]+)>$", re.MULTILINE)


def test_every_page_is_in_the_side_bar_under_a_noun_of_its_own():
    entries = ENTRY.findall((DOCS / "index.md").read_text(encoding="utf-8"))
    pages = {
        str(page.relative_to(DOCS).with_suffix(""))
        for page in DOCS.rglob("*.md")
        if "_build" not in page.parts
    }
    names = [name for name, _ in entries]
    assert {page for _, page in entries} == pages - {"index"}
    assert len(entries) == len(pages) - 1
    assert len(set(names)) == len(names)
    # the side bar has room for eighteen letters; the longest is "Friction beside it"
    assert [name for name in names if len(name) > 18] == []


def test_the_citation_names_author_version_and_date():
    import biped_slip

    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert cited["authors"] == [{"name": "The biped_slip authors"}]
    assert cited["version"] == biped_slip.__version__
    assert isinstance(cited["date-released"], date)
    assert f"<version>{biped_slip.__version__}</version>" in (
        ROOT / "package.xml"
    ).read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The built site; its tutorials, which tests above run, are not run again."""
    if importlib.util.find_spec("sphinx") is None:
        pytest.skip("the extra docs is not installed")
    folder = tmp_path_factory.mktemp("site")
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
        str(folder),
    )
    ended = subprocess.run(
        [sys.executable, "-m", "sphinx", *words],
        capture_output=True,
        text=True,
        timeout=900,
    )
    assert ended.returncode == 0, ended.stderr
    return folder


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    with chromium(tmp_path_factory.mktemp("profile")) as opened:
        yield opened


@pytest.mark.slow
def test_the_site_builds_without_a_warning_and_names_its_version(site):
    import biped_slip

    start = (site / "index.html").read_text(encoding="utf-8")
    side = start[start.index('class="sidebar-brand') :]
    assert (site / "reference.html").is_file()
    assert f"biped_slip {biped_slip.__version__}<" in side


@pytest.mark.slow
def test_no_page_of_the_site_scrolls_sideways_in_any_window(site, page):
    found = {}
    for file in sorted(site.rglob("*.html")):
        page.open(file.as_uri(), WINDOWS[0])
        found[str(file.relative_to(site))] = page.sideways()
    assert {name: wide for name, wide in found.items() if wide} == {}
    assert len(found) > len(list(DOCS.glob("*.md")))


SEARCHED = {
    "ros2 topic list": "nodes.html",  # what does the same without a ROS installation
    "ros2 param set": "nodes.html",
    "exit code": "commands.html",
    "mu_low": "concepts.html",
}


FOUND = """
const summary = document.querySelector(".search-summary");
return summary && summary.textContent.startsWith("Search finished") &&
    [...document.querySelectorAll("ul.search > li > a")].map(link => link.href)"""


@pytest.mark.slow
@pytest.mark.parametrize(("words", "answered_by"), SEARCHED.items())
def test_the_search_finds_the_page_that_answers(site, page, words, answered_by):
    asked = "+".join(words.split())
    page.open(f"{(site / 'search.html').as_uri()}?q={asked}")
    found = page.shown(FOUND)
    assert answered_by in [Path(urlsplit(link).path).name for link in found[:10]]


@pytest.mark.slow
@pytest.mark.parametrize("tutorial", TUTORIALS, ids=lambda file: file.stem)
def test_a_tutorial_can_be_had_as_a_notebook(site, tutorial):
    """Its code cells are those of the page, which tests above run, in their order."""
    nbformat = pytest.importorskip("nbformat", reason="the extra docs is not installed")
    page = (site / f"tutorials/{tutorial.stem}.html").read_text(encoding="utf-8")
    assert f'href="{tutorial.stem}.ipynb" download' in page
    notebook = nbformat.read(site / f"tutorials/{tutorial.stem}.ipynb", as_version=4)
    nbformat.validate(notebook)
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    source = tutorial.read_text(encoding="utf-8")
    assert [f"{cell.source}\n" for cell in cells] == CELL.findall(source)
    words = "".join(cell.source for cell in notebook.cells if cell not in cells)
    assert words.startswith("# ")
    assert "](" not in words  # other pages are not beside it

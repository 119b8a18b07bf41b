# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Docs name what exists: links, files, commands, options, rooms."""

import re
from pathlib import Path

import pytest
from pages import (
    EVERYDAY,
    FENCE,
    NAMES,
    ROOT,
    everyday_words,
    missing_commands,
    text_of,
    unknown_options,
)
from test_architecture import BESIDE, ROOMS, SHELLS

from biped_slip.cli import BIPED_SLIP

LINK = re.compile(r"\]\(([^)\s]+)\)")
QUOTED = re.compile(r"`([^`\n]+)`")
FILE = re.compile(r"[\w*/.-]+\.(?:py|yaml|xacro|urdf|sdf|xml|rviz|js)")
BEFORE = (
    "",
    "biped_slip",
    "biped_slip/estimation",
    "biped_slip/ros",
    "test",
    "launch_files",
    "config",
)  # where readers look
MADE = {
    "sole.yaml",
    "plan.yaml",
    "romeo.yaml",
    "romeo_walk.yaml",
    "surena3.urdf",
    "FILE.py",
    "rules.yaml",
    "careful.py",
    "held.py",
    "stand.py",
    "my_robot.urdf",
    "my_robot.yaml",
    "my_walk.yaml",
    "insole.py",
}  # by the reader, or by a command
FOLDERS = "biped_slip test docs config urdf launch_files worlds examples studies synthetic".split()
EVERYWHERE = [
    *ROOT.glob("*.*"),
    *(path for folder in FOLDERS for path in (ROOT / folder).rglob("*")),
]


def anchors(page):
    """Anchors of a page: its own and those that its headings get."""
    text = FENCE.sub("", page.read_text(encoding="utf-8"))
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    own = re.findall(r'<a id="([^"]+)"', text)
    return {
        *own,
        *(re.sub(r"[^\w -]", "", line.lower()).replace(" ", "-") for line in headings),
    }


def missing_links(page, text):
    """Relative links of a page that lead nowhere."""
    for target in LINK.findall(FENCE.sub("", text)):
        if re.match(r"[a-z]+:", target):
            continue
        place, _, anchor = target.partition("#")
        file = (page.parent / place).resolve() if place else page
        if not file.exists() or (
            anchor and file.suffix == ".md" and anchor not in anchors(file)
        ):
            yield target


def missing_files(text):
    """Files named in backticks that are nowhere: a path from where readers look, a bare
    name anywhere."""
    for quoted in QUOTED.findall(FENCE.sub("", text)):
        for word in quoted.split():
            name = word.strip("()[],;:{}").partition(":")[0]
            if (
                not FILE.fullmatch(name)
                or name.startswith("/")
                or Path(name).name in MADE
                or "NAME" in name
            ):
                continue
            if "/" in name:
                found = any(
                    any(ROOT.glob(f"{before}/{name}".lstrip("/"))) for before in BEFORE
                )
            else:
                found = any(path.match(name) for path in EVERYWHERE)
            if not found:
                yield name


@pytest.mark.parametrize("name", NAMES)
def test_every_link_leads_somewhere(name):
    assert not list(missing_links(ROOT / name, text_of(name)))


@pytest.mark.parametrize("name", NAMES)
def test_every_file_that_is_named_exists(name):
    assert not list(missing_files(text_of(name)))


@pytest.mark.parametrize("name", NAMES)
def test_every_command_that_is_named_exists(name):
    assert not missing_commands(BIPED_SLIP, text_of(name))


def test_a_wrong_link_file_or_command_is_found():
    page = ROOT / "README.md"
    assert list(
        missing_links(
            page,
            "[a](docs/nowhere.md), [b](docs/nodes.md#no-such-part), [c](#nor-this)",
        )
    ) == [
        "docs/nowhere.md",
        "docs/nodes.md#no-such-part",
        "#nor-this",
    ]
    assert list(
        missing_files(
            "`walking/nobody.py`, `nobody.py:name`, `walking/planar.py`, `rls.py`"
        )
    ) == [
        "walking/nobody.py",
        "nobody.py",
    ]
    assert missing_commands(BIPED_SLIP, "`biped-slip fly --high`, biped-slip walk") == [
        "fly"
    ]


@pytest.mark.parametrize("command", BIPED_SLIP.commands)
def test_every_option_that_the_readme_gives_to_a_command_exists(command):
    assert not unknown_options(BIPED_SLIP, command, text_of("README.md"))


@pytest.mark.parametrize(
    "name",
    [name for name in NAMES if name not in ("docs/parameters.md", "docs/licences.md")],
)
def test_pages_use_the_words_of_the_field(name):
    assert not EVERYDAY.findall(FENCE.sub("", text_of(name)))


@pytest.mark.parametrize("command", BIPED_SLIP.commands)
def test_help_texts_use_the_words_of_the_field(command):
    assert not everyday_words(BIPED_SLIP, command)


def test_the_table_of_rooms_is_what_is_tested():
    rows = dict(
        re.findall(
            r"^\| `(\w+)/` \| .* \| (.*) \|$",
            text_of("docs/architecture.md"),
            re.MULTILINE,
        )
    )
    assert set(rows) == {*ROOMS, *SHELLS}
    for room, allowed in ROOMS.items():
        assert set(re.findall(r"`(\w+)`", rows[room])) == allowed, room
    beside = re.search(
        r"^Beside the packages.*$", text_of("docs/architecture.md"), re.MULTILINE
    )
    assert beside is not None
    assert {
        name.removesuffix(".py").strip("/") for name in QUOTED.findall(beside[0])
    } == BESIDE


def test_each_study_is_in_the_index_with_its_question():
    rows = dict(
        re.findall(
            r"^\| \[[^]]*\]\((\w+\.md)\) \| ([^|]+\?) \|",
            text_of("studies/README.md"),
            re.MULTILINE,
        )
    )
    assert set(rows) == {page.name for page in (ROOT / "studies").glob("*.md")} - {
        "README.md"
    }
    for page in rows:
        for part in ("# ", "**Question.**", "**Method.**", "**Conclusion.**", "|---"):
            assert part in text_of(f"studies/{page}"), (page, part)

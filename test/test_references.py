# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Whatever code and docs cite can be looked up in docs: equations, studies,
bibliography."""

import re
from pathlib import Path

import pytest
from citations import ANCHOR, is_source, read_shelf, unresolved, unresolved_in_python

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
FOLDERS = (
    "biped_slip",
    "test",
    "docs",
    "config",
    "urdf",
    "launch_files",
    "examples",
    "studies",
    "synthetic",
)
SHELF = read_shelf(ROOT)
PAGES = [
    *DOCS.glob("equations/*.md"),
    *ROOT.glob("studies/*.md"),
    DOCS / "references.md",
    DOCS / "glossary.md",
]
LINK = re.compile(r"\]\(([^)#:\s]*)(?:#([^)\s]+))?\)")


def files(*kinds):
    """Files of the project with these endings, but for this one, which cites what does
    not exist."""
    found = [
        path
        for folder in FOLDERS
        for path in sorted((ROOT / folder).rglob("*"))
        if path.suffix in kinds
    ]
    return [
        path
        for path in (*found, ROOT / "README.md")
        if path.suffix in kinds and path != Path(__file__)
    ]


def anchors(page):
    """Anchors of a page: its own and those that its headings get."""
    text = page.read_text(encoding="utf-8")
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {
        *ANCHOR.findall(text),
        *(re.sub(r"[^\w -]", "", line.lower()).replace(" ", "-") for line in headings),
    }


def test_every_citation_in_code_resolves():
    code = files(".py")
    assert len(code) > 200
    loose = [
        f"{path.relative_to(ROOT)}:{found}"
        for path in code
        for found in unresolved_in_python(path.read_text(encoding="utf-8"), SHELF)
    ]
    assert not loose, "\n".join(loose)


def test_every_citation_in_docs_and_settings_resolves():
    loose = [
        f"{path.relative_to(ROOT)}:{found}"
        for path in files(".md", ".yaml", ".urdf")
        for found in unresolved(path.read_text(encoding="utf-8"), SHELF, prose=False)
    ]
    assert not loose, "\n".join(loose)


def test_every_section_and_entry_has_its_own_anchor():
    assert not SHELF.misplaced
    assert {key[:2] for key in SHELF.sections} == {
        "A.",
        "B.",
        "C.",
        "D.",
        "E.",
        "S.",
        "st",
        "si",
    }


def test_every_word_of_the_glossary_names_its_source():
    rows = [
        line
        for line in (DOCS / "glossary.md").read_text(encoding="utf-8").splitlines()
        if line.startswith("| ")
    ]
    terms = [
        row.strip("| ").split(" | ") for row in rows if not row.startswith("| Word ")
    ]
    assert len(terms) > 60
    assert [
        term for term in terms if len(term) != 3 or not is_source(term[2], SHELF)
    ] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_between_the_pages_lead_somewhere(page):
    for target, anchor in LINK.findall(page.read_text(encoding="utf-8")):
        there = (page.parent / target).resolve() if target else page
        assert there.is_file(), target
        assert not anchor or anchor in anchors(there), f"{target}#{anchor}"


GOOD = (
    "A.8",
    "A.8 (6.20)",
    "torques (A.8 (6.20)-(6.28))",
    "A.8 (6.20)\u2013(6.28)",
    "E.3 (19)",
    "S.2",
    "study 7.3",
    "study 7.1-7.4",
    "[Hartley2020]",
    "simulation study 3",
    "simulation\nstudy 3",
    "REP 120",
    "1.0E.5",
    "the thesis",
    "np.array([A.T, B.shape])",
)
BAD = (
    "A.11",
    "(Z.1, B.9)",
    "A.8 (9.99)",
    "A.8 (6.20)-(6.99)",
    "A.8 (6.20)\u2013(6.99)",
    "E.3 (16)",
    "S.9",
    "study 7.10",
    "study 0",
    "study 7.1-7.11",
    "[Nobody2020]",
    "REP 147",
    "E.3, 19)",
    "A.2, thesis 4.5)",
    "(thesis 4.5)",
    "study 2, 7.1)",
    "(simulation study)",
    "(study 7, reset)",
    "Escande et al. 2014",
    "simulation study 9",
)


@pytest.mark.parametrize("text", GOOD)
def test_the_checker_passes_what_docs_define(text):
    assert list(unresolved(text, SHELF)) == []


@pytest.mark.parametrize("text", BAD)
def test_the_checker_finds_what_docs_do_not_define(text):
    assert list(unresolved(text, SHELF))


def test_names_with_years_and_unknown_equations_are_found_in_prose():
    module = (
        '"""As usual (4.99).\n\nSource: Hartley 2020, and (4.1).\n"""\n\n\nx = 1 '
        " # B.9\n"
    )
    assert [
        (loose.line, loose.text) for loose in unresolved_in_python(module, SHELF)
    ] == [
        (3, "Hartley 2020"),
        (1, "(4.99)"),
        (7, "B.9"),
    ]


@pytest.mark.parametrize(
    "source",
    [
        "choice",
        "choice: 5 control ticks",
        "A.8: 0.55 s there",
        "A.2, study 7.2",
        "[MuJoCo]: solref",
        "REP 107",
        "study 2: I1",
    ],
)
def test_a_source_is_a_key_or_a_choice(source):
    assert is_source(source, SHELF)
    assert (
        list(unresolved_in_python(f"x = parameter(1.0, source={source!r})", SHELF))
        == []
    )


@pytest.mark.parametrize(
    "source",
    [
        "guess",
        "",
        "choice (A.8)",
        "A.77",
        "A.8 somewhere",
        "MuJoCo",
        "study",
        "5 ticks",
    ],
)
def test_any_other_source_is_refused(source):
    assert not is_source(source, SHELF)
    assert list(unresolved_in_python(f"x = parameter(1.0, source={source!r})", SHELF))


def test_a_source_that_cannot_be_read_is_refused():
    assert list(unresolved_in_python("x = parameter(1.0, source=WHERE)", SHELF))

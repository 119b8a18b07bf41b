# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Citations in code and docs, and the keys that docs define for them
(docs/equations/README.md, "How to cite")."""

import ast
import io
import re
import tokenize
from pathlib import Path
from typing import Iterator, NamedTuple

EQUATION = r"\((\d+(?:\.\d+)?)\)"
SECTION = re.compile(
    rf"(?<![\w.])([A-ES]\.\d+)\b(?!\.\d|[A-Z_])(?:\s+{EQUATION}(?:\s*[-\u2013]\s*{EQUATION})?)?"
)
STUDY = re.compile(
    r"\b((?:simulation\s+)?study)\s+(\d+(?:\.\d+)?)(?:[-\u2013](\d+(?:\.\d+)?))?"
)
WORK = re.compile(r"\[([A-Z][A-Za-z]+\d{4}[a-z]?|Roosen|MuJoCo|ROS2)\]")
PROPOSAL = re.compile(r"\bREP[ -](\d+)")
# bare, where the section was named before
THESIS_EQUATION = re.compile(r"(?<!\w)\(([346]\.\d{1,2})\)")

#: What looks like a citation and is none: nobody could look it up.
LOOSE = {
    "put the equation's number in parentheses": re.compile(
        r"\b[A-E]\.\d+,? (?:thesis )?\d+(?:\.\d+)?[);,]"
    ),
    "give every section its name": re.compile(
        r"\bstudy \d(?:\.\d)?(?:,| and) \d(?:\.\d)?[),]"
    ),
    "name the section of the study": re.compile(
        r"\((?:\w+ )*study[,)]|\bstudy \d, (?!study)\w+[);]"
    ),
    "cite a section, not the thesis": re.compile(r"\bthesis,? \(?\d\.\d"),
    "cite by a key of docs/references.md": re.compile(
        r"\bet\s+al\.,?\s+\(?(?:19|20)\d\d"
    ),
}
#: The same, in comments and docstrings: a name with a year.
NAMED = re.compile(
    r"\b(?!REP\b|Copyright\b)[A-Z][A-Za-zà-ž]+,?\s+\(?(?:19|20)\d\d\b(?!-)"
)

#: Modules without any of these cite nothing; most have none.
MAYBE = re.compile(
    r"\b[A-ES]\.\d|study|thesis|\bREP\b|\[[A-Z]\w+\]|(?<!Copyright "
    r")\b(?:19|20)\d\d\b|\([346]\.\d"
)

ANCHOR = re.compile(r'<a id="([^"]+)"></a>')
HEADING = re.compile(
    r"^#+ ([A-ES]\.\d+|(?:simulation )?study \d+(?:\.\d+)?)\b", re.MULTILINE
)
ENTRY = re.compile(r'<a id="([^"]+)"></a>\*\*\[([^\]]+)\]\*\*')


class Shelf(NamedTuple):
    """What docs define."""

    sections: dict[str, str]  # key to the section's text
    works: set[str]  # keys of the bibliography
    misplaced: list[
        str
    ]  # headings and entries whose anchor is missing, or is another's


class Loose(NamedTuple):
    """A citation that does not resolve."""

    line: int
    text: str
    reason: str

    def __str__(self) -> str:
        return f"{self.line}: {self.text!r}: {self.reason}"


def read_shelf(root: Path) -> Shelf:
    """Sections of the equations and studies, entries of the bibliography."""
    shelf = Shelf({}, set(), [])
    for page in (
        *sorted((root / "docs/equations").glob("*.md")),
        *sorted((root / "studies").glob("*.md")),
    ):
        text = page.read_text(encoding="utf-8")
        found = list(HEADING.finditer(text))
        for heading, after in zip(found, (*found[1:], None)[: len(found)], strict=True):
            key = heading[1]
            if (
                not text[: heading.start()].endswith(
                    f'<a id="{key.replace(" ", "-")}"></a>\n'
                )
                or key in shelf.sections
            ):
                shelf.misplaced.append(f"{page.name}: {key}")
            shelf.sections[key] = text[
                heading.start() : after.start() if after else None
            ]
    for anchor, key in ENTRY.findall(
        (root / "docs/references.md").read_text(encoding="utf-8")
    ):
        if anchor != key.replace(" ", "-") or key in shelf.works:
            shelf.misplaced.append(f"references.md: {key}")
        shelf.works.add(key)
    return shelf


def unresolved(text: str, shelf: Shelf, prose: bool = True) -> Iterator[Loose]:
    """Citations in a text that lead nowhere; ``prose`` also refuses names with years
    and checks bare numbers."""
    for match in SECTION.finditer(text):
        known = shelf.sections.get(match[1])
        for number in filter(None, match.groups()[1:]):
            if known is not None and f"({number})" not in known:
                yield _loose(text, match, f"{match[1]} has no equation ({number})")
        if known is None:
            yield _loose(text, match, "no page of docs/equations has this section")
    for match in STUDY.finditer(text):
        name = " ".join(match[1].split())
        if any(
            f"{name} {section}" not in shelf.sections
            for section in match.groups()[1:]
            if section
        ):
            yield _loose(text, match, "the study has no such section")
    for match in (*WORK.finditer(text), *PROPOSAL.finditer(text)):
        key = f"REP {match[1]}" if match.re is PROPOSAL else match[1]
        if key not in shelf.works:
            yield _loose(text, match, "not in docs/references.md")
    for reason, pattern in LOOSE.items():
        yield from (_loose(text, match, reason) for match in pattern.finditer(text))
    if prose:
        yield from (
            _loose(text, match, "cite by a key of docs/references.md")
            for match in NAMED.finditer(text)
        )
        numbered = "".join(
            known for key, known in shelf.sections.items() if key.startswith("A.")
        )
        for match in THESIS_EQUATION.finditer(text):
            if match[0] not in numbered:
                yield _loose(text, match, "no section A has this equation")


def unresolved_in_python(source: str, shelf: Shelf) -> Iterator[Loose]:
    """Citations in strings, docstrings and comments of a module, and the sources of its
    parameters."""
    for start, text, prose in _words(source) if MAYBE.search(source) else ():
        for loose in unresolved(text, shelf, prose):
            yield loose._replace(line=start + loose.line - 1)
    for node in ast.walk(ast.parse(source)) if "source=" in source else ():
        if (
            isinstance(node, ast.Call)
            and getattr(node.func, "id", getattr(node.func, "attr", "")) == "parameter"
        ):
            for keyword in node.keywords:
                if keyword.arg == "source":
                    value = (
                        keyword.value.value
                        if isinstance(keyword.value, ast.Constant)
                        else None
                    )
                    if not isinstance(value, str) or not is_source(value, shelf):
                        reason = (
                            "a source is a key or 'choice', then nothing or a "
                            "colon and a remark"
                        )
                        yield Loose(keyword.value.lineno, str(value), reason)


def is_source(text: str, shelf: Shelf) -> bool:
    """Whether a text is ``choice`` or a list of keys that resolve, with or without a
    remark after a colon."""
    keys = text.split(":", 1)[0]
    return keys == "choice" or all(_is_key(key, shelf) for key in keys.split(", "))


def _is_key(text: str, shelf: Shelf) -> bool:
    whole = any(pattern.fullmatch(text) for pattern in (SECTION, STUDY, WORK, PROPOSAL))
    return whole and not list(unresolved(text, shelf, prose=False))


def _words(source: str) -> Iterator[tuple[int, str, bool]]:
    """First line and text of every string, and of every run of comments; whether it is
    prose."""
    comment: list[tuple[int, str]] = []
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            if comment and token.start[0] != comment[-1][0] + 1:
                yield comment[0][0], "\n".join(text for _, text in comment), True
                comment = []
            comment.append((token.start[0], token.string.lstrip("#: ")))
        elif token.type == tokenize.STRING or token.type == getattr(
            tokenize, "FSTRING_MIDDLE", -1
        ):
            yield token.start[0], token.string, '"""' in token.string
    if comment:
        yield comment[0][0], "\n".join(text for _, text in comment), True


def _loose(text: str, match: re.Match[str], reason: str) -> Loose:
    return Loose(text.count("\n", 0, match.start()) + 1, match[0], reason)

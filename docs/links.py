# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Whether links inside a built site lead somewhere: `python docs/links.py FOLDER`."""

from __future__ import annotations

import sys
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from typing import Iterator
from urllib.parse import unquote, urlsplit


class Page(HTMLParser):
    """What a page links to, and where in it one may jump."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.anchors: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Collect links and anchors."""
        for name, value in attrs:
            if value and name in ("href", "src"):
                self.links.append(value)
            elif value and name in ("id", "name"):
                self.anchors.add(value)


def dead_links(site: Path) -> Iterator[str]:
    """Links that lead nowhere, with their page; scenes count as there."""

    @cache
    def page(path: Path) -> Page:
        return Page(path.read_text(encoding="utf-8"))

    for path in sorted(site.rglob("*.html")):
        if path.parent.name == "scenes":
            continue
        for link in page(path).links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (
                (path.parent / unquote(parts.path)).resolve() if parts.path else path
            )
            gone = not target.exists() and target.parent.name != "scenes"
            lost = parts.fragment and target.suffix == ".html" and target.exists()
            if gone or (lost and unquote(parts.fragment) not in page(target).anchors):
                yield f"{path.relative_to(site)}: {link}"


if __name__ == "__main__":
    dead = list(dead_links(Path(sys.argv[1]).resolve()))
    pages = sum(1 for _ in Path(sys.argv[1]).rglob("*.html"))
    print(*dead, f"{pages} pages, {len(dead)} dead links inside", sep="\n")
    sys.exit(bool(dead))

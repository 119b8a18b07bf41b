# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The site: `make docs`. Nothing is fetched; pages are the Markdown of this folder."""

from __future__ import annotations

import re
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any

# rosdoc2 reads this file without the package and knows the version from package.xml
with suppress(ImportError):
    import biped_slip

    version = release = biped_slip.__version__

project = "biped_slip"
author = "The biped_slip authors"
copyright = "2026 The biped_slip authors"
extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
# this module is named so
extensions += ["sphinx-mathjax-offline"] if find_spec("sphinx-mathjax-offline") else []
rosdoc2_settings = {"support_markdown": False}  # myst_nb reads it
exclude_patterns = ["_build", "_scenes"]
html_theme = "furo"
html_title = "biped_slip"
html_static_path = ["site.css"]
html_css_files = ["site.css"]
# what `make docs` has walked
html_extra_path = ["_scenes"] if Path("_scenes").is_dir() else []

myst_enable_extensions = ["dollarmath", "colon_fence"]
myst_heading_anchors = 4
# rosdoc2 has the sources alone
nb_execution_mode = "force" if find_spec("casadi") else "off"
nb_execution_timeout = 300
nb_execution_raise_on_error = True

autodoc_typehints = "description"  # shapes and units are in the docstrings
autodoc_member_order = "bysource"
napoleon_numpy_docstring = False


def _readable(app: Any, docname: str, source: list[str]) -> None:
    """Rewrite fences of mathematics, anchors of HTML and links to files for MyST.

    The files are those beside this folder.
    """
    here = Path(app.srcdir, docname).parent

    def link(found: re.Match[str]) -> str:
        words, place, anchor = found[1], *found[2].partition("#")[::2]
        page = (here / place).resolve() if place else Path(app.srcdir, f"{docname}.md")
        if ":" in found[2] or not page.exists():
            return found[0]
        if not page.is_relative_to(app.srcdir):
            # of the sources, not of the site
            file = page.relative_to(Path(app.srcdir).parent).as_posix()
            return words if file in words else f"{words} (`{file}`)"
        if anchor and f'<a id="{anchor}">' in page.read_text(encoding="utf-8"):
            target = place.removesuffix(".md") + ".html" if place else ""
            return f'<a href="{target}#{anchor}">{words}</a>'
        return found[0]

    text = re.sub(r"^( *)```math$", r"\1```{math}", source[0], flags=re.MULTILINE)
    source[0] = re.sub(
        r"(?<!!)\[((?:\[[^\]\n]*\]|[^\[\]\n])+)\]\(([^)\s]+)\)", link, text
    )


def _plain_bars(
    app: Any, what: str, name: str, thing: Any, options: Any, lines: list[str]
) -> None:
    """Escape bars: |Ft| / Fn in a docstring is a magnitude, not a substitution."""
    for i, line in enumerate(lines):
        parts = line.split("``")
        parts[::2] = [part.replace("|", "\\|") for part in parts[::2]]
        lines[i] = "``".join(parts)


def setup(app: Any) -> None:
    """Rewrite links before pages are parsed."""
    app.connect("source-read", _readable)
    app.connect("autodoc-process-docstring", _plain_bars)

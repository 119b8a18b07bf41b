# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The site: `make docs`. Nothing is fetched; pages are the Markdown of this folder."""

from __future__ import annotations

import re
import subprocess
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

# over the side bar and in the titles of pages
html_title = "biped_slip"
# rosdoc2 reads this file without the package and knows the version from package.xml
with suppress(ImportError):
    import biped_slip

    version = release = biped_slip.__version__
    html_title = f"biped_slip {version}"


def _repository() -> list[dict[str, str]]:
    """Return the link to where this checkout comes from, without a user's name.

    There is none where the sources are no checkout, or come from no web page.
    """
    asked = ""
    with suppress(OSError):
        words = ["git", "config", "--get", "remote.origin.url"]
        asked = subprocess.run(words, capture_output=True, text=True).stdout.strip()
    origin = urlsplit(asked)
    if origin.scheme != "https" or not origin.hostname:
        return []
    address = f"https://{origin.hostname}{origin.path.removesuffix('.git')}"
    return [{"name": "Repository", "url": address, "html": "Repository", "class": ""}]


project = "biped_slip"
author = "The biped_slip authors"
copyright = "2026 The biped_slip authors"
extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
# this module is named so
extensions += ["sphinx-mathjax-offline"] if find_spec("sphinx-mathjax-offline") else []
rosdoc2_settings = {"support_markdown": False}  # myst_nb reads it
exclude_patterns = ["_build", "_scenes"]
html_theme = "furo"
html_static_path = ["site.css"]
html_css_files = ["site.css"]
html_theme_options = {"footer_icons": _repository()}
# scenes recorded before, and those that `make docs` has walked
html_extra_path = ["recorded", *(["_scenes"] if Path("_scenes").is_dir() else [])]

myst_enable_extensions = ["dollarmath", "colon_fence"]
myst_heading_anchors = 4
# rosdoc2 has the sources alone
nb_execution_mode = "force" if find_spec("casadi") else "off"
nb_execution_timeout = 300
nb_execution_raise_on_error = True

autodoc_typehints = "description"  # shapes and units are in the docstrings
autodoc_member_order = "bysource"
napoleon_numpy_docstring = False
napoleon_use_ivar = True  # fields beside the members that have a docstring of their own


RECORDED = "recorded/"  # its contents lie beside the pages of the site


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
        if place.startswith(RECORDED):  # shown, not downloaded
            return f'<a href="{place.removeprefix(RECORDED)}">{words}</a>'
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


RUN_AS_NOTEBOOK = "file_format: mystnb"
LINK = re.compile(r"(?<!!)\[([^\]\n]+)\]\([^)\s]+\)")


def _notebooks(app: Any, docname: str, source: list[str]) -> None:
    """Put a link to its notebook under the heading of a page that is run."""
    if RUN_AS_NOTEBOOK in source[0].partition("\n\n")[0]:
        name = f"{Path(docname).name}.ipynb"
        link = f'<a href="{name}" download>Download this page as a notebook</a>'
        heading = re.compile(r"^(# .*)$", re.MULTILINE)
        source[0] = heading.sub(rf"\1\n\n{link}", source[0], count=1)


def _write_notebooks(app: Any, failed: Exception | None) -> None:
    """Write the notebooks beside their pages, not run and without links to pages."""
    if failed or app.builder.format != "html":
        return
    import nbformat
    from myst_nb.core.read import read_myst_markdown_notebook

    for docname in app.env.found_docs:
        text = Path(app.env.doc2path(docname)).read_text(encoding="utf-8")
        if RUN_AS_NOTEBOOK in text.partition("\n\n")[0]:
            notebook = read_myst_markdown_notebook(text)
            for cell in notebook.cells:
                if cell.cell_type == "markdown":
                    cell.source = LINK.sub(r"\1", cell.source)
            nbformat.write(notebook, Path(app.outdir, f"{docname}.ipynb"))


def _plain_bars(
    app: Any, what: str, name: str, thing: Any, options: Any, lines: list[str]
) -> None:
    """Escape bars: |Ft| / Fn in a docstring is a magnitude, not a substitution."""
    for i, line in enumerate(lines):
        parts = line.split("``")
        parts[::2] = [part.replace("|", "\\|") for part in parts[::2]]
        lines[i] = "``".join(parts)


def setup(app: Any) -> None:
    """Rewrite links before pages are parsed, and write notebooks after."""
    app.connect("source-read", _readable)
    app.connect("source-read", _notebooks)
    app.connect("build-finished", _write_notebooks)
    app.connect("autodoc-process-docstring", _plain_bars)

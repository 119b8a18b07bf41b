# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Self-contained HTML pages from headings, sentences, tables and pictures.

A page holds its pictures as data and loads nothing: it opens from disk, and years
later.
"""

from __future__ import annotations

import base64
import html
from itertools import chain
from pathlib import Path
from typing import Any, Iterable, Iterator, Mapping, NamedTuple, Sequence
from urllib.parse import quote

from biped_slip.reports.cells import cell_text
from biped_slip.reports.figures import RATIO_CAPTION, ratio_figure, save_figure
from biped_slip.reports.stances import (
    STANCE_COLUMNS,
    STANCE_KEY,
    StanceRow,
    cells,
    closing_sentence,
    fall_sentence,
    stance_rows,
)
from biped_slip.simulation.log import Log
from biped_slip.simulation.summary import Summary

PAGE_STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; color: #222; }
body { max-width: 62rem; margin: 2rem auto; padding: 0 1rem; }
body { overflow-wrap: anywhere; }
/* what is wider than the window scrolls in its own box */
.wide, pre { overflow-x: auto; } .wide { overflow-wrap: normal; }
h1 { font-size: 1.6rem; }
h2 { font-size: 1.2rem; margin-top: 2rem; border-bottom: 1px solid #ddd; }
table { border-collapse: collapse; margin: 1rem 0; font-variant-numeric: tabular-nums; }
th, td { padding: .25rem .7rem; border-bottom: 1px solid #e4e4e4; text-align: right; }
th { background: #f5f5f5; } th:first-child, td:first-child { text-align: left; }
figure { margin: 1.5rem 0; }
img { max-width: 100%; }
figcaption, .note { color: #555; font-size: .9rem; }
summary { cursor: pointer; }
.warning { border-left: 4px solid #c44601; padding-left: .8rem; }
@page {
  size: A4; margin: 18mm 15mm;
  @bottom-right { content: counter(page) " / " counter(pages); font-size: 8pt; }
}
@media print {
  body { max-width: none; margin: 0; padding: 0; font-size: 10pt; }
  .wide { overflow: visible; } pre { white-space: pre-wrap; }
  th, td { padding: .15rem .35rem; font-size: 8pt; }
  h2, h2 + .note { break-after: avoid; } figure, tr { break-inside: avoid; }
  thead { display: table-header-group; }
}
"""


def heading(text: str) -> str:
    """Make a section heading."""
    return f"<h2>{html.escape(text)}</h2>"


def paragraph(text: str, kind: str = "") -> str:
    """Make a paragraph; ``kind`` may be ``note`` (small print) or ``warning``."""
    return (
        f'<p class="{html.escape(kind)}">{html.escape(text)}</p>'
        if kind
        else f"<p>{html.escape(text)}</p>"
    )


def table(
    columns: Sequence[str],
    rows: Iterable[Sequence[object]],
    links: Mapping[str, str] | None = None,
) -> str:
    """Make a table; numbers keep four significant digits, None and NaN show as a dash.

    Args:
        columns: headings.
        rows: cells.
        links: cells that are pages beside this one, and the words that lead there.
    """
    links = links or {}
    head = "".join(f"<th>{html.escape(name)}</th>" for name in columns)
    body = "".join(
        "<tr>" + "".join(f"<td>{_cell(cell, links)}</td>" for cell in row) + "</tr>\n"
        for row in rows
    )
    return (
        f'<div class="wide"><table><thead><tr>{head}</tr></thead><tbody>\n'
        f"{body}</tbody></table></div>"
    )


def _cell(value: object, links: Mapping[str, str]) -> str:
    text = html.escape(cell_text(value))
    if not isinstance(value, str) or value not in links:
        return text
    return f'<a href="{html.escape(quote(value))}">{html.escape(links[value])}</a>'


def picture(png: bytes, caption: str = "") -> str:
    """Embed a PNG (or an animated PNG) in the page."""
    data = base64.b64encode(png).decode("ascii")
    text = html.escape(caption)
    return (
        f'<figure><img alt="{text}" '
        f'src="data:image/png;base64,{data}"><figcaption>{text}</figcaption></figure>'
    )


def folded(title: str, *pieces: str) -> str:
    """Fold pieces of a page behind a line that opens them on a click."""
    return (
        f"<details><summary>{html.escape(title)}</summary>\n"
        + "\n".join(pieces)
        + "\n</details>"
    )


def page(title: str, pieces: Iterable[str]) -> str:
    """Assemble a complete document; nothing in it is loaded from elsewhere."""
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        f"<title>{html.escape(title)}</title><style>{PAGE_STYLE}</style></head>\n"
        f"<body><h1>{html.escape(title)}</h1>\n"
        + "\n".join(pieces)
        + "\n</body></html>\n"
    )


def write_page(path: str | Path, title: str, pieces: Iterable[str]) -> Path:
    """Write a page, making its folder, and return its path.

    Args:
        path: of the file.
        title: of the page.
        pieces: of its body, in order.
    """
    target = Path(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(page(title, pieces), encoding="utf-8")
    return target


def stance_pieces(name: str, rows: Sequence[StanceRow]) -> str:
    """Format the friction estimate of each stance as a table.

    It stands behind a line with its summary.
    """
    title = f"Slip prevention “{name}”: {closing_sentence(rows)}"
    return folded(
        title,
        table(STANCE_COLUMNS, [cells(row) for row in rows]),
        paragraph(STANCE_KEY, "note"),
    )


# One page on one or several walks over the same floor, of whatever robot: what came
# out, then pictures.

PAGE = "index.html"


class Picture(NamedTuple):
    """Section of a page: a picture with its heading and caption."""

    name: str  # of its PNG file
    title: str
    caption: str
    figure: Any


def write_walk_page(
    directory: Path,
    title: str,
    walks: Mapping[str, tuple[Log, Summary]],
    scene: Iterable[str],
    pictures: Iterable[Picture],
) -> Path:
    """Write the page of a walk as ``index.html``, its pictures as PNG files beside it.

    Args:
        directory: made when missing; files of an earlier page there are replaced.
        title: of the page.
        walks: log and summary of each by the name of its slip prevention.
        scene: pieces that show them in three dimensions.
        pictures: sections before the one of force ratios.

    Returns:
        The page.
    """
    pieces = [
        paragraph(f"Slip prevention “{name}”: {summary}")
        for name, (_, summary) in walks.items()
    ]
    causes = (
        (name, fall_sentence(log, summary.end))
        for name, (log, summary) in walks.items()
    )
    pieces += [
        paragraph(f"Slip prevention “{name}”: {words}", "warning")
        for name, words in causes
        if words
    ]
    pieces += [
        *scene,
        *(stance_pieces(name, stance_rows(log)) for name, (log, _) in walks.items()),
    ]
    return write_page(
        directory / PAGE,
        title,
        [*pieces, *_sections(directory, chain(pictures, _ratios(walks)))],
    )


def _ratios(walks: Mapping[str, tuple[Log, Summary]]) -> Iterator[Picture]:
    slips = {name: summary.slips for name, (_, summary) in walks.items()}
    figure = ratio_figure({name: log for name, (log, _) in walks.items()}, slips)
    yield Picture(
        "ratio",
        "What the floor has to hold, and what is known of it",
        RATIO_CAPTION,
        figure,
    )


def _sections(directory: Path, pictures: Iterable[Picture]) -> Iterator[str]:
    for name, title, caption, figure in pictures:
        yield heading(title)
        yield picture(save_figure(figure, directory / f"{name}.png"), caption)

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""A PDF of tables and figures, A4, by matplotlib alone."""

from __future__ import annotations

import textwrap
from pathlib import Path
from typing import Any, Sequence

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.backends.backend_pdf import PdfPages
from matplotlib.figure import Figure

from biped_slip.reports.html import cell_text

A4 = (8.27, 11.69)  # [in]
LEFT, RIGHT, TOP, BOTTOM = 0.07, 0.95, 0.94, 0.06  # of the page
ROW, LINE, GAP = 0.018, 0.014, 0.035  # heights of a table's row, a sentence's line, the space before a heading
LEAST_ROWS = 4  # that a heading brings onto its page
LONGEST = 46  # letters of a cell
LETTERS = 80  # across the page at full size
Section = tuple[str, str, list[str], list[list[object]]]  # heading, sentence, columns, rows


class TablePages:
    """Pages that fill from the top; what doesn't fit goes on to the next."""

    def __init__(self, title: str) -> None:
        self.pages: list[Figure] = []
        self._height = 0.0
        self._turn()
        self._text(LEFT, title, 16)

    def add(self, section: Section) -> None:
        """One table with its heading and sentence."""
        heading, words, columns, rows = section
        lines = textwrap.wrap(words, 110)
        texts = [columns, *[[textwrap.shorten(cell_text(cell), LONGEST) for cell in row] for row in rows]]
        widths = [max(len(row[k]) for row in texts) + 2 for k in range(len(columns))]
        needed = GAP + LINE * len(lines) + ROW * (1 + min(len(rows), LEAST_ROWS))
        if self._height - needed < BOTTOM:
            self._turn()
        self._height -= GAP
        self._text(LEFT, heading, 12)
        for line in lines:
            self._height -= LINE
            self._text(LEFT, line, 8, color="#555555")
        self._row(texts[0], widths, "bold")
        for row in texts[1:]:
            if self._height - ROW < BOTTOM:
                self._turn()
                self._row(texts[0], widths, "bold")
            self._row(row, widths, "normal")

    def _turn(self) -> None:
        page = Figure(figsize=A4)
        FigureCanvasAgg(page)
        self.pages.append(page)
        self._height = TOP

    def _text(self, place: float, text: str, size: float, **style: Any) -> None:
        self.pages[-1].text(place, self._height, text, fontsize=size, **style)

    def _row(self, cells: Sequence[str], widths: Sequence[int], weight: str) -> None:
        """The first column to the left, numbers to the right."""
        self._height -= ROW
        scale, place = (RIGHT - LEFT) / max(sum(widths), LETTERS), LEFT
        size = 8.0 * min(1.0, LETTERS / sum(widths) + 0.1)
        for number, (text, width) in enumerate(zip(cells, widths, strict=True)):
            at, side = (place, "left") if number == 0 else (place + (width - 1) * scale, "right")
            self._text(at, text, size, ha=side, weight=weight)
            place += width * scale


def write_pdf(path: Path, title: str, sections: Sequence[Section], figures: Sequence[tuple[str, Any, str]]) -> None:
    """Tables one after the other, then figures (name, figure, caption), one to a page."""
    tables = TablePages(title)
    for section in sections:
        tables.add(section)
    with PdfPages(path, metadata={"Title": title, "CreationDate": None}) as pdf:
        for page in tables.pages:
            pdf.savefig(page)
        for _, figure, _ in figures:
            pdf.savefig(figure)

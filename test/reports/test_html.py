# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
import math
import re

from biped_slip.reports.cells import UNKNOWN
from biped_slip.reports.figures import png_bytes, single_axes
from biped_slip.reports.html import (
    folded,
    heading,
    page,
    paragraph,
    picture,
    table,
    write_page,
)


def test_a_page_loads_nothing_from_elsewhere():
    figure, axes = single_axes("time [s]", "force [N]")
    axes.plot([0, 1], [0, 1])
    text = page("A walk", [heading("Feet"), picture(png_bytes(figure), "the feet")])
    assert not re.findall(r'(?:src|href)="(?!data:)', text)
    assert "data:image/png;base64,iVBOR" in text


def test_text_is_escaped_wherever_it_appears():
    evil = "<script>alert('x')</script>"
    text = page(
        evil,
        [
            heading(evil),
            paragraph(evil, "warning"),
            table([evil], [[evil]]),
            picture(b"", evil),
            folded(evil),
        ],
    )
    assert "<script>" not in text


def test_unknown_values_show_as_a_dash_and_numbers_keep_four_digits():
    text = table(["a", "b", "c", "d"], [[None, math.nan, 0.123456, True]])
    assert re.findall(r"<td>(.*?)</td>", text) == [UNKNOWN, UNKNOWN, "0.1235", "yes"]


def test_writing_a_page_makes_its_folder(tmp_path):
    path = write_page(tmp_path / "deep" / "report.html", "A walk", [paragraph("done")])
    assert path.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")

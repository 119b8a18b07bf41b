# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
import math
import re

from browser import chromium

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


def test_no_page_scrolls_sideways_whatever_it_holds(tmp_path):
    """A table of twenty columns, a command of a thousand letters, a path without a
    space and a picture of any size scroll or shrink in boxes of their own."""
    figure, axes = single_axes("time [s]", "force [N]", width=20.0)
    axes.plot([0, 1], [0, 1])
    path = "/a/folder/" + 40 * "of-a-long-name"
    columns = [f"required friction {k}" for k in range(20)]
    pieces = [
        paragraph(path, "note"),
        paragraph(path),
        picture(png_bytes(figure), path),
        table(columns, [columns]),
        folded(path, f"<pre>{500 * 'a '}</pre>", table(columns, [columns])),
    ]
    file = write_page(tmp_path / "report.html", path, pieces)
    with chromium(tmp_path / "profile") as opened:
        opened.open(file.as_uri())
        assert opened.sideways() == {}
        opened.driver.execute_script("document.querySelector('summary').click()")
        assert opened.sideways() == {}
        boxes = opened.driver.find_elements("css selector", ".wide, pre")
        widths = [
            (int(box.get_property("scrollWidth")), int(box.get_property("clientWidth")))
            for box in boxes
        ]
    assert len(widths) == 3
    assert all(inside > seen for inside, seen in widths)

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Tables never lose a name, a number or a unit, however narrow the pipe or terminal is."""

import io

import pytest
from rich.table import Table

from biped_slip.cli.terminal import Screen

NAMES = [
    "a limit that has a long name",
    "mu_true [-]",
    "load at 0.9 mu [s]",
    "NAO_13k_mixedFriction_rows0-6799.csv.gz",
    "x",
]
NUMBERS = ["0.1234567", "12345.678 mm", "1.5", "200/200", "3"]


def printed(width, terminal):
    file = io.StringIO()
    table = Table(*NAMES, title="a title")
    table.add_row(*NUMBERS)
    table.add_row(*reversed(NUMBERS))
    Screen(file=file, width=width, force_terminal=terminal, color_system=None).print(
        "first", table
    )
    return file.getvalue()


@pytest.mark.parametrize("terminal", [True, False])
@pytest.mark.parametrize("width", [10, 40, 80, 200])
def test_nothing_in_a_table_is_cut(width, terminal):
    text = printed(width, terminal)
    words = {word for name in NAMES for word in name.split()}
    assert all(word in text for word in words)
    assert all(
        text.count(number) == 2 for number in NUMBERS if number not in ("3", "1.5")
    )
    assert "…" not in text
    assert all(len(line) == len(text.splitlines()[2]) for line in text.splitlines()[2:])


def test_headings_stay_on_one_line_where_there_is_room():
    assert "load at 0.9 mu [s]" in printed(200, False)


def test_sentences_in_a_pipe_are_not_broken():
    file = io.StringIO()
    Screen(file=file, width=20).print(
        "a sentence that is longer than twenty characters /and/a/path"
    )
    assert file.getvalue().count("\n") == 1


def test_escape_sequences_in_a_name_are_spelled_and_not_obeyed():
    file = io.StringIO()
    screen = Screen(file=file)
    table = Table("foot")
    table.add_row("left\x1b[31m\x07foot\x9b2J")
    screen.print(table)
    screen.print("\x1b]0;title\x07 ends")
    assert not set(file.getvalue()) & {"\x1b", "\x07", "\x9b"}
    assert "left\\x1b[31m\\x07foot" in file.getvalue()

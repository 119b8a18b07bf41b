# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""What a user names is looked at before it is opened: pipes, devices and endless files
are one sentence."""

import os

import pytest

from biped_slip.bounded_files import (
    LONGEST_TEXT,
    LineFile,
    check_regular,
    csv_rows,
    read_text,
)
from biped_slip.config import read_yaml
from biped_slip.errors import BipedSlipError
from biped_slip.gait_laboratory.slip_chance import read_readings
from biped_slip.gait_laboratory.step import read_steps
from biped_slip.gait_laboratory.study import study_trials
from biped_slip.recordings.registry import recording_format
from biped_slip.robots.description import read_description

READERS = {
    "yaml": read_yaml,
    "urdf": lambda path: read_description(str(path)),
    "urdf.xacro": lambda path: read_description(str(path)),
    "csv": read_readings,
    "steps.csv": lambda path: list(read_steps(path)),
    "steps.parquet": lambda path: list(read_steps(path)),
    "jsonl": LineFile,
    "table.csv": lambda path: study_trials(path.parent, path),
}


def test_text_of_a_regular_file_is_read_up_to_its_longest(tmp_path):
    path = tmp_path / "some.txt"
    path.write_text("\ufeffwords", encoding="utf-8")
    assert read_text(path) == "words"
    check_regular(path, path.stat().st_size)
    with pytest.raises(OSError, match="8 bytes long, at most 7"):
        check_regular(path, path.stat().st_size - 1)
    with pytest.raises(OSError, match="folder"):
        check_regular(tmp_path, LONGEST_TEXT)
    with pytest.raises(FileNotFoundError):
        check_regular(tmp_path / "none", LONGEST_TEXT)


def test_rows_are_separated_by_the_mark_that_is_most_frequent_in_the_first_line(
    tmp_path,
):
    path = tmp_path / "some.csv"
    path.write_text("\ufeffa;b,c;d\n1;2;3\n", encoding="utf-8")
    with csv_rows(path, separators=(",", ";")) as rows:
        assert list(rows) == [{"a": "1", "b,c": "2", "d": "3"}]
    with (
        pytest.raises(BipedSlipError, match="can't be read"),
        csv_rows(tmp_path / "none.csv"),
    ):
        pass


@pytest.mark.parametrize("kind", READERS)
def test_a_pipe_is_refused_before_anybody_waits_for_it(tmp_path, kind):
    path = tmp_path / f"pipe.{kind}"
    os.mkfifo(path)
    with pytest.raises(BipedSlipError, match="pipe"):
        READERS[kind](path)


@pytest.mark.parametrize("kind", READERS)
def test_a_file_of_many_gigabytes_is_refused_before_it_is_read(tmp_path, kind):
    path = tmp_path / f"hole.{kind}"
    with path.open("wb") as file:
        file.truncate(8 << 30)
    with pytest.raises(BipedSlipError, match="8589934592 bytes long"):
        READERS[kind](path)


def test_a_recording_that_is_a_pipe_is_refused(tmp_path):
    os.mkfifo(tmp_path / "trial.c3d")
    with pytest.raises(BipedSlipError, match="pipe"):
        recording_format(tmp_path / "trial.c3d")


@pytest.mark.parametrize("line", ["[" * 200_000, '{"key": ' + "9" * 10_000 + "}", "\0"])
def test_a_line_of_results_that_nobody_can_read_is_left_out(tmp_path, line):
    path = tmp_path / "results.jsonl"
    path.write_text(f'{line}\n{{"key": "a", "value": 1}}\n', encoding="utf-8")
    assert LineFile(path).entry("a") == {"key": "a", "value": 1}


@pytest.mark.parametrize(
    "line", ['{"key": []}', '{"key": {}}', '{"key": 3}', "[1]", "7"]
)
def test_a_file_of_something_else_is_no_file_of_results(tmp_path, line):
    path = tmp_path / "results.jsonl"
    path.write_text(f"{line}\n", encoding="utf-8")
    with pytest.raises(BipedSlipError, match="not a file of results"):
        LineFile(path)


LONG = "x" * 200_000


@pytest.mark.parametrize(
    ("read", "text"),
    [
        (READERS["table.csv"], f"file,person\n{LONG},1\n"),
        (READERS["table.csv"], "file\n\0\n"),
        (READERS["steps.csv"], f"{LONG}\n"),
        (READERS["csv"], f"instrument,floor,acof\n{LONG},f,0.5\n"),
    ],
)
def test_a_table_with_a_cell_that_none_has_is_refused_in_one_sentence(
    tmp_path, read, text
):
    path = tmp_path / "table.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(BipedSlipError, match=r"limit|null|column"):
        read(path)

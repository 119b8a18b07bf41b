# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Reading tables: every shape of a good one, and one sentence for every bad one."""

import gzip

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from biped_slip import bounded_files
from biped_slip.cli import main
from biped_slip.errors import (
    BipedSlipError,
    InvalidParameter,
    InvalidRecording,
    UnknownName,
)
from biped_slip.recordings.layout import read_layouts
from biped_slip.recordings.tables import read_table_recording

LAYOUT = """
source: test
layouts:
  - name: one foot
    feet:
      - name: foot
        time: {column: t, unit: TIME}
        force_x: {column: fx, unit: N, sign: -1}
        normal: {column: fz, unit: kN}
        position_x: {column: x, unit: mm}
"""
NUMBERED = """
layouts:
  - {name: numbered, width: 3, rate: 100.0, feet: [{force_x: {column: 1, unit: N}, normal: {column: 3, unit: N}}]}
"""


@pytest.fixture
def layouts(tmp_path):
    def make(text=LAYOUT, unit="s"):
        path = tmp_path / "layout.yaml"
        path.write_text(text.replace("TIME", unit))
        return read_layouts(path)

    return make


def read(tmp_path, layouts, text, name="a.csv"):
    path = tmp_path / name
    data = text if isinstance(text, bytes) else text.encode()
    path.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    return read_table_recording(path, layouts)[0][0]


ROWS = "0,1,0.1,5\n0.01,2,0.1,6\n0.02,3,0.1,7\n"


@pytest.mark.parametrize("separator", [",", ";", "\t", ", ", " ; "])
@pytest.mark.parametrize("name", ["a.csv", "a.csv.gz", "a.txt"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_any_usual_table_gives_the_same_series(tmp_path, layouts, separator, name, end):
    text = ("t,fx,fz,x\n" + ROWS).replace(",", separator).replace("\n", end)
    series = read(tmp_path, layouts(), text, name)
    assert series.force[:, 0].tolist() == [-1.0, -2.0, -3.0]
    assert series.force[:, 2] == pytest.approx([100.0] * 3)
    assert series.displacement[:, 0] == pytest.approx([0.0, 1e-3, 2e-3])
    assert series.stamp_ns.tolist() == [0, 10_000_000, 20_000_000]


def test_a_table_without_header_takes_numbers_of_columns_and_a_rate(tmp_path, layouts):
    series = read(tmp_path, layouts(NUMBERED), "1 0 50\n2 0 60\n")
    assert series.force[:, 0].tolist() == [1.0, 2.0]
    assert series.stamp_ns.tolist() == [0, 10_000_000]
    assert np.isnan(series.velocity).all()


def test_empty_cells_and_short_lines_are_missing_samples_not_errors(tmp_path, layouts):
    series = read(
        tmp_path, layouts(), "t,fx,fz,x\n0,1,0.1,5\n0.01,,0.1,6\n0.02,3\n0.03,3,0.1,8\n"
    )
    assert np.isnan(series.force[1, 0])
    assert np.isnan(series.force[2, 2])
    assert any(
        "1 samples without a finite normal force" in note for note in series.provenance
    )


def test_repeated_and_backward_stamps_are_dropped_and_counted(tmp_path, layouts):
    rows = "0,1,0.1,5\n0.01,2,0.1,6\n0.01,9,0.1,6\n0.005,9,0.1,6\n0.02,3,0.1,7\n0.03,4,0.1,8\nnan,9,0.1,8\n"
    series = read(tmp_path, layouts(), "t,fx,fz,x\n" + rows)
    assert series.force[:, 0].tolist() == [-1.0, -2.0, -3.0, -4.0]
    assert any(note.startswith("3 rows dropped") for note in series.provenance)


def test_gaps_are_reported(tmp_path, layouts):
    rows = "".join(f"{0.01 * k + (0.5 if k > 5 else 0.0)},1,0.1,5\n" for k in range(10))
    assert any(
        "1 gaps, the longest 0.51 s" in note
        for note in read(tmp_path, layouts(), "t,fx,fz,x\n" + rows).provenance
    )


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "is empty"),
        ("\n\n  \n", "no line with anything"),
        ("t,fx,fz,x\n", "header but no data row"),
        (
            "t,fx,fz,x\n0,1,0.1,5\n0.01,oops,0.1,5\n",
            "line 3, column 2 \\(fx\\): 'oops' is not a number",
        ),
        (
            "t,fx,fz,x\n0,1,0.1,5\n0.01,1,1,234.5,5\n",
            "line 3 has 5 columns, not 4 as the first line.*thousands",
        ),
        (
            't,fx,fz,x\n0,1,"1,234.5",5\n0.01,1,"1,235.5",5\n',
            "line 2 has 5 columns, not 4",
        ),
        ("t;fx;fz;x\n0;1;1,234.5;5\n", "'1,234.5' is not a number"),
        ("t fx fz x\n0 1 1 234.5 5\n", "line 2 has 5 columns, not 4"),
        ("t,fx,fz,x\n0,1,nan,5\n0.01,1,inf,5\n", "holds no number"),
        ("t,fx,fz,x\nnan,1,0.1,5\nnan,1,0.1,5\n", "time column holds no number"),
        ("t,fx,fz,x\n5,1,0.1,5\n4,1,0.1,5\n3,1,0.1,5\n", "increasing time"),
        (
            "t,fx,fz,x\n1,1,0.1,5\n2,1,0.1,5\n" + "1,1,0.1,5\n" * 9,
            "doesn't increase in 9 of 11 rows",
        ),
        ("t,fx,fz,x\n0,1,0.1,5\n1e12,1,0.1,5\n", "check the unit of the time column"),
        ("t,fx,fz,x\n0,1,0.1,5\n", "two are the least"),
        (b"\x00\x01\x02\x03" * 100, "binary data"),
        ("1," * 5000 + "\n", "5000 columns, at most 4096"),
        ("x" * (1 << 20) + "," * 10, "longer than"),
    ],
)
def test_a_bad_table_is_refused_in_one_sentence(tmp_path, layouts, text, words):
    with pytest.raises(InvalidRecording, match=words) as caught:
        read(tmp_path, layouts(), text)
    assert "a.csv" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_million_columns_are_refused_after_the_first_line(tmp_path, layouts):
    path = tmp_path / "wide.csv"
    path.write_text(",".join(["1"] * 10**6) + "\n" + "1\n" * 1000)
    with pytest.raises(InvalidRecording, match="longer than"):
        read_table_recording(path, layouts())


def test_a_damaged_gz_says_so(tmp_path, layouts):
    whole = gzip.compress(("t,fx,fz,x\n" + ROWS * 1000).encode())
    path = tmp_path / "cut.csv.gz"
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(InvalidRecording, match="cut off or damaged"):
        read_table_recording(path, layouts())


def test_a_zip_bomb_is_refused_long_before_it_is_unpacked(
    tmp_path, layouts, monkeypatch
):
    monkeypatch.setattr(bounded_files, "BOMB_SIZE", 1 << 22)
    path = tmp_path / "bomb.csv.gz"
    path.write_bytes(gzip.compress(b"t,fx,fz,x\n" + b"0,0,0,0\n" * (1 << 21)))
    with pytest.raises(InvalidRecording, match="unpack"):
        read_table_recording(path, layouts())


def test_a_missing_file_is_one_sentence(tmp_path, layouts):
    with pytest.raises(InvalidRecording, match=r"nowhere\.csv: can't be read"):
        read_table_recording(tmp_path / "nowhere.csv", layouts())


@pytest.mark.parametrize(
    ("old", "new", "error", "words"),
    [
        (
            "unit: kN",
            "unit: furlong",
            InvalidParameter,
            "furlong.*must be a unit of force: N, kN",
        ),
        ("unit: kN", "unit: mm", InvalidParameter, "mm.*unit of force"),
        ("sign: -1", "sign: 2", InvalidParameter, "sign is 2"),
        ("normal:", "vertical:", UnknownName, "vertical"),
        ("column: fz", "column: ", InvalidParameter, "column is None"),
        ("layouts:", "tables:", UnknownName, "tables"),
        (
            "        normal: {column: fz, unit: kN}\n",
            "",
            InvalidParameter,
            "no ratio exists without it",
        ),
        (
            "        time: {column: t, unit: TIME}\n",
            "",
            InvalidParameter,
            "rate is None",
        ),
        ("column: fz", "column: force", BipedSlipError, "fits no layout"),
    ],
)
def test_a_mistake_in_the_yaml_names_its_place(
    tmp_path, layouts, old, new, error, words
):
    with pytest.raises(error, match=words):
        read(tmp_path, layouts(LAYOUT.replace(old, new)), "t,fx,fz,x\n" + ROWS)


def test_the_command_turns_a_bad_file_into_one_sentence_and_exit_code_2(
    tmp_path, capsys
):
    (tmp_path / "layout.yaml").write_text(LAYOUT.replace("TIME", "s"))
    (tmp_path / "empty.csv").write_text("")
    assert (
        main(
            [
                "replay",
                str(tmp_path / "empty.csv"),
                "--config",
                str(tmp_path / "layout.yaml"),
            ]
        )
        == 2
    )
    assert capsys.readouterr().err.strip().endswith("empty.csv: is empty")


CELLS = st.one_of(
    st.floats().map(str),
    st.integers().map(str),
    st.sampled_from(["", "x", " ", "1e400", "-", "nan", "é"]),
)


@settings(max_examples=150, deadline=None)
@given(
    st.lists(st.lists(CELLS, min_size=0, max_size=6), max_size=12),
    st.sampled_from([",", ";", "\t"]),
)
def test_no_table_of_whatever_cells_crashes_the_reader(
    tmp_path_factory, rows, separator
):
    folder = tmp_path_factory.mktemp("fuzz")
    (folder / "layout.yaml").write_text(LAYOUT.replace("TIME", "s"))
    text = (
        separator.join(["t", "fx", "fz", "x"])
        + "\n"
        + "\n".join(separator.join(row) for row in rows)
    )
    (folder / "a.csv").write_text(text, encoding="utf-8")
    try:
        series = read_table_recording(
            folder / "a.csv", read_layouts(folder / "layout.yaml")
        )[0][0]
    except BipedSlipError:
        return
    assert (np.diff(series.stamp_ns) > 0).all()

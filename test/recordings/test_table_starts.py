# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Where a table's names and numbers begin, and which column a name means."""

import numpy as np
import pytest
from recordings.wrench_bags import layout_text, table_of, walking

from biped_slip.errors import BipedSlipError, InvalidParameter, InvalidRecording
from biped_slip.recordings.layout import read_layouts
from biped_slip.recordings.opensim import read_storage
from biped_slip.recordings.replay import replay_file
from biped_slip.recordings.tables import read_table_recording

FEET = ("left", "right")
PREAMBLE = "Devices\n100\n,,Plate 1,,,Plate 2,,\n"


@pytest.fixture
def walk(tmp_path):
    """The lines of a sound table, and what is answered to it."""
    table, layout = table_of(tmp_path, walking())
    lines = table.read_text().splitlines()
    return lines, rows(replay_file(table, layout, "slip"))


def rows(found):
    assert len(found.contacts) == 4
    return [(one.foot, one.start, one.end, one.forces) for one in found.contacts]


def answered(folder, lines, **changes):
    (folder / "a.csv").write_text("\n".join(lines) + "\n")
    (folder / "a.yaml").write_text(layout_text(FEET, **changes))
    return replay_file(folder / "a.csv", folder / "a.yaml", "slip")


def units(lines, unit="N"):
    return ",".join(["s", *[unit] * lines[0].count(",")])


def test_a_preamble_above_the_names_is_skipped_and_said(tmp_path, walk):
    lines, truth = walk
    for preamble in (PREAMBLE, "\n" + PREAMBLE, "a;b;c\n", "Trial 7\n" * 30):
        found = answered(tmp_path, [*preamble.splitlines(), *lines])
        assert rows(found) == truth
        skipped = len(preamble.splitlines())
        assert f"the first {skipped} lines are skipped" in found.notes


def test_a_line_of_units_below_the_names_is_skipped_and_said(tmp_path, walk):
    lines, truth = walk
    for line in (units(lines), units(lines, "[N]"), units(lines, "Newton")):
        found = answered(tmp_path, [lines[0], line, *lines[1:]])
        assert rows(found) == truth
        assert "line 2 is skipped: no numbers below the names" in found.notes


def test_units_that_contradict_the_layout_are_refused_with_both(tmp_path, walk):
    lines, _ = walk
    with pytest.raises(InvalidRecording, match=r"has kN below .*but the layout says N"):
        answered(tmp_path, [lines[0], units(lines, "kN"), *lines[1:]])


def test_quoted_names_and_numbers_are_those_without_quotes(tmp_path, walk):
    lines, truth = walk
    names = ",".join(f'"{name}"' for name in lines[0].split(","))
    cells = [",".join(f'"{c}"' for c in line.split(",")) for line in lines[1:]]
    assert rows(answered(tmp_path, [names, *lines[1:]])) == truth
    assert rows(answered(tmp_path, [names, *cells])) == truth
    assert rows(answered(tmp_path, [names.replace('"', "'"), *lines[1:]])) == truth


def test_keys_of_the_layout_say_where_names_and_numbers_stand(tmp_path, walk):
    """A preamble that holds the names once more, and a line of numbers before them."""
    lines, truth = walk
    odd = [lines[0], "1,2,3,4,5,6,7", "x", lines[0], "N", "1,1,1,1,1,1,1", *lines[1:]]
    keys = "    names_line: 4\n    data_line: 7\n"
    assert rows(answered(tmp_path, odd, more=keys)) == truth


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ("    names_line: 0\n", "names_line is 0"),
        ("    names_line: four\n", "names_line is .four."),
        ("    data_line: true\n", "data_line is True"),
        ("    names_line: 4\n    data_line: 4\n", "data_line is 4.*below the line"),
    ],
)
def test_a_mistake_in_these_keys_names_its_place(tmp_path, walk, keys, words):
    with pytest.raises(InvalidParameter, match=words):
        answered(tmp_path, walk[0], more=keys)


def test_numbers_without_names_may_have_a_preamble_too(tmp_path, walk):
    lines, _ = walk
    layout = (
        "layouts:\n  - {name: numbers, width: 7, rate: 100.0, feet: "
        "[{force_x: {column: 2, unit: N}, normal: {column: 4, unit: N}}]}\n"
    )
    (tmp_path / "n.yaml").write_text(layout)
    (tmp_path / "n.csv").write_text("\n".join(["Devices", "100", *lines[1:]]) + "\n")
    (series,) = read_table_recording(
        tmp_path / "n.csv", read_layouts(tmp_path / "n.yaml")
    )[0]
    assert len(series.stamp_ns) == len(lines) - 1
    assert series.force[:, 2] == pytest.approx(walking()["left"][:, 2], abs=1e-6)


def test_names_that_no_layout_has_are_refused_with_where_the_numbers_begin(
    tmp_path, walk
):
    lines, _ = walk
    other = [*PREAMBLE.splitlines(), lines[0].replace("left", "Links"), *lines[1:]]
    with pytest.raises(BipedSlipError, match="may begin in line 5: names_line and"):
        answered(tmp_path, other)


# ---- a name that stands twice


def same_names(lines):
    return [
        lines[0].replace("left_", "").replace("right_", ""),
        *lines[1:],
    ]


def test_a_name_that_stands_once_a_foot_is_told_apart_by_the_order_of_the_feet(
    tmp_path, walk
):
    """Columns Fx, Fy, Fz twice: the first are the first foot's."""
    lines, truth = walk
    found = answered(tmp_path, same_names(lines), name="f{axis}")
    assert rows(found) == truth
    assert (
        "the name fz stands 2 times: its columns are those of left, right in this order"
        in found.notes
    )


def test_a_name_that_cannot_be_told_apart_is_refused_with_its_columns(tmp_path, walk):
    lines, _ = walk
    three = [f"{same_names(lines)[0]},fz", *(f"{line},0" for line in lines[1:])]
    with pytest.raises(
        InvalidRecording, match=r"fz stands 3 times \(columns 4, 7, 8\).*numbers"
    ):
        answered(tmp_path, three, name="f{axis}")


def test_a_time_that_stands_once_is_that_of_both_feet(tmp_path, walk):
    lines, truth = walk
    assert rows(answered(tmp_path, lines)) == truth


def storage(path, names, columns):
    rows = "\n".join("\t".join(f"{cell:.9g}" for cell in row) for row in columns)
    path.write_text("x\nendheader\n" + "\t".join(names) + f"\n{rows}\n")
    return path


def two_plates():
    """Time and both plates' forces, y up, as a storage file has them."""
    feet = walking()
    time = np.arange(len(feet["left"])) / 100.0
    upright = [wrench[:, [0, 2, 1]] for wrench in feet.values()]
    return np.column_stack([time, *upright])


def test_plates_of_one_name_in_a_storage_file_are_told_apart_by_their_order(tmp_path):
    force = [f"ground_force_v{axis}" for axis in "xyz"]
    file = storage(tmp_path / "a.mot", ["time", *force, *force], two_plates())
    plates, notes = read_storage(file)
    assert [plate.name for plate in plates] == ["plate 1", "plate 2"]
    for plate, wrench in zip(plates, walking().values(), strict=True):
        assert plate.force[:, 1] == pytest.approx(wrench[:, 2], abs=1e-6)
    assert "ground_force_vx stands 2 times" in " ".join(notes)
    starts = [round(one.start, 2) for one in replay_file(file, None, "slip").contacts]
    assert starts == [0.31, 0.86, 1.41, 1.96]


def test_a_storage_file_whose_names_repeat_unevenly_is_refused(tmp_path):
    force = [f"ground_force_v{axis}" for axis in "xyz"]
    names = ["time", *force, *force[:2], "other"]
    file = storage(tmp_path / "a.mot", names, two_plates())
    with pytest.raises(
        InvalidRecording, match="vx stands 2 times, but ground_force_vz 1 times"
    ):
        read_storage(file)


def test_two_feet_with_one_column_of_normal_force_are_refused(tmp_path, walk):
    """A layout that was copied from one foot to the other."""
    lines, _ = walk
    with pytest.raises(
        InvalidRecording, match="column 4 for the normal force of left and of right"
    ):
        answered(tmp_path, lines, name="left_f{axis}")


@pytest.mark.parametrize("words", ["nRows=400", "datarows 400"])
def test_a_storage_file_with_fewer_rows_than_it_promises_says_so(tmp_path, words):
    force = [f"{side}_ground_force_v{axis}" for side in "lr" for axis in "xyz"]
    file = storage(tmp_path / "a.mot", ["time", *force], two_plates())
    whole = file.read_text()
    rows_held = len(two_plates())
    for promised in (400, rows_held):
        said = words.replace("400", str(promised))
        file.write_text(whole.replace("endheader", f"{said}\nendheader"))
        notes = " ".join(read_storage(file)[1])
        cut = f"its header promises 400 rows, but it holds {rows_held}"
        assert (cut in notes) == (promised == 400)

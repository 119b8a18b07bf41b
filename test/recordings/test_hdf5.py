# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Logs in HDF5: read by a mapping of dataset names, or refused with what is there."""

import numpy as np
import pytest

from biped_slip.errors import BipedSlipError
from biped_slip.recordings.registry import read_recording, recording_format
from biped_slip.recordings.replay import replay_file

h5py = pytest.importorskip("h5py")

LAYOUT = """
source: a robot
layouts:
  - name: wrenches
    feet:
      - name: left
        time: {column: log/FTs/front/timestamps, unit: s}
        force_x: {column: "log/FTs/front/data[1] + log/FTs/rear/data[1]", unit: N}
        normal: {column: "log/FTs/front/data[3] + log/FTs/rear/data[3]", unit: N}
        estimated: true
"""
TIME = np.arange(0.0, 4.0, 0.01)
NORMAL = np.where(TIME % 1.0 < 0.6, 300.0, 0.0)


def log(folder, turned=False, length=None, kind="data"):
    """A log of two sensors under one foot, each with a third and two of its load."""
    path = folder / "log.mat"
    with h5py.File(path, "w", userblock_size=512) as file:
        for name, share in (("front", 1.0 / 3.0), ("rear", 2.0 / 3.0)):
            rows = share * np.array([0.1 * NORMAL, 0.0 * NORMAL, NORMAL])[:, :length]
            group = file.create_group(f"log/FTs/{name}")
            # MATLAB keeps [3 x 1 x n] as n x 1 x 3
            group[kind] = rows.T[:, None, :] if turned else rows
            group["timestamps"] = TIME[None, :length]
    with path.open("r+b") as file:
        file.write(b"MATLAB 7.3 MAT-file, Platform: GLNXA64")
    (folder / "log.yaml").write_text(LAYOUT)
    return path, folder / "log.yaml"


@pytest.mark.parametrize("turned", [False, True])
def test_a_foot_on_two_sensors_has_the_sum_of_both_however_the_arrays_lie(
    tmp_path, turned
):
    path, layout = log(tmp_path, turned)
    assert recording_format(path) == "hdf5"
    (foot,) = read_recording(path, layout).series
    assert foot.force[:, 2] == pytest.approx(NORMAL)
    assert foot.force[:, 0] == pytest.approx(0.1 * NORMAL)
    assert foot.time == pytest.approx(TIME)


def test_forces_that_the_robot_estimated_itself_are_said_to_be_so(tmp_path):
    path, layout = log(tmp_path)
    found = replay_file(path, layout, "slip")
    assert [contact.start for contact in found.contacts] == pytest.approx([0, 1, 2, 3])
    assert any("the robot's own estimate" in note for note in found.notes)


def test_a_missing_name_lists_what_is_there(tmp_path):
    path, layout = log(tmp_path, kind="values")
    with pytest.raises(
        BipedSlipError, match=r"no dataset log/FTs/front/data"
    ) as caught:
        read_recording(path, layout)
    assert "log/FTs/front/values (3 x 400)" in str(caught.value)


def test_without_a_mapping_the_datasets_are_listed(tmp_path):
    path, _ = log(tmp_path)
    with pytest.raises(BipedSlipError, match=r"--config.*log/FTs/rear/data"):
        read_recording(path)


def test_a_row_that_is_not_there_and_a_file_cut_short_are_named(tmp_path):
    path, layout = log(tmp_path)
    layout.write_text(LAYOUT.replace("front/data[3]", "front/data[7]"))
    with pytest.raises(BipedSlipError, match=r"data\[7\].*rows 1 to 3"):
        read_recording(path, layout)
    content = path.read_bytes()
    path.write_bytes(content[: len(content) // 2])
    with pytest.raises(BipedSlipError, match="damaged or truncated"):
        read_recording(path, layout)


def test_a_log_is_never_changed(tmp_path):
    path, layout = log(tmp_path)
    before = path.read_bytes()
    read_recording(path, layout)
    assert path.read_bytes() == before


def test_the_log_of_a_humanoid_answers_as_the_table_written_from_it(recordings):
    folder = recordings / "icub"
    if not folder.exists():
        pytest.skip("the log of the humanoid is not there")
    by_log = replay_file(folder / "walking_front_and_back.mat", "icub_log", "slip")
    by_table = replay_file(
        folder / "walking_front_and_back.csv.gz",
        folder / "forces_and_positions.yaml",
        "slip",
    )
    assert by_log["required"] == pytest.approx(by_table["required"], rel=1e-3)
    assert by_log["held"] == pytest.approx(by_table["held"], rel=1e-3, nan_ok=True)

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Small sound files of every format that is read, made here: what the fuzz targets damage."""

from __future__ import annotations

import shutil
import struct
from pathlib import Path
from typing import Callable, Iterator

import ezc3d
import numpy as np
from lz4.frame import compress as lz4  # type: ignore[import-untyped]
from rosbags.rosbag2 import StoragePlugin, Writer
from rosbags.rosbag2.storage_mcap import zstd

from biped_slip.recordings.bags import Bag
from biped_slip.recordings.layout import Processing, read_layouts
from biped_slip.recordings.messages import bag_config, series_messages, type_store, write_bag
from biped_slip.recordings.tables import read_table_recording
from biped_slip.shared_files import shared_folder
from studies.faults.small_table import RATE, SAMPLES, table_layout, table_text

MAGIC, FOOTER, CHUNK = b"\x89MCAP0\r\n", 0x02, 0x06
INDEX = (0x07, 0x08, 0x0A, 0x0B, 0x0D, 0x0E)  # records that say where others are


def sound_files(folder: Path) -> dict[str, list[Path]]:
    """Files by format."""
    table = _csv(folder / "table.csv")
    mcap = _bag(table, folder / "walk.mcap")
    return {
        "c3d": [_c3d(folder / "trial.c3d")],
        "mcap": [mcap],
        "mcap-zstd": [_packed(mcap, folder / "zstd.mcap", b"zstd", zstd.compress)],
        "mcap-lz4": [_packed(mcap, folder / "lz4.mcap", b"lz4", lz4)],
        "db3": [_db3(mcap, folder / "walk")],
        "csv": [table],
        "yaml": [*_copies(folder, "config/scenarios", "*.yaml"), *_copies(folder, "config/humanoid_walks", "*.yaml")],
        "urdf": [*_copies(folder, "urdf", "*.urdf"), *_copies(folder, "urdf", "*.urdf.xacro")],
    }


def _copies(folder: Path, of: str, pattern: str) -> list[Path]:
    return [Path(shutil.copy(path, folder / path.name)) for path in sorted((shared_folder() / of).rglob(pattern))]


def _csv(path: Path) -> Path:
    path.write_text(table_text(), encoding="utf-8")
    path.with_suffix(".layout").write_text(table_layout(), encoding="utf-8")
    return path


def _c3d(path: Path) -> Path:
    """Two markers and one force plate."""
    file, frames = ezc3d.c3d(), SAMPLES
    file["parameters"]["POINT"]["RATE"]["value"] = [RATE]
    file["parameters"]["POINT"]["LABELS"]["value"] = ["HEEL", "TOE"]
    points = np.ones((4, 2, frames))
    points[0, 0] = np.linspace(0.0, 500.0, frames)
    file["data"]["points"] = points
    file["parameters"]["ANALOG"]["RATE"]["value"] = [RATE]
    file["parameters"]["ANALOG"]["LABELS"]["value"] = [f"channel {k}" for k in range(6)]
    analogs = np.zeros((1, 6, frames))
    analogs[0, 2] = -400.0
    file["data"]["analogs"] = analogs
    corners = np.array([[0.0, 0.0, 0.0], [0.0, 600.0, 0.0], [400.0, 600.0, 0.0], [400.0, 0.0, 0.0]]).T[:, :, None]
    for name, value in (
        ("USED", [1]), ("TYPE", [2]), ("CORNERS", corners), ("ORIGIN", np.array([[0.0], [0.0], [-40.0]])),
        ("CHANNEL", np.arange(1.0, 7.0)[:, None]),
    ):  # fmt: skip
        file.add_parameter("FORCE_PLATFORM", name, value)
    file.write(str(path))
    return path


def _bag(table: Path, path: Path) -> Path:
    """The same foot as messages; beside it the layout with which it replays."""
    series = read_table_recording(table, read_layouts(table.with_suffix(".layout")))[0]
    write_bag(path, series_messages(series))
    path.with_suffix(".layout").write_text(bag_config(series, Processing()), encoding="utf-8")
    return path


def _db3(mcap: Path, folder: Path) -> Path:
    """The same messages in SQLite."""
    store = type_store()
    with Writer(folder, version=9, storage_plugin=StoragePlugin.SQLITE3) as writer:
        known = {}
        for one in Bag(mcap).messages(decode=False):
            if one.topic not in known:
                known[one.topic] = writer.add_connection(one.topic, one.kind, typestore=store)
            writer.write(known[one.topic], one.log_ns, one.content)
    folder.with_suffix(".layout").write_text(mcap.with_suffix(".layout").read_text(encoding="utf-8"), encoding="utf-8")
    return folder


def _records(data: bytes) -> Iterator[tuple[int, bytes]]:
    place = len(MAGIC)
    while place < len(data) - len(MAGIC):
        code, length = data[place], struct.unpack_from("<Q", data, place + 1)[0]
        yield code, data[place + 9 : place + 9 + length]
        place += 9 + length


def _packed(source: Path, path: Path, name: bytes, pack: Callable[[bytes], bytes]) -> Path:
    """The same MCAP, without its index, with packed chunks."""
    out = [MAGIC]
    for code, body in _records(source.read_bytes()):
        if code == CHUNK:
            first, last, _, _, length = struct.unpack_from("<QQQII", body)
            raw = body[32 + length + 8 :]
            packed = pack(raw)
            body = struct.pack("<QQQII", first, last, len(raw), 0, len(name)) + name
            body += struct.pack("<Q", len(packed)) + packed
        if code == FOOTER:
            body = bytes(len(body))
        if code not in INDEX:
            out.append(bytes([code]) + struct.pack("<Q", len(body)) + body)
    path.write_bytes(b"".join([*out, MAGIC]))
    shutil.copy(source.with_suffix(".layout"), path.with_suffix(".layout"))
    return path

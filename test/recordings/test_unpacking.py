# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""A bag of kilobytes that would become gigabytes is refused in one sentence before it
has taken memory or disk."""

import io
import resource
import struct

import numpy as np
import pytest

rosbag2 = pytest.importorskip("rosbags.rosbag2", reason="rosbags is not installed")
from lz4.frame import LZ4FrameDecompressor  # noqa: E402
from lz4.frame import compress as lz4  # noqa: E402

from biped_slip import bounded_files  # noqa: E402
from biped_slip.bounded_files import UNPACKED_FREELY, BoundedFile, TooLarge, bounded  # noqa: E402
from biped_slip.errors import InvalidRecording  # noqa: E402
from biped_slip.recordings.bags import Bag, bound_rosbags  # noqa: E402

bound_rosbags()
zstd = rosbag2.storage_mcap.zstd
ZEROS = bytes(UNPACKED_FREELY + 1)
NOISE = np.random.default_rng(0).bytes(100_000)
PACKERS = {
    "zstd": (zstd.compress, zstd.ZstdDecompressor),
    "lz4": (lz4, LZ4FrameDecompressor),
}


@pytest.mark.parametrize("name", PACKERS)
def test_what_is_sound_comes_back(name):
    pack, make = PACKERS[name]
    assert bounded(make, pack(NOISE), len(NOISE)) == NOISE
    assert bounded(make, pack(NOISE) + pack(b"more")) == NOISE + b"more"
    assert (
        bounded(make, pack(ZEROS[:UNPACKED_FREELY]), UNPACKED_FREELY)
        == ZEROS[:UNPACKED_FREELY]
    )
    with pytest.raises((ValueError, RuntimeError, EOFError)):
        bounded(make, pack(NOISE)[:-10])


@pytest.mark.parametrize("name", PACKERS)
def test_a_bomb_is_refused_whether_it_says_its_size_or_not(name):
    pack, make = PACKERS[name]
    for declared in (None, 10, len(ZEROS)):
        with pytest.raises(TooLarge, match="unpack to more than"):
            bounded(make, pack(ZEROS), declared)
    with pytest.raises(TooLarge):
        bounded(make, pack(ZEROS[: UNPACKED_FREELY // 2]) * 3)


def test_a_file_is_read_only_as_far_as_it_may_go():
    file = BoundedFile(io.BytesIO(ZEROS), 1000)
    assert len(file.read(UNPACKED_FREELY)) == UNPACKED_FREELY
    with pytest.raises(TooLarge):
        file.read(10)


def mcap_bomb(size):
    """An MCAP with one chunk that says so many bytes and has as many zeros."""
    packed = zstd.compress(bytes(16 << 20)) * (min(size, 512 << 20) >> 24)
    record = (
        struct.pack("<QQQI", 0, 1, size, 0)
        + struct.pack("<I", 4)
        + b"zstd"
        + struct.pack("<Q", len(packed))
    )
    record += packed
    head = struct.pack("<I", 4) + b"ros2" + struct.pack("<I", 0)
    magic = b"\x89MCAP0\r\n"
    parts = [
        (0x01, head),
        (0x06, record),
        (0x0F, struct.pack("<I", 0)),
        (0x02, struct.pack("<QQI", 0, 0, 0)),
    ]
    return (
        magic
        + b"".join(
            bytes([code]) + struct.pack("<Q", len(data)) + data for code, data in parts
        )
        + magic
    )


@pytest.mark.parametrize("size", [512 << 20, 8 << 30])
def test_an_mcap_bomb_is_one_sentence_and_takes_no_memory(tmp_path, size):
    path = tmp_path / "bomb.mcap"
    path.write_bytes(mcap_bomb(size))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(InvalidRecording, match="unpack to more than"):
        list(Bag(path).messages())
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 300_000  # kB


def test_a_packed_bag_folder_that_would_fill_the_disk_is_refused(tmp_path, monkeypatch):
    folder = tmp_path / "bag"
    folder.mkdir()
    (folder / "bag_0.db3.zstd").write_bytes(zstd.compress(ZEROS))
    (folder / "metadata.yaml").write_text(
        "rosbag2_bagfile_information:\n  version: 5\n  storage_identifier: sqlite3\n"
        "  relative_file_paths: [bag_0.db3.zstd]\n  duration: {nanoseconds: 0}\n"
        "  starting_time: {nanoseconds_since_epoch: 0}\n  message_count: 0\n"
        "  topics_with_message_count: []\n  compression_format: zstd\n  "
        "compression_mode: FILE\n"
    )
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setattr(bounded_files, "UNPACKED_FREELY", 1 << 20)
    monkeypatch.setattr("tempfile.tempdir", str(temporary))
    with pytest.raises(InvalidRecording, match="unpack to more than"):
        list(Bag(folder).messages())
    assert not list(temporary.iterdir())

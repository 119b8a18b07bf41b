# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The parameter chain of a C3D file, byte by byte: no record may lead or reach beyond
the section. Needs no data."""

import struct

import pytest

from biped_slip.recordings.c3d import BLOCK_BYTES, INTEL, MAGIC, check_c3d

POINTS = 2
FRAMES = 5
END = b"\0\0"


def record(name, body, group=1, offset=None):
    """A parameter or a group (negative) with the offset of the next one, which is right
    unless given."""
    link = len(body) + 2 if offset is None else offset
    return struct.pack("bb", len(name), group) + name + struct.pack("<H", link) + body


def values(count, kind=2, dimensions=None):
    """Body of a parameter with so many bytes of values."""
    return (
        struct.pack("bBB", kind, 1, count if dimensions is None else dimensions)
        + bytes(count * kind)
        + b"\0"
    )


def written(path, chain, blocks=1):
    header = struct.pack(
        "<BBHHHHHfHHf", 2, MAGIC, POINTS, 0, 1, FRAMES, 0, -1.0, 2 + blocks, 0, 100.0
    )
    section = bytes((1, MAGIC, blocks, INTEL)) + chain
    data = bytes(4 * 4 * POINTS * FRAMES)
    path.write_bytes(
        header.ljust(BLOCK_BYTES, b"\0")
        + section.ljust(blocks * BLOCK_BYTES, b"\0")[: blocks * BLOCK_BYTES]
        + data
    )
    return path


GROUP = record(b"POINT", b"\0", group=-1)
SOUND = record(b"USED", values(8))


def test_a_sound_chain_passes(tmp_path):
    assert not check_c3d(written(tmp_path / "a.c3d", GROUP + SOUND + END))
    assert not check_c3d(
        written(
            tmp_path / "b.c3d", GROUP + SOUND + record(b"LAST", values(3), offset=0)
        )
    )


@pytest.mark.parametrize("beyond", [1, 2, 100, 60_000])
def test_an_offset_that_leads_beyond_the_section_is_named_and_one_to_its_end_is_not(
    tmp_path, beyond
):
    link = 4 + len(GROUP) + 2 + 4  # where the second record's offset stands
    to_the_end = BLOCK_BYTES - link
    assert not check_c3d(
        written(
            tmp_path / "end.c3d", GROUP + record(b"USED", values(8), offset=to_the_end)
        )
    )
    doubt = check_c3d(
        written(
            tmp_path / "beyond.c3d",
            GROUP + record(b"USED", values(8), offset=to_the_end + beyond),
        )
    )
    assert "parameter section is broken at byte" in doubt


@pytest.mark.parametrize("offset", [1, 2])
def test_an_offset_that_does_not_lead_forward_is_named(tmp_path, offset):
    doubt = check_c3d(
        written(
            tmp_path / "back.c3d",
            GROUP + record(b"USED", values(8), offset=offset) + END,
        )
    )
    assert "parameter section is broken" in doubt


def test_a_name_that_reaches_beyond_the_section_is_named(tmp_path):
    chain = record(b"FILL", values(100))
    while len(chain) < BLOCK_BYTES - 4 - 140:
        chain += record(b"FILL", values(100))
    rest = BLOCK_BYTES - 4 - len(chain)
    doubt = check_c3d(
        written(
            tmp_path / "name.c3d",
            chain + struct.pack("bb", min(rest - 2, 127), 1) + b"x" * rest,
        )
    )
    assert "parameter section is broken" in doubt


@pytest.mark.parametrize("told", [12, 255])
def test_values_that_reach_into_the_next_record_are_named(tmp_path, told):
    doubt = check_c3d(
        written(
            tmp_path / "large.c3d",
            GROUP + record(b"USED", values(8, dimensions=told)) + END,
        )
    )
    assert "larger than its room" in doubt


def test_more_dimensions_than_a_parameter_has_are_named(tmp_path):
    doubt = check_c3d(
        written(
            tmp_path / "many.c3d",
            GROUP + record(b"USED", struct.pack("bB", 2, 8) + bytes(30)) + END,
        )
    )
    assert "8 dimensions" in doubt

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Bounds of a user's files: regular, of a bounded size, bounded when unpacked.

YAML is read without bombs; files of results belong here, too.

A pipe without a writer would be waited for until the end of time, a device has no end,
and a hole in a file costs nothing to whoever made it and all memory to whoever reads
it. A file of kilobytes must not become gigabytes of memory or disk, and the nodes of a
YAML are counted, aliases written out, before anything is made of it.
"""

from __future__ import annotations

import contextlib
import csv
import gzip
import io
import json
import os
import stat
import zlib
from pathlib import Path
from typing import IO, Any, Callable, Iterator, Mapping, Sequence

import yaml

from biped_slip.errors import BipedSlipError, InvalidRecording

# Files before they are opened.

LONGEST_TEXT = 10_000_000  # characters of what people write, or bytes


class NotRegular(OSError):
    """Path that exists and is no regular file."""


def check_regular(path: str | Path, most: int) -> None:
    """Check that a path may be opened as a regular file.

    Raises:
        OSError: it isn't there, is a folder, pipe or device, or has more than ``most``
            bytes.
    """
    status = os.stat(path)
    if stat.S_ISDIR(status.st_mode):
        raise IsADirectoryError("it is a folder")
    if not stat.S_ISREG(status.st_mode):
        raise NotRegular("it is a pipe or a device and no regular file")
    if status.st_size > most:
        raise NotRegular(
            f"it is {status.st_size} bytes long, at most {most} are accepted"
        )


def read_text(path: str | Path, most: int = LONGEST_TEXT) -> str:
    """Read the text of a file in UTF-8, a byte-order mark left out.

    Raises:
        OSError: as of :func:`check_regular`, or it can't be read.
        UnicodeDecodeError: it is something else.
    """
    check_regular(path, most)
    return Path(path).read_text(encoding="utf-8-sig")


@contextlib.contextmanager
def csv_rows(
    path: str | Path, most: int = LONGEST_TEXT, separators: Sequence[str] = ","
) -> Iterator[csv.DictReader[str]]:
    """Read rows of a CSV by the names in its first line.

    The separator is whichever mark is most frequent there.

    Raises:
        BipedSlipError: it can't be read, whether when it is opened or while its rows
            are.
    """
    try:
        check_regular(path, most)
        with Path(path).open(newline="", encoding="utf-8-sig") as file:
            head = file.readline(csv.field_size_limit()) if len(separators) > 1 else ""
            file.seek(0)
            yield csv.DictReader(file, delimiter=max(separators, key=head.count))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise BipedSlipError(
            f"{path}: can't be read ({getattr(error, 'strerror', None) or error})"
        ) from error


# What packed data unpack to.

UNPACKED_FREELY = 64 << 20  # [byte] that anything may unpack to
UNPACKING_RATIO = 100  # times its packed size (choice; recordings reach some tens)
MOST_UNPACKED_AT_ONCE = 256 << 20  # [byte] of a chunk or message, which lie in memory


class TooLarge(BipedSlipError):
    """Error: a file unpacks to more than it may."""

    def __init__(self, packed: int, most: int) -> None:
        super().__init__(
            f"{packed} compressed bytes unpack to more than the {most} bytes that are "
            "accepted"
        )


def bounded(make: Callable[[], Any], data: bytes, declared: int | None = None) -> bytes:
    """Limit the size to which a file unpacks.

    Args:
        make: a decompressor of one frame, with ``decompress(data, max_length)``,
            ``eof`` and ``unused_data``.
        data: one frame after the other.
        declared: bytes that the container promises.

    Raises:
        TooLarge: more than a recording may become.
        ValueError: it ends in the middle of a frame.
    """
    most = min(max(UNPACKED_FREELY, UNPACKING_RATIO * len(data)), MOST_UNPACKED_AT_ONCE)
    if declared is not None and declared > most:
        raise TooLarge(len(data), most)
    parts = []
    left = most
    rest = data
    while rest:
        one = make()
        part = one.decompress(rest, max_length=left + 1)
        if len(part) > left:
            raise TooLarge(len(data), most)
        if not one.eof:
            raise ValueError("compressed data end too soon")
        parts.append(part)
        left = left - len(part)
        rest = one.unused_data or b""
    return b"".join(parts)


class BoundedFile:
    """Unpacking file that is read up to a largest size."""

    def __init__(self, file: Any, packed: int) -> None:
        self._file = file
        self._packed = packed
        self._left = max(UNPACKED_FREELY, UNPACKING_RATIO * packed)
        self._most = self._left

    def read(self, size: int = -1) -> bytes:
        """Read the next bytes."""
        part = bytes(self._file.read(size))
        self._left -= len(part)
        if self._left < 0:
            raise TooLarge(self._packed, self._most)
        return part

    def __enter__(self) -> BoundedFile:
        self._file.__enter__()
        return self

    def __exit__(self, *details: object) -> None:
        self._file.__exit__(*details)


# Lines of a text file or a .gz, read with bounded memory whatever the file holds.

LONGEST_LINE = 1 << 20  # [byte]; 4096 columns of 25 digits fit ten times
CHUNK = 1 << 20  # [byte]
BOMB_SIZE = 1 << 27  # [byte]; below it a file may compress as well as it likes
BOMB_RATIO = 200  # decompressed over compressed size; tables of numbers reach about 20


def text_lines(path: str | Path) -> Iterator[str]:
    """Read lines without their ends, the first without a byte order mark.

    Raises:
        InvalidRecording: unreadable, not text, a truncated or absurdly compressed .gz,
            or an endless line.
    """
    rest = b""
    number = 0
    for chunk in _chunks(path):
        *pieces, rest = (rest + chunk).split(b"\n")
        for piece in pieces:
            number += 1
            yield _decode(path, piece, number)
        _check_length(path, rest, number + 1)
    if rest:
        yield _decode(path, rest, number + 1)


def _check_length(path: str | Path, piece: bytes, number: int) -> None:
    if len(piece) > LONGEST_LINE:
        raise InvalidRecording(
            path,
            f"line {number} is longer than {LONGEST_LINE} bytes",
            "not a usable table",
        )


def _decode(path: str | Path, piece: bytes, number: int) -> str:
    _check_length(path, piece, number)
    if b"\x00" in piece:
        raise InvalidRecording(
            path, f"line {number} holds binary data", "this reader takes text tables"
        )
    return piece.rstrip(b"\r").decode(
        "utf-8-sig" if number == 1 else "utf-8", errors="replace"
    )


def _chunks(path: str | Path) -> Iterator[bytes]:
    try:
        compressed = Path(path).stat().st_size
        if compressed == 0:
            raise InvalidRecording(path, "is empty")
        with Path(path).open("rb") as raw:
            packed = raw.read(2) == b"\x1f\x8b"
            raw.seek(0)
            stream: IO[bytes] = gzip.GzipFile(fileobj=raw) if packed else raw  # type: ignore[assignment]
            size = 0
            while chunk := stream.read(CHUNK):
                size += len(chunk)
                if packed and size > BOMB_SIZE and size > BOMB_RATIO * compressed:
                    raise InvalidRecording(
                        path,
                        f"its {compressed} bytes unpack to more than {size} bytes",
                        "no table of measurements compresses so well; unpack it "
                        "yourself if it is one",
                    )
                yield chunk
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise InvalidRecording(
            path,
            f"its compressed data are cut off or damaged ({error})",
            "copy it anew",
        ) from error
    except OSError as error:
        raise InvalidRecording(
            path, f"can't be read ({error.strerror or error})"
        ) from error


# Results as JSON lines under keys, each written as it ends: what was stopped goes on
# where it was.

LARGEST_RESULTS = 1 << 30  # [byte]


class LineFile:
    """File of entries under keys, appended and found again; none stays in memory.

    Lines of other code or other settings stay in the file and are never found; a line
    cut short by a kill is skipped.

    Raises:
        InvalidRecording: the file can't be read, or is something else.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self._places: dict[str, int] = {}
        place = 0
        try:
            if self.path.exists():
                check_regular(path, LARGEST_RESULTS)
            with self.path.open("rb") if self.path.exists() else io.BytesIO() as lines:
                for line in lines:
                    if key := self._key(line):
                        self._places[key] = place
                    place += len(line)
        except OSError as error:
            raise InvalidRecording(path, f"can't be read ({error})") from error

    def _key(self, line: bytes) -> str:
        try:
            entry = json.loads(line)
        except (ValueError, RecursionError):
            return ""
        if not isinstance(entry, dict) or not isinstance(entry.get("key"), str):
            raise InvalidRecording(
                self.path, "not a file of results; give another name"
            )
        return str(entry["key"])

    def __contains__(self, key: str) -> bool:
        return key in self._places

    def entry(self, key: str) -> dict[str, Any] | None:
        """Return the entry under a key."""
        if key not in self._places:
            return None
        with self.path.open("rb") as file:
            file.seek(self._places[key])
            found: dict[str, Any] = json.loads(file.readline())
        return found

    def append(
        self, key: str, entry: Mapping[str, Any], allow_nan: bool = False
    ) -> None:
        """Append one entry; it is on the disk when this returns."""
        line = json.dumps({"key": key, **entry}, allow_nan=allow_nan)
        with self.path.open("ab+") as file:
            end = file.seek(0, 2)
            file.seek(max(end - 1, 0))
            if file.read(1) not in (b"", b"\n"):  # after a line that a kill cut off
                end += file.write(b"\n")
            file.write(line.encode() + b"\n")
        self._places[key] = end


# YAML, its nodes counted before anything is made of them.

MOST_NODES = 1_000_000  # with aliases written out
DEEPEST_NESTING = 100
LONGEST_KEY = 60  # characters of a key in a sentence
MERGE = "<<"  # brings the keys of another mapping, and may stand more than once


class TooMuch(yaml.YAMLError):
    """Error: a text holds more than a configuration does."""


def load_yaml(text: str) -> Any:
    """Parse a YAML text.

    Raises:
        yaml.YAMLError: not YAML, or too much of it.
    """
    if len(text) > LONGEST_TEXT:
        raise TooMuch(f"it is longer than {LONGEST_TEXT} characters")
    loader = yaml.SafeLoader(text)
    try:
        node = loader.get_single_node()
        if node is None:
            return None
        _count(node, {}, 0)
        return loader.construct_document(node)
    except RecursionError:
        raise TooMuch(f"it is nested more than {DEEPEST_NESTING} deep") from None
    finally:
        loader.dispose()


def _named_twice(mapping: yaml.MappingNode) -> str:
    """Return the first key that a mapping has twice; empty: none.

    Keys are looked at once each; those that are no single value, whose texts have no
    end, are none.
    """
    seen = set()
    for key, _ in mapping.value:
        if not isinstance(key, yaml.ScalarNode) or key.value == MERGE:
            continue
        if key.value in seen:
            return str(key.value)
        seen.add(key.value)
    return ""


def _count(node: yaml.Node, known: dict[int, int], depth: int) -> int:
    """Count the nodes at and below one; shared ones each time."""
    if depth > DEEPEST_NESTING:
        raise TooMuch(f"it is nested more than {DEEPEST_NESTING} deep")
    if id(node) not in known:
        known[id(node)] = MOST_NODES  # of one that holds itself
        below: list[yaml.Node] = []
        if isinstance(node, yaml.MappingNode):
            below = [part for pair in node.value for part in pair]
            if twice := _named_twice(node):
                raise TooMuch(
                    f"it says {twice[:LONGEST_KEY]!r} twice in one place (line "
                    f"{node.start_mark.line + 1})"
                )
        elif isinstance(node, yaml.SequenceNode):
            below = list(node.value)
        known[id(node)] = 1 + sum(_count(part, known, depth + 1) for part in below)
    if known[id(node)] > MOST_NODES:
        raise TooMuch(f"its aliases stand for more than {MOST_NODES} values")
    return known[id(node)]

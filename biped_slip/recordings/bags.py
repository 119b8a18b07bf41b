# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""rosbag2 recordings (MCAP and sqlite3), read message by message, memory bounded."""

from __future__ import annotations

import contextlib
import dataclasses
import struct
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Iterator, NamedTuple

from biped_slip.bounded_files import (
    BoundedFile,
    TooLarge,
    bounded,
    check_regular,
)
from biped_slip.config import read_yaml
from biped_slip.errors import BipedSlipError, InvalidRecording

BAG_ENDINGS = (".mcap", ".db3")
GAP_FACTOR = 5.0
LARGEST_BAG = 1 << 42  # [byte]
LONGEST_ROOM = 4  # bytes beyond the three that rosbags allows behind a message


def bound_rosbags() -> None:
    """Bound the size to which ``rosbags`` unpacks; idempotent.

    The bound is on chunks of MCAP, single messages and whole files.
    """
    from lz4.frame import LZ4FrameDecompressor  # type: ignore[import-untyped]
    from rosbags.rosbag2 import reader, storage_mcap

    zstd = reader.zstd
    if isinstance(zstd, SimpleNamespace):
        return

    def unpack(data: bytes, size: int | None = None) -> bytes:
        return bounded(zstd.ZstdDecompressor, data, size)

    def opened(file: Any, mode: str = "rb") -> BoundedFile:
        packed = file.seek(0, 2)
        file.seek(0)
        return BoundedFile(zstd.open(file, mode), packed)

    reader.zstd = SimpleNamespace(decompress=unpack, open=opened)
    storage_mcap.DECOMPRESSORS.update(
        zstd=unpack, lz4=lambda data, size: bounded(LZ4FrameDecompressor, data, size)
    )


class BagMessage(NamedTuple):
    """Message of a bag: time, topic, type, and its content decoded or as bytes."""

    log_ns: int
    topic: str
    kind: str
    content: Any


@dataclasses.dataclass
class TopicStatistics:
    """Statistics of one topic of a bag."""

    kind: str
    count: int = 0
    first_ns: int = 0
    last_ns: int = 0
    longest_ns: int = 0  # longest time between neighbours
    backward: int = 0  # stamps that don't increase

    @property
    def rate(self) -> float:
        """Return the mean rate [Hz]; 0 with fewer than two messages."""
        return (
            (self.count - 1) * 1e9 / (self.last_ns - self.first_ns)
            if self.last_ns > self.first_ns
            else 0.0
        )

    def add(self, stamp_ns: int) -> bool:
        """Count a message; return whether its stamp is later than all before."""
        self.count += 1
        if self.count == 1:
            self.first_ns = self.last_ns = stamp_ns
            return True
        if stamp_ns <= self.last_ns:
            self.backward += 1
            return False
        self.longest_ns = max(self.longest_ns, stamp_ns - self.last_ns)
        self.last_ns = stamp_ns
        return True

    def note(self, name: str) -> str:
        """Summarise the topic in one line for a report."""
        words = f"{name}: {self.count} messages {self.kind}"
        if self.count > 1:
            words += f" at {self.rate:.1f} Hz"
        if self.rate and self.longest_ns * 1e-9 > GAP_FACTOR / self.rate:
            words += f", longest gap {self.longest_ns * 1e-9:.3g} s"
        return words + (
            f", {self.backward} stamps repeated or backward" if self.backward else ""
        )


class Bag:
    """A bag folder, or a single .mcap or .db3 file.

    Raises:
        BipedSlipError: ``rosbags`` isn't installed.
        InvalidRecording: no bag there, or one that can't be opened.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self._files = _files(self.path)
        self.topics: dict[
            str, tuple[str, int]
        ] = {}  # name -> (type, number of messages)
        for file in self._files:
            with self._reader(file) as reader:
                for connection in reader.connections:
                    kind, count = self.topics.get(
                        connection.topic, (connection.msgtype, 0)
                    )
                    self.topics[connection.topic] = (kind, count + connection.msgcount)

    def messages(
        self,
        topics: set[str] | None = None,
        *,
        decode: bool = True,
        start_ns: int | None = None,
    ) -> Iterator[BagMessage]:
        """Yield messages in the order of recording, one at a time.

        Args:
            topics: names with their leading slash; None means all.
            decode: turn bytes into message objects.
            start_ns: leave out what was recorded before.

        Raises:
            InvalidRecording: damage, or a type that is neither known nor described in
                the file.
        """
        for file in self._files:
            with self._reader(file) as reader:
                store = _type_store(reader) if decode else None
                chosen = [
                    one
                    for one in reader.connections
                    if topics is None or one.topic in topics
                ]
                if not chosen:
                    continue
                for connection, log_ns, raw in self._raw(reader, chosen, start_ns):
                    content = (
                        raw if store is None else self._decode(store, connection, raw)
                    )
                    yield BagMessage(
                        log_ns, connection.topic, connection.msgtype, content
                    )

    def statistics(self) -> dict[str, TopicStatistics]:
        """Compute counts, rates, gaps and disorder of every topic.

        This walks through all messages.
        """
        found = {name: TopicStatistics(kind) for name, (kind, _) in self.topics.items()}
        for message in self.messages(decode=False):
            found[message.topic].add(message.log_ns)
        return found

    @contextlib.contextmanager
    def _reader(self, file: Path) -> Iterator[Any]:
        try:
            from rosbags.rosbag2 import Reader
        except ImportError as error:
            raise BipedSlipError(
                "bags need the package rosbags; `pip install .` in the checkout "
                "brings it"
            ) from error
        bound_rosbags()
        reader = Reader(file)
        with self._one_sentence():
            reader.open()
        try:
            yield reader
        finally:
            reader.close()

    @contextlib.contextmanager
    def _one_sentence(self) -> Iterator[None]:
        try:
            yield
        except (
            Exception
        ) as error:  # the parser of a third party on damaged data may raise anything
            if isinstance(error, TooLarge):
                remedy = "store it anew without compression if it is sound"
                raise InvalidRecording(self.path, str(error), remedy) from error
            if other := _other_messages(self._files):
                raise InvalidRecording(self.path, *other) from error
            words = (
                "the bag is damaged or truncated "
                f"({' '.join(str(error).split())[:200] or type(error).__name__})"
            )
            raise InvalidRecording(
                self.path, words, "ros2 bag reindex may mend it"
            ) from error

    def _raw(
        self, reader: Any, chosen: list[Any], start_ns: int | None
    ) -> Iterator[tuple[Any, int, bytes]]:
        with self._one_sentence():
            yield from reader.messages(connections=chosen, start=start_ns)

    def _decode(self, store: Any, connection: Any, raw: bytes) -> Any:
        try:
            return _deserialised(store, raw, connection.msgtype)
        except KeyError as error:
            words = (
                f"topic {connection.topic} has messages of type {connection.msgtype}"
            )
            words += ", which is neither known here nor described in the file"
            raise InvalidRecording(
                self.path, words, "leave the topic out of the configuration"
            ) from error
        except Exception as error:  # bytes that don't fit their type
            raise InvalidRecording(
                self.path, f"a message on {connection.topic} can't be decoded ({error})"
            ) from error


# MCAP holds messages of any kind; its records name it (mcap.dev/spec): an opcode, a
# length of eight bytes, the content. Header and channels say how messages are encoded;
# the channels stand once more in the summary, to which the footer leads.

MCAP_MAGIC = b"\x89MCAP0\r\n"
MCAP_HEADER = 0x01
MCAP_CHANNEL = 0x04
MCAP_FOOTER = struct.Struct("<BQQQI")  # opcode, length, begin of the summary, …
LONGEST_SUMMARY = 1 << 24  # [byte]
ROS2_ENCODING = "cdr"


class McapKind(NamedTuple):
    """What an MCAP says about its messages."""

    profile: str = ""  # ros2 of a rosbag2; others may leave it out
    encodings: frozenset[str] = frozenset()  # of the messages; empty: not said


def mcap_kind(path: Path) -> McapKind:
    """Read how the messages of an MCAP are encoded."""
    size = path.stat().st_size
    with path.open("rb") as file:
        if file.read(len(MCAP_MAGIC)) != MCAP_MAGIC:
            return McapKind()
        profile = next(
            (
                _strings(body)[0]
                for code, body in _records(file.read(4096))
                if code == MCAP_HEADER
            ),
            "",
        )
        tail = MCAP_FOOTER.size + len(MCAP_MAGIC)
        file.seek(max(size - tail, 0))
        footer = file.read(MCAP_FOOTER.size)
        begin = MCAP_FOOTER.unpack(footer)[2] if len(footer) == MCAP_FOOTER.size else 0
        whole = 0 < begin < size and file.read() == MCAP_MAGIC
        file.seek(begin if whole else len(MCAP_MAGIC))
        summary = file.read(LONGEST_SUMMARY)
    channels = (body for code, body in _records(summary) if code == MCAP_CHANNEL)
    found = {text[1] for body in channels if len(text := _strings(body[4:])) > 1}
    return McapKind(profile, frozenset(found))


def _records(content: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield opcode and content of the records that are whole."""
    place = 0
    while place + 9 <= len(content):
        code, length = struct.unpack_from("<BQ", content, place)
        place += 9 + length
        if place > len(content):
            return
        yield code, content[place - length : place]


def _strings(content: bytes) -> list[str]:
    """Read the texts at the begin of a record, each after its length; at least one."""
    found = []
    place = 0
    for _ in range(2):
        if place + 4 > len(content):
            break
        (length,) = struct.unpack_from("<I", content, place)
        found.append(content[place + 4 : place + 4 + length].decode("utf-8", "replace"))
        place += 4 + length
    return found or [""]


def _other_messages(files: list[Path]) -> tuple[str, str] | None:
    """Explain, with the remedy, that MCAP files hold messages that aren't of ROS 2."""
    kinds = [mcap_kind(file) for file in files if file.is_file()]
    encodings = sorted(set().union(*(kind.encodings for kind in kinds)))
    profiles = {kind.profile for kind in kinds if kind != McapKind()}
    if "ros1" in {*encodings, *profiles}:
        return (
            "holds messages of ROS 1",
            "`rosbags-convert --src OLD.bag --dst NEW` makes a rosbag2 of the .bag it "
            "was made of",
        )
    if set(encodings) - {ROS2_ENCODING}:
        return (
            f"holds messages encoded as {', '.join(encodings)}, but rosbag2 has "
            f"{ROS2_ENCODING}",
            "record WrenchStamped of ROS 2, or save the forces as CSV",
        )
    if profiles and profiles != {"ros2"}:
        return (
            f"has the profile {', '.join(sorted(profiles))!r} in its header, but "
            "rosbag2 has 'ros2'",
            "`ros2 bag convert` writes it anew, if it is one",
        )
    return None


def _deserialised(store: Any, raw: bytes, kind: str) -> Any:
    """Deserialise a message; DDS may pad behind an empty last sequence."""
    try:
        return store.deserialize_cdr(raw, kind)
    except KeyError:
        raise
    except Exception:
        return store.deserialize_cdr(raw[:-LONGEST_ROOM], kind)


def _check_file(bag: Path, file: Path) -> None:
    """Check that a data file of a bag is a regular one."""
    try:
        check_regular(file, LARGEST_BAG)
    except OSError as error:
        raise InvalidRecording(
            bag, f"its file {file.name} can't be read ({error.strerror or error})"
        ) from error


def _files(path: Path) -> list[Path]:
    """List the data files of a bag in their order.

    Compressed bags are left to the folder reader as a whole.
    """
    if not path.exists():
        raise InvalidRecording(path, "can't be read (no such file or folder)")
    if not path.is_dir():
        _check_file(path, path)
        if path.stat().st_size == 0:
            raise InvalidRecording(path, "is empty")
        return [path]
    listing = path / "metadata.yaml"
    held = sorted(file for file in path.iterdir() if file.suffix in BAG_ENDINGS)
    if listing.exists():
        content = read_yaml(listing).get("rosbag2_bagfile_information", {})
        content = content if isinstance(content, dict) else {}
        files = content.get("relative_file_paths") or []
        if not isinstance(files, list):
            raise InvalidRecording(
                path,
                f"its metadata.yaml has {files!r} for relative_file_paths, which must "
                "be a list of names",
                "ros2 bag reindex may mend it",
            )
        named = [path / Path(str(name)).name for name in files]
        missing = [file.name for file in named if not file.exists()]
        if missing:
            raise InvalidRecording(
                path,
                "its metadata.yaml names files that aren't there: "
                f"{', '.join(missing)}",
            )
        held = named or held
        for file in held:
            _check_file(path, file)
        if str(content.get("compression_mode") or "none").lower() != "none":
            return [path]
    for file in held:
        _check_file(path, file)
    if not held:
        raise InvalidRecording(
            path, "holds no .mcap or .db3 file", "it is no rosbag2 recording"
        )
    return held


def _type_store(reader: Any) -> Any:
    """Build a store of known message types and those that the file describes itself."""
    from rosbags.interfaces import MessageDefinitionFormat
    from rosbags.typesys import Stores, get_types_from_msg, get_typestore

    store = get_typestore(Stores.ROS2_JAZZY)
    for connection in reader.connections:
        described = (
            connection.msgdef.format == MessageDefinitionFormat.MSG
            and connection.msgdef.data
        )
        if described and connection.msgtype not in store.types:
            try:
                types = get_types_from_msg(connection.msgdef.data, connection.msgtype)
                store.register(
                    {
                        name: kind
                        for name, kind in types.items()
                        if name not in store.types
                    }
                )
            except Exception:  # a definition that can't be parsed is as good as none
                continue
    return store

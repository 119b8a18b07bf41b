# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Damage sound files of every format at random and read them.

The result must be an answer or one sentence, whatever happens.

Further sound files join the format of their suffix (a table or bag with its layout
beside it as NAME.layout). An input that is answered by anything else, hangs for ten
seconds, takes more than 500 MB above what is in use after importing, or leaves a file
behind is stored in the working directory and named; exit code 1.
"""

from __future__ import annotations

import argparse
import contextlib
import resource
import shutil
import signal
import struct
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Callable, Iterator

import ezc3d
import numpy as np
from lz4.frame import compress as lz4  # type: ignore[import-untyped]
from rosbags.rosbag2 import StoragePlugin, Writer
from rosbags.rosbag2.storage_mcap import zstd

from biped_slip.errors import BipedSlipError
from biped_slip.recordings.bags import Bag
from biped_slip.recordings.gait import Overrides
from biped_slip.recordings.layout import Processing, read_layouts
from biped_slip.recordings.messages import (
    bag_config,
    series_messages,
    type_store,
    write_bag,
)
from biped_slip.recordings.registry import read_recording
from biped_slip.recordings.replay import answer, answer_bag
from biped_slip.recordings.tables import read_table_recording
from biped_slip.robots.description import read_description
from biped_slip.robots.planar_biped import JOINTS
from biped_slip.robots.robot import SOLES, Robot, Root, load_robot
from biped_slip.shared_files import shared_folder
from biped_slip.simulation.humanoid.scenario import HumanoidWalkConfig
from biped_slip.simulation.planar.campaign_plan import load_plan
from biped_slip.simulation.planar.scenario import ScenarioConfig
from studies.faults.file_campaign import RATE, SAMPLES, table_layout, table_text

MAGIC = b"\x89MCAP0\r\n"
FOOTER = 0x02
CHUNK = 0x06
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
        "yaml": [
            *_copies(folder, "config/scenarios", "*.yaml"),
            *_copies(folder, "config/humanoid_walks", "*.yaml"),
        ],
        "urdf": [
            *_copies(folder, "urdf", "*.urdf"),
            *_copies(folder, "urdf", "*.urdf.xacro"),
        ],
    }


def _copies(folder: Path, of: str, pattern: str) -> list[Path]:
    return [
        Path(shutil.copy(path, folder / path.name))
        for path in sorted((shared_folder() / of).rglob(pattern))
    ]


def _csv(path: Path) -> Path:
    path.write_text(table_text(), encoding="utf-8")
    path.with_suffix(".layout").write_text(table_layout(), encoding="utf-8")
    return path


def _c3d(path: Path) -> Path:
    """Two markers and one force plate."""
    file = ezc3d.c3d()
    frames = SAMPLES
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
    corners = np.array(
        [[0.0, 0.0, 0.0], [0.0, 600.0, 0.0], [400.0, 600.0, 0.0], [400.0, 0.0, 0.0]]
    ).T[:, :, None]
    for name, value in (
        ("USED", [1]),
        ("TYPE", [2]),
        ("CORNERS", corners),
        ("ORIGIN", np.array([[0.0], [0.0], [-40.0]])),
        ("CHANNEL", np.arange(1.0, 7.0)[:, None]),
    ):
        file.add_parameter("FORCE_PLATFORM", name, value)
    file.write(str(path))
    return path


def _bag(table: Path, path: Path) -> Path:
    """Write the same foot as a bag; returns also the layout with which it replays."""
    series = read_table_recording(table, read_layouts(table.with_suffix(".layout")))[0]
    write_bag(path, series_messages(series))
    path.with_suffix(".layout").write_text(
        bag_config(series, Processing()), encoding="utf-8"
    )
    return path


def _db3(mcap: Path, folder: Path) -> Path:
    """Write the same messages in SQLite."""
    store = type_store()
    with Writer(folder, version=9, storage_plugin=StoragePlugin.SQLITE3) as writer:
        known = {}
        for one in Bag(mcap).messages(decode=False):
            if one.topic not in known:
                known[one.topic] = writer.add_connection(
                    one.topic, one.kind, typestore=store
                )
            writer.write(known[one.topic], one.log_ns, one.content)
    folder.with_suffix(".layout").write_text(
        mcap.with_suffix(".layout").read_text(encoding="utf-8"), encoding="utf-8"
    )
    return folder


def _records(data: bytes) -> Iterator[tuple[int, bytes]]:
    place = len(MAGIC)
    while place < len(data) - len(MAGIC):
        code = data[place]
        length = struct.unpack_from("<Q", data, place + 1)[0]
        yield code, data[place + 9 : place + 9 + length]
        place += 9 + length


def _packed(
    source: Path, path: Path, name: bytes, pack: Callable[[bytes], bytes]
) -> Path:
    """Write the same MCAP without its index, with packed chunks."""
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


PATIENCE = 10  # [s] of processor time
ASLEEP = 120  # [s] a loaded machine may let it wait
MEMORY = 500 << 20  # [byte]
Damage = Callable[[bytes, np.random.Generator], bytes]


def damaged(data: bytes, rng: np.random.Generator) -> bytes:
    """Damage bytes in one of several ways, at random.

    They are flipped (mostly early, where headers are), cut, doubled, or a stretch is
    replaced by noise.
    """
    mutated = bytearray(data)
    kind = int(rng.integers(5))
    if kind < 2:
        reach = len(mutated) if kind else min(len(mutated), 4096)
        for place in rng.integers(0, reach, int(rng.integers(1, 20))):
            mutated[place] = int(rng.integers(256))
    elif kind == 2:
        del mutated[int(rng.integers(len(mutated))) :]
    elif kind == 3:
        place = int(rng.integers(len(mutated)))
        mutated[place:place] = mutated[place : place + int(rng.integers(1, 5000))]
    else:
        place = int(rng.integers(len(mutated)))
        length = int(rng.integers(1, 600))
        mutated[place : place + length] = rng.bytes(length)
    return bytes(mutated)


HOSTILE = (
    *(
        "nan",
        "inf",
        "-inf",
        "1e400",
        "-1",
        "0",
        "1e-320",
        "9" * 400,
        "[]",
        "{}",
        "",
        "null",
        "true",
    ),
    *(
        "&a [*a]",
        "!!python/x",
        "\x00",
        "\u202e",
        "<!ENTITY a 'b'>",
        "${x}",
        "../../etc/passwd",
    ),
)


def reworded(data: bytes, rng: np.random.Generator) -> bytes:
    """Replace some numbers and words of a text by hostile ones, or damage its bytes."""
    if rng.integers(3) == 0:
        return damaged(data, rng)
    words = data.decode(errors="replace").split(" ")
    for _ in range(int(rng.integers(1, 6))):
        words[int(rng.integers(len(words)))] = HOSTILE[int(rng.integers(len(HOSTILE)))]
    return " ".join(words).encode()


def read_bag(path: Path, layout: Path) -> None:
    """Messages, and the answer under a foot."""
    list(Bag(path).messages())
    answer_bag(path, layout, "slip")


def read_series(path: Path, layout: Path) -> None:
    """Read a trial or a table, and estimate friction under its feet."""
    answer(
        read_recording(path, layout if layout.exists() else None, Overrides()), "slip"
    )


def read_yaml(path: Path, layout: Path) -> None:
    """Whatever takes a YAML of a user."""
    for use in (
        ScenarioConfig.from_yaml,
        HumanoidWalkConfig.from_yaml,
        load_plan,
        read_layouts,
    ):
        with contextlib.suppress(BipedSlipError):
            use(str(path))


def read_robot(path: Path, layout: Path) -> None:
    """Load a description as a model."""
    if path.suffix == ".xacro":
        _ = Robot(read_description(str(path)), Root.SAGITTAL, JOINTS, SOLES).model
    else:
        _ = load_robot(path, Root.SAGITTAL, JOINTS, SOLES).model


READ: dict[str, tuple[Callable[[Path, Path], None], Damage]] = {
    "c3d": (read_series, damaged),
    "mcap": (read_bag, damaged),
    "mcap-zstd": (read_bag, damaged),
    "mcap-lz4": (read_bag, damaged),
    "db3": (read_bag, damaged),
    "csv": (read_series, reworded),
    "yaml": (read_yaml, reworded),
    "urdf": (read_robot, reworded),
}


def too_long(*_: object) -> None:
    """Alarm of an input that hangs."""
    raise TimeoutError(f"still reading after {PATIENCE} s of processor time, or asleep")


def memory() -> int:
    """Most that this process and its children have ever taken [byte]."""
    return (
        max(
            resource.getrusage(who).ru_maxrss
            for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
        )
        << 10
    )


@contextlib.contextmanager
def spoilt(
    source: Path, folder: Path, damage: Damage, rng: np.random.Generator
) -> Iterator[Path]:
    """Damage a copy in a folder of its own; of a bag's folder one file is damaged."""
    place = folder / "input"
    place.mkdir()
    path = place / source.name
    if source.is_dir():
        shutil.copytree(source, path)
        inside = sorted(path.iterdir())
        victim = inside[int(rng.integers(len(inside)))]
    else:
        shutil.copy(source, path)
        victim = path
    victim.write_bytes(damage(victim.read_bytes(), rng))
    try:
        yield path
    finally:
        shutil.rmtree(place)


def tried(format_: str, path: Path, layout: Path, most: int) -> tuple[str, str]:
    """One of read, refused, defect; and what was wrong."""
    signal.setitimer(signal.ITIMER_PROF, PATIENCE)
    signal.alarm(ASLEEP)
    before = memory()
    verdict = ("read", "")
    try:
        READ[format_][0](path, layout)
    except BipedSlipError as error:
        verdict = (
            ("defect", f"more than one line: {error!r}")
            if "\n" in str(error)
            else ("refused", "")
        )
    except Exception as error:
        verdict = "defect", f"{type(error).__name__}: {error}"
    finally:
        signal.alarm(0)
        signal.setitimer(signal.ITIMER_PROF, 0.0)
    if memory() > max(before, most):
        return "defect", f"{memory() >> 20} MB of memory"
    return verdict


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument(
        "--seconds",
        type=float,
        default=600.0,
        help="in all, shared by the formats (600)",
    )
    parser.add_argument("--format", nargs="+", default=list(READ), choices=list(READ))
    parser.add_argument("--seed", type=int, default=0)


def run(arguments: argparse.Namespace) -> int:
    """Fuzz for some seconds; 1 if anything was found."""
    for number in (signal.SIGALRM, signal.SIGPROF):
        signal.signal(number, too_long)
    defects = 0
    with tempfile.TemporaryDirectory() as sound, tempfile.TemporaryDirectory() as work:
        sources = sound_files(Path(sound))
        for file in arguments.files:
            sources[file.suffix.removeprefix(".")].append(file)
        tempfile.tempdir = work  # whatever a reader leaves behind is seen
        most = memory() + MEMORY
        begin = time.monotonic()
        for place, format_ in enumerate(arguments.format):
            end = begin + arguments.seconds * (place + 1) / len(arguments.format)
            counts = fuzz(
                format_,
                sources[format_],
                Path(work),
                np.random.default_rng(arguments.seed),
                end,
                most,
            )
            defects += counts["defect"]
            told = ", ".join(
                f"{counts[word]} {word}" for word in ("read", "refused", "defect")
            )
            print(
                f"{format_}: {sum(counts.values())} inputs, {told}; {memory() >> 20} "
                "MB",
                flush=True,
            )
        tempfile.tempdir = None
    print(f"{defects} defects")
    return 1 if defects else 0


def fuzz(
    format_: str,
    sources: list[Path],
    work: Path,
    rng: np.random.Generator,
    end: float,
    most: int,
) -> Counter[str]:
    """One format until a time on the steady clock."""
    counts: Counter[str] = Counter()
    for source in sources:  # sound ones are read; what must be compiled is compiled now
        READ[format_][0](source, source.with_suffix(".layout"))
    while time.monotonic() < end:
        source = sources[int(rng.integers(len(sources)))]
        with spoilt(source, work, READ[format_][1], rng) as path:
            verdict, what = tried(format_, path, source.with_suffix(".layout"), most)
            left = [one.name for one in work.iterdir() if one.name != "input"]
            if left:
                verdict = "defect"
                what = f"left behind: {', '.join(left)}"
                for name in left:
                    shutil.rmtree(work / name, ignore_errors=True)
            counts[verdict] += 1
            if verdict == "defect":
                kept = Path(f"fuzz-{format_}-{counts['defect']}{path.suffix}")
                shutil.copytree(path, kept) if path.is_dir() else shutil.copy(
                    path, kept
                )
                print(f"{kept}: {what}", flush=True)
    return counts

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Damage sound files of every format at random and read them: an answer or one sentence, whatever happens.

Run ``python fuzz/formats.py [--seconds S] [--seed N] [--format NAME …] [FILE …]``; further sound files join the
format of their suffix (a table or bag with its layout beside it as NAME.layout). An input that is answered by
anything else, hangs for ten seconds, takes more than 500 MB above what is in use after importing, or leaves a file
behind is stored in the working directory and named; exit code 1.
"""

from __future__ import annotations

import argparse
import contextlib
import resource
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Callable, Iterator

import numpy as np
from sound_files import sound_files

from biped_slip.campaigns.plan import load_plan
from biped_slip.errors import BipedSlipError
from biped_slip.recordings.bags import Bag
from biped_slip.recordings.gait import Overrides
from biped_slip.recordings.layout import read_layouts
from biped_slip.recordings.registry import read_recording
from biped_slip.recordings.replay import answer, answer_bag
from biped_slip.robots.description import read_description
from biped_slip.robots.planar_biped import JOINTS, SOLES
from biped_slip.robots.robot import Robot, Root, load_robot
from biped_slip.simulation.humanoid.scenario import HumanoidWalkConfig
from biped_slip.simulation.planar.scenario import ScenarioConfig

PATIENCE = 10  # [s] of processor time
ASLEEP = 120  # [s] a loaded machine may let it wait
MEMORY = 500 << 20  # [byte]
Damage = Callable[[bytes, np.random.Generator], bytes]


def damaged(data: bytes, rng: np.random.Generator) -> bytes:
    """One of: flipped bytes (mostly early, where headers are), cut, doubled, or a stretch replaced by noise."""
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
        place, length = int(rng.integers(len(mutated))), int(rng.integers(1, 600))
        mutated[place : place + length] = rng.bytes(length)
    return bytes(mutated)


HOSTILE = (
    *("nan", "inf", "-inf", "1e400", "-1", "0", "1e-320", "9" * 400, "[]", "{}", "", "null", "true"),
    *("&a [*a]", "!!python/x", "\x00", "\u202e", "<!ENTITY a 'b'>", "${x}", "../../etc/passwd"),
)


def reworded(data: bytes, rng: np.random.Generator) -> bytes:
    """Text with some of its numbers and words replaced by hostile ones, or damaged as bytes."""
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
    """A trial or a table, and the answer under its feet."""
    answer(read_recording(path, layout if layout.exists() else None, Overrides()), "slip")


def read_yaml(path: Path, layout: Path) -> None:
    """Whatever takes a YAML of a user."""
    for use in (ScenarioConfig.from_yaml, HumanoidWalkConfig.from_yaml, load_plan, read_layouts):
        with contextlib.suppress(BipedSlipError):
            use(str(path))


def read_robot(path: Path, layout: Path) -> None:
    """A description becomes a model."""
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
    return max(resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)) << 10


@contextlib.contextmanager
def spoilt(source: Path, folder: Path, damage: Damage, rng: np.random.Generator) -> Iterator[Path]:
    """A damaged copy in a folder of its own; of a bag's folder one file is damaged."""
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
    before, verdict = memory(), ("read", "")
    try:
        READ[format_][0](path, layout)
    except BipedSlipError as error:
        verdict = ("defect", f"more than one line: {error!r}") if "\n" in str(error) else ("refused", "")
    except Exception as error:
        verdict = "defect", f"{type(error).__name__}: {error}"
    finally:
        signal.alarm(0)
        signal.setitimer(signal.ITIMER_PROF, 0.0)
    if memory() > max(before, most):
        return "defect", f"{memory() >> 20} MB of memory"
    return verdict


def main() -> int:
    """Fuzz for some seconds; 1 if anything was found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--seconds", type=float, default=600.0, help="in all, shared by the formats (600)")
    parser.add_argument("--format", nargs="+", default=list(READ), choices=list(READ))
    parser.add_argument("--seed", type=int, default=0)
    chosen = parser.parse_args()
    for number in (signal.SIGALRM, signal.SIGPROF):
        signal.signal(number, too_long)
    defects = 0
    with tempfile.TemporaryDirectory() as sound, tempfile.TemporaryDirectory() as work:
        sources = sound_files(Path(sound))
        for file in chosen.files:
            sources[file.suffix.removeprefix(".")].append(file)
        tempfile.tempdir = work  # whatever a reader leaves behind is seen
        most, begin = memory() + MEMORY, time.monotonic()
        for number, format_ in enumerate(chosen.format):
            end = begin + chosen.seconds * (number + 1) / len(chosen.format)
            counts = fuzz(format_, sources[format_], Path(work), np.random.default_rng(chosen.seed), end, most)
            defects += counts["defect"]
            told = ", ".join(f"{counts[word]} {word}" for word in ("read", "refused", "defect"))
            print(f"{format_}: {sum(counts.values())} inputs, {told}; {memory() >> 20} MB", flush=True)
    print(f"{defects} defects")
    return 1 if defects else 0


def fuzz(
    format_: str, sources: list[Path], work: Path, rng: np.random.Generator, end: float, most: int
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
                verdict, what = "defect", f"left behind: {', '.join(left)}"
                for name in left:
                    shutil.rmtree(work / name, ignore_errors=True)
            counts[verdict] += 1
            if verdict == "defect":
                kept = Path(f"fuzz-{format_}-{counts['defect']}{path.suffix}")
                shutil.copytree(path, kept) if path.is_dir() else shutil.copy(path, kept)
                print(f"{kept}: {what}", flush=True)
    return counts


if __name__ == "__main__":
    sys.exit(main())

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Damage recordings at random and read them: whatever happens must be an answer or one sentence.

Run ``python fuzz/recordings.py SECONDS FILE…`` with sound files of any format (a table needs ``--config YAML``). An
input that crashes, hangs for ten seconds or takes more than 2 GB is stored beside this run and named; exit code 1.
"""

from __future__ import annotations

import argparse
import resource
import signal
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from biped_slip.errors import BipedSlipError
from biped_slip.recordings.answers import answer
from biped_slip.recordings.bag_answer import answer_bag
from biped_slip.recordings.bags import Bag
from biped_slip.recordings.gait import Overrides
from biped_slip.recordings.read import read_recording
from biped_slip.recordings.registry import recording_format

PATIENCE = 10  # [s]
MEMORY = 2 << 30  # [byte] above what is in use at the start


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


def read(path: Path, config: str | None) -> None:
    """Everything that a user can do to a file."""
    if recording_format(path) == "bag":
        list(Bag(path).messages())
        answer_bag(path, config, "slip")
    else:
        answer(read_recording(path, config, Overrides()), "slip")


def too_long(*_: object) -> None:
    """Alarm of an input that hangs."""
    raise TimeoutError(f"still reading after {PATIENCE} s")


def main() -> int:
    """Fuzz for some seconds; 1 if anything was found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("seconds", type=float)
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--config")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    rng = np.random.default_rng(arguments.seed)
    signal.signal(signal.SIGALRM, too_long)
    in_use = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (in_use + MEMORY, in_use + MEMORY))
    end, tried, refused, found = time.monotonic() + arguments.seconds, 0, 0, 0
    with tempfile.TemporaryDirectory() as folder:
        while time.monotonic() < end:
            source = arguments.files[int(rng.integers(len(arguments.files)))]
            data = damaged(source.read_bytes(), rng)
            path = Path(folder, f"input{''.join(source.suffixes[-2:])}")
            path.write_bytes(data)
            tried += 1
            signal.alarm(PATIENCE)
            try:
                read(path, arguments.config)
            except BipedSlipError as error:
                refused += 1
                if "\n" in str(error):
                    found += 1
                    print(f"more than one line: {error!r}")
            except Exception as error:
                found += 1
                kept = Path(f"fuzz-{found}{''.join(source.suffixes[-2:])}")
                kept.write_bytes(data)
                print(f"{kept}: {type(error).__name__}: {error}")
            finally:
                signal.alarm(0)
    print(f"{tried} inputs tried, {refused} refused in one sentence, {found} defects")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""A gait study of many trials: its time and memory.

It also tells whether a killed study gives the same table as one that wasn't.

Trials of people who walk over endless plates are written as small CSV files; the study
is started, killed with SIGKILL in its middle, and started again.
"""

from __future__ import annotations

import argparse
import resource
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from biped_slip.cli.options import COUNT
from synthetic.gait_trials import walked_forces, write_trial

CONFIG = (
    Path(__file__).resolve().parents[1] / "config" / "recordings" / "gait_trial.yaml"
)
FLOORS = ("steel", "vinyl")
SHOES = ("trainer", "boot")


def write_study(folder: Path, trials: int, seed: int = 1) -> None:
    """Write trials of people of different weight and gait.

    There are 20 trials each, on two floors in two pairs of shoes.
    """
    rng = np.random.default_rng(seed)
    lines = ["file,person,shoe,floor,condition,config"]
    for number in range(trials):
        person = number // 20
        own = np.random.default_rng([seed, person])
        weight = own.uniform(500.0, 1000.0)
        stride = own.uniform(0.95, 1.25)
        asked = own.uniform(0.16, 0.25)
        time_, left, right, _ = walked_forces(rng, 4, 250.0, weight, stride, asked)
        write_trial(folder / f"{number:05d}.csv", time_, left, right)
        shoe = SHOES[number % 2]
        floor = FLOORS[number // 2 % 2]
        lines.append(f"{number:05d}.csv,P{person:03d},{shoe},{floor},dry,{CONFIG}")
    (folder / "trials.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")


def start(folder: Path, out: Path, workers: int) -> subprocess.Popen[bytes]:
    """Start the study as a process of its own."""
    command = [
        sys.executable,
        "-m",
        "biped_slip",
        "gait",
        "study",
        str(folder),
        "--out",
        str(out),
    ]
    return subprocess.Popen([*command, "--workers", str(workers)])


def stored(out: Path) -> int:
    """Trials that have ended."""
    file = out / "trials.jsonl"
    return file.read_bytes().count(b"\n") if file.exists() else 0


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("--trials", type=COUNT, default=1000, help="(1000)")
    parser.add_argument("--workers", type=COUNT, default=1, help="processes (1)")
    parser.add_argument(
        "--folder", type=Path, metavar="DIR", help="where trials and tables are kept"
    )


def run(arguments: argparse.Namespace) -> int:
    """Write, run, kill, resume, compare; exit code 1 when the tables differ."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = arguments.folder or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        write_study(folder, arguments.trials)
        size = sum(path.stat().st_size for path in folder.glob("*.csv"))
        print(f"{arguments.trials} trials, {size / 1e6:.0f} MB")
        begin = time.monotonic()
        code = start(folder, folder / "whole", arguments.workers).wait()
        peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
        print(
            f"whole: {time.monotonic() - begin:.0f} s, largest process {peak:.0f} MB, "
            f"exit code {code}"
        )
        killed = start(folder, folder / "killed", arguments.workers)
        while (
            stored(folder / "killed") < arguments.trials // 2 and killed.poll() is None
        ):
            time.sleep(0.05)
        killed.send_signal(signal.SIGKILL)
        killed.wait()
        print(f"killed after {stored(folder / 'killed')} trials")
        begin = time.monotonic()
        code = start(folder, folder / "killed", arguments.workers).wait()
        print(f"resumed: {time.monotonic() - begin:.0f} s, exit code {code}")
        same = (folder / "whole" / "steps.csv").read_bytes() == (
            folder / "killed" / "steps.csv"
        ).read_bytes()
        print(
            f"tables of steps are {'the same' if same else 'DIFFERENT'}, byte for byte"
        )
    return 0 if same else 1

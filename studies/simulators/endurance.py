# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Whether memory stays flat over very many walks, and whether a campaign that is killed again and again loses any."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from biped_slip.child_processes import WorkerProcesses
from biped_slip.simulation.campaign import fill_code_cache
from biped_slip.simulation.planar.scenario import changed, perturbed
from biped_slip.simulation.planar.walk import Job, named_scenario, run_walk
from studies.estimator.conditions import NAN, Row
from studies.ticks import resident_kb

SCENARIO, LIMIT = "thesis_sensors", "interval"
WARM_UP = 50  # walks
SHORT = 0.3  # [s]
FLAT = 5.0  # [MB] that count as flat: half a kB a walk
PLAN = f"""
seed: 3
walks: {{walks}}
scenarios: [{SCENARIO}]
limits: [{LIMIT}]
draw:
  ground.mu: [1.0, {{{{uniform: [0.25, 1.0]}}}}]
  duration: 3.0
"""
WORKERS = 2
LONGEST = 12.0  # [s] until the next kill


def memory_rows(walks: int) -> list[Row]:
    """Resident memory of a worker before the first and before the last third of so many short walks."""
    fill_code_cache([Job(SCENARIO, LIMIT, 0)])  # here: a worker that compiles keeps room that would hide a growth
    with WorkerProcesses(1) as pool:
        first, last, end = (1e-3 * mark for mark in pool.submit(_marks, walks).result())
    return [
        Row(f"memory before the last third of {walks} walks over before the first [MB]", FLAT, True, "", last - first),
        Row("... after the last walk over before the last third [MB]", FLAT, True, "", end - last),
        Row("... in all [MB]", 400.0, True, "", end),
    ]


def _marks(walks: int) -> list[float]:
    """Resident memory [kB] before the first and the last third and after so many walks, in this process."""
    scenario = changed(named_scenario(SCENARIO), {"duration": SHORT})
    marks: list[float] = []
    for seed in range(-WARM_UP, walks):
        if seed in (0, walks - walks // 3):
            marks.append(resident_kb())
        run_walk(perturbed(scenario, np.random.default_rng(seed + WARM_UP)), LIMIT, seed + WARM_UP)
    return [*marks, resident_kb()]


def kill_rows(kills: int, walks: int = 60) -> list[Row]:
    """Campaigns on two workers of which one, or the whole campaign, is killed; then compared with one left alone."""
    rng, at, killed, finished = np.random.default_rng(0), 0, [0, 0], 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "plan.yaml").write_text(PLAN.format(walks=walks), encoding="utf-8")
        expected, same = _finished(folder, "alone"), True
        while sum(killed) < kills:
            at += 1
            while not (folder / str(at) / "walks.parquet").exists() and sum(killed) < kills:
                for i, count in enumerate(_disturbed(folder, str(at), rng, kills - sum(killed))):
                    killed[i] += count
            same = _finished(folder, str(at)) == expected and same
            finished += 1
    return [
        Row("kills of a worker", NAN, False, "", killed[0]),
        Row("kills of the whole campaign", NAN, False, "", killed[1]),
        Row(f"campaigns of {walks} walks that came through them", NAN, False, "", finished),
        Row("tables that differ in a bit from the undisturbed one", 0.0, True, "", 0.0 if same else 1.0),
    ]


def _command(folder: Path, name: str) -> list[str]:
    words = ["campaign", str(folder / "plan.yaml"), "--out", str(folder / name), "--workers", str(WORKERS)]
    return [sys.executable, "-m", "biped_slip.cli", *words]


def _finished(folder: Path, name: str) -> bytes:
    """The table of a campaign, walked to its end."""
    subprocess.run(_command(folder, name), check=True, capture_output=True)
    return (folder / name / "walks.parquet").read_bytes()


def _disturbed(folder: Path, name: str, rng: np.random.Generator, most: int) -> tuple[int, int]:
    """Start or go on until the whole campaign is killed or has ended; how many workers and campaigns were killed."""
    workers = 0
    command = _command(folder, name)
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True) as run:
        while True:
            time.sleep(LONGEST * rng.random())
            if run.poll() is not None:
                return workers, 0
            children = _workers(run.pid)
            if workers + 1 < most and children and rng.random() < 0.5:
                workers += _kill(int(rng.choice(children)))
            else:
                os.killpg(run.pid, signal.SIGKILL)
                return workers, 1


def _kill(process: int) -> int:
    """Kill a process; 1 if it was still there."""
    try:
        os.kill(process, signal.SIGKILL)
    except ProcessLookupError:
        return 0
    return 1


def _workers(process: int) -> list[int]:
    """Worker processes of a campaign (on Linux)."""
    found = []
    for child in Path(f"/proc/{process}/task/{process}/children").read_text().split():
        try:
            words = Path(f"/proc/{child}/cmdline").read_bytes()
        except OSError:
            continue
        if b"spawn_main" in words:
            found.append(int(child))
    return found

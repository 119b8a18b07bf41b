# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""How many walks a minute, what memory they take, how soon the first begins, and whether killed campaigns lose any."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from biped_slip.child_processes import WorkerProcesses
from biped_slip.errors import BipedSlipError, InvalidParameter
from biped_slip.ros.processes import NodeProcess, free_domain
from biped_slip.simulation.campaign import fill_code_cache, run_campaign, run_job
from biped_slip.simulation.humanoid.scenario import chosen_walk
from biped_slip.simulation.humanoid.walk import HumanoidWalk
from biped_slip.simulation.planar.scenario import changed, perturbed
from biped_slip.simulation.planar.walk import Job, Walk, chosen_scenario, planar_policy, run_walk
from studies.frame import NAN, Row
from studies.ticks import BARE_CALL, bare_call, resident_kb

# How many walks a minute, on one worker and on two.

LIKE_THE_FIRST = f"with a bare call of {BARE_CALL} us"
SCENARIO, HUMANOID, LIMIT = "thesis_sensors", "talos", "interval"
WARM_UP = 1500  # ticks of a humanoid: standing, the first transfer


def walk_rows(walks: int) -> list[Row]:
    """Speed of a walk after warm-up, by the clock and by the processor's time."""
    scenario = chosen_scenario(SCENARIO)
    clock, processor, length, slowness = [], [], 0.0, _slowness()
    for _ in range(walks + 1):
        walk = Walk(scenario, planar_policy(LIMIT, scenario))
        begin = time.perf_counter(), time.thread_time()
        log = walk.run()
        clock.append(time.perf_counter() - begin[0])
        processor.append(time.thread_time() - begin[1])
        length = float(log.time[-1])
    return [
        Row(f"walk {SCENARIO}, {LIMIT}: times real time", NAN, False, "", length / min(clock[1:])),
        Row(f"... {LIKE_THE_FIRST}", 150.0, False, "", slowness * length / min(clock[1:])),
        Row("... by the processor's time", NAN, False, "", length / min(processor[1:])),
    ]


def humanoid_walk_rows(seconds: int) -> list[Row]:
    """Speed of a humanoid's walk, controller and simulator, after standing and the first transfer: its fastest second.

    A second holds more than a step; other work on the machine only makes it longer.
    """
    walk = HumanoidWalk(chosen_walk(HUMANOID), LIMIT, 0)
    _walk_on(walk, WARM_UP)
    clock, processor, slowness = [], [], _slowness()
    for _ in range(seconds):
        begin = time.perf_counter(), time.thread_time()
        _walk_on(walk, 1000)
        clock.append(time.perf_counter() - begin[0])
        processor.append(time.thread_time() - begin[1])
    return [
        Row(f"walk of {HUMANOID}, {LIMIT}: times real time", 3.0, False, "", 1.0 / min(clock)),
        Row(f"... {LIKE_THE_FIRST}", 3.0, False, "", slowness / min(clock)),
        Row("... by the processor's time", NAN, False, "", 1.0 / min(processor)),
    ]


def _walk_on(walk: HumanoidWalk, ticks: int) -> None:
    for _ in range(ticks):
        if walk.ended:
            raise InvalidParameter("seconds", 1e-3 * walk.world.plant.ticks, "less than the walk takes")
        walk.tick()


def campaign_rows(walks: int) -> list[Row]:
    """Measure walks a minute on one worker and on two, and how memory grows from walk to walk."""
    jobs = [Job(SCENARIO, LIMIT, seed) for seed in range(walks)]
    run_job(jobs[0])
    memory, begin = resident_kb(), time.perf_counter()
    for job in jobs:
        run_job(job)
    alone = time.perf_counter() - begin
    growth, slowness = resident_kb() - memory, _slowness()
    first, last = _marks(jobs * 2)
    both = last - first
    efficiency = (2 * walks - 2) / both / (2.0 * walks / alone)  # the first walk of each worker warms it up
    return [
        Row("walks a minute on one worker", NAN, False, "", 60.0 * walks / alone),
        Row("walks a minute on two workers", NAN, False, "", 60.0 * (2 * walks - 2) / both),
        Row(f"... {LIKE_THE_FIRST}", 1000.0, False, "", slowness * 60.0 * (2 * walks - 2) / both),
        Row("two workers over twice one [%]", 90.0, False, "", 100.0 * efficiency),
        Row("memory of a worker [MB]", 400.0, True, "", 1e-3 * resident_kb()),
        Row(f"its growth over {walks} walks [kB a walk]", NAN, True, "", growth / walks),
    ]


def _marks(jobs: list[Job]) -> tuple[float, float]:
    """When the second and the last walk of a campaign on two workers ended [s]."""
    ends: list[float] = []
    run_campaign(jobs, 2, lambda _: ends.append(time.perf_counter()))
    return ends[1], ends[-1]


def _slowness() -> float:
    """How much longer this machine takes, this minute, than the one that the requirements were meant for."""
    return bare_call() / BARE_CALL


# Whether memory stays flat over very many walks, and whether a campaign that is killed again and again loses any.

WARMING = 50  # walks
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
        first, last, end = (1e-3 * mark for mark in pool.submit(_memory_marks, walks).result())
    return [
        Row(f"memory before the last third of {walks} walks over before the first [MB]", FLAT, True, "", last - first),
        Row("... after the last walk over before the last third [MB]", FLAT, True, "", end - last),
        Row("... in all [MB]", 400.0, True, "", end),
    ]


def _memory_marks(walks: int) -> list[float]:
    """Resident memory [kB] before the first and the last third and after so many walks, in this process."""
    scenario = changed(chosen_scenario(SCENARIO), {"duration": SHORT})
    marks: list[float] = []
    for seed in range(-WARMING, walks):
        if seed in (0, walks - walks // 3):
            marks.append(resident_kb())
        run_walk(perturbed(scenario, np.random.default_rng(seed + WARMING)), LIMIT, seed + WARMING)
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
    """Walk a campaign to its end and return its table."""
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


# How soon a walk begins: with nothing compiled, after compiling ahead, for a node, and for a robot's first time.

OTHER = "bolt"
ACTIVE, PATIENCE = "active, waiting for input", 300.0  # of a node's log; [s] for it
PLANAR = f"""
from biped_slip.simulation.planar.walk import planar_policy
from biped_slip.simulation.planar.walk import chosen_scenario
from biped_slip.simulation.planar.walk import Walk
scenario = chosen_scenario("{SCENARIO}")
Walk(scenario, planar_policy("{LIMIT}", scenario)).walk_on(1)
"""
WHOLE_BODY = f"""
from biped_slip.simulation.humanoid.walk import HumanoidWalk
from biped_slip.simulation.humanoid.scenario import chosen_walk
HumanoidWalk(chosen_walk("{{}}"), "{LIMIT}").tick()
"""


def start_rows() -> list[Row]:
    """Seconds from the start of a process, all in a code cache of their own that is empty at first."""
    with tempfile.TemporaryDirectory() as folder:
        place = {**os.environ, "BIPED_SLIP_CACHE": folder}
        cold = _took(place, "-c", PLANAR)
        ahead = _took(place, "-m", "biped_slip.cli", "compile", "--robot", HUMANOID)
        planar, humanoid = _took(place, "-c", PLANAR), _took(place, "-c", WHOLE_BODY.format(HUMANOID))
        node = [] if find_spec("rclpy") is None else [_active(folder)]
        other = _took(place, "-c", WHOLE_BODY.format(OTHER))
    return [
        Row("first tick, nothing compiled [s]", NAN, True, "", cold),
        Row(f"compiling ahead, with {HUMANOID} [s]", NAN, True, "", ahead),
        Row("first tick then [s]", 5.0, True, "", planar),
        Row(f"... of {HUMANOID} [s]", 5.0, True, "", humanoid),
        *(Row("a node until it is active [s]", 2.0, True, "", seconds) for seconds in node),
        Row("first tick of another robot, whose code is made [s]", 30.0, True, "", other),
    ]


def _took(environment: dict[str, str], *words: str) -> float:
    begin = time.perf_counter()
    done = subprocess.run([sys.executable, *words], env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise BipedSlipError(f"{' '.join(words)[:80]}: {done.stderr.strip()[-500:]}")
    return time.perf_counter() - begin


def _active(cache: str) -> float:
    """Until a walking controller with the estimator inside waits for its first input [s]."""
    parameters = {"scenario": SCENARIO, "limit": LIMIT, "embedded_estimator": True}
    place = {"BIPED_SLIP_CACHE": cache}
    with tempfile.TemporaryDirectory() as folder:
        begin = time.perf_counter()
        node = NodeProcess("walking_controller", parameters, Path(folder), free_domain(), environment=place)
        try:
            while ACTIVE not in node.log():
                if not node.running or time.perf_counter() - begin > PATIENCE:
                    raise BipedSlipError(f"the node is not active after {PATIENCE:g} s: {node.failure()}")
                time.sleep(0.01)
            return time.perf_counter() - begin
        finally:
            node.end()

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""How many walks a minute, and what memory they take.

It also measures how soon the first begins, and whether killed campaigns lose any.
"""

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
from biped_slip.simulation.planar.job import PlanarJob
from biped_slip.simulation.planar.oracle import planar_policy
from biped_slip.simulation.planar.scenario import changed, chosen_scenario, perturbed
from biped_slip.simulation.planar.walk import Walk, run_walk
from studies.frame import NAN, Row
from studies.ticks import BARE_CALL, bare_call, resident_kb

# How many walks a minute, on one worker and on two.

LIKE_THE_FIRST = f"with a bare call of {BARE_CALL} us"
SCENARIO = "thesis_sensors"
HUMANOID = "talos"
LIMIT = "interval"
WARM_UP = 1500  # ticks of a humanoid: standing, the first transfer


def walk_rows(walks: int) -> list[Row]:
    """Speed of a walk after warm-up, by the clock and by the processor's time."""
    scenario = chosen_scenario(SCENARIO)
    clock = []
    processor = []
    length = 0.0
    slowness = _slowness()
    for _ in range(walks + 1):
        walk = Walk(scenario, planar_policy(LIMIT, scenario))
        begin = time.perf_counter(), time.thread_time()
        log = walk.run()
        clock.append(time.perf_counter() - begin[0])
        processor.append(time.thread_time() - begin[1])
        length = float(log.time[-1])
    return [
        Row(
            what=f"walk {SCENARIO}, {LIMIT}: times real time",
            required=NAN,
            at_most=False,
            study="",
            ours=length / min(clock[1:]),
        ),
        Row(
            what=f"... {LIKE_THE_FIRST}",
            required=150.0,
            at_most=False,
            study="",
            ours=slowness * length / min(clock[1:]),
        ),
        Row(
            what="... by the processor's time",
            required=NAN,
            at_most=False,
            study="",
            ours=length / min(processor[1:]),
        ),
    ]


def humanoid_walk_rows(seconds: int) -> list[Row]:
    """Measure the speed of a humanoid's walk, controller and simulator.

    After standing and the first transfer, its fastest second is taken.

    A second holds more than a step; other work on the machine only makes it longer.
    """
    walk = HumanoidWalk(chosen_walk(HUMANOID), LIMIT, 0)
    _walk_on(walk, WARM_UP)
    clock = []
    processor = []
    slowness = _slowness()
    for _ in range(seconds):
        begin = time.perf_counter(), time.thread_time()
        _walk_on(walk, 1000)
        clock.append(time.perf_counter() - begin[0])
        processor.append(time.thread_time() - begin[1])
    return [
        Row(
            what=f"walk of {HUMANOID}, {LIMIT}: times real time",
            required=3.0,
            at_most=False,
            study="",
            ours=1.0 / min(clock),
        ),
        Row(
            what=f"... {LIKE_THE_FIRST}",
            required=3.0,
            at_most=False,
            study="",
            ours=slowness / min(clock),
        ),
        Row(
            what="... by the processor's time",
            required=NAN,
            at_most=False,
            study="",
            ours=1.0 / min(processor),
        ),
    ]


def _walk_on(walk: HumanoidWalk, ticks: int) -> None:
    for _ in range(ticks):
        if walk.ended:
            raise InvalidParameter(
                "seconds", 1e-3 * walk.world.plant.ticks, "less than the walk takes"
            )
        walk.tick()


def campaign_rows(walks: int) -> list[Row]:
    """Measure walks a minute on one worker and on two.

    Also measure how memory grows from walk to walk.
    """
    jobs = [PlanarJob(SCENARIO, LIMIT, seed) for seed in range(walks)]
    run_job(jobs[0])
    memory = resident_kb()
    begin = time.perf_counter()
    for job in jobs:
        run_job(job)
    alone = time.perf_counter() - begin
    growth = resident_kb() - memory
    slowness = _slowness()
    first, last = _marks(jobs * 2)
    both = last - first
    # the first walk of each worker warms it up
    efficiency = (2 * walks - 2) / both / (2.0 * walks / alone)
    return [
        Row(
            what="walks a minute on one worker",
            required=NAN,
            at_most=False,
            study="",
            ours=60.0 * walks / alone,
        ),
        Row(
            what="walks a minute on two workers",
            required=NAN,
            at_most=False,
            study="",
            ours=60.0 * (2 * walks - 2) / both,
        ),
        Row(
            what=f"... {LIKE_THE_FIRST}",
            required=1000.0,
            at_most=False,
            study="",
            ours=slowness * 60.0 * (2 * walks - 2) / both,
        ),
        Row(
            what="two workers over twice one [%]",
            required=90.0,
            at_most=False,
            study="",
            ours=100.0 * efficiency,
        ),
        Row(
            what="memory of a worker [MB]",
            required=400.0,
            at_most=True,
            study="",
            ours=1e-3 * resident_kb(),
        ),
        Row(
            what=f"its growth over {walks} walks [kB a walk]",
            required=NAN,
            at_most=True,
            study="",
            ours=growth / walks,
        ),
    ]


def _marks(jobs: list[PlanarJob]) -> tuple[float, float]:
    """When the second and the last walk of a campaign on two workers ended [s]."""
    ends: list[float] = []
    run_campaign(jobs, 2, lambda _: ends.append(time.perf_counter()))
    return ends[1], ends[-1]


def _slowness() -> float:
    """Return how much longer this machine takes, this minute.

    It is compared with the machine that the requirements were meant for.
    """
    return bare_call() / BARE_CALL


# Whether memory stays flat over very many walks, and whether a campaign that is killed
# again and again loses any.

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
    """Measure the resident memory of a worker over so many short walks.

    It is taken before the first and before the last third.
    """
    # here: a worker that compiles keeps room that would hide a growth
    fill_code_cache([PlanarJob(SCENARIO, LIMIT, 0)])
    with WorkerProcesses(1) as pool:
        first, last, end = (
            1e-3 * mark for mark in pool.submit(_memory_marks, walks).result()
        )
    return [
        Row(
            what=f"memory before the last third of {walks} walks over before the "
            "first [MB]",
            required=FLAT,
            at_most=True,
            study="",
            ours=last - first,
        ),
        Row(
            what="... after the last walk over before the last third [MB]",
            required=FLAT,
            at_most=True,
            study="",
            ours=end - last,
        ),
        Row(what="... in all [MB]", required=400.0, at_most=True, study="", ours=end),
    ]


def _memory_marks(walks: int) -> list[float]:
    """Measure resident memory [kB] over so many walks, in this process.

    It is taken before the first and the last third and after the walks.
    """
    scenario = changed(chosen_scenario(SCENARIO), {"duration": SHORT})
    marks: list[float] = []
    for seed in range(-WARMING, walks):
        if seed in (0, walks - walks // 3):
            marks.append(resident_kb())
        run_walk(
            perturbed(scenario, np.random.default_rng(seed + WARMING)),
            LIMIT,
            seed + WARMING,
        )
    return [*marks, resident_kb()]


def kill_rows(kills: int, walks: int = 60) -> list[Row]:
    """Run campaigns on two workers; one worker, or the whole campaign, is killed.

    They are then compared with one left alone.
    """
    rng = np.random.default_rng(0)
    at = 0
    killed = [0, 0]
    finished = 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "plan.yaml").write_text(PLAN.format(walks=walks), encoding="utf-8")
        expected = _finished(folder, "alone")
        same = True
        while sum(killed) < kills:
            at += 1
            while (
                not (folder / str(at) / "walks.parquet").exists()
                and sum(killed) < kills
            ):
                for i, count in enumerate(
                    _disturbed(folder, str(at), rng, kills - sum(killed))
                ):
                    killed[i] += count
            same = _finished(folder, str(at)) == expected and same
            finished += 1
    return [
        Row(
            what="kills of a worker",
            required=NAN,
            at_most=False,
            study="",
            ours=killed[0],
        ),
        Row(
            what="kills of the whole campaign",
            required=NAN,
            at_most=False,
            study="",
            ours=killed[1],
        ),
        Row(
            what=f"campaigns of {walks} walks that came through them",
            required=NAN,
            at_most=False,
            study="",
            ours=finished,
        ),
        Row(
            what="tables that differ in a bit from the undisturbed one",
            required=0.0,
            at_most=True,
            study="",
            ours=0.0 if same else 1.0,
        ),
    ]


def _command(folder: Path, name: str) -> list[str]:
    words = [
        "campaign",
        str(folder / "plan.yaml"),
        "--out",
        str(folder / name),
        "--workers",
        str(WORKERS),
    ]
    return [sys.executable, "-m", "biped_slip", *words]


def _finished(folder: Path, name: str) -> bytes:
    """Walk a campaign to its end and return its table."""
    subprocess.run(_command(folder, name), check=True, capture_output=True)
    return (folder / name / "walks.parquet").read_bytes()


def _disturbed(
    folder: Path, name: str, rng: np.random.Generator, most: int
) -> tuple[int, int]:
    """Start or go on until the whole campaign is killed or has ended.

    It returns how many workers and campaigns were killed.
    """
    workers = 0
    command = _command(folder, name)
    with subprocess.Popen(
        command,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    ) as run:
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


# How soon a walk begins: with nothing compiled, after compiling ahead, for a node, and
# for a robot's first time.

OTHER = "bolt"
# of a node's log; [s] for it
ACTIVE = "active, waiting for input"
PATIENCE = 300.0
PLANAR = f"""
from biped_slip.simulation.planar.oracle import planar_policy
from biped_slip.simulation.planar.scenario import chosen_scenario
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
    """Measure seconds from the start of a process.

    All processes share a code cache of their own that is empty at first.
    """
    with tempfile.TemporaryDirectory() as folder:
        place = {**os.environ, "BIPED_SLIP_CACHE": folder}
        cold = _took(place, "-c", PLANAR)
        ahead = _took(place, "-m", "biped_slip", "compile", "--robot", HUMANOID)
        planar = _took(place, "-c", PLANAR)
        humanoid = _took(place, "-c", WHOLE_BODY.format(HUMANOID))
        node = [] if find_spec("rclpy") is None else [_active(folder)]
        other = _took(place, "-c", WHOLE_BODY.format(OTHER))
    return [
        Row(
            what="first tick, nothing compiled [s]",
            required=NAN,
            at_most=True,
            study="",
            ours=cold,
        ),
        Row(
            what=f"compiling ahead, with {HUMANOID} [s]",
            required=NAN,
            at_most=True,
            study="",
            ours=ahead,
        ),
        Row(
            what="first tick then [s]",
            required=5.0,
            at_most=True,
            study="",
            ours=planar,
        ),
        Row(
            what=f"... of {HUMANOID} [s]",
            required=5.0,
            at_most=True,
            study="",
            ours=humanoid,
        ),
        *(
            Row(
                what="a node until it is active [s]",
                required=2.0,
                at_most=True,
                study="",
                ours=seconds,
            )
            for seconds in node
        ),
        Row(
            what="first tick of another robot, whose code is made [s]",
            required=30.0,
            at_most=True,
            study="",
            ours=other,
        ),
    ]


def _took(environment: dict[str, str], *words: str) -> float:
    begin = time.perf_counter()
    done = subprocess.run(
        [sys.executable, *words],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise BipedSlipError(f"{' '.join(words)[:80]}: {done.stderr.strip()[-500:]}")
    return time.perf_counter() - begin


def _active(cache: str) -> float:
    """Time the start of a walking controller with the estimator inside [s].

    It lasts until the controller waits for its first input.
    """
    parameters = {"scenario": SCENARIO, "limit": LIMIT, "embedded_estimator": True}
    place = {"BIPED_SLIP_CACHE": cache}
    with tempfile.TemporaryDirectory() as folder:
        begin = time.perf_counter()
        node = NodeProcess(
            "walking_controller",
            parameters,
            Path(folder),
            free_domain(),
            environment=place,
        )
        try:
            while ACTIVE not in node.log():
                if not node.running or time.perf_counter() - begin > PATIENCE:
                    raise BipedSlipError(
                        f"the node is not active after {PATIENCE:g} s: {node.failure()}"
                    )
                time.sleep(0.01)
            return time.perf_counter() - begin
        finally:
            node.end()

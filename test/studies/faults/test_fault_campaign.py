# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Whatever fails between sensors and controller: no improper command, joints damped in
time, the right name."""

import json
import subprocess
import sys

import numpy as np
import pytest

pytest.importorskip("rclpy", reason="ROS 2 (rclpy) is not installed")
pytestmark = pytest.mark.ros

from studies.faults.file_campaign import FILE_KINDS  # noqa: E402
from studies.faults.message_faults import KINDS, THIRD  # noqa: E402
from studies.faults.node_campaign import Bench, try_fault  # noqa: E402
from studies.faults.outcomes import OUT_OF_TIME  # noqa: E402
from studies.faults.process_campaign import PROCESS_KINDS  # noqa: E402

SHORT = ("start", "double support", "leg lifting")
#: Every third kind at one of the early moments; `python -m studies faults` tries all at
#: all, on TALOS as well.
CHOSEN = KINDS[::3]


@pytest.fixture(scope="module")
def bench(ros_context):
    made = Bench()
    yield made
    made.close()


@pytest.mark.parametrize("fault", CHOSEN, ids=[fault.kind for fault in CHOSEN])
def test_a_fault_is_answered_as_required(request, bench, fault):
    number = KINDS.index(fault)
    outcome = try_fault(bench, fault, SHORT[number % len(SHORT)], seed=number)
    assert not outcome.violations, outcome


def test_the_robot_walks_through_every_moment_without_a_fault(bench):
    bench.start()
    while bench.tick < max(bench.robot.moments.values()):
        bench.advance()
    assert bench.node.status.healthy


def test_a_walk_that_is_put_back_goes_on_as_the_one_that_was_walked(bench):
    moment = 460  # just before the first leg lifts
    bench.start()
    while bench.tick < moment:
        bench.advance()
    walked = [bench.advance()[0][-1] for _ in range(40)]
    bench.walk_to(moment)
    assert list(bench._walked)[-1] < bench.tick == moment
    for _ in range(2):
        np.testing.assert_array_equal(
            [bench.advance()[0][-1] for _ in range(40)], walked
        )
        bench.walk_to(moment)


def test_names_and_kinds_are_distinct():
    kinds = [
        fault.kind for each in (KINDS, PROCESS_KINDS, FILE_KINDS) for fault in each
    ]
    assert len(set(kinds)) == len(kinds) >= 140


def test_every_row_of_the_attack_is_in_the_campaign():
    rows = {
        fault.row for kinds in (KINDS, PROCESS_KINDS, FILE_KINDS) for fault in kinds
    }
    assert rows >= {*range(1, 15), THIRD + 1, THIRD + 2}


def answered(done, faults):
    outcomes = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(outcomes) == faults, done.stderr
    return [outcome for outcome in outcomes if outcome["violations"]] == []


def test_kinds_of_files_are_answered_once_and_nothing_is_tried_when_the_time_is_over(
    tmp_path,
):
    file = str(tmp_path / "results.jsonl")
    words = [sys.executable, "-m", "studies.faults.file_campaign", "--results", file]
    kinds = ("--kind", "mass nan", "8 GB inside", "nested")
    first = subprocess.run(
        [*words, *kinds], capture_output=True, text=True, timeout=300
    )
    assert answered(first, 3)
    again = subprocess.run(
        [*words, *kinds, "YAML", "--seconds", "0"],
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert (first.returncode, again.returncode) == (0, OUT_OF_TIME)
    assert first.stdout == again.stdout != ""


def test_a_kind_of_processes_is_answered_as_required():
    words = [
        sys.executable,
        "-m",
        "studies.faults.process_campaign",
        "--robot",
        "planar",
        "--moment",
        "start",
    ]
    assert answered(
        subprocess.run(
            [*words, "--kind", "SIGUSR1"], capture_output=True, text=True, timeout=300
        ),
        1,
    )


def test_all_but_what_needs_odometry_or_attitude_is_tried_on_a_humanoid():
    assert sum("talos" in fault.robots for fault in KINDS) >= 80

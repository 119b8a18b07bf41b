# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Whatever fails between sensors and controller: no improper command, joints damped in time, the right name."""

import pytest

pytest.importorskip("rclpy", reason="ROS 2 (rclpy) is not installed")
pytestmark = pytest.mark.ros

from biped_slip.lab.fault_injection.campaign import MOMENTS, Bench, try_fault  # noqa: E402
from biped_slip.lab.fault_injection.faults import KINDS  # noqa: E402

SHORT = ("start", "double support", "leg lifting")
#: Twenty kinds, each at one of the early moments; `biped-slip campaign faults` tries all at all.
CHOSEN = [fault for number, fault in enumerate(KINDS) if number % 5 < 2]


@pytest.fixture(scope="module")
def bench(ros):
    made = Bench()
    yield made
    made.close()


@pytest.mark.parametrize("fault", CHOSEN, ids=[fault.kind for fault in CHOSEN])
def test_a_fault_is_answered_as_required(bench, fault):
    number = KINDS.index(fault)
    outcome = try_fault(bench, fault, SHORT[number % len(SHORT)], seed=number)
    assert not outcome.violations, outcome


def test_the_robot_walks_through_every_moment_without_a_fault(bench):
    bench.start()
    while bench.tick < max(MOMENTS.values()):
        bench.advance()
    assert bench.node.status.healthy
    assert bench.robot.plant.state.q[1] > 0.65  # height of the hip [m]


def test_names_and_kinds_are_distinct():
    assert len({fault.kind for fault in KINDS}) == len(KINDS) >= 40

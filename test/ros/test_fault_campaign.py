# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Whatever fails between sensors and controller: no improper command, joints damped in time, the right name."""

import numpy as np
import pytest

pytest.importorskip("rclpy", reason="ROS 2 (rclpy) is not installed")
pytestmark = pytest.mark.ros

from biped_slip.lab.fault_injection.bench import Bench  # noqa: E402
from biped_slip.lab.fault_injection.campaign import try_fault  # noqa: E402
from biped_slip.lab.fault_injection.faults import KINDS  # noqa: E402

SHORT = ("start", "double support", "leg lifting")
#: Every third kind at one of the early moments; `biped-slip campaign faults` tries all at all, on TALOS as well.
CHOSEN = KINDS[::3]


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
        np.testing.assert_array_equal([bench.advance()[0][-1] for _ in range(40)], walked)
        bench.walk_to(moment)


def test_names_and_kinds_are_distinct():
    assert len({fault.kind for fault in KINDS}) == len(KINDS) >= 80


def test_every_row_of_the_attack_that_reaches_a_running_controller_is_in_the_campaign():
    assert {fault.row for fault in KINDS} >= {1, 2, 6, 7, 11, 12, 13}


def test_all_but_what_needs_odometry_or_attitude_is_tried_on_a_humanoid():
    assert sum("talos" in fault.robots for fault in KINDS) >= 80

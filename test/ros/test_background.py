# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Long work beside a fast loop."""

import threading
import time

import pytest

pytest.importorskip("rclpy", reason="ROS 2 (rclpy) is not installed")

from biped_slip.ros.nodes.humanoid_robot import BackgroundWorker


def outcome(verdict):
    end = time.monotonic() + 60.0
    while (result := verdict()) is None:
        assert time.monotonic() < end, "waited in vain"
        time.sleep(1e-3)
    return result


def test_the_loop_goes_on_until_the_work_is_done():
    gate = threading.Event()
    verdict = BackgroundWorker()(lambda: gate.wait(60.0) and "done")
    assert verdict() is None
    gate.set()
    assert outcome(verdict) == "done"


def test_work_starts_no_thread_which_took_tens_of_milliseconds_from_the_loop():
    worker = BackgroundWorker()
    before = set(threading.enumerate())
    assert outcome(worker(lambda: threading.current_thread())) in before
    assert set(threading.enumerate()) == before


def test_an_error_of_the_work_reaches_who_asks_for_its_result():
    verdict = BackgroundWorker()(lambda: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        outcome(verdict)

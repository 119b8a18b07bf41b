# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Long work beside a fast loop."""

import multiprocessing
import os
import threading
import time
from functools import partial
from pathlib import Path

import pytest

pytest.importorskip("rclpy", reason="ROS 2 (rclpy) is not installed")

from biped_slip.ros.nodes.humanoid_robot import BackgroundWorker


def outcome(verdict):
    end = time.monotonic() + 60.0
    while (result := verdict()) is None:
        assert time.monotonic() < end, "waited in vain"
        time.sleep(1e-3)
    return result


def test_the_loop_goes_on_until_the_work_is_done(tmp_path):
    os.mkfifo(tmp_path / "gate")
    verdict = BackgroundWorker()(partial(Path.read_text, tmp_path / "gate"))
    assert verdict() is None
    (tmp_path / "gate").write_text("done")
    assert outcome(verdict) == "done"


def test_work_that_never_lets_go_of_the_interpreter_does_not_stop_the_loop():
    verdict, laps = BackgroundWorker()(partial(pow, 3, 4_000_000)), 0
    while verdict() is None:
        time.sleep(1e-3)
        laps += 1
    assert laps > 100


def test_work_starts_neither_a_thread_nor_a_process_in_the_loop():
    worker = BackgroundWorker()
    assert outcome(worker(os.getpid)) != os.getpid()
    threads, processes = set(threading.enumerate()), set(multiprocessing.active_children())
    assert outcome(worker(os.getpid)) in {process.pid for process in processes}
    assert set(threading.enumerate()) == threads
    assert set(multiprocessing.active_children()) == processes


def test_an_error_of_the_work_reaches_who_asks_for_its_result():
    verdict = BackgroundWorker()(partial(divmod, 1, 0))
    with pytest.raises(ZeroDivisionError):
        outcome(verdict)

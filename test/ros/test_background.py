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

from ros.partner import make

from biped_slip.control.supervisor import SupervisorConfig
from biped_slip.estimation.health import HealthConfig
from biped_slip.ros import humanoid_robot
from biped_slip.ros.humanoid_robot import BackgroundWorker
from biped_slip.ros.nodes.walking_controller import WalkingControllerNode


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
    verdict = BackgroundWorker()(partial(pow, 3, 4_000_000))
    laps = 0
    while verdict() is None:
        time.sleep(1e-3)
        laps += 1
    assert laps > 100


def test_work_starts_neither_a_thread_nor_a_process_in_the_loop():
    worker = BackgroundWorker()
    assert outcome(worker(os.getpid)) != os.getpid()
    threads = set(threading.enumerate())
    processes = set(multiprocessing.active_children())
    assert outcome(worker(os.getpid)) in {process.pid for process in processes}
    assert set(threading.enumerate()) == threads
    assert set(multiprocessing.active_children()) == processes


def test_an_error_of_the_work_reaches_who_asks_for_its_result():
    verdict = BackgroundWorker()(partial(divmod, 1, 0))
    with pytest.raises(ZeroDivisionError):
        outcome(verdict)


def test_a_robot_is_built_when_its_worker_has_loaded(ros, monkeypatch):
    """Beside the first ticks it takes the processor from them, where all of them have
    one core."""
    monkeypatch.setattr(humanoid_robot, "guarded_humanoid", lambda *_, **__: None)
    node = make(WalkingControllerNode, humanoid_walk="g1")
    node._robot.build(node._config, SupervisorConfig(), HealthConfig())
    assert node._robot._background.loading.done()
    node.destroy_node()

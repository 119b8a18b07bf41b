# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""On every way out the last command is zero effort: interrupted stops, failing services, clocks and outputs."""

import contextlib
import signal
import time

import numpy as np
import pytest

pytest.importorskip("rclpy", reason="ROS 2 (rclpy) is not installed")
pytestmark = pytest.mark.ros

from ros.partner import PERIOD, efforts, until  # noqa: E402
from ros.test_walking_controller import answers, controller  # noqa: E402
from rosgraph_msgs.msg import Clock  # noqa: E402

from biped_slip.ros.runtime.background_executor import BackgroundExecutor  # noqa: E402
from biped_slip.ros.runtime.signals import ENDING, Ending  # noqa: E402
from biped_slip.ros.topics.qos import OUTPUTS  # noqa: E402


def commands_after(partner, node):
    return efforts(partner.received(node, 0.2))


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit, RuntimeError, MemoryError])
@pytest.mark.parametrize("place", ["wait", "work", "clock"])
def test_a_stop_that_is_interrupted_anywhere_ends_with_zero_effort(partner, monkeypatch, error, place):
    def interrupted(*_):
        raise error("on purpose")

    node = controller(partner)
    assert np.any(answers(partner, node, PERIOD))
    monkeypatch.setattr(node, place, interrupted)
    with contextlib.suppress(KeyboardInterrupt, SystemExit):
        node.trigger_deactivate()
    monkeypatch.undo()
    assert not np.any(commands_after(partner, node)[-1])
    node.end()


def test_a_stop_whose_zero_effort_was_interrupted_is_done_again_at_the_end(partner, monkeypatch):
    def interrupted():
        monkeypatch.undo()
        raise KeyboardInterrupt

    node = controller(partner)
    assert np.any(answers(partner, node, PERIOD))
    monkeypatch.setattr(node, "_let_go", interrupted)
    with pytest.raises(KeyboardInterrupt):
        node.trigger_deactivate()
    commands_after(partner, node)
    assert not len(commands_after(partner, node)), "what comes after this is from the end alone"
    node.end()
    ended = commands_after(partner, node)
    assert len(ended)
    assert not np.any(ended[-1])


def test_outputs_that_fail_at_the_end_are_one_sentence(partner, monkeypatch):
    def broken():
        raise OSError("no way out")

    node = controller(partner)
    answers(partner, node, PERIOD)
    monkeypatch.setattr(node, "_let_go", broken)
    node.end()
    assert "OSError: no way out" in node.status.sentence


def test_a_service_that_fails_is_named_and_the_loop_goes_on(partner, monkeypatch):
    def broken(*_):
        raise ValueError("a time before zero")

    node = controller(partner)
    answers(partner, node, PERIOD)
    background_executor = BackgroundExecutor(node)
    with monkeypatch.context() as failing:
        failing.setattr(background_executor, "serve", broken)
        node._serve(background_executor)
        assert node.status.problem == "failed service"
        failing.setattr(node, "housekeep", broken)
        node._serve(background_executor)
    assert node.active
    assert np.any(answers(partner, node, 2 * PERIOD))
    assert node.status.healthy
    node.end()


def test_every_signal_that_ends_or_stops_a_process_and_can_be_caught_is():
    names = "HUP INT QUIT TERM USR1 USR2 ALRM TSTP ABRT VTALRM".split()
    assert {getattr(signal, f"SIG{name}") for name in names} <= set(ENDING)
    assert {signal.SIGRTMIN, signal.SIGRTMAX} <= set(ENDING)
    assert not {signal.SIGKILL, signal.SIGSTOP, signal.SIGCHLD, signal.SIGCONT, signal.SIGWINCH} & set(ENDING)


def test_only_the_first_signal_interrupts_and_none_does_once_the_end_has_begun():
    before = {number: signal.getsignal(number) for number in (*ENDING, signal.SIGTTIN, signal.SIGTTOU)}
    try:
        ending = Ending()
        ending.install()
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGHUP)
        for number in ENDING:
            signal.raise_signal(number)
        assert ending.reason == "SIGHUP"
        ending = Ending()
        ending.install()
        ending.begins()
        for number in ENDING:
            signal.raise_signal(number)
    finally:
        for number, handler in before.items():
            signal.signal(number, signal.SIG_DFL if handler is None else handler)


@pytest.mark.parametrize(("sec", "nanosec"), [(-1, 0), (-(2**31), 0), (2**31 - 1, 2**32 - 1)])
def test_a_clock_that_shows_no_time_is_counted_and_the_walk_goes_on(partner, sec, nanosec):
    node = controller(partner, use_sim_time=True)
    output = partner.node.create_publisher(Clock, "/clock", OUTPUTS)
    background_executor = BackgroundExecutor(node)
    until(output.get_subscription_count)
    message = Clock()
    message.clock.sec, message.clock.nanosec = sec, nanosec
    output.publish(message)
    for _ in range(50):
        node._serve(background_executor)
        time.sleep(0.002)
    node.diagnose()
    assert node.active
    assert node.exit_code is None
    assert np.any(answers(partner, node, PERIOD))
    if sec < 0:
        assert sum(counter.startswith("failed service") for counter in node.skipped) == 1
    partner.node.destroy_publisher(output)
    node.end()


def test_a_signal_whose_interrupt_was_lost_ends_the_loop_all_the_same(partner):
    """Python drops what a signal's handler raises in a destructor."""
    node = controller(partner, autostart=False)
    node.ending.reason = "SIGTERM"
    with pytest.raises(KeyboardInterrupt):
        node.run()
    node.end()

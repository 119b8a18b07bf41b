# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""On every way out the last command is zero effort: interrupted stops, failing
services, clocks and outputs."""

import contextlib
import itertools
import signal
import subprocess
import sys
import textwrap
import time
from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("rclpy", reason="ROS 2 (rclpy) is not installed")
pytestmark = pytest.mark.ros

from ros.partner import PERIOD, efforts, until  # noqa: E402
from ros.test_walking_controller import answers, controller  # noqa: E402
from rosgraph_msgs.msg import Clock  # noqa: E402

from biped_slip.ros.dds import OUTPUTS  # noqa: E402
from biped_slip.ros.endings import OTHER_SIGNALS, Ending  # noqa: E402
from biped_slip.ros.robot_node import CHORE_GAP, SERVICE_PERIOD  # noqa: E402
from biped_slip.ros.services import BackgroundExecutor  # noqa: E402


@pytest.fixture
def signals():
    """Handlers are put back."""
    before = {
        number: signal.getsignal(number)
        for number in (*OTHER_SIGNALS, signal.SIGTTIN, signal.SIGTTOU)
    }
    yield
    for number, handler in before.items():
        signal.signal(number, signal.SIG_DFL if handler is None else handler)


def commands_after(partner, node):
    return efforts(partner.received(node, 0.2))


@pytest.mark.parametrize(
    "error", [KeyboardInterrupt, SystemExit, RuntimeError, MemoryError]
)
@pytest.mark.parametrize("place", ["wait", "work", "clock"])
def test_a_stop_that_is_interrupted_anywhere_ends_with_zero_effort(
    partner, monkeypatch, error, place
):
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


def test_a_stop_whose_zero_effort_was_interrupted_is_done_again_at_the_end(
    partner, monkeypatch
):
    def interrupted():
        monkeypatch.undo()
        raise KeyboardInterrupt

    node = controller(partner)
    assert np.any(answers(partner, node, PERIOD))
    monkeypatch.setattr(node, "_let_go", interrupted)
    with pytest.raises(KeyboardInterrupt):
        node.trigger_deactivate()
    commands_after(partner, node)
    assert not len(commands_after(partner, node)), (
        "what comes after this is from the end alone"
    )
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


def test_a_service_that_fails_every_time_does_not_silence_diagnostics(
    partner, monkeypatch
):
    def broken(*_):
        raise ValueError("a time before zero")

    node = controller(partner)
    background_executor = BackgroundExecutor(node)
    told = []
    with monkeypatch.context() as failing:
        failing.setattr(background_executor, "serve", broken)
        failing.setattr(node, "housekeep", lambda: told.append(dict(node.skipped)))
        for _ in range(3):
            node._serve(background_executor)
    assert [sum(counts.values()) for counts in told] == [1, 2, 3]
    node.end()


def test_every_signal_that_ends_or_stops_a_process_and_can_be_caught_is():
    names = "HUP INT QUIT TERM USR1 USR2 ALRM TSTP ABRT VTALRM".split()
    assert {getattr(signal, f"SIG{name}") for name in names} <= set(OTHER_SIGNALS)
    assert {signal.SIGRTMIN, signal.SIGRTMAX} <= set(OTHER_SIGNALS)
    assert not {
        signal.SIGKILL,
        signal.SIGSTOP,
        signal.SIGCHLD,
        signal.SIGCONT,
        signal.SIGWINCH,
    } & set(OTHER_SIGNALS)


def test_only_the_first_signal_interrupts_and_none_does_once_the_end_has_begun(signals):
    ending = Ending()
    ending.install()
    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGHUP)
    for number in OTHER_SIGNALS:
        signal.raise_signal(number)
    assert ending.reason == "SIGHUP"
    ending = Ending()
    ending.install()
    ending.begins()
    for number in OTHER_SIGNALS:
        signal.raise_signal(number)
        # which outlives the interpreter
        assert signal.getsignal(number) == signal.SIG_IGN


def test_an_interruption_within_the_compiler_waits_until_it_is_not_lost(signals):
    """The compiler calls Python from C for what it keeps: what is raised there is
    printed, and ends there."""
    ending = Ending()
    ending.install()
    noted = []
    within = {
        "__name__": "llvmlite.binding.executionengine",
        "came": lambda: signal.raise_signal(signal.SIGTERM),
        "then": lambda: noted.append(ending.reason),
    }
    exec("def called():\n    came()\n    then()", within)

    def longer():
        within["called"]()
        time.sleep(10.0)

    with pytest.raises(KeyboardInterrupt):
        longer()
    assert (noted, ending.reason) == ([""], "SIGTERM")


@pytest.mark.parametrize(
    ("sec", "nanosec"), [(-1, 0), (-(2**31), 0), (2**31 - 1, 2**32 - 1)]
)
def test_a_clock_that_shows_no_time_is_counted_and_the_walk_goes_on(
    partner, sec, nanosec
):
    node = controller(partner, use_sim_time=True)
    output = partner.node.create_publisher(Clock, "/clock", OUTPUTS)
    background_executor = BackgroundExecutor(node)
    until(output.get_subscription_count)
    message = Clock()
    message.clock.sec = sec
    message.clock.nanosec = nanosec
    output.publish(message)
    for _ in range(50):
        node._serve(background_executor)
        time.sleep(0.002)
    list(node._tell_diagnostics())
    assert node.active
    assert node.exit_code is None
    assert np.any(answers(partner, node, PERIOD))
    if sec < 0:
        assert (
            sum(counter.startswith("failed service") for counter in node.skipped) == 1
        )
    partner.node.destroy_publisher(output)
    node.end()


def test_a_signal_that_was_noted_ends_the_loop(partner):
    node = controller(partner, autostart=False)
    node.ending.reason = "SIGTERM"
    assert node.run() == 0
    node.end()


def loops(node):
    """The loop of a node that has begun already; answers its exit code."""
    node.settings = replace(node.settings, autostart=False)
    return node.run()


def test_whoever_waits_for_an_answer_comes_before_services_which_a_busy_loop_serves_all_the_same(
    partner, monkeypatch
):
    """Where both have one core, what is served right after an answer would keep it from
    who waits for it."""
    node = controller(partner)
    happened = []
    now = [0.0]
    # [s] until they come, the last too late
    inputs = iter([0.9 * SERVICE_PERIOD, 0.5 * CHORE_GAP, 2.0 * CHORE_GAP])

    def wait(begin, timeout):
        now[0] += min(next(inputs), timeout)

    def work(woke):
        happened.append("answered")
        now[0] += 0.2 * SERVICE_PERIOD

    def serve(_):
        happened.append("served")
        node.ending.reason = "test"

    monkeypatch.setattr(node, "clock", lambda: now[0])
    monkeypatch.setattr(node, "wait", wait)
    monkeypatch.setattr(node, "work", work)
    monkeypatch.setattr(node, "_serve", serve)
    assert loops(node) == 0
    assert happened == ["answered", "answered", "answered", "served"]

    node.ending.reason = ""
    inputs = itertools.repeat(0.0)
    happened.clear()
    assert loops(node) == 0
    assert happened == ["answered"] * 11 + ["served"]
    monkeypatch.undo()
    node.end()


@pytest.mark.parametrize(
    ("worked", "waited", "one"),
    [
        (3e-4, 7e-4, True),
        (1.3e-3, 1.1e-4, False),
        (8.7e-4, 1.5e-4, False),
        (3e-4, 1.2e-2, False),
        (0.0, 0.0, False),
    ],
)
def test_a_loop_looks_for_one_message_only_where_it_waited_longer_than_it_worked(
    partner, monkeypatch, worked, waited, one
):
    """Else it may be behind: it answers the newest of those that wait."""
    node = controller(partner)
    now = [0.0]
    found = []

    def spend(seconds):
        now[0] += seconds

    monkeypatch.setattr(node, "clock", lambda: now[0])
    monkeypatch.setattr(node, "wait", lambda begin, timeout: spend(waited))
    monkeypatch.setattr(
        node, "work", lambda woke: (found.append(node.waited), spend(worked))
    )
    for _ in range(3):
        node.step()
    assert found[1:] == [one, one]
    monkeypatch.undo()
    node.end()


def test_a_signal_does_not_interrupt_a_step_of_an_active_node(
    partner, monkeypatch, signals
):
    done = []

    def work(now):
        signal.raise_signal(signal.SIGTERM)
        done.append("the whole step")

    node = controller(partner)
    answers(partner, node, PERIOD)
    node.ending.install()
    monkeypatch.setattr(node, "work", work)
    assert loops(node) == 0
    assert done == ["the whole step"]
    assert node.ending.reason == "SIGTERM"
    monkeypatch.undo()
    node.end()
    assert not np.any(commands_after(partner, node)[-1])


def test_a_signal_does_not_interrupt_the_damping_of_a_deactivation(
    partner, monkeypatch, signals
):
    node = controller(partner)
    assert np.any(answers(partner, node, PERIOD))
    node.ending.install()
    damp = node._damp

    def and_a_signal():
        signal.raise_signal(signal.SIGTERM)
        damp()

    monkeypatch.setattr(node, "_damp", and_a_signal)
    node.trigger_deactivate()
    assert not np.any(commands_after(partner, node)[-1])
    assert loops(node) == 0
    node.end()


COMPILED_STEP = """
    import signal
    from typing import NamedTuple
    import numba.core.serialize as serialize
    from biped_slip.compile import boxing
    load, armed = serialize._numba_unpickle, []
    def and_a_signal(*content):
        if armed:
            signal.raise_signal(armed.pop())
        return load(*content)
    serialize._numba_unpickle = and_a_signal
    for kind in [kind for kind, box in boxing.BOXERS.items() if box is boxing._box_named_tuple]:
        del boxing.BOXERS[kind]  # numba's own then, as from Python 3.14 on

    from biped_slip.compile.kernel import kernel
    from biped_slip.ros.endings import Ending

    class Answer(NamedTuple):
        value: float

    @kernel
    def step(value):
        return Answer(value + 1.0)

    step(1.0)
    ending = Ending()
    ending.install()
    ending.only_noted()
    armed.append(signal.SIGTERM)
    print(step(1.0).value, ending.reason)
"""


def test_a_signal_while_compiled_code_makes_its_answer_does_not_crash_the_process(
    tmp_path,
):
    """The interpreter runs handlers in Python code that compiled code calls; an
    exception there is a null pointer."""
    program = tmp_path / "step.py"
    program.write_text(textwrap.dedent(COMPILED_STEP), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, str(program)],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert (done.returncode, done.stdout.strip()) == (0, "2.0 SIGTERM"), done.stderr

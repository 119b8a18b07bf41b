# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Worker processes leave Ctrl-C to the one that started them, and end with it."""

import importlib
import signal
import subprocess
import sys
import time
from typing import NamedTuple

import pytest

from biped_slip.child_processes import (
    CALLED_BACK,
    WorkerProcesses,
    deaf,
    endings_wait,
    interrupted_by_endings,
)

LONG = 60.0  # [s]


@pytest.fixture(autouse=True)
def listening():
    """Whoever starts tests in the background has them ignore Ctrl-C, and hang-ups with
    `nohup`."""
    usual = {
        signal.SIGINT: signal.default_int_handler,
        signal.SIGTERM: signal.SIG_DFL,
        signal.SIGHUP: signal.SIG_DFL,
    }
    before = {
        number: signal.signal(number, handler) for number, handler in usual.items()
    }
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


def test_workers_do_not_hear_of_the_signal_and_who_started_them_does():
    with WorkerProcesses(1) as pool:
        assert (
            signal.SIGINT
            in pool.submit(signal.pthread_sigmask, signal.SIG_BLOCK, ()).result()
        )
    assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, ())


def test_workers_end_with_a_process_that_was_killed():
    """They hold its output open."""
    begins = (
        "import os\nfrom biped_slip.child_processes import WorkerProcesses\nif "
        "__name__ == '__main__':\n"
    )
    dies = "    WorkerProcesses(1).submit(int).result()\n    os.kill(os.getpid(), 9)"
    ended = subprocess.run(
        [sys.executable, "-c", begins + dies],
        capture_output=True,
        check=False,
        timeout=LONG,
    )
    assert ended.returncode == -signal.SIGKILL


def interrupted(work):
    """Interrupted while one piece of work runs and others wait for it."""
    with WorkerProcesses(1) as pool:
        work.extend(pool.submit(time.sleep, LONG) for _ in range(3))
        time.sleep(0.2)
        raise KeyboardInterrupt


def test_an_exception_ends_what_still_runs_and_what_waits():
    begin = time.monotonic()
    work = []
    with pytest.raises(KeyboardInterrupt):
        interrupted(work)
    assert time.monotonic() - begin < 0.5 * LONG
    assert all(future.done() for future in work)


def test_an_ending_interrupts_once_and_the_handlers_come_back():
    before = signal.getsignal(signal.SIGTERM)
    with pytest.raises(KeyboardInterrupt) as interruption, interrupted_by_endings():
        signal.raise_signal(signal.SIGTERM)
    assert interruption.value.args == (signal.SIGTERM,)
    assert signal.getsignal(signal.SIGTERM) is before


def begun_and_ended(number, whole):
    with interrupted_by_endings(), endings_wait():
        signal.raise_signal(number)
        whole.append("it")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_an_ending_waits_until_what_is_begun_is_whole(number):
    whole = []
    with pytest.raises(KeyboardInterrupt):
        begun_and_ended(number, whole)
    assert whole
    with pytest.raises(KeyboardInterrupt), interrupted_by_endings():
        signal.raise_signal(number)  # as before


CALLED = "def called():\n    signal.raise_signal(number)\n    whole.append('it')"


def called_by_compiled_code(place):
    with interrupted_by_endings():
        place["called"]()
        time.sleep(LONG)


@pytest.mark.parametrize("module", CALLED_BACK)
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_what_compiled_code_calls_is_not_interrupted_but_what_comes_after(
    module, number
):
    """Numba's and LLVM's callers of Python either crash or go on as if nothing had
    happened."""
    place = {"__name__": module, "signal": signal, "number": number, "whole": []}
    exec(CALLED, place)
    begin = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        called_by_compiled_code(place)
    assert place["whole"]
    assert time.monotonic() - begin < 0.5 * LONG


GREEDY = """
import signal
try:
    signal.raise_signal(signal.SIGINT)
except BaseException:
    pass
imported = True
"""


def imported_and_asleep(name):
    with interrupted_by_endings():
        importlib.import_module(name)
        time.sleep(LONG)


def test_nor_does_a_library_that_catches_everything_as_it_is_imported_swallow_it(
    tmp_path, monkeypatch
):
    (tmp_path / "greedy_library.py").write_text(GREEDY)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "greedy_library", raising=False)
    begin = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        imported_and_asleep("greedy_library")
    assert sys.modules["greedy_library"].imported
    assert time.monotonic() - begin < 0.5 * LONG


ASLEEP = """
import signal, time
from biped_slip.child_processes import interrupted_by_endings
with interrupted_by_endings():
    signal.raise_signal(signal.SIGINT)
    time.sleep(60.0)
"""


def test_but_a_script_that_is_imported_itself_hears_it(tmp_path, monkeypatch):
    (tmp_path / "asleep_script.py").write_text(ASLEEP)
    monkeypatch.syspath_prepend(tmp_path)
    begin = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        importlib.import_module("asleep_script")
    assert time.monotonic() - begin < 0.5 * LONG


class Pair(NamedTuple):
    one: int
    other: int


def test_nor_is_a_named_tuple_that_is_being_made():
    made = []

    def watch(frame, event, argument):
        if frame.f_locals.get("_cls") is Pair:
            made.append(deaf(frame))

    sys.setprofile(watch)
    try:
        Pair(1, 2)
    finally:
        sys.setprofile(None)
    assert made
    assert all(made)
    assert not deaf(sys._getframe())


def terminated_as_workers_start(monkeypatch, started):
    """Termination comes when the processes of a pool have been started and nobody
    watches them yet."""
    watched = WorkerProcesses._start_executor_manager_thread

    def start(pool):
        signal.raise_signal(signal.SIGTERM)
        watched(pool)
        started.extend(pool._processes.values())

    monkeypatch.setattr(WorkerProcesses, "_start_executor_manager_thread", start)
    with interrupted_by_endings(), WorkerProcesses(2) as pool:
        pool.submit(time.sleep, LONG)


def test_workers_that_are_being_started_end_with_who_starts_them(monkeypatch):
    begin = time.monotonic()
    started = []
    with pytest.raises(KeyboardInterrupt):
        terminated_as_workers_start(monkeypatch, started)
    assert started
    assert time.monotonic() - begin < 0.5 * LONG
    assert not any(process.is_alive() for process in started)


def ended_twice(ended):
    try:
        signal.raise_signal(signal.SIGTERM)
    finally:
        signal.raise_signal(signal.SIGTERM)
        signal.raise_signal(signal.SIGHUP)
        ended.append("what was started")


def test_a_second_ending_does_not_disturb_the_first():
    ended = []
    with pytest.raises(KeyboardInterrupt), interrupted_by_endings():
        ended_twice(ended)
    assert ended


@pytest.mark.parametrize("context", [interrupted_by_endings, endings_wait])
def test_a_hang_up_that_is_ignored_stays_so(context):
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    with context():
        signal.raise_signal(signal.SIGHUP)
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN

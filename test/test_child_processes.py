# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Worker processes leave Ctrl-C to the one that started them, and end with it."""

import signal
import sys
import time

import pytest

from biped_slip.child_processes import WorkerProcesses, child_process, interrupted_by_endings

LONG = 60.0  # [s]


def test_workers_do_not_hear_of_the_signal_and_who_started_them_does():
    with WorkerProcesses(1) as pool:
        assert signal.SIGINT in pool.submit(signal.pthread_sigmask, signal.SIG_BLOCK, ()).result()
    assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, ())


def interrupted(work):
    """Interrupted while one piece of work runs and others wait for it."""
    with WorkerProcesses(1) as pool:
        work.extend(pool.submit(time.sleep, LONG) for _ in range(3))
        time.sleep(0.2)
        raise KeyboardInterrupt


def test_an_exception_ends_what_still_runs_and_what_waits():
    begin, work = time.monotonic(), []
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


def test_a_hang_up_that_is_ignored_stays_so():
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with interrupted_by_endings():
            signal.raise_signal(signal.SIGHUP)
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, before)


def read_and_fail(started):
    with child_process(
        [sys.executable, "-c", f"import time; print('here', flush=True); time.sleep({LONG})"]
    ) as process:
        assert process.stdout.readline() == "here\n"
        started.append(process)
        raise KeyboardInterrupt


def test_a_program_whose_lines_are_read_ends_with_the_reader():
    started = []
    with pytest.raises(KeyboardInterrupt):
        read_and_fail(started)
    assert started.pop().wait(LONG) == -signal.SIGTERM

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Worker processes leave Ctrl-C to the one that started them."""

import signal
import time

import pytest

from biped_slip.worker_processes import WorkerProcesses

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

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Processes that work for this one. Ctrl-C, which a terminal sends to all, they never hear of: this one ends them."""

from __future__ import annotations

import signal
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context
from types import TracebackType
from typing import Any, Callable


class WorkerProcesses(ProcessPoolExecutor):
    """Started anew, not forked; an exception that leaves the context ends what still runs.

    Args:
        count: of processes.
    """

    def __init__(self, count: int) -> None:
        super().__init__(count, mp_context=get_context("spawn"))

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """As every executor's; processes that start meanwhile inherit that the signal is blocked."""
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            return super().submit(fn, *args, **kwargs)
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool | None:
        """Nobody waits for what still runs after an exception."""
        if kind is not None and not issubclass(kind, BrokenProcessPool):
            for process in list((self._processes or {}).values()):
                process.terminate()
        return super().__exit__(kind, error, trace)

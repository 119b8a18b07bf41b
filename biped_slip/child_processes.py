# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Processes that this one starts end with it, whether it is interrupted, terminated or hung up."""

from __future__ import annotations

import contextlib
import signal
import subprocess
import threading
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context
from types import FrameType, TracebackType
from typing import Any, Callable, Iterator, NoReturn, Sequence

ENDING = (signal.SIGTERM, signal.SIGHUP)


class WorkerProcesses(ProcessPoolExecutor):
    """Started anew, not forked; an exception that leaves the context ends what still runs.

    Ctrl-C, which a terminal sends to all of its processes, they never hear of: this one ends them.

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


@contextlib.contextmanager
def child_process(words: Sequence[str]) -> Iterator[subprocess.Popen[str]]:
    """A program whose standard output is read here; an exception that leaves the context ends it."""
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield process
        except BaseException:
            process.terminate()
            raise


@contextlib.contextmanager
def interrupted_by_endings() -> Iterator[None]:
    """Termination and a terminal that closes raise KeyboardInterrupt(signal), as Ctrl-C raises one without a number.

    So contexts end what they have started. A second signal changes nothing; a signal that is ignored already
    (`nohup`) or has its own handler stays so. Does nothing outside of the main thread.
    """
    taken = [number for number in ENDING if signal.getsignal(number) is signal.SIG_DFL]
    if threading.current_thread() is not threading.main_thread():
        taken = []

    def interrupt(number: int, frame: FrameType | None) -> NoReturn:
        for each in taken:
            signal.signal(each, signal.SIG_IGN)
        raise KeyboardInterrupt(number)

    for number in taken:
        signal.signal(number, interrupt)
    try:
        yield
    finally:
        for number in taken:
            signal.signal(number, signal.SIG_DFL)

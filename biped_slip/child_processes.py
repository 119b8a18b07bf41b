# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Processes that this one starts end with it.

They do so whether it is interrupted, terminated or hung up.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context, parent_process
from multiprocessing.process import BaseProcess
from types import FrameType, TracebackType
from typing import Any, Callable, Iterator, Mapping, Union

from biped_slip.compile import own_process

ENDING_SIGNALS = (signal.SIGTERM, signal.SIGHUP)
# compiled code calls the first two; under the others libraries are imported, some of
# which catch everything
CALLED_BACK = (
    "numba.core.serialize",
    "llvmlite.binding.executionengine",
    "importlib._bootstrap",
    "_frozen_importlib",
)
Handler = Union[
    Callable[[int, Union[FrameType, None]], Any], int, None
]  # as of the module ``signal``
ASK_AGAIN = 0.001  # [s] until a signal that came at a bad moment comes again


class WorkerProcesses(ProcessPoolExecutor):
    """Pool of worker processes, spawned, not forked.

    An exception that leaves the context ends those that run.

    Ctrl-C, which a terminal sends to all of its processes, they never hear of: this one
    ends them.
    """

    def __init__(self, count: int) -> None:
        super().__init__(
            count, mp_context=get_context("spawn"), initializer=_begin_worker
        )

    def submit(
        self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any
    ) -> Future[Any]:
        """Submit a call as every executor does.

        Processes that start meanwhile inherit that the signal is blocked.
        """
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            with endings_wait():
                return super().submit(fn, *args, **kwargs)
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool | None:
        """Drop whatever still runs after an exception."""
        if kind is not None and not issubclass(kind, BrokenProcessPool):
            for process in list((self._processes or {}).values()):
                process.terminate()
        return super().__exit__(kind, error, trace)


def _begin_worker() -> None:
    """Prepare a worker process for the package's own work."""
    own_process.begin()
    _end_with_parent()


def _end_with_parent() -> None:
    """End this process with its parent's, also one that was killed."""

    def watch(parent: BaseProcess) -> None:
        parent.join()
        os._exit(1)

    threading.Thread(target=watch, args=(parent_process(),), daemon=True).start()


@contextlib.contextmanager
def endings_wait() -> Iterator[None]:
    """Defer interruptions of the main thread to the end of the context.

    So nothing is half started.

    A signal without a handler of Python's keeps its way.
    """
    came: list[int] = []
    handlers: dict[int, Callable[[int, FrameType | None], Any]] = {}
    if threading.current_thread() is threading.main_thread():
        found = {
            number: signal.getsignal(number)
            for number in (signal.SIGINT, *ENDING_SIGNALS)
        }
        handlers = {
            number: handler for number, handler in found.items() if callable(handler)
        }
    try:
        with _handled(handlers, lambda number, frame: came.append(number)):
            yield
    finally:
        for number in came[:1]:
            handlers[number](number, None)


@contextlib.contextmanager
def interrupted_by_endings() -> Iterator[None]:
    """Raise KeyboardInterrupt(signal) for termination and a closed terminal.

    Ctrl-C does the same.

    So contexts end what they have started. Where compiled code calls Python or a
    library is imported, an exception may be lost or crash the process: there the signal
    asks again a moment later. After the first, termination changes nothing; one that is
    ignored (`nohup`) or handled already stays so. Does nothing outside of the main
    thread.
    """
    usual = {
        signal.SIGINT: signal.default_int_handler,
        **dict.fromkeys(ENDING_SIGNALS, signal.SIG_DFL),
    }
    taken: dict[int, Handler] = {
        number: handler
        for number, handler in usual.items()
        if signal.getsignal(number) is handler
    }
    if threading.current_thread() is not threading.main_thread():
        taken = {}

    outside = sys._getframe(2)  # a script that is imported itself hears

    def interrupt(number: int, frame: FrameType | None) -> None:
        if deaf(frame, outside):
            ask_again(number)
            return
        for each in taken.keys() & ENDING_SIGNALS:
            signal.signal(each, signal.SIG_IGN)
        raise KeyboardInterrupt(number)

    with _handled(taken, interrupt):
        yield


@contextlib.contextmanager
def _handled(before: Mapping[int, Handler], by: Handler) -> Iterator[None]:
    """Set another handler of signals while the context lasts.

    Then those of ``before`` are set again.
    """
    try:
        for number in before:
            signal.signal(number, by)
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def ask_again(number: int) -> None:
    """Send a signal to this thread once more, a moment later."""
    threading.Timer(
        ASK_AGAIN, signal.pthread_kill, (threading.get_ident(), number)
    ).start()


def deaf(frame: FrameType | None, outside: FrameType | None = None) -> bool:
    """Return whether an exception may be lost within.

    That is the case in boxing a tuple, in LLVM, at the end of an object, and in an
    import.
    """
    while frame is not None and frame is not outside:
        made = frame.f_locals.get("_cls")  # as the constructors of named tuples call it
        if isinstance(made, type) and issubclass(made, tuple):
            return True
        if (
            frame.f_globals.get("__name__") in CALLED_BACK
            or frame.f_code.co_name == "__del__"
        ):
            return True
        frame = frame.f_back
    return False

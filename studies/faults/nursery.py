# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Forks processes that have loaded everything and have not touched DDS, as often as they are asked for."""

from __future__ import annotations

import os
import signal
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from typing import Any, Callable

Live = Callable[[Any], int]  # an order -> exit code


class Nursery:
    """Made before DDS is; every process that it begins is a fork of this one as it is now.

    Args:
        live: what a process does with its order.
    """

    def __init__(self, live: Live) -> None:
        self._here, there = Pipe()
        self._child = os.fork()
        if self._child == 0:
            self._here.close()
            _tend(there, live)
            os._exit(0)
        there.close()

    def begin(self, order: object) -> int:
        """A new process; answers its number."""
        self._here.send(order)
        return int(self._here.recv())

    def ended(self) -> bool:
        """Whether the last process has ended."""
        return self._here.poll()

    def exit_code(self, patience: float) -> int | None:
        """Of the last process, once it has ended; None: it has not within a time [s]."""
        return self._here.recv() if self._here.poll(patience) else None

    def close(self) -> None:
        """No more."""
        self._here.send(None)  # another nursery may hold this pipe, too, so that closing it is not noticed
        self._here.close()
        os.waitpid(self._child, 0)


def _tend(pipe: Connection, live: Live) -> None:
    """The nursery's process: fork, say which, wait, say how it ended."""
    for number in (signal.SIGINT, signal.SIGQUIT):  # a shell lets its background processes ignore them
        signal.signal(number, signal.SIG_DFL)
    while True:
        try:
            order = pipe.recv()
        except EOFError:
            return
        if order is None:
            return
        child = os.fork()
        if child == 0:
            code = 70
            try:
                code = live(order)
            finally:
                os._exit(code)
        pipe.send(child)
        _, status = os.waitpid(child, 0)
        pipe.send(os.waitstatus_to_exitcode(status))

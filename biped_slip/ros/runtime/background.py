# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Work of some tenths of a second beside a loop of a kilohertz."""

from __future__ import annotations

import contextlib
import os
import sys
from concurrent.futures import Future
from threading import Thread
from typing import Callable, TypeVar

Result = TypeVar("Result")

TURNS = 1e-4  # [s] after which the loop gets the interpreter back from the work; 5 ms otherwise (choice)


def in_background(work: Callable[[], Result]) -> Callable[[], Result | None]:
    """Start work in a thread; what is returned tells its result, None before, or raises its error."""
    future: Future[Result] = Future()
    before = sys.getswitchinterval()

    def run() -> None:
        with contextlib.suppress(OSError, AttributeError):  # the loop's real-time priority is not for this; Linux
            os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))
        sys.setswitchinterval(TURNS)
        try:
            future.set_result(work())
        except BaseException as error:
            future.set_exception(error)
        finally:
            sys.setswitchinterval(before)

    Thread(target=run, daemon=True).start()
    return lambda: future.result() if future.done() else None

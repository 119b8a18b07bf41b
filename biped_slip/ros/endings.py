# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Signals that end a node: outputs are made safe first, whatever comes."""

from __future__ import annotations

import signal
from types import FrameType

from biped_slip.child_processes import ask_again, deaf

#: Nobody can catch the first two; after the next four the program is broken; then those
#: that do nothing by default, or that Python turns into an error where it belongs.
_LEFT_ALONE = {
    *("SIGKILL", "SIGSTOP", "SIGSEGV", "SIGBUS", "SIGFPE", "SIGILL"),
    *("SIGCHLD", "SIGCLD", "SIGURG", "SIGWINCH", "SIGCONT", "SIGPIPE", "SIGXFSZ"),
}
#: From a terminal that this process does not own: would stop it for reading or writing
#: there.
_IGNORED = {"SIGTTIN", "SIGTTOU"}


def _name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"real-time signal {number}"


#: Interrupt, hang-up of the terminal, quit, termination, stop from the terminal,
#: alarms, user and real-time signals ...
OTHER_SIGNALS = tuple(
    number
    for number in sorted(signal.valid_signals())
    if _name(number) not in _LEFT_ALONE | _IGNORED
)


class Ending:
    """Handler of termination signals, which let a node end with safe outputs.

    The first of them is the reason to end; later ones do nothing.

    While a node is made it raises KeyboardInterrupt, for compiling may take long. The
    compiler is not interrupted within, where the exception would be lost: the signal
    comes again. Once outputs are live it is only noted, and loops look at ``reason``:
    what a handler raises comes up in whatever runs, and compiled code that turns its
    answer into Python objects does not look whether one of them could not be made (a
    segmentation fault).
    """

    def __init__(self) -> None:
        self.reason = ""  # name of the signal
        self._raises = True

    def install(self) -> None:
        """Install the signal handlers."""
        for number in OTHER_SIGNALS:
            signal.signal(number, self._end)
        for name in _IGNORED:
            signal.signal(getattr(signal, name), signal.SIG_IGN)

    def only_noted(self) -> None:
        """Record signals from now on without interruption."""
        self._raises = False

    def begins(self) -> None:
        """Ignore signals while the process ends.

        This holds also after Python has taken its handlers away.
        """
        self.reason = self.reason or "the end of the process"
        for number in OTHER_SIGNALS:
            signal.signal(number, signal.SIG_IGN)

    def _end(self, number: int, frame: FrameType | None) -> None:
        if self._raises and not self.reason and deaf(frame):
            ask_again(number)
        elif not self.reason:
            self.reason = _name(number)
            if self._raises:
                raise KeyboardInterrupt

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""A launch file's plain data (``parts.py``) as processes of one terminal.

They write one log, which the terminal shows: a program never waits for whoever reads.
One that ends badly, or that all end with, ends the others; so do an interruption and
the end of this process, however it comes. Programs that command joints end first, and
have sent zero effort before anything else goes.
"""

from __future__ import annotations

import contextlib
import ctypes
import importlib.util
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, Callable, Iterable, Iterator, Mapping, NamedTuple

import yaml

from biped_slip.child_processes import endings_wait
from biped_slip.errors import BipedSlipError
from biped_slip.ros.bringup.parts import LaunchedProgram, LaunchPlan

LOG_PERIOD = 0.05  # [s] between two looks at processes and their log
PATIENCE_AT_END = 10.0  # [s] for a process to end after a signal (choice)
DEATH_SIGNAL = 1  # PR_SET_PDEATHSIG of prctl(2)
# a line is written at once, whole, and without colours
PLAIN_LINES = {
    "PYTHONUNBUFFERED": "1",
    "RCUTILS_LOGGING_BUFFERED_STREAM": "1",
    "RCUTILS_COLORIZED_OUTPUT": "0",
}
OWN_PACKAGE = "biped_slip"


class Process(NamedTuple):
    """Program that runs."""

    program: LaunchedProgram
    popen: subprocess.Popen[bytes]


class SharedLog:
    """One log of all programs, shown as it grows.

    Args:
        path: of the file, which must not be there yet or is written anew.
        screen: shows it.
    """

    def __init__(self, path: Path, screen: IO[str]) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._file = path.open("ab")
        self._file.truncate(0)
        self._reader = path.open("rb")
        self._screen = screen

    @property
    def number(self) -> int:
        """Return the file's number for a child process."""
        return self._file.fileno()

    def say(self, sentence: str) -> None:
        """Write a sentence of this program."""
        self._file.write(f"[up] {sentence}\n".encode())
        self._file.flush()
        self.show()

    def show(self) -> None:
        """Show what has been written; a terminal that is gone shows nothing."""
        news = self._reader.read()
        if news:
            with contextlib.suppress(OSError):
                self._screen.write(news.decode("utf-8", errors="replace"))
                self._screen.flush()

    def close(self) -> None:
        """Close the files."""
        self._file.close()
        self._reader.close()


def executable(program: LaunchedProgram) -> list[str]:
    """Return the first words that start a program; none where it is not installed."""
    missing = [name for name in program.imports if not importlib.util.find_spec(name)]
    if missing:
        return []
    if program.package == OWN_PACKAGE:
        return [sys.executable, "-m", "biped_slip.ros", program.executable]
    for prefix in os.environ.get("AMENT_PREFIX_PATH", "").split(os.pathsep):
        path = Path(prefix, "lib", program.package, program.executable)
        if prefix and os.access(path, os.X_OK):
            return [str(path)]
    return []


def command_line(program: LaunchedProgram, folder: Path) -> list[str]:
    """Return the words that start a program; its parameters go into a file."""
    words = [*executable(program), *program.options, "--ros-args"]
    words += program.ros_options
    if program.name:
        words += ["-r", f"__node:={program.name}"]
    if program.namespace:
        words += ["-r", f"__ns:=/{program.namespace.strip('/')}"]
    for name, other in program.remappings:
        words += ["-r", f"{name}:={other}"]
    files = list(program.files)
    if parameters := program.values():
        number = len(list(folder.iterdir()))
        own = folder / f"{number}_{program.label}.yaml"
        content = {"/**": {"ros__parameters": parameters}}
        own.write_text(yaml.safe_dump(content), encoding="utf-8")
        files.append(str(own))
    for file in files:
        words += ["--params-file", file]
    return words


def chosen(plan: LaunchPlan, say: Callable[[str], None]) -> list[LaunchedProgram]:
    """Return the programs that can start; those that may be absent are named.

    Raises:
        BipedSlipError: one that is needed is not installed.
    """
    if plan.included:
        raise BipedSlipError(
            f"it includes {plan.included[0].file} of {plan.included[0].package}, which "
            "only `ros2 launch` starts"
        )
    found = []
    for program in plan.programs:
        if executable(program):
            found.append(program)
            continue
        what = " and ".join(program.imports) or program.package
        if not program.optional:
            raise BipedSlipError(
                f"{program.label} needs {what}, which is not installed: install it "
                "and source its setup file"
            )
        say(f"without {program.label}: {what} is not installed")
    return found


def run(plan: LaunchPlan, log: SharedLog) -> int:
    """Start a plan's programs and wait for their end; return the exit code.

    It is that of the first program that ended badly, 128 and its number for a signal.

    Raises:
        BipedSlipError: a program that is needed is not installed.
        KeyboardInterrupt: an interruption, when all have ended.
    """
    programs = chosen(plan, log.say)
    with TemporaryDirectory(prefix="biped_slip_up_") as folder:
        started = Started(plan, log, Path(folder))
        try:
            started.start(program for program in programs if not program.after)
            waiting = [program for program in programs if program.after]
            return started.follow(waiting)
        finally:
            with endings_wait():
                started.end_all()


class Started:
    """Processes of a plan, which share a log and end together."""

    def __init__(self, plan: LaunchPlan, log: SharedLog, folder: Path) -> None:
        self._log = log
        self._folder = folder
        self._environment = {**os.environ, **PLAIN_LINES, **plan.environment}
        for name, path in plan.search_paths.items():
            before = self._environment.get(name, "")
            self._environment[name] = os.pathsep.join(filter(None, (before, path)))
        self.running: list[Process] = []

    def start(self, programs: Iterable[LaunchedProgram]) -> None:
        """Start programs."""
        for program in programs:
            words = command_line(program, self._folder)
            with endings_wait():
                popen = started(words, self._environment, self._log.number)
                self.running.append(Process(program=program, popen=popen))
            self._log.say(f"{program.label} started, process {popen.pid}")

    def follow(self, waiting: list[LaunchedProgram]) -> int:
        """Wait until all have ended, or one that ends all; return the exit code.

        Programs that wait for the good end of another start then.
        """
        while self.running:
            self._log.show()
            for process in self.ended():
                code = process.popen.returncode
                label = process.program.label
                if code:
                    self._log.say(f"{label} {ending(code)}: all end")
                    return exit_code(code)
                if reason := process.program.ends_all:
                    self._log.say(f"{label} ended: {reason}")
                    return 0
                name = process.program.name
                self.start(one for one in waiting if name and one.after == name)
            time.sleep(LOG_PERIOD)
        return 0

    def ended(self) -> list[Process]:
        """Take those out that have ended."""
        found = [one for one in self.running if one.popen.poll() is not None]
        self.running = [one for one in self.running if one not in found]
        return found

    def end_all(self) -> None:
        """End what runs: first who commands joints, so that its zero effort is out."""
        commanding = [one for one in self.running if one.program.commands]
        self._end(commanding)
        self._end(self.running)
        self._log.show()

    def _end(self, processes: list[Process]) -> None:
        for process in processes:
            process.popen.send_signal(signal.SIGINT)
        end = time.monotonic() + PATIENCE_AT_END
        while any(one.popen.poll() is None for one in processes):
            self._log.show()
            if time.monotonic() > end:
                self._kill(processes)
            time.sleep(LOG_PERIOD)
        self.ended()

    def _kill(self, processes: list[Process]) -> None:
        for process in processes:
            if process.popen.poll() is None:
                label = process.program.label
                self._log.say(f"{label} did not end in {PATIENCE_AT_END:g} s: killed")
                process.popen.kill()
                process.popen.wait()


def started(
    words: list[str], environment: Mapping[str, str], output: int
) -> subprocess.Popen[bytes]:
    """Start a process that a terminal's Ctrl-C does not reach, for this one passes it.

    If this one is killed, it is interrupted as well.
    """
    prctl = ctypes.CDLL(None).prctl

    def end_with_parent() -> None:
        prctl(DEATH_SIGNAL, signal.SIGINT)

    return subprocess.Popen(
        words,
        env=dict(environment),
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=output,
        start_new_session=True,
        preexec_fn=end_with_parent,
    )


def exit_code(code: int) -> int:
    """Return a shell's exit code of a process: 128 and the number of a signal."""
    return code if code >= 0 else 128 - code


def ending(code: int) -> str:
    """Say how a process ended."""
    if code >= 0:
        return f"ended with exit code {code}"
    return f"was ended by {signal.Signals(-code).name}"


@contextlib.contextmanager
def opened_log(path: Path, screen: IO[str]) -> Iterator[SharedLog]:
    """Open a log while the context lasts."""
    log = SharedLog(path, screen)
    try:
        yield log
    finally:
        log.show()
        log.close()

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Nodes of this package as child processes over DDS on this machine alone."""

from __future__ import annotations

import contextlib
import importlib.util
import os
import random
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, Any, Callable, Iterator, Mapping, Sequence

import yaml

from biped_slip.child_processes import endings_wait
from biped_slip.errors import BipedSlipError

LOCAL_AND_PLAIN = {
    "ROS_AUTOMATIC_DISCOVERY_RANGE": "LOCALHOST",
    "RCUTILS_COLORIZED_OUTPUT": "0",
}
REALTIME = ("--realtime-priority", "60")  # words of a node's command line
_ERROR_LINE = re.compile(
    r"^\[(?:ERROR|FATAL)\] \[[\d.]+\] \[[^\]]*\]: (.*)$", re.MULTILINE
)
_PATIENCE_AT_END = 5.0  # [s] for a process to end after a signal
_PORTS = 7400, 250  # first port and ports per domain of DDS
# of a domain: everybody's, and the own ones of its first participants
_LISTENED = (
    0,
    *range(10, 32, 2),
)


class NodeFailed(BipedSlipError):
    """Error: a node ended early; the text is its last error."""


def free_domain(rng: random.Random | None = None) -> int:
    """Find a ROS domain that is not used on this machine.

    Who is heard on this machine alone (LOCALHOST) does not listen on the domain's
    common port, but on one of its own.
    """
    domains = list(range(1, 100))
    (rng or random.Random()).shuffle(domains)
    for domain in domains:
        if not any(
            _in_use(_PORTS[0] + _PORTS[1] * domain + offset) for offset in _LISTENED
        ):
            return domain
    raise BipedSlipError("every ROS domain of this machine is in use")


def _in_use(port: int) -> bool:
    """Return whether there is a listener."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.bind(("", port))
        except OSError:
            return True
    return False


def need_ros() -> None:
    """Raise an error in one sentence where ROS is not installed."""
    if importlib.util.find_spec("rclpy") is None:
        raise BipedSlipError(
            "ROS 2 is missing (no module rclpy); `pip install .[ros]` brings it"
        )


class NodeProcess:
    """Process of one node.

    Args:
        name: of the node and of its module, or a module elsewhere in full.
        parameters: ROS parameters.
        folder: for parameters and log.
        domain: ROS domain.
        options: further words of the command line.
        alias: name of its files and in its sentences, where a module runs twice.
        environment: further variables.
    """

    def __init__(
        self,
        name: str,
        parameters: Mapping[str, Any],
        folder: Path,
        domain: int,
        options: Sequence[str] = (),
        alias: str = "",
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self.name = alias or name
        self._errors = folder / f"{self.name}.log"
        file = folder / f"{self.name}.yaml"
        file.write_text(
            yaml.safe_dump({"/**": {"ros__parameters": dict(parameters)}}),
            encoding="utf-8",
        )
        words = [
            sys.executable,
            "-m",
            "biped_slip.ros",
            name,
            *options,
            "--ros-args",
            "--params-file",
            str(file),
        ]
        place = {
            **os.environ,
            "ROS_DOMAIN_ID": str(domain),
            **LOCAL_AND_PLAIN,
            **(environment or {}),
        }
        with self._errors.open("w", encoding="utf-8") as errors:
            self.process = subprocess.Popen(
                words, stdout=subprocess.PIPE, stderr=errors, text=True, env=place
            )

    @property
    def running(self) -> bool:
        """Return whether the process has not ended."""
        return self.process.poll() is None

    def log(self) -> str:
        """Return the node's output so far."""
        return self._errors.read_text(encoding="utf-8", errors="replace")

    def failure(self) -> str:
        """Return the node's last error."""
        text = self.log()
        errors = _ERROR_LINE.findall(text) or text.strip().splitlines()
        reason = errors[-1] if errors else "no error message"
        return f"{self.name} ended with exit code {self.process.returncode}: {reason}"

    def end(self) -> None:
        """Interrupt the process, and kill it if it does not end."""
        if self.running:
            self.process.send_signal(signal.SIGINT)
        try:
            self.process.wait(_PATIENCE_AT_END)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


@contextlib.contextmanager
def running_nodes(
    nodes: Mapping[str, Mapping[str, Any]],
    domain: int | None = None,
    options: Sequence[str] = (),
) -> Iterator[dict[str, NodeProcess]]:
    """Run processes by node name while the context lasts; parameters by node name."""
    need_ros()
    domain = free_domain() if domain is None else domain
    processes: dict[str, NodeProcess] = {}
    with TemporaryDirectory(prefix="biped_slip_") as folder:
        try:
            for name, parameters in nodes.items():
                with endings_wait():
                    processes[name] = NodeProcess(
                        name, parameters, Path(folder), domain, options
                    )
            yield processes
        finally:
            for process in reversed(processes.values()):
                process.end()


def follow(
    processes: Mapping[str, NodeProcess], leader: str, progress: Callable[[float], Any]
) -> None:
    """Wait until the leader has ended well.

    Its lines on standard output are times like `1.2 s`.
    """
    lead = processes[leader]
    reader = threading.Thread(
        target=_read_times, args=(lead.process.stdout, progress), daemon=True
    )
    reader.start()
    while lead.running:
        for process in processes.values():
            if not process.running and process is not lead:
                raise NodeFailed(process.failure())
        time.sleep(0.05)
    reader.join(_PATIENCE_AT_END)
    if lead.process.returncode:
        raise NodeFailed(lead.failure())


def _read_times(lines: IO[str] | None, progress: Callable[[float], Any]) -> None:
    for line in lines or ():
        with contextlib.suppress(ValueError, IndexError):
            progress(float(line.split()[0]))

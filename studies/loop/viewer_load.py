# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""What a viewer costs the loop that it looks at.

Late ticks are counted with it and without it, in turns of the same run.
"""

from __future__ import annotations

import os
import signal
import threading
import time
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Callable, NamedTuple

import rclpy
from diagnostic_msgs.msg import DiagnosticArray

from biped_slip.errors import BipedSlipError
from biped_slip.ros.dds import DIAGNOSTICS, PolledSubscription
from biped_slip.ros.processes import NodeProcess, free_domain
from biped_slip.view.server import LOCALHOST, need_libraries

# [s] of a turn, and at its beginning what is not counted
TURN = 4.0
SETTLING = 1.0
STARTUP = 300.0  # [s] to compile and to begin
FROM_PORT = 8600
PERIOD = 1e-3  # [s] of control
LATE = ("deadlines missed", "ticks damped")  # counters of the simulator
LARGEST = 1 << 26  # [bytes] of a message to the browser


class Turns(NamedTuple):
    """Counts of one kind of turns."""

    ticks: int
    late: int

    @property
    def share(self) -> float:
        """Late ticks [%]."""
        return 100.0 * self.late / max(self.ticks, 1)


class ViewerLoad(NamedTuple):
    """What was counted."""

    without: Turns
    watched: Turns
    rate: float  # [1/s] updates sent while it was awake
    received: float  # [1/s] messages that a client took meanwhile
    turns: int  # of both kinds


def viewer_load(
    robot: str, seconds: float, options: tuple[str, ...] = ()
) -> ViewerLoad:
    """Let a humanoid walk over topics in real time and look at it every other turn.

    In between, the viewer is stopped.

    Args:
        robot: name of a walk and of its robot.
        seconds: to count, about.
        options: further words of the command lines of simulator and controller.

    Raises:
        BipedSlipError: a node has ended before anything was counted.
    """
    need_libraries()
    domain = free_domain()
    os.environ["ROS_AUTOMATIC_DISCOVERY_RANGE"] = "LOCALHOST"
    rclpy.init(args=[], domain_id=domain)
    shared = {"mode": "real-time", "humanoid_walk": robot}
    files: dict[str, Any] = {"startup_timeout": STARTUP, "diagnostics_period": 0.3}
    with TemporaryDirectory(prefix="biped_slip_") as folder:
        place = Path(folder)
        files |= {
            "result_file": f"{folder}/result.json",
            "log_file": f"{folder}/log.npz",
        }
        processes = [
            NodeProcess(
                "viewer",
                {"robot": robot, "port": FROM_PORT, "diagnostics_period": 0.3},
                place,
                domain,
            ),
            NodeProcess(
                "contact_simulator", {**shared, **files}, place, domain, options
            ),
            NodeProcess(
                "walking_controller",
                {**shared, "check_sensors": False},
                place,
                domain,
                options,
            ),
        ]
        try:
            return _counted(processes, seconds)
        finally:
            os.kill(processes[0].process.pid, signal.SIGCONT)
            for process in processes:
                process.end()
            rclpy.try_shutdown()


def _counted(processes: list[NodeProcess], seconds: float) -> ViewerLoad:
    heard = _Diagnostics()
    (viewer, simulator, _) = processes
    client = _Client()
    _until(
        lambda: "updates sent" in heard.now("/viewer") and heard.walking(), processes
    )
    client.start(int(heard.now("/viewer")["port"]))
    totals = {True: [0, 0], False: [0, 0]}
    updates = 0
    awake_time = 0.0
    begin = time.monotonic()
    awake = True
    received = 0
    turns = 0
    while time.monotonic() - begin < seconds and simulator.running:
        os.kill(viewer.process.pid, signal.SIGCONT if awake else signal.SIGSTOP)
        _wait(SETTLING, heard)
        first = heard.counts()
        start = time.monotonic()
        taken = client.received
        _wait(TURN, heard)
        last = heard.counts()
        took = time.monotonic() - start
        for k in (0, 1):
            totals[awake][k] += last[k] - first[k]
        if awake:
            updates = updates + last[2] - first[2]
            awake_time = awake_time + took
            received += client.received - taken
        awake = not awake
        turns = turns + 1
    client.over.set()
    if not (totals[True][0] and totals[False][0]):
        raise BipedSlipError(
            f"the walk ended before both turns were over: {simulator.failure()}"
        )
    return ViewerLoad(
        without=Turns(*totals[False]),
        watched=Turns(*totals[True]),
        rate=updates / awake_time,
        received=received / awake_time,
        turns=turns,
    )


def _until(holds: Callable[[], bool], processes: list[NodeProcess]) -> None:
    end = time.monotonic() + STARTUP
    while not holds():
        for process in processes:
            if not process.running:
                raise BipedSlipError(process.failure())
        if time.monotonic() > end:
            raise BipedSlipError(f"the robot does not walk after {STARTUP:g} s")
        time.sleep(0.1)


def _wait(seconds: float, heard: _Diagnostics) -> None:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        heard.take()
        time.sleep(0.05)


class _Diagnostics:
    """The newest counters of each node."""

    def __init__(self) -> None:
        self._node = rclpy.create_node("viewer_load")
        self._box = PolledSubscription(
            self._node, DiagnosticArray, "/diagnostics", DIAGNOSTICS
        )
        self._values: dict[str, dict[str, str]] = {}

    def take(self) -> None:
        """Take what has arrived."""
        for message in self._box.take():
            for status in message.status:
                self._values[status.name] = {
                    pair.key: pair.value for pair in status.values
                }

    def now(self, node: str) -> dict[str, str]:
        """Of one node; empty before it was heard."""
        self.take()
        return self._values.get(node, {})

    def walking(self) -> bool:
        """Whether the simulated time runs."""
        return int(self.now("/contact_simulator").get("ticks", 0)) > 0

    def counts(self) -> tuple[int, int, int]:
        """Ticks, late ticks, updates of the viewer."""
        robot = self.now("/contact_simulator")
        viewer = self.now("/viewer")
        late = sum(int(robot.get(name, 0)) for name in LATE)
        return int(robot.get("ticks", 0)), late, int(viewer.get("updates sent", 0))


class _Client:
    """Takes what the viewer sends, as a browser would."""

    def __init__(self) -> None:
        self.received = 0
        self.over = threading.Event()

    def start(self, port: int) -> None:
        """Connect, and take messages until it is over."""
        threading.Thread(target=self._run, args=(port,), daemon=True).start()

    def _run(self, port: int) -> None:
        import viser
        from websockets.exceptions import ConnectionClosed
        from websockets.sync.client import connect
        from websockets.typing import Subprotocol

        words = Subprotocol(f"viser-v{viser.__version__}")
        with connect(
            f"ws://{LOCALHOST}:{port}",
            subprotocols=[words],
            max_size=LARGEST,
            ping_timeout=None,
        ) as socket:
            with suppress(ConnectionClosed):  # the viewer ends first
                while not self.over.is_set():
                    socket.recv()
                    self.received += 1

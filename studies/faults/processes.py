# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Processes forked with everything loaded and DDS untouched.

They are controllers in the middle of a walk, and strangers.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import random
import signal
import sys
import time
from dataclasses import dataclass, field
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from typing import Any, Callable, Mapping

import numpy as np

from biped_slip.control.supervisor import SupervisorConfig
from biped_slip.estimation.health import HealthConfig
from biped_slip.ros import humanoid_robot, planar_robot
from biped_slip.ros.nodes.walking_controller import WalkingControllerNode
from biped_slip.ros.robot_node import serve
from studies.faults.node_campaign import Walked
from studies.faults.robots import BenchRobot
from studies.faults.snapshot import snapshot

Live = Callable[[Any], int]  # an order -> exit code


class Nursery:
    """A parent of processes, each a fork of this process as it is now.

    It is made before DDS is.

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
        """Start a new process; returns its number."""
        self._here.send(order)
        return int(self._here.recv())

    def ended(self) -> bool:
        """Whether the last process has ended."""
        return self._here.poll()

    def exit_code(self, patience: float) -> int | None:
        """Return the exit code of the last process, once it has ended.

        None means that it has not ended within a time [s].
        """
        return self._here.recv() if self._here.poll(patience) else None

    def close(self) -> None:
        """No more."""
        # another nursery may hold this pipe, too, so that closing it is not noticed
        self._here.send(None)
        self._here.close()
        os.waitpid(self._child, 0)


def _tend(pipe: Connection, live: Live) -> None:
    """Run the parent of walks: fork, report the number, wait, report how it ended."""
    # a shell lets its background processes ignore them
    for number in (
        signal.SIGINT,
        signal.SIGQUIT,
    ):
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


#: A simulated second may last longer, and a loaded machine may stop a process for a
#: while.
PARAMETERS: Mapping[str, object] = {
    "mode": "real-time",
    "rehearsal": 0.0,
    "embedded_estimator": True,
    "diagnostics_period": 0.3,
    "age_limit": 1.0,
    "supervisor.ridden_stall": 0.4,
    "supervisor.longest_stall": 0.4,
    "supervisor.clock_rate": 100.0,
}
FLOOD_RATE = 4000.0  # [Hz] messages of garbage
# joints of one message, and how often it comes [Hz]
CROWD = 100_000
CROWD_RATE = 10.0
# of unshare(2) and mount(2)
_NEW_NAMESPACE = 0x20000
_PRIVATE = 1 << 18 | 1 << 14
_READ_ONLY = 1


@dataclass(frozen=True)
class Order:
    """What a process is to be."""

    robot: str
    moment: str = ""  # empty: a controller that has walked nowhere yet
    what: str = "controller"  # or "flood", "crowd"
    parameters: Mapping[str, object] = field(default_factory=dict)
    folder: str = ""  # where it works, and its standard error goes to the file log
    without_shared_memory: bool = False
    seed: int = 0


class WalkedRobots:
    """Robots and their controllers at every moment of a sound walk."""

    def __init__(self, robots: Mapping[str, BenchRobot]) -> None:
        self.robots = robots
        self.guarded = {name: robot.guarded() for name, robot in robots.items()}
        self.moments = {name: self._walk(name) for name in robots}

    def _walk(self, name: str) -> dict[str, Walked]:
        robot = self.robots[name]
        guarded = self.guarded[name]
        reached = {}
        robot.stand()
        guarded.start()
        torques = np.zeros(len(robot.joints))
        for tick in range(1, max(robot.moments.values()) + 1):
            torques = guarded.step(robot.sense(tick)).torques
            robot.advance(np.clip(torques, -robot.limits, robot.limits))
            for moment in (
                moment for moment, at in robot.moments.items() if at == tick
            ):
                reached[moment] = Walked(snapshot(robot, guarded), torques)
        return reached

    def live(self, order: Order) -> int:
        """Be what is ordered, in a process of its own; answers its exit code."""
        if order.folder:
            os.chdir(order.folder)
            for stream in (1, 2):
                os.dup2(os.open("log", os.O_WRONLY | os.O_CREAT | os.O_APPEND), stream)
        if order.without_shared_memory and not without_shared_memory():
            return 77
        if order.what != "controller":
            return _disturb(order, self.robots[order.robot])
        if order.moment:
            self._go_on(order)
        told = {**PARAMETERS, **self.robots[order.robot].parameters, **order.parameters}
        words = [
            word
            for name, value in told.items()
            for word in ("-p", f"{name}:={json.dumps(value)}")
        ]
        return serve(WalkingControllerNode, ["--ros-args", *words])

    def _go_on(self, order: Order) -> None:
        """Give the node the controller that has walked.

        It begins in the state of the ordered moment.
        """
        guarded = self.guarded[order.robot]
        walked = self.moments[order.robot][order.moment]

        def ready(*given: Any, **_: Any) -> Any:
            (supervision,) = (one for one in given if isinstance(one, SupervisorConfig))
            (health,) = (one for one in given if isinstance(one, HealthConfig))

            def begin() -> None:  # once: what is put back has its own start again
                walked.restore()
                guarded.retune(supervision, health)

            guarded.start = begin  # type: ignore[method-assign]
            return guarded

        planar_robot.guarded_planar = ready
        humanoid_robot.guarded_humanoid = ready


def deactivate(node: Any, patience: float) -> Any:
    """Ask the controller to stop, which damps first.

    It returns the client of the controller's service, or None if there is none within a
    time [s].
    """
    from lifecycle_msgs.msg import Transition
    from lifecycle_msgs.srv import ChangeState

    client = node.create_client(ChangeState, "walking_controller/change_state")
    if not client.wait_for_service(patience):
        return None
    request = ChangeState.Request()
    request.transition.id = Transition.TRANSITION_DEACTIVATE
    client.call_async(request)
    return client


def without_shared_memory() -> bool:
    """Mount an empty, read-only /dev/shm for this process alone.

    It returns whether that is allowed here.
    """
    libc = ctypes.CDLL(None)
    if libc.unshare(_NEW_NAMESPACE) or libc.mount(b"none", b"/", None, _PRIVATE, None):
        return False
    return int(libc.mount(b"none", b"/dev/shm", b"tmpfs", _READ_ONLY, None)) == 0


def _disturb(order: Order, robot: BenchRobot) -> int:
    """Publish what nobody wants to hear, until killed."""
    import rclpy
    from rclpy.serialization import serialize_message

    from studies.faults.robots import Partner

    rclpy.init(args=["--ros-args", "--log-level", "fatal"])
    partner = Partner(robot, f"stranger_{random.Random().randrange(1 << 30)}")
    rng = np.random.default_rng(order.seed)
    sent = time.monotonic()
    if order.what == "crowd":
        message = robot.topics["joint_states"]()
        message.name = [f"joint_{number}" for number in range(CROWD)]
        message.position = message.velocity = [0.0] * CROWD
        crowd = serialize_message(message)
    with contextlib.suppress(KeyboardInterrupt):
        while True:
            if order.what == "crowd":
                partner.send([("joint_states", crowd)])
            else:
                partner.send(
                    [
                        (topic, rng.bytes(int(rng.integers(4, 400))))
                        for topic in robot.topics
                    ]
                )
            sent += (
                1.0 / CROWD_RATE
                if order.what == "crowd"
                else len(robot.topics) / FLOOD_RATE
            )
            time.sleep(max(0.0, sent - time.monotonic()))
    partner.close()
    sys.stderr.flush()
    return 0

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Whatever ends a controller's process and can be caught.

The question is what a listener over DDS hears last.

Each ending is that of a process of its own, forked from one that has loaded everything
and has not touched DDS. The listener is this process, which plays the sensors, too. Run
``python -m studies.endings ROUNDS`` for one line of JSON an ending. What can't be
caught (SIGKILL, SIGSTOP, a crash) is the hardware's duty.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import sys
import time
from dataclasses import dataclass
from typing import Any, Callable, Sequence

import numpy as np

from biped_slip.cli.terminal import Screen
from biped_slip.errors import BipedSlipError
from biped_slip.ros.processes import LOCAL_AND_PLAIN, free_domain, need_ros
from studies.faults.processes import Nursery, deactivate
from studies.frame import (
    child_process,
    declare,
    grouped,
    plain,
    report,
    table_of,
    typed,
)

PARAMETERS = {
    "mode": "real-time",
    "embedded_estimator": True,
    "age_limit": 1.0,
    "health.imbalance": 100.0,  # nothing moves under the torques
    "health.sideways": 100.0,
    "supervisor.ridden_stall": 10.0,  # a loaded machine may stop a process for a while
    "supervisor.longest_stall": 10.0,
    "supervisor.clock_rate": 100.0,
}
FAILS_AFTER = 300  # rounds of the loop, of a node that is to fail
PATIENCE = 60.0  # [s] for a process to begin or to end
SILENCE = 0.15  # [s] in which the last message arrives
COMMANDED = 10  # commands with torque before the end
ROUNDS = 17  # of twelve kinds


@dataclass(frozen=True)
class Kind:
    """A way to end."""

    name: str
    signals: tuple[str, ...] = ()  # one after the other
    pause: float = 0.0  # [s] before each of them
    deactivated: bool = False  # first
    error: str = (
        ""  # that the loop raises first: the node lets go and stays, without a command
    )


KINDS = (
    Kind("interrupted from the terminal", ("SIGINT",)),
    Kind("terminated", ("SIGTERM",)),
    Kind("terminal closed", ("SIGHUP",)),
    Kind("quit from the terminal", ("SIGQUIT",)),
    Kind("stopped from the terminal", ("SIGTSTP",)),
    Kind("user's signal", ("SIGUSR1",)),
    Kind("alarm", ("SIGALRM",)),
    Kind("abort", ("SIGABRT",)),
    Kind("interrupted and terminated at once", ("SIGINT", "SIGTERM", "SIGINT")),
    Kind("terminated while it damps", ("SIGTERM",), 0.05, deactivated=True),
    Kind("an error in the loop", ("SIGTERM",), 2.0, error="RuntimeError"),
    Kind("no memory in the loop", ("SIGTERM",), 2.0, error="MemoryError"),
)


@dataclass
class Ending:
    """What was heard."""

    kind: str
    began: bool  # it commanded torques, without which it proves nothing
    commands: int  # of the process
    last: list[float] | None  # [N m]
    exit_code: int | None
    zero: bool = False


def _live(error: str) -> int:
    """Start a controller's process."""
    from biped_slip.ros.nodes.walking_controller import WalkingControllerNode
    from biped_slip.ros.robot_node import serve

    if error:
        _fail_later(
            WalkingControllerNode,
            {"RuntimeError": RuntimeError, "MemoryError": MemoryError}[error],
        )
    words = [
        word
        for name, value in PARAMETERS.items()
        for word in ("-p", f"{name}:={json.dumps(value)}")
    ]
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 2)
    return serve(WalkingControllerNode, ["--ros-args", "--log-level", "fatal", *words])


def _fail_later(node: Any, error: type[Exception]) -> None:
    honest = node.work
    done = [0]

    def work(self: Any, now: float) -> None:
        done[0] += self.guarded.mode > 0
        if done[0] == FAILS_AFTER:
            raise error("on purpose")
        honest(self, now)

    node.work = work


class Listener:
    """Plays the sensors of a robot that stands and keeps what it is commanded."""

    def __init__(self) -> None:
        import rclpy
        from std_msgs.msg import Float64MultiArray

        from biped_slip.ros.dds import COMMAND_QOS, OUTPUTS, PolledSubscription
        from biped_slip.ros.messages import SENSOR_TOPICS, Frames
        from studies.loop.robots import COMMAND, Robot
        from synthetic.sensor_messages import SensorMessages

        self.node = rclpy.create_node("listener")
        robot = Robot("thesis")
        self._readings = robot.read(0)._replace(
            joint_velocity=np.zeros(len(robot.model.joints))
        )
        self._messages = SensorMessages(robot.model.joints, robot.model.soles, Frames())
        self._outputs = {
            t: self.node.create_publisher(kind, t, OUTPUTS)
            for t, kind in SENSOR_TOPICS.items()
        }
        self._box = PolledSubscription(
            self.node, Float64MultiArray, COMMAND, COMMAND_QOS
        )
        self._stamp = 0
        self.heard: list[list[float]] = []

    def tick(self) -> None:
        """One sample out, commands in."""
        self._stamp += 1_000_000
        for topic, message in self._messages.fill(
            self._readings._replace(stamp_ns=self._stamp)
        ).items():
            self._outputs[topic].publish(message)
        time.sleep(0.001)
        self.heard += [list(message.data) for message in self._box.take()]

    def until(self, there: Callable[[], bool], patience: float = PATIENCE) -> bool:
        """Tick until something is there; answers whether it was."""
        end = time.monotonic() + patience
        while not there():
            if time.monotonic() > end:
                return False
            self.tick()
        return True


def end(kind: Kind, nursery: Nursery, listener: Listener) -> Ending:
    """One process begins, commands torques and ends."""
    listener.heard.clear()
    process = nursery.begin(kind.error)
    began = listener.until(lambda: sum(map(any, listener.heard)) >= COMMANDED)
    let_go = not kind.error or listener.until(lambda: not any(listener.heard[-1]))
    if kind.deactivated and began:
        deactivate(listener.node, PATIENCE)
    for name in kind.signals if began else ("SIGKILL",):
        pause = time.monotonic() + kind.pause
        listener.until(lambda pause=pause: time.monotonic() >= pause)  # type: ignore[misc]
        os.kill(process, getattr(signal, name))
    ended = listener.until(nursery.ended)
    if not ended:
        os.kill(process, signal.SIGKILL)
    code = nursery.exit_code(PATIENCE)
    quiet = time.monotonic() + SILENCE
    listener.until(lambda: time.monotonic() >= quiet)
    last = listener.heard[-1] if listener.heard else None
    zero = began and let_go and ended and last is not None and not np.any(last)
    return Ending(
        kind=kind.name,
        began=began,
        commands=len(listener.heard),
        last=last,
        exit_code=code,
        zero=zero,
    )


def main() -> int:
    """So many rounds of all kinds."""
    rounds = int(sys.argv[1]) if sys.argv[1:] else 1
    os.environ.update(LOCAL_AND_PLAIN, ROS_DOMAIN_ID=str(free_domain(random.Random())))
    import biped_slip.ros.nodes.walking_controller  # noqa: F401  what a child needs, loaded once

    nursery = Nursery(_live)
    import rclpy

    rclpy.init(args=["--ros-args", "--log-level", "fatal"])
    listener = Listener()
    good = True
    try:
        for _ in range(rounds):
            for kind in KINDS:
                ending = end(kind, nursery, listener)
                good = good and ending.zero
                print(json.dumps(plain(ending)), flush=True)
    finally:
        nursery.close()
        rclpy.try_shutdown()
    return 0 if good else 1


COLUMNS = {
    "ending": lambda group: group[0].kind,
    "last command is zero effort": lambda group: (
        f"{sum(one.zero for one in group)} of {len(group)}"
    ),
    "exit codes": lambda group: ", ".join(
        sorted({str(one.exit_code) for one in group})
    ),
}


def show(endings: Sequence[Ending], console: Screen) -> bool:
    """Print a row a kind; False when a last command was not zero effort."""
    good = sum(one.zero for one in endings)
    console.print(table_of(COLUMNS, grouped(endings, lambda one: one.kind).values()))
    console.print(f"{good} of {len(endings)} endings: zero effort is the last command")
    return good == len(endings)


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    declare(parser)
    parser.add_argument(
        "--rounds", type=int, default=ROUNDS, help=f"of all kinds ({ROUNDS})"
    )


def run(arguments: argparse.Namespace) -> int:
    """End processes; exit code 1 when a last command was not zero effort."""
    need_ros()
    endings = list[Ending]()
    with child_process(
        [sys.executable, "-m", __name__, str(arguments.rounds)]
    ) as process:
        for line in process.stdout or ():
            endings.append(typed(Ending, json.loads(line)))
            print(f"{len(endings)}: {endings[-1].kind}", file=sys.stderr)
    if not endings or process.returncode not in (0, 1):
        raise BipedSlipError(
            f"the endings stopped with exit code {process.returncode} after "
            f"{len(endings)}"
        )
    return report(arguments, endings, show)


if __name__ == "__main__":
    raise SystemExit(main())

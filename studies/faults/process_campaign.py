# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Faults of a controller's whole process, over DDS, at every moment of the gait.

They are tried on planar biped and TALOS.

``python -m studies.faults.process_campaign --help``; prints one line of JSON an
outcome.
"""

from __future__ import annotations

import contextlib
import os
import random
import resource
import shutil
import signal
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from typing import Any, Callable, Mapping, NamedTuple, Sequence

import numpy as np

from biped_slip.compile.arrays import Array
from biped_slip.ros.messages import JointEfforts
from biped_slip.ros.processes import LOCAL_AND_PLAIN, free_domain
from studies.faults.node_campaign import HOLD
from studies.faults.outcomes import (
    OUT_OF_TIME,
    Outcome,
    OutcomeLog,
    OutOfTime,
    campaign_arguments,
    wanted,
)
from studies.faults.processes import Nursery, Order, WalkedRobots, deactivate
from studies.faults.robots import PERIOD, ROBOTS, Partner

PATIENCE = 30.0  # [s] for a process to begin, to be found, to end
ANSWER = 1.0  # [s] for a command to an instant: machines may be loaded
AGAIN = 0.1  # [s]
SILENCE = 0.15  # [s] in which the last message arrives
SETTLED = 20  # ticks that are walked before anything happens
STOPS = {
    "fall",
    "joint speed",
    "joint limit",
    "torque limit",
    "controller failure",
    "unbalanced forces",
}  # of a walk
LOGGED = 2000  # characters of a log that are looked at

Change = Callable[[dict[str, Any]], None]  # spoils the messages of an instant


class Stage:
    """One robot and one controller; ``violations`` says what no command may be.

    Args:
        walked: robots at their moments.
        nursery: begins processes.
        strangers: begins those that disturb.
        order: of the controller.
    """

    def __init__(
        self, walked: WalkedRobots, nursery: Nursery, strangers: Nursery, order: Order
    ) -> None:
        self.robot = walked.robots[order.robot]
        self.order = order
        self._nursery = nursery
        self._strangers = strangers
        self._stranger = 0
        self.violations: list[str] = []
        self._moment = walked.moments[order.robot][order.moment]
        self._moment.restore()
        self.tick = self.robot.moments[order.moment]
        self.torques = self._moment.torques
        self.age = 0
        self.partner = Partner(self.robot)
        self.process = nursery.begin(order)
        self.code = None
        self._running = True
        self.connected = False
        self.last: Array | None = None  # command
        self.named: set[str] = set()
        # [W] most that a joint has got, with the velocity of the instant that is
        # answered
        self.power = 0.0
        self._velocities: dict[int, Array] = {}  # by stamp [ns]

    @property
    def running(self) -> bool:
        """Whether the controller's process has not ended."""
        if self._running and self._nursery.ended():
            self.code = self._nursery.exit_code(PATIENCE)
            self._running = False
        return self._running

    def begin(self) -> bool:
        """Connect and settle; answers whether the robot is walked."""
        self.connected = self._until(
            lambda: self.partner.connected() or not self.running
        )
        self.partner.forget()
        if not (self.connected and self.running and self.step(again=AGAIN)):
            return False
        return sum(len(self.step()) > 0 for _ in range(SETTLED)) > 0.9 * SETTLED

    def step(
        self, change: Change | None = None, wait: bool = True, again: float = np.inf
    ) -> list[Array]:
        """One control period of the robot; answers the commands that came.

        Args:
            change: spoils the messages of this instant.
            wait: whether the robot waits for a command.
            again: after which time the same is sent again [s]: a controller may be
                found before it hears.
        """
        self.tick += 1
        messages, self._velocities[self.tick * PERIOD] = self.robot.read(self.tick)
        if change is not None:
            change(messages)
        self.partner.send(messages.items())
        answers = self.partner.answers()
        begin = sent = time.monotonic()
        patience = (ANSWER if again == np.inf else PATIENCE) if wait else 0.0
        while (
            not answers
            and (now := time.monotonic()) < begin + patience
            and self.running
        ):
            if now > sent + again:
                self.partner.send(messages.items())
                sent = now
            time.sleep(2e-4)
            answers = self.partner.answers()
        commands = self._take(answers)
        self.age = 0 if commands else self.age + 1
        if self.age > HOLD:
            self.torques = np.zeros_like(self.torques)
        self.robot.advance(
            np.clip(np.nan_to_num(self.torques), -self.robot.limits, self.robot.limits)
        )
        return commands

    def walk(self, ticks: int) -> int:
        """So many control periods; answers how many were commanded with torque."""
        return sum(
            any(np.any(command) for command in self.step()) for _ in range(ticks)
        )

    def _take(self, answers: list[JointEfforts]) -> list[Array]:
        for stamp, torques in answers:
            self.last = torques
            if not np.isfinite(torques).all():
                self.violations.append("a command is not finite")
            elif np.any(np.abs(torques) > self.robot.limits * (1.0 + 1e-12)):
                self.violations.append("a command is beyond the limits")
            if (velocity := self._velocities.get(stamp or 0)) is not None:
                self.power = max(self.power, float(np.max(torques * velocity)))
        if answers:
            self.torques = answers[-1].efforts
        self.named.update(self.partner.problems() or ())
        return [answer.efforts for answer in answers]

    def signal(self, name: str) -> None:
        """Send one to the controller's process."""
        if self.running:
            os.kill(self.process, getattr(signal, name))

    def ends(self) -> bool:
        """Run the robot until the process has ended and its last command has come.

        It returns whether the process has ended.
        """
        end = time.monotonic() + PATIENCE
        while self.running and time.monotonic() < end:
            self.step(wait=False)
            time.sleep(1e-3)
        ended = not self.running
        time.sleep(SILENCE)
        self._take(self.partner.answers())
        return ended

    def crashed(self) -> list[str]:
        """Find what is wrong after an end without a handler.

        The robot must let go by itself, as hardware does.
        """
        self.ends()
        for _ in range(2 * HOLD):
            self.step(wait=False)
        return ["the robot keeps its last torque"] if np.any(self.torques) else []

    def let_go(self, codes: tuple[int, ...] = (0,)) -> list[str]:
        """Find what is wrong with an end by itself.

        It needs zero effort last, and one of the exit codes.
        """
        if not self.ends():
            return ["the process does not end"]
        wrong = []
        if self.last is None or np.any(self.last):
            wrong.append(f"the last command is {self.last}")
        if self.code not in codes:
            wrong.append(f"exit code {self.code}")
        return wrong

    def goes_on(self, ticks: int, share: float = 0.9) -> list[str]:
        """Find what is wrong with a walk that should go on."""
        commanded = self.walk(ticks)
        if not self.running:
            return [f"the process ended with exit code {self.code}"]
        wrong = (
            []
            if commanded >= share * ticks
            else [f"torque in {commanded} of {ticks} ticks"]
        )
        return wrong + [f"stopped by {name}" for name in sorted(STOPS & self.named)]

    def hears(self, names: tuple[str, ...], change: Change | None = None) -> list[str]:
        """Find what is wrong with diagnostics that should name a problem.

        The robot runs on spoilt inputs meanwhile.
        """
        end = time.monotonic() + 3.0
        while not set(names) & self.named and time.monotonic() < end and self.running:
            self.step(change, wait=False)
            time.sleep(1e-3)
        return (
            []
            if set(names) & self.named
            else [f"not named ({', '.join(sorted(self.named)) or 'nothing'})"]
        )

    def disturb(self, what: str) -> None:
        """Start another publisher and wait until the controller has found it."""
        self._stranger = self._strangers.begin(
            replace(self.order, what=what, folder="", parameters={})
        )

    def calm(self) -> None:
        """Stop the other publisher."""
        if self._stranger:
            os.kill(self._stranger, signal.SIGKILL)
            self._strangers.exit_code(PATIENCE)
            self._stranger = 0

    def restart(self) -> bool:
        """Start another process of the same order in place of the one that has ended.

        It returns whether the new process commands.
        """
        self.process = self._nursery.begin(replace(self.order, moment=""))
        self._running = True
        self.torques = np.zeros_like(self.torques)
        end = time.monotonic() + PATIENCE
        while not (answered := self.step()) and time.monotonic() < end:
            pass
        return len(answered) > 0 and self.walk(SETTLED) > 0

    def log(self) -> str:
        """Read what the process has written."""
        path = Path(self.order.folder) / "log"
        return (
            path.read_text(encoding="utf-8", errors="replace")[-LOGGED:]
            if path.is_file()
            else ""
        )

    def close(self) -> None:
        """Nothing is left running."""
        self.calm()
        if self.running:
            os.kill(self.process, signal.SIGKILL)
            self._nursery.exit_code(PATIENCE)
        self.partner.close()

    @staticmethod
    def _until(there: Callable[[], bool]) -> bool:
        end = time.monotonic() + PATIENCE
        while not (found := there()) and time.monotonic() < end:
            time.sleep(2e-3)
        return found


GOES_ON = 100  # ticks of a walk that nothing stops
DRIVEN = 3e-3  # [m/s] times the weight: power in the tick in which a joint turns round
STOPPED = 0.6  # [s] longer than any stall that is ridden through
FLOODED = 1.5  # [s] of a stranger's messages
KEYS = 80  # that a message of /diagnostics may have names of problems
LOADER_FAILED = (
    127  # exit code, in the middle of a program where a symbol is bound late
)
MOST_MEMORY = 100 << 20  # [byte] that a flood may cost

CROWDED = "undecodable message", "oversized message", "missing joint"

Act = Callable[[Stage], list[str]]


class ProcessFault(NamedTuple):
    """One kind."""

    kind: str
    act: Act  # answers what went otherwise than required
    row: int = 0  # of the study of faults; 0: none
    parameters: Mapping[str, object] = {}
    without_shared_memory: bool = False


def ended_by(*names: str, pause: float = 0.0) -> Act:
    """Signals, one after the other; the last command is zero effort."""

    def act(stage: Stage) -> list[str]:
        for name in names:
            stage.signal(name)
            time.sleep(pause)
        return stage.let_go()

    return act


def ended_while_it_damps(stage: Stage) -> list[str]:
    """Deactivated, and terminated before the damping is over."""
    if (client := deactivate(stage.partner.node, 10.0)) is None:
        return ["no service to deactivate"]
    for _ in range(50):
        stage.step(wait=False)
        time.sleep(1e-3)
    stage.signal("SIGTERM")
    wrong = stage.let_go()
    stage.partner.node.destroy_client(client)
    return wrong


def killed_and_restarted(stage: Stage) -> list[str]:
    """Kill the process for good: the robot holds for a moment, then damps.

    A new process begins anew, within the limits.
    """
    stage.signal("SIGKILL")
    wrong = stage.crashed()
    return wrong if stage.restart() else [*wrong, "the new process does not answer"]


def stopped_and_continued(stage: Stage) -> list[str]:
    """Send SIGSTOP while the robot moves on.

    What comes after it takes power out of the joints, and is named.
    """
    stage.signal("SIGSTOP")
    end = time.monotonic() + STOPPED
    while time.monotonic() < end:
        stage.step(wait=False)
        time.sleep(1e-3)
    stage.signal("SIGCONT")
    stage.power = 0.0
    for _ in range(20):
        stage.step()
    wrong = (
        [f"a joint is driven with {stage.power:.3g} W"]
        if stage.power > DRIVEN * stage.robot.weight
        else []
    )
    return [
        *wrong,
        *stage.hears(("own stall", "silent input", "stale input", "stamp gap")),
    ]


def limited(
    what: int, most: Callable[[int], int], ticks: int = GOES_ON, may_end: bool = False
) -> Act:
    """Exhaust a resource of the system for the process.

    A problem that must be logged comes as well.

    What can't go on lets go; only the dynamic loader, which ends a process where it is,
    can't be caught.
    """

    def act(stage: Stage) -> list[str]:
        amount = most(stage.process)
        resource.prlimit(stage.process, what, (amount, amount))
        stage.step(change=not_finite)  # has a sentence for the log
        stage.walk(3)
        wrong = stage.goes_on(ticks)
        if wrong and may_end and not stage.running:
            return (
                stage.crashed() if stage.code == LOADER_FAILED else stage.let_go((0, 1))
            )
        return wrong

    return act


def not_finite(messages: dict[str, Any]) -> None:
    """Spoil a velocity of this instant."""
    values = np.array(messages["joint_states"].velocity)
    values[1] = np.nan
    messages["joint_states"].velocity = values.tolist()


def address_space(process: int) -> int:
    """Return the address space of a process now [byte]."""
    pages = int(Path(f"/proc/{process}/statm").read_text(encoding="ascii").split()[0])
    return pages * resource.getpagesize()


def resident(process: int) -> int:
    """Memory of a process [byte]."""
    pages = int(Path(f"/proc/{process}/statm").read_text(encoding="ascii").split()[1])
    return pages * resource.getpagesize()


def descriptors(process: int) -> int:
    """One more than a process has open."""
    return max(map(int, os.listdir(f"/proc/{process}/fd"))) + 1


def disturbed(what: str, names: tuple[str, ...]) -> Act:
    """Publish on all sensors' topics from another process.

    The other process is named and costs no memory, and afterwards all is well.
    """

    def act(stage: Stage) -> list[str]:
        before = resident(stage.process)
        stage.disturb(what)
        end = time.monotonic() + FLOODED
        while time.monotonic() < end or (
            not set(names) & stage.named and time.monotonic() < end + 10.0
        ):
            stage.step()
        wrong = (
            []
            if set(names) & stage.named
            else [f"not named ({', '.join(sorted(stage.named)) or 'nothing'})"]
        )
        if not stage.running:
            return [*wrong, f"the process ended with exit code {stage.code}"]
        if (grown := resident(stage.process) - before) > MOST_MEMORY:
            wrong.append(f"{grown >> 20} MB more memory")
        if len(stage.named) > KEYS:
            wrong.append(f"{len(stage.named)} names of problems")
        stage.calm()
        answered = sum(len(stage.step()) > 0 for _ in range(GOES_ON))
        return (
            wrong
            if answered > 0.9 * GOES_ON
            else [*wrong, f"{answered} of {GOES_ON} instants answered afterwards"]
        )

    return act


def shared_memory_removed(stage: Stage) -> list[str]:
    """Empty /dev/shm: the segments that this process has mapped lose their names."""
    with contextlib.suppress(OSError):
        text = Path(f"/proc/{stage.process}/maps").read_text(encoding="ascii")
        for path in {
            word for word in text.split() if word.startswith("/dev/shm/fastrtps_")
        }:
            with contextlib.suppress(OSError):
                os.unlink(path)
    return stage.goes_on(GOES_ON)


def folder_removed(stage: Stage) -> list[str]:
    """Its working directory is deleted."""
    shutil.rmtree(stage.order.folder)
    wrong = stage.goes_on(GOES_ON)
    Path(stage.order.folder).mkdir()
    return wrong


def impossible_clock(stage: Stage) -> list[str]:
    """/clock says −1 s, again and again until it is named."""
    from rosgraph_msgs.msg import Clock

    from biped_slip.ros.dds import OUTPUTS

    output = stage.partner.node.create_publisher(Clock, "/clock", OUTPUTS)
    end = time.monotonic() + 10.0
    while not output.get_subscription_count() and time.monotonic() < end:
        stage.step()
    message = Clock()
    message.clock.sec = -1
    wrong = [
        *stage.hears(("failed service",), lambda _: output.publish(message)),
        *stage.goes_on(GOES_ON),
    ]
    stage.partner.node.destroy_publisher(output)
    return wrong


def just_walks(stage: Stage) -> list[str]:
    """Nothing happens any more."""
    return stage.goes_on(GOES_ON)


PROCESS_KINDS: tuple[ProcessFault, ...] = (
    ProcessFault("interrupted from the terminal (SIGINT)", ended_by("SIGINT")),
    ProcessFault("terminated (SIGTERM)", ended_by("SIGTERM")),
    ProcessFault("terminal closed (SIGHUP)", ended_by("SIGHUP"), row=4),
    ProcessFault("quit from the terminal (SIGQUIT)", ended_by("SIGQUIT"), row=4),
    ProcessFault("user's signal (SIGUSR1)", ended_by("SIGUSR1"), row=4),
    ProcessFault("stopped from the terminal (SIGTSTP)", ended_by("SIGTSTP")),
    ProcessFault(
        "interrupted, terminated and hung up at once",
        ended_by("SIGINT", "SIGTERM", "SIGHUP"),
    ),
    ProcessFault(
        "interrupted again while it ends",
        ended_by("SIGTERM", "SIGINT", "SIGTERM", pause=0.05),
    ),
    ProcessFault(
        "terminated while it damps after a deactivation", ended_while_it_damps, row=5
    ),
    ProcessFault("killed (SIGKILL) and restarted", killed_and_restarted),
    ProcessFault(
        "stopped (SIGSTOP) for 0.6 s and continued", stopped_and_continued, row=2
    ),
    ProcessFault(
        "a stranger's flood of garbage at 4 kHz",
        disturbed("flood", ("undecodable message",)),
        row=7,
    ),
    ProcessFault(
        "a stranger's 100 000 joints at 10 Hz", disturbed("crowd", CROWDED), row=7
    ),
    ProcessFault("no room on the disk", limited(resource.RLIMIT_FSIZE, lambda _: 0)),
    ProcessFault(
        "no further file descriptor", limited(resource.RLIMIT_NOFILE, descriptors)
    ),
    ProcessFault(
        "no further memory", limited(resource.RLIMIT_AS, address_space, may_end=True)
    ),
    ProcessFault(
        "no further process or thread", limited(resource.RLIMIT_NPROC, lambda _: 0)
    ),
    ProcessFault("/dev/shm emptied", shared_memory_removed),
    ProcessFault("no /dev/shm from the start", just_walks, without_shared_memory=True),
    ProcessFault("working directory deleted", folder_removed),
    ProcessFault(
        "/clock says -1 s under use_sim_time",
        impossible_clock,
        row=8,
        parameters={"use_sim_time": True},
    ),
)


NOT_ALLOWED = 77  # exit code of a process that may not change its own namespace


class ProcessBench:
    """Robots and processes; made before DDS is.

    Args:
        robots: names of those that are to be tried.
    """

    def __init__(self, robots: Sequence[str]) -> None:
        self._walked = WalkedRobots({name: ROBOTS[name]() for name in robots})
        self._nursery = Nursery(self._walked.live)
        self._strangers = Nursery(self._walked.live)

    def close(self) -> None:
        """No more processes."""
        self._nursery.close()
        self._strangers.close()

    def try_fault(
        self, fault: ProcessFault, robot: str, moment: str, seed: int
    ) -> Outcome:
        """One fault at one moment of the walk."""
        outcome = Outcome(fault.kind, moment, robot)
        with tempfile.TemporaryDirectory(prefix="biped_slip_") as folder:
            order = Order(
                robot,
                moment,
                parameters=fault.parameters,
                folder=folder,
                without_shared_memory=fault.without_shared_memory,
                seed=seed,
            )
            stage = Stage(self._walked, self._nursery, self._strangers, order)
            try:
                wrong = (
                    fault.act(stage)
                    if stage.begin()
                    else ["did not walk before the fault"]
                )
                if fault.without_shared_memory and stage.code == NOT_ALLOWED:
                    outcome.skipped = "this user may not mount anything over /dev/shm"
                    wrong = []
                if "Traceback" in stage.log():
                    wrong.append("a traceback in the log")
                outcome.named = sorted(stage.named)
                outcome.violations = sorted({*wrong, *stage.violations})
            finally:
                stage.close()
        return outcome


def main(arguments: Sequence[str] | None = None) -> int:
    """Try what is asked for; one line of JSON an outcome."""
    chosen = campaign_arguments(__doc__ or "").parse_args(arguments)
    log = OutcomeLog(chosen, ProcessBench.try_fault)
    kinds = [fault for fault in PROCESS_KINDS if wanted(fault.kind, chosen.kind)]
    if not kinds:
        return 0
    os.environ.update(LOCAL_AND_PLAIN, ROS_DOMAIN_ID=str(free_domain(random.Random())))
    bench = ProcessBench(chosen.robot)
    import rclpy

    rclpy.init(args=["--ros-args", "--log-level", "fatal"])
    try:
        for robot in chosen.robot:
            for fault in kinds:
                for moment in chosen.moment:
                    if not log.known(fault.kind, moment, robot):
                        log.add(bench.try_fault(fault, robot, moment, chosen.seed))
    except OutOfTime:
        return OUT_OF_TIME
    finally:
        bench.close()
        rclpy.try_shutdown()
    return 0


if __name__ == "__main__":
    raise SystemExit(main())

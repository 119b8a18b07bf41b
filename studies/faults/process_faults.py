# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""What can happen to a controller's process in the middle of a walk: kinds, and what is required of each."""

from __future__ import annotations

import contextlib
import os
import resource
import shutil
import time
from pathlib import Path
from typing import Any, Callable, Mapping, NamedTuple

import numpy as np

from studies.faults.process_stage import Stage

GOES_ON = 100  # ticks of a walk that nothing stops
DRIVEN = 3e-3  # [m/s] times the weight: power in the tick in which a joint turns round
STOPPED = 0.6  # [s] longer than any stall that is ridden through
FLOODED = 1.5  # [s] of a stranger's messages
KEYS = 80  # that a message of /diagnostics may have names of problems
LOADER_FAILED = 127  # exit code, in the middle of a program where a symbol is bound late
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
    from lifecycle_msgs.msg import Transition
    from lifecycle_msgs.srv import ChangeState

    client = stage.partner.node.create_client(ChangeState, "walking_controller/change_state")
    if not client.wait_for_service(10.0):
        return ["no service to deactivate"]
    request = ChangeState.Request()
    request.transition.id = Transition.TRANSITION_DEACTIVATE
    client.call_async(request)
    for _ in range(50):
        stage.step(wait=False)
        time.sleep(1e-3)
    stage.signal("SIGTERM")
    wrong = stage.let_go()
    stage.partner.node.destroy_client(client)
    return wrong


def killed_and_restarted(stage: Stage) -> list[str]:
    """Killed for good: the robot holds for a moment, then damps; a new process begins anew, within the limits."""
    stage.signal("SIGKILL")
    wrong = stage.crashed()
    return wrong if stage.restart() else [*wrong, "the new process does not answer"]


def stopped_and_continued(stage: Stage) -> list[str]:
    """SIGSTOP while the robot moves on: what comes after it takes power out of the joints, and is named."""
    stage.signal("SIGSTOP")
    end = time.monotonic() + STOPPED
    while time.monotonic() < end:
        stage.step(wait=False)
        time.sleep(1e-3)
    stage.signal("SIGCONT")
    stage.power = 0.0
    for _ in range(20):
        stage.step()
    wrong = [f"a joint is driven with {stage.power:.3g} W"] if stage.power > DRIVEN * stage.robot.weight else []
    return [*wrong, *stage.hears(("own stall", "silent input", "stale input", "stamp gap"))]


def limited(what: int, most: Callable[[int], int], ticks: int = GOES_ON, may_end: bool = False) -> Act:
    """The system gives the process no more of something; a problem that must be logged comes as well.

    What can't go on lets go; only the dynamic loader, which ends a process where it is, can't be caught.
    """

    def act(stage: Stage) -> list[str]:
        amount = most(stage.process)
        resource.prlimit(stage.process, what, (amount, amount))
        stage.step(change=not_finite)  # has a sentence for the log
        stage.walk(3)
        wrong = stage.goes_on(ticks)
        if wrong and may_end and not stage.running:
            return stage.crashed() if stage.code == LOADER_FAILED else stage.let_go((0, 1))
        return wrong

    return act


def not_finite(messages: dict[str, Any]) -> None:
    """A velocity of this instant."""
    values = np.array(messages["joint_states"].velocity)
    values[1] = np.nan
    messages["joint_states"].velocity = values.tolist()


def address_space(process: int) -> int:
    """What a process has now [byte]."""
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
    """A stranger publishes on all sensors' topics: it is named, costs no memory, and afterwards all is well."""

    def act(stage: Stage) -> list[str]:
        before = resident(stage.process)
        stage.disturb(what)
        end = time.monotonic() + FLOODED
        while time.monotonic() < end or (not set(names) & stage.named and time.monotonic() < end + 10.0):
            stage.step()
        wrong = [] if set(names) & stage.named else [f"not named ({', '.join(sorted(stage.named)) or 'nothing'})"]
        if not stage.running:
            return [*wrong, f"the process ended with exit code {stage.code}"]
        if (grown := resident(stage.process) - before) > MOST_MEMORY:
            wrong.append(f"{grown >> 20} MB more memory")
        if len(stage.named) > KEYS:
            wrong.append(f"{len(stage.named)} names of problems")
        stage.calm()
        answered = sum(len(stage.step()) > 0 for _ in range(GOES_ON))
        return wrong if answered > 0.9 * GOES_ON else [*wrong, f"{answered} of {GOES_ON} instants answered afterwards"]

    return act


def shared_memory_removed(stage: Stage) -> list[str]:
    """Somebody empties /dev/shm: the segments that this process has mapped lose their names."""
    with contextlib.suppress(OSError):
        text = Path(f"/proc/{stage.process}/maps").read_text(encoding="ascii")
        for path in {word for word in text.split() if word.startswith("/dev/shm/fastrtps_")}:
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
    wrong = [*stage.hears(("failed service",), lambda _: output.publish(message)), *stage.goes_on(GOES_ON)]
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
    ProcessFault("interrupted, terminated and hung up at once", ended_by("SIGINT", "SIGTERM", "SIGHUP")),
    ProcessFault("interrupted again while it ends", ended_by("SIGTERM", "SIGINT", "SIGTERM", pause=0.05)),
    ProcessFault("terminated while it damps after a deactivation", ended_while_it_damps, row=5),
    ProcessFault("killed (SIGKILL) and restarted", killed_and_restarted),
    ProcessFault("stopped (SIGSTOP) for 0.6 s and continued", stopped_and_continued, row=2),
    ProcessFault("a stranger's flood of garbage at 4 kHz", disturbed("flood", ("undecodable message",)), row=7),
    ProcessFault("a stranger's 100 000 joints at 10 Hz", disturbed("crowd", CROWDED), row=7),
    ProcessFault("no room on the disk", limited(resource.RLIMIT_FSIZE, lambda _: 0)),
    ProcessFault("no further file descriptor", limited(resource.RLIMIT_NOFILE, descriptors)),
    ProcessFault("no further memory", limited(resource.RLIMIT_AS, address_space, may_end=True)),
    ProcessFault("no further process or thread", limited(resource.RLIMIT_NPROC, lambda _: 0)),
    ProcessFault("/dev/shm emptied", shared_memory_removed),
    ProcessFault("no /dev/shm from the start", just_walks, without_shared_memory=True),
    ProcessFault("working directory deleted", folder_removed),
    ProcessFault("/clock says -1 s under use_sim_time", impossible_clock, row=8, parameters={"use_sim_time": True}),
)

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Base of all nodes: lifecycle, a loop without executor, real time, live parameters."""

from __future__ import annotations

import contextlib
import ctypes
import dataclasses
import gc
import math
import os
import signal
import sys
import time
from collections import Counter, deque
from pathlib import Path
from types import FrameType
from typing import (
    Any,
    Callable,
    Iterator,
    Mapping,
    NamedTuple,
    Protocol,
    Sequence,
    TypeVar,
)

import rclpy
from rcl_interfaces.msg import SetParametersResult
from rclpy.lifecycle import LifecycleNode, LifecycleState, TransitionCallbackReturn
from rclpy.parameter import Parameter
from rclpy.qos import QoSProfile
from rclpy.service import Service
from rclpy.signals import SignalHandlerOptions

from biped_slip.child_processes import ask_again, deaf
from biped_slip.config import Configuration, Limits, configuration, parameter
from biped_slip.errors import BipedSlipError
from biped_slip.estimation.readings import NamedCounter, Problem
from biped_slip.ros.dds import Polled, PolledSubscription, overridable
from biped_slip.ros.diagnostics import Diagnostics, Status
from biped_slip.ros.parameters import declare_configuration

STEPS = 200  # over which rates are counted (choice)


class StartLine:
    """Report of a node's topics and their rates in the first steps after a start."""

    def __init__(self) -> None:
        self._first: dict[str, int] = {}
        self._before: dict[str, int] = {}
        self._counts: dict[str, int] = {}
        self._steps = 0

    def heard(self, stamps: Mapping[str, int]) -> str:
        """Record the newest stamps [ns] by topic.

        Return the report when it is due, else an empty text.
        """
        self._steps += 1
        for topic, stamp in stamps.items():
            self._first.setdefault(topic, stamp)
            self._counts[topic] = self._counts.get(topic, -1) + (
                stamp != self._before.get(topic)
            )
        self._before = dict(stamps)
        if self._steps != STEPS + 1:
            return ""
        return (
            "hears "
            f"{', '.join(f'{topic} {self._rate(topic)}' for topic in sorted(stamps))}"
        )

    def _rate(self, topic: str) -> str:
        passed = 1e-9 * (self._before[topic] - self._first[topic])
        return f"{self._counts[topic] / passed:.0f} Hz" if passed > 0.0 else "once"


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
ENDING = tuple(
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
        for number in ENDING:
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
        for number in ENDING:
            signal.signal(number, signal.SIG_IGN)

    def _end(self, number: int, frame: FrameType | None) -> None:
        if self._raises and not self.reason and deaf(frame):
            ask_again(number)
        elif not self.reason:
            self.reason = _name(number)
            if self._raises:
                raise KeyboardInterrupt


# Real-time settings of a process, on request and with permission.
#
# The priority comes last, when everything is loaded and compiled: Linux lets all
# real-time threads of a core run for 0.95 s of a second; who has loaded at such a
# priority until the walk begins is stopped for up to half a second of it.

PRIORITY = "--realtime-priority"
CPU = "--cpu"
# MCL_CURRENT, FUTURE, ONFAULT of mlockall(2): the first step reserves 32 MB, up to 0.1
# s to fill
_LOCK_ALL = 7
_TIMER_SLACK = 29  # PR_SET_TIMERSLACK of prctl(2)
# [bytes] of a huge page; MADV_COLLAPSE of madvise(2), since Linux 6.1
_HUGE = 2 << 20
_COLLAPSE = 25


class Prepared(NamedTuple):
    """Real-time settings that were granted."""

    note: str  # one sentence on what was asked for and can't be had; otherwise empty
    priority: int | None  # for :func:`hurry`


def prepare(arguments: Sequence[str]) -> Prepared:
    """Apply ``--realtime-priority N`` and ``--cpu N``.

    The first means locked memory and exact timers, but N is not set yet; the second
    means one core alone.
    """
    notes = []
    try:
        cpu, priority = _number(arguments, CPU), _number(arguments, PRIORITY)
    except ValueError as error:
        return Prepared(f"{error}; the loop runs without real-time settings", None)
    libc = ctypes.CDLL(None)
    if cpu is not None:
        notes += _tried(f"core {cpu} alone", lambda: os.sched_setaffinity(0, {cpu}))
    if priority is not None:
        before = os.sched_getscheduler(0), os.sched_getparam(0)
        refused = _tried(
            f"real-time priority {priority}", lambda: _set_priority(0, priority)
        )
        notes += refused
        if refused:
            priority = None
        else:
            os.sched_setscheduler(0, *before)
        if libc.mlockall(_LOCK_ALL):
            notes.append("locked memory")
        libc.prctl(_TIMER_SLACK, 1)
    return Prepared(
        f"no right to {' and '.join(notes)}; the loop runs without" if notes else "",
        priority,
    )


def hurry(priority: int | None, yields: bool = False) -> None:
    """Set the FIFO priority of all threads, DDS included.

    With ``yields`` they get what comes next below any FIFO priority. Memory is put into
    huge pages.
    """
    if priority is None:
        return
    libc = ctypes.CDLL(None)
    for line in (
        Path("/proc/self/maps")
        .read_text(encoding="utf-8", errors="replace")
        .split("\n")[:-1]
    ):
        place, rights, _, _, file, *_ = line.split()
        begin, end = (int(address, 16) for address in place.split("-"))
        for page in range(-(-begin // _HUGE) * _HUGE, end - _HUGE + 1, _HUGE):
            if rights == "rw-p" and file == "0":  # memory of its own
                libc.madvise(ctypes.c_void_p(page), ctypes.c_size_t(_HUGE), _COLLAPSE)
    for thread in os.listdir("/proc/self/task"):
        with contextlib.suppress(ProcessLookupError):  # it has just ended
            os.setpriority(
                os.PRIO_PROCESS, int(thread), -20
            ) if yields else _set_priority(int(thread), priority)


def _set_priority(thread: int, priority: int) -> None:
    os.sched_setscheduler(thread, os.SCHED_FIFO, os.sched_param(priority))


def _tried(what: str, act: object) -> list[str]:
    try:
        act()  # type: ignore[operator]
    except (OSError, ValueError) as error:
        return [f"{what} ({getattr(error, 'strerror', None) or error})"]
    return []


def _number(arguments: Sequence[str], option: str) -> int | None:
    if option not in arguments:
        return None
    position = list(arguments).index(option) + 1
    if position == len(arguments) or not arguments[position].isdecimal():
        raise ValueError(f"{option} needs a whole number")
    return int(arguments[position])


# things that are served in one look: each delays a loop by some tenths of a millisecond
# (choice)
AT_ONCE = 5


class BackgroundExecutor:
    """Executor of a node's services, parameters and clock beside its loop.

    The loop gives them their turns.
    """

    def __init__(self, node: RobotNode) -> None:
        self._node = node
        self._turn = 0

    def serve(self) -> None:
        """Serve a few of the requests and messages that wait."""
        heard = [
            each
            for each in self._node.subscriptions
            if not isinstance(each.callback_group, Polled)
        ]
        turns = deque([*self._node.services, *heard])
        left = AT_ONCE
        self._turn = self._turn + 1
        turns.rotate(self._turn)
        while turns and left:
            if self._served(entity := turns.popleft()):
                turns.append(
                    entity
                )  # a flood of requests to one keeps no other waiting
                left -= 1

    def _served(self, entity: Any) -> bool:
        """Serve one request or message that waits.

        rclpy's executors and wait sets take seven times as long to find that there is
        none.
        """
        if not isinstance(entity, Service):
            if (
                taken := entity.handle.take_message(entity.msg_type, entity.raw)
            ) is not None:
                entity.callback(taken[0])
            return taken is not None
        request, header = entity.handle.service_take_request(entity.srv_type.Request)
        if header is None:
            return False
        answer = entity.srv_type.Response()
        try:
            answer = entity.callback(request, answer)
        except Exception as error:
            # a transition that is impossible now, for one; the client gets an answer
            self._node.skip(
                Problem("failed service", f"{type(error).__name__}: {error}")
            )
        entity.send_response(answer, header)
        return True


@dataclasses.dataclass
class _Watched:
    """Configuration of which some fields are live."""

    config: Any
    apply: Callable[[Any], None]
    prefix: str
    limits: dict[str, Limits]  # of the live fields


class LiveParameters:
    """Handler of parameter changes.

    While the node is active, some change freely, others only towards their safe side.

    What is not watched is left to its descriptor.
    """

    def __init__(self, node: Any) -> None:
        self._node = node
        self._watched: list[_Watched] = []
        node.add_on_set_parameters_callback(self._set)

    def watch(
        self, config: Configuration, apply: Callable[[Any], None], prefix: str = ""
    ) -> None:
        """Pass changes of a configuration's parameters to ``apply``.

        Nested ones are left out.
        """
        limits = {
            name: limit
            for name, _, limit in config.flat()
            if "." not in name and limit.live
        }
        self._watched.append(_Watched(config, apply, prefix, limits))

    def _set(self, changes: list[Parameter]) -> SetParametersResult:
        changed: dict[int, Configuration] = {}
        if self._node.active and any(
            change.name == "use_sim_time" for change in changes
        ):
            return SetParametersResult(
                successful=False,
                reason="use_sim_time may not change while the node is active",
            )
        for change in changes:
            for number, (watched, name) in enumerate(
                (one, change.name.removeprefix(one.prefix)) for one in self._watched
            ):
                if (
                    not change.name.startswith(watched.prefix)
                    or name not in watched.limits
                ):
                    continue
                config = changed.get(number, watched.config)
                refusal = self._refusal(
                    change, getattr(config, name), watched.limits[name]
                )
                if refusal:
                    return SetParametersResult(successful=False, reason=refusal)
                changed[number] = dataclasses.replace(config, **{name: change.value})  # type: ignore[type-var]
                break
        for number, config in changed.items():
            self._watched[number].config = config
            self._watched[number].apply(config)
        return SetParametersResult(successful=True)

    def _refusal(self, change: Parameter, now: float, limits: Limits) -> str:
        """Explain why a change is not accepted; empty when it is."""
        if not isinstance(change.value, float) or not limits.contains(change.value):
            return f"{change.name} must be {limits}"
        away = (change.value - now) * {"lower": 1.0, "higher": -1.0}.get(
            limits.safe_direction, 0.0
        )
        if self._node.active and away > 0.0:
            return (
                f"{change.name} may only get {limits.safe_direction} than {now:g} "
                "while the node is active"
            )
        return ""


SERVICE_PERIOD = 0.05  # [s] between two looks at services and parameters
CHORE_GAP = 2e-4  # [s] without work, after which there is time for such a look
# [s] for one message of a robot; in a longer one the loop may have stood still (choice)
LONGEST_WAIT = 2e-3
DONE = object()
IDLE_PERIOD = 0.01  # [s] the same while nothing else is to be done
MODES = ("real-time", "lockstep")


class Closable(Protocol):
    """Resource that a node has opened."""

    def close(self) -> None:
        """Close the resource."""
        ...


Opened = TypeVar("Opened", bound=Closable)


@configuration
class NodeConfig(Configuration):
    """Parameters that every node has."""

    autostart: bool = parameter(True, doc="configure and activate at once")
    mode: str = parameter(
        "real-time",
        choices=MODES,
        doc="act on every joint_states, or on complete sets of inputs",
    )
    timeout: float = parameter(
        1.0,
        unit="s",
        above=0.0,
        high=3600.0,
        doc="without an answer before it is an error",
        formerly="patience",
    )
    diagnostics_period: float = parameter(
        1.0,
        unit="s",
        low=0.3,
        high=60.0,
        source="REP 107",
        doc="between two messages on /diagnostics",
        read_only=False,
    )


# share of the time, [s], [s] between two looks at it (choice)
REST = 0.2
PAUSE = 1e-3
LOOK = 4e-3


class Rest:
    """Pauses of a loop that is never in time.

    Linux stops for 50 ms who takes more than 0.95 of a core.
    """

    def __init__(self) -> None:
        self._seen = 0.0
        self._busy = 0.0
        self._owed = 0.0

    def due(self, now: float, clock: Callable[[], float] = time.thread_time) -> float:
        """Return the pause [s] that is due now [s].

        The clock shows the processor time of the loop's thread [s].
        """
        if now - self._seen < LOOK and self._owed <= PAUSE:
            return 0.0
        busy = clock()
        seen = now - self._seen
        idle = (now - self._seen) - (busy - self._busy)
        self._seen = now
        self._busy = busy
        self._owed = min(max(self._owed + REST * seen - idle, 0.0), 2.0 * PAUSE)
        return PAUSE if self._owed > PAUSE else 0.0


class RobotNode(LifecycleNode):
    """A lifecycle node whose data is polled by its own loop.

    Services are served in between.

    Subclasses override ``build``, ``begin``, ``wait``, ``work`` and ``make_safe``; what
    ``build`` opens by ``opened``, ``subscribe`` and ``advertise`` is closed with the
    configuration.
    """

    # on a core that it shares: Linux stops those in a hurry there for 50 ms a second if
    # they fill it
    yields = False

    def __init__(self, name: str, **options: Any) -> None:
        super().__init__(name, **options)
        self.active = False
        self.configured = False  # everything that ``build`` makes is there
        self._unsafe = False  # outputs have been live and are not known to be safe
        self.live = LiveParameters(self)
        self.settings = declare_configuration(self, NodeConfig())
        self.live.watch(
            self.settings, lambda settings: setattr(self, "settings", settings)
        )
        self.skipped: Counter[str] = NamedCounter()
        self.status = Status("idle")
        self.clock: Callable[[], float] = time.monotonic  # [s] for ages and silences
        # [s] when the last wait ended; whether for one message
        self.woke = 0.0
        self.waited = False
        self.exit_code: int | None = None  # set: the process ends
        self.ending = Ending()  # of the process, where there is one
        self.priority: int | None = None  # FIFO, of the process while it is active
        self._rest = Rest()
        self._start_line: StartLine | None = None
        self._diagnostics = Diagnostics(self)
        self._diagnosed = -math.inf
        self._telling: Iterator[None] | None = None
        self._open = contextlib.ExitStack()

    def build(self) -> None:
        """Build the node's objects from its parameters; BipedSlipError refuses them."""

    def begin(self) -> None:
        """Start the active state; BipedSlipError refuses."""

    def wait(self, now: float, timeout: float) -> None:
        """Wait for inputs from now [s, steady clock] for at most a time [s]."""
        time.sleep(timeout)

    def work(self, now: float) -> None:
        """Process the inputs due now [s, steady clock], and publish the outputs."""

    def make_safe(self) -> None:
        """Set every output to a safe state, whenever the active state ends."""

    def opened(self, thing: Opened) -> Opened:
        """Register a resource to be closed on release."""
        self._open.callback(thing.close)
        return thing

    def subscribe(
        self, kind: type[Any], topic: str, qos: QoSProfile, raw: bool = False
    ) -> PolledSubscription:
        """Open a subscription that this node polls."""
        return self.opened(PolledSubscription(self, kind, topic, qos, raw=raw))

    def advertise(
        self, kind: type[Any], topic: str, qos: QoSProfile | int, **options: Any
    ) -> Any:
        """Open a publisher that is silent while the node is inactive.

        Its quality of service may be overridden.
        """
        made = self.create_lifecycle_publisher(
            kind, topic, qos, **{"qos_overriding_options": overridable(), **options}
        )
        self._open.callback(self.destroy_lifecycle_publisher, made)
        return made

    def sleep_until(self, due: float, timeout: float) -> None:
        """Wait until a time of the node's clock [s], at most for a time [s]."""
        time.sleep(min(max(due - self.clock(), 0.0), timeout))

    def release(self) -> None:
        """Close the resources of ``build``."""
        self.configured = False
        self._open.close()

    def housekeep(self) -> None:
        """Process occasional tasks beside the loop, in short pieces.

        Diagnostics are such a task.
        """
        now = time.monotonic()
        if (
            self._telling is None
            and now - self._diagnosed > self.settings.diagnostics_period
        ):
            self._diagnosed, self._telling = now, self._tell_diagnostics()
        if self._telling is not None and next(self._telling, DONE) is DONE:
            self._telling = None

    def _tell_diagnostics(self) -> Iterator[None]:
        """Publish diagnostics and collect their garbage.

        This is done in pieces that delay a loop little.
        """
        try:
            counters = self.counters()
        except Exception as error:  # of a node's counters: they silence no diagnosis
            counters = {"counters": f"{type(error).__name__}: {error}"}
        yield from self._diagnostics.publish(self.status, {**counters, **self.skipped})
        gc.collect()

    def counters(self) -> dict[str, int | str]:
        """List counters of diagnostics beside the skipped samples."""
        return {}

    def on_configure(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Configure the node; a refusal is one sentence in the log."""
        try:
            self.build()
        except BipedSlipError as error:
            self.release()
            self.report(str(error), "refused")
            return TransitionCallbackReturn.FAILURE
        self.configured = True
        self.status = Status("inactive")
        return super().on_configure(state)

    def on_activate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Activate the node and its outputs."""
        result = super().on_activate(state)
        self.status = Status("waiting for input")
        self._start_line = StartLine()
        gc.collect()
        gc.freeze()  # later collections skip everything that exists by now
        gc.disable()  # and happen beside the loop, with the diagnostics
        hurry(self.priority, self.yields)
        self.active = self._unsafe = True
        self.ending.only_noted()
        try:
            self.begin()
        except BipedSlipError as error:
            self._stop()
            self.report(str(error), "refused")
            return TransitionCallbackReturn.FAILURE
        gc.collect()
        gc.freeze()  # what a rehearsal left as well: 3 ms of every collection
        self.get_logger().info("active, waiting for input")
        return result

    def on_deactivate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Deactivate the node: outputs are made safe, then silent."""
        self._stop()
        self.status = Status("inactive")
        return super().on_deactivate(state)

    def on_cleanup(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Return to the state before configuration."""
        self.release()
        self.status = Status("idle")
        return super().on_cleanup(state)

    def on_shutdown(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Shut the node down with safe outputs."""
        self._stop()
        self.release()
        self.exit_code = 0
        return super().on_shutdown(state)

    def on_error(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Handle an unexpected failure in a transition.

        The outputs are made safe, and the node goes back to before configuration.
        """
        self._stop()
        self.release()
        self.report(f"{state.label}: transition failed unexpectedly", "fault")
        return TransitionCallbackReturn.SUCCESS

    def report(self, sentence: str, word: str, problem: str = "") -> None:
        """Report an error as one sentence, while it lasts.

        The sentence is in the log and in /diagnostics.
        """
        before = self.status
        self.status = Status(word, sentence, healthy=False, problem=problem or word)
        if self.status != before:
            self.get_logger().error(sentence)

    def skip(self, problem: Problem) -> None:
        """Skip a sample that cannot be used.

        It is counted, named in /diagnostics, and in the log the first time.
        """
        sentence = str(problem)
        if not self.skipped[sentence]:
            self.get_logger().error(f"skipped: {sentence}")
        self.skipped[sentence] += 1
        self.status = Status(
            "skipping input", sentence, healthy=False, problem=problem.name
        )

    def awaits(self, topics: Sequence[str]) -> None:
        """Report inputs that have not come yet.

        They are in /diagnostics, and after a while in the log.
        """
        sentence = f"waiting for {', '.join(topics)}"
        if self.status.sentence != sentence:
            self.status = Status(
                "waiting for input",
                sentence,
                healthy=False,
                problem="waiting for input",
            )

    def hears(self, stamps: Mapping[str, int]) -> None:
        """Record the newest stamps [ns] by topic; log the rates once after a start."""
        if self._start_line is not None and (line := self._start_line.heard(stamps)):
            self.get_logger().info(line)
            self._start_line = None

    def well(self, word: str) -> None:
        """Report a state without a problem."""
        if self.status.word != word:
            self.status = Status(word)

    def run(self) -> int:
        """Run the node until shut down; return the exit code."""
        background_executor = BackgroundExecutor(self)
        if self.settings.autostart and not self._start():
            return 1
        served = now = self.clock()
        while self.exit_code is None and not self.ending.reason:
            due = served + SERVICE_PERIOD
            if self.active:
                idle = self.step(SERVICE_PERIOD if now < due else CHORE_GAP)
                now = self.woke
                if now < due or (not idle and now < due + SERVICE_PERIOD):
                    # nothing is due, or an input has just been answered: first those
                    # that wait for the answer
                    continue
            self._serve(background_executor)
            served = now = self.clock()
        return int(self.exit_code or 0)

    def _serve(self, background_executor: BackgroundExecutor) -> None:
        """Serve services, parameters and diagnostics; if they fail the loop goes on."""
        if not self.active:
            time.sleep(IDLE_PERIOD)
        if not self.context.ok():  # shut down from outside
            self.exit_code = 1
            return
        self._survived(background_executor.serve)
        if not self._survived(
            self.housekeep
        ):  # which a service that fails every time does not keep from telling so
            self._telling = None

    def _survived(self, look: Callable[[], None]) -> bool:
        """Return whether nothing failed: a callback, a time source, a publisher."""
        try:
            look()
        except Exception as error:
            if not self.context.ok():
                raise
            self.skip(Problem("failed service", f"{type(error).__name__}: {error}"))
            return False
        return True

    def end(self) -> None:
        """End the node with safe outputs; wait until the last command has arrived."""
        try:
            self._stop()
        except Exception as error:  # of the outputs themselves
            self.report(
                f"the outputs could not be made safe: {type(error).__name__}: {error}",
                "fault",
            )
        self.destroy_node()

    def _start(self) -> bool:
        done = TransitionCallbackReturn.SUCCESS
        return self.trigger_configure() == done and self.trigger_activate() == done

    def step(self, timeout: float = SERVICE_PERIOD) -> bool:
        """Wait for inputs at most for a time [s] and process them.

        Return whether none came. Errors become faults.
        """
        begin = self.clock()
        before = self.woke
        self.woke = begin
        try:
            if self.priority is not None and (pause := self._rest.due(begin)):
                time.sleep(pause)
                begin = self.clock()
            self.wait(begin, timeout)
            self.woke = self.clock()
            self.waited = (
                begin - before < self.woke - begin < LONGEST_WAIT
            )  # longer than it worked: it is in time
            self.work(self.woke)
        except BipedSlipError as error:
            self.fail(str(error))
        except (
            Exception
        ) as error:  # whatever happens, the joints must not keep their last torque
            self.fail(f"unexpected {type(error).__name__}: {error}")
        return self.woke - begin >= timeout

    def fail(self, sentence: str) -> None:
        """Deactivate the node with safe outputs after a failure.

        Activation recovers it.
        """
        self.trigger_deactivate()
        self.report(sentence, "fault")

    def _stop(self) -> None:
        self.active = False
        if self._unsafe:  # an interrupted stop is done again
            self.make_safe()
            self._unsafe = False


def serve(make: Callable[[], RobotNode], arguments: Sequence[str] | None = None) -> int:
    """Run a node as a process that signals end with safe outputs.

    Return the exit code.
    """
    prepared = prepare(sys.argv[1:] if arguments is None else arguments)
    shared = (
        len(os.sched_getaffinity(0)) == 1
    )  # core, with whoever else has been given no other
    try:
        rclpy.init(args=arguments, signal_handler_options=SignalHandlerOptions.NO)
    except Exception as error:  # of the words after --ros-args
        print(f"{' '.join(str(error).split())[:500]}", file=sys.stderr)
        return 2
    ending = Ending()
    ending.install()
    node = None
    try:
        node = make()
        node.ending = ending
        node.priority = prepared.priority
        node.yields = node.yields and shared
        if prepared.note:
            node.get_logger().info(prepared.note)
        return node.run()
    except KeyboardInterrupt:
        return 0
    except BipedSlipError as error:
        rclpy.logging.get_logger("biped_slip").error(str(error))
        return 1
    except Exception as error:
        rclpy.logging.get_logger("biped_slip").error(
            f"unexpected {type(error).__name__}: {error}"
        )
        return 1
    finally:
        ending.begins()  # nothing must stop the zero effort
        if node is not None:
            node.end()
        rclpy.try_shutdown()

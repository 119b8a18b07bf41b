# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Base of all nodes: lifecycle, and a loop without executor.

The loop waits for inputs and works; what else a node serves (``services.py``) comes in
between, in short looks. Whatever ends it (``endings.py``), its outputs are made safe.
"""

from __future__ import annotations

import contextlib
import gc
import math
import os
import sys
import time
from collections import Counter
from functools import partial
from typing import (
    Any,
    Callable,
    Iterable,
    Iterator,
    Mapping,
    Protocol,
    Sequence,
    TypeVar,
)

import rclpy
from rclpy.lifecycle import LifecycleNode, LifecycleState, TransitionCallbackReturn
from rclpy.qos import QoSProfile
from rclpy.signals import SignalHandlerOptions

from biped_slip.config import Configuration, configuration, parameter
from biped_slip.errors import BipedSlipError, missing_extra
from biped_slip.errors import sentence as bounded_sentence
from biped_slip.estimation.readings import NamedCounter, Problem
from biped_slip.ros.dds import (
    SENDS_NO_EVENTS,
    PolledSubscription,
    opening,
    overridable,
)
from biped_slip.ros.diagnostics import Diagnostics, StartLine, Status
from biped_slip.ros.endings import Ending
from biped_slip.ros.parameters import declare_configuration
from biped_slip.ros.realtime import Rest, hurry, prepare
from biped_slip.ros.services import BackgroundExecutor, LiveParameters

SERVICE_PERIOD = 0.05  # [s] between two looks at services and parameters (choice)
CHORE_GAP = 2e-4  # [s] without work, after which there is time for such a look
# [s] for one message of a robot; in a longer one the loop may have stood still (choice)
LONGEST_WAIT = 2e-3
DONE = object()
# [s] after which topics that nobody serves are named (choice)
UNSERVED_AFTER = 2.0
MOST_UNSERVED = 5  # of them with what there is instead
IDLE_PERIOD = 0.01  # [s] the same while nothing else is to be done
LOOP_MODES = ("real-time", "lockstep")


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
        choices=LOOP_MODES,
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
    # [s] between two looks at services and parameters while the node is active
    service_period = SERVICE_PERIOD

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
        self.behind: set[int | None] = set()  # threads that give way to the loop
        self._needed: list[PolledSubscription] = []  # inputs that somebody must publish
        self._of_one_sender: list[PolledSubscription] = []
        self._activated = math.inf  # [s] steady clock
        self._named_missing: list[
            str
        ] = []  # topics that nobody serves, as they were named
        self.instead = ""  # the first of these sentences
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
        self,
        kind: type[Any],
        topic: str,
        qos: QoSProfile,
        raw: bool = False,
        needed: bool = True,
    ) -> PolledSubscription:
        """Open a subscription that this node polls.

        It is named when nobody publishes it, unless it is not needed.
        """
        box = self.opened(PolledSubscription(self, kind, topic, qos, raw=raw))
        if needed:
            self.needs([box])
        return box

    def needs(self, boxes: Iterable[PolledSubscription]) -> None:
        """Name these subscriptions when nobody publishes them."""
        self._needed += boxes

    def of_one_sender(self, boxes: Iterable[PolledSubscription]) -> None:
        """Name several nodes that publish one of these."""
        self._of_one_sender += boxes

    def advertise(
        self, kind: type[Any], topic: str, qos: QoSProfile | int, **options: Any
    ) -> Any:
        """Open a publisher that is silent while the node is inactive.

        Its quality of service may be overridden.
        """
        with opening(topic, kind):
            made = self.create_lifecycle_publisher(
                kind,
                topic,
                qos,
                **{
                    "qos_overriding_options": overridable(),
                    "event_callbacks": SENDS_NO_EVENTS,
                    **options,
                },
            )
        self._open.callback(self.destroy_lifecycle_publisher, made)
        return made

    def sleep_until(self, due: float, timeout: float) -> None:
        """Wait until a time of the node's clock [s], at most for a time [s]."""
        time.sleep(min(max(due - self.clock(), 0.0), timeout))

    def release(self) -> None:
        """Close the resources of ``build``."""
        self.configured = False
        self._needed = []
        self._of_one_sender = []
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
            self._diagnosed = now
            self._telling = self._tell_diagnostics()
            if self.active and now - self._activated > UNSERVED_AFTER:
                self._name_unserved()
                self._name_crowded()
        if self._telling is not None and next(self._telling, DONE) is DONE:
            self._telling = None

    def _name_unserved(self) -> None:
        """Name topics that nobody serves, and those that there are instead.

        They are in the log once, and looked for again when they are others.
        """
        missing = self.without_partner()
        if list(missing) == self._named_missing:
            return
        self._named_missing = list(missing)
        named = list(missing.values())[:MOST_UNSERVED]
        sentences = [sentence for say in named if (sentence := say())]
        for sentence in sentences:
            self.get_logger().warning(bounded_sentence(sentence))
        if len(missing) > len(named):
            others = ", ".join(self._named_missing[len(named) :])
            self.get_logger().warning(
                bounded_sentence(f"nor is there one for {others}")
            )
        self.instead = f"; {sentences[0]}" if sentences else ""

    def _name_crowded(self) -> None:
        """Name inputs of one sender that have several, as long as they do.

        A floor that two estimators know differently changes with each message.
        """
        for box in self._of_one_sender:
            if box.senders() > 1:
                from biped_slip.ros.graph import crowded  # where several are

                if sentence := crowded(self, box.full_name):
                    self.note(Problem("second publisher", sentence))

    def note(self, problem: Problem) -> None:
        """Count what is wrong; it is in the log once, and in /diagnostics."""
        sentence = bounded_sentence(str(problem))
        if not self.skipped[sentence]:
            self.get_logger().warning(sentence)
        self.skipped[sentence] += 1

    def without_partner(self) -> dict[str, Callable[[], str]]:
        """Return topics that nobody serves, each with what says so in a sentence."""
        missing = [box for box in self._needed if not box.senders()]
        return {box.full_name: partial(self._unserved, box) for box in missing}

    def _unserved(self, box: PolledSubscription) -> str:
        from biped_slip.ros.graph import type_name, unserved  # where one is missing

        return unserved(self, box.full_name, type_name(box.kind), box.quality)

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
        hurry(self.priority, self.yields, self.behind)
        self.active = self._unsafe = True
        self._named_missing = []
        self.instead = ""
        self.ending.only_noted()
        try:
            self.begin()
        except BipedSlipError as error:
            self._stop()
            self.report(str(error), "refused")
            return TransitionCallbackReturn.FAILURE
        self._activated = time.monotonic()  # what begins may take seconds
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
        sentence = bounded_sentence(str(problem))
        if not self.skipped[sentence]:
            self.get_logger().error(f"skipped: {sentence}")
        self.skipped[sentence] += 1
        self.status = Status(
            "skipping input", sentence, healthy=False, problem=problem.name
        )

    def awaits(self, topics: Sequence[str]) -> None:
        """Report inputs that have not come yet.

        They are in /diagnostics; where nobody publishes one, after a while with what
        there is instead, in the log as well.
        """
        sentence = bounded_sentence(f"waiting for {', '.join(topics)}{self.instead}")
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
        try:
            return self._until_ended(background_executor)
        finally:
            background_executor.close()

    def _until_ended(self, background_executor: BackgroundExecutor) -> int:
        if self.settings.autostart and not self._start():
            return 1
        served = now = self.clock()
        while self.exit_code is None and not self.ending.reason:
            due = served + self.service_period
            if self.active:
                idle = self.step(self.service_period if now < due else CHORE_GAP)
                now = self.woke
                if now < due or (not idle and now < due + self.service_period):
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
        # which a service that fails every time does not keep from telling so
        if not self._survived(self.housekeep):
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
            # longer than it worked: it is in time
            self.waited = begin - before < self.woke - begin < LONGEST_WAIT
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
    # core, with whoever else has been given no other
    shared = len(os.sched_getaffinity(0)) == 1
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
        said = error
        if isinstance(error, ModuleNotFoundError):
            said = missing_extra("this node", error)
        rclpy.logging.get_logger("biped_slip").error(
            str(said)
            if isinstance(said, BipedSlipError)
            else f"unexpected {type(error).__name__}: {error}"
        )
        return 1
    finally:
        ending.begins()  # nothing must stop the zero effort
        if node is not None:
            node.end()
        rclpy.try_shutdown()

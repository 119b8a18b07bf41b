# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""What all nodes share: lifecycle with autostart, a loop without executor for data, diagnostics, a clean end."""

from __future__ import annotations

import gc
import math
import sys
import time
from collections import Counter
from typing import Any, Callable, Iterator, Mapping, Sequence

import rclpy
from rclpy.lifecycle import LifecycleNode, LifecycleState, TransitionCallbackReturn
from rclpy.signals import SignalHandlerOptions

from biped_slip.config import Configuration, configuration, parameter
from biped_slip.errors import BipedSlipError
from biped_slip.estimation.named_counter import NamedCounter
from biped_slip.estimation.problem import Problem
from biped_slip.ros.parameters.declare import declare_configuration
from biped_slip.ros.parameters.live_parameters import LiveParameters
from biped_slip.ros.runtime.background_executor import BackgroundExecutor
from biped_slip.ros.runtime.diagnostics import Diagnostics, Status
from biped_slip.ros.runtime.pacing import MODES
from biped_slip.ros.runtime.realtime import hurry, prepare
from biped_slip.ros.runtime.signals import Ending
from biped_slip.ros.runtime.start_line import StartLine

SERVICE_PERIOD = 0.05  # [s] between two looks at services, parameters and timers
CHORE_GAP = 2e-4  # [s] without work, after which there is time for such a look
DONE = object()
IDLE_PERIOD = 0.05  # [s] the same while nothing else is to be done


@configuration
class NodeConfig(Configuration):
    """Parameters that every node has."""

    autostart: bool = parameter(True, doc="configure and activate at once")
    mode: str = parameter("real-time", choices=MODES, doc="act on every joint_states, or on complete sets of inputs")
    patience: float = parameter(1.0, unit="s", above=0.0, high=3600.0, doc="without an answer before it is an error")
    diagnostics_period: float = parameter(
        1.0, unit="s", low=0.3, high=60.0, source="REP 107", doc="between two messages on /diagnostics", read_only=False
    )


class RobotNode(LifecycleNode):
    """A lifecycle node whose data is polled by its own loop; services and timers are served in between.

    Subclasses override ``build``, ``begin``, ``wait``, ``work``, ``make_safe`` and ``release``.
    """

    def __init__(self, name: str, **options: Any) -> None:
        super().__init__(name, **options)
        self.active = False
        self._unsafe = False  # outputs have been live and are not known to be safe
        self.live = LiveParameters(self)
        self.settings = declare_configuration(self, NodeConfig())
        self.live.watch(self.settings, self._resettle)
        self.skipped: Counter[str] = NamedCounter()
        self.status = Status("idle")
        self.clock: Callable[[], float] = time.monotonic  # [s] for ages and silences
        self.exit_code: int | None = None  # set: the process ends
        self.ending = Ending()  # of the process, where there is one
        self.priority: int | None = None  # FIFO, of the process while it is active
        self._start_line = StartLine()
        self._diagnostics = Diagnostics(self)
        self._diagnosed = -math.inf
        self._telling: Iterator[None] | None = None

    def build(self) -> None:
        """Make everything that the parameters describe; BipedSlipError refuses them."""

    def begin(self) -> None:
        """Outputs go live."""

    def wait(self, timeout: float) -> None:
        """Wait for work for at most a time [s]."""
        time.sleep(timeout)

    def work(self) -> None:
        """Do what is due."""

    def make_safe(self) -> None:
        """Leave every output in a safe state; called on every way out of the active state."""

    def release(self) -> None:
        """Give back what ``build`` made."""

    def housekeep(self) -> None:
        """What is done now and then, beside the loop: one short piece of the diagnostics."""
        now = time.monotonic()
        if self._telling is None and now - self._diagnosed > self.settings.diagnostics_period:
            self._diagnosed, self._telling = now, self._tell_diagnostics()
        if self._telling is not None and next(self._telling, DONE) is DONE:
            self._telling = None

    def diagnose(self) -> None:
        """Publish how the node is, now."""
        for _ in self._tell_diagnostics():
            pass

    def _tell_diagnostics(self) -> Iterator[None]:
        """Diagnostics, and the collection of what they leave behind, in pieces that delay a loop little."""
        yield from self._diagnostics.publish(self.status, {**self.counters(), **self.skipped})
        gc.collect()

    def _resettle(self, settings: NodeConfig) -> None:
        self.settings = settings

    def counters(self) -> dict[str, int | str]:
        """What diagnostics count or say beside the skipped samples."""
        return {}

    def on_configure(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Build; a refusal is one sentence in the log."""
        try:
            self.build()
        except BipedSlipError as error:
            self.release()
            self.report(str(error), "refused")
            return TransitionCallbackReturn.FAILURE
        self.status = Status("inactive")
        return super().on_configure(state)

    def on_activate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Outputs go live."""
        result = super().on_activate(state)
        self.status = Status("waiting for input")
        self._start_line.reset()
        gc.collect()
        gc.freeze()  # later collections skip everything that exists by now
        gc.disable()  # and happen beside the loop, with the diagnostics
        hurry(self.priority)
        self.active = self._unsafe = True
        self.ending.only_noted()
        self.begin()
        self.get_logger().info("active, waiting for input")
        return result

    def on_deactivate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Outputs are made safe, then silent."""
        self._stop()
        self.status = Status("inactive")
        return super().on_deactivate(state)

    def on_cleanup(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Back to before configuration."""
        self.release()
        self.status = Status("idle")
        return super().on_cleanup(state)

    def on_shutdown(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Outputs are made safe; the process ends."""
        self._stop()
        self.release()
        self.exit_code = 0
        return super().on_shutdown(state)

    def on_error(self, state: LifecycleState) -> TransitionCallbackReturn:
        """An unexpected failure in a transition: safe outputs, back to before configuration."""
        self._stop()
        self.release()
        self.report(f"{state.label}: transition failed unexpectedly", "fault")
        return TransitionCallbackReturn.SUCCESS

    def report(self, sentence: str, word: str, problem: str = "") -> None:
        """An error: one sentence in the log while it lasts, and in /diagnostics."""
        before, self.status = self.status, Status(word, sentence, healthy=False, problem=problem or word)
        if self.status != before:
            self.get_logger().error(sentence)

    def skip(self, problem: Problem) -> None:
        """A sample that can't be used: counted, named in /diagnostics, and in the log the first time."""
        sentence = str(problem)
        if not self.skipped[sentence]:
            self.get_logger().error(f"skipped: {sentence}")
        self.skipped[sentence] += 1
        self.status = Status("skipping input", sentence, healthy=False, problem=problem.name)

    def awaits(self, topics: Sequence[str]) -> None:
        """Inputs that have never come; said in the log when the wait gets long, always in /diagnostics."""
        sentence = f"waiting for {', '.join(topics)}"
        if self.status.sentence != sentence:
            self.status = Status("waiting for input", sentence, healthy=False, problem="waiting for input")

    def hears(self, stamps: Mapping[str, int]) -> None:
        """The newest stamps [ns] by topic at a step; the rates of a healthy start go to the log, once."""
        if line := self._start_line.heard(stamps):
            self.get_logger().info(line)

    def well(self, word: str) -> None:
        """All is well."""
        if self.status.word != word:
            self.status = Status(word)

    def run(self) -> int:
        """Work until shut down; answers the exit code."""
        background_executor = BackgroundExecutor(self)
        if self.settings.autostart and not self._start():
            return 1
        served = time.monotonic()
        while self.exit_code is None and not self.ending.reason:
            due = served + SERVICE_PERIOD
            if self.active:
                begin = time.monotonic()
                self.step(SERVICE_PERIOD if begin < due else CHORE_GAP)
                now = time.monotonic()
                if now < due or (now - begin < CHORE_GAP and now < due + SERVICE_PERIOD):
                    continue  # nothing is due, or the loop is busy and may be so for a while
            self._serve(background_executor)
            served = time.monotonic()
        return int(self.exit_code or 0)

    def _serve(self, background_executor: BackgroundExecutor) -> None:
        """Services, parameters, timers and diagnostics; where they fail the loop goes on, as long as there is ROS."""
        self._survived(lambda: background_executor.serve(0.0 if self.active else IDLE_PERIOD))
        if not self._survived(self.housekeep):  # which a service that fails every time does not keep from telling so
            self._telling = None

    def _survived(self, look: Callable[[], None]) -> bool:
        """Whether nothing failed: a callback, a time source, a publisher."""
        try:
            look()
        except Exception as error:
            if not self.context.ok():
                raise
            self.skip(Problem("failed service", f"{type(error).__name__}: {error}"))
            return False
        return True

    def end(self) -> None:
        """Safe outputs, then gone; the last command is given time to arrive."""
        try:
            self._stop()
        except Exception as error:  # of the outputs themselves
            self.report(f"the outputs could not be made safe: {type(error).__name__}: {error}", "fault")
        self.destroy_node()

    def _start(self) -> bool:
        done = TransitionCallbackReturn.SUCCESS
        return self.trigger_configure() == done and self.trigger_activate() == done

    def step(self, timeout: float = SERVICE_PERIOD) -> None:
        """Wait for work at most for a time [s], do it; whatever goes wrong is a fault, never an exception."""
        try:
            self.wait(timeout)
            self.work()
        except BipedSlipError as error:
            self.fail(str(error))
        except Exception as error:  # whatever happens, the joints must not keep their last torque
            self.fail(f"unexpected {type(error).__name__}: {error}")

    def fail(self, sentence: str) -> None:
        """A fault: the node goes inactive with safe outputs; activating it again is the recovery."""
        self.trigger_deactivate()
        self.report(sentence, "fault")

    def _stop(self) -> None:
        self.active = False
        if self._unsafe:  # an interrupted stop is done again
            self.make_safe()
            self._unsafe = False


def serve(make: Callable[[], RobotNode], arguments: Sequence[str] | None = None) -> int:
    """Run a node as a process: signals end it with safe outputs; answers the exit code."""
    prepared = prepare(sys.argv[1:] if arguments is None else arguments)
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
        if prepared.note:
            node.get_logger().info(prepared.note)
        return node.run()
    except KeyboardInterrupt:
        return 0
    except BipedSlipError as error:
        rclpy.logging.get_logger("biped_slip").error(str(error))
        return 1
    except Exception as error:
        rclpy.logging.get_logger("biped_slip").error(f"unexpected {type(error).__name__}: {error}")
        return 1
    finally:
        ending.begins()  # nothing must stop the zero effort
        if node is not None:
            node.end()
        rclpy.try_shutdown()

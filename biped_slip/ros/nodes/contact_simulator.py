# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Node: simulated robot on its floor; publishes its sensors and takes joint efforts."""

from __future__ import annotations

import time
from collections import Counter
from typing import TYPE_CHECKING, Any, Iterable, Sequence

import numpy as np
from rclpy.node import Node
from rclpy.serialization import deserialize_message
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64, Float64MultiArray

from biped_slip.compile.arrays import Array
from biped_slip.config import Configuration, configuration, parameter, section
from biped_slip.contact.spill import spill_of
from biped_slip.control.tick_time import PERIODS, PeriodCheck, period_check
from biped_slip.errors import BipedSlipError, InvalidParameter
from biped_slip.estimation.readings import Problem
from biped_slip.reports.stances import closing_sentence, stance_rows
from biped_slip.robots.planar_biped import ROOTS
from biped_slip.ros.dds import COMMAND_QOS as QOS_COMMANDS
from biped_slip.ros.dds import (
    LOCKSTEP_INPUTS,
    OUTPUTS,
    RECORDS,
    SerialisedPublisher,
    Waiter,
    restamped,
)
from biped_slip.ros.live_floor import LiveFloor, SpillHereConfig
from biped_slip.ros.messages import (
    JointEfforts,
    SerialisedCommand,
    UnusableSample,
    answered_stamp,
    checked,
    set_time,
)
from biped_slip.ros.parameters import declare_configuration
from biped_slip.ros.rehearsal import AUTO, CHOSEN_PERIODS, PERIOD_CHOICES, PERIOD_WORDS
from biped_slip.ros.robot_node import RobotNode
from biped_slip.ros.simulated_robot import SimulatedBiped, SimulatedRobot
from biped_slip.simulation.kept_time import CommandGaps, KeptTime
from biped_slip.simulation.planar.scenario import ScenarioConfig, chosen_scenario
from biped_slip.walking.controller import PERIOD_LIMITS
from biped_slip.walking.planar import WORLD_PARTS_OF_SCENARIO

if TYPE_CHECKING:
    from biped_slip.simulation.humanoid.scenario import HumanoidWalkConfig

# of a robot as hardware behind ros2_control
STATES = "hardware/joint_states"
COMMAND_TOPIC = "hardware/joint_commands"


SAME_PERIOD = 1e-9  # [s] by which periods may differ


class CommandGate:
    """Selection of serialised commands.

    It is one per tick in lockstep, the newest in real time.
    """

    def __init__(self, joints: int, skipped: Counter[str]) -> None:
        self._joints = joints
        self._skipped = skipped
        self._ours = SerialisedCommand(joints)
        # instant [ns] that the newest command answers; -1: unknown
        self.last_refusal = ""
        self.answered_ns = -1

    def answer(self, commands: Iterable[bytes], stamp: int) -> Array | None:
        """Return the first valid command for a stamp [ns], or without one.

        Others are refused.
        """
        accepted = None
        for raw in commands:
            command = self._good(raw)
            if command is None:
                continue
            if accepted is not None or command.stamp_ns not in (None, stamp):
                self._refuse("second command of a tick")
            else:
                accepted = command.efforts
        return accepted

    def newest(self, commands: Iterable[bytes]) -> Array | None:
        """Return the newest valid command."""
        accepted = None
        for raw in commands:
            good = self._good(raw)
            if good is not None:
                accepted = good.efforts
                self.answered_ns = -1 if good.stamp_ns is None else good.stamp_ns
        return accepted

    def _good(self, raw: bytes) -> JointEfforts | None:
        try:
            return checked(self._ours.read(raw) or typed_command(raw), self._joints)
        except UnusableSample as unusable:
            self._refuse(str(unusable))
            return None

    def _refuse(self, why: str) -> None:
        self._skipped[why] += 1
        self.last_refusal = why


class JointCommandGate(CommandGate):
    """Selection of serialised joint commands of topic_based_ros2_control.

    Unclaimed joints have none.
    """

    def __init__(self, joints: Sequence[str], skipped: Counter[str]) -> None:
        super().__init__(len(joints), skipped)
        self._names = joints

    def _good(self, raw: bytes) -> JointEfforts | None:
        try:
            message = decoded(raw, JointState, COMMAND_TOPIC)
        except UnusableSample as unusable:
            self._refuse(str(unusable))
            return None
        efforts = dict(zip(message.name, message.effort, strict=False))
        found = np.array([efforts.get(joint, np.nan) for joint in self._names])
        return JointEfforts(None, found) if np.all(np.isfinite(found)) else None


def decoded(raw: bytes, kind: type[Any], name: str) -> Any:
    """Decode a serialised command of any sender.

    Raises:
        UnusableSample: these bytes are no such message.
    """
    try:
        return deserialize_message(raw, kind)
    except (RuntimeError, ValueError, MemoryError) as error:
        raise UnusableSample("undecodable message", name) from error


def typed_command(raw: bytes) -> JointEfforts:
    """Read the efforts of a typed command.

    Raises:
        UnusableSample: these bytes are no command.
    """
    message = decoded(raw, Float64MultiArray, "command")
    return JointEfforts(answered_stamp(message), np.array(message.data, dtype=float))


@configuration
class ScenarioChoice(Configuration):
    """Choice of the scenario that gives the defaults of all further parameters."""

    scenario: str = parameter(
        "thesis", doc="name of a shipped scenario, or a .yaml file"
    )
    variant: str = parameter(
        "", choices=("", *ROOTS), doc="robot variant; empty: the scenario's"
    )
    seed: int = parameter(
        -1,
        low=-1,
        high=2**31,
        doc="perturbs start and floor and draws the noise; -1: nominal",
    )
    contact: str = parameter(
        "",
        doc="contact law in place of the scenario's, e.g. mujoco; empty: the "
        "scenario's",
    )


def declare_world(node: Node) -> tuple[ScenarioChoice, ScenarioConfig]:
    """Declare the scenario with the simulator's part as parameters.

    The motion source with its sensors is declared, too.
    """
    choice = declare_configuration(node, ScenarioChoice())
    seed = choice.seed if choice.seed >= 0 else None
    scenario = chosen_scenario(
        choice.scenario, choice.variant or None, seed, choice.contact or None
    )
    others = tuple(
        name
        for name in scenario.to_mapping()
        if name not in (*WORLD_PARTS_OF_SCENARIO, "motion")
    )
    return choice, declare_configuration(node, scenario, without=others)


RECORD_PATIENCE = 1.0  # [s] for the last record of the controller
DILATE = "dilate"
REFUSE = "refuse"
SLOW_ANSWERS = (DILATE, REFUSE)
OWN_TICKS = 200  # that are measured before the robot is there
SLACK = 1.25  # time for each tick over their median (choice)
DEADLINE_WINDOW = 1.0  # [s] over which deadlines are counted
MOST_MISSED = 0.2  # share of deadlines whose miss ends a walk (choice)
REPEAT_PERIOD = (
    0.1  # [s] at which real time repeats its first sample until there is an answer
)
PROGRESS_TICKS = 100


class NoAnswer(BipedSlipError, TimeoutError):
    """Error: a command did not come within the timeout."""


@configuration
class SimulatorNodeConfig(Configuration):
    """Parameters of this node alone."""

    humanoid: str = parameter(
        "", doc="a humanoid by name or .yaml file; empty: the planar biped"
    )
    humanoid_scenario: str = parameter(
        "", doc="its floor, pushes and physics, a .yaml file; empty: a level floor"
    )
    humanoid_walk: str = parameter(
        "", doc="a humanoid on the way of a walk, shipped or a .yaml file; empty: none"
    )
    publish_clock: bool = parameter(False, doc="simulated time on /clock")
    joint_topics: bool = parameter(
        False,
        doc="as hardware behind ros2_control in real time: joints on "
        "hardware/joint_states, their efforts from "
        "hardware/joint_commands, stamps of the moment of sending; it stands until "
        "the first effort",
    )
    command_topic: str = parameter("effort_controller/commands", doc="joint efforts")
    record_topic: str = parameter(
        "walking_controller/record", doc="what the controller did, for the result file"
    )
    result_file: str = parameter("", doc="summary of the walk as JSON; empty: none")
    log_file: str = parameter("", doc="log of the walk as .npz; empty: none")
    endless: bool = parameter(
        False,
        doc="go on beyond the end of way and time until it is stopped or falls; then "
        "stay, for another activation; the log keeps the time that the walk has",
    )
    progress: bool = parameter(False, doc="print the simulated time on standard output")
    startup_timeout: float = parameter(
        300.0,
        unit="s",
        above=0.0,
        high=3600.0,
        formerly="startup_patience",
        doc="for the first command; a controller that compiles once takes a minute of "
        "a free core, and several on a busy computer",
    )
    command_hold: float = parameter(
        0.02,
        unit="s",
        above=0.0,
        high=1.0,
        doc="then zero effort after the last command (real time)",
    )
    period: str = parameter(
        "walk",
        choices=PERIOD_CHOICES,
        doc=PERIOD_WORDS + "; auto: the controller's, if longer",
    )
    period_topic: str = parameter(
        "walking_controller/period", doc="where the controller says its period (auto)"
    )
    slow_simulation: str = parameter(
        "dilate",
        choices=SLOW_ANSWERS,
        doc="when a tick takes longer than the period (real time): let the robot's "
        "time go "
        "slower, by /clock with publish_clock, or refuse and end",
    )
    spill: tuple[float, ...] = parameter(
        (),
        doc="[x from, x to, mu] or [x from, x to, y from, y to, mu] in m: the floor "
        "has this friction there from now on; set before the start: from the start",
        read_only=False,
    )
    spill_here: SpillHereConfig = section(SpillHereConfig)

    def check(self) -> None:
        """Check the spill from the start, and whose floor is given, if there are."""
        if self.spill:
            spill_of(self.spill)
        if self.humanoid_scenario and not self.humanoid:
            raise InvalidParameter(
                "humanoid_scenario",
                self.humanoid_scenario,
                "empty without a humanoid",
                "name the robot by the parameter humanoid",
            )


class ContactSimulatorNode(RobotNode):
    """Simulator in lockstep or in real time.

    In lockstep it does one tick per command, in real time one per control period of the
    steady clock.
    """

    yields = True  # its robot's time may go slower, the controller's may not

    def __init__(self, **options: object) -> None:
        super().__init__("contact_simulator", **options)
        self._choice, self._scenario = declare_world(self)
        self._config = declare_configuration(self, SimulatorNodeConfig())
        self._walk: HumanoidWalkConfig | None = None
        if self._config.humanoid_walk:
            from biped_slip.ros.simulated_humanoid import declare_way

            self._walk = declare_way(self, self._config.humanoid_walk)
        self._floor = LiveFloor(self, self._config.spill, self._config.spill_here)

    def build(self) -> None:
        """Build world and topics."""
        config = self._config
        self._lockstep = self.settings.mode == "lockstep"
        self._robot = self._simulated_robot()
        self._robot.endless = config.endless
        self._robot.start(CHOSEN_PERIODS.get(config.period))
        self._robot.sample()
        # compiles now, not at the first command
        self._robot.advance(np.zeros(len(self._robot.world.robot.joints)))
        joints = self._robot.world.robot.joints
        kind = Float64MultiArray
        topic = config.command_topic
        names = {}
        self._gate = CommandGate(len(joints), self.skipped)
        if config.joint_topics:
            kind = JointState
            topic = COMMAND_TOPIC
            names = {"joint_states": STATES}
            self._gate = JointCommandGate(joints, self.skipped)
        self._outputs = {
            name: self.opened(
                SerialisedPublisher(self, sensor, names.get(name, name), OUTPUTS)
            )
            for name, sensor in self._robot.topics.items()
        }
        self._clock_output = None
        if config.publish_clock:
            self._clock_output = self.advertise(
                Clock, "/clock", 10, qos_overriding_options=None
            )
        self._commands = self.subscribe(
            kind, topic, LOCKSTEP_INPUTS if self._lockstep else QOS_COMMANDS, raw=True
        )
        self._records = self.subscribe(
            JointState, config.record_topic, RECORDS, raw=True, needed=False
        )
        self._floor.open()
        self._waiter = Waiter(self, 1)
        self._periods = self.subscribe(
            Float64, config.period_topic, OUTPUTS, needed=False
        )
        self._awaits_period = config.period == AUTO and not self._lockstep

    def _simulated_robot(self) -> SimulatedRobot:
        config = self._config
        seed = max(self._choice.seed, 0)
        if self._walk is None and not config.humanoid:
            return SimulatedBiped(self._scenario, seed, self.skipped)
        from biped_slip.ros.simulated_humanoid import SimulatedHumanoid, WalkingHumanoid

        if self._walk is not None:
            return WalkingHumanoid(self._walk, seed, self.skipped)
        return SimulatedHumanoid(config.humanoid, config.humanoid_scenario, seed)

    def begin(self) -> None:
        """Start a new world.

        Its control period is the shortest possible one if it may be chosen.

        Raises:
            BipedSlipError: it does not keep up with the period, and must not be slower.
        """
        check = None if self._lockstep else self._own_check()
        self._start_world()
        self._paced = (
            self._period if check is None else max(self._period, SLACK * check.usual)
        )
        refuses = (
            self._config.slow_simulation == REFUSE
            and check is not None
            and not check.allows(self._period)
        )
        if refuses or self._paced > self._period:
            self._too_slow(f"the period is {1e3 * self._period:g} ms, but {check}")
        self._window = 0.0, 0  # [s] when it began, deadlines missed before it
        self._torques = np.zeros(len(self._world.robot.joints))
        self._missed = self._late = 0
        self._gaps = CommandGaps()
        self._answered = False
        self._asked = self._deadline = time.monotonic()
        self._repeated = -np.inf
        self._publish()

    def _own_check(self) -> PeriodCheck:
        """Measure own ticks, and say what is possible.

        The periods become longer and longer if it may choose.
        """
        for period in PERIODS if self._config.period == AUTO else (None,):
            self._robot.start(period)
            check = period_check(
                "a tick of the simulation", self._robot.tick_times(OWN_TICKS)
            )
            if period is None or check.allows(period):
                break
        self.get_logger().info(str(check))
        return check

    def _start_world(self) -> None:
        self._robot.start()
        self._world = self._robot.world
        self._period = 1e-9 * self._world.scenario.plant.control_period_ns
        self._floor.begin(self._world)

    def _too_slow(self, why: str) -> None:
        remedies = "give a longer period, slow_simulation: dilate or mode: lockstep"
        if self._config.slow_simulation == REFUSE:
            self.exit_code = 1
            raise BipedSlipError(f"{why}; {remedies}")
        self.get_logger().warning(f"{why}; the robot's time goes slower")

    def wait(self, now: float, timeout: float) -> None:
        """Wait for the command (lockstep, or the first), or for the deadline."""
        if self._lockstep or not self._answered:
            self._waiter.wait([self._commands], timeout)
        else:
            time.sleep(min(max(self._deadline - now, 0.0), timeout))

    def work(self, now: float) -> None:
        """Advance the world when a tick is due."""
        if not self._awaits_period:
            self._compare_periods()
        if self._lockstep:
            torques = self._gate.answer(
                self._commands.take(), self._world.plant.stamp_ns
            )
            if torques is not None:
                self._tick(torques, now)
                return
        else:
            self._real_time(now)
            if self._answered:
                return
        patience = (
            self.settings.timeout if self._answered else self._config.startup_timeout
        )
        if now - self._asked > patience:
            self.exit_code = 1
            raise NoAnswer(self._what_is_missing(patience))

    def _real_time(self, now: float) -> None:
        if self._awaits_period and not self._hears_period():
            return
        torques = self._gate.newest(self._commands.take())
        hardware = self._config.joint_topics
        if torques is not None and (self._answered or not hardware or np.any(torques)):
            self._torques = torques
            self._commanded = now
            self._gaps.end()
            if not self._answered:
                self._answered = True
                self._deadline = now
        if not self._answered:
            if now - self._repeated > (self._period if hardware else REPEAT_PERIOD):
                self._repeated = now
                self._send()
            return
        if now < self._deadline:
            return
        if now - self._commanded > self._config.command_hold:
            self._torques = np.zeros_like(self._torques)
            self._damp(now - self._commanded)
        late = int((now - self._deadline) / self._paced)
        self._missed += late
        self._late += 0 <= self._gate.answered_ns < self._world.plant.stamp_ns
        self._deadline += (1 + late) * self._paced
        self._watch(now)
        self._tick(self._torques, now)

    def _watch(self, now: float) -> None:
        """End a walk that misses too many deadlines in a row.

        Only a walk that must not be slower is ended.
        """
        begin, before = self._window
        if self._config.slow_simulation != REFUSE or now - begin < DEADLINE_WINDOW:
            return
        missed = self._missed - before
        if begin > 0.0 and missed * self._paced > MOST_MISSED * (now - begin):
            self._too_slow(
                f"{missed} deadlines were missed in {now - begin:.1f} s at "
                f"{self._world.plant.ticks} ticks"
            )
        self._window = now, self._missed

    def _damp(self, age: float) -> None:
        """Count a tick without a command for a time [s]; name the controller's gaps."""
        gone = not self._commands.senders()
        if self._gaps.tick(age, gone):
            topic = self._commands.full_name
            why = (
                f"no node publishes {topic} any more" if gone else "its node is silent"
            )
            self.report(
                f"no command on {topic} for {age:.2f} s, zero effort instead: {why}",
                "no command",
            )

    def _compare_periods(self) -> None:
        """Compare the controller's period with this one, when it says it.

        Raises:
            BipedSlipError: they are not the same.
        """
        said = self._said_period()
        if said is None or abs(said - self._period) < SAME_PERIOD:
            return
        self.exit_code = 1
        raise BipedSlipError(
            f"{self._periods.full_name} is {1e3 * said:g} ms, but the period here "
            f"is {1e3 * self._period:g} ms: give both nodes the same `period`"
        )

    def _said_period(self) -> float | None:
        """Return the period of the oldest message [s]; what is none ends no walk."""
        said = self._periods.next()
        if said is None:
            return None
        first, last = PERIOD_LIMITS["low"], PERIOD_LIMITS["high"]
        if first <= said.data <= last:
            return float(said.data)
        what = f"{self._periods.full_name} is {said.data!r} s, but must be from "
        self.skip(Problem("implausible input", f"{what}{first:g} to {last:g} s"))
        return None

    def _hears_period(self) -> bool:
        """Take the controller's period, if it is longer than this one.

        Return whether it has come.
        """
        period = self._said_period()
        if period is None:
            return False
        self._awaits_period = False
        if period > self._period:
            self._robot.start(period)
            self._start_world()
            self._paced = max(self._period, self._paced)
            self._sensor_bytes = self._robot.sample()
        elif self._period - period > SAME_PERIOD:
            self.get_logger().error(
                f"{self._periods.full_name} is {1e3 * period:g} ms, which this "
                f"simulator is too slow for: give both nodes a longer `period`"
            )
        self.get_logger().info(f"the period is {1e3 * self._period:g} ms")
        return True

    def _tick(self, torques: Array, now: float) -> None:
        self._diagnostics.period.tick(now)
        self._robot.advance(torques)
        self._answered = True
        if self._robot.ended:
            self._finish()
            return
        self._publish()
        self._asked = time.monotonic()
        ticks = self._world.plant.ticks
        if self._config.progress and ticks % PROGRESS_TICKS == 0:
            print(f"{ticks * self._period:.1f} s", flush=True)
        if not self._gaps.lasting:
            self.well("walking")

    def _publish(self) -> None:
        self._sensor_bytes = self._robot.sample()
        self._send()
        if self._clock_output is not None:
            message = Clock()
            set_time(message.clock, self._world.plant.stamp_ns)
            self._clock_output.publish(message)
        self._floor.tell()
        self._robot.note()  # while the others work
        self._robot.add(self._records.take())

    def _send(self) -> None:
        now = self.get_clock().now().nanoseconds if self._config.joint_topics else None
        for (
            topic,
            message,
        ) in self._sensor_bytes.items():  # hardware knows no simulated time
            self._outputs[topic].publish(
                message if now is None else restamped(message, now)
            )

    def _finish(self) -> None:
        end = time.monotonic() + RECORD_PATIENCE
        while (
            not self._robot.complete
            and self._records.senders()
            and time.monotonic() < end
        ):
            self._waiter.wait([self._records], 0.1)
            self._robot.add(self._records.take())
        endless = self._config.endless
        if not endless:
            self.exit_code = 1  # whatever the disk says, this is the end
        kept = self._kept_time()
        self._robot.write(
            self._config.result_file, self._config.log_file, kept._asdict()
        )
        how = "fell" if self._world.fell else "is upright"
        if self._world.diverged:
            how = "went no further"
            self.get_logger().error(self._world.diverged)
        self.get_logger().info(
            f"the robot {how} after {self._world.plant.ticks * self._period:.2f} s; "
            f"{kept}"
        )
        if np.isfinite(self._world.log.estimate("mu_low")).any():
            self.get_logger().info(closing_sentence(stance_rows(self._world.log)))
        if endless:
            raise BipedSlipError(f"the robot {how}; activate again for a new start")
        self.active = False
        self.exit_code = 0

    def _what_is_missing(self, patience: float) -> str:
        stamp = self._world.plant.stamp_ns
        unheard = [
            topic for topic, output in self._outputs.items() if not output.listeners()
        ]
        words = [f"no command for {stamp} ns within {patience:g} s"]
        if not self._commands.senders():
            words.append(
                self._unserved(self._commands)
                or f"no node publishes {self._commands.topic}"
            )
        if unheard:
            words.append(f"no node listens to {', '.join(unheard)}")
        if refusal := self._gate.last_refusal:
            words.append(f"last refusal: {refusal}")
        return "; ".join(words)

    def _kept_time(self) -> KeptTime:
        ticks = self._world.plant.ticks
        missed = self._missed + round((self._paced / self._period - 1.0) * ticks)
        return KeptTime(
            ticks=ticks,
            missed=missed,
            damped=self._gaps.damped,
            late=self._late,
            silent=self._gaps.silent,
            silence=self._gaps.longest,
        )

    def counters(self) -> dict[str, int | str]:
        """Count ticks, and those that real time missed."""
        kept = self._kept_time() if self.active else KeptTime(0, 0, 0)
        return {
            "ticks": kept.ticks,
            "deadlines missed": kept.missed,
            "time dilation": f"{kept.dilation:.2%}",
            "ticks damped": kept.damped,
            "commands late": kept.late,
            "ticks without a controller": kept.silent,
        }

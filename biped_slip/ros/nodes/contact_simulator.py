# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Node: simulated robot on its floor; publishes its sensors and takes joint efforts."""

from __future__ import annotations

import json
import time
from abc import ABC, abstractmethod
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any, Callable, Iterable, Mapping, Sequence, TypeVar

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
from biped_slip.errors import BipedSlipError
from biped_slip.estimation.readings import Problem
from biped_slip.reports.stances import closing_sentence, stance_rows
from biped_slip.robots.humanoid import load_humanoid
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
from biped_slip.ros.humanoid_robot import (
    KIND,
    SOLVED,
    SerialisedHumanoidSensors,
    humanoid_topics,
)
from biped_slip.ros.live_floor import LiveFloor, SpillHereConfig
from biped_slip.ros.messages import (
    ESTIMATE_NAMES,
    Frames,
    InputTopic,
    JointEfforts,
    SerialisedCommand,
    SerialisedSensors,
    UnusableSample,
    answered_stamp,
    checked,
    sensor_topics,
    set_time,
)
from biped_slip.ros.parameters import declare_configuration
from biped_slip.ros.planar_robot import planar_record_from
from biped_slip.ros.rehearsal import AUTO, CHOSEN_PERIODS, PERIOD_CHOICES, PERIOD_WORDS
from biped_slip.ros.robot_node import RobotNode
from biped_slip.simulation.humanoid.scenario import (
    FloatingScenarioConfig,
    HumanoidWalkConfig,
    chosen_walk,
)
from biped_slip.simulation.humanoid.summary import summarise_humanoid
from biped_slip.simulation.humanoid.walk import HumanoidTrack
from biped_slip.simulation.humanoid.world import FloatingWorld
from biped_slip.simulation.kept_time import KEPT_TIME, CommandGaps, KeptTime
from biped_slip.simulation.planar.scenario import ScenarioConfig, chosen_scenario
from biped_slip.simulation.planar.summary import summarise
from biped_slip.simulation.planar.world import PlanarWorld
from biped_slip.walking import humanoid
from biped_slip.walking.controller import PERIOD_LIMITS
from biped_slip.walking.planar import WORLD_PARTS_OF_SCENARIO

# of a robot as hardware behind ros2_control
STATES = "hardware/joint_states"
COMMAND_TOPIC = "hardware/joint_commands"


SAME_PERIOD = 1e-9  # [s] by which periods may differ
Paced = TypeVar("Paced", ScenarioConfig, FloatingScenarioConfig)


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


def paced(scenario: Paced, period: float | None) -> Paced:
    """Return a scenario of another control period [s]; None: its own."""
    if period is None:
        return scenario
    return replace(
        scenario, plant=replace(scenario.plant, control_period_ns=round(1e9 * period))
    )


# The robots that the simulator can be: each with its world, its sensors' messages, and
# the walk's result as files.


class SimulatedRobot(ABC):
    """Robot on its floor behind messages.

    The controller's records are put beside the world's log, by stamp.

    Args:
        new_world: makes one of a control period [s], with readings in base and soles.
        source: of the feet's motion, whose sensors it has.
        skipped: counts records that can't be used, by their problem.
    """

    _period: float | None = None  # of control [s]; None: the scenario's
    endless = False  # whether its world goes on beyond way and time, once restarted

    def __init__(
        self,
        new_world: Callable[[float | None], Any],
        source: str,
        skipped: Counter[str],
    ) -> None:
        self._new_world = new_world
        self._skipped = skipped
        self._record = InputTopic("record", JointState, ["position"])
        self.topics = sensor_topics(source)
        self.start()
        robot = self.world.robot
        self._messages = SerialisedSensors(robot.joints, robot.soles, Frames(), source)

    def start(self, period: float | None = None) -> None:
        """Restart the world, with another control period [s]; None: the same."""
        self._period = period or self._period
        self.world = self._new_world(self._period)
        self.world.endless = self.endless
        self._newest = -1

    def tick_times(self, ticks: int) -> Array:
        """Measure the computing times (k,) [s] of ticks without torques.

        The world must be restarted afterwards.
        """
        limp = np.zeros(len(self.world.robot.joints))
        spent = np.empty(ticks)
        for tick in range(ticks):
            if self.ended:  # a log has room for its own walk and no more
                self.start()
            begin = time.perf_counter()
            self.sample()
            self.note()
            self.advance(limp)
            spent[tick] = time.perf_counter() - begin
        return spent

    @property
    def ended(self) -> bool:
        """Return whether the robot fell, the simulation diverged or time is over."""
        return bool(self.world.ended)

    def sample(self) -> dict[str, bytes]:
        """Return the sensors' messages of this instant."""
        return self._messages.fill(self.world.measure())

    def note(self) -> None:
        """Log the truth of this instant."""
        self.world.record()

    def advance(self, torques: Array) -> None:
        """Advance one control period."""
        self.world.advance(torques)

    def add(self, messages: Iterable[bytes]) -> None:
        """Add records of the controller, serialised."""
        log = self.world.log
        period = self.world.scenario.plant.control_period_ns
        for raw in messages:
            try:
                tick, rest = divmod(self._record.open(raw), period)
                self._record.keep()
                if not self.world.logs and tick >= log.length:
                    continue
                if rest or tick >= log.length:
                    raise UnusableSample("wrong time", "control record of no tick")
                self.keep(tick, self._record.numbers["position"].tolist())
            except UnusableSample as problem:
                self._skipped[str(problem)] += 1
                continue
            self._newest = max(self._newest, tick)

    @property
    def complete(self) -> bool:
        """Return whether the record of the last tick has arrived."""
        return self._newest == self.world.log.length - 1

    @abstractmethod
    def keep(self, tick: int, values: Sequence[float]) -> None:
        """Record the controller's output of a tick.

        Raises:
            UnusableSample: other numbers than expected.
        """

    @abstractmethod
    def result(self) -> Mapping[str, Any]:
        """Return the result of the walk for JSON."""

    def write(
        self, result_file: str, log_file: str, kept_time: Mapping[str, float]
    ) -> None:
        """Write the walk's result, real-time statistics and log to the named files."""
        log = self.world.log.trim()
        try:
            if result_file:
                stances = [row._asdict() for row in stance_rows(log)]
                record = {
                    **self.result(),
                    "stances": stances,
                    "spills": [
                        [1e-9 * timed.stamp_ns, *timed.spill.numbers]
                        for timed in self.world.spilled
                    ],
                    KEPT_TIME: dict(kept_time),
                }
                Path(result_file).write_text(
                    json.dumps(record, indent=1) + "\n", encoding="utf-8"
                )
            if log_file:
                log.save(log_file)
        except OSError as error:
            raise BipedSlipError(f"the result can't be written ({error})") from error


class SimulatedBiped(SimulatedRobot):
    """Planar biped in its scenario; the controller's records go into the log."""

    def __init__(
        self, scenario: ScenarioConfig, seed: int, skipped: Counter[str]
    ) -> None:
        super().__init__(
            lambda period: PlanarWorld(paced(scenario, period), seed),
            scenario.motion.source,
            skipped,
        )

    def start(self, period: float | None = None) -> None:
        """Restart the world and the wall time."""
        super().start(period)
        self._begin = time.perf_counter()

    def keep(self, tick: int, values: Sequence[float]) -> None:
        """Record the controller's output in the log."""
        self.world.log.record_control(
            tick, planar_record_from(values, len(self.world.robot.joints))
        )

    def result(self) -> Mapping[str, Any]:
        """Summarise the walk."""
        took = time.perf_counter() - self._begin
        world = self.world
        return summarise(world.log, world.fell, took, world.diverged).to_mapping()


class SimulatedHumanoid(SimulatedRobot):
    """Humanoid without noise, whose controller and records are another program's."""

    complete = True

    def __init__(self, name: str, scenario: FloatingScenarioConfig, seed: int) -> None:
        def world(period: float | None) -> FloatingWorld:
            return FloatingWorld(load_humanoid(name), paced(scenario, period), seed)

        super().__init__(world, "odometry", Counter())

    def add(self, messages: Iterable[bytes]) -> None:
        """Ignore records of the controller."""

    def keep(self, tick: int, values: Sequence[float]) -> None:
        """Ignore the controller's output."""

    def result(self) -> Mapping[str, Any]:
        """Return fall, time and place of the base at the end."""
        plant = self.world.plant
        place = [float(x) for x in plant.state.q[:3]]
        return {
            "fell": self.world.fell,
            "diverged": self.world.diverged,
            "end_time": 1e-9 * plant.stamp_ns,
            "base": place,
        }


class WalkingHumanoid(SimulatedRobot):
    """Humanoid on the way of a walk, with its own noisy sensors.

    ``odom`` has its base's true motion. A sensor that it has not has no topic.
    """

    def __init__(
        self, config: HumanoidWalkConfig, seed: int, skipped: Counter[str]
    ) -> None:
        def track(period: float | None) -> HumanoidTrack:
            return HumanoidTrack(
                config if period is None else replace(config, period=period), seed
            )

        super().__init__(track, KIND, skipped)
        absent = config.walking.absent_sensors
        self.topics = humanoid_topics(absent)
        self._messages = SerialisedHumanoidSensors(self.world.robot.joints, absent)

    def sample(self) -> dict[str, bytes]:
        """Return the sensors' messages of this instant, which is logged."""
        return self._messages.fill_raw(self.world.read())

    def note(self) -> None:
        """Log nothing: the sample was logged when it was read."""

    def keep(self, tick: int, values: Sequence[float]) -> None:
        """Record limits, estimates, and whether it was solved, into the log."""
        log = self.world.log
        log.limit[tick] = values[:2]
        log.solved[tick] = values[SOLVED] != 0.0
        log.estimates[tick] = np.reshape(values[-2 * len(ESTIMATE_NAMES) :], (2, -1))

    def result(self) -> Mapping[str, Any]:
        """Summarise the walk."""
        return summarise_humanoid(self.world).to_mapping()


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


def declare_way(node: Node, name: str) -> HumanoidWalkConfig:
    """Declare a humanoid's walk as parameters below ``walk.``.

    They are the simulator's part, its sensors and the speed.
    """
    config = chosen_walk(name)
    parts = (*humanoid.WORLD_PARTS, "sensors", "speed")
    return declare_configuration(
        node,
        config,
        "walk.",
        without=tuple(f for f in config.to_mapping() if f not in parts),
    )


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
        """Check the spill from the start, if there is one."""
        if self.spill:
            spill_of(self.spill)


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
        self._floating = FloatingScenarioConfig()
        if self._config.humanoid_scenario:
            self._floating = FloatingScenarioConfig.from_yaml(
                self._config.humanoid_scenario
            )
        self._walk: HumanoidWalkConfig | None = None
        if self._config.humanoid_walk:
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
        if self._walk is not None:
            return WalkingHumanoid(self._walk, seed, self.skipped)
        if config.humanoid:
            return SimulatedHumanoid(config.humanoid, self._floating, seed)
        return SimulatedBiped(self._scenario, seed, self.skipped)

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
            words.append(f"no node publishes {self._commands.topic}")
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

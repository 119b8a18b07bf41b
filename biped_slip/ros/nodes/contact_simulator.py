# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Node: the robot on its floor; publishes what its sensors say and takes joint efforts."""

from __future__ import annotations

import time

import numpy as np
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray

from biped_slip.compile.arrays import Array
from biped_slip.config import Configuration, configuration, parameter
from biped_slip.errors import BipedSlipError
from biped_slip.ros.nodes.simulated_robots import SimulatedRobot, TrackRobot, humanoid_robot, planar_robot
from biped_slip.ros.parameters.declare import declare_configuration
from biped_slip.ros.parameters.scenario import declare_way, declare_world
from biped_slip.ros.runtime.kept_time import KeptTime
from biped_slip.ros.runtime.robot_node import RobotNode, serve
from biped_slip.ros.topics import joint_hardware
from biped_slip.ros.topics.command_gate import CommandGate
from biped_slip.ros.topics.joint_hardware import JointCommands, as_hardware
from biped_slip.ros.topics.messages import set_time
from biped_slip.ros.topics.publisher import SerialisedPublisher
from biped_slip.ros.topics.qos import COMMANDS, LOCKSTEP_INPUTS, OUTPUTS, RECORDS
from biped_slip.ros.topics.subscription import PolledSubscription, Waiter
from biped_slip.simulation.humanoid.scenario import FloatingScenarioConfig
from biped_slip.simulation.humanoid.walk_config import HumanoidWalkConfig

RECORD_PATIENCE = 1.0  # [s] for the last record of the controller
REPEAT_PERIOD = 0.1  # [s] at which real time repeats its first sample until somebody answers
PROGRESS_TICKS = 100


class NoAnswer(BipedSlipError, TimeoutError):
    """The simulator waited for a command in vain."""


@configuration
class SimulatorNodeConfig(Configuration):
    """Parameters of this node alone."""

    humanoid: str = parameter("", doc="a humanoid by name or .yaml file; empty: the planar biped")
    humanoid_scenario: str = parameter("", doc="its floor, pushes and physics, a .yaml file; empty: a level floor")
    humanoid_walk: str = parameter("", doc="a humanoid on the way of a walk, shipped or a .yaml file; empty: none")
    publish_clock: bool = parameter(False, doc="simulated time on /clock")
    joint_topics: bool = parameter(
        False,
        doc="as hardware behind ros2_control in real time: joints on hardware/joint_states, their efforts from "
        "hardware/joint_commands, stamps of the moment of sending; it stands until the first effort",
    )
    command_topic: str = parameter("effort_controller/commands", doc="joint efforts")
    record_topic: str = parameter("walking_controller/record", doc="what the controller did, for the result file")
    result_file: str = parameter("", doc="summary of the walk as JSON; empty: none")
    log_file: str = parameter("", doc="log of the walk as .npz; empty: none")
    progress: bool = parameter(False, doc="print the simulated time on standard output")
    startup_patience: float = parameter(
        60.0, unit="s", above=0.0, high=3600.0, source="choice", doc="for the first command"
    )
    command_hold: float = parameter(
        0.02, unit="s", above=0.0, high=1.0, source="choice", doc="then zero effort after the last command (real time)"
    )


class ContactSimulatorNode(RobotNode):
    """Lockstep: one tick per command. Real time: one tick per control period of the steady clock."""

    def __init__(self, **options: object) -> None:
        super().__init__("contact_simulator", **options)
        self._choice, self._scenario = declare_world(self)
        self._config = declare_configuration(self, SimulatorNodeConfig())
        self._floating = FloatingScenarioConfig()
        if self._config.humanoid_scenario:
            self._floating = FloatingScenarioConfig.from_yaml(self._config.humanoid_scenario)
        self._walk: HumanoidWalkConfig | None = None
        if self._config.humanoid_walk:
            self._walk = declare_way(self, self._config.humanoid_walk)
        self._commands: PolledSubscription | None = None

    def build(self) -> None:
        """World and topics."""
        config, self._lockstep = self._config, self.settings.mode == "lockstep"
        self._robot = self._simulated_robot()
        self._robot.sample()
        self._robot.advance(np.zeros(len(self._robot.world.robot.joints)))  # compiles now, not at the first command
        joints, hardware = self._robot.world.robot.joints, config.joint_topics
        self._gate = CommandGate(len(joints), self.skipped)
        self._joint_gate = JointCommands(joints, self.skipped) if hardware else None
        names = {"joint_states": joint_hardware.STATES} if hardware else {}
        self._outputs = {
            topic: SerialisedPublisher(self, kind, names.get(topic, topic), OUTPUTS)
            for topic, kind in self._robot.topics.items()
        }
        self._clock_output = self.create_lifecycle_publisher(Clock, "/clock", 10) if config.publish_clock else None
        kind, topic = (JointState, joint_hardware.COMMANDS) if hardware else (Float64MultiArray, config.command_topic)
        self._commands = PolledSubscription(
            self, kind, topic, LOCKSTEP_INPUTS if self._lockstep else COMMANDS, raw=True
        )
        self._records = PolledSubscription(self, JointState, config.record_topic, RECORDS, raw=True)
        self._waiter = Waiter(self, 1)

    def _simulated_robot(self) -> SimulatedRobot:
        config, seed = self._config, max(self._choice.seed, 0)
        if self._walk is not None:
            return TrackRobot(self._walk, seed, self.skipped)
        if config.humanoid:
            return humanoid_robot(config.humanoid, self._floating, seed)
        return planar_robot(self._scenario, seed, self.skipped)

    def begin(self) -> None:
        """The world starts anew."""
        self._robot.start()
        self._world, self._record = self._robot.world, self._robot.record
        self._period = 1e-9 * self._world.scenario.plant.control_period_ns
        self._torques = np.zeros(len(self._world.robot.joints))
        self._missed = self._damped = 0
        self._answered = False
        self._asked = self._deadline = time.monotonic()
        self._repeated = -np.inf
        self._publish()

    def wait(self, timeout: float) -> None:
        """Wait for the command (lockstep, or the first), or for the deadline."""
        if self._lockstep or not self._answered:
            self._waiter.wait([self._commands], timeout)
        else:
            time.sleep(min(max(self._deadline - time.monotonic(), 0.0), timeout))

    def work(self) -> None:
        """Advance when a tick is due."""
        if self._lockstep:
            torques = self._gate.answer(self._commands.take(), self._world.plant.stamp_ns)
            if torques is not None:
                self._tick(torques)
                return
        else:
            self._real_time()
            if self._answered:
                return
        patience = self.settings.patience if self._answered else self._config.startup_patience
        if time.monotonic() - self._asked > patience:
            self.exit_code = 1
            raise NoAnswer(self._what_is_missing(patience))

    def _real_time(self) -> None:
        now = time.monotonic()
        torques = (self._joint_gate or self._gate).newest(self._commands.take())
        if torques is not None and (self._answered or self._joint_gate is None or np.any(torques)):
            self._torques, self._commanded = torques, now
            if not self._answered:
                self._answered, self._deadline = True, now
        if not self._answered:
            if now - self._repeated > (REPEAT_PERIOD if self._joint_gate is None else self._period):
                self._repeated = now
                self._send()
            return
        if now < self._deadline:
            return
        if now - self._commanded > self._config.command_hold:
            self._torques = np.zeros_like(self._torques)
            self._damped += 1
        late = int((now - self._deadline) / self._period)
        self._missed += late
        self._deadline += (1 + late) * self._period
        self._tick(self._torques)

    def _tick(self, torques: Array) -> None:
        self._diagnostics.period.tick()
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
        self.well("walking")

    def _publish(self) -> None:
        self._sensor_bytes = self._robot.sample()
        self._send()
        if self._clock_output is not None:
            message = Clock()
            set_time(message.clock, self._world.plant.stamp_ns)
            self._clock_output.publish(message)
        self._robot.note()  # while the others work
        self._record.add(self._records.take())

    def _send(self) -> None:
        messages = self._sensor_bytes
        if self._joint_gate is not None:
            messages = as_hardware(messages, self.get_clock().now().nanoseconds)
        for topic, message in messages.items():
            self._outputs[topic].publish(message)

    def _finish(self) -> None:
        end = time.monotonic() + RECORD_PATIENCE
        while not self._record.complete and self._records.senders() and time.monotonic() < end:
            self._waiter.wait([self._records], 0.1)
            self._record.add(self._records.take())
        self.exit_code = 1  # whatever the disk says, this is the end
        kept = KeptTime(self._world.plant.ticks, self._missed, self._damped)
        self._record.write(self._config.result_file, self._config.log_file, kept._asdict())
        how = "fell" if self._world.fell else "is upright"
        self.get_logger().info(f"the robot {how} after {self._world.plant.ticks * self._period:.2f} s; {kept}")
        self.active, self.exit_code = False, 0

    def _what_is_missing(self, patience: float) -> str:
        stamp = self._world.plant.stamp_ns
        unheard = [topic for topic, output in self._outputs.items() if not output.listeners()]
        words = [f"no command for {stamp} ns within {patience:g} s"]
        if not self._commands.senders():
            words.append(f"nobody publishes {self._commands.topic}")
        if unheard:
            words.append(f"nobody listens to {', '.join(unheard)}")
        if refusal := (self._joint_gate or self._gate).last_refusal:
            words.append(f"last refusal: {refusal}")
        return "; ".join(words)

    def counters(self) -> dict[str, int | str]:
        """Ticks, and what real time missed of them."""
        ticks = self._robot.world.plant.ticks if self.active else 0
        kept = KeptTime(ticks, getattr(self, "_missed", 0), getattr(self, "_damped", 0))
        return {
            "ticks": ticks,
            "deadlines missed": kept.missed,
            "time dilation": f"{kept.dilation:.2%}",
            "ticks damped": kept.damped,
        }

    def release(self) -> None:
        """Topics."""
        if self._commands is not None:
            self._commands.close()
            self._records.close()
            for output in self._outputs.values():
                output.close()
            if self._clock_output is not None:
                self.destroy_lifecycle_publisher(self._clock_output)
            self._commands = None


def main() -> int:
    """Run the node as a process."""
    return serve(ContactSimulatorNode)


if __name__ == "__main__":
    raise SystemExit(main())

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Node: a Unitree humanoid (G1, H1, H1-2) as a robot of ROS.

``rt/lowstate`` becomes ``joint_states`` and ``imu/data``. Torques of
``effort_controller/commands`` go to ``rt/lowcmd`` only where the parameter ``commands``
allows it, after a call of ``~/arm``, as long as states, commands and nobody else come;
whatever ends that, the last message damps the joints.
"""

from __future__ import annotations

import math
import time

import numpy as np
from rclpy.qos import QoSProfile
from std_msgs.msg import Float64MultiArray
from std_srvs.srv import Trigger

from biped_slip.compile.arrays import Array
from biped_slip.config import Configuration, configuration, parameter
from biped_slip.errors import BipedSlipError
from biped_slip.estimation.readings import SECOND, Problem
from biped_slip.robots.unitree.arming import (
    Arming,
    ArmingConfig,
    armed,
    deadline,
    ended,
    refusal,
)
from biped_slip.robots.unitree.channel import (
    DOMAINS,
    ArrivedMessage,
    RobotChannel,
    RobotNetwork,
)
from biped_slip.robots.unitree.messages import (
    LOW_STATE_TOPIC,
    SERIES_ANKLES,
    LowState,
    damping_command,
    intact,
    read_state,
    torque_command,
)
from biped_slip.robots.unitree.motors import (
    TABLES,
    MotorTable,
    motor_table,
    other_robot,
)
from biped_slip.robots.unitree.ticks import TickClock, ticked
from biped_slip.ros.dds import COMMAND_QOS, Bell, PolledSubscription, Waiter
from biped_slip.ros.messages import (
    JointEfforts,
    UnusableSample,
    answered_stamp,
    checked,
)
from biped_slip.ros.parameters import declare_configuration
from biped_slip.ros.robot_node import RobotNode
from biped_slip.ros.vendor_state import StatePublishers

#: Damping messages at the end, for a reader that is best effort may lose one (choice).
LAST_MESSAGES = 5
LAST_PAUSE = 2e-3  # [s] between two of them: the robot's period
LAST_PATIENCE = 5e-3  # [s] for reliable readers to have the last one (choice)
REQUESTS = QoSProfile(depth=10)
UNARMED = "not armed: commands come, but ~/arm was not called"


@configuration
class BridgeConfig(Configuration):
    """Parameters of this node alone."""

    robot: str = parameter("g1", choices=tuple(TABLES), doc="which robot it is")
    domain: int = parameter(
        0,
        low=0,
        high=DOMAINS,
        source="[Unitree2026]",
        doc="DDS domain of the robot: 0; of the vendor's simulator 1",
    )
    interface: str = parameter(
        "",
        doc="network interface to the robot, such as eth0; lo for a simulator on this "
        "computer; empty: found",
    )
    tick_unit: float = parameter(
        0.0,
        unit="s",
        low=0.0,
        high=0.1,
        source="[Unitree2026]",
        doc="between two ticks of a simulated robot, whose time is not the clock's: "
        "0.001 of the vendor's simulator; stamps follow the ticks alone then. 0: found",
    )
    command_topic: str = parameter(
        "effort_controller/commands", doc="torques of the joints"
    )
    joints: tuple[str, ...] = parameter(
        ("",), doc="order of the torques; empty: the order of joint_states"
    )


def torque_order(joints: tuple[str, ...], table: MotorTable) -> list[int]:
    """Return for every joint of the table its place in a command.

    Raises:
        BipedSlipError: these are other joints than the robot's.
    """
    names = tuple(joints) if any(joints) else table.joints
    if sorted(names) != sorted(table.joints):
        missing = sorted(set(table.joints) - set(names))
        unknown = sorted(set(names) - set(table.joints))
        what = f"missing {missing[:3]}" if missing else f"unknown {unknown[:3]}"
        raise BipedSlipError(
            f"joints must name each of the {len(table.joints)} joints of {table.robot} "
            f"once: {what}"
        )
    return [names.index(joint) for joint in table.joints]


class UnitreeBridgeNode(RobotNode):
    """Bridge to a Unitree humanoid: its state in, torques out once it is armed."""

    # a request to disarm must be answered within some milliseconds
    service_period = 5e-3

    def __init__(self, **options: object) -> None:
        super().__init__("unitree_bridge", **options)
        self._config = declare_configuration(self, BridgeConfig())
        self._limits = declare_configuration(self, ArmingConfig())
        self._arming = Arming()
        self._channel: RobotChannel | None = None
        self.create_service(Trigger, "~/arm", self._arm, qos_profile=REQUESTS)
        self.create_service(Trigger, "~/disarm", self._disarm, qos_profile=REQUESTS)

    def build(self) -> None:
        """Open the robot's topics and ours."""
        config = self._config
        self._table = motor_table(config.robot)
        self._order = torque_order(config.joints, self._table)
        self._network = RobotNetwork(domain=config.domain, interface=config.interface)
        bell = self.opened(Bell(self))
        self._channel = self.opened(
            RobotChannel(self._table, self._network, self._limits.commands, bell.ring)
        )
        self._outputs = StatePublishers(self, self._table.joints, self._table.imu_frame)
        self._commands: list[PolledSubscription] = []
        if self._limits.commands:
            self._commands.append(
                self.subscribe(Float64MultiArray, config.command_topic, COMMAND_QOS)
            )
        self._waiter = Waiter(self, len(self._commands), bell)

    def begin(self) -> None:
        """Start disarmed, and learn the robot's ticks."""
        self._arming = Arming()
        self._ticks = self._unknown_ticks()
        self._source: int | None = None
        self._mode_machine = 0
        self._foreign = 0

    def wait(self, now: float, timeout: float) -> None:
        """Wait for a state or a command, or until one is missing."""
        left = max(deadline(self._arming, self._limits) - now, 0.0)
        self._waiter.wait(self._commands, min(timeout, left))

    def work(self, now: float) -> None:
        """Publish the newest states, pass commands on, and look whether they end."""
        for sample in self._channel.state.take():
            self._hear(sample, now)
        self._hear_others(now)
        for subscription in self._commands:
            for message in subscription.take():
                self._pass_on(message, now)
        if end := ended(self._arming, now, self._limits):
            self._damp(Problem(end.name, end.detail))
        self._notice_silence(now)

    def make_safe(self) -> None:
        """Damp the joints if torques have gone to the robot."""
        if self._arming.armed:
            self._damp(Problem("disarmed", "the node ends or is deactivated"))

    def destroy_node(self) -> None:
        """End Cyclone's threads, which call this node, then the node."""
        if self._channel is not None:
            self._channel.close()
        super().destroy_node()

    def counters(self) -> dict[str, int | str]:
        """List what is known of the robot's topics."""
        if not self.configured or not self.active:
            return {}
        unit = self._ticks.unit_ns
        known = f"{1e-6 * unit:g} ms" if unit else "not known yet"
        found: dict[str, int | str] = {
            "robot": f"{self._table.robot} on {self._network}",
            "tick": known,
            "lost messages": self._ticks.lost,
        }
        if self._channel.foreign is None or self._channel.commands is None:
            return found
        return {
            **found,
            "armed": str(self._arming.armed),
            "commands sent": self._channel.commands.sent,
            "other writers of rt/lowcmd": self._channel.foreign.writers(),
            "their commands": self._foreign,
        }

    def _unknown_ticks(self) -> TickClock:
        """Return a counter of which nothing is known but what its parameter says."""
        return TickClock(given_ns=round(self._config.tick_unit * SECOND))

    def _hear(self, sample: ArrivedMessage, now: float) -> None:
        """Take one state; one with a fault is named and counted."""
        silent = now - self._arming.state_at > self._limits.state_limit
        if sample.writer != self._source:
            if self._source is not None and not silent:
                what = "two programs write it; stop the other, or change the domain"
                self.skip(Problem("second robot", f"{LOW_STATE_TOPIC}: {what}"))
                return
            self._source = sample.writer
            self._ticks = self._unknown_ticks()
        if not intact(sample.raw):
            what = "its checksum does not fit the message"
            self.skip(Problem("wrong CRC", f"{LOW_STATE_TOPIC}: {what}"))
            return
        state = read_state(sample.raw, self._table)
        arrival = self.get_clock().now().nanoseconds
        self._ticks, heard = ticked(self._ticks, state.tick, arrival)
        if problem := self._unusable(state):
            self.skip(problem)
            return
        if heard.stamp_ns is not None:
            self._arming = self._arming._replace(state_at=now)
            self._mode_machine = state.mode_machine
            self._publish(heard.stamp_ns, state, now)
        if heard.fault:
            self.skip(Problem(heard.fault, heard.detail))

    def _unusable(self, state: LowState) -> Problem | None:
        """Name why a state is not that of the robot's joints."""
        if state.mode_pr != SERIES_ANKLES:
            what = "mode_pr is 1: ankles are measured by their motors A and B"
            remedy = "switch the robot to pitch and roll (mode_pr 0)"
            return Problem("parallel ankles", f"{LOW_STATE_TOPIC}: {what}; {remedy}")
        if other := other_robot(self._table, state.mode_machine):
            return Problem("other robot", f"{LOW_STATE_TOPIC}: {other}")
        return None

    def _publish(self, stamp_ns: int, state: LowState, now: float) -> None:
        self._outputs.publish_imu(
            stamp_ns, state.orientation, state.angular_velocity, state.specific_force
        )
        self._outputs.publish_joints(
            stamp_ns, state.position, state.velocity, state.effort
        )
        self._diagnostics.period.tick(now)
        self.hears({LOW_STATE_TOPIC: stamp_ns})
        self.well("armed" if self._arming.armed else "listening")

    def _hear_others(self, now: float) -> None:
        """Count the commands of other writers; they end ours."""
        if self._channel.foreign is None:
            return
        count = len(self._channel.foreign.take())
        if count:
            self._foreign += count
            self._arming = self._arming._replace(foreign_at=now)

    def _pass_on(self, message: Float64MultiArray, now: float) -> None:
        """Send the torques of a command to the robot, if it is armed."""
        if not self._arming.armed:
            if not self.skipped[UNARMED]:
                self.get_logger().warning(UNARMED)
            self.skipped[UNARMED] += 1
            return
        if self._commands[0].senders() > 1:
            what = "two nodes publish commands; stop one, then call ~/arm"
            self._damp(
                Problem("second publisher", f"{self._config.command_topic}: {what}")
            )
            return
        try:
            efforts = self._efforts(message)
        except UnusableSample as refused:
            self.skip(refused.problem)
            return
        if (writer := self._channel.commands) is not None:
            writer.write(torque_command(self._table, efforts, self._mode_machine))
            self._arming = self._arming._replace(command_at=now)

    def _efforts(self, message: Float64MultiArray) -> Array:
        """Return the torques (n,) of a command in the order of the table.

        Raises:
            UnusableSample: it can't be used, or answers an old state.
        """
        command = JointEfforts(answered_stamp(message), np.array(message.data))
        efforts = checked(command, len(self._order)).efforts
        answered = command.stamp_ns
        if answered is not None:
            age = (self._ticks.stamp_ns - answered) / SECOND
            if age > self._limits.command_limit:
                raise UnusableSample(
                    "stale command",
                    f"it answers a state of {1e3 * age:.0f} ms before the last one",
                )
        return efforts[self._order]

    def _damp(self, problem: Problem) -> None:
        """Send the last message, which damps the joints; nothing follows it."""
        writer = self._channel.commands
        if writer is None:
            return
        last = damping_command(self._table, self._limits.damping, self._mode_machine)
        for k in range(LAST_MESSAGES):
            time.sleep(LAST_PAUSE if k else 0.0)
            writer.write(last)
        self._arming = self._arming._replace(armed=False)
        writer.delivered(LAST_PATIENCE)
        self.skip(Problem(problem.name, f"{problem.detail}; the joints are damped"))

    def _notice_silence(self, now: float) -> None:
        """Name a robot that is not heard."""
        if now - self._arming.state_at <= self._limits.state_limit:
            return
        if self._ticks.messages == 0:
            self.awaits([f"{LOW_STATE_TOPIC} ({self._network})"])
            return
        limit = f"{1e3 * self._limits.state_limit:g} ms"
        silence = Problem(
            "silent input", f"{LOW_STATE_TOPIC}: no good state for {limit}"
        )
        if self._arming.state_at > -math.inf and self.status.healthy:
            self.skip(silence)

    def _arm(
        self, request: Trigger.Request, answer: Trigger.Response
    ) -> Trigger.Response:
        """Let torques go to the robot from now on."""
        reason = (
            refusal(self._arming, self.clock(), self._limits)
            if self.active
            else "the node is not active; activate it first"
        )
        answer.success = not reason
        answer.message = reason or "armed: commands go to the robot"
        if reason:
            self.get_logger().error(f"not armed: {reason}")
        elif self._arming.armed:
            answer.message = "it is armed already: commands go to the robot"
        else:
            self._arming = armed(self._arming)
            self.get_logger().warning(answer.message)
        return answer

    def _disarm(
        self, request: Trigger.Request, answer: Trigger.Response
    ) -> Trigger.Response:
        """Damp the joints; nothing goes to the robot from now on."""
        answer.success = True
        answer.message = "it was not armed"
        if self._arming.armed:
            self._damp(Problem("disarmed", "~/disarm was called"))
            answer.message = "disarmed: the joints are damped"
        return answer

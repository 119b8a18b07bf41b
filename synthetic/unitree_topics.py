# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The robot's side of the vendor's topics: it writes states and hears commands."""

from __future__ import annotations

from typing import Any, Callable

import numpy as np

from biped_slip.compile.arrays import Array
from biped_slip.robots.unitree.channel import (
    ArrivedMessage,
    Participant,
    Reader,
    RobotNetwork,
    Writer,
)
from biped_slip.robots.unitree.messages import (
    COMMAND_LAYOUTS,
    COMMAND_TYPE,
    LOW_COMMAND_TOPIC,
    LOW_STATE_TOPIC,
    STATE_LAYOUTS,
    STATE_TYPE,
    intact,
    sealed,
)
from biped_slip.robots.unitree.motors import MotorTable

PERIOD = 2e-3  # [s] of the robot's states
TICK = 1e-3  # [s] of its clock
MACHINE = 5  # of a G1 with 29 joints


class RobotTopics:
    """State that is written and commands that are read, of one robot.

    Args:
        table: of its motors.
        network: where it is.
        arrived: called for commands that arrive, on a thread of its own; None: nothing.

    Attributes:
        state: message that is written next; its fields may be set.
        commands: reader of what arrives.
    """

    def __init__(
        self,
        table: MotorTable,
        network: RobotNetwork,
        arrived: Callable[[], None] | None = None,
    ) -> None:
        self._slots = list(table.slots)
        self._layout = COMMAND_LAYOUTS[table.package]
        states = STATE_LAYOUTS[table.package]
        self._participant = Participant(network)
        topic = self._participant.topic(
            LOW_STATE_TOPIC, f"{table.package}::{STATE_TYPE}", states
        )
        self._states = Writer(self._participant, topic)
        self._command_topic = self._participant.topic(
            LOW_COMMAND_TOPIC, f"{table.package}::{COMMAND_TYPE}", self._layout
        )
        self.commands = Reader(
            self._participant, self._command_topic, self._layout, arrived
        )
        self._raw = np.zeros(states.itemsize, dtype=np.uint8)
        self.state: Any = self._raw.view(states)[0]
        if "mode_machine" in (states.names or ()):
            self.state["mode_machine"] = MACHINE

    def set_joints(self, position: Array, velocity: Array, effort: Array) -> None:
        """Set the joints of the next state, in the table's order (n,)."""
        motors = self.state["motor_state"]
        motors["q"][self._slots] = position
        motors["dq"][self._slots] = velocity
        motors["tau_est"][self._slots] = effort

    def set_imu(self, imu: Array) -> None:
        """Set gyroscope [rad/s] and accelerometer [m/s^2] (6,) of the next state."""
        self.state["imu_state"]["gyroscope"] = imu[:3]
        self.state["imu_state"]["accelerometer"] = imu[3:]

    def write(self, tick: int, broken: bool = False) -> None:
        """Write the state of a tick, with a wrong checksum if it shall be broken."""
        self.state["tick"] = tick
        raw = bytearray(sealed(self._raw))
        raw[-1] ^= broken
        self._states.write(bytes(raw))

    def rival(self) -> Writer:
        """Make a second writer of commands, as the robot's own controller is."""
        return Writer(self._participant, self._command_topic)

    def command_of(self, sample: ArrivedMessage) -> tuple[bool, Any, Any]:
        """Return whether a command is intact, the message and its motors (n,)."""
        message = np.frombuffer(sample.raw, dtype=self._layout)[0]
        return intact(sample.raw), message, message["motor_cmd"][self._slots]

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Simulated Unitree robot behind the vendor's topics, as a program of its own.

It writes ``rt/lowstate`` at 500 Hz, with a smooth made-up motion or a recorded one, and
says on its output, a JSON line each, which commands arrive on ``rt/lowcmd``. Lines on
its input make faults::

    crc 3        the next 3 states have a wrong checksum
    repeat 3     the next 3 states have the tick of the one before
    skip 2       2 states are not sent, their ticks pass
    pause 0.05   nothing is sent for 50 ms
    set mode_pr 1    a field of all later states
    restart      ticks begin at 0
    command 300  the robot's own controller sends 300 commands, one with each state
    writers      says how many writers of commands there are
    play         the recorded motion goes on; its first samples repeat until then
    end          the program ends, as it does when its input ends
"""

from __future__ import annotations

import argparse
import json
import queue
import sys
import threading
import time
from typing import Any

import numpy as np

from biped_slip.robots.unitree.channel import RobotNetwork, Writer
from biped_slip.robots.unitree.messages import damping_command
from biped_slip.robots.unitree.motors import TABLES, MotorTable
from synthetic.unitree_topics import MACHINE, PERIOD, TICK, RobotTopics

GRAVITY = 9.81  # [m/s^2]
SPEAKING = threading.Lock()


class Motion:
    """Joints and IMU of the robot: a made-up motion, or a recorded one.

    Args:
        joints: number of joints.
        file: of a recorded motion (position, velocity, effort, imu), or None.
    """

    def __init__(self, joints: int, file: str | None) -> None:
        self._phases = np.arange(joints)
        self._recorded = None if file is None else np.load(file)
        self.samples = (
            None if self._recorded is None else len(self._recorded["position"])
        )

    def at(self, sample: int) -> dict[str, Any]:
        """Return position, velocity, effort (n,) and IMU (6,) of a sample."""
        if self._recorded is not None:
            return {name: self._recorded[name][sample] for name in self._recorded.files}
        angle = 2.0 * np.pi * PERIOD * sample + self._phases
        return {
            "position": 0.1 * np.sin(angle),
            "velocity": 0.2 * np.pi * np.cos(angle),
            "effort": 1.0 + self._phases,
            "imu": np.array([0.01, 0.02, 0.03, 0.1, 0.2, GRAVITY]),
        }


class Robot:
    """Robot that is written state by state.

    Args:
        table: of its motors.
        network: where it is.
        motion: of its joints.
    """

    def __init__(
        self, table: MotorTable, network: RobotNetwork, motion: Motion
    ) -> None:
        self._table = table
        self._motion = motion
        self.topics = RobotTopics(table, network, self._command)
        self.topics.state["imu_state"]["quaternion"] = (1.0, 0.0, 0.0, 0.0)
        self._own: Writer | None = None
        self._ticks = 1000
        self.sample = 0
        self.faults = {"crc": 0, "repeat": 0, "skip": 0, "command": 0}

    def set_field(self, name: str, value: int) -> None:
        """Set a field of all later states."""
        self.topics.state[name] = value

    def restart(self) -> None:
        """Begin to count ticks at 0."""
        self._ticks = 0

    def _control(self) -> None:
        """Send a command, as the robot's own controller does."""
        if self._own is None:
            self._own = self.topics.rival()
        self._own.write(damping_command(self._table, 1.0, MACHINE))

    def due(self, name: str) -> bool:
        """Return whether a fault is due, which then has been."""
        due = self.faults[name] > 0
        self.faults[name] -= due
        return due

    def write(self) -> None:
        """Write the next state."""
        motion = self._motion.at(self.sample)
        self.sample += 1
        if self.due("command"):
            self._control()
        if not self.due("repeat"):
            self._ticks += round(PERIOD / TICK)
        if self.due("skip"):
            return
        self.topics.set_joints(motion["position"], motion["velocity"], motion["effort"])
        self.topics.set_imu(motion["imu"])
        self.topics.write(self._ticks, self.due("crc"))

    def _command(self) -> None:
        """Say which commands have arrived, and when."""
        for sample in self.topics.commands.take():
            sound, message, motors = self.topics.command_of(sample)
            names = message.dtype.names
            say(
                heard="command",
                intact=sound,
                mode_machine=int(message["mode_machine"]) if len(names) < 8 else 0,
                modes=motors["mode"].tolist(),
                tau=motors["tau"].tolist(),
                kp=float(motors["kp"].max()),
                kd=[float(motors["kd"].min()), float(motors["kd"].max())],
            )


def say(**values: Any) -> None:
    """Print a line with the steady clock's time [s]; two threads may do so."""
    with SPEAKING:
        print(json.dumps({"at": time.monotonic(), **values}), flush=True)


def listen(asked: queue.Queue[str]) -> None:
    """Read the lines of the input; its end ends the program."""
    for line in sys.stdin:
        asked.put(line)
    asked.put("end")


def main() -> None:
    """Run the robot until it is ended."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--robot", default="g1", choices=sorted(TABLES))
    parser.add_argument("--domain", type=int, default=0)
    parser.add_argument("--interface", default="lo")
    parser.add_argument("--play", help="file of a recorded motion (.npz)")
    parser.add_argument("--hold", type=int, default=0, help="samples that repeat first")
    parser.add_argument("--speed", type=float, default=1.0, help="of its time")
    options = parser.parse_args()
    table = TABLES[options.robot]
    motion = Motion(len(table.joints), options.play)
    network = RobotNetwork(domain=options.domain, interface=options.interface)
    robot = Robot(table, network, motion)
    asked: queue.Queue[str] = queue.Queue()
    threading.Thread(target=listen, args=(asked,), daemon=True).start()
    say(heard="start")
    due = time.monotonic()
    period = PERIOD / options.speed
    held = options.hold > 0
    while motion.samples is None or robot.sample < motion.samples:
        due = max(due + period, time.monotonic() - 5.0 * PERIOD)
        while not asked.empty():
            word, *values = asked.get().split()
            if word == "end":
                return
            if word == "play":
                held = False
            elif word == "pause":
                say(heard="pause")
                due += float(values[0])
            elif word == "set":
                robot.set_field(values[0], int(values[1]))
            elif word == "restart":
                robot.restart()
            elif word == "writers":
                say(heard="writers", count=robot.topics.commands.writers())
            else:
                robot.faults[word] = int(values[0])
        time.sleep(max(due - time.monotonic(), 0.0))
        if held and robot.sample >= options.hold:
            robot.sample = 0
        robot.write()
    say(heard="end")


if __name__ == "__main__":
    main()

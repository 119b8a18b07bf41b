# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""MuJoCo's G1 behind the vendor's topics, as a program of its own.

It writes ``rt/lowstate`` every 2 ms of its own time and obeys ``rt/lowcmd`` as a
robot's motors do: torque = tau + kp (q - position) + kd (dq - velocity), inside their
limits. It hangs where it stands, without torques, until the first command comes; the
walk begins with it. Its time runs at a share of the clock's, and waits for an answer to
each state where it is asked to; its ticks are its own milliseconds, as those of the
vendor's simulator are [Unitree2026].

Lines on its output are JSON: how it began and ended, and how many commands came, by
writer. It ends with its input.
"""

from __future__ import annotations

import argparse
import queue
import threading
import time
from collections import Counter
from typing import Any

import numpy as np

from biped_slip.compile.arrays import Array
from biped_slip.estimation.readings import RawReadings
from biped_slip.robots.unitree.channel import RobotNetwork
from biped_slip.robots.unitree.motors import TABLES
from biped_slip.simulation.humanoid.scenario import chosen_walk
from biped_slip.simulation.humanoid.walk import HumanoidTrack
from synthetic.unitree_robot import listen, say
from synthetic.unitree_topics import PERIOD, TICK, RobotTopics

TABLE = TABLES["g1"]
ANSWER_LIMIT = 0.05  # [s] of the clock that it waits for an answer, which may be lost


class Motors:
    """Motors of the robot, which obey the newest command.

    Args:
        limits: (n,) largest torques, in the order of the table [N m].
    """

    def __init__(self, limits: Array) -> None:
        self._limits = limits
        self._command: Any = None
        self.writers: Counter[int] = Counter()  # commands by who has written them
        self.broken = 0  # commands with a wrong checksum

    @property
    def commanded(self) -> bool:
        """Return whether a command has come."""
        return self._command is not None

    def take(self, topics: RobotTopics) -> int:
        """Take what has arrived; return how many commands that was."""
        samples = topics.commands.take()
        for sample in samples:
            sound, _, command = topics.command_of(sample)
            if not sound:
                self.broken += 1
                continue
            self.writers[sample.writer] += 1
            self._command = command
        return len(samples)

    def torques(self, position: Array, velocity: Array) -> Array:
        """Compute the torques (n,) [N m] at positions [rad] and velocities [rad/s]."""
        command = self._command
        if command is None:
            return np.zeros(position.size)
        wanted = (
            command["tau"]
            + command["kp"] * (command["q"] - position)
            + command["kd"] * (command["dq"] - velocity)
        )
        return np.clip(wanted, -self._limits, self._limits)


class WalkingRobot:
    """Robot on its floor, with its topics.

    Args:
        walk: .yaml file of a walk, whose control period is 1 ms or 2 ms.
        network: where it is.
        seed: of the noise of its sensors.
    """

    def __init__(self, walk: str, network: RobotNetwork, seed: int) -> None:
        config = chosen_walk(walk)
        self.world = HumanoidTrack(config, seed)
        self.period = config.period
        joints = list(self.world.humanoid.robot.joints)
        # from the robot's order to the table's
        self._order = [joints.index(name) for name in TABLE.joints]
        self._places = [TABLE.joints.index(name) for name in joints]
        self.motors = Motors(self.world.humanoid.efforts[self._order])
        self._topics = RobotTopics(TABLE, network)
        self._hung = 0  # periods before the walk
        self._written = False  # a state since the last step

    @property
    def time(self) -> float:
        """Return the time since it was switched on [s]."""
        return self._hung * self.period + 1e-9 * self.world.plant.stamp_ns

    def step(self, answered: bool) -> None:
        """Move on by one control period, where asked for once it is answered."""
        raw = self.world.sense()
        come = self.motors.take(self._topics)
        if answered and self._written and come == 0:
            self._await()
        self._written = False
        if self.motors.commanded:
            torques = self.motors.torques(
                raw.joint_position[self._order], raw.joint_velocity[self._order]
            )
            self._write(raw)
            self.world.advance(torques[self._places])
        else:
            self._write(raw._replace(joint_torque=np.zeros(len(self._order))))
            self._hung += 1

    def _await(self) -> None:
        """Wait for a command, if commands come at all and a state is to be answered."""
        end = time.monotonic() + ANSWER_LIMIT
        while self.motors.commanded and time.monotonic() < end:
            if self.motors.take(self._topics):
                return
            time.sleep(2e-4)

    def _write(self, raw: RawReadings) -> None:
        """Write the state of this instant, where one is due."""
        tick = round(self.time / TICK)
        if tick % round(PERIOD / TICK):
            return
        order = self._order
        self._topics.set_joints(
            raw.joint_position[order],
            raw.joint_velocity[order],
            raw.joint_torque[order],
        )
        x, y, z, w = self.world.plant.state.q[3:7]
        self._topics.state["imu_state"]["quaternion"] = (w, x, y, z)
        self._topics.set_imu(raw.imu)
        self._topics.write(tick)
        self._written = True


def main() -> None:
    """Run the robot until its walk or its input ends."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("walk", help=".yaml file of the walk")
    parser.add_argument("--domain", type=int, default=0)
    parser.add_argument("--interface", default="lo")
    parser.add_argument("--speed", type=float, default=1.0, help="of its time")
    parser.add_argument("--seconds", type=float, default=10.0, help="of the walk")
    parser.add_argument(
        "--answered", action="store_true", help="wait for an answer to each state"
    )
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    network = RobotNetwork(domain=options.domain, interface=options.interface)
    robot = WalkingRobot(options.walk, network, options.seed)
    asked: queue.Queue[str] = queue.Queue()
    threading.Thread(target=listen, args=(asked,), daemon=True).start()
    say(heard="start")
    plant = robot.world.plant
    walking = False
    due = time.monotonic()
    while asked.empty() and not robot.world.ended:
        if 1e-9 * plant.stamp_ns >= options.seconds:
            break
        due = max(due + robot.period / options.speed, time.monotonic() - 0.01)
        time.sleep(max(due - time.monotonic(), 0.0))
        robot.step(options.answered)
        if not walking and robot.motors.commanded:
            walking = True
            say(heard="walk")
    say(
        heard="end",
        seconds=1e-9 * plant.stamp_ns,
        fell=bool(robot.world.fell),
        distance=float(plant.state.q[0]),
        commands=sorted(robot.motors.writers.values()),
        broken=robot.motors.broken,
    )


if __name__ == "__main__":
    main()

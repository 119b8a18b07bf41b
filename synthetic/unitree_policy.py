# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Open policy that walks a robot by the vendor's C++ library, as a program of its own.

The library (``far-unitree-sdk``, module ``unitree_interface``) reads ``rt/lowstate``
and writes ``rt/lowcmd``; its domain is 0. Positions, gains and dampings go to the
motors, which make the torques. The library does not say the robot's ticks (its field is
0): the network is asked by the clock, at the share of its speed at which the robot's
time runs.
"""

from __future__ import annotations

import argparse
import sys
import threading
import time
from pathlib import Path
from typing import Any, NamedTuple, Sequence

import numpy as np

from biped_slip.compile.arrays import Array
from biped_slip.estimation.readings import BaseMotion, HumanoidReadings, RawReadings
from biped_slip.robots.humanoid import load_humanoid
from biped_slip.robots.unitree.motors import TABLES
from biped_slip.simulation.humanoid.oracle import humanoid_policy
from biped_slip.simulation.humanoid.scenario import chosen_walk
from biped_slip.walking.humanoid_friction import NO_FOOT_READING
from biped_slip.walking.learned_policy import TargetDrivenRobot, opened
from biped_slip.walking.policy_layout import layout_of
from synthetic.unitree_robot import say

TABLE = TABLES["g1"]
LOOK = 1e-3  # [s] of the robot's time between two looks at the state
NO_TORQUES = np.full(len(TABLE.joints), np.nan)


class Sensed(NamedTuple):
    """What a robot says of one instant, its joints in the table's order."""

    stamp_ns: int  # of the robot's time [ns]
    position: Sequence[float]  # (29,) [rad]
    velocity: Sequence[float]  # (29,) [rad/s]
    orientation: Sequence[float]  # of the base (x, y, z, w)
    angular_velocity: Sequence[float]  # (3,) [rad/s]
    specific_force: Sequence[float]  # (3,) [m/s^2]


def readings(sensed: Sensed, order: list[int]) -> HumanoidReadings:
    """Return readings; of the base's motion the orientation and its rate alone.

    Args:
        sensed: by the robot.
        order: (n,) the robot's joints among the table's.
    """
    rate = np.array(sensed.angular_velocity)
    raw = RawReadings(
        stamp_ns=sensed.stamp_ns,
        joint_position=np.array(sensed.position)[order],
        joint_velocity=np.array(sensed.velocity)[order],
        imu=np.concatenate((rate, sensed.specific_force)),
        foot_imus=NO_FOOT_READING,
        force_torque=NO_FOOT_READING,
        joint_torque=NO_TORQUES,
    )
    base = BaseMotion(
        orientation_base_in_world=np.array(sensed.orientation),
        angular_velocity_in_base=rate,
        position_base_in_odom=np.zeros(3),
        linear_velocity_in_base=np.zeros(3),
    )
    return HumanoidReadings(raw, base)


class Walker:
    """Network in its place: shown the states of the robot, answering by targets.

    Args:
        network: .onnx file, its layout beside it.
        walk: .yaml file of the robot's walk.
    """

    def __init__(self, network: Path, walk: str) -> None:
        config = chosen_walk(walk)
        layout = layout_of(network)
        humanoid = load_humanoid(config.robot)
        policy = humanoid_policy("none", config, humanoid, 0)
        self.robot = TargetDrivenRobot(config.walking, policy, layout)
        self.robot.listen_no_more()
        self._speed = config.speed
        self._network = opened(network, layout, self.robot.drives.driven)[1]
        self._memory = self._network.blank()
        # the robot's joints among the table's
        self.order = [TABLE.joints.index(name) for name in humanoid.robot.joints]

    def step(self, sensed: Sensed) -> bool:
        """Take what is sensed at an instant; return whether the network answered."""
        self.robot.sense(readings(sensed, self.order))
        if not self.robot.due:
            return False
        row = self.robot.show(np.array([self._speed, 0.0, 0.0]))
        answer, self._memory = self._network(row, self._memory)
        self.robot.answer(answer)
        return True

    def fill(self, command: Any) -> None:
        """Write the targets and the gains into a command of the vendor's library."""
        drives = self.robot.drives
        target = drives.rest.copy()
        target[: drives.driven] += drives.scale * self.robot.action
        command.q_target = self._slots(target)
        command.kp = self._slots(drives.stiffness)
        command.kd = self._slots(drives.damping)
        command.dq_target = command.tau_ff = [0.0] * len(TABLE.joints)

    def torques(self) -> list[float]:
        """Return the torques of this instant (29,) [N m], in the table's order."""
        found = np.zeros(len(TABLE.joints))
        found[self.order] = self.robot.torques()
        return [float(one) for one in found]

    def _slots(self, values: Array) -> list[float]:
        """Put values of the drives into the table's order."""
        found = np.zeros(len(TABLE.joints))
        found[[self.order[k] for k in self.robot.drives.joints]] = values
        return [float(one) for one in found]


def said_by(stamp_ns: int, state: Any) -> Sensed:
    """Return what a state of the vendor's library says, at a time [ns]."""
    w, x, y, z = state.imu.quat
    return Sensed(
        stamp_ns=stamp_ns,
        position=state.motor.q,
        velocity=state.motor.dq,
        orientation=(x, y, z, w),
        angular_velocity=state.imu.omega,
        specific_force=state.imu.accel,
    )


def main() -> None:
    """Walk the robot until the input ends."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("network", type=Path)
    parser.add_argument("walk", help=".yaml file of the walk")
    parser.add_argument("--speed", type=float, default=1.0, help="of the robot's time")
    options = parser.parse_args()
    walker = Walker(options.network, options.walk)
    # the vendor's
    import unitree_interface  # type: ignore[import-not-found]

    robot = unitree_interface.UnitreeInterface.create_g1("lo")
    ended = threading.Event()

    def listen() -> None:
        sys.stdin.read()
        ended.set()

    threading.Thread(target=listen, daemon=True).start()
    command = robot.create_zero_command()
    say(heard="start")
    sent = 0
    while not ended.is_set():
        stamp_ns = round(options.speed * time.monotonic_ns())
        state = robot.read_low_state()
        heard = any(state.imu.quat)
        if heard and walker.step(said_by(stamp_ns, state)):
            walker.fill(command)
            robot.write_low_command(command)
            sent += 1
        time.sleep(LOOK / options.speed)
    say(heard="end", answers=sent)


if __name__ == "__main__":
    main()

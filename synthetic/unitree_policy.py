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
from typing import Any

import numpy as np

from biped_slip.compile.arrays import Array
from biped_slip.estimation.readings import BaseMotion, HumanoidReadings, RawReadings
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


def readings(stamp_ns: int, state: Any, order: list[int]) -> HumanoidReadings:
    """Return the readings of a state; of the base the orientation and its rate alone.

    Args:
        stamp_ns: of the robot's time [ns].
        state: of the vendor's library.
        order: (n,) the robot's joints among the table's.
    """
    w, x, y, z = state.imu.quat
    rate = np.array(state.imu.omega)
    raw = RawReadings(
        stamp_ns=stamp_ns,
        joint_position=np.array(state.motor.q)[order],
        joint_velocity=np.array(state.motor.dq)[order],
        imu=np.concatenate((rate, state.imu.accel)),
        foot_imus=NO_FOOT_READING,
        force_torque=NO_FOOT_READING,
        joint_torque=NO_TORQUES,
    )
    base = BaseMotion(
        orientation_base_in_world=np.array([x, y, z, w]),
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
        robot = TargetDrivenRobot(
            config.walking, humanoid_policy("none", config, _humanoid(walk), 0), layout
        )
        robot.listen_no_more()
        self.robot = robot
        self._speed = config.speed
        self._network = opened(network, layout, robot.drives.driven)[1]
        self._memory = self._network.blank()
        joints = robot.humanoid.robot.joints
        self.order = [TABLE.joints.index(name) for name in joints]
        self._driven = [self.order[k] for k in robot.drives.joints]

    def step(self, stamp_ns: int, state: Any, command: Any) -> bool:
        """Fill a command where one is due at a time [ns]; return whether it was."""
        self.robot.sense(readings(stamp_ns, state, self.order))
        if not self.robot.due:
            return False
        row = self.robot.show(np.array([self._speed, 0.0, 0.0]))
        answer, self._memory = self._network(row, self._memory)
        self.robot.answer(answer)
        drives = self.robot.drives
        target = drives.rest.copy()
        target[: drives.driven] += drives.scale * self.robot.action
        command.q_target = self._filled(target)
        command.kp = self._filled(drives.stiffness)
        command.kd = self._filled(drives.damping)
        command.dq_target = command.tau_ff = [0.0] * len(TABLE.joints)
        return True

    def _filled(self, values: Array) -> list[float]:
        """Put values of the drives into the table's order."""
        found = np.zeros(len(TABLE.joints))
        found[self._driven] = values
        return [float(one) for one in found]


def _humanoid(walk: str) -> Any:
    from biped_slip.robots.humanoid import load_humanoid

    return load_humanoid(chosen_walk(walk).robot)


def main() -> None:
    """Walk the robot until the input ends."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("network", type=Path)
    parser.add_argument("walk", help=".yaml file of the walk")
    parser.add_argument("--speed", type=float, default=1.0, help="of the robot's time")
    options = parser.parse_args()
    walker = Walker(options.network, options.walk)
    # the vendor's
    import unitree_interface

    robot = unitree_interface.UnitreeInterface.create_g1("lo")
    ended = threading.Event()
    threading.Thread(
        target=lambda: (sys.stdin.read(), ended.set()), daemon=True
    ).start()
    command = robot.create_zero_command()
    say(heard="start")
    sent = 0
    while not ended.is_set():
        stamp_ns = round(options.speed * time.monotonic_ns())
        state = robot.read_low_state()
        heard = any(state.imu.quat)
        if heard and walker.step(stamp_ns, state, command):
            robot.write_low_command(command)
            sent += 1
        time.sleep(LOOK / options.speed)
    say(heard="end", answers=sent)


if __name__ == "__main__":
    main()

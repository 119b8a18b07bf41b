# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""A controller that plays a network: it asks it every few ticks, and joint springs follow its answer in between."""

from __future__ import annotations

import math
from pathlib import Path
from typing import NamedTuple

import numpy as np

from biped_slip.compile.arrays import Array
from biped_slip.control.whole_body.hold import JointHold
from biped_slip.errors import InvalidParameter, UnknownName
from biped_slip.estimation.floating_base.lie import cross, rotation_of
from biped_slip.estimation.problem import Problem
from biped_slip.estimation.raw_readings import HumanoidReadings
from biped_slip.estimation.readings import SensorReadings
from biped_slip.friction_estimation.types import FrictionEstimate
from biped_slip.robots.humanoid import Humanoid, load_humanoid
from biped_slip.robots.humanoid_config import IMU, Pairs
from biped_slip.walking.controller import FootEstimates
from biped_slip.walking.humanoid_config import HumanoidWalkingConfig
from biped_slip.walking.humanoid_senses import HumanoidSenses, Seen
from biped_slip.walking.learned_policy.config import LearnedPolicyConfig, layout_of
from biped_slip.walking.learned_policy.network import Network
from biped_slip.walking.learned_policy.observation import Instant, observed
from biped_slip.walking.slip_policy import SlipPolicy

ROOT = 1  # Pinocchio's index of the free-flyer


class LearnedOutput(NamedTuple):
    """What the player made of one instant."""

    readings: SensorReadings  # with the base as estimated
    estimates: tuple[FrictionEstimate, FrictionEstimate]
    torques: Array  # (n,) [N m]


class LearnedPolicy:
    """Walks a humanoid with a network; friction is estimated under its feet and changes nothing that it does.

    Args:
        network: .onnx file.
        config: robot, command, sensors.
        policy: its estimator runs; its limit has nobody to obey it.
        layout: of the network; by default what is said beside the file or under its name (:func:`layout_of`).

    Attributes:
        speed_scale: of the commanded speed; may change at any time.
        turn: commanded rate about the vertical [rad/s]; may change at any time.
    """

    reserve: Problem | None = None

    def __init__(
        self,
        network: Path,
        config: HumanoidWalkingConfig,
        policy: SlipPolicy,
        layout: LearnedPolicyConfig | None = None,
    ) -> None:
        self.config, self.speed_scale, self.turn = config, 1.0, 0.0
        self._layout = layout = layout_of(network) if layout is None else layout
        self._humanoid = humanoid = load_humanoid(config.robot)
        self._joints = joint_order(layout.joints, humanoid)
        self._posture = self._of_joints("posture", 0.0, layout.posture)
        self._stiffness = self._of_joints("stiffnesses", layout.stiffness, layout.stiffnesses)
        self._damping = self._of_joints("dampings", layout.damping, layout.dampings)
        self._place = humanoid.model.frames[humanoid.model.getFrameId(IMU)]
        if self._place.parentJoint != ROOT:
            raise InvalidParameter(
                "imu.link", humanoid.config.imu.link, "a link of the base", "networks see its motion"
            )
        self._senses = HumanoidSenses(humanoid, policy.estimator, config.base, config.motion)
        model = humanoid.model
        soles = model.getFrameId(humanoid.robot.soles[0]), model.getFrameId(humanoid.robot.soles[1])
        self._hold = JointHold(model, soles, humanoid.posture, humanoid.efforts)
        self._network = Network(network, observed(layout.observation, self._at_rest()).size, len(self._joints))
        self.reset()

    def _of_joints(self, name: str, all_of_them: float, pairs: Pairs) -> Array:
        """Numbers (n,) by joint, in the network's order."""
        joints, known = [self._humanoid.robot.joints[i] for i in self._joints], dict(pairs)
        for joint in known:
            if joint not in joints:
                raise UnknownName(f"joint under {name}", joint, joints)
        return np.array([known.get(joint, all_of_them) for joint in joints])

    def _at_rest(self) -> Instant:
        still, joints = np.zeros(3), np.zeros(len(self._joints))
        down = np.array([0.0, 0.0, -1.0])
        return Instant(still, still, down, still, joints, joints, joints, np.array(self._layout.phases))

    def reset(self) -> None:
        """As before the first reading."""
        self._senses.reset()
        self._first_ns: int | None = None
        self._asked_ns: int | None = None
        self._action, self._phases = np.zeros(len(self._joints)), np.array(self._layout.phases)
        self._commanded = 0.0

    @property
    def moving(self) -> bool:
        """Commanded to move; these networks may step in place without a command, too."""
        return self._commanded != 0.0

    def step(self, readings: HumanoidReadings, estimates: FootEstimates | None = None) -> LearnedOutput:
        """Torques for one reading; estimates from elsewhere are not looked at, they are made here."""
        raw = readings.raw
        seen = self._senses.step(raw, readings.base)
        self._first_ns = raw.stamp_ns if self._first_ns is None else self._first_ns
        walks = 1e-9 * (raw.stamp_ns - self._first_ns) >= self.config.start
        self._commanded = self.speed_scale * self.config.speed if walks else 0.0
        if seen.state is None:
            self.reset()
        if not seen.ready:
            return LearnedOutput(seen.readings, seen.estimates, self._hold.torques(seen.readings))
        if self._asked_ns is None or raw.stamp_ns - self._asked_ns >= round(1e9 * self._layout.period):
            self._ask(seen, raw.imu)
            self._asked_ns = raw.stamp_ns
        return LearnedOutput(seen.readings, seen.estimates, self._torques(seen.readings))

    def _ask(self, seen: Seen, imu: Array) -> None:
        """Let the network answer what is seen now."""
        layout, known, place = self._layout, seen.known, self._place.placement
        rotation, turned = place.rotation, rotation_of(known.orientation_base_in_world)
        velocity = known.linear_velocity_in_base + cross(known.angular_velocity_in_base, place.translation)
        now = Instant(
            rotation.T @ velocity,
            imu[:3],
            rotation.T @ -turned[2],
            np.array([self._commanded, 0.0, self.turn if self.moving else 0.0]),
            known.joint_position[self._joints] - self._posture,
            known.joint_velocity[self._joints],
            self._action,
            self._phases,
        )
        self._action = self._network(observed(layout.observation, now))
        ahead = self._phases + math.tau * layout.gait_frequency * layout.period
        self._phases = np.mod(ahead + math.pi, math.tau) - math.pi

    def _torques(self, readings: SensorReadings) -> Array:
        """Springs and dampers of the joints, inside the motors' limits (n,) [N m]."""
        torques = np.zeros(len(self._humanoid.robot.joints))
        target = self._posture + self._layout.action_scale * self._action
        torques[self._joints] = (
            self._stiffness * (target - readings.joint_position[self._joints])
            - self._damping * readings.joint_velocity[self._joints]
        )
        return np.clip(torques, -self._humanoid.efforts, self._humanoid.efforts)


def joint_order(names: tuple[str, ...], humanoid: Humanoid) -> Array:
    """Where the network's joints are among the robot's (n,).

    Raises:
        UnknownName: the robot has no such joint.
    """
    joints = list(humanoid.robot.joints)
    for name in names:
        if name not in joints:
            raise UnknownName("joint", name, joints)
    return np.array([joints.index(name) for name in names or joints])


def learned(argument: str, config: HumanoidWalkingConfig, policy: SlipPolicy) -> LearnedPolicy:
    """The controller of ``onnx:FILE``."""
    if not Path(argument).is_file():
        raise InvalidParameter("controller", f"onnx:{argument}", "onnx:FILE with a file that exists")
    return LearnedPolicy(Path(argument), config, policy)

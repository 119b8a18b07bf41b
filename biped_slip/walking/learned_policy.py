# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Walking policies as networks in ONNX files.

A velocity command goes in, joint targets come out. Every ``period`` the network is
shown the robot (``policy_observation.py``) as its layout says (``policy_layout.py``);
in between springs and dampers pull the joints to the targets::

    torque = stiffness (posture + scale answer - position) - damping velocity
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Iterable, NamedTuple

import numpy as np

from biped_slip.compile.arrays import Array
from biped_slip.control.whole_body.joint_hold import JointHold
from biped_slip.errors import InvalidParameter, UnknownName
from biped_slip.estimation.invariant_filter import cross, rotation_of
from biped_slip.estimation.readings import HumanoidReadings, Problem, SensorReadings
from biped_slip.friction_estimation.types import FrictionEstimate
from biped_slip.robots.humanoid import IMU, Humanoid, NamedNumbers, load_humanoid
from biped_slip.walking.controller import FootEstimates
from biped_slip.walking.humanoid import (
    HumanoidObservation,
    HumanoidSenses,
    HumanoidWalkingConfig,
)
from biped_slip.walking.policy_layout import BY_TERM, LearnedPolicyConfig, layout_of
from biped_slip.walking.policy_network import Memory, Network
from biped_slip.walking.policy_observation import (
    Instant,
    Shown,
    instant_at_rest,
    row_of,
    seen_at,
    shown,
    with_instant,
)
from biped_slip.walking.slip_policies import SlipPolicy

FREE_FLYER = 1  # Pinocchio's index of the free-flyer


class JointDrives(NamedTuple):
    """Springs to the targets of the joints: those of the network, then held ones."""

    joints: Array  # (m,) indices among the robot's
    driven: int  # of them follow the network, in its order
    rest: Array  # (m,) posture, or where a joint is held [rad]
    scale: Array  # (driven,) of the answer [rad]
    stiffness: Array  # (m,) [N m/rad]
    damping: Array  # (m,) [N m s/rad]
    effort: Array  # (m,) largest torque [N m]
    seen: Array  # (driven,) 1; 0 for joints that the network is shown as resting


def joint_drives(layout: LearnedPolicyConfig, humanoid: Humanoid) -> JointDrives:
    """Find the joints that a layout drives and holds, with their gains and limits.

    Raises:
        UnknownName: the robot has no such joint, or the layout does not use it.
        InvalidParameter: a joint of the robot is neither driven nor held.
    """
    robot = list(humanoid.robot.joints)
    held = dict(layout.held_joints)
    driven = list(layout.joints) or [one for one in robot if one not in held]
    names = [*driven, *held]
    for name in names:
        if name not in robot:
            raise UnknownName("joint", name, robot)
    for name in robot:
        if name not in names:
            raise InvalidParameter(
                f"joint {name}",
                "without a drive",
                "among the layout's joints or held_joints",
                "hold it there, or lock it in the robot's file",
            )

    def of(key: str, default: float, pairs: NamedNumbers, among: list[str]) -> Array:
        _check_names(key, (joint for joint, _ in pairs), among)
        known = dict(pairs)
        return np.array([known.get(joint, default) for joint in among])

    _check_names("hidden_joints", layout.hidden_joints, driven)
    at = np.array([robot.index(name) for name in names])
    motor = humanoid.efforts[at]
    asked = of("efforts", layout.effort, layout.efforts, names)
    posture = of("posture", 0.0, layout.posture, driven)
    return JointDrives(
        joints=at,
        driven=len(driven),
        rest=np.concatenate((posture, list(held.values()))),
        scale=of("action_scales", layout.action_scale, layout.action_scales, driven),
        stiffness=of("stiffnesses", layout.stiffness, layout.stiffnesses, names),
        damping=of("dampings", layout.damping, layout.dampings, names),
        effort=np.minimum(motor, np.where(asked > 0.0, asked, motor)),
        seen=np.array([float(one not in layout.hidden_joints) for one in driven]),
    )


def _check_names(key: str, used: Iterable[str], known: list[str]) -> None:
    for joint in used:
        if joint not in known:
            raise UnknownName(f"joint under {key}", joint, known)


def drive_torques(
    drives: JointDrives, action: Array, position: Array, velocity: Array
) -> Array:
    """Compute torques of springs and dampers, inside the motors' limits (n,) [N m].

    Args:
        drives: gains and limits.
        action: (driven,) of the network.
        position: (n,) of all joints [rad].
        velocity: (n,) [rad/s].
    """
    target = drives.rest.copy()
    target[: drives.driven] += drives.scale * action
    at = drives.joints
    wanted = drives.stiffness * (target - position[at]) - drives.damping * velocity[at]
    torques = np.zeros(position.size)
    torques[at] = np.clip(wanted, -drives.effort, drives.effort)
    return torques


def phases_after(phases: Array, layout: LearnedPolicyConfig, command: Array) -> Array:
    """Advance the gait's phases by one period, to within half a turn of zero [rad].

    Args:
        phases: (k,) [rad].
        layout: with the gait's frequency.
        command: (3,) whose norm may raise it.
    """
    rise = layout.gait_frequency_per_speed
    speed = min(float(np.linalg.norm(command)), rise.up_to)
    frequency = layout.gait_frequency + rise.slope * speed
    ahead = phases + math.tau * frequency * layout.period
    return np.asarray(np.mod(ahead + math.pi, math.tau) - math.pi)


def roll_pitch_yaw(rotation: Array) -> Array:
    """Compute the angles (3,) [rad] of a rotation (3, 3) about x, then y, then z."""
    return np.array(
        [
            math.atan2(rotation[2, 1], rotation[2, 2]),
            math.asin(min(max(-rotation[2, 0], -1.0), 1.0)),
            math.atan2(rotation[1, 0], rotation[0, 0]),
        ]
    )


def opened(
    path: Path, layout: LearnedPolicyConfig, joints: int
) -> tuple[Shown, Network]:
    """Open a network that drives a number of joints as its layout says.

    Raises:
        MissingExtra: without ONNX Runtime.
        BipedSlipError: the file can't be read, or contradicts the layout.
    """
    how = shown(
        layout.observation,
        dict(layout.scales),
        instant_at_rest(joints, layout.phases),
        layout.observation_limit,
        layout.history.frames,
        layout.history.by == BY_TERM,
    )
    memory = layout.recurrent
    network = Network(
        path, how.size, joints, memory.inputs, memory.outputs, memory.size
    )
    return how, network


class LearnedOutput(NamedTuple):
    """Output of the player at one instant."""

    readings: SensorReadings  # with the base as estimated
    estimates: tuple[FrictionEstimate, FrictionEstimate]
    torques: Array  # (n,) [N m]


class LearnedPolicy:
    """Player of a network that walks a humanoid, asked every few ticks.

    Joint springs follow in between.

    Friction is estimated under its feet and changes nothing that it does.

    Args:
        network: .onnx file.
        config: robot, command, sensors.
        policy: its estimator runs; its limit is ignored.
        layout: of the network; by default the one beside the file or under its name
            (:func:`layout_of`).

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
        self.config = config
        self.speed_scale = 1.0
        self.turn = 0.0
        self._layout = layout = layout_of(network) if layout is None else layout
        self._humanoid = humanoid = load_humanoid(config.robot)
        self._drives = drives = joint_drives(layout, humanoid)
        self._place = humanoid.model.frames[humanoid.model.getFrameId(IMU)]
        if self._place.parentJoint != FREE_FLYER:
            link = humanoid.config.imu.link
            raise InvalidParameter(
                "imu.link", link, "a link of the base", "networks see its motion"
            )
        self._senses = HumanoidSenses(
            humanoid, policy.estimator, config.base, config.motion, config.touchdown
        )
        model = humanoid.model
        left, right = humanoid.robot.soles
        soles = model.getFrameId(left), model.getFrameId(right)
        self._hold = JointHold(model, soles, humanoid.posture, humanoid.efforts)
        self._shown, self._network = opened(network, layout, drives.driven)
        self.reset()

    def reset(self) -> None:
        """Reset to the state before the first reading."""
        self._senses.reset()
        self._first_ns: int | None = None
        self._asked_ns: int | None = None
        self._action = np.zeros(self._drives.driven)
        self._phases = np.array(self._layout.phases)
        self._past: Array | None = None
        self._memory: Memory = self._network.blank()
        self._commanded = 0.0

    @property
    def moving(self) -> bool:
        """Return whether the robot is commanded to move.

        These networks may step in place without a command, too.
        """
        return self._commanded != 0.0

    def step(
        self, readings: HumanoidReadings, estimates: FootEstimates | None = None
    ) -> LearnedOutput:
        """Compute torques for one reading.

        External estimates are ignored; they are made here.
        """
        raw = readings.raw
        observation = self._senses.step(raw, readings.base)
        self._first_ns = raw.stamp_ns if self._first_ns is None else self._first_ns
        walks = 1e-9 * (raw.stamp_ns - self._first_ns) >= self.config.start
        self._commanded = self.speed_scale * self.config.speed if walks else 0.0
        if observation.state is None:
            self.reset()
        if not observation.ready:
            return LearnedOutput(
                observation.readings,
                observation.estimates,
                self._hold.torques(observation.readings),
            )
        if self._asked_ns is None or raw.stamp_ns - self._asked_ns >= round(
            1e9 * self._layout.period
        ):
            self._ask(observation, raw.imu)
            self._asked_ns = raw.stamp_ns
        return LearnedOutput(
            observation.readings,
            observation.estimates,
            drive_torques(
                self._drives,
                self._action,
                observation.readings.joint_position,
                observation.readings.joint_velocity,
            ),
        )

    def _ask(self, observation: HumanoidObservation, imu: Array) -> None:
        """Evaluate the network at this instant."""
        layout = self._layout
        now = self._instant(observation, imu)
        self._past = with_instant(self._shown, self._past, seen_at(self._shown, now))
        answer, self._memory = self._network(
            row_of(self._shown, self._past), self._memory
        )
        limit = layout.action_limit
        self._action = np.clip(answer, -limit, limit) if limit > 0.0 else answer
        self._phases = phases_after(self._phases, layout, now.command)

    def _instant(self, observation: HumanoidObservation, imu: Array) -> Instant:
        """Take from the sensors what terms of an observation say."""
        known = observation.known
        drives = self._drives
        joints = drives.joints[: drives.driven]
        place = self._place.placement
        rotation = place.rotation
        turned = rotation_of(known.orientation_base_in_world)
        velocity = known.linear_velocity_in_base + cross(
            known.angular_velocity_in_base, place.translation
        )
        away = known.joint_position[joints] - drives.rest[: drives.driven]
        return Instant(
            linear_velocity_in_imu=rotation.T @ velocity,
            angular_velocity_in_imu=imu[:3],
            gravity_in_imu=rotation.T @ -turned[2],
            roll_pitch_yaw=roll_pitch_yaw(turned),
            command=np.array([self._commanded, 0.0, self.turn if self.moving else 0.0]),
            joint_position=drives.seen * away,
            joint_velocity=drives.seen * known.joint_velocity[joints],
            last_action=self._action,
            phases=self._phases,
        )


def learned(
    argument: str, config: HumanoidWalkingConfig, policy: SlipPolicy
) -> LearnedPolicy:
    """Make the controller of ``onnx:FILE``."""
    if not Path(argument).is_file():
        raise InvalidParameter(
            "controller", f"onnx:{argument}", "onnx:FILE with a file that exists"
        )
    return LearnedPolicy(Path(argument), config, policy)

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
from biped_slip.estimation.joint_torque_wrench import JointTorqueWrenches
from biped_slip.estimation.readings import HumanoidReadings, Problem, SensorReadings
from biped_slip.friction_estimation.types import FrictionEstimate
from biped_slip.robots.humanoid import IMU, Humanoid, NamedNumbers, load_humanoid
from biped_slip.walking.controller import FootEstimates
from biped_slip.walking.given_base import GivenBase
from biped_slip.walking.humanoid import (
    HumanoidObservation,
    HumanoidSenses,
    HumanoidWalkingConfig,
    leg_gears,
)
from biped_slip.walking.policy_layout import BY_TERM, LearnedPolicyConfig, layout_of
from biped_slip.walking.policy_network import Memory, Network
from biped_slip.walking.policy_observation import (
    Instant,
    Shown,
    friction_numbers,
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


def described(layout: LearnedPolicyConfig, joints: int) -> Shown:
    """Describe what the layout of a network shows of a number of joints."""
    return shown(
        layout.observation,
        dict(layout.scales),
        instant_at_rest(joints, layout.phases),
        layout.observation_limit,
        layout.history.frames,
        layout.history.by == BY_TERM,
    )


def opened(
    path: Path, layout: LearnedPolicyConfig, joints: int
) -> tuple[Shown, Network]:
    """Open a network that drives a number of joints as its layout says.

    Raises:
        MissingExtra: without ONNX Runtime.
        BipedSlipError: the file can't be read, or contradicts the layout.
    """
    how = described(layout, joints)
    memory = layout.recurrent
    network = Network(
        path,
        how.size,
        joints,
        memory.inputs,
        memory.outputs,
        memory.size,
        row=f": {how}",
    )
    return how, network


class LearnedOutput(NamedTuple):
    """Output of the player at one instant."""

    readings: SensorReadings  # with the base as estimated
    estimates: tuple[FrictionEstimate, FrictionEstimate]
    torques: Array  # (n,) [N m]


class TargetDrivenRobot:
    """Robot as a network has it: shown by the terms of a layout, moved by targets.

    Every tick ``sense``, then ``torques``; whenever ``due``, ``show`` the instant and
    take the ``answer`` to it before the torques.

    Args:
        config: robot, command, sensors.
        policy: its estimator runs; its limit is ignored.
        layout: of the network.

    Raises:
        InvalidParameter: the robot's IMU is not on its base.
    """

    def __init__(
        self,
        config: HumanoidWalkingConfig,
        policy: SlipPolicy,
        layout: LearnedPolicyConfig,
    ) -> None:
        self.layout = layout
        self.humanoid = humanoid = load_humanoid(config.robot)
        self.drives = drives = joint_drives(layout, humanoid)
        self._place = humanoid.model.frames[humanoid.model.getFrameId(IMU)]
        if self._place.parentJoint != FREE_FLYER:
            link = humanoid.config.imu.link
            raise InvalidParameter(
                "imu.link", link, "a link of the base", "networks see its motion"
            )
        self._config = config
        self._senses: HumanoidSenses | GivenBase = HumanoidSenses(
            humanoid,
            policy.estimator,
            config.base,
            config.motion,
            config.touchdown,
            JointTorqueWrenches(humanoid, leg_gears(humanoid), config.period)
            if config.by_currents
            else None,
            config.sensors.foot_imu.present,
        )
        model = humanoid.model
        left, right = humanoid.robot.soles
        soles = model.getFrameId(left), model.getFrameId(right)
        self._hold = JointHold(model, soles, humanoid.posture, humanoid.efforts)
        self.shown = described(layout, drives.driven)
        self.reset()

    def listen_no_more(self) -> None:
        """Take the motion of the base as it is given, and estimate nothing.

        A network that is shown friction is left as it is.
        """
        if "friction" not in self.layout.observation:
            self._senses = GivenBase(self._config.base)

    def reset(self) -> None:
        """Reset to the state before the first reading."""
        self._senses.reset()
        self.action = np.zeros(self.drives.driven)
        self._phases = np.array(self.layout.phases)
        self._past: Array | None = None
        self._asked_ns: int | None = None
        self._command = np.zeros(3)

    def sense(self, readings: HumanoidReadings) -> HumanoidObservation:
        """Take the sensors of one instant."""
        self._raw = readings.raw
        self.observation = self._senses.step(self._raw, readings.base)
        if self.observation.state is None:
            self.reset()
        return self.observation

    @property
    def due(self) -> bool:
        """Return whether the network is asked at this instant."""
        if not self.observation.ready:
            return False
        if self._asked_ns is None:
            return True
        since = self._raw.stamp_ns - self._asked_ns
        return bool(since >= round(1e9 * self.layout.period))

    def show(self, command: Array) -> Array:
        """Return the row that a network is shown of this instant.

        Args:
            command: (3,) forward, left [m/s], turn [rad/s].
        """
        self._command = command
        now = self._instant()
        self._past = with_instant(self.shown, self._past, seen_at(self.shown, now))
        return row_of(self.shown, self._past)

    def answer(self, action: Array) -> None:
        """Take the answer (driven,) to the row of this instant."""
        limit = self.layout.action_limit
        self.action = np.clip(action, -limit, limit) if limit > 0.0 else action
        self._phases = phases_after(self._phases, self.layout, self._command)
        self._asked_ns = self._raw.stamp_ns

    def torques(self) -> Array:
        """Compute the torques of this instant (n,) [N m].

        The joints hold the robot as long as its base is not known.
        """
        known = self.observation.known
        if not self.observation.ready:
            return self._hold.torques(known)
        return drive_torques(
            self.drives, self.action, known.joint_position, known.joint_velocity
        )

    def _instant(self) -> Instant:
        """Take from the sensors what terms of an observation say."""
        known = self.observation.known
        drives = self.drives
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
            angular_velocity_in_imu=self._raw.imu[:3],
            gravity_in_imu=rotation.T @ -turned[2],
            roll_pitch_yaw=roll_pitch_yaw(turned),
            command=self._command,
            joint_position=drives.seen * away,
            joint_velocity=drives.seen * known.joint_velocity[joints],
            last_action=self.action,
            phases=self._phases,
            friction=friction_numbers(self.observation.estimates),
        )


class LearnedPolicy:
    """Player of a network that walks a humanoid, asked every few ticks.

    Joint springs follow in between.

    Friction is estimated under its feet and changes nothing that it does, but where its
    layout shows it.

    Args:
        network: .onnx file.
        config: robot, command, sensors.
        policy: its estimator runs; its limit is ignored.
        layout: of the network; by default the one beside the file or under its name
            (:func:`layout_of`).

    Attributes:
        robot: as the network has it.
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
        layout = layout_of(network) if layout is None else layout
        self.robot = TargetDrivenRobot(config, policy, layout)
        self._network = opened(network, layout, self.robot.drives.driven)[1]
        self.reset()

    def reset(self) -> None:
        """Reset to the state before the first reading."""
        self.robot.reset()
        self._forget()

    def _forget(self) -> None:
        self._first_ns: int | None = None
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
        observation = self.robot.sense(readings)
        self._first_ns = raw.stamp_ns if self._first_ns is None else self._first_ns
        walks = 1e-9 * (raw.stamp_ns - self._first_ns) >= self.config.start
        self._commanded = self.speed_scale * self.config.speed if walks else 0.0
        if observation.state is None:
            self._forget()
        if self.robot.due:
            turn = self.turn if self.moving else 0.0
            row = self.robot.show(np.array([self._commanded, 0.0, turn]))
            answer, self._memory = self._network(row, self._memory)
            self.robot.answer(answer)
        return LearnedOutput(
            observation.readings, observation.estimates, self.robot.torques()
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

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Walking policies as networks in ONNX files.

A velocity command goes in, joint targets come out.
"""

from __future__ import annotations

import math
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, Callable, Mapping, NamedTuple, Sequence

import numpy as np

from biped_slip.compile.arrays import Array
from biped_slip.config import Configuration, configuration, parameter
from biped_slip.control.whole_body.joint_hold import JointHold
from biped_slip.errors import (
    BipedSlipError,
    InvalidParameter,
    MissingExtra,
    UnknownName,
)
from biped_slip.estimation.invariant_filter import cross, rotation_of
from biped_slip.estimation.readings import HumanoidReadings, Problem, SensorReadings
from biped_slip.friction_estimation.types import FrictionEstimate
from biped_slip.robots.humanoid import (
    IMU,
    Humanoid,
    NamedNumbers,
    load_humanoid,
    with_pairs,
)
from biped_slip.shared_files import shared_file, shared_names
from biped_slip.walking.controller import FootEstimates
from biped_slip.walking.humanoid import (
    HumanoidObservation,
    HumanoidSenses,
    HumanoidWalkingConfig,
)
from biped_slip.walking.slip_policies import SlipPolicy

if TYPE_CHECKING:
    from typing_extensions import Self


class Instant(NamedTuple):
    """Inputs of the observation's terms; joints in the network's order."""

    linear_velocity_in_imu: Array  # (3,) of the IMU [m/s]
    angular_velocity_in_imu: Array  # (3,) [rad/s]
    gravity_in_imu: Array  # (3,) unit vector downwards
    command: Array  # (3,) forward, left [m/s], turn [rad/s]
    joint_position: Array  # (n,) from the posture [rad]
    joint_velocity: Array  # (n,) [rad/s]
    last_action: Array  # (n,)
    phases: Array  # (k,) of the gait [rad]


TERMS: dict[str, Callable[[Instant], Array]] = {
    **{name: attrgetter(name) for name in Instant._fields if name != "phases"},
    "cosine_of_phases": lambda now: np.cos(now.phases),
    "sine_of_phases": lambda now: np.sin(now.phases),
}


def observed(terms: Sequence[str], now: Instant) -> Array:
    """Concatenate the observation's terms to the input of a network."""
    return np.concatenate([TERMS[term](now) for term in terms])


FOLDER = "config/policies"  # layouts that come with the package; networks never do


@configuration
class LearnedPolicyConfig(Configuration):
    """Layout of a network: observation, answer and gains.

    Joints not named have the value of all.
    """

    period: float = parameter(
        0.02, unit="s", above=0.0, high=1.0, doc="between two answers of the network"
    )
    observation: tuple[str, ...] = parameter(
        tuple(TERMS), doc="terms in the order of the network's input"
    )
    joints: tuple[str, ...] = parameter(
        (), doc="in the network's order; () is the robot's"
    )
    posture: NamedNumbers = parameter(
        (), unit="rad", doc="that positions and answers start from; 0 for other joints"
    )
    action_scale: float = parameter(
        0.5,
        unit="rad",
        above=0.0,
        high=10.0,
        doc="target = posture + this times answer",
    )
    stiffness: float = parameter(
        75.0,
        unit="N m/rad",
        low=0.0,
        high=1e4,
        doc="of the joints' springs to their targets",
    )
    stiffnesses: NamedNumbers = parameter(
        (), unit="N m/rad", low=0.0, high=1e4, doc="by joint"
    )
    damping: float = parameter(
        2.0, unit="N m s/rad", low=0.0, high=1e3, doc="of the joints"
    )
    dampings: NamedNumbers = parameter(
        (), unit="N m s/rad", low=0.0, high=1e3, doc="by joint"
    )
    gait_frequency: float = parameter(
        1.5, unit="Hz", low=0.0, high=10.0, doc="with which both phases advance"
    )
    phases: tuple[float, ...] = parameter(
        (0.0, 3.141592653589793), unit="rad", doc="at the start"
    )

    def check(self) -> None:
        """Check that the terms exist."""
        for name in self.observation:
            if name not in TERMS:
                raise UnknownName("term of an observation", name, list(TERMS))

    @classmethod
    def from_mapping(cls, mapping: Mapping[str, Any] | None, name: str = "") -> Self:
        """Build from nested dictionaries.

        Values by joint may be a mapping of joint to number.
        """
        return super().from_mapping(
            with_pairs(mapping, ("posture", "stiffnesses", "dampings")), name
        )


def layout_of(network: Path) -> LearnedPolicyConfig:
    """Find the layout of a network.

    It is the .yaml of its name beside it, or the shipped one of its name.

    Raises:
        BipedSlipError: there is neither.
    """
    beside = network.with_suffix(".yaml")
    shipped = shared_names(FOLDER)
    if beside.is_file():
        return LearnedPolicyConfig.from_yaml(beside)
    if network.stem in shipped:
        return LearnedPolicyConfig.from_yaml(
            shared_file(f"{FOLDER}/{network.stem}.yaml")
        )
    raise BipedSlipError(
        f"{network}: nothing says what this network sees; write {beside.name} beside "
        "it "
        f"(shipped layouts: {', '.join(shipped)})"
    )


class Network:
    """Network with one input and one output vector, on one thread.

    Raises:
        MissingExtra: without ONNX Runtime.
        BipedSlipError: the file can't be read, or is a network of another shape.
    """

    def __init__(self, path: Path, inputs: int, outputs: int) -> None:
        try:
            import onnxruntime
        except ImportError as error:
            raise MissingExtra("a policy from an ONNX file", "policies") from error
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = 3
        try:
            self._session = onnxruntime.InferenceSession(
                str(path), options, providers=["CPUExecutionProvider"]
            )
            self._input = self._session.get_inputs()[0].name
            found = self(np.zeros(inputs)).size
        except Exception as error:  # its own exceptions have no common base
            raise BipedSlipError(
                f"{path}: no network that takes {inputs} numbers ({error})"
            ) from error
        if found != outputs:
            raise BipedSlipError(
                f"{path}: answers with {found} numbers; the layout has {outputs} joints"
            )

    def __call__(self, values: Array) -> Array:
        """Evaluate values (inputs,) to an answer (outputs,)."""
        fed = {self._input: values[np.newaxis].astype(np.float32)}
        return np.asarray(self._session.run(None, fed)[0], dtype=float).ravel()


FREE_FLYER = 1  # Pinocchio's index of the free-flyer


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
        self._joints = joint_order(layout.joints, humanoid)
        self._posture = self._of_joints("posture", 0.0, layout.posture)
        self._stiffness = self._of_joints(
            "stiffnesses", layout.stiffness, layout.stiffnesses
        )
        self._damping = self._of_joints("dampings", layout.damping, layout.dampings)
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
        (left, right) = humanoid.robot.soles
        soles = model.getFrameId(left), model.getFrameId(right)
        self._hold = JointHold(model, soles, humanoid.posture, humanoid.efforts)
        self._network = Network(
            network,
            observed(layout.observation, self._at_rest()).size,
            len(self._joints),
        )
        self.reset()

    def _of_joints(self, name: str, all_of_them: float, pairs: NamedNumbers) -> Array:
        """List numbers (n,) by joint, in the network's order."""
        joints = [self._humanoid.robot.joints[i] for i in self._joints]
        known = dict(pairs)
        for joint in known:
            if joint not in joints:
                raise UnknownName(f"joint under {name}", joint, joints)
        return np.array([known.get(joint, all_of_them) for joint in joints])

    def _at_rest(self) -> Instant:
        still = np.zeros(3)
        joints = np.zeros(len(self._joints))
        down = np.array([0.0, 0.0, -1.0])
        return Instant(
            linear_velocity_in_imu=still,
            angular_velocity_in_imu=still,
            gravity_in_imu=down,
            command=still,
            joint_position=joints,
            joint_velocity=joints,
            last_action=joints,
            phases=np.array(self._layout.phases),
        )

    def reset(self) -> None:
        """Reset to the state before the first reading."""
        self._senses.reset()
        self._first_ns: int | None = None
        self._asked_ns: int | None = None
        self._action = np.zeros(len(self._joints))
        self._phases = np.array(self._layout.phases)
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
            self._torques(observation.readings),
        )

    def _ask(self, observation: HumanoidObservation, imu: Array) -> None:
        """Evaluate the network at this instant."""
        layout = self._layout
        known = observation.known
        place = self._place.placement
        rotation = place.rotation
        turned = rotation_of(known.orientation_base_in_world)
        velocity = known.linear_velocity_in_base + cross(
            known.angular_velocity_in_base, place.translation
        )
        now = Instant(
            linear_velocity_in_imu=rotation.T @ velocity,
            angular_velocity_in_imu=imu[:3],
            gravity_in_imu=rotation.T @ -turned[2],
            command=np.array([self._commanded, 0.0, self.turn if self.moving else 0.0]),
            joint_position=known.joint_position[self._joints] - self._posture,
            joint_velocity=known.joint_velocity[self._joints],
            last_action=self._action,
            phases=self._phases,
        )
        self._action = self._network(observed(layout.observation, now))
        ahead = self._phases + math.tau * layout.gait_frequency * layout.period
        self._phases = np.mod(ahead + math.pi, math.tau) - math.pi

    def _torques(self, readings: SensorReadings) -> Array:
        """Compute springs and dampers of the joints.

        They are inside the motors' limits (n,) [N m].
        """
        torques = np.zeros(len(self._humanoid.robot.joints))
        target = self._posture + self._layout.action_scale * self._action
        torques[self._joints] = (
            self._stiffness * (target - readings.joint_position[self._joints])
            - self._damping * readings.joint_velocity[self._joints]
        )
        return np.clip(torques, -self._humanoid.efforts, self._humanoid.efforts)


def joint_order(names: tuple[str, ...], humanoid: Humanoid) -> Array:
    """Find the network's joints among the robot's (n,).

    Raises:
        UnknownName: the robot has no such joint.
    """
    joints = list(humanoid.robot.joints)
    for name in names:
        if name not in joints:
            raise UnknownName("joint", name, joints)
    return np.array([joints.index(name) for name in names or joints])


def learned(
    argument: str, config: HumanoidWalkingConfig, policy: SlipPolicy
) -> LearnedPolicy:
    """Make the controller of ``onnx:FILE``."""
    if not Path(argument).is_file():
        raise InvalidParameter(
            "controller", f"onnx:{argument}", "onnx:FILE with a file that exists"
        )
    return LearnedPolicy(Path(argument), config, policy)

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Layouts of walking networks: what each sees, what its answer means, which gains act.

A network alone says neither; its layout is the YAML of its name beside it. The target
of a joint is ``posture + scale * answer``; a spring and a damper pull the joint there.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Mapping

from biped_slip.config import Configuration, configuration, parameter, section
from biped_slip.errors import BipedSlipError, InvalidParameter, UnknownName
from biped_slip.robots.humanoid import NamedNumbers, with_pairs
from biped_slip.shared_files import shared_file, shared_names
from biped_slip.walking.policy_observation import TERMS

if TYPE_CHECKING:
    from typing_extensions import Self

FOLDER = "config/policies"  # layouts that come with the package; networks never do

BY_TERM = "term"
BY_FRAME = "frame"
BY_JOINT = (
    "posture",
    "action_scales",
    "stiffnesses",
    "dampings",
    "held_joints",
    "efforts",
)


@configuration
class HistoryConfig(Configuration):
    """Instants that a network is shown together, oldest first."""

    frames: int = parameter(1, low=1, high=1000, doc="instants; 1: the present alone")
    by: str = parameter(
        BY_TERM,
        choices=(BY_TERM, BY_FRAME),
        doc="term: all instants of the first term, then of the second, and before the "
        "first instant that one; frame: whole instants, and zeros before",
    )


@configuration
class RecurrentConfig(Configuration):
    """Memory of a network: inputs of shape (1, 1, size), zero at the start.

    They take the outputs of the answer before, in the same order.
    """

    size: int = parameter(0, low=0, high=65536, doc="of each part; 0: no memory")
    inputs: tuple[str, ...] = parameter((), doc="names of the network's inputs")
    outputs: tuple[str, ...] = parameter((), doc="names of its outputs")

    def check(self) -> None:
        """Check that each input of the memory has its output."""
        if len(self.inputs) != len(self.outputs):
            raise InvalidParameter(
                "recurrent.outputs",
                list(self.outputs),
                f"one for each of the {len(self.inputs)} inputs",
                "name both sides",
            )
        if bool(self.inputs) != (self.size > 0):
            raise InvalidParameter(
                "recurrent.size",
                self.size,
                "above 0 with inputs, and 0 without",
                "give the length of the memory's inputs",
            )


@configuration
class FrequencyPerSpeedConfig(Configuration):
    """Rise of the gait's frequency with the norm of the command."""

    slope: float = parameter(
        0.0, unit="Hz s/m", low=0.0, high=10.0, doc="per norm of the command"
    )
    up_to: float = parameter(
        0.0, unit="m/s", low=0.0, high=10.0, doc="a larger norm counts as this one"
    )


@configuration
class LearnedPolicyConfig(Configuration):
    """Layout of a network: observation, answer and gains.

    Joints not named have the value of all.
    """

    period: float = parameter(
        0.02, unit="s", above=0.0, high=1.0, doc="between two answers of the network"
    )
    observation: tuple[str, ...] = parameter(
        (
            "linear_velocity_in_imu",
            "angular_velocity_in_imu",
            "gravity_in_imu",
            "command",
            "joint_position",
            "joint_velocity",
            "last_action",
            "cosine_of_phases",
            "sine_of_phases",
        ),
        doc="terms in the order of the network's input; there are also "
        "roll_pitch_yaw (of the base), command_linear, command_turn, friction (under "
        "the left foot, then the right: 1 where known, mu, lower, upper bound)",
    )
    scales: tuple[tuple[str, tuple[float, ...]], ...] = parameter(
        (), doc="by term: a number, or a list, by which it is multiplied"
    )
    observation_limit: float = parameter(
        0.0, low=0.0, doc="of every shown number, after its scale; 0: none"
    )
    history: HistoryConfig = section(HistoryConfig)
    recurrent: RecurrentConfig = section(RecurrentConfig)
    joints: tuple[str, ...] = parameter(
        (), doc="in the network's order; () is all that are not held, as the robot's"
    )
    hidden_joints: tuple[str, ...] = parameter(
        (), doc="whose position and velocity are shown as 0"
    )
    held_joints: NamedNumbers = parameter(
        (), unit="rad", doc="that the network does not drive: where springs hold them"
    )
    posture: NamedNumbers = parameter(
        (), unit="rad", doc="that positions and answers start from; 0 for other joints"
    )
    action_limit: float = parameter(
        0.0, low=0.0, doc="of an answer, before its scale and its memory; 0: none"
    )
    action_scale: float = parameter(
        0.5,
        unit="rad",
        above=0.0,
        high=10.0,
        doc="target = posture + this times answer",
    )
    action_scales: NamedNumbers = parameter(
        (), unit="rad", above=0.0, high=10.0, doc="by joint"
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
        2.0, unit="N m s/rad", low=0.0, high=1e3, doc="of the joints, their own with it"
    )
    dampings: NamedNumbers = parameter(
        (), unit="N m s/rad", low=0.0, high=1e3, doc="by joint"
    )
    effort: float = parameter(
        0.0,
        unit="N m",
        low=0.0,
        doc="largest torque of a joint; 0, or a larger one than the robot's: the "
        "robot's",
    )
    efforts: NamedNumbers = parameter((), unit="N m", low=0.0, doc="by joint")
    gait_frequency: float = parameter(
        1.5, unit="Hz", low=0.0, high=10.0, doc="with which all phases advance"
    )
    gait_frequency_per_speed: FrequencyPerSpeedConfig = section(FrequencyPerSpeedConfig)
    phases: tuple[float, ...] = parameter(
        (0.0, 3.141592653589793), unit="rad", doc="at the start"
    )

    def check(self) -> None:
        """Check that the terms exist, and that no joint is both driven and held."""
        for name in self.observation:
            if name not in TERMS:
                raise UnknownName("term of an observation", name, list(TERMS))
        for name, _ in self.scales:
            if name not in self.observation:
                raise UnknownName("term under scales", name, list(self.observation))
        for joint, _ in self.held_joints:
            if joint in self.joints:
                raise InvalidParameter(
                    "held_joints",
                    joint,
                    "a joint that the network does not drive",
                    "take it out of joints, or out of held_joints",
                )

    @classmethod
    def from_mapping(cls, mapping: Mapping[str, Any] | None, name: str = "") -> Self:
        """Build from nested dictionaries.

        Values by joint may be a mapping of joint to number, scales one of term to a
        number or a list.
        """
        values = with_pairs(mapping, BY_JOINT)
        scales = values.get("scales")
        if isinstance(scales, Mapping):
            values["scales"] = tuple(
                (str(term), factors if isinstance(factors, list) else [factors])
                for term, factors in scales.items()
            )
        return super().from_mapping(values, name)


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
        f"it (shipped layouts: {', '.join(shipped)})"
    )

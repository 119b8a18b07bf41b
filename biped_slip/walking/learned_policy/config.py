# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""What a network does not say of itself: what it sees, in which order, and what its answer means; as a small YAML."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Mapping

from biped_slip.config import Configuration, configuration, parameter
from biped_slip.errors import BipedSlipError, UnknownName
from biped_slip.robots.humanoid_config import Pairs
from biped_slip.shared_files import shared_file, shared_names
from biped_slip.walking.learned_policy.observation import TERMS

if TYPE_CHECKING:
    from typing_extensions import Self

FOLDER = "config/policies"  # layouts that come with the package; networks never do
PAIRS = ("posture", "stiffnesses", "dampings")


@configuration
class LearnedPolicyConfig(Configuration):
    """Observation, answer and gains of a network; what is not named of a joint has the value of all."""

    period: float = parameter(0.02, unit="s", above=0.0, high=1.0, doc="between two answers of the network")
    observation: tuple[str, ...] = parameter(tuple(TERMS), doc="terms in the order of the network's input")
    joints: tuple[str, ...] = parameter((), doc="in the network's order; () is the robot's")
    posture: Pairs = parameter((), unit="rad", doc="that positions and answers start from; 0 for other joints")
    action_scale: float = parameter(0.5, unit="rad", above=0.0, high=10.0, doc="target = posture + this times answer")
    stiffness: float = parameter(75.0, unit="N m/rad", low=0.0, high=1e4, doc="of the joints' springs to their targets")
    stiffnesses: Pairs = parameter((), unit="N m/rad", low=0.0, high=1e4, doc="by joint")
    damping: float = parameter(2.0, unit="N m s/rad", low=0.0, high=1e3, doc="of the joints")
    dampings: Pairs = parameter((), unit="N m s/rad", low=0.0, high=1e3, doc="by joint")
    gait_frequency: float = parameter(1.5, unit="Hz", low=0.0, high=10.0, doc="with which both phases advance")
    phases: tuple[float, ...] = parameter((0.0, 3.141592653589793), unit="rad", doc="at the start")

    def check(self) -> None:
        """Terms that exist."""
        for name in self.observation:
            if name not in TERMS:
                raise UnknownName("term of an observation", name, list(TERMS))

    @classmethod
    def from_mapping(cls, mapping: Mapping[str, Any] | None, name: str = "") -> Self:
        """As usual; what is said by joint may be a mapping of joint to number."""
        values = dict(mapping or {})
        for key in PAIRS:
            if isinstance(values.get(key), Mapping):
                values[key] = tuple((str(joint), float(number)) for joint, number in values[key].items())
        return super().from_mapping(values, name)


def layout_of(network: Path) -> LearnedPolicyConfig:
    """The layout of a network: the .yaml of its name beside it, or the shipped one of its name.

    Raises:
        BipedSlipError: there is neither.
    """
    beside, shipped = network.with_suffix(".yaml"), shared_names(FOLDER)
    if beside.is_file():
        return LearnedPolicyConfig.from_yaml(beside)
    if network.stem in shipped:
        return LearnedPolicyConfig.from_yaml(shared_file(f"{FOLDER}/{network.stem}.yaml"))
    raise BipedSlipError(
        f"{network}: nothing says what this network sees; write {beside.name} beside it "
        f"(shipped layouts: {', '.join(shipped)})"
    )

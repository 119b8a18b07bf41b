# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""All controllers of humanoids by name: the one table that the simulator, the robot's node and Python read.

A new controller is its class and a line here, an entry point of the group ``biped_slip.controllers``, or
``FILE.py:NAME``. A class is its own factory.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Callable, Protocol, runtime_checkable

from biped_slip.estimation.raw_readings import HumanoidReadings
from biped_slip.plugins import named, names
from biped_slip.walking.controller import Controller, checked_controller
from biped_slip.walking.sensor_sway import Background
from biped_slip.walking.slip_policy import SlipPolicy

if TYPE_CHECKING:
    from biped_slip.walking.humanoid_config import HumanoidWalkingConfig

GROUP, DEFAULT = "biped_slip.controllers", "whole_body"

HumanoidFactory = Callable[["HumanoidWalkingConfig", SlipPolicy], Controller[HumanoidReadings]]


@runtime_checkable
class ChecksSensors(Protocol):
    """A controller that can judge its sensors before the first step."""

    @property
    def faults(self) -> tuple[str, ...] | None:
        """What is wrong with the sensors; None as long as they are judged."""
        ...

    def check_sensors_first(self, background: Background) -> None:
        """From the next reset on; they are judged in the ``background``."""
        ...


def whole_body(config: HumanoidWalkingConfig, policy: SlipPolicy) -> Controller[HumanoidReadings]:
    """The whole-body program of a humanoid, its forces inside the limits of the policy."""
    from biped_slip.walking.humanoid_sequencer import HumanoidSequencer  # its solver is an extra

    return HumanoidSequencer(config, policy)


CONTROLLERS: dict[str, HumanoidFactory] = {DEFAULT: whole_body}


def onnx(network: str, config: HumanoidWalkingConfig, policy: SlipPolicy) -> Controller[HumanoidReadings]:
    """The player of a network in a file."""
    from biped_slip.walking.learned_policy.controller import learned  # its runtime is an extra

    return learned(network, config, policy)


def governed(name: str, config: HumanoidWalkingConfig, policy: SlipPolicy) -> Controller[HumanoidReadings]:
    """Any other controller behind a friction governor."""
    from biped_slip.robots.humanoid import load_humanoid
    from biped_slip.walking.governed_humanoid import GovernedHumanoid

    weight = load_humanoid(config.robot).weight
    return GovernedHumanoid(humanoid_controller(config, policy, name), config.speed, weight, start=config.start)


#: Those whose name says more after a colon, and what that is.
WITH_ARGUMENT: dict[
    str, tuple[str, Callable[[str, HumanoidWalkingConfig, SlipPolicy], Controller[HumanoidReadings]]]
] = {"onnx": ("FILE", onnx), "governed": ("NAME", governed)}


def humanoid_controller_names() -> list[str]:
    """Names of the controllers of humanoids, those of installed packages included."""
    return [*names(GROUP, CONTROLLERS), *(f"{kind}:{what}" for kind, (what, _) in WITH_ARGUMENT.items())]


def humanoid_controller(
    config: HumanoidWalkingConfig, policy: SlipPolicy, name: str = DEFAULT
) -> Controller[HumanoidReadings]:
    """A fresh controller of a humanoid.

    Raises:
        UnknownName: no such controller.
        InvalidParameter: what the name points to makes none.
    """
    kind, colon, argument = name.partition(":")
    if colon and kind in WITH_ARGUMENT:
        return WITH_ARGUMENT[kind][1](argument, config, policy)
    return checked_controller(name, named("controller", GROUP, CONTROLLERS, name)(config, policy))

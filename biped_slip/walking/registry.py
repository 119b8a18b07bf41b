# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Registry of walking controllers, for walks, nodes, campaigns and commands.

A new controller is its class and a factory, and a line here, or an entry point of the
groups ``biped_slip.planar_controllers`` and ``biped_slip.controllers``, or
``FILE.py:NAME``. Each is a place in the form of an entry point,
``package.module:factory``, which is imported when its controller is chosen: their
solvers and networks are extras.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from biped_slip.plugins import loaded, names
from biped_slip.walking.controller import Controller, checked_controller

if TYPE_CHECKING:
    from biped_slip.estimation.readings import HumanoidReadings, SensorReadings
    from biped_slip.walking.humanoid import HumanoidWalkingConfig
    from biped_slip.walking.planar import PlanarSite, PlanarWalkingConfig
    from biped_slip.walking.slip_policies import SlipPolicy

PLANAR_GROUP = "biped_slip.planar_controllers"
PLANAR_DEFAULT = "virtual_model"
#: Factories ``(PlanarWalkingConfig, SlipPolicy, PlanarSite) -> Controller``.
PLANAR = {PLANAR_DEFAULT: "biped_slip.walking.planar:virtual_model"}

HUMANOID_GROUP = "biped_slip.controllers"
HUMANOID_DEFAULT = "whole_body"
#: Factories ``(HumanoidWalkingConfig, SlipPolicy) -> Controller``.
HUMANOID = {HUMANOID_DEFAULT: "biped_slip.walking.humanoid:whole_body"}
#: Those whose name says more after a colon, and what that is; it is their factories'
#: first argument.
WITH_ARGUMENT = {
    "onnx": ("FILE", "biped_slip.walking.learned_policy:learned"),
    "governed": ("NAME", "biped_slip.walking.governed_humanoid:governed"),
}


def planar_controller_names() -> list[str]:
    """List the names of the planar biped's controllers.

    Those of installed packages are included.
    """
    return names(PLANAR_GROUP, PLANAR)


def planar_controller(
    config: PlanarWalkingConfig,
    policy: SlipPolicy,
    site: PlanarSite,
    name: str = PLANAR_DEFAULT,
) -> Controller[SensorReadings]:
    """Make a fresh controller of the planar biped.

    Args:
        config: gains, speed command.
        policy: for slip.
        site: robot, floor, control period.
        name: of the controller.

    Raises:
        UnknownName: no such controller.
        InvalidParameter: what the name points to makes none.
    """
    factory = loaded("controller", PLANAR_GROUP, PLANAR, name)
    return checked_controller(name, factory(config, policy, site))


def humanoid_controller_names() -> list[str]:
    """List the names of the controllers of humanoids.

    Those of installed packages are included.
    """
    return [
        *names(HUMANOID_GROUP, HUMANOID),
        *(f"{kind}:{what}" for kind, (what, _) in WITH_ARGUMENT.items()),
    ]


def humanoid_controller(
    config: HumanoidWalkingConfig, policy: SlipPolicy, name: str = HUMANOID_DEFAULT
) -> Controller[HumanoidReadings]:
    """Make a fresh controller of a humanoid.

    Args:
        config: robot, command, gains.
        policy: for slip.
        name: of the controller.

    Raises:
        UnknownName: no such controller.
        InvalidParameter: what the name points to makes none.
    """
    kind, colon, argument = name.partition(":")
    if colon and kind in WITH_ARGUMENT:
        places = {each: place for each, (_, place) in WITH_ARGUMENT.items()}
        factory = loaded("controller", HUMANOID_GROUP, places, kind)
        made: Controller[HumanoidReadings] = factory(argument, config, policy)
        return made
    factory = loaded("controller", HUMANOID_GROUP, HUMANOID, name)
    return checked_controller(name, factory(config, policy))

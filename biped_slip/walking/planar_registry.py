# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""All controllers of the planar biped by name: the one table that the simulator, the robot's node and Python read.

A new controller is its class and a line here, an entry point of the group ``biped_slip.planar_controllers``, or
``FILE.py:NAME``. A class is its own factory.
"""

from __future__ import annotations

from typing import Callable, NamedTuple

from biped_slip.estimation.foot_measurement import FloorConfig
from biped_slip.estimation.motion.sources import motion_source
from biped_slip.estimation.readings import SensorReadings
from biped_slip.plugins import named, names
from biped_slip.robots.robot import Robot
from biped_slip.walking.config import PlanarWalkingConfig
from biped_slip.walking.controller import PERIOD, Controller, checked_controller
from biped_slip.walking.planar import PlanarController
from biped_slip.walking.slip_policy import SlipPolicy

GROUP, DEFAULT = "biped_slip.planar_controllers", "virtual_model"


class PlanarSite(NamedTuple):
    """What a planar controller walks, where and how often."""

    robot: Robot
    floor: FloorConfig = FloorConfig()
    period: float = PERIOD  # of control [s]


PlanarFactory = Callable[[PlanarWalkingConfig, SlipPolicy, PlanarSite], Controller[SensorReadings]]


def virtual_model(config: PlanarWalkingConfig, policy: SlipPolicy, site: PlanarSite) -> PlanarController:
    """The virtual model control of the thesis (A.8), its forces inside the limits of the policy."""
    motion = motion_source(site.robot, config.motion, site.floor)
    return PlanarController(site.robot, config, policy, motion, site.floor.slope, site.period)


CONTROLLERS: dict[str, PlanarFactory] = {DEFAULT: virtual_model}


def planar_controller_names() -> list[str]:
    """Names of the controllers of the planar biped, those of installed packages included."""
    return names(GROUP, CONTROLLERS)


def planar_controller(
    config: PlanarWalkingConfig, policy: SlipPolicy, site: PlanarSite, name: str = DEFAULT
) -> Controller[SensorReadings]:
    """A fresh controller of the planar biped.

    Raises:
        UnknownName: no such controller.
        InvalidParameter: what the name points to makes none.
    """
    return checked_controller(name, named("controller", GROUP, CONTROLLERS, name)(config, policy, site))

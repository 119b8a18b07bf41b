# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""All walking controllers by name: the one table that the simulator, the robot's node and Python read.

A new controller is its class and a line here, an entry point of the group ``biped_slip.controllers`` (humanoids) or
``biped_slip.planar_controllers``, or ``FILE.py:NAME``. A class is its own factory.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, NamedTuple, Protocol, runtime_checkable

from biped_slip.errors import InvalidParameter
from biped_slip.estimation.foot_measurement import FloorConfig
from biped_slip.estimation.raw_readings import HumanoidReadings
from biped_slip.estimation.readings import SensorReadings
from biped_slip.plugins import named, names
from biped_slip.robots.robot import Robot
from biped_slip.walking.controller import PERIOD, Controller
from biped_slip.walking.sensor_sway import Background
from biped_slip.walking.slip_policy import SlipPolicy

if TYPE_CHECKING:
    from biped_slip.walking.config import PlanarWalkingConfig
    from biped_slip.walking.humanoid_config import HumanoidWalkingConfig

GROUP, PLANAR_GROUP = "biped_slip.controllers", "biped_slip.planar_controllers"
DEFAULT, PLANAR_DEFAULT = "whole_body", "virtual_model"


class PlanarSite(NamedTuple):
    """What a planar controller walks, where and how often."""

    robot: Robot
    floor: FloorConfig = FloorConfig()
    period: float = PERIOD  # of control [s]


HumanoidFactory = Callable[["HumanoidWalkingConfig", SlipPolicy], Controller[HumanoidReadings]]
PlanarFactory = Callable[["PlanarWalkingConfig", SlipPolicy, PlanarSite], Controller[SensorReadings]]


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


def virtual_model(config: PlanarWalkingConfig, policy: SlipPolicy, site: PlanarSite) -> Controller[SensorReadings]:
    """The virtual model control of the thesis (A.8), its forces inside the limits of the policy."""
    from biped_slip.estimation.motion.sources import motion_source  # a humanoid's node needs neither of them
    from biped_slip.walking.planar import PlanarController

    motion = motion_source(site.robot, config.motion, site.floor)
    return PlanarController(site.robot, config, policy, motion, site.floor.slope, site.period)


def whole_body(config: HumanoidWalkingConfig, policy: SlipPolicy) -> Controller[HumanoidReadings]:
    """The whole-body program of a humanoid, its forces inside the limits of the policy."""
    from biped_slip.walking.humanoid_sequencer import HumanoidSequencer  # its solver is an extra

    return HumanoidSequencer(config, policy)


HUMANOID_CONTROLLERS: dict[str, HumanoidFactory] = {DEFAULT: whole_body}
PLANAR_CONTROLLERS: dict[str, PlanarFactory] = {PLANAR_DEFAULT: virtual_model}


def humanoid_controller_names() -> list[str]:
    """Names of the controllers of humanoids, those of installed packages included."""
    return names(GROUP, HUMANOID_CONTROLLERS)


def planar_controller_names() -> list[str]:
    """Names of the controllers of the planar biped, those of installed packages included."""
    return names(PLANAR_GROUP, PLANAR_CONTROLLERS)


def humanoid_controller(
    config: HumanoidWalkingConfig, policy: SlipPolicy, name: str = DEFAULT
) -> Controller[HumanoidReadings]:
    """A fresh controller of a humanoid.

    Raises:
        UnknownName: no such controller.
        InvalidParameter: what the name points to makes none.
    """
    return _made(named("controller", GROUP, HUMANOID_CONTROLLERS, name), name, config, policy)


def planar_controller(
    config: PlanarWalkingConfig, policy: SlipPolicy, site: PlanarSite, name: str = PLANAR_DEFAULT
) -> Controller[SensorReadings]:
    """A fresh controller of the planar biped.

    Raises:
        UnknownName: no such controller.
        InvalidParameter: what the name points to makes none.
    """
    return _made(named("controller", PLANAR_GROUP, PLANAR_CONTROLLERS, name), name, config, policy, site)


def _made(factory: Callable[..., Any], name: str, *told: Any) -> Any:
    controller = factory(*told)
    missing = [part for part in ("speed_scale", "moving", "reserve", "reset", "step") if not hasattr(controller, part)]
    if missing:
        raise InvalidParameter("controller", name, f"a Controller; it has no {', '.join(missing)}")
    return controller

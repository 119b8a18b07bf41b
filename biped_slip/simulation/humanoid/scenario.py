# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""What happens around a humanoid, as data: floor, start, pushes, sensors, physics."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Mapping

import numpy as np

from biped_slip.compile.arrays import Array
from biped_slip.config import Configuration, configuration, parameter, section
from biped_slip.errors import InvalidParameter
from biped_slip.robots.sensor_config import FloatingSensorConfig
from biped_slip.simulation.contact_of_plant import with_contact_in_plant
from biped_slip.simulation.humanoid.plant import FloatingPlantConfig
from biped_slip.simulation.humanoid.terrain_config import TerrainConfig

if TYPE_CHECKING:
    from typing_extensions import Self


@configuration
class PlaceConfig(Configuration):
    """Where the robot stands at time zero, in its standing posture and at rest."""

    x: float = parameter(0.0, unit="m", doc="of the middle between the soles")
    y: float = parameter(0.0, unit="m", doc="of the middle between the soles")
    yaw: float = parameter(0.0, unit="rad", doc="heading")
    height: float = parameter(0.0, unit="m", low=0.0, high=10.0, doc="of the soles over the floor; 0 stands on it")


@configuration
class PushesConfig(Configuration):
    """Forces on the base, in world axes at its origin."""

    each: tuple[tuple[float, ...], ...] = parameter((), doc="[start s, duration s, force x, y, z N] of each push")

    def check(self) -> None:
        """Five numbers each."""
        for push in self.each:
            if len(push) != 5 or push[1] < 0.0:
                raise InvalidParameter("pushes.each", push, "[start, duration >= 0, force x, y, z]")

    def at(self, time: float) -> Array:
        """Force and moment (6,) [N, N m] at a time [s]."""
        total = np.zeros(6)
        for start, duration, *force in self.each:
            if start <= time < start + duration:
                total[:3] += force
        return total


@configuration
class FloatingScenarioConfig(Configuration):
    """Everything around the robot and its controller."""

    duration: float = parameter(10.0, unit="s", above=0.0, high=3600.0, doc="length of the run")
    start: PlaceConfig = section(PlaceConfig)
    terrain: TerrainConfig = section(TerrainConfig)
    pushes: PushesConfig = section(PushesConfig)
    sensors: FloatingSensorConfig = section(FloatingSensorConfig)
    plant: FloatingPlantConfig = section(FloatingPlantConfig)
    fallen: float = parameter(0.6, above=0.0, below=1.0, doc="of its standing height: a lower base has fallen")

    @classmethod
    def from_mapping(cls, mapping: Mapping[str, Any] | None, name: str = "") -> Self:
        """As usual; ``contact: LAW`` at the top stands for the plant's."""
        return super().from_mapping(with_contact_in_plant(mapping), name)

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The planar biped on the floor of a scenario, with its sensors.

It starts standing with one foot ahead and one behind, the hip moving forward; it has
fallen when the hip is too near the floor.
"""

from __future__ import annotations

import numpy as np

from biped_slip.contact.ground import height_along_normal
from biped_slip.contact.spill import Spill, spill_of, timed_spills
from biped_slip.estimation.readings import SensorReadings
from biped_slip.robots.planar_biped import planar_biped
from biped_slip.simulation.planar.log import WalkLog
from biped_slip.simulation.planar.plant import Plant, with_chosen_step
from biped_slip.simulation.planar.scenario import ScenarioConfig, start_state
from biped_slip.simulation.planar.sensors import Sensors
from biped_slip.simulation.world import World

FALLEN_HEIGHT = 0.45  # [m] of the hip over the floor


class PlanarWorld(World[Plant, WalkLog]):
    """World of a planar biped on the floor of a scenario.

    The seed draws the sensor noise.
    """

    def __init__(self, scenario: ScenarioConfig, seed: int = 0) -> None:
        self.robot = planar_biped(scenario.variant)
        plant = Plant(
            self.robot, scenario.ground, with_chosen_step(self.robot, scenario.plant)
        )
        plant.place(*start_state(scenario, self.robot))
        spills = timed_spills(scenario.ground.spills, "ground.spills")
        super().__init__(scenario, plant, FALLEN_HEIGHT, spills)
        self.log = WalkLog(self.robot, self.ticks)
        rng = np.random.default_rng(seed)
        self.sensors = Sensors(plant, scenario.sensors, rng)
        self.differ(rng)

    def measure(self) -> SensorReadings:
        """Measure the truth of this instant, without logging it."""
        return self.sensors.read()

    def record(self) -> None:
        """Log the truth of this instant, once per control period."""
        if self.logs:
            self.log.record_world(self.plant)

    def around_base(self, length: float, width: float, mu: float) -> Spill:
        """Return a spill of a length [m] with its middle under the hip."""
        x = float(self.plant.state.q[0])
        return spill_of([x - 0.5 * length, x + 0.5 * length, mu])

    def height(self) -> float:
        """Compute the height of the hip over the floor [m]."""
        q = self.plant.state.q
        return height_along_normal(self.plant.ground, float(q[0]), float(q[1]))

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""A humanoid on its floor, with its sensors.

It starts in its standing posture, as deep in the floor as its weight presses; it has
fallen when its base is lower than a share of its standing height over the floor.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from biped_slip.compile.arrays import Array
from biped_slip.compile.kernel import kernel, without_dispatch
from biped_slip.contact.ground import Terrain, ground_under
from biped_slip.contact.spill import Spill, spill_of, timed_spills
from biped_slip.estimation.readings import RawReadings, SensorReadings
from biped_slip.robots.humanoid import Humanoid
from biped_slip.robots.robot import Robot
from biped_slip.simulation.humanoid.log import FloatingLog
from biped_slip.simulation.humanoid.plant import FloatingPlant, Truth, with_chosen_step
from biped_slip.simulation.humanoid.scenario import FloatingScenarioConfig
from biped_slip.simulation.humanoid.sensors import FloatingSensors, ideal_readings
from biped_slip.simulation.world import World


class FloatingWorld(World[FloatingPlant, FloatingLog]):
    """World of a humanoid until the time is over or it has fallen.

    Args:
        humanoid: the robot.
        scenario: floor, start, pushes (force and moment (6,) on the base, world axes),
            sensors, physics.
        seed: of the sensor noise.
        compiled: false runs plain Python with CasADi.
        plant: what moves it.
    """

    def __init__(
        self,
        humanoid: Humanoid,
        scenario: FloatingScenarioConfig,
        seed: int = 0,
        compiled: bool = True,
        plant: type[FloatingPlant] = FloatingPlant,
    ) -> None:
        config = with_chosen_step(humanoid, scenario.terrain, scenario.plant)
        self.humanoid = humanoid
        placed = plant(humanoid, scenario.terrain, config, compiled)
        placed.place(_start(scenario, placed))
        self._height: Any = without_dispatch(
            height_over, placed.around.terrain, placed.state.q
        )
        spills = timed_spills(scenario.terrain.spills, "terrain.spills")
        super().__init__(scenario, placed, 0.0, spills)
        self.lowest = scenario.fallen * self.height()
        self.log = FloatingLog(placed, self.ticks)
        rng = np.random.default_rng(seed)
        self._sensors = FloatingSensors(placed, scenario.sensors, rng)
        self.differ(rng)

    @property
    def robot(self) -> Robot:
        """Return the model with its names of joints and soles."""
        return self.humanoid.robot

    def measure(self) -> SensorReadings:
        """Measure the truth of this instant, not logged yet."""
        return ideal_readings(self.plant, self.plant.observe())

    def record(self) -> Truth:
        """Record the truth of this instant and return it, once per control period."""
        truth = self.plant.observe()
        if self.logs:
            self.log.record(self.plant, truth)
        return truth

    def sense(self) -> RawReadings:
        """Read real sensors at this instant, whose truth is logged.

        Call this or :meth:`read` once per period.
        """
        return self._sensors.read(self.record())

    def around_base(self, length: float, width: float, mu: float) -> Spill:
        """Return a spill of a length and width [m] with its middle under the base."""
        x, y = (float(place) for place in self.plant.state.q[:2])
        along = x - 0.5 * length, x + 0.5 * length
        return spill_of([*along, y - 0.5 * width, y + 0.5 * width, mu])

    def height(self) -> float:
        """Compute the height of the base over the floor below it [m]."""
        return float(self._height(self.plant.around.terrain, self.plant.state.q))


def _start(scenario: FloatingScenarioConfig, plant: FloatingPlant) -> Array:
    """Stand at the commanded place.

    Each foot is as deep in the floor as half the weight wants.
    """
    start = scenario.start
    humanoid = plant.humanoid
    points = plant.around.points.shape[1]
    depth = (
        plant.law.normal.steady_penetration(0.5 * humanoid.weight / points)
        if start.height == 0.0
        else 0.0
    )
    floor = ground_under(plant.around.terrain, start.x, start.y).height
    return humanoid.standing(start.x, start.y, start.yaw, floor + start.height - depth)


@kernel
def height_over(terrain: Terrain, q: Array) -> float:
    """Compute the base's height over the floor below it [m], for coordinates (nq,)."""
    return q[2] - ground_under(terrain, q[0], q[1]).height

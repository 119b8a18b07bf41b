# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""What surrounds a humanoid's controller: readings out, torques in, once per control period."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from biped_slip.compile.arrays import Array
from biped_slip.compile.kernel import kernel, without_dispatch
from biped_slip.contact.terrain import Terrain, ground_under
from biped_slip.errors import SimulationDiverged
from biped_slip.estimation.raw_readings import RawReadings
from biped_slip.estimation.readings import SensorReadings
from biped_slip.robots.humanoid import Humanoid
from biped_slip.robots.robot import Robot
from biped_slip.simulation.humanoid.log import FloatingLog
from biped_slip.simulation.humanoid.plant import FloatingPlant, Truth
from biped_slip.simulation.humanoid.scenario import FloatingScenarioConfig
from biped_slip.simulation.humanoid.sensors import FloatingSensors, ideal_readings
from biped_slip.simulation.humanoid.step_choice import choose_step


class FloatingWorld:
    """A humanoid on its floor until the time is over or it has fallen.

    Args:
        humanoid: the robot.
        scenario: floor, start, pushes, sensors, physics.
        seed: of the sensor noise.
        compiled: false runs plain Python on Pinocchio.
        plant: what moves it.
    """

    def __init__(
        self, humanoid: Humanoid, scenario: FloatingScenarioConfig, seed: int = 0, compiled: bool = True,
        plant: type[FloatingPlant] = FloatingPlant,
    ) -> None:  # fmt: skip
        self.humanoid, self.scenario, config = humanoid, scenario, scenario.plant
        if config.error_target > 0.0:
            chosen = choose_step(humanoid, scenario.terrain, config, config.error_target)
            config = dataclasses.replace(config, step_ns=chosen.step_ns)
        self.plant = plant(humanoid, scenario.terrain, config, compiled)
        self.plant.place(self._start())
        self.ticks = round(scenario.duration * 1e9 / scenario.plant.control_period_ns)
        self.log = FloatingLog(self.plant, self.ticks)
        self.fell = False
        self._height: Any = without_dispatch(height_over, self.plant.around.terrain, self.plant.state.q)
        self.standing_height = self.base_height()
        self._sensors = FloatingSensors(self.plant, scenario.sensors, np.random.default_rng(seed))

    def _start(self) -> Array:
        """Standing at the commanded place; on the floor each foot is as deep as half the weight wants."""
        start, plant = self.scenario.start, self.plant
        ground = ground_under(plant.around.terrain, start.x, start.y)
        points = plant.around.points.shape[1]
        depth = plant.law.normal.steady_penetration(0.5 * self.humanoid.weight / points) if start.height == 0.0 else 0.0
        return self.humanoid.standing(start.x, start.y, start.yaw, ground.height + start.height - depth)

    @property
    def robot(self) -> Robot:
        """The model with its names of joints and soles."""
        return self.humanoid.robot

    @property
    def ended(self) -> bool:
        """Whether the robot fell or the time is over."""
        return self.fell or self.plant.ticks >= self.ticks

    def read(self) -> SensorReadings:
        """The truth of this instant as readings, logged; this or :meth:`sense` once per control period."""
        return ideal_readings(self.plant, self._observed())

    def measure(self) -> SensorReadings:
        """The truth of this instant as readings, not logged yet: for a loop in which somebody waits for them."""
        return ideal_readings(self.plant, self.plant.observe())

    def record(self) -> None:
        """Log this instant; once per control period."""
        self._observed()

    def sense(self) -> RawReadings:
        """What real sensors read at this instant, whose truth is logged."""
        return self._sensors.read(self._observed())

    def _observed(self) -> Truth:
        truth = self.plant.observe()
        self.log.record(self.plant, truth)
        return truth

    def advance(self, torques: Array, push: Array | None = None) -> None:
        """One control period under joint torques (n,) and a push beside the scenario's; a fall ends the run.

        Args:
            push: force and moment (6,) on the base, world axes [N, N m].
        """
        scheduled = self.scenario.pushes.at(1e-9 * self.plant.stamp_ns)
        push = scheduled if push is None else scheduled + push
        try:
            self.plant.advance(torques, push)
        except SimulationDiverged:
            self.fell = True
        self.fell = self.fell or self.base_height() < self.scenario.fallen * self.standing_height

    def base_height(self) -> float:
        """Height of the base over the floor below it [m]."""
        return float(self._height(self.plant.around.terrain, self.plant.state.q))


@kernel
def height_over(terrain: Terrain, q: Array) -> float:
    """Height of the base over the floor below it [m], for coordinates (nq,)."""
    return q[2] - ground_under(terrain, q[0], q[1]).height

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""What surrounds the controller in a simulated walk: the robot on its floor, its sensors, its start and its end."""

from __future__ import annotations

import numpy as np

from biped_slip.compile.arrays import Array
from biped_slip.contact.ground import height_along_normal
from biped_slip.errors import SimulationDiverged
from biped_slip.estimation.readings import SensorReadings
from biped_slip.robots.planar_biped import planar_biped
from biped_slip.simulation.planar.log import WalkLog
from biped_slip.simulation.planar.plant import Plant
from biped_slip.simulation.planar.scenario import ScenarioConfig, start_state
from biped_slip.simulation.planar.sensors import Sensors
from biped_slip.simulation.planar.step_choice import with_chosen_step

FALLEN_HEIGHT = 0.45  # [m] of the hip over the floor


class World:
    """Readings out, torques in, once per control period, until the walk has ended.

    Args:
        scenario: what to walk.
        seed: of the sensor noise.
    """

    def __init__(self, scenario: ScenarioConfig, seed: int = 0) -> None:
        self.scenario, self.robot = scenario, planar_biped(scenario.variant)
        self.plant = Plant(self.robot, scenario.ground, with_chosen_step(self.robot, scenario.plant))
        self.plant.place(*start_state(scenario, self.robot))
        self.ticks = round(scenario.duration * 1e9 / scenario.plant.control_period_ns)
        self.log = WalkLog(self.robot, self.ticks)
        self.fell = False
        self.sensors = Sensors(self.plant, scenario.sensors, np.random.default_rng(seed))

    @property
    def ended(self) -> bool:
        """Whether the robot fell or the time is over."""
        return self.fell or self.plant.ticks >= self.ticks

    def read(self) -> SensorReadings:
        """Readings of this instant, which is logged; once per control period."""
        readings = self.measure()
        self.record()
        return readings

    def measure(self) -> SensorReadings:
        """Readings of this instant, not logged yet: for a loop in which somebody waits for them."""
        return self.sensors.read()

    def record(self) -> None:
        """Log this instant; once per control period."""
        self.log.record_world(self.plant)

    def advance(self, torques: Array) -> None:
        """One control period under joint torques (n,); a fall or divergence ends the walk."""
        push = self.scenario.pushes.at(1e-9 * self.plant.stamp_ns)
        try:
            self.plant.advance(torques, (push, 0.0))
        except SimulationDiverged:
            self.fell = True
        self.fell = self.fell or self.hip_height() < FALLEN_HEIGHT

    def hip_height(self) -> float:
        """Height of the hip over the floor [m]."""
        q = self.plant.state.q
        return height_along_normal(self.plant.ground, float(q[0]), float(q[1]))

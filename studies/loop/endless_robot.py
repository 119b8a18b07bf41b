# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The simulated biped without an end: for benchmarks and faults, as long as they take."""

from __future__ import annotations

import numpy as np

from biped_slip.compile.arrays import Array
from biped_slip.estimation.readings import SensorReadings
from biped_slip.robots.planar_biped import planar_biped
from biped_slip.simulation.planar.plant import Plant
from biped_slip.simulation.planar.scenario import start_state
from biped_slip.simulation.planar.sensors import Sensors
from biped_slip.simulation.planar.walk import FALLEN_HEIGHT, chosen_scenario

COMMAND = "effort_controller/commands"


class Robot:
    """The planar biped of a scenario without a log, for as long as it takes."""

    def __init__(self, scenario: str) -> None:
        self._scenario = chosen_scenario(scenario)
        self.model = planar_biped(self._scenario.variant)
        self.plant = Plant(self.model, self._scenario.ground, self._scenario.plant)
        self._sensors = Sensors(self.plant, self._scenario.sensors, np.random.default_rng(0))
        self.falls = -1
        self.stand()

    def stand(self) -> None:
        """From the start of the scenario."""
        self.plant.place(*start_state(self._scenario, self.model))
        self.falls += 1

    def read(self, stamp: int) -> SensorReadings:
        """Readings under a stamp [ns]."""
        return self._sensors.read()._replace(stamp_ns=stamp)

    def advance(self, torques: Array) -> None:
        """One control period."""
        self.plant.advance(torques)
        if self.plant.state.q[1] < FALLEN_HEIGHT:  # it stands up again
            self.stand()

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Simulated robots without an end and without a log that grows.

They serve stopwatches and faults, as long as they take.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Mapping, Protocol

import numpy as np

from biped_slip.compile.arrays import Array
from biped_slip.errors import SimulationDiverged
from biped_slip.estimation.readings import HumanoidReadings, SensorReadings
from biped_slip.robots.humanoid import load_humanoid
from biped_slip.robots.planar_biped import planar_biped
from biped_slip.ros.humanoid_robot import KIND, SerialisedHumanoidSensors
from biped_slip.ros.messages import (
    SENSOR_TOPICS,
    Frames,
    SerialisedSensors,
    sensor_topics,
)
from biped_slip.simulation.humanoid.scenario import chosen_walk, drawn, track_scenario
from biped_slip.simulation.humanoid.world import FloatingWorld
from biped_slip.simulation.planar.plant import Plant
from biped_slip.simulation.planar.scenario import chosen_scenario, start_state
from biped_slip.simulation.planar.sensors import Sensors
from biped_slip.simulation.planar.world import FALLEN_HEIGHT

COMMAND = "effort_controller/commands"


class Robot:
    """The planar biped of a scenario without a log, for as long as it takes."""

    def __init__(self, scenario: str) -> None:
        self._scenario = chosen_scenario(scenario)
        self.model = planar_biped(self._scenario.variant)
        self.plant = Plant(self.model, self._scenario.ground, self._scenario.plant)
        self._sensors = Sensors(
            self.plant, self._scenario.sensors, np.random.default_rng(0)
        )
        self._ground = self.plant.ground
        self.falls = -1
        self.stand()

    def stand(self) -> None:
        """From the start of the scenario, on its floor."""
        self.plant.ground = self._ground
        self.plant.place(*start_state(self._scenario, self.model))
        self.falls += 1

    def read(self, stamp: int) -> SensorReadings:
        """Read the sensors under a stamp [ns]."""
        return self._sensors.read()._replace(stamp_ns=stamp)

    def advance(self, torques: Array) -> None:
        """Advance by one control period.

        Who has fallen, or was thrown beyond all speeds by late torques, stands up
        again.
        """
        try:
            self.plant.advance(torques)
        except SimulationDiverged:
            self.stand()
        if self.plant.state.q[1] < FALLEN_HEIGHT:
            self.stand()


LOGGED = 10.0  # [s] after which a humanoid's log is written over


class ProbedRobot(Protocol):
    """A robot behind messages."""

    topics: Mapping[str, type[Any]]
    joints: int
    falls: int

    @property
    def over(self) -> bool:
        """Whether it lies on the floor for good."""
        ...

    def sample(self, stamp: int) -> Mapping[str, bytes]:
        """Make the sensors' messages under a stamp [ns]."""
        ...

    def advance(self, torques: Array) -> None:
        """One control period."""
        ...


class ProbedBiped:
    """The planar biped; a still one never moves."""

    # who has fallen stands up again
    topics = SENSOR_TOPICS
    over = False

    def __init__(self, still: bool) -> None:
        self._robot = Robot("thesis")
        self._still = still
        model = self._robot.model
        self._messages = SerialisedSensors(model.joints, model.soles, Frames())
        self.joints = len(model.joints)

    @property
    def falls(self) -> int:
        """So far."""
        return self._robot.falls

    def sample(self, stamp: int) -> Mapping[str, bytes]:
        """Make the sensors' messages."""
        return self._messages.fill(self._robot.read(stamp))

    def advance(self, torques: Array) -> None:
        """One control period."""
        if not self._still:
            self._robot.advance(torques)


class ProbedHumanoid:
    """A humanoid on the floor of its walk, without the patch, and with all its noise.

    It walks until it falls.

    Args:
        walk: by its name or as a .yaml file.
    """

    def __init__(self, walk: str) -> None:
        config = chosen_walk(walk)
        # the floor then ends nowhere
        config = replace(config, patch=replace(config.patch, length=0.0))
        humanoid = load_humanoid(config.robot)
        scenario = track_scenario(config, drawn(config, seed=0))
        self._world = FloatingWorld(humanoid, replace(scenario, duration=LOGGED))
        self.topics = sensor_topics(KIND)
        self._messages = SerialisedHumanoidSensors(humanoid.robot.joints)
        self.joints = len(humanoid.robot.joints)

    @property
    def over(self) -> bool:
        """Whether it has fallen."""
        return self._world.fell

    @property
    def falls(self) -> int:
        """One or none."""
        return int(self._world.fell)

    def sample(self, stamp: int) -> Mapping[str, bytes]:
        """Make the sensors' messages."""
        if self._world.log.length == self._world.ticks:
            self._world.log.length = 0
        return self._messages.fill_raw(
            HumanoidReadings(self._world.sense()._replace(stamp_ns=stamp))
        )

    def advance(self, torques: Array) -> None:
        """One control period."""
        self._world.advance(torques)

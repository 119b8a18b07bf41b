# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The robots of the loop's stopwatch: messages out, torques in, without an end and without a log that grows."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Mapping, Protocol

from biped_slip.compile.arrays import Array
from biped_slip.estimation.raw_readings import HumanoidReadings
from biped_slip.lab.loop.endless_robot import Robot
from biped_slip.robots.humanoid import load_humanoid
from biped_slip.ros.topics.humanoid_messages import KIND, SerialisedHumanoidSensors
from biped_slip.ros.topics.messages import SENSOR_TOPICS, Frames, SerialisedSensors, sensor_topics
from biped_slip.simulation.humanoid.track import drawn, track_scenario
from biped_slip.simulation.humanoid.walk_config import chosen_walk
from biped_slip.simulation.humanoid.world import FloatingWorld

LOGGED = 10.0  # [s] after which a humanoid's log is written over
FAR = 1000.0  # [m] of way


class ProbedRobot(Protocol):
    """A robot behind messages."""

    topics: Mapping[str, type[Any]]
    joints: int
    falls: int

    def sample(self, stamp: int) -> Mapping[str, bytes]:
        """The sensors' messages under a stamp [ns]."""
        ...

    def advance(self, torques: Array) -> None:
        """One control period; who has fallen stands up again."""
        ...


class ProbedBiped:
    """The planar biped; a still one never moves."""

    topics = SENSOR_TOPICS

    def __init__(self, still: bool) -> None:
        self._robot, self._still = Robot("thesis"), still
        model = self._robot.model
        self._messages, self.joints = SerialisedSensors(model.joints, model.soles, Frames()), len(model.joints)

    @property
    def falls(self) -> int:
        """So far."""
        return self._robot.falls

    def sample(self, stamp: int) -> Mapping[str, bytes]:
        """The sensors' messages."""
        return self._messages.fill(self._robot.read(stamp))

    def advance(self, torques: Array) -> None:
        """One control period."""
        if not self._still:
            self._robot.advance(torques)


class ProbedHumanoid:
    """A humanoid on a long way with the floor, the noise and the patch of its walk.

    Args:
        walk: by its name or as a .yaml file.
    """

    def __init__(self, walk: str) -> None:
        self._config, self.falls = replace(chosen_walk(walk), distance=FAR, patience=1.01), 0
        self._humanoid, self.topics = load_humanoid(self._config.robot), sensor_topics(KIND)
        self._messages = SerialisedHumanoidSensors(self._humanoid.robot.joints)
        self.joints, self._world = len(self._humanoid.robot.joints), self._standing()

    def _standing(self) -> FloatingWorld:
        scenario = track_scenario(self._config, drawn(self._config, self.falls))
        return FloatingWorld(self._humanoid, replace(scenario, duration=LOGGED), self.falls)

    def sample(self, stamp: int) -> Mapping[str, bytes]:
        """The sensors' messages."""
        if self._world.log.length == self._world.ticks:
            self._world.log.length = 0
        return self._messages.fill_raw(HumanoidReadings(self._world.sense()._replace(stamp_ns=stamp)))

    def advance(self, torques: Array) -> None:
        """One control period."""
        self._world.advance(torques)
        if self._world.fell:
            self.falls += 1
            self._world = self._standing()

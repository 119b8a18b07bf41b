# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The robots that the simulator node can be: each with its world, its sensors' messages and its result files."""

from __future__ import annotations

from collections import Counter
from typing import Any, Callable, Mapping, Protocol

from biped_slip.compile.arrays import Array
from biped_slip.robots.humanoid import load_humanoid
from biped_slip.ros.topics.humanoid_messages import KIND, SerialisedHumanoidSensors
from biped_slip.ros.topics.messages import Frames, SerialisedSensors, sensor_topics
from biped_slip.ros.topics.walk_record import HumanoidRecord, PlanarRecord, TruthRecord, WalkRecord
from biped_slip.simulation.humanoid.scenario import FloatingScenarioConfig
from biped_slip.simulation.humanoid.track import HumanoidTrack
from biped_slip.simulation.humanoid.walk_config import HumanoidWalkConfig
from biped_slip.simulation.humanoid.world import FloatingWorld
from biped_slip.simulation.planar.scenario import ScenarioConfig
from biped_slip.simulation.planar.world import World


class SimulatedRobot(Protocol):
    """A robot on its floor behind messages."""

    world: World | FloatingWorld
    record: WalkRecord
    topics: Mapping[str, type[Any]]

    @property
    def ended(self) -> bool:
        """Whether the run is over."""
        ...

    def start(self) -> None:
        """The world begins anew."""
        ...

    def sample(self) -> dict[str, bytes]:
        """The sensors' messages of this instant."""
        ...

    def note(self) -> None:
        """Log what is left to log of this instant, while others work."""
        ...

    def advance(self, torques: Array) -> None:
        """One control period."""
        ...


class IdealRobot:
    """A robot whose world gives readings in base and soles: the planar biped, or a humanoid without noise.

    Args:
        world: makes a new one.
        record: makes its record.
        source: of the feet's motion, whose sensors it has.
    """

    def __init__(self, world: Callable[[], Any], record: Callable[[Any], WalkRecord], source: str = "odometry") -> None:
        self._new, self._new_record = world, record
        self.topics = sensor_topics(source)
        self.start()
        robot = self.world.robot
        self._messages = SerialisedSensors(robot.joints, robot.soles, Frames(), source)

    def start(self) -> None:
        """The world begins anew."""
        self.world = self._new()
        self.record = self._new_record(self.world)

    @property
    def ended(self) -> bool:
        """Fallen, or the time is over."""
        return bool(self.world.ended)

    def sample(self) -> dict[str, bytes]:
        """The sensors' messages of this instant."""
        return self._messages.fill(self.world.measure())

    def note(self) -> None:
        """Log this instant."""
        self.world.record()

    def advance(self, torques: Array) -> None:
        """One control period."""
        self.world.advance(torques)


class TrackRobot:
    """A humanoid on the way of a walk, with its own noisy sensors; ``odom`` has its base's true motion."""

    def __init__(self, config: HumanoidWalkConfig, seed: int, skipped: Counter[str]) -> None:
        self._config, self._seed, self._skipped = config, seed, skipped
        self.topics = sensor_topics(KIND)
        self.start()
        self._messages = SerialisedHumanoidSensors(self.world.robot.joints)

    def start(self) -> None:
        """The world begins anew."""
        self._track = HumanoidTrack(self._config, self._seed)
        self.world, self.record = self._track.world, HumanoidRecord(self._track, self._skipped)

    @property
    def ended(self) -> bool:
        """Arrived, fallen, or out of time."""
        return self._track.ended

    def sample(self) -> dict[str, bytes]:
        """The sensors' messages of this instant, which is logged."""
        return self._messages.fill_raw(self._track.read())

    def note(self) -> None:
        """It is logged already."""

    def advance(self, torques: Array) -> None:
        """One control period."""
        self._track.advance(torques)


def planar_robot(scenario: ScenarioConfig, seed: int, skipped: Counter[str]) -> SimulatedRobot:
    """The planar biped in its scenario."""
    return IdealRobot(lambda: World(scenario, seed), lambda world: PlanarRecord(world, skipped), scenario.motion.source)


def humanoid_robot(name: str, scenario: FloatingScenarioConfig, seed: int) -> SimulatedRobot:
    """A humanoid for controllers of others."""
    return IdealRobot(lambda: FloatingWorld(load_humanoid(name), scenario, seed), TruthRecord)

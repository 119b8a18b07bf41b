# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""A simulated walk under watch and supervisor, as a node walks it, without ROS.

It serves planar biped and humanoids alike.
"""

from __future__ import annotations

from typing import Any, Iterator, NamedTuple, Protocol

from biped_slip.compile.arrays import Array
from biped_slip.control.supervisor import SupervisorConfig
from biped_slip.estimation.health import HealthConfig
from biped_slip.estimation.planar_feet import FloorConfig
from biped_slip.estimation.readings import HumanoidReadings
from biped_slip.robots.humanoid import load_humanoid
from biped_slip.simulation.humanoid.scenario import HumanoidWalkConfig, chosen_walk
from biped_slip.simulation.humanoid.walk import HumanoidTrack
from biped_slip.simulation.planar.scenario import ScenarioConfig, chosen_scenario
from biped_slip.simulation.planar.world import PlanarWorld
from biped_slip.walking.guarded import GuardedController
from biped_slip.walking.humanoid import guard_humanoid, guarded_humanoid
from biped_slip.walking.planar import guard_planar, guarded_planar

SCENARIOS = ("thesis", "thesis_sensors", "torso", "traction", "traction_sensors")
HUMANOIDS = ("talos", "g1", "bolt", "surena3")
NAMES = (*SCENARIOS, *HUMANOIDS)
LIMIT = "interval"
# by ``interval`` they walk at a third of their speed
HUMANOID_LIMIT = "touchdown"


class Way(Protocol):
    """A robot on its floor."""

    @property
    def ended(self) -> bool:
        """Arrived, fallen, or out of time."""
        ...

    def read(self) -> Any:
        """Read the sensors now."""
        ...

    def advance(self, torques: Array) -> None:
        """One control period."""
        ...


class Walker(NamedTuple):
    """A robot on its way and who walks it."""

    way: Way
    guarded: GuardedController[Any]

    @property
    def world(self) -> Any:
        """The physics on the way: plant and robot."""
        return getattr(self.way, "world", self.way)

    @property
    def fell(self) -> bool:
        """Whether the robot came down."""
        return bool(self.world.fell)


def walker(name: str, seed: int) -> Walker:
    """Load a planar scenario or a humanoid's walk by name.

    The seed draws noise and what the scenario spreads.

    ``NAME/SENSORS`` has another set of sensors than the walk's.
    """
    name, _, sensors = name.partition("/")
    if name in HUMANOIDS:
        return humanoid_walker(name, sensors, LIMIT, seed)
    scenario = chosen_scenario(name, seed=seed, sensors=sensors or None)
    way = PlanarWorld(scenario, seed)
    floor = FloorConfig(scenario.ground.slope)
    guarded = guarded_planar(
        way.robot, scenario.walking, LIMIT, floor, SupervisorConfig(), HealthConfig()
    )
    return Walker(way, guarded)


def humanoid_walker(name: str, sensors: str, limit: str, seed: int) -> Walker:
    """Load a humanoid's walk with a set of sensors, '' for its own, and a limit."""
    walk = safe_floor(chosen_walk(name, sensors or None))
    guarded = guarded_humanoid(
        walk.walking, limit, SupervisorConfig(), HealthConfig(), checked=False
    )
    return Walker(HumanoidTrack(walk, seed), guarded)


def full_speed_humanoid(name: str, seed: int = 0) -> Walker:
    """Load a humanoid as it walks by default, without an end; ``NAME/SENSORS`` too.

    It learns the floor from landings: TALOS is at its fastest after 12 s.
    """
    name, _, sensors = name.partition("/")
    robot = humanoid_walker(name, sensors, HUMANOID_LIMIT, seed)
    robot.world.endless = True
    return robot


def is_humanoid(name: str) -> bool:
    """Whether a robot's name, perhaps with a set of sensors, is a humanoid's."""
    return name.partition("/")[0] in HUMANOIDS


def safe_floor(walk: HumanoidWalkConfig) -> HumanoidWalkConfig:
    """Remove the slippery patch from a walk."""
    said = walk.to_mapping()
    said["patch"]["length"] = 0.0
    return HumanoidWalkConfig.from_mapping(said)


def sensed(readings: Any) -> Any:
    """Reduce readings to what the robot itself measures.

    A humanoid's base is known to the simulation alone.
    """
    return (
        readings._replace(base=None)
        if isinstance(readings, HumanoidReadings)
        else readings
    )


def walked(walker: Walker) -> Iterator[tuple[Any, GuardedController[Any]]]:
    """Yield the readings of every tick and the guard after it, until the way ends."""
    way, guarded = walker
    guarded.start()
    while not way.ended:
        readings = way.read()
        answer = guarded.step(sensed(readings))
        yield readings, guarded
        way.advance(answer.torques)


def watcher(name: str, controller: Any) -> GuardedController[Any]:
    """Put the watch and supervisor of a robot around any controller."""
    health = HealthConfig()
    supervision = SupervisorConfig()
    name, _, sensors = name.partition("/")
    if name in HUMANOIDS:
        walk = chosen_walk(name, sensors or None).walking
        return guard_humanoid(
            controller, load_humanoid(walk.robot), supervision, health, walk.force_error
        )
    scenario: ScenarioConfig = chosen_scenario(name, sensors=sensors or None)
    robot = PlanarWorld(scenario).robot
    offset = scenario.walking.interval.force.offset
    return guard_planar(
        controller, robot, scenario.ground.slope, supervision, health, offset
    )

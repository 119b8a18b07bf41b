# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Humanoids that the simulator can be."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any, Iterable, Mapping, Sequence

import numpy as np
from rclpy.node import Node

from biped_slip.robots.humanoid import load_humanoid
from biped_slip.ros.humanoid_robot import (
    KIND,
    SOLVED,
    SerialisedHumanoidSensors,
    humanoid_topics,
)
from biped_slip.ros.messages import ESTIMATE_NAMES
from biped_slip.ros.parameters import declare_configuration
from biped_slip.ros.simulated_robot import SimulatedRobot, paced
from biped_slip.simulation.humanoid.scenario import (
    FloatingScenarioConfig,
    HumanoidWalkConfig,
    chosen_walk,
)
from biped_slip.simulation.humanoid.summary import summarise_humanoid
from biped_slip.simulation.humanoid.walk import HumanoidTrack
from biped_slip.simulation.humanoid.world import FloatingWorld
from biped_slip.walking.humanoid import WORLD_PARTS


class SimulatedHumanoid(SimulatedRobot):
    """Humanoid without noise, whose controller and records are another program's."""

    complete = True

    def __init__(self, name: str, scenario_file: str, seed: int) -> None:
        scenario = FloatingScenarioConfig()
        if scenario_file:
            scenario = FloatingScenarioConfig.from_yaml(scenario_file)

        def world(period: float | None) -> FloatingWorld:
            return FloatingWorld(load_humanoid(name), paced(scenario, period), seed)

        super().__init__(world, "odometry", Counter())

    def add(self, messages: Iterable[bytes]) -> None:
        """Ignore records of the controller."""

    def keep(self, tick: int, values: Sequence[float]) -> None:
        """Ignore the controller's output."""

    def result(self) -> Mapping[str, Any]:
        """Return fall, time and place of the base at the end."""
        plant = self.world.plant
        place = [float(x) for x in plant.state.q[:3]]
        return {
            "fell": self.world.fell,
            "diverged": self.world.diverged,
            "end_time": 1e-9 * plant.stamp_ns,
            "base": place,
        }


class WalkingHumanoid(SimulatedRobot):
    """Humanoid on the way of a walk, with its own noisy sensors.

    ``odom`` has its base's true motion. A sensor that it has not has no topic.
    """

    def __init__(
        self, config: HumanoidWalkConfig, seed: int, skipped: Counter[str]
    ) -> None:
        def track(period: float | None) -> HumanoidTrack:
            return HumanoidTrack(
                config if period is None else replace(config, period=period), seed
            )

        super().__init__(track, KIND, skipped)
        absent = config.walking.absent_sensors
        self.topics = humanoid_topics(absent)
        self._messages = SerialisedHumanoidSensors(self.world.robot.joints, absent)

    def sample(self) -> dict[str, bytes]:
        """Return the sensors' messages of this instant, which is logged."""
        return self._messages.fill_raw(self.world.read())

    def note(self) -> None:
        """Log nothing: the sample was logged when it was read."""

    def keep(self, tick: int, values: Sequence[float]) -> None:
        """Record limits, estimates, and whether it was solved, into the log."""
        log = self.world.log
        log.limit[tick] = values[:2]
        log.solved[tick] = values[SOLVED] != 0.0
        log.estimates[tick] = np.reshape(values[-2 * len(ESTIMATE_NAMES) :], (2, -1))

    def result(self) -> Mapping[str, Any]:
        """Summarise the walk."""
        return summarise_humanoid(self.world).to_mapping()


def declare_way(node: Node, name: str) -> HumanoidWalkConfig:
    """Declare a humanoid's walk as parameters below ``walk.``.

    They are the simulator's part, its sensors and the speed.
    """
    config = chosen_walk(name)
    parts = (*WORLD_PARTS, "sensors", "speed")
    return declare_configuration(
        node,
        config,
        "walk.",
        without=tuple(f for f in config.to_mapping() if f not in parts),
    )

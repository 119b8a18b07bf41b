# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The closed loop without ROS: world, observer, controller, one control tick after the other."""

from __future__ import annotations

from typing import Callable

from biped_slip.control.controller import WalkingController
from biped_slip.estimation.foot_measurement import FloorConfig
from biped_slip.estimation.friction_observer import FrictionObserver
from biped_slip.simulation.prevention import Prevention
from biped_slip.simulation.scenario import ScenarioConfig
from biped_slip.simulation.walk_log import WalkLog
from biped_slip.simulation.world import World


class Walk:
    """One walk: built from a scenario, run to its end or to a fall.

    Args:
        scenario: what to walk.
        prevention: estimator and limit.
        seed: of the sensor noise.
    """

    def __init__(self, scenario: ScenarioConfig, prevention: Prevention, seed: int = 0) -> None:
        self.scenario, self.world = scenario, World(scenario, seed)
        robot, slope = self.world.robot, scenario.ground.slope
        self.observer = FrictionObserver(robot, prevention.estimator, FloorConfig(slope))
        self.controller = WalkingController(robot, scenario.controller, prevention.limit, slope)

    def tick(self) -> None:
        """One control period: read, observe, control, log, advance."""
        world, period = self.world, 1e-9 * self.scenario.plant.control_period_ns
        readings = world.read()
        observation = self.observer.step(readings)
        speed = self.scenario.speed.at(1e-9 * readings.stamp_ns)
        answer = self.controller.step(observation.state, observation.measurements, observation.estimates, speed, period)
        world.log.record_control(world.log.length - 1, answer, observation.estimates)
        world.advance(answer.torques)

    def run(self, progress: Callable[[float], None] | None = None) -> WalkLog:
        """Walk until the end, a fall or divergence; ``progress`` is called with the share done."""
        world = self.world
        while not world.ended:
            self.tick()
            if progress is not None and world.plant.ticks % 100 == 0:
                progress(world.plant.ticks / world.ticks)
        return world.log.trim()

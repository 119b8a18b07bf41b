# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The closed loop without ROS: world and walker, one control tick after the other."""

from __future__ import annotations

from typing import Callable

from biped_slip.estimation.foot_measurement import FloorConfig
from biped_slip.simulation.prevention import Prevention
from biped_slip.simulation.scenario import ScenarioConfig
from biped_slip.simulation.walk_log import WalkLog
from biped_slip.simulation.walker import Walker
from biped_slip.simulation.world import World


class Walk:
    """One walk: built from a scenario, run to its end or to a fall.

    Args:
        scenario: what to walk.
        prevention: estimator and limit.
        seed: of the sensor noise.
    """

    def __init__(self, scenario: ScenarioConfig, prevention: Prevention, seed: int = 0) -> None:
        self.world = World(scenario, seed)
        self.walker = Walker(self.world.robot, scenario, prevention, FloorConfig(scenario.ground.slope))

    def tick(self) -> None:
        """One control period: read, control, log, advance."""
        world = self.world
        record = self.walker.step(world.read())
        world.log.record_control(world.log.length - 1, record)
        world.advance(record.torques)

    def run(self, progress: Callable[[float], None] | None = None) -> WalkLog:
        """Walk until the end, a fall or divergence; ``progress`` is called with the share done."""
        world = self.world
        while not world.ended:
            self.tick()
            if progress is not None and world.plant.ticks % 100 == 0:
                progress(world.plant.ticks / world.ticks)
        return world.log.trim()

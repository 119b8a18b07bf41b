# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The closed loop without ROS: world and walker, one control tick after the other."""

from __future__ import annotations

from typing import Callable

from biped_slip.estimation.foot_measurement import FloorConfig
from biped_slip.estimation.motion import motion_source
from biped_slip.simulation.prevention import Prevention
from biped_slip.simulation.scenario import ScenarioConfig
from biped_slip.simulation.walk_log import WalkLog
from biped_slip.simulation.walker import Walker
from biped_slip.simulation.world import World


class Walk(World):
    """One walk: a world that is walked through, from a scenario to its end or to a fall.

    Args:
        scenario: what to walk.
        prevention: estimator and limit.
        seed: of the sensor noise.
    """

    def __init__(self, scenario: ScenarioConfig, prevention: Prevention, seed: int = 0) -> None:
        super().__init__(scenario, seed)
        floor = FloorConfig(scenario.ground.slope)
        motion = motion_source(self.robot, scenario.motion, floor)
        self.walker = Walker(self.robot, scenario, prevention, motion, floor.slope)

    def tick(self) -> None:
        """One control period: read, control, log, advance."""
        record = self.walker.step(self.read())
        self.log.record_control(self.log.length - 1, record)
        self.advance(record.torques)

    def run(self, progress: Callable[[float], None] | None = None) -> WalkLog:
        """Walk until the end, a fall or divergence; ``progress`` is called with the share done."""
        while not self.ended:
            self.tick()
            if progress is not None and self.plant.ticks % 100 == 0:
                progress(self.plant.ticks / self.ticks)
        return self.log.trim()

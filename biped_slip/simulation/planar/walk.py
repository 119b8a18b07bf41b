# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The closed loop without ROS: world and walker, one control tick after the other."""

from __future__ import annotations

from functools import cached_property
from typing import Any, Callable, cast

import numpy as np

from biped_slip.estimation.foot_measurement import FloorConfig
from biped_slip.robots.model_functions import model_functions
from biped_slip.simulation.planar.compiled_walk import Orders, Physics, WalkOn, WalkSettings, WorldState, walk_on_with
from biped_slip.simulation.planar.log import WalkLog
from biped_slip.simulation.planar.scenario import ScenarioConfig
from biped_slip.simulation.planar.world import FALLEN_HEIGHT, World
from biped_slip.walking.planar import PlanarController, planar_output
from biped_slip.walking.planar_registry import DEFAULT, PlanarSite, planar_controller
from biped_slip.walking.slip_policy import SlipPolicy

AT_ONCE = 1000  # control periods in one compiled call


class Walk(World):
    """One walk: a world that is walked through, from a scenario to its end or to a fall.

    Args:
        scenario: what to walk.
        policy: estimator and limit.
        seed: of the sensor noise.
        controller: by its name.
    """

    def __init__(self, scenario: ScenarioConfig, policy: SlipPolicy, seed: int = 0, controller: str = DEFAULT) -> None:
        super().__init__(scenario, seed)
        period = 1e-9 * scenario.plant.control_period_ns
        site = PlanarSite(self.robot, FloorConfig(scenario.ground.slope), period)
        self.controller = planar_controller(scenario.walking, policy, site, controller)

    def tick(self) -> None:
        """One control period: read, control, log, advance."""
        output = self.controller.step(self.read())
        self.log.record_control(self.log.length - 1, planar_output(output))
        self.advance(output.torques)

    def run(self, progress: Callable[[float], None] | None = None) -> WalkLog:
        """Walk until the end, a fall or divergence; ``progress`` is called with the share done."""
        while not self.ended:
            if self.plant.kernels.compiled and isinstance(self.controller, PlanarController):
                self.walk_on(min(AT_ONCE, self.ticks - self.plant.ticks))
            else:
                self.tick()
            if progress is not None and (self.ended or self.plant.ticks % AT_ONCE == 0):
                progress(self.plant.ticks / self.ticks)
        return self.log.trim()

    @cached_property
    def _kernel(self) -> WalkOn:
        control = cast(PlanarController, self.controller).kernel
        return walk_on_with(model_functions(self.robot), self.plant.kernels, self.sensors.kernel, control)

    def walk_on(self, ticks: int) -> None:
        """So many ticks, if no fall ends them, in one call of the kernels that :meth:`tick` calls one by one."""
        plant, controller, scenario = self.plant, cast(PlanarController, self.controller), self.scenario
        times: Any = 1e-9 * (np.arange(plant.ticks, plant.ticks + ticks) * plant.config.control_period_ns)
        orders = Orders(scenario.speed.over(times), scenario.pushes.over(times), self.sensors.noise(ticks))
        physics = Physics(
            plant.ground, plant.kernels.settings, plant.steps, plant.step, plant.config.speed_limit, FALLEN_HEIGHT
        )
        settings = WalkSettings(physics, self.sensors.settings, controller.settings)
        before = WorldState(plant.state, plant.tau, plant.ticks, self.log.length, self.fell, controller.state)
        after = self._kernel(before, self.sensors.memory, orders, settings, self.log.rows)
        plant.state, plant.tau, plant.ticks = after.plant, after.tau, after.tick
        self.log.length, self.fell, controller.state = after.logged, after.fell, after.loop

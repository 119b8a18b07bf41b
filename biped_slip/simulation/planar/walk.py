# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The closed loop of the planar biped without ROS: tick by tick, or to its end.

A tick is one control period: sensors are read at an instant, the controller answers at
once, and the plant moves on under its torques to the next instant::

    t_k: read, log the truth -> control, log the answer -> advance to t_k + T

A walk to its end takes a thousand ticks in one compiled call (``compiled_walk.py``).
"""

from __future__ import annotations

import time
from functools import cached_property
from typing import Any, Callable, NamedTuple, cast

import numpy as np

from biped_slip.errors import SimulationDiverged
from biped_slip.estimation.planar_feet import FloorConfig
from biped_slip.robots.model_functions import model_functions
from biped_slip.simulation.divergence import DIVERGED_FORCE
from biped_slip.simulation.planar.compiled_walk import (
    Orders,
    Physics,
    WalkOn,
    WalkSettings,
    WorldState,
    walk_on_with,
)
from biped_slip.simulation.planar.log import WalkLog
from biped_slip.simulation.planar.oracle import planar_policy
from biped_slip.simulation.planar.scenario import ScenarioConfig
from biped_slip.simulation.planar.summary import WalkSummary, summarise
from biped_slip.simulation.planar.world import FALLEN_HEIGHT, PlanarWorld
from biped_slip.walking.planar import PlanarController, PlanarSite, planar_output
from biped_slip.walking.registry import PLANAR_DEFAULT, planar_controller
from biped_slip.walking.slip_policies import DEFAULT_POLICY, SlipPolicy

TICKS_AT_ONCE = 1000  # control periods in one compiled call


class Walk(PlanarWorld):
    """Walk of a scenario, tick by tick or to its end or a fall.

    The seed draws the sensor noise.
    """

    def __init__(
        self,
        scenario: ScenarioConfig,
        policy: SlipPolicy,
        seed: int = 0,
        controller: str = PLANAR_DEFAULT,
    ) -> None:
        super().__init__(scenario, seed)
        period = 1e-9 * scenario.plant.control_period_ns
        site = PlanarSite(self.robot, FloorConfig(scenario.ground.slope), period)
        self.controller = planar_controller(scenario.walking, policy, site, controller)

    @property
    def world(self) -> Walk:
        """Return the walk itself, as of walks whose world is another object."""
        return self

    def tick(self) -> None:
        """Advance one control period: read, control, log, advance."""
        logs = self.logs
        output = self.controller.step(self.read())
        if logs:
            self.log.record_control(self.log.length - 1, planar_output(output))
        self.advance(output.torques)

    def run(self, progress: Callable[[float], None] | None = None) -> WalkLog:
        """Run the walk to its end, a fall or divergence.

        ``progress`` is called with the share done.
        """
        while not self.ended:
            if self.plant.kernels.compiled and isinstance(
                self.controller, PlanarController
            ):
                self.walk_on(min(TICKS_AT_ONCE, self.ticks - self.plant.ticks))
            else:
                self.tick()
            if progress is not None and (
                self.ended or self.plant.ticks % TICKS_AT_ONCE == 0
            ):
                progress(self.plant.ticks / self.ticks)
        return self.log.trim()

    @cached_property
    def _kernel(self) -> WalkOn:
        control = cast(PlanarController, self.controller).kernel
        return walk_on_with(
            model_functions(self.robot),
            self.plant.kernels,
            self.sensors.kernel,
            control,
        )

    def walk_on(self, ticks: int) -> None:
        """Run a number of ticks in compiled calls, between which the floor changes.

        Their kernels are those of :meth:`tick`.
        """
        last = self.plant.ticks + ticks
        while self.plant.ticks < last and not self.ended:
            self._walk_on(min(last - self.plant.ticks, self.ticks_to_spill))
            self.spill_due()

    def _walk_on(self, ticks: int) -> None:
        """Run a number of ticks in one compiled call."""
        plant = self.plant
        controller = cast(PlanarController, self.controller)
        scenario = self.scenario
        times: Any = 1e-9 * (
            np.arange(plant.ticks, plant.ticks + ticks) * plant.config.control_period_ns
        )
        orders = Orders(
            scenario.speed.over(times),
            scenario.pushes.over(times),
            self.sensors.noise(ticks),
        )
        physics = Physics(
            ground=plant.ground,
            law=plant.kernels.settings,
            steps=plant.steps,
            step=plant.step,
            speed_limit=plant.config.speed_limit,
            largest_force=DIVERGED_FORCE * plant.weight,
            fallen_height=FALLEN_HEIGHT,
            motors=plant.motors,
        )
        settings = WalkSettings(physics, self.sensors.settings, controller.settings)
        before = WorldState(
            plant=plant.state,
            tau=plant.tau,
            tick=plant.ticks,
            logged=self.log.length,
            fell=self.fell,
            fastest=0.0,
            beyond=0.0,
            ended=False,
            loop=controller.loop.held.value,
        )
        after = self._kernel(
            before,
            self.sensors.memory,
            plant.motor_memory,
            orders,
            settings,
            self.log.rows,
        )
        plant.state = after.plant
        plant.tau = after.tau
        plant.ticks = after.tick
        self.log.length = after.logged
        self.fell = after.fell
        controller.loop.restart(after.loop)
        try:
            plant.check(after.fastest, after.beyond)
        except SimulationDiverged as error:
            self.diverged = str(error)


class WalkResult(NamedTuple):
    """Log and summary of one walk.

    Write ``log, summary = bs.run_walk(scenario)`` or ``walk.log.to_pandas()``.

    Attributes:
        log: of every tick; a column is an array (ticks,), ``log.names`` lists them.
        summary: how it ended, how far it came [m], how far feet slid [m].
    """

    log: WalkLog
    summary: WalkSummary

    def __repr__(self) -> str:
        """Show a screen of it."""
        return f"WalkResult: {self.summary}\n{self.log!r}"


def run_walk(
    scenario: ScenarioConfig,
    limit: str = DEFAULT_POLICY,
    seed: int = 0,
    progress: Callable[[float], None] | None = None,
    controller: str = PLANAR_DEFAULT,
) -> WalkResult:
    """Run the walk of a scenario to its end or a fall.

    Args:
        scenario: what to walk.
        limit: policy for slip, named as on the command line.
        seed: of the sensor noise.
        progress: called with the share done, 0 to 1.
        controller: by its name.

    Returns:
        The log, a row a control period, and the summary.

    Raises:
        InvalidParameter: no such limit, or an argument that it can't use.
        UnknownName: no such controller.
    """
    walk = Walk(scenario, planar_policy(limit, scenario), seed, controller)
    begin = time.perf_counter()
    log = walk.run(progress)
    took = time.perf_counter() - begin
    return WalkResult(log, summarise(log, walk.fell, took, walk.diverged))

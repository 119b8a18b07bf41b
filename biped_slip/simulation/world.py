# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""World of a robot: what surrounds its controller in simulation.

Once a control period readings come out and joint torques go in::

    readings = world.read()  # sensors at this instant, whose truth is logged
    world.advance(torques)  # to the next instant

A world ends when its time is over, the robot has fallen or the simulation has diverged
(``divergence.py``).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import deque
from typing import Any, Generic, Sequence, TypeVar

from numpy.random import Generator

from biped_slip.compile.arrays import Array
from biped_slip.contact.spill import Spill, TimedSpill
from biped_slip.errors import SimulationDiverged
from biped_slip.robots.sensor_config import UnmodelledConfig
from biped_slip.simulation.log import Log
from biped_slip.simulation.plant import SteppedPlant
from biped_slip.simulation.unmodelled import drawn_unmodelled

AnyPlant = TypeVar("AnyPlant", bound=SteppedPlant)
AnyLog = TypeVar("AnyLog", bound=Log)


class World(ABC, Generic[AnyPlant, AnyLog]):
    """World of a robot: readings out, torques in, once a control period.

    It ends when the time is over, the robot has fallen or the simulation has diverged.

    Args:
        scenario: its duration, pushes and control period.
        plant: the robot on its floor, in place.
        lowest: height [m] of the base over the floor below which the robot has fallen.
        spills: that come to the floor by themselves, in the order of time.

    Attributes:
        fell: whether the robot has fallen.
        diverged: how the simulation diverged, a sentence; empty as long as it has not.
        endless: whether it goes on when the time is over; its log keeps that time.
        spilled: what has changed the floor so far, in the order of time.
    """

    log: AnyLog

    def __init__(
        self,
        scenario: Any,
        plant: AnyPlant,
        lowest: float,
        spills: Sequence[TimedSpill] = (),
    ) -> None:
        self.scenario = scenario
        self.plant = plant
        self.lowest = lowest
        self.ticks = round(scenario.duration * 1e9 / scenario.plant.control_period_ns)
        self.fell = False
        self.endless = False
        self.diverged = ""
        self.spilled: list[TimedSpill] = []
        self._spills = deque(spills)
        self.spill_due()

    @property
    def ended(self) -> bool:
        """Return whether the robot fell, the simulation diverged or time is over."""
        over = self.plant.ticks >= self.ticks and not self.endless
        return self.fell or self.diverged != "" or over

    @property
    def logs(self) -> bool:
        """Return whether there is room in the log, or must be."""
        return not self.endless or self.log.length < self.ticks

    @abstractmethod
    def measure(self) -> Any:
        """Measure this instant without logging it.

        This is for a loop that waits for the readings.
        """

    @abstractmethod
    def record(self) -> Any:
        """Log the truth of this instant, once per control period."""

    def read(self) -> Any:
        """Read the sensors at this instant and log its truth.

        Call this once per control period.
        """
        readings = self.measure()
        self.record()
        return readings

    def spill(self, spill: Spill) -> None:
        """Change the floor from this instant on, also under a standing foot.

        What is logged at later instants has the new friction.
        """
        self.plant.spill(spill)
        self.spilled.append(TimedSpill(self.plant.stamp_ns, spill))

    @abstractmethod
    def around_base(self, length: float, width: float, mu: float) -> Spill:
        """Return a spill of a length and width [m] with its middle under the base."""

    def spill_due(self) -> None:
        """Change the floor by the scenario's spills whose time has come."""
        while self._spills and self._spills[0].stamp_ns <= self.plant.stamp_ns:
            self.spill(self._spills.popleft().spill)

    @property
    def ticks_to_spill(self) -> int:
        """Count the control periods until the scenario's next spill, or the end."""
        if not self._spills:
            return self.ticks
        left = self._spills[0].stamp_ns - self.plant.stamp_ns
        return -int(-left // self.plant.config.control_period_ns)

    @abstractmethod
    def height(self) -> float:
        """Compute the height of the base over the floor below it [m]."""

    def differ(self, rng: Generator) -> None:
        """Give the plant what the scenario says that its model does not know.

        Args:
            rng: generator of the sensors, which spawns that of these draws.
        """
        config = self.scenario.unmodelled
        if config != UnmodelledConfig():
            own = rng.spawn(1)[0]
            self.plant.differ(drawn_unmodelled(config, self.plant.anatomy, own))

    def advance(self, torques: Array, push: Any = 0.0) -> None:
        """Advance one control period under joint torques (n,) and another push.

        A fall ends the walk, and so does a divergence, which is none.
        """
        try:
            self.plant.advance(
                torques, self.scenario.pushes.at(1e-9 * self.plant.stamp_ns) + push
            )
        except SimulationDiverged as error:
            self.diverged = str(error)
            return
        self.spill_due()
        self.fell = self.fell or self.height() < self.lowest

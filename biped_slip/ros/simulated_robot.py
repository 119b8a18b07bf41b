# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Robots that the simulator can be: world, sensors' messages, the walk's result.

The planar biped is here; humanoids, which need libraries of their own, stand apart.
"""

from __future__ import annotations

import json
import time
from abc import ABC, abstractmethod
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any, Callable, Iterable, Mapping, Sequence, TypeVar

import numpy as np
from sensor_msgs.msg import JointState

from biped_slip.compile.arrays import Array
from biped_slip.errors import BipedSlipError
from biped_slip.reports.stances import stance_rows
from biped_slip.ros.messages import (
    Frames,
    InputTopic,
    SerialisedSensors,
    UnusableSample,
    sensor_topics,
)
from biped_slip.ros.planar_robot import planar_record_from
from biped_slip.simulation.kept_time import KEPT_TIME
from biped_slip.simulation.planar.scenario import ScenarioConfig
from biped_slip.simulation.planar.summary import summarise
from biped_slip.simulation.planar.world import PlanarWorld
from biped_slip.simulation.scenario import PlantScenario

Paced = TypeVar("Paced", bound=PlantScenario)


def paced(scenario: Paced, period: float | None) -> Paced:
    """Return a scenario of another control period [s]; None: its own."""
    if period is None:
        return scenario
    return replace(
        scenario, plant=replace(scenario.plant, control_period_ns=round(1e9 * period))
    )


class SimulatedRobot(ABC):
    """Robot on its floor behind messages.

    The controller's records are put beside the world's log, by stamp.

    Args:
        new_world: makes one of a control period [s], with readings in base and soles.
        source: of the feet's motion, whose sensors it has.
        skipped: counts records that can't be used, by their problem.
    """

    _period: float | None = None  # of control [s]; None: the scenario's
    endless = False  # whether its world goes on beyond way and time, once restarted

    def __init__(
        self,
        new_world: Callable[[float | None], Any],
        source: str,
        skipped: Counter[str],
    ) -> None:
        self._new_world = new_world
        self._skipped = skipped
        self._record = InputTopic("record", JointState, ["position"])
        self.topics = sensor_topics(source)
        self.start()
        robot = self.world.robot
        self._messages = SerialisedSensors(robot.joints, robot.soles, Frames(), source)

    def start(self, period: float | None = None) -> None:
        """Restart the world, with another control period [s]; None: the same."""
        self._period = period or self._period
        self.world = self._new_world(self._period)
        self.world.endless = self.endless
        self._newest = -1

    def tick_times(self, ticks: int) -> Array:
        """Measure the computing times (k,) [s] of ticks without torques.

        The world must be restarted afterwards.
        """
        limp = np.zeros(len(self.world.robot.joints))
        spent = np.empty(ticks)
        for tick in range(ticks):
            if self.ended:  # a log has room for its own walk and no more
                self.start()
            begin = time.perf_counter()
            self.sample()
            self.note()
            self.advance(limp)
            spent[tick] = time.perf_counter() - begin
        return spent

    @property
    def ended(self) -> bool:
        """Return whether the robot fell, the simulation diverged or time is over."""
        return bool(self.world.ended)

    def sample(self) -> dict[str, bytes]:
        """Return the sensors' messages of this instant."""
        return self._messages.fill(self.world.measure())

    def note(self) -> None:
        """Log the truth of this instant."""
        self.world.record()

    def advance(self, torques: Array) -> None:
        """Advance one control period."""
        self.world.advance(torques)

    def add(self, messages: Iterable[bytes]) -> None:
        """Add records of the controller, serialised."""
        log = self.world.log
        period = self.world.scenario.plant.control_period_ns
        for raw in messages:
            try:
                tick, rest = divmod(self._record.open(raw), period)
                self._record.keep()
                if not self.world.logs and tick >= log.length:
                    continue
                if rest or tick >= log.length:
                    raise UnusableSample("wrong time", "control record of no tick")
                self.keep(tick, self._record.numbers["position"].tolist())
            except UnusableSample as problem:
                self._skipped[str(problem)] += 1
                continue
            self._newest = max(self._newest, tick)

    @property
    def complete(self) -> bool:
        """Return whether the record of the last tick has arrived."""
        return self._newest == self.world.log.length - 1

    @abstractmethod
    def keep(self, tick: int, values: Sequence[float]) -> None:
        """Record the controller's output of a tick.

        Raises:
            UnusableSample: other numbers than expected.
        """

    @abstractmethod
    def result(self) -> Mapping[str, Any]:
        """Return the result of the walk for JSON."""

    def write(
        self, result_file: str, log_file: str, kept_time: Mapping[str, float]
    ) -> None:
        """Write the walk's result, real-time statistics and log to the named files."""
        log = self.world.log.trim()
        try:
            if result_file:
                stances = [row._asdict() for row in stance_rows(log)]
                record = {
                    **self.result(),
                    "stances": stances,
                    "spills": [
                        [1e-9 * timed.stamp_ns, *timed.spill.numbers]
                        for timed in self.world.spilled
                    ],
                    KEPT_TIME: dict(kept_time),
                }
                Path(result_file).write_text(
                    json.dumps(record, indent=1) + "\n", encoding="utf-8"
                )
            if log_file:
                log.save(log_file)
        except OSError as error:
            raise BipedSlipError(f"the result can't be written ({error})") from error


class SimulatedBiped(SimulatedRobot):
    """Planar biped in its scenario; the controller's records go into the log."""

    def __init__(
        self, scenario: ScenarioConfig, seed: int, skipped: Counter[str]
    ) -> None:
        super().__init__(
            lambda period: PlanarWorld(paced(scenario, period), seed),
            scenario.motion.source,
            skipped,
        )

    def start(self, period: float | None = None) -> None:
        """Restart the world and the wall time."""
        super().start(period)
        self._begin = time.perf_counter()

    def keep(self, tick: int, values: Sequence[float]) -> None:
        """Record the controller's output in the log."""
        self.world.log.record_control(
            tick, planar_record_from(values, len(self.world.robot.joints))
        )

    def result(self) -> Mapping[str, Any]:
        """Summarise the walk."""
        took = time.perf_counter() - self._begin
        world = self.world
        return summarise(world.log, world.fell, took, world.diverged).to_mapping()

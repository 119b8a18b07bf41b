# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The closed loop of a humanoid without ROS: world and walker, until the way is done, the time over, or a fall."""

from __future__ import annotations

import math
from typing import Any, Callable

import numpy as np

from biped_slip.contact.terrain import Terrain, ground_under
from biped_slip.control.ratio_limit import ConstantLimit, ConstantLimitConfig, EstimateLimit, NoLimit
from biped_slip.control.whole_body.footsteps import Command
from biped_slip.errors import InvalidParameter
from biped_slip.estimation.planted_window import check_standing
from biped_slip.estimation.raw_readings import RawReadings
from biped_slip.friction.interval.estimator import IntervalEstimator
from biped_slip.friction.limit_rule import LimitRule
from biped_slip.friction.types import NO_ESTIMATE, EstimateState, FootMeasurement, FrictionEstimate
from biped_slip.robots.humanoid import Humanoid, load_humanoid
from biped_slip.robots.humanoid_config import SOLES
from biped_slip.simulation.floating.scenario import FloatingScenarioConfig
from biped_slip.simulation.floating.walk_config import HumanoidWalkConfig
from biped_slip.simulation.floating.walker import HumanoidRecord, HumanoidWalker
from biped_slip.simulation.floating.world import FloatingWorld
from biped_slip.simulation.prevention import Prevention

KINDS = ("none", "constant:RATIO", "oracle", "interval")
STILL, SWAYING = 0.7, 2.0  # [s] of the check of the sensors (choice)
SHIFT, LEAN = 0.04, 0.06  # [m] of the weight, [rad] of the base, to either side: a third of the weight, 3 degrees
LEAST_LOAD = 0.01  # body weights; a foot with less is in flight for the oracle


class TerrainOracle:
    """Reads mu from the floor's map under the sole; only a simulation has that map."""

    def __init__(self, terrain: Terrain, weight: float) -> None:
        self._terrain, self._load = terrain, LEAST_LOAD * weight

    def initial_state(self) -> None:
        """Nothing to remember."""

    def step(self, state: None, measurement: FootMeasurement, dt: float) -> tuple[None, FrictionEstimate]:
        """The map's mu while the foot is loaded."""
        if not measurement.force_normal > self._load:
            return None, NO_ESTIMATE
        mu = float(ground_under(self._terrain, measurement.displacement_x, measurement.displacement_y).mu)
        return None, NO_ESTIMATE._replace(
            mu=mu, mu_low=mu, mu_q05=mu, mu_median=mu, mu_high=mu, usable=True, flag=True,
            state_code=int(EstimateState.USABLE),
        )  # fmt: skip


def humanoid_prevention(kind: str, config: HumanoidWalkConfig, humanoid: Humanoid, terrain: Terrain) -> Prevention:
    """Slip prevention by its name on the command line."""
    if kind == "oracle":
        return Prevention(kind, TerrainOracle(terrain, humanoid.weight), EstimateLimit())
    estimator = IntervalEstimator(config.interval, body_weight=humanoid.weight)
    if kind == "interval":
        return Prevention(kind, estimator, LimitRule(config.limit))
    if kind == "none":
        return Prevention(kind, estimator, NoLimit())
    if kind.startswith("constant:"):
        try:
            ratio = float(kind.removeprefix("constant:"))
        except ValueError:
            raise InvalidParameter("limit", kind, "constant:RATIO with a number") from None
        return Prevention(kind, estimator, ConstantLimit(ConstantLimitConfig(ratio)))
    raise InvalidParameter("limit", kind, f"one of {', '.join(KINDS)}")


class HumanoidWalk:
    """One walk.

    Args:
        config: robot, command, floor, noise, controller.
        kind: of slip prevention, one of KINDS.
        seed: draws the patch's place, the push and the noise.
        compiled: false runs the plant in plain Python on Pinocchio.
        true_base: whether the controller sees the base as it truly moves; else as IMU, joints and contacts tell it.

    Attributes:
        patch: from, to [m] along x.
        records: what the controller made of each tick on which it knew the base, as rows of (left limit, right limit,
            phase, solved, left mu, right mu, planned step [m]).
    """

    def __init__(self, config: HumanoidWalkConfig, kind: str, seed: int = 0, compiled: bool = True,
                 true_base: bool = False) -> None:  # fmt: skip
        self.config, self.humanoid = config, load_humanoid(config.robot)
        self._true_base = true_base
        rng = np.random.default_rng(seed)
        begin = float(rng.uniform(config.patch.earliest, max(config.patch.latest, config.patch.earliest)))
        self.patch = (begin, begin + config.patch.length)
        self._side = float(rng.choice((-1.0, 1.0)))
        self._push_at = float(rng.uniform(0.25, 0.75)) * config.patch.length + begin
        self._push_left = round(config.push.duration * 1e3) if config.push.force > 0.0 else 0
        self.world = FloatingWorld(self.humanoid, self._scenario(), seed, compiled)
        terrain = self.world.plant.around.terrain
        self._period = 1e-9 * self.world.plant.config.control_period_ns
        prevention = humanoid_prevention(kind, config, self.humanoid, terrain)
        self.walker = HumanoidWalker(self.humanoid, config.controller, prevention, config.base)
        self.records: list[tuple[float, ...]] = []

    def _scenario(self) -> FloatingScenarioConfig:
        config = self.config
        duration = STILL + SWAYING + config.start + config.patience * config.distance / max(abs(config.speed), 0.05)
        patches = [[*self.patch, -3.0, 3.0, config.patch.mu]] if config.patch.length > 0.0 else []
        terrain: dict[str, Any] = {
            "mu": config.mu, "patches": patches, "extent": [-2.0, config.distance + 3.0, -3.0, 3.0]
        }  # fmt: skip
        sensors = config.sensors.to_mapping()
        return FloatingScenarioConfig.from_mapping({"duration": duration, "terrain": terrain, "sensors": sensors})

    @property
    def ended(self) -> bool:
        """Arrived, fallen, or out of time."""
        return self.world.ended or float(self.world.plant.state.q[0]) >= self.config.distance

    def check_sensors(self) -> tuple[str, ...]:
        """What is wrong with the sensors, found before the first step by shifting the weight and swaying."""
        readings = []
        for tick in range(round((STILL + SWAYING) / self._period)):
            time = self._period * tick - STILL
            if time < 0.0:
                self._advance(self._walked(self.world.sense(), Command()))
                continue
            command = Command(shift=SHIFT * math.sin(math.tau * time / SWAYING),
                              lean=LEAN * math.sin(2.0 * math.tau * time / SWAYING))  # fmt: skip
            readings.append(self._advance(self._walked(self.world.sense(), command)).readings)
        return check_standing(self.humanoid.model, SOLES, readings)

    def tick(self) -> HumanoidRecord:
        """One control period: read, control, advance."""
        return self._advance(self.control(self.world.sense()))

    def control(self, raw: RawReadings) -> HumanoidRecord:
        """What the walker makes of one sample of the sensors."""
        speed = self.config.speed if self._period * self.world.plant.ticks >= self.config.start else 0.0
        return self._walked(raw, Command(speed))

    def _walked(self, raw: RawReadings, command: Command) -> HumanoidRecord:
        return self.walker.step(raw, command, self.world.measure() if self._true_base else None)

    def _advance(self, record: HumanoidRecord) -> HumanoidRecord:
        self.world.advance(record.torques, self._push())
        if record.answer is not None:
            answer, mu = record.answer, (record.estimates[0].mu, record.estimates[1].mu)
            self.records.append((*answer.limits, answer.phase, answer.solved, *mu, answer.gait.forward))
        return record

    def _push(self) -> np.ndarray | None:
        if self._push_left == 0 or float(self.world.plant.state.q[0]) < self._push_at:
            return None
        self._push_left -= 1
        return np.array([0.0, self._side * self.config.push.force * self.humanoid.weight, 0.0, 0.0, 0.0, 0.0])

    def run(self, progress: Callable[[float], None] | None = None) -> None:
        """Walk to the end; ``progress`` is called with the share done."""
        while not self.ended:
            self.tick()
            if progress is not None and self.world.plant.ticks % 100 == 0:
                progress(min(max(float(self.world.plant.state.q[0]) / self.config.distance, 0.0), 1.0))
        self.world.log.trim()

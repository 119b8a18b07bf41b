# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The closed loop without ROS: plant, sensors, observer, controller, one control tick after the other."""

from __future__ import annotations

from typing import Callable

import numpy as np

from biped_slip.control.controller import ControlAnswer, WalkingController
from biped_slip.errors import SimulationDiverged
from biped_slip.estimation.foot_measurement import FloorConfig, MotionSource, OdometryMotion
from biped_slip.estimation.friction_observer import FrictionObserver, Observation
from biped_slip.robots.planar_biped import planar_biped
from biped_slip.simulation.noisy_motion import NoisyMotion
from biped_slip.simulation.plant import Plant
from biped_slip.simulation.prevention import Prevention
from biped_slip.simulation.scenario import ScenarioConfig, start_state
from biped_slip.simulation.sensors import Sensors
from biped_slip.simulation.walk_log import WalkLog

FALLEN_HEIGHT = 0.45  # [m] of the hip over the floor


class Walk:
    """One walk: built from a scenario, run to its end or to a fall.

    Args:
        scenario: what to walk.
        prevention: estimator and limit.
        seed: of the sensor noise.
    """

    def __init__(self, scenario: ScenarioConfig, prevention: Prevention, seed: int = 0) -> None:
        self.scenario, self.robot = scenario, planar_biped(scenario.variant)
        self.plant = Plant(self.robot, scenario.ground, scenario.plant)
        self.plant.place(*start_state(scenario, self.robot))
        self.sensors = Sensors(self.plant, scenario.sensors, np.random.default_rng(seed))
        self.observer = FrictionObserver(self.robot, prevention.estimator, self._motion_source(seed))
        self.controller = WalkingController(self.robot, scenario.controller, prevention.limit, scenario.ground.slope)
        self.ticks = round(scenario.duration * 1e9 / scenario.plant.control_period_ns)
        self.log = WalkLog(self.robot, self.ticks)
        self.fell = False

    def _motion_source(self, seed: int) -> MotionSource:
        """Odometry and joints; with noise where the scenario's sensor of foot motion has some."""
        ideal, scenario = OdometryMotion(self.robot, FloorConfig(self.scenario.ground.slope)), self.scenario
        if scenario.sensors.foot_displacement_noise == 0.0:
            return ideal
        rng = np.random.default_rng([seed, 1])
        return NoisyMotion(
            ideal, scenario.sensors.foot_displacement_noise, 1e-9 * scenario.plant.control_period_ns, rng
        )

    def tick(self) -> None:
        """One control period: read, observe, control, log, advance."""
        period = 1e-9 * self.scenario.plant.control_period_ns
        time = 1e-9 * self.plant.stamp_ns
        readings = self.sensors.read()
        observation = self.observer.step(readings)
        answer = self.controller.step(
            observation.state, observation.measurements, observation.estimates, self.scenario.speed.at(time), period
        )
        self._record(time, observation, answer)
        self.plant.advance(answer.torques, (self.scenario.pushes.at(time), 0.0))

    def run(self, progress: Callable[[float], None] | None = None) -> WalkLog:
        """Walk until the end, a fall or divergence; ``progress`` is called with the share done."""
        for tick in range(self.ticks):
            try:
                self.tick()
            except SimulationDiverged:
                self.fell = True
            if self.fell or self.hip_height() < FALLEN_HEIGHT:
                self.fell = True
                break
            if progress is not None and tick % 100 == 0:
                progress(tick / self.ticks)
        return self.log.trim()

    def hip_height(self) -> float:
        """Height of the hip over the floor [m]."""
        slope = self.scenario.ground.slope
        q = self.plant.state.q
        return float(q[1] * np.cos(slope) - q[0] * np.sin(slope))

    def _record(self, time: float, observation: Observation, answer: ControlAnswer) -> None:
        log, plant, i = self.log, self.plant, self.log.length
        slope = self.scenario.ground.slope
        contact = plant.contact()
        position, velocity = plant.motion(plant.state.q, plant.state.v)
        log.time[i], log.q[i], log.v[i] = time, plant.state.q, plant.state.v
        log.foot_x[i], log.foot_z[i], log.foot_vx[i] = position[:, 0], position[:, 2], velocity[:, 0]
        log.normal[i], log.mu_true[i] = contact.normal, contact.mu
        log.tangential[i] = contact.force @ np.array([np.cos(slope), np.sin(slope)])
        log.wanted_ratio[i], log.limit[i] = answer.forces.wanted_ratio, answer.limits
        log.estimates[i] = observation.estimates
        log.torques[i], log.phase[i] = answer.torques, answer.phase
        log.length = i + 1

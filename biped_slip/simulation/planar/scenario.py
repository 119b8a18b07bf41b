# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Scenario of a planar walk: what is asked of the planar biped.

It has robot variant, floor, start, speed command, pushes, sensors and controller; the
friction limit is chosen beside it. Patches of the floor follow each other along x. At
the start both feet stand, each with half the weight along the line to the hip, and
their friction already carries its share.
"""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Any, Mapping

import numpy as np
from numpy.random import Generator

from biped_slip.compile.arrays import Array
from biped_slip.config import Configuration, configuration, parameter, section
from biped_slip.constants import GRAVITY
from biped_slip.contact.ground import GroundConfig, friction_at
from biped_slip.contact.point_contact import (
    WHOLE_ROBOT,
    PointMemory,
    fresh_memory,
    store,
)
from biped_slip.control.planar.walking_step import WalkingConfig
from biped_slip.errors import InvalidParameter
from biped_slip.estimation.motion_config import MotionConfig
from biped_slip.friction_estimation.interval.config import IntervalConfig
from biped_slip.friction_estimation.limits import LimitRuleConfig
from biped_slip.friction_estimation.settings import RlsConfig, TouchdownConfig
from biped_slip.robots.model_functions import model_functions
from biped_slip.robots.planar_biped import ROOTS, standing_coordinates
from biped_slip.robots.robot import Robot
from biped_slip.robots.sensor_config import ForceErrorConfig, UnmodelledConfig
from biped_slip.simulation.planar.physics import PlantState
from biped_slip.simulation.planar.plant import PlantConfig
from biped_slip.simulation.scenario import PlantScenario
from biped_slip.walking.planar import PlanarWalkingConfig, SpeedConfig, scenario_file

if TYPE_CHECKING:
    pass


@configuration
class SensorConfig(Configuration):
    """Noise of the simulated sensors, standard deviations per sample.

    All zero is ideal.
    """

    joint_position_noise: float = parameter(
        0.0, unit="rad", low=0.0, high=0.1, source="choice", doc="encoders"
    )
    joint_position_resolution: float = parameter(
        0.0,
        unit="rad",
        low=0.0,
        high=0.1,
        doc="one count of the encoders; 0: endlessly fine",
    )
    leg_stiffness: float = parameter(
        0.0,
        unit="N/m",
        low=0.0,
        high=1e9,
        source="choice",
        doc="of each leg along x between encoders and sole, which "
        "do not measure it; 0: rigid",
    )
    leg_spread: float = parameter(
        0.2,
        low=0.0,
        high=0.5,
        source="choice",
        doc="sd of its compliance per leg and run, as a share of it",
    )
    joint_velocity_noise: float = parameter(
        0.0, unit="rad/s", low=0.0, high=10.0, source="choice", doc="encoders"
    )
    gyro_noise: float = parameter(
        0.0, unit="rad/s", low=0.0, high=1.0, source="choice", doc="torso IMU"
    )
    accelerometer_noise: float = parameter(
        0.0,
        unit="m/s^2",
        low=0.0,
        high=10.0,
        source="choice",
        doc="torso and foot IMU; of means over a control period",
    )
    accelerometer_bias: float = parameter(
        0.0,
        unit="m/s^2",
        low=0.0,
        high=1.0,
        source="choice",
        doc="sd of a constant per axis, IMU and run",
    )
    force_noise: float = parameter(
        0.0, unit="N", low=0.0, high=100.0, source="choice", doc="each force axis"
    )
    force_offset: float = parameter(
        0.0,
        unit="N",
        low=0.0,
        high=100.0,
        source="choice",
        doc="constant per axis and run, uniform within this",
    )
    odometry_noise: float = parameter(
        0.0, unit="m", low=0.0, high=0.1, source="choice", doc="each axis of position"
    )
    foot_displacement_noise: float = parameter(
        0.0,
        unit="m",
        low=0.0,
        high=0.1,
        source="choice",
        doc="position of each foot by motion capture or a rig",
    )
    force_latency: float = parameter(
        0.0,
        unit="s",
        low=0.0,
        high=0.1,
        source="choice",
        doc="age of forces, rounded up to control periods",
    )
    force_errors: ForceErrorConfig = section(ForceErrorConfig)


@configuration
class StartConfig(Configuration):
    """Pose and speed at time zero.

    The feet are on the floor before and behind the hip (A.10).
    """

    hip_height: float = parameter(
        0.70, unit="m", above=0.1, high=1.0, source="A.8", doc="hip over the floor"
    )
    speed: float = parameter(
        0.5,
        unit="m/s",
        low=-3.0,
        high=3.0,
        source="A.8",
        doc="of the hip along the floor",
    )
    left_foot: float = parameter(
        0.5, unit="m", low=-0.9, high=0.9, source="A.10", doc="ahead of the hip"
    )
    right_foot: float = parameter(
        -0.5, unit="m", low=-0.9, high=0.9, source="A.10", doc="ahead of the hip"
    )


@configuration
class PushConfig(Configuration):
    """Forces on the base along x.

    ``force[i]`` acts from ``start[i]`` for ``duration[i]``.
    """

    start: tuple[float, ...] = parameter(
        (), unit="s", low=0.0, source="choice", doc="when each push begins"
    )
    duration: tuple[float, ...] = parameter(
        (), unit="s", low=0.0, source="choice", doc="how long each push lasts"
    )
    force: tuple[float, ...] = parameter(
        (), unit="N", source="choice", doc="along x, positive forward"
    )

    def check(self) -> None:
        """Check for one duration and one force per push."""
        if not len(self.start) == len(self.duration) == len(self.force):
            raise InvalidParameter(
                "PushConfig.start", self.start, "as long as duration and force"
            )

    def at(self, time: float) -> float:
        """Return the total push [N] at a time [s]."""
        return sum(
            force
            for start, duration, force in zip(
                self.start, self.duration, self.force, strict=True
            )
            if start <= time < start + duration
        )

    def over(self, times: Array) -> Array:
        """Return the total push [N] at each of many times [s]."""
        total = np.zeros(times.shape)
        for force, start, duration in zip(
            self.force, self.start, self.duration, strict=True
        ):
            total[(start <= times) & (times < start + duration)] += force
        return total


@configuration
class SpreadConfig(Configuration):
    """Spread between seeds: uniform within plus or minus these."""

    speed: float = parameter(
        0.05, unit="m/s", low=0.0, high=1.0, source="choice", doc="start speed"
    )
    pose: float = parameter(
        0.02,
        unit="m",
        low=0.0,
        high=0.2,
        source="choice",
        doc="hip height and both feet",
    )
    edge: float = parameter(
        0.25, unit="m", low=0.0, high=2.0, source="choice", doc="edges between surfaces"
    )
    last_mu: tuple[float, ...] = parameter(
        (),
        above=0.0,
        high=5.0,
        source="choice",
        doc="range of the last surface's mu, uniform; () keeps it",
    )

    def check(self) -> None:
        """Check for an empty or an ascending pair."""
        if len(self.last_mu) not in (0, 2) or (
            self.last_mu and self.last_mu[0] > self.last_mu[1]
        ):
            raise InvalidParameter(
                "SpreadConfig.last_mu", self.last_mu, "empty, or lowest and highest mu"
            )


@configuration
class ScenarioConfig(PlantScenario):
    """Configuration of a planar walk; the friction limit is chosen beside it."""

    variant: str = parameter(
        "thesis", choices=tuple(ROOTS), source="A.6", doc="torso without or with pitch"
    )
    duration: float = parameter(
        12.0, unit="s", above=0.0, high=3600.0, source="A.10", doc="length of the walk"
    )
    required_distance: float = parameter(
        4.5, unit="m", source="choice", doc="a walk that ends before it has failed"
    )
    ground: GroundConfig = section(GroundConfig)
    start: StartConfig = section(StartConfig)
    speed: SpeedConfig = section(SpeedConfig)
    pushes: PushConfig = section(PushConfig)
    sensors: SensorConfig = section(SensorConfig)
    unmodelled: UnmodelledConfig = section(UnmodelledConfig)
    spread: SpreadConfig = section(SpreadConfig)
    plant: PlantConfig = section(PlantConfig)
    controller: WalkingConfig = section(WalkingConfig)
    rls: RlsConfig = section(RlsConfig)
    motion: MotionConfig = section(MotionConfig)
    interval: IntervalConfig = section(IntervalConfig)
    touchdown: TouchdownConfig = section(TouchdownConfig)
    interval_limit: LimitRuleConfig = section(LimitRuleConfig)

    @property
    def walking(self) -> PlanarWalkingConfig:
        """Return the controller's configuration."""
        own = {
            field.name: getattr(self, field.name)
            for field in fields(PlanarWalkingConfig)
            if field.name != "period"
        }
        return PlanarWalkingConfig(period=1e-9 * self.plant.control_period_ns, **own)


def chosen_scenario(
    name: str,
    variant: str | None = None,
    seed: int | None = None,
    contact: str | None = None,
    sensors: str | None = None,
    period: float | None = None,
) -> ScenarioConfig:
    """Load a scenario, perturbed by a seed.

    Variant, contact, sensors or period [s] are others on request.

    Args:
        name: of a shipped scenario, or a .yaml file.
        variant: of the robot, in place of the scenario's.
        seed: that perturbs it; None: as it stands.
        contact: law, in place of the scenario's.
        sensors: name or file of a set, in place of the scenario's.
        period: of control [s], in place of the scenario's.
    """
    asked = {"contact": contact, "period": period}
    changes = {key: value for key, value in asked.items() if value is not None}
    scenario = ScenarioConfig.from_mapping(
        {**scenario_file(name, variant, sensors), **changes}
    )
    return (
        scenario if seed is None else perturbed(scenario, np.random.default_rng(seed))
    )


def changed(scenario: ScenarioConfig, changes: Mapping[str, Any]) -> ScenarioConfig:
    """Return the scenario with changed values.

    They are given by dotted names such as ``sensors.force_noise``.
    """
    values = scenario.to_mapping()
    for name, value in changes.items():
        *sections, last = name.split(".")
        place = values
        for part in sections:
            place = place.setdefault(part, {})
        place[last] = value
    return ScenarioConfig.from_mapping(values)


def perturbed(scenario: ScenarioConfig, rng: Generator) -> ScenarioConfig:
    """Draw the scenario of one seed: start speed, pose and edges within the spread."""
    spread = scenario.spread
    start = scenario.start
    speed, height, left, right = rng.uniform(-1.0, 1.0, 4)
    edges = rng.uniform(-1.0, 1.0, len(scenario.ground.edges))
    values = scenario.to_mapping()
    values["start"].update(
        speed=start.speed + spread.speed * speed,
        hip_height=start.hip_height + spread.pose * height,
        left_foot=start.left_foot + spread.pose * left,
        right_foot=start.right_foot + spread.pose * right,
    )
    values["ground"]["edges"] = [
        edge + spread.edge * shift
        for edge, shift in zip(scenario.ground.edges, edges, strict=True)
    ]
    if spread.last_mu:
        values["ground"]["mu"] = [
            *scenario.ground.mu[:-1],
            float(rng.uniform(spread.last_mu[0], spread.last_mu[1])),
        ]
    return ScenarioConfig.from_mapping(values)


def start_state(scenario: ScenarioConfig, robot: Robot) -> PlantState:
    """Build the standing start: half the weight on each foot, the hip moving forward.

    Each half acts along the line from the foot to the hip.

    The feet are as deep as the normal law wants for that, and their friction already
    carries its share.
    """
    load = 0.5 * robot.mass * GRAVITY
    hip, left, right = _start_places(scenario, load)
    q = standing_coordinates(
        robot, (hip[0], hip[1]), ((left[0], left[1]), (right[0], right[1]))
    )
    slope = scenario.ground.slope
    along = np.array([np.cos(slope), np.sin(slope)])
    v = _start_velocities(robot, q, scenario.start.speed * along)
    return PlantState(q, v, _start_memory(scenario, load, (left, right)))


def _start_places(scenario: ScenarioConfig, load: float) -> tuple[Array, Array, Array]:
    """Place the hip and both soles, (2,) [m] each, for a load [N] on each foot.

    The hip stands over the middle between the feet in gravity's eyes.
    """
    slope = scenario.ground.slope
    start = scenario.start
    contact = scenario.plant.contact
    along = np.array([np.cos(slope), np.sin(slope)])
    up = np.array([-np.sin(slope), np.cos(slope)])
    depth = 0.0
    if contact.law not in WHOLE_ROBOT:
        depth = contact.normal.steady_penetration(load)
    lean = start.hip_height * np.tan(slope)
    return (
        lean * along + start.hip_height * up,
        start.left_foot * along - depth * up,
        start.right_foot * along - depth * up,
    )


def _start_velocities(robot: Robot, q: Array, hip: Array) -> Array:
    """Find the velocities (nv,) at which the hip moves (2,) [m/s] and no sole does."""
    v = np.zeros(robot.model.nv)
    v[:2] = hip
    jacobian = model_functions(robot).sole_jacobians(q)
    root = robot.root_size
    for foot in (0, 1):
        rows = jacobian[3 * foot : 3 * foot + 3 : 2]
        columns = slice(root + 2 * foot, root + 2 * foot + 2)
        v[columns] = np.linalg.solve(rows[:, columns], -v[:2])
    return v


def _start_memory(
    scenario: ScenarioConfig, load: float, feet: tuple[Array, Array]
) -> Array:
    """Let the friction of both feet carry its share of the load [N] on each.

    Args:
        scenario: floor, start and contact law.
        load: on each foot [N].
        feet: places of the soles, (2,) [m] each.
    """
    start = scenario.start
    ground = scenario.ground.ground()
    friction = scenario.plant.contact.friction
    ratios = np.array([start.left_foot, start.right_foot]) / start.hip_height
    mu = np.array([friction_at(ground, foot[0]) for foot in feet])
    memory = fresh_memory(2)
    for foot, ratio in enumerate(np.clip(ratios, -0.9 * mu, 0.9 * mu)):
        preloaded = friction.preloaded(float(ratio), load, float(mu[foot]))
        store(memory, foot, PointMemory(0.0, preloaded))
    return memory

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""What surrounds a humanoid's controller: plant, sensors, floor with its patch, pushes, log."""

from __future__ import annotations

import dataclasses
from typing import Any, NamedTuple

import numpy as np

from biped_slip.compile.arrays import Array, copy_matrix, copy_vector
from biped_slip.compile.kernel import kernel, without_dispatch
from biped_slip.contact.ground import Terrain, ground_under
from biped_slip.errors import SimulationDiverged
from biped_slip.estimation.readings import HumanoidReadings, RawReadings, SensorReadings, base_motion
from biped_slip.robots.humanoid import Humanoid, load_humanoid
from biped_slip.robots.robot import Robot
from biped_slip.simulation.humanoid.plant import FloatingPlant, Soles, Truth, choose_step
from biped_slip.simulation.humanoid.scenario import FloatingScenarioConfig, HumanoidWalkConfig
from biped_slip.simulation.humanoid.sensors import FloatingSensors, ideal_readings
from biped_slip.simulation.summary import Log
from biped_slip.walking.humanoid_registry import STILL, SWAYING

# What is true in a simulated world, one row per control tick, preallocated.


class Rows(NamedTuple):
    """What is logged of an instant; in the log with ticks as one more axis before."""

    q: Array  # (nq,)
    v: Array  # (nv,)
    torques: Array  # (n,)
    mu: Array  # (2,)
    soles: Soles


@kernel
def write_row(log: Rows, i: int, now: Rows) -> None:
    """Put an instant into row i."""
    copy_vector(now.q, log.q[i], 0)
    copy_vector(now.v, log.v[i], 0)
    copy_vector(now.torques, log.torques[i], 0)
    copy_vector(now.mu, log.mu[i], 0)
    copy_matrix(now.soles.position, log.soles.position[i])
    for foot in range(2):
        copy_matrix(now.soles.rotation[foot], log.soles.rotation[i, foot])
    copy_matrix(now.soles.velocity, log.soles.velocity[i])
    copy_matrix(now.soles.wrench, log.soles.wrench[i])
    copy_vector(now.soles.normal, log.soles.normal[i], 0)


class FloatingLog(Log):
    """Arrays over ticks; feet left, right on the second axis. Only the first ``length`` rows are filled.

    Attributes:
        time: (ticks,) [s]
        q: (ticks, nq); v: (ticks, nv)
        sole_position: (ticks, 2, 3) [m], sole_rotation: (ticks, 2, 3, 3), sole_velocity: (ticks, 2, 6), world
        wrench: (ticks, 2, 6) of the ground on each sole, world axes [N, N m]
        normal: (ticks, 2) [N]
        mu: (ticks, 2) of the floor under each sole's origin
        torques: (ticks, n) of the motors [N m]
    """

    def __init__(self, plant: FloatingPlant, ticks: int) -> None:
        model = plant.humanoid.model
        self.length = 0
        self.time = np.zeros(ticks)
        self.q, self.v = np.zeros((ticks, model.nq)), np.zeros((ticks, model.nv))
        self.sole_position, self.sole_velocity = np.zeros((ticks, 2, 3)), np.zeros((ticks, 2, 6))
        self.sole_rotation, self.wrench = np.zeros((ticks, 2, 3, 3)), np.zeros((ticks, 2, 6))
        self.normal, self.mu = np.zeros((ticks, 2)), np.zeros((ticks, 2))
        self.torques = np.zeros((ticks, model.nv - 6))
        self._rows = Rows(self.q, self.v, self.torques, self.mu, Soles(
            self.sole_position, self.sole_rotation, self.sole_velocity, self.wrench, self.normal
        ))  # fmt: skip
        self._quick: Any = None  # compiled at the first row

    def record(self, plant: FloatingPlant, truth: Truth) -> None:
        """Append what is true at this instant."""
        i, state = self.length, plant.state
        self.time[i] = 1e-9 * plant.stamp_ns  # fails beyond the end, which the next line would not
        row = self._rows, i, Rows(state.q, state.v, state.torque, truth.mu, truth.soles)
        if self._quick is None:
            self._quick = without_dispatch(write_row, *row)
        self._quick(*row)
        self.length = i + 1

    @property
    def ratio(self) -> Array:
        """Horizontal over vertical force of each sole (ticks, 2); NaN without load."""
        horizontal, vertical = np.linalg.norm(self.wrench[:, :, :2], axis=2), self.wrench[:, :, 2]
        return np.where(vertical > 1.0, horizontal / np.maximum(vertical, 1.0), np.nan)


# What surrounds a humanoid's controller: readings out, torques in, once per control period.


class FloatingWorld:
    """A humanoid on its floor until the time is over or it has fallen.

    Args:
        humanoid: the robot.
        scenario: floor, start, pushes, sensors, physics.
        seed: of the sensor noise.
        compiled: false runs plain Python on Pinocchio.
        plant: what moves it.
    """

    def __init__(
        self, humanoid: Humanoid, scenario: FloatingScenarioConfig, seed: int = 0, compiled: bool = True,
        plant: type[FloatingPlant] = FloatingPlant,
    ) -> None:  # fmt: skip
        self.humanoid, self.scenario, config = humanoid, scenario, scenario.plant
        if config.error_target > 0.0:
            chosen = choose_step(humanoid, scenario.terrain, config, config.error_target)
            config = dataclasses.replace(config, step_ns=chosen.step_ns)
        self.plant = plant(humanoid, scenario.terrain, config, compiled)
        self.plant.place(self._start())
        self.ticks = round(scenario.duration * 1e9 / scenario.plant.control_period_ns)
        self.log = FloatingLog(self.plant, self.ticks)
        self.fell = False
        self._height: Any = without_dispatch(height_over, self.plant.around.terrain, self.plant.state.q)
        self.standing_height = self.base_height()
        self._sensors = FloatingSensors(self.plant, scenario.sensors, np.random.default_rng(seed))

    def _start(self) -> Array:
        """Standing at the commanded place; on the floor each foot is as deep as half the weight wants."""
        start, plant = self.scenario.start, self.plant
        ground = ground_under(plant.around.terrain, start.x, start.y)
        points = plant.around.points.shape[1]
        depth = plant.law.normal.steady_penetration(0.5 * self.humanoid.weight / points) if start.height == 0.0 else 0.0
        return self.humanoid.standing(start.x, start.y, start.yaw, ground.height + start.height - depth)

    @property
    def robot(self) -> Robot:
        """The model with its names of joints and soles."""
        return self.humanoid.robot

    @property
    def ended(self) -> bool:
        """Whether the robot fell or the time is over."""
        return self.fell or self.plant.ticks >= self.ticks

    def read(self) -> SensorReadings:
        """The truth of this instant as readings, logged; this or :meth:`sense` once per control period."""
        return ideal_readings(self.plant, self._observed())

    def measure(self) -> SensorReadings:
        """The truth of this instant as readings, not logged yet: for a loop in which somebody waits for them."""
        return ideal_readings(self.plant, self.plant.observe())

    def record(self) -> None:
        """Log this instant; once per control period."""
        self._observed()

    def sense(self) -> RawReadings:
        """What real sensors read at this instant, whose truth is logged."""
        return self._sensors.read(self._observed())

    def _observed(self) -> Truth:
        truth = self.plant.observe()
        self.log.record(self.plant, truth)
        return truth

    def advance(self, torques: Array, push: Array | None = None) -> None:
        """One control period under joint torques (n,) and a push beside the scenario's; a fall ends the run.

        Args:
            push: force and moment (6,) on the base, world axes [N, N m].
        """
        scheduled = self.scenario.pushes.at(1e-9 * self.plant.stamp_ns)
        push = scheduled if push is None else scheduled + push
        try:
            self.plant.advance(torques, push)
        except SimulationDiverged:
            self.fell = True
        self.fell = self.fell or self.base_height() < self.scenario.fallen * self.standing_height

    def base_height(self) -> float:
        """Height of the base over the floor below it [m]."""
        return float(self._height(self.plant.around.terrain, self.plant.state.q))


@kernel
def height_over(terrain: Terrain, q: Array) -> float:
    """Height of the base over the floor below it [m], for coordinates (nq,)."""
    return q[2] - ground_under(terrain, q[0], q[1]).height


# What surrounds a humanoid's walk: its floor with the patch, the push on the way, the end of it.


class Draw(NamedTuple):
    """What the seed of a walk decides beside the noise."""

    patch: tuple[float, float]  # from, to [m] along x
    push_at: float  # [m] along x
    side: float  # of the push, 1 or -1
    shift: float  # [m] of the course along x


def drawn(config: HumanoidWalkConfig, seed: int) -> Draw:
    """Places of the patch and the push."""
    rng, patch = np.random.default_rng(seed), config.patch
    begin = float(rng.uniform(patch.earliest, max(patch.latest, patch.earliest)))
    side = float(rng.choice((-1.0, 1.0)))
    push_at = float(rng.uniform(0.25, 0.75)) * patch.length + begin
    return Draw((begin, begin + patch.length), push_at, side, float(rng.uniform(0.0, config.course.shift)))


def track_scenario(config: HumanoidWalkConfig, draw: Draw) -> FloatingScenarioConfig:
    """Floor, sensors and time of a walk."""
    duration = STILL + SWAYING + config.start + config.patience * config.distance / max(abs(config.speed), 0.05)
    patches = [[*draw.patch, -3.0, 3.0, config.patch.mu]] if config.patch.length > 0.0 else []
    patches += [[x0 + draw.shift, x1 + draw.shift, *rest] for x0, x1, *rest in config.course.patches]
    profile = [[x + draw.shift, height] for x, height in config.course.profile]
    extent = [-2.0, config.distance + 3.0, -3.0, 3.0]
    terrain: dict[str, Any] = {"mu": config.mu, "patches": patches, "profile": profile, "extent": extent}
    sensors = config.sensors.to_mapping()
    law = {"contact": config.contact} if config.contact else {}
    return FloatingScenarioConfig.from_mapping({"duration": duration, "terrain": terrain, "sensors": sensors, **law})


class HumanoidTrack:
    """A humanoid on the way that its walk describes, until it has arrived, the time is over, or it has fallen.

    Args:
        config: robot, floor, patch, push, noise.
        seed: draws the patch's place, the push and the noise.
        compiled: false runs the plant in plain Python on Pinocchio.

    Attributes:
        patch: from, to [m] along x.
    """

    def __init__(self, config: HumanoidWalkConfig, seed: int = 0, compiled: bool = True) -> None:
        self.config, self.humanoid, self._draw = config, load_humanoid(config.robot), drawn(config, seed)
        self.patch = self._draw.patch
        self.world = FloatingWorld(self.humanoid, track_scenario(config, self._draw), seed, compiled)
        self._push_left = round(config.push.duration * 1e3) if config.push.force > 0.0 else 0

    @property
    def shift(self) -> float:
        """Of the course along x [m]."""
        return self._draw.shift

    @property
    def ended(self) -> bool:
        """Arrived, fallen, or out of time."""
        return self.world.ended or float(self.world.plant.state.q[0]) >= self.config.distance

    def read(self) -> HumanoidReadings:
        """What the sensors say at this instant, which is logged, and how the base truly moves."""
        return HumanoidReadings(self.world.sense(), base_motion(self.world.measure()))

    def advance(self, torques: Array) -> None:
        """One control period under joint torques (n,)."""
        self.world.advance(torques, self._push())

    def _push(self) -> Array | None:
        if self._push_left == 0 or float(self.world.plant.state.q[0]) < self._draw.push_at:
            return None
        self._push_left -= 1
        force = self._draw.side * self.config.push.force * self.humanoid.weight
        return np.array([0.0, force, 0.0, 0.0, 0.0, 0.0])

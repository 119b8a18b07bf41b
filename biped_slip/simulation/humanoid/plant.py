# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""A floating-base robot on its floor: torques in, state out, one control period after the other."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from biped_slip.compile.arrays import Array
from biped_slip.compile.kernel import without_dispatch
from biped_slip.config import Configuration, configuration, parameter, section
from biped_slip.contact.contact_config import WHOLE_ROBOT, ContactConfig
from biped_slip.contact.distributed_foot import foot_wrench, foot_wrench_midway
from biped_slip.contact.hunt_crossley import HuntCrossleyConfig
from biped_slip.contact.point_law import ContactLaw, fresh_memory
from biped_slip.contact.sole import sole_grid
from biped_slip.contact.time_step import check_time_step
from biped_slip.errors import InvalidParameter, SimulationDiverged
from biped_slip.robots.floating_functions import floating_functions
from biped_slip.robots.humanoid import Humanoid
from biped_slip.simulation.humanoid.joints import JointConfig, joint_physics
from biped_slip.simulation.humanoid.step import (
    FloatingState,
    Soles,
    Surroundings,
    advance_by,
    observe_by,
    stage_of,
)
from biped_slip.simulation.humanoid.terrain_config import TerrainConfig

LAW = "hunt_crossley + elasto_plastic"  # rests, and springs back: what a test of presliding needs


def _standing_contact() -> ContactConfig:
    return ContactConfig.from_mapping(LAW)


@configuration
class FloatingPlantConfig(Configuration):
    """Integration, contact and friction in the joints."""

    control_period_ns: int = parameter(
        1_000_000, unit="ns", low=1000, high=1_000_000_000, source="A.9: 1 kHz", doc="time between two commands"
    )
    step_ns: int = parameter(
        200_000, unit="ns", low=100, high=10_000_000, doc="integration step; this one errs by 2 um in a landing"
    )
    error_target: float = parameter(
        0.0, unit="m", low=0.0, high=0.01, doc="a world chooses the longest step below this error; 0 keeps step_ns"
    )
    speed_limit: float = parameter(300.0, unit="rad/s or m/s", above=0.0, doc="a faster coordinate means divergence")
    contact: ContactConfig = section(_standing_contact)  # type: ignore[arg-type]
    weight_scaled: bool = parameter(True, doc="stiffness and damping of hunt_crossley from the robot's YAML and weight")
    joints: JointConfig = section(JointConfig)

    def check(self) -> None:
        """A law of points, and a step that divides the control period."""
        if self.contact.law in WHOLE_ROBOT:
            raise InvalidParameter("plant.contact", self.contact.law, "a law of points, such as " + LAW)
        if self.control_period_ns % self.step_ns:
            raise InvalidParameter(
                "plant.step_ns", self.step_ns, f"a divisor of the control period {self.control_period_ns} ns"
            )


class Truth(NamedTuple):
    """What nobody can measure; feet left, right."""

    soles: Soles
    mu: Array  # (2,) of the floor under each sole's origin
    acceleration: Array  # (nv,)


class FloatingPlant:
    """A humanoid on a floor.

    Args:
        humanoid: the robot.
        terrain: the floor.
        config: integration and contact.
        compiled: false runs plain Python on Pinocchio, as without a C compiler.
    """

    def __init__(
        self, humanoid: Humanoid, terrain: TerrainConfig, config: FloatingPlantConfig, compiled: bool = True
    ) -> None:
        self.humanoid, self.config = humanoid, config
        points = sole_points(humanoid)
        self.law = point_law(humanoid, config, points.shape[1])
        feet = 2 * points.shape[1]
        share = humanoid.robot.mass / feet
        check_time_step(self.law, share, humanoid.weight / feet, terrain.largest_mu, self.step)
        functions = floating_functions(humanoid.robot, compiled)
        self.around = Surroundings(
            functions.generated, points, terrain.terrain(), self.law.packed, joint_physics(humanoid, config.joints)
        )
        self.compiled = functions.compiled
        self.place(humanoid.standing())
        start, midway = stage_of(functions, foot_wrench(self.law)), stage_of(functions, foot_wrench_midway(self.law))
        self._advance: Any = without_dispatch(
            advance_by(start, midway), self.state, self._next, self.state.torque, self.push, self.around, 1, 1.0
        )
        self._observe: Any = without_dispatch(
            observe_by(start), self.state, self.push, self.around, *_empty_truth(self.state.v.size)
        )
        self._sensors: Any = without_dispatch(
            functions.sensor_readings, functions.generated, *self.state[:2], self.state.v,
            *_empty_sensors()[1:2], *_empty_sensors(),
        )  # fmt: skip

    @property
    def step(self) -> float:
        """Integration step [s]."""
        return 1e-9 * self.config.step_ns

    @property
    def stamp_ns(self) -> int:
        """Time since the start, in whole control periods."""
        return self.ticks * self.config.control_period_ns

    def place(self, q: Array, v: Array | None = None) -> None:
        """Start from coordinates (nq,) and velocities (nv,) at time zero, the contact points fresh."""
        model, points = self.humanoid.model, self.around.points.shape[1]
        speed = np.zeros(model.nv) if v is None else np.array(v, dtype=float)
        contact = np.stack([fresh_memory(points)] * 2)
        self.state = FloatingState(
            np.array(q, dtype=float), speed, contact, np.zeros(model.nv - 6), np.zeros(model.nv - 6)
        )
        self._next = FloatingState(*(np.empty_like(part) for part in self.state))
        self.push, self.ticks = np.zeros(6), 0

    def observe(self) -> Truth:
        """True contact and acceleration now, under the torques and the push of the last period."""
        truth = _empty_truth(self.state.v.size)
        self._observe(self.state, self.push, self.around, *truth)
        return truth

    def sensor_readings(self, truth: Truth) -> tuple[Array, Array, Array]:
        """What ideal sensors read: IMU (6,), feet's IMUs (2, 6), force/torque sensors (2, 6)."""
        readings, state = _empty_sensors(), self.state
        self._sensors(self.around.robot, state.q, state.v, truth.acceleration, truth.soles.wrench, *readings)
        return readings

    def advance(self, torques: Array, push: Array | None = None) -> None:
        """One control period under joint torques (n,) and a force and moment (6,) on the base in world axes.

        Raises:
            SimulationDiverged: a coordinate is not finite or absurdly fast; the state stays as it was.
        """
        config = self.config
        held = np.zeros(6) if push is None else np.array(push, dtype=float)
        command, steps = np.array(torques, dtype=float), config.control_period_ns // config.step_ns
        fastest = self._advance(self.state, self._next, command, held, self.around, steps, self.step)
        if not fastest <= config.speed_limit:
            raise SimulationDiverged("largest speed", fastest, config.speed_limit, 1e-9 * self.stamp_ns)
        self.state, self._next, self.push = self._next, self.state, held
        self.ticks += 1


def _empty_truth(nv: int) -> Truth:
    soles = Soles(np.empty((2, 3)), np.empty((2, 3, 3)), np.empty((2, 6)), np.empty((2, 6)), np.empty(2))
    return Truth(soles, np.empty(2), np.empty(nv))


def _empty_sensors() -> tuple[Array, Array, Array]:
    return np.empty(6), np.empty((2, 6)), np.empty((2, 6))


def sole_points(humanoid: Humanoid) -> Array:
    """Contact points of both soles (2, points, 3) [m]: a grid over each polygon, or the one point of a point foot."""
    contact = humanoid.config.contact
    if len(contact.polygon) == 1:
        return np.array([[[x, y, 0.0] for x, y in humanoid.polygon(foot)] for foot in range(2)])
    return np.stack([sole_grid(humanoid.polygon(foot), contact.rows, contact.columns) for foot in range(2)])


def point_law(humanoid: Humanoid, config: FloatingPlantConfig, points: int) -> ContactLaw:
    """The law of each of so many points of a sole."""
    pair, sole = config.contact.pair, humanoid.config.contact
    if not config.weight_scaled or not isinstance(pair.normal, HuntCrossleyConfig):
        return pair
    stiffness = sole.stiffness * humanoid.weight / points
    return ContactLaw(HuntCrossleyConfig(stiffness=stiffness, damping=sole.damping * stiffness), pair.friction)

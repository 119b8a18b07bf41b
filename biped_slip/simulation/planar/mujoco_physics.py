# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""MuJoCo's rigid bodies and contact under the planar biped, behind our physics'.

Its friction is a regularised constraint: a loaded foot creeps, and its presliding is
not elastic (simulation study 3, "friction at rest"). The floor's mu is that of our
patches, set under each foot before every step.
"""

from __future__ import annotations

from typing import Any
from xml.etree import ElementTree

import numpy as np

from biped_slip.compile.arrays import Array
from biped_slip.contact.ground import Ground, friction_at
from biped_slip.contact.point_contact import ContactConfig, MujocoConfig
from biped_slip.errors import MissingExtra
from biped_slip.robots.robot import Robot
from biped_slip.robots.simulator_descriptions import mjcf
from biped_slip.simulation.planar.physics import PlantKernels, PlantState, SoleForces

try:
    import mujoco
except ImportError:
    mujoco = None


class MujocoPhysics:
    """MuJoCo's dynamics and contact of a robot as functions of its state."""

    def __init__(self, robot: Robot, ground: Ground, config: MujocoConfig) -> None:
        if mujoco is None:
            raise MissingExtra("contact 'mujoco'", "mujoco")
        self.model = mujoco.MjModel.from_xml_string(
            _document(robot, ground.slope, config)
        )
        self.data = mujoco.MjData(self.model)
        self._soles = [self.model.geom(name).id for name in robot.soles]
        self._tangent = np.array([np.cos(ground.slope), 0.0, np.sin(ground.slope)])
        self._normal = np.array([-np.sin(ground.slope), 0.0, np.cos(ground.slope)])

    def advance(
        self,
        state: PlantState,
        tau: Array,
        ground: Ground,
        settings: Any,
        steps: int,
        dt: float,
    ) -> tuple[PlantState, float]:
        """Integrate the state by a number of semi-implicit Euler steps of dt [s].

        The steps are MuJoCo's.

        Args:
            state: of the plant.
            tau: generalized torques (nv,).
            ground: floor.
            settings: unused.
            steps: number of steps.
            dt: [s].
        """
        self._put(state, tau)
        self.model.opt.timestep = dt
        for _ in range(steps):
            mujoco.mj_kinematics(self.model, self.data)
            self._set_friction(ground)
            mujoco.mj_step(self.model, self.data)
        after = PlantState(self.data.qpos.copy(), self.data.qvel.copy(), state.contact)
        return after, 0.0  # MuJoCo keeps the cone

    def forces(
        self, state: PlantState, tau: Array, ground: Ground, settings: Any, dt: float
    ) -> SoleForces:
        """Compute contact forces in a state under generalized torques (nv,).

        Args:
            state: of the plant.
            tau: generalized torques (nv,).
            ground: floor.
            settings: unused.
            dt: unused.
        """
        mu = self._forward(state, tau, ground)
        result = SoleForces(np.zeros((2, 2)), np.zeros(2), mu, np.zeros(2))
        for index, contact in enumerate(self.data.contact):
            foot = self._soles.index(contact.geom2)
            force = np.zeros(6)
            mujoco.mj_contactForce(self.model, self.data, index, force)
            world = contact.frame.reshape(3, 3).T @ force[:3]
            result.force[foot] += world[[0, 2]]
            result.normal[foot] += world @ self._normal
        for foot, geom in enumerate(self._soles):
            velocity = np.zeros(6)
            mujoco.mj_objectVelocity(
                self.model, self.data, mujoco.mjtObj.mjOBJ_GEOM, geom, velocity, 0
            )
            result.slip_velocity[foot] = velocity[3:] @ self._tangent
        return result

    def acceleration(
        self, state: PlantState, tau: Array, ground: Ground, settings: Any, dt: float
    ) -> Array:
        """Compute acceleration (nv,) in a state under generalized torques (nv,).

        Args:
            state: of the plant.
            tau: generalized torques (nv,).
            ground: floor.
            settings: unused.
            dt: unused.
        """
        self._forward(state, tau, ground)
        return np.array(self.data.qacc)

    def _forward(self, state: PlantState, tau: Array, ground: Ground) -> Array:
        self._put(state, tau)
        mujoco.mj_kinematics(self.model, self.data)
        mu = self._set_friction(ground)
        mujoco.mj_forward(self.model, self.data)
        return mu

    def _put(self, state: PlantState, tau: Array) -> None:
        self.data.qpos[:] = state.q
        self.data.qvel[:] = state.v
        self.data.qfrc_applied[:] = tau

    def _set_friction(self, ground: Ground) -> Array:
        """Set the floor's mu under each foot in its contact pair; return it, (2,)."""
        mu = np.array(
            [
                friction_at(ground, float(self.data.geom_xpos[geom][0]))
                for geom in self._soles
            ]
        )
        self.model.pair_friction[:, 0] = self.model.pair_friction[:, 1] = mu
        return mu


def _document(robot: Robot, slope: float, config: MujocoConfig) -> str:
    root = mjcf(robot, slope)
    option = root.find("option")
    assert option is not None
    option.set("cone", "elliptic" if config.elliptic else "pyramidal")
    option.set("impratio", repr(config.impratio))
    option.set("noslip_iterations", str(config.noslip_iterations))
    ElementTree.SubElement(option, "flag", warmstart="disable", eulerdamp="disable")
    for pair in root.iter("pair"):
        pair.set("solref", f"{config.time_constant!r} {config.damping_ratio!r}")
        if config.friction_time_constant > 0.0:
            pair.set(
                "solreffriction",
                f"{config.friction_time_constant!r} {config.damping_ratio!r}",
            )
    return ElementTree.tostring(root, encoding="unicode")


def mujoco_kernels(
    robot: Robot, ground: Ground, contact: ContactConfig
) -> PlantKernels:
    """Make the plant's functions for a robot on MuJoCo's floor.

    Args:
        robot: a planar biped.
        ground: its floor.
        contact: with MuJoCo's settings.
    """
    physics = MujocoPhysics(robot, ground, contact.mujoco)
    return PlantKernels(physics.forces, physics.advance, physics.acceleration, None)

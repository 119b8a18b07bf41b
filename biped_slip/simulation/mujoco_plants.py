# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Plants with MuJoCo's rigid bodies and contact.

They are for controller and estimator on another simulator's floor.

Its friction is a regularised constraint: a loaded foot creeps, and its presliding is
not elastic (simulation study 3, "friction at rest"). The floor's mu is that of our
patches, set under each foot before every step.
"""

from __future__ import annotations

import math
from typing import Any
from xml.etree import ElementTree

import numpy as np

from biped_slip.compile.arrays import Array
from biped_slip.contact.ground import Ground, friction_at
from biped_slip.contact.point_contact import ContactConfig, MujocoConfig
from biped_slip.errors import MissingExtra
from biped_slip.robots.humanoid import Humanoid
from biped_slip.robots.robot import Robot
from biped_slip.robots.simulator_descriptions import mjcf
from biped_slip.simulation.humanoid.plant import (
    FloatingPlant,
    FloatingPlantConfig,
    TerrainConfig,
    Truth,
)
from biped_slip.simulation.planar.plant import (
    PlantKernels,
    PlantState,
    SoleForces,
    Unmodelled,
)

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
    ) -> PlantState:
        """Integrate the state by a number of semi-implicit Euler steps of dt [s].

        The steps are MuJoCo's.
        """
        self._put(state, tau)
        self.model.opt.timestep = dt
        for _ in range(steps):
            mujoco.mj_kinematics(self.model, self.data)
            self._set_friction(ground)
            mujoco.mj_step(self.model, self.data)
        return PlantState(self.data.qpos.copy(), self.data.qvel.copy(), state.contact)

    def forces(
        self, state: PlantState, tau: Array, ground: Ground, settings: Any, dt: float
    ) -> SoleForces:
        """Compute contact forces in a state under generalized torques (nv,)."""
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
        """Compute acceleration (nv,) in a state under generalized torques (nv,)."""
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
    return ElementTree.tostring(root, encoding="unicode")


def mujoco_kernels(
    robot: Robot, ground: Ground, contact: ContactConfig
) -> PlantKernels:
    """Make the plant's functions for a robot on MuJoCo's floor."""
    physics = MujocoPhysics(robot, ground, contact.mujoco)
    return PlantKernels(physics.forces, physics.advance, physics.acceleration, None)


# A humanoid on MuJoCo's floor.

HEAD = """<x>
<mujoco><compiler balanceinertia="false" fusestatic="true"/></mujoco>
<link name="world"/>
<joint name="root_joint" type="floating">
<parent link="world"/><child link="{0}"/></joint></x>"""
HALF_THICKNESS = 0.01  # [m] of the boxes that stand for soles


class Twin:
    """MuJoCo's model of a humanoid; coordinates are set and read in our convention."""

    def __init__(self, humanoid: Humanoid, feet: bool = False) -> None:
        if mujoco is None:
            raise MissingExtra("a humanoid in MuJoCo", "mujoco")
        root = ElementTree.fromstring(humanoid.urdf)
        children = {child.get("link") for child in root.iter("child")}
        base = next(
            link.get("name")
            for link in root.iter("link")
            if link.get("name") not in children
        )
        for element in ElementTree.fromstring(HEAD.format(base)):
            root.insert(0, element)
        if feet:
            self._add_feet(root, np.array(humanoid.polygon(0)))
        spec = mujoco.MjSpec.from_string(ElementTree.tostring(root, encoding="unicode"))
        if feet:
            spec.worldbody.add_geom(
                type=mujoco.mjtGeom.mjGEOM_PLANE,
                size=[5, 5, 1],
                friction=[0.8, 0.005, 0.0001],
            )
        self.model: Any = spec.compile()
        self.data: Any = mujoco.MjData(self.model)
        joints = [self.model.joint(name) for name in humanoid.robot.joints]
        self.qs, self.vs = (
            np.array([getattr(j, key)[0] for j in joints])
            for key in ("qposadr", "dofadr")
        )
        self.model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_LIMIT
        self.model.dof_frictionloss[:] = 0.0
        self.model.dof_armature[self.vs] = humanoid.model.armature[6:]

    @staticmethod
    def _add_feet(root: ElementTree.Element, corners: Array) -> None:
        size = np.ptp(corners, axis=0)
        middle = 0.5 * (corners.min(axis=0) + corners.max(axis=0))
        for sole in ("l_sole", "r_sole"):
            link = next(link for link in root.iter("link") if link.get("name") == sole)
            part = ElementTree.SubElement(link, "collision", name=sole)
            ElementTree.SubElement(
                part, "origin", xyz=f"{middle[0]} {middle[1]} {HALF_THICKNESS}"
            )
            geometry = ElementTree.SubElement(part, "geometry")
            ElementTree.SubElement(
                geometry, "box", size=f"{size[0]} {size[1]} {2 * HALF_THICKNESS}"
            )

    def place(self, q: Array, v: Array) -> None:
        """Set coordinates and velocities of MuJoCo's model."""
        from pinocchio import Quaternion

        rotation = Quaternion(q[3:7]).matrix()
        mujoco.mj_resetData(self.model, self.data)
        self.data.qpos[:3], self.data.qpos[3:7], self.data.qpos[self.qs] = (
            q[:3],
            q[[6, 3, 4, 5]],
            q[7:],
        )
        self.data.qvel[:3], self.data.qvel[3:6], self.data.qvel[self.vs] = (
            rotation @ v[:3],
            v[3:6],
            v[6:],
        )

    def advance(self, torques: Array, steps: int) -> None:
        """Integrate a number of steps under joint torques (n,)."""
        self.data.qfrc_applied[self.vs] = torques
        mujoco.mj_step(self.model, self.data, steps)

    @property
    def q(self) -> Array:
        """Return coordinates (nq,)."""
        qpos = self.data.qpos
        return np.concatenate((qpos[:3], qpos[[4, 5, 6, 3]], qpos[self.qs]))


class MujocoPlant(FloatingPlant):
    """The plant's interface over MuJoCo's dynamics and contact.

    Motors are ideal inside their limits of torque.

    The floor is level; its friction is that of the terrain under each sole's origin.
    Args as of :class:`FloatingPlant`.
    """

    def __init__(
        self,
        humanoid: Humanoid,
        terrain: TerrainConfig,
        config: FloatingPlantConfig,
        compiled: bool = True,
    ) -> None:
        self._twin = Twin(humanoid, feet=True)
        model = self._twin.model
        model.opt.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
        model.opt.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
        model.opt.timestep = 1e-9 * config.step_ns
        floor = next(
            i
            for i in range(model.ngeom)
            if model.geom_type[i] == mujoco.mjtGeom.mjGEOM_PLANE
        )
        model.geom_friction[floor, 0] = (
            0.0  # the larger one of a pair counts: the sole's
        )
        self._soles = [model.geom(name).id for name in humanoid.robot.soles]
        model.geom_contype[floor] = 1
        model.geom_conaffinity[floor] = 2
        # not with each other
        model.geom_contype[self._soles] = 2
        model.geom_conaffinity[self._soles] = 1
        super().__init__(humanoid, terrain, config, compiled)

    def differ(self, found: Unmodelled) -> None:
        """Apply differences between robot and model.

        The motors' lag acts from period to period.
        """
        super().differ(found)
        model = self._twin.model
        vs = self._twin.vs
        model.body_mass *= found.mass
        model.body_inertia *= found.mass
        model.dof_armature *= found.mass
        model.dof_damping[vs] += found.viscous
        model.dof_frictionloss[vs] += found.coulomb
        mujoco.mj_setConst(model, self._twin.data)
        self._twin.place(self.state.q, self.state.v)

    def place(self, q: Array, v: Array | None = None) -> None:
        """Place the robot at coordinates and velocities at time zero."""
        super().place(q, v)
        self._twin.place(self.state.q, self.state.v)
        mujoco.mj_forward(self._twin.model, self._twin.data)

    def observe(self) -> Truth:
        """Read contact forces and accelerations from MuJoCo."""
        truth = super().observe()
        data = self._twin.data
        truth.soles.wrench[:] = 0.0
        force = np.zeros(6)
        for i in range(data.ncon):
            contact = data.contact[i]
            foot = self._soles.index(
                contact.geom2 if contact.geom2 in self._soles else contact.geom1
            )
            mujoco.mj_contactForce(self._twin.model, data, i, force)
            frame = contact.frame.reshape(3, 3)
            wrench = truth.soles.wrench[foot]
            wrench[:3] += frame.T @ force[:3]
            wrench[3:] += (
                np.cross(contact.pos - truth.soles.position[foot], frame.T @ force[:3])
                + frame.T @ force[3:]
            )
        truth.soles.normal[:] = truth.soles.wrench[:, 2]
        rotation = data.xmat[1].reshape(3, 3)
        rate = self.state.v[3:6]
        truth.acceleration[:3] = rotation.T @ data.qacc[:3] - np.cross(
            rate, self.state.v[:3]
        )
        truth.acceleration[3:6], truth.acceleration[6:] = (
            data.qacc[3:6],
            data.qacc[self._twin.vs],
        )
        return truth

    def advance(self, torques: Array, push: Array | None = None) -> None:
        """Advance one control period under joint torques and a push."""
        twin = self._twin
        data = self._twin.data
        for geom, mu in zip(self._soles, super().observe().mu, strict=True):
            twin.model.geom_friction[geom, 0] = mu
        torques, data.xfrc_applied[1] = self.acts(torques, push)
        limits = self.around.joints.effort
        lag = self.around.joints.lag
        if lag > 0.0:
            torques = torques + math.exp(
                -1e-9 * self.config.control_period_ns / lag
            ) * (self.state.torque - torques)
        twin.advance(np.clip(torques, -limits, limits), self.steps)
        self.state.q[:] = twin.q
        velocity = data.qvel
        rotation = np.empty(9)
        mujoco.mju_quat2Mat(rotation, data.qpos[3:7])
        self.state.v[:3] = rotation.reshape(3, 3).T @ velocity[:3]
        self.state.v[3:6], self.state.v[6:] = velocity[3:6], velocity[twin.vs]
        self.state.torque[:] = torques
        self.check_speed(float(np.abs(self.state.v).max()))
        self.ticks += 1

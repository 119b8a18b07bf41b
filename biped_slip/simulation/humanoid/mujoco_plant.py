# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""MuJoCo's rigid bodies and contact under a humanoid, behind our plant's interface.

Its friction is a regularised constraint: a loaded foot creeps, and its presliding is
not elastic (simulation study 3, "friction at rest"). By default friction is as soft as
the normal force (20 ms), and feet creep by centimetres a stance; ``contact.mujoco`` of
a walk makes it stiffer. The floor is level; its mu is that of our terrain under each
sole, set before every control period.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any
from xml.etree import ElementTree

import numpy as np

from biped_slip.compile.arrays import Array
from biped_slip.contact.point_contact import MujocoConfig
from biped_slip.errors import MissingExtra
from biped_slip.estimation.invariant_filter import cross
from biped_slip.robots.humanoid import Humanoid
from biped_slip.simulation.humanoid.plant import (
    FloatingPlant,
    FloatingPlantConfig,
    Truth,
)
from biped_slip.simulation.humanoid.terrain import TerrainConfig
from biped_slip.simulation.unmodelled import Unmodelled, check_plain_joints

try:
    import mujoco
except ImportError:
    mujoco = None


FLOATING_HEAD = """<x>
<mujoco><compiler balanceinertia="false" fusestatic="true"/></mujoco>
<link name="world"/>
<joint name="root_joint" type="floating">
<parent link="world"/><child link="{0}"/></joint></x>"""


FLOOR = "floor"  # name of its geom
HALF_THICKNESS = 0.01  # [m] of the boxes that stand for soles


class Twin:
    """MuJoCo's model of a humanoid; coordinates are set and read in our convention.

    Args:
        humanoid: the robot.
        feet: whether it has soles, on a floor.
        pairs: whether soles meet the floor as pairs, with friction of their own.
    """

    def __init__(
        self, humanoid: Humanoid, feet: bool = False, pairs: bool = False
    ) -> None:
        if mujoco is None:
            raise MissingExtra("a humanoid in MuJoCo", "mujoco")
        root = ElementTree.fromstring(humanoid.urdf)
        children = {child.get("link") for child in root.iter("child")}
        base = next(
            link.get("name")
            for link in root.iter("link")
            if link.get("name") not in children
        )
        for element in ElementTree.fromstring(FLOATING_HEAD.format(base)):
            root.insert(0, element)
        if feet:
            self._add_feet(root, np.array(humanoid.polygon(0)))
        spec = mujoco.MjSpec.from_string(ElementTree.tostring(root, encoding="unicode"))
        if feet:
            spec.worldbody.add_geom(
                name=FLOOR,
                type=mujoco.mjtGeom.mjGEOM_PLANE,
                size=[5, 5, 1],
                friction=[0.8, 0.005, 0.0001],
            )
        for geom in spec.geoms:
            # links say what they weigh; soles would add theirs to the feet
            geom.mass = 0.0
        for sole in humanoid.robot.soles if pairs else ():
            spec.add_pair(name=sole, geomname1=FLOOR, geomname2=sole, condim=3)
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
        self.data.qpos[:3] = q[:3]
        self.data.qpos[3:7] = q[[6, 3, 4, 5]]
        self.data.qpos[self.qs] = q[7:]
        self.data.qvel[:3] = rotation @ v[:3]
        self.data.qvel[3:6] = v[3:6]
        self.data.qvel[self.vs] = v[6:]

    def advance(self, torques: Array, steps: int) -> None:
        """Integrate a number of steps under joint torques (n,)."""
        self.data.qfrc_applied[self.vs] = torques
        mujoco.mj_step(self.model, self.data, steps)

    @property
    def q(self) -> Array:
        """Return coordinates (nq,)."""
        qpos = self.data.qpos
        return np.concatenate((qpos[:3], qpos[[4, 5, 6, 3]], qpos[self.qs]))


def _set_solver(model: Any, config: MujocoConfig) -> None:
    """Set cone, solver and softness of all pairs."""
    model.opt.cone = (
        mujoco.mjtCone.mjCONE_ELLIPTIC
        if config.elliptic
        else mujoco.mjtCone.mjCONE_PYRAMIDAL
    )
    model.opt.impratio = config.impratio
    model.opt.noslip_iterations = config.noslip_iterations
    model.pair_solref[:] = config.time_constant, config.damping_ratio
    if config.friction_time_constant > 0.0:
        friction = config.friction_time_constant, config.damping_ratio
        model.pair_solreffriction[:] = friction


def with_own_step(config: FloatingPlantConfig) -> FloatingPlantConfig:
    """Return the plant's configuration with MuJoCo's own step, if one is chosen.

    Raises:
        InvalidParameter: it does not divide the control period.
    """
    step = config.contact.mujoco.step
    return replace(config, step_ns=round(1e9 * step)) if step > 0.0 else config


class MujocoPlant(FloatingPlant):
    """The plant's interface over MuJoCo's dynamics and contact.

    Motors are ideal inside their limits of torque; friction in the joints is the
    description's. Options of the solver are those of ``config.contact.mujoco``.

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
        config = with_own_step(config)
        self._twin = Twin(humanoid, feet=True, pairs=True)
        model = self._twin.model
        model.opt.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
        model.opt.timestep = 1e-9 * config.step_ns
        _set_solver(model, config.contact.mujoco)
        model.dof_frictionloss[self._twin.vs] = humanoid.model.friction[6:]
        self._soles = [model.geom(name).id for name in humanoid.robot.soles]
        self._pairs = [model.pair(name).id for name in humanoid.robot.soles]
        # nothing meets but the pairs
        model.geom_contype[:] = 0
        model.geom_conaffinity[:] = 0
        super().__init__(humanoid, terrain, config, compiled)

    def differ(self, found: Unmodelled) -> None:
        """Apply differences between robot and model.

        The motors' lag acts from period to period.

        Raises:
            InvalidParameter: gears or links that err by themselves.
        """
        check_plain_joints(found, "MuJoCo")
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
                cross(contact.pos - truth.soles.position[foot], frame.T @ force[:3])
                + frame.T @ force[3:]
            )
        truth.soles.normal[:] = truth.soles.wrench[:, 2]
        rotation = data.xmat[1].reshape(3, 3)
        rate = self.state.v[3:6]
        truth.acceleration[:3] = rotation.T @ data.qacc[:3] - cross(
            rate, self.state.v[:3]
        )
        truth.acceleration[3:6] = data.qacc[3:6]
        truth.acceleration[6:] = data.qacc[self._twin.vs]
        return truth

    def advance(self, torques: Array, push: Array | None = None) -> None:
        """Advance one control period under joint torques and a push."""
        twin = self._twin
        data = self._twin.data
        twin.model.pair_friction[self._pairs, :2] = super().observe().mu[:, np.newaxis]
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
        self.state.v[3:6] = velocity[3:6]
        self.state.v[6:] = velocity[twin.vs]
        self.state.torque[:] = torques
        self.check_speed(float(np.abs(self.state.v).max()))
        self.ticks += 1

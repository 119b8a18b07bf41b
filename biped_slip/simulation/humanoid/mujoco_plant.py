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
from biped_slip.contact.point_contact import FLOOR_OF_FILE, MujocoConfig
from biped_slip.contact.spill import Spill
from biped_slip.errors import InvalidParameter, MissingExtra
from biped_slip.robots.humanoid import Humanoid
from biped_slip.simulation.humanoid.mujoco_file import FileWorld
from biped_slip.simulation.humanoid.mujoco_model import MujocoModel
from biped_slip.simulation.humanoid.plant import (
    FloatingPlant,
    FloatingPlantConfig,
    Truth,
)
from biped_slip.simulation.humanoid.terrain import TerrainConfig
from biped_slip.simulation.unmodelled import (
    Unmodelled,
    check_plain_joints,
    timing_alone,
)

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


class Twin(MujocoModel):
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
        super().__init__()
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
        self.model = spec.compile()
        self.data = mujoco.MjData(self.model)
        self.find_joints(humanoid.robot.joints)
        if pairs:
            self.pairs = [[self.model.pair(name).id] for name in humanoid.robot.soles]
        self.find_sides()
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
    description's. Options of the solver are those of ``config.contact.mujoco``: with
    its ``file`` the robot is in the world of a user's MJCF, with that one's bodies,
    joints, contacts and steps (``mujoco_file.py``).

    The floor is level; its friction is that of the terrain under each sole's origin,
    or the file's. Args as of :class:`FloatingPlant`.

    Attributes:
        notes: what is worth knowing of a user's file, a sentence each.
    """

    def __init__(
        self,
        humanoid: Humanoid,
        terrain: TerrainConfig,
        config: FloatingPlantConfig,
        compiled: bool = True,
    ) -> None:
        options = config.contact.mujoco
        self._own_friction: Array | None = None
        # mu under the feet (2,) as it was observed at this instant
        self._underfoot: Array | None = None
        self._in_file = options.file != ""
        if self._in_file:
            world = FileWorld(humanoid, options)
            self._twin: MujocoModel = world
            if options.floor == FLOOR_OF_FILE:
                self._own_friction = world.friction
            _check_period(world.model.opt.timestep, config)
        else:
            self._twin = self._own_twin(humanoid, config)
        self.notes = tuple(self._twin.notes)
        super().__init__(humanoid, terrain, config, compiled)

    @staticmethod
    def _own_twin(humanoid: Humanoid, config: FloatingPlantConfig) -> Twin:
        """Build the twin of a humanoid, whose soles alone meet the floor."""
        config = with_own_step(config)
        twin = Twin(humanoid, feet=True, pairs=True)
        model = twin.model
        model.opt.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
        model.opt.timestep = 1e-9 * config.step_ns
        _set_solver(model, config.contact.mujoco)
        model.dof_frictionloss[twin.vs] = humanoid.model.friction[6:]
        model.geom_contype[:] = 0
        model.geom_conaffinity[:] = 0
        return twin

    @property
    def step(self) -> float:
        """Return MuJoCo's integration step [s]."""
        return float(self._twin.model.opt.timestep)

    @property
    def steps(self) -> int:
        """Return the integration steps in a control period."""
        return round(1e-9 * self.config.control_period_ns / self.step)

    def _check_step(self, mu: float) -> None:
        """Accept every friction coefficient: MuJoCo's contacts are implicit."""

    def spill(self, spill: Spill) -> None:
        """Change the floor from now on.

        Raises:
            InvalidParameter: the floor is the file's, or its grid would grow too large.
        """
        if self._own_friction is not None:
            raise InvalidParameter(
                "spill", tuple(spill), "on a floor of the walk", "floor: walk"
            )
        super().spill(spill)
        self._underfoot = None

    def differ(self, found: Unmodelled) -> None:
        """Apply differences between robot and model.

        The motors' lag acts from period to period. Bodies and joints of a user's file
        are the robot: of differences lag and dead time alone are left.

        Raises:
            InvalidParameter: gears or links that err by themselves.
        """
        if self._in_file:
            super().differ(timing_alone(found))
            return
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
        self._underfoot = None
        self._twin.place(self.state.q, self.state.v)
        mujoco.mj_forward(self._twin.model, self._twin.data)

    def observe(self) -> Truth:
        """Read contact forces and accelerations from MuJoCo."""
        truth = super().observe()
        self._underfoot = truth.mu.copy()
        if self._own_friction is not None:
            truth.mu[:] = self._own_friction
        truth.soles.wrench[:] = self._twin.wrenches(truth.soles.position)
        truth.soles.normal[:] = truth.soles.wrench[:, 2]
        truth.acceleration[:] = self._twin.acceleration
        return truth

    def advance(self, torques: Array, push: Array | None = None) -> None:
        """Advance one control period under joint torques and a push."""
        twin = self._twin
        if self._own_friction is None:
            found = self._underfoot
            found = super().observe().mu if found is None else found
            for mu, pairs in zip(found, twin.pairs, strict=True):
                twin.model.pair_friction[pairs, :2] = mu
            self._underfoot = None
        torques, twin.data.xfrc_applied[twin.base] = self.acts(torques, push)
        limits = self.around.joints.effort
        lag = self.around.joints.lag
        if lag > 0.0:
            torques = torques + math.exp(
                -1e-9 * self.config.control_period_ns / lag
            ) * (self.state.torque - torques)
        twin.advance(np.clip(torques, -limits, limits), self.steps)
        self.state.q[:] = twin.q
        self.state.v[:] = twin.v
        self.state.torque[:] = torques
        self.check_speed(float(np.abs(self.state.v).max()))
        self.ticks += 1


def _check_period(timestep: float, config: FloatingPlantConfig) -> None:
    """Refuse a time step [s] that does not divide the control period.

    Raises:
        InvalidParameter: it does not.
    """
    period = 1e-9 * config.control_period_ns
    steps = period / timestep
    if abs(steps - round(steps)) > 1e-6 or steps < 0.5:
        raise InvalidParameter(
            "timestep of the MJCF",
            timestep,
            f"a divisor of the control period of {1e3 * period:g} ms",
            "take a longer period, or contact.mujoco.step",
        )

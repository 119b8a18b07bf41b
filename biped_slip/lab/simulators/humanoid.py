# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""A humanoid in our simulator and in MuJoCo: a squat on a flat floor."""

from __future__ import annotations

import dataclasses
import math
from functools import partial
from typing import Any
from xml.etree import ElementTree

import numpy as np

from biped_slip.compile.arrays import Array
from biped_slip.errors import MissingExtra, SimulationDiverged
from biped_slip.lab.simulators.bench import BATCH, TICK, Bench, Setting
from biped_slip.robots.humanoid import Humanoid, load_humanoid
from biped_slip.simulation.humanoid.joints import JointConfig
from biped_slip.simulation.humanoid.plant import FloatingPlant, FloatingPlantConfig
from biped_slip.simulation.humanoid.terrain_config import TerrainConfig

try:
    import mujoco
except ImportError:
    mujoco = None

ROBOT = "talos"
SCENES = {"squat": 600}  # control periods
DEPTH, PERIOD = 0.15, 0.6  # [rad] of hip and ankle, half of the knee's; [s]
LEGS = {"3": -1.0, "4": 2.0, "5": -1.0}  # joints of a leg by number, in shares of the depth
CONVERGED = 100  # steps a control period
HEAD = """<x><mujoco><compiler balanceinertia="false" fusestatic="true"/></mujoco><link name="world"/>
<joint name="root_joint" type="floating"><parent link="world"/><child link="{0}"/></joint></x>"""
HALF_THICKNESS = 0.01  # [m] of the boxes that stand for soles


class Twin:
    """MuJoCo's model of a humanoid; coordinates are set and read in our convention."""

    def __init__(self, humanoid: Humanoid, feet: bool = False) -> None:
        if mujoco is None:
            raise MissingExtra("benchmark simulation", "mujoco")
        root = ElementTree.fromstring(humanoid.urdf)
        children = {child.get("link") for child in root.iter("child")}
        base = next(link.get("name") for link in root.iter("link") if link.get("name") not in children)
        for element in ElementTree.fromstring(HEAD.format(base)):
            root.insert(0, element)
        if feet:
            self._add_feet(root, np.array(humanoid.polygon(0)))
        spec = mujoco.MjSpec.from_string(ElementTree.tostring(root, encoding="unicode"))
        if feet:
            spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_PLANE, size=[5, 5, 1], friction=[0.8, 0.005, 0.0001])
        self.model: Any = spec.compile()
        self.data: Any = mujoco.MjData(self.model)
        joints = [self.model.joint(name) for name in humanoid.robot.joints]
        self.qs, self.vs = (np.array([getattr(j, key)[0] for j in joints]) for key in ("qposadr", "dofadr"))
        self.model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_LIMIT
        self.model.dof_frictionloss[:] = 0.0
        self.model.dof_armature[self.vs] = humanoid.model.armature[6:]

    @staticmethod
    def _add_feet(root: ElementTree.Element, corners: Array) -> None:
        size, middle = np.ptp(corners, axis=0), 0.5 * (corners.min(axis=0) + corners.max(axis=0))
        for sole in ("l_sole", "r_sole"):
            link = next(link for link in root.iter("link") if link.get("name") == sole)
            part = ElementTree.SubElement(link, "collision")
            ElementTree.SubElement(part, "origin", xyz=f"{middle[0]} {middle[1]} {HALF_THICKNESS}")
            geometry = ElementTree.SubElement(part, "geometry")
            ElementTree.SubElement(geometry, "box", size=f"{size[0]} {size[1]} {2 * HALF_THICKNESS}")

    def place(self, q: Array, v: Array) -> None:
        """Set the state."""
        from pinocchio import Quaternion

        rotation = Quaternion(q[3:7]).matrix()
        mujoco.mj_resetData(self.model, self.data)
        self.data.qpos[:3], self.data.qpos[3:7], self.data.qpos[self.qs] = q[:3], q[[6, 3, 4, 5]], q[7:]
        self.data.qvel[:3], self.data.qvel[3:6], self.data.qvel[self.vs] = rotation @ v[:3], v[3:6], v[6:]

    def advance(self, torques: Array, steps: int) -> None:
        """So many steps under joint torques (n,)."""
        self.data.qfrc_applied[self.vs] = torques
        mujoco.mj_step(self.model, self.data, steps)

    @property
    def q(self) -> Array:
        """Coordinates (nq,)."""
        qpos = self.data.qpos
        return np.concatenate((qpos[:3], qpos[[4, 5, 6, 3]], qpos[self.qs]))

    def carried(self) -> float:
        """Vertical force of the floor [N]."""
        mujoco.mj_forward(self.model, self.data)
        total, wrench = 0.0, np.zeros(6)
        for i in range(self.data.ncon):
            mujoco.mj_contactForce(self.model, self.data, i, wrench)
            total += wrench[0]
        return float(total)


class Squat:
    """PD of the joints around a posture that goes down and up again."""

    def __init__(self, humanoid: Humanoid) -> None:
        names = humanoid.robot.joints
        self.start = humanoid.standing()
        shares = [LEGS[name.split("_")[2]] if name.startswith("leg_") and name.split("_")[2] in LEGS else 0.0
                  for name in names]  # fmt: skip
        self._way = DEPTH * np.array(shares)
        self._stiffness, self._damping = 3.4 * humanoid.weight, 0.2 * humanoid.weight

    def torques(self, time: float, q: Array, v: Array) -> Array:
        """For joint angles and rates (n,)."""
        wanted = self.start[7:] + 0.5 * (1.0 - math.cos(2.0 * math.pi * time / PERIOD)) * self._way
        return self._stiffness * (wanted - q) - self._damping * v


class Ours:
    """Midpoint steps of the floating plant, motors and joints ideal as MuJoCo's."""

    def __init__(self, steps: int) -> None:
        humanoid, step = load_humanoid(ROBOT), round(1e9 * TICK / steps)
        self._squat = Squat(humanoid)
        config = FloatingPlantConfig(control_period_ns=step * steps, step_ns=step, joints=JointConfig())
        self._plant, self._long = (
            FloatingPlant(humanoid, TerrainConfig(), one)
            for one in (config, dataclasses.replace(config, control_period_ns=step * steps * BATCH))
        )
        for plant in (self._plant, self._long):
            joints = plant.around.joints
            joints.coulomb[:], joints.stiffness[:], joints.speed[:] = 0.0, 0.0, 1e9
        self.place()

    def place(self) -> None:
        """Standing."""
        self._plant.place(self._squat.start)
        self._long.place(self._squat.start)

    def tick(self, time: float) -> None:
        """PD."""
        state = self._plant.state
        try:
            self._plant.advance(self._squat.torques(time, state.q[7:], state.v[6:]))
        except SimulationDiverged as error:
            raise ArithmeticError(str(error)) from error

    def batch(self) -> None:
        """Under constant torques."""
        self._long.advance(np.zeros(self._squat.start.size - 7))

    def seen(self) -> Array:
        """The base's x and z."""
        return self._plant.state.q[[0, 2]].copy()


class Theirs:
    """The same robot in MuJoCo."""

    def __init__(self, steps: int, **options: Any) -> None:
        humanoid = load_humanoid(ROBOT)
        self._squat, self._twin, self._steps = Squat(humanoid), Twin(humanoid, feet=True), steps
        self._twin.model.opt.timestep = TICK / steps
        self._twin.model.opt.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
        for name, value in options.items():
            setattr(self._twin.model.opt, name, value)
        self._still = np.zeros(humanoid.model.nv)
        self.place()

    def place(self) -> None:
        """Standing."""
        self._twin.place(self._squat.start, self._still)

    def tick(self, time: float) -> None:
        """PD."""
        twin = self._twin
        twin.advance(self._squat.torques(time, twin.data.qpos[twin.qs], twin.data.qvel[twin.vs]), self._steps)

    def batch(self) -> None:
        """Under constant torques."""
        self._twin.advance(np.zeros(self._squat.start.size - 7), self._steps * BATCH)

    def seen(self) -> Array:
        """The base's x and z."""
        return np.array(self._twin.data.qpos[[0, 2]])


def settings() -> list[Setting]:
    """Every simulator with every step; MuJoCo's where it is installed."""
    ours = partial(_make, Ours, CONVERGED)
    rows = [Setting("biped_slip", f"n = {n}", n, partial(_make, Ours, n), ours) for n in (1, 2, 4, 5, 10)]
    if mujoco is None:
        return rows
    kinds: dict[str, tuple[dict[str, Any], tuple[int, ...]]] = {
        "Euler": ({}, (1, 2, 5, 10, 20)),
        "Euler, impratio 10, noslip": ({"impratio": 10.0, "noslip_iterations": 5}, (1,)),
        "RK4": ({"integrator": mujoco.mjtIntegrator.mjINT_RK4}, (1, 2, 5)),
    }
    for kind, (options, counts) in kinds.items():
        truth = partial(_make, Theirs, CONVERGED, **options)
        for n in counts:
            rows.append(
                Setting("MuJoCo", f"{kind}, {1e3 * TICK / n:g} ms", n, partial(_make, Theirs, n, **options), truth)
            )
    return rows


def _make(kind: Any, steps: int, scene: str, **options: Any) -> Bench:
    bench: Bench = kind(steps, **options)
    return bench

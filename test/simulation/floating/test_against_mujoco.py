# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""A humanoid falls and lands as in MuJoCo, which reads the same description."""

from xml.etree import ElementTree

import numpy as np
import pinocchio as pin
import pytest
from simulation.floating.standing import parts_of

from biped_slip.control.whole_body.hold import holding_torques
from biped_slip.robots.humanoid import load_humanoid
from biped_slip.simulation.floating.plant import FloatingPlant, FloatingPlantConfig
from biped_slip.simulation.floating.terrain_config import TerrainConfig

mujoco = pytest.importorskip("mujoco")

HEAD = """<x><mujoco><compiler balanceinertia="false" fusestatic="true"/></mujoco><link name="world"/>
<joint name="root_joint" type="floating"><parent link="world"/><child link="{0}"/></joint></x>"""
STEP = 1e-4
HALF_THICKNESS = 0.01


class Twin:
    """MuJoCo's robot; coordinates are set and read in our convention."""

    def __init__(self, humanoid, feet=False):
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
        self.model = spec.compile()
        self.data = mujoco.MjData(self.model)
        joints = [self.model.joint(name) for name in humanoid.robot.joints]
        self.qs, self.vs = (np.array([getattr(j, key)[0] for j in joints]) for key in ("qposadr", "dofadr"))
        self.model.opt.timestep = STEP
        self.model.opt.integrator = mujoco.mjtIntegrator.mjINT_RK4
        self.model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_LIMIT
        self.model.dof_frictionloss[:] = 0.0
        self.model.dof_armature[self.vs] = humanoid.model.armature[6:]

    @staticmethod
    def _add_feet(root, corners):
        size, middle = np.ptp(corners, axis=0), 0.5 * (corners.min(axis=0) + corners.max(axis=0))
        for sole in ("l_sole", "r_sole"):
            link = next(link for link in root.iter("link") if link.get("name") == sole)
            part = ElementTree.SubElement(link, "collision")
            ElementTree.SubElement(part, "origin", xyz=f"{middle[0]} {middle[1]} {HALF_THICKNESS}")
            geometry = ElementTree.SubElement(part, "geometry")
            ElementTree.SubElement(geometry, "box", size=f"{size[0]} {size[1]} {2 * HALF_THICKNESS}")

    def place(self, q, v):
        rotation = pin.Quaternion(q[3:7]).matrix()
        self.data.qpos[:3], self.data.qpos[3:7], self.data.qpos[self.qs] = q[:3], q[[6, 3, 4, 5]], q[7:]
        self.data.qvel[:3], self.data.qvel[3:6], self.data.qvel[self.vs] = rotation @ v[:3], v[3:6], v[6:]

    def advance(self, torques, steps):
        self.data.qfrc_applied[self.vs] = torques
        mujoco.mj_step(self.model, self.data, steps)

    @property
    def q(self):
        qpos = self.data.qpos
        return np.concatenate((qpos[:3], qpos[[4, 5, 6, 3]], qpos[self.qs]))

    def carried(self):
        """Vertical force of the floor [N]."""
        mujoco.mj_forward(self.model, self.data)
        total, wrench = 0.0, np.zeros(6)
        for i in range(self.data.ncon):
            mujoco.mj_contactForce(self.model, self.data, i, wrench)
            total += wrench[0]
        return total


def ours(humanoid, q, v):
    plant = FloatingPlant(humanoid, TerrainConfig(), FloatingPlantConfig())
    joints = plant.around.joints
    joints.coulomb[:], joints.stiffness[:], joints.speed[:] = 0.0, 0.0, 1e9  # MuJoCo's are soft constraints, or none
    plant.place(q, v)
    return plant


@pytest.mark.parametrize("name", ["talos", "g1"])
@pytest.mark.compiled
def test_a_tumbling_fall_is_mujocos(name):
    humanoid = load_humanoid(name)
    rng = np.random.default_rng(1)
    q, v = humanoid.standing(0.5, -0.2, 0.4, 10.0), rng.normal(size=humanoid.model.nv)
    torques = 0.02 * humanoid.efforts * rng.normal(size=len(humanoid.robot.joints))
    plant, twin = ours(humanoid, q, v), Twin(humanoid)
    twin.place(q, v)
    for _ in range(300):
        plant.advance(torques)
        twin.advance(torques, 10)
    theirs = twin.q
    theirs[3:7] *= np.sign(theirs[3:7] @ plant.state.q[3:7])
    np.testing.assert_allclose(plant.state.q, theirs, atol=2e-5)


@pytest.mark.compiled
def test_a_drop_ends_as_in_mujoco():
    humanoid = load_humanoid("talos")
    q, v = humanoid.standing(height=0.02), np.zeros(humanoid.model.nv)
    plant, twin = ours(humanoid, q, v), Twin(humanoid, feet=True)
    twin.model.opt.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    twin.place(q, v)
    forward, stiffness, damping = holding_torques(*parts_of(humanoid)), 3.4 * humanoid.weight, 0.2 * humanoid.weight
    heights, forces = [], []
    for _ in range(500):
        state = plant.state
        plant.advance(forward + stiffness * (q[7:] - state.q[7:]) - damping * state.v[6:])
        twin.advance(forward + stiffness * (q[7:] - twin.q[7:]) - damping * twin.data.qvel[twin.vs], 10)
        heights.append((plant.state.q[2], twin.q[2]))
        forces.append((plant.observe().soles.normal.sum(), twin.carried()))
    heights, forces = np.array(heights), np.array(forces)
    landing = [int(np.argmax(column > 1.0)) for column in forces.T]
    assert abs(landing[0] - landing[1]) <= 1
    impulses = 1e-3 * forces.sum(axis=0)
    assert impulses[0] == pytest.approx(impulses[1], rel=0.03)  # sampled: the first blow is short
    assert np.abs(heights[:, 0] - heights[:, 1]).max() < 5e-3  # other contacts rebound otherwise
    assert np.abs(heights[-100:, 0] - heights[-100:, 1]).max() < 3e-4

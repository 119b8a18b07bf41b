# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The thesis' planar biped in our simulator and in MuJoCo.

The scenes are a drop, and pushes that make its feet slide.
"""

from __future__ import annotations

from typing import Any
from xml.etree import ElementTree

import numpy as np

from biped_slip.compile.arrays import Array
from biped_slip.contact.ground import GroundConfig
from biped_slip.errors import MissingExtra, SimulationDiverged
from biped_slip.robots.planar_biped import planar_biped, standing_coordinates
from biped_slip.robots.simulator_descriptions import SOLE_RADIUS, mjcf
from biped_slip.shared_files import shared_file
from biped_slip.simulation.planar.plant import Plant, PlantConfig
from studies.simulators.bench import BATCH, TICK, Setting, settings_of

try:
    import mujoco
except ImportError:
    mujoco = None

# of the joints [N m/rad], [N m s/rad]
STIFFNESS = 300.0
DAMPING = 8.0
# [m]
HIP = 0.8
FEET = ((0.2, 0.0), (-0.2, 0.0))
DROP = 0.02  # [m]
SCENES = {"drop": 400, "push, mu 1.0": 600, "push, mu 0.4": 600}  # control periods
MU = {"drop": 1.0, "push, mu 1.0": 1.0, "push, mu 0.4": 0.4}
FORCE = {"drop": 0.0, "push, mu 1.0": 90.0, "push, mu 0.4": 30.0}  # [N] on the hip
PUSHED = (0.2, 0.4)  # [s]
CONVERGED = 200  # steps a control period


def start(scene: str) -> Array:
    """Coordinates (6,) at time zero."""
    q = standing_coordinates(planar_biped("thesis"), (0.0, HIP), FEET)
    q[1] += DROP if scene == "drop" else 0.0
    return q


def push(scene: str, time: float) -> float:
    """Force on the hip along x [N]."""
    return FORCE[scene] if PUSHED[0] <= time < PUSHED[1] else 0.0


class Ours:
    """Midpoint steps of the plant."""

    def __init__(self, scene: str, steps: int) -> None:
        robot = planar_biped("thesis")
        floor = GroundConfig(mu=(MU[scene],), edges=())
        step = round(1e9 * TICK / steps)
        self._scene = scene
        self._start = start(scene)
        self._plant = Plant(
            robot, floor, PlantConfig(control_period_ns=step * steps, step_ns=step)
        )
        self._long = Plant(
            robot,
            floor,
            PlantConfig(control_period_ns=step * steps * BATCH, step_ns=step),
        )
        self.place()

    def place(self) -> None:
        """Back to the start."""
        self._plant.place(self._start, np.zeros_like(self._start))
        self._long.place(self._start, np.zeros_like(self._start))

    def tick(self, time: float) -> None:
        """PD of the joints."""
        state = self._plant.state
        torques = STIFFNESS * (self._start[2:] - state.q[2:]) - DAMPING * state.v[2:]
        try:
            self._plant.advance(torques, push(self._scene, time))
        except SimulationDiverged as error:
            raise ArithmeticError(str(error)) from error

    def batch(self) -> None:
        """Without torques."""
        self._long.advance(np.zeros(4))

    def seen(self) -> Array:
        """Hip x, z; feet x."""
        q = self._plant.state.q
        return np.array(
            [q[0], q[1], *self._plant.motion(q, self._plant.state.v)[0][:, 0]]
        )


class Theirs:
    """MuJoCo with the same masses, joints and points of contact."""

    def __init__(self, scene: str, steps: int, **options: Any) -> None:
        if mujoco is None:
            raise MissingExtra("benchmark simulation", "mujoco")
        root = mjcf(planar_biped("thesis"))
        for pair in root.iter("pair"):
            pair.set("friction", f"{MU[scene]} {MU[scene]} 0.005 0.0001 0.0001")
        self.model = mujoco.MjModel.from_xml_string(
            ElementTree.tostring(root, encoding="unicode")
        )
        self.model.opt.timestep = TICK / steps
        self.model.opt.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
        for name, value in options.items():
            setattr(self.model.opt, name, value)
        self.data = mujoco.MjData(self.model)
        self._steps = steps
        self._soles = [
            self.model.geom(name).id for name in planar_biped("thesis").soles
        ]
        self._scene = scene
        self._start = start(scene)
        self.place()

    def place(self) -> None:
        """Back to the start."""
        mujoco.mj_resetData(self.model, self.data)
        self.data.qpos[:] = self._start

    def tick(self, time: float) -> None:
        """PD of the joints."""
        data = self.data
        data.qfrc_applied[0] = push(self._scene, time)
        data.qfrc_applied[2:] = (
            STIFFNESS * (self._start[2:] - data.qpos[2:]) - DAMPING * data.qvel[2:]
        )
        mujoco.mj_step(self.model, data, self._steps)

    def batch(self) -> None:
        """Without torques."""
        self.data.qfrc_applied[:] = 0.0
        mujoco.mj_step(self.model, self.data, self._steps * BATCH)

    def seen(self) -> Array:
        """Hip x, z; feet x."""
        mujoco.mj_kinematics(self.model, self.data)
        return np.array(
            [
                *self.data.qpos[:2],
                *(self.data.geom_xpos[sole][0] for sole in self._soles),
            ]
        )


def settings() -> list[Setting]:
    """Every simulator with every step; MuJoCo's where it is installed."""
    rows = settings_of("biped_slip", "n = {n}", Ours, (1, 2, 4, 5, 10, 20), CONVERGED)
    if mujoco is None:
        return rows
    stiff: dict[str, Any] = {"impratio": 10.0, "noslip_iterations": 5}
    rk4 = mujoco.mjtIntegrator.mjINT_RK4
    return [
        *rows,
        *settings_of(
            "MuJoCo",
            "Euler, {ms} ms",
            Theirs,
            (1, 2, 5, 10, 20, 50, 100),
            2 * CONVERGED,
        ),
        *settings_of(
            "MuJoCo",
            "Euler, impratio 10, noslip, {ms} ms",
            Theirs,
            (1, 10),
            2 * CONVERGED,
            **stiff,
        ),
        *settings_of(
            "MuJoCo",
            "RK4, {ms} ms",
            Theirs,
            (1, 2, 5, 10, 20),
            CONVERGED,
            integrator=rk4,
        ),
    ]


# The planar biped for simulators that read a URDF: on two rails, with a ball at each
# sole, its joints held by a PD.

NOTHING = (
    1e-6  # [kg], [kg m^2] of links without mass, which some simulators would give 1 kg
)
AXES = {"along_x": "1 0 0", "along_z": "0 0 1"}
JOINTS = (*AXES, *planar_biped("thesis").joints)


def held(q: Array, v: Array, start: Array, scene: str, time: float) -> Array:
    """Compute forces (6,) along the joints [N, N m].

    They are a PD to the start, and the scene's push on the hip.
    """
    forces: Array = STIFFNESS * (start - q) - DAMPING * v
    forces[:2] = push(scene, time), 0.0
    return forces


def on_rails() -> str:
    """Extend the robot's URDF by two rails before its base and balls at its soles."""
    root = ElementTree.parse(shared_file("urdf/planar_biped.urdf")).getroot()
    ElementTree.SubElement(root, "link", name="world")
    ElementTree.SubElement(root, "link", name="carriage")
    inertia = {axis: repr(NOTHING) for axis in ("ixx", "iyy", "izz")} | dict.fromkeys(
        ("ixy", "ixz", "iyz"), "0"
    )
    for link in [link for link in root.iter("link") if link.find("inertial") is None]:
        inertial = ElementTree.SubElement(link, "inertial")
        ElementTree.SubElement(inertial, "mass", value=repr(NOTHING))
        ElementTree.SubElement(inertial, "inertia", inertia)
    for name, parent, child in (
        ("along_x", "world", "carriage"),
        ("along_z", "carriage", "base_link"),
    ):
        joint = ElementTree.SubElement(root, "joint", name=name, type="prismatic")
        ElementTree.SubElement(joint, "parent", link=parent)
        ElementTree.SubElement(joint, "child", link=child)
        ElementTree.SubElement(joint, "axis", xyz=AXES[name])
        ElementTree.SubElement(
            joint, "limit", lower="-1000", upper="1000", effort="1e6", velocity="1e3"
        )
    for sole in planar_biped("thesis").soles:
        link = next(link for link in root.iter("link") if link.get("name") == sole)
        geometry = ElementTree.SubElement(
            ElementTree.SubElement(link, "collision"), "geometry"
        )
        ElementTree.SubElement(geometry, "sphere", radius=repr(SOLE_RADIUS))
    return ElementTree.tostring(root, encoding="unicode")

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The planar biped in PyBullet: the shipped URDF on two rails, with a ball at each sole."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from biped_slip.compile.arrays import Array
from biped_slip.constants import GRAVITY
from biped_slip.errors import MissingExtra
from biped_slip.robots.model_functions import model_functions
from biped_slip.robots.planar_biped import planar_biped
from biped_slip.robots.simulator_descriptions import SOLE_RADIUS
from studies.simulators.bench import BATCH, TICK, Setting
from studies.simulators.planar import CONVERGED, JOINTS, MU, held, on_rails, start

try:
    import pybullet
except ImportError:
    pybullet = None


class Bullet:
    """Bullet's articulated bodies and its iterative solver of contacts."""

    def __init__(self, scene: str, steps: int) -> None:
        if pybullet is None:
            raise MissingExtra("benchmark simulation", "peers")
        self._bullet, self._world = pybullet, pybullet.connect(pybullet.DIRECT)
        self._steps, self._scene, self._start = steps, scene, start(scene)
        self._motion = model_functions(planar_biped("thesis")).sole_motion
        engine, here = self._bullet, {"physicsClientId": self._world}
        engine.setGravity(0.0, 0.0, -GRAVITY, **here)
        engine.setPhysicsEngineParameter(fixedTimeStep=TICK / steps, **here)
        plane = engine.createCollisionShape(engine.GEOM_PLANE, **here)
        floor = engine.createMultiBody(0.0, plane, basePosition=(0.0, 0.0, -SOLE_RADIUS), **here)
        engine.changeDynamics(floor, -1, lateralFriction=1.0, **here)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "robot.urdf")
            path.write_text(on_rails(), encoding="utf-8")
            self._robot = engine.loadURDF(str(path), useFixedBase=True, flags=engine.URDF_USE_INERTIA_FROM_FILE, **here)
        names = [engine.getJointInfo(self._robot, i, **here)[1].decode() for i in range(self._count(here))]
        self._joints = [names.index(name) for name in JOINTS]
        for link in range(-1, len(names)):
            engine.changeDynamics(
                self._robot, link, lateralFriction=MU[scene], linearDamping=0.0, angularDamping=0.0, jointDamping=0.0,
                **here,
            )  # fmt: skip
        engine.setJointMotorControlArray(
            self._robot, self._joints, engine.VELOCITY_CONTROL, forces=[0.0] * len(self._joints), **here
        )
        self.place()

    def _count(self, here: dict[str, Any]) -> int:
        return int(self._bullet.getNumJoints(self._robot, **here))

    def place(self) -> None:
        """Back to the start."""
        for joint, angle in zip(self._joints, self._start, strict=True):
            self._bullet.resetJointState(self._robot, joint, angle, 0.0, physicsClientId=self._world)

    def _state(self) -> tuple[Array, Array]:
        states = self._bullet.getJointStates(self._robot, self._joints, physicsClientId=self._world)
        return np.array([state[0] for state in states]), np.array([state[1] for state in states])

    def tick(self, time: float) -> None:
        """PD of the joints."""
        forces = held(*self._state(), self._start, self._scene, time)
        for _ in range(self._steps):  # forces hold for one step
            self._bullet.setJointMotorControlArray(
                self._robot, self._joints, self._bullet.TORQUE_CONTROL, forces=forces, physicsClientId=self._world
            )
            self._bullet.stepSimulation(physicsClientId=self._world)

    def batch(self) -> None:
        """Without torques."""
        for _ in range(self._steps * BATCH):
            self._bullet.stepSimulation(physicsClientId=self._world)

    def seen(self) -> Array:
        """Hip x, z; feet x."""
        q, v = self._state()
        return np.array([q[0], q[1], *self._motion(q, v)[0][:, 0]])


def settings() -> list[Setting]:
    """PyBullet with several steps; none where it is not installed."""
    if pybullet is None:
        return []
    return [
        Setting("PyBullet", f"{1e3 * TICK / n:g} ms", n, lambda scene, n=n: Bullet(scene, n), _truth)  # type: ignore[misc]
        for n in (1, 2, 5, 10, 20)
    ]


def _truth(scene: str) -> Bullet:
    return Bullet(scene, CONVERGED)

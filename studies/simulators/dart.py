# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The planar biped in DART: articulated bodies and a boxed linear complementarity problem of contacts."""

from __future__ import annotations

import tempfile
from pathlib import Path

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
    import dartpy
except ImportError:
    dartpy = None


class Dart:
    """DART with its own collision detector."""

    def __init__(self, scene: str, steps: int) -> None:
        if dartpy is None:
            raise MissingExtra("benchmark simulation", "peers")
        self._steps, self._scene, self._start = steps, scene, start(scene)
        self._motion = model_functions(planar_biped("thesis")).sole_motion
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "robot.urdf")
            path.write_text(on_rails(), encoding="utf-8")
            self._robot = dartpy.utils.DartLoader().parseSkeleton(str(path))
        names = [self._robot.getDof(i).getName() for i in range(self._robot.getNumDofs())]
        assert tuple(names) == JOINTS  # coordinates are ours
        for i in range(self._robot.getNumBodyNodes()):
            node = self._robot.getBodyNode(i)
            for shape in (node.getShapeNode(k) for k in range(node.getNumShapeNodes())):
                if shape.hasDynamicsAspect():  # what is only seen has none
                    shape.getDynamicsAspect().setFrictionCoeff(MU[scene])
        floor = dartpy.dynamics.Skeleton("floor")
        shape = floor.createWeldJointAndBodyNodePair()[1].createShapeNode(
            dartpy.dynamics.PlaneShape([0.0, 0.0, 1.0], -SOLE_RADIUS)
        )
        shape.createCollisionAspect()
        shape.createDynamicsAspect().setFrictionCoeff(1.0)
        self._world = dartpy.simulation.World()
        self._world.setCollisionDetector(dartpy.simulation.CollisionDetectorType.DART)
        self._world.setGravity([0.0, 0.0, -GRAVITY])
        self._world.setTimeStep(TICK / steps)
        self._world.addSkeleton(self._robot)
        self._world.addSkeleton(floor)
        self.place()

    def place(self) -> None:
        """Back to the start."""
        self._robot.setPositions(self._start)
        self._robot.setVelocities(np.zeros_like(self._start))

    def tick(self, time: float) -> None:
        """PD of the joints."""
        forces = held(self._robot.getPositions(), self._robot.getVelocities(), self._start, self._scene, time)
        for _ in range(self._steps):  # forces hold for one step
            self._robot.setForces(forces)
            self._world.step()

    def batch(self) -> None:
        """Without torques."""
        for _ in range(self._steps * BATCH):
            self._world.step()

    def seen(self) -> Array:
        """Hip x, z; feet x."""
        q = self._robot.getPositions()
        return np.array([q[0], q[1], *self._motion(q, self._robot.getVelocities())[0][:, 0]])


def settings() -> list[Setting]:
    """DART with several steps; none where it is not installed."""
    if dartpy is None:
        return []
    return [
        Setting("DART", f"{1e3 * TICK / n:g} ms", n, lambda scene, n=n: Dart(scene, n), _truth)  # type: ignore[misc]
        for n in (1, 2, 5, 10, 20)
    ]


def _truth(scene: str) -> Dart:
    return Dart(scene, CONVERGED)

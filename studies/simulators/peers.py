# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The planar biped in PyBullet, DART and Drake.

It is the shipped URDF on two rails, with a ball at each sole.
"""

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
from studies.simulators.bench import BATCH, TICK, Setting, settings_of
from studies.simulators.planar import CONVERGED, JOINTS, MU, held, on_rails, start

try:
    import pybullet
except ImportError:
    pybullet = None
try:
    import dartpy
except ImportError:
    dartpy = None
try:
    import pydrake.geometry as geometry
    import pydrake.math as pose
    import pydrake.multibody.parsing as parsing
    import pydrake.multibody.plant as multibody
    import pydrake.systems.analysis as analysis
    import pydrake.systems.framework as framework

    PRESENT = True
except ImportError:
    PRESENT = False

SOLVERS = {"SAP": "kSap", "TAMSI": "kTamsi"}  # of Drake's contacts


class Bullet:
    """Bullet's articulated bodies and its iterative solver of contacts."""

    def __init__(self, scene: str, steps: int) -> None:
        if pybullet is None:
            raise MissingExtra("benchmark simulation", "peers")
        self._bullet = pybullet
        self._world = pybullet.connect(pybullet.DIRECT)
        self._steps = steps
        self._scene = scene
        self._start = start(scene)
        self._motion = model_functions(planar_biped("thesis")).sole_motion
        engine = self._bullet
        here = {"physicsClientId": self._world}
        engine.setGravity(0.0, 0.0, -GRAVITY, **here)
        engine.setPhysicsEngineParameter(fixedTimeStep=TICK / steps, **here)
        plane = engine.createCollisionShape(engine.GEOM_PLANE, **here)
        floor = engine.createMultiBody(
            0.0, plane, basePosition=(0.0, 0.0, -SOLE_RADIUS), **here
        )
        engine.changeDynamics(floor, -1, lateralFriction=1.0, **here)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "robot.urdf")
            path.write_text(on_rails(), encoding="utf-8")
            self._robot = engine.loadURDF(
                str(path),
                useFixedBase=True,
                flags=engine.URDF_USE_INERTIA_FROM_FILE,
                **here,
            )
        names = [
            engine.getJointInfo(self._robot, i, **here)[1].decode()
            for i in range(self._count(here))
        ]
        self._joints = [names.index(name) for name in JOINTS]
        for link in range(-1, len(names)):
            engine.changeDynamics(
                self._robot,
                link,
                lateralFriction=MU[scene],
                linearDamping=0.0,
                angularDamping=0.0,
                jointDamping=0.0,
                **here,
            )
        engine.setJointMotorControlArray(
            self._robot,
            self._joints,
            engine.VELOCITY_CONTROL,
            forces=[0.0] * len(self._joints),
            **here,
        )
        self.place()

    def _count(self, here: dict[str, Any]) -> int:
        return int(self._bullet.getNumJoints(self._robot, **here))

    def place(self) -> None:
        """Back to the start."""
        for joint, angle in zip(self._joints, self._start, strict=True):
            self._bullet.resetJointState(
                self._robot, joint, angle, 0.0, physicsClientId=self._world
            )

    def _state(self) -> tuple[Array, Array]:
        states = self._bullet.getJointStates(
            self._robot, self._joints, physicsClientId=self._world
        )
        return np.array([state[0] for state in states]), np.array(
            [state[1] for state in states]
        )

    def tick(self, time: float) -> None:
        """PD of the joints."""
        forces = held(*self._state(), self._start, self._scene, time)
        for _ in range(self._steps):  # forces hold for one step
            self._bullet.setJointMotorControlArray(
                self._robot,
                self._joints,
                self._bullet.TORQUE_CONTROL,
                forces=forces,
                physicsClientId=self._world,
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


class Dart:
    """DART with its own collision detector."""

    def __init__(self, scene: str, steps: int) -> None:
        if dartpy is None:
            raise MissingExtra("benchmark simulation", "peers")
        self._steps = steps
        self._scene = scene
        self._start = start(scene)
        self._motion = model_functions(planar_biped("thesis")).sole_motion
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "robot.urdf")
            path.write_text(on_rails(), encoding="utf-8")
            self._robot = dartpy.utils.DartLoader().parseSkeleton(str(path))
        names = [
            self._robot.getDof(i).getName() for i in range(self._robot.getNumDofs())
        ]
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
        forces = held(
            self._robot.getPositions(),
            self._robot.getVelocities(),
            self._start,
            self._scene,
            time,
        )
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
        return np.array(
            [q[0], q[1], *self._motion(q, self._robot.getVelocities())[0][:, 0]]
        )


class Drake:
    """Drake's point contact with its usual stiffness."""

    def __init__(self, scene: str, steps: int, solver: str = "SAP") -> None:
        if not PRESENT:
            raise MissingExtra("benchmark simulation", "peers")
        self._scene = scene
        self._start = start(scene)
        self._time = 0.0
        self._motion = model_functions(planar_biped("thesis")).sole_motion
        builder = framework.DiagramBuilder()
        plant, _ = multibody.AddMultibodyPlantSceneGraph(builder, TICK / steps)
        plant.set_discrete_contact_approximation(
            getattr(multibody.DiscreteContactApproximation, SOLVERS[solver])
        )
        plant.mutable_gravity_field().set_gravity_vector([0.0, 0.0, -GRAVITY])
        text = on_rails().replace("<collision>", f"<collision>{_friction(MU[scene])}")
        parsing.Parser(plant).AddModelsFromString(text, "urdf")
        plant.RegisterCollisionGeometry(
            plant.world_body(),
            pose.RigidTransform([0.0, 0.0, -SOLE_RADIUS]),
            geometry.HalfSpace(),
            "floor",
            multibody.CoulombFriction(MU[scene], MU[scene]),
        )
        plant.Finalize()
        joints = [plant.GetJointByName(name) for name in JOINTS]
        self._order = np.array([joint.velocity_start() for joint in joints])
        self._plant = plant
        diagram = builder.Build()
        self._simulator = analysis.Simulator(diagram)
        self._context: Any = self._simulator.get_mutable_context()
        self._own: Any = plant.GetMyMutableContextFromRoot(self._context)
        self._input = plant.get_applied_generalized_force_input_port()
        self.place()

    def place(self) -> None:
        """Back to the start."""
        q = np.zeros(self._start.size)
        q[self._order] = self._start
        self._time = 0.0
        self._context.SetTime(0.0)
        self._plant.SetPositions(self._own, q)
        self._plant.SetVelocities(self._own, np.zeros_like(q))
        self._input.FixValue(self._own, np.zeros_like(q))
        self._simulator.Initialize()

    def _state(self) -> tuple[Array, Array]:
        q = self._plant.GetPositions(self._own)
        v = self._plant.GetVelocities(self._own)
        return q[self._order], v[self._order]

    def tick(self, time: float) -> None:
        """PD of the joints."""
        forces = np.zeros(self._start.size)
        forces[self._order] = held(*self._state(), self._start, self._scene, time)
        self._input.FixValue(self._own, forces)
        self._advance(TICK)

    def batch(self) -> None:
        """Without torques."""
        self._advance(BATCH * TICK)

    def _advance(self, duration: float) -> None:
        self._time += duration
        try:
            self._simulator.AdvanceTo(self._time)
        except RuntimeError as error:  # TAMSI has not converged
            raise ArithmeticError(str(error)) from error

    def seen(self) -> Array:
        """Hip x, z; feet x."""
        q, v = self._state()
        return np.array([q[0], q[1], *self._motion(q, v)[0][:, 0]])


def _friction(mu: float) -> str:
    """Write mu as Drake's friction.

    Drake combines two coefficients by 2 a b / (a + b): the same on both sides gives it.
    """
    return (
        "<drake:proximity_properties><drake:mu_static "
        f'value="{mu!r}"/></drake:proximity_properties>'
    )


def settings() -> list[Setting]:
    """Those that are installed, with several steps."""
    rows = []
    if pybullet is not None:
        rows += settings_of("PyBullet", "{ms} ms", Bullet, (1, 2, 5, 10, 20), CONVERGED)
    if dartpy is not None:
        rows += settings_of("DART", "{ms} ms", Dart, (1, 2, 5, 10, 20), CONVERGED)
    for solver in SOLVERS if PRESENT else ():
        rows += settings_of(
            "Drake",
            f"{solver}, {{ms}} ms",
            Drake,
            (1, 2, 5, 10),
            CONVERGED,
            solver=solver,
        )
    return rows

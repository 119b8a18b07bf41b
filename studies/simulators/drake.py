# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The planar biped in Drake: a discrete plant with the convex contact solvers SAP and, as before it, TAMSI."""

from __future__ import annotations

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
    import pydrake.geometry as geometry
    import pydrake.math as pose
    import pydrake.multibody.parsing as parsing
    import pydrake.multibody.plant as multibody
    import pydrake.systems.analysis as analysis
    import pydrake.systems.framework as framework

    PRESENT = True
except ImportError:
    PRESENT = False

SOLVERS = {"SAP": "kSap", "TAMSI": "kTamsi"}


class Drake:
    """Drake's point contact with its usual stiffness."""

    def __init__(self, scene: str, steps: int, solver: str = "SAP") -> None:
        if not PRESENT:
            raise MissingExtra("benchmark simulation", "peers")
        self._scene, self._start, self._time = scene, start(scene), 0.0
        self._motion = model_functions(planar_biped("thesis")).sole_motion
        builder = framework.DiagramBuilder()
        plant, _ = multibody.AddMultibodyPlantSceneGraph(builder, TICK / steps)
        plant.set_discrete_contact_approximation(getattr(multibody.DiscreteContactApproximation, SOLVERS[solver]))
        plant.mutable_gravity_field().set_gravity_vector([0.0, 0.0, -GRAVITY])
        text = on_rails().replace("<collision>", f"<collision>{_friction(MU[scene])}")
        parsing.Parser(plant).AddModelsFromString(text, "urdf")
        plant.RegisterCollisionGeometry(
            plant.world_body(), pose.RigidTransform([0.0, 0.0, -SOLE_RADIUS]), geometry.HalfSpace(), "floor",
            multibody.CoulombFriction(MU[scene], MU[scene]),
        )  # fmt: skip
        plant.Finalize()
        joints = [plant.GetJointByName(name) for name in JOINTS]
        self._order = np.array([joint.velocity_start() for joint in joints])
        self._plant, diagram = plant, builder.Build()
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
        q, v = self._plant.GetPositions(self._own), self._plant.GetVelocities(self._own)
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
    """Drake combines two coefficients by 2 a b / (a + b): the same on both sides gives it."""
    return f'<drake:proximity_properties><drake:mu_static value="{mu!r}"/></drake:proximity_properties>'


def settings() -> list[Setting]:
    """Drake with several steps; none where it is not installed."""
    if not PRESENT:
        return []
    rows = []
    for solver, counts in (("SAP", (1, 2, 5, 10)), ("TAMSI", (1, 2, 5, 10))):
        for n in counts:

            def make(scene: str, n: int = n, solver: str = solver) -> Drake:
                return Drake(scene, n, solver)

            def truth(scene: str, solver: str = solver) -> Drake:
                return Drake(scene, CONVERGED, solver)

            rows.append(Setting("Drake", f"{solver}, {1e3 * TICK / n:g} ms", n, make, truth))
    return rows

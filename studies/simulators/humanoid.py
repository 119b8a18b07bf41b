# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""A humanoid in our simulator and in MuJoCo: a squat on a flat floor."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import numpy as np

from biped_slip.compile.arrays import Array
from biped_slip.errors import SimulationDiverged
from biped_slip.robots.humanoid import Humanoid, load_humanoid
from biped_slip.simulation.humanoid.joints import JointConfig
from biped_slip.simulation.humanoid.mujoco_plant import Twin
from biped_slip.simulation.humanoid.plant import FloatingPlant, FloatingPlantConfig
from biped_slip.simulation.humanoid.terrain import TerrainConfig
from studies.simulators.bench import BATCH, TICK, Setting, settings_of

try:
    import mujoco
except ImportError:
    mujoco = None

ROBOT = "talos"
SCENES = {"squat": 600}  # control periods
# [rad] of hip and ankle, half of the knee's; [s]
DEPTH = 0.15
PERIOD = 0.6
LEGS = {
    "3": -1.0,
    "4": 2.0,
    "5": -1.0,
}  # joints of a leg by number, in shares of the depth
CONVERGED = 100  # steps a control period


class Squat:
    """PD of the joints around a posture that goes down and up again."""

    def __init__(self, humanoid: Humanoid) -> None:
        names = humanoid.robot.joints
        self.start = humanoid.standing()
        shares = [
            LEGS[name.split("_")[2]]
            if name.startswith("leg_") and name.split("_")[2] in LEGS
            else 0.0
            for name in names
        ]
        self._way = DEPTH * np.array(shares)
        self._stiffness = 3.4 * humanoid.weight
        self._damping = 0.2 * humanoid.weight

    def torques(self, time: float, q: Array, v: Array) -> Array:
        """For joint angles and rates (n,)."""
        wanted = (
            self.start[7:]
            + 0.5 * (1.0 - math.cos(2.0 * math.pi * time / PERIOD)) * self._way
        )
        return self._stiffness * (wanted - q) - self._damping * v


class Ours:
    """Midpoint steps of the floating plant, motors and joints ideal as MuJoCo's."""

    def __init__(self, scene: str, steps: int) -> None:
        humanoid = load_humanoid(ROBOT)
        step = round(1e9 * TICK / steps)
        self._squat = Squat(humanoid)
        config = FloatingPlantConfig(
            control_period_ns=step * steps, step_ns=step, joints=JointConfig()
        )
        self._plant, self._long = (
            FloatingPlant(humanoid, TerrainConfig(), one)
            for one in (
                config,
                dataclasses.replace(config, control_period_ns=step * steps * BATCH),
            )
        )
        for plant in (self._plant, self._long):
            joints = plant.around.joints
            joints.coulomb[:] = 0.0
            joints.stiffness[:] = 0.0
            joints.speed[:] = 1e9
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
        """Return the base's x and z [m]."""
        return self._plant.state.q[[0, 2]].copy()


class Theirs:
    """The same robot in MuJoCo."""

    def __init__(self, scene: str, steps: int, **options: Any) -> None:
        humanoid = load_humanoid(ROBOT)
        self._squat = Squat(humanoid)
        self._twin = Twin(humanoid, feet=True)
        self._steps = steps
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
        twin.advance(
            self._squat.torques(time, twin.data.qpos[twin.qs], twin.data.qvel[twin.vs]),
            self._steps,
        )

    def batch(self) -> None:
        """Under constant torques."""
        self._twin.advance(np.zeros(self._squat.start.size - 7), self._steps * BATCH)

    def seen(self) -> Array:
        """Return the base's x and z [m]."""
        return np.array(self._twin.data.qpos[[0, 2]])


def settings() -> list[Setting]:
    """Every simulator with every step; MuJoCo's where it is installed."""
    rows = settings_of("biped_slip", "n = {n}", Ours, (1, 2, 4, 5, 10), CONVERGED)
    if mujoco is None:
        return rows
    stiff: dict[str, Any] = {"impratio": 10.0, "noslip_iterations": 5}
    rk4 = mujoco.mjtIntegrator.mjINT_RK4
    return [
        *rows,
        *settings_of("MuJoCo", "Euler, {ms} ms", Theirs, (1, 2, 5, 10, 20), CONVERGED),
        *settings_of(
            "MuJoCo",
            "Euler, impratio 10, noslip, {ms} ms",
            Theirs,
            (1,),
            CONVERGED,
            **stiff,
        ),
        *settings_of(
            "MuJoCo", "RK4, {ms} ms", Theirs, (1, 2, 5), CONVERGED, integrator=rk4
        ),
    ]

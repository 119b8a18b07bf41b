# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Many control periods in one compiled call: read, control, log and advance, by the kernels of each."""

from __future__ import annotations

from typing import Any, Callable, NamedTuple

from biped_slip.compile.arrays import Array
from biped_slip.compile.kernel import kernel
from biped_slip.contact.ground import Ground, height_along_normal
from biped_slip.robots.model_functions import ModelFunctions
from biped_slip.simulation.planar.log import LogRows, write_control, write_truth
from biped_slip.simulation.planar.plant import fastest_coordinate, generalized_forces
from biped_slip.simulation.planar.plant_state import PlantKernels, PlantState
from biped_slip.simulation.planar.sensors import Sense, SensorSettings, SensorState, blank_readings
from biped_slip.walking.planar import LoopSettings, LoopState, LoopStep


class WorldState(NamedTuple):
    """Robot, floor and controller between two control periods."""

    plant: PlantState
    tau: Array  # (nv,) of the last period
    tick: int
    logged: int  # rows of the log that are filled
    fell: bool
    loop: LoopState


class Physics(NamedTuple):
    """What the plant's kernels are given."""

    ground: Ground
    law: Any
    steps: int  # in a control period
    step: float  # [s]
    speed_limit: float  # beyond which a coordinate has diverged
    fallen_height: float  # [m] of the hip over the floor


class WalkSettings(NamedTuple):
    """Everything that stays as it is."""

    physics: Physics
    sensors: SensorSettings
    loop: LoopSettings


class Orders(NamedTuple):
    """What comes from outside in each of a number of control periods."""

    speed: Array  # (ticks,) commanded [m/s]
    push: Array  # (ticks,) on the base along x [N]
    noise: Array  # (ticks, count) normal deviates for the sensors


#: (world, sensed, orders, settings, rows) -> the world after it
WalkOn = Callable[[WorldState, SensorState, Orders, WalkSettings, LogRows], WorldState]


def walk_on_with(functions: ModelFunctions, kernels: PlantKernels, sense: Sense, control: LoopStep) -> WalkOn:
    """One control period after the other until the orders end or the robot falls."""
    sole_motion = functions.sole_motion
    contact_forces, acceleration, advance = kernels.forces, kernels.acceleration, kernels.advance

    @kernel
    def walk_on(
        world: WorldState, sensed: SensorState, orders: Orders, settings: WalkSettings, rows: LogRows
    ) -> WorldState:
        physics, sensors = settings.physics, settings.sensors
        ground, law = physics.ground, physics.law
        plant, tau, tick, logged, fell, loop = world
        room = blank_readings(plant.q.shape[0] - sensors.root)
        for k in range(orders.speed.shape[0]):
            if fell:
                break
            contact = contact_forces(plant, tau, ground, law, physics.step)
            now = plant.v
            if sensed.counts[0] < 0:
                now = acceleration(plant, tau, ground, law, physics.step)
            motion = sole_motion(plant.q, plant.v)
            readings = sense(plant, tick, motion, contact.force, now, sensed, orders.noise[k], sensors, room)
            write_truth(rows, logged, 1e-9 * readings.stamp_ns, plant, contact, motion, ground.slope)
            loop, output = control(loop, readings, orders.speed[k], settings.loop)
            write_control(rows, logged, output)
            logged += 1
            wanted = generalized_forces(sensors.root, output.torques, orders.push[k], 0.0)
            moved = advance(plant, wanted, ground, law, physics.steps, physics.step)
            fell = not fastest_coordinate(moved.v) <= physics.speed_limit
            if not fell:
                plant, tau, tick = moved, wanted, tick + 1
                fell = height_along_normal(ground, plant.q[0], plant.q[1]) < physics.fallen_height
        return WorldState(plant, tau, tick, logged, fell, loop)

    return walk_on

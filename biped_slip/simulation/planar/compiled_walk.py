# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Many control periods in one compiled call: read, think, log and advance, by the kernels that each loop is made of."""

from __future__ import annotations

from typing import Any, NamedTuple

from biped_slip.contact.ground import Ground, height_along_normal
from biped_slip.estimation.readings import Array, SensorReadings
from biped_slip.robots.model_functions import sole_motion
from biped_slip.simulation.planar.log import LogRows, write_control, write_truth
from biped_slip.simulation.planar.plant import fastest_coordinate, generalized_forces
from biped_slip.simulation.planar.plant_state import PlantState, SoleForces
from biped_slip.simulation.planar.sensors import SensorMemory, SensorSettings, blank_readings
from biped_slip.walking.planar import ControlRecord, WalkerMemory, WalkerSettings


class WorldState(NamedTuple):
    """Robot, floor and controller between two control periods."""

    plant: PlantState
    tau: Array  # (nv,) of the last period
    tick: int
    logged: int  # rows of the log that are filled
    fell: bool
    walker: WalkerMemory


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
    walker: WalkerSettings


class Orders(NamedTuple):
    """What comes from outside in each of a number of control periods."""

    speed: Array  # (ticks,) commanded [m/s]
    push: Array  # (ticks,) on the base along x [N]
    noise: Array  # (ticks, count) normal deviates for the sensors


def contact_forces(*_: Any) -> SoleForces:
    """Bound to the plant's physics."""
    raise NotImplementedError


def base_motion(*_: Any) -> Array:
    """Bound to the plant's physics."""
    raise NotImplementedError


def advance(*_: Any) -> PlantState:
    """Bound to the plant's physics."""
    raise NotImplementedError


def sense(*_: Any) -> SensorReadings:
    """Bound to the sensors."""
    raise NotImplementedError


def think(*_: Any) -> tuple[WalkerMemory, ControlRecord]:
    """Bound to the walker."""
    raise NotImplementedError


def walk_on(
    world: WorldState, sensed: SensorMemory, orders: Orders, settings: WalkSettings, rows: LogRows
) -> WorldState:
    """One control period after the other until the orders end or the robot falls."""
    physics, sensors = settings.physics, settings.sensors
    ground, law = physics.ground, physics.law
    plant, tau, tick, logged, fell, walker = world
    room = blank_readings(plant.q.shape[0] - sensors.root)
    for k in range(orders.speed.shape[0]):
        if fell:
            break
        contact = contact_forces(plant, tau, ground, law, physics.step)
        now = plant.v
        if sensed.counts[0] < 0:
            now = base_motion(plant, tau, ground, law, physics.step)
        motion = sole_motion(plant.q, plant.v)
        readings = sense(plant, tick, motion, contact.force, now, sensed, orders.noise[k], sensors, room)
        write_truth(rows, logged, 1e-9 * readings.stamp_ns, plant, contact, motion, ground.slope)
        walker, record = think(walker, readings, orders.speed[k], settings.walker)
        write_control(rows, logged, record)
        logged += 1
        wanted = generalized_forces(sensors.root, record.torques, orders.push[k], 0.0)
        moved = advance(plant, wanted, ground, law, physics.steps, physics.step)
        fell = not fastest_coordinate(moved.v) <= physics.speed_limit
        if not fell:
            plant, tau, tick = moved, wanted, tick + 1
            fell = height_along_normal(ground, plant.q[0], plant.q[1]) < physics.fallen_height
    return WorldState(plant, tau, tick, logged, fell, walker)

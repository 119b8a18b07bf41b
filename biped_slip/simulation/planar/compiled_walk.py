# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Many control periods of a planar walk in one compiled call, from reading to advance.

The kernels are those of the single tick, in the same order, so a walk is the same to
the last bit either way; what is saved is Python between them.
"""

from __future__ import annotations

from typing import Any, Callable, NamedTuple

from biped_slip.compile.arrays import Array
from biped_slip.compile.kernel import kernel
from biped_slip.contact.ground import Ground, height_along_normal
from biped_slip.estimation.readings import SensorReadings
from biped_slip.friction_estimation.types import UNKNOWN
from biped_slip.robots.model_functions import ModelFunctions
from biped_slip.simulation.planar.log import LogRows, write_control, write_truth
from biped_slip.simulation.planar.physics import PlantKernels, PlantState
from biped_slip.simulation.planar.plant import (
    MotorMemory,
    Motors,
    drive,
    fastest_coordinate,
)
from biped_slip.simulation.planar.sensors import (
    PlanarTruth,
    Sense,
    SensorSettings,
    SensorState,
    blank_readings,
)
from biped_slip.walking.planar import LoopSettings, LoopState, LoopStep


class WorldState(NamedTuple):
    """Robot, floor and controller between two control periods."""

    plant: PlantState
    tau: Array  # (nv,) of the last period
    tick: int
    logged: int  # rows of the log that are filled
    fell: bool
    # of the last period, by which a divergence is told
    fastest: float  # speed of a coordinate [rad/s or m/s]
    beyond: float  # force of a foot along the floor, see force_beyond [N]
    ended: bool  # it fell or diverged
    loop: LoopState


class Physics(NamedTuple):
    """Floor, laws and motors of the plant, and when it ends."""

    ground: Ground
    law: Any
    steps: int  # in a control period
    step: float  # [s]
    speed_limit: float  # beyond which a coordinate has diverged
    largest_force: float  # beyond which a foot has diverged [N], see force_beyond
    fallen_height: float  # [m] of the hip over the floor
    motors: Motors


class WalkSettings(NamedTuple):
    """Constant settings of a walk."""

    physics: Physics
    sensors: SensorSettings
    loop: LoopSettings


class Orders(NamedTuple):
    """Speed commands, pushes and noise of a number of control periods."""

    speed: Array  # (ticks,) commanded [m/s]
    push: Array  # (ticks,) on the base along x [N]
    noise: Array  # (ticks, count) normal deviates for the sensors


#: (world, sensed, driven, orders, settings, rows) -> the world after it
WalkOn = Callable[
    [WorldState, SensorState, MotorMemory, Orders, WalkSettings, LogRows], WorldState
]


def look_by(
    functions: ModelFunctions, kernels: PlantKernels, sense: Sense
) -> Callable[..., SensorReadings]:
    """Make the kernel that reads the sensors of an instant and logs its truth.

    Args:
        functions: of the robot.
        kernels: of the plant.
        sense: of the sensors.
    """
    sole_motion = functions.sole_motion
    contact_forces = kernels.forces
    acceleration = kernels.acceleration

    @kernel
    def look(
        world: WorldState,
        sensed: SensorState,
        noise: Array,
        settings: WalkSettings,
        rows: LogRows,
        room: SensorReadings,
    ) -> SensorReadings:
        physics = settings.physics
        ground = physics.ground
        law = physics.law
        plant = world.plant
        contact = contact_forces(plant, world.tau, ground, law, physics.step)
        now = plant.v
        if sensed.counts[0] < 0:
            now = acceleration(plant, world.tau, ground, law, physics.step)
        motion = sole_motion(plant.q, plant.v)
        truth = PlanarTruth(
            state=plant,
            tick=world.tick,
            motion=motion,
            forces=contact.force,
            acceleration=now,
        )
        readings = sense(truth, sensed, noise, settings.sensors, room)
        time = 1e-9 * readings.stamp_ns
        write_truth(rows, world.logged, time, plant, contact, motion, ground.slope)
        return readings

    return look


def move_by(kernels: PlantKernels) -> Callable[..., WorldState]:
    """Make the kernel that moves the robot on by a control period under torques."""
    advance = kernels.advance

    @kernel
    def move(
        world: WorldState,
        loop: LoopState,
        torques: Array,
        push: float,
        settings: WalkSettings,
        driven: MotorMemory,
    ) -> WorldState:
        physics = settings.physics
        ground = physics.ground
        root = settings.sensors.root
        plant = world.plant
        tau = drive(root, torques, plant.v, push, physics.motors, driven)
        moved, beyond = advance(
            plant, tau, ground, physics.law, physics.steps, physics.step
        )
        tick = world.tick
        fell = False
        fastest = fastest_coordinate(moved.v)
        sound = fastest <= physics.speed_limit and beyond <= physics.largest_force
        if sound:
            tick = tick + 1
            height = height_along_normal(ground, moved.q[0], moved.q[1])
            fell = height < physics.fallen_height
        else:  # what has diverged is no state to go on from
            moved = plant
            tau = world.tau
        return WorldState(
            plant=moved,
            tau=tau,
            tick=tick,
            logged=world.logged + 1,
            fell=fell,
            fastest=fastest,
            beyond=beyond,
            ended=fell or not sound,
            loop=loop,
        )

    return move


def walk_on_with(
    functions: ModelFunctions, kernels: PlantKernels, sense: Sense, control: LoopStep
) -> WalkOn:
    """Make the kernel of control periods until the orders end, a fall or a divergence.

    Args:
        functions: of the robot.
        kernels: of the plant.
        sense: of the sensors.
        control: of the controller.
    """
    look = look_by(functions, kernels, sense)
    move = move_by(kernels)

    @kernel
    def walk_on(
        world: WorldState,
        sensed: SensorState,
        driven: MotorMemory,
        orders: Orders,
        settings: WalkSettings,
        rows: LogRows,
    ) -> WorldState:
        room = blank_readings(world.plant.q.shape[0] - settings.sensors.root)
        now = world
        for k in range(orders.speed.shape[0]):
            if now.ended:
                break
            readings = look(now, sensed, orders.noise[k], settings, rows, room)
            loop, output = control(
                now.loop, settings.loop, (readings, UNKNOWN, False, orders.speed[k])
            )
            write_control(rows, now.logged, output)
            now = move(now, loop, output.torques, orders.push[k], settings, driven)
        return now

    return walk_on

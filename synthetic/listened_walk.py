# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""A simulated G1 that walks by its ankle sensors, and what a listener hears of it.

The listener has joint states with the currents of the motors, and one IMU: sensors,
gears and links err as in the set ``currents``.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from biped_slip.compile.arrays import Array
from biped_slip.estimation.readings import RawReadings
from biped_slip.robots.sensor_config import filled, with_sensor_set
from biped_slip.simulation.humanoid.scenario import HumanoidWalkConfig, humanoid_walk_of
from biped_slip.simulation.humanoid.walk import HumanoidWalk
from biped_slip.walking.humanoid import walk_file
from biped_slip.walking.humanoid_friction import heard

SHARED = ("motor_torques", "imu", "encoders")  # sensors of both sets
LANDING = {"load": 0.25, "time": 0.04, "lead": 0.06}  # a quarter of the weight slides


def walk_of_another(mu: float) -> HumanoidWalkConfig:
    """Build the walk of a G1 with ankle sensors, on a floor of one friction."""
    mapping, folder = walk_file("g1")
    own = with_sensor_set({**mapping, "sensors": "ankles"}, "humanoid", "g1")
    currents = with_sensor_set({"sensors": "currents"}, "humanoid", "g1")
    actuation = currents["controller"]["actuation"]
    changes: dict[str, Any] = {
        "mu": mu,
        "patch": {"length": 0.0},
        "speed": 0.3,
        "sensors": {name: currents["sensors"][name] for name in SHARED},
        "unmodelled": currents["unmodelled"],
        "controller": {"actuation": actuation, "stepping": {"touchdown": LANDING}},
    }
    return humanoid_walk_of(filled(changes, own), folder)


class ListenedWalk(NamedTuple):
    """What a listener hears of a walk, and what its motors were sent meanwhile."""

    samples: list[RawReadings]
    # (n,) each: the last command before each sample [N m], and its own at first
    commands: list[Array]


def listened_walk(mu: float, seconds: float, seed: int) -> ListenedWalk:
    """Simulate the walk, and return what a listener hears of it.

    Args:
        mu: of the floor.
        seconds: from standing on [s].
        seed: of sensors and robot.
    """
    walk = HumanoidWalk(walk_of_another(mu), "touchdown", seed, checked=False)
    world = walk.world
    samples: list[RawReadings] = []
    commands: list[Array] = []
    while 1e-9 * world.plant.stamp_ns < seconds and not walk.ended:
        raw = world.sense()
        copies = raw._replace(
            joint_position=raw.joint_position.copy(),
            joint_velocity=raw.joint_velocity.copy(),
            imu=raw.imu.copy(),
        )
        samples.append(heard(copies, raw.joint_torque.copy()))
        torques = walk.control(raw).torques
        commands.append(torques.copy())
        world.advance(torques)
    return ListenedWalk(samples=samples, commands=[*commands[:1], *commands[:-1]])

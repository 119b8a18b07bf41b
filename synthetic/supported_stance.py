# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""A simulated G1 that does not walk: standing, on a chair, a gantry, a rail, a step.

Its joints are held at a posture that may move; what else carries it pushes on its base.
Sensors, gears and links err as in the set ``currents``, and a listener hears joint
states with the motors' currents and one IMU.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Iterator, Mapping, NamedTuple

import numpy as np
import pinocchio as pin

from biped_slip.compile.arrays import Array
from biped_slip.control.whole_body.joint_hold import JointHold, holding_torques
from biped_slip.estimation.readings import RawReadings
from biped_slip.robots.humanoid import Humanoid, load_humanoid
from biped_slip.robots.robot import SOLES
from biped_slip.simulation.humanoid.scenario import drawn, track_scenario
from biped_slip.simulation.humanoid.world import FloatingWorld
from biped_slip.walking.humanoid_friction import heard
from synthetic.listened_walk import walk_of_another

DELAY = 5e-3  # [s] of the motors, for which the hold of the joints is softened
STIFFNESS = 40.0  # [1/m] of what carries beside the feet, times weight
DAMPING = 4.0  # [s/m] of it, times weight
TURNING = 2.0  # [m] of it against turns of the base, times weight
TURN_DAMPING = 0.3  # [m s] of it, times weight
RATE = 2.0 * math.pi * 0.8  # [rad/s] of what moves to and fro
BEGIN = 0.3  # [s] for which it rests first
FLOOR = (-2.0, 4.0, -3.0, 3.0)  # [m]
LONG = 60.0  # [s] longer than any of them


class Stance(NamedTuple):
    """How a robot is held that does not walk; angles are beside its standing posture.

    All that moves does so to and fro, the right leg against the left one.
    """

    bent: Mapping[str, float] = {}  # [rad] by the joint's name without its side
    bent_left: Mapping[str, float] = {}  # [rad] of the left leg alone
    moving: Mapping[str, float] = {}  # [rad]
    held: bool = False  # something else carries the base where it is placed
    borne: float = 1.0  # share of the weight that the legs are to bear
    raised: float = 0.0  # [m] of the base, over its place with its soles on the floor
    pull: tuple[float, float, float] = (0.0, 0.0, 0.0)  # of a hand, in weights
    ledge: float = 0.0  # [m] height of the floor under the left foot


STANCES: dict[str, Stance] = {
    "standing": Stance(),
    "swaying": Stance(moving={"hip_roll": 0.05, "ankle_roll": -0.05}),
    "sitting, its feet shuffle": Stance(
        bent={"hip_pitch": -0.9, "knee": 0.9},
        moving={"knee": 0.2, "ankle_pitch": -0.2},
        held=True,
        borne=0.3,
    ),
    "hanging, its legs swing": Stance(
        moving={"hip_pitch": 0.3, "knee": 0.3}, held=True, borne=0.0, raised=0.1
    ),
    "hanging, its soles brush the floor": Stance(
        moving={"hip_pitch": 0.3}, held=True, borne=0.1, raised=0.0
    ),
    "a hand on a rail": Stance(
        moving={"hip_roll": 0.05, "ankle_roll": -0.05},
        held=True,
        borne=0.85,
        pull=(0.02, 0.06, 0.15),
    ),
    "stepping in place on a rail": Stance(
        bent={"hip_pitch": -0.2, "knee": 0.4, "ankle_pitch": -0.2},
        moving={"hip_pitch": -0.2, "knee": 0.4, "ankle_pitch": -0.2},
        held=True,
        borne=0.6,
    ),
    "a foot on a step": Stance(
        bent_left={"hip_pitch": -0.245, "knee": 0.49, "ankle_pitch": -0.245},
        moving={"hip_roll": 0.03, "ankle_roll": -0.03},
        ledge=0.06,
    ),
}


def posture(humanoid: Humanoid, stance: Stance, time: float) -> Array:
    """Compute the joints' positions (n,) [rad] that are held at a time [s]."""
    q = humanoid.standing()[7:].copy()
    phase = math.sin(RATE * max(time - BEGIN, 0.0))
    for j, name in enumerate(humanoid.robot.joints):
        side, _, joint = name.removesuffix("_joint").partition("_")
        if side not in ("left", "right"):
            continue
        mirrored = 1.0 if side == "left" or "roll" in joint else -1.0
        q[j] += stance.bent.get(joint, 0.0)
        q[j] += phase * mirrored * stance.moving.get(joint, 0.0)
        if side == "left":
            q[j] += stance.bent_left.get(joint, 0.0)
    return q


def placed(humanoid: Humanoid, stance: Stance) -> Array:
    """Compute coordinates (nq,) of the stance, its right sole on the floor or above."""
    q = humanoid.standing()
    q[7:] = posture(humanoid, stance, 0.0)
    model = humanoid.model
    data = model.createData()
    pin.framesForwardKinematics(model, data, q)
    sole = data.oMf[model.getFrameId(SOLES[1])]
    lifted = 0.0 if stance.held and stance.raised else 0.5e-3  # as weight presses
    q[2] += stance.raised - sole.translation[2] - lifted
    return q


def support(q: Array, v: Array, place: Array, stance: Stance, weight: float) -> Array:
    """Compute what carries the base beside the feet: force and moment (6,), world."""
    total = np.zeros(6)
    total[:3] += weight * np.array(stance.pull)
    if not stance.held:
        return total
    turn = pin.Quaternion(q[3:7]).toRotationMatrix()
    total[:3] += weight * (STIFFNESS * (place[:3] - q[:3]) - DAMPING * turn @ v[:3])
    total[3:] -= weight * (TURNING * pin.log3(turn) + TURN_DAMPING * turn @ v[3:6])
    return total


def supported_stance(
    name: str, mu: float, seconds: float, seed: int
) -> Iterator[tuple[RawReadings, Array]]:
    """Simulate a robot that does not walk.

    Yield what a listener hears of it, and the true loads (2,) of its feet [N].

    Args:
        name: one of STANCES.
        mu: of the floor.
        seconds: [s].
        seed: of sensors and robot.
    """
    stance = STANCES[name]
    humanoid = load_humanoid("g1")
    config = walk_of_another(mu)
    scenario = track_scenario(config, drawn(config, seed))
    box = (-1.0, 1.0, 0.0, 2.0, stance.ledge)
    terrain = replace(scenario.terrain, extent=FLOOR, boxes=(box,))
    world = FloatingWorld(
        humanoid, replace(scenario, terrain=terrain, duration=LONG), seed
    )
    world.lowest = 0.0
    place = placed(humanoid, stance)
    world.plant.place(place)
    soles = (
        humanoid.model.getFrameId(SOLES[0]),
        humanoid.model.getFrameId(SOLES[1]),
    )
    hold = JointHold(humanoid.model, soles, place[7:], humanoid.efforts, DELAY)
    borne = stance.borne - 1.0
    more = borne * holding_torques(humanoid.model, soles, place[7:])
    while 1e-9 * world.plant.stamp_ns < seconds:
        raw = world.sense()
        copies = raw._replace(
            joint_position=raw.joint_position.copy(),
            joint_velocity=raw.joint_velocity.copy(),
            imu=raw.imu.copy(),
        )
        loads = world.log.normal[world.log.length - 1].copy()
        yield heard(copies, raw.joint_torque.copy()), loads
        hold.posture = posture(humanoid, stance, 1e-9 * world.plant.stamp_ns)
        state = world.plant.state
        push = support(state.q, state.v, place, stance, humanoid.weight)
        world.advance(hold.torques(world.measure()) + more, push)

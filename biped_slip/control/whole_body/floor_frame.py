# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""A world whose floor is level: on a slope the controller walks in axes that lie on the floor, under leaning gravity.

Friction cones, swing feet, footholds and the pendulum's plane are then those of a level floor. What differs is gravity:
its part along the floor moves the point that balances over the ZMP, and it takes its share of the friction.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from biped_slip.compile.arrays import Array
from biped_slip.constants import GRAVITY
from biped_slip.control.whole_body.footsteps import Foothold
from biped_slip.control.whole_body.memory import WholeBodyState
from biped_slip.control.whole_body.program import UPWARDS
from biped_slip.control.whole_body.stepping import STAND, TRANSFER, SteppingState
from biped_slip.control.whole_body.swing_foot import SwingPoint
from biped_slip.control.whole_body.tasks import rotation_of, turned_up
from biped_slip.control.whole_body.terms import Terms


class FloorFrame(NamedTuple):
    """Axes on the floor, and a point that both know."""

    rise: Array  # (2,) of the floor along the world's x and y
    rotation: Array  # (3, 3) floor to world
    in_world: Array  # (3,) [m]
    in_floor: Array  # (3,) the same point [m]
    up: Array  # (3,) the vertical in the floor's axes


LEVEL = FloorFrame(np.zeros(2), np.eye(3), np.zeros(3), np.zeros(3), UPWARDS)


def frame_about(rise: Array, pivot: Array, old: FloorFrame) -> FloorFrame:
    """Axes on a floor that rises otherwise (2,), in which a pivot (3,) of the old axes is where it was."""
    normal = np.array([-rise[0], -rise[1], 1.0]) / math.sqrt(1.0 + rise[0] ** 2 + rise[1] ** 2)
    in_world = old.rotation @ (pivot - old.in_floor) + old.in_world
    rotation = turned_up(normal)
    return FloorFrame(rise.copy(), rotation, in_world, pivot.copy(), rotation[2].copy())


def on_floor(q: Array, frame: FloorFrame) -> Array:
    """Coordinates (nq,) of the same robot in the floor's axes; velocities are the base's own and stay."""
    if frame is LEVEL:
        return q
    result, back = q.copy(), frame.rotation.T
    result[:3] = back @ (q[:3] - frame.in_world) + frame.in_floor
    result[3:7] = _quaternion_of(back @ rotation_of(q[3:7]))
    return result


def compile_for_slopes() -> None:
    """Compile what the first slope needs, before a robot stands on it."""
    on_floor(np.array([0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0]), frame_about(np.zeros(2), np.zeros(3), LEVEL))


def _quaternion_of(rotation: Array) -> Array:
    """Quaternion (x, y, z, w) of a rotation that turns by less than half a turn."""
    w = 0.5 * math.sqrt(max(1.0 + np.trace(rotation), 1e-12))
    skew = rotation - rotation.T
    return np.array([skew[2, 1], skew[0, 2], skew[1, 0], 4.0 * w * w]) / (4.0 * w)


def lean_gravity(terms: Terms, q: Array, up: Array) -> None:
    """Bias of the dynamics under the gravity that the floor's axes see, not along their third one.

    The first three rows of the mass matrix are the momentum in the base, so gravity ``g`` weighs
    ``M[:3].T R.T g`` on all coordinates.
    """
    more = -GRAVITY * (up - UPWARDS)
    terms.bias[:] -= terms.mass_matrix[:3].T @ (rotation_of(q[3:7]).T @ more)


def carried_over(memory: WholeBodyState, old: FloorFrame, new: FloorFrame, centre_height: float) -> WholeBodyState:
    """What was remembered in the old axes in the new ones.

    Args:
        memory: of the walk.
        old: axes so far.
        new: with a pivot that both know.
        centre_height: of the centre of mass over the soles in the new axes [m].
    """
    turn, pivot = new.rotation.T @ old.rotation, new.in_floor

    def moved(place: Array) -> Array:
        return pivot + turn @ (place - pivot)

    def level(place: Array) -> Array:
        return moved(np.array([place[0], place[1], pivot[2]]))[:2]

    steps, point = memory.stepping, memory.stepping.point
    lifted = moved(np.array([point.position[0], point.position[1], steps.lift_z]))[2]
    target = level(np.array([steps.target.x, steps.target.y]))
    position, velocity, acceleration = point.position.copy(), point.velocity.copy(), point.acceleration.copy()
    position[:3], velocity[:3], acceleration[:3] = moved(position[:3]), turn @ velocity[:3], turn @ acceleration[:3]
    stepping = SteppingState(
        steps.phase, steps.time, steps.duration, steps.swing, level(steps.zmp_from), level(steps.zmp_to),
        Foothold(float(target[0]), float(target[1]), steps.target.yaw), float(lifted),
        SwingPoint(position, velocity, acceleration),
    )  # fmt: skip
    return memory._replace(stepping=stepping, height=centre_height, touch=np.zeros(2))


def standing_foot(steps: SteppingState, load: tuple[float, float]) -> int:
    """The foot whose floor is walked on: the one that carries, or will carry next."""
    if steps.phase == STAND:
        return 0 if load[0] >= load[1] else 1
    return 1 - steps.swing


def floor_height(terms: Terms, steps: SteppingState) -> float:
    """Height of the floor that the centre of mass is over [m], as the aims of a tick take it."""
    if steps.phase in (STAND, TRANSFER):
        return float(0.5 * (terms.position[0, 2] + terms.position[1, 2]))
    return float(terms.position[1 - steps.swing, 2])

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Floor frame: axes along the floor, in which a slope is a level floor.

On a slope the controller walks in axes that lie on the floor of the foot that carries,
under leaning gravity. Friction cones, swing feet, footholds and the pendulum's plane
are then those of a level floor. What differs is gravity: its part along the floor moves
the point that balances over the ZMP, and takes its share of the friction.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import pinocchio as pin

from biped_slip.compile.arrays import Array
from biped_slip.constants import GRAVITY
from biped_slip.control.whole_body.footsteps import (
    STAND,
    TRANSFER,
    Foothold,
    SteppingState,
)
from biped_slip.control.whole_body.memory import WholeBodyState
from biped_slip.control.whole_body.swing_path import SwingPoint
from biped_slip.control.whole_body.tasks import Terms, turned_up
from biped_slip.control.whole_body.tick_program import UPWARDS
from biped_slip.estimation.invariant_filter import rotation_of


class FloorFrame(NamedTuple):
    """Axes along the floor, with their pivot."""

    rise: Array  # (2,) of the floor along the world's x and y
    rotation: Array  # (3, 3) floor to world
    in_world: Array  # (3,) [m]
    in_floor: Array  # (3,) the same point [m]
    up: Array  # (3,) the vertical in the floor's axes


LEVEL_FRAME = FloorFrame(
    rise=np.zeros(2),
    rotation=np.eye(3),
    in_world=np.zeros(3),
    in_floor=np.zeros(3),
    up=UPWARDS,
)


def frame_about(rise: Array, pivot: Array, old: FloorFrame) -> FloorFrame:
    """Compute axes along a floor of another gradient (2,).

    They turn about a pivot (3,) of the old axes.
    """
    normal = np.array([-rise[0], -rise[1], 1.0]) / math.sqrt(
        1.0 + rise[0] ** 2 + rise[1] ** 2
    )
    in_world = old.rotation @ (pivot - old.in_floor) + old.in_world
    rotation = turned_up(normal)
    return FloorFrame(
        rise=rise.copy(),
        rotation=rotation,
        in_world=in_world,
        in_floor=pivot.copy(),
        up=rotation[2].copy(),
    )


def on_floor(q: Array, frame: FloorFrame) -> Array:
    """Transform coordinates (nq,) into the floor's axes.

    Velocities are in the base's and stay.
    """
    if frame is LEVEL_FRAME:
        return q
    result = q.copy()
    back = frame.rotation.T
    result[:3] = back @ (q[:3] - frame.in_world) + frame.in_floor
    result[3:7] = pin.Quaternion(back @ rotation_of(q[3:7])).coeffs()
    return result


def compile_for_slopes() -> None:
    """Compile the kernels of the first slope ahead."""
    on_floor(
        np.array([0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0]),
        frame_about(np.zeros(2), np.zeros(3), LEVEL_FRAME),
    )


def lean_gravity(terms: Terms, q: Array, up: Array) -> None:
    """Correct the bias of the dynamics for gravity.

    On a slope gravity is not along the normal.

    The first three rows of the mass matrix are the momentum in the base, so gravity
    ``g`` weighs ``M[:3].T R.T g`` on all coordinates.
    """
    more = -GRAVITY * (up - UPWARDS)
    terms.bias[:] -= terms.mass_matrix[:3].T @ (rotation_of(q[3:7]).T @ more)


def carried_over(
    memory: WholeBodyState, old: FloorFrame, new: FloorFrame, centre_height: float
) -> WholeBodyState:
    """Transform the memory to new axes.

    It uses the height of the centre of mass over the soles [m].
    """
    turn = new.rotation.T @ old.rotation
    pivot = new.in_floor

    def moved(place: Array) -> Array:
        return pivot + turn @ (place - pivot)

    def level(place: Array) -> Array:
        return moved(np.array([place[0], place[1], pivot[2]]))[:2]

    steps = memory.stepping
    point = memory.stepping.point
    lifted = moved(np.array([point.position[0], point.position[1], steps.lift_z]))[2]
    target = level(np.array([steps.target.x, steps.target.y]))
    position = point.position.copy()
    velocity = point.velocity.copy()
    acceleration = point.acceleration.copy()
    position[:3] = moved(position[:3])
    velocity[:3] = turn @ velocity[:3]
    acceleration[:3] = turn @ acceleration[:3]
    stepping = SteppingState(
        phase=steps.phase,
        time=steps.time,
        duration=steps.duration,
        swing=steps.swing,
        zmp_from=level(steps.zmp_from),
        zmp_to=level(steps.zmp_to),
        target=Foothold(float(target[0]), float(target[1]), steps.target.yaw),
        lift_z=float(lifted),
        point=SwingPoint(position, velocity, acceleration),
        sliding=steps.sliding,
    )
    return memory._replace(stepping=stepping, height=centre_height, touch=np.zeros(2))


def standing_foot(steps: SteppingState, load: tuple[float, float]) -> int:
    """Return the foot that carries, or will carry next."""
    if steps.phase == STAND:
        return 0 if load[0] >= load[1] else 1
    return 1 - steps.swing


def floor_height(terms: Terms, steps: SteppingState) -> float:
    """Compute the height of the floor under the centre of mass [m].

    It is the one that a tick's targets use.
    """
    if steps.phase in (STAND, TRANSFER):
        return float(0.5 * (terms.position[0, 2] + terms.position[1, 2]))
    return float(terms.position[1 - steps.swing, 2])

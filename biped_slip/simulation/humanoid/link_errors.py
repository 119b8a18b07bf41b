# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
r"""Links that are heavier or lighter than those of the model, each by itself.

Inertia is linear in the bodies, so what the robot's bodies have beyond the model's acts
like a second robot that hangs on the first and moves with it. Its inverse dynamics at
the motion of the whole (recursive Newton-Euler algorithm, [Featherstone2008], table
5.1) are subtracted from the forces on the model,

.. math:: M\,\dot v + h = \tau - (\delta M\,\dot v + \delta h)

and the equation is solved by repeating it with the last :math:`\dot v`: an error
shrinks each time by about the share by which the bodies differ. Motions and forces are
(linear, angular), in the axes of each joint; the first body is the floating base.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from biped_slip.compile.arrays import Array
from biped_slip.compile.kernel import kernel
from biped_slip.constants import GRAVITY
from biped_slip.simulation.humanoid.coordinates import Vector, cross, turned_back


class LinkErrors(NamedTuple):
    """Bodies (b,) beyond those of the model, and the joints that move them.

    Without any all arrays are empty.
    """

    parent: NDArray[np.int64]  # (b,) body that carries each; of the base -1
    rotation: Array  # (b, 3, 3) of each joint at zero, in its parent
    place: Array  # (b, 3) [m]
    axis: Array  # (b, 6) motion of the joint at unit rate
    mass: Array  # (b,) [kg]
    first: Array  # (b, 3) mass times centre, from the joint [kg m]
    second: Array  # (b, 3, 3) moments of inertia about the joint's origin [kg m^2]


class LinkMotion(NamedTuple):
    """Motion of all bodies, and forces that it takes."""

    rotation: Array  # (b, 3, 3) of each joint, in its parent
    place: Array  # (b, 3) [m]
    velocity: Array  # (b, 6)
    acceleration: Array  # (b, 6), as if the base rose with gravity
    force: Array  # (b, 6) [N, N m]


def no_link_errors() -> LinkErrors:
    """Return the links of a robot that is its model."""
    return LinkErrors(
        parent=np.zeros(0, dtype=np.int64),
        rotation=np.zeros((0, 3, 3)),
        place=np.zeros((0, 3)),
        axis=np.zeros((0, 6)),
        mass=np.zeros(0),
        first=np.zeros((0, 3)),
        second=np.zeros((0, 3, 3)),
    )


def heavier_links(model: Any, share: Array, shift: Array) -> list[Any]:
    """Make the inertias of a robot's bodies (b,), each with its own error.

    Args:
        model: of Pinocchio, whose first joint is a free-flyer.
        share: by which each body is heavier (b,), its moments about its centre as well.
        shift: of each body's centre of mass (b, 3), in the axes of its joint [m].
    """
    bodies = [inertia.copy() for inertia in list(model.inertias)[1:]]
    for body, more, way in zip(bodies, share, shift, strict=True):
        body.inertia = (1.0 + more) * body.inertia
        body.mass = (1.0 + more) * body.mass
        body.lever = body.lever + way
    return bodies


def link_errors(model: Any, share: Array, shift: Array) -> LinkErrors:
    """Find what bodies with errors have beyond those of the model.

    Args:
        model: of Pinocchio, whose first joint is a free-flyer.
        share: by which each body is heavier (b,).
        shift: of each body's centre of mass (b, 3) [m].
    """
    bodies = heavier_links(model, share, shift)
    more = [
        body.matrix() - known.matrix()
        for body, known in zip(bodies, list(model.inertias)[1:], strict=True)
    ]
    axes = np.zeros((len(bodies), 6))
    for k, joint in enumerate(list(model.joints)[2:], start=1):
        data = joint.createData()
        joint.calc(data, np.zeros(1))
        axes[k] = np.asarray(data.S).ravel()
    placements = list(model.jointPlacements)[1:]
    # a spatial inertia is [m, -m cx; m cx, I]
    return LinkErrors(
        parent=np.array(list(model.parents)[1:], dtype=np.int64) - 1,
        rotation=np.array([one.rotation for one in placements]),
        place=np.array([one.translation for one in placements]),
        axis=axes,
        mass=np.array([one[0, 0] for one in more]),
        first=np.array([[one[5, 1], one[3, 2], one[4, 0]] for one in more]),
        second=np.array([one[3:, 3:] for one in more]),
    )


@kernel
def times(matrix: Array, x: Vector) -> Vector:
    """Multiply a matrix (3, 3) by a vector."""
    return (
        matrix[0, 0] * x[0] + matrix[0, 1] * x[1] + matrix[0, 2] * x[2],
        matrix[1, 0] * x[0] + matrix[1, 1] * x[1] + matrix[1, 2] * x[2],
        matrix[2, 0] * x[0] + matrix[2, 1] * x[1] + matrix[2, 2] * x[2],
    )


@kernel
def linear(motions: Array, k: int) -> Vector:
    """Return the linear part of row k of motions (b, 6)."""
    return motions[k, 0], motions[k, 1], motions[k, 2]


@kernel
def angular(motions: Array, k: int) -> Vector:
    """Return the angular part of row k of motions (b, 6)."""
    return motions[k, 3], motions[k, 4], motions[k, 5]


@kernel
def place_joint(links: LinkErrors, k: int, angle: float, motion: LinkMotion) -> None:
    """Fill rotation and place of joint k in its parent (Rodrigues).

    Args:
        links: their joints.
        k: which of them.
        angle: of the joint [rad or m].
        motion: filled.
    """
    x, y, z = angular(links.axis, k)
    s = np.sin(angle)
    c = 1.0 - np.cos(angle)
    turn = np.array(
        [
            [1.0 - c * (y * y + z * z), c * x * y - s * z, c * x * z + s * y],
            [c * x * y + s * z, 1.0 - c * (x * x + z * z), c * y * z - s * x],
            [c * x * z - s * y, c * y * z + s * x, 1.0 - c * (x * x + y * y)],
        ]
    )
    way = times(links.rotation[k], linear(links.axis, k))
    for i in range(3):
        motion.place[k, i] = links.place[k, i] + angle * way[i]
        for j in range(3):
            motion.rotation[k, i, j] = (
                links.rotation[k, i, 0] * turn[0, j]
                + links.rotation[k, i, 1] * turn[1, j]
                + links.rotation[k, i, 2] * turn[2, j]
            )


@kernel
def carried_on(motion: LinkMotion, k: int, parent: int, motions: Array) -> None:
    """Fill row k of motions (b, 6) with that of the parent, as of one body."""
    turn = motion.rotation[k].T
    spin = angular(motions, parent)
    before = linear(motions, parent)
    arm = (motion.place[k, 0], motion.place[k, 1], motion.place[k, 2])
    swing = cross(spin, arm)
    moved = (before[0] + swing[0], before[1] + swing[1], before[2] + swing[2])
    line = times(turn, moved)
    own = times(turn, spin)
    for i in range(3):
        motions[k, i] = line[i]
        motions[k, 3 + i] = own[i]


@kernel
def fill_motion(
    links: LinkErrors, q: Array, v: Array, acceleration: Array, motion: LinkMotion
) -> None:
    """Fill the motion of all bodies, from the base outwards.

    Args:
        links: their joints.
        q: coordinates (nq,).
        v: velocities (nv,).
        acceleration: (nv,).
        motion: filled, but for its forces.
    """
    up = turned_back(q, 0.0, 0.0, GRAVITY)
    for i in range(6):
        motion.velocity[0, i] = v[i]
        motion.acceleration[0, i] = acceleration[i]
    for i in range(3):
        motion.acceleration[0, i] += up[i]
    for k in range(1, links.parent.shape[0]):
        rate = v[5 + k]
        place_joint(links, k, q[6 + k], motion)
        carried_on(motion, k, links.parent[k], motion.velocity)
        carried_on(motion, k, links.parent[k], motion.acceleration)
        for i in range(6):
            motion.velocity[k, i] += rate * links.axis[k, i]
            motion.acceleration[k, i] += acceleration[5 + k] * links.axis[k, i]
        # v x S w
        spin = angular(motion.velocity, k)
        turn = cross(spin, angular(links.axis, k))
        line = cross(spin, linear(links.axis, k))
        swing = cross(linear(motion.velocity, k), angular(links.axis, k))
        for i in range(3):
            motion.acceleration[k, i] += rate * (line[i] + swing[i])
            motion.acceleration[k, 3 + i] += rate * turn[i]


@kernel
def momentum(links: LinkErrors, k: int, motions: Array) -> tuple[Vector, Vector]:
    """Multiply row k of motions (b, 6) by the inertia of body k."""
    line = linear(motions, k)
    spin = angular(motions, k)
    mass = links.mass[k]
    first = (links.first[k, 0], links.first[k, 1], links.first[k, 2])
    swing = cross(spin, first)
    turn = cross(first, line)
    own = times(links.second[k], spin)
    return (
        (
            mass * line[0] + swing[0],
            mass * line[1] + swing[1],
            mass * line[2] + swing[2],
        ),
        (turn[0] + own[0], turn[1] + own[1], turn[2] + own[2]),
    )


@kernel
def fill_forces(links: LinkErrors, motion: LinkMotion) -> None:
    """Fill the force that each body takes by itself: I a + v x* I v."""
    for k in range(links.parent.shape[0]):
        spin = angular(motion.velocity, k)
        push, twist = momentum(links, k, motion.acceleration)
        line, turn = momentum(links, k, motion.velocity)
        bend = cross(spin, line)
        gyration = cross(spin, turn)
        swing = cross(linear(motion.velocity, k), line)
        for i in range(3):
            motion.force[k, i] = push[i] + bend[i]
            motion.force[k, 3 + i] = twist[i] + gyration[i] + swing[i]


@kernel
def taken_by_links(
    links: LinkErrors, q: Array, v: Array, acceleration: Array, taken: Array
) -> None:
    """Fill the generalized forces (nv,) that bodies beyond the model's take.

    Args:
        links: these bodies.
        q: coordinates (nq,).
        v: velocities (nv,).
        acceleration: (nv,).
        taken: filled.
    """
    bodies = links.parent.shape[0]
    motion = LinkMotion(
        rotation=np.empty((bodies, 3, 3)),
        place=np.empty((bodies, 3)),
        velocity=np.empty((bodies, 6)),
        acceleration=np.empty((bodies, 6)),
        force=np.empty((bodies, 6)),
    )
    fill_motion(links, q, v, acceleration, motion)
    fill_forces(links, motion)
    for k in range(bodies - 1, 0, -1):
        along = 0.0
        for i in range(6):
            along += links.axis[k, i] * motion.force[k, i]
        taken[5 + k] = along
        parent = links.parent[k]
        push = times(motion.rotation[k], linear(motion.force, k))
        twist = times(motion.rotation[k], angular(motion.force, k))
        arm = (motion.place[k, 0], motion.place[k, 1], motion.place[k, 2])
        lever = cross(arm, push)
        for i in range(3):
            motion.force[parent, i] += push[i]
            motion.force[parent, 3 + i] += twist[i] + lever[i]
    for i in range(6):
        taken[i] = motion.force[0, i]

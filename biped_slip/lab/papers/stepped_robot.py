# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""A whole robot whose contact points are solved for together, as in C.3 and D.2: semi-implicit Euler along a motion.

The joints follow the motion by computed torque with the wrenches that rigid soles would give along it; what the ground
gives instead is the contact rule's. The base is free, or held along some axes in the same way by a guide, whose forces
are recorded.
"""

from __future__ import annotations

from typing import Callable, NamedTuple

import numpy as np
import pinocchio as pin
from numpy.typing import NDArray

from biped_slip.compile.arrays import Array
from biped_slip.config import Configuration, configuration, parameter
from biped_slip.contact.contact_space import ContactSpace, robot_contact_space
from biped_slip.lab.papers.whole_motion import WORLD, RigidDemand, WholeMotion
from biped_slip.robots.humanoid import Humanoid
from biped_slip.robots.humanoid_config import SOLES


@configuration
class ComputedTorqueConfig(Configuration):
    """Error dynamics of every joint, and of the base where it is held."""

    position_gain: float = parameter(1.0e4, unit="1/s^2", above=0.0, high=1e6, source="choice", doc="per error")
    rate_gain: float = parameter(200.0, unit="1/s", low=0.0, high=1e4, source="choice", doc="per error of the rate")


class PointForces(NamedTuple):
    """What a contact rule answers for n points."""

    impulses: Array  # (n, 3) at once [N s]
    forces: Array  # (n, 3) over the step [N]
    touching: NDArray[np.bool_]  # (n,)


ContactRule = Callable[[ContactSpace, Array, Array, float], PointForces]  # space, heights (n,), velocities (n, 3), dt


class Stepped(NamedTuple):
    """What happened, one row a step; four points a foot, left first."""

    time: Array  # (n,) [s]
    q: Array  # (n, nq)
    forces: Array  # (n, 8, 3) with the impulses spread over the step [N]
    touching: NDArray[np.bool_]  # (n, 8)
    place: Array  # (n, 8, 3) of the points [m]
    guide: Array  # (n, 6) force and moment of the guide on the base, in its axes [N, N m]

    @property
    def foot_forces(self) -> Array:
        """Sum over each foot's points (n, 2, 3) [N]."""
        return np.asarray(self.forces.reshape(len(self.time), 2, -1, 3).sum(axis=2))


def landings(touching: NDArray[np.bool_], flight: int) -> list[tuple[int, int]]:
    """Foot and sample of every touchdown after at least so many samples in the air, from touching (n, 8)."""
    found = []
    for foot, down in enumerate(touching.reshape(len(touching), 2, -1).any(axis=2).T):
        samples = np.flatnonzero(down)
        found += [(foot, int(k)) for k in samples[1:][np.diff(samples) > flight]]
    return found


def part_of_points(space: ContactSpace, points: NDArray[np.intp]) -> ContactSpace:
    """The contact space of some of the points."""
    rows = (3 * points[:, None] + np.arange(3)).ravel()
    response, to_joints = space.response[np.ix_(rows, rows)], space.to_joints[:, rows]
    return ContactSpace(response, space.free[rows], np.ascontiguousarray(to_joints), space.free_joints)


def walk_stepped(
    humanoid: Humanoid, motion: WholeMotion, demand: RigidDemand, rule: ContactRule, held: tuple[int, ...] = (),
    aimed: tuple[int, ...] = (), sunk: float = 0.0,
) -> Stepped:  # fmt: skip
    """Run a robot through a motion, one sample a step.

    Args:
        held: axes of the base on a guide: 0, 1, 2 along x, y, z; 3, 4, 5 about them.
        aimed: axes of the base whose errors the joints answer, beside those that the guide holds.
        sunk: depth of the soles at the beginning [m].
    """
    model, points = _with_points(humanoid)
    data, frames = model.createData(), [model.getFrameId(sole) for sole in SOLES]
    time = motion.pattern.time
    dt, q, v = float(time[1] - time[0]), motion.q[0].copy(), motion.v[0].copy()
    q[2] -= sunk
    config, rows = ComputedTorqueConfig(), []
    driven, known = _mask(model.nv, held), _mask(model.nv, held + aimed)
    gains = config.position_gain * known, config.rate_gain * known
    for k in range(len(time)):
        tau = driven * _torques(model, data, frames, (q, v), motion, demand, gains, k)
        space, place, velocity = robot_contact_space(model, data, q, v, tau, points)
        answer = rule(space, place[:, 2], velocity, dt)
        rows.append((q, answer.forces + answer.impulses / dt, answer.touching, place, tau[:6]))
        v = v + space.to_joints @ answer.impulses.ravel()
        v = v + dt * (space.free_joints + space.to_joints @ answer.forces.ravel())
        q = pin.integrate(model, q, dt * v)
    return Stepped(time, *(np.array(column) for column in zip(*rows, strict=True)))


def _mask(size: int, axes: tuple[int, ...]) -> Array:
    """1 for every joint and for some axes of the base, else 0, (size,)."""
    mask = np.ones(size)
    mask[[axis for axis in range(6) if axis not in axes]] = 0.0
    return mask


def _torques(
    model: pin.Model, data: pin.Data, frames: list[int], state: tuple[Array, Array], motion: WholeMotion,
    demand: RigidDemand, gains: tuple[Array, Array], k: int,
) -> Array:  # fmt: skip
    """Generalized forces (nv,) for the motion's accelerations and what brings the errors down, by gains (nv,) each."""
    q, v = state
    error = pin.difference(model, q, motion.q[k])
    wanted = motion.acceleration[k] + gains[0] * error + gains[1] * (motion.v[k] - v)
    tau = pin.rnea(model, data, q, v, wanted)
    pin.computeJointJacobians(model, data, q)
    pin.updateFramePlacements(model, data)
    for frame, wrench in zip(frames, demand.wrenches[k], strict=True):
        tau -= pin.getFrameJacobian(model, data, frame, WORLD).T @ wrench
    return np.asarray(tau)


def _with_points(humanoid: Humanoid) -> tuple[pin.Model, list[int]]:
    """The model with a frame at every corner of both soles."""
    model, points = humanoid.model.copy(), []
    for foot, sole in enumerate(SOLES):
        frame = model.frames[model.getFrameId(sole)]
        for count, corner in enumerate(humanoid.polygon(foot)):
            place = frame.placement * pin.SE3(np.eye(3), np.array([*corner, 0.0]))
            points.append(
                model.addFrame(pin.Frame(f"{sole}_{count}", frame.parentJoint, place, pin.FrameType.OP_FRAME))
            )
    return model, points

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""A walking pattern as motion of all joints, and what it asks of joints and soles when the contact is rigid (E.1)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pinocchio as pin
from scipy.interpolate import CubicSpline

from biped_slip.compile.arrays import Array
from biped_slip.contact.rigid import inverse_dynamics
from biped_slip.errors import BipedSlipError
from biped_slip.lab.papers.flat_gait import FlatGaitConfig, Pattern, Stand, pattern
from biped_slip.robots.humanoid import Humanoid
from biped_slip.robots.humanoid_config import SOLES

KNOTS = 5e-3  # [s] between two solutions of the inverse kinematics; a cubic spline joins them
CORRECTIONS = 2  # rounds; what is left of the limbs' part is millimetres
CLOSE = 1e-10  # [m, rad] left over by the inverse kinematics
WORLD = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED


class WholeMotion(NamedTuple):
    """Coordinates along a pattern, n samples; the base keeps its heading and stays upright."""

    pattern: Pattern
    q: Array  # (n, nq)
    v: Array  # (n, nv)
    acceleration: Array  # (n, nv)

    def every(self, count: int) -> WholeMotion:
        """Each so many samples of it."""
        coarse = Pattern(*(part[::count] for part in self.pattern))
        return WholeMotion(coarse, self.q[::count], self.v[::count], self.acceleration[::count])


class RigidDemand(NamedTuple):
    """What rigid contact asks for along a motion, n samples."""

    torques: Array  # (n, joints) [N m]
    wrenches: Array  # (n, 2, 6) of the ground on each sole, world axes at the sole [N, N m]


def stand_of(humanoid: Humanoid) -> Stand:
    """The standing posture as the beginning of a pattern."""
    model, q = humanoid.model, humanoid.standing()
    data = model.createData()
    pin.framesForwardKinematics(model, data, q)
    soles = np.array([data.oMf[model.getFrameId(sole)].translation for sole in SOLES])
    centre = np.array(humanoid.polygon(0)).mean(axis=0)
    return Stand(soles, centre, float(pin.centerOfMass(model, data, q)[2]))


def whole_motion(humanoid: Humanoid, config: FlatGaitConfig, period: float) -> WholeMotion:
    """The robot's motion along a gait, every ``period`` [s].

    The cart of the pattern has no limbs: what these move the zero-moment point by is taken off and solved again.
    """
    stand, correction = stand_of(humanoid), None
    fine = pattern(config, stand, period)
    for _ in range(CORRECTIONS + 1):
        coarse = pattern(config, stand, KNOTS, correction)
        spline = CubicSpline(coarse.time, _coordinates(humanoid, coarse))
        moved = coarse.zmp - _zero_moment(humanoid, *_motion(humanoid, spline, coarse.time))
        correction = moved if correction is None else correction + moved
    fine = fine._replace(com=CubicSpline(coarse.time, coarse.com)(fine.time))
    return WholeMotion(fine, *_motion(humanoid, spline, fine.time))


def _coordinates(humanoid: Humanoid, course: Pattern) -> Array:
    """Coordinates (n, nq) along a pattern."""
    q, solver, found = humanoid.standing(), _Kinematics(humanoid), []
    for com, soles in zip(course.com, course.soles, strict=True):
        q = solver.solve(q, com, soles)
        found.append(q)
    return np.array(found)


def _motion(humanoid: Humanoid, spline: CubicSpline, time: Array) -> tuple[Array, Array, Array]:
    """Coordinates (n, nq), velocities and accelerations (n, nv); an upright base has the world's axes."""
    places, rates, accelerations = (spline(time, order) for order in range(3))
    v, a = np.zeros((len(places), humanoid.model.nv)), np.zeros((len(places), humanoid.model.nv))
    for filled, known in ((v, rates), (a, accelerations)):
        filled[:, :3], filled[:, 6:] = known[:, :3], known[:, 7:]
    return places, v, a


def _zero_moment(humanoid: Humanoid, places: Array, v: Array, a: Array) -> Array:
    """Where on the floor (n, 2) the ground must push for a motion [m]."""
    model, found = humanoid.model, np.empty((len(places), 2))
    data = model.createData()
    for k in range(len(places)):
        base = pin.rnea(model, data, places[k], v[k], a[k])[:6]  # on an upright base: the world's axes
        moment = base[3:] + np.cross(places[k, :3], base[:3])
        found[k] = -moment[1] / base[2], moment[0] / base[2]
    return found


def rigid_demand(humanoid: Humanoid, motion: WholeMotion, shared: bool) -> RigidDemand:
    """Torques and sole wrenches (8)–(15) of E.1 along a motion.

    Args:
        shared: in double support the feet take the pattern's shares of the load; else the least norm of torques and
            wrenches together, as in the paper, which jumps at every touchdown.
    """
    model = humanoid.model
    data, frames = model.createData(), [model.getFrameId(sole) for sole in SOLES]
    torques = np.zeros((len(motion.q), model.nv - 6))
    wrenches = np.zeros((len(motion.q), 2, 6))
    rows = zip(motion.q, motion.v, motion.acceleration, motion.pattern.share, strict=True)
    for k, (q, v, a, share) in enumerate(rows):
        demand = pin.rnea(model, data, q, v, a)
        pin.computeJointJacobians(model, data, q)
        pin.updateFramePlacements(model, data)
        feet = [foot for foot in range(2) if share[foot] > 1e-9]
        scale = share[feet] if shared else np.ones(len(feet))
        jacobians = np.array([pin.getFrameJacobian(model, data, frames[foot], WORLD) for foot in feet])
        answer = inverse_dynamics(demand, scale[:, None, None] * jacobians)
        torques[k], wrenches[k, feet] = answer.torques, scale[:, None] * answer.wrenches
    return RigidDemand(torques, wrenches)


class _Kinematics:
    """Coordinates for places of the centre of mass and of level soles under an upright base (Newton's method)."""

    def __init__(self, humanoid: Humanoid) -> None:
        self.model = humanoid.model
        self.data = self.model.createData()
        self.frames = [self.model.getFrameId(sole) for sole in SOLES]
        legs = [pin.computeFrameJacobian(self.model, self.data, humanoid.standing(), frame) for frame in self.frames]
        self.moving = np.flatnonzero(np.abs(np.vstack(legs)).max(axis=0))  # what moves no sole keeps its posture

    def solve(self, q: Array, com: Array, soles: Array) -> Array:
        """Coordinates near ``q`` (nq,) for com (3,) and soles (2, 3) [m]."""
        for _ in range(20):
            error, jacobian = self._error(q, com, soles)
            if np.abs(error).max() < CLOSE:
                return q
            step = np.zeros(self.model.nv)
            step[self.moving] = np.linalg.lstsq(jacobian[:, self.moving], error, rcond=1e-12)[0]
            q = pin.integrate(self.model, q, step)
        raise BipedSlipError(f"the pattern can't be reached: {np.abs(error).max():.2g} m or rad are left")

    def _error(self, q: Array, com: Array, soles: Array) -> tuple[Array, Array]:
        model, data = self.model, self.data
        jacobian = [pin.jacobianCenterOfMass(model, data, q).copy()]
        error = [com - data.com[0]]
        pin.updateFramePlacements(model, data)
        upright = np.zeros((3, model.nv))
        upright[:, 3:6] = np.eye(3)
        jacobian.append(upright)
        error.append(-pin.log3(data.oMi[1].rotation))
        for frame, place in zip(self.frames, soles, strict=True):
            jacobian.append(pin.getFrameJacobian(model, data, frame, WORLD))
            error += [place - data.oMf[frame].translation, -pin.log3(data.oMf[frame].rotation)]
        return np.concatenate(error), np.vstack(jacobian)

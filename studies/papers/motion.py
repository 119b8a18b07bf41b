# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Prescribed motions of the papers' robots and the forces that they need."""

from __future__ import annotations

import math
from typing import Any, Callable, NamedTuple

import numpy as np
import pinocchio as pin
from numpy.typing import NDArray
from scipy.interpolate import CubicSpline
from scipy.spatial import ConvexHull

from biped_slip.compile.arrays import Array
from biped_slip.config import Configuration, configuration, parameter
from biped_slip.contact.feedback_linearised import ContactSpace, contact_space
from biped_slip.errors import BipedSlipError
from biped_slip.robots.humanoid import Humanoid
from biped_slip.robots.robot import SOLES
from biped_slip.simulation.humanoid.log import FloatingLog
from biped_slip.simulation.humanoid.plant import FloatingPlant
from studies.papers.gait import FlatGaitConfig, Pattern, Stand, pattern
from studies.papers.mechanics import inverse_dynamics

# A robot made to follow prescribed joint angles by stiff servos, its base free or held
# along some axes.
#
# Held axes are what the papers do with "all motions are functions of time" (B.3, D.3):
# a guide of springs and dampers on the base whose forces are recorded, so that what the
# guide had to give is known.


@configuration
class ServoConfig(Configuration):
    """Position control of every joint, stiff enough to call its motion prescribed."""

    stiffness: float = parameter(
        2.0e5,
        unit="N m/rad",
        above=0.0,
        high=1e6,
        source="choice",
        doc="of every joint",
    )
    damping: float = parameter(
        600.0,
        unit="N m s/rad",
        low=0.0,
        high=1e5,
        source="choice",
        doc="of every joint",
    )


@configuration
class GuideConfig(Configuration):
    """Springs and dampers between the base and its prescribed motion, world axes."""

    axes: tuple[int, ...] = parameter(
        (), doc="held: 0, 1, 2 place x, y, z; 3, 4, 5 rotation about x, y, z"
    )
    stiffness: float = parameter(
        5.0e5, unit="N/m or N m/rad", low=0.0, source="choice", doc="of every held axis"
    )
    damping: float = parameter(
        3.0e3,
        unit="N s/m or N m s/rad",
        low=0.0,
        source="choice",
        doc="of every held axis",
    )


class Motion(NamedTuple):
    """What is prescribed at every control tick."""

    joints: Array  # (ticks, n) [rad]
    rates: Array  # (ticks, n) [rad/s]
    base: Array  # (ticks, 3) place of the base, world [m]; only held axes count
    velocity: Array  # (ticks, 3) [m/s]
    torques: Array  # (ticks, n) added to the servos' [N m]


class Followed(NamedTuple):
    """What happened."""

    log: FloatingLog
    guide: Array  # (rows, 6) force and moment of the guide on the base [N, N m]
    errors: Array  # (rows, n) of the joints [rad]


def motion_of(
    joints: Array,
    period: float,
    base: Array | None = None,
    torques: Array | None = None,
) -> Motion:
    """Build a motion from joint angles (ticks, n) and places of the base (ticks, 3).

    There is one every ``period`` [s].
    """
    base = np.zeros((len(joints), 3)) if base is None else base
    torques = np.zeros_like(joints) if torques is None else torques
    rates = np.gradient(joints, period, axis=0)
    velocity = np.gradient(base, period, axis=0)
    return Motion(
        joints=joints, rates=rates, base=base, velocity=velocity, torques=torques
    )


def follow(
    plant: FloatingPlant,
    motion: Motion,
    servo: ServoConfig,
    guide: GuideConfig,
    every: int,
) -> Followed:
    """Run a plant through a motion, one control period a tick.

    One in every so many ticks is recorded.
    """
    rows = len(motion.joints) // every
    log = FloatingLog(plant, rows)
    wrenches = np.zeros((rows, 6))
    errors = np.zeros((rows, motion.joints.shape[1]))
    for tick in range(rows * every):
        q = plant.state.q
        v = plant.state.v
        error = motion.joints[tick] - q[7:]
        wrench = guide_wrench(q, v, motion.base[tick], motion.velocity[tick], guide)
        if tick % every == 0:
            log.record(plant, plant.observe())
            wrenches[tick // every] = wrench
            errors[tick // every] = error
        torques = (
            servo.stiffness * error
            + servo.damping * (motion.rates[tick] - v[6:])
            + motion.torques[tick]
        )
        plant.advance(torques, wrench)
    return Followed(log, wrenches, errors)


def guide_wrench(
    q: Array, v: Array, place: Array, velocity: Array, guide: GuideConfig
) -> Array:
    """Return force and moment (6,) on the base, in world axes, that bring it back.

    They are for a base that should not turn.
    """
    x = q[3]
    y = q[4]
    z = q[5]
    w = q[6]
    turn = np.array(
        [
            [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - z * w), 2.0 * (x * z + y * w)],
            [2.0 * (x * y + z * w), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - x * w)],
            [2.0 * (x * z - y * w), 2.0 * (y * z + x * w), 1.0 - 2.0 * (x * x + y * y)],
        ]
    )
    angle = 2.0 * math.copysign(1.0, w) * q[3:6]
    held = np.zeros(6)
    held[list(guide.axes)] = 1.0
    force = guide.stiffness * (place - q[:3]) + guide.damping * (
        velocity - turn @ v[:3]
    )
    moment = -guide.stiffness * angle - guide.damping * (turn @ v[3:6])
    return np.asarray(held * np.concatenate((force, moment)))


# The zero-moment point of level soles, and whether it lies in their common convex hull
# (E.1, E.5).

LOADED = 1.0  # [N] a foot with less does not support


class Support(NamedTuple):
    """Over n samples."""

    zmp: Array  # (n, 2) [m], world
    inside: NDArray[np.bool_]  # (n,)
    margin: Array  # (n,) to the nearest edge, positive inside [m]


def support(humanoid: Humanoid, soles: Array, wrenches: Array) -> Support:
    """Compute where the ground pushes, and how far inside the loaded soles.

    Args:
        humanoid: gives the soles' polygons.
        soles: (n, 2, 3) places of level soles that head along x [m].
        wrenches: (n, 2, 6) of the ground on each, world axes at the sole [N, N m].
    """
    force = wrenches[:, :, :3]
    moment = wrenches[:, :, 3:]
    about = (moment + np.cross(soles, force)).sum(axis=1)
    vertical = force[:, :, 2].sum(axis=1)
    zmp = np.column_stack((-about[:, 1], about[:, 0])) / vertical[:, None]
    margin = np.empty(len(zmp))
    corners = [np.array(humanoid.polygon(foot)) for foot in range(2)]
    for k, point in enumerate(zmp):
        loaded = [foot for foot in range(2) if force[k, foot, 2] > LOADED]
        margin[k] = -np.inf
        if loaded:
            hull = ConvexHull(
                np.vstack([corners[foot] + soles[k, foot, :2] for foot in loaded])
            )
            margin[k] = -float((hull.equations @ np.append(point, 1.0)).max())
    return Support(zmp, margin >= 0.0, margin)


# A walking pattern as motion of all joints, and what it asks of joints and soles when
# the contact is rigid (E.1).

# [s] between two solutions of the inverse kinematics; a cubic spline joins them
KNOTS = 5e-3
CORRECTIONS = 2  # rounds; what is left of the limbs' part is millimetres
CLOSE = 1e-10  # [m, rad] left over by the inverse kinematics
WORLD = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED


class WholeMotion(NamedTuple):
    """Coordinates along a pattern, n samples.

    The base keeps its heading and stays upright.
    """

    pattern: Pattern
    q: Array  # (n, nq)
    v: Array  # (n, nv)
    acceleration: Array  # (n, nv)

    def every(self, count: int) -> WholeMotion:
        """Each so many samples of it."""
        coarse = Pattern(*(part[::count] for part in self.pattern))
        return WholeMotion(
            coarse, self.q[::count], self.v[::count], self.acceleration[::count]
        )


class RigidDemand(NamedTuple):
    """What rigid contact asks for along a motion, n samples."""

    torques: Array  # (n, joints) [N m]
    wrenches: (
        Array  # (n, 2, 6) of the ground on each sole, world axes at the sole [N, N m]
    )


def stand_of(humanoid: Humanoid) -> Stand:
    """Take the standing posture as the beginning of a pattern."""
    model = humanoid.model
    q = humanoid.standing()
    data = model.createData()
    pin.framesForwardKinematics(model, data, q)
    soles = np.array([data.oMf[model.getFrameId(sole)].translation for sole in SOLES])
    centre = np.array(humanoid.polygon(0)).mean(axis=0)
    return Stand(soles, centre, float(pin.centerOfMass(model, data, q)[2]))


def whole_motion(
    humanoid: Humanoid, config: FlatGaitConfig, period: float
) -> WholeMotion:
    """Compute the robot's motion along a gait, every ``period`` [s].

    The cart of the pattern has no limbs: what these move the zero-moment point by is
    taken off and solved again.
    """
    stand = stand_of(humanoid)
    correction = None
    fine = pattern(config, stand, period)
    for _ in range(CORRECTIONS + 1):
        coarse = pattern(config, stand, KNOTS, correction)
        spline = CubicSpline(coarse.time, _coordinates(humanoid, coarse))
        moved = coarse.zmp - _zero_moment(
            humanoid, *_motion(humanoid, spline, coarse.time)
        )
        correction = moved if correction is None else correction + moved
    fine = fine._replace(com=CubicSpline(coarse.time, coarse.com)(fine.time))
    return WholeMotion(fine, *_motion(humanoid, spline, fine.time))


def _coordinates(humanoid: Humanoid, course: Pattern) -> Array:
    """Coordinates (n, nq) along a pattern."""
    q = humanoid.standing()
    solver = _Kinematics(humanoid)
    found = []
    for com, soles in zip(course.com, course.soles, strict=True):
        q = solver.solve(q, com, soles)
        found.append(q)
    return np.array(found)


def _motion(
    humanoid: Humanoid, spline: CubicSpline, time: Array
) -> tuple[Array, Array, Array]:
    """Return coordinates (n, nq), velocities and accelerations (n, nv).

    An upright base has the world's axes.
    """
    places, rates, accelerations = (spline(time, order) for order in range(3))
    v = np.zeros((len(places), humanoid.model.nv))
    a = np.zeros((len(places), humanoid.model.nv))
    for filled, known in ((v, rates), (a, accelerations)):
        filled[:, :3], filled[:, 6:] = known[:, :3], known[:, 7:]
    return places, v, a


def _zero_moment(humanoid: Humanoid, places: Array, v: Array, a: Array) -> Array:
    """Where on the floor (n, 2) the ground must push for a motion [m]."""
    model = humanoid.model
    found = np.empty((len(places), 2))
    data = model.createData()
    for k in range(len(places)):
        base = pin.rnea(model, data, places[k], v[k], a[k])[
            :6
        ]  # on an upright base: the world's axes
        moment = base[3:] + np.cross(places[k, :3], base[:3])
        found[k] = -moment[1] / base[2], moment[0] / base[2]
    return found


def rigid_demand(humanoid: Humanoid, motion: WholeMotion, shared: bool) -> RigidDemand:
    """Compute torques and sole wrenches (8)–(15) of E.1 along a motion.

    Args:
        humanoid: robot that moves.
        motion: its prescribed motion, n samples.
        shared: in double support the feet take the pattern's shares of the load; else
            the least norm of torques and wrenches together, as in the paper, which
            jumps at every touchdown.
    """
    model = humanoid.model
    data = model.createData()
    frames = [model.getFrameId(sole) for sole in SOLES]
    torques = np.zeros((len(motion.q), model.nv - 6))
    wrenches = np.zeros((len(motion.q), 2, 6))
    rows = zip(
        motion.q, motion.v, motion.acceleration, motion.pattern.share, strict=True
    )
    for k, (q, v, a, share) in enumerate(rows):
        demand = pin.rnea(model, data, q, v, a)
        pin.computeJointJacobians(model, data, q)
        pin.updateFramePlacements(model, data)
        feet = [foot for foot in range(2) if share[foot] > 1e-9]
        scale = share[feet] if shared else np.ones(len(feet))
        jacobians = np.array(
            [pin.getFrameJacobian(model, data, frames[foot], WORLD) for foot in feet]
        )
        answer = inverse_dynamics(demand, scale[:, None, None] * jacobians)
        torques[k], wrenches[k, feet] = answer.torques, scale[:, None] * answer.wrenches
    return RigidDemand(torques, wrenches)


class _Kinematics:
    """Coordinates for places of the centre of mass and of level soles.

    The base is upright, and Newton's method finds the coordinates.
    """

    def __init__(self, humanoid: Humanoid) -> None:
        self.model = humanoid.model
        self.data = self.model.createData()
        self.frames = [self.model.getFrameId(sole) for sole in SOLES]
        legs = [
            pin.computeFrameJacobian(self.model, self.data, humanoid.standing(), frame)
            for frame in self.frames
        ]
        # what moves no sole keeps its posture
        self.moving = np.flatnonzero(np.abs(np.vstack(legs)).max(axis=0))

    def solve(self, q: Array, com: Array, soles: Array) -> Array:
        """Coordinates near ``q`` (nq,) for com (3,) and soles (2, 3) [m]."""
        for _ in range(20):
            error, jacobian = self._error(q, com, soles)
            if np.abs(error).max() < CLOSE:
                return q
            step = np.zeros(self.model.nv)
            step[self.moving] = np.linalg.lstsq(
                jacobian[:, self.moving], error, rcond=1e-12
            )[0]
            q = pin.integrate(self.model, q, step)
        raise BipedSlipError(
            f"the pattern can't be reached: {np.abs(error).max():.2g} m or rad are left"
        )

    def _error(self, q: Array, com: Array, soles: Array) -> tuple[Array, Array]:
        model = self.model
        data = self.data
        jacobian = [pin.jacobianCenterOfMass(model, data, q).copy()]
        error = [com - data.com[0]]
        pin.updateFramePlacements(model, data)
        upright = np.zeros((3, model.nv))
        upright[:, 3:6] = np.eye(3)
        jacobian.append(upright)
        error.append(-pin.log3(data.oMi[1].rotation))
        for frame, place in zip(self.frames, soles, strict=True):
            jacobian.append(pin.getFrameJacobian(model, data, frame, WORLD))
            error += [
                place - data.oMf[frame].translation,
                -pin.log3(data.oMf[frame].rotation),
            ]
        return np.concatenate(error), np.vstack(jacobian)


# A whole robot whose contact points are solved for together, as in C.3 and D.2:
# semi-implicit Euler along a motion.
#
# The joints follow the motion by computed torque with the wrenches that rigid soles
# would give along it; what the ground gives instead is the contact rule's. The base is
# free, or held along some axes in the same way by a guide, whose forces are recorded.


@configuration
class ComputedTorqueConfig(Configuration):
    """Error dynamics of every joint, and of the base where it is held."""

    position_gain: float = parameter(
        1.0e4, unit="1/s^2", above=0.0, high=1e6, source="choice", doc="per error"
    )
    rate_gain: float = parameter(
        200.0,
        unit="1/s",
        low=0.0,
        high=1e4,
        source="choice",
        doc="per error of the rate",
    )


class PointForces(NamedTuple):
    """What a contact rule answers for n points."""

    impulses: Array  # (n, 3) at once [N s]
    forces: Array  # (n, 3) over the step [N]
    touching: NDArray[np.bool_]  # (n,)


ContactRule = Callable[
    [ContactSpace, Array, Array, float], PointForces
]  # space, heights (n,), velocities (n, 3), dt


class Stepped(NamedTuple):
    """What happened, one row a step; four points a foot, left first."""

    time: Array  # (n,) [s]
    q: Array  # (n, nq)
    forces: Array  # (n, 8, 3) with the impulses spread over the step [N]
    touching: NDArray[np.bool_]  # (n, 8)
    place: Array  # (n, 8, 3) of the points [m]
    guide: (
        Array  # (n, 6) force and moment of the guide on the base, in its axes [N, N m]
    )

    @property
    def foot_forces(self) -> Array:
        """Sum over each foot's points (n, 2, 3) [N]."""
        return np.asarray(self.forces.reshape(len(self.time), 2, -1, 3).sum(axis=2))


def landings(touching: NDArray[np.bool_], flight: int) -> list[tuple[int, int]]:
    """Find foot and sample of every touchdown, from touching (n, 8).

    A touchdown comes after at least so many samples in the air.
    """
    found = []
    for foot, down in enumerate(touching.reshape(len(touching), 2, -1).any(axis=2).T):
        samples = np.flatnonzero(down)
        found += [(foot, int(k)) for k in samples[1:][np.diff(samples) > flight]]
    return found


def part_of_points(space: ContactSpace, points: NDArray[np.intp]) -> ContactSpace:
    """Return the contact space of some of the points."""
    rows = (3 * points[:, None] + np.arange(3)).ravel()
    response = space.response[np.ix_(rows, rows)]
    to_joints = space.to_joints[:, rows]
    return ContactSpace(
        response, space.free[rows], np.ascontiguousarray(to_joints), space.free_joints
    )


def walk_stepped(
    humanoid: Humanoid,
    motion: WholeMotion,
    demand: RigidDemand,
    rule: ContactRule,
    held: tuple[int, ...] = (),
    aimed: tuple[int, ...] = (),
    sunk: float = 0.0,
) -> Stepped:
    """Run a robot through a motion, one sample a step.

    Args:
        humanoid: robot that moves.
        motion: prescribed motion, n samples.
        demand: torques and wrenches of the rigid model along it.
        rule: contact rule, from the contact space to forces and impulses.
        held: axes of the base on a guide: 0, 1, 2 along x, y, z; 3, 4, 5 about them.
        aimed: axes of the base whose errors the joints answer, beside those that the
            guide holds.
        sunk: depth of the soles at the beginning [m].
    """
    model, points = _with_points(humanoid)
    data = model.createData()
    frames = [model.getFrameId(sole) for sole in SOLES]
    time = motion.pattern.time
    dt = float(time[1] - time[0])
    q = motion.q[0].copy()
    v = motion.v[0].copy()
    q[2] -= sunk
    config = ComputedTorqueConfig()
    rows = []
    driven = _mask(model.nv, held)
    known = _mask(model.nv, held + aimed)
    gains = config.position_gain * known, config.rate_gain * known
    for k in range(len(time)):
        tau = driven * _torques(model, data, frames, (q, v), motion, demand, gains, k)
        space, place, velocity = robot_contact_space(model, data, q, v, tau, points)
        answer = rule(space, place[:, 2], velocity, dt)
        rows.append(
            (q, answer.forces + answer.impulses / dt, answer.touching, place, tau[:6])
        )
        v = v + space.to_joints @ answer.impulses.ravel()
        v = v + dt * (space.free_joints + space.to_joints @ answer.forces.ravel())
        q = pin.integrate(model, q, dt * v)
    return Stepped(time, *(np.array(column) for column in zip(*rows, strict=True)))


def robot_contact_space(
    model: Any, data: Any, q: Array, v: Array, torque: Array, frames: list[int]
) -> tuple[ContactSpace, Array, Array]:
    """Build the contact space of a Pinocchio model at frames, with world axes.

    The frames mark its contact points.

    Also the points' positions (n, 3) [m] and velocities (n, 3) [m/s]; ``torque`` (nv,)
    is without contact.
    """
    axes = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
    pin.forwardKinematics(model, data, q, v, np.zeros(model.nv))
    pin.computeJointJacobians(model, data, q)
    pin.updateFramePlacements(model, data)
    mass = pin.crba(model, data, q)
    mass = np.triu(mass) + np.triu(mass, 1).T
    bias = pin.nonLinearEffects(model, data, q, v)
    jacobian = np.vstack(
        [pin.getFrameJacobian(model, data, frame, axes)[:3] for frame in frames]
    )
    drift = np.concatenate(
        [pin.getFrameClassicalAcceleration(model, data, f, axes).linear for f in frames]
    )
    position = np.array([data.oMf[frame].translation for frame in frames])
    space = contact_space(mass, torque, bias, np.ascontiguousarray(jacobian), drift)
    return space, position, (jacobian @ v).reshape(-1, 3)


def _mask(size: int, axes: tuple[int, ...]) -> Array:
    """1 for every joint and for some axes of the base, else 0, (size,)."""
    mask = np.ones(size)
    mask[[axis for axis in range(6) if axis not in axes]] = 0.0
    return mask


def _torques(
    model: pin.Model,
    data: pin.Data,
    frames: list[int],
    state: tuple[Array, Array],
    motion: WholeMotion,
    demand: RigidDemand,
    gains: tuple[Array, Array],
    k: int,
) -> Array:
    """Compute generalized forces (nv,) for the motion's accelerations.

    They include what brings the errors down, by gains (nv,) each.
    """
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
    """Add a frame at every corner of both soles to the model."""
    model = humanoid.model.copy()
    points = []
    for foot, sole in enumerate(SOLES):
        frame = model.frames[model.getFrameId(sole)]
        for count, corner in enumerate(humanoid.polygon(foot)):
            place = frame.placement * pin.SE3(np.eye(3), np.array([*corner, 0.0]))
            points.append(
                model.addFrame(
                    pin.Frame(
                        f"{sole}_{count}",
                        frame.parentJoint,
                        place,
                        pin.FrameType.OP_FRAME,
                    )
                )
            )
    return model, points

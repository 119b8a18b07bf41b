# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Body: what whole-body control must know of a robot beside its dynamics.

Which joints walk and which counter the legs, how far they go, where forces act on the
soles, and the leg as a planar linkage (:class:`Leg`), all measured once from the
robot's model in its standing posture.
"""

from __future__ import annotations

import math
from itertools import product
from typing import Any, NamedTuple, Sequence

import numpy as np
import pinocchio as pin

from biped_slip.compile.arrays import Array
from biped_slip.control.whole_body.tasks import Turning
from biped_slip.control.whole_body.tick_program import RobotConstants
from biped_slip.robots.humanoid import moment_arm
from biped_slip.robots.robot import Robot
from biped_slip.robots.standing_posture import knee_halves

# [rad] a knee keeps at least this bend: beyond it the leg's Jacobian is singular
# (choice)
STRAIGHTEST = 0.15
RANGE_MARGIN = 0.02  # [rad] from the joint limits (choice)
# of the body's inertia about the vertical that a joint must turn to counter the legs
# (choice)
COUNTERWEIGHT = 0.25
LEAST_SOLE = 0.25  # of the usable sole that the weakest ankle uses (choice)
# of a joint's axis along the vertical, or a knee's, from which it turns about that
# (choice)
UPRIGHT = 0.7


class Body(NamedTuple):
    """Biped of a whole-body controller."""

    robot: Robot
    program: RobotConstants
    posture: Array  # (n,) joint positions to keep to where nothing else is asked [rad]
    lowest: Array  # (nl,) of the joints that the program moves [rad]
    highest: Array  # (nl,)
    fastest: Array  # (nl,) speed limits [rad/s]
    # of the centre of mass over the soles in the standing posture [m]
    centre_height: float
    width: float  # between the soles in the standing posture [m]

    @property
    def model(self) -> Any:
        """Return Pinocchio's model, with a free-flyer root."""
        return self.robot.model

    @property
    def soles(self) -> tuple[int, int]:
        """Return the frame indices of the soles."""
        left, right = self.robot.soles
        return self.model.getFrameId(left), self.model.getFrameId(right)

    @property
    def counterweights(self) -> list[int]:
        """Return velocity indices of the joints that counter the legs."""
        program = self.program
        found: list[int] = program.moved[program.moved.size - program.waists :].tolist()
        return found

    @property
    def middle(self) -> Array:
        """Return the middle (2, 2) of each sole in its frame [m]."""
        corners = self.program.corners[:, :, :2]
        middle: Array = 0.5 * (corners.min(axis=1) + corners.max(axis=1))
        return middle

    @property
    def half_size(self) -> Array:
        """Return the half length and width (2,) of a sole [m].

        They are zero for a point foot.
        """
        size: Array = 0.5 * np.ptp(self.program.corners[0, :, :2], axis=0)
        return size


def body_of(floating: Robot, corners: Array, standing: Array, efforts: Array) -> Body:
    """Build a body from a robot model.

    Args:
        floating: a robot whose base floats.
        corners: (2, n, 3) of the soles in their frames [m]; n = 1 is a point foot.
        standing: (nq,) coordinates of the standing posture.
        efforts: (n,) largest joint torques [N m].
    """
    model = floating.model
    frames = [model.getFrameId(sole) for sole in floating.soles]
    chains = leg_chains(model, frames)
    walking = [model.idx_vs[joint] for chain in chains for joint in chain]
    waists = _counterweights(model, chains, standing)
    moved = np.array(walking + waists)
    lowest, highest = _joint_ranges(model, frames, chains, moved, standing)
    height, width = _standing_size(model, frames, standing)
    corners = np.asarray(corners, dtype=float)
    constants = RobotConstants(
        mass=float(sum(inertia.mass for inertia in model.inertias)),
        moved=moved,
        waists=len(waists),
        rest=np.setdiff1d(np.arange(6, model.nv), moved),
        effort=efforts[moved - 6].copy(),
        corners=corners,
        force_points=_force_points(corners),
    )
    return Body(
        robot=floating,
        program=constants,
        posture=np.array(standing[7:]),
        lowest=lowest,
        highest=highest,
        fastest=np.array(model.velocityLimit[moved]),
        centre_height=height,
        width=width,
    )


def _joint_ranges(
    model: Any,
    frames: list[int],
    chains: list[list[int]],
    moved: Array,
    standing: Array,
) -> tuple[Array, Array]:
    """Return the ends (nl,) of the moved joints' ranges [rad].

    A margin of the joint limits is kept, and knees stay as bent as their Jacobian
    needs, to the side to which they bend in the ``standing`` posture.
    """
    data = model.createData()
    pin.computeJointJacobians(model, data, standing)
    pin.updateFramePlacements(model, data)
    lowest = model.lowerPositionLimit[moved + 1] + RANGE_MARGIN
    highest = model.upperPositionLimit[moved + 1] - RANGE_MARGIN
    for chain, frame in zip(chains, frames, strict=True):
        knees = _knees(model, data, chain, frame)
        for joint in knees:
            knee = model.idx_vs[joint]
            k = int(np.flatnonzero(moved == knee)[0])
            if standing[knee + 1] > 0.0:
                lowest[k] = max(lowest[k], STRAIGHTEST / len(knees))
            else:
                highest[k] = min(highest[k], -STRAIGHTEST / len(knees))
    return lowest, highest


def _standing_size(
    model: Any, frames: list[int], standing: Array
) -> tuple[float, float]:
    """Measure the centre of mass over the soles, and the soles apart [m]."""
    data = model.createData()
    pin.framesForwardKinematics(model, data, standing)
    pin.centerOfMass(model, data, standing)
    left, right = (data.oMf[frame].translation for frame in frames)
    height = float(data.com[0][2] - 0.5 * (left[2] + right[2]))
    width = float(np.hypot(*(left - right)[:2]))
    return height, width


class SoleUse(NamedTuple):
    """How much of the soles the centre of pressure may use, along and across."""

    share: tuple[float, float]  # of half length and half width, about the middle
    # [m] about the axes of the ankle: where the pressure is further away its torque
    # does not hold it
    reach: tuple[float, float]


def with_smaller_soles(body: Body, use: SoleUse) -> Body:
    """Shrink the soles to what the centre of pressure may use.

    A weak ankle holds no pressure far ahead of it, and none far behind: a heel that is
    near stays whole.
    """
    corners = body.program.corners.copy()
    corners[:, :, :2] = body.middle[:, None] + np.array(use.share) * (
        corners[:, :, :2] - body.middle[:, None]
    )
    ankles = ankle_places(body)
    for foot, k in product((0, 1), (0, 1)):
        along = corners[foot, :, k]
        low, high = within_reach(
            float(along.min()), float(along.max()), float(ankles[foot, k]), use.reach[k]
        )
        corners[foot, :, k] = np.clip(along, low, high)
    return body._replace(program=body.program._replace(corners=corners))


def within_reach(
    low: float, high: float, ankle: float, reach: float
) -> tuple[float, float]:
    """Return the part of a sole, from ``low`` to ``high``, within reach of an ankle.

    At least ``LEAST_SOLE`` of it is left, as near to the ankle as it may be.
    """
    least = 0.5 * LEAST_SOLE * (high - low)
    begin = max(low, ankle - reach)
    end = min(high, ankle + reach)
    if end - begin >= 2.0 * least:
        return begin, end
    middle = min(max(ankle, low + least), high - least)
    return middle - least, middle + least


def ankle_places(body: Body) -> Array:
    """Measure the ankles' axes in the soles (2, 2) [m].

    Those are x of the axis that pitches the foot and y of that which rolls it, in the
    standing posture; the middle of the sole where a leg has no such joint.
    """
    model = body.model
    data = model.createData()
    q = pin.neutral(model)
    q[7:] = body.posture
    pin.computeJointJacobians(model, data, q)
    pin.updateFramePlacements(model, data)
    places = body.middle.copy()
    soles = body.soles
    for foot, chain in enumerate(leg_chains(model, soles)):
        found = _bends(model, data, chain, soles[foot])
        for k, joints in enumerate(((found.ankle,), found.rolls)):
            for joint in joints:
                if joint > 0:
                    place = data.oMf[soles[foot]].actInv(data.oMi[joint].translation)
                    places[foot, k] = place[k]
    return places


def _counterweights(model: Any, chains: list[list[int]], standing: Array) -> list[int]:
    """List velocity indices of joints outside the legs that act as a waist.

    They turn much of the body about the vertical.

    A swinging leg's momentum about the vertical goes there, or into the floor as a
    moment that uses friction up.
    """
    data = model.createData()
    turned = np.abs(pin.ccrba(model, data, standing, np.zeros(model.nv))[5])
    legs = {joint for chain in chains for joint in chain}
    return [
        model.idx_vs[joint]
        for joint in range(2, model.njoints)
        if joint not in legs
        and turned[model.idx_vs[joint]] >= COUNTERWEIGHT * turned[5]
    ]


def largest_friction(body: Body, share: float) -> Array:
    """Return torques (n,) [N m] up to which joint friction is compensated.

    They are ``share`` of what each leg joint can give, beside the friction that the
    robot's description says of it.

    None of joints that turn the body about the vertical: what a force sensor feels of
    other forces in that moment is as large as their friction, and would turn a waist
    that counters the legs.
    """
    model = body.model
    data = body.model.createData()
    q = pin.neutral(body.model)
    q[7:] = body.posture
    axes = np.abs(pin.computeJointJacobians(model, data, q)[5])
    program = body.program
    largest = np.zeros(model.nv - 6)
    legs = program.moved[: program.moved.size - program.waists]
    largest[legs - 6] = share * program.effort[: legs.size] + model.friction[legs]
    largest[axes[6:] > UPRIGHT] = 0.0
    return largest


def _force_points(corners: Array) -> Array:
    """Move the corners (2, n, 3) towards the middle.

    They go until they hold the moment of a sole with even pressure.
    """
    middle = 0.5 * (corners.min(axis=1) + corners.max(axis=1))[:, None]
    out = corners - middle
    reach = np.linalg.norm(out[0, :, :2], axis=1).mean()
    return (
        middle + (moment_arm(corners[0, :, :2]) / reach if reach > 0.0 else 0.0) * out
    )


def leg_chains(model: Any, frames: Sequence[int]) -> list[list[int]]:
    """List the joints of both legs, from the hip to the frames (two) of the soles.

    What both hang on, as a waist below the base, is no leg.
    """
    chains = [
        [
            joint
            for joint in model.supports[model.frames[frame].parentJoint]
            if joint > 1
        ]
        for frame in frames
    ]
    return [
        [joint for joint in own if joint not in other]
        for own, other in zip(chains, chains[::-1], strict=True)
    ]


def _knee(data: Any, chain: list[int], frame: int) -> int:
    """Find the joint of a leg that is furthest from both its hip and its sole.

    ``data`` has the places of joints and frames.
    """
    hip = data.oMi[chain[0]].translation
    sole = data.oMf[frame].translation

    def apart(joint: int) -> float:
        place = data.oMi[joint].translation
        return float(min(np.linalg.norm(place - hip), np.linalg.norm(place - sole)))

    return max(chain, key=apart)


def _knees(model: Any, data: Any, chain: list[int], frame: int) -> tuple[int, ...]:
    """Find the joints of a knee: two halves of one that rolls, else one.

    ``data`` has joint Jacobians and frames.
    """
    axes = np.array([data.J[3:, model.idx_vs[joint]] for joint in chain])
    places = [data.oMi[joint].translation for joint in chain]
    places.append(data.oMf[frame].translation)
    at = chain.index(_knee(data, chain, frame))
    return tuple(chain[one] for one in knee_halves(axes, np.array(places), at))


class _Bends(NamedTuple):
    """Joints of a leg that bend it, from the hip down."""

    hip: int
    knees: tuple[int, ...]  # two halves of a knee that rolls, else one
    ankle: int  # 0 where the foot is a point
    rolls: tuple[int, ...]  # joints that roll the foot
    hip_rolls: tuple[int, ...]  # joints that roll the leg


def _bends(model: Any, data: Any, chain: list[int], frame: int) -> _Bends:
    """Tell hip, knee and ankle apart among the joints that turn about the knee's axis.

    Where no joint is above the knee, the hip is the leg's first.

    ``data`` has joint Jacobians and frames.
    """
    axes = {joint: data.J[3:, model.idx_vs[joint]] for joint in chain}
    knees = _knees(model, data, chain, frame)
    bends = [
        joint for joint in chain if abs(float(axes[joint] @ axes[knees[0]])) > UPRIGHT
    ]
    first = bends.index(knees[0])
    last = bends.index(knees[-1])
    ahead = data.oMf[frame].rotation[:, 0]
    rolls = [joint for joint in chain if abs(float(axes[joint] @ ahead)) > UPRIGHT]
    pitches = last + 1 < len(bends)
    return _Bends(
        hip=bends[first - 1] if first else chain[0],
        knees=knees,
        ankle=bends[last + 1] if pitches else 0,
        rolls=tuple(joint for joint in rolls if pitches and joint > bends[last]),
        hip_rolls=tuple(joint for joint in rolls if joint < bends[first]),
    )


def ankle_joints(model: Any, frames: Sequence[int], q: Array) -> list[list[int]]:
    """List the joints below the shin of both legs; none where the foot is a point.

    Args:
        model: Pinocchio model with a free-flyer root.
        frames: of the soles, two.
        q: coordinates (nq,) of the standing posture.
    """
    data = model.createData()
    pin.computeJointJacobians(model, data, q)
    pin.updateFramePlacements(model, data)
    found = []
    for chain, frame in zip(leg_chains(model, frames), frames, strict=True):
        bends = _bends(model, data, chain, frame)
        below = chain[chain.index(bends.knees[-1]) + 1 :]
        found.append(below if bends.ankle else [])
    return found


class Leg(NamedTuple):
    """Left leg in the plane of its knee, in the standing posture; x forward."""

    hip: int  # joints; the ankle is 0 where the foot is a point
    knees: tuple[int, ...]  # two halves of one that rolls, else one
    ankle: int
    rolls: tuple[int, ...]  # joints of the ankle that roll the foot
    hip_rolls: tuple[int, ...]  # joints of the hip that roll the leg
    thigh: float  # between the axes of hip and knee, or the middle of its halves [m]
    shin: float  # between knee and ankle [m]
    vertical: float  # hip over ankle [m]
    radius: float  # hip over sole [m]
    aside: float  # axis that rolls the leg, from the middle between the soles [m]
    above: float  # that axis over the sole [m]
    ahead: float  # centre of mass ahead of the hip [m]
    middle: float  # middle of the sole ahead of the ankle [m]
    # 1 where the knee lies ahead of the line from hip to ankle, -1 behind
    forward: float
    moment: float  # of inertia about the hip, straight, rotor included [kg m^2]

    @property
    def longest(self) -> float:
        """Return the distance of hip and ankle with the knee at its straightest [m]."""
        return math.sqrt(
            self.thigh**2
            + self.shin**2
            + 2.0 * self.thigh * self.shin * math.cos(STRAIGHTEST)
        )

    def offset(self, length: float) -> float:
        """Compute the knee's offset from the line hip to ankle [m].

        It depends on their distance [m].
        """
        along = (length**2 + self.thigh**2 - self.shin**2) / (2.0 * length)
        return math.sqrt(max(self.thigh**2 - along**2, 0.0))


def leg_of(body: Body) -> Leg:
    """Measure the left leg of a body."""
    model = body.model
    frame = body.soles[0]
    chain = leg_chains(model, body.soles)[0]
    data, centre = _at_posture(body)
    bends = _bends(model, data, chain, frame)
    sole = data.oMf[frame].translation
    others = data.oMf[body.soles[1]].translation
    rolling = data.oMi[(bends.hip_rolls or (bends.hip,))[-1]].translation
    shape = _linkage(data, bends, sole)
    top = shape.hip
    low = shape.ankle
    along = (top - low) / np.linalg.norm(top - low)
    aside = float((shape.knee - low) @ np.array([along[1], -along[0]]))
    return Leg(
        hip=bends.hip,
        knees=bends.knees,
        ankle=bends.ankle,
        rolls=bends.rolls,
        hip_rolls=bends.hip_rolls,
        thigh=shape.thigh,
        shin=shape.shin,
        vertical=float((top - low)[1]),
        radius=float(top[1] - sole[2]),
        aside=float(rolling[1] - 0.5 * (sole[1] + others[1])),
        above=float(rolling[2] - sole[2]),
        ahead=float(centre[0] - top[0]),
        middle=float(body.middle[0, 0] + sole[0] - low[0]),
        forward=math.copysign(1.0, aside),
        moment=_moment_about(model, data, chain, bends.hip),
    )


def _at_posture(body: Body) -> tuple[Any, Array]:
    """Return Pinocchio's data in a body's posture, and its centre of mass (3,) [m]."""
    model = body.model
    data = model.createData()
    q = pin.neutral(model)
    q[7:] = body.posture
    pin.computeJointJacobians(model, data, q)
    pin.updateFramePlacements(model, data)
    return data, pin.centerOfMass(model, data, q)


class _Linkage(NamedTuple):
    """A leg as two links; places (2,) along x and z [m]."""

    hip: Array
    knee: Array  # in the middle between its halves
    ankle: Array  # the sole where the foot is a point
    thigh: float  # [m]
    shin: float


def _linkage(data: Any, bends: _Bends, sole: Array) -> _Linkage:
    """Measure a leg's links; half of a gap between two knees belongs to each."""
    top, upper, lower, low = (
        np.array([place[0], place[2]])
        for place in (
            data.oMi[bends.hip].translation,
            data.oMi[bends.knees[0]].translation,
            data.oMi[bends.knees[-1]].translation,
            data.oMi[bends.ankle].translation if bends.ankle else sole,
        )
    )
    between = float(np.linalg.norm(upper - lower))
    return _Linkage(
        hip=top,
        knee=0.5 * (upper + lower),
        ankle=low,
        thigh=float(np.linalg.norm(top - upper)) + 0.5 * between,
        shin=float(np.linalg.norm(lower - low)) + 0.5 * between,
    )


def _moment_about(model: Any, data: Any, chain: list[int], hip: int) -> float:
    """Compute the leg's moment of inertia about its hip [kg m^2], rotor included."""
    place = data.oMi[hip].translation
    moment = model.armature[model.idx_vs[hip]]
    for joint in chain[chain.index(hip) :]:
        inertia = data.oMi[joint].act(model.inertias[joint])
        moment += inertia.mass * float(
            np.sum((inertia.lever - place)[[0, 2]] ** 2)
        ) + float(inertia.inertia[1, 1])
    return float(moment)


SWAYED = 1.5  # (choice: it sways half-way to the stance foot)
TURN_SHARE = (
    0.6  # of the hips' range; the rest is for what the plan doesn't know (choice)
)


def turning_of(body: Body) -> Turning:
    """Compute how the legs' swing turns the body.

    The result is zeros where a waist counters them, and for points.

    With level soles and the base's tilt at rest (joint rates of least norm) in the
    standing posture; while one foot carries, the centre of mass is ``SWAYED`` times as
    far from the swing leg.
    """
    model = body.model
    data = body.model.createData()
    legs = body.program.moved
    if body.program.waists or body.program.corners.shape[1] < 3:
        return Turning(0.0, 0.0, 0.0)
    q = pin.neutral(model)
    q[7:] = body.posture
    momentum = pin.ccrba(model, data, q, np.zeros(model.nv))[5]
    pin.computeJointJacobians(model, data, q)
    soles = np.vstack(
        [
            pin.getFrameJacobian(model, data, sole, pin.LOCAL_WORLD_ALIGNED)
            for sole in body.soles
        ]
    )
    rates = np.linalg.pinv(soles[:, 6:])
    lever = SWAYED * float(np.max(np.abs(momentum[6:] @ rates[:, (0, 6)])))
    inertia = float(momentum[5] - momentum[6:] @ rates @ soles[:, 5])
    yaws = np.abs(data.J[5, legs]) > UPRIGHT
    reach = np.minimum(body.highest, -body.lowest)[yaws]
    return Turning(
        lever, inertia, TURN_SHARE * float(reach.min()) if yaws.any() else 0.0
    )

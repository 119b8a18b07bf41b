# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
r"""A posture to stand in: knees bent a little, soles level under the hips.

Each leg solves seven equations by damped least squares within its ranges: its sole is
turned as the base (three), lies under the place where it hangs with straight legs,
moved until the centre of mass is :data:`AHEAD` of the way from the ankles to the middle
of the soles (two), and its knee has the asked bend (one), which halves that roll on
each other share. Axes may have any order and
sign, for no equation names them. A knee is straight at 0, or where its leg is longest
in a description that is drawn with knees bent by more than is asked.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Sequence

import numpy as np
import pinocchio as pin

from biped_slip.compile.arrays import Array
from biped_slip.robots.legs import DescribedLegs

BEND = 0.4  # [rad] of the knees: the leg can still be stretched (choice)
POINT_BEND = 1.57  # [rad] of the knees over point feet: what Bolt stands with
AHEAD = 0.5  # of the way from ankle to middle of the sole: centre of mass (choice)
INSIDE = 0.02  # [rad] from the ends of a range (choice)
ROUNDS = 60
KNEE_ANGLES = 200  # of its range, at which a leg's length is looked at
SOLVER_DAMPING = 1e-4
LARGEST_SOLE_TILT = 0.03  # [rad] a sole may tilt in a posture that counts as found
PARALLEL = 0.7  # cosine between two axes about which a leg bends (choice)
WEIGHT_OF_TURN = 0.3  # [m/rad] lever that makes turns comparable with ways (choice)


class StandingPosture(NamedTuple):
    """A posture and how well it stands.

    Attributes:
        q: (nq,) coordinates.
        tilt: largest angle between a sole and the floor [rad].
        stopped: names of leg joints at an end of their range.
    """

    q: Array
    tilt: float
    stopped: tuple[str, ...]


class _Bend(NamedTuple):
    """Knee of a leg and its angle [rad]."""

    halves: tuple[int, ...]  # joints: two where a knee rolls, else one
    signs: Array  # of their turns about the knee's axis
    angle: float  # of all of them together
    level: float  # weight of a level sole: 0 for a point foot


def knee_of(model: Any, chain: Sequence[int], sole: Any) -> int:
    """Find the joint between the two long links of a leg.

    Args:
        model: Pinocchio's.
        chain: joints from hip to foot.
        sole: placement of the sole in the last of them.
    """
    arms = [
        float(np.linalg.norm(model.jointPlacements[joint].translation))
        for joint in chain
    ]
    arms.append(float(np.linalg.norm(sole.translation)))
    inner = range(1, len(chain))
    return chain[max(inner, key=lambda i: min(arms[i], arms[i + 1]))]


def knee_halves(axes: Array, places: Array, knee: int) -> tuple[int, ...]:
    """Find the joints that bend a knee: two halves of one that rolls, else one.

    Of the joints that turn about the knee's axis, the longest ways between neighbours,
    up and down from the knee, are thigh and shin.

    Args:
        axes: (n, 3) of a leg's joints from the hip down, in the base.
        places: (n + 1, 3) of them and of the sole [m].
        knee: place of it among them, from 0.
    """
    bends = np.flatnonzero(np.abs(axes @ axes[knee]) > PARALLEL)
    ways = np.linalg.norm(np.diff(places[[*bends, len(axes)]], axis=0), axis=1)
    middle = int(np.flatnonzero(bends == knee)[0])
    first = 1 + int(np.argmax(ways[:middle])) if middle else 0
    last = middle + int(np.argmax(ways[middle:]))
    return tuple(map(int, bends[first : last + 1]))


def find_posture(
    model: Any,
    q: Array,
    legs: DescribedLegs,
    soles: Sequence[Any],
    middle: float,
    on_points: bool = False,
) -> StandingPosture:
    """Find a posture to stand in.

    Args:
        model: Pinocchio's, with a free-flyer root whose base looks along x.
        q: (nq,) coordinates to begin with; other joints keep theirs.
        legs: of the robot.
        soles: placements of the soles in their joints.
        middle: of the soles ahead of the ankles [m].
        on_points: whether the feet are points, which may have any turn.
    """
    q = q.copy()
    data = model.createData()
    starts = [_sole_place(model, data, q, legs, soles, foot) for foot in (0, 1)]
    bends = [_bent(model, q, legs, soles, foot, on_points) for foot in (0, 1)]
    for bend in bends:
        at = [model.idx_qs[one] for one in bend.halves]
        left = bend.angle - bend.signs @ q[at]
        q[at] += bend.signs * left / len(at)
    for _ in range(ROUNDS):
        ahead = float(pin.centerOfMass(model, data, q)[0])
        for foot in (0, 1):
            target = np.array([ahead - AHEAD * middle, starts[foot].translation[1]])
            _step(model, data, q, legs.joints[foot], soles[foot], target, bends[foot])
    pin.forwardKinematics(model, data, q)
    ups = [
        (data.oMi[legs.joints[foot][-1]] * soles[foot]).rotation[2, 2]
        for foot in (0, 1)
    ]
    tilt = float(np.arccos(np.clip(min(ups), -1.0, 1.0)))
    return StandingPosture(q=q, tilt=tilt, stopped=_stopped(model, q, legs))


def _stopped(model: Any, q: Array, legs: DescribedLegs) -> tuple[str, ...]:
    found = []
    for joint in (joint for chain in legs.joints for joint in chain):
        at = model.idx_qs[joint]
        ends = (model.lowerPositionLimit[at], model.upperPositionLimit[at])
        if min(abs(q[at] - end) for end in ends) <= 1.5 * INSIDE:
            found.append(str(model.names[joint]))
    return tuple(found)


def _sole_place(
    model: Any,
    data: Any,
    q: Array,
    legs: DescribedLegs,
    soles: Sequence[Any],
    foot: int,
) -> Any:
    pin.forwardKinematics(model, data, q)
    return data.oMi[legs.joints[foot][-1]] * soles[foot]


def _bent(
    model: Any,
    q: Array,
    legs: DescribedLegs,
    soles: Sequence[Any],
    foot: int,
    on_points: bool,
) -> _Bend:
    """Return the knee and the angle at which it is bent, forward if it can be."""
    asked = POINT_BEND if on_points else BEND
    chain = legs.joints[foot]
    knee = knee_of(model, chain, soles[foot])
    at = model.idx_qs[knee]
    low = model.lowerPositionLimit[at]
    high = model.upperPositionLimit[at]
    straight = _straight(model, q, chain, knee, soles[foot])
    rooms = {1.0: high - straight, -1.0: straight - low}
    sides = [side for side, room in rooms.items() if room > asked]
    if not sides:
        sides = [max(rooms, key=lambda side: rooms[side])]
    data = model.createData()

    def behind(side: float) -> float:
        """Return how far the foot goes backwards as the knee bends alone."""
        bent = q.copy()
        bent[at] = straight + side * asked
        place = _sole_place(model, data, bent, legs, soles, foot)
        return float(place.translation[0])

    side = min(sides, key=behind)
    angle = straight + side * min(asked, rooms[side])
    halves, signs = _halves(model, q, chain, knee, soles[foot])
    others = sum(
        sign * q[model.idx_qs[one]]
        for one, sign in zip(halves, signs, strict=True)
        if one != knee
    )
    return _Bend(
        halves=halves,
        signs=signs,
        angle=angle + float(others),
        level=0.0 if on_points else WEIGHT_OF_TURN,
    )


def _halves(
    model: Any, q: Array, chain: Sequence[int], knee: int, sole: Any
) -> tuple[tuple[int, ...], Array]:
    """Return the joints of a knee, and the signs of their turns about its axis."""
    data = model.createData()
    pin.computeJointJacobians(model, data, q)
    columns = [model.idx_vs[joint] for joint in chain]
    axes = np.asarray(data.J)[3:, columns].T
    end = (data.oMi[chain[-1]] * sole).translation
    places = np.array([*(data.oMi[joint].translation for joint in chain), end])
    at = list(chain).index(knee)
    found = knee_halves(axes, places, at)
    signs = np.sign(axes[list(found)] @ axes[at])
    return tuple(chain[one] for one in found), signs


def _straight(
    model: Any, q: Array, chain: Sequence[int], knee: int, sole: Any
) -> float:
    """Return the angle of a knee whose leg is straight [rad]."""
    at = model.idx_qs[knee]
    low = model.lowerPositionLimit[at]
    high = model.upperPositionLimit[at]
    drawn = float(np.clip(0.0, low, high))
    data = model.createData()
    ankle = chain[min(chain.index(knee) + 1, len(chain) - 1)]

    def length(angle: float) -> float:
        """Return the way from hip to ankle, or to a foot right below the knee."""
        bent = q.copy()
        bent[at] = angle
        pin.forwardKinematics(model, data, bent)
        end = data.oMi[ankle] * sole if ankle == knee else data.oMi[ankle]
        return float(np.linalg.norm(end.translation - data.oMi[chain[0]].translation))

    angles = np.linspace(max(low, -np.pi), min(high, np.pi), KNEE_ANGLES)
    longest = float(max(angles, key=length))
    return longest if abs(longest - drawn) > BEND else drawn


def _step(
    model: Any,
    data: Any,
    q: Array,
    chain: Sequence[int],
    sole: Any,
    target: Array,
    bend: _Bend,
) -> None:
    """Move the joints of one leg, in place, nearer to its equations."""
    joint = chain[-1]
    pin.computeJointJacobians(model, data, q)
    place = data.oMi[joint] * sole
    columns = [model.idx_vs[one] for one in chain]
    at = [model.idx_qs[one] for one in chain]
    world = pin.SE3(np.eye(3), place.translation)
    jacobian = world.toActionMatrixInverse() @ np.asarray(data.J)[:, columns]
    turn = np.array(pin.log3(place.rotation))
    knee = np.zeros((1, len(chain)))
    knee[0, [list(chain).index(one) for one in bend.halves]] = bend.signs
    rows = np.vstack((bend.level * jacobian[3:], jacobian[:2], 0.1 * knee))
    error = np.concatenate(
        (
            -bend.level * turn,
            target - place.translation[:2],
            [0.1 * (bend.angle - knee[0] @ q[at])],
        )
    )
    inverse = np.linalg.inv(rows.T @ rows + SOLVER_DAMPING * np.eye(len(chain)))
    moved = q[at] + inverse @ (rows.T @ error)
    margin = np.minimum(
        INSIDE, 0.5 * (model.upperPositionLimit[at] - model.lowerPositionLimit[at])
    )
    q[at] = np.clip(
        moved,
        model.lowerPositionLimit[at] + margin,
        model.upperPositionLimit[at] - margin,
    )

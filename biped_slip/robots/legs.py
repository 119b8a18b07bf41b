# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The legs of a described robot, and which way it looks.

Legs are two chains of equally many joints from one body to two ends, whose ends are the
lowest, and none of whose joints is named as one of an arm. Up is the axis of the base
against which the legs hang, left is from the right leg to the left one, which their
names say; without names toes point forward.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple, Sequence

import numpy as np
import pinocchio as pin

from biped_slip.compile.arrays import Array
from biped_slip.errors import BipedSlipError, InvalidParameter

#: Directions that may be up, in the order in which they are tried [REP 103: z].
UPWARD = tuple(
    np.array(axis, dtype=float)
    for axis in ((0, 0, 1), (0, 1, 0), (1, 0, 0), (0, -1, 0), (-1, 0, 0), (0, 0, -1))
)
UPRIGHT_LEGS = 0.7  # cosine between a leg and the vertical
#: [-] of a leg's height: another end so near to the floor is a further leg (choice).
AS_LOW = 0.15
FEWEST_JOINTS = 3  # of a leg: hip, knee, and what swings it sideways or an ankle
LEFT = re.compile(r"(?:^|[^a-z])l(?:eft)?(?=$|[^a-z])|left")
ARM_WORDS = re.compile(r"shoulder|elbow|wrist|arm|hand|gripper|finger")
RIGHT = re.compile(r"(?:^|[^a-z])r(?:ight)?(?=$|[^a-z])|right")


class DescribedLegs(NamedTuple):
    """Two legs.

    Attributes:
        joints: indices in the model from hip to foot, left and right.
        turn: (3, 3) of the description's base to the robot's, x forward and z up.
    """

    joints: tuple[tuple[int, ...], tuple[int, ...]]
    turn: Array


def snake(name: str) -> str:
    """Write a name with small letters and _ between its words."""
    parted = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name)
    return parted.lower()


def side_of(names: Sequence[str]) -> int:
    """Return 1 for names of a left limb, -1 for a right one's, 0 for neither's."""
    words = [snake(name) for name in names]
    left = sum(LEFT.search(word) is not None for word in words)
    right = sum(RIGHT.search(word) is not None for word in words)
    return (left > right) - (right > left)


def chain_to(model: Any, joint: int) -> list[int]:
    """List the joints from the base, without its own, to a joint."""
    chain = []
    while joint > 1:
        chain.append(joint)
        joint = model.parents[joint]
    return chain[::-1]


def find_legs(model: Any, q: Array, toes: Sequence[Array] = ()) -> DescribedLegs:
    """Find the legs of a robot.

    Args:
        model: Pinocchio's, with a free-flyer root.
        q: (nq,) coordinates in which it may stand, the base at the origin.
        toes: (3,) from the ankle to the middle of the foot, in the base, of each leg as
            first found; () where feet have no shape.

    Raises:
        BipedSlipError: there are no two legs, or more than two.
    """
    data = model.createData()
    pin.forwardKinematics(model, data, q)
    places = np.array([place.translation for place in data.oMi])
    for up in UPWARD:
        pair = _lowest_pair(model, places @ up)
        hips = places[[chain[0] for chain in pair]]
        ends = places[[chain[-1] for chain in pair]]
        hangs = (hips - ends).mean(axis=0)
        if hangs @ up > UPRIGHT_LEGS * np.linalg.norm(hangs):
            break
    else:
        raise BipedSlipError(
            "the description has no two legs: the two chains that end lowest "
            f"({model.names[pair[0][-1]]}, {model.names[pair[1][-1]]}) do not hang down"
        )
    across = ends[0] - ends[1]
    if float(np.linalg.norm(across)) < 1e-6:
        across = hips[0] - hips[1]
    left = _nearest_axis(across - (across @ up) * up)
    named = [side_of([model.names[joint] for joint in chain]) for chain in pair]
    if named[0] == -named[1] != 0:
        first_is_left = named[0] > 0
    else:
        forward = np.mean(toes, axis=0) if len(toes) else np.array([1.0, 0.0, 0.0])
        first_is_left = float(np.cross(left, up) @ forward) >= 0.0
    if not first_is_left:
        left = -left
        pair = pair[::-1]
    forward = np.cross(left, up)
    return DescribedLegs(
        joints=(tuple(pair[0]), tuple(pair[1])),
        turn=np.stack((forward, left, up)),
    )


def _nearest_axis(vector: Array) -> Array:
    axis = np.zeros(3)
    largest = int(np.argmax(np.abs(vector)))
    axis[largest] = np.sign(vector[largest])
    return axis


def _lowest_pair(model: Any, height: Array) -> tuple[list[int], list[int]]:
    """Find the two equal chains whose ends lie lowest.

    ``height`` (njoints,) [m] is that of each joint.
    """
    carried = set(model.parents)
    ends = [joint for joint in range(2, model.njoints) if joint not in carried]
    chains = {end: chain_to(model, end) for end in ends}
    ends = [
        end
        for end in ends
        if not any(ARM_WORDS.search(snake(model.names[one])) for one in chains[end])
    ]
    pairs = []
    for i, one in enumerate(ends):
        for other in ends[i + 1 :]:
            legs = _apart(chains[one], chains[other])
            if len(legs[0]) == len(legs[1]) >= FEWEST_JOINTS:
                pairs.append((height[one] + height[other], legs))
    if not pairs:
        raise BipedSlipError(
            "the description has no two legs: no two chains of as many joints, at "
            f"least {FEWEST_JOINTS}, that end in a foot each"
        )
    lowest = min(pairs, key=lambda pair: pair[0])[1]
    feet = [leg[-1] for leg in lowest]
    long = height[lowest[0][0]] - height[feet[0]]
    others = [
        model.names[end]
        for end in ends
        if end not in feet
        and len(chains[end]) == len(chains[feet[0]])
        and height[end] - height[feet[0]] < AS_LOW * long
    ]
    if others:
        raise InvalidParameter(
            "number of the description's legs",
            2 + len(others),
            f"2 (as low as the feet end {', '.join(others)})",
            "this package walks on two feet",
        )
    return lowest


def _apart(one: list[int], other: list[int]) -> tuple[list[int], list[int]]:
    """Leave out what two chains share."""
    shared = len(set(one) & set(other))
    return one[shared:], other[shared:]

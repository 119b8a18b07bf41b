# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""A described robot as it is found: its joints, its legs, which way it looks.

It is a model whose base floats and looks forward, with hands and heads held, and what
else is found in a description begins with it.
"""

from __future__ import annotations

from typing import Any, Iterable, Mapping, NamedTuple, Sequence
from xml.etree.ElementTree import Element

import numpy as np
import pinocchio as pin

from biped_slip.compile.arrays import Array
from biped_slip.errors import BipedSlipError, InvalidParameter
from biped_slip.robots.description import Description, complete, parsed
from biped_slip.robots.description_changes import with_distinct_links, with_limits
from biped_slip.robots.legs import DescribedLegs, find_legs, snake
from biped_slip.robots.locked_joints import LEG_WORDS, HeldJoint, held_joints, nearest
from biped_slip.robots.solids import Solid, link_solids, moved
from biped_slip.robots.standing_posture import knee_of

RANGE = 1.6  # [rad] to both sides, of a joint without a range (choice)


class Setting(NamedTuple):
    """One setting of a robot's YAML."""

    value: Any
    why: str


class FootSolids(NamedTuple):
    """Shapes of a foot, in the joint that carries it."""

    solids: tuple[Solid, ...]
    missing: tuple[str, ...]  # files of meshes that were not found
    drawn: bool  # whether they are what is drawn


class DescribedRobot:
    """A robot of a description.

    Args:
        description: text, and what its format says beside.
        folders: where names of meshes may start.

    Attributes:
        element: root of the description.
        joints: its elements by name.
        held: joints that are held, by name.
        ranges: assumed for joints that have none [rad].
        model: Pinocchio's, with a free-flyer root.
        legs: of the model.
        base_rpy: of the description's base in the robot's [rad].
        on_points: whether nothing turns the feet below the knees.

    Raises:
        BipedSlipError: there is no biped in it, or one with passive legs.
    """

    def __init__(self, description: Description, folders: Sequence[str]) -> None:
        self._description = description
        self._folders = folders
        self.element = parsed(description.text)
        self.joints = {
            joint.get("name", ""): joint for joint in self.element.findall("joint")
        }
        self._links = {
            link.get("name", ""): link for link in self.element.findall("link")
        }
        self.held = held_joints(self.element, description.posture)
        self.ranges = _missing_ranges(self.joints, self.held)
        self.model = self._built((0.0, 0.0, 0.0))
        self.legs = self._found_legs()
        self.base_rpy = np.array(pin.rpy.matrixToRpy(self.legs.turn))
        if not np.allclose(self.legs.turn, np.eye(3)):
            self.model = self._built(self.base_rpy.tolist())
        self._check_motors()
        self._hold_idle()
        self.on_points = all(
            self.knee(chain) == chain[-1] for chain in self.legs.joints
        )

    @property
    def has_keyframe(self) -> bool:
        """Return whether the description says how the robot stands."""
        return bool(self._description.posture)

    def _built(self, base_rpy: Sequence[float]) -> Any:
        held = {name: one.position for name, one in self.held.items()}
        text = complete(self._description.text, held, {}, base_rpy)
        text = with_limits(with_distinct_links(text), (), tuple(self.ranges.items()))
        try:
            return pin.buildModelFromXML(text, pin.JointModelFreeFlyer())
        except (ValueError, RuntimeError) as error:
            reason = " ".join(str(error).split())
            raise BipedSlipError(
                f"robot description: not a valid URDF ({reason})"
            ) from error

    def start(self) -> Array:
        """Return coordinates (nq,) to begin with: the keyframe's, else 0 in range."""
        model = self.model
        q = pin.neutral(model)
        for joint in range(2, model.njoints):
            at = model.idx_qs[joint]
            known = self._description.posture.get(model.names[joint], 0.0)
            low = model.lowerPositionLimit[at]
            high = model.upperPositionLimit[at]
            q[at] = min(max(known, low), high)
        return q

    def names(self, chain: Sequence[int]) -> list[str]:
        """Return the names of joints of the model."""
        return [str(self.model.names[joint]) for joint in chain]

    def limit(self, name: str, key: str) -> float:
        """Return a number of a joint's <limit>; 0 where it is not said."""
        return limit_of(self.joints[name], key)

    def has_link(self, name: str) -> bool:
        """Return whether the description has a link of that name."""
        return name in self._links

    def foot_link(self, joint: int) -> str:
        """Return the link that a joint of the model carries."""
        return _end(self.joints[str(self.model.names[joint])], "child")

    def _found_legs(self) -> DescribedLegs:
        """Find the legs, then which way their toes point."""
        try:
            legs = find_legs(self.model, self.start())
        except BipedSlipError:
            # one leg has a joint less where one of its own follows another
            self._check_followers(
                name for name in self.held if LEG_WORDS.search(snake(name))
            )
            raise
        for chain in legs.joints:
            self._check_followers(self.above(self.foot_link(chain[-1])))
        toes = []
        data = self.model.createData()
        pin.forwardKinematics(self.model, data, self.start())
        for chain in legs.joints:
            solids = self.foot_solids(chain[-1]).solids
            if solids:
                points = np.vstack([solid.points for solid in solids])
                middle = 0.5 * (points.min(axis=0) + points.max(axis=0))
                toes.append(data.oMi[chain[-1]].rotation @ middle)
        return find_legs(self.model, self.start(), toes)

    def above(self, link: str) -> list[str]:
        """List the joints between the base and a link, from the link up."""
        carriers = {_end(joint, "child"): joint for joint in self.joints.values()}
        found = []
        while link in carriers:
            found.append(carriers[link].get("name", ""))
            link = _end(carriers[link], "parent")
        return found

    def _check_followers(self, names: Iterable[str]) -> None:
        """Refuse joints of legs that follow others."""
        for name in names:
            if name in self.held and self.held[name].leader:
                raise BipedSlipError(
                    f"joint {name} of a leg follows {self.held[name].leader}, and this "
                    "package walks with a motor of its own in every joint of a leg"
                )

    def _check_motors(self) -> None:
        """Refuse legs with a joint that no motor moves while others have theirs."""
        legs = [name for chain in self.legs.joints for name in self.names(chain)]
        idle = [name for name in legs if self.limit(name, "effort") == 0.0]
        if idle and len(idle) < len(legs):
            raise InvalidParameter(
                f"torque limit of joint {idle[0]}",
                0.0,
                "> 0 N m in a leg, which this package walks with a motor in every "
                "joint: no spring and no loop may move it",
                f"give the motor's limit in the description (none have "
                f"{', '.join(idle)})",
            )

    def _hold_idle(self) -> None:
        """Hold joints beside the legs that no motor moves while others have theirs.

        A scanner that spins is one, or a spring between wheels of a hand.
        """
        moving = self.names(range(2, self.model.njoints))
        legs = {name for chain in self.legs.joints for name in self.names(chain)}
        idle = [name for name in moving if self.limit(name, "effort") == 0.0]
        if not idle or legs & set(idle):
            return
        for name in idle:
            known = self._description.posture.get(name, 0.0)
            position = nearest(self.joints[name], known)
            self.held[name] = HeldJoint(position, "no motor moves it")
            self.ranges.pop(name, None)
        names = [self.names(chain) for chain in self.legs.joints]
        self.model = self._built(self.base_rpy.tolist())
        left, right = (tuple(map(self.model.getJointId, chain)) for chain in names)
        self.legs = self.legs._replace(joints=(left, right))

    def knee(self, chain: Sequence[int]) -> int:
        """Find the knee of a leg, which ends at the farthest point of its foot."""
        joint = chain[-1]
        points = [place.translation for _, place in self.fixed_links(joint)]
        points += [
            one for solid in self.foot_solids(joint).solids for one in solid.points
        ]
        far = max(points, key=lambda one: float(np.linalg.norm(one)))
        return knee_of(self.model, chain, pin.SE3(np.eye(3), np.asarray(far)))

    def leg_length(self) -> float:
        """Return the way from hip to ankle along the left leg [m]."""
        ways = [
            float(np.linalg.norm(self.model.jointPlacements[joint].translation))
            for joint in self.legs.joints[0][1:]
        ]
        return sum(ways)

    def foot_solids(self, joint: int) -> FootSolids:
        """Collect the shapes of a foot, with those of what is fixed to it."""
        solids: list[Solid] = []
        missing: list[str] = []
        drawn = False
        for name, place in self.fixed_links(joint):
            found = link_solids(self._links[name], self._folders)
            solids += [moved(solid, place) for solid in found.solids]
            missing += found.missing
            drawn = drawn or found.drawn
        return FootSolids(tuple(solids), tuple(dict.fromkeys(missing)), drawn)

    def fixed_links(self, joint: int) -> list[tuple[str, Any]]:
        """List the link of a joint and all that is fixed to it, with their places."""
        found = []
        waiting = [(self.foot_link(joint), pin.SE3.Identity())]
        while waiting:
            link, place = waiting.pop()
            found.append((link, place))
            for name, one in self.joints.items():
                fixed = one.get("type") == "fixed" or name in self.held
                if fixed and _end(one, "parent") == link:
                    waiting.append((_end(one, "child"), place * _origin(one)))
        return found

    def carrier(self, link: str) -> int:
        """Return the moving joint that carries a link; 1 is the base."""
        above = {
            _end(joint, "child"): (name, _end(joint, "parent"))
            for name, joint in self.joints.items()
        }
        while link in above:
            name, link = above[link]
            if self.model.existJointName(name):
                return int(self.model.getJointId(name))
        return 1


def limit_of(joint: Element, key: str) -> float:
    """Return a number of a joint's <limit>; 0 where it is not said."""
    limit = joint.find("limit")
    return 0.0 if limit is None else float(limit.get(key, "0"))


def _end(joint: Element, tag: str) -> str:
    end = joint.find(tag)
    return "" if end is None else end.get("link", "")


def _origin(joint: Element) -> Any:
    origin = joint.find("origin")
    if origin is None:
        return pin.SE3.Identity()
    xyz, rpy = (
        np.array([float(part) for part in origin.get(key, "0 0 0").split()])
        for key in ("xyz", "rpy")
    )
    return pin.SE3(pin.rpy.rpyToMatrix(rpy), xyz)


def _missing_ranges(
    joints: Mapping[str, Element], held: Mapping[str, HeldJoint]
) -> dict[str, tuple[float, float]]:
    """Return ranges of turning joints that have none: both ends are 0."""
    return {
        name: (-RANGE, RANGE)
        for name, joint in joints.items()
        if name not in held
        and joint.get("type") == "revolute"
        and limit_of(joint, "lower") == limit_of(joint, "upper") == 0.0
    }

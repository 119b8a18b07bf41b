# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Joints of a description that do not walk and are held: hands, heads, followers.

Which they are is read from names, of joints that no leg needs; a joint that mimics
another one, or that moves about several axes, is held where it stands.
"""

from __future__ import annotations

import re
from typing import Mapping, NamedTuple
from xml.etree.ElementTree import Element

from biped_slip.errors import InvalidParameter
from biped_slip.robots.legs import snake

HELD_WORDS = re.compile(
    r"(?:^|[^a-z])[ul]?(hand|palm|finger|thumb|index|middle|ring|pinky|pinkie|little|"
    r"knuckle|gripper|head|neck|jaw|eye|eyes|eyelid|eyelids|ear|camera|lidar|toe|toes)"
    r"(?![a-z])"
)
LEG_WORDS = re.compile(r"hip|knee|ankle|thigh|shank|shin|leg")
TURNING = ("revolute", "continuous", "prismatic")
SEVERAL_AXES = ("floating", "planar")


class HeldJoint(NamedTuple):
    """A joint that is held."""

    position: float  # [rad]
    why: str
    leader: str = ""  # joint that it follows


def held_joints(robot: Element, standing: Mapping[str, float]) -> dict[str, HeldJoint]:
    """Find the joints of a URDF that are to be held.

    Args:
        robot: root element of the description.
        standing: positions [rad] to stand in, by joint; 0 where none is known.
    """
    found: dict[str, HeldJoint] = {}
    for joint in robot.findall("joint"):
        name = joint.get("name", "")
        kind = joint.get("type", "")
        mimic = joint.find("mimic")
        if kind in SEVERAL_AXES:
            found[name] = HeldJoint(0.0, f"a {kind} joint has no single motor")
        elif kind in TURNING and mimic is not None:
            leader = mimic.get("joint", "")
            ratio = float(mimic.get("multiplier", "1"))
            offset = float(mimic.get("offset", "0"))
            position = ratio * standing.get(leader, 0.0) + offset
            found[name] = HeldJoint(position, f"follows {leader}", leader)
        elif kind in TURNING and _is_held(name):
            found[name] = HeldJoint(standing.get(name, 0.0), "of a hand or head")
    joints = {joint.get("name", ""): joint for joint in robot.findall("joint")}
    return {
        name: held._replace(position=nearest(joints[name], held.position))
        for name, held in found.items()
    }


def _is_held(name: str) -> bool:
    word = snake(name)
    return HELD_WORDS.search(word) is not None and LEG_WORDS.search(word) is None


def nearest(joint: Element, position: float) -> float:
    """Return the position within a joint's range that is nearest to one.

    Raises:
        InvalidParameter: an end of the range is no number.
    """
    limit = joint.find("limit")
    if limit is None or joint.get("type") == "continuous":
        return position
    ends = []
    for key in ("lower", "upper"):
        text = limit.get(key, "0")
        try:
            ends.append(float(text))
        except ValueError:
            label = f"joint {joint.get('name', '')}: limit {key}"
            raise InvalidParameter(
                label, text, "a number", "correct the description"
            ) from None
    return position if ends[0] >= ends[1] else min(max(position, ends[0]), ends[1])

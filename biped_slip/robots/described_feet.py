# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Soles of a described robot, from the shapes of its feet.

A description that has frames ``l_sole`` and ``r_sole`` keeps them. A foot without
shapes gets a sole that is assumed by the length of the leg, under a frame whose name
says sole where there is one.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pinocchio as pin

from biped_slip.compile.arrays import Array
from biped_slip.robots.described_robot import DescribedRobot, Setting
from biped_slip.robots.legs import snake
from biped_slip.robots.robot import SOLES
from biped_slip.robots.sole_shape import Sole, point_of, sole_of
from biped_slip.robots.written_numbers import rounded

# Assumed sizes, as shares of a leg's length l (choice: between those of TALOS, G1,
# SURENA III, T1, H1-2).
SOLE_SHARES = (-0.08, 0.17, 0.05)  # heel, toe, half width
ANKLE_HEIGHT = 0.07  # over the sole
EVEN = 0.005  # [m] by which both soles may differ


class Foot(NamedTuple):
    """Sole of a foot.

    Attributes:
        link: that carries it; empty where the description has a frame of its name.
        sole: in that link, or in the moving joint, which has the same frame.
        why: what it was taken from.
        notes: what a user should know, a sentence each.
    """

    link: str
    sole: Sole
    why: str
    notes: tuple[str, ...] = ()


class _Stand(NamedTuple):
    """Directions of the standing robot in the joint of a foot."""

    down: Array
    forward: Array
    turn: Array  # (3, 3) axes of the robot, in columns


def foot_of(robot: DescribedRobot, side: int) -> Foot:
    """Find the sole of the left (0) or right (1) foot."""
    joint = robot.legs.joints[side][-1]
    link = robot.foot_link(joint)
    stand = _stand(robot, joint)
    found = robot.foot_solids(joint)
    notes: tuple[str, ...] = ()
    if found.missing:
        notes = (
            f"meshes of {link} are missing and left out: {', '.join(found.missing)}",
        )
    if not found.solids:
        return _assumed(robot, side, notes)
    shape = "what is drawn" if found.drawn else "the collision shapes"
    if robot.on_points:
        point = point_of(found.solids, stand.down, stand.forward)
        return Foot(link, point, f"lowest point of {shape} of {link}", notes)
    sole = sole_of(found.solids, stand.down, stand.forward, np.zeros(3))
    named = _own_frame(robot, side)
    if named is None:
        return Foot(link, sole, f"lowest face of {shape} of {link}", notes)
    return Foot("", _in_frame(sole, named), "", notes)


def _stand(robot: DescribedRobot, joint: int) -> _Stand:
    data = robot.model.createData()
    pin.forwardKinematics(robot.model, data, robot.start())
    turn = np.array(data.oMi[joint].rotation).T
    return _Stand(down=-turn[:, 2], forward=turn[:, 0], turn=turn)


def _own_frame(robot: DescribedRobot, side: int) -> Any | None:
    """Return the place of the description's own sole in its joint."""
    name = SOLES[side]
    joint = robot.legs.joints[side][-1]
    if not robot.has_link(name) or robot.carrier(name) != joint:
        return None
    return dict(robot.fixed_links(joint))[name]


def _in_frame(sole: Sole, frame: Any) -> Sole:
    """Express a sole in the description's own frame of it."""
    shift = frame.rotation.T @ (sole.position - frame.translation)
    turn = frame.rotation.T @ sole.rotation
    corners = np.array([[*sole.low, 0.0], [*sole.high, 0.0]]) @ turn.T + shift
    return Sole(
        position=frame.translation,
        rotation=frame.rotation,
        low=corners[:, :2].min(axis=0),
        high=corners[:, :2].max(axis=0),
    )


def _assumed(robot: DescribedRobot, side: int, notes: tuple[str, ...]) -> Foot:
    """Assume the sole of a foot without shapes."""
    joint = robot.legs.joints[side][-1]
    link = robot.foot_link(joint)
    long = robot.leg_length()
    heel, toe, half = (share * long for share in SOLE_SHARES)
    stand = _stand(robot, joint)
    frame = pin.SE3(stand.turn, ANKLE_HEIGHT * long * stand.down)
    why = f"assumed: {link} has no shape; size and height by the leg's length"
    if robot.on_points:
        nowhere = np.zeros(2)
        sole = Sole(frame.translation, frame.rotation, low=nowhere, high=nowhere)
        return Foot(link, sole, why, notes)
    named = [
        (name, place)
        for name, place in robot.fixed_links(joint)
        if "sole" in snake(name)
    ]
    if named:
        frame = named[0][1]
        why = f"the frame {named[0][0]}; its size is assumed by the leg's length"
    ankle = frame.rotation.T @ frame.translation
    sole = Sole(
        position=np.array(frame.translation),
        rotation=np.array(frame.rotation),
        low=np.array([heel, -half]) - ankle[:2],
        high=np.array([toe, half]) - ankle[:2],
    )
    notes = (
        *notes,
        f"the sole of {link} is assumed, for it has no shape: correct its corners "
        "under contact.polygon, its height under l_sole and r_sole",
    )
    own = _own_frame(robot, side) is not None
    return Foot("" if own else link, sole, "" if own else why, notes)


def turned_point(robot: DescribedRobot, foot: Foot, side: int, q: Array) -> Foot:
    """Turn the frame of a point foot as the robot, which stands in a posture (nq,)."""
    data = robot.model.createData()
    pin.forwardKinematics(robot.model, data, q)
    turn = np.array(data.oMi[robot.legs.joints[side][-1]].rotation).T
    return foot._replace(sole=foot.sole._replace(rotation=turn))


def sole_settings(feet: tuple[Foot, Foot]) -> dict[str, Setting]:
    """Return the settings of both soles."""
    settings = {}
    for name, foot in zip(SOLES, feet, strict=True):
        if not foot.link:
            continue  # the description has a frame of that name
        angles = np.array(pin.rpy.matrixToRpy(foot.sole.rotation))
        place: dict[str, Any] = {"link": foot.link}
        place["position"] = rounded(foot.sole.position)
        if np.abs(angles).max() > 1e-6:
            place["rpy"] = rounded(angles)
        settings[name] = Setting(place, foot.why)
    sole = feet[0].sole
    if sole.is_point:
        why = "a point foot: what touches the floor has no area"
        settings["contact"] = Setting({"polygon": [[0.0, 0.0]]}, why)
        return settings
    back, right = sole.low
    front, left = sole.high
    corners = ((back, right), (front, right), (front, left), (back, left))
    why = "largest rectangle in that face, from below the ankle [m]"
    if "assumed" in feet[0].why or not feet[0].why:
        why = "corners in the frame of the sole [m]"
    polygon = [rounded(corner) for corner in corners]
    settings["contact"] = Setting({"polygon": polygon}, why)
    return settings


def uneven(feet: tuple[Foot, Foot]) -> tuple[str, ...]:
    """Name soles that do not mirror each other."""
    right = feet[1].sole
    mirrored = np.array([right.low[0], -right.high[1], right.high[0], -right.low[1]])
    left = np.array([*feet[0].sole.low, *feet[0].sole.high])
    if float(np.abs(mirrored - left).max()) > EVEN:
        return ("the two soles are not alike; the left one is taken",)
    return ()

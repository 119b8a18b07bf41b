# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Robot descriptions as text: their sources, and changes before use.

A description is a URDF, or an MJCF that :mod:`.mjcf` turns into one, told apart by
their root elements. What holds a robot in its world is left out: here every robot
floats.

A completed description stands alone: joints are locked in it, sole and sensor frames
are links of it, and whatever reads it (Pinocchio, MuJoCo, ``robot_state_publisher``)
reads the same robot.
"""

from __future__ import annotations

import fnmatch
import os
from pathlib import Path
from typing import Mapping, NamedTuple, Sequence
from xml.etree import ElementTree

import numpy as np
import pinocchio as pin

from biped_slip.bounded_files import check_regular, read_text
from biped_slip.errors import BipedSlipError, InvalidParameter, UnknownName
from biped_slip.robots.robot import check_numbers
from biped_slip.shared_files import shared_folder

LARGEST_FILE = 100_000_000  # bytes
#: Links without mass that stand for what a robot stands on.
WORLD_LINKS = ("world", "map", "odom", "ground", "universe", "earth", "floor")
_UNBOUNDED = "1e6"  # [rad] limit of a joint without one


class FramePlace(NamedTuple):
    """A frame fixed to a link."""

    link: str
    position: tuple[float, ...]  # (3,) [m] in the link
    rpy: tuple[float, ...]  # (3,) [rad] roll, pitch, yaw in the link


class Description(NamedTuple):
    """Text of a robot description, and what its format says beside."""

    text: str  # URDF
    posture: dict[str, float]  # [rad] of a keyframe to stand in, by joint
    notes: tuple[str, ...]  # what was left out
    loops: tuple[str, ...]  # constraints that close loops of bodies


def read_description(source: str, folder: Path | None = None) -> str:
    """Read the text of a robot description as a URDF.

    Args:
        source: a path, relative to ``folder`` or to this package's shared files, or
            ``PACKAGE:PATH``, a file of an installed package. ``.xacro`` is expanded.
        folder: where relative paths start.
    """
    return description_of(source, folder).text


def description_of(source: str, folder: Path | None = None) -> Description:
    """Read a robot description; arguments are those of :func:`read_description`."""
    path = located(source, folder)
    try:
        check_regular(path, LARGEST_FILE)
        text = (
            _expand(path) if path.suffix == ".xacro" else read_text(path, LARGEST_FILE)
        )
    except (OSError, UnicodeDecodeError) as error:
        raise BipedSlipError(f"{source}: can't be read ({error})") from error
    root = parsed(text).tag
    if root == "mujoco":
        from biped_slip.robots.mjcf import read_mjcf

        found = read_mjcf(path)
        return Description(found.urdf, found.posture, found.notes, found.loops)
    if root != "robot":
        raise BipedSlipError(
            f"{source}: its root element is <{root}>, but a description has <robot> "
            "(URDF) or <mujoco> (MJCF); convert it first"
        )
    return Description(text=floating(text), posture={}, notes=(), loops=())


def floating(text: str) -> str:
    """Leave out the world that a URDF's robot is fixed to, or floats above.

    It is a root link without inertia that carries one link, by a floating or planar
    joint, or by a fixed one from a link of :data:`WORLD_LINKS`. Materials without a
    name, of which parsers complain one by one, get one.
    """
    try:
        robot = ElementTree.fromstring(text)
    except ElementTree.ParseError:
        return text  # who uses it reports that
    changed = False
    while (world := _world(robot)) is not None:
        for element in world:
            robot.remove(element)
        changed = True
    for material in robot.iter("material"):
        if not material.get("name"):
            material.set("name", "unnamed")
            changed = True
    return ElementTree.tostring(robot, encoding="unicode") if changed else text


def _world(robot: ElementTree.Element) -> tuple[ElementTree.Element, ...] | None:
    """Return the link that stands for the world and its joint; None without one."""
    joints = robot.findall("joint")
    carried = {_end(joint, "child") for joint in joints}
    for link in robot.findall("link"):
        name = link.get("name", "")
        own = [joint for joint in joints if _end(joint, "parent") == name]
        if name in carried or len(own) != 1 or link.find("inertial") is not None:
            continue
        kind = own[0].get("type")
        fixed = kind == "fixed" and name.lower() in WORLD_LINKS
        if fixed or kind in ("floating", "planar"):
            return link, own[0]
    return None


def _end(joint: ElementTree.Element, tag: str) -> str:
    end = joint.find(tag)
    return "" if end is None else end.get("link", "")


def mesh_folders(source: str, folder: Path | None = None) -> list[str]:
    """List folders in which ``package://`` paths of a description may start.

    These are its own, those above it, and ROS' packages.
    """
    paths = [
        Path(prefix) / "share"
        for prefix in os.environ.get("AMENT_PREFIX_PATH", "").split(os.pathsep)
        if prefix
    ]
    return [str(path) for path in (*located(source, folder).resolve().parents, *paths)]


def located(source: str, folder: Path | None) -> Path:
    """Return the path of a description; arguments as of :func:`read_description`."""
    package, _, rest = source.partition(":")
    if rest and not Path(source).is_absolute() and "/" not in package:
        from biped_slip.robots.installed_descriptions import package_file

        return package_file(package, rest)
    near = (folder or Path()) / source
    if near.exists() or Path(source).is_absolute():
        return near
    shipped = shared_folder() / source
    if not shipped.is_file():
        raise BipedSlipError(
            f"description {source}: no such file, neither in {near.parent.absolute()} "
            "nor shipped"
        )
    return shipped


def _expand(path: Path) -> str:
    try:
        import xacro
    except ImportError:
        raise BipedSlipError(
            f"{path}: is a xacro file, which needs the Python package xacro"
        ) from None
    try:
        return str(xacro.process_file(str(path)).toxml())
    except (
        Exception,
        SystemExit,
    ) as error:  # a xacro file computes in Python: it may raise anything
        reason = " ".join(str(error).split())
        raise BipedSlipError(
            f"{path}: xacro can't expand it ({type(error).__name__}: {reason})"
        ) from error


FORWARD_BASE = "forward_base"  # link above a base that looks elsewhere


def complete(
    text: str,
    locked: Mapping[str, float],
    frames: Mapping[str, FramePlace],
    base_rpy: Sequence[float] = (0.0, 0.0, 0.0),
) -> str:
    """Complete a description: no meshes, some joints locked at a position, more frames.

    Args:
        text: URDF.
        locked: position [rad or m] of each joint that shall not move, by name or
            pattern such as ``*_hand_*``.
        frames: frames to add, as massless links of their name; one that lies on the
            link of its own name is that link.
        base_rpy: roll, pitch, yaw (3,) [rad] of the description's base in the robot's,
            which looks along x with z up.

    Raises:
        BipedSlipError: not a URDF; UnknownName: no such joint or link;
            InvalidParameter: a joint of another kind.
    """
    robot = parsed(text)
    # those of a humanoid's joints are looked at together
    check_numbers(text, moments=False)
    links = {link.get("name", ""): link for link in robot.findall("link")}
    joints = {joint.get("name", ""): joint for joint in robot.findall("joint")}
    for link in links.values():
        for name in ("visual", "collision"):
            for part in link.findall(name):
                link.remove(part)
    for pattern, value in locked.items():
        names = [pattern] if pattern in joints else fnmatch.filter(joints, pattern)
        if not names:
            raise UnknownName("joint to lock", pattern, list(joints))
        for name in names:
            _lock(joints[name], value)
    for joint in joints.values():
        _check_kind(joint)
    for name, place in frames.items():
        if place.link == name and name in links:
            continue
        if name in links:
            raise InvalidParameter(
                f"frame {name}",
                f"on {place.link}",
                "what it is in the description",
                "leave it out of the YAML",
            )
        if place.link not in links:
            raise UnknownName(f"link of the frame {name}", place.link, list(links))
        _add_frame(robot, name, place)
    if any(base_rpy):
        _turn_base(robot, base_rpy)
    return ElementTree.tostring(robot, encoding="unicode")


def base_link(text: str) -> str:
    """Return the name of the link that no joint carries."""
    robot = parsed(text)
    carried = {child.get("link") for child in robot.iter("child")}
    bases = [
        name
        for link in robot.findall("link")
        if (name := link.get("name", "")) not in carried
    ]
    if len(bases) != 1:
        raise InvalidParameter(
            "base links of the description", bases, "one link that no joint carries"
        )
    return bases[0]


def has_link(text: str, name: str) -> bool:
    """Return whether a description has a link of that name."""
    return any(link.get("name") == name for link in parsed(text).findall("link"))


def parsed(text: str) -> ElementTree.Element:
    """Parse a description.

    Raises:
        BipedSlipError: it is no XML.
    """
    try:
        return ElementTree.fromstring(text)
    except ElementTree.ParseError as error:
        raise BipedSlipError(f"robot description: not valid XML ({error})") from error


def _numbers(
    element: ElementTree.Element | None, attribute: str, default: str = "0 0 0"
) -> np.ndarray:
    text = default if element is None else element.get(attribute, default)
    return np.array([float(number) for number in text.split()])


def _lock(joint: ElementTree.Element, value: float) -> None:
    """Fix a joint where it would be at ``value``; of several axes, at its origin."""
    if joint.get("type") in ("floating", "planar"):
        joint.set("type", "fixed")
    if joint.get("type") not in ("revolute", "continuous", "prismatic"):
        return
    axis = _numbers(joint.find("axis"), "xyz", "1 0 0")
    axis = axis / np.linalg.norm(axis)
    origin = joint.find("origin")
    if origin is None:
        origin = ElementTree.SubElement(joint, "origin")
    rotation = pin.rpy.rpyToMatrix(_numbers(origin, "rpy"))
    position = _numbers(origin, "xyz")
    if joint.get("type") == "prismatic":
        position = position + rotation @ axis * value
    else:
        rotation = rotation @ pin.exp3(axis * value)
    origin.set("xyz", " ".join(repr(float(x)) for x in position))
    origin.set("rpy", " ".join(repr(float(x)) for x in pin.rpy.matrixToRpy(rotation)))
    joint.set("type", "fixed")
    mimic = joint.find("mimic")
    if mimic is not None:
        joint.remove(mimic)


def _check_kind(joint: ElementTree.Element) -> None:
    name = joint.get("name", "")
    kind = joint.get("type", "")
    # one coordinate for every joint: an angle that is not wrapped
    if kind == "continuous":
        joint.set("type", "revolute")
        limit = joint.find("limit")
        if limit is None:
            limit = ElementTree.SubElement(
                joint, "limit", {"effort": _UNBOUNDED, "velocity": _UNBOUNDED}
            )
        limit.set("lower", f"-{_UNBOUNDED}")
        limit.set("upper", _UNBOUNDED)
    elif kind not in ("revolute", "prismatic", "fixed"):
        raise InvalidParameter(
            f"joint {name}: type",
            kind,
            "revolute, continuous, prismatic or fixed",
            "lock it",
        )
    if kind != "fixed" and joint.find("mimic") is not None:
        raise InvalidParameter(
            f"joint {name}", "a mimic joint", "moved by its own motor", "lock it"
        )
    axis = _numbers(joint.find("axis"), "xyz", "1 0 0")
    if kind != "fixed" and not abs(float(np.linalg.norm(axis)) - 1.0) < 1e-3:
        raise InvalidParameter(
            f"joint {name}: axis",
            tuple(axis),
            "a unit vector",
            "correct the description",
        )


def _turn_base(robot: ElementTree.Element, rpy: Sequence[float]) -> None:
    """Put a link above the base that looks forward."""
    base = base_link(ElementTree.tostring(robot, encoding="unicode"))
    ElementTree.SubElement(robot, "link", {"name": FORWARD_BASE})
    joint = ElementTree.SubElement(
        robot, "joint", {"name": f"{FORWARD_BASE}_fixed", "type": "fixed"}
    )
    ElementTree.SubElement(joint, "parent", {"link": FORWARD_BASE})
    ElementTree.SubElement(joint, "child", {"link": base})
    turned = " ".join(repr(float(x)) for x in rpy)
    ElementTree.SubElement(joint, "origin", {"xyz": "0 0 0", "rpy": turned})


def _add_frame(robot: ElementTree.Element, name: str, place: FramePlace) -> None:
    ElementTree.SubElement(robot, "link", {"name": name})
    joint = ElementTree.SubElement(
        robot, "joint", {"name": f"{name}_fixed", "type": "fixed"}
    )
    ElementTree.SubElement(joint, "parent", {"link": place.link})
    ElementTree.SubElement(joint, "child", {"link": name})
    xyz, rpy = (
        " ".join(repr(float(x)) for x in part) for part in (place.position, place.rpy)
    )
    ElementTree.SubElement(joint, "origin", {"xyz": xyz, "rpy": rpy})

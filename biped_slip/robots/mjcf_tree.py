# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""An MJCF with every attribute at its element, as MuJoCo resolves it.

Includes are put in place, classes of defaults are written out (the element's own class,
else the ``childclass`` of the nearest body around it, else the main one), angles are
radians, orientations quaternions (w, x, y, z) and meshes paths of files that exist.
Other parts of the robot's software then need no rule of the format. Written after
MuJoCo's XML reference; test/robots/test_mjcf.py compares with MuJoCo itself.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Iterator, NamedTuple
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

import numpy as np
import pinocchio as pin

from biped_slip.bounded_files import LONGEST_TEXT, read_text
from biped_slip.compile.arrays import Array
from biped_slip.errors import BipedSlipError, InvalidParameter

DEEPEST_INCLUDE = 20
MAIN = "main"  # class of defaults that elements without a class have
#: Elements of an actuator: one default is shared by all of them.
ACTUATORS = (
    "general",
    "motor",
    "position",
    "velocity",
    "intvelocity",
    "damper",
    "cylinder",
    "muscle",
    "adhesion",
    "dcmotor",
)
#: Parts that would have to be built before anything else is known.
UNREAD = ("attach", "replicate", "composite", "flexcomp")
NUMBERS = {  # attributes that hold numbers, of whatever element
    *("pos", "quat", "euler", "axisangle", "xyaxes", "zaxis", "axis", "size", "fromto"),
    *("mass", "diaginertia", "fullinertia", "density", "range", "ref", "armature"),
    *("damping", "frictionloss", "stiffness", "gear", "forcerange", "ctrlrange"),
    *("actuatorfrcrange", "qpos"),
}
#: Attributes that hold angles where a hinge has them.
HINGE_ANGLES = ("range", "ref", "springref")

Defaults = dict[str, dict[str, str]]  # attributes by kind of element
Classes = dict[str, Defaults]


class MjcfTree(NamedTuple):
    """An MJCF, resolved.

    Attributes:
        root: the element ``mujoco``.
        missing: names of meshes whose files are not there.
    """

    root: Element
    missing: tuple[str, ...]


class _Compiler(NamedTuple):
    degrees: bool
    sequence: str  # of Euler angles; small letters turn with the body
    meshes: Path  # folder
    strips: bool  # whether folders in names of files are left out


def resolved_mjcf(path: Path) -> MjcfTree:
    """Read an MJCF and resolve what stands elsewhere.

    Args:
        path: of the file; a scene that includes the robot is one, too.

    Raises:
        BipedSlipError: it or an included file can't be read, or it holds an element
            that makes others.
        InvalidParameter: a class, number or orientation that is none.
    """
    root = _included(path, path.parent, (), set())
    for name in UNREAD:
        if root.find(f".//{name}") is not None:
            raise BipedSlipError(
                f"{path}: holds an element <{name}>, which is not read; let MuJoCo "
                "write the file out (mj_saveLastXML) and give that"
            )
    compiler = _compiler(root, path.parent)
    classes: Classes = {MAIN: {}}
    for default in root.findall("default"):
        _add_class(default, classes[MAIN], classes, MAIN)
        root.remove(default)
    _write_out(root, MAIN, classes)
    for element in root.iter():
        if element.tag == "flag":
            continue  # of the simulation: "frictionloss" there is a switch
        for key in NUMBERS & element.attrib.keys():
            numbers(element, key)
        _to_radians(element, compiler)
    for world in root.findall("worldbody"):
        _dissolve_frames(world)
    return MjcfTree(root=root, missing=_find_meshes(root, compiler))


def _included(
    path: Path, folder: Path, above: tuple[Path, ...], done: set[Path]
) -> Element:
    if len(above) > DEEPEST_INCLUDE or path.resolve() in done:
        raise BipedSlipError(f"{path}: is included twice, or within itself")
    done.add(path.resolve())
    try:
        root = ElementTree.fromstring(read_text(path, LONGEST_TEXT))
    except (OSError, UnicodeDecodeError) as error:
        raise BipedSlipError(f"{path}: can't be read ({error})") from error
    except ElementTree.ParseError as error:
        raise BipedSlipError(f"{path}: not valid XML ({error})") from error
    for parent in list(root.iter()):
        for place, child in reversed(list(enumerate(parent))):
            if child.tag != "include":
                continue
            name = child.get("file", "")
            # from the main file's folder; some write it from the including file's
            near = folder / name
            found = near if near.is_file() else path.parent / name
            parts = _included(found, folder, (*above, path), done)
            parent[place : place + 1] = list(parts)
    return root


def _compiler(root: Element, folder: Path) -> _Compiler:
    found: dict[str, str] = {}
    for element in root.findall("compiler"):
        found |= element.attrib
    meshes = found.get("meshdir", found.get("assetdir", ""))
    return _Compiler(
        degrees=found.get("angle", "degree") != "radian",
        sequence=found.get("eulerseq", "xyz"),
        meshes=folder / meshes,
        strips=found.get("strippath", "false") == "true",
    )


def _kind(tag: str) -> str:
    return "actuator" if tag in ACTUATORS else tag


def _add_class(default: Element, above: Defaults, classes: Classes, name: str) -> None:
    """Add a class of defaults and those in it; each begins with what is above it."""
    name = default.get("class", name)
    known = {kind: dict(values) for kind, values in classes.get(name, above).items()}
    for child in default:
        if child.tag != "default":
            kind = _kind(child.tag)
            known[kind] = known.get(kind, {}) | child.attrib
    classes[name] = known
    for child in default.findall("default"):
        _add_class(child, known, classes, name)


def _write_out(element: Element, around: str, classes: Classes) -> None:
    """Write the defaults of its class at an element and all below it."""
    if element.tag in ("body", "frame"):
        around = element.get("childclass", around)
    name = element.get("class", around)
    if name not in classes:
        raise InvalidParameter(
            f"class of <{element.tag}> {element.get('name', '')}",
            name,
            f"one of the file's defaults: {', '.join(sorted(classes))}",
        )
    kind = _kind(element.tag)
    for key, value in classes[name].get(kind, {}).items():
        element.attrib.setdefault(key, value)
    element.attrib.pop("class", None)
    element.attrib.pop("childclass", None)
    for child in element:
        _write_out(child, around, classes)


def numbers(element: Element, key: str, default: str = "") -> Array:
    """Read the numbers of an attribute.

    Raises:
        InvalidParameter: one is none, or not finite.
    """
    text = element.get(key, default)
    try:
        found = np.array([float(part) for part in text.split()])
    except ValueError:
        found = np.array([math.nan])
    if not np.all(np.isfinite(found)):
        label = f"{key} of <{element.tag}> {element.get('name', '')}"
        raise InvalidParameter(label, text, "numbers with spaces between them")
    return found


def written(values: Array) -> str:
    """Write numbers with all their digits."""
    return " ".join(repr(float(value)) for value in values)


def _to_radians(element: Element, compiler: _Compiler) -> None:
    """Write angles as radians and an orientation as a quaternion."""
    hinge = element.tag == "joint" and element.get("type", "hinge") in ("hinge", "ball")
    if hinge and compiler.degrees:
        for key in HINGE_ANGLES:
            if key in element.attrib:
                element.set(key, written(np.radians(numbers(element, key))))
    rotation = _orientation(element, compiler)
    if rotation is not None:
        w_last = pin.Quaternion(rotation).coeffs()
        element.set("quat", written(np.roll(w_last, 1)))


def _orientation(element: Element, compiler: _Compiler) -> Array | None:
    """Return the rotation (3, 3) of an element; None where it has a quaternion."""
    scale = math.pi / 180.0 if compiler.degrees else 1.0
    if "axisangle" in element.attrib:
        *axis, angle = numbers(element, "axisangle")
        element.attrib.pop("axisangle")
        return np.array(pin.exp3(scale * angle * _unit(np.array(axis))))
    if "xyaxes" in element.attrib:
        both = numbers(element, "xyaxes").reshape(2, 3)
        element.attrib.pop("xyaxes")
        first = _unit(both[0])
        second = _unit(both[1] - (both[1] @ first) * first)
        return np.stack((first, second, np.cross(first, second)), axis=1)
    if "zaxis" in element.attrib:
        up = _unit(numbers(element, "zaxis"))
        element.attrib.pop("zaxis")
        return turn_between(np.array([0.0, 0.0, 1.0]), up)
    if "euler" in element.attrib:
        angles = scale * numbers(element, "euler")
        element.attrib.pop("euler")
        return _euler(angles, compiler.sequence)
    return None


def _euler(angles: Array, sequence: str) -> Array:
    turn = np.eye(3)
    for angle, letter in zip(angles, sequence, strict=True):
        one = np.array(pin.exp3(angle * np.eye(3)["xyz".index(letter.lower())]))
        turn = turn @ one if letter.islower() else one @ turn
    return turn


def _unit(vector: Array) -> Array:
    length = float(np.linalg.norm(vector))
    if not length > 0.0:
        raise InvalidParameter("axis", tuple(vector), "longer than 0")
    unit: Array = vector / length
    return unit


def turn_between(start: Array, end: Array) -> Array:
    """Compute the shortest rotation (3, 3) of one unit vector into another."""
    return np.array(pin.Quaternion.FromTwoVectors(start, end).matrix())


def placement(element: Element) -> pin.SE3:
    """Return the place of a resolved body, geom or site in its body."""
    w, x, y, z = numbers(element, "quat", "1 0 0 0")
    turn = pin.Quaternion(w, x, y, z).normalized().matrix()
    return pin.SE3(turn, numbers(element, "pos", "0 0 0"))


def _dissolve_frames(body: Element) -> None:
    """Put what stands in a frame into the body around it."""
    while (frame := body.find("frame")) is not None:
        at = placement(frame)
        for child in frame:
            _move(child, at)
        place = list(body).index(frame)
        body[place : place + 1] = list(frame)
    for child in body.findall("body"):
        _dissolve_frames(child)


def _move(element: Element, at: pin.SE3) -> None:
    """Move an element from the frame at a place into what is around that."""
    if "fromto" in element.attrib:
        ends = numbers(element, "fromto").reshape(2, 3)
        moved = np.concatenate([at.act(end) for end in ends])
        element.set("fromto", written(moved))
        return
    if element.tag == "joint":
        axis = at.rotation @ numbers(element, "axis", "0 0 1")
        element.set("axis", written(axis))
        element.set("pos", written(at.act(numbers(element, "pos", "0 0 0"))))
        return
    place = at * placement(element)
    element.set("pos", written(place.translation))
    quaternion = pin.Quaternion(place.rotation).coeffs()
    element.set("quat", written(np.roll(quaternion, 1)))


def _find_meshes(root: Element, compiler: _Compiler) -> tuple[str, ...]:
    """Give meshes their paths and names; leave out those that are missing."""
    missing = []
    for asset in root.findall("asset"):
        for mesh in asset.findall("mesh"):
            file = mesh.get("file", "")
            if compiler.strips:
                file = Path(file).name
            mesh.set("name", mesh.get("name", Path(file).stem))
            path = compiler.meshes / file
            if file and path.is_file():
                mesh.set("file", str(path.resolve()))
                continue
            missing.append(mesh.get("name", ""))
            asset.remove(mesh)
    gone = set(missing)
    for body in root.iter():
        for geom in body.findall("geom"):
            if geom.get("mesh") in gone:
                body.remove(geom)
    return tuple(missing)


def bodies(root: Element) -> Iterator[Element]:
    """List the bodies in the world, each with all below it."""
    for world in root.findall("worldbody"):
        yield from world.findall("body")


def joints_of(body: Element) -> list[Element]:
    """List the joints of a body in MuJoCo's order, those below it after its own."""
    found = [child for child in body if child.tag in ("joint", "freejoint")]
    for below in body.findall("body"):
        found += joints_of(below)
    return found


def add(parent: Element, tag: str, **attributes: str) -> Element:
    """Append an element."""
    return SubElement(parent, tag, attributes)

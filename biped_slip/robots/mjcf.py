# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The robot of an MJCF as a URDF, which everything else here reads.

Pinocchio reads bodies, inertias and joints. Three rules are not its own: a joint's
range is that of MuJoCo's coordinate, also where ``ref`` moves its zero; the torque
limit of a joint is the smaller of ``actuatorfrcrange`` and what its actuators give
(``forcerange`` times ``gear``; of a motor its ``ctrlrange``, too); and a body with
several joints becomes a chain, whose links share the body's inertia. The URDF says
beside its joints what the format has no word for: the rotors' inertia and the springs.
"""

from __future__ import annotations

import math
import os
import tempfile
from pathlib import Path
from typing import Any, NamedTuple, Sequence
from xml.etree.ElementTree import Element, SubElement, tostring

import numpy as np
import pinocchio as pin

from biped_slip.compile.arrays import Array
from biped_slip.errors import BipedSlipError, InvalidParameter
from biped_slip.robots.mjcf_geoms import geom_form, mesh_inertial
from biped_slip.robots.mjcf_tree import (
    ACTUATORS,
    MjcfTree,
    add,
    bodies,
    joints_of,
    numbers,
    placement,
    resolved_mjcf,
    written,
)

ROOT_JOINT = "root_joint"
#: Share of a body's inertia that each link before it has, where one body has several
#: joints: a link without mass can't be moved (choice).
LINK_SHARE = 0.02
UNLIMITED = "1e6"  # [rad] end of a range that has none
ENDLESS_EFFORT = 1e6  # [N m] of a motor without a limit; a joint without motor has 0
SENSOR_KINDS = {
    "gyro": "imu",
    "accelerometer": "imu",
    "force": "force",
    "torque": "torque",
}
UPRIGHT_BASE = 0.99  # cosine of the base's tilt in a keyframe to stand in
#: Joints of a base that float it together, beside a free joint.
FLOATING_KINDS = (
    ["ball", "slide", "slide", "slide"],
    ["hinge", "hinge", "hinge", "slide", "slide", "slide"],
)
SOLIDS = ("box", "sphere", "cylinder", "capsule", "ellipsoid", "mesh")


class MjcfRobot(NamedTuple):
    """What an MJCF says of a robot.

    Attributes:
        urdf: its links, joints and shapes.
        posture: of its first upright keyframe [rad] by joint; empty without one.
        notes: what was left out, a sentence each.
        loops: names of equality constraints that close loops.
    """

    urdf: str
    posture: dict[str, float]
    notes: tuple[str, ...]
    loops: tuple[str, ...]


def read_mjcf(path: Path) -> MjcfRobot:
    """Read the robot of an MJCF.

    Raises:
        BipedSlipError: it can't be read, or holds no robot.
    """
    tree = resolved_mjcf(path)
    found = [body for body in bodies(tree.root) if len(_hinges(body)) > 0]
    if not found:
        raise BipedSlipError(f"{path}: holds no body with joints")
    base = max(found, key=lambda body: len(_hinges(body)))
    loops = _loops(tree.root)
    if loops and base.find(".//joint[@type='ball']") is not None:
        raise loops_refused(str(path), loops)  # rods, which no URDF can say
    posture = _keyframe(tree.root, base)
    _name_all(base)
    _float(base)
    _one_joint_a_body(base)
    meshes = {mesh.get("name", ""): mesh for mesh in tree.root.findall("asset/mesh")}
    for body in base.iter("body"):
        inertial = mesh_inertial(body, meshes)
        if inertial is not None:
            body.append(inertial)
    model = _model(path, tree, base)
    notes = []
    if tree.missing:
        notes.append(
            f"{len(tree.missing)} meshes are missing and left out: "
            f"{', '.join(sorted(tree.missing)[:3])} ..."
        )
    if len(found) > 1:
        others = sorted(body.get("name", "") for body in found if body is not base)
        notes.append(f"bodies beside the robot are left out: {', '.join(others)}")
    if tree.root.find("actuator/position") is not None:
        notes.append("its position actuators are replaced by torques of its joints")
    return MjcfRobot(
        urdf=_urdf(tree, base, model),
        posture=posture,
        notes=tuple(notes),
        loops=loops,
    )


def loops_refused(source: str, loops: Sequence[str]) -> BipedSlipError:
    """Make the sentence about a description whose bodies close loops."""
    return BipedSlipError(
        f"{source}: closes loops of bodies ({', '.join(loops)}), and this package "
        "walks trees of joints alone"
    )


def _hinges(body: Element) -> list[Element]:
    return [
        joint
        for joint in joints_of(body)
        if joint.tag == "joint" and joint.get("type", "hinge") in ("hinge", "slide")
    ]


def _keyframe(root: Element, base: Element) -> dict[str, float]:
    """Return the joints' positions in the first keyframe whose base is upright."""
    widths = {"free": 7, "ball": 4}
    everything = [joint for body in bodies(root) for joint in joints_of(body)]
    own = {id(joint) for joint in joints_of(base)}
    for key in root.findall("keyframe/key"):
        q = numbers(key, "qpos")
        at = 0
        posture = {}
        upright = True
        for joint in everything:
            kind = "free" if joint.tag == "freejoint" else joint.get("type", "hinge")
            width = widths.get(kind, 1)
            values = q[at : at + width]
            at += width
            if id(joint) not in own or len(values) < width:
                continue
            if kind == "free":
                w, x, y, z = values[3:]
                turn = pin.Quaternion(w, x, y, z).normalized().matrix()
                upright = upright and turn[2, 2] > UPRIGHT_BASE
            elif width == 1:
                posture[joint.get("name", "")] = float(values[0])
        if upright and posture:
            return posture
    return {}


def _name_all(base: Element) -> None:
    """Give bodies and joints without a name one."""
    for number, body in enumerate(base.iter("body")):
        body.attrib.setdefault("name", f"body_{number}")
        own = [child for child in body if child.tag in ("joint", "freejoint")]
        for order, joint in enumerate(own):
            label = f"{body.get('name')}_joint"
            joint.attrib.setdefault("name", label if order == 0 else f"{label}_{order}")


def _float(base: Element) -> None:
    """Let the base float, whatever holds it in the file."""
    for child in list(base):
        free = child.tag == "freejoint" or child.get("type") == "free"
        if child.tag in ("joint", "freejoint") and free:
            base.remove(child)
    own = [child for child in base if child.tag == "joint"]
    kinds = sorted(joint.get("type", "hinge") for joint in own)
    if kinds in FLOATING_KINDS:
        for joint in own:
            base.remove(joint)
        own = []
    if own:  # a planar root: rails and a hinge of an invisible stand
        raise InvalidParameter(
            f"joints of the base {base.get('name')}",
            [joint.get("name") for joint in own],
            "a free joint, or none",
            "remove them from the base",
        )
    base.insert(0, Element("freejoint", {"name": ROOT_JOINT}))


def _one_joint_a_body(base: Element) -> None:
    """Put all but the last joint of a body onto bodies of their own before it."""
    for parent in list(base.iter("body")):
        for place, body in enumerate(list(parent)):
            if body.tag == "body":
                _split(parent, place, body)


def _split(parent: Element, place: int, body: Element) -> None:
    own = [child for child in body if child.tag == "joint"]
    if len(own) < 2:
        return
    outer = parent
    parent.remove(body)
    for order, joint in enumerate(own[:-1]):
        body.remove(joint)
        link = Element("body", {"name": f"{joint.get('name')}_link"})
        add(link, "inertial", pos="0 0 0", mass="0", diaginertia="0 0 0")
        link.append(joint)
        if order == 0:
            outer.insert(place, link)
            for key in ("pos", "quat"):
                if key in body.attrib:
                    link.set(key, body.attrib.pop(key))
        else:
            outer.append(link)
        outer = link
    outer.append(body)


# What Pinocchio reads.


def _model(path: Path, tree: MjcfTree, base: Element) -> Any:
    """Read a file with nothing but the robot's bodies by Pinocchio."""
    root = Element("mujoco", {"model": tree.root.get("model", path.stem)})
    add(root, "compiler", angle="radian", autolimits="true")
    assets = SubElement(root, "asset")
    for mesh in tree.root.findall("asset/mesh"):
        kept = ("name", "file", "scale")
        add(assets, "mesh", **{k: v for k, v in mesh.items() if k in kept})
    SubElement(root, "worldbody").append(_bare(base, base))
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "robot.xml")
        Path(file).write_bytes(tostring(root))
        try:
            model = pin.buildModelFromMJCF(file)
        except (ValueError, RuntimeError, TypeError) as error:
            reason = " ".join(str(error).split())
            raise BipedSlipError(f"{path}: not a valid MJCF ({reason})") from error
    _share_inertia(model)
    return model


def _bare(body: Element, base: Element) -> Element:
    """Copy a body with its inertia, joints and bodies; shapes where it has no mass."""
    kept = ("name", "pos", "quat") if body is not base else ("name",)
    copy = Element("body", {k: v for k, v in body.items() if k in kept})
    weighed = body.find("inertial") is not None
    for child in body:
        if child.tag == "body":
            copy.append(_bare(child, base))
        elif child.tag == "joint":
            plain = {k: v for k, v in child.items() if k in _JOINT_KEYS}
            copy.append(Element("joint", plain))
        elif child.tag in ("inertial", "freejoint"):
            copy.append(child)
        elif child.tag == "geom" and not weighed:
            plain = {k: v for k, v in child.items() if k in _GEOM_KEYS}
            copy.append(Element("geom", plain))
    return copy


# ``ref`` and ``range`` are not among them: Pinocchio would move both
_JOINT_KEYS = ("name", "type", "axis", "pos", "armature", "damping", "frictionloss")
_GEOM_KEYS = (
    *("type", "size", "pos", "quat", "fromto", "mass", "density", "mesh", "name"),
)


def _share_inertia(model: Any) -> None:
    """Give links without mass a share of the next one's inertia."""
    for joint in range(model.njoints - 1, 1, -1):
        parent = model.parents[joint]
        if parent > 1 and model.inertias[parent].mass == 0.0:
            whole = model.inertias[joint]
            part = _scaled(whole, LINK_SHARE)
            model.inertias[joint] = _scaled(whole, 1.0 - LINK_SHARE)
            model.inertias[parent] += model.jointPlacements[joint].act(part)


def _scaled(inertia: Any, share: float) -> Any:
    return pin.Inertia(share * inertia.mass, inertia.lever, share * inertia.inertia)


# What the URDF says.


def _urdf(tree: MjcfTree, base: Element, model: Any) -> str:
    robot = Element("robot", name=tree.root.get("model", "robot"))
    meshes = {mesh.get("name", ""): mesh for mesh in tree.root.findall("asset/mesh")}
    joints = {joint.get("name", ""): joint for joint in joints_of(base)}
    efforts = _efforts(tree.root, joints)
    paired = _paired(tree.root)
    carriers = _carriers(model)
    links = {index: name for name, (index, _) in reversed(list(carriers.items()))}
    for index in range(1, model.njoints):
        link = SubElement(robot, "link", name=links[index])
        _write_inertia(link, model.inertias[index])
        if index > 1:
            name = model.names[index]
            _write_joint(robot, model, index, links, joints[name], efforts)
    written_links = dict.fromkeys(links.values(), pin.SE3.Identity())
    elements = {link.get("name", ""): link for link in robot.findall("link")}
    for body in base.iter("body"):
        index, place = carriers[body.get("name", "")]
        link = elements[links[index]]
        for geom in body.findall("geom"):
            tag = "collision" if _touches(geom, paired) else "visual"
            _write_shape(link, geom, place, meshes, tag)
        name = body.get("name", "")
        if name not in written_links:
            _write_frame(robot, name, links[index], place)
        for site in body.findall("site"):
            if site.get("name"):
                _write_site(robot, site, links[index], place * placement(site))
    _write_sensors(robot, tree.root)
    return tostring(robot, encoding="unicode")


def _carriers(model: Any) -> dict[str, tuple[int, Any]]:
    """Return joint and place in it of every body, by name; joints' own bodies first."""
    found = [
        (frame.name, (frame.parentJoint, frame.placement))
        for frame in model.frames
        if frame.type == pin.FrameType.BODY
    ]
    return dict(sorted(found, key=lambda one: one[1][0]))


def _write_inertia(link: Element, inertia: Any) -> None:
    inertial = SubElement(link, "inertial")
    SubElement(inertial, "origin", xyz=written(inertia.lever), rpy="0 0 0")
    SubElement(inertial, "mass", value=repr(float(inertia.mass)))
    matrix = inertia.inertia
    places = {"ixx": (0, 0), "ixy": (0, 1), "ixz": (0, 2)}
    places |= {"iyy": (1, 1), "iyz": (1, 2), "izz": (2, 2)}
    moments = {key: repr(float(matrix[at])) for key, at in places.items()}
    SubElement(inertial, "inertia", moments)


def _write_origin(parent: Element, place: Any) -> None:
    angles = pin.rpy.matrixToRpy(place.rotation)
    SubElement(parent, "origin", xyz=written(place.translation), rpy=written(angles))


def _write_joint(
    robot: Element,
    model: Any,
    index: int,
    links: dict[int, str],
    source: Element,
    efforts: dict[str, float],
) -> None:
    name = str(model.names[index])
    slides = source.get("type", "hinge") == "slide"
    if model.joints[index].nv != 1:
        raise InvalidParameter(f"joint {name}: type", source.get("type"), "a hinge")
    joint = SubElement(robot, "joint", name=name)
    joint.set("type", "prismatic" if slides else "revolute")
    # MuJoCo's coordinate is ``ref`` where the file draws the joint
    ref = float(source.get("ref", "0"))
    axis = _axis(model, index, slides)
    place = model.jointPlacements[index]
    turn = np.eye(3) if slides else np.array(pin.exp3(-ref * axis))
    shift = -ref * axis if slides else np.zeros(3)
    _write_origin(joint, place * pin.SE3(turn, shift))
    SubElement(joint, "parent", link=links[model.parents[index]])
    SubElement(joint, "child", link=links[index])
    SubElement(joint, "axis", xyz=written(axis))
    low, high = _range(source)
    effort = efforts[name]
    SubElement(
        joint,
        "limit",
        lower=low,
        upper=high,
        effort=repr(effort),
        velocity="0",
    )
    at = model.idx_vs[index]
    dynamics = SubElement(joint, "dynamics")
    dynamics.set("damping", repr(float(model.damping[at])))
    dynamics.set("friction", repr(float(model.friction[at])))
    dynamics.set("armature", repr(float(model.armature[at])))
    if float(source.get("stiffness", "0").split()[0]) > 0.0:
        dynamics.set("spring_stiffness", source.get("stiffness", ""))


def _axis(model: Any, index: int, slides: bool) -> Array:
    joint = model.joints[index]
    data = joint.createData()
    joint.calc(data, np.zeros(joint.nq))
    axes = np.asarray(data.S).reshape(6)
    axis: Array = axes[:3] if slides else axes[3:]
    return axis


def _limited(element: Element, key: str, flag: str) -> bool:
    """Return whether a range counts: as a flag says, else where it is given."""
    says = element.get(flag, "auto")
    return key in element.attrib if says == "auto" else says == "true"


def _range(joint: Element) -> tuple[str, str]:
    if not _limited(joint, "range", "limited"):
        return f"-{UNLIMITED}", UNLIMITED
    low, high = numbers(joint, "range", "0 0")
    return repr(float(low)), repr(float(high))


def _efforts(root: Element, joints: dict[str, Element]) -> dict[str, float]:
    """Find the largest torque [N m] or force [N] of each joint."""
    found: dict[str, float] = {}
    for name, joint in joints.items():
        if _limited(joint, "actuatorfrcrange", "actuatorfrclimited"):
            found[name] = _smaller_end(numbers(joint, "actuatorfrcrange", "0 0"))
    driven: dict[str, float] = {}
    actuators = root.findall("actuator/*")
    for actuator in actuators:
        name = actuator.get("joint", "")
        if actuator.tag in ACTUATORS and name in joints:
            driven[name] = driven.get(name, 0.0) + _actuator_limit(actuator)
    for name in joints:
        # in a file of bodies alone every joint may have a motor
        limit = driven.get(name, 0.0 if actuators else math.inf)
        found[name] = min(found.get(name, math.inf), limit, ENDLESS_EFFORT)
    return found


def _smaller_end(ends: Array) -> float:
    return float(np.min(np.abs(ends)))


def _actuator_limit(actuator: Element) -> float:
    """Return the largest torque that an actuator gives its joint; inf: any."""
    gear = abs(float(numbers(actuator, "gear", "1")[0]))
    limit = math.inf
    if _limited(actuator, "forcerange", "forcelimited"):
        limit = _smaller_end(numbers(actuator, "forcerange", "0 0"))
    plain = actuator.tag == "motor" or (
        actuator.tag == "general"
        and actuator.get("biastype", "none") == "none"
        and actuator.get("gaintype", "fixed") == "fixed"
    )
    if plain and _limited(actuator, "ctrlrange", "ctrllimited"):
        gain = abs(float(numbers(actuator, "gainprm", "1")[0]))
        limit = min(limit, gain * _smaller_end(numbers(actuator, "ctrlrange", "0 0")))
    return gear * limit


COLLISION_GROUP = "3"  # of geoms that touch, where pairs of contacts come with a scene


def _touches(geom: Element, paired: set[str]) -> bool:
    return (
        geom.get("contype", "1") != "0"
        or geom.get("conaffinity", "1") != "0"
        or geom.get("group") == COLLISION_GROUP
        or geom.get("name", "") in paired
    )


def _paired(root: Element) -> set[str]:
    """Return the names of geoms in pairs of contacts."""
    pairs = root.findall("contact/pair")
    return {pair.get(key, "") for pair in pairs for key in ("geom1", "geom2")} - {""}


def _write_shape(
    link: Element, geom: Element, place: Any, meshes: dict[str, Element], tag: str
) -> None:
    """Write a geom as a shape that is seen, or one that touches."""
    kind, size, at = geom_form(geom, place)
    if kind not in SOLIDS or (kind == "mesh" and geom.get("mesh") not in meshes):
        return
    if kind == "capsule":  # which a URDF has not: a cylinder between two balls
        for end in (-size[1], size[1]):
            ball = _shape(link, tag, at * pin.SE3(np.eye(3), np.array([0, 0, end])))
            SubElement(ball, "sphere", radius=repr(float(size[0])))
        kind = "cylinder"
    geometry = _shape(link, tag, at)
    if kind == "mesh":
        mesh = meshes[geom.get("mesh", "")]
        scale = mesh.get("scale", "1 1 1")
        SubElement(geometry, "mesh", filename=mesh.get("file", ""), scale=scale)
    elif kind in ("box", "ellipsoid"):
        SubElement(geometry, "box", size=written(2.0 * size[:3]))
    else:
        form = SubElement(geometry, kind, radius=repr(float(size[0])))
        if kind == "cylinder":
            form.set("length", repr(2.0 * float(size[1])))


def _shape(link: Element, tag: str, at: Any) -> Element:
    shape = SubElement(link, tag)
    _write_origin(shape, at)
    return SubElement(shape, "geometry")


def _write_frame(robot: Element, name: str, link: str, place: Any) -> None:
    SubElement(robot, "link", name=name)
    joint = SubElement(robot, "joint", {"name": f"{name}_fixed", "type": "fixed"})
    _write_origin(joint, place)
    SubElement(joint, "parent", link=link)
    SubElement(joint, "child", link=name)


def _write_site(robot: Element, site: Element, link: str, place: Any) -> None:
    name = site.get("name", "")
    taken = {one.get("name") for one in robot}
    _write_frame(robot, f"{name}_site" if name in taken else name, link, place)


def _write_sensors(robot: Element, root: Element) -> None:
    """Write sensors at sites as Gazebo's elements, which name their link."""
    links = {link.get("name", "") for link in robot.findall("link")}
    for sensor in root.findall("sensor/*"):
        site = sensor.get("site", "")
        if sensor.tag in SENSOR_KINDS and site:
            frame = f"{site}_site" if f"{site}_site" in links else site
            if frame in links:
                holder = SubElement(robot, "gazebo", reference=frame)
                SubElement(holder, "sensor", type=SENSOR_KINDS[sensor.tag])


def _loops(root: Element) -> tuple[str, ...]:
    """Name the constraints that close loops of bodies."""
    found = []
    for constraint in root.findall("equality/*"):
        if (
            constraint.tag in ("connect", "weld")
            and constraint.get("active") != "false"
        ):
            ends = (constraint.get(key, "") for key in ("body1", "body2", "site1"))
            found.append(constraint.get("name") or " ".join(filter(None, ends)))
    return tuple(found)

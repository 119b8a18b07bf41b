# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Robots of walking policies: from the MJCF that a policy was trained on to files.

Bodies, inertias, ranges, rotors (armature), friction and torque limits of the joints
are the MJCF's, which stays where it is; where it has no torque limit the policy's
layout has one. Damping is the layout's: it contains the joints' own. A sole is the box
of its foot's boxes, or the box between its spheres; of a foot with a mesh it is the
largest rectangle in the lowest face.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any, NamedTuple
from xml.etree.ElementTree import Element, SubElement, tostring

import numpy as np
import pinocchio as pin
import yaml

from biped_slip.compile.arrays import Array
from biped_slip.constants import FEET
from biped_slip.errors import BipedSlipError, InvalidParameter, MissingExtra
from biped_slip.robots.sole_shape import sole_of
from biped_slip.robots.solids import Solid, box, cylinder, hull_points, moved
from biped_slip.walking.policy_layout import LearnedPolicyConfig

try:
    import mujoco
except ImportError as error:
    raise MissingExtra("the robot of a policy from its MJCF", "mujoco") from error

# [rad/s] of joints: an MJCF has no speed limit, and no joint of a walk comes near
ENDLESS_SPEED = 100.0
# [W] of joints: networks brake and push harder in landings than walks planned here
ENDLESS_POWER = 1e5
BASE_IMU = "base"  # origin and axes of the base
FIRST_BODY = 1  # MuJoCo's number of the base; 0 is the world
# [N m] of the URDF, which the robot's file corrects
URDF_EFFORT = 1000.0


class PolicyFiles(NamedTuple):
    """Files of one policy."""

    network: Path
    layout: LearnedPolicyConfig
    mjcf: Path
    imu: str  # name of a site, or BASE_IMU
    speed: float  # [m/s] at which it was measured


def imu_of(mjcf: Path) -> str:
    """Find the IMU of a robot in its MJCF.

    It is the site on the base whose name has ``imu`` in it, else one elsewhere, else
    the base itself.

    Raises:
        BipedSlipError: MuJoCo can't read the file.
    """
    model = _model(mjcf)
    sites = [
        (int(model.site_bodyid[at]) != FIRST_BODY, model.site(at).name)
        for at in range(model.nsite)
        if "imu" in model.site(at).name.lower()
    ]
    return min(sites)[1] if sites else BASE_IMU


def senses_base(files: PolicyFiles) -> bool:
    """Return whether a policy's IMU is on the base, as its player needs it."""
    if files.imu == BASE_IMU:
        return True
    model = _model(files.mjcf)
    return int(model.site(files.imu).bodyid[0]) == FIRST_BODY


def _model(mjcf: Path) -> Any:
    """Let MuJoCo read a file."""
    try:
        return mujoco.MjModel.from_xml_path(str(mjcf))
    except ValueError as error:
        reason = " ".join(str(error).split())
        raise BipedSlipError(
            f"{mjcf}: MuJoCo can't read it ({reason}); correct or delete what it names"
        ) from error


class SoleBox(NamedTuple):
    """Place of a sole in its link, and half of its sides."""

    link: str
    position: tuple[float, float, float]  # [m] of the middle
    rpy: tuple[float, float, float]  # [rad]
    half: tuple[float, float]  # [m] along x and y


def _posed(model: Any, layout: LearnedPolicyConfig) -> Any:
    """Compute places of all bodies in the posture of a layout, the base upright."""
    data = mujoco.MjData(model)
    data.qpos[3:7] = [1.0, 0.0, 0.0, 0.0]
    for joint, position in layout.posture:
        data.qpos[model.joint(joint).qposadr[0]] = position
    mujoco.mj_kinematics(model, data)
    return data


def sole_boxes(model: Any, data: Any) -> tuple[SoleBox, SoleBox]:
    """Find both soles, the left one first, in a posed model.

    The feet are the two bodies whose shapes reach lowest.

    Raises:
        BipedSlipError: fewer than two bodies have shapes.
        InvalidParameter: a foot touches the floor in a point or a line.
    """
    shapes: dict[int, list[int]] = {}
    for geom in range(model.ngeom):
        body = int(model.geom_bodyid[geom])
        if body > 0 and model.geom_type[geom] != mujoco.mjtGeom.mjGEOM_CYLINDER:
            shapes.setdefault(body, []).append(geom)
    if len(shapes) < len(FEET):
        raise BipedSlipError(
            f"{len(shapes)} bodies of the MJCF have shapes, but 2 feet need some: give "
            "each foot boxes or spheres where it touches the floor"
        )
    met = {body: geoms for body in shapes if (geoms := _meeting(model, shapes[body]))}
    if len(met) >= len(FEET):
        shapes = met
    reach = {body: _lowest(model, data, geoms) for body, geoms in shapes.items()}
    feet = sorted(shapes, key=lambda body: reach[body])[: len(FEET)]
    ordered = sorted(feet, key=lambda body: -data.xpos[body][1])
    left, right = (_sole_box(model, data, body, shapes[body]) for body in ordered)
    return left, right


def _meeting(model: Any, geoms: list[int]) -> list[int]:
    """Keep the shapes that meet others; what is only drawn does not."""
    paired = {*model.pair_geom1.tolist(), *model.pair_geom2.tolist()}
    return [
        geom
        for geom in geoms
        if model.geom_contype[geom] | model.geom_conaffinity[geom] or geom in paired
    ]


def _lowest(model: Any, data: Any, geoms: list[int]) -> float:
    """Return the height of the lowest point of shapes in a posed model."""
    lowest = math.inf
    for geom in geoms:
        solid = _solid(model, geom)
        heights = solid.points @ data.geom_xmat[geom].reshape(3, 3)[2]
        bottom = data.geom_xpos[geom][2] + heights.min() - solid.radius
        lowest = min(lowest, float(bottom))
    return lowest


#: Shapes that stand for a sole, whose axes are its own.
PLAIN = (int(mujoco.mjtGeom.mjGEOM_BOX), int(mujoco.mjtGeom.mjGEOM_SPHERE))


def _sole_box(model: Any, data: Any, body: int, geoms: list[int]) -> SoleBox:
    if all(model.geom_type[geom] in PLAIN for geom in geoms):
        return _box_around(model, data, body, geoms)
    return _lowest_face(model, data, body, geoms)


def _box_around(model: Any, data: Any, body: int, geoms: list[int]) -> SoleBox:
    """Find the sole of a foot of boxes, or of spheres: all of them are on the floor."""
    spheres = [
        geom for geom in geoms if model.geom_type[geom] == mujoco.mjtGeom.mjGEOM_SPHERE
    ]
    used = spheres or geoms
    axes = _upright_axes(data.geom_xmat[used[0]].reshape(3, 3))
    low = np.full(3, np.inf)
    high = np.full(3, -np.inf)
    for geom in used:
        centre = axes.T @ (data.geom_xpos[geom] - data.xpos[body])
        turned = axes.T @ data.geom_xmat[geom].reshape(3, 3)
        reach = np.abs(turned) @ model.geom_size[geom]
        if spheres:
            reach = np.array([0.0, 0.0, model.geom_size[geom][0]])
        low = np.minimum(low, centre - reach)
        high = np.maximum(high, centre + reach)
    bottom = axes @ np.array([*(0.5 * (low + high))[:2], low[2]])
    into_link = data.xmat[body].reshape(3, 3).T
    return SoleBox(
        link=model.body(body).name,
        position=tuple((into_link @ bottom).tolist()),
        rpy=roll_pitch_yaw_of(into_link @ axes),
        half=tuple((0.5 * (high - low))[:2].tolist()),
    )


def _upright_axes(rotation: Array) -> Array:
    """Order and flip the axes of a box: x nearest to forward, z nearest to upward."""
    columns = list(rotation.T)
    up = columns.pop(int(np.argmax([abs(axis[2]) for axis in columns])))
    up = up * np.sign(up[2])
    forward = columns[int(np.argmax([abs(axis[0]) for axis in columns]))]
    forward = forward * np.sign(forward[0])
    return np.stack((forward, np.cross(up, forward), up), axis=1)


def _lowest_face(model: Any, data: Any, body: int, geoms: list[int]) -> SoleBox:
    """Find the sole of a foot of meshes and rounded shapes.

    MuJoCo's box of a mesh lies along its axes of inertia, and they are no sole's.
    """
    into_link = data.xmat[body].reshape(3, 3).T
    solids = []
    for geom in geoms:
        place = pin.SE3(
            into_link @ data.geom_xmat[geom].reshape(3, 3),
            into_link @ (data.geom_xpos[geom] - data.xpos[body]),
        )
        solids.append(moved(_solid(model, geom), place))
    sole = sole_of(
        solids, down=-into_link[:, 2], forward=into_link[:, 0], ankle=np.zeros(3)
    )
    if sole.is_point:
        raise InvalidParameter(
            f"sole of {model.body(body).name}",
            "a point",
            "an area to stand on",
            "give the foot a box, a mesh or three spheres where it touches the floor",
        )
    middle = np.array([*(0.5 * (sole.low + sole.high)), 0.0])
    return SoleBox(
        link=model.body(body).name,
        position=tuple((sole.position + sole.rotation @ middle).tolist()),
        rpy=roll_pitch_yaw_of(sole.rotation),
        half=tuple((0.5 * (sole.high - sole.low)).tolist()),
    )


def _solid(model: Any, geom: int) -> Solid:
    """Return what a floor can feel of a geom, in the geom's own frame."""
    kind = model.geom_type[geom]
    size = model.geom_size[geom]
    if kind == mujoco.mjtGeom.mjGEOM_SPHERE:
        return Solid(points=np.zeros((1, 3)), radius=float(size[0]))
    if kind == mujoco.mjtGeom.mjGEOM_CAPSULE:
        ends = np.array([[0.0, 0.0, -size[1]], [0.0, 0.0, size[1]]])
        return Solid(points=ends, radius=float(size[0]))
    if kind == mujoco.mjtGeom.mjGEOM_CYLINDER:
        return cylinder(radius=float(size[0]), half=float(size[1]))
    if kind == mujoco.mjtGeom.mjGEOM_MESH:
        mesh = model.geom_dataid[geom]
        first = model.mesh_vertadr[mesh]
        vertices = model.mesh_vert[first : first + model.mesh_vertnum[mesh]]
        return Solid(points=hull_points(vertices.astype(float)), radius=0.0)
    return box(half=size)


def roll_pitch_yaw_of(rotation: Array) -> tuple[float, float, float]:
    """Return the angles [rad] of a rotation (3, 3) as a URDF writes them."""
    roll, pitch, yaw = pin.rpy.matrixToRpy(rotation).tolist()
    return roll, pitch, yaw


def _origin(parent: Element, position: Array, quaternion: Array) -> None:
    rotation = np.empty(9)
    mujoco.mju_quat2Mat(rotation, quaternion)
    rpy = roll_pitch_yaw_of(rotation.reshape(3, 3))
    SubElement(parent, "origin", xyz=_numbers(position), rpy=_numbers(rpy))


def _numbers(values: Any) -> str:
    return " ".join(repr(float(value)) for value in values)


def urdf_of(model: Any, name: str) -> str:
    """Write the bodies and hinges of a floating robot's MJCF as a URDF.

    Args:
        model: of MuJoCo; its first body floats, each other has one hinge or none.
        name: of the robot.

    Raises:
        BipedSlipError: a body has several joints, or one that is no hinge.
    """
    robot = Element("robot", name=name)
    for body in range(1, model.nbody):
        link = SubElement(robot, "link", name=model.body(body).name)
        inertial = SubElement(link, "inertial")
        _origin(inertial, model.body_ipos[body], model.body_iquat[body])
        SubElement(inertial, "mass", value=repr(float(model.body_mass[body])))
        moments = dict.fromkeys(("ixy", "ixz", "iyz"), "0")
        for key, moment in zip(
            ("ixx", "iyy", "izz"), model.body_inertia[body], strict=True
        ):
            moments[key] = repr(float(moment))
        SubElement(inertial, "inertia", moments)
        if body > 1:
            _joint(robot, model, body)
    return tostring(robot, encoding="unicode")


def _joint(robot: Element, model: Any, body: int) -> None:
    """Write the joint between a body and its parent."""
    count = int(model.body_jntnum[body])
    at = int(model.body_jntadr[body])
    if count > 1 or (count and model.jnt_type[at] != mujoco.mjtJoint.mjJNT_HINGE):
        raise BipedSlipError(
            f"body {model.body(body).name}: {count} joints; one hinge, or none, can be "
            "written"
        )
    label = model.joint(at).name if count else f"{model.body(body).name}_fixed"
    joint = SubElement(robot, "joint", name=label)
    joint.set("type", "revolute" if count else "fixed")
    _origin(joint, model.body_pos[body], model.body_quat[body])
    parent = model.body(int(model.body_parentid[body])).name
    SubElement(joint, "parent", link=parent)
    SubElement(joint, "child", link=model.body(body).name)
    if not count:
        return
    if np.any(model.jnt_pos[at]):
        raise BipedSlipError(f"joint {label}: not at the origin of its body")
    SubElement(joint, "axis", xyz=_numbers(model.jnt_axis[at]))
    low, high = model.jnt_range[at]
    SubElement(
        joint,
        "limit",
        lower=repr(float(low)),
        upper=repr(float(high)),
        effort=repr(URDF_EFFORT),
        velocity=repr(ENDLESS_SPEED),
    )


def robot_mapping(files: PolicyFiles, model: Any) -> dict[str, Any]:
    """Build the robot's file: soles, IMU, and numbers of its joints."""
    left, right = sole_boxes(model, _posed(model, files.layout))
    along, across = left.half
    corners = [(-along, -across), (along, -across), (along, across), (-along, across)]
    hinges = [
        model.joint(at)
        for at in range(model.njnt)
        if model.jnt_bodyid[at] != FIRST_BODY
    ]
    limits = {hinge.name: float(model.jnt_actfrcrange[hinge.id][1]) for hinge in hinges}
    asked = dict(files.layout.efforts)
    efforts = {
        name: limit or asked.get(name, files.layout.effort)
        for name, limit in limits.items()
    }
    imu: dict[str, Any] = {}
    if files.imu != BASE_IMU:
        site = model.site(files.imu)
        imu = {
            "link": model.body(int(site.bodyid[0])).name,
            "position": site.pos.tolist(),
        }
    armatures = {
        hinge.name: float(model.dof_armature[hinge.dofadr[0]]) for hinge in hinges
    }
    frictions = {
        hinge.name: float(model.dof_frictionloss[hinge.dofadr[0]]) for hinge in hinges
    }
    return {
        "l_sole": {"link": left.link, "position": left.position, "rpy": left.rpy},
        "r_sole": {"link": right.link, "position": right.position, "rpy": right.rpy},
        "imu": imu,
        "l_ft": {"link": left.link},
        "r_ft": {"link": right.link},
        "contact": {"polygon": corners},
        "posture": dict(files.layout.posture),
        "armatures": armatures,
        "frictions": frictions,
        "efforts": efforts,
        "power": ENDLESS_POWER,
    }


#: Joints of a base that floats; a ball between rails has a free joint's coordinates.
FLOATING_BASES = (
    [int(mujoco.mjtJoint.mjJNT_FREE)],
    [int(mujoco.mjtJoint.mjJNT_SLIDE)] * 3 + [int(mujoco.mjtJoint.mjJNT_BALL)],
)


def _check_floats(mjcf: Path, model: Any) -> None:
    """Refuse a robot whose first body does not float."""
    first = int(model.body_jntadr[FIRST_BODY])
    joints = range(first, first + int(model.body_jntnum[FIRST_BODY]))
    kinds = [int(model.jnt_type[joint]) for joint in joints]
    if kinds not in FLOATING_BASES:
        names = [mujoco.mjtJoint(kind).name for kind in kinds]
        raise InvalidParameter(
            f"{mjcf}: joints of its base {model.body(FIRST_BODY).name}",
            ", ".join(names) or "none",
            "a free joint",
            "give the base <freejoint/> in their place",
        )


def write_robot(files: PolicyFiles, folder: Path) -> Path:
    """Write a policy's URDF and robot; return the path of the robot's file."""
    model = _model(files.mjcf)
    _check_floats(files.mjcf, model)
    name = files.network.stem
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.urdf").write_text(urdf_of(model, name), encoding="utf-8")
    mapping = {"description": f"{name}.urdf", **robot_mapping(files, model)}
    path = folder / f"{name}_robot.yaml"
    plain = yaml.safe_dump(_lists(mapping), sort_keys=False)
    path.write_text(plain, encoding="utf-8")
    return path


def _lists(value: Any) -> Any:
    """Turn tuples into lists, which YAML writes plainly."""
    if isinstance(value, dict):
        return {key: _lists(one) for key, one in value.items()}
    return [_lists(one) for one in value] if isinstance(value, (tuple, list)) else value

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The shapes of a robot and the joints that move them.

Shapes are the meshes and primitives of its description, with fewer faces, in the
colours given there; rods between the joints where there are none.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Any, Sequence

import numpy as np
import pinocchio as pin

from biped_slip.compile.arrays import Array
from biped_slip.robots.description_changes import with_distinct_links
from biped_slip.view.scene import Colour, Shape

# Where the joints of a robot are, each in its parent: what moves its shapes.


class Skeleton:
    """Forward kinematics of a robot's drawing.

    Attributes:
        names: of the joints, the root first.
        parents: of each; -1 is the world.
    """

    def __init__(self, model: Any) -> None:
        self._model = model
        self._data = model.createData()
        self.names = tuple(str(name) for name in model.names[1:])
        self.parents = tuple(int(parent) - 1 for parent in model.parents[1:])

    def places(self, q: Array) -> Array:
        """Compute (joints, 7) of each joint in its parent, see ``Instant.places``."""
        pin.forwardKinematics(self._model, self._data, q)
        return np.array([pose_of(placement) for placement in self._data.liMi[1:]])

    def centre(self, q: Array) -> Array:
        """Compute the centre of mass (3,) in the world [m]."""
        return np.array(pin.centerOfMass(self._model, self._data, q))


def pose_of(placement: Any) -> Array:
    """Convert a Pinocchio placement to x, y, z and quaternion w, x, y, z."""
    return pose(placement.translation, placement.rotation)


def pose(position: Array, rotation: Array) -> Array:
    """Convert a position (3,) and a rotation matrix (3, 3) to a pose.

    The pose is x, y, z and quaternion w, x, y, z.
    """
    turn = pin.Quaternion(np.asarray(rotation))
    return np.array([*position, turn.w, turn.x, turn.y, turn.z])


def level_points(poses: Array, outlines: Sequence[Array]) -> Array:
    """Level the poses (feet, 7) of soles without an area."""
    level: Array = np.array(poses)
    for foot, corners in enumerate(outlines):
        if len(corners) < 3:
            level[foot, 3:] = (1.0, 0.0, 0.0, 0.0)
    return level


# The shapes of a robot: meshes and primitives of its description, simplified; rods
# where it has none.

FACES = 24000  # of a whole robot: invisible details are gone
FEWEST_FACES = 60  # faces of a piece: below it a shape is not recognised
ROD: Colour = (120, 130, 145)
ROD_SHARE = 0.028  # radius of a rod, of the robot's height


def robot_shapes(
    model: Any, text: str, folders: Sequence[str], soles: Sequence[str], height: float
) -> tuple[Shape, ...]:
    """List the shapes of a robot.

    Args:
        model: Pinocchio's.
        text: URDF with its visuals.
        folders: where ``package://`` paths start.
        soles: names of frames, to which the lowest rods lead.
        height: of the robot [m].
    """
    described = _described(model, text, folders)
    return (
        _simplified(described) if described else _rods(model, soles, ROD_SHARE * height)
    )


def missing_visuals(model: Any, text: str, folders: Sequence[str]) -> str:
    """Explain why the visuals of a description cannot be drawn.

    The explanation is empty where they can.

    Args:
        model: Pinocchio's.
        text: of the description.
        folders: with its meshes.
    """
    found = _visuals(model, text, folders)
    return found if isinstance(found, str) else ""


def _visuals(model: Any, text: str, folders: Sequence[str]) -> Any:
    """Load Pinocchio's geometry, or the reason why there is none."""
    try:
        return pin.buildGeomFromUrdfString(
            model, with_distinct_links(text), pin.VISUAL, package_dirs=list(folders)
        )
    except (ValueError, RuntimeError) as error:
        return " ".join(str(error).split())


def _described(model: Any, text: str, folders: Sequence[str]) -> list[Shape]:
    """Collect the visuals of the description, a piece per joint and colour.

    There are none where a mesh is missing.
    """
    import trimesh

    geometry = _visuals(model, text, folders)
    if isinstance(geometry, str):
        return []
    pieces = defaultdict(list)
    for part in geometry.geometryObjects:
        mesh = _mesh(part.geometry)
        if mesh is None:
            continue
        # vertices are scaled already, but a mirrored face shows its back
        if np.prod(part.meshScale) < 0.0:
            mesh.invert()
        mesh.apply_transform(part.placement.homogeneous)
        red, green, blue = (round(255 * float(share)) for share in part.meshColor[:3])
        pieces[part.parentJoint, (red, green, blue)].append(mesh)
    return [
        _shape(joint - 1, trimesh.util.concatenate(meshes), colour)
        for (joint, colour), meshes in pieces.items()
    ]


def _mesh(geometry: Any) -> Any:
    """Convert a geometry of Pinocchio's collision library to a mesh.

    Return None for an unknown one.
    """
    import trimesh

    if hasattr(geometry, "tri_indices"):
        triangles = [geometry.tri_indices(i) for i in range(geometry.num_tris)]
        return trimesh.Trimesh(
            geometry.vertices(), [(t[0], t[1], t[2]) for t in triangles]
        )
    kind = type(geometry).__name__
    if kind == "Box":
        return trimesh.creation.box(2.0 * np.asarray(geometry.halfSide))
    if kind == "Sphere":
        return trimesh.creation.icosphere(2, geometry.radius)
    if kind == "Cylinder":
        return trimesh.creation.cylinder(
            geometry.radius, 2.0 * geometry.halfLength, sections=24
        )
    if kind == "Capsule":
        return trimesh.creation.capsule(
            2.0 * geometry.halfLength, geometry.radius, count=(12, 24)
        )
    return None


def _shape(joint: int, mesh: Any, colour: Colour) -> Shape:
    return Shape(
        joint,
        np.asarray(mesh.vertices, np.float32),
        np.asarray(mesh.faces, np.uint32),
        colour,
    )


def _simplified(shapes: Sequence[Shape]) -> tuple[Shape, ...]:
    """Simplify to about ``FACES`` triangles; each piece keeps its share."""
    share = FACES / max(sum(len(shape.faces) for shape in shapes), 1)
    if share >= 1.0:
        return tuple(shapes)
    import fast_simplification

    def fewer(shape: Shape) -> Shape:
        wanted = max(FEWEST_FACES, int(share * len(shape.faces)))
        if wanted >= len(shape.faces):
            return shape
        vertices, kept = fast_simplification.simplify(
            shape.vertices, shape.faces, target_count=wanted
        )
        return shape._replace(
            vertices=np.asarray(vertices, np.float32), faces=np.asarray(kept, np.uint32)
        )

    return tuple(fewer(shape) for shape in shapes)


def _rods(model: Any, soles: Sequence[str], radius: float) -> tuple[Shape, ...]:
    """Draw a rod from every joint to the joints and soles that it carries."""
    import trimesh

    ends: list[tuple[int, Array]] = [
        (model.parents[joint], model.jointPlacements[joint].translation)
        for joint in range(2, model.njoints)
    ]
    for name in soles:
        frame = model.frames[model.getFrameId(name)]
        ends.append((frame.parentJoint, frame.placement.translation))
    pieces = defaultdict(list)
    for joint, end in ends:
        pieces[joint].append(trimesh.creation.icosphere(2, 1.2 * radius))
        if np.linalg.norm(end) > radius:
            pieces[joint].append(
                trimesh.creation.cylinder(
                    radius, segment=[np.zeros(3), end], sections=16
                )
            )
    return tuple(
        _shape(joint - 1, trimesh.util.concatenate(parts), ROD)
        for joint, parts in pieces.items()
    )

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""A robot: a URDF on a root that defines how its base may move.

Its joints and soles have names.

Numbers that no body, joint or motor has are refused first: parsers take some for zero
without a word.
"""

from __future__ import annotations

import hashlib
import math
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pinocchio as pin
from numpy.typing import NDArray

from biped_slip.bounded_files import read_text
from biped_slip.errors import BipedSlipError, InvalidParameter, UnknownName

SOLES = ("l_sole", "r_sole")  # names of the soles' frames, by REP 120
ENDLESS = 1000.0  # [N m] a torque limit that stands for none
# in any unit of a description: nothing that walks is so heavy, long, strong or fast
# (choice)
LARGEST_NUMBER = 1e9
INERTIA_MOMENTS = ("ixx", "iyy", "izz")
#: Numbers by element and attribute; an attribute may have several.
NUMBER_ATTRIBUTES = {
    "mass": ("value",),
    "inertia": (*INERTIA_MOMENTS, "ixy", "ixz", "iyz"),
    "origin": ("xyz", "rpy"),
    "axis": ("xyz",),
    "limit": ("lower", "upper", "effort", "velocity"),
}
POSITIVE = {
    ("mass", "value"),
    ("limit", "effort"),
    ("limit", "velocity"),
    *(("inertia", axis) for axis in INERTIA_MOMENTS),
}
REMEDY = "correct the description"


def check_numbers(urdf: str, moments: bool = True) -> None:
    """Check that numbers of links and joints are finite.

    Masses, moments (where asked for) and limits must not be negative.

    Raises:
        InvalidParameter: with the link or joint, the value and what is allowed.
    """
    try:
        robot = ElementTree.fromstring(urdf)
    except ElementTree.ParseError:
        return  # its reader reports that
    for owner in (*robot.findall("link"), *robot.findall("joint")):
        name = f"{owner.tag} {owner.get('name', '')}"
        for element in owner.iter():
            for attribute in NUMBER_ATTRIBUTES.get(element.tag, ()):
                positive = (element.tag, attribute) in POSITIVE and (
                    moments or attribute not in INERTIA_MOMENTS
                )
                for text in element.get(attribute, "").split():
                    _check(f"{name}: {element.tag} {attribute}", text, positive)
        for limit in owner.findall("limit"):
            lower, upper = (float(limit.get(end, "0")) for end in ("lower", "upper"))
            if lower > upper:
                raise InvalidParameter(
                    f"{name}: lower limit",
                    lower,
                    f"<= its upper limit {upper:g}",
                    REMEDY,
                )


def _check(name: str, text: str, positive: bool) -> None:
    try:
        value = float(text)
    except ValueError:
        raise InvalidParameter(name, text, "a number", REMEDY) from None
    if not math.isfinite(value) or abs(value) > LARGEST_NUMBER:
        raise InvalidParameter(
            name, text, f"finite and within {LARGEST_NUMBER:g}", REMEDY
        )
    if positive and value < 0.0:
        raise InvalidParameter(name, value, ">= 0", REMEDY)


class Root(Enum):
    """Root of a robot: joints between world and base, as (name, Pinocchio joint)."""

    SAGITTAL = ("root_x", "root_z")
    SAGITTAL_PITCH = ("root_x", "root_z", "root_pitch")
    FLOATING = ("root_joint",)


_ROOT_JOINTS = {
    "root_x": pin.JointModelPX,
    "root_z": pin.JointModelPZ,
    "root_pitch": pin.JointModelRY,
    "root_joint": pin.JointModelFreeFlyer,
}


@dataclass(frozen=True)
class Robot:
    """A robot model in generalized coordinates.

    They are the root's, then the joints in the order given.

    A floating base has q = (position, quaternion x y z w, joints) and v = (linear and
    angular velocity in the base, joints), as Pinocchio's free-flyer.

    Args:
        urdf: the robot description (XML text).
        root: how the base moves.
        joints: actuated joints in the order used everywhere.
        soles: names of the sole frames, left then right.
        armature: reflected rotor inertia of each joint [kg m^2]; () is none.
    """

    urdf: str
    root: Root
    joints: tuple[str, ...]
    soles: tuple[str, str]
    armature: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        check_numbers(self.urdf)
        names = list(self.model.names)[1:]
        expected = [*self.root.value, *self.joints]
        known = names[len(self.root.value) :]
        for joint in self.joints:
            if joint not in names:
                raise UnknownName("joint", joint, known)
        if names != expected:
            raise InvalidParameter(
                "joints", self.joints, f"in the model's order {tuple(known)}"
            )
        frames = [frame.name for frame in self.model.frames]
        for sole in self.soles:
            if sole not in frames:
                raise UnknownName("frame", sole, frames)

    @cached_property
    def model(self) -> Any:
        """Return the Pinocchio model with its root joints."""
        try:
            body = pin.buildModelFromXML(self.urdf)
        except (ValueError, RuntimeError) as error:
            raise BipedSlipError(
                f"robot description: not a valid URDF ({error})"
            ) from error
        root = pin.Model()
        parent = 0
        for name in self.root.value:
            parent = root.addJoint(
                parent, _ROOT_JOINTS[name](), pin.SE3.Identity(), name
            )
        base = root.addFrame(
            pin.Frame("root", parent, 0, pin.SE3.Identity(), pin.FrameType.OP_FRAME)
        )
        model = pin.appendModel(root, body, base, pin.SE3.Identity())
        if self.armature:
            model.armature[self.root_size :] = self.armature
        return model

    @property
    def root_size(self) -> int:
        """Count the velocities of the base, six for a floating one."""
        return 6 if self.root is Root.FLOATING else len(self.root.value)

    @cached_property
    def mass(self) -> float:
        """Return the total mass [kg]."""
        return float(sum(inertia.mass for inertia in self.model.inertias))

    @cached_property
    def effort_limits(self) -> NDArray[np.float64]:
        """Return the largest joint torques from the description, shape (n,) [N m]."""
        return np.array([self.model.effortLimit[i] for i in self._joint_indices])

    @cached_property
    def velocity_limits(self) -> NDArray[np.float64]:
        """Return the largest joint speeds from the description, shape (n,) [rad/s]."""
        return np.array([self.model.velocityLimit[i] for i in self._joint_indices])

    @cached_property
    def position_limits(self) -> NDArray[np.float64]:
        """Return the ends of the joints' ranges from the description, shape (2, n).

        The rows are lower and upper [rad].
        """
        limits = self.model.lowerPositionLimit, self.model.upperPositionLimit
        indices = [
            self.model.idx_qs[self.model.getJointId(joint)] for joint in self.joints
        ]
        return np.array([[limit[i] for i in indices] for limit in limits])

    @property
    def _joint_indices(self) -> list[int]:
        return [
            self.model.idx_vs[self.model.getJointId(joint)] for joint in self.joints
        ]

    @cached_property
    def key(self) -> str:
        """Hash of the model (hex, 12 characters).

        The generated functions depend on it.
        """
        text = repr((self.urdf, self.root.name, self.joints, self.soles, self.armature))
        return hashlib.sha256(text.encode()).hexdigest()[:12]


def load_robot(
    urdf: str | Path, root: Root, joints: tuple[str, ...], soles: tuple[str, str]
) -> Robot:
    """Load a robot from a URDF file.

    Args:
        urdf: path of the description.
        root: how the base moves.
        joints: actuated ones, in the order used everywhere.
        soles: names of the sole frames, left then right.
    """
    try:
        text = read_text(urdf)
    except (OSError, UnicodeDecodeError) as error:
        raise BipedSlipError(f"{urdf}: can't be read ({error})") from error
    return Robot(urdf=text, root=root, joints=joints, soles=soles)

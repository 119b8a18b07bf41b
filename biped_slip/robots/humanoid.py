# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""A floating-base biped from its URDF and a small YAML: the model, its soles and sensors, and how it stands."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pinocchio as pin

from biped_slip.compile.arrays import Array
from biped_slip.config import read_yaml
from biped_slip.constants import GRAVITY
from biped_slip.errors import BipedSlipError, UnknownName
from biped_slip.robots.description import FramePlace, base_link, complete, has_link, read_description
from biped_slip.robots.humanoid_checks import check_description, check_motors, check_posture, check_stance
from biped_slip.robots.humanoid_config import FOOT_IMUS, FORCE_SENSORS, IMU, SOLES, FrameConfig, HumanoidConfig
from biped_slip.robots.least_moment import with_least_moment
from biped_slip.robots.robot import Robot, Root
from biped_slip.shared_files import shared_file, shared_names


@dataclass(frozen=True)
class Humanoid:
    """A biped and what its YAML says of it.

    Args:
        name: for messages and logs.
        config: the YAML.
        urdf: completed description: joints locked, frames of soles and sensors added.
        folder: where relative paths of the description start.
    """

    name: str
    config: HumanoidConfig
    urdf: str
    folder: Path | None = None

    @cached_property
    def robot(self) -> Robot:
        """Model with a floating base; ``robot.joints`` is the order of joints everywhere."""
        armatures = dict(self.config.armatures)
        joints = tuple(pin.buildModelFromXML(self.urdf).names[1:])
        unknown = sorted({joint for pairs in (self.config.posture, self.config.armatures, self.config.efforts)
                          for joint, _ in pairs} - set(joints))  # fmt: skip
        if unknown:
            raise UnknownName("joint", unknown[0], list(joints))
        inertia = tuple(armatures.get(joint, self.config.armature) for joint in joints)
        return Robot(self.urdf, Root.FLOATING, joints, SOLES, inertia)

    @property
    def model(self) -> Any:
        """Pinocchio's model; shared, not to be changed."""
        return self.robot.model

    @property
    def weight(self) -> float:
        """Weight [N]."""
        return self.robot.mass * GRAVITY

    @cached_property
    def efforts(self) -> Array:
        """Largest joint torques (n,) [N m], corrected by the YAML."""
        corrected = dict(self.config.efforts)
        return np.array([corrected.get(j, e) for j, e in zip(self.robot.joints, self.robot.effort_limits, strict=True)])

    @cached_property
    def posture(self) -> Array:
        """Joint positions of the standing posture (n,)."""
        known = dict(self.config.posture)
        return np.array([known.get(joint, 0.0) for joint in self.robot.joints])

    def polygon(self, foot: int) -> tuple[tuple[float, float], ...]:
        """Corners (x, y) [m] of a sole in its frame, counter-clockwise as given; the right one is mirrored."""
        corners = self.config.contact.polygon
        return corners if foot == 0 else tuple((x, -y) for x, y in reversed(corners))

    def standing(self, x: float = 0.0, y: float = 0.0, yaw: float = 0.0, height: float = 0.0) -> Array:
        """Coordinates (nq,) of the standing posture with the middle between the soles over (x, y).

        Args:
            x, y: world [m].
            yaw: heading [rad].
            height: of the soles [m]; the lower one if they differ.
        """
        model, data = self.model, self.model.createData()
        q = pin.neutral(model)
        q[7:] = self.posture
        turn = np.array([0.0, 0.0, math.sin(0.5 * yaw), math.cos(0.5 * yaw)])
        q[3:7] = turn
        pin.framesForwardKinematics(model, data, q)
        soles = np.array([data.oMf[model.getFrameId(sole)].translation for sole in SOLES])
        middle = soles.mean(axis=0)
        q[:3] = x - middle[0], y - middle[1], height - soles[:, 2].min()
        return q


def humanoid_of(config: HumanoidConfig, name: str = "robot", folder: Path | None = None) -> Humanoid:
    """A humanoid from its configuration, checked.

    Args:
        folder: where relative paths of the description start.
    """
    text = read_description(config.description, folder)
    urdf = with_least_moment(complete(text, dict(config.locked), _frames(config, name, text)), config.least_moment)
    check_description(urdf, config.joints)
    humanoid = Humanoid(name, config, urdf, folder)
    check_motors(humanoid.robot.joints, humanoid.efforts, humanoid.model.velocityLimit[6:])
    check_posture(humanoid.model, humanoid.standing())
    check_stance(humanoid.model, humanoid.standing(), SOLES)
    return humanoid


@lru_cache(maxsize=16)
def load_humanoid(name: str) -> Humanoid:
    """A humanoid by the path of its YAML, or by the name of one that comes with the package."""
    if Path(name).suffix in (".yaml", ".yml"):
        path = Path(name)
    else:
        known = shared_names("config/robots")
        if name not in known:
            raise UnknownName("robot", name, [*known, "or a .yaml file"])
        path = shared_file(f"config/robots/{name}.yaml")
    return humanoid_of(HumanoidConfig.from_mapping(read_yaml(path)), path.stem, path.parent)


def _frames(config: HumanoidConfig, name: str, text: str) -> dict[str, FramePlace]:
    """Frames of soles and sensors; what is not named takes the place of what is."""

    def place(frame: str, instead: FramePlace) -> FramePlace:
        named: FrameConfig = getattr(config, frame)
        if named.link:
            return FramePlace(named.link, named.position, named.rpy)
        return nowhere._replace(link=frame) if has_link(text, frame) else instead

    nowhere = FramePlace("", (0.0,) * 3, (0.0,) * 3)
    frames = {IMU: place(IMU, nowhere._replace(link=base_link(text)))}
    for sole, sensor, imu in zip(SOLES, FORCE_SENSORS, FOOT_IMUS, strict=True):
        frames[sole] = place(sole, nowhere)
        if not frames[sole].link:
            raise BipedSlipError(f"{name}: no sole; name the link of {sole} under '{sole}: {{link: ...}}'")
        frames[sensor] = place(sensor, frames[sole])
        frames[imu] = place(imu, frames[sensor])
    return frames

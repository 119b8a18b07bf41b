# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""A robot from its description alone: each setting of its YAML, and why it is so.

What a description says is taken from there; what it leaves out follows from the robot's
size and is called assumed. The settings are those of ``HumanoidConfig``, so the
YAML that is written from them can be changed by hand and is the same robot.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple, Sequence

import numpy as np
import pinocchio as pin
import yaml

from biped_slip.errors import InvalidParameter, UnknownName
from biped_slip.robots.described_feet import (
    Foot,
    foot_of,
    sole_settings,
    turned_point,
    uneven,
)
from biped_slip.robots.described_motors import motor_notes, motor_settings
from biped_slip.robots.described_robot import DescribedRobot, Setting
from biped_slip.robots.described_sensors import sensor_notes, sensor_settings
from biped_slip.robots.description import description_of, mesh_folders
from biped_slip.robots.installed_descriptions import installed_description
from biped_slip.robots.leg_freedom import LegToSole, check_leg
from biped_slip.robots.mjcf import loops_refused
from biped_slip.robots.robot import SOLES, check_numbers
from biped_slip.robots.standing_posture import (
    LARGEST_SOLE_TILT,
    StandingPosture,
    find_posture,
)
from biped_slip.robots.written_numbers import round_number, rounded

SUFFIXES = (".urdf", ".xacro", ".xml")  # of descriptions; others are YAML or names
LEAST_ANGLE = 1e-4  # [rad]
WIDTH = 110  # characters of a line of YAML
END_OF_SCALAR = "...\n"  # that PyYAML writes after a number or word


class RobotFile(NamedTuple):
    """What was found in a description.

    Attributes:
        settings: by key of ``HumanoidConfig``, in the order of the YAML.
        notes: what a user should know, a sentence each.
    """

    settings: dict[str, Setting]
    notes: tuple[str, ...]

    @property
    def mapping(self) -> dict[str, Any]:
        """Return the settings as the robot's YAML has them."""
        return {key: setting.value for key, setting in self.settings.items()}


def described_source(name: str, shipped: Sequence[str]) -> str:
    """Return the source of a description by its path, or by its robot's name.

    Args:
        name: path, ``PACKAGE:PATH``, or a robot of an installed package.
        shipped: names that this package has, for the sentence.

    Raises:
        UnknownName: neither an installed package nor this one has it.
    """
    if Path(name).suffix in SUFFIXES:
        return name
    try:
        return installed_description(name)
    except UnknownName as error:
        packages = f"or a robot of {', '.join(error.known)} where they are installed"
        files = "or a .yaml, .urdf, .xacro or .xml file"
        raise UnknownName("robot", name, [*shipped, packages, files]) from None


def read_robot_file(source: str, folder: Path | None = None) -> RobotFile:
    """Find a robot in its description.

    Args:
        source: of the description, as ``read_description`` takes it.
        folder: where relative paths start.

    Raises:
        BipedSlipError: there is no biped in it, or one that this package can't walk;
            with the reason.
    """
    description = description_of(source, folder)
    if description.loops:
        raise loops_refused(source, description.loops)
    check_numbers(description.text, moments=False)
    robot = DescribedRobot(description, mesh_folders(source, folder))
    feet = (foot_of(robot, 0), foot_of(robot, 1))
    standing = _standing(robot, feet)
    _check_posture(source, robot, feet, standing)
    if robot.on_points:
        feet = (
            turned_point(robot, feet[0], 0, standing.q),
            turned_point(robot, feet[1], 1, standing.q),
        )
    motors = motor_settings(robot)
    settings = {
        "description": Setting(source, ""),
        **_base(robot),
        **sole_settings(feet),
        **sensor_settings(robot),
        **motors,
        **_joints(robot),
        "posture": _posture(robot, standing),
    }
    notes = (
        *description.notes,
        *feet[0].notes,
        *feet[1].notes,
        *uneven(feet),
        *sensor_notes(robot),
        *motor_notes(motors),
    )
    return RobotFile(settings=settings, notes=tuple(dict.fromkeys(notes)))


def _standing(robot: DescribedRobot, feet: tuple[Foot, Foot]) -> StandingPosture:
    soles = [pin.SE3(foot.sole.rotation, foot.sole.position) for foot in feet]
    middle = 0.5 * float(feet[0].sole.low[0] + feet[0].sole.high[0])
    return find_posture(
        robot.model, robot.start(), robot.legs, soles, middle, robot.on_points
    )


def _base(robot: DescribedRobot) -> dict[str, Setting]:
    if np.abs(robot.base_rpy).max() <= LEAST_ANGLE:
        return {}
    why = "its base looks elsewhere: here x is forward and z up"
    return {"base_rpy": Setting(rounded(robot.base_rpy), why)}


def _joints(robot: DescribedRobot) -> dict[str, Setting]:
    """Return ranges that are assumed, and joints that are held."""
    settings = {}
    if robot.ranges:
        ranges = {name: list(ends) for name, ends in robot.ranges.items()}
        settings["ranges"] = Setting(ranges, "assumed: the description has none [rad]")
    if robot.held:
        held = {name: round_number(one.position) for name, one in robot.held.items()}
        whys = sorted({one.why for one in robot.held.values()})
        settings["locked"] = Setting(held, f"held: {'; '.join(whys)}")
    return settings


def written_yaml(found: RobotFile) -> str:
    """Write the YAML of a robot, each setting with its reason."""
    lines = []
    for key, setting in found.settings.items():
        value = yaml.safe_dump(
            setting.value, default_flow_style=True, sort_keys=False, width=WIDTH
        )
        text = f"{key}: {value.removesuffix(END_OF_SCALAR).strip()}"
        if setting.why and ("\n" in text or len(text) + len(setting.why) > WIDTH):
            lines.append(f"# {setting.why}")
            lines.append(text)
        else:
            lines.append(f"{text}  # {setting.why}" if setting.why else text)
    lines += [f"# note: {note}" for note in found.notes]
    return "\n".join(lines) + "\n"


def _check_posture(
    source: str,
    robot: DescribedRobot,
    feet: tuple[Foot, Foot],
    found: StandingPosture,
) -> None:
    """Check that a robot with soles stands level, and why not where it does not."""
    if found.tilt <= LARGEST_SOLE_TILT or robot.on_points:
        return
    for name, foot, chain in zip(SOLES, feet, robot.legs.joints, strict=True):
        place = pin.SE3(foot.sole.rotation, foot.sole.position)
        leg = LegToSole(chain=chain, sole=place, name=name)
        check_leg(Path(source).stem, robot.model, found.q, leg)
    stopped = ", ".join(found.stopped) or "none of its joints"
    raise InvalidParameter(
        "tilt of a sole in the posture with bent knees that was found",
        round(found.tilt, 3),
        f"<= {LARGEST_SOLE_TILT} rad",
        f"at the end of its range is {stopped}; correct the <limit> of what should "
        "go on",
    )


def _posture(robot: DescribedRobot, found: StandingPosture) -> Setting:
    model = robot.model
    value = {
        str(model.names[joint]): round_number(found.q[model.idx_qs[joint]])
        for joint in range(2, model.njoints)
        if abs(found.q[model.idx_qs[joint]]) > LEAST_ANGLE
    }
    others = "as the keyframe" if robot.has_keyframe else "at 0"
    return Setting(value, f"found: knees bent, soles level; others {others}")

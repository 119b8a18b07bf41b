# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""A humanoid's files for Gazebo, made when it is launched.

They are description, controllers, and its walk without rotors.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from biped_slip.robots.humanoid import Humanoid, load_humanoid
from biped_slip.robots.simulator_descriptions import (
    SENSOR_RATE,
    gazebo_controllers,
    gazebo_description,
    without_rotors,
)
from biped_slip.walking.humanoid import chosen_walking, walk_file


class GazeboRobot(NamedTuple):
    """Files and settings for the launch of a robot."""

    name: str
    description: str  # URDF
    controllers: str  # file
    walk: str  # file
    height: float  # [m] of the base at the start


def gazebo_humanoid(
    walk: str, namespace: str, folder: Path, rate: int = SENSOR_RATE
) -> GazeboRobot:
    """Write a humanoid's files.

    Args:
        walk: shipped, or a .yaml file.
        namespace: of its topics, in Gazebo, too.
        folder: for controllers, robot and walk.
        rate: of control [Hz].
    """
    humanoid = without_rotors(load_humanoid(chosen_walking(walk).robot))
    mapping, _ = walk_file(walk)
    _write(folder / "robot.yaml", _standing_alone(humanoid))
    _write(folder / "walk.yaml", {**mapping, "robot": "robot.yaml"})
    controllers = _write(
        folder / "controllers.yaml", gazebo_controllers(humanoid.robot.joints, rate)
    )
    description = gazebo_description(humanoid, controllers, namespace)
    height = float(humanoid.standing()[2])
    return GazeboRobot(
        name=humanoid.name,
        description=description,
        controllers=controllers,
        walk=str(folder / "walk.yaml"),
        height=height,
    )


def _standing_alone(humanoid: Humanoid) -> dict[str, Any]:
    """Copy the robot's YAML with a description that is found from any folder."""
    mapping = humanoid.config.to_mapping()
    near = (humanoid.folder or Path()) / str(mapping["description"])
    return (
        {**mapping, "description": str(near.resolve())} if near.is_file() else mapping
    )


def _write(path: Path, content: Any) -> str:
    plain = json.loads(json.dumps(content))  # lists instead of tuples
    path.write_text(yaml.safe_dump(plain), encoding="utf-8")
    return str(path)

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

from biped_slip.robots.humanoid import (
    FOOT_IMUS,
    FORCE_SENSORS,
    Humanoid,
    load_humanoid,
)
from biped_slip.robots.simulator_descriptions import (
    EVERY_SENSOR,
    SENSOR_RATE,
    TOPICS,
    gazebo_controllers,
    gazebo_description,
    without_rotors,
)
from biped_slip.shared_files import shared_file
from biped_slip.walking.humanoid import chosen_walking, walk_file

#: Frames of the sensors that some humanoids have not, by fields of RawReadings.
FRAMES_OF_ABSENT = {"foot_imus": FOOT_IMUS, "force_torque": FORCE_SENSORS}
BRIDGE = "config/gazebo/humanoid_bridge.yaml"


class GazeboRobot(NamedTuple):
    """Files and settings for the launch of a robot."""

    name: str
    description: str  # URDF
    controllers: str  # file
    bridge: str  # file: what ros_gz_bridge carries
    walk: str  # file
    height: float  # [m] of the base at the start


def gazebo_humanoid(
    walk: str, namespace: str, folder: Path, rate: int = SENSOR_RATE
) -> GazeboRobot:
    """Write a humanoid's files.

    Args:
        walk: shipped, or a .yaml file.
        namespace: of its topics, in Gazebo, too.
        folder: for controllers, bridge, robot and walk.
        rate: of control [Hz].
    """
    walking = chosen_walking(walk)
    humanoid = without_rotors(load_humanoid(walking.robot))
    absent = {
        one for field in walking.absent_sensors for one in FRAMES_OF_ABSENT[field]
    }
    mapping, _ = walk_file(walk)
    robot = f"robot/{humanoid.name}.yaml"
    (folder / "robot").mkdir(exist_ok=True)
    # a file is not known to a set of sensors by its robot's name
    lacking = sorted({*humanoid.config.absent, *walking.absent_sensors})
    _write(folder / robot, {**_standing_alone(humanoid), "absent": lacking})
    _write(folder / "walk.yaml", {**mapping, "robot": robot})
    controllers = _write(
        folder / "controllers.yaml", gazebo_controllers(humanoid.robot.joints, rate)
    )
    sensors = [one for one in EVERY_SENSOR if one not in absent]
    description = gazebo_description(humanoid, controllers, namespace, sensors)
    silent = {TOPICS[one] for one in absent}
    carried = [
        entry
        for entry in yaml.safe_load(shared_file(BRIDGE).read_text(encoding="utf-8"))
        if entry["gz_topic_name"] not in silent
    ]
    height = float(humanoid.standing()[2])
    return GazeboRobot(
        name=humanoid.name,
        description=description,
        controllers=controllers,
        bridge=_write(folder / "bridge.yaml", carried),
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

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Over ROS topics, in lockstep, a humanoid walks exactly as it does without ROS."""

import json

import numpy as np
import pytest
import yaml

pytest.importorskip("rclpy", reason="ROS 2 (rclpy) is not installed")
pytestmark = [pytest.mark.ros, pytest.mark.compiled]

from biped_slip.reports.stances import stance_rows  # noqa: E402
from biped_slip.ros.topic_walks import humanoid_over_topics  # noqa: E402
from biped_slip.simulation.humanoid.scenario import HumanoidWalkConfig, chosen_walk  # noqa: E402
from biped_slip.simulation.humanoid.summary import summarise_humanoid  # noqa: E402
from biped_slip.simulation.humanoid.walk import HumanoidWalk  # noqa: E402


def short_walk(tmp_path, robot="talos", sensors=None):
    """A robot's walk with its noise, for one second; as a file."""
    mapping = {
        **chosen_walk(robot, sensors).to_mapping(),
        "start": 0.3,
        "distance": 0.12,
        "patience": 1.5,
    }
    file = tmp_path / "walk.yaml"
    # JSON makes lists of tuples
    file.write_text(yaml.safe_dump(json.loads(json.dumps(mapping))))
    config = HumanoidWalkConfig.from_mapping(mapping)
    assert config.sensors.encoders.position_noise > 0.0
    return str(file)


@pytest.mark.parametrize(
    ("robot", "sensors", "base"),
    [
        ("talos", None, "odom"),
        ("talos", None, "estimated"),
        ("g1", "realistic", "estimated"),  # nothing in its ankles and feet
    ],
)
def test_lockstep_with_noise_is_the_walk_without_ros(tmp_path, robot, sensors, base):
    file = short_walk(tmp_path, robot, sensors)
    alone = HumanoidWalk(chosen_walk(file), "interval", 3, true_base=base == "odom")
    alone.run()
    track = humanoid_over_topics(file, "interval", seed=3, checked=False, base=base)
    log = track.log.filled()
    assert len(log["time"]) == alone.world.log.length > 900
    assert max(tick.phase for tick in alone.ticks) > 0  # it walks by then
    for name in (
        "time",
        "q",
        "v",
        "sole_position",
        "wrench",
        "torques",
        "limit",
        "estimates",
        "solved",
    ):
        np.testing.assert_array_equal(
            log[name], getattr(alone.world.log, name), err_msg=name
        )
    assert (
        summarise_humanoid(track).to_mapping() == summarise_humanoid(alone).to_mapping()
    )
    assert stance_rows(track.log) == stance_rows(alone.world.log) != []

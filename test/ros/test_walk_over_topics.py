# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Over ROS topics, in lockstep, the robot walks exactly as it does without ROS."""

import contextlib
import json

import numpy as np
import pytest
import yaml

from biped_slip.robots.planar_biped import planar_biped
from biped_slip.ros.processes import NodeFailed, free_domain, running_nodes
from biped_slip.ros.topic_walks import walk_over_topics
from biped_slip.simulation.planar.log import WalkLog
from biped_slip.simulation.planar.scenario import ScenarioConfig, chosen_scenario
from biped_slip.simulation.planar.walk import Walk, run_walk

pytest.importorskip("rclpy", reason="ROS 2 (rclpy) is not installed")
pytestmark = pytest.mark.ros

from ros.partner import until  # noqa: E402

DURATION = 1.5
NOISE = {
    "joint_velocity_noise": 0.01,
    "force_noise": 0.5,
    "force_offset": 0.2,
    "odometry_noise": 1e-5,
    "foot_displacement_noise": 1e-6,
}


@pytest.fixture(autouse=True)
def tick_by_tick(monkeypatch):
    """Walks without ROS, too, are walked by the nodes' kernels: no loop is compiled for
    a second and a half."""
    monkeypatch.setattr(Walk, "walk_on", lambda walk, ticks: walk.tick())


def same_log(scenario, log, seed, limit="thesis"):
    alone = ScenarioConfig.from_mapping(
        {**chosen_scenario(scenario, seed=seed).to_mapping(), "duration": DURATION}
    )
    expected = run_walk(alone, limit, seed or 0)
    assert log.length == expected.log.length
    for name in (
        "time",
        "q",
        "v",
        "foot_x",
        "normal",
        "torques",
        "wanted_ratio",
        "limit",
        "estimates",
        "phase",
    ):
        np.testing.assert_allclose(
            getattr(log, name),
            getattr(expected.log, name),
            rtol=0,
            atol=1e-9,
            err_msg=name,
        )
    return expected


def same_walk(scenario, over_topics, seed, limit="thesis"):
    expected = same_log(scenario, over_topics.log, seed, limit)
    ours = over_topics.summary.to_mapping()
    theirs = expected.summary.to_mapping()
    assert {**ours, "wall_time": 0.0} == {**theirs, "wall_time": 0.0}


def test_lockstep_with_an_external_estimator_is_the_walk_without_ros():
    shares = []
    result = walk_over_topics(
        "thesis", "thesis", duration=DURATION, progress=shares.append
    )
    same_walk("thesis", result, None)
    assert shares == sorted(shares)
    assert shares[-1] > 0.9


@pytest.mark.parametrize("source", ["external", "foot_imu"])
def test_lockstep_with_noise_from_a_file_is_the_walk_without_ros(tmp_path, source):
    file = tmp_path / "noisy.yaml"
    torso = chosen_scenario("torso").to_mapping()
    noisy = {
        **torso,
        "duration": DURATION,
        "sensors": {**torso["sensors"], **NOISE},
        "motion": {"source": source},
    }
    # JSON makes lists of tuples
    file.write_text(yaml.safe_dump(json.loads(json.dumps(noisy))))
    assert chosen_scenario(str(file)).sensors.force_noise == NOISE["force_noise"]
    same_walk(str(file), walk_over_topics(str(file), "interval", seed=3), 3, "interval")


def test_lockstep_with_the_estimator_inside_the_controller_is_the_walk_without_ros():
    """On the demonstration's floor; two robots below have the thesis' estimator inside."""
    same_walk(
        "demo",
        walk_over_topics("demo", "touchdown", seed=2, embedded=True, duration=DURATION),
        2,
        "touchdown",
    )


def test_two_robots_walk_in_two_namespaces_each_as_if_alone(tmp_path):
    seeds = {"one": 5, "two": 6}
    domain = free_domain()
    with contextlib.ExitStack() as stack:
        worlds = []
        for name, seed in seeds.items():
            shared = {"mode": "lockstep", "scenario": "thesis", "seed": seed}
            files = {
                "log_file": str(tmp_path / f"{name}.npz"),
                "duration": DURATION,
                "startup_timeout": 300.0,
            }
            nodes = {
                "contact_simulator": {**shared, **files},
                "walking_controller": {
                    **shared,
                    "limit": "thesis",
                    "embedded_estimator": True,
                },
            }
            space = ("--ros-args", "-r", f"__ns:=/{name}")
            worlds.append(
                stack.enter_context(running_nodes(nodes, domain, space))[
                    "contact_simulator"
                ]
            )
        until(lambda: not any(world.running for world in worlds))
        assert [world.process.returncode for world in worlds] == [0, 0], [
            world.failure() for world in worlds
        ]
    for name, seed in seeds.items():
        robot = planar_biped(chosen_scenario("thesis").variant)
        same_log("thesis", WalkLog.load(tmp_path / f"{name}.npz", robot), seed)


def test_a_controller_that_can_not_be_configured_ends_the_walk_with_its_sentence():
    with pytest.raises(NodeFailed, match=r"walking_controller.*constant:RATIO"):
        walk_over_topics("thesis", "guess", embedded=True, duration=DURATION)


def test_a_simulator_without_controller_says_what_is_missing():
    with running_nodes(
        {"contact_simulator": {"mode": "lockstep", "startup_timeout": 1.0}}
    ) as processes:
        simulator = processes["contact_simulator"]
        assert simulator.process.wait(60.0) == 1
        assert "no node publishes /effort_controller/commands" in simulator.failure()
        assert "no node listens to imu/data" in simulator.failure()

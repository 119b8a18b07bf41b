# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Live topics become a standard bag that replays into the same answers; the file is
complete however it ends."""

import os
import signal
import subprocess
import sys
import time
from collections import namedtuple

import numpy as np
import pytest

pytest.importorskip("rclpy", reason="ROS 2 (rclpy) is not installed")
pytest.importorskip("rosbags", reason="rosbags is not installed")
pytestmark = pytest.mark.ros

from rclpy.lifecycle import TransitionCallbackReturn  # noqa: E402
from rclpy.serialization import serialize_message  # noqa: E402
from ros.partner import PERIOD, activated, standing  # noqa: E402

from biped_slip.errors import BipedSlipError  # noqa: E402
from biped_slip.recordings.bags import Bag  # noqa: E402
from biped_slip.recordings.replay import answer_bag  # noqa: E402
from biped_slip.ros.messages import ESTIMATE_NAMES, SENSOR_TOPICS  # noqa: E402
from biped_slip.ros.nodes import topic_recorder  # noqa: E402
from biped_slip.ros.nodes.friction_estimator import FrictionEstimatorNode  # noqa: E402
from biped_slip.ros.nodes.topic_recorder import TopicRecorderNode  # noqa: E402
from biped_slip.ros.processes import free_domain, running_nodes  # noqa: E402
from biped_slip.ros.topic_walks import compile_ahead  # noqa: E402
from biped_slip.shared_files import shared_file  # noqa: E402
from biped_slip.simulation.planar.oracle import planar_policy  # noqa: E402
from biped_slip.simulation.planar.scenario import chosen_scenario  # noqa: E402
from biped_slip.simulation.planar.walk import Walk  # noqa: E402

FRICTION = [f"/friction_estimator/{foot}_foot/friction_values" for foot in "lr"]
FIELDS = len(ESTIMATE_NAMES)  # those of a contact follow
SOME_TICKS = 700  # until the first foot that lands has slid
Usage = namedtuple("Usage", "total used free")


def recording(partner, path, **parameters):
    """A recorder that hears the partner's wrenches."""
    node = activated(TopicRecorderNode, output=str(path), **parameters)
    end = time.monotonic() + 10.0
    while not partner.outputs["l_foot/wrench"].get_subscription_count():
        assert time.monotonic() < end
        node.step()
    return node


def record_wrenches(partner, node, count):
    for tick in range(1, count + 1):
        partner.send(standing()._replace(stamp_ns=tick * PERIOD))
    end = time.monotonic() + 10.0
    while node.exit_code is None and node.counters()["messages recorded"] < count:
        assert time.monotonic() < end
        node.step()


def test_messages_are_stored_as_they_were_sent(partner, tmp_path):
    node = recording(partner, tmp_path / "a.mcap", topics=["l_foot/wrench"])
    record_wrenches(partner, node, 5)
    node.end()
    assert list(Bag(tmp_path / "a.mcap").topics) == ["/l_foot/wrench"]
    held = [message.content for message in Bag(tmp_path / "a.mcap").messages()]
    assert [one.header.stamp.nanosec for one in held] == [
        tick * PERIOD for tick in range(1, 6)
    ]
    assert held[0].wrench.force.z == standing().wrench_ground_on_foot_in_sole[0, 2]


def test_what_waits_when_it_ends_is_written(partner, tmp_path):
    node = recording(partner, tmp_path / "a.mcap", topics=["l_foot/wrench"])
    for tick in range(1, 6):
        partner.send(standing()._replace(stamp_ns=tick * PERIOD))
    time.sleep(0.5)  # they arrive, and nobody looks
    node.end()
    assert Bag(tmp_path / "a.mcap").topics["/l_foot/wrench"][1] == 5


def test_everything_is_recorded_unless_topics_are_named(partner, tmp_path):
    node = recording(partner, tmp_path / "a.mcap")
    record_wrenches(partner, node, 5 * len(SENSOR_TOPICS))
    node.end()
    topics = Bag(tmp_path / "a.mcap").topics
    assert {f"/{name}" for name in SENSOR_TOPICS} <= set(topics)
    assert "/rosout" not in topics


def test_before_the_disk_is_full_the_recording_ends_complete_and_says_so(
    partner, tmp_path, monkeypatch
):
    node = recording(partner, tmp_path / "a.mcap")
    record_wrenches(partner, node, 5)
    monkeypatch.setattr(
        topic_recorder.shutil, "disk_usage", lambda path: Usage(1e12, 1e12, 1e6)
    )
    end = time.monotonic() + 10.0
    while node.exit_code is None:
        assert time.monotonic() < end
        node.step()
    assert node.exit_code == 1
    assert node.status.sentence.endswith(
        "a.mcap: recording ends, only 1 MB of the disk are free"
    )
    node.end()
    assert len(list(Bag(tmp_path / "a.mcap").messages())) >= 5


def test_a_disk_that_is_full_is_one_sentence(partner, tmp_path, monkeypatch):
    node = recording(partner, tmp_path / "a.mcap")

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(node._writer._writer, "write", full)
    record_wrenches(partner, node, 5)
    assert node.exit_code == 1
    assert (
        node.status.sentence
        == f"{tmp_path / 'a.mcap'}: can't be written (No space left on device)"
    )
    node.end()


def test_a_file_that_exists_is_not_overwritten(ros, tmp_path):
    (tmp_path / "a.mcap").write_text("precious")
    node = topic_recorder.TopicRecorderNode()
    node._config = type(node._config)(output=str(tmp_path / "a.mcap"))
    assert node.trigger_configure() == TransitionCallbackReturn.FAILURE
    assert "exists already" in node.status.sentence
    node.end()


def test_the_command_ends_at_ctrl_c_with_a_complete_file(partner, tmp_path):
    words = [
        sys.executable,
        "-m",
        "biped_slip",
        "record",
        str(tmp_path / "a.mcap"),
        "--topics",
        "l_foot/wrench",
    ]
    process = subprocess.Popen(
        words,
        env=os.environ | {"RCUTILS_COLORIZED_OUTPUT": "0"},
        stderr=subprocess.PIPE,
    )
    try:
        end = time.monotonic() + 60.0
        while not partner.outputs["l_foot/wrench"].get_subscription_count():
            assert time.monotonic() < end
            time.sleep(0.01)
        for tick in range(1, 21):
            partner.send(standing()._replace(stamp_ns=tick * PERIOD))
            time.sleep(0.005)
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=30.0)
    finally:
        process.kill()
    assert process.returncode == 0
    assert b"20 messages of 1 topics" in errors
    assert Bag(tmp_path / "a.mcap").topics["/l_foot/wrench"] == (
        "geometry_msgs/msg/WrenchStamped",
        20,
    )


def test_a_recorded_walk_replays_into_the_estimates_that_it_had(tmp_path):
    """The nodes of walk.launch.py as processes, the recorder beside them."""
    estimator = "interval"
    compile_ahead(chosen_scenario("thesis"), [estimator])
    domain = free_domain()
    file = tmp_path / "walk.mcap"
    shared = {"mode": "lockstep", "scenario": "thesis", "timeout": 10.0}
    deep = [
        f"/{name}" for name in SENSOR_TOPICS
    ] + FRICTION  # a loaded machine must not cost the recorder a sample
    shared |= {f"qos_overrides.{name}.publisher.depth": 5000 for name in deep}
    nodes = {
        "contact_simulator": {**shared, "duration": 2.0},
        "friction_estimator": {**shared, "estimator": estimator},
        "walking_controller": {**shared, "limit": estimator},
    }
    with running_nodes(
        {"topic_recorder": {"output": str(file), "topics": deep}}, domain
    ) as recorder:
        with running_nodes(nodes, domain) as processes:
            simulator = processes["contact_simulator"]
            assert simulator.process.wait(300.0) == 0, simulator.failure()
            time.sleep(0.5)
        recorder["topic_recorder"].end()
        assert recorder["topic_recorder"].process.returncode == 0
    live = {topic: {} for topic in FRICTION}
    for message in Bag(file).messages(set(FRICTION)):
        assert list(message.content.name)[:FIELDS] == ESTIMATE_NAMES
        stamp = message.content.header.stamp
        live[message.topic][stamp.sec * 1_000_000_000 + stamp.nanosec] = (
            message.content.position[:FIELDS]
        )
    result = answer_bag(file, shared_file("config/recordings/walk.yaml"), estimator)
    for topic, foot in zip(FRICTION, result.feet, strict=True):
        assert len(foot.series.stamp_ns) > 1990
        had = np.array([live[topic][int(stamp)] for stamp in foot.series.stamp_ns])
        np.testing.assert_allclose(foot.answers, had, rtol=1e-9, atol=1e-9)
        assert np.isfinite(had[:, ESTIMATE_NAMES.index("mu_low")]).any()


def test_the_thesis_estimator_says_in_a_replay_what_its_node_said(partner, tmp_path):
    """Messages of a walk to a node in this process, and to a bag as they are."""
    scenario = chosen_scenario("thesis")
    file = tmp_path / "walk.mcap"
    walk = Walk(scenario, planar_policy("thesis", scenario))
    node = activated(
        FrictionEstimatorNode, mode="lockstep", scenario="thesis", estimator="thesis"
    )
    partner.connect(node, FRICTION[0].removeprefix("/"))
    said = []
    with topic_recorder.BagWriter(file) as writer:
        for _ in range(SOME_TICKS):
            readings = walk.read()
            messages = partner.sensors.fill(readings)
            for topic, message in messages.items():
                kind = f"{type(message).__module__.partition('.')[0]}/msg/{type(message).__name__}"
                writer.raw(
                    f"/{topic}", kind, readings.stamp_ns, serialize_message(message)
                )
                partner.outputs[topic].publish(message)
            answers = partner.received(
                node, 5.0, enough=(FRICTION[1].removeprefix("/"), 1)
            )
            said.append(
                [
                    answers[topic.removeprefix("/")][0].position[:FIELDS]
                    for topic in FRICTION
                ]
            )
            walk.advance(walk.controller.step(readings).torques)
    node.end()
    feet = answer_bag(file, shared_file("config/recordings/walk.yaml"), "thesis").feet
    np.testing.assert_allclose(
        [foot.answers for foot in feet], np.swapaxes(said, 0, 1), rtol=1e-9, atol=1e-9
    )
    assert np.isfinite(np.array(said)[:, :, ESTIMATE_NAMES.index("mu")]).any()


def test_a_bag_of_an_unknown_folder_is_refused_at_once(tmp_path):
    with pytest.raises(BipedSlipError, match="its folder doesn't exist"):
        topic_recorder.BagWriter(tmp_path / "nowhere" / "a.mcap")

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The simulator node takes one command per tick, refuses the others, and damps by
itself when commands stop."""

import json
import math
import subprocess
import sys
import time

import pytest

pytest.importorskip("rclpy", reason="ROS 2 (rclpy) is not installed")
pytestmark = pytest.mark.ros

import numpy as np  # noqa: E402
from rclpy.lifecycle import TransitionCallbackReturn  # noqa: E402
from ros.partner import PERIOD, activated, make  # noqa: E402
from sensor_msgs.msg import JointState  # noqa: E402
from std_msgs.msg import Float64MultiArray  # noqa: E402

from biped_slip.errors import InvalidParameter  # noqa: E402
from biped_slip.ros.dds import (  # noqa: E402
    COMMAND_QOS,
    OUTPUTS,
    PolledSubscription,
)
from biped_slip.ros.messages import CommandMessage  # noqa: E402
from biped_slip.ros.nodes.contact_simulator import ContactSimulatorNode  # noqa: E402
from biped_slip.simulation.kept_time import KeptTime  # noqa: E402


def simulator(partner, **parameters):
    return activated(ContactSimulatorNode, **parameters)


def command(partner, node, message, ticks, seconds=5.0):
    """Send a command until the world has made so many ticks in all, or for a time."""
    end = time.monotonic() + 10.0
    while not partner.commands.get_subscription_count() and time.monotonic() < end:
        time.sleep(0.01)
    partner.commands.publish(message)
    end = time.monotonic() + seconds
    while node.active and node._world.plant.ticks < ticks and time.monotonic() < end:
        node.step()
    return node._world.plant.ticks


def labelled(stamp, value=0.0):
    return CommandMessage(4).fill(stamp, np.full(4, value))


def test_in_lockstep_a_tick_takes_exactly_one_command(partner):
    node = simulator(partner, mode="lockstep")
    assert command(partner, node, labelled(0), 1) == 1
    assert command(partner, node, labelled(0), 2, 0.3) == 1
    assert node.skipped["second command of a tick"] == 1
    assert command(partner, node, labelled(PERIOD), 2) == 2
    assert command(partner, node, Float64MultiArray(data=[0.0] * 4), 3) == 3
    node.end()


@pytest.mark.parametrize(
    ("data", "why"),
    [
        ([0.0] * 3, "wrong size: command has 3 efforts, but must have 4"),
        ([math.nan] * 4, "command not finite: a number of the command"),
    ],
)
def test_a_bad_command_is_refused_and_named_when_no_other_comes(partner, data, why):
    node = simulator(partner, mode="lockstep", timeout=0.2, startup_timeout=0.5)
    assert command(partner, node, Float64MultiArray(data=data), 1, 2.0) == 0
    assert node.skipped[why] == 1
    assert why in node.status.sentence
    assert "no command for 0 ns within 0.5 s" in node.status.sentence
    assert node.exit_code == 1
    node.end()


def test_in_real_time_it_damps_by_itself_after_the_last_command(partner):
    node = simulator(partner, mode="real-time")
    ticks = command(partner, node, labelled(0, 1.0), 60)
    assert ticks >= 60
    assert node.counters()["ticks damped"] > 0
    assert not np.any(node._torques)
    node.end()


def test_at_the_end_it_writes_the_summary_and_leaves_with_zero(partner, tmp_path):
    file = tmp_path / "result.json"
    node = simulator(partner, mode="lockstep", duration=0.003, result_file=str(file))
    for k in range(3):
        command(partner, node, labelled(k * PERIOD), k + 1)
    assert node.exit_code == 0
    result = json.loads(file.read_text())
    assert result["end_time"] == pytest.approx(0.002)
    assert result["fell"] is False
    assert result["kept_time"] == {
        "ticks": 3,
        "missed": 0,
        "damped": 0,
        "late": 0,
        "silent": 0,
        "silence": 0.0,
    }
    node.end()


def test_an_endless_walk_goes_on_beyond_its_time_and_its_log_keeps_that(partner):
    node = simulator(partner, mode="lockstep", duration=0.003, endless=True)
    for k in range(6):
        assert command(partner, node, labelled(k * PERIOD), k + 1) == k + 1
    assert node.active
    assert node.exit_code is None
    log = node._world.log
    np.testing.assert_allclose(log.time[: log.length], [0.0, 0.001, 0.002])
    node.end()


def test_an_endless_walk_that_falls_is_named_and_another_activation_starts_anew(
    partner, monkeypatch
):
    node = simulator(partner, mode="lockstep", duration=0.003, endless=True)
    monkeypatch.setattr(node._world, "lowest", 10.0)
    command(partner, node, labelled(0), 1)
    assert not node.active
    assert node.exit_code is None
    assert node.status.sentence == "the robot fell; activate again for a new start"
    assert node.trigger_activate() == TransitionCallbackReturn.SUCCESS
    assert command(partner, node, labelled(0), 1) == 1
    assert node.active
    node.end()


def test_a_late_simulator_lets_time_pass_and_counts_it(partner, tmp_path, monkeypatch):
    file = tmp_path / "result.json"
    waits = iter([0.0, 0.05])
    node = simulator(partner, mode="real-time", duration=0.2, result_file=str(file))
    tick = node._tick
    monkeypatch.setattr(
        node, "_tick", lambda *args: (time.sleep(next(waits, 0.0)), tick(*args))
    )
    begin = time.monotonic()
    command(partner, node, labelled(0, 0.0), 500, 2.0)
    real = time.monotonic() - begin
    kept = KeptTime(**json.loads(file.read_text())["kept_time"])
    assert kept.missed >= 40  # the 50 ms are gone, no burst of ticks makes up for them
    assert kept.dilation == pytest.approx(kept.missed / (kept.ticks + kept.missed))
    assert 1e-3 * (kept.ticks + kept.missed) <= real + 0.01
    node.end()


def test_a_humanoid_answers_commands_as_the_planar_biped_does(partner, tmp_path):
    scenario = tmp_path / "floor.yaml"
    result = tmp_path / "result.json"
    scenario.write_text("duration: 0.005\nterrain: {mu: 0.3}\n")
    node = simulator(
        partner,
        mode="lockstep",
        humanoid="bolt",
        humanoid_scenario=str(scenario),
        result_file=str(result),
    )
    assert node._world.robot.joints[0] == "FL_HAA"
    for tick in range(5):
        assert (
            command(
                partner,
                node,
                CommandMessage(6).fill(tick * PERIOD, np.zeros(6)),
                tick + 1,
            )
            == tick + 1
        )
    assert not node.active
    found = json.loads(result.read_text())
    assert found["end_time"] == pytest.approx(0.005)
    assert not found["fell"]
    node.end()


WITHOUT_DAQP = """
import sys
sys.modules["daqp"] = None
import rclpy
from rclpy.parameter import Parameter
from biped_slip.errors import MissingExtra
from biped_slip.ros.nodes.contact_simulator import ContactSimulatorNode
rclpy.init()
words = dict(word.split("=") for word in sys.argv[1:])
parameters = [Parameter(name, value=value) for name, value in words.items()]
try:
    node = ContactSimulatorNode(parameter_overrides=parameters)
except MissingExtra as error:
    print(error)
else:
    node.trigger_configure()
    print(node.status.word, node.status.sentence)
"""


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("scenario=thesis", "inactive"),
        ("scenario=torso", "inactive"),
        ("humanoid=bolt", "needs a library that is missing"),
        ("humanoid_walk=talos", "needs a library that is missing"),
    ],
)
def test_only_a_humanoid_needs_the_library_of_humanoids(word, said):
    """A humanoid's controller solves its programs by daqp; a planar biped's does not,
    and the extra ``ros`` alone brings no daqp."""
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_DAQP, word],
        capture_output=True,
        text=True,
        check=True,
    )
    last = done.stdout.splitlines()[-1]
    assert said in last
    assert ("'.[humanoids]'" in last) == (said != "inactive")


def test_a_floor_of_a_humanoid_without_a_humanoid_is_refused(ros, tmp_path):
    floor = tmp_path / "floor.yaml"
    floor.write_text("terrain: {mu: 0.3}\n")
    with pytest.raises(InvalidParameter, match="humanoid_scenario"):
        make(ContactSimulatorNode, humanoid_scenario=str(floor))


@pytest.mark.parametrize("text", ["terrain: {mu: -0.3}\n", "[", None])
def test_a_bad_floor_of_a_humanoid_is_refused_by_its_name(ros, tmp_path, text):
    floor = tmp_path / "floor.yaml"
    if text is not None:
        floor.write_text(text)
    node = make(ContactSimulatorNode, humanoid="bolt", humanoid_scenario=str(floor))
    assert node.trigger_configure() == TransitionCallbackReturn.FAILURE
    assert "mu" in node.status.sentence or "floor.yaml" in node.status.sentence
    assert node.status.word == "refused"
    node.end()


def test_as_hardware_on_joint_topics_it_stands_until_the_first_effort(partner):
    """As topic_based_ros2_control speaks: no number before somebody has claimed the
    joints, then zero, then efforts."""
    node = simulator(partner, mode="real-time", joint_topics=True)
    names = node._world.robot.joints
    heard = []
    box = PolledSubscription(partner.node, JointState, "hardware/joint_states", OUTPUTS)
    commands = partner.node.create_publisher(
        JointState, "hardware/joint_commands", COMMAND_QOS
    )
    end = time.monotonic() + 20.0
    while not (heard and commands.get_subscription_count()) and time.monotonic() < end:
        node.step()
        heard += box.take()

    def ticks_after(*efforts):
        commands.publish(JointState(name=list(reversed(names)), effort=efforts[::-1]))
        end = time.monotonic() + 0.1
        while time.monotonic() < end:
            node.step()
            heard.extend(box.take())
        return node._world.plant.ticks

    assert ticks_after(*[math.nan] * 4) == 0
    assert ticks_after(0.0, 0.0, 0.0, 0.0) == 0
    first = heard[-1].header.stamp
    assert ticks_after(1.0, 2.0, 3.0, 4.0) > 10
    # it lets go by itself when nobody goes on
    assert node._torques.tolist() in (
        [1.0, 2.0, 3.0, 4.0],
        [0.0] * 4,
    )
    assert abs(first.sec + 1e-9 * first.nanosec - time.time()) < 60.0
    node.end()

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""What is missing or does not fit together is named by its cause: a controller that has
gone, two periods, a topic that nobody serves."""

import math
import re
import signal
import time

import pytest

rclpy = pytest.importorskip("rclpy", reason="ROS 2 (rclpy) is not installed")
pytestmark = pytest.mark.ros

import numpy as np  # noqa: E402
import yaml  # noqa: E402
from geometry_msgs.msg import WrenchStamped  # noqa: E402
from rclpy.lifecycle import TransitionCallbackReturn  # noqa: E402
from ros.partner import PERIOD, activated, make, standing  # noqa: E402
from sensor_msgs.msg import Imu, JointState  # noqa: E402
from std_msgs.msg import Float64  # noqa: E402

from biped_slip.ros import robot_node  # noqa: E402
from biped_slip.ros.dds import OUTPUTS, SENSOR_INPUTS  # noqa: E402
from biped_slip.ros.messages import CommandMessage  # noqa: E402
from biped_slip.ros.nodes.contact_simulator import ContactSimulatorNode  # noqa: E402
from biped_slip.ros.nodes.friction_estimator import FrictionEstimatorNode  # noqa: E402
from biped_slip.ros.nodes.friction_governor import FrictionGovernorNode  # noqa: E402
from biped_slip.ros.nodes.recording_player import RecordingPlayerNode  # noqa: E402
from biped_slip.ros.nodes.walking_controller import WalkingControllerNode  # noqa: E402
from biped_slip.ros.processes import free_domain, running_nodes  # noqa: E402
from biped_slip.ros.stamps import PERIOD_STEPS, StampedPeriod  # noqa: E402
from biped_slip.simulation.kept_time import COMMAND_SILENCE, CommandGaps, KeptTime  # noqa: E402

# A controller that has gone


def test_a_gap_is_the_controllers_where_no_slow_computer_explains_it():
    """A loaded computer delays a command by some tens of milliseconds."""
    gaps = CommandGaps()
    said = [
        gaps.tick(age, gone=False) for age in np.arange(0.02, COMMAND_SILENCE, 0.001)
    ]
    assert not any(said)
    assert (gaps.silent, gaps.longest) == (0, 0.0)
    damped = gaps.damped
    assert gaps.tick(COMMAND_SILENCE + 0.001, gone=False)
    assert gaps.silent == gaps.damped == damped + 1
    assert not gaps.tick(1.4, gone=False), "once a gap"
    assert gaps.longest == 1.4
    gaps.end()
    assert not gaps.tick(0.03, gone=False)
    assert gaps.tick(0.03, gone=True), "who is not there sends nothing"
    assert gaps.longest == 1.4
    assert gaps.silent == gaps.damped


KEPT = {"ticks": 2000, "missed": 0}


@pytest.mark.parametrize(
    ("kept", "begins"),
    [
        (
            {"damped": 1400, "silent": 1400, "silence": 1.4},
            "no command came for 1.40 s:",
        ),
        ({"damped": 1400}, "this computer was too slow"),
        ({"damped": 1500, "silent": 1400, "silence": 1.4}, "this computer was too sl"),
        (
            {"damped": 1410, "silent": 1400, "silence": 1.4},
            "no command came for 1.40 s:",
        ),
        ({"damped": 0}, "0 deadlines missed"),
    ],
)
def test_a_computer_is_blamed_for_what_the_controller_did_not_cause(kept, begins):
    assert str(KeptTime(**KEPT, **kept)).startswith(begins)


def commanded(partner, node):
    """Command until the robot goes."""
    end = time.monotonic() + 20.0
    message = CommandMessage(4).fill(0, np.zeros(4))
    while node._world.plant.ticks < 3:
        assert time.monotonic() < end
        partner.commands.publish(message)
        node.step()


def stepped(node, done, seconds=20.0):
    end = time.monotonic() + seconds
    while not done():
        assert time.monotonic() < end, node.status
        node.step()
        node.housekeep()


def test_a_silent_controller_is_named_and_one_that_has_left_is_named_as_such(partner):
    node = activated(ContactSimulatorNode, duration=60.0)
    commanded(partner, node)
    stepped(node, lambda: node._gaps.lasting)
    assert re.fullmatch(
        r"no command on /effort_controller/commands for \d\.\d\d s, zero effort instead: "
        "its node is silent",
        node.status.sentence,
    )
    assert node.status.problem == "no command"
    partner.commands.publish(CommandMessage(4).fill(0, np.zeros(4)))
    stepped(node, lambda: not node._gaps.lasting)
    stepped(node, lambda: node.status.healthy)
    partner.node.destroy_publisher(partner.commands)
    stepped(node, lambda: not node.status.healthy)
    assert (
        "no node publishes /effort_controller/commands any more" in node.status.sentence
    )
    assert node._kept_time().silence >= COMMAND_SILENCE
    node.end()


@pytest.mark.slow
def test_a_killed_controller_is_the_cause_of_the_fall_and_not_the_computer(tmp_path):
    shared = {"mode": "real-time", "autostart": True, "period": "4 ms"}
    nodes = {
        "contact_simulator": shared,
        "walking_controller": {
            **shared,
            "rehearsal": 0.1,
            "embedded_estimator": True,
            "speed_scale": 0.0,  # it stands, which a loaded machine bears
        },
    }
    domain = free_domain()
    with running_nodes(nodes, domain) as processes:
        simulator = processes["contact_simulator"]
        controller = processes["walking_controller"]
        end = time.monotonic() + 300.0
        while "hears" not in controller.log():
            assert simulator.running, simulator.failure() + simulator.log()
            assert time.monotonic() < end, controller.log() + simulator.log()
            time.sleep(0.1)
        time.sleep(1.0)
        controller.process.send_signal(signal.SIGKILL)
        assert simulator.process.wait(60.0) == 0
        log = simulator.log()
    assert "no command on /effort_controller/commands for " in log, log
    (fall,) = re.findall("the robot fell after .*", log)
    # the second where other programs took the processor away as well
    assert "no command came for" in fall or "too slow" in fall, log


# Two periods


@pytest.fixture
def period_of_the_controller(partner):
    return partner.node.create_publisher(Float64, "walking_controller/period", OUTPUTS)


@pytest.mark.parametrize("mode", ["lockstep", "real-time"])
def test_a_simulator_of_another_period_than_the_controllers_refuses(
    partner, period_of_the_controller, mode
):
    node = activated(ContactSimulatorNode, mode=mode, period="1 ms")
    period_of_the_controller.publish(Float64(data=2e-3))
    stepped(node, lambda: not node.active)
    assert node.exit_code == 1
    assert node.status.sentence == (
        "/walking_controller/period is 2 ms, but the period here is 1 ms: give both "
        "nodes the same `period`"
    )
    node.end()


@pytest.mark.parametrize("said", [math.nan, math.inf, 0.0, -1e-3, 1e300, 1e-9])
@pytest.mark.parametrize("period", ["1 ms", "auto"])
def test_a_period_that_is_none_ends_no_walk_and_is_named(
    partner, period_of_the_controller, said, period
):
    """A single NaN from anybody ended the simulation, and the robot with it."""
    node = activated(ContactSimulatorNode, period=period)
    own = node._period
    period_of_the_controller.publish(Float64(data=said))
    stepped(
        node, lambda: any("walking_controller/period" in one for one in node.skipped)
    )
    assert node.active
    assert node._period == own
    (sentence,) = (one for one in node.skipped if "walking_controller/period" in one)
    assert sentence.startswith("implausible input: /walking_controller/period is ")
    assert sentence.endswith("but must be from 0.0005 to 0.01 s")
    node.end()


def test_two_periods_that_differ_only_by_rounding_are_one(
    partner, period_of_the_controller
):
    node = activated(ContactSimulatorNode, period="2 ms")
    period_of_the_controller.publish(Float64(data=1e-9 * 2_000_000))
    end = time.monotonic() + 2.0
    while time.monotonic() < end:
        node.step()
    assert node.active
    node.end()


def test_a_controller_that_starts_later_with_another_period_is_noticed(
    partner, period_of_the_controller
):
    node = activated(ContactSimulatorNode, duration=60.0)
    commanded(partner, node)
    period_of_the_controller.publish(Float64(data=4e-3))
    stepped(node, lambda: not node.active)
    assert "is 4 ms, but the period here is 1 ms" in node.status.sentence
    node.end()


@pytest.mark.parametrize(
    ("step", "named"), [(0.5, True), (0.8, False), (1.2, False), (2.0, True)]
)
def test_stamps_of_another_period_are_named_once(step, named):
    """In milliseconds; single lost samples and jitter change no median."""
    watch = StampedPeriod(1e-3)
    rng = np.random.default_rng(0)
    steps = 1e6 * step * rng.choice([1.0, 2.0], size=PERIOD_STEPS + 50, p=[0.95, 0.05])
    steps += rng.uniform(-5e4, 5e4, size=steps.size)
    found = [watch.problem("joint_states", int(ns)) for ns in np.cumsum(steps)]
    problems = [problem for problem in found if problem is not None]
    assert len(problems) == named
    if named:
        assert f"joint_states comes every {step:.2g}" in problems[0].detail
        assert "the period here is 1 ms: give both the same" in problems[0].detail


def test_a_controller_names_a_robot_of_another_period(partner):
    node = activated(WalkingControllerNode, embedded_estimator=True, mode="lockstep")
    partner.connect(node, "effort_controller/commands")
    readings = standing()
    stamps = PERIOD * 2 * np.arange(1, PERIOD_STEPS + 3)
    for stamp in stamps:
        partner.send(readings._replace(stamp_ns=int(stamp)))
        partner.received(node, 5.0, enough=("effort_controller/commands", 1))
    said = [name for name in node.skipped if name.startswith("other period")]
    assert said == [
        "other period: joint_states comes every 2 ms by its stamps, but the period here "
        "is 1 ms: give both the same"
    ]
    node.end()


# Topics that nobody serves


@pytest.fixture
def at_once(monkeypatch):
    """Look at once, and look every time."""
    monkeypatch.setattr(robot_node, "UNSERVED_AFTER", 0.0)


def looked(node):
    """Look for what is missing as if diagnostics were due."""
    node._diagnosed = -np.inf
    node._telling = None
    node.step(0.01)
    node.housekeep()


def seen(node, name):
    """Wait until a node sees that a topic is served."""
    end = time.monotonic() + 20.0
    while not node.count_publishers(name) and not node.count_subscribers(name):
        assert time.monotonic() < end
        time.sleep(0.05)


def test_an_estimator_names_absent_sensors_and_what_there_is_instead(ros, at_once):
    other = rclpy.create_node("other")
    other.create_publisher(JointState, "low/joint_states", 1)
    node = activated(FrictionEstimatorNode)
    seen(node, "/low/joint_states")
    looked(node)
    looked(node)
    assert "/joint_states" in node._named_missing
    sentences = [say() for say in node.without_partner().values()]
    assert (
        "no node publishes /joint_states; published of its type: /low/joint_states"
        in sentences
    )
    assert node.status.sentence.startswith("waiting for ")
    assert "; no node publishes /" in node.status.sentence
    other.destroy_node()
    node.end()


@pytest.fixture
def driver(ros):
    """A node of another program: one participant has one type for a topic."""
    context = rclpy.Context()
    context.init()
    node = rclpy.create_node("driver", context=context)
    yield node
    node.destroy_node()
    context.shutdown()


@pytest.mark.parametrize(
    ("mode", "kind", "quality", "words"),
    [
        ("real-time", Imu, OUTPUTS, "as sensor_msgs/msg/Imu, but here it is"),
        ("lockstep", JointState, 1, "volatile, but transient_local is asked for"),
        ("lockstep", JointState, SENSOR_INPUTS, "best_effort, but reliable is asked"),
    ],
)
def test_sensors_that_are_published_and_yet_not_heard_are_named_with_the_reason(
    driver, at_once, mode, kind, quality, words
):
    driver.create_publisher(kind, "joint_states", quality)
    node = activated(FrictionEstimatorNode, mode=mode)
    end = time.monotonic() + 20.0
    while not node.count_publishers("/joint_states") and time.monotonic() < end:
        time.sleep(0.05)
    looked(node)
    looked(node)
    sentences = {}
    while not any(one.startswith("/driver ") for one in sentences):
        assert time.monotonic() < end, f"no sentence names the node: {list(sentences)}"
        sentences = {say(): name for name, say in node.without_partner().items()}
        time.sleep(0.05)
    (said,) = [one for one, name in sentences.items() if name == "/joint_states"]
    assert said.startswith("/driver publishes /joint_states ")
    assert words in said
    node.end()


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        (
            {"friction_topics": ["l_foot/wrench", "right"]},
            "l_foot/wrench can't be opened as JointState: a topic has one type in a "
            "process; give each use of it another name",
        ),
        (
            {"cmd_vel_out_topic": "l_foot/wrench"},
            "l_foot/wrench can't be opened as Twist",
        ),
        ({"friction_topics": ["left foot", "right"]}, "'left foot' names no topic: "),
        ({"cmd_vel_out_topic": "2nd"}, "'2nd' names no topic: "),
    ],
)
def test_a_topic_that_cannot_be_opened_is_named(ros, parameters, sentence):
    node = make(FrictionGovernorNode, body_weight=300.0, **parameters)
    assert node.trigger_configure() == TransitionCallbackReturn.FAILURE
    assert node.status.sentence.startswith(sentence)
    node.end()


def test_what_is_served_is_not_named(partner, at_once):
    """All but odom, which this partner does not send."""
    partner.node.destroy_publisher(partner.outputs.pop("odom"))
    node = activated(FrictionEstimatorNode)
    partner_topics = [f"/{name}" for name in partner.outputs]
    for name in partner_topics:
        seen(node, name)
    end = time.monotonic() + 20.0
    while len(node.without_partner()) > 1 and time.monotonic() < end:
        time.sleep(0.05)
    assert list(node.without_partner()) == ["/odom"]
    node.end()


def test_nothing_is_named_in_the_first_two_seconds(ros):
    node = activated(FrictionEstimatorNode)
    assert robot_node.UNSERVED_AFTER == 2.0
    looked(node)
    assert node._named_missing == []
    node._activated -= robot_node.UNSERVED_AFTER
    looked(node)
    assert len(node._named_missing) == 5
    node.end()


def test_what_has_been_named_is_not_looked_for_again_until_it_changes(ros, at_once):
    node = activated(FrictionEstimatorNode)
    looked(node)
    before = node.instead
    other = rclpy.create_node("other")
    other.create_publisher(JointState, "elsewhere", 1)
    seen(node, "/elsewhere")
    looked(node)
    assert node.instead == before
    other.create_publisher(JointState, "joint_states", 1)
    seen(node, "/joint_states")
    end = time.monotonic() + 20.0
    while "/joint_states" in node.without_partner() and time.monotonic() < end:
        time.sleep(0.05)
    looked(node)
    assert "/joint_states" not in node._named_missing
    other.destroy_node()
    node.end()


def test_estimates_inside_the_controller_are_found_by_who_looks_for_the_estimators(
    ros, at_once
):
    """As a governor does, whose topics are the estimator's unless it is told others."""
    controller = activated(WalkingControllerNode, embedded_estimator=True)
    topics = controller._outputs.estimate_topics
    assert topics[0].startswith("/walking_controller/l_foot/friction_values")
    governor = activated(FrictionGovernorNode, body_weight=300.0)
    seen(governor, topics[0])
    name = governor._config.friction_topics[0]
    (say,) = [
        say for full, say in governor.without_partner().items() if full.endswith(name)
    ]
    assert say().startswith(
        f"no node publishes /{name}; published of its type: {topics[0]}"
    )
    governor.end()
    controller.end()


def test_two_estimators_on_one_topic_are_named_and_two_broadcasters_of_joints_are_not(
    ros, at_once
):
    """The floor of a governor with two estimators changed with every message."""
    governor = activated(FrictionGovernorNode, body_weight=300.0)
    estimator = activated(FrictionEstimatorNode)
    topic = governor._config.friction_topics[0]
    makers = [rclpy.create_node(name) for name in ("one", "other")]
    for maker in makers:
        maker.create_publisher(JointState, topic, OUTPUTS)
        maker.create_publisher(JointState, "joint_states", OUTPUTS)
        maker.create_publisher(Imu, "imu/data", OUTPUTS)
    named = (
        f"second publisher: /friction_estimator and /one and /other publish /{topic}"
    )
    end = time.monotonic() + 20.0
    found = []
    while len(found) < 2 and time.monotonic() < end:
        looked(governor)
        looked(estimator)
        found = [*governor.skipped, *estimator.skipped]
    assert any(one.startswith(named) for one in governor.skipped), governor.skipped
    assert [one.partition(":")[2].split(": ")[0] for one in estimator.skipped] == [
        " /one and /other publish /imu/data"
    ]
    for node in (estimator, governor):
        node.end()


@pytest.fixture
def table(tmp_path):
    """A foot's force and way as a table, and the layout that names its columns."""
    file = tmp_path / "pull.csv"
    layout = tmp_path / "layout.yaml"
    rows = "\n".join(f"{0.005 * k},50.0,0.001,{float(k)}" for k in range(20))
    file.write_text(f"t,n,x,f\n{rows}")
    columns = {
        "time": {"column": "t", "unit": "s"},
        "normal": {"column": "n", "unit": "N"},
        "position_x": {"column": "x", "unit": "m"},
        "force_x": {"column": "f", "unit": "N"},
    }
    feet = [{"name": "left", **columns}]
    named = {"source": "pull", "layouts": [{"name": "pull", "feet": feet}]}
    layout.write_text(yaml.safe_dump(named))
    return {"recording": str(file), "layout": str(layout)}


@pytest.mark.parametrize("mode", ["lockstep", "real-time"])
def test_a_player_without_listeners_names_them_and_what_is_listened_to(
    ros, table, at_once, mode
):
    other = rclpy.create_node("other")
    other.create_subscription(WrenchStamped, "left/wrench", print, 1)
    player = activated(RecordingPlayerNode, mode=mode, **table)
    seen(player, "/left/wrench")
    looked(player)
    assert any(name.endswith("/wrench") for name in player._named_missing)
    sentences = [say() for say in player.without_partner().values()]
    assert any(
        "no node listens to /" in one
        and one.endswith("listened to of its type: /left/wrench")
        for one in sentences
    ), sentences
    assert player.status.sentence.startswith("waiting for a listener to /")
    other.destroy_node()
    player.end()

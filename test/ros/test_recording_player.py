# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""A recording of any format plays over topics into the answers that it has without
topics; it pauses, loops, seeks."""

import time

import numpy as np
import pytest

pytest.importorskip("rclpy", reason="ROS 2 (rclpy) is not installed")
pytest.importorskip("rosbags", reason="rosbags is not installed")
pytestmark = pytest.mark.ros

from geometry_msgs.msg import WrenchStamped  # noqa: E402
from rclpy.lifecycle import TransitionCallbackReturn  # noqa: E402
from rclpy.parameter import Parameter  # noqa: E402
from rclpy.serialization import serialize_message  # noqa: E402
from ros.partner import FRICTION, PERIOD, activated, make, standing  # noqa: E402
from rosgraph_msgs.msg import Clock  # noqa: E402
from sensor_msgs.msg import JointState  # noqa: E402
from std_srvs.srv import Trigger  # noqa: E402

from biped_slip.cli import main as command_line  # noqa: E402
from biped_slip.errors import BipedSlipError  # noqa: E402
from biped_slip.friction_estimation.types import FrictionEstimate  # noqa: E402
from biped_slip.recordings.gait import Overrides  # noqa: E402
from biped_slip.recordings.messages import (  # noqa: E402
    BagWriter,
    bag_config,
    live_feet,
    series_messages,
    write_bag,
)
from biped_slip.recordings.registry import read_recording  # noqa: E402
from biped_slip.recordings.replay import (  # noqa: E402
    answer,
    answer_bag,
)
from biped_slip.ros.dds import (  # noqa: E402
    RECORDS,
    PolledSubscription,
)
from biped_slip.ros.messages import SENSOR_TOPICS, Frames, set_time, stamp_ns  # noqa: E402
from biped_slip.ros.nodes.foot_estimator import FootEstimatorNode, answer_topic  # noqa: E402
from biped_slip.ros.nodes.friction_estimator import FrictionEstimatorNode  # noqa: E402
from biped_slip.ros.nodes.recording_player import RecordingPlayerNode  # noqa: E402
from synthetic.sensor_messages import SensorMessages  # noqa: E402

SAMPLES = 120


@pytest.fixture
def table(tmp_path):
    """A foot that is put down, pulled and slides, with gaps no estimator minds."""
    time = 0.005 * np.arange(SAMPLES)
    normal = np.where(time < 0.05, 0.0, 50.0)
    position = 1e-3 * np.maximum(time - 0.1, 0.0) + 0.1 * np.maximum(time - 0.4, 0.0)
    force = -np.minimum(0.4 * normal, 4e5 * position)
    rows = np.column_stack([time, normal, position, force])
    file = tmp_path / "pull.csv"
    layout = tmp_path / "layout.yaml"
    file.write_text(
        "t,n,x,f\n" + "\n".join(",".join(map(repr, map(float, row))) for row in rows)
    )
    columns = (
        "time: {column: t, unit: s}\n  normal: {column: n, unit: N}\n  "
        "position_x: {column: x, unit: m}"
    )
    layout.write_text(
        f"source: pull\nlayouts:\n- name: pull\n  feet:\n  - name: left\n    "
        f"{columns.replace(chr(10), chr(10) + '  ')}\n    force_x: {{column: f, unit: "
        f"N}}\n"
    )
    return str(file), str(layout)


def stepped(nodes, until, seconds=60.0):
    """Step nodes of this process until a condition holds."""
    end = time.monotonic() + seconds
    while not until():
        assert time.monotonic() < end, "waited in vain"
        for node in nodes:
            if node.active:
                node.step()


def over_topics(partner, recording, layout, estimator, samples):
    """Every answer of the estimator node to a played recording, as (stamps, answers) by
    foot, in lockstep."""
    told = {"recording": recording, "layout": layout}
    listener = activated(FootEstimatorNode, estimator=estimator, **told)
    wrenches = [foot.topics.wrench for foot in live_feet(recording, layout or None)]
    boxes = [
        PolledSubscription(
            partner.node, JointState, f"foot_estimator/{answer_topic(w)}", RECORDS
        )
        for w in wrenches
    ]
    stepped([listener], lambda: all(box.senders() for box in boxes))
    player = activated(
        RecordingPlayerNode,
        mode="lockstep",
        rate=0.0,
        lead_in=0.1,
        timeout=30.0,
        **told,
    )
    got = [{} for _ in boxes]

    def complete():
        for box, stamped in zip(boxes, got, strict=True):
            stamped.update(
                {
                    stamp_ns(message.header): list(message.position)
                    for message in box.take()
                }
            )
        return player.exit_code is not None and all(
            len(g) >= n for g, n in zip(got, samples, strict=True)
        )

    stepped([player, listener], complete)
    assert player.exit_code == 0
    for node in (player, listener):
        node.end()
    for box in boxes:
        box.close()
    return got


def same(got, feet):
    for stamped, foot in zip(got, feet, strict=True):
        assert (
            list(stamped)
            == (foot.series.stamp_ns - min(int(foot.series.stamp_ns[0]), 0)).tolist()
        )
        np.testing.assert_array_equal(np.array(list(stamped.values())), foot.answers)


@pytest.mark.parametrize("estimator", ["slip", "thesis", "interval"])
def test_a_played_table_has_the_answers_that_it_has_without_topics(
    partner, table, estimator
):
    offline = answer(read_recording(*table, Overrides()), estimator)
    assert np.nanmax(
        offline.feet[0].answers[:, FrictionEstimate._fields.index("force_ratio")]
    ) == pytest.approx(0.4)
    same(over_topics(partner, *table, estimator, [SAMPLES]), offline.feet)


@pytest.mark.parametrize("estimator", ["slip", "interval"])
def test_a_played_bag_has_the_answers_that_it_has_without_topics(
    partner, table, tmp_path, estimator
):
    recording = read_recording(*table, Overrides())
    bag = str(tmp_path / "pull.mcap")
    layout = str(tmp_path / "bag.yaml")
    write_bag(bag, series_messages(recording.series))
    (tmp_path / "bag.yaml").write_text(
        bag_config(recording.series, recording.processing)
    )
    offline = answer_bag(bag, layout, estimator)
    same(over_topics(partner, bag, layout, estimator, [SAMPLES]), offline.feet)


@pytest.mark.parametrize(
    ("name", "estimator"),
    [("PiG_Motion3_noFF.c3d", "slip"), ("grf_run.mot", "interval")],
)
def test_a_played_force_plate_trial_has_the_answers_that_it_has_without_topics(
    partner, recordings, name, estimator
):
    found = sorted(recordings.rglob(name))
    if not found:
        pytest.skip(f"{name} is not among the recordings")
    offline = answer(read_recording(found[0], None, Overrides()), estimator)
    samples = [len(foot.series.stamp_ns) for foot in offline.feet]
    same(over_topics(partner, str(found[0]), "", estimator, samples), offline.feet)


def test_a_trial_converted_to_a_bag_and_played_has_the_answers_that_the_trial_has(
    partner, recordings, tmp_path
):
    found = sorted(recordings.rglob("PiG_Motion3_noFF.c3d"))
    if not found:
        pytest.skip("PiG_Motion3_noFF.c3d is not among the recordings")
    bag = str(tmp_path / "trial.mcap")
    assert command_line(["convert", str(found[0]), bag]) == 0
    offline = answer(read_recording(found[0], None, Overrides()), "interval")
    samples = [len(foot.series.stamp_ns) for foot in offline.feet]
    same(over_topics(partner, bag, f"{bag}.yaml", "interval", samples), offline.feet)


def robot_bag(path, samples, spread):
    """A bag of the planar biped's sensors as ros2_control's broadcasters stamp them,
    `spread` [ns] apart."""
    messages = SensorMessages(
        ("l_hip", "l_knee", "r_hip", "r_knee"), ("l_sole", "r_sole"), Frames()
    )
    with BagWriter(path) as writer:
        for tick in range(1, samples + 1):
            filled = messages.fill(standing()._replace(stamp_ns=tick * PERIOD))
            for late, (topic, message) in enumerate(filled.items()):
                stamp = tick * PERIOD + spread * late
                set_time(message.header.stamp, stamp)
                kind = SENSOR_TOPICS[topic]
                name = f"{kind.__module__.split('.')[0]}/msg/{kind.__name__}"
                writer.raw(f"/{topic}", name, stamp, serialize_message(message))


@pytest.mark.parametrize("spread", [0, 7_000, -7_000])
def test_a_bag_of_a_robot_plays_in_lockstep_though_the_stamps_of_a_cycle_differ(
    partner, tmp_path, spread
):
    robot_bag(tmp_path / "robot.mcap", 30, spread)
    listener = activated(FrictionEstimatorNode, mode="lockstep", judge_sensors=False)
    partner.connect(listener, FRICTION[0])
    player = activated(
        RecordingPlayerNode,
        **{
            "recording": str(tmp_path / "robot.mcap"),
            "mode": "lockstep",
            "rate": 0.0,
            "lead_in": 0.1,
            "timeout": 5.0,
        },
        topics=list(SENSOR_TOPICS),
        wait_for=[f"joint_states={topic}" for topic in FRICTION],
    )
    got = []

    def complete():
        got.extend(partner.boxes[FRICTION[0]].take())
        return player.exit_code is not None and len(got) >= 30

    stepped([player, listener], complete)
    assert [stamp_ns(one.header) for one in got] == [
        tick * PERIOD + 4 * spread for tick in range(1, 31)
    ]
    assert not player.skipped
    player.end()
    listener.end()


def test_a_listener_that_does_not_answer_is_named_once_a_sample_and_playing_goes_on(
    partner, table
):
    box = PolledSubscription(partner.node, WrenchStamped, "l_foot/wrench", RECORDS)
    told = {
        "recording": table[0],
        "layout": table[1],
        "mode": "lockstep",
        "rate": 0.0,
        "lead_in": 0.0,
    }
    player = activated(RecordingPlayerNode, **told, timeout=0.02)
    stepped([player], lambda: player.exit_code is not None)
    assert player.exit_code == 0
    ((sentence, count),) = player.skipped.items()
    assert sentence.startswith(
        "missing answer: /l_foot/wrench is not answered on "
        "foot_estimator/l_foot/friction_values"
    )
    assert count > SAMPLES // 2
    box.close()
    player.end()


@pytest.fixture
def player(partner, table):
    made = activated(
        RecordingPlayerNode,
        recording=table[0],
        layout=table[1],
        lead_in=0.0,
        publish_clock=True,
        start_paused=True,
    )
    made.heard = PolledSubscription(partner.node, Clock, "/clock", RECORDS)
    made.wrench = PolledSubscription(
        partner.node, WrenchStamped, "l_foot/wrench", RECORDS
    )
    stepped([made], lambda: made.wrench.senders() and made.heard.senders())
    yield made
    for box in (made.heard, made.wrench):
        box.close()
    made.end()


def ask(player, name):
    """Call a service of the player from its own thread."""
    service = next(s for s in player.services if s.srv_name.endswith(name))
    return service.callback(Trigger.Request(), Trigger.Response())


def clock(player):
    return [m.clock.sec + 1e-9 * m.clock.nanosec for m in player.heard.take()]


def for_a_while(player, seconds):
    end = time.monotonic() + seconds
    stepped([player], lambda: time.monotonic() > end)


def test_it_starts_paused_goes_on_and_pauses_again(player):
    for_a_while(player, 0.1)
    assert not clock(player)
    assert ask(player, "resume").message == "playing"
    stepped([player], lambda: player.counters()["messages played"] > 10)
    assert ask(player, "toggle_paused").message == "paused"
    for_a_while(player, 0.05)
    played = player.counters()["messages played"]
    heard = clock(player)
    assert heard == sorted(set(heard))
    for_a_while(player, 0.1)
    assert player.counters()["messages played"] == played


def test_the_pace_is_that_of_the_recording_times_the_rate(player):
    player.set_parameters([Parameter("rate", value=0.5)])
    ask(player, "resume")
    started = time.monotonic()
    stepped([player], lambda: player.exit_code is not None)
    assert time.monotonic() - started > 0.005 * (SAMPLES - 1) / 0.5 - 0.01, (
        "it may be late, never early"
    )


def test_it_seeks_and_loops(player):
    player.set_parameters([Parameter("loop", value=True), Parameter("rate", value=0.0)])
    player.set_parameters([Parameter("position", value=0.5)])
    ask(player, "resume")
    stamps = []

    def heard():
        stamps.extend(stamp_ns(message.header) for message in player.wrench.take())
        return player.counters()["messages played"] > 3 * SAMPLES

    stepped([player], heard)
    assert stamps[0] == 500_000_000
    assert 0 in stamps
    assert player.exit_code is None
    player.set_parameters([Parameter("loop", value=False)])
    stepped([player], lambda: player.exit_code == 0)


def test_a_value_out_of_range_is_refused(player):
    (result,) = player.set_parameters([Parameter("rate", value=-1.0)])
    assert not result.successful


def test_commands_in_a_bag_are_not_played_unasked(ros, tmp_path):
    from biped_slip.recordings.messages import type_store

    types = type_store().types
    layout = types["std_msgs/msg/MultiArrayLayout"]([], 0)
    command = types["std_msgs/msg/Float64MultiArray"](layout, np.ones(4))
    with BagWriter(tmp_path / "a.mcap") as writer:
        cdr = bytes(
            type_store().serialize_cdr(command, "std_msgs/msg/Float64MultiArray")
        )
        writer.raw(
            "/effort_controller/commands", "std_msgs/msg/Float64MultiArray", 1, cdr
        )
    for topics, played in ((["effort_controller/commands"], True), ([""], False)):
        node = activated(
            RecordingPlayerNode, recording=str(tmp_path / "a.mcap"), topics=topics
        )
        for _ in range(100):  # the graph is told late
            if bool(node.count_publishers("effort_controller/commands")) == played:
                break
            time.sleep(0.1)
        assert bool(node.count_publishers("effort_controller/commands")) == played
        node.end()


def test_a_bag_that_is_damaged_on_the_way_ends_the_player_with_one_sentence(
    ros, table, tmp_path, monkeypatch
):
    recording = read_recording(*table, Overrides())
    write_bag(tmp_path / "a.mcap", series_messages(recording.series))
    node = activated(
        RecordingPlayerNode, recording=str(tmp_path / "a.mcap"), rate=0.0, lead_in=0.0
    )

    def broken():
        raise BipedSlipError("a.mcap: the bag is damaged or truncated")
        yield

    node._messages = broken()
    monkeypatch.setattr(node, "_listened", lambda: node._new_head(0.0) or True)
    stepped([node], lambda: node.exit_code is not None)
    assert node.exit_code == 1
    assert node.status.sentence == "a.mcap: the bag is damaged or truncated"
    node.end()


def test_a_recording_that_is_not_there_is_refused(ros, table):
    node = make(RecordingPlayerNode, recording="nowhere.csv", layout=table[1])
    assert node.trigger_configure() == TransitionCallbackReturn.FAILURE
    assert "nowhere.csv" in node.status.sentence
    node.end()
    with pytest.raises(BipedSlipError, match=r"nowhere\.csv"):
        make(FootEstimatorNode, recording="nowhere.csv")

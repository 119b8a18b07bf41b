# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Force sensors of a bag: which of them are feet, and what they read without load."""

import json
import struct

import numpy as np
import pytest
from recordings.wrench_bags import table_of, walking, wrench_bag

from biped_slip.errors import BipedSlipError, InvalidParameter, InvalidRecording
from biped_slip.gait_laboratory.step import TrialInfo
from biped_slip.gait_laboratory.trial import GaitSettings, analyse_file
from biped_slip.recordings.bags import Bag, mcap_kind
from biped_slip.recordings.gait import Overrides
from biped_slip.recordings.messages import live_feet
from biped_slip.recordings.replay import replay_file

pytest.importorskip("rosbags")

FEET_YAML = """
bag:
  feet:
    - {name: left, wrench: l_foot/wrench}
    - {name: right, wrench: r_foot/wrench}
  processing: PROCESSING
"""
OFFSET = (5.0, 0.0, 25.0, 0.0, 0.0, 0.0)


def with_layout(folder, processing):
    (folder / "feet.yaml").write_text(FEET_YAML.replace("PROCESSING", processing))
    return folder / "feet.yaml"


def rows(found):
    return [
        (one.foot, round(one.end - one.start, 6), one.forces.required)
        for one in found.contacts
    ]


# ---- one processing for all formats


def test_remove_zero_does_in_a_bag_what_it_does_in_a_table(tmp_path):
    """An offset of 5 % of the weight: without it four steps of 0.19, as without any."""
    feet = walking(offset=OFFSET)
    bag = wrench_bag(tmp_path / "bag", feet)
    found = replay_file(bag, with_layout(tmp_path, "{remove_zero: true}"), "slip")
    table, layout = table_of(tmp_path, feet, "{remove_zero: true}")
    of_table = replay_file(table, layout, "slip")
    clean = replay_file(wrench_bag(tmp_path / "clean", walking()), None, "slip")
    assert len(found.contacts) == 4
    for other in (of_table, clean):
        assert [one[:2] for one in rows(found)] == [one[:2] for one in rows(other)]
        assert [one[2] for one in rows(found)] == pytest.approx(
            [one[2] for one in rows(other)], abs=1e-4
        )
        assert found.weight == pytest.approx(other.weight, rel=1e-4)
    assert "left: offsets (5.0, 0.0, 25.0) N removed" in " ".join(found.notes)
    steps = analyse_file(
        bag,
        tmp_path / "feet.yaml",
        Overrides(),
        TrialInfo("a", subject="robot"),
        GaitSettings(),
    )
    assert [step.required for step in steps.steps] == [one[2] for one in rows(found)]
    assert "left: offsets (5.0, 0.0, 25.0) N removed" in " ".join(steps.notes)


def test_a_zero_that_only_a_whole_bag_shows_is_refused_live(tmp_path):
    bag = wrench_bag(tmp_path / "bag", walking())
    with pytest.raises(BipedSlipError, match="remove_zero is found in a whole bag"):
        live_feet(bag, with_layout(tmp_path, "{remove_zero: true}"))


def test_a_zero_that_drifts_is_followed_in_a_bag(tmp_path):
    """50 N over the 10 s of a recording, on each axis by its own share."""
    feet = walking(steps=16)
    for wrench in feet.values():
        drift = np.linspace(0.0, 50.0, len(wrench))
        wrench += np.outer(drift, [0.2, 0.1, 1.0, 0.0, 0.0, 0.0])
    bag = wrench_bag(tmp_path / "bag", feet)
    found = replay_file(bag, with_layout(tmp_path, "{remove_zero: true}"), "slip")
    clean = replay_file(wrench_bag(tmp_path / "clean", walking(steps=16)), None, "slip")
    assert len(found.contacts) == len(clean.contacts) == 16
    assert [one[2] for one in rows(found)] == pytest.approx(
        [one[2] for one in rows(clean)], abs=0.01
    )
    assert "with a drift of" in " ".join(found.notes)


@pytest.mark.parametrize("as_bag", [False, True], ids=["table", "bag"])
def test_a_foot_that_never_unloads_keeps_its_offset_and_is_named(tmp_path, as_bag):
    feet = walking()
    feet["right"][:] = [10.0, 0.0, 240.0, 0.0, 0.0, 0.0]
    if as_bag:
        file = wrench_bag(tmp_path / "bag", feet)
        config = with_layout(tmp_path, "{remove_zero: true}")
    else:
        file, config = table_of(tmp_path, feet, "{remove_zero: true}")
    found = replay_file(file, config, "slip")
    assert [one.foot for one in found.contacts].count("left") == 2
    (right,) = (one for one in found.contacts if one.foot == "right")
    assert right.cut_off
    assert right.forces.peak_normal == pytest.approx(240.0)
    assert "right: never unloaded: offsets can't be found" in " ".join(found.notes)


def test_remove_zero_beside_a_robot_is_refused_and_not_ignored(tmp_path):
    bag = wrench_bag(tmp_path / "bag", walking())
    config = tmp_path / "robot.yaml"
    topics = "joints: /l_foot/wrench, imu: /l_foot/wrench, odometry: /l_foot/wrench"
    config.write_text(
        f"bag: {{robot: {{{topics}}}, processing: {{remove_zero: true}}}}"
    )
    with pytest.raises(InvalidParameter, match="remove_zero"):
        replay_file(bag, config, "slip")


# ---- only what stands on a floor is a foot


def carried(seed=1, load=15.0, spread=3.0):
    """A hand that carries something: never without load."""
    count = len(walking()["left"])
    force = np.zeros((count, 6))
    force[:, 2] = np.random.default_rng(seed).normal(load, spread, count)
    return force


@pytest.mark.parametrize(
    "topic",
    [
        "/left_wrist_ft/wrench",
        "/ft/leftWrist",
        "/l_hand/wrench",
        "/rhand/ft",
        "/right_gripper/force",
        "/left_arm_ft/wrench",
    ],
)
def test_a_wrench_of_another_part_is_no_foot_whatever_it_bears(tmp_path, topic):
    """A hand that leans on a table bears 200 N and stands on no floor."""
    feet = walking() | {topic: carried(load=200.0)}
    found = replay_file(wrench_bag(tmp_path / "bag", feet), None, "slip")
    assert [one.foot for one in found.contacts] == ["left", "right"] * 2
    assert f"{topic} is named after another part: it is no foot" in " ".join(
        found.notes
    )


def test_what_never_bears_a_twentieth_of_the_others_load_is_no_foot(tmp_path):
    feet = walking() | {"/ft_3/wrench": carried(), "/ft_4/wrench": carried(2)}
    found = replay_file(wrench_bag(tmp_path / "bag", feet), None, "slip")
    assert [one.foot for one in found.contacts] == ["left", "right"] * 2
    clean = replay_file(wrench_bag(tmp_path / "clean", walking()), None, "slip")
    assert found.weight == pytest.approx(clean.weight)
    assert "/ft_3/wrench never bears a twentieth" in " ".join(found.notes)


@pytest.mark.parametrize("topic", ["/forearm_free_foot/wrench", "/charm/l_sole"])
def test_a_name_that_only_contains_a_part_is_that_of_a_foot(tmp_path, topic):
    feet = walking()
    topics = {"left": topic, "right": "/right_sole"}
    found = replay_file(wrench_bag(tmp_path / "bag", feet, topics), None, "slip")
    assert len(found.contacts) == 4


def test_two_sensors_of_one_foot_keep_names_of_their_own(tmp_path):
    """Front and rear of a sole bear half each; together they weigh the robot."""
    feet = walking()
    halves = {
        f"/{foot}_{part}/wrench": 0.5 * wrench
        for foot, wrench in feet.items()
        for part in ("front", "rear")
    }
    found = replay_file(wrench_bag(tmp_path / "bag", halves), None, "slip")
    assert {one.sensor for one in found.contacts} == {
        f"{foot}_{part}/wrench" for foot in feet for part in ("front", "rear")
    }
    whole = replay_file(wrench_bag(tmp_path / "whole", feet), None, "slip")
    assert found.weight == pytest.approx(whole.weight, rel=0.01)


def test_two_feet_of_a_config_with_one_topic_are_refused(tmp_path):
    bag = wrench_bag(tmp_path / "bag", walking())
    config = tmp_path / "same.yaml"
    config.write_text(FEET_YAML.replace("r_foot", "l_foot").replace("PROCESSING", "{}"))
    with pytest.raises(
        InvalidParameter, match=r"feet\[1\].wrench.*another foot has it"
    ):
        replay_file(bag, config, "slip")


def test_a_bag_of_hands_alone_is_refused(tmp_path):
    bag = wrench_bag(tmp_path / "bag", {"/l_hand/wrench": carried()})
    with pytest.raises(InvalidRecording, match="no wrench of a foot; /l_hand/wrench"):
        replay_file(bag, None, "slip")


# ---- an MCAP of other messages


def record(code, content):
    return struct.pack("<BQ", code, len(content)) + content


def text(value):
    return struct.pack("<I", len(value)) + value.encode()


def mcap(path, profile, encoding, summary=True):
    """An MCAP with one channel and one message, by the format's description."""
    magic = b"\x89MCAP0\r\n"
    head = record(1, text(profile) + text("a test"))
    channel = record(
        4, struct.pack("<HH", 1, 0) + text("/foot") + text(encoding) + text("")
    )
    message = json.dumps({"force": 1.0}).encode()
    body = magic + head + channel
    body += record(5, struct.pack("<HIQQ", 1, 0, 1, 1) + message)
    body += record(15, struct.pack("<I", 0))
    begin = len(body) if summary else 0
    body += channel if summary else b""
    path.write_bytes(body + record(2, struct.pack("<QQI", begin, 0, 0)) + magic)
    return path


@pytest.mark.parametrize("summary", [True, False])
@pytest.mark.parametrize(
    ("profile", "encoding", "words"),
    [
        ("ros1", "ros1", "holds messages of ROS 1; `rosbags-convert --src"),
        ("", "json", "holds messages encoded as json, but rosbag2 has cdr"),
        ("", "protobuf", "holds messages encoded as protobuf"),
        ("", "cdr", "has the profile '' in its header, but rosbag2 has 'ros2'"),
    ],
)
def test_messages_of_others_in_an_mcap_are_named_and_not_called_damaged(
    tmp_path, profile, encoding, words, summary
):
    file = mcap(tmp_path / "a.mcap", profile, encoding, summary)
    assert mcap_kind(file) == (profile, {encoding})
    with pytest.raises(InvalidRecording, match=words) as caught:
        Bag(file)
    assert "damaged" not in str(caught.value)


def test_a_truncated_bag_of_ros_2_is_still_called_that(tmp_path):
    whole = wrench_bag(tmp_path / "a.mcap", walking()).read_bytes()
    (tmp_path / "cut.mcap").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(InvalidRecording, match="damaged or truncated"):
        Bag(tmp_path / "cut.mcap")

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Bags: those of other people, our own by conversion, long ones in little memory,
broken ones in one sentence."""

import dataclasses
import json
import os
from pathlib import Path

import numpy as np
import pytest

from biped_slip.cli import main
from biped_slip.errors import (
    BipedSlipError,
    InvalidParameter,
    InvalidRecording,
    UnknownName,
)
from biped_slip.recordings import bag_feet
from biped_slip.recordings.answer import answer_record
from biped_slip.recordings.bag_feet import TopicSource, bag_layout
from biped_slip.recordings.bags import Bag
from biped_slip.recordings.gait import Overrides, Recording
from biped_slip.recordings.judge.stances import ContactLevels
from biped_slip.recordings.layout import Processing
from biped_slip.recordings.messages import (
    ODOMETRY_TYPE,
    WRENCH,
    BagWriter,
    Codec,
    Playback,
    TimedMessage,
    bag_config,
    header_stamp_ns,
    series_messages,
    type_store,
    write_bag,
)
from biped_slip.recordings.registry import read_recording
from biped_slip.recordings.replay import answer, answer_bag
from biped_slip.recordings.series import Motion, TimeSeries

pytest.importorskip("rosbags")
CONFIGS = Path(__file__).parents[2] / "config" / "recordings"


# ---- bags that other people wrote
# --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "counts"),
    [
        (
            "plotjuggler_rosbag2_test",
            {
                "/imu": 1565,
                "/battery": 1565,
                "/pose": 1565,
                "/parameter_events": 0,
                "/rosout": 0,
            },
        ),
        (
            "rosbag2_py_mcap_talker",
            {"/topic": 10, "/rosout": 10, "/parameter_events": 0},
        ),
        (
            "rosbag2_py_sqlite3_talker",
            {"/topic": 10, "/rosout": 10, "/parameter_events": 0},
        ),
        ("rosbag2_tests_mcap_cdr_test", {"/test_topic": 3, "/array_topic": 4}),
        ("rosbag2_tests_sqlite3_cdr_test", {"/test_topic": 3, "/array_topic": 4}),
        ("ros2bag_empty_bag", {"/parameter_events": 0, "/rosout": 0}),
    ],
)
def test_every_message_of_a_bag_is_counted_in_either_storage(recordings, name, counts):
    bag = Bag(recordings / "ros2_bags" / name)
    assert {topic: count for topic, (_, count) in bag.topics.items()} == counts
    assert {topic: one.count for topic, one in bag.statistics().items()} == counts


def test_rates_and_values_of_a_bag(recordings):
    bag = Bag(recordings / "ros2_bags" / "plotjuggler_rosbag2_test")
    statistics = bag.statistics()["/imu"]
    assert statistics.rate == pytest.approx(25.0, abs=0.05)
    first = next(bag.messages({"/imu"})).content.linear_acceleration
    assert (first.x, first.y, first.z) == (151.0, 152.0, 153.0)


def test_the_same_talk_in_both_storages_has_the_same_text(recordings):
    texts = [
        [
            message.content.data
            for message in Bag(recordings / "ros2_bags" / name).messages({"/topic"})
        ]
        for name in ("rosbag2_py_mcap_talker", "rosbag2_py_sqlite3_talker")
    ]
    assert len(texts[0]) == 10
    assert len(texts[1]) == 10


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("ros2bag_empty_bag", "holds no messages"),
        ("plotjuggler_rosbag2_test", "no topic of type WrenchStamped, only .*/imu"),
        ("rosbag2_tests_sqlite3_cdr_test", "no topic of type WrenchStamped"),
    ],
)
def test_a_bag_without_forces_says_what_it_has_instead(recordings, name, words):
    with pytest.raises(InvalidRecording, match=words):
        answer_bag(recordings / "ros2_bags" / name, None, "slip")


def test_a_message_type_that_nobody_knows_is_named(recordings):
    bag = Bag(
        recordings / "ros2_bags" / "rosbag2_tests_sqlite3_cdr_test" / "cdr_test_0.db3"
    )
    kinds = {kind for kind, _ in bag.topics.values()}
    assert "test_msgs/msg/BasicTypes" in kinds
    try:
        contents = [message.content for message in bag.messages({"/test_topic"})]
    except InvalidRecording as error:
        assert "test_msgs/msg/BasicTypes" in str(error)  # noqa: PT017
    else:
        assert len(contents) == 3, "or the file itself describes it"


# ---- our own
# -----------------------------------------------------------------------------------------------------


def made_series(steps=6, rate=200.0, name="left", mu=0.2, phase=0.0):
    """A foot that stands and slides at the end of every step."""
    time = np.arange(0.0, steps * 1.0, 1.0 / rate)
    share = (time + phase) % 1.0
    load = np.where(
        share < 0.6, 400.0 * np.sin(np.pi * np.minimum(share / 0.6, 1.0)) ** 0.5, 0.0
    )
    sliding = (share > 0.35) & (share < 0.55)
    ratio = np.where(sliding, mu, mu * share)
    force = np.column_stack([-ratio * load, np.zeros_like(load), load])
    speed = np.where(sliding, 0.2, 0.0)
    velocity = np.column_stack([speed, np.zeros_like(speed)])
    return TimeSeries(
        name=name,
        stamp_ns=np.round((time + 1.0) * 1e9).astype(np.int64),
        force=force,
        moment=np.zeros_like(force),
        displacement=np.cumsum(velocity, axis=0) / rate,
        velocity=velocity,
        angular_rate=np.zeros_like(force),
        motion=Motion("measured"),
        provenance=("made",),
    )


def pair(steps=6):
    return made_series(steps), made_series(steps, name="right", phase=0.5, mu=0.4)


def bag_of(folder, series, name="made.mcap", processing=None):
    path = folder / name
    config = folder / "made.yaml"
    write_bag(path, series_messages(series))
    config.write_text(bag_config(series, processing or Processing()))
    return path, config


@pytest.mark.parametrize("name", ["made.mcap", "folder"])
def test_a_converted_recording_replays_like_its_source(tmp_path, name):
    series = pair()
    path, config = bag_of(tmp_path, series, name)
    source = answer(Recording("made", series, Processing()), "slip").contacts
    found = answer_bag(path, config, "slip").contacts
    assert sum(len(one.slips) for one in found) >= 10
    for one, other in zip(source, found, strict=True):
        assert (one.foot, one.slips, one.mu_median) == (
            other.foot,
            other.slips,
            other.mu_median,
        )
        assert (one.start, one.end) == pytest.approx(
            (other.start, other.end), abs=0.006
        )
        assert one.forces == pytest.approx(other.forces, rel=5e-3)


def test_without_a_yaml_every_wrench_is_a_foot(tmp_path):
    path, _ = bag_of(tmp_path, pair())
    layout = bag_layout(Bag(path), None)
    assert [foot.name for foot in layout.feet] == ["left", "right"]


def test_pieces_of_a_long_bag_give_the_same_contacts_as_one(tmp_path, monkeypatch):
    path, config = bag_of(tmp_path, pair(12))
    whole = answer_record(answer_bag(path, config, "slip"))["contacts"]
    monkeypatch.setattr(bag_feet, "PIECE", 300)
    pieces = answer_bag(path, config, "slip")
    assert answer_record(pieces)["contacts"] == whole
    assert any("pictures and weight show the first" in note for note in pieces.notes)


def test_room_that_dds_leaves_behind_an_empty_sequence_is_no_damage(tmp_path):
    store = type_store()
    stamp = store.types["builtin_interfaces/msg/Time"](1, 2)
    header = store.types["std_msgs/msg/Header"](stamp, "base_link")
    empty = np.zeros(0)
    joints = store.types["sensor_msgs/msg/JointState"](
        header, ["l_hip"], np.array([0.5]), np.array([0.1]), empty
    )
    cdr = bytes(store.serialize_cdr(joints, "sensor_msgs/msg/JointState"))
    with BagWriter(tmp_path / "a.mcap") as writer:
        for room in (0, 4, 7):
            writer.raw(
                "/joint_states", "sensor_msgs/msg/JointState", 1, cdr + b"\x90" * room
            )
    held = [message.content for message in Bag(tmp_path / "a.mcap").messages()]
    assert [list(one.position) for one in held] == [[0.5]] * 3


def test_no_more_than_a_piece_of_a_bag_is_held_at_a_time(tmp_path, monkeypatch):
    monkeypatch.setattr(bag_feet, "PIECE", 300)
    path, config = bag_of(tmp_path, pair(24))
    bag = Bag(path)
    pieces = list(
        bag_feet.bag_pieces(
            TopicSource(bag, bag_layout(bag, config)),
            [ContactLevels(begins=16.0, ends=8.0)] * 2,
            Processing(),
        )
    )
    lengths = [len(series.stamp_ns) for _, series in pieces]
    assert sum(lengths) == 2 * 24 * 200
    assert max(lengths) <= 300 + 0.6 * 200 + 1, (
        "a piece ends when its foot leaves the floor"
    )


def test_a_recorded_force_file_converts_and_replays(tmp_path, recordings):
    source = recordings / "lcd" / "NAO_13k_mixedFriction_rows0-6799.csv.gz"
    bag = tmp_path / "nao.mcap"
    assert (
        main(["convert", str(source), str(bag), "--config", str(CONFIGS / "lcd.yaml")])
        == 0
    )
    options = [["--config", str(CONFIGS / "lcd.yaml")], ["--config", f"{bag}.yaml"]]
    answers = []
    for file, option in zip((source, bag), options, strict=True):
        assert (
            main(["replay", str(file), *option, "--json", str(tmp_path / "a.json")])
            == 0
        )
        answers += json.loads((tmp_path / "a.json").read_text())["results"]
    slips = [
        [slip for contact in one["contacts"] for slip in contact["slips"]]
        for one in answers
    ]
    assert len(slips[0]) == len(slips[1]) > 100
    assert [slip["mu"] for slip in slips[0]] == pytest.approx(
        [slip["mu"] for slip in slips[1]], abs=1e-9
    )


def test_messages_come_in_the_order_of_time_and_motion_before_force():
    messages = list(series_messages(pair()))
    stamps = [message.stamp_ns for message in messages]
    assert stamps == sorted(stamps)
    left = [message.kind for message in messages if message.topic.startswith("/l_foot")]
    assert left[:4] == [ODOMETRY_TYPE, WRENCH, ODOMETRY_TYPE, WRENCH]
    assert {message.frame for message in messages} == {"l_sole", "r_sole"}


def test_a_recording_before_time_zero_is_moved_to_begin_there():
    series = made_series()
    early = dataclasses.replace(series, stamp_ns=series.stamp_ns - 5_000_000_000)
    assert next(series_messages([early])).stamp_ns == 0


# ---- defects
# -----------------------------------------------------------------------------------------------------


def wrench(stamp_ns, force=(0.0, 0.0, 100.0), frame="l_sole"):
    return TimedMessage(
        stamp_ns=stamp_ns,
        topic="/l_foot/wrench",
        kind=WRENCH,
        frame=frame,
        values=(*force, 0.0, 0.0, 0.0),
    )


def test_gaps_repeated_and_backward_stamps_are_counted_and_skipped(tmp_path):
    stamps = [*range(1, 200), 150, 150, *range(400, 600)]
    write_bag(tmp_path / "a.mcap", [wrench(k * 10_000_000) for k in stamps])
    result = answer_bag(tmp_path / "a.mcap", None, "slip")
    assert len(result.feet[0].series.stamp_ns) == 399
    assert any(
        "longest gap 2.01 s, 2 stamps repeated or backward" in note
        for note in result.notes
    )


def test_samples_that_are_not_finite_are_counted_and_never_become_numbers(tmp_path):
    forces = [
        (0.0, 0.0, 100.0),
        (float("nan"), 0.0, 100.0),
        (0.0, 0.0, float("inf")),
    ] * 50
    write_bag(
        tmp_path / "a.mcap",
        [wrench((k + 1) * 10_000_000, force) for k, force in enumerate(forces)],
    )
    result = answer_bag(tmp_path / "a.mcap", None, "slip")
    assert any("100 samples not finite" in note for note in result.notes)
    json.dumps(answer_record(result), allow_nan=False)


def test_a_wrench_in_an_unexpected_frame_is_refused(tmp_path):
    write_bag(
        tmp_path / "a.mcap",
        [wrench(k * 10_000_000, frame="ankle") for k in range(1, 9)],
    )
    (tmp_path / "a.yaml").write_text(
        "bag: {feet: [{wrench: l_foot/wrench, frame: l_sole}]}"
    )
    with pytest.raises(
        InvalidRecording, match="in frame 'ankle', but 'l_sole' is expected"
    ):
        answer_bag(tmp_path / "a.mcap", tmp_path / "a.yaml", "slip")


def test_a_reversed_sensor_is_turned_by_its_sign(tmp_path):
    write_bag(
        tmp_path / "a.mcap",
        [wrench(k * 10_000_000, (5.0, 0.0, -100.0)) for k in range(1, 99)],
    )
    (tmp_path / "a.yaml").write_text("bag: {feet: [{wrench: l_foot/wrench, sign: -1}]}")
    result = answer_bag(tmp_path / "a.mcap", tmp_path / "a.yaml", "slip")
    assert result.feet[0].series.force[0].tolist() == [-5.0, 0.0, 100.0]


@pytest.mark.parametrize(("first", "stamped"), [(0, True), (0, False), (5, True)])
def test_stamps_of_zero_are_no_stamps_unless_only_the_first_one_is(
    tmp_path, first, stamped
):
    with BagWriter(tmp_path / "a.mcap") as writer:
        codec = Codec(type_store())
        for k in range(50):
            cdr = codec.encode(wrench((first + k * 10_000_000) if stamped else 0))
            writer.raw(
                "/l_foot/wrench",
                "geometry_msgs/msg/WrenchStamped",
                10**18 + k * 20_000_000,
                cdr,
            )
    (foot,) = answer_bag(tmp_path / "a.mcap", None, "slip").feet
    expected = [
        first + k * 10_000_000 if stamped else 10**18 + k * 20_000_000
        for k in range(50)
    ]
    assert foot.series.stamp_ns.tolist() == expected


@pytest.mark.parametrize(
    ("text", "error", "words"),
    [
        (
            "bag: {feet: [{wrench: nowhere}]}",
            InvalidRecording,
            "no messages on /nowhere, only on /l_foot/wrench",
        ),
        ("bag: {feet: []}", InvalidParameter, "at least one foot"),
        ("bag: {feet: [{wrench: a, sign: 3}]}", InvalidParameter, "sign is 3"),
        ("bag: {feet: [{wrench: a, unit: kN}]}", UnknownName, "unit"),
        (
            "bag: {feet: [{name: a}]}",
            InvalidParameter,
            "topic of the foot's WrenchStamped",
        ),
        ("layouts: []", InvalidParameter, "bag is None"),
    ],
)
def test_a_mistake_in_the_topics_names_its_place(tmp_path, text, error, words):
    write_bag(tmp_path / "a.mcap", [wrench(k * 10_000_000) for k in range(1, 9)])
    (tmp_path / "a.yaml").write_text(text)
    with pytest.raises(error, match=words):
        answer_bag(tmp_path / "a.mcap", tmp_path / "a.yaml", "slip")


@pytest.mark.parametrize("share", [0.0, 0.001, 0.3, 0.9])
def test_a_truncated_mcap_is_one_sentence_or_its_sound_part(tmp_path, share):
    write_bag(tmp_path / "a.mcap", [wrench(k * 10_000_000) for k in range(1, 5000)])
    data = (tmp_path / "a.mcap").read_bytes()
    (tmp_path / "cut.mcap").write_bytes(data[: int(share * len(data))])
    with pytest.raises(
        InvalidRecording, match=r"empty|damaged or truncated|no messages"
    ) as caught:
        answer_bag(tmp_path / "cut.mcap", None, "slip")
    assert "\n" not in str(caught.value)


def test_damaged_bags_never_crash_the_reader(tmp_path, recordings):
    rng = np.random.default_rng(11)
    for storage in (
        "rosbag2_py_mcap_talker/talker.mcap",
        "rosbag2_py_sqlite3_talker/talker.db3",
    ):
        data = (recordings / "ros2_bags" / storage).read_bytes()
        for _ in range(15):
            damaged = bytearray(data)
            for place in rng.integers(0, len(data), 12):
                damaged[place] = int(rng.integers(256))
            path = tmp_path / f"damaged{Path(storage).suffix}"
            path.write_bytes(bytes(damaged))
            try:
                list(Bag(path).messages())
            except InvalidRecording as error:
                assert "\n" not in str(error)  # noqa: PT017


@pytest.mark.parametrize(
    "content", [b"", b"not a bag at all", b"\x89MCAP0\r\n" + b"\xff" * 64]
)
def test_a_file_that_is_no_bag_is_refused(tmp_path, content):
    (tmp_path / "a.mcap").write_bytes(content)
    with pytest.raises(InvalidRecording):
        Bag(tmp_path / "a.mcap")


def test_a_folder_without_bag_files_is_refused(tmp_path):
    with pytest.raises(InvalidRecording, match=r"no \.mcap or \.db3"):
        Bag(tmp_path)


LISTING = "rosbag2_bagfile_information:\n  relative_file_paths: {}\n"


@pytest.mark.parametrize("kind", ["pipe", "folder"])
@pytest.mark.parametrize("listed", ["", "[a.db3]", "[b.mcap, a.db3]"])
@pytest.mark.parametrize("packed", [False, True])
def test_a_data_file_of_a_bag_that_is_none_is_named_and_never_waited_for(
    tmp_path, kind, listed, packed
):
    (tmp_path / "b.mcap").write_bytes(b"")
    if kind == "pipe":
        os.mkfifo(tmp_path / "a.db3")
    else:
        (tmp_path / "a.db3").mkdir()
    if listed:
        packing = "  compression_mode: FILE\n" if packed else ""
        (tmp_path / "metadata.yaml").write_text(LISTING.format(listed) + packing)
    with pytest.raises(InvalidRecording, match=rf"a\.db3 can't be read .*{kind}"):
        Bag(tmp_path)


def test_a_bag_that_is_a_pipe_is_named(tmp_path):
    os.mkfifo(tmp_path / "a.mcap")
    with pytest.raises(InvalidRecording, match="pipe"):
        Bag(tmp_path / "a.mcap")


@pytest.mark.parametrize("files", ["5", "0.5", "true", "a.db3", "{a: b}"])
def test_a_bag_whose_files_are_no_list_of_names_is_refused(tmp_path, files):
    (tmp_path / "metadata.yaml").write_text(LISTING.format(files))
    with pytest.raises(InvalidRecording, match="must be a list of names"):
        Bag(tmp_path)


@pytest.mark.parametrize("files", ["[5]", "[[a]]", "['']", "['..']", "[null]"])
def test_a_bag_that_lists_what_is_no_file_of_it_is_refused(tmp_path, files):
    (tmp_path / "metadata.yaml").write_text(LISTING.format(files))
    with pytest.raises(InvalidRecording, match=r"aren't there|can't be read"):
        Bag(tmp_path)


def test_an_existing_file_is_never_overwritten(tmp_path):
    (tmp_path / "a.mcap").write_text("precious")
    with pytest.raises(BipedSlipError, match="exists already"):
        write_bag(tmp_path / "a.mcap", [wrench(1)])
    assert (tmp_path / "a.mcap").read_text() == "precious"


# ---- playing
# -----------------------------------------------------------------------------------------------------


def test_a_bag_plays_as_it_is_and_from_any_time(recordings):
    bag = recordings / "ros2_bags" / "plotjuggler_rosbag2_test"
    whole = list(Playback(bag).messages())
    assert len(whole) == 4695
    assert [one.stamp_ns for one in whole] == sorted(one.stamp_ns for one in whole)
    middle = whole[3000].stamp_ns
    assert list(Playback(bag).messages(middle)) == [
        one for one in whole if one.stamp_ns >= middle
    ]


def test_a_force_file_plays_as_messages_that_decode_to_its_forces(recordings):
    typesys = pytest.importorskip("rosbags.typesys")
    store = typesys.get_typestore(typesys.Stores.ROS2_JAZZY)
    source = recordings / "bmclab" / "grf_run.mot"
    series = read_recording(source, None, Overrides()).series
    played = [
        one for one in Playback(source).messages() if one.topic == "/r_foot/wrench"
    ]
    forces = [store.deserialize_cdr(one.cdr, one.kind).wrench.force for one in played]
    right = next(one for one in series if one.name == "right foot")
    assert np.array([(force.x, force.y, force.z) for force in forces]) == pytest.approx(
        right.force, abs=0.0
    )
    assert [one.stamp_ns for one in played] == right.stamp_ns.tolist()
    assert [header_stamp_ns(one.cdr) for one in played] == right.stamp_ns.tolist()

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""A bag of a robot's own topics replays into the estimates that the robot had."""

from pathlib import Path

import numpy as np
import pytest

from biped_slip.errors import InvalidRecording, UnknownName
from biped_slip.estimation.planar_feet import odometry_motion
from biped_slip.estimation.readings import SensorReadings
from biped_slip.friction_estimation.rls import ThesisEstimator
from biped_slip.recordings.messages import BagWriter
from biped_slip.recordings.replay import answer_bag
from biped_slip.robots.planar_biped import JOINTS, planar_biped
from biped_slip.walking.planar import FrictionObserver

typesys = pytest.importorskip("rosbags.typesys")
CONFIG = Path(__file__).parents[2] / "config" / "recordings" / "walk.yaml"
STORE = typesys.get_typestore(typesys.Stores.ROS2_JAZZY)


def made(kind, **fields):
    return STORE.types[kind](**fields)


def vector(values, kind="geometry_msgs/msg/Vector3"):
    return made(kind, x=float(values[0]), y=float(values[1]), z=float(values[2]))


def readings(count=400, seed=4):
    """Sensor readings of a foot-dragging robot; nothing about them is still or
    periodic."""
    rng = np.random.default_rng(seed)
    for k in range(count):
        time = 1e-3 * k
        wave = np.sin(2.0 * time + np.arange(4))
        load = np.array([300.0, 250.0]) * (
            0.3 + np.abs(np.sin(3.0 * time + np.array([0.0, 1.0])))
        )
        wrench = np.zeros((2, 6))
        wrench[:, 0] = -0.2 * load * np.sin(5.0 * time)
        wrench[:, 2] = load
        yield SensorReadings(
            stamp_ns=1_000_000_000 + k * 1_000_000,
            joint_position=np.array([-1.4, 0.3, -1.7, 0.4]) + 0.1 * wave,
            joint_velocity=0.2 * np.cos(2.0 * time + np.arange(4)),
            orientation_base_in_world=np.array([0.0, 0.0, 0.0, 1.0]),
            angular_velocity_in_base=np.zeros(3),
            specific_force_in_base=np.array([0.0, 0.0, 9.81]),
            position_base_in_odom=np.array([0.4 * time, 0.0, 0.7])
            + rng.normal(0, 1e-5, 3),
            linear_velocity_in_base=np.array([0.4, 0.0, 0.01]),
            wrench_ground_on_foot_in_sole=wrench,
        )


def messages(reading, joints=JOINTS):
    """The ROS messages of one reading as (topic, type, object); joints in another order
    than the robot's."""
    seconds, rest = divmod(reading.stamp_ns, 1_000_000_000)

    def header(frame):
        stamp = made("builtin_interfaces/msg/Time", sec=seconds, nanosec=rest)
        return made("std_msgs/msg/Header", stamp=stamp, frame_id=frame)

    order = list(reversed(range(len(joints))))
    yield (
        "/joint_states",
        "sensor_msgs/msg/JointState",
        {
            "header": header(""),
            "name": [joints[k] for k in order],
            "position": reading.joint_position[order],
            "velocity": reading.joint_velocity[order],
            "effort": np.zeros(4),
        },
    )
    attitude = made(
        "geometry_msgs/msg/Quaternion",
        **dict(zip("xyzw", map(float, reading.orientation_base_in_world), strict=True)),
    )
    imu = {"header": header("imu_link"), "orientation": attitude}
    imu |= {"angular_velocity": vector(reading.angular_velocity_in_base)}
    imu |= {"linear_acceleration": vector(reading.specific_force_in_base)}
    imu |= {
        f"{name}_covariance": np.zeros(9)
        for name in ("orientation", "angular_velocity", "linear_acceleration")
    }
    yield "/imu/data", "sensor_msgs/msg/Imu", imu
    point = vector(reading.position_base_in_odom, "geometry_msgs/msg/Point")
    pose = made("geometry_msgs/msg/Pose", position=point, orientation=attitude)
    twist = made(
        "geometry_msgs/msg/Twist",
        linear=vector(reading.linear_velocity_in_base),
        angular=vector(np.zeros(3)),
    )
    odometry = {
        "header": header("odom"),
        "child_frame_id": "base_link",
        "pose": made(
            "geometry_msgs/msg/PoseWithCovariance", pose=pose, covariance=np.zeros(36)
        ),
        "twist": made(
            "geometry_msgs/msg/TwistWithCovariance",
            twist=twist,
            covariance=np.zeros(36),
        ),
    }
    yield "/odom", "nav_msgs/msg/Odometry", odometry
    for foot, side in enumerate("lr"):
        values = reading.wrench_ground_on_foot_in_sole[foot]
        wrench = made(
            "geometry_msgs/msg/Wrench",
            force=vector(values[:3]),
            torque=vector(values[3:]),
        )
        kind = "geometry_msgs/msg/WrenchStamped"
        yield (
            f"/{side}_foot/wrench",
            kind,
            {"header": header(f"{side}_sole"), "wrench": wrench},
        )


def bag_of(path, all_readings, joints=JOINTS, leave_out=""):
    with BagWriter(path) as writer:
        for reading in all_readings:
            for topic, kind, fields in messages(reading, joints):
                if topic != leave_out or reading.stamp_ns % 7_000_000:
                    cdr = bytes(STORE.serialize_cdr(made(kind, **fields), kind))
                    writer.raw(topic, kind, reading.stamp_ns, cdr)
    return path


def observed(all_readings):
    """What the robot itself estimates from the same readings, shape (n, 2, 12)."""
    robot = planar_biped("thesis")
    observer = FrictionObserver(robot, ThesisEstimator(), odometry_motion(robot))
    return np.array(
        [observer.step(reading).estimates for reading in all_readings], dtype=float
    )


def test_a_bag_of_a_walk_gives_the_estimates_of_the_walk(tmp_path):
    result = answer_bag(bag_of(tmp_path / "a.mcap", readings()), CONFIG, "thesis")
    live = observed(readings())
    for foot, replayed in enumerate(result.feet):
        assert replayed.series.name == ("left", "right")[foot]
        assert replayed.answers == pytest.approx(
            live[:, foot], rel=1e-9, abs=1e-9, nan_ok=True
        )
    assert np.isfinite(live[:, :, 0]).any(), "otherwise nothing has been compared"


def test_instants_with_a_missing_message_are_left_out(tmp_path):
    result = answer_bag(
        bag_of(tmp_path / "a.mcap", readings(), leave_out="/odom"), CONFIG, "thesis"
    )
    kept = [reading for reading in readings() if reading.stamp_ns % 7_000_000]
    assert result.feet[0].series.stamp_ns.tolist() == [
        reading.stamp_ns for reading in kept
    ]


def test_a_joint_that_the_robot_lacks_is_named(tmp_path):
    bag = bag_of(
        tmp_path / "a.mcap", readings(5), joints=("hip", "l_knee", "r_hip", "r_knee")
    )
    with pytest.raises(UnknownName, match="unknown joint 'l_hip'"):
        answer_bag(bag, CONFIG, "thesis")


def test_a_missing_topic_is_named(tmp_path):
    path = tmp_path / "a.mcap"
    with BagWriter(path) as writer:
        topic, kind, fields = next(iter(messages(next(readings(1)))))
        writer.raw(
            topic, kind, 1, bytes(STORE.serialize_cdr(made(kind, **fields), kind))
        )
    with pytest.raises(
        InvalidRecording, match="no messages on /imu/data, only on /joint_states"
    ):
        answer_bag(path, CONFIG, "thesis")


def spread_bag(path, all_readings, between):
    """A bag whose messages of one cycle have stamps so far apart [ns], joint_states
    first."""
    with BagWriter(path) as writer:
        for reading in all_readings:
            for number, (topic, kind, _) in enumerate(messages(reading)):
                own = reading._replace(stamp_ns=reading.stamp_ns + between * number)
                fields = {t: f for t, _, f in messages(own)}[topic]
                writer.raw(
                    topic,
                    kind,
                    own.stamp_ns,
                    bytes(STORE.serialize_cdr(made(kind, **fields), kind)),
                )
    return path


@pytest.mark.parametrize("between", [15_000, -15_000])
def test_stamps_of_a_cycle_that_differ_by_microseconds_give_the_same_estimates(
    tmp_path, between
):
    equal = answer_bag(bag_of(tmp_path / "a.mcap", readings()), CONFIG, "thesis")
    spread = answer_bag(
        spread_bag(tmp_path / "b.mcap", readings(), between), CONFIG, "thesis"
    )
    for one, other in zip(spread.feet, equal.feet, strict=True):
        assert one.series.stamp_ns.tolist() == other.series.stamp_ns.tolist()
        np.testing.assert_array_equal(one.answers, other.answers)


def test_messages_whose_stamps_never_agree_are_refused(tmp_path):
    rare = (reading for number, reading in enumerate(readings(40)) if number % 10 == 0)
    with pytest.raises(InvalidRecording, match="stamps must agree"):
        answer_bag(spread_bag(tmp_path / "a.mcap", rare, 600_000), CONFIG, "thesis")


def test_a_writer_that_fails_leaves_nothing_behind(tmp_path):
    with pytest.raises(RuntimeError), BagWriter(tmp_path / "a.mcap"):
        raise RuntimeError("interrupted")
    assert list(tmp_path.iterdir()) == []

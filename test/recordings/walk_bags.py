# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Bags of a robot's own topics, written from its readings without ROS."""

import numpy as np
import pytest

from biped_slip.recordings.messages import BagWriter
from biped_slip.robots.planar_biped import JOINTS

typesys = pytest.importorskip("rosbags.typesys")
STORE = typesys.get_typestore(typesys.Stores.ROS2_JAZZY)


def made(kind, **fields):
    return STORE.types[kind](**fields)


def vector(values, kind="geometry_msgs/msg/Vector3"):
    return made(kind, x=float(values[0]), y=float(values[1]), z=float(values[2]))


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


def write_messages(writer, stamp_ns, all_messages):
    """Write messages (topic, type, fields) of one instant."""
    for topic, kind, fields in all_messages:
        cdr = bytes(STORE.serialize_cdr(made(kind, **fields), kind))
        writer.raw(topic, kind, stamp_ns, cdr)


def header(stamp_ns, frame):
    seconds, rest = divmod(stamp_ns, 1_000_000_000)
    stamp = made("builtin_interfaces/msg/Time", sec=seconds, nanosec=rest)
    return made("std_msgs/msg/Header", stamp=stamp, frame_id=frame)


def inertial(topic, stamp_ns, values):
    """An IMU without an orientation: rate of turn over specific force (6,)."""
    blank = {
        f"{name}_covariance": np.zeros(9)
        for name in ("orientation", "angular_velocity", "linear_acceleration")
    }
    nowhere = made("geometry_msgs/msg/Quaternion", x=0.0, y=0.0, z=0.0, w=1.0)
    return (
        topic,
        "sensor_msgs/msg/Imu",
        {
            "header": header(stamp_ns, "imu"),
            "orientation": nowhere,
            "angular_velocity": vector(values[:3]),
            "linear_acceleration": vector(values[3:]),
            **blank,
        },
    )


def humanoid_messages(raw, joints):
    """The ROS messages of one sample of a humanoid's own sensors."""
    stamp = raw.stamp_ns
    yield (
        "/joint_states",
        "sensor_msgs/msg/JointState",
        {
            "header": header(stamp, ""),
            "name": list(joints),
            "position": np.array(raw.joint_position),
            "velocity": np.array(raw.joint_velocity),
            "effort": np.array(raw.joint_torque),
        },
    )
    yield inertial("/imu/data", stamp, raw.imu)
    for foot, side in enumerate("lr"):
        yield inertial(f"/{side}_foot/imu", stamp, raw.foot_imus[foot])
        values = raw.force_torque[foot]
        wrench = made(
            "geometry_msgs/msg/Wrench",
            force=vector(values[:3]),
            torque=vector(values[3:]),
        )
        yield (
            f"/{side}_ankle/wrench",
            "geometry_msgs/msg/WrenchStamped",
            {"header": header(stamp, f"{side}_ft"), "wrench": wrench},
        )

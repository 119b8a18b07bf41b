# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Ways to spoil what is delivered in a tick: each makes a function of the delivery."""

from __future__ import annotations

from typing import Any, Callable

import numpy as np

from biped_slip.lab.fault_injection.delivery import Delivery
from biped_slip.ros.topics.messages import set_stamp, stamp_ns

DELAY = 10  # ticks
JUMP = 10_000_000_000  # [ns]

Injection = Callable[[Delivery], None]


def stops(*topics: str) -> Injection:
    """Topics that say nothing any more."""

    def inject(delivery: Delivery) -> None:
        for topic in topics:
            del delivery.messages[topic]

    return inject


def joints(change: Callable[[Any], None]) -> Injection:
    """Change joint_states."""
    return lambda delivery: change(delivery.messages["joint_states"])


def joint_value(field: str, value: float) -> Injection:
    """One number of joint_states."""

    def change(message: Any) -> None:
        values = np.array(getattr(message, field))
        values[1] = value
        setattr(message, field, values.tolist())

    return joints(change)


def times(field: str, factor: float, which: slice = slice(None)) -> Callable[[Any], None]:
    """Numbers of joint_states times a factor."""

    def change(message: Any) -> None:
        values = np.array(getattr(message, field))
        values[which] *= factor
        setattr(message, field, values.tolist())

    return change


def wrench(feet: tuple[str, ...], change: Callable[[Any], None]) -> Injection:
    """Change the wrench of some feet."""

    def inject(delivery: Delivery) -> None:
        for foot in feet:
            change(delivery.messages[f"{foot}/wrench"].wrench)

    return inject


def imu(change: Callable[[Any], None]) -> Injection:
    """Change the IMU's message."""
    return lambda delivery: change(delivery.messages["imu/data"])


def setter(path: str, value: float) -> Callable[[Any], None]:
    """Set one number of a message, by its path."""

    def change(message: Any) -> None:
        *way, last = path.split(".")
        for name in way:
            message = getattr(message, name)
        setattr(message, last, value)

    return change


def odom(path: str, value: float) -> Injection:
    """One number of the odometry."""
    return lambda delivery: setter(path, value)(delivery.messages["odom"])


def scale(factor: float) -> Callable[[Any], None]:
    """All forces of a wrench times a factor."""

    def change(wrench: Any) -> None:
        for axis in "xyz":
            setattr(wrench.force, axis, factor * getattr(wrench.force, axis))

    return change


def swap(delivery: Delivery) -> None:
    """Each foot has the other's wrench."""
    left, right = (delivery.messages[f"{foot}/wrench"] for foot in ("l_foot", "r_foot"))
    left.wrench, right.wrench = right.wrench, left.wrench


def freeze(*topics: str) -> Injection:
    """Numbers stand still, stamps go on."""

    def inject(delivery: Delivery) -> None:
        for topic in topics:
            raw = delivery.kept.setdefault(topic, delivery.bytes_of(topic))
            delivery.raw[topic] = raw[:4] + delivery.bytes_of(topic)[4:12] + raw[12:]

    return inject


def shift(amount: int) -> Injection:
    """All stamps off by an amount [ns]."""

    def inject(delivery: Delivery) -> None:
        for message in delivery.messages.values():
            set_stamp(message.header, stamp_ns(message.header) + amount)

    return inject


def stamped(topic: str, seconds: int, nanoseconds: int) -> Injection:
    """Messages of a topic with a stamp of their own; where it is no time, only the first one."""

    def inject(delivery: Delivery) -> None:
        if delivery.tick > 0 and nanoseconds:
            del delivery.messages[topic]
            return
        stamp = delivery.messages[topic].header.stamp
        stamp.sec, stamp.nanosec = seconds, nanoseconds

    return inject


def same_stamp(delivery: Delivery) -> None:
    """Numbers go on, stamps stand still."""
    for topic, message in delivery.messages.items():
        set_stamp(message.header, delivery.kept.setdefault(topic, stamp_ns(message.header)))


def delay(*topics: str) -> Injection:
    """Topics come late, all by the same time."""

    def inject(delivery: Delivery) -> None:
        for topic in topics:
            delivery.hold(topic, DELAY)

    return inject


def jitter(delivery: Delivery) -> None:
    """All but the trigger come up to two ticks late."""
    for topic in delivery.messages:
        if topic != "joint_states":
            delivery.hold(topic, int(delivery.rng.integers(0, 3)))


def reorder(delivery: Delivery) -> None:
    """IMU messages overtake each other."""
    delivery.hold("imu/data", 1 if delivery.tick % 2 else 3)  # each odd one overtakes the even one before it


def duplicate(delivery: Delivery) -> None:
    """Everything comes twice."""
    delivery.repeat = list(delivery.messages)


def bit_flips(delivery: Delivery) -> None:
    """One bit of each message is turned."""
    for topic in delivery.messages:
        data = bytearray(delivery.bytes_of(topic))
        data[delivery.rng.integers(len(data))] ^= 1 << delivery.rng.integers(8)
        delivery.raw[topic] = bytes(data)


def truncated(delivery: Delivery) -> None:
    """Messages end too soon."""
    for topic in delivery.messages:
        raw = delivery.bytes_of(topic)
        delivery.raw[topic] = raw[: delivery.rng.integers(4, len(raw) - 16)]


def noise(delivery: Delivery) -> None:
    """Random bytes instead of messages."""
    for topic in delivery.messages:
        delivery.raw[topic] = delivery.rng.bytes(len(delivery.bytes_of(topic)))


def nothing(delivery: Delivery) -> None:
    """Everything comes as it is."""


def rename(message: Any) -> None:
    """One joint has another name."""
    message.name = ["l_hip", "l_knee", "r_hip", "knee_right"]


def turn_round(message: Any) -> None:
    """The joints in reverse order."""
    for field in ("name", "position", "velocity"):
        setattr(message, field, list(getattr(message, field))[::-1])


def extra(message: Any) -> None:
    """A joint that the robot's model does not have."""
    message.name = ["neck", *message.name]
    message.position = [9.0, *message.position]
    message.velocity = [-9.0, *message.velocity]


def cut(field: str) -> Callable[[Any], None]:
    """An array that is too short."""
    return lambda message: setattr(message, field, list(getattr(message, field))[:-1])


def frame(delivery: Delivery) -> None:
    """A wrench in the other foot's frame."""
    delivery.messages["l_foot/wrench"].header.frame_id = "r_sole"


def absent(field: str) -> Injection:
    """A quantity that the IMU says not to have."""

    def change(message: Any) -> None:
        getattr(message, field)[0] = -1.0

    return imu(change)


def folded(message: Any) -> None:
    """Joints of a robot that lies on the floor."""
    message.position = [-2.8, 2.5, -2.8, 2.5]


def saturate(delivery: Delivery) -> None:
    """Vertical forces stay at one value."""
    for foot in ("l_foot", "r_foot"):
        force = delivery.messages[f"{foot}/wrench"].wrench.force
        if force.z > 1.0:
            force.z = 90.0

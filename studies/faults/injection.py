# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Ways to spoil what is delivered in a tick: each makes a function of the delivery."""

from __future__ import annotations

from collections import deque
from typing import Any, Callable

import numpy as np

from biped_slip.constants import GRAVITY
from biped_slip.ros.messages import set_stamp, stamp_ns
from studies.faults.delivery import Delivery

DELAY = 10  # ticks
JUMP = 10_000_000_000  # [ns]

Injection = Callable[[Delivery], None]


def stops(*topics: str) -> Injection:
    """Topics that say nothing any more."""

    def inject(delivery: Delivery) -> None:
        for topic in topics:
            delivery.messages.pop(topic)

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
            _with_numbers_of(delivery, topic, delivery.kept.setdefault(topic, delivery.bytes_of(topic)))

    return inject


def _with_numbers_of(delivery: Delivery, topic: str, raw: bytes) -> None:
    """The numbers of older bytes under the stamp of now."""
    delivery.raw[topic] = raw[:4] + delivery.bytes_of(topic)[4:12] + raw[12:]


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
    message.name = [*list(message.name)[:-1], "knee_right"]


def twice(message: Any) -> None:
    """One joint is named again, with another position."""
    message.name = [*message.name, message.name[0]]
    message.position = [*message.position, 0.5]
    message.velocity = [*message.velocity, 0.0]


def nobody(message: Any) -> None:
    """No joint is named."""
    message.name, message.position, message.velocity = [], [], []


def crowd(message: Any) -> None:
    """The joints, and 100 000 others behind them."""
    message.name = [*message.name, *(f"joint_{number}" for number in range(100_000))]
    message.position = [*message.position, *np.zeros(100_000)]
    message.velocity = [*message.velocity, *np.zeros(100_000)]


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


def empty(field: str) -> Callable[[Any], None]:
    """An array without a number."""
    return lambda message: setattr(message, field, [])


def longer(field: str) -> Callable[[Any], None]:
    """An array with a number too many."""
    return lambda message: setattr(message, field, [*getattr(message, field), 0.1])


def frame(delivery: Delivery) -> None:
    """A wrench in the other foot's frame."""
    left, right = (delivery.messages[f"{foot}/wrench"].header for foot in ("l_foot", "r_foot"))
    left.frame_id = right.frame_id


def long_frame(delivery: Delivery) -> None:
    """A wrench in a frame whose name has no end."""
    delivery.messages["l_foot/wrench"].header.frame_id = "sole" * 17_500


def absent(field: str) -> Injection:
    """A quantity that the IMU says not to have."""

    def change(message: Any) -> None:
        getattr(message, field)[0] = -1.0

    return imu(change)


#: [rad] of joints, by the end of their names, of a robot that lies on the floor.
FOLDED = {"_hip": -2.8, "_knee": 2.5, "_3_joint": -2.0, "_4_joint": 2.5}


def folded(message: Any) -> None:
    """Joints of a robot that lies on the floor."""
    message.position = [
        next((angle for end, angle in FOLDED.items() if name.endswith(end) and "arm" not in name), position)
        for name, position in zip(message.name, message.position, strict=True)
    ]


def saturate(delivery: Delivery) -> None:
    """Vertical forces stay at one value, of almost three weights."""
    for foot in ("l_foot", "r_foot"):
        force = delivery.messages[f"{foot}/wrench"].wrench.force
        if force.z > 0.03 * delivery.weight:
            force.z = 2.7 * delivery.weight


def lost(delivery: Delivery) -> None:
    """Nothing of the first tick arrives."""
    if delivery.tick == 0:
        delivery.messages.clear()


def drift(topic: str, rate: float) -> Injection:
    """A vertical force that rises by so many newtons a second."""

    def inject(delivery: Delivery) -> None:
        delivery.messages[topic].wrench.force.z += 1e-3 * rate * delivery.tick

    return inject


def late(topic: str, ticks: int) -> Injection:
    """Numbers of so many ticks before under fresh stamps; until there are any, the first."""

    def inject(delivery: Delivery) -> None:
        line = delivery.kept.setdefault(topic, deque(maxlen=ticks + 1))
        line.append(delivery.bytes_of(topic))
        _with_numbers_of(delivery, topic, line[0])

    return inject


def noisy_freeze(topic: str) -> Injection:
    """A wrench that stands still but for a little noise."""

    def inject(delivery: Delivery) -> None:
        message = delivery.messages[topic].wrench
        parts = [(part, axis) for part in (message.force, message.torque) for axis in "xyz"]
        held = delivery.kept.setdefault(topic, [getattr(part, axis) for part, axis in parts])
        for (part, axis), value in zip(parts, held, strict=True):
            setattr(part, axis, value + 1e-3 * float(delivery.rng.standard_normal()))

    return inject


def upside_down(message: Any) -> None:
    """An IMU that was mounted the wrong way round."""
    for axis in "xz":
        setattr(message.linear_acceleration, axis, -getattr(message.linear_acceleration, axis))


def odometry_jump(delivery: Delivery) -> None:
    """The base's place is another one from now on."""
    delivery.messages["odom"].pose.pose.position.x += 0.3


def quaternion(factor: float) -> Callable[[Any], None]:
    """An attitude whose norm is not 1."""

    def change(message: Any) -> None:
        for part in "xyzw":
            setattr(message.orientation, part, factor * getattr(message.orientation, part))

    return change


def degrees(message: Any) -> None:
    """Angles in the wrong unit."""
    message.position, message.velocity = (np.degrees(each).tolist() for each in (message.position, message.velocity))


def weightless(message: Any) -> None:
    """Accelerations from which gravity has been taken."""
    felt = message.linear_acceleration
    felt.x, felt.y, felt.z = 0.0, 0.0, felt.z - GRAVITY


def forces_and_torques(wrench: Any) -> None:
    """Each in the other's place."""
    for axis in "xyz":
        force, torque = getattr(wrench.force, axis), getattr(wrench.torque, axis)
        setattr(wrench.force, axis, torque)
        setattr(wrench.torque, axis, force)


def hollow(delivery: Delivery) -> None:
    """Messages without content."""
    for topic in delivery.messages:
        delivery.raw[topic] = delivery.bytes_of(topic)[:4]


def misplaced(delivery: Delivery) -> None:
    """The bytes of one type on the topic of another."""
    delivery.raw["l_foot/wrench"] = delivery.bytes_of("imu/data")


def flood(delivery: Delivery) -> None:
    """Four messages of random bytes before each good one."""
    for topic in delivery.messages:
        for _ in range(4):
            delivery.more.append((topic, delivery.rng.bytes(int(delivery.rng.integers(4, 400)))))


def timeless(delivery: Delivery) -> None:
    """All stamps are zero, as of a driver that does not fill them in."""
    for message in delivery.messages.values():
        set_stamp(message.header, 0)


def scattered_stamps(delivery: Delivery) -> None:
    """Sensors of one instant have stamps up to 0.2 ms apart."""
    for message in delivery.messages.values():
        set_stamp(message.header, stamp_ns(message.header) + int(delivery.rng.integers(-200_000, 200_000)))


def shuffled(delivery: Delivery) -> None:
    """The joints are in another order every time."""
    message = delivery.messages["joint_states"]
    order = delivery.rng.permutation(len(message.name))
    for field in ("name", "position", "velocity"):
        values = list(getattr(message, field))
        setattr(message, field, [values[place] for place in order])


def in_halves(delivery: Delivery) -> None:
    """Two drivers, each with half of the joints."""
    message = delivery.messages["joint_states"]
    half, whole = len(message.name) // 2, {f: list(getattr(message, f)) for f in ("name", "position", "velocity")}
    for field, values in whole.items():
        setattr(message, field, values[:half])
    delivery.more.append(("joint_states", delivery.bytes_of("joint_states")))
    for field, values in whole.items():
        setattr(message, field, values[half:])


def rival(first: bool) -> Injection:
    """Somebody else publishes joint_states of the same instants, from another posture."""

    def inject(delivery: Delivery) -> None:
        message = delivery.messages["joint_states"]
        honest = list(message.position)
        own = delivery.bytes_of("joint_states")
        message.position = [position + 0.3 for position in honest]
        other = delivery.bytes_of("joint_states")
        message.position = honest
        delivery.more.append(("joint_states", other if first else own))
        if not first:
            delivery.raw["joint_states"] = other

    return inject


def efforts(*values: float) -> Callable[[Any], None]:
    """Measured efforts, which nobody asks for."""
    return lambda message: setattr(message, "effort", list(values))


def covariances(value: float) -> Callable[[Any], None]:
    """All covariances of the IMU."""

    def change(message: Any) -> None:
        for field in ("orientation", "angular_velocity", "linear_acceleration"):
            getattr(message, f"{field}_covariance")[:] = value

    return change


def nameless_frame(delivery: Delivery) -> None:
    """A wrench in no frame."""
    delivery.messages["l_foot/wrench"].header.frame_id = ""


def not_text(topic: str, attribute: str) -> Injection:
    """A name of bytes that are no text in any encoding."""

    def inject(delivery: Delivery) -> None:
        message = delivery.messages[topic]
        name = message.header.frame_id if attribute == "frame" else message.name[-1]
        delivery.raw[topic] = delivery.bytes_of(topic).replace(name.encode(), b"\xff" * len(name))

    return inject


def heading(first: int, second: int) -> Injection:
    """Another way of encoding is announced than the one of the bytes."""

    def inject(delivery: Delivery) -> None:
        for topic in delivery.messages:
            delivery.raw[topic] = bytes([first, second]) + delivery.bytes_of(topic)[2:]

    return inject


def trailing(delivery: Delivery) -> None:
    """More bytes than the message has."""
    for topic in delivery.messages:
        delivery.raw[topic] = delivery.bytes_of(topic) + delivery.rng.bytes(64)


def offset(field: str, value: float) -> Callable[[Any], None]:
    """One number of joint_states off by a value from now on."""

    def change(message: Any) -> None:
        values = np.array(getattr(message, field))
        values[1] += value
        setattr(message, field, values.tolist())

    return change


def turned_sensor(wrench: Any) -> None:
    """Mounted a quarter of a turn about the vertical off."""
    for part in (wrench.force, wrench.torque):
        part.x, part.y = part.y, -part.x


def pressed(share: float) -> Injection:
    """A vertical force off by a share of the weight from now on: a tare under load."""

    def inject(delivery: Delivery) -> None:
        delivery.messages["r_foot/wrench"].wrench.force.z += share * delivery.weight

    return inject
